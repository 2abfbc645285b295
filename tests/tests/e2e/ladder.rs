//! What is wrong with a request, in which order it is found, and which era it belongs to: one row a rule.

use serde_json::{Value, json};
use tests::alone::{REVISION, meta};
use tests::client::{PATH, initialize};
use tests::http::{Connection, Response};
use tests::server::{Config, Server};

type Headers<'a> = &'a [(&'a str, &'a str)];

const JSON: (&str, &str) = ("Content-Type", "application/json");
const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");
const MODERN: (&str, &str) = ("MCP-Protocol-Version", REVISION);

/// Posts a body; the headers of any client come first.
fn post(server: &Server, headers: Headers<'_>, body: &Value) -> Response {
    let headers = [&[JSON, ACCEPT], headers].concat();
    Connection::open(server.address).request("POST", PATH, &headers, body.to_string().as_bytes())
}

fn message(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": "x", "method": method, "params": params})
}

/// Parameters with metadata beside these.
fn enveloped(params: &Value) -> Value {
    let mut params = params.clone();
    params["_meta"] = meta(&json!({}));
    params
}

fn code(response: &Response) -> (u16, i64) {
    let answer = response.json();
    if answer["error"].is_object() && response.status != 405 {
        let id = &answer["id"];
        assert!(id.is_null() || *id == "x" || *id == 0, "the id comes back as it went: {answer}");
    }
    (response.status, answer["error"]["code"].as_i64().unwrap_or_default())
}

/// A row that breaks one rule, and each rule after it as well: the first one is what is told.
struct Row<'a> {
    what: &'a str,
    method: &'a str,
    params: Value,
    headers: Vec<(&'a str, &'a str)>,
    told: (u16, i64),
}

fn row<'a>(what: &'a str, method: &'a str, params: Value, headers: &[(&'a str, &'a str)], told: (u16, i64)) -> Row<'a> {
    Row { what, method, params, headers: headers.to_vec(), told }
}

fn metadata(version: Value, capabilities: Value) -> Value {
    json!({"_meta": {"io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": capabilities}})
}

const LIST: (&str, &str) = ("Mcp-Method", "tools/list");
const CALL: (&str, &str) = ("Mcp-Method", "tools/call");
const OTHER: (&str, &str) = ("Mcp-Method", "other");
const UNKNOWN: (&str, &str) = ("MCP-Protocol-Version", "v999.0.0");

fn envelope_rows() -> Vec<Row<'static>> {
    let level = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": REVISION,
        "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/logLevel": "loud"}});
    let capabilities = json!({"_meta": {"io.modelcontextprotocol/clientCapabilities": {}}});
    let version = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": REVISION}});
    let wrong = (400, -32602);
    vec![
        row("no metadata where the header wants no session", "tools/list", json!({}), &[MODERN, OTHER], wrong),
        row("metadata without a version", "tools/list", capabilities, &[MODERN, OTHER], wrong),
        row("metadata without capabilities", "tools/list", version, &[OTHER], wrong),
        row("capabilities that are no object", "tools/list", metadata(json!("v1"), json!([])), &[OTHER], wrong),
        row("a version that is no text", "tools/list", metadata(json!(7), json!({})), &[OTHER], wrong),
        row("a level that is none", "no/such", level, &[OTHER], wrong),
    ]
}

fn header_rows() -> Vec<Row<'static>> {
    let good = || enveloped(&json!({}));
    let named = || enveloped(&json!({"name": "status", "arguments": {}}));
    let unserved = |version: &str| metadata(json!(version), json!({}));
    let mismatch = (400, -32020);
    let name = |value: &'static str| ("Mcp-Name", value);
    vec![
        row("no version header", "tools/list", unserved("v999.0.0"), &[OTHER], mismatch),
        row("another version in the header", "tools/list", unserved("v999.0.0"), &[MODERN, OTHER], mismatch),
        row("the version header twice", "tools/list", good(), &[MODERN, MODERN, LIST], mismatch),
        row("a version that is not served", "no/such", unserved("v999.0.0"), &[UNKNOWN, OTHER], (400, -32022)),
        row(
            "a version that has sessions",
            "tools/list",
            unserved("2025-11-25"),
            &[("MCP-Protocol-Version", "2025-11-25"), LIST],
            (400, -32022),
        ),
        row("no method header", "no/such", good(), &[MODERN], mismatch),
        row("another method in the header", "no/such", good(), &[MODERN, LIST], mismatch),
        row("a method in capitals", "tools/list", good(), &[MODERN, ("Mcp-Method", "TOOLS/LIST")], mismatch),
        row("no name header", "tools/call", named(), &[MODERN, CALL], mismatch),
        row("another name in the header", "tools/call", named(), &[MODERN, CALL, name("commit")], mismatch),
        row("a name that is no base64", "tools/call", named(), &[MODERN, CALL, name("=?base64?c3RhdHVz!?=")], mismatch),
        row("the name header twice", "tools/call", named(), &[MODERN, CALL, name("status"), name("status")], mismatch),
        row("a method that there is not", "no/such", good(), &[MODERN, ("Mcp-Method", "no/such")], (404, -32601)),
    ]
}

