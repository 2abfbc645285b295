//! Listing and browsing.

use super::Session;
use serde_json::{Value, json};

#[test]
fn dictionaries_and_their_contents_are_listed() {
    let mut session = Session::new();
    session.make_point();
    assert_eq!(session.text("list_dictionaries", json!({})), "UserGlobals\nGlobals\nPublished\nLapidary\n");
    let data = session.data("list_dictionaries", json!({}));
    assert_eq!(data, json!({"dictionaries": ["UserGlobals", "Globals", "Published", "Lapidary"], "total": 4}));
    assert_eq!(session.text("list_classes", json!({"dictionaryName": "UserGlobals"})), "Pt\n");
    assert_eq!(session.text("list_classes", json!({"dictionaryName": "Published"})), "(none)");
    session.run("UserGlobals at: #Answer put: 42. UserGlobals at: #Alias put: Pt");
    let entries = "Alias  (class)\nAnswer  (global)\nPt  (class)\nUserGlobals  (global)\n";
    assert_eq!(session.text("list_dictionary_entries", json!({"dictionaryName": "UserGlobals"})), entries);
    assert_eq!(session.text("list_classes", json!({"dictionaryName": "UserGlobals"})), "Pt\n", "an alias is no class");
    let refusal = session.refusal("list_classes", json!({"dictionaryName": "Nope"}));
    assert_eq!((refusal.kind, refusal.text.as_str()), ("notFound", "Dictionary not found: Nope"));
}

#[test]
fn all_classes_come_in_pages() {
    let mut session = Session::new();
    session.make_point();
    let all = session.data("list_all_classes", json!({"limit": 1000}));
    let total = all["total"].as_u64().expect("a count");
    assert_eq!(all["classes"].as_array().map(Vec::len), Some(total as usize));
    assert!(
        all["classes"].as_array().expect("classes").contains(&json!({"name": "Pt", "dictionaryName": "UserGlobals"}))
    );
    let text = session.text("list_all_classes", json!({"limit": 2}));
    assert!(text.starts_with(&format!("(showing 1-2 of {total}; pass offset: 2 for the next page)\n")), "{text}");
    assert!(text.lines().nth(1).expect("a line").ends_with("  (Globals)"), "{text}");
    assert_eq!(session.text("list_all_classes", json!({"limit": 0})), format!("(showing 0 of {total})\n"));
    let refusal = session.refusal("list_all_classes", json!({"limit": -1}));
    assert_eq!(refusal.kind, "invalidParams");
}

#[test]
fn a_class_is_described() {
    let mut session = Session::new();
    session.make_point();
    let text = "name=Pt\nsuperclass=Object\ninstVarNames=anArray( #'x', #'y')\nselectors=anArray( #'+', #'x', #'y')";
    let answer = session.answer("describe_class", json!({"className": "Pt"}));
    assert_eq!(answer.text, text);
    let data = answer.structured.expect("data");
    assert_eq!(data["comment"], "A point of ours.");
    assert_eq!(data["classSelectors"], json!(["zero"]));
    assert_eq!(data["classVars"], json!(["Zero"]));
    assert_eq!(data["dictionaryName"], "UserGlobals");
    assert!(session.text("describe_class", json!({"className": "Object"})).contains("\nsuperclass=nil\n"));
    let refusal = session.refusal("describe_class", json!({"className": "Nope"}));
    assert_eq!((refusal.kind, refusal.text.as_str()), ("notFound", "Class not found: Nope"));
    assert_eq!(session.refusal("describe_class", json!({"className": "UserGlobals"})).kind, "notFound");
    let version = |data: &Value| data["version"].clone();
    let before = version(&session.data("get_class_definition", json!({"className": "Pt"})));
    assert_eq!(version(&data), before);
    session.run("Pt comment: 'Another.'");
    assert_ne!(version(&session.data("describe_class", json!({"className": "Pt"}))), before);
}

