//! Finding, describing and calling tools.

use super::Session;
use serde_json::{Value, json};

fn names(data: &Value) -> Vec<&str> {
    let tools = data["tools"].as_array().expect("tools");
    tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect()
}

#[test]
fn the_best_match_comes_first() {
    let mut session = Session::new();
    for (query, wanted) in [
        ("senders", "find_senders"),
        ("who calls a method", "find_senders"),
        ("implementors of a selector", "find_implementors"),
        ("run any code", "execute_code"),
        ("evaluate", "execute_code"),
        ("grep the source", "search_method_source"),
        ("why does my test fail", "describe_test_failure"),
        ("rollback", "abort"),
        ("save my changes", "commit"),
        ("subclasses", "get_class_hierarchy"),
        ("edit a method", "compile_method"),
        ("new class", "compile_class_definition"),
        ("namespaces", "list_dictionaries"),
    ] {
        let data = session.data("tool_search", json!({"query": query}));
        assert_eq!(names(&data).first(), Some(&wanted), "{query}: {:?}", names(&data));
    }
    let text = session.text("tool_search", json!({"query": "senders", "limit": 1}));
    let line = "find_senders  [search]  Call this to find every method that sends a message, before you change what \
                it does.\n";
    assert!(text.ends_with(line), "{text}");
}

#[test]
fn all_that_is_served_is_found_page_by_page() {
    let mut session = Session::new();
    let mut found = Vec::new();
    let mut offset = json!(0);
    while !offset.is_null() {
        let data = session.data("tool_search", json!({"limit": 10, "offset": offset}));
        assert_eq!(data["total"], 31, "all but the catalog itself");
        found.extend(names(&data).into_iter().map(str::to_owned));
        offset = data["nextOffset"].clone();
    }
    assert_eq!(found.len(), 31);
    assert!(found.is_sorted());
    let group = session.data("tool_search", json!({"group": "session"}));
    assert_eq!(names(&group), ["abort", "commit", "refresh", "status"]);
    assert_eq!(session.text("tool_search", json!({"query": "zzz"})), "(none)");
    assert_eq!(session.data("tool_search", json!({"group": "nowhere"}))["total"], 0);
    assert_eq!(session.data("tool_search", json!({"query": "senders"}))["tools"][0]["advertised"], true);
}

#[test]
fn a_tool_is_told_whole_with_its_page_size() {
    let mut session = Session::new();
    let paged = session.data("tool_get", json!({"name": "find_senders"}));
    assert_eq!((&paged["pageSize"], &paged["group"]), (&json!(200), &json!("search")));
    assert_eq!(paged["inputSchema"]["required"], json!(["selector"]));
    assert!(paged["outputSchema"].is_object() && paged["annotations"]["readOnlyHint"] == true);
    let unpaged = session.data("tool_get", json!({"name": "status"}));
    assert!(unpaged.get("pageSize").is_none(), "{unpaged}");
    let several = session.data("tool_get", json!({"name": ["status", "zap"]}));
    assert_eq!(several["results"][0]["answer"]["name"], "status");
    assert_eq!(several["results"][1]["error"]["kind"], "notFound");
    let own = session.refusal("tool_get", json!({"name": "tool_get"}));
    assert_eq!(own.kind, "invalidParams");
}

#[test]
fn a_call_is_the_call_of_the_tool_itself() {
    let mut session = Session::new();
    let called = session.answer("tool_call", json!({"name": "execute_code", "arguments": {"code": "3 + 4"}}));
    assert_eq!(called, session.answer("execute_code", json!({"code": "3 + 4"})));
    assert_eq!(
        session.text("tool_call", json!({"name": "list_dictionaries"})),
        "UserGlobals\nGlobals\nPublished\nLapidary\n"
    );
    let refused = session.refusal("tool_call", json!({"name": "execute_code", "arguments": {"bogus": 1}}));
    assert_eq!(refused, session.refusal("execute_code", json!({"bogus": 1})));
    let unknown = session.refusal("tool_call", json!({"name": "zap"}));
    assert_eq!((unknown.kind, unknown.text.starts_with("Unknown tool: zap")), ("notFound", true));
    let again = session.refusal("tool_call", json!({"name": "tool_call", "arguments": {"name": "status"}}));
    assert_eq!(again.kind, "invalidParams");
}
