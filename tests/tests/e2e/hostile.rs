//! Clients that break the rules on purpose: each gets a precise refusal, and nobody else notices.

use serde_json::{Value, json};
use std::time::Duration;
use tests::alone;
use tests::binaries;
use tests::client::{Client, JSON_HEADERS, PATH, initialize, tool_call, with_session};
use tests::http::{Connection, Response};
use tests::server::{Config, Server};
use tests::sse::Stream;

fn post(server: &Server, headers: &[(&str, &str)], body: &[u8]) -> Response {
    Connection::open(server.address).request("POST", PATH, headers, body)
}

/// Sends text as it is; answers the statuses of all answers until the server closes or says nothing more.
fn statuses(server: &Server, text: &str) -> Vec<u16> {
    let mut connection = Connection::open(server.address);
    connection.set_patience(Duration::from_secs(12));
    let _ = connection.send(text.as_bytes());
    let mut statuses = Vec::new();
    while let Ok(Some(head)) = connection.try_head() {
        statuses.push(head.status);
        connection.body(&head);
        connection.set_patience(Duration::from_millis(300));
    }
    statuses
}

#[test]
fn json_of_any_depth_is_refused_or_served_and_kills_nobody() {
    let server = Server::start_default();
    let (mut client, gem) = server.gem_of(|| Client::open(server.address));
    for depth in [200, 100_000, 1_900_000] {
        let nested = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let call = |params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        for params in [
            nested.clone(),
            format!(r#"{{"name":"status","arguments":{nested}}}"#),
            format!(r#"{{"name":"status","arguments":{{}},"_meta":{nested}}}"#),
            format!(r#"{{"name":{nested}}}"#),
        ] {
            let response = post(&server, &with_session(&client.session), call(&params).as_bytes());
            assert!(matches!(response.status, 200 | 400), "depth {depth}: {}", response.status);
            let answer = response.json();
            let code = answer["error"]["code"].as_i64();
            // Metadata that are no object mean nothing; all else is refused.
            let is_ignored = params.contains("_meta") && answer["result"]["isError"] == json!(false);
            assert!(matches!(code, Some(-32700 | -32602)) || is_ignored, "depth {depth}: {answer}");
        }
    }
    let too_long = "[".repeat(5_000_000);
    assert_eq!(post(&server, &with_session(&client.session), too_long.as_bytes()).status, 413);
    assert!(gem.is_alive());
    assert_eq!(client.evaluate("3 + 4"), "7");
}

#[test]
fn text_that_is_no_unicode_is_refused_each_time_in_the_same_way() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    let bom = b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    let refused = post(&server, &with_session(&client.session), bom);
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (400, &json!(-32700)));
    for params in [
        r#"{"name":"\ud800","arguments":{}}"#,
        r#"{"name":"execute_code","arguments":{"code":"'\udfff'"}}"#,
        r#"{"name":"execute_code","arguments":{"\ud800":1}}"#,
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        let answers: Vec<String> =
            (0..3).map(|_| post(&server, &with_session(&client.session), body.as_bytes()).text()).collect();
        assert!(answers[0].contains("\"error\"") || answers[0].contains("\"isError\":true"), "{}", answers[0]);
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    }
    // A character of code 0 is valid in a text, and in no name.
    assert_eq!(client.evaluate("'a\0b' size"), "3");
    let named = client.request("tools/call", &json!({"name": "stat\0us", "arguments": {}}));
    assert_eq!(named["error"]["code"], -32602, "{named}");
    assert_eq!(client.evaluate("3 + 4"), "7");
}

#[test]
fn a_member_that_is_given_twice_is_refused_wherever_it_could_mislead() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    for params in [
        r#"{"name":"status","name":"execute_code","arguments":{"code":"1"}}"#,
        r#"{"name":"status","arguments":{},"arguments":{}}"#,
        r#"{"name":"execute_code","arguments":{"code":"1","code":"2"}}"#,
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        let answer = post(&server, &with_session(&client.session), body.as_bytes()).json();
        assert_eq!(answer["error"]["code"], -32602, "{params}: {answer}");
    }
    let meta = alone::meta(&json!({}));
    let (_, headers) = alone::request("tools/call", &json!({"name": "status", "arguments": {}}), &json!({}));
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let params = format!(r#"{{"name":"status","name":"execute_code","arguments":{{"code":"1"}},"_meta":{meta}}}"#);
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
    let refused = post(&server, &headers, body.as_bytes());
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (400, &json!(-32602)), "{}", refused.text());
    assert_eq!(client.evaluate("3 + 4"), "7");
}

