//! What a tool is, and what it is given and answers. This is the interface for toolsets, those of third parties too.
//!
//! A tool knows nothing of JSON-RPC, frames or revisions: it gets arguments that were checked against its schema,
//! works in the image, and answers text for a model and, where it helps, data for a program. Nothing here names a tool,
//! except those that open and close gems. Of this crate this layer may know only the state beside the image: the read
//! log and the image's store.

mod answer;
pub mod client;
mod context;
pub(crate) mod directory;
pub(crate) mod execution;
pub mod features;
pub(crate) mod gem_handle;
pub(crate) mod schema;
pub(crate) mod served;
pub(crate) mod text;

pub use answer::{Answer, Outcome, Refusal};
pub use client::{Ability, Level, Question};
pub use context::{Context, Progress};
pub use features::{Body, Change, Content, Contents, Prompt, PromptArgument, Resource, Template, Topic};

use schema::Schema;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Tools that belong together and are switched on together, by the toolset's name.
pub trait Toolset: Send + Sync {
    /// The name by which it is chosen.
    fn name(&self) -> &'static str;

    /// Its tools. Asked once, when the worker starts.
    fn tools(&self) -> Vec<Tool>;

    /// Whether it is served without a choice of toolsets.
    fn is_served_by_default(&self) -> bool {
        true
    }

    /// Whether its tools are listed to clients, without a choice of which are. Those that are not can be called all the
    /// same, and the toolset `catalog` finds them.
    fn is_advertised(&self) -> bool {
        true
    }

    /// What a model is told at the start: a sentence or two on when to use these tools.
    fn instructions(&self) -> Option<&'static str> {
        None
    }

    /// The icon of its tools: the path of an SVG image on a field of 16 by 16.
    fn icon(&self) -> Option<&'static str> {
        None
    }

    /// Its resources.
    fn resources(&self) -> Vec<Resource> {
        Vec::new()
    }

    /// Templates of resources that it can read.
    fn templates(&self) -> Vec<Template> {
        Vec::new()
    }

    /// Its prompts.
    fn prompts(&self) -> Vec<Prompt> {
        Vec::new()
    }

    /// The kinds of change that its handlers announce.
    fn topics(&self) -> &'static [Topic] {
        &[]
    }
}

/// What a client may tell its user about a tool before it is called. Hints: nothing here is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It may destroy something.
    pub destructive: bool,
    /// Calling it twice is the same as calling it once.
    pub idempotent: bool,
}

pub(crate) type Handler = Box<dyn Fn(&mut Context<'_>, Map<String, Value>) -> Outcome + Send + Sync>;

/// A text that is part of the program, or came from the image.
type Text = Cow<'static, str>;

/// One tool, as its toolset declares it.
pub struct Tool {
    pub(crate) name: Text,
    pub(crate) title: Text,
    pub(crate) description: Text,
    pub(crate) hints: Hints,
    /// Whether it reaches beyond the image.
    pub(crate) open_world: bool,
    pub(crate) keywords: Vec<Text>,
    /// The group in which it is found, if that is not its toolset.
    pub(crate) group: Option<String>,
    /// An icon of its own, in place of its toolset's.
    pub(crate) icon: Option<String>,
    pub(crate) safe_in_read_only: bool,
    pub(crate) input: Value,
    pub(crate) output: Option<Value>,
    handler: Handler,
}

impl Tool {
    /// A tool whose arguments are an `A`; the schema comes from the type and is closed. The first sentence of the
    /// description says when to call it. It is not served in a read-only session unless declared safe there.
    pub fn new<A>(
        name: &'static str,
        title: &'static str,
        description: &'static str,
        hints: Hints,
        handler: impl Fn(&mut Context<'_>, A) -> Outcome + Send + Sync + 'static,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema + 'static,
    {
        let handler: Handler = Box::new(move |context, arguments| {
            let arguments = serde_json::from_value(Value::Object(arguments))
                .map_err(|error| Refusal::new("invalidParams", format!("Invalid arguments: {error}")))?;
            handler(context, arguments)
        });
        Self::with_handler([name.into(), title.into(), description.into()], hints, Schema::of_arguments::<A>(), handler)
    }

    /// A tool that takes what a schema of its own allows, as it came.
    pub fn with_schema(
        name: &'static str,
        title: &'static str,
        description: &'static str,
        hints: Hints,
        input: Value,
        handler: impl Fn(&mut Context<'_>, Map<String, Value>) -> Outcome + Send + Sync + 'static,
    ) -> Self {
        Self::with_handler([name.into(), title.into(), description.into()], hints, input, Box::new(handler))
    }

    /// A tool of this name, title and description.
    pub(crate) fn with_handler(
        [name, title, description]: [Text; 3],
        hints: Hints,
        input: Value,
        handler: Handler,
    ) -> Self {
        let (open_world, keywords, group, icon, safe_in_read_only, output) =
            (false, Vec::new(), None, None, false, None);
        Self {
            name,
            title,
            description,
            hints,
            open_world,
            keywords,
            group,
            icon,
            safe_in_read_only,
            input,
            output,
            handler,
        }
    }

    /// Declares that it is served in a read-only session: it can change nothing that others will ever see.
    #[must_use]
    pub fn safe_in_read_only(mut self) -> Self {
        self.safe_in_read_only = true;
        self
    }

    /// Words by which it is found, beside those of its name, title and description.
    #[must_use]
    pub fn keywords(mut self, keywords: &'static [&'static str]) -> Self {
        self.keywords = keywords.iter().map(|keyword| Cow::Borrowed(*keyword)).collect();
        self
    }

    /// Declares what its structured answers look like.
    #[must_use]
    pub fn answering<O: JsonSchema>(mut self) -> Self {
        self.output = Some(Schema::of_answer::<O>(false));
        self
    }

    /// Declares what its structured answers look like for one target; for several it answers a list of them.
    #[must_use]
    pub(crate) fn answering_each<O: JsonSchema>(mut self) -> Self {
        self.output = Some(Schema::of_answer::<O>(true));
        self
    }

    pub(crate) fn call(&self, context: &mut Context<'_>, arguments: Map<String, Value>) -> Outcome {
        (self.handler)(context, arguments)
    }
}
