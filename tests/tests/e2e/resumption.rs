//! Streams of a session that break and are read on: no event is lost, and none comes twice.

use serde_json::{Value, json};
use std::thread;
use tests::binaries;
use tests::client::{Client, PATH, with_session};
use tests::dice::Dice;
use tests::http::Connection;
use tests::server::{Config, Server};
use tests::sse::{Event, Stream};

const STREAMS: u64 = 1_000;
const THREADS: u64 = 4;
/// Breaks of one stream before it is read to its end.
const BREAKS_MAX: u64 = 4;

/// A server whose worker has a tool that tells of each of its steps.
fn server() -> Server {
    let worker = binaries::find("conformance-worker");
    let worker = worker.to_str().expect("a path of text");
    Server::start(Config::new().with("GS_MCP_WORKER_BINARY", worker).with("GS_MCP_TOOLSETS", "conformance"))
}

fn steps(id: u64, name: &str, steps: u64, pause: u64) -> Value {
    let arguments = json!({"name": name, "steps": steps, "pause": pause});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": "test_steps", "arguments": arguments, "_meta": {"progressToken": name}}})
}

/// Posts a message whose answer is a stream.
fn open(client: &Client, message: &Value) -> Stream {
    let mut connection = Connection::open(client.address);
    let bytes = connection.compose("POST", PATH, &with_session(&client.session), message.to_string().as_bytes());
    connection.send(&bytes).expect("sent");
    let head = connection.head();
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
    Stream::of(connection)
}

/// Reads a stream of the session on.
fn resume(client: &Client, last: &str) -> Stream {
    let mut connection = Connection::open(client.address);
    let headers =
        [("Accept", "text/event-stream"), ("MCP-Session-Id", client.session.as_str()), ("Last-Event-ID", last)];
    let bytes = connection.compose("GET", PATH, &headers, b"");
    connection.send(&bytes).expect("sent");
    let head = connection.head();
    assert_eq!(head.status, 200, "after {last}");
    Stream::of(connection)
}

/// What a client knows of one stream.
struct Reader {
    events: Vec<Value>,
    last: String,
}

impl Reader {
    fn take(&mut self, event: Event) {
        self.last = event.id.clone().expect("every event has an id");
        if event.data.as_deref().is_some_and(|data| !data.is_empty()) {
            self.events.push(event.json());
        }
    }
}

/// Follows one call through all breaks of its stream; answers all messages.
fn follow(client: &Client, call: &Value, steps: u64, dice: &mut Dice) -> Vec<Value> {
    let mut stream = open(client, call);
    let first = stream.next_event().expect("a first event");
    assert_eq!(first.data.as_deref(), Some(""), "a priming event, by which to come back: {first:?}");
    let mut reader = Reader { events: Vec::new(), last: String::new() };
    reader.take(first);
    let mut left_behind = Vec::new();
    for _ in 0..dice.below(BREAKS_MAX + 1) {
        for _ in 0..dice.below(steps + 4) {
            match stream.next_event() {
                Some(event) => reader.take(event),
                None => break,
            }
        }
        let next = resume(client, &reader.last);
        // Some go away, and of some the server does not hear that they did.
        let old = std::mem::replace(&mut stream, next);
        if dice.below(2) == 0 {
            left_behind.push(old);
        }
    }
    while let Some(event) = stream.next_event() {
        reader.take(event);
    }
    for mut old in left_behind {
        while old.next_item().is_some() {}
    }
    reader.events
}

/// What a stream of these steps must say, in this order and nothing else.
fn check(events: &[Value], id: u64, name: &str, steps: u64) {
    assert_eq!(events.len() as u64, steps + 2, "{name}: progress, {steps} steps and an answer, not {events:#?}");
    assert_eq!(events[0]["params"]["progressToken"], name);
    for (event, step) in events[1..].iter().zip(1..=steps) {
        assert_eq!(event["params"]["data"], json!({"name": name, "step": step}), "{name}");
    }
    let last = events.last().expect("an answer");
    assert_eq!((&last["id"], &last["result"]["content"][0]["text"]), (&json!(id), &json!(format!("{name}: {steps}"))));
}

#[test]
fn a_thousand_streams_that_break_anywhere_lose_no_event_and_repeat_none() {
    let dice = Dice::printed();
    let server = server();
    let address = server.address;
    thread::scope(|scope| {
        for part in 0..THREADS {
            let mut dice = dice.for_part(part);
            scope.spawn(move || {
                let client = Client::open(address);
                for number in 0..STREAMS / THREADS {
                    let name = format!("{part}/{number}");
                    let count = dice.below(40);
                    let call = steps(number, &name, count, dice.below(300));
                    let events = follow(&client, &call, count, &mut dice);
                    check(&events, number, &name, count);
                }
            });
        }
    });
}

#[test]
fn an_answer_that_came_while_its_client_was_away_waits_for_it() {
    let server = server();
    let mut client = Client::open(server.address);
    let mut stream = open(&client, &steps(5, "away", 10, 0));
    let first = stream.next_event().expect("a first event");
    drop(stream);
    // The next call is answered after the first has ended.
    assert!(!client.call("test_simple_text", &json!({})).is_error);
    let mut reader = Reader { events: Vec::new(), last: String::new() };
    reader.take(first);
    let mut stream = resume(&client, &reader.last);
    while let Some(event) = stream.next_event() {
        reader.take(event);
    }
    check(&reader.events, 5, "away", 10);
}

#[test]
fn a_stream_never_carries_what_belongs_to_another() {
    let server = server();
    let client = Client::open(server.address);
    let other = Client::open(server.address);
    let mut own = resume(&client, "0-0");
    own.next_event().expect("a priming event");
    let mut first = open(&client, &steps(1, "first", 30, 500));
    let mut second = open(&client, &steps(2, "second", 3, 0));
    let mut strangers = open(&other, &steps(1, "stranger", 3, 0));
    for (stream, id, name, count) in
        [(&mut first, 1, "first", 30), (&mut second, 2, "second", 3), (&mut strangers, 1, "stranger", 3)]
    {
        let mut reader = Reader { events: Vec::new(), last: String::new() };
        while let Some(event) = stream.next_event() {
            reader.take(event);
        }
        check(&reader.events, id, name, count);
    }
    let mut announcing = other.beside();
    announcing.call("test_trigger_tool_change", &json!({}));
    let heard = own.next_event().expect("an event");
    assert_eq!(heard.json()["method"], "notifications/tools/list_changed", "nothing came before: {heard:?}");
}