#[test]
fn ids_that_not_every_reader_keeps_are_refused_and_others_come_back_byte_for_byte() {
    let server = Server::start_default();
    let client = Client::open(server.address);
    let long = format!("\"{}\"", "x".repeat(10 * 1024));
    let ping = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    for id in ["12345678901234567890", "1.0", "1e400", "-9007199254740992", "false", &long] {
        let refused = post(&server, &with_session(&client.session), ping(id).as_bytes());
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (400, &json!(-32600)), "{id}");
    }
    let longest = format!("\"{}\"", "x".repeat(256));
    for id in ["-0", r#""\u0000""#, r#""\/""#, &longest] {
        let answered = post(&server, &with_session(&client.session), ping(id).as_bytes());
        assert!(answered.text().contains(&format!("\"id\":{id}")), "{id}: {}", answered.text());
    }
}

#[test]
fn what_two_readers_could_frame_differently_is_refused_or_closed_and_never_read_as_two() {
    let server = Server::start_default();
    let client = Client::open(server.address);
    let inner = format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\nMCP-Session-Id: {}\r\n", client.session);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let smuggled = format!("{inner}Content-Length: {}\r\n\r\n{ping}", ping.len());
    let length = smuggled.len() + 5;
    for (framing, body) in [
        (format!("Content-Length: {length}\r\nTransfer-Encoding: chunked"), format!("0\r\n\r\n{smuggled}")),
        (format!("Transfer-Encoding: chunked\r\nContent-Length: {length}"), format!("0\r\n\r\n{smuggled}")),
        (format!("Content-Length: 0\r\nContent-Length: {length}"), smuggled.clone()),
        ("Content-Length: 2, 2".to_owned(), format!("{{}}{smuggled}")),
        ("Content-Length: +2".to_owned(), format!("{{}}{smuggled}")),
        ("Content-Length: 0x2".to_owned(), format!("{{}}{smuggled}")),
        ("Content-Length: -1".to_owned(), smuggled.clone()),
        ("Transfer-Encoding: xchunked".to_owned(), format!("0\r\n\r\n{smuggled}")),
        ("Transfer-Encoding: chunked, identity".to_owned(), format!("0\r\n\r\n{smuggled}")),
        ("Transfer-Encoding : chunked".to_owned(), format!("0\r\n\r\n{smuggled}")),
        ("X: y\r\n Transfer-Encoding: chunked".to_owned(), format!("0\r\n\r\n{smuggled}")),
        ("X\0: y".to_owned(), smuggled.clone()),
        ("Transfer-Encoding: chunked".to_owned(), format!("2\n{{}}\n0\n\n{smuggled}")),
        ("Transfer-Encoding: chunked".to_owned(), format!("fffffffffffffffff\r\n{smuggled}")),
    ] {
        let seen = statuses(&server, &format!("{inner}{framing}\r\n\r\n{body}"));
        assert!(!seen.contains(&200), "{framing:?}: {seen:?}");
        assert!(seen.len() <= 1, "{framing:?}: one answer and then no more: {seen:?}");
    }
    let old = inner.replace("HTTP/1.1", "HTTP/1.0");
    let seen = statuses(&server, &format!("{old}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{smuggled}"));
    assert!(!seen.contains(&200), "{seen:?}");
}

