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
        let body = (0..self.body_words(object)).map(|index| self.word(object, 2 + index)).collect();
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
            for (index, word) in before.body.iter().enumerate() {
                self.set_word(object, 2 + index, *word);
            }
            self.set_class_index(object, (before.shape >> CLASS_SHIFT) as u32 & CLASS_INDEX_MAX);
            self.note_slots(object);
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
