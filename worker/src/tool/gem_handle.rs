//! How a client without a session keeps state: the argument `gem` of every tool, and the tools that open and close one.
//!
//! A call without it runs in a gem of its own, which ends with the call: what would only make sense later is refused,
//! and what was not committed is named as dropped, never dropped in silence.

use super::Refusal;
use super::schema::Schema;
use protocol::stateless::{self, Fault};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// The argument, and the header that repeats it, in lower case.
pub(crate) const ARGUMENT: &str = "gem";
/// Opens a gem that lasts.
pub(crate) const OPEN: &str = "open_gem";
/// Ends one.
pub(crate) const CLOSE: &str = "close_gem";
/// Tools that only make sense in a gem that lasts.
const LASTING: &[&str] = &["abort", "commit", "refresh"];

/// Changes that are named when they are dropped.
const CHANGES_SHOWN_MAX: usize = 20;

/// ServerInfo to a model where there are no sessions.
pub(crate) const INSTRUCTIONS: &str = "\
Every call runs in a fresh process (a gem) at the newest committed state, and what it does not commit is gone when it \
ends. The tools that change code commit what they did. To keep objects, uncommitted changes or a stable view between \
calls, call open_gem once and give the handle that it answers to every tool as the argument gem; call close_gem when \
you are done. commit, abort and refresh need the argument gem.";

/// Whether a tool of this name belongs to the protocol and not to a toolset.
pub(crate) fn is_own(name: &str) -> bool {
    matches!(name, OPEN | CLOSE)
}

/// Adds the argument to what clients are told of a tool.
pub(crate) fn add_argument(tool: &mut Value) {
    if let Some(properties) = tool["inputSchema"]["properties"].as_object_mut() {
        properties.insert(ARGUMENT.to_owned(), argument());
    } else if let Some(schema) = tool["inputSchema"].as_object_mut() {
        schema.insert("properties".to_owned(), json!({ ARGUMENT: argument() }));
    }
}

fn argument() -> Value {
    json!({
        "type": "string",
        "description": "The handle of a gem that open_gem opened. Without it the call runs in a fresh gem, which ends \
                        with the call.",
        "x-mcp-header": "Gem",
    })
}

/// What `open_gem` answers.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Opened<'a> {
    /// The handle of the gem: what every tool takes as the argument gem.
    pub(crate) gem: &'a str,
}

/// What `close_gem` answers.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Closed {
    /// Whether changes were lost with it that were not committed.
    pub(crate) lost_changes: bool,
}

/// What clients are told of the tools that open and close gems, as JSON. Made once, before any client is there.
pub(crate) static LISTED: LazyLock<[String; 2]> = LazyLock::new(|| listed().map(|tool| tool.to_string()));

