//! What is wrong with a source, and where. Positions are given both for programs (byte offset) and for people.

use thiserror::Error;

macro_rules! error_numbers {
    ($($(#[$text:meta])* $name:ident = $number:literal,)*) => {
        /// Numbers of compile errors.
        pub mod number {
            $($(#[$text])* pub const $name: u16 = $number;)*

            /// All of them.
            pub const ALL: &[u16] = &[$($name),*];
        }
    };
}

error_numbers! {
    /// A variable, literal, block or opening bracket had to be here.
    EXPECTED_PRIMARY = 1001,
    /// A method must begin with its selector and arguments.
    EXPECTED_PATTERN = 1002,
    /// A bracket is not closed, or by the wrong one.
    EXPECTED_CLOSING = 1003,
    /// A number is malformed or too long.
    INVALID_NUMBER = 1010,
    /// A character that begins nothing.
    INVALID_CHARACTER = 1011,
    /// A string or a comment is not closed.
    UNTERMINATED = 1012,
    /// A literal that cannot stand where it stands.
    INVALID_LITERAL = 1013,
    /// A variable is declared twice.
    ALREADY_DECLARED = 1030,
    /// A name that nobody declared.
    UNDEFINED = 1031,
    /// An argument or a pseudo-variable cannot be assigned to.
    NOT_ASSIGNABLE = 1032,
    /// Something else had to be here.
    UNEXPECTED = 1034,
    /// Nested too deeply.
    TOO_DEEP = 1040,
    /// Larger than a method can be.
    TOO_LARGE = 1041,
    /// Understood, but not to be had here.
    UNSUPPORTED = 1042,
}

/// One error of a source.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {message} (error {number})")]
pub struct CompileError {
    /// One of [`number`].
    pub number: u16,
    /// Byte offset in the source.
    pub offset: u32,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// What was expected and what was found.
    pub message: String,
}

impl CompileError {
    /// An error at this offset of this source.
    pub fn new(source: &str, number: u16, offset: u32, message: impl Into<String>) -> Self {
        let (line, column) = line_and_column(source, offset as usize);
        Self { number, offset, line, column, message: message.into() }
    }
}

/// Line and column (from 1, the column in characters) of a byte offset. Lines end in LF, CR LF or CR.
pub fn line_and_column(source: &str, offset: usize) -> (u32, u32) {
    let mut line = 1;
    let mut line_start = 0;
    let bytes = source.as_bytes();
    for index in 0..offset.min(bytes.len()) {
        let ends_line = bytes[index] == b'\n' || bytes[index] == b'\r' && bytes.get(index + 1) != Some(&b'\n');
        if ends_line {
            line += 1;
            line_start = index + 1;
        }
    }
    let column =
        source.char_indices().skip_while(|(at, _)| *at < line_start).take_while(|(at, _)| *at < offset).count();
    (line, column as u32 + 1)
}
