//! All tools that a worker can serve, and the choice of them that one gem does.
//!
//! Made once, before any client is there. In a read-only session only what is declared safe is served.

use crate::arguments::Schema;
use crate::features::{Prompt, Resource, Template, Topic};
use crate::gems;
use crate::surface::{Offer, Prompting, Reading, Surface};
use crate::tool::{Context, Hints, Outcome, Tool, Toolset};
use protocol::gem::Results;
use protocol::revision::{Era, REVISIONS, Revision};
use protocol::shape::{Place, fit};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};
use thiserror::Error;

/// The toolsets of this worker cannot be served together: a fault of whoever built it.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RegistryError {
    /// Two have the same name.
    #[error("two toolsets are named {0}")]
    Toolset(String),
    /// Two tools have the same name.
    #[error("two tools are named {0}")]
    Tool(String),
    /// A schema does not compile.
    #[error("the schema of {tool} does not compile: {reason}")]
    Schema {
        /// Whose.
        tool: String,
        /// Why.
        reason: String,
    },
}

/// A choice that names what is not there.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ChoiceError {
    /// No toolset has such a name.
    #[error("Unknown toolset(s): {}. Available: {DEFAULT} (what is served without a choice), {}", .unknown.join(", "),
        .available.join(", "))]
    Unknown {
        /// What was named.
        unknown: Vec<String>,
        /// What there is.
        available: Vec<&'static str>,
    },
    /// Nothing can be advertised that is not served.
    #[error("Toolset(s) to be advertised that are not served: {}. Served: {}", .unserved.join(", "), .served.join(", "))]
    NotServed {
        /// What was named.
        unserved: Vec<String>,
        /// What is served.
        served: Vec<&'static str>,
    },
}

/// Stands for all toolsets that are served without a choice.
pub(crate) const DEFAULT: &str = "default";

/// Stands for all toolsets of the image.
pub(crate) const IMAGE: &str = "image";

/// What an operator chooses.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Choice<'c> {
    /// Toolsets to serve; empty for the default ones.
    pub(crate) toolsets: &'c [String],
    /// Those of them that are toolsets of the image.
    pub(crate) of_image: &'c [String],
    /// Those of them whose tools are listed; empty for what each says of itself.
    pub(crate) advertised: &'c [String],
    /// Whether only what is declared safe is served.
    pub(crate) read_only: bool,
}

/// What is known of a toolset once its tools are taken.
struct Set {
    name: &'static str,
    by_default: bool,
    advertised: bool,
    instructions: Option<&'static str>,
}

/// A tool that is on offer, ready to be listed and called.
pub(crate) struct Entry {
    toolset: String,
    listed: Arc<Listed>,
    tool: Tool,
    schema: Schema,
    headers: Vec<(String, Vec<String>)>,
}

