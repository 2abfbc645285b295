//! Searching all methods.

use super::Session;
use serde_json::json;

#[test]
fn implementors_senders_and_references_are_found() {
    let mut session = Session::new();
    session.make_point();
    session.run("Pt compile: 'useIt ^self zapThem: #zapAll' classified: 'using'");
    session.run("Pt class compile: 'zapThem: x ^super zapAll' classified: ''");
    let found = session.text("find_implementors", json!({"selector": "zapThem:"}));
    assert_eq!(found, "Pt class>>zapThem:  [(uncategorized)]\n");
    let found = session.text("find_senders", json!({"selector": "zapThem:"}));
    assert_eq!(found, "Pt>>useIt  [using]\n");
    let found = session.text("find_senders", json!({"selector": "zapAll"}));
    assert_eq!(found, "Pt class>>zapThem:  [(uncategorized)]\n", "a symbol is no send");
    assert_eq!(session.text("find_senders", json!({"selector": "noSuchThing"})), "(none)");
    let found = session.text("find_references_to", json!({"name": "Pt"}));
    assert_eq!(found, "Pt>>+  [arithmetic]\n");
    let refusal = session.refusal("find_references_to", json!({"name": "NoSuchThing"}));
    assert_eq!((refusal.kind, refusal.text.as_str()), ("notFound", "Global not found: NoSuchThing"));
    let data = session.data("find_senders", json!({"selector": "zapThem:"}));
    let method = json!({"className": "Pt", "meta": false, "selector": "useIt", "category": "using", "dictionaryName": "UserGlobals"});
    assert_eq!(data, json!({"methods": [method], "total": 1}));
}

#[test]
fn operations_that_have_no_selector_among_the_literals_are_sends_as_well() {
    let mut session = Session::new();
    session.make_point();
    session.run("Pt compile: 'sum ^x + y' classified: 'a'. Pt compile: 'same ^x == y' classified: 'a'");
    for (selector, wanted) in [("+", "Pt>>sum  [a]\n"), ("==", "Pt>>same  [a]\n")] {
        let found = session.text("find_senders", json!({"selector": selector, "dictionaryName": "UserGlobals"}));
        assert!(found.contains(wanted), "{found}");
    }
}

#[test]
fn the_whole_kernel_is_searched() {
    let mut session = Session::new();
    let mut found = |selector: &str| {
        let data =
            session.data("find_senders", json!({"selector": selector, "dictionaryName": "Globals", "limit": 1000}));
        let methods = data["methods"].as_array().expect("methods").iter();
        methods.map(|method| method["selector"].as_str().expect("a selector").to_owned()).collect::<Vec<_>>()
    };
    for (selector, least) in [("=", 50), ("size", 50), ("printOn:", 5), ("nextPutAll:", 20), ("==", 50)] {
        let senders = found(selector);
        assert!(senders.len() > least, "{selector}: {senders:?}");
    }
    let references = session.data("find_references_to", json!({"name": "OrderedCollection", "limit": 1000}));
    assert!(references["total"].as_u64() > Some(20), "{references}");
}

#[test]
fn sources_are_searched_in_the_case_that_was_asked_for() {
    let mut session = Session::new();
    session.make_point();
    session.run("Pt compile: 'Über ^''Grüße an 世界''' classified: 'texts'");
    session.run("Pt compile: 'zap ^''some ZAPPING''' classified: 'texts'");
    let find = |session: &mut Session, arguments| session.text("search_method_source", arguments);
    assert_eq!(find(&mut session, json!({"pattern": "ZAPPING"})), "Pt>>zap\n");
    assert_eq!(find(&mut session, json!({"pattern": "zapping"})), "(none)");
    assert_eq!(find(&mut session, json!({"pattern": "zapping", "ignoreCase": true})), "Pt>>zap\n");
    assert_eq!(find(&mut session, json!({"pattern": "ZAP+ING'$", "regex": true})), "Pt>>zap\n");
    assert_eq!(find(&mut session, json!({"pattern": "世界"})), "Pt>>Über\n");
    assert_eq!(
        find(&mut session, json!({"pattern": "GRÜSSE", "ignoreCase": true, "dictionaryName": "Published"})),
        "(none)"
    );
    let refusal = session.refusal("search_method_source", json!({"pattern": "(", "regex": true}));
    assert_eq!(refusal.kind, "invalidParams");
    assert_eq!(session.refusal("search_method_source", json!({"pattern": ""})).kind, "invalidParams");
}

#[test]
fn many_methods_are_searched_page_by_page() {
    let mut session = Session::new();
    session.run(
        "1 to: 100 do: [:class | | made |
            made := Object subclass: 'Many' , class printString instVarNames: #() inDictionary: UserGlobals.
            1 to: 100 do: [:each | made compile: 'method' , each printString , ' ^''the needle''' classified: 'm']]",
    );
    let text = session.text("search_method_source", json!({"pattern": "the needle"}));
    assert!(
        text.starts_with("(showing 1-200 of 10000; pass offset: 200 for the next page)\nMany100>>method1\n"),
        "{}",
        &text[..200]
    );
    let data = session.data("search_method_source", json!({"pattern": "the needle", "offset": 9999}));
    assert_eq!(data["methods"][0]["className"], "Many9");
    assert_eq!(data["nextOffset"], json!(null));
    let one = session.text("find_implementors", json!({"selector": "method7", "limit": 1}));
    assert!(one.starts_with("(showing 1-1 of 100; pass offset: 1"), "{one}");
}
