//! A server of a third party, built on the worker as a library: its own tools and nothing of ours, behind our router.

use crate::eventually;
use serde_json::{Value, json};
use std::time::Duration;
use tests::alone;
use tests::binaries;
use tests::client::{Client, JSON_HEADERS, PATH, initialize, tool_call};
use tests::http::Connection;
use tests::server::{Config, Server};

fn config() -> Config {
    let worker = binaries::find("vendor-worker");
    Config::new().with("GS_MCP_WORKER_BINARY", worker.to_str().expect("a path of text"))
}

fn tools(client: &mut Client) -> Vec<Value> {
    client.request("tools/list", &json!({}))["result"]["tools"].as_array().expect("tools").clone()
}

#[test]
fn a_vendor_serves_its_own_tools_and_only_those() {
    let server = Server::start(config());
    let mut client = Client::open(server.address);
    let listed = tools(&mut client);
    assert_eq!(listed.iter().map(|tool| &tool["name"]).collect::<Vec<_>>(), ["balance", "deposit"]);
    let schema = &listed[1]["inputSchema"];
    assert_eq!(schema["required"], json!(["owner", "cents"]));
    assert_eq!(schema["properties"]["cents"]["description"], "How much, in cents.");
    assert_eq!(
        (&schema["properties"]["cents"]["maximum"], &schema["additionalProperties"]),
        (&json!(1_000_000), &json!(false))
    );
    let error =
        client.request("tools/call", &json!({"name": "execute_code", "arguments": {"code": "1"}}))["error"].clone();
    assert_eq!(error["code"], -32602, "what it does not bring is not there: {error}");
    let body = initialize("2025-11-25").to_string();
    let hello = Connection::open(server.address).request("POST", PATH, &JSON_HEADERS, body.as_bytes()).json();
    let instructions = hello["result"]["instructions"].as_str().expect("instructions");
    assert!(instructions.contains("deposit") && !instructions.contains("execute_code"), "{instructions}");
}

#[test]
fn its_handlers_get_typed_arguments_and_work_in_the_image() {
    let server = Server::start(config());
    let mut client = Client::open(server.address);
    let deposit = |owner: &str, cents: u32| json!({"owner": owner, "cents": cents});
    let answer = client.call("deposit", &deposit("O'Neill", 250));
    assert_eq!(answer.expect_text(), "O'Neill has 250 cents");
    assert_eq!(answer.result["structuredContent"], json!({"owner": "O'Neill", "cents": 250}));
    let mut draft = deposit("O'Neill", 50);
    draft["visibility"] = json!("draft");
    let drafted = client.call("deposit", &draft);
    assert_eq!((drafted.expect_text(), drafted.notes.len()), ("O'Neill has 300 cents", 1));
    let mut other = Client::open(server.address);
    let seen = other.call("balance", &json!({"owner": "O'Neill"}));
    assert_eq!(seen.expect_text(), "O'Neill has 250 cents", "a draft is nobody else's");
    for (arguments, wanted) in [
        (json!({"owner": "x"}), "Missing required argument(s): cents"),
        (deposit("x", 0), "Invalid argument cents: "),
        (json!({"owner": "x", "cents": 1, "visibility": "secret"}), "Invalid argument visibility: "),
        (deposit("", 1), "nobody has no account"),
    ] {
        let refused = client.call("deposit", &arguments);
        assert!(refused.expect_error().contains(wanted), "{arguments}: {}", refused.text);
        assert_eq!(refused.kind(), "invalidParams");
    }
}

#[test]
fn its_undeclared_tools_are_gated_where_nothing_may_change() {
    let server = Server::start(config().with("GS_MCP_READONLY", "1"));
    let mut client = Client::open(server.address);
    assert_eq!(tools(&mut client).iter().map(|tool| &tool["name"]).collect::<Vec<_>>(), ["balance"]);
    assert_eq!(client.call("balance", &json!({"owner": "x"})).expect_text(), "x has 0 cents");
    let error = client.request("tools/call", &json!({"name": "deposit", "arguments": {}}))["error"].clone();
    assert_eq!((&error["code"], &error["data"]["kind"]), (&json!(-32601), &json!("readOnly")));
}

fn faulty() -> Server {
    Server::start(config().with("GS_MCP_TOOLSETS", "accounts faults"))
}

#[test]
fn a_panic_is_answered_as_internal_and_ends_its_gem_alone() {
    let server = faulty();
    let mut other = Client::open(server.address);
    other.call("deposit", &json!({"owner": "x", "cents": 5, "visibility": "draft"})).expect_text();
    for (way, logged) in [("panic", "a tool panics"), ("heap", "heap fault: ")] {
        let mut client = Client::open(server.address);
        let failed = client.call("fail", &json!({ "way": way }));
        assert!(failed.expect_error().contains("had not committed is lost"), "{way}: {}", failed.text);
        assert_eq!((failed.kind(), failed.notes.len()), ("internal", 0), "{way}: {}", failed.result);
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        let gone = || (client.post(&ping).status == 404).then_some(());
        eventually(Duration::from_secs(5), "the session is gone", gone);
        let log = server.home().log();
        assert!(log.contains(logged) && log.contains("panicked at"), "{way}:\n{log}");
        let mut fresh = Client::open(server.address);
        let seen = fresh.call("balance", &json!({"owner": "left"}));
        assert_eq!(seen.expect_text(), "left has 0 cents", "{way}: what was not committed is nobody's");
    }
    let own = other.call("balance", &json!({"owner": "x"}));
    assert_eq!((own.expect_text(), own.notes.len()), ("x has 5 cents", 1));
}

#[test]
fn a_panic_within_a_panic_ends_the_gem_as_a_crash_does() {
    let server = faulty();
    let mut other = Client::open(server.address);
    let mut client = Client::open(server.address);
    let answer = client.post(&tool_call(9, "fail", &json!({"way": "twice"}))).json();
    assert_eq!(answer["error"]["data"]["kind"], "workerDied", "{answer}");
    assert_eq!(other.call("balance", &json!({"owner": "x"})).expect_text(), "x has 0 cents");
}

#[test]
fn a_panic_without_a_session_is_answered_as_well() {
    let server = faulty();
    let failed = alone::call(server.address, "fail", &json!({"way": "heap"}));
    assert_eq!(failed.kind(), "internal", "{}", failed.result);
    let seen = alone::call(server.address, "balance", &json!({"owner": "left"}));
    assert_eq!(seen.expect_text(), "left has 0 cents");
}