impl Entry {
    /// Why not is why the schema does not compile.
    pub(crate) fn new(toolset: &str, icon: Option<&str>, tool: Tool) -> Result<Self, String> {
        let listed = Arc::new(Listed::of(&tool, icon));
        let schema = Schema::compile(&tool.input)?;
        let headers = headers(&tool.input);
        Ok(Self { toolset: toolset.to_owned(), listed, tool, schema, headers })
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
}

/// What clients are told of a tool. Made once, before any client is there, since it is long and asked for often.
#[derive(Debug)]
pub(crate) struct Listed {
    whole: Value,
    /// JSON, one for each of [`REVISIONS`].
    rendered: Vec<String>,
    /// The same for clients that get no structured content.
    rendered_for_content: Vec<String>,
}

impl Listed {
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

/// All tools, by name, with their schemas compiled, and what is served beside them.
#[derive(Default)]
pub struct Registry {
    toolsets: Vec<Set>,
    tools: BTreeMap<String, Arc<Entry>>,
    resources: Vec<(&'static str, Resource)>,
    templates: Vec<(&'static str, Template)>,
    prompts: Vec<(&'static str, Prompt)>,
    topics: Vec<(&'static str, Topic)>,
}

impl Registry {
    /// Takes the tools of these toolsets.
    pub fn new(toolsets: Vec<Box<dyn Toolset>>) -> Result<Self, RegistryError> {
        LazyLock::force(&gems::LISTED);
        let mut registry = Self::default();
        for toolset in toolsets {
            registry.add(&*toolset)?;
        }
        Ok(registry)
    }

    fn add(&mut self, toolset: &dyn Toolset) -> Result<(), RegistryError> {
        let name = toolset.name();
        if [DEFAULT, IMAGE].contains(&name) || self.toolsets.iter().any(|set| set.name == name) {
            return Err(RegistryError::Toolset(name.to_owned()));
        }
        self.toolsets.push(Set {
            name,
            by_default: toolset.is_served_by_default(),
            advertised: toolset.is_advertised(),
            instructions: toolset.instructions(),
        });
        let icon = toolset.icon();
        for tool in toolset.tools() {
            let tool_name = tool.name.clone().into_owned();
            let entry = Entry::new(name, icon, tool)
                .map_err(|reason| RegistryError::Schema { tool: tool_name.clone(), reason })?;
            if self.tools.insert(tool_name.clone(), Arc::new(entry)).is_some() || gems::is_own(&tool_name) {
                return Err(RegistryError::Tool(tool_name));
            }
        }
        self.resources.extend(toolset.resources().into_iter().map(|resource| (name, resource)));
        self.templates.extend(toolset.templates().into_iter().map(|template| (name, template)));
        self.prompts.extend(toolset.prompts().into_iter().map(|prompt| (name, prompt)));
        self.topics.extend(toolset.topics().iter().map(|topic| (name, *topic)));
        Ok(())
    }

    /// What clients are told of each tool, and whether it is safe in a read-only session, toolset by toolset.
    pub(crate) fn by_toolset(&self) -> Vec<(&'static str, Vec<(Value, bool)>)> {
        let mut toolsets: Vec<&str> = self.toolsets.iter().map(|set| set.name).collect();
        toolsets.sort_unstable();
        let tools = |toolset: &str| {
            let entries = self.tools.values().filter(|entry| entry.toolset() == toolset);
            entries.map(|entry| (entry.listed.whole.clone(), entry.tool.safe_in_read_only)).collect()
        };
        toolsets.into_iter().map(|toolset| (toolset, tools(toolset))).collect()
    }

    /// What may be chosen without an image.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.toolsets.iter().map(|set| set.name.to_owned());
        std::iter::once(format!("{DEFAULT} (what is served without a choice)")).chain(names).collect()
    }

    /// Whether a toolset is served where nobody chose.
    pub(crate) fn serves_by_default(&self, toolset: &str) -> bool {
        self.toolsets.iter().any(|set| set.name == toolset && set.by_default)
    }

    /// What a gem serves by this choice.
    pub(crate) fn select(&self, choice: &Choice<'_>) -> Result<Selection<'_>, ChoiceError> {
        let Choice { toolsets: names, of_image, advertised, read_only } = *choice;
        let is_known = |name: &String| self.knows(name) || of_image.contains(name);
        let unknown: Vec<String> = names.iter().filter(|name| !is_known(name)).cloned().collect();
        if !unknown.is_empty() {
            return Err(ChoiceError::Unknown {
                unknown,
                available: self.toolsets.iter().map(|set| set.name).collect(),
            });
        }
        let by_default = names.is_empty() || names.iter().any(|name| name == DEFAULT);
        let is_chosen = |set: &&Set| by_default && set.by_default || names.iter().any(|name| name == set.name);
        let chosen: Vec<&Set> = self.toolsets.iter().filter(is_chosen).collect();
        let toolsets: Vec<&'static str> = chosen.iter().map(|set| set.name).collect();
        let unserved = advertised.iter().filter(|name| !toolsets.contains(&name.as_str()) && !of_image.contains(name));
        let unserved: Vec<String> = unserved.cloned().collect();
        if !unserved.is_empty() {
            return Err(ChoiceError::NotServed { unserved, served: toolsets });
        }
        let is_advertised = |set: &Set| {
            if advertised.is_empty() { set.advertised } else { advertised.iter().any(|name| name == set.name) }
        };
        let image = Surface::default();
        let advertised_of_image = advertised.to_vec();
        let advertised = chosen.iter().filter(|set| is_advertised(set)).map(|set| set.name).collect();
        let is_safe = |name: &str| self.tools.values().any(|entry| entry.toolset() == name && entry.is_safe());
        let served = toolsets.iter().copied().filter(|name| !read_only || is_safe(name)).collect();
        Ok(Selection { registry: self, toolsets, served, advertised, advertised_of_image, read_only, image })
    }

    /// Whether a name stands for something that this worker has without an image.
    pub(crate) fn knows(&self, name: &str) -> bool {
        name == DEFAULT || self.toolsets.iter().any(|set| set.name == name)
    }
}

/// What one gem serves.
pub(crate) struct Selection<'r> {
    registry: &'r Registry,
    /// What was chosen.
    toolsets: Vec<&'static str>,
    /// What is left of that: in a read-only session, a toolset in which nothing is declared safe is dropped whole.
    served: Vec<&'static str>,
    advertised: Vec<&'static str>,
    /// What is to be advertised, where that was said.
    advertised_of_image: Vec<String>,
    read_only: bool,
    /// What the image adds.
    image: Surface,
}

/// A tool that may be called.
pub(crate) struct Served {
    entry: Arc<Entry>,
}

/// Why a tool may not be called.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotServed {
    /// There is none of this name.
    Unknown,
    /// It is not declared safe, and the session is read-only.
    ReadOnly,
}

impl<'r> Selection<'r> {
    /// The names of the toolsets that are served.
    pub(crate) fn served(&self) -> &[&'static str] {
        &self.served
    }

    /// What a model is told of them.
    pub(crate) fn instructions(&self) -> impl Iterator<Item = &str> {
        let sets = self.registry.toolsets.iter().filter(|set| self.served.contains(&set.name));
        sets.filter_map(|set| set.instructions).chain(self.image.instructions(self.read_only))
    }

    /// What the image adds from now on.
    pub(crate) fn set_image(&mut self, image: Surface) {
        self.image = image;
    }

    /// What the image adds.
    pub(crate) fn image(&self) -> &Surface {
        &self.image
    }

    /// The toolset of the worker that serves a tool of this name.
    pub(crate) fn owner(&self, tool: &str) -> Option<&str> {
        self.of_worker(tool).map(|entry| entry.toolset())
    }

    fn of_worker(&self, tool: &str) -> Option<&'r Arc<Entry>> {
        self.registry.tools.get(tool).filter(|entry| self.toolsets.contains(&entry.toolset()))
    }

    /// The tool of this name.
    pub(crate) fn find(&self, name: &str) -> Result<Served, NotServed> {
        match self.of_worker(name).or_else(|| self.image.tools.get(name)) {
            None => Err(NotServed::Unknown),
            Some(entry) if self.read_only && !entry.tool.safe_in_read_only => Err(NotServed::ReadOnly),
            Some(entry) => Ok(Served { entry: Arc::clone(entry) }),
        }
    }

    /// All tools that may be called, in the order of their names.
    pub(crate) fn tools(&self) -> impl Iterator<Item = Served> {
        let names: BTreeSet<&String> = self.registry.tools.keys().chain(self.image.tools.keys()).collect();
        names.into_iter().filter_map(|name| self.find(name).ok())
    }

    /// Whether `tools/list` says it.
    pub(crate) fn advertises(&self, tool: &Served) -> bool {
        self.advertised.contains(&tool.toolset()) || self.image.advertises(tool.toolset(), &self.advertised_of_image)
    }

    /// What `tools/list` says, in the order of the tools' names.
    pub(crate) fn list(&self) -> Vec<Arc<Listed>> {
        let advertised = self.tools().filter(|tool| self.advertises(tool));
        advertised.map(|tool| Arc::clone(&tool.entry.listed)).collect()
    }
}

impl<'r> Selection<'r> {
    fn chosen<T>(&self, all: &'r [(&'static str, T)]) -> impl Iterator<Item = &'r T> {
        all.iter().filter(|(toolset, _)| self.served.contains(toolset)).map(|(_, thing)| thing)
    }