#[test]
fn headers_that_can_mean_one_thing_only_are_given_once() {
    let server = Server::start_default();
    let client = Client::open(server.address);
    let session = client.session.as_str();
    for (name, one, other) in [
        ("Host", "localhost", "localhost"),
        ("Content-Type", "application/json", "text/plain"),
        ("Authorization", "Bearer a", "Bearer b"),
        ("MCP-Session-Id", session, "0"),
        ("MCP-Protocol-Version", "2025-11-25", "2025-06-18"),
        ("Mcp-Method", "ping", "tools/call"),
        ("Mcp-Name", "a", "b"),
        ("Last-Event-ID", "0-0", "0-1"),
    ] {
        let given: Vec<(&str, &str)> = [("MCP-Session-Id", session), ("Accept", "application/json")]
            .into_iter()
            .filter(|(given, _)| *given != name)
            .chain([(name, one), (name, other)])
            .collect();
        let response = post(&server, &given, br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
        assert_eq!(response.status, 400, "{name}: {}", response.text());
    }
}

#[test]
fn odd_targets_and_versions_of_http_are_answered_as_they_deserve() {
    let server = Server::start_default();
    let address = server.address;
    let body = initialize("2025-11-25").to_string();
    let length = body.len();
    for (text, expected) in [
        (
            format!("POST http://{address}/mcp HTTP/1.1\r\nHost: {address}\r\nContent-Length: {length}\r\n\r\n{body}"),
            200,
        ),
        (format!("POST http://evil.example/mcp HTTP/1.1\r\nHost: {address}\r\nContent-Length: 0\r\n\r\n"), 400),
        ("POST /mcp HTTP/1.1\r\nContent-Length: 0\r\n\r\n".to_owned(), 400),
        ("POST /mcp HTTP/1.0\r\nContent-Length: 0\r\n\r\n".to_owned(), 400),
        (format!("CONNECT {address} HTTP/1.1\r\nHost: {address}\r\n\r\n"), 405),
        (format!("POST /mcp HTTP/1.0\r\nHost: {address}\r\nContent-Length: {length}\r\n\r\n{body}"), 200),
    ] {
        assert_eq!(statuses(&server, &text), [expected], "{text:?}");
    }
    let mut old = Connection::open(address);
    let bytes = format!("POST /mcp HTTP/1.0\r\nHost: {address}\r\nContent-Length: {length}\r\n\r\n{body}");
    old.send(bytes.as_bytes()).expect("sent");
    assert_eq!(old.response().status, 200);
    assert!(old.closes_within(Duration::from_secs(10)), "HTTP/1.0 keeps no connection");
    let preface = statuses(&server, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    assert!(!preface.contains(&200), "{preface:?}");
}

#[test]
fn a_thousand_requests_that_are_sent_ahead_are_answered_in_order() {
    let server = Server::start_default();
    let client = Client::open(server.address);
    let mut connection = Connection::open(server.address);
    let mut ahead = Vec::new();
    for id in 0..1_000 {
        let body = json!({"jsonrpc": "2.0", "id": id, "method": "ping"}).to_string();
        ahead.extend(connection.compose("POST", PATH, &with_session(&client.session), body.as_bytes()));
    }
    connection.send(&ahead).expect("the server reads");
    for id in 0..1_000 {
        let answer = connection.response();
        assert_eq!((answer.status, &answer.json()["id"]), (200, &json!(id)));
    }
}

#[test]
fn unknown_ended_and_broken_ids_cannot_be_told_apart() {
    let server = Server::start_default();
    let mut ended = Client::open(server.address);
    assert_eq!(ended.delete(), 200);
    let ids = [ended.session.as_str(), "00000000000000000000000000000000", "x", "../../etc/passwd", "%00"];
    for (method, body) in [("POST", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), ("GET", ""), ("DELETE", "")] {
        let answers: Vec<(u16, String)> = ids
            .iter()
            .map(|id| {
                let headers = [JSON_HEADERS[0], JSON_HEADERS[1], ("MCP-Session-Id", *id)];
                let response = Connection::open(server.address).request(method, PATH, &headers, body.as_bytes());
                (response.status, response.text())
            })
            .collect();
        assert!(answers.iter().all(|answer| *answer == answers[0] && answer.0 == 404), "{method}: {answers:?}");
    }
    let opened = alone::call(server.address, "open_gem", &json!({}));
    let gem = opened.result["structuredContent"]["gem"].as_str().expect("a handle").to_owned();
    alone::call(server.address, "close_gem", &json!({"gem": gem}));
    let answers: Vec<Value> = [gem.as_str(), "00000000000000000000000000000000", "x"]
        .iter()
        .map(|gem| alone::call(server.address, "status", &json!({"gem": gem})).result)
        .collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
}

#[test]
fn a_session_id_on_a_request_that_stands_for_itself_means_nothing() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    client.evaluate("UserGlobals at: #Fixed put: 1");
    let arguments = json!({"code": "UserGlobals includesKey: #Fixed"});
    let (message, mut headers) =
        alone::request("tools/call", &json!({"name": "execute_code", "arguments": arguments}), &json!({}));
    headers.push(("MCP-Session-Id".to_owned(), client.session.clone()));
    let response = alone::post(server.address, &message, &headers);
    assert_eq!(response.json()["result"]["content"][0]["text"], "false", "{}", response.text());
    assert!(response.header("mcp-session-id").is_none());
}

#[test]
fn what_one_session_gives_up_is_not_what_another_calls() {
    let worker = binaries::find("conformance-worker");
    let worker = worker.to_str().expect("a path of text");
    let config = Config::new().with("GS_MCP_WORKER_BINARY", worker).with("GS_MCP_TOOLSETS", "conformance");
    let server = Server::start(config);
    let mut client = Client::open(server.address);
    let mut other = Client::open(server.address);
    let arguments = json!({"name": "mine", "steps": 200, "pause": 500});
    let params = json!({"name": "test_steps", "arguments": arguments, "_meta": {"progressToken": 1}});
    client.send(&json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params}));
    for _ in 0..20 {
        for notice in [
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}),
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}}),
            json!({"jsonrpc": "2.0", "id": 5, "result": {}}),
        ] {
            assert_eq!(other.post(&notice).status, 202);
        }
    }
    let answer = client.connection().response().json();
    assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!(5), &json!("mine: 200")), "{answer}");
}

