//! The toolset `catalog`: finding tools by what they are for, reading about one, and calling it by name. With it a
//! large surface costs a client little: only what is advertised is listed, and everything that is served can be found.

use super::support::page::{Counts, Page};
use super::support::targets::Targets;
use crate::tool::directory::{NotServed, ToolDirectory};
use crate::tool::served::ServedTool;
use crate::tool::text::echo;
use crate::tool::{Answer, Context, Hints, Outcome, Refusal, Tool, Toolset, gem_handle};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

const NAME: &str = "catalog";
const LOOKING: Hints = Hints { read_only: true, destructive: false, idempotent: true };
/// What it calls may do anything.
const CALLING: Hints = Hints { read_only: false, destructive: true, idempotent: false };

/// Words of a query that count.
const WORDS_MAX: usize = 20;
/// Letters that a word must share with another to be taken for a form of it.
const STEM_LETTERS_MIN: usize = 4;

pub(super) struct Catalog;

impl Toolset for Catalog {
    fn name(&self) -> &'static str {
        NAME
    }

    fn is_served_by_default(&self) -> bool {
        false
    }

    fn instructions(&self) -> Option<&'static str> {
        Some(
            "There may be more tools than are listed: tool_search finds them by what they are for, tool_get tells all \
             about one, tool_call calls it.",
        )
    }

    fn icon(&self) -> Option<&'static str> {
        Some("M2 2h4v4H2zm0 7h4v4H2zm6-6h6v2H8zm0 7h6v2H8z")
    }

    fn tools(&self) -> Vec<Tool> {
        vec![call_tool(), get_tool(), search_tool()]
    }
}

fn search_tool() -> Tool {
    let description = "Call this to find the tool for what you want to do. Lines `name  [group]  what it is for`, the \
                       best match first; without a query all tools, by name.";
    Tool::new("tool_search", "Search tools", description, LOOKING, search).safe_in_read_only().answering::<Found>()
}

fn get_tool() -> Tool {
    let description = "Call this to learn all about a tool before you call it: its description, and its arguments as a \
                       JSON schema.";
    Tool::new("tool_get", "Get a tool", description, LOOKING, get).safe_in_read_only().answering_each::<Description>()
}

fn call_tool() -> Tool {
    let description = "Call this to call a tool that is not listed. Answers what that tool answers.";
    Tool::new("tool_call", "Call a tool", description, CALLING, call).safe_in_read_only()
}

#[derive(Deserialize, JsonSchema)]
struct Search {
    /// Words that say what the tool is for, such as `who calls a method`.
    #[schemars(length(max = 1000))]
    query: Option<String>,
    /// Only the tools of this group.
    group: Option<String>,
    #[serde(flatten)]
    page: Page,
}

#[derive(Deserialize, JsonSchema)]
struct Get {
    /// The name of a tool, or a list of names.
    name: Targets,
}

#[derive(Deserialize, JsonSchema)]
struct Call {
    /// The name of the tool.
    name: String,
    /// Its arguments, as tool_get tells them. Default: none.
    arguments: Option<Map<String, Value>>,
}

/// Tools that were found.
#[derive(Serialize, JsonSchema)]
struct Found {
    /// The tools of this page, the best match first.
    tools: Vec<Summary>,
    #[serde(flatten)]
    counts: Counts,
}

/// A tool in short.
#[derive(Serialize, JsonSchema)]
struct Summary {
    /// Its name.
    name: String,
    /// Its title.
    title: String,
    /// The group that it belongs to.
    group: String,
    /// When to call it.
    summary: String,
    /// Whether it is listed, and so can be called without tool_call.
    advertised: bool,
}

impl Summary {
    fn of(directory: &dyn ToolDirectory, tool: &ServedTool) -> Self {
        Self {
            name: tool.name().to_owned(),
            title: text(tool, "title"),
            group: tool.group().to_owned(),
            summary: first_sentence(&text(tool, "description")).to_owned(),
            advertised: directory.advertises(tool),
        }
    }

    fn line(&self) -> String {
        format!("{}  [{}]  {}", self.name, self.group, self.summary)
    }
}

fn text(tool: &ServedTool, member: &str) -> String {
    tool.listing().whole()[member].as_str().unwrap_or_default().to_owned()
}

fn first_sentence(description: &str) -> &str {
    description.find(". ").map_or(description, |end| &description[..=end])
}

/// What can be found: all that is served but the catalog itself.
fn tools(directory: &dyn ToolDirectory) -> impl Iterator<Item = Arc<ServedTool>> {
    directory.tools().into_iter().filter(|tool| tool.toolset() != NAME)
}

