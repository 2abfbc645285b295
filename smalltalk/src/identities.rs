//! The identities of the kernel's objects: derived from names, so that they are the same in every process and stone.
//!
//! A class is named by its name, a method by class and selector, a global by its key; everything else by the way to it
//! from one of these. A name must mean the same object in every version of the kernel that has it.

use crate::boot::BootError;
use crate::heap::Oop;
use crate::store::{KERNEL_OID_BIT, Oid};
use crate::vm::Vm;
use crate::vm::known::{behavior_slot, class, dictionary_slot};
use crate::vm::methods::method_slot;
use fnv::FnvHasher;
use std::collections::{HashMap, VecDeque};
use std::hash::Hasher;

/// Gives every object that can be reached in the kernel its identity.
pub(crate) fn name_kernel(vm: &mut Vm) -> Result<(), BootError> {
    let mut naming = Naming { vm, queue: VecDeque::new(), names: HashMap::new() };
    let known = [("Globals", naming.vm.known.globals), ("Lapidary", naming.vm.known.lapidary)];
    for (name, dictionary) in known {
        naming.name(dictionary, name.to_owned())?;
    }
    for (name, dictionary) in known {
        naming.name_classes(name, dictionary)?;
    }
    while let Some((object, name)) = naming.queue.pop_front() {
        naming.name_parts(object, &name)?;
    }
    let kernel = naming.names;
    vm.tables.kernel = kernel.into_iter().map(|(oid, (object, _))| (oid, object)).collect();
    Ok(())
}

struct Naming<'a> {
    vm: &'a mut Vm,
    queue: VecDeque<(Oop, String)>,
    names: HashMap<Oid, (Oop, String)>,
}

impl Naming<'_> {
    /// Classes first, so that they get their own names whatever way leads to them.
    fn name_classes(&mut self, owner: &str, dictionary: Oop) -> Result<(), BootError> {
        let table = self.vm.heap.slot(dictionary, dictionary_slot::TABLE);
        let mut bindings = Vec::new();
        for index in 0..self.vm.heap.size(table) {
            let association = self.vm.heap.slot(table, index);
            if !association.is_nil() {
                let key = self.vm.heap.slot(association, dictionary_slot::KEY);
                bindings.push((self.vm.text(key).unwrap_or_default(), association));
            }
        }
        bindings.sort_by(|one, other| one.0.cmp(&other.0));
        for (name, association) in &bindings {
            let value = self.vm.heap.slot(*association, dictionary_slot::VALUE);
            if value.is_pointer() && self.vm.heap.class_index(self.vm.class_of(value)) == class::METACLASS {
                self.name(value, name.clone())?;
                let metaclass = self.vm.class_of(value);
                self.name(metaclass, format!("{name} class"))?;
            }
        }
        for (name, association) in bindings {
            self.name(association, format!("{owner} at: {name}"))?;
        }
        Ok(())
    }

    fn name(&mut self, object: Oop, name: String) -> Result<(), BootError> {
        if !object.is_pointer() || self.vm.heap.is_symbol(object) || self.vm.heap.oid(object) != 0 {
            return Ok(());
        }
        let oid = oid_of_name(&name);
        if let Some((_, taken)) = self.names.get(&oid) {
            return Err(BootError::Stopped(format!("{name} and {taken} have the same identity")));
        }
        self.vm.heap.set_oid(object, oid);
        self.names.insert(oid, (object, name.clone()));
        self.queue.push_back((object, name));
        Ok(())
    }

    fn name_parts(&mut self, object: Oop, name: &str) -> Result<(), BootError> {
        if self.vm.heap.is_bytes(object) {
            return Ok(());
        }
        let kind = self.vm.heap.class_index(object);
        match kind {
            class::METHOD_DICTIONARY => return self.name_methods(object, name),
            class::SYMBOL_DICTIONARY => self.name_associations(object, name)?,
            _ => {}
        }
        for index in 0..self.vm.heap.size(object) {
            let part = self.vm.heap.slot(object, index);
            self.name(part, format!("{name}.{index}"))?;
        }
        Ok(())
    }

    /// The place of a method in its dictionary's table changes from version to version; its selector does not.
    fn name_methods(&mut self, dictionary: Oop, name: &str) -> Result<(), BootError> {
        let table = self.vm.heap.slot(dictionary, dictionary_slot::TABLE);
        let owner = name.strip_suffix(&format!(".{}", behavior_slot::METHOD_DICTIONARY)).unwrap_or(name).to_owned();
        self.name(table, format!("{name} table"))?;
        self.name(self.vm.heap.slot(dictionary, dictionary_slot::USES), format!("{name} uses"))?;
        for index in (1..self.vm.heap.size(table)).step_by(2) {
            let method = self.vm.heap.slot(table, index);
            if !method.is_nil() {
                let selector = self.vm.text(self.vm.heap.slot(method, method_slot::SELECTOR)).unwrap_or_default();
                self.name(method, format!("{owner}>>{selector}"))?;
            }
        }
        Ok(())
    }

    fn name_associations(&mut self, dictionary: Oop, name: &str) -> Result<(), BootError> {
        let table = self.vm.heap.slot(dictionary, dictionary_slot::TABLE);
        let size = if self.vm.has_slots(table, 1) { self.vm.heap.size(table) } else { 0 };
        for index in 0..size {
            let association = self.vm.heap.slot(table, index);
            if self.vm.has_slots(association, 2) {
                let key = self.vm.text(self.vm.heap.slot(association, dictionary_slot::KEY)).unwrap_or_default();
                self.name(association, format!("{name} at: {key}"))?;
            }
        }
        Ok(())
    }
}

/// FNV-1a over the name, mixed once more so that the upper bits depend on all of it.
pub(crate) fn oid_of_name(name: &str) -> Oid {
    let mut hasher = FnvHasher::default();
    hasher.write(name.as_bytes());
    let mut hash = hasher.finish();
    hash = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 29;
    KERNEL_OID_BIT | hash & (KERNEL_OID_BIT - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These stand in repositories: a stone would not find the kernel's objects by any others.
    #[test]
    fn the_identity_of_a_name_never_changes() {
        for (name, oid) in [
            ("Object", 0x10c0_aed9_2ae5_9fdd),
            ("Object class", 0x1577_43b8_4d98_5d53),
            ("Globals", 0x16bc_fe65_9319_c1e0),
            ("Globals at: Transcript", 0x193e_92e3_374b_6177),
            ("Object>>printString", 0x1f71_fef9_2400_d261),
        ] {
            assert_eq!(oid_of_name(name), oid, "{name}");
        }
    }
}