fn handler_rows() -> Vec<Row<'static>> {
    let gem = || enveloped(&json!({"name": "status", "arguments": {"gem": "h"}}));
    let plain = || enveloped(&json!({"name": "status", "arguments": {}}));
    let status = ("Mcp-Name", "status");
    let parameter = |value: &'static str| ("Mcp-Param-Gem", value);
    let mismatch = (400, -32020);
    let tool = |name: &str| enveloped(&json!({ "name": name }));
    vec![
        row("an argument without its header", "tools/call", gem(), &[MODERN, CALL, status], mismatch),
        row(
            "a header that is no base64",
            "tools/call",
            gem(),
            &[MODERN, CALL, status, parameter("=?base64?aA?=")],
            mismatch,
        ),
        row(
            "a header of an argument twice",
            "tools/call",
            gem(),
            &[MODERN, CALL, status, parameter("h"), parameter("h")],
            mismatch,
        ),
        row("an unknown tool", "tools/call", tool("none"), &[MODERN, CALL, ("Mcp-Name", "none")], (200, -32602)),
        row("no tool at all", "tools/call", enveloped(&json!({})), &[MODERN, CALL], (200, -32602)),
        row(
            "arguments that are no object",
            "tools/call",
            enveloped(&json!({"name": "status", "arguments": 7})),
            &[MODERN, CALL, status],
            (200, -32602),
        ),
        row("all is well", "tools/call", plain(), &[MODERN, CALL, status], (200, 0)),
        row(
            "names are compared without the blanks around them",
            "tools/call",
            plain(),
            &[MODERN, CALL, ("mcp-name", "  status  ")],
            (200, 0),
        ),
        row(
            "names may be wrapped",
            "tools/call",
            plain(),
            &[MODERN, ("MCP-METHOD", "tools/call"), ("Mcp-Name", "=?base64?c3RhdHVz?=")],
            (200, 0),
        ),
    ]
}

#[test]
fn the_first_thing_that_is_wrong_is_told() {
    let server = Server::start_default();
    for Row { what, method, params, headers, told } in
        envelope_rows().into_iter().chain(header_rows()).chain(handler_rows())
    {
        let response = post(&server, &headers, &message(method, &params));
        assert_eq!(code(&response), told, "{what}: {}", response.text());
    }
    for gone in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"] {
        let response = post(&server, &[MODERN, ("Mcp-Method", gone)], &message(gone, &enveloped(&json!({}))));
        assert_eq!(code(&response), (404, -32601), "{gone} is of the other era: {}", response.text());
    }
    let refused = post(&server, &[UNKNOWN, LIST], &message("tools/list", &metadata(json!("v999.0.0"), json!({}))));
    assert_eq!(refused.json()["error"]["data"], json!({"supported": [REVISION], "requested": "v999.0.0"}));
}

#[test]
fn wrapped_and_half_wrapped_headers_of_arguments() {
    let server = crate::conformance::server();
    let call = |value: Value, header: Option<&str>| {
        let params = enveloped(&json!({"name": "test_custom_header", "arguments": {"value": value}}));
        let mut headers = vec![MODERN, CALL, ("Mcp-Name", "test_custom_header")];
        headers.extend(header.map(|header| ("Mcp-Param-Value", header)));
        code(&post(&server, &headers, &message("tools/call", &params)))
    };
    let mismatch = (400, -32020);
    for (value, header, told) in [
        ("Hello", Some("Hello"), (200, 0)),
        ("Hello", Some("=?base64?SGVsbG8=?="), (200, 0)),
        ("Grüße", Some("=?base64?R3LDvMOfZQ==?="), (200, 0)),
        ("SGVsbG8=", Some("SGVsbG8="), (200, 0)),
        ("=?base64?SGVsbG8=", Some("=?base64?SGVsbG8="), (200, 0)),
        ("SGVsbG8=?=", Some("SGVsbG8=?="), (200, 0)),
        ("Hello", Some("hello"), mismatch),
        ("Hello", Some("=?base64?SGVsbG8?="), mismatch),
        ("Hello", Some("=?base64?SGVs!!!bG8=?="), mismatch),
        ("Hello", Some("=?BASE64?SGVsbG8=?="), mismatch),
        ("Hello", None, mismatch),
    ] {
        assert_eq!(call(json!(value), header), told, "{value} {header:?}");
    }
    assert_eq!(call(Value::Null, Some("Hello")), mismatch, "a header of an argument that is not given");
}

