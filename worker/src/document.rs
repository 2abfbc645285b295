//! The tools as a document for people, from the same declarations that clients get. It never asks an image.

use crate::registry::Registry;
use serde_json::Value;
use std::fmt::Write;

const INTRODUCTION: &str = "\
# Tools

Made by `lapidary-worker document` from what the tools say of themselves; change it there.

## Transactions

Every session sees one commit of the repository, its *view*, and its own changes on top of it. Only `commit`, `abort`,
`refresh` and a tool that commits its own change move the view.

The tools that change classes, methods and dictionaries commit what they did, if nothing else would be committed with
it. In a session that holds other uncommitted changes they make their change, leave it uncommitted, and say so. With
`GS_MCP_AUTOCOMMIT=0` they never commit. A change whose commit conflicts is an error of kind `commitConflict`; it stays
in the session. While a session holds uncommitted changes, every answer says so in a second text, and `status` lists
what they are.

## No blind writes

A method, class or comment that another session has changed since this one last read it is not overwritten: the answer
is an error of kind `refused` whose data have the `reason` `changed`. Reading is what `get_method_source`,
`export_class_source` and `describe_class` do, and every change of one's own. What was never read counts as read when
the session began; of a class that the session had not met when others changed it, all methods count as changed.
Writing something new needs no reading. The reading tools answer a `version`, which may be given back as `expected`.

## The kernel guard

A class that `Globals` or `Lapidary` binds under its own name is part of the kernel: the tools that change code refuse
it, whatever alias or shadowing dictionary leads there. `execute_code` is not guarded: it can change everything that
Smalltalk can.

## What is served

`GS_MCP_TOOLSETS` names the toolsets that a router serves, separated by blanks or commas; `default` stands for all those
that are served when nothing is named. A tool that is served can be called by its name. Of these, `tools/list` says
only the *advertised* ones: `GS_MCP_ADVERTISED` names the toolsets whose tools are listed; without it each toolset
decides, and all those below are listed. For example, with

```
GS_MCP_TOOLSETS=default,catalog GS_MCP_ADVERTISED=catalog,execution
```

a client is told of four tools, and finds, reads and calls the others with `tool_search`, `tool_get` and `tool_call`. A
name that is not there fails `initialize` with what there is.

In a read-only session (`GS_MCP_READONLY=1`) only what is declared safe is served, and a toolset with nothing safe is
dropped whole. Calling anything else is the error -32601 whose `data.kind` is `readOnly`. The stone refuses a commit of
such a session, whoever asks for it.

`GS_MCP_RESULTS` chooses what clients get of an answer: `content`, `structured` content, or `both`.

## Answers

The first text is for a model; `structuredContent` is the same for a program, as the tool's `outputSchema` says. Texts
are cut at 50,000 characters, in the data as well, and say how much there was. Lists come in pages: `limit`, `offset`,
`total`, and `nextOffset` while there is more. An argument that takes a list of targets answers `results`, one for
each, with `answer` or `error`; the whole is an error only if none went well. An argument that need not be given may be
null, which says the same.

A tool that could not do its work answers `isError` with a `kind`:

| kind | meaning |
|---|---|
| `notFound` | there is no such class, method, dictionary or global |
| `invalidParams` | an argument is missing, unknown or of the wrong form |
| `compileError` | a source is not right; `errors` has line, column, message and number of each |
| `refused` | the kernel guard, an unseen change, or what would tear a hierarchy apart |
| `commitConflict` | others have changed the same objects; `conflicts` names them |
| `timeout`, `interrupted`, `outOfMemory`, `stackDepth` | a limit of the session; it goes on |
| `stoneLost` | the repository's server is gone, and the session ends |
| `corruptMethod` | a method in the repository may not be run, and its source does not compile; the session goes on |
| `readOnly` | `tool_call` was to call a tool that is not served in a read-only session |
| `tooLarge` | the answer does not fit into a message |
| `other` | an error of the code that ran; `class`, `message` and `frames` say more |
";

