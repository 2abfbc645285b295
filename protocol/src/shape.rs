//! What a message may contain at each revision: one table of members, and the few things that are more than a member.
//!
//! Whoever answers a client builds the newest shape and has it fitted here. Nothing is ever added to what a handler
//! said but what the protocol itself asks of every result.

use crate::revision::Revision;
use serde_json::{Map, Value, json};

/// Where a member stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// `serverInfo`.
    Implementation,
    /// A tool in a list.
    Tool,
    /// A resource, a template of resources, a prompt or an argument of one in a list.
    Named,
    /// The result of `tools/call`.
    CallResult,
    /// What is asked of a client by `elicitation/create`.
    Elicitation,
}

type Column = fn(&Revision) -> bool;

/// Each member that not every revision has, where it stands, and the column that says who has it.
const MEMBERS: &[(Place, &str, Column)] = &[
    (Place::Implementation, "title", |revision| revision.titles),
    (Place::Implementation, "icons", |revision| revision.icons),
    (Place::Implementation, "description", |revision| revision.icons),
    (Place::Implementation, "websiteUrl", |revision| revision.icons),
    (Place::Tool, "title", |revision| revision.titles),
    (Place::Tool, "icons", |revision| revision.icons),
    (Place::Tool, "outputSchema", |revision| revision.structured_content),
    (Place::Tool, "_meta", |revision| revision.titles),
    (Place::Named, "title", |revision| revision.titles),
    (Place::Named, "icons", |revision| revision.icons),
    (Place::Named, "_meta", |revision| revision.titles),
    (Place::CallResult, "structuredContent", |revision| revision.structured_content),
    (Place::Elicitation, "mode", |revision| revision.urls),
];

/// Leaves out of an object what a client of this revision does not know.
pub fn fit(place: Place, value: &mut Value, revision: &Revision) {
    let Some(members) = value.as_object_mut() else { return };
    for (_, name, has) in MEMBERS.iter().filter(|(stands, ..)| *stands == place) {
        if !has(revision) {
            members.remove(*name);
        }
    }
    match place {
        Place::Tool => fit_output(members, revision),
        Place::CallResult => fit_call_result(members, revision),
        Place::Named => fit_arguments(members, revision),
        Place::Implementation | Place::Elicitation => {}
    }
}

/// A schema of anything but an object is known from the revision on that allows such content.
fn fit_output(tool: &mut Map<String, Value>, revision: &Revision) {
    let is_object = |schema: &Value| schema.get("type") == Some(&json!("object"));
    if !revision.any_structured_content && tool.get("outputSchema").is_some_and(|schema| !is_object(schema)) {
        tool.remove("outputSchema");
    }
}

fn fit_call_result(result: &mut Map<String, Value>, revision: &Revision) {
    let foreign = |content: &Value| !content.is_object();
    if !revision.any_structured_content && result.get("structuredContent").is_some_and(foreign) {
        result.remove("structuredContent");
    }
    if let Some(Value::Array(content)) = result.get_mut("content") {
        content.iter_mut().for_each(|block| fit_content(block, revision));
    }
}

/// One block of content. A client that knows no links to resources is told of them in words.
pub fn fit_content(block: &mut Value, revision: &Revision) {
    if revision.structured_content {
        return;
    }
    if let Some(Value::Object(annotations)) = block.get_mut("annotations") {
        annotations.remove("lastModified");
    }
    if block["type"] == "resource_link" {
        let named = |member: &str| block[member].as_str().unwrap_or_default().to_owned();
        *block = json!({"type": "text", "text": format!("{}: {}", named("name"), named("uri"))});
    }
}

fn fit_arguments(prompt: &mut Map<String, Value>, revision: &Revision) {
    if let Some(Value::Array(arguments)) = prompt.get_mut("arguments") {
        arguments.iter_mut().for_each(|argument| fit(Place::Named, argument, revision));
    }
}

