//! Calls and their answers, word for word.

use crate::support::{Gem, SESSION, Zygote, call, prepare, text};
use protocol::gem::{GemLimits, Prepare, Results, down, up};
use serde_json::{Value, json};

#[test]
fn a_gem_introduces_itself() {
    let zygote = Zygote::start();
    let mut gem = zygote.open(1, &prepare());
    let (status, body) = gem.ask(r#"{"jsonrpc":"2.0","id":"\u0061","method":"initialize","params":{}}"#);
    assert_eq!((status, &body["id"]), (200, &json!("a")));
    let result = &body["result"];
    assert_eq!(result["protocolVersion"], "2025-11-25");
    assert_eq!(result["capabilities"], json!({"tools": {"listChanged": false}, "logging": {}}));
    assert_eq!(result["serverInfo"], json!({"name": "lapidary", "version": env!("CARGO_PKG_VERSION")}));
    assert!(result["instructions"].as_str().is_some_and(|text| text.contains("commit")));
    let (_, body) = gem.ask(r#"{"jsonrpc":"2.0","id":-0,"method":"ping"}"#);
    assert_eq!(body["result"], json!({}));
    assert_eq!(gem.ask(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), (202, Value::Null));
    assert_eq!(gem.ask(r#"{"jsonrpc":"2.0","id":9,"result":{}}"#), (202, Value::Null));
    let named = Prepare {
        server_name: Some("mine".to_owned()),
        server_version: Some("9".to_owned()),
        title: Some("My image".to_owned()),
        ..prepare()
    };
    let (_, body) = zygote.open(2, &named).ask(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#);
    assert_eq!(body["result"]["serverInfo"], json!({"name": "mine", "version": "9", "title": "My image"}));
}

fn names(body: &Value) -> Vec<&str> {
    body["result"]["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect()
}

/// What a client sees without any configuration.
const ALL: &[&str] = &[
    "abort",
    "add_dictionary",
    "commit",
    "compile_class_definition",
    "compile_method",
    "delete_class",
    "delete_method",
    "describe_class",
    "describe_test_failure",
    "execute_code",
    "export_class_source",
    "find_implementors",
    "find_references_to",
    "find_senders",
    "get_class_definition",
    "get_class_hierarchy",
    "get_method_source",
    "list_all_classes",
    "list_classes",
    "list_dictionaries",
    "list_dictionary_entries",
    "list_failing_tests",
    "list_methods",
    "list_test_classes",
    "refresh",
    "remove_dictionary",
    "run_test_class",
    "run_test_method",
    "search_method_source",
    "set_class_comment",
    "status",
];

/// What it sees of them in a read-only session: the one list of what is safe there.
const SAFE: &[&str] = &[
    "abort",
    "describe_class",
    "describe_test_failure",
    "export_class_source",
    "find_implementors",
    "find_references_to",
    "find_senders",
    "get_class_definition",
    "get_class_hierarchy",
    "get_method_source",
    "list_all_classes",
    "list_classes",
    "list_dictionaries",
    "list_dictionary_entries",
    "list_failing_tests",
    "list_methods",
    "list_test_classes",
    "refresh",
    "run_test_class",
    "run_test_method",
    "search_method_source",
    "status",
];

#[test]
fn tools_are_listed_and_gated() {
    const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let zygote = Zygote::start();
    let mut gem = zygote.open(1, &prepare());
    let (_, body) = gem.ask(LIST);
    assert_eq!(names(&body), ALL);
    for tool in body["result"]["tools"].as_array().expect("tools") {
        assert_eq!(tool["inputSchema"]["additionalProperties"], json!(false), "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        assert!(tool["icons"][0]["src"].as_str().is_some_and(|icon| icon.starts_with("data:image/svg")), "{tool}");
    }
    assert_eq!(body["result"]["tools"][9]["inputSchema"]["required"], json!(["code"]));
    let (_, body) = gem.ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}"#);
    assert_eq!(body["error"]["code"], -32602);
    let mut gem = zygote.open(2, &Prepare { read_only: true, ..prepare() });
    assert_eq!(names(&gem.ask(LIST).1), SAFE);
    let (_, body) = gem.ask(&call(1, "commit", &json!({})));
    assert_eq!(body["error"]["code"], -32601);
    assert_eq!(body["error"]["message"], "'commit' is not available: the server is read-only");
    assert_eq!(body["error"]["data"]["kind"], "readOnly");
    let mut gem = zygote.open(3, &Prepare { toolsets: vec!["session".to_owned()], ..prepare() });
    assert_eq!(names(&gem.ask(LIST).1), ["abort", "commit", "refresh", "status"]);
}

#[test]
fn what_is_advertised_and_what_is_only_registered_is_the_operators_choice() {
    const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let zygote = Zygote::start();
    let (toolsets, advertised) = (words(&["default", "catalog"]), words(&["catalog", "execution"]));
    let mut gem = zygote.open(1, &Prepare { toolsets: toolsets.clone(), ..prepare() });
    assert_eq!(names(&gem.ask(LIST).1).len(), ALL.len() + 3);
    let mut gem = zygote.open(2, &Prepare { toolsets: toolsets.clone(), advertised: advertised.clone(), ..prepare() });
    assert_eq!(names(&gem.ask(LIST).1), ["execute_code", "tool_call", "tool_get", "tool_search"]);
    let found = gem.call("tool_search", json!({"query": "status"}));
    assert_eq!(found["structuredContent"]["tools"][0]["advertised"], false, "{found}");
    let direct = text(&gem.call("status", json!({}))).to_owned();
    assert!(direct.starts_with("user=DataCurator"), "it can be called all the same: {direct}");
    assert_eq!(text(&gem.call("tool_call", json!({"name": "status"}))), direct);
    let read_only = Prepare { toolsets, advertised, read_only: true, ..prepare() };
    let mut gem = zygote.open(3, &read_only);
    assert_eq!(names(&gem.ask(LIST).1), ["tool_call", "tool_get", "tool_search"]);
    let refused = gem.call("tool_call", json!({"name": "commit"}));
    assert_eq!(refused["structuredContent"]["error"]["kind"], "readOnly", "{refused}");
    assert_eq!(gem.call("tool_search", json!({"limit": 0}))["structuredContent"]["total"], SAFE.len());
}

#[test]
fn the_operator_chooses_what_clients_get_of_an_answer() {
    let zygote = Zygote::start();
    let gem = |number, results| zygote.open(number, &Prepare { results, ..prepare() });
    let mut both = gem(1, Results::Both);
    let answer = both.call("execute_code", json!({"code": "3 + 4"}));
    assert_eq!((text(&answer), &answer["structuredContent"]["printString"]), ("7", &json!("7")));
    let mut content = gem(2, Results::Content);
    let answer = content.call("execute_code", json!({"code": "3 + 4"}));
    assert_eq!((text(&answer), answer.get("structuredContent")), ("7", None));
    let failed = content.call("execute_code", json!({"code": "1/0"}));
    assert_eq!((&failed["isError"], failed.get("structuredContent")), (&json!(true), None));
    let (_, list) = content.ask(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert!(list["result"]["tools"][0].get("outputSchema").is_none(), "nothing is promised that does not come");
    let mut structured = gem(3, Results::Structured);
    let answer = structured.call("execute_code", json!({"code": "UserGlobals at: #Kept put: 7"}));
    assert_eq!(answer["structuredContent"]["printString"], "7");
    let said = answer["content"].as_array().expect("content");
    assert_eq!(said.len(), 1, "what is said of the session is said once, and stays");
    assert!(text(&answer).starts_with("[session]"), "{answer}");
    let failed = structured.call("execute_code", json!({"code": "1/0"}));
    assert_eq!(failed["structuredContent"]["error"]["class"], "ZeroDivide", "{failed}");
}

#[test]
fn broken_requests_are_errors_of_the_protocol() {
    let zygote = Zygote::start();
    let mut gem = zygote.open(1, &prepare());
    let table = [
        (r#""method":"nope""#, -32601, "Method not found: nope", "notFound"),
        (r#""method":"tools/call""#, -32602, "Missing tool name", "invalidParams"),
        (r#""method":"tools/call","params":{"name":null}"#, -32602, "Missing tool name", "invalidParams"),
        (
            r#""method":"tools/call","params":{"name":7}"#,
            -32602,
            "Missing tool name: \"name\" must be a string",
            "invalidParams",
        ),
        (r#""method":"tools/call","params":{"name":"x"}"#, -32602, "Unknown tool: x", "notFound"),
        (
            r#""method":"tools/call","params":["execute_code",{}]"#,
            -32602,
            "Invalid params: they must be an object",
            "invalidParams",
        ),
        (
            r#""method":"tools/call","params":{"name":"status","arguments":[]}"#,
            -32602,
            "Invalid params: \"arguments\" must be an object",
            "invalidParams",
        ),
        (
            r#""method":"tools/call","params":{"name":"status","name":"abort"}"#,
            -32602,
            "Invalid params: a member is given twice or is not JSON",
            "invalidParams",
        ),
    ];
    for (members, code, message, kind) in table {
        let (status, body) = gem.ask(&format!(r#"{{"jsonrpc":"2.0","id":3,{members}}}"#));
        assert_eq!((status, &body["id"]), (200, &json!(3)));
        assert_eq!(body["error"], json!({"code": code, "message": message, "data": {"kind": kind}}));
    }
    let (status, body) = gem.ask("{");
    assert_eq!((status, &body["error"]["code"]), (400, &json!(-32700)));
    let deep = format!(r#"{{"name":"status","arguments":{{"x":{}{}}}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    let (_, body) = gem.ask(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{deep}}}"#));
    assert_eq!(body["error"]["code"], -32602);
}

#[test]
fn wrong_arguments_are_told_to_the_model() {
    let zygote = Zygote::start();
    let mut gem = zygote.open(1, &prepare());
    let table = [
        ("execute_code", json!({}), "Missing required argument(s): code"),
        ("execute_code", json!({"code": "1", "b": 1, "a": 1}), "Unknown argument(s): a, b. Allowed: code"),
        ("execute_code", json!({"code": 7}), "Invalid argument code: value is not of type \"string\""),
        ("status", json!({"x": 1}), "Unknown argument(s): x. This tool takes no arguments."),
    ];
    for (tool, arguments, wanted) in table {
        let result = gem.call(tool, arguments);
        assert_eq!((&result["isError"], text(&result)), (&json!(true), wanted));
        assert_eq!(result["structuredContent"]["error"], json!({"kind": "invalidParams", "message": wanted}));
    }
}

#[test]
fn code_runs_and_errors_are_told() {
    let zygote = Zygote::start();
    let mut gem = zygote.open(1, &prepare());
    assert_eq!(gem.run("3 + 4"), "7");
    assert_eq!(gem.run("'it''s'"), "'it''s'");
    let result = gem.call("execute_code", json!({"code": "3 / 0"}));
    let error = &result["structuredContent"]["error"];
    assert_eq!((&error["kind"], &error["class"]), (&json!("other"), &json!("ZeroDivide")));
    let message = error["message"].as_str().expect("a message");
    assert!(text(&result).starts_with(&format!("ZeroDivide: {message}")), "{result}");
    assert!(error["frames"].is_array(), "{result}");
    let result = gem.call("execute_code", json!({"code": "3 +"}));
    assert_eq!(result["structuredContent"]["error"]["kind"], "compileError");
    let result = gem.call("execute_code", json!({"code": "String new: 60000"}));
    let shown = text(&result);
    assert!(shown.ends_with("...[truncated: showing 50000 of 60002 characters]"), "{}", &shown[shown.len() - 80..]);
    assert_eq!(gem.run("3 + 4"), "7");
}

fn ends_with(gem: &mut Gem, code: &str, kind: &str) {
    let result = gem.call("execute_code", json!({ "code": code }));
    assert_eq!(result["structuredContent"]["error"]["kind"], kind, "{result}");
    assert_eq!(gem.run("3 + 4"), "7");
}

#[test]
fn limits_end_a_call_and_not_the_session() {
    let zygote = Zygote::start();
    let limits = GemLimits { heap_bytes: 32 << 20, stack_bytes: 8 << 20, ..prepare().limits };
    let mut gem = zygote.open(1, &Prepare { limits, ..prepare() });
    ends_with(&mut gem, "| a | a := nil. a := [:n | (a value: n + 1) + 1]. a value: 1", "stackDepth");
    let hoard = "| a | a := nil. [true] whileTrue: [a := Array with: a with: (Array new: 100)]";
    ends_with(&mut gem, hoard, "outOfMemory");
    let limits = GemLimits { call_millis: 300, ..limits };
    let mut gem = zygote.open(2, &Prepare { limits, ..prepare() });
    ends_with(&mut gem, "[true] whileTrue", "timeout");
}

#[test]
fn the_session_tools_answer_in_their_words() {
    let zygote = Zygote::start();
    let mut gem = zygote.open(1, &prepare());
    let clean = format!("user=DataCurator session={SESSION} stone=gs64stone uncommittedChanges=false");
    let result = gem.call("status", json!({}));
    assert_eq!(text(&result), clean);
    let data = json!({"user": "DataCurator", "session": SESSION, "stone": "gs64stone", "uncommittedChanges": false, "changes": []});
    assert_eq!(result["structuredContent"], data);
    assert_eq!(text(&gem.call("commit", json!({}))), "Transaction committed.");
    assert_eq!(text(&gem.call("refresh", json!({}))), "View refreshed.");
    gem.run("UserGlobals at: #Answer put: 42");
    let result = gem.call("status", json!({}));
    assert!(text(&result).ends_with("uncommittedChanges=true"), "{result}");
    let aside = "[session] Uncommitted changes, which only this session sees until commit:\n  UserGlobals";
    assert_eq!(result["content"][1]["text"], aside, "{result}");
    assert_eq!(result["structuredContent"]["changes"], json!(["UserGlobals"]));
    assert_eq!(text(&gem.call("refresh", json!({}))), "View refreshed; uncommitted changes kept.");
    let result = gem.call("commit", json!({}));
    assert_eq!(result["isError"], true, "{result}");
    assert!(text(&result).starts_with("Commit failed on conflict: "), "{result}");
    assert!(text(&result).contains("Nothing was written and your changes are still here."), "{result}");
    assert_eq!(result["structuredContent"]["error"]["kind"], "commitConflict");
    assert_eq!(gem.run("UserGlobals at: #Answer"), "42");
    let aborted = "Transaction aborted; uncommitted changes discarded and the view refreshed.";
    assert_eq!(text(&gem.call("abort", json!({}))), aborted);
    assert_eq!(text(&gem.call("status", json!({}))), clean);
}

#[test]
fn ping_and_lists_do_not_wait_for_a_call() {
    let zygote = Zygote::start();
    let mut gem = zygote.open(1, &prepare());
    let running = gem.spin(1);
    let exchange = gem.exchange();
    gem.control.message(exchange, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert_eq!(gem.control.answer(exchange).1["result"], json!({}));
    let exchange = gem.exchange();
    gem.control.message(exchange, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    assert_eq!(names(&gem.control.answer(exchange).1), ALL);
    gem.control.send(down::CANCEL, running, &[]);
    let (_, body) = gem.calls.answer(running);
    assert_eq!(body["result"]["structuredContent"]["error"]["kind"], "interrupted", "{body}");
    assert_eq!(gem.run("3 + 4"), "7");
}

#[test]
fn a_cancel_by_id_stops_its_call_and_no_other() {
    let zygote = Zygote::start();
    let mut gem = zygote.open(1, &prepare());
    let first = gem.spin(1);
    let second = gem.spin(2);
    for id in [2, 7, 1] {
        let exchange = gem.exchange();
        let params = json!({ "requestId": id });
        let notice = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        gem.control.message(exchange, &notice.to_string());
        assert_eq!(gem.control.answer(exchange), (202, Value::Null));
    }
    for exchange in [first, second] {
        let (_, body) = gem.calls.answer(exchange);
        assert_eq!(body["result"]["structuredContent"]["error"]["kind"], "interrupted", "{body}");
    }
    assert_eq!(gem.run("3 + 4"), "7");
}

#[test]
fn progress_is_reported_to_a_client_that_asks() {
    let zygote = Zygote::start();
    let mut gem = zygote.open(1, &prepare());
    gem.run("TestCase subclass: 'Slow' instVarNames: #() inDictionary: UserGlobals");
    gem.run("Slow compile: 'testIt ^3'");
    let exchange = gem.exchange();
    let params =
        json!({"name": "list_failing_tests", "arguments": {"classNames": ["Slow"]}, "_meta": {"progressToken": "p"}});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    gem.calls.message(exchange, &request.to_string());
    let frame = gem.calls.next().expect("progress");
    assert_eq!((frame.kind, frame.exchange), (up::MESSAGE, exchange));
    let told: Value = serde_json::from_slice(&frame.body).expect("JSON");
    let wanted = json!({"progressToken": "p", "progress": 0, "total": 1, "message": "Slow"});
    assert_eq!((&told["method"], &told["params"]), (&json!("notifications/progress"), &wanted));
    let last = gem.calls.next().expect("the last report");
    let told: Value = serde_json::from_slice(&last.body).expect("JSON");
    assert_eq!((&told["params"]["progress"], &told["params"]["total"]), (&json!(1), &json!(1)));
    let (_, body) = gem.calls.answer(exchange);
    assert_eq!(body["result"]["structuredContent"]["passed"], 1, "{body}");
    for token in ["1.5", "null", "{}", "[1]"] {
        let params = format!(r#"{{"name":"list_failing_tests","arguments":{{}},"_meta":{{"progressToken":{token}}}}}"#);
        let (_, body) = gem.ask(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#));
        assert_eq!(body["result"]["isError"], false, "{token}");
    }
}
