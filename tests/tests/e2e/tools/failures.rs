//! Each way in which a tool can fail, by its kind, and what is left behind: nothing.

use super::make_shapes;
use serde_json::{Value, json};
use tests::client::Client;
use tests::server::{Config, Server};

/// A call, the kind of its error, and what its text contains.
type Failure = (&'static str, Value, &'static str, &'static str);

fn not_found() -> Vec<Failure> {
    let class = |more: Value| {
        let mut arguments = json!({"className": "Nope"});
        arguments.as_object_mut().expect("members").extend(more.as_object().expect("members").clone());
        arguments
    };
    let nope = "Class not found: Nope";
    let mut all: Vec<Failure> =
        ["describe_class", "export_class_source", "get_class_definition", "get_class_hierarchy"]
            .into_iter()
            .chain(["list_methods", "delete_class", "run_test_class"])
            .map(|tool| (tool, class(json!({})), "notFound", nope))
            .collect();
    for tool in ["get_method_source", "delete_method", "run_test_method", "describe_test_failure"] {
        all.push((tool, class(json!({"selector": "x"})), "notFound", nope));
    }
    let dictionary = "Dictionary not found: Nope";
    for tool in ["list_classes", "list_dictionary_entries", "remove_dictionary"] {
        all.push((tool, json!({"dictionaryName": "Nope"}), "notFound", dictionary));
    }
    for tool in ["find_implementors", "find_senders"] {
        all.push((tool, json!({"selector": "x", "dictionaryName": "Nope"}), "notFound", dictionary));
    }
    let elsewhere = json!({"className": "Shape", "dictionaryName": "Published"});
    all.extend([
        ("compile_method", class(json!({"source": "x ^1"})), "notFound", nope),
        ("set_class_comment", class(json!({"comment": "x"})), "notFound", nope),
        ("list_failing_tests", json!({"classNames": ["Nope"]}), "notFound", nope),
        ("describe_class", elsewhere, "notFound", "Class not found: Shape"),
        ("search_method_source", json!({"pattern": "x", "dictionaryName": "Nope"}), "notFound", dictionary),
        ("find_references_to", json!({"name": "Nope"}), "notFound", "Global not found: Nope"),
        (
            "get_method_source",
            json!({"className": "Shape", "selector": "zork"}),
            "notFound",
            "No such method: Shape>>zork",
        ),
        (
            "delete_method",
            json!({"className": "Shape", "selector": "zork"}),
            "notFound",
            "Method not found: Shape>>zork",
        ),
        (
            "run_test_method",
            json!({"className": "ShapeTest", "selector": "testZork"}),
            "notFound",
            "No such method: ShapeTest>>testZork",
        ),
    ]);
    all
}

fn refused() -> Vec<Failure> {
    let kernel = "is a protected class (home dictionary Globals)";
    vec![
        ("compile_method", json!({"className": "Object", "source": "zap ^1"}), "refused", kernel),
        ("compile_method", json!({"className": "Alias", "source": "zap ^1", "meta": true}), "refused", kernel),
        ("delete_method", json!({"className": "Alias", "selector": "class"}), "refused", kernel),
        ("delete_class", json!({"className": "Array"}), "refused", kernel),
        ("set_class_comment", json!({"className": "Alias", "comment": "x"}), "refused", kernel),
        (
            "compile_class_definition",
            json!({"source": "Object subclass: 'Array' instVarNames: #( a) inDictionary: Globals"}),
            "refused",
            kernel,
        ),
        ("remove_dictionary", json!({"dictionaryName": "Globals"}), "refused", "is a protected system dictionary"),
        (
            "add_dictionary",
            json!({"dictionaryName": "UserGlobals"}),
            "refused",
            "Dictionary already exists: UserGlobals",
        ),
        (
            "delete_class",
            json!({"className": "Shape"}),
            "refused",
            "Refused: Shape has subclasses anArray( #'Square').",
        ),
        ("compile_class_definition", json!({"source": "3 + 4"}), "refused", "Source did not evaluate to a class (got "),
        ("run_test_class", json!({"className": "Shape"}), "refused", "Not a test class: Shape"),
        (
            "describe_test_failure",
            json!({"className": "Shape", "selector": "sides"}),
            "refused",
            "Not a test class: Shape",
        ),
    ]
}

fn wrong_code() -> Vec<Failure> {
    vec![
        ("compile_method", json!({"className": "Shape", "source": "x\n\t^sides +"}), "compileError", "line 2, column "),
        ("compile_class_definition", json!({"source": "Object subclass: 'A"}), "compileError", "line 1, column "),
        ("execute_code", json!({"code": "3 +"}), "compileError", "expected"),
        ("execute_code", json!({"code": "1/0"}), "other", "ZeroDivide: "),
        ("execute_code", json!({"code": "nil zork"}), "other", "MessageNotUnderstood: "),
        ("execute_code", json!({"code": "[] value: 1"}), "other", "this block takes 0 arguments, but 1 were"),
        ("execute_code", json!({"code": "| f | f := nil. f := [f value]. f value"}), "stackDepth", ""),
        (
            "execute_code",
            json!({"code": "| a | a := nil. [true] whileTrue: [a := Array with: a with: (Array new: 9000)]"}),
            "outOfMemory",
            "",
        ),
        ("execute_code", json!({"code": "[true] whileTrue: []"}), "timeout", ""),
        ("add_dictionary", json!({"dictionaryName": "not a name"}), "invalidParams", "is not a name"),
        ("search_method_source", json!({"pattern": "(", "regex": true}), "invalidParams", "not a regular expression"),
        ("search_method_source", json!({"pattern": ""}), "invalidParams", "Invalid argument pattern: "),
        ("list_all_classes", json!({"limit": 1001}), "invalidParams", "Invalid argument limit: "),
        (
            "delete_method",
            json!({"className": "Shape", "selector": ["a", "b"], "expected": "x"}),
            "invalidParams",
            "Invalid argument expected: ",
        ),
    ]
}

#[test]
fn every_failure_has_its_kind_and_changes_nothing() {
    let server = Server::start(Config::new().with("GS_MCP_CALL_SECONDS", "3"));
    let mut client = Client::open(server.address);
    make_shapes(&mut client);
    client.evaluate("UserGlobals at: #Alias put: Object");
    client.call("commit", &json!({})).expect_text();
    for (tool, arguments, kind, wanted) in not_found().into_iter().chain(refused()).chain(wrong_code()) {
        let answer = client.call(tool, &arguments);
        assert!(answer.expect_error().contains(wanted), "{tool} {arguments}: {}", answer.text);
        assert_eq!(answer.kind(), kind, "{tool} {arguments}: {}", answer.text);
        let error = &answer.result["structuredContent"]["error"];
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{tool}: {error}");
        assert!(answer.notes.is_empty(), "{tool} {arguments} left something behind: {:?}", answer.notes);
    }
    assert_eq!(client.evaluate("Shape selectors size"), "2", "all is as it was");
}

#[test]
fn a_compile_error_names_line_and_column_and_what_was_expected() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    let answer = client.execute("| a |\na := 3 +.\na");
    assert_eq!(answer.kind(), "compileError");
    let error = &answer.result["structuredContent"]["error"]["errors"][0];
    assert_eq!(error["line"], 2, "{error}");
    assert!(error["column"].as_u64() > Some(1) && error["message"].is_string() && error["number"].is_u64(), "{error}");
}

