//! Which classes of the image are toolsets, and whether a view that moved has changed any of them.
//!
//! Whoever asks for the toolsets starts a watch: the identities of everything on which the answer depends. Where a view
//! moves, what has changed is held against it; so a session that nothing of this concerns pays for a look-up an object.

use crate::heap::Oop;
use crate::identities::oid_of_name;
use crate::store::Oid;
use crate::vm::known::{behavior_slot, class, dictionary_slot};
use crate::vm::{Stop, Vm};
use std::collections::HashSet;

/// The class that all toolsets inherit from.
const ROOT: &str = "McpToolset";
/// Classes between a toolset and its root that are followed.
const CHAIN_MAX: usize = 1000;

/// What the last answer depends on.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    objects: HashSet<Oid>,
    touched: bool,
}

/// A class below the root that is bound under its own name.
struct Bound {
    class: Oop,
    name: String,
    names_tools: bool,
    registers: bool,
}

impl Vm {
    /// For each class below the root that is bound under its own name, an array: the class, its name, whether it names
    /// tools itself, whether it or a class between it and the root registers any. Starts the watch.
    pub(crate) fn bound_toolsets(&mut self) -> Result<Oop, Stop> {
        let Some(root) = self.tables.kernel.get(&oid_of_name(ROOT)).copied() else {
            return Err(Stop::Broken("the kernel has no McpToolset"));
        };
        let mut watch = Watch::default();
        let bound = self.find_bound(root, &mut watch)?;
        self.watch = Some(watch);
        let mark = self.heap.handles.len();
        for Bound { class, name, names_tools, registers } in bound {
            let inner = self.heap.handles.len();
            self.heap.handles.push(class);
            let name = self.new_string(&name)?;
            self.heap.handles.push(name);
            self.heap.handles.extend([Oop::boolean(names_tools), Oop::boolean(registers)]);
            let array = self.new_array_of_handles(inner)?;
            self.heap.handles.push(array);
        }
        Ok(self.new_array_of_handles(mark)?)
    }

    fn find_bound(&mut self, root: Oop, watch: &mut Watch) -> Result<Vec<Bound>, Stop> {
        let selectors = [self.symbol("toolNames")?, self.symbol("registerOn:")?];
        let list = self.load(self.known.symbol_list, dictionary_slot::VALUE)?;
        self.look_at(watch, [self.known.symbol_list, list]);
        let mut bound: Vec<Bound> = Vec::new();
        for dictionary in self.symbol_list()? {
            let table = self.load(dictionary, dictionary_slot::TABLE)?;
            self.look_at(watch, [dictionary, table]);
            let size = if self.has_slots(table, 1) { self.heap.size(table) } else { 0 };
            for index in 0..size {
                let association = self.load(table, index)?;
                let found = self.bound_by(association, root, selectors, watch)?;
                // Two dictionaries may hold one class.
                bound.extend(found.filter(|found| bound.iter().all(|known| known.class != found.class)));
            }
        }
        Ok(bound)
    }

    /// The class that an association binds, if it is one below the root and this is the binding that code sees.
    fn bound_by(
        &mut self,
        association: Oop,
        root: Oop,
        [tool_names, register_on]: [Oop; 2],
        watch: &mut Watch,
    ) -> Result<Option<Bound>, Stop> {
        if !self.has_slots(association, 2) {
            return Ok(None);
        }
        let class = self.load(association, dictionary_slot::VALUE)?;
        if !class.is_pointer() || self.heap.class_index(self.class_of(class)) != class::METACLASS {
            return Ok(None);
        }
        let Some(chain) = self.chain_to(class, root)? else { return Ok(None) };
        let key = self.text(self.heap.slot(association, dictionary_slot::KEY)).unwrap_or_default();
        let name = self.load(class, behavior_slot::NAME)?;
        let oid = self.heap.oid(association);
        let seen = match self.find_binding(Oop::NIL, &key)? {
            Some(seen) => self.load(seen, dictionary_slot::VALUE)?,
            None => Oop::NIL,
        };
        if self.text(name).as_ref() != Some(&key) || seen != class {
            return Ok(None);
        }
        watch.objects.extend(Some(oid).filter(|oid| *oid != 0));
        let mut registers = false;
        for behavior in chain {
            registers |= self.own_method(behavior, register_on)?.is_some();
            for side in [behavior, self.class_of(behavior)] {
                let methods = self.load(side, behavior_slot::METHOD_DICTIONARY)?;
                let table = self.load(methods, dictionary_slot::TABLE)?;
                self.look_at(watch, [side, methods, table]);
            }
        }
        let names_tools = self.own_method(class, tool_names)?.is_some();
        Ok(Some(Bound { class, name: key, names_tools, registers }))
    }

    /// A class and those above it, up to the root and without it; nothing if it is not below the root.
    fn chain_to(&mut self, class: Oop, root: Oop) -> Result<Option<Vec<Oop>>, Stop> {
        let (mut chain, mut behavior) = (Vec::new(), class);
        while behavior.is_pointer() && behavior != root && chain.len() < CHAIN_MAX {
            chain.push(behavior);
            behavior = self.load(behavior, behavior_slot::SUPERCLASS)?;
        }
        Ok((behavior == root && !chain.is_empty()).then_some(chain))
    }

    fn look_at<const COUNT: usize>(&self, watch: &mut Watch, objects: [Oop; COUNT]) {
        let known = objects.into_iter().filter(|object| object.is_pointer()).map(|object| self.heap.oid(object));
        // What is new here has no identity yet; it is found when whatever leads to it is committed.
        watch.objects.extend(known.filter(|oid| *oid != 0));
    }

    /// The identities of what the transaction has written, if anybody wants to know.
    pub(crate) fn watched_writes(&self) -> Vec<Oid> {
        if self.watch.is_none() {
            return Vec::new();
        }
        self.heap.written().iter().map(|before| self.heap.oid(before.object)).collect()
    }

    /// These objects have changed as the view moved.
    pub(crate) fn hold_against_watch(&mut self, changed: &[Oid]) {
        let Some(watch) = &self.watch else { return };
        let binds = |oid: Oid| {
            let object = self.tables.object(oid);
            object.is_some_and(|object| self.heap.class_index(object) == class::SYMBOL_ASSOCIATION)
        };
        let touched = watch.touched || changed.iter().any(|oid| watch.objects.contains(oid) || binds(*oid));
        if let Some(watch) = &mut self.watch {
            watch.touched = touched;
        }
    }

    /// Whether the toolsets may be others since they were last asked for.
    pub(crate) fn toolsets_touched(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.touched)
    }
}
