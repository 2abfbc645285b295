//! Streams of events in sessions, batches, and what pages in a browser are told.

use serde_json::{Value, json};
use tests::client::{Client, JSON_HEADERS, PATH, initialize, with_session};
use tests::http::{Connection, Response};
use tests::server::Server;

fn post(server: &Server, headers: &[(&str, &str)], body: &Value) -> Response {
    Connection::open(server.address).request("POST", PATH, headers, body.to_string().as_bytes())
}

#[test]
fn batches_are_answered_as_one_array_at_the_revision_that_has_them() {
    let server = Server::start_default();
    let opened = post(&server, &JSON_HEADERS, &initialize("2025-03-26"));
    assert_eq!(opened.json()["result"]["protocolVersion"], "2025-03-26");
    let session = opened.header("mcp-session-id").expect("an id").to_owned();
    let headers = [JSON_HEADERS[0], JSON_HEADERS[1], ("MCP-Session-Id", session.as_str())];
    let ping = |id: u64| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    let notice = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let response = post(&server, &headers, &json!([ping(1), notice, ping(2)]));
    assert_eq!(response.status, 200, "{}", response.text());
    let mut ids: Vec<u64> =
        response.json().as_array().expect("an array").iter().filter_map(|answer| answer["id"].as_u64()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2]);
    assert_eq!(post(&server, &headers, &json!([notice, notice])).status, 202);
    for invalid in [json!([initialize("2025-03-26")]), json!([]), json!([1]), json!(vec![ping(1); 65])] {
        let refused = post(&server, &headers, &invalid);
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (400, &json!(-32600)), "{}", refused.text());
    }
    let newer = Client::open(server.address);
    assert_eq!(post(&server, &with_session(&newer.session), &json!([ping(1)])).status, 400);
}

#[test]
fn a_stream_of_a_session_is_read_on_from_where_it_broke() {
    let server = Server::start_default();
    let client = Client::open(server.address);
    let resume = |id: &str| {
        let headers =
            [("Accept", "text/event-stream"), ("MCP-Session-Id", client.session.as_str()), ("Last-Event-ID", id)];
        let mut stream = Connection::open(server.address);
        let bytes = stream.compose("GET", PATH, &headers, b"");
        stream.send(&bytes).expect("sent");
        let status = stream.head().status;
        (status, stream)
    };
    let (status, mut stream) = resume("0-0");
    assert_eq!(status, 200);
    let first = stream.chunk().expect("a chunk").expect("no end yet");
    assert_eq!(String::from_utf8_lossy(&first), ": connected\n\nid: 0-0\nretry: 1000\ndata:\n\n");
    for unknown in ["0-1", "99-0", "nonsense"] {
        assert_eq!(resume(unknown).0, 400, "{unknown}");
    }
}

#[test]
fn a_get_without_a_session_is_a_stream_on_which_nothing_comes() {
    let server = Server::start_default();
    let mut stream = Connection::open(server.address);
    let bytes = stream.compose("GET", PATH, &[("Accept", "text/event-stream")], b"");
    stream.send(&bytes).expect("sent");
    assert_eq!(stream.head().status, 200);
    assert_eq!(stream.chunk().expect("a chunk").expect("no end yet"), b": connected\n\n");
}

#[test]
fn pages_of_allowed_origins_may_call_and_read_what_they_need() {
    let server = Server::start_default();
    let origin = ("Origin", "http://localhost:6274");
    let asked = [
        origin,
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "content-type,mcp-param-gem,mcp-protocol-version"),
    ];
    let preflight = Connection::open(server.address).request("OPTIONS", PATH, &asked, b"");
    assert_eq!(preflight.status, 204);
    assert_eq!(preflight.header("access-control-allow-origin"), Some(origin.1));
    let allowed = preflight.header("access-control-allow-headers").expect("headers").to_ascii_lowercase();
    for name in ["content-type", "mcp-param-gem", "mcp-protocol-version", "mcp-session-id", "last-event-id"] {
        assert!(allowed.contains(name), "{name}: {allowed}");
    }
    let opened = post(&server, &[&JSON_HEADERS[..], &[origin]].concat(), &initialize("2025-11-25"));
    assert_eq!(opened.header("access-control-allow-origin"), Some(origin.1));
    assert!(opened.header("access-control-expose-headers").is_some_and(|exposed| exposed.contains("MCP-Session-Id")));
    let evil = [("Origin", "http://evil.example"), ("Access-Control-Request-Method", "POST")];
    let refused = Connection::open(server.address).request("OPTIONS", PATH, &evil, b"");
    assert_eq!((refused.status, refused.header("access-control-allow-origin")), (403, None));
}
