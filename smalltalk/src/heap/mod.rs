//! The heap: where Smalltalk objects live.
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
//! # What safe code can rely on
//!
//! Safe code cannot make a pointer: the constructors from an address or from bits are private to this module. What it
//! can do is to keep one too long (a collection has moved or freed the object), or to give it to another heap. All
//! spaces of a heap therefore lie in one reserved range of addresses with a map of where objects start (`arena`), and
//! every safe function looks there first. In release as in debug:
//!
//! 1. A word that is no pointer, or does not point to where an object of this heap starts now, is refused: the function
//!    panics with a [`HeapFault`]. A stale word that happens to name another object of this heap is that object.
//! 2. An index beyond the object, slots asked of a byte object, bytes of one with slots, an index beyond the stack:
//!    the same.
//! 3. A value that is stored is checked like an object; so no slot ever holds a pointer to no object, and the
//!    collector, which follows slots without a check, checks every word that comes from elsewhere: the stack, the
//!    handles, the tables of [`Roots`], the states kept for `abort`.
//! 4. The size and the kind of an object never change while it lives.
//! 5. Memory that a collection frees loses its starts before it is given back: no safe function touches it again.
//! 6. After a collection that failed half-way (a fault, or no memory) there is no further one.
//!
//! So nothing that safe code does reads or writes outside of objects of this heap, its stack and its map; a mistake
//! ends
//! as a fault, or as a wrong word within bounds. The functions named `…_unchecked` are `unsafe`, and say what they need
//! and who upholds it: the collector, and the loop of the interpreter (see `vm::interpreter`).
//!
//! This module must never know what an object means: no classes, no selectors, no Smalltalk.

mod access;
mod allocate;
mod arena;
mod code;
mod collect;
mod exchange;
mod fault;
mod oop;
mod region;
mod stack;
#[cfg(test)]
mod tests;
mod unchecked;
mod written;

pub use code::Code;
pub use collect::Roots;
pub use fault::HeapFault;
pub use oop::{INTEGER_MAX, INTEGER_MIN, Oop};
pub use stack::Stack;
pub use unchecked::Layout;
pub use written::Before;

use arena::{Arena, Chunk, NURSERY_BYTES, OLD_LIMIT_BYTES};
use std::io;

/// Class index of no class.
pub const NO_CLASS: u32 = 0;
/// Highest class index.
pub const CLASS_INDEX_MAX: u32 = (1 << 24) - 1;

const HEADER_BYTES: usize = 16;
/// Small objects of the old space share chunks of this size.
const CHUNK_BYTES: usize = 256 * 1024;
/// Objects from this size on are never born in the nursery.
const LARGE_BYTES: usize = 64 * 1024;
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
    /// Of a byte object: the second header word is a hash, not an identity.
    pub(super) const SYMBOL: u64 = 1 << 63;
    /// Of an object with slots: stores are faults.
    pub(super) const SEALED: u64 = 1 << 63;
}

/// All objects of one image.
#[derive(Debug)]
pub struct Heap {
    arena: Arena,
    nursery_free: usize,
    nursery_end: usize,
    old: Vec<Chunk>,
    old_bytes: usize,
    major_threshold: usize,
    limit_bytes: usize,
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
    /// A collection is under way, or has failed.
    collecting: bool,
    stress: bool,
}

/// There is no room for an object, not even after a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeapFull;

impl Heap {
    /// An empty heap in its booting state.
    pub fn new(limit_bytes: usize, stack_bytes: usize) -> io::Result<Heap> {
        let arena = Arena::new()?;
        Ok(Heap {
            nursery_free: arena.nursery(),
            nursery_end: arena.nursery() + NURSERY_BYTES,
            old: Vec::new(),
            old_bytes: 0,
            major_threshold: MAJOR_STEP_BYTES,
            limit_bytes: limit_bytes.min(OLD_LIMIT_BYTES),
            permanent_free: arena.permanent(),
            arena,
            booting: true,
            remembered: Vec::new(),
            outward: Vec::new(),
            written: Vec::new(),
            handles: Vec::new(),
            stack: Stack::new(stack_bytes)?,
            stack_top: 0,
            view: 0,
            collections: 0,
            collecting: false,
            stress: false,
        })
    }

    /// Sets how many bytes the nursery and the old space may take together; no more than there are addresses for.
    pub fn set_limit(&mut self, bytes: usize) {
        self.limit_bytes = bytes.min(OLD_LIMIT_BYTES);
    }

    /// Collect the nursery at every allocation, to bring out words that were held across one.
    pub fn set_stress(&mut self, stress: bool) {
        self.stress = stress;
    }

    /// Ends the booting state: what exists is permanent from now on, known to every repository by its identity, and
    /// shared with the processes that are forked from this one.
    pub fn freeze(&mut self) -> io::Result<()> {
        for object in self.permanent_objects() {
            let kept = if self.is_symbol(object) { flag::UNREMEMBERED } else { PERMANENT_FLAGS };
            let header = self.header(object) | kept;
            self.set_header(object, header);
        }
        self.booting = false;
        self.arena.share_permanent(self.permanent_bytes())
    }

    /// Whether the kernel is still being loaded.
    pub fn is_booting(&self) -> bool {
        self.booting
    }

    /// Visits all permanent objects, in the order of their birth.
    pub fn permanent_objects(&self) -> Vec<Oop> {
        let mut objects = Vec::new();
        self.list_objects(self.arena.permanent(), self.permanent_free, &mut objects);
        objects
    }

    /// Adds the objects that lie one behind the other between two addresses.
    fn list_objects(&self, start: usize, end: usize, objects: &mut Vec<Oop>) {
        let mut address = start;
        while address < end {
            let object = Oop::at_address(address);
            objects.push(object);
            address += self.footprint(object);
        }
    }

    /// Bytes of the permanent space.
    pub fn permanent_bytes(&self) -> usize {
        self.permanent_free - self.arena.permanent()
    }

    /// Bytes in use outside of the permanent space.
    pub fn used_bytes(&self) -> usize {
        self.old_bytes + self.nursery_bytes()
    }

    /// Bytes in use in the nursery.
    pub fn nursery_bytes(&self) -> usize {
        self.nursery_free - self.arena.nursery()
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

    #[inline(always)]
    fn is_young(&self, object: Oop) -> bool {
        self.arena.in_nursery(object)
    }

    fn footprint(&self, object: Oop) -> usize {
        HEADER_BYTES + self.body_words(object) * 8
    }

    fn body_words(&self, object: Oop) -> usize {
        let header = self.header(object);
        body_bytes(header as u32 as usize, header & flag::BYTES != 0) / 8
    }

    // === The write barrier

    #[inline(never)]
    fn barrier(&mut self, object: Oop, header: u64, value: Oop) {
        if header & flag::CLEAN != 0 {
            self.record_write(object);
        }
        self.note_pointer(object, value);
    }

    /// Adds `object` to the remembered set as far as the collector needs it, given that it is to hold `value`.
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
}

/// What freezing adds to each object of the kernel.
const PERMANENT_FLAGS: u64 = flag::UNREMEMBERED | flag::CLEAN | flag::STORED;

/// Bytes of a body, whole words; the size is at most `u32::MAX`.
#[inline(always)]
fn body_bytes(size: usize, bytes: bool) -> usize {
    if bytes { size.div_ceil(8) * 8 } else { size * 8 }
}