#[test]
fn definition_hierarchy_and_methods_are_shown() {
    let mut session = Session::new();
    session.make_point();
    let definition = "Object subclass: 'Pt'\n  instVarNames: #( x y)\n  classVars: #( Zero)\n  classInstVars: #()\n  \
                      poolDictionaries: #()\n  inDictionary: UserGlobals\n  options: #()\n";
    assert_eq!(session.text("get_class_definition", json!({"className": "Pt"})), definition);
    let hierarchy = "Object\n  Pt\nDirect subclasses:\n  (none)";
    assert_eq!(session.text("get_class_hierarchy", json!({"className": "Pt"})), hierarchy);
    session.run("Pt subclass: 'Pt3' instVarNames: #( z) inDictionary: UserGlobals");
    let hierarchy = session.text("get_class_hierarchy", json!({"className": "Pt"}));
    assert_eq!(hierarchy, "Object\n  Pt\nDirect subclasses:\n  Pt3\n");
    let methods =
        "Instance methods:\n  accessing\n    x\n    y\n  arithmetic\n    +\n\nClass methods:\n  instances\n    zero\n";
    assert_eq!(session.text("list_methods", json!({"className": "Pt"})), methods);
    let data = session.data("list_methods", json!({"className": "Pt", "limit": 1, "offset": 3}));
    assert_eq!(data["methods"], json!([{"meta": true, "category": "instances", "selector": "zero"}]));
}

#[test]
fn a_method_is_shown_with_its_version() {
    let mut session = Session::new();
    session.make_point();
    assert_eq!(session.text("get_method_source", json!({"className": "Pt", "selector": "x"})), "x ^x");
    let arguments = json!({"className": "Pt", "selector": "zero", "meta": true});
    let data = session.data("get_method_source", arguments);
    assert_eq!((&data["behavior"], &data["category"]), (&json!("Pt class"), &json!("instances")));
    let refusal = session.refusal("get_method_source", json!({"className": "Pt", "selector": "zero"}));
    assert_eq!((refusal.kind, refusal.text.as_str()), ("notFound", "No such method: Pt>>zero"));
    let several = session.answer("get_method_source", json!({"className": "Pt", "selector": ["x", "nope"]}));
    assert_eq!(several.text, "=== x ===\nx ^x\n=== nope ===\nERROR (notFound) No such method: Pt>>nope");
}

#[test]
fn an_export_can_be_filed_in_again() {
    let mut session = Session::new();
    session.make_point();
    let text = session.text("export_class_source", json!({"className": "Pt"}));
    let beginning = "set compile_env: 0\n! ------------------- Class definition for Pt\nexpectvalue /Class\ndoit\nObject subclass: 'Pt'\n";
    assert!(text.starts_with(beginning), "{text}");
    let mut other = Session::new();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let done = other.image.file_in(&text, "pt.gs", deadline).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    assert_eq!(done.methods, 4);
    assert_eq!(other.text("export_class_source", json!({"className": "Pt"})), text);
}

#[test]
fn a_name_in_two_dictionaries_is_told_apart() {
    let mut session = Session::new();
    session.make_point();
    session.run("Object subclass: 'Pt' instVarNames: #( other) inDictionary: Published");
    let first = session.text("describe_class", json!({"className": "Pt"}));
    assert!(first.contains("#'x'"), "{first}");
    let second = session.text("describe_class", json!({"className": "Pt", "dictionaryName": "Published"}));
    assert!(second.contains("#'other'"), "{second}");
    let all = session.text("list_all_classes", json!({"limit": 1000}));
    assert!(all.contains("Pt  (Published)\nPt  (UserGlobals)\n"), "{all}");
}

#[test]
fn long_answers_are_cut_in_text_and_data() {
    let mut session = Session::new();
    session.make_point();
    session.run("Pt comment: (String new: 60000 withAll: $x)");
    let answer = session.answer("export_class_source", json!({"className": "Pt"}));
    assert!(answer.text.contains("...[truncated: showing 50000 of "));
    let source = answer.structured.expect("data")["source"].as_str().expect("text").to_owned();
    assert!(source.contains("...[truncated: showing 50000 of "));
}
