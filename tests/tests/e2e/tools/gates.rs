//! What a read-only session can reach: what is on the audit list, and no commit by any way.

use super::{ALL, SAFE, listed, make_shapes, names};
use serde_json::json;
use tests::client::Client;
use tests::server::{Config, Server};

#[test]
fn a_read_only_session_is_served_what_the_audit_list_says_and_told_why_not_the_rest() {
    let server = Server::start(Config::new().with("GS_MCP_READONLY", "1").with("GS_MCP_TOOLSETS", "default catalog"));
    let mut client = Client::open(server.address);
    let mut wanted = SAFE.to_vec();
    wanted.extend(["tool_call", "tool_get", "tool_search"]);
    wanted.sort_unstable();
    assert_eq!(names(&listed(&mut client)), wanted);
    for gated in ALL.iter().filter(|name| !SAFE.contains(name)) {
        let error = client.request("tools/call", &json!({"name": gated, "arguments": {}}))["error"].clone();
        assert_eq!((&error["code"], &error["data"]["kind"]), (&json!(-32601), &json!("readOnly")), "{gated}");
        assert_eq!(error["message"], format!("'{gated}' is not available: the server is read-only"));
        let around = client.call("tool_call", &json!({"name": gated}));
        assert_eq!(around.kind(), "readOnly", "{gated}");
    }
    let unknown = client.request("tools/call", &json!({"name": "zap", "arguments": {}}))["error"].clone();
    assert_eq!((&unknown["code"], &unknown["data"]["kind"]), (&json!(-32602), &json!("notFound")));
}

#[test]
fn no_test_of_a_read_only_session_can_commit() {
    let writing = Server::start_default();
    let mut writer = Client::open(writing.address);
    make_shapes(&mut writer);
    writer.evaluate(
        "ShapeTest compile: 'testWrites UserGlobals at: #Written put: 1. self assert: System commitTransaction'
            classified: 'tests'.
        ShapeTest compile: 'testDebugs [self error: ''on purpose''] on: Error do: [:ex |
            UserGlobals at: #Written put: 2. System commit. ex retryUsing: [System commitTransaction]]'
            classified: 'tests'",
    );
    writer.call("commit", &json!({})).expect_text();
    let reading = Server::start(Config::new().at(writing.home()).with("GS_MCP_READONLY", "1"));
    let mut reader = Client::open(reading.address);
    for test in ["testWrites", "testDebugs"] {
        for tool in ["run_test_method", "describe_test_failure"] {
            let answer = reader.call(tool, &json!({"className": "ShapeTest", "selector": test}));
            assert!(
                !answer.text.contains("1 passed") && !answer.text.contains("passed (no failure)"),
                "{}",
                answer.text
            );
        }
    }
    reader.call("list_failing_tests", &json!({"classNames": ["ShapeTest"]})).expect_text();
    writer.call("refresh", &json!({})).expect_text();
    assert_eq!(writer.evaluate("UserGlobals includesKey: #Written"), "false", "nothing of it reached the repository");
}

#[test]
fn a_toolset_with_nothing_safe_is_dropped_whole() {
    let only = Config::new().with("GS_MCP_READONLY", "1").with("GS_MCP_TOOLSETS", "mutation execution session");
    let server = Server::start(only);
    let mut client = Client::open(server.address);
    assert_eq!(names(&listed(&mut client)), ["abort", "refresh", "status"]);
}
