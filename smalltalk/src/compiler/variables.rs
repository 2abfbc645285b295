//! Where the variables of a method at work are to be found, for whoever looks into its frames.
//!
//! Code does not carry the names of its variables. They are found again by compiling the source anew, which costs
//! nothing until somebody asks. What comes out must never be trusted to fit: a source from a store proves nothing of
//! the code beside it.

use super::generate::Generator;
use super::layout::{self, Place};
use super::resolve::Resolver;
use super::{Scope, tables::FrameId};
use crate::syntax::{parse_doit, parse_method};

/// Where a variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariablePlace {
    /// At this offset from the frame.
    Stack(i16),
    /// In the vector that lies at this offset, at this index.
    Vector(i16, u8),
}

/// The variables that the code of a method or of one of its blocks can see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameVariables {
    /// First instruction; 0 for the method itself.
    pub start: usize,
    /// Names and places: arguments, temporaries, and what a block takes along.
    pub variables: Vec<(String, VariablePlace)>,
}

/// Every name outside of the source exists: whether one does was settled when the method was compiled.
struct AnyName;

impl Scope for AnyName {
    type Binding = ();

    fn instance_variable(&self, _name: &str) -> Option<u16> {
        None
    }

    fn binding(&mut self, _name: &str) -> Option<()> {
        Some(())
    }
}

/// The variables of a method and of its blocks, or of a do-it; nothing if the source does not compile.
pub fn variables(source: &str, is_doit: bool) -> Vec<FrameVariables> {
    let parsed = if is_doit { parse_doit(source) } else { parse_method(source) };
    let mut errors = parsed.errors;
    let Some(method) = parsed.method.filter(|_| errors.is_empty()) else { return Vec::new() };
    let resolved = Resolver::new(source, &mut AnyName, &mut errors).method(&method);
    let Ok(plan) = layout::plan(resolved.tables, source) else { return Vec::new() };
    if !errors.is_empty() {
        return Vec::new();
    }
    let (plan, starts) = Generator::new(source, plan, resolved.bindings).frames(&resolved.statements, is_doit);
    starts.into_iter().map(|(frame, start)| FrameVariables { start, variables: seen_in(&plan, frame) }).collect()
}

fn seen_in(plan: &layout::Plan, frame: FrameId) -> Vec<(String, VariablePlace)> {
    let table = &plan.tables.frames[frame];
    let mut found: Vec<(usize, &str)> = Vec::new();
    for scope in &plan.tables.scopes {
        for (name, variable) in &scope.names {
            if scope.frame == frame || table.captures.contains(variable) {
                found.push((*variable, name));
            }
        }
    }
    found.sort_unstable();
    let place = |variable| match plan.place(variable, frame) {
        Place::Temporary(offset) => VariablePlace::Stack(offset),
        Place::Vector { index, offset } => VariablePlace::Vector(offset, index),
    };
    found.into_iter().map(|(variable, name)| (name.to_owned(), place(variable))).collect()
}
