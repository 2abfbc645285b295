//! The surface as an operator composes it.

use super::{ALL, listed, names};
use serde_json::{Value, json};
use tests::client::{Client, JSON_HEADERS, PATH, initialize};
use tests::http::Connection;
use tests::server::{Config, Server};

#[test]
fn a_large_surface_costs_a_client_little() {
    let config = Config::new().with("GS_MCP_TOOLSETS", "default,catalog").with("GS_MCP_ADVERTISED", "catalog");
    let server = Server::start(config);
    let mut client = Client::open(server.address);
    assert_eq!(names(&listed(&mut client)), ["tool_call", "tool_get", "tool_search"]);
    let found = client.call("tool_search", &json!({"query": "who calls a method", "limit": 3}));
    let best = found.result["structuredContent"]["tools"][0]["name"].as_str().expect("a name").to_owned();
    assert_eq!(best, "find_senders");
    let told = client.call("tool_get", &json!({ "name": best }));
    let told = &told.result["structuredContent"];
    assert_eq!((&told["pageSize"], &told["inputSchema"]["required"]), (&json!(200), &json!(["selector"])));
    let arguments = json!({"selector": "printString", "limit": 0});
    let through = client.call("tool_call", &json!({"name": best, "arguments": arguments}));
    let straight = client.call(&best, &arguments);
    assert_eq!(through.expect_text(), straight.expect_text());
    let all = client.call("tool_search", &json!({"limit": 0}));
    assert_eq!(all.result["structuredContent"]["total"], ALL.len());
    client.call("tool_call", &json!({"name": "add_dictionary", "arguments": {"dictionaryName": "Mine"}})).expect_text();
    assert!(client.call("list_dictionaries", &json!({})).expect_text().contains("Mine\n"));
}

#[test]
fn toolsets_compose_and_a_wrong_name_fails_the_opening_with_what_there_is() {
    let server = Server::start(Config::new().with("GS_MCP_TOOLSETS", "session listing"));
    let mut client = Client::open(server.address);
    let wanted: Vec<&str> = ["abort", "commit", "list_all_classes", "list_classes", "list_dictionaries"]
        .into_iter()
        .chain(["list_dictionary_entries", "refresh", "status"])
        .collect();
    assert_eq!(names(&listed(&mut client)), wanted);
    server.stop();
    for (name, value, wanted) in [
        ("GS_MCP_TOOLSETS", "session zap", "Unknown toolset(s): zap. Available: "),
        ("GS_MCP_ADVERTISED", "catalog", "Toolset(s) to be advertised that are not served: catalog. Served: "),
    ] {
        let server = Server::start(Config::new().with(name, value));
        let body = initialize("2025-11-25").to_string();
        let answer = Connection::open(server.address).request("POST", PATH, &JSON_HEADERS, body.as_bytes()).json();
        assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains(wanted)), "{answer}");
    }
}

#[test]
fn an_operator_chooses_content_or_structured_content() {
    for (results, has_text, has_data) in [("content", true, false), ("structured", false, true), ("both", true, true)] {
        let server = Server::start(Config::new().with("GS_MCP_RESULTS", results));
        let mut client = Client::open(server.address);
        for code in ["3 + 4", "1/0"] {
            let result = client.execute(code).result;
            let items = result["content"].as_array().map(Vec::len);
            assert_eq!(
                (items, result.get("structuredContent").is_some()),
                (Some(usize::from(has_text)), has_data),
                "{results}: {result}"
            );
        }
        let promised = listed(&mut client).iter().filter(|tool| tool.get("outputSchema").is_some()).count();
        assert_eq!(promised > 0, has_data, "{results}");
        let old = with_revision(&server, "2025-03-26");
        assert_eq!(old["content"][0]["text"], "7", "a peer without structured content gets the text: {old}");
        assert_eq!(old.get("structuredContent"), None);
    }
}

/// What a client of this revision gets of `3 + 4`.
fn with_revision(server: &Server, revision: &str) -> Value {
    let mut connection = Connection::open(server.address);
    let body = initialize(revision).to_string();
    let response = connection.request("POST", PATH, &JSON_HEADERS, body.as_bytes());
    let session = response.header("mcp-session-id").expect("a session").to_owned();
    let headers = [JSON_HEADERS[0], JSON_HEADERS[1], ("MCP-Session-Id", session.as_str())];
    let call = tests::client::tool_call(1, "execute_code", &json!({"code": "3 + 4"})).to_string();
    connection.request("POST", PATH, &headers, call.as_bytes()).json()["result"].clone()
}
