//! The official conformance suite of MCP, strict, against a worker with the fixtures that it asks for; and what these
//! fixtures show without it.

use serde_json::{Value, json};
use std::process::Command;
use tests::alone::{post, request};
use tests::binaries;
use tests::client::{Client, PATH};
use tests::http::Connection;
use tests::server::{Config, Server};

fn server() -> Server {
    let worker = binaries::find("conformance-worker");
    let worker = worker.to_str().expect("a path of text");
    Server::start(Config::new().with("GS_MCP_WORKER_BINARY", worker).with("GS_MCP_TOOLSETS", "conformance"))
}

#[test]
fn the_official_suite_passes_strictly() {
    let (Some(node), Some(suite)) = (std::env::var_os("LAPIDARY_NODE"), std::env::var_os("LAPIDARY_CONFORMANCE"))
    else {
        return tests::skipped(
            "the conformance suite",
            "run scripts/install-test-tools.sh and then scripts/run-tests.sh",
        );
    };
    let server = server();
    let folder = tempfile::tempdir().expect("a folder");
    // With a baseline, even an empty one, warnings are failures.
    std::fs::write(folder.path().join("baseline.yml"), "server: []\n").expect("written");
    for revision in ["2025-11-25", "2026-07-28"] {
        let mut command = Command::new(&node);
        command.arg(&suite).args(["server", "--url", &server.url(), "--requirements", revision]);
        command.args(["--expected-failures", "baseline.yml", "-o", revision]).current_dir(folder.path());
        let output = command.output().expect("node runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{revision}: {said}");
    }
}

#[test]
fn progress_comes_before_the_answer_and_every_event_of_a_session_has_an_id() {
    let server = server();
    let mut client = Client::open(server.address);
    let message = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {
        "name": "test_tool_with_progress", "arguments": {}, "_meta": {"progressToken": "p"}}});
    let response = client.post(&message);
    let text = response.text();
    assert!(text.starts_with("id: ") && text.contains("retry: 1000\ndata:\n\n"), "it is primed: {text}");
    let ids: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
    assert_eq!(ids.len(), 5, "a priming event, three of progress, the answer: {text}");
    assert_eq!(text.matches("notifications/progress").count(), 3, "{text}");
    assert_eq!(response.json()["id"], 5);
    let headers =
        [("Accept", "text/event-stream"), ("MCP-Session-Id", client.session.as_str()), ("Last-Event-ID", ids[3])];
    let resumed = Connection::open(server.address).request("GET", PATH, &headers, b"");
    assert_eq!(resumed.json()["id"], 5, "what was missed is read on: {}", resumed.text());
    assert_eq!(resumed.text().matches("event: message").count(), 1, "and nothing twice: {}", resumed.text());
}

#[test]
fn a_handler_that_asks_is_written_once_for_both_eras() {
    let server = server();
    let alice = json!({"action": "accept", "content": {"name": "Alice"}});
    let abilities = json!({"elicitation": {}});
    let call = json!({"name": "test_input_required_result_elicitation", "arguments": {}});
    let (message, headers) = request("tools/call", &call, &abilities);
    let asked = post(server.address, &message, &headers).json()["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert_eq!(asked["inputRequests"]["user_name"]["method"], "elicitation/create");
    let mut again = call.clone();
    again["inputResponses"] = json!({ "user_name": alice });
    again["requestState"] = asked["requestState"].clone();
    let (message, headers) = request("tools/call", &again, &abilities);
    let answered = post(server.address, &message, &headers).json();
    assert_eq!(answered["result"]["content"][0]["text"], "Hello, Alice!", "{answered}");
    again["requestState"] = json!(format!("{}x", asked["requestState"].as_str().expect("text")));
    let (message, headers) = request("tools/call", &again, &abilities);
    assert_eq!(post(server.address, &message, &headers).json()["error"]["code"], -32602);
    assert_eq!(in_a_session(&server, &call, &alice)["content"][0]["text"], "Hello, Alice!");
}

/// Calls a tool in a session whose client answers the one question that it is asked.
fn in_a_session(server: &Server, call: &Value, answer: &Value) -> Value {
    let mut connection = Connection::open(server.address);
    let mut opening = tests::client::initialize("2025-11-25");
    opening["params"]["capabilities"] = json!({"elicitation": {}});
    let headers = tests::client::JSON_HEADERS;
    let opened = connection.request("POST", PATH, &headers, opening.to_string().as_bytes());
    let session = opened.header("mcp-session-id").expect("an id").to_owned();
    let headers = tests::client::with_session(&session);
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call});
    let bytes = connection.compose("POST", PATH, &headers, message.to_string().as_bytes());
    connection.send(&bytes).expect("sent");
    connection.head();
    let mut seen = String::new();
    let data = |seen: &str| {
        let messages = seen.lines().filter_map(|line| line.strip_prefix("data: ").map(str::to_owned));
        messages.filter_map(|data| serde_json::from_str::<Value>(&data).ok()).collect::<Vec<_>>()
    };
    loop {
        let chunk = connection.chunk().expect("a chunk").expect("no end yet");
        seen.push_str(&String::from_utf8(chunk).expect("text"));
        let messages = data(&seen);
        if let Some(done) = messages.iter().find(|message| message["id"] == 1) {
            return done["result"].clone();
        }
        if let [question] = messages.as_slice() {
            let reply = json!({"jsonrpc": "2.0", "id": question["id"], "result": answer});
            let mut beside = Connection::open(server.address);
            assert_eq!(beside.request("POST", PATH, &headers, reply.to_string().as_bytes()).status, 202);
        }
    }
}

#[test]
fn a_change_that_one_gem_tells_of_reaches_who_listens_and_nobody_else() {
    let server = server();
    let listen = |filter: Value| {
        let (message, headers) = request("subscriptions/listen", &json!({ "notifications": filter }), &json!({}));
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let mut stream = Connection::open(server.address);
        let bytes = stream.compose("POST", PATH, &headers, message.to_string().as_bytes());
        stream.send(&bytes).expect("sent");
        assert_eq!(stream.head().status, 200);
        let first = String::from_utf8(stream.chunk().expect("a chunk").expect("no end")).expect("text");
        assert!(first.contains("notifications/subscriptions/acknowledged") && !first.contains("id: "), "{first}");
        stream
    };
    let mut tools = listen(json!({"toolsListChanged": true}));
    let mut prompts = listen(json!({"promptsListChanged": true}));
    tests::alone::call(server.address, "test_trigger_tool_change", &json!({}));
    tests::alone::call(server.address, "test_trigger_prompt_change", &json!({}));
    for (stream, method) in [(&mut tools, "tools"), (&mut prompts, "prompts")] {
        let event = String::from_utf8(stream.chunk().expect("a chunk").expect("no end")).expect("text");
        assert!(event.contains(&format!("notifications/{method}/list_changed")), "{event}");
        assert!(event.contains("\"io.modelcontextprotocol/subscriptionId\":7"), "{event}");
    }
}