#[test]
fn what_a_tool_says_cannot_become_an_event_of_its_own() {
    let worker = binaries::find("conformance-worker");
    let worker = worker.to_str().expect("a path of text");
    let config = Config::new().with("GS_MCP_WORKER_BINARY", worker).with("GS_MCP_TOOLSETS", "conformance");
    let server = Server::start(config);
    let client = Client::open(server.address);
    let name = "a\n\nid: 99-1\nevent: evil\ndata: {\"forged\":true}\n\n\r\n: b\rretry: 1\u{2028}\u{0}";
    let params =
        json!({"name": "test_steps", "arguments": {"name": name, "steps": 2}, "_meta": {"progressToken": name}});
    let message = json!({"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": params});
    let mut connection = Connection::open(server.address);
    let bytes = connection.compose("POST", PATH, &with_session(&client.session), message.to_string().as_bytes());
    connection.send(&bytes).expect("sent");
    assert_eq!(connection.head().status, 200);
    let mut stream = Stream::of(connection);
    let events: Vec<_> = std::iter::from_fn(|| stream.next_event()).collect();
    assert_eq!(events.len(), 5, "a priming event, progress, two steps, an answer: {events:?}");
    let stem = events[0].id.as_deref().and_then(|id| id.strip_suffix("-0")).expect("the first id").to_owned();
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event.id, Some(format!("{stem}-{number}")));
        assert!(event.retry.is_none() || number == 0, "{event:?}");
        assert!(number == 0 || event.name.as_deref() == Some("message"), "{event:?}");
    }
    assert_eq!(events[1].json()["params"]["progressToken"], name);
    assert_eq!(events[3].json()["params"]["data"]["name"], name);
    assert_eq!(events[4].json()["id"], name);
    let call = tool_call(1, "test_simple_text", &json!({})).to_string();
    assert_eq!(post(&server, &with_session(&client.session), call.as_bytes()).status, 200);
}
