//! The toolset `mutation`: changing methods, classes and dictionaries. Nothing of the kernel is changed here, nothing
//! is overwritten that another session changed unseen, and nothing is committed that the client did not ask to commit.

mod classes;
mod definition;
mod dictionaries;
mod methods;

use crate::tool::{Hints, Tool, Toolset};

/// Making something that was not there, or is made the same again.
const MAKING: Hints = Hints { read_only: false, destructive: false, idempotent: true };
/// Replacing what is there.
const REPLACING: Hints = Hints { read_only: false, destructive: true, idempotent: true };
/// Removing what is there.
const REMOVING: Hints = Hints { read_only: false, destructive: true, idempotent: false };

pub(super) struct Mutation;

impl Toolset for Mutation {
    fn name(&self) -> &'static str {
        "mutation"
    }

    fn instructions(&self) -> Option<&'static str> {
        Some(
            "compile_class_definition, compile_method and delete_method change code and say whether that is \
             committed. The classes of Globals are the kernel and are not changed by tools.",
        )
    }

    fn icon(&self) -> Option<&'static str> {
        Some("M11 1l4 4L5 15H1v-4z")
    }

    fn tools(&self) -> Vec<Tool> {
        vec![
            dictionaries::add_tool(),
            definition::compile_tool(),
            methods::compile_tool(),
            classes::delete_tool(),
            methods::delete_tool(),
            dictionaries::remove_tool(),
            classes::comment_tool(),
        ]
    }
}
