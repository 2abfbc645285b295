//! What a tool is, and what it is given and answers. This is the interface for toolsets of third parties.
//!
//! A tool knows nothing of JSON-RPC, frames or revisions: it gets arguments that were checked against its schema, works
//! in the image, and answers text for a model and, where it helps, data for a program.

use crate::arguments::Schema;
use crate::client::Client;
use crate::features::{Content, Prompt, Resource, Template, Topic};
use crate::image_store::StoneState;
use crate::ledger::Ledger;
use crate::registry::Selection;
use protocol::limits::RESULT_CHARACTERS_MAX;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use smalltalk::Image;
use std::borrow::Cow;
use std::time::Instant;

/// Tools that belong together and are switched on together, by the toolset's name.
pub trait Toolset: Send + Sync {
    /// The name by which it is chosen.
    fn name(&self) -> &'static str;

    /// Its tools. Asked once, when the worker starts.
    fn tools(&self) -> Vec<Tool>;

    /// Whether it is served where nobody chose toolsets.
    fn is_served_by_default(&self) -> bool {
        true
    }

    /// Whether its tools are listed to clients, where nobody chose which are. Those that are not can be called all the
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

/// What a tool works with.
pub struct Context<'g> {
    /// This session's image; it also knows who works here.
    pub image: &'g mut Image,
    /// When the call must have ended.
    pub deadline: Instant,
    /// What this session has read.
    pub(crate) ledger: &'g mut Ledger,
    /// Whether tools that change something commit it.
    pub(crate) autocommit: bool,
    /// What is served.
    pub(crate) selection: &'g Selection<'g>,
    /// Whether the gem ends with this call.
    pub(crate) is_alone: bool,
    /// What the stone is told of the call.
    pub(crate) stone: StoneState,
    /// Whom the call is for.
    pub(crate) client: Client<'g>,
}

impl Context<'_> {
    /// Runs Smalltalk in this session's image; answers the `printString` of its value, whole. What it changes is
    /// committed by whoever commits.
    pub fn evaluate(&mut self, code: &str) -> Result<String, Refusal> {
        self.image.execute(code, self.deadline).map_err(crate::toolsets::execution_refusal)
    }
}

/// How far a call has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'p> {
    /// What is done.
    pub done: u64,
    /// What there is to do.
    pub total: u64,
    /// What is being done now.
    pub message: &'p str,
}

/// What a tool answers.
pub type Outcome = Result<Answer, Refusal>;

/// A tool's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// For a model.
    pub text: String,
    /// For a program; as the tool's output schema says.
    pub structured: Option<Value>,
    /// What is shown beside the text, or in its place where there is no text.
    pub blocks: Vec<Content>,
    /// What is said of the session's uncommitted changes, in place of the usual words.
    pub(crate) aside: Option<String>,
}

impl Answer {
    /// Text alone. What is longer than [`RESULT_CHARACTERS_MAX`] is cut, and says so.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: clip(text.into()), structured: None, blocks: Vec::new(), aside: None }
    }

    /// Blocks of content alone.
    pub fn blocks(blocks: Vec<Content>) -> Self {
        Self { text: String::new(), structured: None, blocks, aside: None }
    }

    /// Text, and the same as data.
    pub fn of(text: impl Into<String>, data: &impl Serialize) -> Self {
        // Data that cannot be JSON, such as a map with keys that are no strings, are left out.
        let data = serde_json::to_value(data).ok();
        let answer = Self::text(text);
        match data {
            Some(data) => answer.with_data(data),
            None => answer,
        }
    }

    /// Adds the same as data. What is longer than [`RESULT_CHARACTERS_MAX`] is cut there, too.
    #[must_use]
    pub fn with_data(mut self, mut data: Value) -> Self {
        let mut room = RESULT_CHARACTERS_MAX;
        clip_all(&mut data, &mut room);
        self.structured = Some(data);
        self
    }
}

/// A tool could not do its work. The session goes on.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// A word for programs, such as `compileError`.
    pub kind: &'static str,
    /// What was wrong and what to do, for a model.
    pub text: String,
    /// `structuredContent.error`, beside the kind.
    pub details: Map<String, Value>,
}

impl Refusal {
    /// A refusal whose data are its kind and its text.
    pub fn new(kind: &'static str, text: impl Into<String>) -> Self {
        let text = clip(text.into());
        let details = Map::from_iter([("message".to_owned(), json!(text))]);
        Self { kind, text, details }
    }

    /// What `structuredContent.error` says.
    pub(crate) fn data(mut self) -> Value {
        self.details.insert("kind".to_owned(), json!(self.kind));
        let mut data = Value::Object(self.details);
        clip_all(&mut data, &mut { RESULT_CHARACTERS_MAX });
        data
    }

    /// Adds a member to the data, or replaces it.
    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.details.insert(name.to_owned(), value);
        self
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
    /// What it belongs to for whoever looks for it, if that is not its toolset.
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

    /// Words by which somebody may look for it, beside those of its name, title and description.
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

/// Cuts what is too long for a model to read, and says how much there was.
fn clip(text: String) -> String {
    clip_to(text, RESULT_CHARACTERS_MAX)
}

fn clip_to(mut text: String, characters_max: usize) -> String {
    // No text of so few bytes can have too many characters.
    if text.len() <= characters_max {
        return text;
    }
    if let Some((end, _)) = text.char_indices().nth(characters_max) {
        let total = characters_max + text[end..].chars().count();
        text.truncate(end);
        text.push_str(&format!("...[truncated: showing {characters_max} of {total} characters]"));
    }
    text
}

/// Texts in data that count toward the limit: names never do, and lists of them have limits of their own.
const LONG_TEXT_BYTES: usize = 1_000;

/// Cuts the long texts in data, so that all of them together are no longer than a text answer may be.
fn clip_all(data: &mut Value, room: &mut usize) {
    match data {
        Value::String(text) if text.len() > LONG_TEXT_BYTES => {
            let shown = text.chars().take(*room).count();
            *text = clip_to(std::mem::take(text), *room);
            *room -= shown;
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| clip_all(element, room)),
        Value::Object(members) => members.values_mut().for_each(|member| clip_all(member, room)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_and_counted_in_characters() {
        assert_eq!(clip("é".repeat(50_000)), "é".repeat(50_000));
        let wanted = format!("{}...[truncated: showing 50000 of 60002 characters]", "é".repeat(50_000));
        assert_eq!(clip("é".repeat(60_002)), wanted);
        assert_eq!(clip("x".repeat(50_001)).len(), 50_000 + 49);
    }

    #[test]
    fn long_text_is_cut_in_data_as_well() {
        let long = "é".repeat(30_000);
        let data = json!({"a": [long, long], "b": {"c": long, "d": "short"}});
        let cut = Answer::text("").with_data(data).structured.expect("data");
        assert_eq!(cut["a"][0], json!(long));
        let wanted = format!("{}...[truncated: showing 20000 of 30000 characters]", "é".repeat(20_000));
        assert_eq!(cut["a"][1], json!(wanted));
        assert_eq!(cut["b"], json!({"c": "...[truncated: showing 0 of 30000 characters]", "d": "short"}));
    }
}
