//! Each tool at work, its text word for word, and its data as its schema says.

use super::{ALL, listed, make_shapes};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use tests::client::Client;
use tests::server::Server;

/// A call in the order in which it is made, and what its text is, or, ending in `...`, begins with.
type Call = (&'static str, Value, &'static str);

fn calls() -> Vec<Call> {
    let mut calls = reading();
    calls.extend(testing());
    calls.extend(changing());
    calls
}

fn reading() -> Vec<Call> {
    let shape = || json!({"className": "Shape"});
    vec![
        ("execute_code", json!({"code": "| x | x := 6. x * 7"}), "42"),
        ("status", json!({}), "user=DataCurator session=..."),
        ("refresh", json!({}), "View refreshed."),
        ("abort", json!({}), "Transaction aborted; uncommitted changes discarded and the view refreshed."),
        ("commit", json!({}), "Transaction committed."),
        ("list_dictionaries", json!({"limit": 1}), "(showing 1-1 of ..."),
        ("list_classes", json!({"dictionaryName": "UserGlobals"}), "Shape\nShapeTest\nSquare\n"),
        ("list_all_classes", json!({"limit": 1}), "(showing 1-1 of ..."),
        (
            "list_dictionary_entries",
            json!({"dictionaryName": "UserGlobals"}),
            "Shape  (class)\nShapeTest  (class)\nSquare  (class)\nUserGlobals  (global)\n",
        ),
        (
            "describe_class",
            shape(),
            "name=Shape\nsuperclass=Object\ninstVarNames=anArray( #'sides')\nselectors=anArray( #'corners', #'sides')",
        ),
        ("export_class_source", shape(), "set compile_env: 0\n! ------------------- Class definition for Shape\n..."),
        ("get_class_definition", shape(), "Object subclass: 'Shape'\n  instVarNames: #( sides)\n..."),
        ("get_class_hierarchy", shape(), "Object\n  Shape\nDirect subclasses:\n  Square\n"),
        ("get_method_source", json!({"className": "Shape", "selector": "corners"}), "corners ^self sides"),
        (
            "list_methods",
            shape(),
            "Instance methods:\n  accessing\n    corners\n    sides\n\nClass methods:\n  instances\n    polygon:\n",
        ),
        ("find_implementors", json!({"selector": "polygon:"}), "Shape class>>polygon:  [instances]\n"),
        ("find_senders", json!({"selector": "zork"}), "ShapeTest>>testLost  [tests]\n"),
        ("find_references_to", json!({"name": "Square"}), "Shape class>>polygon:  [instances]\n"),
        ("search_method_source", json!({"pattern": "^self sides"}), "Shape>>corners\n"),
    ]
}

fn testing() -> Vec<Call> {
    let test = |selector: &str| json!({"className": "ShapeTest", "selector": selector});
    vec![
        ("list_test_classes", json!({"dictionaryName": "UserGlobals"}), "ShapeTest\n"),
        (
            "run_test_class",
            json!({"className": "ShapeTest"}),
            "ShapeTest: 3 run, 1 passed, 1 failed, 1 errors\n  FAIL  ShapeTest debug: #testBad\n  ERROR ShapeTest \
             debug: #testLost\n",
        ),
        ("run_test_method", test("testGood"), "ShapeTest>>testGood: 1 run, 1 passed, 0 failed, 0 errors"),
        (
            "list_failing_tests",
            json!({"classNames": ["ShapeTest"]}),
            "FAIL  ShapeTest debug: #testBad\nERROR ShapeTest debug: #testLost\n",
        ),
        ("describe_test_failure", test("testGood"), "ShapeTest>>testGood passed (no failure)."),
        ("describe_test_failure", test("testLost"), "ShapeTest>>testLost - MessageNotUnderstood: ..."),
    ]
}

