//! What keeps streams and sessions alive, and what does not.

use serde_json::{Value, json};
use std::time::Duration;
use tests::alone;
use tests::binaries;
use tests::client::{Client, JSON_HEADERS, PATH, initialize, tool_call, with_session};
use tests::http::Connection;
use tests::server::{Config, Server};
use tests::sse::{Item, Stream};

/// Code that takes longer than the shortest time between two comments.
const SLOW: &str = "| end | end := DateAndTime now + (Duration milliseconds: 2500). \
                    [DateAndTime now < end] whileTrue. 'done'";

fn impatient() -> Server {
    Server::start(Config::new().with("GS_MCP_KEEP_ALIVE_SECONDS", "1"))
}

fn post(server: &Server, headers: &[(&str, &str)], body: &Value) -> Stream {
    let mut connection = Connection::open(server.address);
    let bytes = connection.compose("POST", PATH, headers, body.to_string().as_bytes());
    connection.send(&bytes).expect("sent");
    let head = connection.head();
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
    assert_eq!(head.header("x-accel-buffering"), Some("no"));
    Stream::of(connection)
}

fn get(client: &Client) -> Stream {
    let mut connection = Connection::open(client.address);
    let headers = [("Accept", "text/event-stream"), ("MCP-Session-Id", client.session.as_str())];
    let bytes = connection.compose("GET", PATH, &headers, b"");
    connection.send(&bytes).expect("sent");
    assert_eq!(connection.head().status, 200);
    Stream::of(connection)
}

/// Reads to the end; answers how many comments came before the first message, and the messages.
fn read(mut stream: Stream) -> (usize, Vec<Value>) {
    let (mut comments, mut messages) = (0, Vec::new());
    while let Some(item) = stream.next_item() {
        match item {
            Item::Comment(_) if messages.is_empty() => comments += 1,
            Item::Comment(_) => {}
            Item::Event(event) if event.data.as_deref() == Some("") => {}
            Item::Event(event) => messages.push(event.json()),
        }
    }
    (comments, messages)
}

#[test]
fn a_call_that_is_slow_to_answer_gets_comments_in_every_era() {
    let server = impatient();
    let client = Client::open(server.address);
    let call = tool_call(7, "execute_code", &json!({"code": SLOW}));
    let (alone, headers) =
        alone::request("tools/call", &json!({"name": "execute_code", "arguments": {"code": SLOW}}), &json!({}));
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    for stream in [post(&server, &with_session(&client.session), &call), post(&server, &headers, &alone)] {
        let (comments, messages) = read(stream);
        assert!(comments >= 2, "one to begin with, and one a second: {comments}");
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert_eq!(messages[0]["result"]["content"][0]["text"], "'done'");
    }
}

#[test]
fn a_slow_batch_gets_comments_and_an_answer_for_each_request() {
    let server = impatient();
    let body = initialize("2025-03-26").to_string();
    let opened = Connection::open(server.address).request("POST", PATH, &JSON_HEADERS, body.as_bytes());
    let session = opened.header("mcp-session-id").expect("an id").to_owned();
    let headers = [JSON_HEADERS[0], JSON_HEADERS[1], ("MCP-Session-Id", session.as_str())];
    let ping = json!({"jsonrpc": "2.0", "id": 8, "method": "ping"});
    let (comments, messages) =
        read(post(&server, &headers, &json!([tool_call(7, "execute_code", &json!({"code": SLOW})), ping])));
    let mut ids: Vec<u64> = messages.iter().filter_map(|message| message["id"].as_u64()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [7, 8], "{messages:?}");
    assert!(comments >= 1);
}

#[test]
fn a_client_that_takes_no_events_waits_for_its_json() {
    let server = impatient();
    let client = Client::open(server.address);
    let call = tool_call(7, "execute_code", &json!({"code": SLOW})).to_string();
    let headers = [("Accept", "application/json"), ("MCP-Session-Id", client.session.as_str())];
    let response = Connection::open(server.address).request("POST", PATH, &headers, call.as_bytes());
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(response.json()["result"]["content"][0]["text"], "'done'");
}

