//! A client of 2026-07-28 for tests: every request stands for itself and says so, in its body and in its headers.

use crate::client::{Answer, PATH, tool_answer};
use crate::http::{Connection, Response};
use serde_json::{Value, json};
use std::net::SocketAddr;

/// The revision.
pub const REVISION: &str = "2026-07-28";

/// The metadata of a client with these capabilities.
pub fn meta(capabilities: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": REVISION,
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

/// A request whose metadata are added to its parameters, and the headers that go with it.
pub fn request(method: &str, params: &Value, capabilities: &Value) -> (Value, Vec<(String, String)>) {
    let mut params = params.clone();
    if params.get("_meta").is_none() {
        params["_meta"] = meta(capabilities);
    }
    let mut headers = vec![
        ("Content-Type".to_owned(), "application/json".to_owned()),
        ("Accept".to_owned(), "application/json, text/event-stream".to_owned()),
        ("MCP-Protocol-Version".to_owned(), REVISION.to_owned()),
        ("Mcp-Method".to_owned(), method.to_owned()),
    ];
    let named = ["name", "uri", "taskId"].iter().find_map(|member| params[*member].as_str());
    if let Some(name) = named {
        headers.push(("Mcp-Name".to_owned(), name.to_owned()));
    }
    if let Some(gem) = params["arguments"]["gem"].as_str() {
        headers.push(("Mcp-Param-Gem".to_owned(), gem.to_owned()));
    }
    (json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}), headers)
}

/// Posts a message over a connection of its own.
pub fn post(address: SocketAddr, message: &Value, headers: &[(String, String)]) -> Response {
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    Connection::open(address).request("POST", PATH, &headers, message.to_string().as_bytes())
}

/// Sends a request that must be answered with 200.
pub fn ask(address: SocketAddr, method: &str, params: &Value) -> Value {
    let (message, headers) = request(method, params, &json!({}));
    let response = post(address, &message, &headers);
    assert_eq!(response.status, 200, "{method}: {}", response.text());
    assert!(response.header("mcp-session-id").is_none());
    response.json()
}

/// Calls a tool.
pub fn call(address: SocketAddr, tool: &str, arguments: &Value) -> Answer {
    tool_answer(&ask(address, "tools/call", &json!({"name": tool, "arguments": arguments})))
}
