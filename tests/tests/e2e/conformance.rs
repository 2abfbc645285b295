//! The official conformance suite of MCP, strict, against a worker with the fixtures that it asks for; and what these
//! fixtures show without it.

use serde_json::{Value, json};
use std::process::Command;
use tests::alone::{post, request};
use tests::binaries;
use tests::client::{Client, PATH};
use tests::http::Connection;
use tests::server::{Config, Server};
use tests::tap::Tap;

/// A server whose worker has the suite's fixtures.
pub(crate) fn server() -> Server {
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
    let tap = Tap::on(&server);
    let folder = tempfile::tempdir().expect("a folder");
    // With a baseline, even an empty one, warnings are failures.
    std::fs::write(folder.path().join("baseline.yml"), "server: []\n").expect("written");
    let run = |which: &[&str]| {
        let mut command = Command::new(&node);
        command.arg(&suite).args(["server", "--url", &tap.url(), "--expected-failures", "baseline.yml"]);
        let output = command.args(which).args(["-o", "results"]).current_dir(folder.path()).output();
        let output = output.expect("node runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{which:?}: {said}");
    };
    for revision in ["2025-11-25", "2026-07-28"] {
        run(&["--requirements", revision]);
    }
    for scenario in BESIDE {
        run(&["--scenario", scenario]);
    }
    tap.finish();
    // Not one was passed over, but for the one that the suite itself never runs.
    let results = std::fs::read_dir(folder.path().join("results")).expect("results").map(|entry| {
        let path = entry.expect("an entry").path().join("checks.json");
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    });
    let results: Vec<String> = results.collect();
    assert!(results.len() >= 30 + 37 + BESIDE.len(), "{} scenarios", results.len());
    for checks in results.iter().filter(|checks| !checks.contains("tasks-status-notifications")) {
        let checks: Value = serde_json::from_str(checks).expect("JSON");
        for check in checks.as_array().expect("a list") {
            assert!(matches!(check["status"].as_str(), Some("SUCCESS" | "INFO")), "{check}");
        }
    }
}

/// Scenarios that no revision requires.
const BESIDE: &[&str] = &[
    "server-session-lifecycle",
    "server-sse-polling",
    "json-schema-2020-12",
    "http-header-validation",
    "http-custom-header-server-validation",
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-mrtr-input",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
    "tasks-status-notifications",
    "tasks-required-task-error",
    "tasks-mrtr-composition",
];

#[test]
fn mcpcheck_finds_nothing() {
    let Some(mcpcheck) = std::env::var_os("LAPIDARY_MCPCHECK") else {
        return tests::skipped("mcpcheck", "run scripts/install-test-tools.sh and then scripts/run-tests.sh");
    };
    let server = Server::start_default();
    let tap = Tap::on(&server);
    let options = ["--probe", "all", "--max-tools", "200", "--legacy-probes", "--strict", "--no-color"];
    let output = Command::new(&mcpcheck).args(options).arg(tap.url()).output().expect("mcpcheck runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    tap.finish();
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
fn a_state_that_was_changed_on_its_way_is_refused() {
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