#[test]
fn a_change_that_conflicts_stays_in_the_session_and_an_unseen_one_is_not_overwritten() {
    let server = Server::start_default();
    let mut first = Client::open(server.address);
    make_shapes(&mut first);
    let mut second = Client::open(server.address);
    let read = second.call("get_method_source", &json!({"className": "Shape", "selector": "sides"}));
    let version = read.result["structuredContent"]["version"].clone();
    let write = |source: &str| json!({"className": "Shape", "source": source});
    first.call("compile_method", &write("sides ^sides ifNil: [0]")).expect_text();
    let conflict = second.call("compile_method", &write("area ^0"));
    conflict.expect_error();
    assert_eq!(conflict.kind(), "commitConflict");
    assert!(!conflict.notes.is_empty(), "the change is still there");
    assert_eq!(second.evaluate("Shape new area"), "0");
    second.call("abort", &json!({})).expect_text();
    let blind = second.call("compile_method", &write("sides ^7"));
    blind.expect_error();
    assert_eq!(blind.kind(), "refused");
    assert_eq!(blind.result["structuredContent"]["error"]["reason"], "changed");
    let stale = json!({"className": "Shape", "source": "sides ^7", "expected": version});
    assert_eq!(second.call("compile_method", &stale).kind(), "refused", "what was expected is not there any more");
    let read = second.call("get_method_source", &json!({"className": "Shape", "selector": "sides"}));
    assert_eq!(read.expect_text(), "sides ^sides ifNil: [0]");
    second.call("compile_method", &write("sides ^7")).expect_text();
}

#[test]
fn committing_may_be_left_to_commit() {
    let server = Server::start(Config::new().with("GS_MCP_AUTOCOMMIT", "0"));
    let mut client = Client::open(server.address);
    let answer = client.call("add_dictionary", &json!({"dictionaryName": "Attic"}));
    assert_eq!(answer.expect_text(), "Created dictionary: Attic. Not committed: call commit to make it permanent.");
    assert_eq!(answer.result["structuredContent"]["committed"], false);
    assert_eq!(answer.notes.len(), 1, "a second text says that there is uncommitted work");
    let status = client.call("status", &json!({}));
    assert!(status.expect_text().ends_with("uncommittedChanges=true"));
    assert!(status.result["structuredContent"]["changes"].as_array().is_some_and(|changes| !changes.is_empty()));
    assert!(!Client::open(server.address).evaluate("System symbolList size").is_empty());
    client.call("commit", &json!({})).expect_text();
    let dictionaries = Client::open(server.address).call("list_dictionaries", &json!({}));
    assert!(dictionaries.expect_text().contains("Attic\n"));
}