fn search(context: &mut Context<'_>, Search { query, group, page }: Search) -> Outcome {
    let directory = context.tools;
    let mut words = words(query.as_deref().unwrap_or_default());
    words.truncate(WORDS_MAX);
    let in_group = |tool: &Arc<ServedTool>| group.as_deref().is_none_or(|group| group == tool.group());
    let mut ranked: Vec<_> = tools(directory)
        .filter(in_group)
        .map(|tool| (rank(&words, &tool), tool))
        .filter(|(rank, _)| words.is_empty() || rank.0 > 0)
        .collect();
    // Stable: what is as good stays in the order of the names.
    ranked.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    let shown = page.of(ranked.iter().map(|(_, tool)| Summary::of(directory, tool)).collect());
    let text = shown.lines(Summary::line);
    Ok(Answer::of(text, &Found { tools: shown.items, counts: shown.counts }))
}

/// Words in lower case, without those that say nothing about a tool.
fn words(text: &str) -> Vec<String> {
    const EMPTY: &[&str] = &["a", "an", "and", "are", "for", "in", "is", "it", "of", "on", "or", "the", "this", "to"];
    let parts = text.split(|character: char| !character.is_alphanumeric());
    parts.map(str::to_lowercase).filter(|word| !word.is_empty() && !EMPTY.contains(&word.as_str())).collect()
}

/// How many words of a query fit a tool, and how well.
fn rank(query: &[String], tool: &ServedTool) -> (usize, usize) {
    let fields = [
        (8, words(tool.name())),
        (6, tool.keywords().iter().flat_map(|keyword| words(keyword)).collect()),
        (4, words(&text(tool, "title"))),
        (3, words(tool.group())),
        (1, words(&text(tool, "description"))),
    ];
    let mut rank = (0, 0);
    for word in query {
        let best = fields.iter().flat_map(|(weight, known)| known.iter().map(move |known| weight * fits(word, known)));
        let best = best.max().unwrap_or(0);
        rank.0 += usize::from(best > 0);
        rank.1 += best;
    }
    rank
}

/// 2 if two words are the same, 1 if one may be a form of the other.
fn fits(word: &str, known: &str) -> usize {
    let shorter = word.chars().count().min(known.chars().count());
    match word == known {
        true => 2,
        false if shorter >= STEM_LETTERS_MIN && (word.starts_with(known) || known.starts_with(word)) => 1,
        false => 0,
    }
}

/// All about a tool.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Description {
    #[serde(flatten)]
    summary: Summary,
    /// What it does, in full.
    description: String,
    /// Other words by which it is found.
    keywords: Vec<String>,
    /// The JSON schema of its arguments.
    input_schema: Value,
    /// The JSON schema of its structured answers, if it has any.
    #[serde(skip_serializing_if = "Value::is_null")]
    output_schema: Value,
    /// What it may do to the image.
    annotations: Value,
    /// How many items it shows at most in one answer unless told otherwise; absent if it does not page.
    #[serde(skip_serializing_if = "Option::is_none")]
    page_size: Option<u64>,
}

fn get(context: &mut Context<'_>, Get { name }: Get) -> Outcome {
    let directory = context.tools;
    name.each(|name| {
        let tool = find(directory, name)?;
        let whole = tool.listing().whole();
        let input_schema = whole["inputSchema"].clone();
        let description = Description {
            summary: Summary::of(directory, &tool),
            description: text(&tool, "description"),
            keywords: tool.keywords().iter().map(ToString::to_string).collect(),
            page_size: input_schema["properties"]["limit"]["default"].as_u64(),
            input_schema,
            output_schema: whole["outputSchema"].clone(),
            annotations: whole["annotations"].clone(),
        };
        let mut told = format!("{name}  [{}]\n{}\n", description.summary.group, description.description);
        if let Some(size) = description.page_size {
            told.push_str(&format!("pageSize: {size}\n"));
        }
        told.push_str(&format!("inputSchema: {}", description.input_schema));
        Ok(Answer::of(told, &description))
    })
}

fn find(directory: &dyn ToolDirectory, name: &str) -> Result<Arc<ServedTool>, Refusal> {
    match directory.find(name) {
        Ok(tool) if tool.toolset() == NAME => {
            let text = format!("{name} belongs to the catalog itself, and is called without it");
            Err(Refusal::new("invalidParams", text))
        }
        Ok(tool) => Ok(tool),
        Err(NotServed::ReadOnly) => {
            Err(Refusal::new("readOnly", format!("'{name}' is not available: the server is read-only")))
        }
        Err(NotServed::Unknown) => {
            let name = echo(name);
            Err(Refusal::new("notFound", format!("Unknown tool: {name}. tool_search finds those that there are.")))
        }
    }
}

fn call(context: &mut Context<'_>, Call { name, arguments }: Call) -> Outcome {
    let tool = find(context.tools, &name)?;
    if context.is_ephemeral && gem_handle::needs_one(&name) {
        return Err(gem_handle::none_given(&name));
    }
    tool.call(context, arguments.unwrap_or_default())
}
