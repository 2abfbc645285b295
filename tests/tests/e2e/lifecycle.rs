//! A session from `initialize` to `DELETE`, and what each method of HTTP answers.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;
use tests::client::{Client, JSON_HEADERS, PATH, REVISION, initialize, with_session};
use tests::http::{Connection, Response};
use tests::server::Server;

const UNKNOWN: &str = "00000000000000000000000000000000";

#[test]
fn the_curl_line_of_the_documentation_works_as_typed() {
    let server = Server::start_default();
    let url = format!("localhost:{}/mcp", server.address.port());
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;
    let output = Command::new("curl").args(["-si", "--max-time", "20", &url, "-d", body]).output();
    let Ok(output) = output else { return tests::skipped("the curl line", "curl is not installed") };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    let (head, body) = text.split_once("\r\n\r\n").expect("head and body");
    let head = head.to_ascii_lowercase();
    assert!(head.contains("content-type: application/json"), "{head}");
    let id = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).expect("a session id");
    assert!(id.trim().len() >= 22 && id.trim().bytes().all(|byte| byte.is_ascii_graphic()), "{id}");
    let answer: Value = serde_json::from_str(body).expect("JSON");
    assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(1)));
    assert_eq!(answer["result"]["protocolVersion"], REVISION);
    assert_eq!(answer["result"]["serverInfo"]["name"], "lapidary");
    assert!(answer["result"]["capabilities"]["tools"].is_object(), "{answer}");
}

