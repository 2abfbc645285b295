//! The addresses of a heap: one range, reserved once, in which all its spaces lie, and a map of where objects start.
//!
//! One bit for each eight bytes of the range says whether an object starts there. That makes the check of a word cheap
//! and exact: a word that is no pointer, that lies in no space of this heap, that points into an object or into freed
//! memory is told from one that names an object. What lies behind a set bit is committed memory that holds a whole
//! object. Nothing here knows what a header means.

use super::fault::fault;
use super::oop::Oop;
use super::region::{PAGE_BYTES, Region, whole_pages};
use std::io;

/// The kernel may take this much.
pub(super) const PERMANENT_BYTES: usize = 32 * 1024 * 1024;
/// Where objects are born.
pub(super) const NURSERY_BYTES: usize = 1024 * 1024;
/// The addresses of the old space: twice its largest size, since a collection copies it, and as much again for gaps
/// between large objects.
const OLD_BYTES: usize = 2 * 1024 * 1024 * 1024;
/// The old space is given out in pieces of this size.
pub(super) const BLOCK_BYTES: usize = 64 * 1024;
/// The most that an old space may be told to hold.
pub(super) const OLD_LIMIT_BYTES: usize = OLD_BYTES / 4;

const NURSERY_OFFSET: usize = PERMANENT_BYTES;
const OLD_OFFSET: usize = PERMANENT_BYTES + NURSERY_BYTES;
const ARENA_BYTES: usize = OLD_OFFSET + OLD_BYTES;
/// Objects start at multiples of this.
const CELL_BYTES: usize = 8;
/// Bytes of the range for each byte of the map.
const MAPPED_BYTES: usize = CELL_BYTES * 8;

const _: () =
    assert!(OLD_OFFSET.is_multiple_of(BLOCK_BYTES) && BLOCK_BYTES.is_multiple_of(MAPPED_BYTES * PAGE_BYTES / 64));

/// What a block of the old space is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Block {
    Free,
    /// Holds objects.
    Used,
    /// Is being evacuated by a major collection.
    From,
}

/// A run of blocks of the old space.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) start: usize,
    pub(super) end: usize,
    /// First address that holds no object.
    pub(super) free: usize,
}

/// The addresses of a heap.
#[derive(Debug)]
pub(super) struct Arena {
    range: Region,
    starts: Region,
    blocks: Box<[Block]>,
    /// Where the search for free blocks begins.
    next: usize,
}

impl Arena {
    pub(super) fn new() -> io::Result<Arena> {
        let mut range = Region::reserve(ARENA_BYTES)?;
        range.commit(0, OLD_OFFSET)?;
        let starts = Region::new(ARENA_BYTES / MAPPED_BYTES)?;
        let blocks = vec![Block::Free; OLD_BYTES / BLOCK_BYTES].into_boxed_slice();
        Ok(Arena { range, starts, blocks, next: 0 })
    }

    /// First address of the permanent space.
    #[inline(always)]
    pub(super) fn permanent(&self) -> usize {
        self.range.start()
    }

    /// First address of the nursery.
    #[inline(always)]
    pub(super) fn nursery(&self) -> usize {
        self.range.start() + NURSERY_OFFSET
    }

    /// Whether a word points into the permanent space.
    #[inline(always)]
    pub(super) fn in_permanent(&self, word: Oop) -> bool {
        word.is_pointer() && (word.bits() as usize).wrapping_sub(self.permanent()) < PERMANENT_BYTES
    }

    /// Whether a word points into the nursery.
    #[inline(always)]
    pub(super) fn in_nursery(&self, word: Oop) -> bool {
        word.is_pointer() && (word.bits() as usize).wrapping_sub(self.nursery()) < NURSERY_BYTES
    }

    /// The kernel is complete: its pages are shared from now on, and the rest of its space has no memory any more.
    pub(super) fn share_permanent(&mut self, used: usize) -> io::Result<()> {
        self.range.share(0, used)?;
        let used = whole_pages(used);
        self.range.decommit(used, PERMANENT_BYTES - used)
    }

    /// Gives the memory of the nursery behind an address back to the system.
    pub(super) fn release_nursery(&mut self, from: usize) {
        let from = from - self.range.start();
        self.range.release(from, OLD_OFFSET - from);
    }

    // === Where objects start

    /// Whether a word is a pointer to an object of this heap.
    #[inline(always)]
    pub(super) fn is_start(&self, word: Oop) -> bool {
        // The tag of a word that is no pointer goes to the highest bits, far outside of the range.
        let cell = word.bits().wrapping_sub(self.range.start() as u64).rotate_right(3) as usize;
        if cell >= ARENA_BYTES / CELL_BYTES {
            return false;
        }
        // SAFETY: the map has a bit for each cell of the range.
        let byte = unsafe { *((self.starts.start() + (cell >> 3)) as *const u8) };
        byte >> (cell & 7) & 1 != 0
    }

