//! The heap: where Smalltalk objects live, and the only module of this crate with unsafe code.
//!
//! Three spaces. The *permanent* space holds the booted kernel: the collector never scans, marks or moves it; what
//! points out of it is remembered by the write barrier. The *nursery* is where objects are born; a minor collection
//! copies what lives into the *old* space. A major collection copies the old space. All of it moves objects, so a word
//! held outside of the heap's roots is good only until the next allocation.
//!
//! An object is two header words and a body. Header: size (32 bits: slots, or bytes of a byte object), class index
//! (24), flags (8); then the identity under which the repository knows the object, or 0. A symbol, which the
//! repository knows by its content, has its hash there instead.
//!
//! The write barrier is also the recorder of what a transaction wrote: the first store into a committed object keeps
//! a copy of its state, for `abort`.
//!
//! This module must never know what an object means: no classes, no selectors, no Smalltalk.

mod collect;
mod oop;
mod region;
mod stack;
mod written;

pub use collect::Roots;
pub use oop::{INTEGER_MAX, INTEGER_MIN, Oop};
pub use stack::Stack;
pub use written::Before;

use crate::store::Oid;
use region::Region;
use std::collections::HashMap;
use std::io;

/// Class index of no class.
pub const NO_CLASS: u32 = 0;
/// Highest class index.
pub const CLASS_INDEX_MAX: u32 = (1 << 24) - 1;

const HEADER_BYTES: usize = 16;
const NURSERY_BYTES: usize = 1024 * 1024;
const CHUNK_BYTES: usize = 256 * 1024;
/// Objects from this size on are never born in the nursery.
const LARGE_BYTES: usize = 64 * 1024;
/// The kernel may take this much.
const PERMANENT_BYTES: usize = 32 * 1024 * 1024;
/// The old space grows by at least this much between two major collections.
const MAJOR_STEP_BYTES: usize = 8 * 1024 * 1024;

const CLASS_SHIFT: u32 = 32;

mod flag {
    /// The body is bytes.
    pub(super) const BYTES: u64 = 1 << 56;
    /// Not in the nursery, and not in the remembered set.
    pub(super) const UNREMEMBERED: u64 = 1 << 57;
    /// Known to the repository and not written since.
    pub(super) const CLEAN: u64 = 1 << 58;
    /// Known to the repository.
    pub(super) const STORED: u64 = 1 << 59;
    /// The second header word holds the new address; only while the collector runs.
    pub(super) const FORWARDED: u64 = 1 << 60;
    /// Refuses stores from Smalltalk.
    pub(super) const IMMUTABLE: u64 = 1 << 61;
    /// A permanent object that may point out of the permanent space.
    pub(super) const OUTWARD: u64 = 1 << 62;
    /// The second header word is a hash, not an identity.
    pub(super) const SYMBOL: u64 = 1 << 63;
}

#[derive(Debug)]
struct Chunk {
    region: Region,
    free: usize,
}

/// All objects of one image.
#[derive(Debug)]
pub struct Heap {
    nursery: Region,
    nursery_free: usize,
    nursery_limit: usize,
    old: Vec<Chunk>,
    old_bytes: usize,
    major_threshold: usize,
    limit_bytes: usize,
    permanent: Region,
    permanent_free: usize,
    /// Until the kernel is frozen everything is born permanent.
    booting: bool,
    remembered: Vec<Oop>,
    outward: Vec<Oop>,
    written: Vec<Before>,
    /// Words that native code holds across allocations.
    pub handles: Vec<Oop>,
    /// The virtual machine's stack.
    pub stack: Stack,
    /// First free index of the stack: what lies below is scanned.
    pub stack_top: usize,
    /// The number of the commit that the image shows: the base of what is written from now on.
    pub view: u64,
    collections: u64,
    stress: bool,
}

/// There is no room for an object, not even after a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeapFull;

impl Heap {
    /// An empty heap in its booting state.
    pub fn new(limit_bytes: usize, stack_bytes: usize) -> io::Result<Heap> {
        let nursery = Region::new(NURSERY_BYTES)?;
        let permanent = Region::new(PERMANENT_BYTES)?;
        Ok(Heap {
            nursery_free: nursery.start(),
            nursery_limit: nursery.end(),
            nursery,
            old: Vec::new(),
            old_bytes: 0,
            major_threshold: MAJOR_STEP_BYTES,
            limit_bytes,
            permanent_free: permanent.start(),
            permanent,
            booting: true,
            remembered: Vec::new(),
            outward: Vec::new(),
            written: Vec::new(),
            handles: Vec::new(),
            stack: Stack::new(stack_bytes)?,
            stack_top: 0,
            view: 0,
            collections: 0,
            stress: false,
        })
    }

