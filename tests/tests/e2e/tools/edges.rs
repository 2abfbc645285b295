//! Edges: shadowed names, hierarchies, both sides of a class, names of any letters, nothing at all, very much.

use super::make_shapes;
use serde_json::json;
use tests::client::Client;
use tests::server::Server;

#[test]
fn a_name_in_two_dictionaries_is_told_apart_by_every_tool() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    make_shapes(&mut client);
    client.evaluate("Object subclass: 'Shape' instVarNames: #( other) inDictionary: Published");
    client.call("commit", &json!({})).expect_text();
    let there = |more: serde_json::Value| {
        let mut arguments = json!({"className": "Shape", "dictionaryName": "Published"});
        arguments.as_object_mut().expect("members").extend(more.as_object().expect("members").clone());
        arguments
    };
    assert!(client.call("describe_class", &json!({"className": "Shape"})).expect_text().contains("#'sides'"));
    assert!(client.call("describe_class", &there(json!({}))).expect_text().contains("#'other'"));
    client.call("compile_method", &there(json!({"source": "only ^1"}))).expect_text();
    client.call("set_class_comment", &there(json!({"comment": "The other."}))).expect_text();
    for tool in ["export_class_source", "get_class_definition", "list_methods"] {
        let text = client.call(tool, &there(json!({}))).expect_text().to_owned();
        assert!(text.contains("other") || text.contains("only"), "{tool}: {text}");
    }
    let source = client.call("get_method_source", &there(json!({"selector": "only"})));
    assert_eq!(source.expect_text(), "only ^1");
    client.call("delete_method", &there(json!({"selector": "only"}))).expect_text();
    let deleted = client.call("delete_class", &there(json!({})));
    assert_eq!(deleted.expect_text(), "Deleted class Shape from Published and committed.");
    assert_eq!(client.evaluate("Shape selectors size"), "2", "the first one was never touched");
    assert_eq!(client.evaluate("Shape comment"), "'A figure.'");
}

#[test]
fn the_class_side_is_read_changed_and_found() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    make_shapes(&mut client);
    let side = json!({"className": "Shape", "selector": "polygon:", "meta": true});
    let read = client.call("get_method_source", &side);
    assert_eq!(read.result["structuredContent"]["behavior"], "Shape class");
    let write = json!({"className": "Shape", "source": "origin ^self new", "meta": true});
    client.call("compile_method", &write).expect_text();
    let found = client.call("find_implementors", &json!({"selector": "origin"}));
    assert_eq!(found.expect_text(), "Shape class>>origin  [mcp]\n");
    client.call("delete_method", &side).expect_text();
    assert_eq!(client.call("get_method_source", &side).kind(), "notFound");
    assert_eq!(client.evaluate("Shape origin"), "aShape");
}

#[test]
fn a_new_shape_takes_along_what_still_compiles() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    make_shapes(&mut client);
    client.call("delete_class", &json!({"className": "Square"})).expect_text();
    client.call("delete_method", &json!({"className": "Shape", "selector": "polygon:", "meta": true})).expect_text();
    let source = "Object subclass: 'Shape' instVarNames: #( edges) classVars: #( Count) classInstVars: #() \
                  poolDictionaries: #() inDictionary: UserGlobals options: #()";
    let answer = client.call("compile_class_definition", &json!({ "source": source }));
    let text = answer.expect_text();
    assert!(text.starts_with("Redefined Shape; recompiled 1/2 methods; 1 failed (committed anyway):\n"), "{text}");
    assert!(text.contains("  instance Shape>>sides - "), "{text}");
    let failures = &answer.result["structuredContent"]["failures"];
    assert_eq!((&failures[0]["selector"], failures.as_array().map(Vec::len)), (&json!("sides"), Some(1)));
}

