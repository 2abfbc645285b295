//! Reading and writing objects from safe code: every function checks its words and indices, and fails by a
//! [`HeapFault`](super::HeapFault).

use super::fault::{fault, fault_at};
use super::{CLASS_INDEX_MAX, CLASS_SHIFT, HEADER_BYTES, Heap, Oop, flag};
use crate::store::Oid;

impl Heap {
    /// The header of what must be an object.
    #[inline]
    #[track_caller]
    pub(super) fn header(&self, object: Oop) -> u64 {
        self.arena.check_object(object);
        // SAFETY: it is an object, as was just checked.
        unsafe { self.header_unchecked(object) }
    }

    #[inline]
    #[track_caller]
    pub(super) fn set_header(&mut self, object: Oop, header: u64) {
        self.arena.check_object(object);
        // SAFETY: it is an object, and this module changes neither the size nor the kind in its header.
        unsafe { self.set_word_unchecked(object, 0, header) }
    }

    /// Whether a word is a pointer to an object of this heap. One that is stale may name another than it did.
    #[inline]
    pub fn is_object(&self, word: Oop) -> bool {
        self.arena.is_start(word)
    }

    /// A word that native code hands to the interpreter; fails if it is a pointer, but not to an object of this heap.
    #[inline]
    #[track_caller]
    pub fn checked(&self, word: Oop) -> Oop {
        self.arena.check_value(word);
        word
    }

    /// Sets a word of the stack.
    #[inline]
    #[track_caller]
    pub fn set_stack(&mut self, index: usize, value: Oop) {
        self.arena.check_value(value);
        self.stack.set(index, value);
    }

    // === Headers

    /// Number of slots, or of bytes.
    #[inline]
    #[track_caller]
    pub fn size(&self, object: Oop) -> usize {
        self.header(object) as u32 as usize
    }

    /// The index of its class.
    #[inline]
    #[track_caller]
    pub fn class_index(&self, object: Oop) -> u32 {
        (self.header(object) >> CLASS_SHIFT) as u32 & CLASS_INDEX_MAX
    }

    /// Gives it another class; its shape stays as it is. What was sealed is not any more.
    #[track_caller]
    pub fn set_class_index(&mut self, object: Oop, class: u32) {
        assert!(class <= CLASS_INDEX_MAX, "a class index");
        let header = self.header(object);
        let kept = header & !(u64::from(CLASS_INDEX_MAX) << CLASS_SHIFT);
        let kept = if header & flag::BYTES == 0 { kept & !flag::SEALED } else { kept };
        self.set_header(object, kept | u64::from(class) << CLASS_SHIFT);
    }

    /// Whether its body is bytes.
    #[inline]
    #[track_caller]
    pub fn is_bytes(&self, object: Oop) -> bool {
        self.header(object) & flag::BYTES != 0
    }

    /// Whether Smalltalk may not store into it.
    #[inline]
    #[track_caller]
    pub fn is_immutable(&self, object: Oop) -> bool {
        self.header(object) & flag::IMMUTABLE != 0
    }

    /// Makes it refuse stores from Smalltalk.
    #[track_caller]
    pub fn set_immutable(&mut self, object: Oop) {
        let header = self.header(object) | flag::IMMUTABLE;
        self.set_header(object, header);
    }

    /// Makes it refuse stores, or not.
    #[track_caller]
    pub fn set_immutable_if(&mut self, object: Oop, immutable: bool) {
        let header = self.header(object) & !flag::IMMUTABLE;
        self.set_header(object, if immutable { header | flag::IMMUTABLE } else { header });
    }

    /// Whether its slots are sealed: see [`Heap::seal`].
    #[inline]
    #[track_caller]
    pub fn is_sealed(&self, object: Oop) -> bool {
        self.header(object) & (flag::BYTES | flag::SEALED) == flag::SEALED
    }

    /// Closes the slots of an object that the interpreter is to rely on: stores are faults from now on.
    #[track_caller]
    pub fn seal(&mut self, object: Oop) {
        let header = self.header(object);
        if header & flag::BYTES != 0 {
            fault("an object without slots", object);
        }
        self.set_header(object, header | flag::SEALED);
    }

    /// Opens what was sealed: the interpreter must not rely on it any more.
    #[track_caller]
    pub fn unseal(&mut self, object: Oop) {
        let header = self.header(object);
        if header & flag::BYTES == 0 {
            self.set_header(object, header & !flag::SEALED);
        }
    }

    /// Whether the repository knows it.
    #[track_caller]
    pub fn is_stored(&self, object: Oop) -> bool {
        self.header(object) & flag::STORED != 0
    }

    /// Whether it is a symbol: known by content, with a hash in place of an identity.
    #[inline]
    #[track_caller]
    pub fn is_symbol(&self, object: Oop) -> bool {
        self.header(object) & (flag::BYTES | flag::SYMBOL) == flag::BYTES | flag::SYMBOL
    }

    /// Makes a byte object a symbol.
    #[track_caller]
    pub fn set_symbol(&mut self, object: Oop, hash: u64) {
        let header = self.header(object);
        if header & flag::BYTES == 0 {
            fault("an object without bytes", object);
        }
        self.set_header(object, header | flag::SYMBOL | flag::IMMUTABLE);
        self.set_identity_word(object, hash);
    }

    /// The hash of a symbol.
    #[track_caller]
    pub fn symbol_hash(&self, object: Oop) -> u64 {
        if !self.is_symbol(object) {
            fault("no symbol", object);
        }
        self.identity_word(object)
    }

