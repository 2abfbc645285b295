//! Asking the kernel's own classes for what a tool shows.

use crate::tool::execution::{as_source_error, compile_refusal, execution_refusal};
use crate::tool::{Context, Refusal};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use smalltalk::{Image, Value};
use std::time::Instant;

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
        ("compileError", Json::Array(errors)) => compile_refusal(errors.iter().filter_map(as_source_error).collect()),
        _ => Refusal::new(kind, text),
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
