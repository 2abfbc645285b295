//! Where each variable lives. A temporary that a real block uses and that may change after the block was made lives in
//! a *vector* on the heap, one for each scope that has such variables; blocks copy the vector. Every other captured
//! variable is copied itself.

use super::tables::{FrameId, ScopeId, Tables, VariableId, VariableKind};
use crate::bytecode::FIRST_TEMPORARY;
use crate::syntax::{CompileError, error_number};

const MAX_ARGUMENTS: usize = 255;
const MAX_COPIED: usize = 255;
const MAX_BLOCK_TEMPORARIES: usize = 255;
const MAX_METHOD_TEMPORARIES: usize = 4000;
const MAX_VECTOR: usize = 255;

/// What a block takes along from the frame that makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Copied {
    Variable(VariableId),
    Vector(ScopeId),
}

/// Where a variable is found in a certain frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Temporary(i16),
    Vector { index: u8, offset: i16 },
}

#[derive(Debug, Default)]
pub(super) struct FrameLayout {
    pub(super) copied: Vec<Copied>,
    /// Beyond the arguments and what was copied.
    pub(super) temporaries: usize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Vector {
    pub(super) size: usize,
    /// In the frame of its scope.
    pub(super) offset: i16,
}

#[derive(Debug)]
pub(super) struct Plan {
    pub(super) tables: Tables,
    pub(super) frames: Vec<FrameLayout>,
    /// By scope.
    pub(super) vectors: Vec<Option<Vector>>,
    /// By variable: its index, if it lives in the vector of its scope.
    vector_index: Vec<Option<usize>>,
    /// By variable: its offset in the frame that declares it, if it does not.
    offsets: Vec<i16>,
}

/// Lays all frames of a method out.
pub(super) fn plan(tables: Tables, source: &str) -> Result<Plan, Vec<CompileError>> {
    let mut plan = Plan {
        frames: tables.frames.iter().map(|_| FrameLayout::default()).collect(),
        vectors: vec![None; tables.scopes.len()],
        vector_index: vec![None; tables.variables.len()],
        offsets: vec![0; tables.variables.len()],
        tables,
    };
    plan.choose_vectors();
    for frame in 0..plan.frames.len() {
        plan.choose_copied(frame);
        if let Err(message) = plan.place_frame(frame) {
            let offset = plan.tables.frames[frame].offset;
            return Err(vec![CompileError::new(source, error_number::TOO_LARGE, offset, message)]);
        }
    }
    Ok(plan)
}

impl Plan {
    fn choose_vectors(&mut self) {
        let mut shared = vec![false; self.tables.variables.len()];
        for (id, frame) in self.tables.frames.iter().enumerate() {
            for variable in &frame.captures {
                let is_maker = Some(self.tables.variables[*variable].frame) == frame.parent;
                shared[*variable] |= is_maker && self.tables.copy_could_be_stale(*variable, id);
            }
        }
        for (id, scope) in self.tables.scopes.iter().enumerate() {
            let mut size = 0;
            for variable in scope.temporaries.iter().filter(|variable| shared[**variable]) {
                self.vector_index[*variable] = Some(size);
                size += 1;
            }
            self.vectors[id] = (size > 0).then_some(Vector { size, offset: 0 });
        }
    }

    fn choose_copied(&mut self, frame: FrameId) {
        let mut copied = Vec::new();
        let mut taken = std::collections::HashSet::new();
        for variable in &self.tables.frames[frame].captures {
            let scope = self.tables.variables[*variable].scope;
            match self.vector_index[*variable] {
                Some(_) if taken.insert(scope) => copied.push(Copied::Vector(scope)),
                Some(_) => {}
                None => copied.push(Copied::Variable(*variable)),
            }
        }
        self.frames[frame].copied = copied;
    }

    fn place_frame(&mut self, frame: FrameId) -> Result<(), String> {
        let table = &self.tables.frames[frame];
        let copied = self.frames[frame].copied.len();
        let is_method = table.parent.is_none();
        at_most(table.argument_count, MAX_ARGUMENTS, "arguments")?;
        at_most(copied, MAX_COPIED, "outer variables that this block uses")?;
        for vector in table.scopes.iter().filter_map(|scope| self.vectors[*scope]) {
            at_most(vector.size, MAX_VECTOR, "temporaries of one scope that blocks change")?;
        }
        let places = self.slots(frame);
        let limit = if is_method { MAX_METHOD_TEMPORARIES } else { MAX_BLOCK_TEMPORARIES };
        at_most(places.len(), limit, "temporaries, those of inlined blocks included")?;
        self.frames[frame].temporaries = places.len();
        for (index, place) in places.into_iter().enumerate() {
            let offset = FIRST_TEMPORARY + (copied + index) as i16;
            match place {
                Copied::Variable(variable) => self.offsets[variable] = offset,
                Copied::Vector(scope) => self.vectors[scope] = self.vectors[scope].map(|old| Vector { offset, ..old }),
            }
        }
        self.place_arguments(frame);
        Ok(())
    }

    /// What needs a temporary of the frame itself, in order.
    fn slots(&self, frame: FrameId) -> Vec<Copied> {
        let table = &self.tables.frames[frame];
        let mut slots = Vec::new();
        for scope in &table.scopes {
            if self.vectors[*scope].is_some() {
                slots.push(Copied::Vector(*scope));
            }
            let own = self.tables.scopes[*scope].temporaries.iter();
            slots.extend(own.filter(|variable| self.vector_index[**variable].is_none()).copied().map(Copied::Variable));
        }
        slots.extend(table.hidden.iter().copied().map(Copied::Variable));
        slots
    }

    fn place_arguments(&mut self, frame: FrameId) {
        let count = self.tables.frames[frame].argument_count as i16;
        let Some(scope) = self.tables.frames[frame].scopes.first() else { return };
        for variable in self.tables.scopes[*scope].names.values() {
            if let VariableKind::Argument(index) = self.tables.variables[*variable].kind {
                self.offsets[*variable] = index as i16 - count;
            }
        }
    }

    /// Where code of this frame finds the variable.
    pub(super) fn place(&self, variable: VariableId, frame: FrameId) -> Place {
        let scope = self.tables.variables[variable].scope;
        match self.vector_index[variable] {
            Some(index) => Place::Vector { index: index as u8, offset: self.vector_offset(scope, frame) },
            None if self.tables.variables[variable].frame == frame => Place::Temporary(self.offsets[variable]),
            None => Place::Temporary(self.copied_offset(Copied::Variable(variable), frame)),
        }
    }

    /// Where code of this frame finds the vector of the scope.
    pub(super) fn vector_offset(&self, scope: ScopeId, frame: FrameId) -> i16 {
        if self.tables.scopes[scope].frame == frame {
            return self.vectors[scope].map_or(0, |vector| vector.offset);
        }
        self.copied_offset(Copied::Vector(scope), frame)
    }

    fn copied_offset(&self, copied: Copied, frame: FrameId) -> i16 {
        let position = self.frames[frame].copied.iter().position(|entry| *entry == copied);
        FIRST_TEMPORARY + position.expect("a variable that is used in a frame is captured by it") as i16
    }
}

fn at_most(count: usize, limit: usize, what: &str) -> Result<(), String> {
    if count <= limit {
        return Ok(());
    }
    Err(format!("too many {what}: {count}, at most {limit} are allowed"))
}