    /// Its identity; 0 if it has none yet.
    #[track_caller]
    pub fn oid(&self, object: Oop) -> Oid {
        if self.is_symbol(object) { 0 } else { self.identity_word(object) }
    }

    /// Gives it an identity.
    #[track_caller]
    pub fn set_oid(&mut self, object: Oop, oid: Oid) {
        if self.is_symbol(object) {
            fault("a symbol, which has no identity", object);
        }
        self.set_identity_word(object, oid);
    }

    fn identity_word(&self, object: Oop) -> u64 {
        self.arena.check_object(object);
        // SAFETY: it is an object, and its header has two words.
        unsafe { self.word_unchecked(object, 1) }
    }

    fn set_identity_word(&mut self, object: Oop, word: u64) {
        self.arena.check_object(object);
        // SAFETY: it is an object, and the second word of a header means nothing to the heap.
        unsafe { self.set_word_unchecked(object, 1, word) }
    }

    /// Whether it belongs to the kernel.
    #[inline]
    pub fn is_permanent(&self, object: Oop) -> bool {
        self.arena.in_permanent(object)
    }

    // === Slots

    #[inline]
    #[track_caller]
    fn check_slot(&self, object: Oop, index: usize) -> u64 {
        let header = self.header(object);
        if header & flag::BYTES != 0 {
            fault("an object without slots", object);
        }
        if index >= header as u32 as usize {
            fault_at("an index beyond the slots", index);
        }
        header
    }

    /// The word in a slot; it may be a reference.
    #[inline]
    #[track_caller]
    pub fn slot(&self, object: Oop, index: usize) -> Oop {
        self.check_slot(object, index);
        // SAFETY: the object and the index were just checked.
        unsafe { self.slot_unchecked(object, index) }
    }

    /// The words in all slots; some may be references.
    #[inline]
    #[track_caller]
    pub fn slots(&self, object: Oop) -> &[Oop] {
        let header = self.header(object);
        if header & flag::BYTES != 0 {
            fault("an object without slots", object);
        }
        let start = (object.address() + HEADER_BYTES) as *const Oop;
        // SAFETY: the object's body has as many words as its header says; the borrow of the heap keeps it in place.
        unsafe { std::slice::from_raw_parts(start, header as u32 as usize) }
    }

    /// Stores through the write barrier.
    #[inline]
    #[track_caller]
    pub fn store(&mut self, object: Oop, index: usize, value: Oop) {
        let header = self.check_slot(object, index);
        if header & flag::SEALED != 0 {
            fault("a sealed object", object);
        }
        self.arena.check_value(value);
        // SAFETY: object, index and value were just checked.
        unsafe { self.store_unchecked(object, index, value) }
    }

    /// Stores without recording a write: for what is no change of the object's meaning (loading a reference, filling
    /// a cache, applying what others committed).
    #[track_caller]
    pub fn store_unrecorded(&mut self, object: Oop, index: usize, value: Oop) {
        let header = self.check_slot(object, index);
        if header & flag::SEALED != 0 && !self.slot(object, index).is_reference() {
            fault("a sealed object", object);
        }
        self.arena.check_value(value);
        self.note_pointer(object, value);
        // SAFETY: object, index and value were just checked, and the barrier has noted the value.
        unsafe { self.set_word_unchecked(object, 2 + index, value.bits()) }
    }

    // === Bytes

    #[inline]
    #[track_caller]
    fn check_bytes(&self, object: Oop) -> u64 {
        let header = self.header(object);
        if header & flag::BYTES == 0 {
            fault("an object without bytes", object);
        }
        header
    }

    /// The bytes of a byte object.
    #[inline]
    #[track_caller]
    pub fn bytes(&self, object: Oop) -> &[u8] {
        let size = self.check_bytes(object) as u32 as usize;
        // SAFETY: the object's body has at least `size` bytes; the borrow of the heap keeps it in place.
        unsafe { std::slice::from_raw_parts((object.address() + HEADER_BYTES) as *const u8, size) }
    }

    /// The bytes of a byte object, to be changed; records the write.
    #[inline]
    #[track_caller]
    pub fn bytes_mut(&mut self, object: Oop) -> &mut [u8] {
        let header = self.check_bytes(object);
        if header & flag::CLEAN != 0 {
            self.record_write(object);
        }
        // SAFETY: as in `bytes`, and the borrow is exclusive.
        unsafe { self.raw_bytes_mut(object, header as u32 as usize) }
    }

    /// # Safety
    /// It is a byte object of at least this size.
    unsafe fn raw_bytes_mut(&mut self, object: Oop, size: usize) -> &mut [u8] {
        // SAFETY: the caller says so, and the borrow of the heap is exclusive.
        unsafe { std::slice::from_raw_parts_mut((object.address() + HEADER_BYTES) as *mut u8, size) }
    }

    /// Sets all bytes of a byte object without recording a write; the lengths agree.
    #[track_caller]
    pub fn overwrite_bytes(&mut self, object: Oop, bytes: &[u8]) {
        let size = self.check_bytes(object) as u32 as usize;
        if size != bytes.len() {
            fault_at("bytes of another length", bytes.len());
        }
        // SAFETY: the object has `size` bytes, as was just checked.
        unsafe { self.raw_bytes_mut(object, size) }.copy_from_slice(bytes);
    }

    /// Copies slots or bytes within one object or between two of a kind, overlapping or not, through the barrier.
    #[track_caller]
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
}
