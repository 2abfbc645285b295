//! What others have changed, as this session learned it whenever its view moved.
//!
//! Whoever wants to overwrite something asks here whether somebody else has changed it since it was last read. Method
//! dictionaries that are loaded are compared before and after, so that one method is told from another; of anything
//! else, the object as a whole counts. It may say too much, never too little.

use crate::heap::Oop;
use crate::store::Oid;
use crate::vm::known::{behavior_slot, dictionary_slot};
use crate::vm::{Stop, Vm};
use std::collections::{HashMap, HashSet};

/// Objects that are remembered; beyond that, everything counts as changed.
const OBJECTS_MAX: usize = 1 << 16;

/// The last view in which each thing was changed by somebody else.
#[derive(Debug, Default)]
pub(crate) struct ForeignChanges {
    objects: HashMap<Oid, u64>,
    methods: HashMap<(Oid, String), u64>,
    /// Everything counts as changed in this view.
    everything: u64,
}

/// The methods of a behaviour before a view moved: identity of the method by selector.
pub(crate) struct Before {
    behavior: Oop,
    methods: HashMap<String, Oid>,
    /// What was compared, and is not to count as a whole.
    compared: [Oid; 2],
}

impl ForeignChanges {
    /// The last view in which an object was changed.
    pub(crate) fn of_object(&self, oid: Oid) -> u64 {
        self.objects.get(&oid).copied().unwrap_or(0).max(self.everything)
    }

    fn of_method(&self, behavior: Oid, selector: &str) -> u64 {
        self.methods.get(&(behavior, selector.to_owned())).copied().unwrap_or(0).max(self.everything)
    }

    fn bound(&mut self, view: u64) {
        if self.objects.len() + self.methods.len() > OBJECTS_MAX {
            self.objects.clear();
            self.methods.clear();
            self.everything = view;
        }
    }
}

impl Vm {
    /// What must be looked at before these objects change.
    pub(crate) fn before_changes(&self, changed: &[Oid]) -> Vec<Before> {
        let changed: HashSet<Oid> = changed.iter().copied().collect();
        if changed.is_empty() {
            return Vec::new();
        }
        let loaded = self.tables.kernel.values().chain(self.tables.loaded.values());
        let behaviors = loaded.filter(|object| {
            self.has_slots(**object, behavior_slot::METACLASS_SLOTS)
                && self.transient_slot(**object) == Some(behavior_slot::CLASS_INDEX)
        });
        behaviors.filter_map(|behavior| self.before_change(*behavior, &changed)).collect()
    }

    fn before_change(&self, behavior: Oop, changed: &HashSet<Oid>) -> Option<Before> {
        let dictionary = self.heap.slot(behavior, behavior_slot::METHOD_DICTIONARY);
        if !self.has_slots(dictionary, 2) {
            return None;
        }
        let table = self.heap.slot(dictionary, dictionary_slot::TABLE);
        if !self.has_slots(table, 2) {
            return None;
        }
        let compared = [self.heap.oid(dictionary), self.heap.oid(table)];
        if !compared.iter().any(|oid| changed.contains(oid)) {
            return None;
        }
        Some(Before { behavior, methods: self.methods_in(table), compared })
    }

    /// Identities of the methods in a table.
    fn methods_in(&self, table: Oop) -> HashMap<String, Oid> {
        let mut methods = HashMap::new();
        for index in (0..self.heap.size(table)).step_by(2) {
            let (selector, method) = (self.heap.slot(table, index), self.heap.slot(table, index + 1));
            let Some(selector) = self.text(selector) else { continue };
            let oid =
                method.as_reference().unwrap_or_else(|| if method.is_pointer() { self.heap.oid(method) } else { 0 });
            methods.insert(selector, oid);
        }
        methods
    }

    /// These objects have changed, in this view.
    pub(crate) fn after_changes(&mut self, view: u64, changed: &[Oid], before: Vec<Before>) -> Result<(), Stop> {
        let mut compared = HashSet::new();
        for Before { behavior, methods, compared: oids } in before {
            let dictionary = self.load(behavior, behavior_slot::METHOD_DICTIONARY)?;
            let table = self.load(dictionary, dictionary_slot::TABLE)?;
            let after = if self.has_slots(table, 2) { self.methods_in(table) } else { HashMap::new() };
            let owner = self.heap.oid(behavior);
            for selector in methods.keys().chain(after.keys()) {
                if methods.get(selector) != after.get(selector) {
                    self.foreign.methods.insert((owner, selector.clone()), view);
                }
            }
            compared.extend(oids);
            compared.insert(self.heap.oid(table));
        }
        let whole = changed.iter().filter(|oid| !compared.contains(oid));
        self.foreign.objects.extend(whole.map(|oid| (*oid, view)));
        self.foreign.bound(view);
        Ok(())
    }

    /// The last view in which somebody else changed a method of a behaviour; 0 if nobody did.
    pub(crate) fn method_changed_at(&mut self, behavior: Oop, selector: Oop) -> Result<u64, Stop> {
        let dictionary = self.load(behavior, behavior_slot::METHOD_DICTIONARY)?;
        let table =
            if self.has_slots(dictionary, 2) { self.load(dictionary, dictionary_slot::TABLE)? } else { Oop::NIL };
        let method = self.own_method(behavior, selector)?.unwrap_or(Oop::NIL);
        let whole = [dictionary, table, method].into_iter().map(|object| self.object_changed_at(object)).max();
        let text = self.text(selector).unwrap_or_default();
        Ok(whole.unwrap_or(0).max(self.foreign.of_method(self.heap.oid(behavior), &text)))
    }

    /// The last view in which somebody else changed an object; 0 if nobody did.
    pub(crate) fn object_changed_at(&self, object: Oop) -> u64 {
        if object.is_pointer() { self.foreign.of_object(self.heap.oid(object)) } else { 0 }
    }
}
