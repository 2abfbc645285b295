//! 2026-07-28: every request stands for itself, and a client that wants state holds a gem by its handle.

use crate::eventually;
use serde_json::{Value, json};
use std::time::Duration;
use tests::alone::{ask, call, meta, post, request};
use tests::client::{Client, PATH};
use tests::http::Connection;
use tests::server::{Config, Server};

#[test]
fn discovery_says_what_is_served_and_how_state_works() {
    let server = Server::start_default();
    let answer = ask(server.address, "server/discover", &json!({}));
    let result = &answer["result"];
    assert_eq!((&answer["id"], &result["resultType"]), (&json!(7), &json!("complete")));
    assert_eq!(result["supportedVersions"], json!(["2026-07-28"]));
    assert!(result["ttlMs"].is_u64() && result["cacheScope"] == "private", "{result}");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "lapidary");
    assert!(result["instructions"].as_str().is_some_and(|text| text.contains("open_gem")), "{result}");
}

#[test]
fn every_tool_takes_a_gem_here_and_none_does_in_a_session() {
    let server = Server::start_default();
    let listed = ask(server.address, "tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools").clone();
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.contains(&"open_gem") && names.contains(&"close_gem"), "{names:?}");
    for tool in tools.iter().filter(|tool| tool["name"] != "open_gem") {
        assert_eq!(tool["inputSchema"]["properties"]["gem"]["x-mcp-header"], "Gem", "{tool}");
    }
    let mut client = Client::open(server.address);
    let listed = client.request("tools/list", &json!({})).to_string();
    assert!(!listed.contains("open_gem") && !listed.contains("x-mcp-header"), "{listed}");
    let refused = client.request("tools/call", &json!({"name": "open_gem", "arguments": {}}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[test]
fn a_call_runs_in_a_gem_of_its_own_which_ends_with_it() {
    let server = Server::start_default();
    for round in 0..4 {
        let seen = call(server.address, "execute_code", &json!({"code": "UserGlobals at: #Seen ifAbsent: [nil]"}));
        assert_eq!(seen.expect_text(), "nil", "round {round}");
        let left = call(server.address, "execute_code", &json!({"code": "UserGlobals at: #Seen put: 1"}));
        let told = left.result.to_string();
        assert!(told.contains("open_gem") && told.contains("UserGlobals"), "what was dropped is said: {told}");
    }
    eventually(Duration::from_secs(10), "only gems that wait are left", || {
        (server.gems().len() <= protocol::limits::GEMS_AHEAD).then_some(())
    });
}

#[test]
fn a_call_sees_the_newest_commit_even_in_a_gem_that_waited() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    for number in 0..5 {
        assert_eq!(call(server.address, "execute_code", &json!({"code": "1"})).expect_text(), "1");
        client.evaluate(&format!("UserGlobals at: #Newest put: {number}"));
        client.call("commit", &json!({}));
        let code = "UserGlobals at: #Newest ifAbsent: [nil]";
        assert_eq!(call(server.address, "execute_code", &json!({"code": code})).expect_text(), number.to_string());
    }
}

#[test]
fn what_needs_a_gem_is_refused_without_one() {
    let server = Server::start_default();
    for tool in ["commit", "abort", "refresh", "close_gem"] {
        let refused = call(server.address, tool, &json!({}));
        assert_eq!(refused.kind(), "noGem", "{tool}: {}", refused.result);
        assert!(refused.text.contains("open_gem"), "{}", refused.text);
    }
}

#[test]
fn a_gem_that_is_held_keeps_its_state_until_it_is_closed() {
    let server = Server::start_default();
    let opened = call(server.address, "open_gem", &json!({}));
    let gem = opened.result["structuredContent"]["gem"].as_str().expect("a handle").to_owned();
    assert!(gem.len() >= 32 && opened.expect_text().contains(&gem));
    let run = |code: &str| call(server.address, "execute_code", &json!({"code": code, "gem": gem}));
    assert_eq!(run("UserGlobals at: #Held put: 3").expect_text(), "3");
    assert_eq!(run("UserGlobals at: #Held").expect_text(), "3");
    let outside = json!({"code": "UserGlobals at: #Held ifAbsent: [nil]"});
    assert_eq!(call(server.address, "execute_code", &outside).expect_text(), "nil");
    assert!(!call(server.address, "commit", &json!({"gem": gem})).is_error);
    assert_eq!(call(server.address, "execute_code", &outside).expect_text(), "3");
    assert!(!call(server.address, "close_gem", &json!({"gem": gem})).is_error);
    let gone = run("1");
    assert_eq!(gone.kind(), "unknownGem", "{}", gone.result);
    assert!(gone.text.contains("open_gem"));
}

#[test]
fn a_gem_that_nobody_calls_ends_in_time() {
    let server = Server::start(Config::new().with("GS_MCP_IDLE_SECONDS", "1"));
    let opened = call(server.address, "open_gem", &json!({}));
    let gem = opened.result["structuredContent"]["gem"].as_str().expect("a handle").to_owned();
    eventually(Duration::from_secs(10), "every gem has ended", || server.gems().is_empty().then_some(()));
    assert_eq!(call(server.address, "status", &json!({"gem": gem})).kind(), "unknownGem");
}

#[test]
fn the_ladder_of_refusals_is_climbed_in_order() {
    let server = Server::start_default();
    let status = |message: &Value, headers: &[(String, String)]| {
        let response = post(server.address, message, headers);
        (response.status, response.json()["error"]["code"].clone())
    };
    let (message, headers) = request("tools/list", &json!({}), &json!({}));
    let without = |name: &str| headers.iter().filter(|(given, _)| given != name).cloned().collect::<Vec<_>>();
    let bare = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {}});
    assert_eq!(status(&bare, &headers), (400, json!(-32602)));
    assert_eq!(status(&message, &without("MCP-Protocol-Version")), (400, json!(-32020)));
    assert_eq!(status(&message, &without("Mcp-Method")), (400, json!(-32020)));
    for gone in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such"] {
        let (message, headers) = request(gone, &json!({}), &json!({}));
        assert_eq!(status(&message, &headers), (404, json!(-32601)), "{gone}");
    }
    let mut foreign = meta(&json!({}));
    foreign["io.modelcontextprotocol/protocolVersion"] = json!("v999.0.0");
    let (message, mut headers) = request("tools/list", &json!({ "_meta": foreign }), &json!({}));
    assert_eq!(status(&message, &headers), (400, json!(-32020)), "the header differs");
    headers
        .iter_mut()
        .filter(|(name, _)| name == "MCP-Protocol-Version")
        .for_each(|(_, value)| *value = "v999.0.0".into());
    let response = post(server.address, &message, &headers);
    let error = response.json()["error"].clone();
    assert_eq!((response.status, &error["code"]), (400, &json!(-32022)));
    assert_eq!(error["data"], json!({"supported": ["2026-07-28"], "requested": "v999.0.0"}));
    let (message, headers) = request("tools/call", &json!({"name": "status", "arguments": {"gem": "x"}}), &json!({}));
    let without: Vec<_> = headers.into_iter().filter(|(name, _)| name != "Mcp-Param-Gem").collect();
    assert_eq!(status(&message, &without), (400, json!(-32020)), "a header is missing that repeats an argument");
}