    /// The resources.
    pub(crate) fn resources(&self, revision: &Revision) -> Vec<Value> {
        let own = self.chosen(&self.registry.resources).map(Resource::describe);
        fitted(own.chain(self.image.resources.iter().map(Offer::describe)), revision)
    }

    /// The templates of resources.
    pub(crate) fn templates(&self, revision: &Revision) -> Vec<Value> {
        let own = self.chosen(&self.registry.templates).map(Template::describe);
        fitted(own.chain(self.image.templates.iter().map(Offer::describe)), revision)
    }

    /// The prompts.
    pub(crate) fn prompts(&self, revision: &Revision) -> Vec<Value> {
        let own = self.chosen(&self.registry.prompts).map(Prompt::describe);
        fitted(own.chain(self.image.prompts.iter().map(Offer::describe)), revision)
    }

    /// The kinds of change that may be told, each once.
    pub(crate) fn topics(&self) -> Vec<Topic> {
        let mut topics = Vec::new();
        let of_image: &[Topic] =
            if self.image.is_served { &[Topic::Tools, Topic::Prompts, Topic::Resources] } else { &[] };
        for topic in self.chosen(&self.registry.topics).chain(of_image) {
            if !topics.contains(topic) {
                topics.push(*topic);
            }
        }
        topics
    }

    /// Who reads the resource of this URI.
    pub(crate) fn reader(&self, uri: &str) -> Option<Reading> {
        let resource = self.chosen(&self.registry.resources).find(|resource| resource.uri == uri);
        let template = || self.chosen(&self.registry.templates).find(|template| uri.starts_with(template.prefix));
        let own = resource.map(|resource| resource.read).or_else(|| template().map(|template| template.read));
        own.map(Reading::Worker).or_else(|| self.image.reader(uri).map(Reading::Image))
    }

    /// Whether arguments of prompts can be completed.
    pub(crate) fn completes(&self) -> bool {
        self.chosen(&self.registry.prompts).any(|prompt| prompt.complete.is_some())
    }

