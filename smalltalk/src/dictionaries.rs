//! Dictionaries that the machine itself changes: of methods, and, while the kernel is loaded, of globals.
//!
//! Both are open-addressed tables that the kernel's own Smalltalk code reads by the same scheme.

use crate::class_making::FIRST_METHOD_TABLE;
use crate::heap::Oop;
use crate::vm::known::{behavior_slot, class, dictionary_slot};
use crate::vm::methods::method_slot;
use crate::vm::{Stop, Vm};

impl Vm {
    // === Method dictionaries

    /// Puts a method into the dictionary of its class.
    pub fn install_method(&mut self, behavior: Oop, method: Oop) -> Result<(), Stop> {
        let selector = self.heap.slot(method, method_slot::SELECTOR);
        let dictionary = self.load(behavior, behavior_slot::METHOD_DICTIONARY)?;
        let table = self.load(dictionary, dictionary_slot::TABLE)?;
        let tally = self.load(dictionary, dictionary_slot::TALLY)?.as_integer().unwrap_or(0);
        let capacity = self.heap.size(table) / 2;
        let table = if (tally as usize + 1) * 4 > capacity * 3 { self.grow_methods(dictionary, table)? } else { table };
        let place = self.method_place(table, selector).ok_or(Stop::Broken("a full method dictionary"))?;
        if self.heap.slot(table, place).is_nil() {
            self.heap.store(dictionary, dictionary_slot::TALLY, Oop::small(tally + 1));
            self.heap.store(table, place, selector);
        }
        self.heap.store(table, place + 1, method);
        self.note_uses(dictionary, method)?;
        self.flush_caches();
        Ok(())
    }

    fn grow_methods(&mut self, dictionary: Oop, old: Oop) -> Result<Oop, Stop> {
        let size = (self.heap.size(old) * 2).max(16);
        self.rebuild_methods(dictionary, old, size, Oop::NIL)
    }

    fn rebuild_methods(&mut self, dictionary: Oop, old: Oop, size: usize, without: Oop) -> Result<Oop, Stop> {
        let table = self.heap.allocate_old(class::ARRAY, size, false)?;
        for index in (0..self.heap.size(old)).step_by(2) {
            let selector = self.heap.slot(old, index);
            if selector.is_nil() || selector == without {
                continue;
            }
            let place = self.method_place(table, selector).ok_or(Stop::Broken("a full method dictionary"))?;
            let method = self.heap.slot(old, index + 1);
            if method.is_reference() {
                let method = self.load(old, index + 1)?;
                self.heap.store(table, place + 1, method);
            } else {
                self.heap.store(table, place + 1, method);
            }
            self.heap.store(table, place, selector);
        }
        self.heap.store(dictionary, dictionary_slot::TABLE, table);
        Ok(table)
    }

    /// Takes a method out of a class; whether it was there.
    pub fn remove_method(&mut self, behavior: Oop, selector: Oop) -> Result<bool, Stop> {
        if self.own_method(behavior, selector)?.is_none() {
            return Ok(false);
        }
        let dictionary = self.load(behavior, behavior_slot::METHOD_DICTIONARY)?;
        let table = self.load(dictionary, dictionary_slot::TABLE)?;
        let tally = self.load(dictionary, dictionary_slot::TALLY)?.as_integer().unwrap_or(1);
        self.rebuild_methods(dictionary, table, self.heap.size(table), selector)?;
        self.heap.store(dictionary, dictionary_slot::TALLY, Oop::small(tally - 1));
        self.flush_caches();
        Ok(true)
    }

    /// Takes all methods out of a class, at one stroke: it may be one that the image needs for taking them out.
    pub fn remove_all_methods(&mut self, behavior: Oop) -> Result<(), Stop> {
        let dictionary = self.load(behavior, behavior_slot::METHOD_DICTIONARY)?;
        if self.load(dictionary, dictionary_slot::TALLY)? == Oop::small(0) {
            return Ok(());
        }
        let table = self.heap.allocate_old(class::ARRAY, FIRST_METHOD_TABLE, false)?;
        self.heap.store(dictionary, dictionary_slot::TABLE, table);
        self.heap.store(dictionary, dictionary_slot::TALLY, Oop::small(0));
        self.flush_caches();
        Ok(())
    }

    // === Symbol dictionaries, by the scheme that the kernel's own methods follow

    /// Binds a name; answers its association.
    pub fn dictionary_put(&mut self, dictionary: Oop, name: Oop, value: Oop) -> Result<Oop, Stop> {
        if let Some(association) = self.dictionary_association(dictionary, name)? {
            self.heap.store(association, dictionary_slot::VALUE, value);
            return Ok(association);
        }
        let association = self.heap.allocate_old(class::SYMBOL_ASSOCIATION, 2, false)?;
        self.heap.store(association, dictionary_slot::KEY, name);
        self.heap.store(association, dictionary_slot::VALUE, value);
        let tally = self.load(dictionary, dictionary_slot::TALLY)?.as_integer().unwrap_or(0);
        let mut table = self.load(dictionary, dictionary_slot::TABLE)?;
        let capacity = if self.has_slots(table, 1) { self.heap.size(table) } else { 0 };
        if (tally as usize + 1) * 4 > capacity * 3 {
            table = self.grow_dictionary(dictionary, table, capacity)?;
        }
        self.place_association(table, association)?;
        self.heap.store(dictionary, dictionary_slot::TALLY, Oop::small(tally + 1));
        Ok(association)
    }

    fn grow_dictionary(&mut self, dictionary: Oop, old: Oop, capacity: usize) -> Result<Oop, Stop> {
        let table = self.heap.allocate_old(class::ARRAY, (capacity * 2).max(8), false)?;
        for index in 0..capacity {
            let association = self.load(old, index)?;
            if !association.is_nil() {
                self.place_association(table, association)?;
            }
        }
        self.heap.store(dictionary, dictionary_slot::TABLE, table);
        Ok(table)
    }

    fn place_association(&mut self, table: Oop, association: Oop) -> Result<(), Stop> {
        let mask = self.heap.size(table) - 1;
        let key = self.load(association, dictionary_slot::KEY)?;
        let mut index = self.heap.symbol_hash(key) as usize & mask;
        while !self.heap.slot(table, index).is_nil() {
            index = (index + 1) & mask;
        }
        self.heap.store(table, index, association);
        Ok(())
    }
}
