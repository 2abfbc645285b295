//! The toolset `execution`: run any Smalltalk.

use crate::tool::{Answer, Context, Hints, Outcome, Refusal, Tool, Toolset};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use smalltalk::{ErrorKind, ExecutionError};

/// Most frames that an error shows.
const FRAMES_MAX: usize = 100;
/// Longest line of an error's frame that is shown, in characters.
const FRAME_CHARACTERS_MAX: usize = 200;

pub(super) struct Execution;

impl Toolset for Execution {
    fn name(&self) -> &'static str {
        "execution"
    }

    fn tools(&self) -> Vec<Tool> {
        vec![Tool::new(
            "execute_code",
            "Execute Smalltalk code",
            "Call this to evaluate Smalltalk expressions or statements in the live image: to look at objects, to define \
             classes and methods, to try things out. Answers the printString of the last statement's value. Effects stay \
             in this session until commit. An error answers its class, its message and the frames of your own code.",
            Hints { read_only: false, destructive: true, idempotent: false },
            execute_code,
        )]
    }
}

#[derive(Deserialize, JsonSchema)]
struct ExecuteCode {
    /// Smalltalk source: statements separated by periods; temporaries may be declared first, as in `| x | x := 3. x + 4`.
    code: String,
}

fn execute_code(context: &mut Context<'_>, ExecuteCode { code }: ExecuteCode) -> Outcome {
    context.image.execute(&code, context.deadline).map(Answer::text).map_err(refusal)
}

fn refusal(error: ExecutionError) -> Refusal {
    let ExecutionError { kind, class, message, frames } = error;
    let frames: Vec<String> = frames.into_iter().take(FRAMES_MAX).map(shorten).collect();
    let mut text = format!("{class}: {message}");
    for frame in &frames {
        text.push_str("\n  ");
        text.push_str(frame);
    }
    let message = Answer::text(message).text;
    Refusal::new(word(kind), text)
        .with("class", json!(class))
        .with("message", json!(message))
        .with("frames", json!(frames))
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
        ErrorKind::Other => "other",
    }
}
