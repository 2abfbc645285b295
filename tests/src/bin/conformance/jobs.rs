//! Tools whose calls become tasks.

use crate::{HARMLESS, Nothing};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;
use worker::{Answer, Context, Outcome, Progress, Question, Refusal, Tool};

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Who is greeted.
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Compute {
    /// How long it takes.
    seconds: u64,
    /// What it is called.
    #[serde(default)]
    label: String,
}

#[derive(Deserialize, JsonSchema)]
struct Delete {
    /// What would be deleted.
    filename: String,
}

pub(crate) fn tools() -> Vec<Tool> {
    let tool = |name, handler: fn(&mut Context<'_>, Nothing) -> Outcome| {
        Tool::new(name, name, "Call this to have a task made.", HARMLESS, handler)
    };
    vec![
        Tool::new(
            "greet",
            "greet",
            "Call this to be greeted at once.",
            HARMLESS,
            |_: &mut Context<'_>, Greet { name }| Ok(Answer::text(format!("Hello, {name}!"))),
        ),
        Tool::new("slow_compute", "slow_compute", "Call this to wait for long.", HARMLESS, compute),
        tool("failing_job", |context, Nothing {}| {
            context.require_task()?;
            context.pause(Duration::from_secs(1))?;
            Err(Refusal::new("other", "This job always fails."))
        }),
        tool("protocol_error_job", |context, Nothing {}| {
            context.become_task();
            // Nobody who calls this can be asked for it, which no tool can mend.
            context.ask("roots", Question::Roots).map(|roots| Answer::text(roots.to_string()))
        }),
        Tool::new("confirm_delete", "confirm_delete", "Call this to be asked by a task.", HARMLESS, delete),
        tool("multi_input", |context, Nothing {}| {
            context.become_task();
            let answers =
                context.ask_all(vec![("first", confirmation("first")), ("second", confirmation("second"))])?;
            Ok(Answer::text(format!("Both are there: {}", json!(answers))))
        }),
        tool("test_tool_with_task", |context, Nothing {}| {
            let answer = context.ask("user_name", name())?;
            context.require_task()?;
            Ok(Answer::text(format!("The task is for {}.", answer["content"]["name"].as_str().unwrap_or("nobody"))))
        }),
    ]
}

fn name() -> Question {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    Question::Form { message: "What is your name?".to_owned(), schema }
}

fn confirmation(what: &str) -> Question {
    let schema = json!({"type": "object", "properties": {"confirm": {"type": "boolean"}}, "required": ["confirm"]});
    Question::Form { message: format!("Is it right: {what}?"), schema }
}

fn compute(context: &mut Context<'_>, Compute { seconds, label }: Compute) -> Outcome {
    if seconds > 0 {
        context.become_task();
    }
    for done in 0..seconds {
        context.pause(Duration::from_secs(1))?;
        context.report(Progress { done: done + 1, total: seconds, message: "Computing" });
    }
    Ok(Answer::text(format!("Computed {label} in {seconds} s.")))
}

fn delete(context: &mut Context<'_>, Delete { filename }: Delete) -> Outcome {
    context.become_task();
    let answer = context.ask("confirm", confirmation(&filename))?;
    let done = answer["action"] == "accept" && answer["content"]["confirm"] == true;
    Ok(Answer::text(format!("{filename}: {}", if done { "deleted" } else { "kept" })))
}
