//! The whole tool surface through the real wire: what is listed, what each tool answers, how each fails, and the edges.

mod catalog;
mod edges;
mod failures;
mod gates;
mod long_calls;
mod successes;
mod surface;

use serde_json::{Value, json};
use tests::client::Client;

/// All tools that are served without configuration.
const ALL: [&str; 31] = [
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

/// The audit list: what a read-only session is served, and nothing else.
const SAFE: [&str; 22] = [
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

/// What `tools/list` says.
fn listed(client: &mut Client) -> Vec<Value> {
    client.request("tools/list", &json!({}))["result"]["tools"].as_array().expect("tools").clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect()
}

/// A class with a method on each side, a subclass, a test class; committed.
fn make_shapes(client: &mut Client) {
    client.evaluate(
        "Object subclass: 'Shape' instVarNames: #( sides) classVars: #( Count) classInstVars: #()
            poolDictionaries: #() inDictionary: UserGlobals options: #().
        TestCase subclass: 'ShapeTest' instVarNames: #() inDictionary: UserGlobals",
    );
    client.evaluate("Shape subclass: 'Square' instVarNames: #() inDictionary: UserGlobals");
    client.evaluate(
        "Shape compile: 'sides ^sides' classified: 'accessing'.
        Shape compile: 'corners ^self sides' classified: 'accessing'.
        Shape class compile: 'polygon: n ^Square new sides: n' classified: 'instances'.
        ShapeTest compile: 'testGood self assert: true' classified: 'tests'.
        ShapeTest compile: 'testBad self assert: false' classified: 'tests'.
        ShapeTest compile: 'testLost Shape new zork' classified: 'tests'.
        Shape comment: 'A figure.'",
    );
    assert_eq!(client.call("commit", &json!({})).expect_text(), "Transaction committed.");
}