/// How long, and by whom, an answer may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cache {
    /// The answer says nothing about it: its method is not one of those that do.
    Unsaid,
    /// The asker alone may keep it, for so many milliseconds.
    Private(u64),
}

/// Completes a result as its revision wants every result to be.
pub fn complete(result: &mut Map<String, Value>, revision: &Revision, server: &Value, cache: Cache) {
    if !revision.result_types {
        return;
    }
    result.entry("resultType").or_insert_with(|| json!("complete"));
    if let Cache::Private(millis) = cache
        && result["resultType"] == "complete"
    {
        result.insert("ttlMs".to_owned(), json!(millis));
        result.insert("cacheScope".to_owned(), json!("private"));
    }
    if let Some(meta) = result.entry("_meta").or_insert_with(|| json!({})).as_object_mut() {
        meta.entry("io.modelcontextprotocol/serverInfo").or_insert_with(|| server.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::revision::{REVISIONS, find};

    fn names(value: &Value) -> Vec<&str> {
        value.as_object().expect("an object").keys().map(String::as_str).collect()
    }

    #[test]
    fn each_revision_gets_the_members_that_it_knows() {
        let tool = json!({"name": "n", "title": "t", "icons": [], "inputSchema": {}, "annotations": {},
            "outputSchema": {"type": "object"}});
        let known = [
            ("2025-03-26", vec!["annotations", "inputSchema", "name"]),
            ("2025-06-18", vec!["annotations", "inputSchema", "name", "outputSchema", "title"]),
            ("2025-11-25", vec!["annotations", "icons", "inputSchema", "name", "outputSchema", "title"]),
            ("2026-07-28", vec!["annotations", "icons", "inputSchema", "name", "outputSchema", "title"]),
        ];
        assert_eq!(known.len(), REVISIONS.len());
        for (revision, members) in known {
            let mut fitted = tool.clone();
            fit(Place::Tool, &mut fitted, find(revision).expect("served"));
            let mut found = names(&fitted);
            found.sort_unstable();
            assert_eq!(found, members, "{revision}");
        }
    }

    #[test]
    fn content_that_is_no_object_travels_from_2026_on() {
        for (revision, kept) in [("2025-06-18", false), ("2025-11-25", false), ("2026-07-28", true)] {
            let revision = find(revision).expect("served");
            let mut result = json!({"content": [{"type": "text", "text": "[1]"}], "structuredContent": [1]});
            fit(Place::CallResult, &mut result, revision);
            assert_eq!(result.get("structuredContent").is_some(), kept);
            let mut tool = json!({"outputSchema": {"type": "array"}});
            fit(Place::Tool, &mut tool, revision);
            assert_eq!(tool.get("outputSchema").is_some(), kept);
        }
    }

    #[test]
    fn a_link_becomes_words_for_the_oldest() {
        let link = json!({"type": "resource_link", "uri": "a:b", "name": "n"});
        let mut result = json!({ "content": [link] });
        fit(Place::CallResult, &mut result, find("2025-06-18").expect("served"));
        assert_eq!(result["content"][0], link);
        fit(Place::CallResult, &mut result, find("2025-03-26").expect("served"));
        assert_eq!(result["content"][0], json!({"type": "text", "text": "n: a:b"}));
    }

    #[test]
    fn results_are_completed_where_the_revision_wants_it() {
        let server = json!({"name": "s", "version": "1"});
        let mut result = Map::new();
        complete(&mut result, find("2025-11-25").expect("served"), &server, Cache::Private(5));
        assert!(result.is_empty());
        let modern = find("2026-07-28").expect("served");
        complete(&mut result, modern, &server, Cache::Private(5));
        assert_eq!((&result["resultType"], &result["ttlMs"]), (&json!("complete"), &json!(5)));
        assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"], server);
        let mut asking = Map::from_iter([("resultType".to_owned(), json!("input_required"))]);
        complete(&mut asking, modern, &server, Cache::Private(5));
        assert!(asking.get("ttlMs").is_none() && asking["resultType"] == "input_required");
    }
}
