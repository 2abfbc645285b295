//! An MCP client for tests: one session, one connection, answers as they came.
//!
//! It is deliberately not an SDK: a test must see statuses, headers and bodies that an SDK would hide.

use crate::http::{Connection, Response};
use serde_json::{Value, json};
use std::net::SocketAddr;

/// The one path that is served.
pub const PATH: &str = "/mcp";
/// The revision that these tests speak unless they say otherwise.
pub const REVISION: &str = "2025-11-25";

/// One MCP session.
#[derive(Debug)]
pub struct Client {
    /// Where the server listens.
    pub address: SocketAddr,
    /// The `MCP-Session-Id` that the server gave.
    pub session: String,
    connection: Connection,
    next_id: u64,
}

/// What a tool answered.
#[derive(Debug, Clone)]
pub struct Answer {
    /// `isError`.
    pub is_error: bool,
    /// The text of its text items, but for what the server adds about the session.
    pub text: String,
    /// What the server adds about the session, such as that there are uncommitted changes.
    pub notes: Vec<String>,
    /// The whole result.
    pub result: Value,
}

impl Answer {
    /// The word for programs in an error.
    pub fn kind(&self) -> &str {
        self.result["structuredContent"]["error"]["kind"].as_str().unwrap_or("")
    }

    /// The text of an answer that is no error.
    pub fn expect_text(&self) -> &str {
        assert!(!self.is_error, "the tool failed: {}", self.text);
        &self.text
    }

    /// The text of an answer that is an error.
    pub fn expect_error(&self) -> &str {
        assert!(self.is_error, "the tool did not fail but answered: {}", self.text);
        &self.text
    }
}

impl Client {
    /// Opens a session: `initialize`, then `notifications/initialized`.
    pub fn open(address: SocketAddr) -> Self {
        let mut connection = Connection::open(address);
        let response = connection.request("POST", PATH, &JSON_HEADERS, initialize(REVISION).to_string().as_bytes());
        assert_eq!(response.status, 200, "initialize: {}", response.text());
        let session = response.header("mcp-session-id").expect("a session id").to_owned();
        let mut client = Self { address, session, connection, next_id: 1 };
        let started = client.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!(started.status, 202, "{}", started.text());
        client
    }

    /// The same session over a connection of its own.
    pub fn beside(&self) -> Self {
        let connection = Connection::open(self.address);
        Self { address: self.address, session: self.session.clone(), connection, next_id: 1_000 }
    }

    /// Posts any message and answers the whole response.
    pub fn post(&mut self, message: &Value) -> Response {
        self.send(message);
        self.connection.response()
    }

    /// Posts any message and leaves its response on the connection.
    pub fn send(&mut self, message: &Value) {
        let session = self.session.clone();
        let headers = with_session(&session);
        let bytes = self.connection.compose("POST", PATH, &headers, message.to_string().as_bytes());
        self.connection.send(&bytes).expect("the server reads");
    }

    /// The connection below.
    pub fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// A request by method; answers the JSON-RPC response, which must bear this request's id.
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        let response = self.post(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        assert_eq!(response.status, 200, "{method}: {}", response.text());
        let answer = response.json();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Calls a tool.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Answer {
        let answer = self.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        tool_answer(&answer)
    }

    /// Calls `execute_code`.
    pub fn execute(&mut self, code: &str) -> Answer {
        self.call("execute_code", &json!({"code": code}))
    }

    /// Runs code that must not fail; answers the printString.
    pub fn evaluate(&mut self, code: &str) -> String {
        self.execute(code).expect_text().to_owned()
    }

    /// Ends the session; answers the status.
    pub fn delete(&mut self) -> u16 {
        let session = self.session.clone();
        self.connection.request("DELETE", PATH, &[("MCP-Session-Id", &session)], b"").status
    }
}

/// The headers of a usual client.
pub const JSON_HEADERS: [(&str, &str); 2] =
    [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];

/// The usual headers within a session.
pub fn with_session(session: &str) -> [(&str, &str); 4] {
    let [kind, accept] = JSON_HEADERS;
    [kind, accept, ("MCP-Session-Id", session), ("MCP-Protocol-Version", REVISION)]
}

/// An `initialize` request.
pub fn initialize(revision: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "lapidary-tests", "version": "1"}}})
}

/// A `tools/call` request with an id of the caller's choice.
pub fn tool_call(id: u64, tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

/// What a tool answered, from the JSON-RPC response.
pub fn tool_answer(response: &Value) -> Answer {
    let result = response["result"].clone();
    assert!(result.is_object(), "a result, not {response}");
    let items = result["content"].as_array().cloned().unwrap_or_default();
    let texts = items.iter().filter_map(|item| item["text"].as_str()).map(str::to_owned);
    let (notes, texts): (Vec<String>, Vec<String>) = texts.partition(|text| text.starts_with("[session] "));
    Answer { is_error: result["isError"] == json!(true), text: texts.join("\n"), notes, result }
}
