//! What is checked before anything is started: Host, Origin, type, size, JSON, and HTTP itself.

use serde_json::json;
use std::time::Duration;
use tests::client::{Client, JSON_HEADERS, PATH, initialize, with_session};
use tests::http::{Connection, Response};
use tests::server::{Config, Server};

const EVIL_ORIGINS: &[&str] = &[
    "null",
    "http://evil.example",
    "http://localhost.evil",
    "http://127.0.0.1.evil",
    "http://localhost@evil",
    "http://localhost:1@evil",
    "ftp://localhost",
    "file://localhost",
    "http://localhost.",
    "http://LOCALHOST.evil",
    "http://127.0.0.1:80/path",
    "http://[::2]",
    "http://xn--lcalhost-75a",
    "localhost",
    "",
];

const EVIL_HOSTS: &[&str] =
    &["evil.example", "evil.example:8000", "0x7f.1", "127.1", "2130706433", "localhost.", "localhost.evil", "[::2]"];

#[test]
fn a_foreign_origin_is_403_on_every_method_and_starts_nothing() {
    let mut server = Server::start_default();
    let client = Client::open(server.address);
    let before = server.processes();
    for origin in EVIL_ORIGINS {
        for method in ["POST", "GET", "DELETE", "OPTIONS"] {
            let mut headers = with_session(&client.session).to_vec();
            headers.push(("Origin", origin));
            let body = initialize("2025-11-25").to_string();
            let response = request(&server, method, &headers, &body);
            assert_eq!(response.status, 403, "{method} from {origin:?}: {}", response.text());
            assert!(response.header("access-control-allow-origin").is_none());
        }
    }
    assert_eq!(server.processes(), before, "nothing was started or ended");
}

#[test]
fn two_origins_are_refused() {
    let server = Server::start_default();
    let mut headers = JSON_HEADERS.to_vec();
    headers.extend([("Origin", "http://localhost:1"), ("Origin", "http://evil.example")]);
    let response = request(&server, "POST", &headers, &initialize("2025-11-25").to_string());
    assert!(matches!(response.status, 400 | 403), "{}", response.status);
}

#[test]
fn loopback_origins_of_any_port_and_configured_ones_are_allowed() {
    let server = Server::start(Config::new().with("GS_MCP_ALLOWED_ORIGINS", "https://app.example http://b.example:81"));
    for origin in [
        "http://localhost",
        "http://localhost:5173",
        "http://127.0.0.1:9",
        "http://[::1]:6274",
        "https://app.example",
        "http://b.example:81",
    ] {
        let mut headers = JSON_HEADERS.to_vec();
        headers.push(("Origin", origin));
        let response = request(&server, "POST", &headers, &initialize("2025-11-25").to_string());
        assert_eq!(response.status, 200, "{origin}: {}", response.text());
    }
    for origin in ["https://app.example:444", "http://app.example", "http://b.example", "https://app.example.evil"] {
        let mut headers = JSON_HEADERS.to_vec();
        headers.push(("Origin", origin));
        let response = request(&server, "POST", &headers, &initialize("2025-11-25").to_string());
        assert_eq!(response.status, 403, "{origin}");
    }
}

#[test]
fn a_foreign_host_is_403_and_a_missing_one_400() {
    let server = Server::start_default();
    let body = initialize("2025-11-25").to_string();
    for host in EVIL_HOSTS {
        let mut headers = JSON_HEADERS.to_vec();
        headers.push(("Host", host));
        let response = request(&server, "POST", &headers, &body);
        assert_eq!(response.status, 403, "{host}: {}", response.text());
    }
    for host in ["localhost", "localhost:1", "127.0.0.1", "[::1]:80", "LOCALHOST:7"] {
        let mut headers = JSON_HEADERS.to_vec();
        headers.push(("Host", host));
        assert_eq!(request(&server, "POST", &headers, &body).status, 200, "{host}");
    }
    let length = body.len();
    let status = raw(&server, &format!("POST /mcp HTTP/1.1\r\nContent-Length: {length}\r\n\r\n{body}"));
    assert_eq!(status, Some(400));
}

#[test]
fn a_request_with_an_origin_must_send_json_and_one_without_need_not() {
    let server = Server::start_default();
    let body = initialize("2025-11-25").to_string();
    for kind in [None, Some("text/plain"), Some("application/x-www-form-urlencoded"), Some("multipart/form-data")] {
        let mut headers = vec![("Accept", "application/json, text/event-stream")];
        headers.extend(kind.map(|kind| ("Content-Type", kind)));
        assert_eq!(request(&server, "POST", &headers, &body).status, 200, "{kind:?} without an Origin");
        headers.push(("Origin", "http://localhost:3000"));
        assert_eq!(request(&server, "POST", &headers, &body).status, 415, "{kind:?} with an Origin");
    }
    let headers = [("Content-Type", "application/json; charset=utf-8"), ("Origin", "http://localhost:3000")];
    assert_eq!(request(&server, "POST", &headers, &body).status, 200, "parameters of the type do not matter");
}

#[test]
fn a_body_over_the_limit_is_413_by_its_length_before_it_is_sent() {
    let server = Server::start_default();
    let client = Client::open(server.address);
    let length = protocol::limits::BODY_BYTES_MAX + 1;
    let mut headers = with_session(&client.session).to_vec();
    let length = length.to_string();
    headers.push(("Content-Length", &length));
    let mut connection = Connection::open(server.address);
    let head = connection.compose("POST", PATH, &headers, b"");
    connection.send(&head).expect("sent");
    assert_eq!(connection.head().status, 413);
}