fn listed() -> [Value; 2] {
    let tool = |name: &str, title: &str, description: &str, read_only: bool, output: Value| {
        json!({
            "name": name,
            "title": title,
            "description": description,
            "inputSchema": {"type": "object", "properties": {}, "additionalProperties": false},
            "outputSchema": output,
            "annotations": {"title": title, "readOnlyHint": read_only, "destructiveHint": !read_only,
                "idempotentHint": false, "openWorldHint": false},
        })
    };
    let open = "Call this to get a gem: a process with objects, uncommitted changes and a view of its own that lasts \
                between calls. Answers its handle; give that to other tools as the argument gem. It ends with \
                close_gem, or when it is not called for a time; what is not committed then is gone.";
    let close = "Call this when you need a gem no longer. What it has not committed is gone.";
    let mut closing = tool(CLOSE, "Close a gem", close, false, Schema::of_answer::<Closed>(false));
    add_argument(&mut closing);
    closing["inputSchema"]["required"] = json!([ARGUMENT]);
    [closing, tool(OPEN, "Open a gem", open, true, Schema::of_answer::<Opened<'_>>(false))]
}

/// Whether this tool needs a gem that lasts.
pub(crate) fn needs_one(tool: &str) -> bool {
    LASTING.contains(&tool) || tool == CLOSE
}

/// The refusal of a tool that needs a gem and was given none.
pub(crate) fn none_given(tool: &str) -> Refusal {
    let text = format!(
        "{tool} needs the argument gem: this call runs in a fresh gem, which holds nothing yet and ends with the call. Call \
         open_gem, make your changes with its handle as the argument gem, then call {tool} with the same handle."
    );
    Refusal::new("noGem", text)
}

/// The refusal of a handle that is not this gem's.
pub(crate) fn unknown() -> Refusal {
    let text = "There is no such gem: its handle is wrong, or it was closed or ended after a time without calls. What it \
                had not committed is gone. Call open_gem for another.";
    Refusal::new("unknownGem", text)
}

/// Said beside an answer whose call leaves these changes behind, which no session will see.
pub(crate) fn dropped(changes: &[String]) -> String {
    let mut text =
        "[gem] This call did not commit what it changed, which is gone now, with the gem that the call ran in:"
            .to_owned();
    for change in changes.iter().take(CHANGES_SHOWN_MAX) {
        text.push_str(&format!("\n  {change}"));
    }
    if changes.len() > CHANGES_SHOWN_MAX {
        text.push_str(&format!("\n  and {} more", changes.len() - CHANGES_SHOWN_MAX));
    }
    text.push_str(
        "\nTo keep state between calls, call open_gem and give its handle to every tool as the argument gem; commit there.",
    );
    text
}

/// Holds the headers that repeat arguments against the arguments.
pub(crate) fn check_headers(
    annotated: &[(String, Vec<String>)],
    arguments: &Map<String, Value>,
    headers: &[(&str, &str)],
) -> Result<(), Fault> {
    let own = (ARGUMENT.to_owned(), vec![ARGUMENT.to_owned()]);
    for (header, path) in annotated.iter().chain([&own]) {
        let mut argument = arguments.get(&path[0]);
        for name in &path[1..] {
            argument = argument.and_then(|argument| argument.get(name));
        }
        let argument = argument.filter(|argument| !argument.is_null());
        let said = headers.iter().find(|(name, _)| name == header).map(|(_, value)| *value);
        let shown = path.join(".");
        let wrong = match (said, argument) {
            (None, None) => continue,
            (None, Some(_)) => format!("The header Mcp-Param-{header} is missing: it repeats the argument {shown}"),
            (Some(_), None) => format!("The header Mcp-Param-{header} is given, but the argument {shown} is not"),
            (Some(said), Some(argument)) => match stateless::agrees(said, argument) {
                Some(true) => continue,
                Some(false) => format!("The header Mcp-Param-{header} differs from the argument {shown}"),
                None => format!("The header Mcp-Param-{header} is not valid base64 of UTF-8"),
            },
        };
        return Err(stateless::mismatch(&wrong));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_must_say_what_arguments_say() {
        let annotated = [("value".to_owned(), vec!["a".to_owned(), "b".to_owned()])];
        let check = |arguments: Value, headers: &[(&str, &str)]| {
            check_headers(&annotated, arguments.as_object().expect("an object"), headers).is_ok()
        };
        assert!(check(json!({}), &[]));
        assert!(check(json!({"a": {"b": "x"}}), &[("value", "x")]));
        assert!(check(json!({"a": {"b": null}}), &[]));
        assert!(check(json!({"gem": "h"}), &[("gem", "h"), ("other", "y")]));
        assert!(!check(json!({"a": {"b": "x"}}), &[]));
        assert!(!check(json!({"a": {"b": "x"}}), &[("value", "y")]));
        assert!(!check(json!({}), &[("gem", "h")]));
        assert!(!check(json!({"gem": "h"}), &[]));
    }

    #[test]
    fn every_tool_takes_the_argument() {
        let mut tool = json!({"inputSchema": {"type": "object"}});
        add_argument(&mut tool);
        assert_eq!(tool["inputSchema"]["properties"]["gem"]["x-mcp-header"], "Gem");
    }
}
