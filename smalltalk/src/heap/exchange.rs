//! Exchanging references: one object takes the place of another wherever it is referred to.

use super::{Heap, Oop, Roots};
use std::collections::HashMap;

impl Heap {
    /// Makes every reference to a key of `exchange` refer to its value instead, everywhere but in the states kept for
    /// `abort`; the class indices and identities of the objects stay where they are.
    pub fn exchange_references(&mut self, exchange: &HashMap<Oop, Oop>, roots: &mut dyn Roots) {
        exchange.values().for_each(|value| self.arena.check_value(*value));
        let swap = |word: &mut Oop| {
            if let Some(other) = exchange.get(word) {
                *word = *other;
            }
        };
        let top = self.stack_top;
        self.stack.below_mut(top).iter_mut().for_each(swap);
        self.handles.iter_mut().for_each(swap);
        roots.visit_all(&mut |word| swap(word));
        roots.visit_cached(&mut |word| swap(word));
        for object in self.all_objects() {
            self.exchange_slots(object, exchange);
        }
    }

    fn exchange_slots(&mut self, object: Oop, exchange: &HashMap<Oop, Oop>) {
        if self.is_bytes(object) {
            return;
        }
        for index in 0..self.size(object) {
            if let Some(other) = exchange.get(&self.slot(object, index)) {
                self.note_pointer(object, *other);
                // SAFETY: the object has the slot, and the value was checked; a seal holds for what an object says, not
                // for which of two exchanged objects it names.
                unsafe { self.set_word_unchecked(object, 2 + index, other.bits()) }
            }
        }
    }

    /// Every object, dead ones included.
    fn all_objects(&self) -> Vec<Oop> {
        let mut objects = self.permanent_objects();
        for chunk in &self.old {
            self.list_objects(chunk.start, chunk.free, &mut objects);
        }
        self.list_objects(self.arena.nursery(), self.nursery_free, &mut objects);
        objects
    }
}
