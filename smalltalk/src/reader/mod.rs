//! Reads files of Smalltalk code into the items that a loader works through. A reader opens no file, compiles nothing
//! and must never lose a method in silence: what it does not understand is an error with its line.

pub mod class_definition;
pub mod gs;

pub use class_definition::{ClassDefinition, ClassHeader, ClassKind, class_definition_header, parse_class_definition};
pub use gs::{Item, ItemKind, ReadError, read_gs};
