//! A worker with one more toolset: the fixtures that the official conformance suite of MCP asks for. It is built on the
//! worker's public interface only, so it shows as well that a toolset of somebody else can do all of it.

#![forbid(unsafe_code)]

mod content;
mod crowd;
mod jobs;
mod offers;
mod questions;
mod steps;

use std::process::ExitCode;
use worker::{Answer, Change, Context, Hints, Outcome, Prompt, Resource, Template, Tool, Toolset, Topic};

/// Tools of these change nothing.
const HARMLESS: Hints = Hints { read_only: true, destructive: false, idempotent: true };

struct Conformance;

impl Toolset for Conformance {
    fn name(&self) -> &'static str {
        "conformance"
    }

    fn tools(&self) -> Vec<Tool> {
        let mut tools = content::tools();
        tools.extend(questions::tools());
        tools.push(steps::tool());
        tools.extend(jobs::tools());
        tools.push(trigger("test_trigger_tool_change", |context, Nothing {}| {
            context.announce(Change::Tools);
            Ok(Answer::text("Told."))
        }));
        tools.push(trigger("test_trigger_prompt_change", |context, Nothing {}| {
            context.announce(Change::Prompts);
            Ok(Answer::text("Told."))
        }));
        tools.push(trigger("test_trigger_resource_change", |context, Nothing {}| {
            context.announce(Change::Resources);
            context.announce(Change::Resource(offers::WATCHED));
            Ok(Answer::text("Told."))
        }));
        tools
    }

    fn resources(&self) -> Vec<Resource> {
        offers::resources()
    }

    fn templates(&self) -> Vec<Template> {
        offers::templates()
    }

    fn prompts(&self) -> Vec<Prompt> {
        offers::prompts()
    }

    fn topics(&self) -> &'static [Topic] {
        &[Topic::Tools, Topic::Prompts, Topic::Resources, Topic::Updates]
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

/// A tool that has changes told.
fn trigger(name: &'static str, handler: fn(&mut Context<'_>, Nothing) -> Outcome) -> Tool {
    Tool::new(name, name, "Call this to have the change of a list told.", HARMLESS, handler)
}

fn main() -> ExitCode {
    let mut toolsets = worker::standard_toolsets();
    toolsets.push(Box::new(Conformance));
    toolsets.push(Box::new(crowd::Crowd));
    worker::run(toolsets)
}
