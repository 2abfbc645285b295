//! What the transaction wrote: the state of each committed object before its first write, for `abort`.
//!
//! An object keeps its size for life. One that changes its shape under its identity is replaced by another: everything
//! that referred to it refers to the replacement, and only the state kept here still knows the first one.

use super::{CLASS_INDEX_MAX, CLASS_SHIFT, Heap, Oop, Roots, flag};
use std::collections::HashMap;

/// Bits of a header that are flags.
const FLAG_SHIFT: u32 = 56;

/// The state of a committed object before the transaction wrote it.
#[derive(Debug)]
pub struct Before {
    /// The object.
    pub object: Oop,
    /// The view at which it was written first.
    pub view: u64,
    /// The object that `object` replaces and whose state this is; nil if it is its own.
    pub(super) replaced: Oop,
    /// Its body's words.
    pub(super) body: Box<[u64]>,
    /// Its class index and size, as in the header.
    pub(super) shape: u64,
}

impl Heap {
    /// Copies the state of a committed object and counts it as written.
    pub fn record_write(&mut self, object: Oop) {
        let header = self.header(object);
        if header & flag::CLEAN == 0 {
            return;
        }
        // SAFETY: it is an object, whose header was just read with a check, and its body has that many words.
        let word = |index: usize| unsafe { self.word_unchecked(object, 2 + index) };
        let body = (0..self.body_words(object)).map(word).collect();
        let shape = header & ((1 << FLAG_SHIFT) - 1) | header & flag::BYTES;
        self.written.push(Before { object, view: self.view, replaced: Oop::NIL, body, shape });
        self.set_header(object, header & !flag::CLEAN);
        self.note_outward(object);
    }

    /// The committed objects that were written since the view was taken, in the order of their first write.
    pub fn written(&self) -> &[Before] {
        &self.written
    }

    /// Whether anything committed was written.
    pub fn has_written(&self) -> bool {
        !self.written.is_empty()
    }

    /// What was written is committed: it counts as clean again.
    pub fn accept_writes(&mut self) {
        for before in std::mem::take(&mut self.written) {
            self.set_stored(before.object);
        }
    }

    /// Puts every written object back as it was, those that were replaced in the place of their replacements; answers
    /// them.
    pub fn revert_writes(&mut self, roots: &mut dyn Roots) -> Vec<Oop> {
        let written = std::mem::take(&mut self.written);
        let mut exchange = HashMap::new();
        let mut reverted = Vec::with_capacity(written.len());
        for before in written.iter().rev() {
            let object = if before.replaced.is_nil() { before.object } else { before.replaced };
            self.restore_body(object, before);
            self.set_class_index(object, (before.shape >> CLASS_SHIFT) as u32 & CLASS_INDEX_MAX);
            self.set_stored(object);
            if object != before.object {
                self.set_unstored(before.object);
                exchange.insert(before.object, object);
            }
            reverted.push(object);
        }
        if !exchange.is_empty() {
            self.exchange_references(&exchange, roots);
        }
        reverted
    }

    /// Writes a body that was kept. A word in it may be stale only by a mistake of native code; it is checked here.
    fn restore_body(&mut self, object: Oop, before: &Before) {
        let shape_bits = u64::from(u32::MAX) | flag::BYTES;
        assert!(self.header(object) & shape_bits == before.shape & shape_bits, "an object keeps its shape");
        for (index, bits) in before.body.iter().enumerate() {
            if before.shape & flag::BYTES == 0 {
                let value = Oop::from_bits(*bits);
                self.arena.check_value(value);
                self.note_pointer(object, value);
            }
            // SAFETY: the body has as many words as the object, of whose kind they are, and those that are slots were
            // just checked.
            unsafe { self.set_word_unchecked(object, 2 + index, *bits) }
        }
    }

    /// Puts another object in the place of a committed one, under its identity, as something that the transaction
    /// wrote. The replacement is old and known to nobody else.
    pub fn replace_stored(&mut self, object: Oop, replacement: Oop, roots: &mut dyn Roots) {
        self.record_write(object);
        let oid = self.oid(object);
        self.set_oid(replacement, oid);
        let header = self.header(replacement) | flag::STORED;
        self.set_header(replacement, header);
        for before in self.written.iter_mut().filter(|before| before.object == object) {
            before.object = replacement;
            if before.replaced.is_nil() {
                before.replaced = object;
            }
        }
        self.exchange_references(&HashMap::from([(object, replacement)]), roots);
    }

    /// As [`Heap::replace_stored`], for an object that the repository does not know.
    pub fn replace_new(&mut self, object: Oop, replacement: Oop, roots: &mut dyn Roots) {
        let oid = self.oid(object);
        self.set_oid(replacement, oid);
        self.set_oid(object, 0);
        self.exchange_references(&HashMap::from([(object, replacement)]), roots);
    }

    /// As [`Heap::replace_stored`], for what others committed: an `abort` does not take it back, so that the states
    /// kept for one refer to the replacement too.
    pub fn replace_committed(&mut self, object: Oop, replacement: Oop, roots: &mut dyn Roots) {
        self.arena.check_object(replacement);
        let oid = self.oid(object);
        self.set_oid(replacement, oid);
        self.set_stored(replacement);
        self.set_unstored(object);
        for before in self.written.iter_mut().filter(|before| before.shape & flag::BYTES == 0) {
            for word in before.body.iter_mut().filter(|word| **word == object.bits()) {
                *word = replacement.bits();
            }
        }
        self.exchange_references(&HashMap::from([(object, replacement)]), roots);
    }

    /// Marks an object as known to the repository and unchanged.
    pub fn set_stored(&mut self, object: Oop) {
        let header = self.header(object) | flag::STORED | flag::CLEAN;
        self.set_header(object, header);
    }

    /// What has lost its identity to another object is known to nobody.
    fn set_unstored(&mut self, object: Oop) {
        let header = self.header(object) & !(flag::STORED | flag::CLEAN);
        self.set_header(object, header);
        self.set_oid(object, 0);
    }
}
