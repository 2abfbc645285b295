//! Toolsets that are classes of the image: finding them, reading what they register, calling them.
//!
//! Nothing that their code does reaches further than a refusal: each is asked by itself, within a time.

use super::support::ask::ask_image;
use crate::arguments::Schema;
use crate::features::Content;
use crate::gems;
use crate::registry::{Entry, IMAGE, Selection};
use crate::surface::{Offer, Set, Surface};
use crate::tool::{Answer, Context, Handler, Hints, Outcome, Refusal, Tool};
use jsonschema::Validator;
use protocol::limits::FRAME_BYTES_MAX;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use smalltalk::Image;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The class of the image that answers for its toolsets.
const SERVER: &str = "McpServer";
/// Time to look at all toolsets.
const LOOK_UP: Duration = Duration::from_secs(5);
/// Longest name of a tool.
const NAME_BYTES_MAX: usize = 128;
/// Most toolsets of one image.
const TOOLSETS_MAX: usize = 200;

/// Which toolsets of the image a gem serves.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wiring {
    /// Those that are named.
    pub(crate) names: Vec<String>,
    /// Whether all of them are.
    pub(crate) all: bool,
    /// Whether only what is declared safe is served.
    pub(crate) read_only: bool,
}

/// Why toolsets cannot be served.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// A word for programs.
    pub(crate) kind: &'static str,
    /// The toolset that it concerns.
    pub(crate) toolset: String,
    /// What to fix.
    pub(crate) text: String,
    /// Whether the toolset was named, and so has to be there.
    pub(crate) is_named: bool,
}

