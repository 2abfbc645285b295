//! Calls that go on after their client was answered: the extension for tasks.

use crate::conformance::server as with_fixtures;
use crate::eventually;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tests::alone::{post, request};
use tests::binaries;
use tests::client::{Client, PATH, tool_answer};
use tests::http::{Connection, Response};
use tests::processes::children;
use tests::server::{Config, Server};

const EXTENSION: &str = "io.modelcontextprotocol/tasks";

fn abilities() -> Value {
    json!({"elicitation": {}, "extensions": {EXTENSION: {}}})
}

fn respond(address: SocketAddr, method: &str, params: &Value, abilities: &Value) -> Response {
    let (message, headers) = request(method, params, abilities);
    post(address, &message, &headers)
}

/// Asks as a client that knows tasks; the answer must be a result.
fn ask(server: &Server, method: &str, params: &Value) -> Value {
    let response = respond(server.address, method, params, &abilities());
    assert_eq!(response.status, 200, "{}", response.text());
    let answer = response.json();
    assert!(answer["result"].is_object(), "{answer}");
    answer["result"].clone()
}

fn call(server: &Server, tool: &str, arguments: &Value) -> Value {
    ask(server, "tools/call", &json!({"name": tool, "arguments": arguments}))
}

/// Calls a tool, which must make a task; answers the task's id.
fn start(server: &Server, tool: &str, arguments: &Value) -> String {
    let made = call(server, tool, arguments);
    assert_eq!((&made["resultType"], &made["status"]), (&json!("task"), &json!("working")), "{made}");
    assert!(made["ttlMs"].as_u64() > Some(0) && made["pollIntervalMs"].as_u64() > Some(0), "{made}");
    assert!(
        ["result", "error", "inputRequests", "requestState"].iter().all(|name| made.get(*name).is_none()),
        "{made}"
    );
    made["taskId"].as_str().expect("an id").to_owned()
}

fn get(server: &Server, task: &str) -> Value {
    ask(server, "tasks/get", &json!({"taskId": task}))
}

/// The task once it is no more in this status.
fn after(server: &Server, task: &str, status: &str) -> Value {
    eventually(Duration::from_secs(30), "the task goes on", || {
        Some(get(server, task)).filter(|task| task["status"] != status)
    })
}

/// The task once it has ended.
fn ended(server: &Server, task: &str) -> Value {
    eventually(Duration::from_secs(30), "the task ends", || {
        Some(get(server, task)).filter(|task| task["status"] != "working" && task["status"] != "input_required")
    })
}

fn code(response: &Response) -> (u16, Value) {
    (response.status, response.json()["error"]["code"].clone())
}

#[test]
fn a_call_that_takes_long_becomes_a_task_and_a_short_one_does_not() {
    let server = Server::start_default();
    let short = call(&server, "execute_code", &json!({"code": "3 + 4"}));
    assert_eq!((&short["resultType"], &short["content"][0]["text"]), (&json!("complete"), &json!("7")));
    let task = start(&server, "execute_code", &json!({"code": "[true] whileTrue"}));
    assert_eq!(get(&server, &task)["status"], "working");
    assert_eq!(ask(&server, "tasks/cancel", &json!({"taskId": task}))["resultType"], "complete");
    let ended = after(&server, &task, "working");
    assert_eq!((&ended["status"], ended.get("result")), (&json!("cancelled"), None), "{ended}");
    assert_eq!(ask(&server, "tasks/cancel", &json!({"taskId": task}))["resultType"], "complete", "it is over already");
    let code = "| end | end := System microsecondClock + 6000000. [System microsecondClock < end] whileTrue. 42";
    let task = start(&server, "execute_code", &json!({"code": code}));
    let ended = after(&server, &task, "working");
    assert_eq!(ended["status"], "completed", "{ended}");
    assert_eq!(ended["result"]["content"][0]["text"], "42", "{ended}");
}

#[test]
fn a_gem_lasts_as_long_as_the_task_in_it_and_no_longer_than_its_call_otherwise() {
    let server = with_fixtures();
    let task = start(&server, "slow_compute", &json!({"seconds": 1, "label": "x"}));
    let (handle, _) = task.split_once('-').expect("a task is named by its gem");
    assert_eq!(handle.len(), 32);
    let ended = after(&server, &task, "working");
    assert_eq!(ended["result"]["content"][0]["text"], "Computed x in 1 s.", "{ended}");
    assert_eq!(get(&server, &task), ended, "it is kept");
    let as_gem = call(&server, "greet", &json!({"name": "x", "gem": handle}));
    assert_eq!(as_gem["structuredContent"]["error"]["kind"], "unknownGem", "nobody holds it: {as_gem}");
    assert_eq!(get(&server, &task), ended, "and that has ended nothing");
    // Gems are children of the zygote, which is one of the router.
    for zygote in children(server.router().pid) {
        for gem in children(zygote.pid) {
            gem.kill();
        }
    }
    eventually(Duration::from_secs(10), "what died with its gem is unknown", || {
        let response = respond(server.address, "tasks/get", &json!({"taskId": task}), &abilities());
        (code(&response) == (200, json!(-32602))).then_some(())
    });
}

