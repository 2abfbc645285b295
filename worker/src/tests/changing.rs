//! Changing methods, comments and dictionaries, and what is committed of it.

use super::Session;
use serde_json::json;
use smalltalk::memory_store::MemoryStore;

#[test]
fn a_method_is_compiled_and_committed() {
    let store = MemoryStore::new();
    let mut session = Session::on(&store);
    session.make_point();
    let answer = session.answer("compile_method", json!({"className": "Pt", "source": "twice\n\t^x * 2"}));
    assert_eq!(answer.text, "Compiled Pt and committed.");
    let data = answer.structured.expect("data");
    assert_eq!((&data["selector"], &data["committed"]), (&json!("twice"), &json!(true)));
    let mut other = Session::on(&store);
    assert_eq!(other.text("get_method_source", json!({"className": "Pt", "selector": "twice"})), "twice\n\t^x * 2");
    let read = other.data("get_method_source", json!({"className": "Pt", "selector": "twice"}));
    assert_eq!((&read["category"], &read["version"]), (&json!("mcp"), &data["version"]));
    let arguments = json!({"className": "Pt", "source": "one ^1", "meta": true, "category": "constants"});
    session.answer("compile_method", arguments);
    assert_eq!(session.run("Pt one"), "1");
    session.answer("compile_method", json!({"className": "Pt", "source": "one ^11", "meta": true}));
    let read = session.data("get_method_source", json!({"className": "Pt", "selector": "one", "meta": true}));
    assert_eq!(read["category"], "constants", "a method keeps its category");
}

#[test]
fn what_does_not_compile_changes_nothing_and_says_where() {
    let mut session = Session::new();
    session.make_point();
    let refusal = session.refusal("compile_method", json!({"className": "Pt", "source": "x\n\t^x +"}));
    assert_eq!(refusal.kind, "compileError");
    assert!(refusal.text.starts_with("Compile errors: line 2, column "), "{}", refusal.text);
    let error = &refusal.details["errors"][0];
    assert_eq!(error["line"], 2);
    assert!(error["column"].is_u64() && error["message"].is_string(), "{error}");
    assert_eq!(session.text("get_method_source", json!({"className": "Pt", "selector": "x"})), "x ^x");
    assert!(!session.image.has_uncommitted_changes());
    assert_eq!(session.refusal("compile_method", json!({"className": "Pt", "source": ""})).kind, "compileError");
    assert_eq!(session.refusal("compile_method", json!({"className": "Nope", "source": "x ^1"})).kind, "notFound");
}

#[test]
fn other_work_is_never_committed_along() {
    let store = MemoryStore::new();
    let mut session = Session::on(&store);
    session.make_point();
    session.run("UserGlobals at: #Draft put: 3");
    let text = session.text("compile_method", json!({"className": "Pt", "source": "twice ^x * 2"}));
    assert!(text.starts_with("Compiled Pt. Not committed: this session holds other uncommitted changes"), "{text}");
    let mut other = Session::on(&store);
    assert_eq!(other.refusal("get_method_source", json!({"className": "Pt", "selector": "twice"})).kind, "notFound");
    assert_eq!(session.text("commit", json!({})), "Transaction committed.");
    assert_eq!(other.text("refresh", json!({})), "View refreshed.");
    assert_eq!(other.run("{Pt includesSelector: #twice. Draft}"), "anArray( true, 3)");
    session.autocommit = false;
    let text = session.text("set_class_comment", json!({"className": "Pt", "comment": "Mine."}));
    assert_eq!(text, "Comment set on Pt. Not committed: call commit to make it permanent.");
    assert!(session.image.has_uncommitted_changes());
}

#[test]
fn a_commit_that_conflicts_leaves_the_change_in_the_session() {
    let store = MemoryStore::new();
    let mut session = Session::on(&store);
    session.make_point();
    let mut other = Session::on(&store);
    other.answer("compile_method", json!({"className": "Pt", "source": "one ^1"}));
    let refusal = session.refusal("compile_method", json!({"className": "Pt", "source": "two ^2"}));
    assert_eq!(refusal.kind, "commitConflict");
    assert!(refusal.text.contains("the methods of Pt"), "{}", refusal.text);
    assert_eq!(refusal.details["conflicts"], json!(["the methods of Pt"]));
    assert!(session.image.has_uncommitted_changes());
    assert_eq!(session.run("Pt new two"), "2");
    session.answer("abort", json!({}));
    assert_eq!(
        session.text("compile_method", json!({"className": "Pt", "source": "two ^2"})),
        "Compiled Pt and committed."
    );
    assert_eq!(session.run("Pt new one"), "1");
}

