//! Objects that change their shape under their identity: a string that widens or grows, an instance that moves to
//! another version of its class.
//!
//! Code that runs, or will run, with such an object as its receiver refers to variables by number: the new body must
//! have every slot that the old one had. A body with more slots than its class has names for keeps the rest unseen.

use super::known::class;
use super::{Stop, Vm};
use crate::heap::{HeapFull, Oop};
use crate::record::Decoded;

impl Vm {
    /// Whether an object of one shape may take the place of another, and what it may be then.
    fn may_replace(&self, object: Oop, index: u32, size: usize, bytes: bool) -> bool {
        if self.heap.is_permanent(object) || self.heap.is_symbol(object) {
            return false;
        }
        if bytes || self.heap.is_bytes(object) {
            return bytes && self.heap.is_bytes(object) && self.is_text_like(self.heap.class_index(object), index);
        }
        let machine_leans_on = |index: u32| {
            matches!(index, class::METHOD | class::BLOCK | class::METHOD_DICTIONARY | class::METACLASS)
                || matches!(index, class::ASSOCIATION | class::SYMBOL_ASSOCIATION)
        };
        size >= self.heap.size(object)
            && self.transient_slot(object).is_none()
            && !machine_leans_on(self.heap.class_index(object))
            && !machine_leans_on(index)
    }

    /// Text may grow, and change between the two widths of strings: every access looks at its size.
    fn is_text_like(&self, old: u32, new: u32) -> bool {
        let is_string = |index: u32| matches!(index, class::STRING | class::QUAD_BYTE_STRING);
        is_string(old) && is_string(new) || old == new && self.inherits_from(old, class::STRING)
    }

    /// An object outside of the nursery that is to replace another: it may collect, and is good until the next
    /// allocation.
    pub(crate) fn allocate_replacement(&mut self, index: u32, size: usize, bytes: bool) -> Result<Oop, HeapFull> {
        if !self.heap.has_room_for(size, bytes) {
            self.collect_all();
            if !self.heap.has_room_for(size, bytes) {
                return Err(HeapFull);
            }
        }
        self.heap.allocate_old(index, size, bytes)
    }

    /// Puts a replacement, made by [`Vm::allocate_replacement`], in the place of an object, if that may be; answers
    /// whether.
    pub(crate) fn replace(&mut self, object: Oop, replacement: Oop) -> bool {
        let (index, size) = (self.heap.class_index(replacement), self.heap.size(replacement));
        if !self.may_replace(object, index, size, self.heap.is_bytes(replacement)) {
            return false;
        }
        if self.heap.is_stored(object) {
            self.heap.replace_stored(object, replacement, &mut self.tables);
            self.tables.loaded.insert(self.heap.oid(replacement), replacement);
        } else {
            self.heap.replace_new(object, replacement, &mut self.tables);
        }
        true
    }

    /// Gives a loaded object the state and the shape that others have committed.
    pub(crate) fn apply_in_another_shape(
        &mut self,
        object: Oop,
        index: u32,
        decoded: &Decoded<'_>,
    ) -> Result<(), Stop> {
        if !self.may_replace(object, index, decoded.size(), decoded.is_bytes()) {
            return Err(Stop::Broken("an object that changed its shape under its identity"));
        }
        let replacement = self.heap.allocate_old(index, decoded.size(), decoded.is_bytes())?;
        self.heap.replace_committed(object, replacement, &mut self.tables);
        self.tables.loaded.insert(self.heap.oid(replacement), replacement);
        self.fill(replacement, decoded)
    }

    /// Whether a method or block of a user's is at work on this object. The kernel's own are not counted: they name no
    /// variables of a user's class.
    pub(crate) fn is_at_work(&self, object: Oop) -> bool {
        let mut frame = self.registers.fp;
        while frame != 0 {
            let method = self.heap.stack.get(frame + 2);
            if self.frame_receiver(frame) == object && !self.heap.is_permanent(method) {
                return true;
            }
            frame = self.frame_sender(frame);
        }
        false
    }
}