    /// Sets how many bytes the nursery and the old space may take together.
    pub fn set_limit(&mut self, bytes: usize) {
        self.limit_bytes = bytes;
    }

    /// Collect the nursery at every allocation, to bring out words that were held across one.
    pub fn set_stress(&mut self, stress: bool) {
        self.stress = stress;
    }

    /// Ends the booting state: what exists is permanent from now on, known to every repository by its identity, and
    /// shared with the processes that are forked from this one.
    pub fn freeze(&mut self) -> io::Result<()> {
        let mut address = self.permanent.start();
        while address < self.permanent_free {
            let object = Oop::at_address(address);
            address += self.footprint(object);
            let kept = if self.is_symbol(object) { flag::UNREMEMBERED } else { PERMANENT_FLAGS };
            let header = self.header(object) | kept;
            self.set_header(object, header);
        }
        self.booting = false;
        self.permanent.share(self.permanent_free - self.permanent.start())
    }

    /// Whether the kernel is still being loaded.
    pub fn is_booting(&self) -> bool {
        self.booting
    }

    /// Visits all permanent objects, in the order of their birth.
    pub fn permanent_objects(&self) -> Vec<Oop> {
        let mut objects = Vec::new();
        let mut address = self.permanent.start();
        while address < self.permanent_free {
            let object = Oop::at_address(address);
            objects.push(object);
            address += self.footprint(object);
        }
        objects
    }

    /// Bytes of the permanent space.
    pub fn permanent_bytes(&self) -> usize {
        self.permanent_free - self.permanent.start()
    }

    /// Bytes in use outside of the permanent space.
    pub fn used_bytes(&self) -> usize {
        self.old_bytes + self.nursery_bytes()
    }

    /// Bytes in use in the nursery.
    pub fn nursery_bytes(&self) -> usize {
        self.nursery_free - self.nursery.start()
    }

    /// Whether more is in use than the limit allows.
    pub fn is_over_limit(&self) -> bool {
        self.used_bytes() > self.limit_bytes
    }

    /// The limit in bytes.
    pub fn limit_bytes(&self) -> usize {
        self.limit_bytes
    }

    /// How many collections there were.
    pub fn collections(&self) -> u64 {
        self.collections
    }

    // === Birth

    /// An object in the nursery, its slots nil or its bytes zero. `None` when the nursery is full: collect, then try
    /// again.
    #[inline]
    pub fn try_allocate(&mut self, class: u32, size: usize, bytes: bool) -> Option<Oop> {
        let body = body_bytes(size, bytes);
        let total = HEADER_BYTES + body;
        if self.booting || total >= LARGE_BYTES || self.stress {
            return None;
        }
        let address = self.nursery_free;
        if address + total > self.nursery_limit {
            return None;
        }
        self.nursery_free = address + total;
        Some(self.initialise(address, class, size, bytes, 0))
    }

    /// As [`Heap::try_allocate`], right after a collection.
    pub fn allocate_in_empty_nursery(&mut self, class: u32, size: usize, bytes: bool) -> Result<Oop, HeapFull> {
        let total = HEADER_BYTES + body_bytes(size, bytes);
        let address = self.nursery_free;
        if address + total > self.nursery_limit {
            return self.allocate_old(class, size, bytes);
        }
        self.nursery_free = address + total;
        Ok(self.initialise(address, class, size, bytes, 0))
    }

    /// An object outside of the nursery: large ones, and those that must not move at a minor collection.
    pub fn allocate_old(&mut self, class: u32, size: usize, bytes: bool) -> Result<Oop, HeapFull> {
        if size > u32::MAX as usize {
            return Err(HeapFull);
        }
        let total = HEADER_BYTES + body_bytes(size, bytes);
        let address = if self.booting { self.permanent_room(total)? } else { self.old_room(total)? };
        Ok(self.initialise(address, class, size, bytes, flag::UNREMEMBERED))
    }

    /// Whether an object of this size must be born with [`Heap::allocate_old`].
    pub fn is_large(&self, size: usize, bytes: bool) -> bool {
        self.booting || HEADER_BYTES + body_bytes(size, bytes) >= LARGE_BYTES
    }

    /// Whether an object of this size would take the heap past its limit and all reserves.
    pub fn has_room_for(&self, size: usize, bytes: bool) -> bool {
        let reserve = self.limit_bytes / 8;
        size <= u32::MAX as usize && self.used_bytes() + body_bytes(size, bytes) <= self.limit_bytes + reserve
    }

