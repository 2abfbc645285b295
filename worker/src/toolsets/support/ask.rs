//! Asking the kernel's own classes for what a tool shows.

use crate::tool::{Context, Refusal};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use smalltalk::{ErrorKind, ExecutionError, Image, Value};
use std::time::Instant;

/// Most frames that an error shows.
const FRAMES_MAX: usize = 100;
/// Longest line of an error's frame that is shown, in characters.
const FRAME_CHARACTERS_MAX: usize = 200;

/// Sends a message to a class of the kernel that answers `{nil. data}` or `{kind. text. details}`; the data are read as
/// a `T`: arrays as tuples or vectors, nil as `None`.
pub(in crate::toolsets) fn ask<T: DeserializeOwned>(
    context: &mut Context<'_>,
    class: &str,
    selector: &str,
    arguments: &[Value],
) -> Result<T, Refusal> {
    ask_image(context.image, context.deadline, class, selector, arguments)
}

/// The same without a call.
pub(in crate::toolsets) fn ask_image<T: DeserializeOwned>(
    image: &mut Image,
    deadline: Instant,
    class: &str,
    selector: &str,
    arguments: &[Value],
) -> Result<T, Refusal> {
    let answer = image.ask(class, selector, arguments, deadline).map_err(execution_refusal)?;
    let mut parts = match answer {
        Value::Array(parts) => parts.into_iter(),
        _ => return Err(unexpected()),
    };
    match (parts.next(), parts.next()) {
        (Some(Value::Nil), Some(data)) => serde_json::from_value(json(data)).map_err(|_| unexpected()),
        (Some(Value::Text(kind)), Some(Value::Text(text))) => {
            let details = parts.next().map_or(Json::Null, json);
            Err(refusal(&kind, text, details))
        }
        _ => Err(unexpected()),
    }
}

fn unexpected() -> Refusal {
    Refusal::new("other", "The image answered something that this tool does not understand.")
}

/// What the image refuses, by its own word.
fn refusal(kind: &str, text: String, details: Json) -> Refusal {
    const KINDS: &[&str] = &["notFound", "refused", "invalidParams", "compileError", "commitConflict"];
    let Some(kind) = KINDS.iter().find(|known| **known == kind).copied() else {
        // A word of a toolset's own.
        let refusal = Refusal::new("other", text);
        return if kind == "other" { refusal } else { refusal.with("reason", Json::from(kind)) };
    };
    match (kind, &details) {
        ("compileError", Json::Array(errors)) => compile_refusal(errors.iter().filter_map(as_compile_error).collect()),
        _ => Refusal::new(kind, text),
    }
}

/// One compile error.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(in crate::toolsets) struct Fault {
    /// Line in the source, from 1.
    line: u32,
    /// Column in the line, from 1.
    column: u32,
    /// What was expected and what was found.
    message: String,
    /// The number of the error.
    number: u32,
}

fn as_compile_error(error: &Json) -> Option<Fault> {
    let (number, line, column, message) = serde_json::from_value(error.clone()).ok()?;
    Some(Fault { line, column, message, number })
}

fn compile_refusal(faults: Vec<Fault>) -> Refusal {
    let told = faults.iter().map(|fault| {
        let Fault { line, column, message, number } = fault;
        format!("line {line}, column {column}: {message} (error {number})")
    });
    let text = format!("Compile errors: {}", told.collect::<Vec<_>>().join("\n"));
    Refusal::new("compileError", text).with("errors", serde_json::json!(faults))
}

/// An execution that gave no value.
pub(crate) fn execution_refusal(error: ExecutionError) -> Refusal {
    let ExecutionError { kind, class, message, frames, compile_errors } = error;
    let frames: Vec<String> = frames.into_iter().take(FRAMES_MAX).map(shorten).collect();
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
    let faults: Vec<Fault> = compile_errors.into_iter().map(Fault::from).collect();
    refusal.with("errors", serde_json::json!(faults))
}

impl From<smalltalk::syntax::CompileError> for Fault {
    fn from(error: smalltalk::syntax::CompileError) -> Self {
        Fault { line: error.line, column: error.column, message: error.message, number: error.number.into() }
    }
}

fn shorten(mut frame: String) -> String {
    if let Some((end, _)) = frame.char_indices().nth(FRAME_CHARACTERS_MAX) {
        frame.truncate(end);
        frame.push_str("...");
    }
    frame
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

fn json(value: Value) -> Json {
    match value {
        Value::Nil | Value::Other(_) => Json::Null,
        Value::Boolean(value) => Json::from(value),
        Value::Integer(value) => Json::from(value),
        Value::Text(text) => Json::from(text),
        Value::Array(elements) => elements.into_iter().map(json).collect(),
    }
}
