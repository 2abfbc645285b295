//! Reads files of Smalltalk code into the items that a loader works through. A reader opens no file, compiles nothing
//! and must never lose a method in silence: what it does not understand is an error with its line.

pub mod chunk;
pub mod class_definition;
#[cfg(test)]
mod fuzz;
pub mod gs;

pub use chunk::read_chunks;
pub use class_definition::{ClassDefinition, ClassHeader, ClassKind, class_definition_header, parse_class_definition};
pub use gs::{Item, ItemKind, ReadError, read_gs};

/// The forms of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceForm {
    /// Commands in column 1 and blocks that a `%` ends.
    Topaz,
    /// Chunks that a `!` ends.
    Chunks,
}

/// The form that a file has by the end of its name, or else by its text: chunks end with a `!`, and no Topaz file has
/// a block without a `%`.
pub fn source_form(file_name: &str, text: &str) -> SourceForm {
    match file_name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).as_deref() {
        Some("gs" | "tpz" | "topaz") => return SourceForm::Topaz,
        Some("st" | "cs") => return SourceForm::Chunks,
        _ => {}
    }
    let has_block = text.lines().any(|line| line.starts_with('%'));
    match text.trim_end().ends_with('!') && !has_block && read_gs(text).is_err() {
        true => SourceForm::Chunks,
        false => SourceForm::Topaz,
    }
}

/// Reads a whole file in the form that it has.
pub fn read_source(file_name: &str, text: &str) -> Result<Vec<Item>, ReadError> {
    match source_form(file_name, text) {
        SourceForm::Topaz => read_gs(text),
        SourceForm::Chunks => read_chunks(text),
    }
}
