//! What a tool answers: text and data, or a refusal. Both are cut where they are too long for a model to read.
//!
//! How they become a result of JSON-RPC is not known here.

use super::features::Content;
use protocol::limits::RESULT_CHARACTERS_MAX;
use serde::Serialize;
use serde_json::{Map, Value, json};

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