#[test]
fn a_tool_that_fails_has_completed_and_a_call_without_a_result_has_failed() {
    let server = with_fixtures();
    let task = start(&server, "failing_job", &json!({}));
    let ended = after(&server, &task, "working");
    assert_eq!((&ended["status"], &ended["result"]["isError"]), (&json!("completed"), &json!(true)), "{ended}");
    let task = start(&server, "protocol_error_job", &json!({}));
    let ended = after(&server, &task, "working");
    assert_eq!((&ended["status"], &ended["error"]["code"]), (&json!("failed"), &json!(-32021)), "{ended}");
}

#[test]
fn a_task_asks_its_client_by_way_of_the_task() {
    let server = with_fixtures();
    let task = start(&server, "multi_input", &json!({}));
    let parked = after(&server, &task, "working");
    assert_eq!(parked["status"], "input_required", "{parked}");
    assert_eq!(parked["inputRequests"].as_object().expect("questions").len(), 2, "{parked}");
    let accept = json!({"action": "accept", "content": {"confirm": true}});
    let update = |responses: Value| {
        let done = ask(&server, "tasks/update", &json!({"taskId": task, "inputResponses": responses}));
        assert_eq!(done["resultType"], "complete");
        get(&server, &task)
    };
    let still = update(json!({"first": accept, "unheard-of": 1, "second": "no answer that fits"}));
    assert_eq!((&still["status"], still["inputRequests"].get("first")), (&json!("input_required"), None), "{still}");
    assert!(still["inputRequests"]["second"].is_object(), "{still}");
    update(json!({"second": accept}));
    assert_eq!(ended(&server, &task)["status"], "completed");
    let invalid = respond(server.address, "tasks/update", &json!({"taskId": task}), &abilities());
    assert_eq!(code(&invalid), (200, json!(-32602)));

    let waiting = start(&server, "confirm_delete", &json!({"filename": "f"}));
    assert_eq!(after(&server, &waiting, "working")["status"], "input_required");
    ask(&server, "tasks/cancel", &json!({"taskId": waiting}));
    // It works again for a moment: whoever waited for the answer learns that none will come.
    assert_eq!(ended(&server, &waiting)["status"], "cancelled");
}

#[test]
fn clients_that_do_not_know_tasks_get_none() {
    let server = with_fixtures();
    let plain = json!({"elicitation": {}});
    let tool = json!({"name": "slow_compute", "arguments": {"seconds": 1}, "task": {"ttl": 1}});
    let done = respond(server.address, "tools/call", &tool, &plain).json();
    assert_eq!(done["result"]["resultType"], "complete", "{done}");
    let only = json!({"name": "failing_job", "arguments": {}});
    let refused = respond(server.address, "tools/call", &only, &plain);
    assert_eq!(code(&refused), (400, json!(-32021)));
    let needed = &refused.json()["error"]["data"]["requiredCapabilities"];
    assert_eq!(*needed, json!({"extensions": {EXTENSION: {}}}));
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let refused = respond(server.address, method, &json!({"taskId": "x"}), &plain);
        assert_eq!(code(&refused), (400, json!(-32021)), "{method}");
    }
    let listening = json!({"notifications": {"taskIds": ["x"]}});
    assert_eq!(code(&respond(server.address, "subscriptions/listen", &listening, &plain)), (400, json!(-32021)));
    for gone in ["tasks/list", "tasks/result"] {
        assert_eq!(code(&respond(server.address, gone, &json!({}), &abilities())), (404, json!(-32601)), "{gone}");
    }
    let mut session = Client::open(server.address);
    let opened = session.request("tools/list", &json!({}));
    assert!(!opened.to_string().contains("taskSupport"), "the older tasks are not declared");
    assert_eq!(session.call("failing_job", &json!({})).kind(), "taskNeeded");
    assert_eq!(session.request("tasks/get", &json!({"taskId": "x"}))["error"]["code"], -32601);
}

#[test]
fn tasks_are_found_by_their_header_which_must_agree() {
    let server = with_fixtures();
    let task = start(&server, "slow_compute", &json!({"seconds": 1}));
    let unknown = format!("{}-1", "0".repeat(32));
    for id in ["nonsense", &unknown, &format!("{}9", task)] {
        let response = respond(server.address, "tasks/get", &json!({"taskId": id}), &abilities());
        assert_eq!(code(&response), (200, json!(-32602)), "{id}: {}", response.text());
    }
    let (message, mut headers) = request("tasks/get", &json!({"taskId": task}), &abilities());
    headers.retain(|(name, _)| name != "Mcp-Name");
    assert_eq!(code(&post(server.address, &message, &headers)), (400, json!(-32020)));
    headers.push(("Mcp-Name".to_owned(), "other".to_owned()));
    assert_eq!(code(&post(server.address, &message, &headers)), (400, json!(-32020)));
}