#[test]
fn the_body_says_which_era_and_then_the_header() {
    let server = Server::start_default();
    let mut asking = initialize(REVISION);
    let answered = |asking: &Value, headers: Headers<'_>| post(&server, headers, asking);
    for version in [REVISION, "2030-01-01", "nonsense"] {
        asking["params"]["protocolVersion"] = json!(version);
        let opened = answered(&asking, &[]);
        assert_eq!(opened.json()["result"]["protocolVersion"], "2025-11-25", "{version}");
        assert!(opened.header("mcp-session-id").is_some());
    }
    let repeated = answered(&initialize("2025-11-25"), &[("MCP-Protocol-Version", "2025-11-25")]);
    assert_eq!(repeated.json()["result"]["protocolVersion"], "2025-11-25", "a header that only repeats does no harm");
    assert_eq!(code(&answered(&initialize(REVISION), &[MODERN])), (400, -32020));
    let both = message("initialize", &enveloped(&initialize(REVISION)["params"]));
    assert_eq!(code(&answered(&both, &[MODERN, ("Mcp-Method", "initialize")])), (404, -32601));
    // Of no era that is served, and with no session.
    assert_eq!(code(&answered(&message("tools/list", &json!({})), &[])), (400, -32600));
    assert_eq!(code(&answered(&message("tools/list", &json!({})), &[("MCP-Protocol-Version", "1999-01-01")])).0, 400);
    // A stale session does not matter to a request that stands for itself.
    let stale = [MODERN, LIST, ("MCP-Session-Id", "gone"), ("Last-Event-ID", "1-1")];
    let listed = answered(&message("tools/list", &enveloped(&json!({}))), &stale);
    assert_eq!((listed.status, listed.header("mcp-session-id")), (200, None));
    let notice = json!({"jsonrpc": "2.0", "method": "notifications/unheard-of"});
    let told = answered(&notice, &[MODERN]);
    assert_eq!((told.status, told.body.len()), (202, 0));
    let batch = json!([message("tools/list", &enveloped(&json!({})))]);
    assert_eq!(code(&answered(&batch, &[MODERN, LIST])), (400, -32600));
}

#[test]
fn origin_and_size_and_form_come_before_the_era() {
    let server = Server::start_default();
    let listing = message("tools/list", &enveloped(&json!({})));
    let foreign = post(&server, &[("Origin", "http://evil.example"), MODERN, LIST], &listing);
    assert_eq!(foreign.status, 403);
    let garbage = Connection::open(server.address).request("POST", PATH, &[JSON, ACCEPT, MODERN, LIST], b"{");
    assert_eq!(code(&garbage), (400, -32700));
    for method in ["GET", "DELETE"] {
        let refused = Connection::open(server.address).request(method, PATH, &[MODERN], b"");
        assert_eq!((refused.status, refused.header("allow")), (405, Some("POST")), "{method}");
    }
}

#[test]
fn where_no_session_is_served_nobody_opens_one() {
    let server = Server::start(Config::new().with("GS_MCP_REVISIONS", REVISION));
    let refused = post(&server, &[], &initialize("2025-11-25"));
    assert_eq!(code(&refused), (400, -32022));
    assert_eq!(refused.json()["error"]["data"]["supported"], json!([REVISION]));
    assert_eq!(code(&post(&server, &[], &message("tools/list", &json!({})))), (400, -32602));
    let answer = json!({"jsonrpc": "2.0", "id": "x", "result": {}});
    assert_eq!(post(&server, &[], &answer).status, 400);
    assert_eq!(Connection::open(server.address).request("GET", PATH, &[ACCEPT], b"").status, 405);
    let found = post(
        &server,
        &[MODERN, ("Mcp-Method", "server/discover")],
        &message("server/discover", &enveloped(&json!({}))),
    );
    assert_eq!(found.json()["result"]["supportedVersions"], json!([REVISION]));
}