#[test]
fn silent_streams_get_comments_whatever_opened_them() {
    let server = impatient();
    let client = Client::open(server.address);
    let mut bare = Connection::open(server.address);
    let bytes = bare.compose("GET", PATH, &[("Accept", "text/event-stream")], b"");
    bare.send(&bytes).expect("sent");
    bare.head();
    for mut stream in [get(&client), Stream::of(bare)] {
        let connected = Item::Comment("connected".into());
        assert_eq!(stream.next_item(), Some(connected), "it says at once that it is there");
        let comments = std::iter::from_fn(|| stream.next_item()).filter(|item| matches!(item, Item::Comment(_)));
        assert!(comments.take(2).all(|comment| comment == Item::Comment("keep-alive".into())));
    }
}

#[test]
fn a_stream_that_nobody_reads_does_not_keep_a_session() {
    let server = Server::start(Config::new().with("GS_MCP_IDLE_SECONDS", "1").with("GS_MCP_KEEP_ALIVE_SECONDS", "1"));
    let (client, gem) = server.gem_of(|| Client::open(server.address));
    let stream = get(&client);
    assert!(gem.wait_for_end(Duration::from_secs(20)), "a stream is no call");
    let (_, messages) = read(stream);
    assert_eq!(messages, Vec::<Value>::new(), "the stream ends with its session");
    let headers = with_session(&client.session);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    assert_eq!(Connection::open(server.address).request("POST", PATH, &headers, ping.as_bytes()).status, 404);
}

#[test]
fn a_session_is_idle_from_the_end_of_its_last_call() {
    let server = Server::start(Config::new().with("GS_MCP_IDLE_SECONDS", "2"));
    let (mut client, gem) = server.gem_of(|| Client::open(server.address));
    // It takes longer than the session may be idle.
    assert_eq!(client.evaluate(SLOW), "'done'");
    assert_eq!(client.evaluate("3 + 4"), "7");
    assert!(gem.wait_for_end(Duration::from_secs(20)));
}

#[test]
fn a_client_that_opens_its_stream_again_takes_it_over_at_once() {
    let worker = binaries::find("conformance-worker");
    let worker = worker.to_str().expect("a path of text");
    let config = Config::new().with("GS_MCP_WORKER_BINARY", worker).with("GS_MCP_TOOLSETS", "conformance");
    let server = Server::start(config);
    let mut client = Client::open(server.address);
    let mut older = get(&client);
    older.next_event().expect("a priming event");
    let mut newer = get(&client);
    newer.next_event().expect("a priming event");
    client.call("test_trigger_tool_change", &json!({}));
    let heard = newer.next_event().expect("an event");
    assert_eq!(heard.json()["method"], "notifications/tools/list_changed");
    assert_eq!(older.next_event(), None, "the older stream ended, and has told nothing");
}

#[test]
fn connections_beyond_the_limit_wait_until_there_is_room() {
    let server =
        Server::start(Config::new().with("GS_MCP_MAX_CONNECTIONS", "2").with("GS_MCP_KEEP_ALIVE_SECONDS", "1"));
    let client = Client::open(server.address);
    let held = get(&client);
    let mut waiting = Connection::open(server.address);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let bytes = waiting.compose("POST", PATH, &with_session(&client.session), body.as_bytes());
    waiting.send(&bytes).expect("the system takes it");
    waiting.set_patience(Duration::from_millis(200));
    assert!(waiting.try_head().is_err(), "two connections are open");
    drop(held);
    waiting.set_patience(Duration::from_secs(30));
    assert_eq!(waiting.head().status, 200);
    assert_eq!(client.beside().request("ping", &json!({}))["result"], json!({}));
}