    /// Notes that an object starts at an address of the range.
    ///
    /// # Safety
    /// The address is a multiple of 8 in a committed part of the range, and the object there is whole, in memory that
    /// no
    /// other object has. The allocator sees to it.
    #[inline(always)]
    pub(super) unsafe fn set_start_unchecked(&mut self, address: usize) {
        let cell = (address - self.range.start()) / CELL_BYTES;
        // SAFETY: the map has a bit for each cell of the range.
        unsafe { *((self.starts.start() + (cell >> 3)) as *mut u8) |= 1 << (cell & 7) }
    }

    /// Forgets all objects that start in `start..end`; `start` is where a space or a block begins.
    pub(super) fn clear_starts(&mut self, start: usize, end: usize) {
        let first = (start - self.range.start()) / MAPPED_BYTES;
        let behind = (end - self.range.start()).div_ceil(MAPPED_BYTES);
        assert!(first <= behind && behind <= self.starts.bytes(), "a range of the heap");
        // SAFETY: the range lies in the map, as was just checked.
        unsafe { std::ptr::write_bytes((self.starts.start() + first) as *mut u8, 0, behind - first) };
    }

    // === Blocks of the old space

    fn block_of(&self, word: Oop) -> Option<usize> {
        let offset = (word.bits() as usize).wrapping_sub(self.range.start() + OLD_OFFSET);
        (word.is_pointer() && offset < OLD_BYTES).then_some(offset / BLOCK_BYTES)
    }

    /// Whether a word points into what a major collection evacuates.
    #[inline]
    pub(super) fn in_from_space(&self, word: Oop) -> bool {
        self.block_of(word).is_some_and(|block| self.blocks[block] == Block::From)
    }

    fn blocks_of(&self, chunk: &Chunk) -> std::ops::Range<usize> {
        let first = (chunk.start - self.range.start() - OLD_OFFSET) / BLOCK_BYTES;
        first..first + (chunk.end - chunk.start).div_ceil(BLOCK_BYTES)
    }

    /// A chunk of at least so many bytes; `None` if there are no addresses or no memory for it.
    pub(super) fn take_chunk(&mut self, bytes: usize) -> Option<Chunk> {
        if bytes > OLD_BYTES {
            return None;
        }
        let bytes = whole_pages(bytes);
        let count = bytes.div_ceil(BLOCK_BYTES);
        let first = self.find_free(self.next, count).or_else(|| self.find_free(0, count))?;
        let offset = OLD_OFFSET + first * BLOCK_BYTES;
        self.range.commit(offset, bytes).ok()?;
        self.blocks[first..first + count].fill(Block::Used);
        self.next = first + count;
        let start = self.range.start() + offset;
        Some(Chunk { start, end: start + bytes, free: start })
    }

    fn find_free(&self, from: usize, count: usize) -> Option<usize> {
        let mut run = 0;
        for (index, block) in self.blocks.iter().enumerate().skip(from) {
            run = if *block == Block::Free { run + 1 } else { 0 };
            if run == count {
                return Some(index + 1 - count);
            }
        }
        None
    }

    /// What a chunk holds is about to be evacuated.
    pub(super) fn begin_evacuation(&mut self, chunk: &Chunk) {
        let blocks = self.blocks_of(chunk);
        self.blocks[blocks].fill(Block::From);
    }

    /// Takes a chunk back, and its objects with it.
    pub(super) fn free_chunk(&mut self, chunk: Chunk) {
        let blocks = self.blocks_of(&chunk);
        self.clear_starts(chunk.start, chunk.end);
        self.blocks[blocks].fill(Block::Free);
        let offset = chunk.start - self.range.start();
        // Should the system refuse, the pages stay: nothing refers to them, and who takes the chunk next writes them.
        let _ = self.range.decommit(offset, chunk.end - chunk.start);
    }

    /// Fails unless a word is a pointer to an object of this heap.
    #[inline]
    #[track_caller]
    pub(super) fn check_object(&self, word: Oop) {
        if !self.is_start(word) {
            fault("no object of this heap", word);
        }
    }

    /// Fails if a word is a pointer, but not to an object of this heap.
    #[inline]
    #[track_caller]
    pub(super) fn check_value(&self, word: Oop) {
        if word.is_pointer() && !self.is_start(word) {
            fault("no object of this heap", word);
        }
    }
}