    /// The prompt of this name.
    pub(crate) fn prompt(&self, name: &str) -> Option<Prompting<'r>> {
        let own = self.chosen(&self.registry.prompts).find(|prompt| prompt.name == name);
        own.map(Prompting::Worker).or_else(|| self.image.prompt(name).map(Prompting::Image))
    }
}

impl Served {
    /// Its name.
    pub(crate) fn name(&self) -> &str {
        self.entry.name()
    }

    /// The toolset that it belongs to.
    pub(crate) fn toolset(&self) -> &str {
        self.entry.toolset()
    }

    /// What it belongs to for whoever looks for it.
    pub(crate) fn group(&self) -> &str {
        self.entry.tool.group.as_deref().unwrap_or(&self.entry.toolset)
    }

    /// What clients are told of it.
    pub(crate) fn listed(&self) -> &Listed {
        &self.entry.listed
    }

    /// Words by which it may be found.
    pub(crate) fn keywords(&self) -> &[Cow<'static, str>] {
        &self.entry.tool.keywords
    }

    /// The headers that repeat its arguments, in lower case, and where the arguments are.
    pub(crate) fn headers(&self) -> &[(String, Vec<String>)] {
        &self.entry.headers
    }

    /// Checks the arguments, then runs it.
    pub(crate) fn call(&self, context: &mut Context<'_>, mut arguments: Map<String, Value>) -> Outcome {
        self.entry.schema.check(&mut arguments)?;
        context.stone.set_tool(self.name());
        self.entry.tool.call(context, arguments)
    }

    /// Whether structured content is as the tool says it is; a tool that says so must answer some.
    #[cfg(test)]
    pub(crate) fn check_answer(&self, structured: Option<&Value>) -> Result<(), String> {
        match (&self.entry.tool.output, structured) {
            (None, _) => Ok(()),
            (Some(_), None) => Err("no structured content".to_owned()),
            (Some(output), Some(structured)) => jsonschema::draft202012::new(output)
                .map_err(|error| error.to_string())?
                .validate(structured)
                .map_err(|error| error.to_string()),
        }
    }
}

/// What a client of this revision is told of a tool.
fn for_revision(tool: &Value, revision: &Revision) -> Value {
    let mut tool = tool.clone();
    fit(Place::Tool, &mut tool, revision);
    if revision.era == Era::Stateless {
        gems::add_argument(&mut tool);
    }
    tool
}

/// The same of other things.
fn fitted(described: impl Iterator<Item = Value>, revision: &Revision) -> Vec<Value> {
    described
        .map(|mut value| {
            fit(Place::Named, &mut value, revision);
            value
        })
        .collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::Answer;
    use schemars::JsonSchema;
    use serde::Deserialize;

    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}

    struct Foreign {
        name: &'static str,
        tools: &'static [&'static str],
    }

    impl Toolset for Foreign {
        fn name(&self) -> &'static str {
            self.name
        }

        fn tools(&self) -> Vec<Tool> {
            let hints = Hints { read_only: true, destructive: false, idempotent: true };
            let tool = |name| Tool::new(name, "A tool", "Call it.", hints, |_, Nothing {}| Ok(Answer::text("done")));
            self.tools.iter().map(|name| tool(*name)).collect()
        }
    }

    fn registry(toolsets: Vec<Foreign>) -> Result<Registry, RegistryError> {
        let standard = crate::toolsets::standard().into_iter();
        let foreign = toolsets.into_iter().map(|toolset| Box::new(toolset) as Box<dyn Toolset>);
        Registry::new(standard.chain(foreign).collect())
    }

    #[test]
    fn a_foreign_toolset_is_served_beside_the_standard_ones() {
        let registry = registry(vec![Foreign { name: "mine", tools: &["zap"] }]).expect("fits");
        let twice = ["mine".to_owned(), "mine".to_owned()];
        let chosen = registry.select(&Choice { toolsets: &twice, ..Choice::default() }).expect("known");
        assert_eq!(chosen.served(), ["mine"]);
        assert_eq!(chosen.list().len(), 1);
        assert_eq!(chosen.find("commit").err(), Some(NotServed::Unknown));
        let all = registry.select(&Choice { read_only: true, ..Choice::default() }).expect("known");
        assert_eq!(all.find("zap").err(), Some(NotServed::ReadOnly), "hints are no declaration");
        assert!(!all.served().contains(&"mine"), "nothing in it is safe");
        assert!(!all.served().contains(&"mutation") && all.served().contains(&"session"));
    }

    #[test]
    fn names_are_unique() {
        let twice = registry(vec![Foreign { name: "session", tools: &[] }]).err();
        assert_eq!(twice, Some(RegistryError::Toolset("session".to_owned())));
        let twice = registry(vec![Foreign { name: "mine", tools: &["commit"] }]).err();
        assert_eq!(twice, Some(RegistryError::Tool("commit".to_owned())));
    }
}