    #[inline(always)]
    fn initialise(&mut self, address: usize, class: u32, size: usize, bytes: bool, flags: u64) -> Oop {
        let object = Oop::at_address(address);
        let kind = if bytes { flag::BYTES } else { 0 };
        self.set_header(object, size as u64 | u64::from(class) << CLASS_SHIFT | kind | flags);
        self.set_word(object, 1, 0);
        let fill = if bytes { 0 } else { Oop::NIL.bits() };
        for index in 0..body_bytes(size, bytes) / 8 {
            self.set_word(object, 2 + index, fill);
        }
        object
    }

    fn permanent_room(&mut self, total: usize) -> Result<usize, HeapFull> {
        let address = self.permanent_free;
        if address + total > self.permanent.end() {
            return Err(HeapFull);
        }
        self.permanent_free += total;
        Ok(address)
    }

    fn old_room(&mut self, total: usize) -> Result<usize, HeapFull> {
        if total >= LARGE_BYTES {
            let region = Region::new(total).map_err(|_| HeapFull)?;
            let address = region.start();
            let chunk = Chunk { free: region.start() + total, region };
            // The last chunk stays the one that small objects go to.
            let place = self.old.len().saturating_sub(1);
            self.old.insert(place, chunk);
            self.old_bytes += total;
            return Ok(address);
        }
        if self.old.last().is_none_or(|chunk| chunk.free + total > chunk.region.end()) {
            let region = Region::new(CHUNK_BYTES).map_err(|_| HeapFull)?;
            self.old.push(Chunk { free: region.start(), region });
        }
        let chunk = self.old.last_mut().expect("a chunk was just made sure of");
        let address = chunk.free;
        chunk.free += total;
        self.old_bytes += total;
        Ok(address)
    }

    // === Headers

    #[inline(always)]
    fn word(&self, object: Oop, index: usize) -> u64 {
        // SAFETY: `object` is a pointer that this heap made and the collector kept up to date, and `index` lies in
        // its header or body by the callers' checks.
        unsafe { *(object.address() as *const u64).add(index) }
    }

    #[inline(always)]
    fn set_word(&mut self, object: Oop, index: usize, value: u64) {
        // SAFETY: as in `word`; all spaces are private writable mappings.
        unsafe { *(object.address() as *mut u64).add(index) = value }
    }

    #[inline(always)]
    fn header(&self, object: Oop) -> u64 {
        self.word(object, 0)
    }

    #[inline(always)]
    fn set_header(&mut self, object: Oop, header: u64) {
        self.set_word(object, 0, header);
    }

    /// Number of slots, or of bytes.
    #[inline(always)]
    pub fn size(&self, object: Oop) -> usize {
        self.header(object) as u32 as usize
    }

    /// The index of its class.
    #[inline(always)]
    pub fn class_index(&self, object: Oop) -> u32 {
        (self.header(object) >> CLASS_SHIFT) as u32 & CLASS_INDEX_MAX
    }

    /// Gives it another class; the caller sees to it that the shape fits.
    pub fn set_class_index(&mut self, object: Oop, class: u32) {
        let kept = self.header(object) & !(u64::from(CLASS_INDEX_MAX) << CLASS_SHIFT);
        self.set_header(object, kept | u64::from(class) << CLASS_SHIFT);
    }

    /// Whether its body is bytes.
    #[inline(always)]
    pub fn is_bytes(&self, object: Oop) -> bool {
        self.header(object) & flag::BYTES != 0
    }

    /// Whether Smalltalk may not store into it.
    #[inline(always)]
    pub fn is_immutable(&self, object: Oop) -> bool {
        self.header(object) & flag::IMMUTABLE != 0
    }

    /// Makes it refuse stores from Smalltalk.
    pub fn set_immutable(&mut self, object: Oop) {
        let header = self.header(object) | flag::IMMUTABLE;
        self.set_header(object, header);
    }

    /// Whether the repository knows it.
    pub fn is_stored(&self, object: Oop) -> bool {
        self.header(object) & flag::STORED != 0
    }

    /// Whether it is a symbol: known by content, with a hash in place of an identity.
    pub fn is_symbol(&self, object: Oop) -> bool {
        self.header(object) & flag::SYMBOL != 0
    }

    /// Makes a byte object a symbol.
    pub fn set_symbol(&mut self, object: Oop, hash: u64) {
        let header = self.header(object) | flag::SYMBOL | flag::IMMUTABLE;
        self.set_header(object, header);
        self.set_word(object, 1, hash);
    }