#[test]
fn methods_are_deleted_one_by_one_or_in_a_list() {
    let mut session = Session::new();
    session.make_point();
    let text = session.text("delete_method", json!({"className": "Pt", "selector": "x"}));
    assert_eq!(text, "Deleted method Pt>>x and committed.");
    let refusal = session.refusal("delete_method", json!({"className": "Pt", "selector": "x"}));
    assert_eq!((refusal.kind, refusal.text.as_str()), ("notFound", "Method not found: Pt>>x"));
    let answer = session.answer("delete_method", json!({"className": "Pt", "selector": ["y", "nope", "+"]}));
    let results = &answer.structured.expect("data")["results"];
    assert_eq!(results[0]["answer"]["committed"], json!(true));
    assert_eq!(results[1]["error"]["kind"], "notFound");
    assert!(!session.image.has_uncommitted_changes());
    assert_eq!(session.text("find_implementors", json!({"selector": "y", "dictionaryName": "UserGlobals"})), "(none)");
    session.answer("delete_method", json!({"className": "Pt", "selector": "zero", "meta": true}));
}

#[test]
fn the_kernel_is_guarded_by_name_and_identity() {
    let mut session = Session::new();
    session.run("UserGlobals at: #Alias put: Object");
    session.image.commit().expect("committed");
    let calls = [
        ("compile_method", json!({"className": "Object", "source": "zap ^1"})),
        ("compile_method", json!({"className": "Alias", "source": "zap ^1"})),
        ("compile_method", json!({"className": "String", "source": "zap ^1", "meta": true})),
        ("delete_method", json!({"className": "Object", "selector": "class"})),
        ("delete_class", json!({"className": "Array"})),
        ("set_class_comment", json!({"className": "Alias", "comment": "zap"})),
        (
            "compile_class_definition",
            json!({"source": "Object subclass: 'Array' instVarNames: #( a) inDictionary: Globals"}),
        ),
        ("remove_dictionary", json!({"dictionaryName": "Globals"})),
    ];
    for (tool, arguments) in calls {
        let refusal = session.refusal(tool, arguments);
        assert_eq!(refusal.kind, "refused", "{tool}: {}", refusal.text);
        assert!(refusal.text.contains(" is a protected "), "{}", refusal.text);
    }
    assert!(!session.image.has_uncommitted_changes());
    let text = session.refusal("set_class_comment", json!({"className": "Alias", "comment": "zap"})).text;
    assert!(text.starts_with("Refused: Object is a protected class (home dictionary Globals);"), "{text}");
    assert!(text.contains("Remedy: "), "{text}");
    // A class of the same name in another dictionary is no kernel class.
    session.run("Object subclass: 'Array' instVarNames: #() inDictionary: UserGlobals");
    session.image.commit().expect("committed");
    session.answer("set_class_comment", json!({"className": "Array", "comment": "Ours."}));
    assert_eq!(session.run("(UserGlobals at: #Array) comment"), "'Ours.'");
    let refusal = session
        .refusal("set_class_comment", json!({"className": "Array", "comment": "zap", "dictionaryName": "Globals"}));
    assert_eq!(refusal.kind, "refused");
}

#[test]
fn dictionaries_come_and_go() {
    let mut session = Session::new();
    assert_eq!(session.text("add_dictionary", json!({"dictionaryName": "Mine"})), "Created dictionary: Mine");
    assert_eq!(session.text("list_dictionaries", json!({})), "UserGlobals\nGlobals\nPublished\nMine\nLapidary\n");
    let refusal = session.refusal("add_dictionary", json!({"dictionaryName": "Mine"}));
    assert_eq!((refusal.kind, refusal.text.as_str()), ("refused", "Dictionary already exists: Mine"));
    assert_eq!(session.refusal("add_dictionary", json!({"dictionaryName": "not a name"})).kind, "invalidParams");
    let source = "Object subclass: 'InMine' instVarNames: #() inDictionary: Mine";
    session.answer("compile_class_definition", json!({ "source": source }));
    assert_eq!(session.text("list_classes", json!({"dictionaryName": "Mine"})), "InMine\n");
    assert_eq!(session.text("remove_dictionary", json!({"dictionaryName": "Mine"})), "Removed dictionary: Mine");
    assert_eq!(session.text("list_dictionaries", json!({})), "UserGlobals\nGlobals\nPublished\nLapidary\n");
    let refusal = session.refusal("remove_dictionary", json!({"dictionaryName": "Mine"}));
    assert_eq!((refusal.kind, refusal.text.as_str()), ("notFound", "Dictionary not found: Mine"));
    assert!(!session.image.has_uncommitted_changes());
}
