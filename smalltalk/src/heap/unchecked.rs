//! Reading and writing objects without a check, for the interpreter's loop and the collector.
//!
//! Nothing else may call these: the list of files that may is held by a test.

use super::{CLASS_INDEX_MAX, CLASS_SHIFT, HEADER_BYTES, Heap, Oop, flag};

/// What the interpreter asks of an object at once: class index, whether it has bytes, whether it is sealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout(u32);

impl Layout {
    const MASK: u64 = (CLASS_INDEX_MAX as u64) << CLASS_SHIFT | flag::BYTES | flag::SEALED;

    /// Of objects of a class with slots that are open.
    pub const fn slots(class: u32) -> Layout {
        Layout(class)
    }

    /// Of objects of a class with bytes.
    pub const fn bytes(class: u32) -> Layout {
        Layout(class | (flag::BYTES >> CLASS_SHIFT) as u32)
    }

    /// Of sealed objects of a class, or of symbols.
    pub const fn sealed(self) -> Layout {
        Layout(self.0 | (flag::SEALED >> CLASS_SHIFT) as u32)
    }
}

impl Heap {
    /// A word of an object, header words counted.
    ///
    /// # Safety
    /// It is an object of this heap, and the index is below 2 + the words of its body.
    #[inline(always)]
    pub(super) unsafe fn word_unchecked(&self, object: Oop, index: usize) -> u64 {
        debug_assert!(self.arena.is_start(object), "no object: {object:?}");
        // SAFETY: an object's header and body lie in committed memory.
        unsafe { *(object.address() as *const u64).add(index) }
    }

    /// # Safety
    /// As for [`Heap::word_unchecked`]; the value keeps what the heap relies on: the first word's size and kind stay as
    /// they are, and a word in a slot names an object of this heap, or none.
    #[inline(always)]
    pub(super) unsafe fn set_word_unchecked(&mut self, object: Oop, index: usize, value: u64) {
        debug_assert!(self.arena.is_start(object), "no object: {object:?}");
        // SAFETY: as in `word_unchecked`; all spaces are private writable mappings.
        unsafe { *(object.address() as *mut u64).add(index) = value }
    }

    /// # Safety
    /// It is an object of this heap.
    #[inline(always)]
    pub(super) unsafe fn header_unchecked(&self, object: Oop) -> u64 {
        // SAFETY: the caller says so; the header is its first word.
        unsafe { self.word_unchecked(object, 0) }
    }

    /// The index of its class.
    ///
    /// # Safety
    /// It is an object of this heap. The interpreter upholds it for every pointer on the stack, in a slot, and in the
    /// registers: they are read anew after each allocation.
    #[inline(always)]
    pub unsafe fn class_index_unchecked(&self, object: Oop) -> u32 {
        // SAFETY: as the caller says.
        (unsafe { self.header_unchecked(object) } >> CLASS_SHIFT) as u32 & CLASS_INDEX_MAX
    }

    /// Its class index and kind.
    ///
    /// # Safety
    /// As for [`Heap::class_index_unchecked`].
    #[inline(always)]
    pub unsafe fn layout_unchecked(&self, object: Oop) -> Layout {
        // SAFETY: as the caller says.
        Layout(((unsafe { self.header_unchecked(object) } & Layout::MASK) >> CLASS_SHIFT) as u32)
    }

    /// Number of its slots, or of its bytes.
    ///
    /// # Safety
    /// As for [`Heap::class_index_unchecked`].
    #[inline(always)]
    pub unsafe fn size_unchecked(&self, object: Oop) -> usize {
        // SAFETY: as the caller says.
        unsafe { self.header_unchecked(object) as u32 as usize }
    }

    /// Whether Smalltalk may not store into it.
    ///
    /// # Safety
    /// As for [`Heap::class_index_unchecked`].
    #[inline(always)]
    pub unsafe fn is_immutable_unchecked(&self, object: Oop) -> bool {
        // SAFETY: as the caller says.
        unsafe { self.header_unchecked(object) & flag::IMMUTABLE != 0 }
    }

    /// Whether a word is an object with slots, more than an index.
    ///
    /// # Safety
    /// If the word is a pointer it is an object of this heap, as for [`Heap::class_index_unchecked`].
    #[inline(always)]
    pub unsafe fn has_slot_unchecked(&self, word: Oop, index: usize) -> bool {
        if !word.is_pointer() {
            return false;
        }
        // SAFETY: the caller says that it is an object.
        let header = unsafe { self.header_unchecked(word) };
        header & flag::BYTES == 0 && index < header as u32 as usize
    }

    /// As [`Heap::has_slot_unchecked`], for a store: what is sealed has no such slot.
    ///
    /// # Safety
    /// As for [`Heap::has_slot_unchecked`].
    #[inline(always)]
    pub unsafe fn has_open_slot_unchecked(&self, word: Oop, index: usize) -> bool {
        if !word.is_pointer() {
            return false;
        }
        // SAFETY: the caller says that it is an object.
        let header = unsafe { self.header_unchecked(word) };
        header & (flag::BYTES | flag::SEALED) == 0 && index < header as u32 as usize
    }

    /// The word in a slot; it may be a reference.
    ///
    /// # Safety
    /// It is an object of this heap with slots, more than the index: the interpreter has looked, or the object is
    /// sealed and was looked at when it was.
    #[inline(always)]
    pub unsafe fn slot_unchecked(&self, object: Oop, index: usize) -> Oop {
        // SAFETY: as the caller says; what a slot holds is a word.
        unsafe { *((object.address() + HEADER_BYTES) as *const Oop).add(index) }
    }

    /// A byte.
    ///
    /// # Safety
    /// It is an object of this heap with bytes, more than the index.
    #[inline(always)]
    pub unsafe fn byte_unchecked(&self, object: Oop, index: usize) -> u8 {
        // SAFETY: as the caller says.
        unsafe { *((object.address() + HEADER_BYTES) as *const u8).add(index) }
    }

    /// Stores through the write barrier.
    ///
    /// # Safety
    /// As for [`Heap::slot_unchecked`], and the object is not sealed; a value that is a pointer is an object of this
    /// heap.
    #[inline(always)]
    pub unsafe fn store_unchecked(&mut self, object: Oop, index: usize, value: Oop) {
        // SAFETY: the caller says that it is an object.
        let header = unsafe { self.header_unchecked(object) };
        if header & (flag::CLEAN | flag::UNREMEMBERED) != 0 {
            self.barrier(object, header, value);
        }
        // SAFETY: the caller says that it has the slot, and the barrier has noted the value.
        unsafe { *((object.address() + HEADER_BYTES) as *mut Oop).add(index) = value }
    }
}