#[test]
fn only_post_is_served_without_sessions() {
    let server = Server::start_default();
    for method in ["GET", "DELETE"] {
        let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Accept", "text/event-stream")];
        let response = Connection::open(server.address).request(method, PATH, &headers, b"");
        assert_eq!((response.status, response.header("allow")), (405, Some("POST")), "{method}");
    }
}

#[test]
fn a_client_that_goes_away_has_cancelled_its_call() {
    let server = Server::start_default();
    let opened = call(server.address, "open_gem", &json!({}));
    let gem = opened.result["structuredContent"]["gem"].as_str().expect("a handle").to_owned();
    let arguments = json!({"code": "[true] whileTrue", "gem": gem});
    let (message, headers) =
        request("tools/call", &json!({"name": "execute_code", "arguments": arguments}), &json!({}));
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut leaving = Connection::open(server.address);
    let bytes = leaving.compose("POST", PATH, &headers, message.to_string().as_bytes());
    leaving.send(&bytes).expect("sent");
    // The call behind it is answered only once the loop has ended, which by itself it never does.
    drop(leaving);
    assert_eq!(call(server.address, "execute_code", &json!({"code": "3 + 4", "gem": gem})).expect_text(), "7");
}

#[test]
fn an_operator_may_leave_the_stateless_revision_out() {
    let server = Server::start(Config::new().with("GS_MCP_REVISIONS", "2025-11-25,2025-06-18"));
    let (message, headers) = request("server/discover", &json!({}), &json!({}));
    let response = post(server.address, &message, &headers);
    assert_eq!(response.status, 400);
    let code = response.json()["error"]["code"].as_i64();
    assert!(!matches!(code, Some(-32020..=-32000)), "no code by which a client would stay in this era: {code:?}");
    assert_eq!(Client::open(server.address).evaluate("3 + 4"), "7");
}