fn changing() -> Vec<Call> {
    let define = |variables: &str| {
        json!({"source": format!("Object subclass: 'Tool' instVarNames: #({variables}) classVars: #() classInstVars: #() \
            poolDictionaries: #() inDictionary: UserGlobals options: #()")})
    };
    vec![
        ("add_dictionary", json!({"dictionaryName": "Attic"}), "Created dictionary: Attic"),
        ("remove_dictionary", json!({"dictionaryName": "Attic"}), "Removed dictionary: Attic"),
        ("compile_class_definition", define("a"), "Compiled and committed class: Tool"),
        ("compile_method", json!({"className": "Tool", "source": "a ^a"}), "Compiled Tool and committed."),
        (
            "compile_class_definition",
            define("a b"),
            "Redefined Tool; recompiled 1/1 methods; all recompiled. Committed.",
        ),
        (
            "set_class_comment",
            json!({"className": "Tool", "comment": "It helps."}),
            "Comment set on Tool and committed.",
        ),
        ("delete_method", json!({"className": "Tool", "selector": "a"}), "Deleted method Tool>>a and committed."),
        ("delete_class", json!({"className": "Tool"}), "Deleted class Tool from UserGlobals and committed."),
    ]
}

#[test]
fn every_tool_answers_its_text_and_the_data_that_it_promised() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    make_shapes(&mut client);
    let schemas: BTreeMap<String, Value> = listed(&mut client)
        .into_iter()
        .map(|tool| (tool["name"].as_str().expect("a name").to_owned(), tool["outputSchema"].clone()))
        .collect();
    let mut called = BTreeSet::new();
    for (tool, arguments, wanted) in calls() {
        let answer = client.call(tool, &arguments);
        let text = answer.expect_text();
        match wanted.strip_suffix("...") {
            Some(beginning) => assert!(text.starts_with(beginning), "{tool}: {text}"),
            None => assert_eq!(text, wanted, "{tool}"),
        }
        let data = &answer.result["structuredContent"];
        jsonschema::draft202012::new(&schemas[tool])
            .expect("a schema")
            .validate(data)
            .unwrap_or_else(|error| panic!("{tool}: {error}\n{data}"));
        called.insert(tool);
    }
    assert!(called.into_iter().eq(ALL), "every tool is called");
    assert!(client.call("status", &json!({})).expect_text().ends_with("uncommittedChanges=false"));
    let mut other = Client::open(server.address);
    assert_eq!(other.evaluate("UserGlobals includesKey: #Tool"), "false", "all of it was committed");
}

#[test]
fn data_say_what_a_program_wants_to_know() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    make_shapes(&mut client);
    let mut data = |tool: &str, arguments: Value| client.call(tool, &arguments).result["structuredContent"].clone();
    let failure = data("describe_test_failure", json!({"className": "ShapeTest", "selector": "testLost"}));
    assert_eq!((&failure["class"], &failure["selector"]), (&json!("MessageNotUnderstood"), &json!("zork")));
    assert_eq!((&failure["receiver"], &failure["status"]), (&json!("aShape"), &json!("error")));
    assert_eq!(failure["frames"], json!(["ShapeTest>>testLost (line 1)"]));
    let run = data("run_test_class", json!({"className": "ShapeTest"}));
    assert_eq!(
        (&run["run"], &run["passed"], &run["failed"], &run["errors"]),
        (&json!(3), &json!(1), &json!(1), &json!(1))
    );
    let several = data("run_test_class", json!({"className": ["ShapeTest", "Nope"]}));
    assert_eq!(several["results"][0]["answer"]["run"], 3);
    assert_eq!(several["results"][1]["error"]["kind"], "notFound");
    let found = data("find_senders", json!({"selector": ["zork", "corners"]}));
    assert_eq!(
        (&found["results"][0]["answer"]["total"], &found["results"][1]["answer"]["total"]),
        (&json!(1), &json!(0))
    );
    let page = data("list_methods", json!({"className": "Shape", "limit": 2}));
    assert_eq!((page["methods"].as_array().map(Vec::len), &page["nextOffset"]), (Some(2), &json!(2)));
    let last = data("list_methods", json!({"className": "Shape", "limit": 2, "offset": 2}));
    assert_eq!((&last["methods"][0]["selector"], last.get("nextOffset")), (&json!("polygon:"), None));
    let counted = data("search_method_source", json!({"pattern": "self", "limit": 0}));
    assert!(counted["total"].as_u64() > Some(100) && counted["methods"] == json!([]), "{counted}");
}