#[test]
fn a_chunked_body_over_the_limit_is_413_when_it_gets_there() {
    let server = Server::start_default();
    let client = Client::open(server.address);
    let mut headers = with_session(&client.session).to_vec();
    headers.push(("Transfer-Encoding", "chunked"));
    let mut connection = Connection::open(server.address);
    let head = connection.compose("POST", PATH, &headers, b"");
    connection.send(&head).expect("sent");
    let mut chunk = b"10000\r\n".to_vec();
    chunk.extend(std::iter::repeat_n(b' ', 0x10000));
    chunk.extend_from_slice(b"\r\n");
    let chunks = protocol::limits::BODY_BYTES_MAX / 0x10000 + 2;
    // The server may answer and close before the last chunk is written.
    let _ = (0..chunks).try_for_each(|_| connection.send(&chunk));
    assert_eq!(connection.head().status, 413);
    let mut client = client;
    assert_eq!(client.evaluate("3 + 4"), "7");
}

#[test]
fn a_body_of_just_the_limit_is_served() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    let frame = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "execute_code", "arguments": {"code": ""}}});
    let room = protocol::limits::BODY_BYTES_MAX - frame.to_string().len();
    let code = format!("{}7", " ".repeat(room - 1));
    let mut frame = frame;
    frame["params"]["arguments"]["code"] = json!(code);
    assert_eq!(frame.to_string().len(), protocol::limits::BODY_BYTES_MAX);
    let response = client.post(&frame);
    assert_eq!(response.status, 200);
    assert_eq!(response.json()["result"]["content"][0]["text"], "7");
}

#[test]
fn a_body_that_is_no_json_is_400_with_a_parse_error() {
    let server = Server::start_default();
    let client = Client::open(server.address);
    let headers = with_session(&client.session);
    let mut bodies: Vec<Vec<u8>> = ["", "{", "nonsense", "{\"jsonrpc\":\"2.0\",}", "{} {}", "{\"a\":1}x"]
        .iter()
        .map(|text| text.as_bytes().to_vec())
        .collect();
    bodies.push(b"\xff\xfe{}".to_vec());
    bodies.push(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc3\x28\"}".to_vec());
    for body in bodies {
        let mut connection = Connection::open(server.address);
        let response = connection.request("POST", PATH, &headers, &body);
        let shown = String::from_utf8_lossy(&body).into_owned();
        assert_eq!(response.status, 400, "{shown:?}: {}", response.text());
        assert_eq!(response.json()["error"]["code"], -32700, "{shown:?}");
    }
}

#[test]
fn json_that_is_no_single_message_is_400_with_an_invalid_request() {
    let server = Server::start_default();
    let client = Client::open(server.address);
    let headers = with_session(&client.session);
    for body in [
        "[]",
        "3",
        "\"text\"",
        "null",
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
        "[\"2.0\",1,\"ping\",{}]",
        "{}",
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}",
    ] {
        let response = request(&server, "POST", &headers, body);
        assert_eq!(response.status, 400, "{body}: {}", response.text());
        assert_eq!(response.json()["error"]["code"], -32600, "{body}");
    }
}

#[test]
fn deeply_nested_json_harms_nobody() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    let deep = 1_000_000;
    let nested = format!("{}1{}", "[".repeat(deep), "]".repeat(deep));
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"status","arguments":{{"x":{nested}}}}}}}"#
    );
    let response = request(&server, "POST", &with_session(&client.session), &body);
    assert!(matches!(response.status, 200 | 400), "{}", response.status);
    assert_eq!(client.evaluate("3 + 4"), "7", "the same session goes on");
}

#[test]
fn too_many_or_too_long_headers_are_431() {
    let server = Server::start_default();
    let many: String = (0..protocol::limits::HEADERS_MAX + 8).map(|number| format!("X-{number}: 1\r\n")).collect();
    let status = raw(&server, &format!("GET /mcp HTTP/1.1\r\nHost: localhost\r\n{many}\r\n"));
    assert_eq!(status, Some(431));
    let long = "x".repeat(protocol::limits::HEADER_BYTES_MAX + 1024);
    let status = raw(&server, &format!("GET /mcp HTTP/1.1\r\nHost: localhost\r\nX-Long: {long}\r\n\r\n"));
    assert_eq!(status, Some(431));
}

#[test]
fn smuggled_and_broken_requests_are_400_or_closed() {
    let server = Server::start_default();
    for text in [
        "GARBAGE\r\n\r\n",
        "GET /mcp HTTP/9.9\r\nHost: localhost\r\n\r\n",
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: +2\r\n\r\n{}",
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
        "POST /mcp HTTP/1.1\r\nHost : localhost\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let status = raw(&server, text);
        assert!(matches!(status, None | Some(400 | 505)), "{text:?}: {status:?}");
    }
    assert_eq!(Client::open(server.address).evaluate("3 + 4"), "7");
}

fn request(server: &Server, method: &str, headers: &[(&str, &str)], body: &str) -> Response {
    let body = if method == "POST" { body.as_bytes() } else { b"" };
    Connection::open(server.address).request(method, PATH, headers, body)
}

/// Sends text as it is; answers the status, or `None` if the server only closed.
fn raw(server: &Server, text: &str) -> Option<u16> {
    let mut connection = Connection::open(server.address);
    connection.set_patience(Duration::from_secs(15));
    let _ = connection.send(text.as_bytes());
    connection.try_head().ok().flatten().map(|head| head.status)
}
