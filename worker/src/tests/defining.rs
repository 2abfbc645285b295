//! Defining, redefining and deleting classes.

use super::Session;
use serde_json::json;

const TAIL: &str = "classVars: #() classInstVars: #() poolDictionaries: #() inDictionary: UserGlobals options: #()";

fn definition(name: &str, variables: &str) -> serde_json::Value {
    json!({"source": format!("Object subclass: '{name}' instVarNames: #({variables}) {TAIL}")})
}

#[test]
fn a_class_is_defined_and_committed() {
    let mut session = Session::new();
    let text = session.text("compile_class_definition", definition("Acc", "balance"));
    assert_eq!(text, "Compiled and committed class: Acc");
    assert!(!session.image.has_uncommitted_changes());
    assert_eq!(session.run("Acc instVarNames size"), "1");
    let data = session.data("compile_class_definition", definition("Acc", "balance"));
    assert_eq!((&data["redefined"], &data["committed"]), (&json!(false), &json!(true)));
    assert_eq!(data["version"], session.data("describe_class", json!({"className": "Acc"}))["version"]);
    let two = json!({"source": ["Object subclass: 'A1'", "A1 subclass: 'A2'"]});
    session.answer("compile_class_definition", two);
    assert_eq!(session.run("A2 superclass"), "A1");
}

#[test]
fn a_new_shape_takes_the_methods_along_and_says_which_failed() {
    let mut session = Session::new();
    session.make_point();
    let redefine = |variables: &str| {
        let tail = TAIL.replacen("classVars: #()", "classVars: #( Zero)", 1);
        json!({"source": format!("Object subclass: 'Pt' instVarNames: #({variables}) {tail}")})
    };
    let text = session.text("compile_class_definition", redefine("x y z"));
    assert_eq!(text, "Redefined Pt; recompiled 4/4 methods; all recompiled. Committed.");
    assert_eq!(session.run("Pt comment"), "'A point of ours.'");
    let answer = session.answer("compile_class_definition", redefine("y z"));
    let mut lines = answer.text.lines();
    assert_eq!(lines.next(), Some("Redefined Pt; recompiled 2/4 methods; 2 failed (committed anyway):"));
    assert!(answer.text.contains("\n  instance Pt>>x - "), "{}", answer.text);
    let data = answer.structured.expect("data");
    assert_eq!((data["failures"].as_array().map(Vec::len), &data["recompiled"]), (Some(2), &json!(2)));
    let bare = json!({"source": redefine("a")["source"], "recompileMethods": false});
    assert_eq!(session.text("compile_class_definition", bare), "Compiled and committed class: Pt");
    assert_eq!(session.run("Pt selectors size"), "0");
}

#[test]
fn only_definitions_are_run() {
    let mut session = Session::new();
    let refusal = session.refusal("compile_class_definition", json!({"source": "3 + 4"}));
    assert_eq!(refusal.kind, "refused");
    assert!(refusal.text.starts_with("Source did not evaluate to a class (got "), "{}", refusal.text);
    assert!(refusal.text.ends_with("Use execute_code to evaluate arbitrary expressions."));
    session.refusal("compile_class_definition", json!({"source": "UserGlobals at: #Evil put: 1"}));
    assert_eq!(session.run("UserGlobals includesKey: #Evil"), "false");
    let refusal = session.refusal("compile_class_definition", json!({"source": "Object subclass: 'A"}));
    assert_eq!(refusal.kind, "compileError");
    assert_eq!(refusal.details["errors"][0]["line"], 1);
    let refusal = session.refusal("compile_class_definition", json!({"source": "NoSuchClass subclass: 'A'"}));
    assert_eq!(refusal.kind, "compileError");
    let refusal = session.refusal("compile_class_definition", definition("A", "a a"));
    assert_eq!(refusal.kind, "other");
    assert!(!session.image.has_uncommitted_changes());
}

#[test]
fn a_hierarchy_is_not_torn_apart() {
    let mut session = Session::new();
    session.make_point();
    session.answer("compile_class_definition", json!({"source": "Pt subclass: 'Pt3'"}));
    let refusal = session.refusal("compile_class_definition", definition("Pt", "x y z"));
    assert_eq!(refusal.kind, "refused");
    assert!(refusal.text.starts_with("Refused: Pt has subclasses anArray( #'Pt3')."), "{}", refusal.text);
    assert_eq!(session.run("Pt instVarNames size"), "2");
    assert!(!session.image.has_uncommitted_changes());
    let refusal = session.refusal("delete_class", json!({"className": "Pt"}));
    assert!(refusal.text.starts_with("Refused: Pt has subclasses anArray( #'Pt3')."), "{}", refusal.text);
    let text = session.text("delete_class", json!({"className": ["Pt3", "Pt"]}));
    assert_eq!(
        text,
        "=== Pt3 ===\nDeleted class Pt3 from UserGlobals and committed.\n=== Pt ===\nDeleted class Pt from UserGlobals \
         and committed."
    );
    assert_eq!(session.refusal("delete_class", json!({"className": "Pt"})).kind, "notFound");
}

#[test]
fn a_class_under_another_name_is_in_no_dictionary() {
    let mut session = Session::new();
    session.make_point();
    session.run("UserGlobals at: #Other put: Pt. UserGlobals removeKey: #Pt");
    let refusal = session.refusal("delete_class", json!({"className": "Other"}));
    assert_eq!((refusal.kind, refusal.text.as_str()), ("refused", "Class is not resident in a dictionary: Other"));
}
