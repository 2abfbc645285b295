//! What the methods of a class send and refer to, kept beside them, so that a search need not look at every method.
//!
//! The third slot of a method dictionary is an array of selectors and variables, with nil behind the last. It is
//! committed with the methods, so a fresh session finds it there. Once methods have gone it says more than is so, but
//! it never says less: whoever finds something in it looks at the methods themselves.

use crate::bytecode::{Operation, SPECIAL_SENDS, op};
use crate::compiler::instruction_width;
use crate::heap::Oop;
use crate::vm::known::{class, dictionary_slot};
use crate::vm::methods::method_slot;
use crate::vm::{Stop, Vm};

/// Operations that stand for a message but never send it.
pub(crate) const UNSENT: &[(u8, &str)] =
    &[(op::Identical, "=="), (op::NotIdentical, "~~"), (op::IsNil, "isNil"), (op::NotNil, "notNil")];

/// Room for a class's first uses.
const FIRST_USES: usize = 8;

impl Vm {
    /// Adds what a method sends and refers to, which is in the dictionary already. While the kernel is loaded, nothing.
    pub(crate) fn note_uses(&mut self, dictionary: Oop, method: Oop) -> Result<(), Stop> {
        if self.heap.is_booting() || !self.has_uses(dictionary) {
            return Ok(());
        }
        let known = self.load(dictionary, dictionary_slot::USES)?;
        let size = if self.has_slots(known, 1) { self.heap.size(known) } else { 0 };
        let mut count = (0..size).find(|index| self.heap.slot(known, *index).is_nil()).unwrap_or(size);
        for used in self.uses_of(method)? {
            if count > 0 && self.place_among(known, used).is_some() {
                continue;
            }
            if count == size {
                return self.note_all_uses(dictionary, 2);
            }
            self.heap.store(known, count, used);
            count += 1;
        }
        Ok(())
    }

    /// The same for all methods of the kernel, at the end of its loading.
    pub(crate) fn note_kernel_uses(&mut self) -> Result<(), Stop> {
        for object in self.heap.permanent_objects() {
            if self.heap.class_index(object) == class::METHOD_DICTIONARY && self.has_uses(object) {
                self.note_all_uses(object, 1)?;
            }
        }
        Ok(())
    }

    /// Looks at all methods anew, and leaves some room for more.
    fn note_all_uses(&mut self, dictionary: Oop, room: usize) -> Result<(), Stop> {
        let table = self.load(dictionary, dictionary_slot::TABLE)?;
        let mut all = Vec::new();
        for index in (1..self.heap.size(table)).step_by(2) {
            let method = self.load(table, index)?;
            if self.has_slots(method, method_slot::SLOTS) {
                all.extend(self.uses_of(method)?);
            }
        }
        let mut met = std::collections::HashSet::new();
        all.retain(|used| met.insert(*used));
        let array = self.heap.allocate_old(class::ARRAY, (all.len() * room).max(FIRST_USES), false)?;
        for (index, used) in all.into_iter().enumerate() {
            self.heap.store(array, index, used);
        }
        self.heap.store(dictionary, dictionary_slot::USES, array);
        Ok(())
    }

    /// Whether a method of the dictionary may send this selector or refer to this variable.
    pub(crate) fn may_use(&mut self, dictionary: Oop, wanted: Oop) -> Result<bool, Stop> {
        if !self.has_uses(dictionary) {
            return Ok(true);
        }
        let uses = self.load(dictionary, dictionary_slot::USES)?;
        if !self.has_slots(uses, 1) {
            return Ok(true);
        }
        Ok(self.place_among(uses, wanted).is_some())
    }

    /// A repository may hold dictionaries that an older binary made.
    fn has_uses(&self, dictionary: Oop) -> bool {
        self.has_slots(dictionary, dictionary_slot::USES + 1)
    }

    /// Whether a slot holds an object, loaded or not.
    pub(crate) fn is_at(&self, holder: Oop, index: usize, wanted: Oop) -> bool {
        let held = self.heap.slot(holder, index);
        held == wanted || held == self.reference_to(wanted)
    }

    /// Which slot holds an object, loaded or not.
    pub(crate) fn place_among(&self, holder: Oop, wanted: Oop) -> Option<usize> {
        let reference = self.reference_to(wanted);
        self.heap.slots(holder).iter().position(|held| *held == wanted || *held == reference)
    }

    /// The word by which an object is held where it is not loaded. What has no identity yet, or is known by its
    /// content, is held by its own word only.
    fn reference_to(&self, object: Oop) -> Oop {
        let oid = if object.is_pointer() { self.heap.oid(object) } else { 0 };
        if oid == 0 { object } else { Oop::reference(oid) }
    }

    /// The selectors and variables among the literals of a method, and the messages that its operations stand for.
    fn uses_of(&mut self, method: Oop) -> Result<Vec<Oop>, Stop> {
        let mut uses = Vec::new();
        let literals = self.load(method, method_slot::LITERALS)?;
        let size = if self.has_slots(literals, 1) { self.heap.size(literals) } else { 0 };
        for index in 0..size {
            let literal = self.load(literals, index)?;
            let is_variable =
                |vm: &Vm| matches!(vm.heap.class_index(literal), class::ASSOCIATION | class::SYMBOL_ASSOCIATION);
            if literal.is_pointer() && (self.heap.is_symbol(literal) || is_variable(self)) {
                uses.push(literal);
            }
        }
        let mut operations: Vec<u8> = self.instructions_of(method)?.iter().map(|word| *word as u8).collect();
        operations.sort_unstable();
        operations.dedup();
        for operation in operations {
            if let Some(selector) = selector_of(operation) {
                uses.push(self.symbol(selector)?);
            }
        }
        Ok(uses)
    }

    /// The first word of each instruction of a method.
    pub(crate) fn instructions_of(&mut self, method: Oop) -> Result<Vec<u32>, Stop> {
        let code = self.load(method, method_slot::CODE)?;
        if !code.is_pointer() || !self.heap.is_bytes(code) {
            return Ok(Vec::new());
        }
        let words = self.heap.bytes(code).chunks_exact(4);
        let words: Vec<u32> = words.map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect();
        // The last word counts the inline caches.
        let words = &words[..words.len().saturating_sub(1)];
        let mut instructions = Vec::new();
        let mut at = 0;
        while let Some(word) = words.get(at) {
            instructions.push(*word);
            at += Operation::from_number(*word as u8).map_or(1, instruction_width);
        }
        Ok(instructions)
    }
}

/// The message that an operation stands for.
fn selector_of(operation: u8) -> Option<&'static str> {
    let special = SPECIAL_SENDS.iter().find(|(special, _, _)| *special as u8 == operation);
    let unsent = || UNSENT.iter().find(|(unsent, _)| *unsent == operation);
    special.map(|(_, selector, _)| *selector).or_else(|| unsent().map(|(_, selector)| *selector))
}
