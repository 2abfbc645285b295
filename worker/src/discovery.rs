//! What a gem says of itself: `initialize`, `server/discover`, `ping` and all lists. An immutable snapshot, so that
//! both threads can answer from it while a tool runs: it never touches the image.

use crate::pages::{Page, page};
use crate::registry::Selection;
use crate::request::{Reply, Request};
use crate::tool::features::Topic;
use crate::tool::gem_handle;
use crate::tool::served::ToolListing;
use crate::toolsets::image::Identity;
use protocol::gem::{Prepare, Results};
use protocol::revision::{Era, REVISIONS, Revision, Served};
use protocol::shape::{Cache, Place, complete, fit};
use protocol::stateless::TASKS_KEY;
use serde_json::{Value, json};
use std::sync::Arc;

/// ServerInfo to a model once, at the start; then what the toolsets say.
const INSTRUCTIONS: &str = "You work in a live Smalltalk image, in a process and a transaction of your own. A tool that \
                            could not do its work says why; the session goes on.";
/// Said where it is so.
const READ_ONLY: &str = "This server is read-only: what you change, nobody else will see.";

/// How long a client may keep a list, in milliseconds: it is told of changes.
const LIST_MILLIS: u64 = 60_000;

/// What a gem says of itself, whatever it serves.
#[derive(Debug, Clone)]
pub(crate) struct ServerInfo {
    served: Served,
    name: String,
    version: String,
    title: Option<String>,
    instructions: Option<String>,
    read_only: bool,
    results: Results,
}

impl ServerInfo {
    /// What the router says, or, where there is one, what the image makes of it.
    pub(crate) fn new(prepare: &Prepare, identity: Option<Identity>) -> Self {
        let (name, version, title, instructions) = match identity {
            Some(identity) => (identity.name, identity.version, identity.title, identity.instructions),
            None => (prepare.server_name.clone(), prepare.server_version.clone(), prepare.title.clone(), None),
        };
        Self {
            served: Served::choose(&prepare.revisions).unwrap_or_default(),
            name: name.unwrap_or_else(|| "lapidary".to_owned()),
            version: version.unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned()),
            title,
            instructions,
            read_only: prepare.read_only,
            results: prepare.results,
        }
    }
}

/// The snapshot.
#[derive(Debug)]
pub(crate) struct Discovery {
    tools: Vec<Arc<ToolListing>>,
    lists: Vec<Lists>,
    topics: Vec<Topic>,
    completes: bool,
    server_info: ServerInfo,
    instructions: String,
}

/// What is served beside tools, as a revision knows it.
#[derive(Debug)]
struct Lists {
    resources: Vec<Value>,
    templates: Vec<Value>,
    prompts: Vec<Value>,
}

impl Discovery {
    /// For a gem that serves these tools.
    pub(crate) fn new(server_info: ServerInfo, selection: &Selection<'_>) -> Self {
        let lists = |revision| Lists {
            resources: selection.resources(revision),
            templates: selection.templates(revision),
            prompts: selection.prompts(revision),
        };
        Self {
            tools: selection.list(),
            lists: REVISIONS.iter().map(lists).collect(),
            topics: selection.topics(),
            completes: selection.completes(),
            instructions: instructions(selection, &server_info),
            server_info,
        }
    }

    /// The same gem, when it serves something else.
    pub(crate) fn renewed(&self, selection: &Selection<'_>) -> Self {
        Self::new(self.server_info.clone(), selection)
    }

    /// The kinds of list in which it differs from another.
    pub(crate) fn differences(&self, other: &Self) -> Vec<Topic> {
        let list = |discovery: &Self| discovery.tools.iter().map(|tool| tool.whole().clone()).collect::<Vec<_>>();
        let differs = |part: fn(&Lists) -> &Vec<Value>| {
            self.lists.iter().zip(&other.lists).any(|(one, other)| part(one) != part(other))
        };
        let mut topics = Vec::new();
        if list(self) != list(other) {
            topics.push(Topic::Tools);
        }
        if differs(|lists| &lists.prompts) {
            topics.push(Topic::Prompts);
        }
        if differs(|lists| &lists.resources) || differs(|lists| &lists.templates) {
            topics.push(Topic::Resources);
        }
        topics
    }

    /// The answer to a request that needs nothing but the snapshot; `None` for any other.
    pub(crate) fn answer(&self, request: &Request<'_>) -> Option<Reply> {
        let stateless = request.revision.era == Era::Stateless;
        let lists = self.lists(request.revision);
        match request.method {
            "initialize" if !stateless => Some(self.result(request, self.initialize(request.revision), Cache::Unsaid)),
            "ping" if !stateless => Some(self.result(request, json!({}), Cache::Unsaid)),
            "server/discover" if stateless => Some(self.result(request, self.discover(request.revision), KEPT)),
            "tools/list" => Some(self.list_tools(request)),
            "prompts/list" if self.has_prompts() => Some(self.list(request, "prompts", &lists.prompts)),
            "resources/list" if self.has_resources() => Some(self.list(request, "resources", &lists.resources)),
            "resources/templates/list" if self.has_resources() => {
                Some(self.list(request, "resourceTemplates", &lists.templates))
            }
            _ => None,
        }
    }

