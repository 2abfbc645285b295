//! A tool that says a great deal before it answers: for tests of streams that break, and for the bench of streams. No
//! tool of the suite.

use crate::HARMLESS;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;
use worker::{Answer, Context, Level, Outcome, Progress, Tool};

const STEPS_MAX: u64 = 100_000;
const PAUSE_MAX: u64 = 10_000;

#[derive(Deserialize, JsonSchema)]
struct Steps {
    /// How many log messages to send.
    #[schemars(range(max = 100_000))]
    steps: u64,
    /// Microseconds between two of them.
    #[serde(default)]
    #[schemars(range(max = 10_000))]
    pause: u64,
    /// What each of them names.
    name: String,
}

pub(crate) fn tool() -> Tool {
    Tool::new("test_steps", "test_steps", "Call this to hear of each step.", HARMLESS, take_steps)
}

fn take_steps(context: &mut Context<'_>, Steps { steps, pause, name }: Steps) -> Outcome {
    let pause = Duration::from_micros(pause.min(PAUSE_MAX));
    context.report(Progress { done: 0, total: steps, message: &name });
    for step in 1..=steps.min(STEPS_MAX) {
        context.log(Level::Info, "steps", json!({"name": name, "step": step}));
        std::thread::sleep(pause);
    }
    Ok(Answer::text(format!("{name}: {steps}")))
}
