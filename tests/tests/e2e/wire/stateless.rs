//! Rows of the revision without sessions.

use super::Outcome::{Error, Failed, Result, Text};
use super::{Group, Opening, request, row, run};
use serde_json::{Value, json};
use tests::alone::meta;

/// Parameters with the metadata of a plain client beside these.
pub(super) fn enveloped(mut params: Value) -> Value {
    if params.get("_meta").is_none() {
        params["_meta"] = meta(&json!({}));
    }
    params
}

fn ask(id: &str, method: &str, params: Value) -> String {
    request(id, method, &enveloped(params))
}

fn call(id: &str, tool: &str, arguments: &Value) -> String {
    ask(id, "tools/call", json!({"name": tool, "arguments": arguments}))
}

fn metadata(version: &Value, capabilities: &Value) -> Value {
    json!({"_meta": {"io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": capabilities}})
}

fn refusal_rows() -> Vec<super::Row> {
    let version = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}});
    vec![
        row("no capabilities", &[&ask("1", "tools/list", version)], &[(json!(1), Error(-32602))]),
        row(
            "capabilities that are none",
            &[&ask("1", "tools/list", metadata(&json!("2026-07-28"), &json!([])))],
            &[(json!(1), Error(-32602))],
        ),
        row(
            "a revision that is not served",
            &[&ask("\"x\"", "tools/list", metadata(&json!("v999.0.0"), &json!({})))],
            &[(json!("x"), Error(-32022))],
        ),
        row("no such method", &[&ask("1", "no/such", json!({}))], &[(json!(1), Error(-32601))]),
        row("a method of sessions", &[&ask("1", "ping", json!({}))], &[(json!(1), Error(-32601))]),
        row("no such tool", &[&call("1", "none", &json!({}))], &[(json!(1), Error(-32602))]),
        row(
            "arguments that are none",
            &[&ask("1", "tools/call", json!({"name": "status", "arguments": 7}))],
            &[(json!(1), Error(-32602))],
        ),
        row("a handle of no gem", &[&call("1", "status", &json!({"gem": "h"}))], &[(json!(1), Failed("unknownGem"))]),
        row("a commit without a gem", &[&call("1", "commit", &json!({}))], &[(json!(1), Failed("noGem"))]),
        row(
            "a task of a client that has none",
            &[&ask("1", "tasks/get", json!({"taskId": "t"}))],
            &[(json!(1), Error(-32021))],
        ),
        row("a batch", &[&format!("[{}]", ask("1", "tools/list", json!({})))], &[(Value::Null, Error(-32600))]),
        row("no JSON", &["{"], &[(Value::Null, Error(-32700))]),
    ]
}

#[test]
fn requests_that_stand_for_themselves() {
    let code = |text: &str| json!({ "code": text });
    let mut rows = vec![
        row("discovery", &[&ask("\"d\"", "server/discover", json!({}))], &[(json!("d"), Result)]),
        row(
            "one id for everything",
            &[&call("1", "execute_code", &code("3")), &call("1", "execute_code", &code("4"))],
            &[(json!(1), Text("3")), (json!(1), Text("4"))],
        ),
        row("a notification", &[r#"{"jsonrpc":"2.0","method":"notifications/no"}"#], &[]),
    ];
    rows.extend(refusal_rows());
    run(&[Group { opening: Opening::Stateless, settings: &[], rows }]);
}