#[test]
fn names_and_texts_of_any_letters_go_through_unharmed() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    let source = "Object subclass: 'Größe' instVarNames: #( höhe) inDictionary: UserGlobals";
    client.call("compile_class_definition", &json!({ "source": source })).expect_text();
    let method = "gruß\n\t\"你好\"\n\t^'Grüße an 世界 👋'";
    client.call("compile_method", &json!({"className": "Größe", "source": method})).expect_text();
    client.call("set_class_comment", &json!({"className": "Größe", "comment": "Länge × Breite → 面积"})).expect_text();
    let read = client.call("get_method_source", &json!({"className": "Größe", "selector": "gruß"}));
    assert_eq!(read.expect_text(), method);
    assert_eq!(client.evaluate("Größe new gruß"), "'Grüße an 世界 👋'");
    for (pattern, arguments) in [("世界", json!({})), ("GRÜSSE|GRÜßE", json!({"regex": true, "ignoreCase": true}))]
    {
        let mut arguments = arguments;
        arguments["pattern"] = json!(pattern);
        assert_eq!(client.call("search_method_source", &arguments).expect_text(), "Größe>>gruß\n", "{pattern}");
    }
    let mut other = Client::open(server.address);
    let described = other.call("describe_class", &json!({"className": "Größe"}));
    assert_eq!(described.result["structuredContent"]["comment"], "Länge × Breite → 面积");
    let exported = other.call("export_class_source", &json!({"className": "Größe"}));
    assert!(exported.expect_text().contains("世界"), "{}", exported.text);
}

#[test]
fn nothing_is_told_as_nothing() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    client.evaluate("Object subclass: 'Bare' instVarNames: #() inDictionary: UserGlobals");
    for (tool, arguments, wanted) in [
        ("list_classes", json!({"dictionaryName": "Published"}), "(none)"),
        ("find_implementors", json!({"selector": "noSuchSelector"}), "(none)"),
        ("find_senders", json!({"selector": "noSuchSelector"}), "(none)"),
        ("find_references_to", json!({"name": "Bare"}), "(none)"),
        ("search_method_source", json!({"pattern": "no such text"}), "(none)"),
        ("list_test_classes", json!({"dictionaryName": "Published"}), "(none)"),
        ("list_failing_tests", json!({"classNames": []}), "(no failing tests)"),
        ("get_class_hierarchy", json!({"className": "Bare"}), "Object\n  Bare\nDirect subclasses:\n  (none)"),
        ("list_methods", json!({"className": "Bare"}), "Instance methods:\n\nClass methods:\n"),
        ("list_all_classes", json!({"offset": 1_000_000, "limit": 5}), "(showing 0 of "),
    ] {
        let answer = client.call(tool, &arguments);
        assert!(answer.expect_text().starts_with(wanted), "{tool}: {}", answer.text);
    }
}

#[test]
fn ten_thousand_methods_are_listed_and_searched_page_by_page() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    client.evaluate(
        "1 to: 20 do: [:class | | made |
            made := Object subclass: 'Many' , class printString instVarNames: #() inDictionary: UserGlobals.
            1 to: 500 do: [:each |
                made compile: 'method' , each printString , ' ^self needle: ' , each printString classified: 'm']]",
    );
    client.call("commit", &json!({})).expect_text();
    for mut client in [client, Client::open(server.address)] {
        for (tool, arguments) in [
            ("find_senders", json!({"selector": "needle:", "limit": 1000})),
            ("search_method_source", json!({"pattern": "self needle: ", "limit": 1000})),
        ] {
            let (mut pages, mut found, mut arguments) = (0, 0, arguments);
            loop {
                let data = client.call(tool, &arguments).result["structuredContent"].clone();
                assert_eq!(data["total"], 10_000, "{tool}");
                found += data["methods"].as_array().expect("methods").len();
                pages += 1;
                let Some(next) = data.get("nextOffset") else { break };
                arguments["offset"] = next.clone();
            }
            assert_eq!((pages, found), (10, 10_000), "{tool}");
        }
        let implementors = client.call("find_implementors", &json!({"selector": "method500", "limit": 0}));
        assert_eq!(implementors.expect_text(), "(showing 0 of 20)\n");
    }
}

#[test]
fn long_answers_are_cut_and_say_how_much_was_left_out() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    let answer = client.execute("String new: 60000 withAll: $x");
    let end = "...[truncated: showing 50000 of 60002 characters]";
    assert!(answer.expect_text().ends_with(end), "{}", &answer.text[49_990..]);
    let data = answer.result["structuredContent"]["printString"].as_str().expect("text");
    assert!(data.ends_with(end) && data.chars().count() == 50_000 + end.len());
    let failed = client.execute("Error signal: (String new: 60000 withAll: $x)");
    assert!(failed.expect_error().contains("...[truncated: showing 50000 of "));
    let size = failed.result.to_string().len();
    assert!(size < 120_000, "an error's data are cut as well: {size} bytes");
}