    fn lists(&self, revision: &Revision) -> &Lists {
        let place = REVISIONS.iter().position(|row| row.name == revision.name).unwrap_or_default();
        &self.lists[place]
    }

    fn has_prompts(&self) -> bool {
        !self.lists[0].prompts.is_empty()
    }

    /// Whether resources are served.
    pub(crate) fn has_resources(&self) -> bool {
        !(self.lists[0].resources.is_empty() && self.lists[0].templates.is_empty())
    }

    /// The kinds of change that may be told.
    pub(crate) fn topics(&self) -> &[Topic] {
        &self.topics
    }

    /// What the server says it is.
    pub(crate) fn server(&self, revision: &Revision) -> Value {
        let mut server = json!({"name": self.server_info.name, "version": self.server_info.version});
        if let Some(title) = &self.server_info.title {
            server["title"] = json!(title);
        }
        fit(Place::Implementation, &mut server, revision);
        server
    }

    fn capabilities(&self, revision: &Revision) -> Value {
        let told = |topic| self.topics.contains(&topic);
        let mut capabilities = json!({"tools": {"listChanged": told(Topic::Tools)}, "logging": {}});
        if self.has_resources() {
            capabilities["resources"] =
                json!({"subscribe": told(Topic::Updates), "listChanged": told(Topic::Resources)});
        }
        if self.has_prompts() {
            capabilities["prompts"] = json!({"listChanged": told(Topic::Prompts)});
        }
        if self.completes {
            capabilities["completions"] = json!({});
        }
        if revision.era == Era::Stateless
            && let Some(members) = capabilities.as_object_mut()
        {
            // What a client wants to hear of it says with each request.
            members.remove("logging");
            // Any call may become a task.
            members.insert("extensions".to_owned(), json!({ TASKS_KEY: {} }));
        }
        capabilities
    }

    fn initialize(&self, revision: &Revision) -> Value {
        json!({
            "protocolVersion": revision.name,
            "capabilities": self.capabilities(revision),
            "serverInfo": self.server(revision),
            "instructions": self.instructions,
        })
    }

    fn discover(&self, revision: &Revision) -> Value {
        json!({
            "supportedVersions": self.server_info.served.names_of(Era::Stateless),
            "capabilities": self.capabilities(revision),
            "instructions": format!("{}\n{}", self.instructions, gem_handle::INSTRUCTIONS),
        })
    }

    fn list_tools(&self, request: &Request<'_>) -> Reply {
        let mut tools: Vec<&str> =
            self.tools.iter().map(|tool| tool.json(request.revision, self.server_info.results)).collect();
        if request.revision.era == Era::Stateless {
            tools.extend(gem_handle::LISTED.iter().map(String::as_str));
        }
        let Page { range, next } = match page(request, "tools", tools.len()) {
            Ok(page) => page,
            Err(refusal) => return refusal,
        };
        let rest = next.map_or_else(|| json!({}), |next| json!({ "nextCursor": next }));
        let rest = self.completed(request, rest, KEPT);
        Reply::written(tools_body(request.id, &tools[range], &rest.to_string()))
    }

    fn list(&self, request: &Request<'_>, name: &str, all: &[Value]) -> Reply {
        let Page { range, next } = match page(request, name, all.len()) {
            Ok(page) => page,
            Err(refusal) => return refusal,
        };
        let mut result = json!({ name: all[range] });
        if let Some(next) = next {
            result["nextCursor"] = json!(next);
        }
        self.result(request, result, KEPT)
    }

    /// A result, completed as the revision of its request wants it.
    pub(crate) fn result(&self, request: &Request<'_>, value: Value, cache: Cache) -> Reply {
        Reply::result(request.id, self.completed(request, value, cache))
    }

    fn completed(&self, request: &Request<'_>, mut value: Value, cache: Cache) -> Value {
        if let Some(members) = value.as_object_mut() {
            complete(members, request.revision, &self.server(request.revision), cache);
        }
        value
    }
}

/// How to work here, in a few lines.
fn instructions(selection: &Selection<'_>, server_info: &ServerInfo) -> String {
    if let Some(instructions) = &server_info.instructions {
        return instructions.clone();
    }
    let mut lines = vec![INSTRUCTIONS];
    lines.extend(selection.instructions());
    if server_info.read_only {
        lines.push(READ_ONLY);
    }
    lines.join("\n")
}

/// For lists.
const KEPT: Cache = Cache::Private(LIST_MILLIS);

/// The response to `tools/list`. It is long and asked for often, so it is written once, from what is JSON already:
/// the tools, and an object with all other members.
fn tools_body(id: &str, tools: &[&str], rest: &str) -> String {
    let length: usize = tools.iter().map(|tool| tool.len() + 1).sum();
    let mut body = String::with_capacity(64 + id.len() + length + rest.len());
    body.push_str(r#"{"jsonrpc":"2.0","id":"#);
    body.push_str(id);
    body.push_str(r#","result":{"tools":["#);
    for (place, tool) in tools.iter().enumerate() {
        if place > 0 {
            body.push(',');
        }
        body.push_str(tool);
    }
    body.push(']');
    if rest != "{}" {
        body.push(',');
    }
    body.push_str(rest.strip_prefix('{').unwrap_or("}"));
    body.push('}');
    body
}
