//! Rows of the revisions with sessions, and of what may come before one.

use super::Outcome::{Error, ErrorOfKind, Failed, Result, Text};
use super::{ARRIVED, Group, Opening, cancel, execute, request, row, run};
use protocol::limits::{CALLS_IN_FLIGHT_MAX, CALLS_QUEUED_MAX};
use serde_json::{Value, json};

const NONE: Value = Value::Null;
const LOOP: &str = "[true] whileTrue";

#[test]
fn what_comes_first_is_survived_and_answered() {
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "m".repeat(200));
    let rows = vec![
        row("no JSON", &["garbage"], &[(NONE, Error(-32700))]),
        row("half a message", &[r#"{"jsonrpc":"2.0","id":1"#], &[(NONE, Error(-32700))]),
        row("two messages at once", &[r#"{"jsonrpc":"2.0"}{"jsonrpc":"2.0"}"#], &[(NONE, Error(-32700))]),
        row("a number", &["7"], &[(NONE, Error(-32600))]),
        row("an empty batch", &["[]"], &[(NONE, Error(-32600))]),
        row("another JSON-RPC", &[r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#], &[(json!(1), Error(-32600))]),
        row("no JSON-RPC", &[r#"{"id":1,"method":"ping"}"#], &[(json!(1), Error(-32600))]),
        row("a method that is none", &[r#"{"jsonrpc":"2.0","id":1,"method":7}"#], &[(json!(1), Error(-32600))]),
        row("a long method", &[&long], &[(json!(1), Error(-32600))]),
        row("an id that is none", &[r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#], &[(NONE, Error(-32600))]),
        row("a fraction as an id", &[r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#], &[(NONE, Error(-32600))]),
        row("a call without a session", &[&execute("1", "3")], &[(json!(1), Error(-32600))]),
    ];
    run(&[Group { opening: Opening::Nothing, settings: &[], rows }]);
}

fn id_rows() -> Vec<super::Row> {
    let ping = |id: &str| request(id, "ping", &json!({}));
    vec![
        row(
            "ids come back as they went",
            &[&ping("0"), &ping("-1"), &ping("9007199254740991"), &ping("\"\""), &ping("\"1\""), &ping("\"\\u0061\"")],
            &[
                (json!(0), Result),
                (json!(-1), Result),
                (json!(9_007_199_254_740_991_i64), Result),
                (json!(""), Result),
                (json!("1"), Result),
                (json!("a"), Result),
            ],
        ),
        row(
            "one id for everything",
            &[&execute("1", "3"), &execute("1", "4"), &ping("1")],
            &[(json!(1), Text("3")), (json!(1), Text("4")), (json!(1), Result)],
        ),
    ]
}

fn cancel_rows() -> Vec<super::Row> {
    let ping = |id: &str| request(id, "ping", &json!({}));
    // What is cancelled gets nothing; the call behind it shows that it has ended.
    let cancelled = |what, id: &str, named: &str| {
        row(
            what,
            &[&execute(id, LOOP), ARRIVED, &ping("2"), &cancel(named), &execute("3", "7")],
            &[(json!(2), Result), (json!(3), Text("7"))],
        )
    };
    vec![
        cancelled("a number is cancelled", "1", "1"),
        cancelled("a string is cancelled", "\"a\"", "\"a\""),
        cancelled("a string is cancelled by another spelling", "\"a\"", "\"\\u0061\""),
        cancelled("another spelling is cancelled by a plain one", "\"\\u0061\"", "\"a\""),
        cancelled("a number is cancelled by another spelling", "10", "1e1"),
        row(
            "a number is not the string of it",
            &[&execute("1", LOOP), ARRIVED, &cancel("\"1\""), &ping("2"), &cancel("1"), &execute("3", "7")],
            &[(json!(2), Result), (json!(3), Text("7"))],
        ),
        row("nothing is cancelled that is not there", &[&cancel("99"), &execute("1", "7")], &[(json!(1), Text("7"))]),
        row(
            "a cancel that names nothing",
            &[r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#, &execute("1", "7")],
            &[(json!(1), Text("7"))],
        ),
    ]
}

fn method_rows() -> Vec<super::Row> {
    let call = |params: Value| request("1", "tools/call", &params);
    vec![
        row("no such method", &[&request("1", "no/such", &json!({}))], &[(json!(1), Error(-32601))]),
        row("no such tool", &[&call(json!({"name": "none"}))], &[(json!(1), Error(-32602))]),
        row("no tool at all", &[&call(json!({}))], &[(json!(1), Error(-32602))]),
        row(
            "arguments that are no object",
            &[&call(json!({"name": "status", "arguments": 7}))],
            &[(json!(1), Error(-32602))],
        ),
        row("a notification that nobody knows", &[r#"{"jsonrpc":"2.0","method":"notifications/no"}"#], &[]),
        row("an answer to nothing", &[r#"{"jsonrpc":"2.0","id":77,"result":{}}"#], &[]),
        row("no JSON", &["{"], &[(NONE, Error(-32700))]),
        row(
            "a member twice",
            &[r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}"#],
            &[(json!(1), Error(-32600))],
        ),
        row("a batch", &[r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#], &[(NONE, Error(-32600))]),
        row(
            "a ping passes a call",
            &[&execute("1", LOOP), ARRIVED, &request("2", "ping", &json!({})), &cancel("1"), &execute("3", "1")],
            &[(json!(2), Result), (json!(3), Text("1"))],
        ),
    ]
}

#[test]
fn ids_cancels_and_methods_in_a_session() {
    let rows = || id_rows().into_iter().chain(cancel_rows()).chain(method_rows()).collect();
    run(&[Group { opening: Opening::Session("2025-11-25"), settings: &[], rows: rows() }]);
}

#[test]
fn batches_in_a_session_that_has_them() {
    let batch = |parts: &[String]| format!("[{}]", parts.join(","));
    let ping = |id: &str| request(id, "ping", &json!({}));
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned();
    let whole = batch(&[ping("1"), execute("2", "7"), initialized.clone(), ping("\"x\"")]);
    let many = batch(&(0..65).map(|id| ping(&id.to_string())).collect::<Vec<_>>());
    let rows = vec![
        row(
            "requests and a notification",
            &[&whole],
            &[(json!(1), Result), (json!(2), Text("7")), (json!("x"), Result)],
        ),
        row("notifications only", &[&batch(&[initialized.clone(), initialized])], &[]),
        row("an empty one", &["[]"], &[(NONE, Error(-32600))]),
        row("one with a part that is none", &[&batch(&[ping("1"), "7".to_owned()])], &[(NONE, Error(-32600))]),
        row("more parts than are served", &[&many], &[(NONE, Error(-32600))]),
        row(
            "initialize in one",
            &[&batch(&[tests::client::initialize("2025-03-26").to_string()])],
            &[(NONE, Error(-32600))],
        ),
        row(
            "a call in one is cancelled by the next",
            &[&batch(&[execute("5", LOOP)]), ARRIVED, &batch(&[cancel("5"), execute("6", "1")])],
            &[(json!(6), Text("1"))],
        ),
    ];
    run(&[Group { opening: Opening::Session("2025-03-26"), settings: &[], rows }]);
}

#[test]
fn what_is_too_much_is_refused_alike() {
    let most = CALLS_IN_FLIGHT_MAX + CALLS_QUEUED_MAX;
    let calls: Vec<String> = (1..=most + 1).map(|id| execute(&id.to_string(), LOOP)).collect();
    let over = json!(most + 1);
    let mut messages: Vec<&str> = calls[..most].iter().map(String::as_str).collect();
    messages.extend([ARRIVED, &calls[most]]);
    let cancels: Vec<String> = (1..=most).map(|id| cancel(&id.to_string())).collect();
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":"{}"}}"#, "x".repeat(4 << 20));
    let refused = row("one call too many", &messages, &[(over, ErrorOfKind(-32603, "overloaded"))]);
    let refused = super::Row { leaves_running: true, ..refused };
    messages = cancels.iter().map(String::as_str).collect();
    let given_up = row("all of them are given up", &messages, &[]);
    let rows = vec![refused, given_up, row("a message that is too long", &[&long], &[(NONE, Error(-32600))])];
    run(&[Group { opening: Opening::Session("2025-11-25"), settings: &[], rows }]);
}

#[test]
fn a_call_over_its_time_ends_alike() {
    let rows = vec![row(
        "a loop",
        &[&execute("1", LOOP), &execute("2", "7")],
        &[(json!(1), Failed("timeout")), (json!(2), Text("7"))],
    )];
    run(&[Group { opening: Opening::Session("2025-11-25"), settings: &[("GS_MCP_CALL_SECONDS", "1")], rows }]);
}
