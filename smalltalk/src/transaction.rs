//! Transactions: what a commit sends, and what a new view brings.
//!
//! A commit sends every committed object that was written, and every new object that can be reached from those. A new
//! view is applied in place: objects that others changed and that are loaded here get their new state, so that nothing
//! that points to them need know.

use crate::heap::Oop;
use crate::record::{self, Encoder};
use crate::store::{CommitOutcome, Oid, Record, StoreError, View, Write};
use crate::vm::known::{behavior_slot, class, dictionary_slot};
use crate::vm::{Stop, Vm};
use std::collections::HashSet;

/// What became of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Commit {
    /// It is durable, and the view moved to it.
    Committed,
    /// Nothing was written; the work is as it was. What conflicts, in words.
    Conflict(Vec<String>),
}

/// What became of a refresh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refresh {
    /// The view is the newest; uncommitted work was kept.
    Moved,
    /// The view moved, but others have committed what this session has written: only an abort helps. What, in words.
    Conflict(Vec<String>),
}

/// Objects that are asked for at once when a view moves.
const CHANGED_AT_ONCE: usize = 64;

impl Vm {
    /// Whether the transaction has written anything that the repository knows.
    pub fn has_uncommitted_changes(&self) -> bool {
        self.heap.has_written()
    }

    /// What the transaction has written of that which the repository knows, in words.
    pub fn uncommitted_changes(&mut self) -> Vec<String> {
        let written: Vec<Oid> = self.heap.written().iter().map(|before| self.heap.oid(before.object)).collect();
        distinct(written.into_iter().map(|oid| self.describe_conflict(oid)).collect())
    }

    /// Takes back all that was written; the view stays as it is.
    pub fn revert(&mut self) {
        let written = self.watched_writes();
        self.hold_against_watch(&written);
        for object in self.heap.revert_writes(&mut self.tables) {
            // One that had been replaced answers to its identity again.
            if !self.heap.is_permanent(object) {
                self.tables.loaded.insert(self.heap.oid(object), object);
            }
        }
        self.flush_caches();
    }

    /// Commits.
    pub fn commit(&mut self) -> Result<Commit, Stop> {
        self.check_symbol_list()?;
        self.heap.collect_minor();
        let (writes, new) = self.write_set()?;
        let outcome = self.attached()?.commit(writes);
        match outcome.map_err(|error| self.store_failed(error))? {
            CommitOutcome::Conflict { objects } => {
                let named = objects.iter().map(|oid| self.describe_conflict(*oid));
                Ok(Commit::Conflict(distinct(named.collect())))
            }
            CommitOutcome::Committed { view, changed } => {
                for object in new {
                    self.heap.set_stored(object);
                    self.tables.loaded.insert(self.heap.oid(object), object);
                }
                let written = self.watched_writes();
                self.hold_against_watch(&written);
                self.heap.accept_writes();
                self.overtaken.clear();
                self.enter_view(view, &changed)?;
                Ok(Commit::Committed)
            }
        }
    }

    /// Without `Globals` in the list of dictionaries nobody would find a name any more, not even to mend it.
    fn check_symbol_list(&mut self) -> Result<(), Stop> {
        let globals = self.known.globals;
        if self.symbol_list()?.contains(&globals) {
            return Ok(());
        }
        let message = "The symbol list does not hold Globals any more, and nobody could work with that: \
                       abort, or put it back. Nothing was committed.";
        Err(self.store_failed(StoreError::Refused { kind: "symbolList".to_owned(), message: message.to_owned() }))
    }

    /// Gives up all that was written and takes the newest view.
    pub fn abort(&mut self) -> Result<(), Stop> {
        self.revert();
        let view = self.newest_view()?;
        let mut changed = view.changed;
        changed.extend(std::mem::take(&mut self.overtaken));
        self.enter_view(view.number, &changed)
    }

    /// Takes the newest view and keeps what was written.
    pub fn refresh(&mut self) -> Result<Refresh, Stop> {
        let view = self.newest_view()?;
        let written: HashSet<Oid> = self.heap.written().iter().map(|before| self.heap.oid(before.object)).collect();
        let (overtaken, changed): (Vec<Oid>, Vec<Oid>) = view.changed.iter().partition(|oid| written.contains(oid));
        self.overtaken.extend(overtaken);
        self.enter_view(view.number, &changed)?;
        if self.overtaken.is_empty() {
            return Ok(Refresh::Moved);
        }
        let overtaken: Vec<Oid> = self.overtaken.iter().copied().collect();
        Ok(Refresh::Conflict(distinct(overtaken.iter().map(|oid| self.describe_conflict(*oid)).collect())))
    }

    fn newest_view(&mut self) -> Result<View, Stop> {
        let view = self.attached()?.move_view();
        view.map_err(|error| self.store_failed(error))
    }

    // === What a commit sends

    fn write_set(&mut self) -> Result<(Vec<Write>, Vec<Oop>), Stop> {
        let written: Vec<(Oop, u64)> = self.heap.written().iter().map(|before| (before.object, before.view)).collect();
        let mut writes = Vec::with_capacity(written.len());
        let mut new = Vec::new();
        let mut met = HashSet::new();
        for (object, view) in written {
            let record = self.encode(object, &mut new, &mut met)?;
            writes.push(Write { base: Some(view), record });
        }
        let mut next = 0;
        while next < new.len() {
            let record = self.encode(new[next], &mut new, &mut met)?;
            writes.push(Write { base: None, record });
            next += 1;
        }
        Ok((writes, new))
    }