    /// Makes it refuse stores, or not.
    pub fn set_immutable_if(&mut self, object: Oop, immutable: bool) {
        let header = self.header(object) & !flag::IMMUTABLE;
        self.set_header(object, if immutable { header | flag::IMMUTABLE } else { header });
    }

    /// The hash of a symbol.
    pub fn symbol_hash(&self, object: Oop) -> u64 {
        debug_assert!(self.is_symbol(object));
        self.word(object, 1)
    }

    /// Its identity; 0 if it has none yet.
    pub fn oid(&self, object: Oop) -> Oid {
        if self.is_symbol(object) { 0 } else { self.word(object, 1) }
    }

    /// Gives it an identity.
    pub fn set_oid(&mut self, object: Oop, oid: Oid) {
        debug_assert!(!self.is_symbol(object));
        self.set_word(object, 1, oid);
    }

    /// Whether it belongs to the kernel.
    #[inline(always)]
    pub fn is_permanent(&self, object: Oop) -> bool {
        self.permanent.contains(object.address())
    }

    #[inline(always)]
    fn is_young(&self, object: Oop) -> bool {
        object.is_pointer() && self.nursery.contains(object.bits() as usize)
    }

    fn footprint(&self, object: Oop) -> usize {
        HEADER_BYTES + body_bytes(self.size(object), self.is_bytes(object))
    }

    fn body_words(&self, object: Oop) -> usize {
        body_bytes(self.size(object), self.is_bytes(object)) / 8
    }

    // === Slots

    /// The word in a slot; it may be a reference.
    #[inline(always)]
    pub fn slot(&self, object: Oop, index: usize) -> Oop {
        debug_assert!(!self.is_bytes(object) && index < self.size(object), "slot {index} of {object:?}");
        // SAFETY: the callers check the index against the size or know the shape of the class.
        unsafe { *((object.address() + HEADER_BYTES) as *const Oop).add(index) }
    }

    /// The words in all slots; some may be references.
    #[inline]
    pub fn slots(&self, object: Oop) -> &[Oop] {
        debug_assert!(!self.is_bytes(object));
        // SAFETY: the object's body has `size` words; the borrow of the heap keeps it in place.
        unsafe { std::slice::from_raw_parts((object.address() + HEADER_BYTES) as *const Oop, self.size(object)) }
    }

    /// Stores through the write barrier.
    #[inline(always)]
    pub fn store(&mut self, object: Oop, index: usize, value: Oop) {
        debug_assert!(!self.is_bytes(object) && index < self.size(object));
        let header = self.header(object);
        if header & (flag::CLEAN | flag::UNREMEMBERED) != 0 {
            self.barrier(object, header, value);
        }
        self.put(object, index, value);
    }

    /// Stores without recording a write: for what is no change of the object's meaning (loading a reference, filling
    /// a cache, applying what others committed).
    pub fn store_unrecorded(&mut self, object: Oop, index: usize, value: Oop) {
        debug_assert!(!self.is_bytes(object) && index < self.size(object));
        self.note_pointer(object, value);
        self.put(object, index, value);
    }

    #[inline(always)]
    fn put(&mut self, object: Oop, index: usize, value: Oop) {
        // SAFETY: as in `slot`.
        unsafe { *((object.address() + HEADER_BYTES) as *mut Oop).add(index) = value }
    }

    fn barrier(&mut self, object: Oop, header: u64, value: Oop) {
        if header & flag::CLEAN != 0 {
            self.record_write(object);
        }
        self.note_pointer(object, value);
    }

    /// Remembers `object` as far as the collector needs it, given that it is to hold `value`.
    fn note_pointer(&mut self, object: Oop, value: Oop) {
        if !value.is_pointer() {
            return;
        }
        let header = self.header(object);
        if header & flag::UNREMEMBERED != 0 && self.is_young(value) {
            self.set_header(object, header & !flag::UNREMEMBERED);
            self.remembered.push(object);
        }
        self.note_outward(object);
    }

    fn note_outward(&mut self, object: Oop) {
        let header = self.header(object);
        if !self.booting && header & flag::OUTWARD == 0 && self.is_permanent(object) {
            self.set_header(object, header | flag::OUTWARD);
            self.outward.push(object);
        }
    }

    /// The bytes of a byte object.
    #[inline]
    pub fn bytes(&self, object: Oop) -> &[u8] {
        debug_assert!(self.is_bytes(object));
        // SAFETY: the object's body has at least `size` bytes; the borrow of the heap keeps it in place.
        unsafe { std::slice::from_raw_parts((object.address() + HEADER_BYTES) as *const u8, self.size(object)) }
    }

