//! Clients that stop in the middle: they get their answer in time and hold up nobody else.

use protocol::limits::{BODY_MILLIS, HEADER_MILLIS, WRITE_STALL_MILLIS};
use serde_json::json;
use std::time::{Duration, Instant};
use tests::client::{Client, PATH, tool_call, with_session};
use tests::http::Connection;
use tests::server::Server;

#[test]
fn a_half_sent_header_is_closed_in_time_and_holds_up_nobody() {
    let server = Server::start_default();
    let mut half = Connection::open(server.address);
    half.send(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-").expect("sent");
    assert_eq!(Client::open(server.address).evaluate("3 + 4"), "7");
    let start = Instant::now();
    half.set_patience(Duration::from_millis(HEADER_MILLIS + 5_000));
    let head = half.try_head().expect("closed in time");
    assert!(head.is_none_or(|head| head.status == 408));
    assert!(start.elapsed() <= Duration::from_millis(HEADER_MILLIS + 2_000), "{:?}", start.elapsed());
}

#[test]
fn a_half_sent_body_is_408_in_time() {
    if !tests::all_tests() {
        return tests::skipped("a_half_sent_body_is_408_in_time", "it waits out the real limit; run it with --all");
    }
    let server = Server::start_default();
    let client = Client::open(server.address);
    let mut half = Connection::open(server.address);
    let mut headers = with_session(&client.session).to_vec();
    headers.push(("Content-Length", "100"));
    let head = half.compose("POST", PATH, &headers, b"{\"jsonrpc\":");
    half.send(&head).expect("sent");
    half.set_patience(Duration::from_millis(BODY_MILLIS + 5_000));
    assert_eq!(half.head().status, 408);
}

#[test]
fn a_client_that_does_not_read_holds_up_nobody() {
    let server = Server::start_default();
    let mut other = Client::open(server.address);
    let mut stalled = Client::open(server.address);
    // Far more bytes of answers than sockets and buffers hold.
    let code = json!({"code": "(String new: 49000) atAllPut: $x; yourself"});
    stalled.connection().set_patience(Duration::from_secs(2));
    let call = tool_call(1, "execute_code", &code);
    let bytes = {
        let session = stalled.session.clone();
        let headers = with_session(&session);
        stalled.connection().compose("POST", PATH, &headers, call.to_string().as_bytes())
    };
    let _ = (0..400).try_for_each(|_| stalled.connection().send(&bytes));
    for _ in 0..20 {
        let start = Instant::now();
        assert_eq!(other.evaluate("3 + 4"), "7");
        assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    }
    assert_eq!(stalled.beside().request("ping", &json!({}))["result"], json!({}), "its own session still serves");
    if tests::all_tests() {
        let limit = Duration::from_millis(WRITE_STALL_MILLIS + 15_000);
        crate::eventually(limit, "the connection is closed", || stalled.connection().send(b" ").is_err().then_some(()));
    }
}

#[test]
fn silent_connections_hold_up_nobody() {
    let server = Server::start_default();
    let silent: Vec<Connection> = (0..200).map(|_| Connection::open(server.address)).collect();
    assert_eq!(Client::open(server.address).evaluate("3 + 4"), "7");
    drop(silent);
}
