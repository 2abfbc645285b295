//! From source text to a syntax tree: methods and do-its, with every error that a source has, each at its place.
//!
//! Knows nothing of classes, variables or code. It must never panic and never recurse without a bound, whatever the
//! text: a tree is at most [`MAX_DEPTH`] levels deep, so that whoever walks it may recurse.

pub mod ast;
pub mod error;
mod expression;
mod lexer;
mod literal;
mod number;
mod parser;
mod token;

#[cfg(test)]
mod tests;

pub use error::{CompileError, number as error_number};
pub use parser::{Parsed, method_selector, parse_doit, parse_method};

/// How deeply blocks, parentheses, braces, assignments and literal arrays may be nested in each other.
pub const MAX_DEPTH: usize = 200;

/// The longest source, in bytes.
pub const MAX_SOURCE_BYTES: usize = 16 << 20;

/// How many errors of one source are reported.
pub const MAX_ERRORS: usize = 50;

/// The selector of a do-it.
pub const DOIT_SELECTOR: &str = "doIt";
