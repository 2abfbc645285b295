//! What a gem says of itself: `initialize`, `ping`, `tools/list`. An immutable snapshot, so that both threads can
//! answer from it while a tool runs.

use crate::link::Reply;
use crate::registry::Listed;
use protocol::error::{self, INVALID_PARAMS, METHOD_NOT_FOUND};
use protocol::gem::Prepare;
use protocol::revision::{self, Revision};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Told to a model once, at the start.
const INSTRUCTIONS: &str = "\
You work in a live Smalltalk image, in a process and a transaction of your own.
Find your way with list_dictionaries, list_classes, describe_class, get_method_source, find_senders, \
search_method_source; change code with compile_class_definition, compile_method, delete_method; check it with \
run_test_class; execute_code runs any Smalltalk and answers the printString of its value.
The tools that change code commit what they did; what execute_code does stays in this session until commit, and abort \
discards it. What others commit you see after commit, abort or refresh, and never before.
Your own classes go into the dictionary UserGlobals; those of Globals are the kernel and are not changed by tools.
A tool that could not do its work says why; the session goes on.";

/// The snapshot.
#[derive(Debug)]
pub(crate) struct Catalogue {
    tools: Vec<Arc<Listed>>,
    name: String,
    version: String,
    title: Option<String>,
}

/// A request as the catalogue sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    /// The raw JSON of its id.
    pub(crate) id: &'a str,
    /// Its method.
    pub(crate) method: &'a str,
    /// The raw JSON of its parameters.
    pub(crate) params: Option<&'a str>,
    /// The revision that the client speaks.
    pub(crate) revision: &'static Revision,
}

impl Catalogue {
    /// For a gem that serves these tools.
    pub(crate) fn new(prepare: &Prepare, tools: Vec<Arc<Listed>>) -> Self {
        Self {
            tools,
            name: prepare.server_name.clone().unwrap_or_else(|| "lapidary".to_owned()),
            version: prepare.server_version.clone().unwrap_or_else(|| env!("CARGO_PKG_VERSION").to_owned()),
            title: prepare.title.clone(),
        }
    }

    /// The answer to a request that needs nothing but the snapshot; `None` for any other.
    pub(crate) fn answer(&self, request: &Request<'_>) -> Option<Reply> {
        match request.method {
            "initialize" => Some(result(request.id, &self.initialize(request.revision))),
            "ping" => Some(result(request.id, &json!({}))),
            "tools/list" => Some(self.list(request)),
            _ => None,
        }
    }

    fn initialize(&self, revision: &Revision) -> Value {
        let mut server = Map::new();
        server.insert("name".to_owned(), json!(self.name));
        server.insert("version".to_owned(), json!(self.version));
        if let Some(title) = self.title.as_ref().filter(|_| revision.titles) {
            server.insert("title".to_owned(), json!(title));
        }
        json!({
            "protocolVersion": revision.name,
            // The tools of a gem stay the same for its whole life.
            "capabilities": {"tools": {"listChanged": false}},
            "serverInfo": server,
            "instructions": INSTRUCTIONS,
        })
    }

    fn list(&self, request: &Request<'_>) -> Reply {
        if has_cursor(request.params) {
            let message = "Invalid cursor: all tools are on the first page";
            return refuse(request.id, INVALID_PARAMS, message, "invalidParams");
        }
        let tools: Vec<&str> = self.tools.iter().map(|tool| tool.json(request.revision)).collect();
        raw_result(request.id, &format!(r#"{{"tools":[{}]}}"#, tools.join(",")))
    }
}

fn has_cursor(params: Option<&str>) -> bool {
    let params: Option<Map<String, Value>> = params.and_then(|params| serde_json::from_str(params).ok());
    params.is_some_and(|params| params.get("cursor").is_some_and(|cursor| !cursor.is_null()))
}

/// A JSON-RPC result, with the id byte for byte.
pub(crate) fn result(id: &str, result: &Value) -> Reply {
    raw_result(id, &result.to_string())
}

/// The same of a result that is JSON already.
fn raw_result(id: &str, result: &str) -> Reply {
    let mut body = String::with_capacity(64 + id.len() + result.len());
    body.push_str(r#"{"jsonrpc":"2.0","id":"#);
    body.push_str(id);
    body.push_str(r#","result":"#);
    body.push_str(result);
    body.push('}');
    Reply::ok(body.into_bytes())
}

/// A JSON-RPC error with a word for programs.
pub(crate) fn refuse(id: &str, code: i32, message: &str, kind: &str) -> Reply {
    Reply::ok(error::body_of_kind(Some(id), code, message, kind))
}

/// The refusal of a method that nobody here knows.
pub(crate) fn unknown_method(id: &str, method: &str) -> Reply {
    refuse(id, METHOD_NOT_FOUND, &format!("Method not found: {method}"), "notFound")
}

/// The row of the revision that the router says the client speaks.
pub(crate) fn spoken(name: &str) -> &'static Revision {
    revision::find(name).unwrap_or_else(revision::newest_of_sessions)
}