#[test]
fn initialize_answers_the_revision_that_was_asked_for_or_the_newest_with_sessions() {
    let server = Server::start_default();
    for (asked, spoken) in
        [("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("2026-07-28", REVISION), ("1999-01-01", REVISION)]
    {
        let response = post(&server, &JSON_HEADERS, &initialize(asked).to_string());
        assert_eq!(response.status, 200, "{asked}: {}", response.text());
        assert_eq!(response.json()["result"]["protocolVersion"], spoken, "{asked}");
    }
}

#[test]
fn every_session_has_a_fresh_unguessable_id_and_a_process_of_its_own() {
    let server = Server::start_default();
    let mut ids = BTreeSet::new();
    let mut gems = BTreeSet::new();
    let mut clients = Vec::new();
    for _ in 0..8 {
        let (client, gem) = server.gem_of(|| Client::open(server.address));
        assert!(ids.insert(client.session.clone()), "an id was given twice");
        assert!(gems.insert(gem), "a process was given twice");
        clients.push(client);
    }
    let prefixes: BTreeSet<&str> = ids.iter().map(|id| &id[..8]).collect();
    assert_eq!(prefixes.len(), 8, "ids share a beginning: {ids:?}");
    for mut client in clients {
        assert_eq!(client.delete(), 200);
    }
    for gem in gems {
        assert!(gem.wait_for_end(Duration::from_secs(5)), "DELETE ends the gem");
    }
}

#[test]
fn an_id_in_initialize_is_never_taken_over() {
    let server = Server::start_default();
    let first = Client::open(server.address);
    let headers = with_session(&first.session);
    let response = post(&server, &headers, &initialize(REVISION).to_string());
    if response.status == 200 {
        assert_ne!(response.header("mcp-session-id"), Some(first.session.as_str()));
    } else {
        assert!((400..500).contains(&response.status), "{}", response.text());
    }
}

#[test]
fn a_missing_id_is_400_and_an_unknown_one_404() {
    let server = Server::start_default();
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let missing = post(&server, &JSON_HEADERS, list);
    assert_eq!(missing.status, 400);
    assert!(missing.text().contains("Missing MCP-Session-Id header"), "{}", missing.text());
    let unknown = post(&server, &with_session(UNKNOWN), list);
    assert_eq!(unknown.status, 404);
    assert!(unknown.text().contains("Unknown or expired session"), "{}", unknown.text());
    let bare = request(&server, "DELETE", &[("Accept", "*/*")]);
    assert_eq!(bare.status, 400, "{}", bare.text());
    for (method, accept) in [("DELETE", "*/*"), ("GET", "text/event-stream")] {
        let stranger = request(&server, method, &[("Accept", accept), ("MCP-Session-Id", UNKNOWN)]);
        assert_eq!(stranger.status, 404, "{method}: {}", stranger.text());
    }
}

#[test]
fn delete_ends_the_gem_and_the_id_is_404_from_then_on() {
    let server = Server::start_default();
    let (mut client, gem) = server.gem_of(|| Client::open(server.address));
    assert_eq!(client.delete(), 200);
    assert!(gem.wait_for_end(Duration::from_secs(5)));
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    assert_eq!(client.post(&list).status, 404);
    assert_eq!(client.delete(), 404);
}

#[test]
fn the_one_session_there_is_never_stands_in_for_a_missing_id() {
    let server = Server::start_default();
    let _only = Client::open(server.address);
    let response = post(&server, &JSON_HEADERS, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert_eq!(response.status, 400);
}

#[test]
fn other_methods_are_405_and_other_paths_404() {
    let server = Server::start_default();
    for method in ["PUT", "PATCH", "HEAD", "TRACE", "OPTIONS"] {
        let mut connection = Connection::open(server.address);
        let bytes = connection.compose(method, PATH, &[], b"");
        connection.send(&bytes).expect("sent");
        assert_eq!(connection.head().status, 405, "{method}");
    }
    let elsewhere = Connection::open(server.address).request("POST", "/other", &JSON_HEADERS, b"{}");
    assert_eq!(elsewhere.status, 404);
}

#[test]
fn ping_and_the_list_of_tools_are_answered() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    assert_eq!(client.request("ping", &json!({}))["result"], json!({}));
    let tools = client.request("tools/list", &json!({}))["result"]["tools"].clone();
    let names: Vec<&str> = tools.as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
    for name in ["abort", "commit", "execute_code", "refresh", "status"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(names, sorted, "the list is alphabetical");
    for tool in tools.as_array().expect("tools") {
        assert!(!tool["description"].as_str().unwrap_or("").is_empty(), "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
    }
}

#[test]
fn status_names_user_session_and_stone() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    let text = client.call("status", &json!({})).expect_text().to_owned();
    let rest = text.strip_prefix("user=DataCurator session=").unwrap_or_else(|| panic!("{text}"));
    let (session, rest) = rest.split_once(' ').expect("more after the session");
    assert!(session.parse::<u64>().is_ok_and(|number| number > 0), "{text}");
    assert_eq!(rest, "stone=gs64stone uncommittedChanges=false", "{text}");
    client.evaluate("UserGlobals at: #StatusProbe put: 1");
    assert!(client.call("status", &json!({})).expect_text().ends_with("uncommittedChanges=true"));
}

#[test]
fn a_notification_is_202_without_a_body() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    for method in ["notifications/initialized", "notifications/cancelled", "notifications/unheard-of"] {
        let response = client.post(&json!({"jsonrpc": "2.0", "method": method, "params": {"requestId": 99}}));
        assert_eq!((response.status, response.body.len()), (202, 0), "{method}");
    }
}

#[test]
fn get_opens_a_stream_that_says_so_at_once() {
    let server = Server::start_default();
    let client = Client::open(server.address);
    let mut stream = Connection::open(server.address);
    let headers = [("Accept", "text/event-stream"), ("MCP-Session-Id", &client.session)];
    let bytes = stream.compose("GET", PATH, &headers, b"");
    stream.send(&bytes).expect("sent");
    let head = stream.head();
    assert_eq!(head.status, 200);
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    let first = stream.chunk().expect("a chunk").expect("no end yet");
    assert!(first.starts_with(b": connected"), "{:?}", String::from_utf8_lossy(&first));
    let mut client = client;
    assert_eq!(client.delete(), 200);
    while stream.chunk().expect("a proper end of the stream").is_some() {}
}

#[test]
fn an_unknown_revision_in_the_header_is_400() {
    let server = Server::start_default();
    let client = Client::open(server.address);
    let mut headers = with_session(&client.session);
    headers[3].1 = "1999-01-01";
    let response = post(&server, &headers, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert_eq!(response.status, 400, "{}", response.text());
    let response = post(&server, &headers[..3], r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert_eq!(response.status, 200, "without the header the negotiated revision holds: {}", response.text());
}

#[test]
fn wrong_methods_tools_and_arguments_are_refused_precisely() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    assert_eq!(client.request("no/such", &json!({}))["error"]["code"], -32601);
    for (params, code, words) in [
        (json!({"name": "no_such_tool", "arguments": {}}), -32602, "no_such_tool"),
        (json!({"arguments": {}}), -32602, "tool name"),
    ] {
        let answer = client.request("tools/call", &params);
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains(words)), "{answer}");
    }
    for (arguments, words) in
        [(json!({}), "code"), (json!({"code": "1", "cod": "2"}), "cod"), (json!({"code": 1}), "code")]
    {
        let answer = client.request("tools/call", &json!({"name": "execute_code", "arguments": arguments}));
        let text = answer.to_string();
        let refused = answer["error"].is_object() || answer["result"]["isError"] == json!(true);
        assert!(refused && text.contains(words), "{arguments}: {text}");
    }
    assert_eq!(client.evaluate("3 + 4"), "7");
}

#[test]
fn ids_come_back_as_they_were_sent() {
    let server = Server::start_default();
    let client = Client::open(server.address);
    let headers = with_session(&client.session);
    for id in ["0", "-1", "9007199254740991", r#""text""#, r#""""#, r#""\u00e9\n""#] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let response = post(&server, &headers, &body);
        assert_eq!(response.status, 200, "{id}: {}", response.text());
        assert!(response.text().contains(&format!(r#""id":{id}"#)), "{id}: {}", response.text());
    }
    for id in ["null", "1.5", "[]", "{}", "true", "9007199254740993"] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let response = post(&server, &headers, &body);
        assert_eq!(response.status, 400, "{id}: {}", response.text());
        assert_eq!(response.json()["error"]["code"], -32600, "{id}");
    }
}

fn post(server: &Server, headers: &[(&str, &str)], body: &str) -> Response {
    Connection::open(server.address).request("POST", PATH, headers, body.as_bytes())
}

fn request(server: &Server, method: &str, headers: &[(&str, &str)]) -> Response {
    Connection::open(server.address).request(method, PATH, headers, b"")
}
