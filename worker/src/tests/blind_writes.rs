//! No session overwrites what it has not seen.

use super::Session;
use serde_json::json;
use smalltalk::memory_store::MemoryStore;

/// Two sessions that both see the class `Pt`.
fn pair() -> (Session, Session) {
    let store = MemoryStore::new();
    let mut one = Session::on(&store);
    one.make_point();
    let other = Session::on(&store);
    (one, other)
}

fn compile(session: &mut Session, source: &str) {
    session.answer("compile_method", json!({"className": "Pt", "source": source}));
}

fn refused(session: &mut Session, tool: &str, arguments: serde_json::Value) -> String {
    let refusal = session.refusal(tool, arguments);
    assert_eq!((refusal.kind, &refusal.details["reason"]), ("refused", &json!("changed")), "{}", refusal.text);
    refusal.text
}

#[test]
fn a_refresh_in_between_does_not_launder_a_lost_update() {
    let (mut one, mut other) = pair();
    one.answer("get_method_source", json!({"className": "Pt", "selector": "x"}));
    compile(&mut other, "x ^x + 1");
    one.answer("refresh", json!({}));
    let text = refused(&mut one, "compile_method", json!({"className": "Pt", "source": "x ^x + 2"}));
    assert_eq!(
        text,
        "Refused: another session has changed Pt>>x since this one last read it. Read it again, take the change into \
         account, and repeat."
    );
    refused(&mut one, "delete_method", json!({"className": "Pt", "selector": "x"}));
    assert!(!one.image.has_uncommitted_changes());
    assert_eq!(one.text("get_method_source", json!({"className": "Pt", "selector": "x"})), "x ^x + 1");
    compile(&mut one, "x ^x + 3");
    assert_eq!(one.run("Pt sourceCodeAt: #x"), "'x ^x + 3'");
}

#[test]
fn other_methods_of_the_class_and_new_ones_are_free() {
    let (mut one, mut other) = pair();
    // A session that has read the class at all can tell its methods apart.
    other.answer("list_methods", json!({"className": "Pt"}));
    compile(&mut one, "y ^y + 0");
    other.answer("refresh", json!({}));
    compile(&mut other, "x ^x + 1");
    compile(&mut other, "fresh ^1");
    one.answer("refresh", json!({}));
    compile(&mut one, "y ^y + 1");
    compile(&mut one, "another ^2");
    refused(&mut one, "compile_method", json!({"className": "Pt", "source": "fresh ^2"}));
    one.answer("export_class_source", json!({"className": "Pt"}));
    compile(&mut one, "x ^x + 2");
    compile(&mut one, "fresh ^2");
}

#[test]
fn what_was_never_read_counts_as_read_at_the_first_view() {
    let (mut one, mut other) = pair();
    compile(&mut one, "x ^x + 1");
    other.answer("refresh", json!({}));
    let text = refused(&mut other, "compile_method", json!({"className": "Pt", "source": "x ^x + 2"}));
    assert!(text.starts_with("Refused: others have changed Pt>>x, or something beside it,"), "{text}");
    compile(&mut other, "z ^3");
    let (mut one, mut other) = pair();
    one.answer("delete_method", json!({"className": "Pt", "selector": "x"}));
    other.answer("refresh", json!({}));
    compile(&mut other, "x ^x");
}

#[test]
fn what_was_read_and_is_gone_is_no_new_method() {
    let (mut one, mut other) = pair();
    one.answer("get_method_source", json!({"className": "Pt", "selector": "x"}));
    other.answer("delete_method", json!({"className": "Pt", "selector": "x"}));
    one.answer("refresh", json!({}));
    let text = refused(&mut one, "compile_method", json!({"className": "Pt", "source": "x ^x"}));
    assert!(text.contains("another session has removed Pt>>x"), "{text}");
    assert_eq!(one.refusal("get_method_source", json!({"className": "Pt", "selector": "x"})).kind, "notFound");
}

#[test]
fn own_changes_of_any_kind_are_seen() {
    let (mut one, _other) = pair();
    one.answer("get_method_source", json!({"className": "Pt", "selector": "x"}));
    one.run("Pt compile: 'x ^7' classified: 'accessing'");
    one.answer("commit", json!({}));
    compile(&mut one, "x ^8");
    compile(&mut one, "x ^9");
}

#[test]
fn comments_and_definitions_are_protected_each_for_itself() {
    let (mut one, mut other) = pair();
    one.answer("describe_class", json!({"className": "Pt"}));
    other.answer("set_class_comment", json!({"className": "Pt", "comment": "Theirs."}));
    one.answer("refresh", json!({}));
    let comment = json!({"className": "Pt", "comment": "Mine."});
    let text = refused(&mut one, "set_class_comment", comment.clone());
    assert!(text.contains("the comment of Pt"), "{text}");
    let source = "Object subclass: 'Pt' instVarNames: #( x y w) classVars: #( Zero) classInstVars: #() \
                  poolDictionaries: #() inDictionary: UserGlobals options: #()";
    one.answer("compile_class_definition", json!({ "source": source }));
    assert_eq!(one.run("Pt comment"), "'Theirs.'");
    other.answer("refresh", json!({}));
    let text = refused(&mut other, "compile_class_definition", json!({"source": source.replace(" w)", " v)")}));
    assert!(text.contains("the class Pt"), "{text}");
    refused(&mut other, "delete_class", json!({"className": "Pt"}));
    one.answer("describe_class", json!({"className": "Pt"}));
    one.answer("set_class_comment", comment);
}

#[test]
fn a_caller_may_say_which_version_he_means() {
    let (mut one, mut other) = pair();
    let version = one.data("get_method_source", json!({"className": "Pt", "selector": "x"}))["version"].clone();
    compile(&mut other, "x ^x + 1");
    // A session that has read nothing stands for a client without one.
    one.answer("abort", json!({}));
    let arguments = json!({"className": "Pt", "source": "x ^x + 2", "expected": version});
    let text = refused(&mut one, "compile_method", arguments);
    assert!(text.contains("is no longer of the expected version"), "{text}");
    let refusal = one.refusal("compile_method", json!({"className": "Pt", "source": "x ^5", "expected": version}));
    let now = refusal.details["version"].clone();
    one.answer("compile_method", json!({"className": "Pt", "source": "x ^x + 2", "expected": now}));
    let gone = json!({"className": "Pt", "source": "never ^1", "expected": version});
    assert!(refused(&mut one, "compile_method", gone).contains("is not there any more"));
    let class = one.data("describe_class", json!({"className": "Pt"}))["version"].clone();
    let comment = json!({"className": "Pt", "comment": "Mine.", "expected": class});
    one.answer("set_class_comment", comment.clone());
    refused(&mut one, "set_class_comment", comment);
    let several = json!({"className": "Pt", "source": ["a ^1", "b ^2"], "expected": version});
    assert_eq!(one.refusal("compile_method", several).kind, "invalidParams");
}
