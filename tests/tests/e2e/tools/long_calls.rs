//! Calls that take their time: they tell how far they have come to whoever asked, and stop when they are given up.

use serde_json::{Value, json};
use tests::client::Client;
use tests::server::Server;

/// Posts a call with a token; answers the messages that its stream brought, the answer last.
fn told(client: &mut Client, tool: &str, arguments: &Value) -> Vec<Value> {
    let message = json!({"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": {
        "name": tool, "arguments": arguments, "_meta": {"progressToken": "far"}}});
    let text = client.post(&message).text();
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).expect("JSON")).collect()
}

#[test]
fn failing_tests_and_searches_tell_how_far_they_have_come_class_by_class() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    client.evaluate(
        "1 to: 3 do: [:each |
            (TestCase subclass: 'Slow' , each printString instVarNames: #() inDictionary: UserGlobals)
                compile: 'testIt (Delay forMilliseconds: 30) wait' classified: 'tests']",
    );
    let calls = [
        ("list_failing_tests", json!({"dictionaryName": "UserGlobals"}), "Slow"),
        ("search_method_source", json!({"pattern": "(a|b)+c", "regex": true}), ""),
        ("find_senders", json!({"selector": "printString"}), ""),
    ];
    for (tool, arguments, class) in calls {
        let mut messages = told(&mut client, tool, &arguments);
        let answer = messages.pop().expect("an answer");
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(77), &json!(false)), "{tool}: {answer}");
        assert!(messages.len() >= 2, "{tool} tells something: {messages:?}");
        let mut before = -1;
        for message in &messages {
            let params = &message["params"];
            assert_eq!(
                (&message["method"], &params["progressToken"]),
                (&json!("notifications/progress"), &json!("far"))
            );
            let done = params["progress"].as_i64().expect("a number");
            assert!(done > before && done <= params["total"].as_i64().expect("a number"), "{tool}: {message}");
            before = done;
        }
        let last = &messages[messages.len() - 1]["params"];
        assert_eq!(last["progress"], last["total"], "{tool}: the last one says that all is done");
        assert!(messages[0]["params"]["message"].as_str().is_some_and(|text| text.starts_with(class)), "{messages:?}");
        let silent = client.call(tool, &arguments);
        assert_eq!(silent.result, answer["result"], "{tool}: the answer is the same to whoever did not ask");
    }
}

#[test]
fn a_call_that_is_given_up_stops_between_and_within_classes() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    client.evaluate(
        "| endless |
        endless := TestCase subclass: 'Endless' instVarNames: #() inDictionary: UserGlobals.
        endless compile: 'testEndless [true] whileTrue: []' classified: 'tests'.
        endless := TestCase subclass: 'Fast' instVarNames: #() inDictionary: UserGlobals.
        endless compile: 'testFast (Delay forMilliseconds: 50) wait' classified: 'tests'",
    );
    let mut beside = client.beside();
    let message = json!({"jsonrpc": "2.0", "id": 78, "method": "tools/call", "params": {
        "name": "list_failing_tests", "arguments": {"classNames": ["Fast", "Endless"]},
        "_meta": {"progressToken": 5}}});
    client.send(&message);
    let head = client.connection().head();
    assert_eq!(head.status, 200);
    let mut seen = String::new();
    while !seen.contains("Endless") {
        let chunk = client.connection().chunk().expect("readable").expect("the stream goes on");
        seen.push_str(&String::from_utf8_lossy(&chunk));
    }
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 78}});
    assert_eq!(beside.post(&cancel).status, 202);
    assert_eq!(beside.evaluate("3 + 4"), "7", "the next call does not wait for ever");
}