/// The document.
pub(crate) fn document(registry: &Registry) -> String {
    let mut text = INTRODUCTION.to_owned();
    for (toolset, tools) in registry.by_toolset() {
        let when = if registry.serves_by_default(toolset) { "" } else { "\nServed when `GS_MCP_TOOLSETS` names it.\n" };
        let _ = write!(text, "\n## Toolset `{toolset}`\n{when}");
        for (tool, safe) in tools {
            describe(&mut text, &tool, safe);
        }
    }
    text
}

fn describe(text: &mut String, tool: &Value, safe: bool) {
    let word = |name: &str| tool[name].as_str().unwrap_or_default();
    let _ = write!(text, "\n### `{}`\n\n{}\n\n", word("name"), word("description"));
    let hints = [("readOnlyHint", "read-only"), ("destructiveHint", "destructive"), ("idempotentHint", "idempotent")];
    let mut words: Vec<&str> =
        hints.iter().filter(|(hint, _)| tool["annotations"][hint] == true).map(|(_, word)| *word).collect();
    words.push(if safe { "served in a read-only session" } else { "not served in a read-only session" });
    let _ = writeln!(text, "*{}: {}*", word("title"), words.join(", "));
    members(text, "argument", &tool["inputSchema"]);
    if tool["outputSchema"].is_object() {
        members(text, "data", &tool["outputSchema"]);
    }
}

/// A table of the members of a schema.
fn members(text: &mut String, heading: &str, schema: &Value) {
    let Some(properties) = schema["properties"].as_object().filter(|properties| !properties.is_empty()) else { return };
    let required =
        |name: &str| schema["required"].as_array().is_some_and(|required| required.iter().any(|needed| needed == name));
    let _ = write!(text, "\n| {heading} | type | meaning |\n|---|---|---|\n");
    for (name, property) in properties.iter().filter(|(name, _)| !matches!(name.as_str(), "error" | "results")) {
        let needed = if heading == "argument" && required(name) { ", required" } else { "" };
        let meaning = property["description"].as_str().unwrap_or_default().replace('\n', " ").replace('|', "\\|");
        let _ = writeln!(text, "| `{name}` | {}{needed} | {meaning} |", type_of(property));
    }
}

/// A type in words.
fn type_of(property: &Value) -> String {
    match &property["type"] {
        Value::String(name) if name == "array" => format!("array of {}", type_of(&property["items"])),
        Value::String(name) => name.clone(),
        _ if property["anyOf"].is_array() => {
            let ways = property["anyOf"].as_array().into_iter().flatten().map(type_of).filter(|way| way != "null");
            ways.collect::<Vec<_>>().join(" or ")
        }
        _ if property["enum"].is_array() || property["oneOf"].is_array() => "string".to_owned(),
        _ => "any".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_is_up_to_date_and_complete() {
        let registry = Registry::new(crate::standard_toolsets()).expect("fits together");
        let made = document(&registry);
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/tools.md");
        let kept = std::fs::read_to_string(path).expect("docs/tools.md");
        assert!(made == kept, "docs/tools.md is out of date: lapidary-worker document > docs/tools.md");
        for (_, tools) in registry.by_toolset() {
            for (tool, _) in tools {
                let name = tool["name"].as_str().expect("a name");
                assert!(kept.contains(&format!("\n### `{name}`\n")), "{name}");
                for (argument, schema) in tool["inputSchema"]["properties"].as_object().expect("properties") {
                    let meaning = schema["description"].as_str().unwrap_or_default();
                    assert!(!meaning.is_empty(), "{name} does not say what {argument} is");
                    assert!(kept.contains(&format!("| `{argument}` | ")), "{name} {argument}");
                }
                let description = tool["description"].as_str().expect("a description");
                assert!(description.starts_with("Call this "), "{name} does not say when to call it");
            }
        }
    }
}
