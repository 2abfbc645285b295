//! A tool that is served: its schema compiled, and what clients are told of it made ready, once, before any client is
//! there, since it is long and asked for often.
//!
//! Which tools a gem serves is not known here.

use super::answer::Outcome;
use super::context::Context;
use super::schema::Schema;
use super::{Hints, Tool, gem_handle};
use protocol::gem::Results;
use protocol::revision::{Era, REVISIONS, Revision};
use protocol::shape::{Place, fit};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::sync::Arc;

/// A tool, ready to be listed and called.
pub(crate) struct ServedTool {
    toolset: String,
    listing: Arc<ToolListing>,
    tool: Tool,
    schema: Schema,
    headers: Vec<(String, Vec<String>)>,
}

impl ServedTool {
    /// Of this toolset, with the toolset's icon. The error is why the schema does not compile.
    pub(crate) fn new(toolset: &str, icon: Option<&str>, tool: Tool) -> Result<Self, String> {
        let listing = Arc::new(ToolListing::of(&tool, icon));
        let schema = Schema::compile(&tool.input)?;
        let headers = headers(&tool.input);
        Ok(Self { toolset: toolset.to_owned(), listing, tool, schema, headers })
    }

    /// The tool's name.
    pub(crate) fn name(&self) -> &str {
        &self.tool.name
    }

    /// The toolset that it belongs to.
    pub(crate) fn toolset(&self) -> &str {
        &self.toolset
    }

    /// Whether a read-only session serves it.
    pub(crate) fn is_safe(&self) -> bool {
        self.tool.safe_in_read_only
    }

    /// The group in which it is found.
    pub(crate) fn group(&self) -> &str {
        self.tool.group.as_deref().unwrap_or(&self.toolset)
    }

    /// What clients are told of it.
    pub(crate) fn listing(&self) -> &Arc<ToolListing> {
        &self.listing
    }

    /// Words by which it may be found.
    pub(crate) fn keywords(&self) -> &[Cow<'static, str>] {
        &self.tool.keywords
    }

    /// The headers that repeat its arguments, in lower case, and where the arguments are.
    pub(crate) fn headers(&self) -> &[(String, Vec<String>)] {
        &self.headers
    }

    /// Checks the arguments, then runs it.
    pub(crate) fn call(&self, context: &mut Context<'_>, mut arguments: Map<String, Value>) -> Outcome {
        self.schema.check(&mut arguments)?;
        context.stone.set_tool(self.name());
        self.tool.call(context, arguments)
    }

    /// Whether structured content is as the tool says it is; a tool that says so must answer some.
    #[cfg(test)]
    pub(crate) fn check_answer(&self, structured: Option<&Value>) -> Result<(), String> {
        match (&self.tool.output, structured) {
            (None, _) => Ok(()),
            (Some(_), None) => Err("no structured content".to_owned()),
            (Some(output), Some(structured)) => jsonschema::draft202012::new(output)
                .map_err(|error| error.to_string())?
                .validate(structured)
                .map_err(|error| error.to_string()),
        }
    }
}

/// What clients are told of a tool. Made once, before any client is there, since it is long and asked for often.
#[derive(Debug)]
pub(crate) struct ToolListing {
    whole: Value,
    /// JSON, one for each of [`REVISIONS`].
    rendered: Vec<String>,
    /// The same for clients that get no structured content.
    rendered_for_content: Vec<String>,
}

impl ToolListing {
    fn of(tool: &Tool, icon: Option<&str>) -> Self {
        let whole = describe(tool, icon);
        let render = |tool: &Value| REVISIONS.iter().map(|revision| for_revision(tool, revision).to_string()).collect();
        let rendered = render(&whole);
        let mut plain = whole.clone();
        if let Some(members) = plain.as_object_mut() {
            members.remove("outputSchema");
        }
        let rendered_for_content = render(&plain);
        Self { whole, rendered, rendered_for_content }
    }

    /// As JSON for a client of this revision.
    pub(crate) fn json(&self, revision: &Revision, results: Results) -> &str {
        let index = REVISIONS.iter().position(|row| row.name == revision.name);
        let rendered = if results == Results::Content { &self.rendered_for_content } else { &self.rendered };
        index.map_or("{}", |index| &rendered[index])
    }

    /// All that any client is told.
    pub(crate) fn whole(&self) -> &Value {
        &self.whole
    }
}

/// What a client of this revision is told of a tool.
fn for_revision(tool: &Value, revision: &Revision) -> Value {
    let mut tool = tool.clone();
    fit(Place::Tool, &mut tool, revision);
    if revision.era == Era::Stateless {
        gem_handle::add_argument(&mut tool);
    }
    tool
}

/// The annotation by which a header repeats an argument.
const HEADER: &str = "x-mcp-header";

/// The headers that repeat arguments of this schema, in lower case, and where the arguments are.
fn headers(schema: &Value) -> Vec<(String, Vec<String>)> {
    let mut found = Vec::new();
    collect_headers(schema, &mut Vec::new(), &mut found);
    found
}

fn collect_headers(schema: &Value, path: &mut Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
    let Some(properties) = schema["properties"].as_object() else { return };
    for (name, property) in properties {
        path.push(name.clone());
        if let Some(header) = property[HEADER].as_str() {
            found.push((header.to_ascii_lowercase(), path.clone()));
        }
        collect_headers(property, path, found);
        path.pop();
    }
}

fn describe(tool: &Tool, icon: Option<&str>) -> Value {
    let Hints { read_only, destructive, idempotent } = tool.hints;
    let mut described = json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input,
        "annotations": {
            "title": tool.title,
            "readOnlyHint": read_only,
            "destructiveHint": destructive,
            "idempotentHint": idempotent,
            "openWorldHint": tool.open_world,
        },
    });
    if let Some(output) = &tool.output {
        described["outputSchema"] = output.clone();
    }
    if let Some(path) = tool.icon.as_deref().or(icon) {
        let image = format!(
            "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='{path}'/%3E%3C/svg%3E"
        );
        described["icons"] = json!([{"src": image, "mimeType": "image/svg+xml", "sizes": ["any"]}]);
    }
    described
}