#[test]
fn who_listens_to_a_task_hears_what_becomes_of_it() {
    let server = with_fixtures();
    let task = start(&server, "confirm_delete", &json!({"filename": "f"}));
    let filter = json!({"notifications": {"taskIds": [task, "unknown"]}});
    let (message, headers) = request("subscriptions/listen", &filter, &abilities());
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut stream = Connection::open(server.address);
    let bytes = stream.compose("POST", PATH, &headers, message.to_string().as_bytes());
    stream.send(&bytes).expect("sent");
    assert_eq!(stream.head().status, 200);
    let mut next = || {
        let chunk = String::from_utf8(stream.chunk().expect("a chunk").expect("no end")).expect("text");
        let data = chunk.lines().find_map(|line| line.strip_prefix("data: ")).expect("data").to_owned();
        serde_json::from_str::<Value>(&data).expect("JSON")
    };
    assert_eq!(next()["params"]["notifications"], json!({"taskIds": [task]}), "only what can be heard of");
    after(&server, &task, "working");
    let accept = json!({"confirm": {"action": "accept", "content": {"confirm": true}}});
    ask(&server, "tasks/update", &json!({"taskId": task, "inputResponses": accept}));
    let mut seen = Vec::new();
    let last = loop {
        let told = next();
        assert_eq!((&told["method"], &told["params"]["taskId"]), (&json!("notifications/tasks"), &json!(task)));
        assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 7, "{told}");
        seen.push(told["params"]["status"].as_str().expect("a status").to_owned());
        if seen.last().is_some_and(|status| status == "completed") {
            break told;
        }
    };
    assert!(seen.contains(&"working".to_owned()), "{seen:?}");
    assert_eq!(last["params"]["result"]["content"][0]["text"], "f: deleted", "{last}");
}

#[test]
fn a_task_in_a_gem_that_is_held_is_named_by_it_and_calls_wait_behind_it() {
    let server = with_fixtures();
    let opened = call(&server, "open_gem", &json!({}));
    let gem = opened["structuredContent"]["gem"].as_str().expect("a handle").to_owned();
    let task = start(&server, "slow_compute", &json!({"seconds": 2, "gem": gem}));
    assert!(task.starts_with(&format!("{gem}-")), "{task}");
    // Answered after the task, since a gem does one thing after the other.
    let behind = call(&server, "greet", &json!({"name": "x", "gem": gem}));
    assert_eq!(behind["content"][0]["text"], "Hello, x!");
    assert_eq!(get(&server, &task)["status"], "completed");
    assert_eq!(call(&server, "close_gem", &json!({"gem": gem}))["isError"], false);
    let response = respond(server.address, "tasks/get", &json!({"taskId": task}), &abilities());
    assert_eq!(code(&response), (200, json!(-32602)), "whoever closes the gem has done with its tasks");
}

#[test]
fn handles_and_tasks_are_bounded_together() {
    let worker = binaries::find("conformance-worker");
    let config = Config::new().with("GS_MCP_WORKER_BINARY", worker.to_str().expect("a path of text"));
    let server = Server::start(config.with("GS_MCP_TOOLSETS", "conformance").with("GS_MCP_MAX_GEMS", "8"));
    for _ in 0..3 {
        assert_eq!(call(&server, "open_gem", &json!({}))["isError"], false);
    }
    let task = start(&server, "slow_compute", &json!({"seconds": 1}));
    let full = call(&server, "open_gem", &json!({}));
    assert_eq!(full["structuredContent"]["error"]["kind"], "tooManyGems", "{full}");
    let done = call(&server, "slow_compute", &json!({"seconds": 1}));
    assert_eq!(done["resultType"], "complete", "where no task may be made the call is answered by its outcome: {done}");
    let refused = call(&server, "failing_job", &json!({}));
    assert_eq!(refused["structuredContent"]["error"]["kind"], "taskNeeded", "{refused}");
    assert_eq!(after(&server, &task, "working")["status"], "completed");
}

#[test]
fn questions_come_before_a_task_where_a_tool_asks_first() {
    let server = with_fixtures();
    let tool = json!({"name": "test_tool_with_task", "arguments": {}});
    let asked = ask(&server, "tools/call", &tool);
    assert_eq!((&asked["resultType"], asked.get("taskId")), (&json!("input_required"), None), "{asked}");
    let mut again = tool;
    again["requestState"] = asked["requestState"].clone();
    again["inputResponses"] = json!({"user_name": {"action": "accept", "content": {"name": "Alice"}}});
    let made = ask(&server, "tools/call", &again);
    assert_eq!((&made["resultType"], made.get("requestState")), (&json!("task"), None), "{made}");
    let ended = after(&server, made["taskId"].as_str().expect("an id"), "working");
    assert!(tool_answer(&json!({ "result": ended["result"] })).text.contains("Alice"), "{ended}");
}
