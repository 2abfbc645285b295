//! What Smalltalk that gave no value is for a client: a refusal with the error's class, its message and its frames.
//!
//! It never runs anything.

use super::answer::Refusal;
use super::text::cut;
use serde_json::Value as Json;
use smalltalk::{ErrorKind, ExecutionError};

/// Most frames that an error shows.
const FRAMES_MAX: usize = 100;
/// Longest line of an error's frame that is shown, in characters.
const FRAME_CHARACTERS_MAX: usize = 200;

/// One compile error.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct SourceError {
    /// Line in the source, from 1.
    line: u32,
    /// Column in the line, from 1.
    column: u32,
    /// What was expected and what was found.
    message: String,
    /// The number of the error.
    number: u32,
}

/// One as the image tells it, an array.
pub(crate) fn as_source_error(error: &Json) -> Option<SourceError> {
    let (number, line, column, message) = serde_json::from_value(error.clone()).ok()?;
    Some(SourceError { line, column, message, number })
}

/// A source that does not compile.
pub(crate) fn compile_refusal(errors: Vec<SourceError>) -> Refusal {
    let told = errors.iter().map(|error| {
        let SourceError { line, column, message, number } = error;
        format!("line {line}, column {column}: {message} (error {number})")
    });
    let text = format!("Compile errors: {}", told.collect::<Vec<_>>().join("\n"));
    Refusal::new("compileError", text).with("errors", serde_json::json!(errors))
}

/// An execution that gave no value.
pub(crate) fn execution_refusal(error: ExecutionError) -> Refusal {
    let ExecutionError { kind, class, message, frames, compile_errors } = error;
    let frames: Vec<String> =
        frames.into_iter().take(FRAMES_MAX).map(|frame| cut(&frame, FRAME_CHARACTERS_MAX)).collect();
    let mut text = format!("{class}: {message}");
    for frame in &frames {
        text.push_str("\n  ");
        text.push_str(frame);
    }
    let refusal = Refusal::new(word(kind), text)
        .with("class", Json::from(class))
        .with("message", Json::from(message))
        .with("frames", Json::from(frames));
    if compile_errors.is_empty() {
        return refusal;
    }
    let errors: Vec<SourceError> = compile_errors.into_iter().map(SourceError::from).collect();
    refusal.with("errors", serde_json::json!(errors))
}

impl From<smalltalk::syntax::CompileError> for SourceError {
    fn from(error: smalltalk::syntax::CompileError) -> Self {
        SourceError { line: error.line, column: error.column, message: error.message, number: error.number.into() }
    }
}

fn word(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::CompileError => "compileError",
        ErrorKind::Timeout => "timeout",
        ErrorKind::Interrupted => "interrupted",
        ErrorKind::OutOfMemory => "outOfMemory",
        ErrorKind::StackDepth => "stackDepth",
        ErrorKind::StoreLost => "stoneLost",
        ErrorKind::CorruptMethod => "corruptMethod",
        ErrorKind::Other => "other",
    }
}
