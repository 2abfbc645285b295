//! Reading what the toolsets of the image register: each is described by its class, checked, and compiled whole or left
//! out with the reason.

use super::call::handler;
use super::description::{Description, FeatureDescription, HintsDescription, ToolDescription};
use super::served::{ImageFeature, ImageToolset, ImageToolsets};
use super::{IMAGE, ImageChoice, LOOK_UP, LoadFailure, SERVER, WorkerNames};
use crate::tool::schema::Schema;
use crate::tool::served::ServedTool;
use crate::tool::{Hints, Tool, gem_handle};
use crate::toolsets::support::ask::ask_image;
use serde_json::{Value, json};
use smalltalk::Image;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

/// Longest name of a tool.
const NAME_BYTES_MAX: usize = 128;
/// Most toolsets of one image.
const TOOLSETS_MAX: usize = 200;

/// Loads the chosen toolsets of the image. What cannot be served is left out, and is among the failures.
pub(crate) fn load(
    image: &mut Image,
    choice: &ImageChoice,
    taken: &dyn WorkerNames,
) -> (ImageToolsets, Vec<LoadFailure>) {
    let deadline = Instant::now() + LOOK_UP;
    let was_clean = !image.has_uncommitted_changes();
    let (mut toolsets, mut failures) = (ImageToolsets { is_served: true, ..ImageToolsets::default() }, Vec::new());
    // Asked for in any case: it is what the image goes by to notice changes.
    let all: Vec<String> = match ask_image(image, deadline, SERVER, "_toolsets", &[]) {
        Ok(all) => all,
        Err(refusal) => {
            failures.push(LoadFailure {
                kind: "toolsetFailed",
                toolset: IMAGE.into(),
                text: refusal.text,
                is_named: true,
            });
            Vec::new()
        }
    };
    let named = choice.names.iter().map(|name| (name, true));
    let found = all.iter().filter(|name| choice.all && !choice.names.contains(name)).map(|name| (name, false));
    for (name, is_named) in named.chain(found).take(TOOLSETS_MAX) {
        let failure =
            |(kind, text): (&'static str, String)| LoadFailure { kind, toolset: name.clone(), text, is_named };
        match describe(image, deadline, name) {
            Ok((source, described)) => {
                let told = add(&mut toolsets, name, described, choice, taken);
                failures.extend(told.err().map(failure));
                toolsets.source.push((name.clone(), source));
            }
            Err(told) => failures.push(failure(told)),
        }
    }
    toolsets.failures = failures.iter().map(|failure| failure.text.clone()).collect();
    // What a toolset changed in order to register itself belongs to no call.
    if was_clean && image.has_uncommitted_changes() {
        image.revert();
    }
    (toolsets, failures)
}

fn describe(image: &mut Image, deadline: Instant, name: &str) -> Result<(String, Description), (&'static str, String)> {
    let failed = |text: String| ("toolsetFailed", cannot(name, &text));
    let source: String = ask_image(image, deadline, SERVER, "_describe:", &[name.into()]).map_err(|refusal| {
        let is_unknown = refusal.details.get("reason") == Some(&json!("unknownToolset"));
        if is_unknown { ("unknownToolset", refusal.text) } else { failed(refusal.text) }
    })?;
    let described =
        serde_json::from_str(&source).map_err(|error| failed(format!("what it says of itself: {error}")))?;
    Ok((source, described))
}

fn cannot(toolset: &str, why: &str) -> String {
    format!(
        "The toolset {toolset} of the image cannot be served: {why}. Mend it and commit, or leave it out of \
         GS_MCP_TOOLSETS."
    )
}

/// Adds a toolset, whole or not at all.
fn add(
    toolsets: &mut ImageToolsets,
    name: &str,
    described: Description,
    choice: &ImageChoice,
    taken: &dyn WorkerNames,
) -> Result<(), (&'static str, String)> {
    let Description { tools, safe, features, icon, group, instructions, is_advertised } = described;
    let mut served = Vec::new();
    for tool in tools {
        let other = taken.owner(&tool.name).or_else(|| toolsets.tools.get(&tool.name).map(|tool| tool.toolset()));
        if let Some(other) = other.or_else(|| gem_handle::is_own(&tool.name).then_some("the server itself")) {
            let text = format!(
                "The tool {} is served twice: by {other} and by {name} of the image. Rename one of them, or leave one \
                 of the toolsets out of GS_MCP_TOOLSETS.",
                tool.name
            );
            return Err(("duplicateTool", text));
        }
        let is_safe = safe.contains(&tool.name);
        let tool_name = tool.name.clone();
        let tool = served_tool(name, icon.as_deref(), group.as_deref(), tool, is_safe);
        let failed = |why: String| ("toolsetFailed", cannot(name, &format!("its tool {tool_name}: {why}")));
        served.push(Arc::new(tool.map_err(failed)?));
    }
    let is_dropped = choice.read_only && safe.is_empty();
    let mut own = Vec::new();
    for feature in features.into_iter().filter(|_| !is_dropped) {
        own.push(Arc::new(checked_feature(name, feature, taken, toolsets)?));
    }
    toolsets.tools.extend(served.into_iter().map(|tool| (tool.name().to_owned(), tool)));
    for feature in own {
        match feature.kind {
            "resource" => toolsets.resources.push(feature),
            "template" => toolsets.templates.push(feature),
            _ => toolsets.prompts.push(feature),
        }
    }
    toolsets.sets.push(ImageToolset { name: name.to_owned(), is_advertised, has_safe: !safe.is_empty(), instructions });
    Ok(())
}

fn checked_feature(
    toolset: &str,
    described: FeatureDescription,
    taken: &dyn WorkerNames,
    toolsets: &ImageToolsets,
) -> Result<ImageFeature, (&'static str, String)> {
    let FeatureDescription { kind, name, uri, description, mime_type, arguments } = described;
    let uri = uri.unwrap_or_default();
    let (kind, is_taken) = match kind.as_str() {
        "resource" => ("resource", taken.serves_resource(&uri) || toolsets.resources.iter().any(|one| one.uri == uri)),
        "template" => ("template", toolsets.templates.iter().any(|one| one.uri == uri)),
        _ => ("prompt", taken.serves_prompt(&name) || toolsets.prompts.iter().any(|one| one.name == name)),
    };
    if is_taken {
        let text = format!("The {kind} {name} of {toolset} is served by another toolset already.");
        return Err(("duplicateTool", text));
    }
    if kind != "prompt" && (uri.is_empty() || mime_type.is_none()) {
        return Err(("toolsetFailed", cannot(toolset, &format!("its {kind} {name} needs a URI and a media type"))));
    }
    let arguments = arguments.into_iter().map(|one| (one.name, one.description, one.required)).collect();
    let (toolset, mime_type) = (toolset.to_owned(), mime_type.unwrap_or_default());
    Ok(ImageFeature { kind, toolset, name, uri, description, mime_type, arguments })
}

fn served_tool(
    toolset: &str,
    icon: Option<&str>,
    group: Option<&str>,
    described: ToolDescription,
    is_safe: bool,
) -> Result<ServedTool, String> {
    let ToolDescription { name, title, description, input_schema, output_schema, hints, .. } = &described;
    let valid = |character: char| character.is_ascii_alphanumeric() || "_-.".contains(character);
    if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.chars().all(valid) {
        return Err(format!("a name has 1 to {NAME_BYTES_MAX} letters, digits, underscores, hyphens and points"));
    }
    let input = closed(input_schema.clone())?;
    let output = output_schema.clone().map(Schema::or_error).transpose()?;
    let validator = output.as_ref().map(jsonschema::draft202012::new).transpose().map_err(|error| error.to_string())?;
    let texts = [name.clone(), title.clone().unwrap_or_else(|| name.clone()), description.clone()].map(Cow::Owned);
    let HintsDescription { read_only, destructive, idempotent, open_world } = *hints;
    let handler = handler(toolset.to_owned(), name.clone(), validator);
    let mut tool = Tool::with_handler(texts, Hints { read_only, destructive, idempotent }, input, handler);
    tool.open_world = open_world;
    tool.output = output;
    tool.safe_in_read_only = is_safe;
    tool.keywords = described.keywords.into_iter().map(Cow::Owned).collect();
    tool.icon = described.icon;
    tool.group = described.group.or_else(|| group.map(str::to_owned));
    ServedTool::new(toolset, icon, tool).map_err(|error| format!("its schema does not compile: {error}"))
}

/// A schema of arguments must say all that is allowed.
fn closed(mut schema: Value) -> Result<Value, String> {
    let Some(members) = schema.as_object_mut() else { return Err("its inputSchema is no object".to_owned()) };
    if members.get("type") != Some(&json!("object")) {
        return Err("its inputSchema must have the type \"object\"".to_owned());
    }
    if *members.entry("additionalProperties").or_insert(json!(false)) != json!(false) {
        return Err("its inputSchema must be closed: additionalProperties false".to_owned());
    }
    members.entry("properties").or_insert_with(|| json!({}));
    Ok(schema)
}