    /// The bytes of a byte object, to be changed; records the write.
    #[inline]
    pub fn bytes_mut(&mut self, object: Oop) -> &mut [u8] {
        debug_assert!(self.is_bytes(object));
        if self.header(object) & flag::CLEAN != 0 {
            self.record_write(object);
        }
        let size = self.size(object);
        // SAFETY: as in `bytes`, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut((object.address() + HEADER_BYTES) as *mut u8, size) }
    }

    /// The instruction words of a byte object that holds code.
    #[inline(always)]
    pub fn code(&self, object: Oop) -> Code {
        debug_assert!(self.is_bytes(object));
        Code((object.address() + HEADER_BYTES) as *const u32)
    }

    /// Sets all bytes of a byte object without recording a write; the lengths agree.
    pub fn overwrite_bytes(&mut self, object: Oop, bytes: &[u8]) {
        assert!(self.is_bytes(object) && self.size(object) == bytes.len());
        // SAFETY: the body has at least `size` bytes, and the source cannot overlap it.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), (object.address() + HEADER_BYTES) as *mut u8, bytes.len());
        }
    }

    /// Copies slots or bytes within one object or between two of a kind, overlapping or not, through the barrier;
    /// the caller has checked the ranges.
    pub fn copy_elements(&mut self, target: Oop, to: usize, source: Oop, from: usize, count: usize) {
        if self.is_bytes(target) {
            let moved = self.bytes(source)[from..from + count].to_vec();
            self.bytes_mut(target)[to..to + count].copy_from_slice(&moved);
        } else if to <= from {
            for index in 0..count {
                self.store(target, to + index, self.slot(source, from + index));
            }
        } else {
            for index in (0..count).rev() {
                self.store(target, to + index, self.slot(source, from + index));
            }
        }
    }

    /// Makes every reference to a key of `exchange` refer to its value instead, everywhere but in the states kept for
    /// `abort`; the class indices and identities of the objects stay where they are.
    pub fn exchange_references(&mut self, exchange: &HashMap<Oop, Oop>, roots: &mut dyn Roots) {
        let swap = |word: &mut Oop| {
            if let Some(other) = exchange.get(word) {
                *word = *other;
            }
        };
        self.stack.below_mut(self.stack_top).iter_mut().for_each(swap);
        self.handles.iter_mut().for_each(swap);
        roots.visit_all(&mut |word| swap(word));
        for object in self.all_objects() {
            if self.is_bytes(object) {
                continue;
            }
            for index in 0..self.size(object) {
                if let Some(other) = exchange.get(&self.slot(object, index)) {
                    self.store_unrecorded(object, index, *other);
                }
            }
        }
    }

    /// Every object, dead ones included.
    fn all_objects(&self) -> Vec<Oop> {
        let mut objects = self.permanent_objects();
        let chunks = self.old.iter().map(|chunk| (chunk.region.start(), chunk.free));
        for (start, end) in chunks.chain([(self.nursery.start(), self.nursery_free)]) {
            let mut address = start;
            while address < end {
                let object = Oop::at_address(address);
                objects.push(object);
                address += self.footprint(object);
            }
        }
        objects
    }

    fn note_slots(&mut self, object: Oop) {
        if self.is_bytes(object) {
            return;
        }
        for index in 0..self.size(object) {
            let value = self.slot(object, index);
            self.note_pointer(object, value);
        }
    }
}

/// What freezing adds to each object of the kernel.
const PERMANENT_FLAGS: u64 = flag::UNREMEMBERED | flag::CLEAN | flag::STORED;

#[inline(always)]
fn body_bytes(size: usize, bytes: bool) -> usize {
    if bytes { size.div_ceil(8) * 8 } else { size * 8 }
}

/// Instruction words of a method; good until the next major collection.
#[derive(Debug, Clone, Copy)]
pub struct Code(*const u32);

// SAFETY: it is an address into the heap of the image that it came from, which moves between threads as a whole.
unsafe impl Send for Code {}

impl Code {
    /// No code.
    pub const NOWHERE: Code = Code(std::ptr::null());

    /// Code that is not in the heap.
    pub fn from_static(words: &'static [u32]) -> Code {
        Code(words.as_ptr())
    }

    /// The word at an index.
    #[inline(always)]
    pub fn word(self, index: usize) -> u32 {
        // SAFETY: the compiler ends every method and block with a return, and jumps stay inside; user code cannot
        // change code objects. JUSTIFICATION: this is the fetch of every instruction.
        unsafe { *self.0.add(index) }
    }
}