/// What a toolset says of itself.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Description {
    tools: Vec<ToolDescription>,
    safe: Vec<String>,
    offers: Vec<OfferDescription>,
    icon: Option<String>,
    group: Option<String>,
    instructions: Option<String>,
    is_advertised: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolDescription {
    name: String,
    title: Option<String>,
    description: String,
    input_schema: Value,
    output_schema: Option<Value>,
    hints: HintsDescription,
    keywords: Vec<String>,
    icon: Option<String>,
    group: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HintsDescription {
    read_only: bool,
    destructive: bool,
    idempotent: bool,
    open_world: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OfferDescription {
    kind: String,
    name: String,
    uri: Option<String>,
    description: String,
    mime_type: Option<String>,
    arguments: Vec<ArgumentDescription>,
}

#[derive(Debug, Deserialize)]
struct ArgumentDescription {
    name: String,
    description: String,
    required: bool,
}

/// Looks at the toolsets of the image. What cannot be served is left out, and told among the faults.
pub(crate) fn look(image: &mut Image, wiring: &Wiring, selection: &Selection<'_>) -> (Surface, Vec<Fault>) {
    let deadline = Instant::now() + LOOK_UP;
    let was_clean = !image.has_uncommitted_changes();
    let (mut surface, mut faults) = (Surface { is_served: true, ..Surface::default() }, Vec::new());
    // Asked for in any case: it is what the image goes by to notice changes.
    let all: Vec<String> = match ask_image(image, deadline, SERVER, "_toolsets", &[]) {
        Ok(all) => all,
        Err(refusal) => {
            faults.push(Fault { kind: "toolsetFailed", toolset: IMAGE.into(), text: refusal.text, is_named: true });
            Vec::new()
        }
    };
    let named = wiring.names.iter().map(|name| (name, true));
    let found = all.iter().filter(|name| wiring.all && !wiring.names.contains(name)).map(|name| (name, false));
    for (name, is_named) in named.chain(found).take(TOOLSETS_MAX) {
        let fault = |(kind, text): (&'static str, String)| Fault { kind, toolset: name.clone(), text, is_named };
        match describe(image, deadline, name) {
            Ok((source, described)) => {
                let told = add(&mut surface, name, described, wiring, selection);
                faults.extend(told.err().map(fault));
                surface.source.push((name.clone(), source));
            }
            Err(told) => faults.push(fault(told)),
        }
    }
    surface.faults = faults.iter().map(|fault| fault.text.clone()).collect();
    // What a toolset changed in order to register itself is nobody's work.
    if was_clean && image.has_uncommitted_changes() {
        image.revert();
    }
    (surface, faults)
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
    surface: &mut Surface,
    name: &str,
    described: Description,
    wiring: &Wiring,
    selection: &Selection<'_>,
) -> Result<(), (&'static str, String)> {
    let Description { tools, safe, offers, icon, group, instructions, is_advertised } = described;
    let mut entries = Vec::new();
    for tool in tools {
        let other = selection.owner(&tool.name).or_else(|| surface.tools.get(&tool.name).map(|entry| entry.toolset()));
        if let Some(other) = other.or_else(|| gems::is_own(&tool.name).then_some("the server itself")) {
            let text = format!(
                "The tool {} is served twice: by {other} and by {name} of the image. Rename one of them, or leave one \
                 of the toolsets out of GS_MCP_TOOLSETS.",
                tool.name
            );
            return Err(("duplicateTool", text));
        }
        let is_safe = safe.contains(&tool.name);
        let tool_name = tool.name.clone();
        let entry = entry(name, icon.as_deref(), group.as_deref(), tool, is_safe);
        let failed = |why: String| ("toolsetFailed", cannot(name, &format!("its tool {tool_name}: {why}")));
        entries.push(Arc::new(entry.map_err(failed)?));
    }
    let is_dropped = wiring.read_only && safe.is_empty();
    let mut own = Vec::new();
    for offer in offers.into_iter().filter(|_| !is_dropped) {
        own.push(Arc::new(checked_offer(name, offer, selection, surface)?));
    }
    surface.tools.extend(entries.into_iter().map(|entry| (entry.name().to_owned(), entry)));
    for offer in own {
        match offer.kind {
            "resource" => surface.resources.push(offer),
            "template" => surface.templates.push(offer),
            _ => surface.prompts.push(offer),
        }
    }
    surface.sets.push(Set { name: name.to_owned(), is_advertised, has_safe: !safe.is_empty(), instructions });
    Ok(())
}

fn checked_offer(
    toolset: &str,
    described: OfferDescription,
    selection: &Selection<'_>,
    surface: &Surface,
) -> Result<Offer, (&'static str, String)> {
    let OfferDescription { kind, name, uri, description, mime_type, arguments } = described;
    let uri = uri.unwrap_or_default();
    let (kind, is_taken) = match kind.as_str() {
        "resource" => {
            ("resource", selection.reader(&uri).is_some() || surface.resources.iter().any(|one| one.uri == uri))
        }
        "template" => ("template", surface.templates.iter().any(|one| one.uri == uri)),
        _ => ("prompt", selection.prompt(&name).is_some() || surface.prompts.iter().any(|one| one.name == name)),
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
    Ok(Offer { kind, toolset, name, uri, description, mime_type, arguments })
}

fn entry(
    toolset: &str,
    icon: Option<&str>,
    group: Option<&str>,
    described: ToolDescription,
    is_safe: bool,
) -> Result<Entry, String> {
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
    Entry::new(toolset, icon, tool).map_err(|error| format!("its schema does not compile: {error}"))
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

fn handler(toolset: String, name: String, output: Option<Validator>) -> Handler {
    Box::new(move |context, arguments| {
        let arguments = Value::Object(arguments).to_string();
        let selectors = [name.as_str().into(), toolset.as_str().into(), arguments.as_str().into()];
        let (text, data): (String, Option<String>) =
            ask_image(context.image, context.deadline, SERVER, "_call:of:with:", &selectors)?;
        answer(&name, text, data.as_deref(), output.as_ref())
    })
}

fn answer(name: &str, text: String, data: Option<&str>, output: Option<&Validator>) -> Outcome {
    let misfit = |why: String| Refusal::new("other", format!("The tool {name} answered data that {why}"));
    let Some(data) = data else {
        return match output {
            Some(_) => Err(Refusal::new("other", format!("The tool {name} has an outputSchema and answered no data"))),
            None => Ok(Answer::text(text)),
        };
    };
    if data.len() > FRAME_BYTES_MAX {
        return Err(Refusal::new("tooLarge", format!("The tool {name} answered {} bytes of data", data.len())));
    }
    let data: Value = serde_json::from_str(data).map_err(|error| misfit(format!("are no JSON: {error}")))?;
    if !data.is_object() {
        return Err(misfit("are no object; a Dictionary with Strings as keys is one".to_owned()));
    }
    if let Some(Err(error)) = output.map(|output| output.validate(&data)) {
        return Err(misfit(format!("do not fit its outputSchema: {}", error.masked())));
    }
    Ok(Answer::text(text).with_data(data))
}

/// The contents of a resource, as JSON.
pub(crate) fn read(context: &mut Context<'_>, offer: &Offer, uri: &str) -> Result<Option<Vec<Value>>, Refusal> {
    let names = [offer.name.as_str().into(), offer.kind.into(), offer.toolset.as_str().into(), uri.into()];
    let (text, bytes): (Option<String>, Option<String>) =
        ask_image(context.image, context.deadline, SERVER, "_read:ofKind:of:uri:", &names)?;
    let mut contents = json!({"uri": uri, "mimeType": offer.mime_type});
    match (text, bytes) {
        (Some(text), _) => contents["text"] = Value::from(text),
        (None, Some(bytes)) => contents["blob"] = Value::from(bytes),
        (None, None) => return Ok(None),
    }
    Ok(Some(vec![contents]))
}

/// The messages of a prompt.
pub(crate) fn get_prompt(
    context: &mut Context<'_>,
    offer: &Offer,
    arguments: &Map<String, Value>,
) -> Result<Vec<Content>, Refusal> {
    let arguments = Value::Object(arguments.clone()).to_string();
    let names = [offer.name.as_str().into(), offer.toolset.as_str().into(), arguments.as_str().into()];
    let texts: Vec<String> = ask_image(context.image, context.deadline, SERVER, "_prompt:of:with:", &names)?;
    Ok(texts.into_iter().map(Content::Text).collect())
}

/// What the server of the image says of itself.
#[derive(Debug, Deserialize)]
pub(crate) struct Identity {
    /// `serverInfo.name`, if it says one.
    pub(crate) name: Option<String>,
    /// `serverInfo.version`, if it says one.
    pub(crate) version: Option<String>,
    /// `serverInfo.title`, if there is one.
    pub(crate) title: Option<String>,
    /// What a model is told at the start, if it says so.
    pub(crate) instructions: Option<String>,
    /// The toolsets to serve.
    pub(crate) toolsets: Vec<String>,
}

/// Makes the server of this session in the image.
pub(crate) fn open_server(image: &mut Image, class: Option<&str>, settings: &Value) -> Result<Identity, Refusal> {
    let deadline = Instant::now() + LOOK_UP;
    let arguments = [class.into(), settings.to_string().as_str().into()];
    let was_clean = !image.has_uncommitted_changes();
    let told: Result<String, Refusal> = ask_image(image, deadline, SERVER, "_open:with:", &arguments);
    if was_clean && image.has_uncommitted_changes() {
        image.revert();
    }
    let identity = serde_json::from_str(&told?);
    identity.map_err(|error| Refusal::new("other", format!("the server of the image says of itself: {error}")))
}

/// The names of all toolsets of the image.
pub(crate) fn names(image: &mut Image) -> Vec<String> {
    let deadline = Instant::now() + LOOK_UP;
    ask_image(image, deadline, SERVER, "_toolsets", &[]).unwrap_or_default()
}
