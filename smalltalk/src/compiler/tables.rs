//! What is known of the variables of a method: who declares them, who captures them, who assigns to them and when.
//!
//! A *frame* is the method or a block that exists as an object. A *scope* is a stretch of source in which names are
//! declared; an inlined block has a scope but no frame. *When* is a count that runs along the order of evaluation
//! within a frame, loops left aside; what loops change is kept by [`Variable::assigned_loops`].

use std::collections::{HashMap, HashSet};

pub(super) type FrameId = usize;
pub(super) type ScopeId = usize;
pub(super) type VariableId = usize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VariableKind {
    /// Pushed by the sender; its place among the arguments.
    Argument(usize),
    /// An argument of an inlined block: set by the code around it, never by assignments.
    InlinedArgument,
    Temporary,
}

#[derive(Debug)]
pub(super) struct Variable {
    pub(super) frame: FrameId,
    pub(super) scope: ScopeId,
    pub(super) kind: VariableKind,
    last_assignment: Option<u32>,
    assigned_in_inner_frame: bool,
    /// The outermost loops within its scope in which it is assigned to.
    assigned_loops: HashSet<ScopeId>,
    /// Whether the first thing that ever happens to it is an assignment that cannot be skipped.
    pub(super) set_before_read: Option<bool>,
}

#[derive(Debug)]
pub(super) struct ScopeTable {
    pub(super) parent: Option<ScopeId>,
    pub(super) frame: FrameId,
    pub(super) is_loop: bool,
    pub(super) names: HashMap<String, VariableId>,
    /// The temporaries that it declares, in order.
    pub(super) temporaries: Vec<VariableId>,
}

#[derive(Debug)]
pub(super) struct Frame {
    pub(super) parent: Option<FrameId>,
    /// Where and when it is made, in its parent.
    made_in: ScopeId,
    made_at: u32,
    pub(super) argument_count: usize,
    /// The outer variables that it or a frame within it uses, in order of first use.
    pub(super) captures: Vec<VariableId>,
    captured: HashSet<VariableId>,
    /// Its scopes, outermost first.
    pub(super) scopes: Vec<ScopeId>,
    /// Variables that live in its frame for the generator's own use, and arguments of inlined blocks.
    pub(super) hidden: Vec<VariableId>,
    pub(super) offset: u32,
}

#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) variables: Vec<Variable>,
    pub(super) scopes: Vec<ScopeTable>,
    pub(super) frames: Vec<Frame>,
    clock: u32,
}

impl Tables {
    pub(super) fn new_frame(&mut self, made_in: Option<ScopeId>, argument_count: usize, offset: u32) -> FrameId {
        self.clock += 1;
        self.frames.push(Frame {
            parent: made_in.map(|scope| self.scopes[scope].frame),
            made_in: made_in.unwrap_or(0),
            made_at: self.clock,
            argument_count,
            captures: Vec::new(),
            captured: HashSet::new(),
            scopes: Vec::new(),
            hidden: Vec::new(),
            offset,
        });
        self.frames.len() - 1
    }

    pub(super) fn new_scope(&mut self, parent: Option<ScopeId>, frame: FrameId, is_loop: bool) -> ScopeId {
        let id = self.scopes.len();
        self.scopes.push(ScopeTable { parent, frame, is_loop, names: HashMap::new(), temporaries: Vec::new() });
        self.frames[frame].scopes.push(id);
        id
    }

    /// Adds a variable; without a name it is for the generator only.
    pub(super) fn new_variable(&mut self, scope: ScopeId, kind: VariableKind, name: Option<&str>) -> VariableId {
        let id = self.variables.len();
        let frame = self.scopes[scope].frame;
        self.variables.push(Variable {
            frame,
            scope,
            kind,
            last_assignment: None,
            assigned_in_inner_frame: false,
            assigned_loops: HashSet::new(),
            set_before_read: None,
        });
        match (kind, name) {
            (VariableKind::Temporary, Some(_)) => self.scopes[scope].temporaries.push(id),
            (VariableKind::Argument(_), _) => {}
            _ => self.frames[frame].hidden.push(id),
        }
        if let Some(name) = name {
            self.scopes[scope].names.insert(name.to_owned(), id);
        }
        id
    }

    pub(super) fn lookup(&self, mut scope: ScopeId, name: &str) -> Option<VariableId> {
        loop {
            if let Some(variable) = self.scopes[scope].names.get(name) {
                return Some(*variable);
            }
            scope = self.scopes[scope].parent?;
        }
    }

    /// Records that code in this scope reads the variable.
    pub(super) fn note_read(&mut self, variable: VariableId, scope: ScopeId) {
        self.variables[variable].set_before_read.get_or_insert(false);
        self.note_use(variable, scope);
    }

    /// Records that code in this scope assigns to the variable, after the value has been evaluated.
    pub(super) fn note_assignment(&mut self, variable: VariableId, scope: ScopeId) {
        self.clock += 1;
        let first_is_certain = self.variables[variable].scope == scope;
        self.variables[variable].set_before_read.get_or_insert(first_is_certain);
        self.note_use(variable, scope);
        let outermost = self.outermost_loop(scope, self.variables[variable].scope);
        let is_inner = self.scopes[scope].frame != self.variables[variable].frame;
        let entry = &mut self.variables[variable];
        entry.assigned_in_inner_frame |= is_inner;
        entry.last_assignment = Some(self.clock);
        entry.assigned_loops.extend(outermost);
    }

    /// Every frame between the use and the declaration captures the variable.
    fn note_use(&mut self, variable: VariableId, scope: ScopeId) {
        let home = self.variables[variable].frame;
        let mut frame = self.scopes[scope].frame;
        while frame != home {
            if self.frames[frame].captured.insert(variable) {
                self.frames[frame].captures.push(variable);
            }
            match self.frames[frame].parent {
                Some(parent) => frame = parent,
                None => return,
            }
        }
    }

    /// The outermost loop around `scope` that lies within `limit`.
    fn outermost_loop(&self, scope: ScopeId, limit: ScopeId) -> Option<ScopeId> {
        let mut found = None;
        let mut current = scope;
        while current != limit {
            if self.scopes[current].is_loop {
                found = Some(current);
            }
            current = self.scopes[current].parent?;
        }
        found
    }

    /// Whether a copy that this frame takes of the variable could miss a later assignment.
    pub(super) fn copy_could_be_stale(&self, variable: VariableId, frame: FrameId) -> bool {
        let entry = &self.variables[variable];
        let frame = &self.frames[frame];
        let Some(last) = entry.last_assignment else { return false };
        if entry.assigned_in_inner_frame || last > frame.made_at {
            return true;
        }
        let around = self.outermost_loop(frame.made_in, entry.scope);
        around.is_some_and(|scope| entry.assigned_loops.contains(&scope))
    }

    /// Whether code in this scope may run more than once in one activation of its frame.
    pub(super) fn is_in_loop(&self, scope: ScopeId) -> bool {
        let frame = self.scopes[scope].frame;
        let mut current = Some(scope);
        while let Some(id) = current {
            if self.scopes[id].frame != frame {
                return false;
            }
            if self.scopes[id].is_loop {
                return true;
            }
            current = self.scopes[id].parent;
        }
        false
    }
}