    /// The record of an object; new objects that it refers to are added to the list.
    fn encode(&mut self, object: Oop, new: &mut Vec<Oop>, met: &mut HashSet<Oop>) -> Result<Record, Stop> {
        let behavior = self.class_of(object);
        let class = self.referred(behavior, new, met)?;
        let oid = self.identity(object)?;
        let immutable = self.heap.is_immutable(object);
        if self.heap.is_bytes(object) {
            return Ok(Encoder::byte_object(oid, class, self.heap.bytes(object), immutable));
        }
        let transient = self.transient_slot(object);
        let mut encoder = Encoder::slots(class, self.heap.size(object), immutable);
        for index in 0..self.heap.size(object) {
            let value = if transient == Some(index) { Oop::NIL } else { self.heap.slot(object, index) };
            if let Some(oid) = value.as_reference() {
                encoder.reference(oid);
            } else if !value.is_pointer() {
                encoder.immediate(value);
            } else if self.heap.is_symbol(value) {
                encoder.symbol(self.is_wide_bytes(value), self.heap.bytes(value));
            } else {
                encoder.reference(self.referred(value, new, met)?);
            }
        }
        Ok(encoder.finish(oid))
    }

    fn referred(&mut self, object: Oop, new: &mut Vec<Oop>, met: &mut HashSet<Oop>) -> Result<Oid, Stop> {
        if !self.heap.is_stored(object) && met.insert(object) {
            new.push(object);
        }
        self.identity(object)
    }

    // === What a view brings

    fn enter_view(&mut self, number: u64, changed: &[Oid]) -> Result<(), Stop> {
        self.view = number;
        self.heap.view = number;
        let before = self.before_changes(changed);
        let present: Vec<Oid> = changed.iter().copied().filter(|oid| self.tables.object(*oid).is_some()).collect();
        for some in present.chunks(CHANGED_AT_ONCE) {
            let wanted: HashSet<Oid> = some.iter().copied().collect();
            let records = self.attached()?.fault(some);
            for record in records.map_err(|error| self.store_failed(error))? {
                if wanted.contains(&record.oid) {
                    self.apply(&record)?;
                }
            }
        }
        if !present.is_empty() {
            self.flush_caches();
        }
        self.hold_against_watch(changed);
        self.after_changes(number, changed, before)
    }

    /// Gives a loaded object the state that a record says.
    pub(crate) fn apply(&mut self, record: &Record) -> Result<(), Stop> {
        let Some(object) = self.tables.object(record.oid) else { return Ok(()) };
        let decoded = record::decode(record).map_err(Stop::Broken)?;
        let behavior = self.object_of(decoded.class)?;
        let index = self.behavior_index(behavior)?;
        let has_shape = decoded.size() == self.heap.size(object) && decoded.is_bytes() == self.heap.is_bytes(object);
        if self.is_verified_method(object) && !(has_shape && index == class::METHOD) {
            // No compiler makes a method something else under its identity. What runs here goes on as it was.
            return Ok(());
        }
        if !has_shape {
            return self.apply_in_another_shape(object, index, &decoded);
        }
        if self.heap.class_index(object) != index {
            self.heap.set_class_index(object, index);
        }
        self.fill(object, &decoded)?;
        self.heap.set_stored(object);
        Ok(())
    }

    // === Words for conflicts

    fn describe_conflict(&mut self, oid: Oid) -> String {
        let Some(object) = self.tables.object(oid) else { return format!("an object ({oid})") };
        if let Some(owner) = self.owner_of_methods(object) {
            return format!("the methods of {owner}");
        }
        if let Some(name) = self.dictionary_name(object) {
            return name;
        }
        if self.transient_slot(object) == Some(behavior_slot::CLASS_INDEX) {
            return self.class_name(object);
        }
        let name = self.class_name(self.class_of(object));
        if matches!(self.heap.class_index(object), class::ASSOCIATION | class::SYMBOL_ASSOCIATION) {
            let key = self.heap.slot(object, dictionary_slot::KEY);
            return format!("the value of {}", self.text(key).unwrap_or(name));
        }
        let article = if name.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
        format!("{article} {name}")
    }

    /// The class whose methods this is the dictionary of, or the dictionary's table.
    fn owner_of_methods(&self, object: Oop) -> Option<String> {
        let owns = |behavior: &&Oop| {
            if !self.has_slots(**behavior, behavior_slot::METACLASS_SLOTS) {
                return false;
            }
            let dictionary = self.heap.slot(**behavior, behavior_slot::METHOD_DICTIONARY);
            dictionary == object
                || self.has_slots(dictionary, 2) && self.heap.slot(dictionary, dictionary_slot::TABLE) == object
        };
        self.tables.classes.iter().find(owns).map(|behavior| self.class_name(*behavior))
    }

    /// The name of a dictionary of the user's, or of the one whose table this is.
    fn dictionary_name(&mut self, object: Oop) -> Option<String> {
        for dictionary in self.symbol_list().ok()? {
            let table = self.heap.slot(dictionary, dictionary_slot::TABLE);
            if dictionary != object && table != object {
                continue;
            }
            let size = if self.has_slots(table, 1) { self.heap.size(table) } else { 0 };
            for index in 0..size {
                let association = self.load(table, index).ok()?;
                if self.has_slots(association, 2) && self.load(association, dictionary_slot::VALUE).ok()? == dictionary
                {
                    return self.text(self.heap.slot(association, dictionary_slot::KEY));
                }
            }
            return Some("a SymbolDictionary".to_owned());
        }
        None
    }
}

fn distinct(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}
