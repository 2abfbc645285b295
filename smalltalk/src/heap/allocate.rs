//! Allocation: in the nursery by moving a pointer, elsewhere in chunks.

use super::arena::{Chunk, OLD_LIMIT_BYTES, PERMANENT_BYTES};
use super::{
    CHUNK_BYTES, CLASS_INDEX_MAX, CLASS_SHIFT, HEADER_BYTES, Heap, HeapFull, LARGE_BYTES, Oop, body_bytes, flag,
};

impl Heap {
    /// An object in the nursery, its slots nil or its bytes zero. `None` when the nursery is full: collect, then try
    /// again.
    #[inline]
    pub fn try_allocate(&mut self, class: u32, size: usize, bytes: bool) -> Option<Oop> {
        if self.booting || size >= LARGE_BYTES || self.stress {
            return None;
        }
        self.allocate_young(class, size, bytes)
    }

    /// In the nursery, if there is room and the object is not large.
    #[inline(always)]
    fn allocate_young(&mut self, class: u32, size: usize, bytes: bool) -> Option<Oop> {
        let total = HEADER_BYTES + body_bytes(size, bytes);
        let address = self.nursery_free;
        if total >= LARGE_BYTES || address + total > self.nursery_end {
            return None;
        }
        self.nursery_free = address + total;
        // SAFETY: the range lies in the nursery, whose memory is committed for good, behind all objects in it.
        Some(unsafe { self.initialise_unchecked(address, class, size, bytes, 0) })
    }

    /// As [`Heap::try_allocate`], right after a collection.
    pub fn allocate_in_empty_nursery(&mut self, class: u32, size: usize, bytes: bool) -> Result<Oop, HeapFull> {
        let young = if size < LARGE_BYTES { self.allocate_young(class, size, bytes) } else { None };
        young.map_or_else(|| self.allocate_old(class, size, bytes), Ok)
    }

    /// An object outside of the nursery: large ones, and those that must not move at a minor collection.
    pub fn allocate_old(&mut self, class: u32, size: usize, bytes: bool) -> Result<Oop, HeapFull> {
        if size > u32::MAX as usize {
            return Err(HeapFull);
        }
        let total = HEADER_BYTES + body_bytes(size, bytes);
        let address = if self.booting { self.permanent_room(total)? } else { self.old_room(total)? };
        // SAFETY: the room is committed, of this size, and nobody else's.
        Ok(unsafe { self.initialise_unchecked(address, class, size, bytes, flag::UNREMEMBERED) })
    }

    /// Whether an object of this size must be born with [`Heap::allocate_old`].
    pub fn is_large(&self, size: usize, bytes: bool) -> bool {
        self.booting || size >= LARGE_BYTES || HEADER_BYTES + body_bytes(size, bytes) >= LARGE_BYTES
    }

    /// Whether an object of this size would take the heap past its limit and all reserves.
    pub fn has_room_for(&self, size: usize, bytes: bool) -> bool {
        let reserve = self.limit_bytes / 8;
        size <= u32::MAX as usize && self.used_bytes() + body_bytes(size, bytes) <= self.limit_bytes + reserve
    }

    /// # Safety
    /// At the address there is committed memory of a space for the header and the whole body, aligned to 8 bytes, in
    /// which no object lies; the size is at most `u32::MAX`.
    #[inline(always)]
    unsafe fn initialise_unchecked(&mut self, address: usize, class: u32, size: usize, bytes: bool, flags: u64) -> Oop {
        let kind = if bytes { flag::BYTES } else { 0 };
        let header = size as u64 | u64::from(class & CLASS_INDEX_MAX) << CLASS_SHIFT | kind | flags;
        let fill = if bytes { 0 } else { Oop::NIL.bits() };
        let words = address as *mut u64;
        // SAFETY: the caller says that the memory is there and nobody else's; the object is whole when its start is
        // set.
        unsafe {
            *words = header;
            *words.add(1) = 0;
            for index in 0..body_bytes(size, bytes) / 8 {
                *words.add(2 + index) = fill;
            }
            self.arena.set_start_unchecked(address);
        }
        Oop::at_address(address)
    }

    fn permanent_room(&mut self, total: usize) -> Result<usize, HeapFull> {
        let address = self.permanent_free;
        if address + total > self.arena.permanent() + PERMANENT_BYTES {
            return Err(HeapFull);
        }
        self.permanent_free += total;
        Ok(address)
    }

    pub(super) fn old_room(&mut self, total: usize) -> Result<usize, HeapFull> {
        if total >= LARGE_BYTES {
            let chunk = self.arena.take_chunk(total).ok_or(HeapFull)?;
            let address = chunk.start;
            let chunk = Chunk { free: address + total, ..chunk };
            // The last chunk stays the one that small objects go to.
            let place = self.old.len().saturating_sub(1);
            self.old.insert(place, chunk);
            self.old_bytes += total;
            return Ok(address);
        }
        if self.old.last().is_none_or(|chunk| chunk.free + total > chunk.end) {
            self.old.push(self.arena.take_chunk(CHUNK_BYTES).ok_or(HeapFull)?);
        }
        let chunk = self.old.last_mut().expect("a chunk was just made sure of");
        let address = chunk.free;
        chunk.free += total;
        self.old_bytes += total;
        Ok(address)
    }
}

const _: () = assert!(OLD_LIMIT_BYTES < u32::MAX as usize);
