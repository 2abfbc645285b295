//! The rules of the wire that have nothing to do with what carries it: one table, run over HTTP and over standard
//! input and output. A row that holds over one transport only is a fault of the other.
//!
//! What belongs to one transport (status codes, headers, streams of events, the end of input) is in modules of its own.

mod peer;
mod sessions;
mod settings;
mod stateless;

use peer::{HttpPeer, Peer, StdioPeer};
use serde_json::{Value, json};
use tests::server::{Config, Server};

/// What a request gets.
#[derive(Debug, Clone, PartialEq)]
enum Outcome {
    /// A result, whatever is in it.
    Result,
    /// A result of a tool with this text.
    Text(&'static str),
    /// A result of a tool that says it failed, with this word for programs.
    Failed(&'static str),
    /// A JSON-RPC error of this code.
    Error(i64),
    /// A JSON-RPC error of this code with this word for programs.
    ErrorOfKind(i64, &'static str),
}

/// Messages that are sent one after the other, and what they get in any order. Nothing else may come.
struct Row {
    /// Stands for it where something is wrong.
    what: &'static str,
    messages: Vec<String>,
    answers: Vec<(Value, Outcome)>,
    /// Whether requests of it are still under way at its end.
    leaves_running: bool,
}

/// In place of a message: what was sent before has reached its session, before anything else is sent.
const ARRIVED: &str = "";

/// How a connection begins.
#[derive(Debug, Clone, Copy)]
enum Opening {
    /// With nothing: its rows are about what may come first.
    Nothing,
    /// With a session of this revision.
    Session(&'static str),
    /// With a request of the revision without sessions.
    Stateless,
}

/// Rows that share one connection, in order.
struct Group {
    opening: Opening,
    settings: &'static [(&'static str, &'static str)],
    rows: Vec<Row>,
}

fn row(what: &'static str, messages: &[&str], answers: &[(Value, Outcome)]) -> Row {
    Row {
        what,
        messages: messages.iter().map(|message| (*message).to_owned()).collect(),
        answers: answers.to_vec(),
        leaves_running: false,
    }
}

/// A request as one line, with its id as it is written.
fn request(id: &str, method: &str, params: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

/// A call of `execute_code` in a session.
fn execute(id: &str, code: &str) -> String {
    request(id, "tools/call", &json!({"name": "execute_code", "arguments": {"code": code}}))
}

fn cancel(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
}

impl Outcome {
    fn of(&self, message: &Value) -> bool {
        let result = &message["result"];
        let error = &message["error"];
        match self {
            Outcome::Result => result.is_object(),
            Outcome::Text(text) => result["content"][0]["text"] == *text && result["isError"] != json!(true),
            Outcome::Failed(kind) => {
                result["isError"] == json!(true) && result["structuredContent"]["error"]["kind"] == *kind
            }
            Outcome::Error(code) => error["code"] == *code,
            Outcome::ErrorOfKind(code, kind) => error["code"] == *code && error["data"]["kind"] == *kind,
        }
    }
}

impl Opening {
    /// Begins as it says.
    fn take_place(self, peer: &mut dyn Peer) {
        match self {
            Opening::Nothing => {}
            Opening::Session(revision) => {
                peer.send(&tests::client::initialize(revision).to_string());
                let opened = peer.next();
                assert_eq!(opened["result"]["protocolVersion"], revision, "{opened}");
                peer.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
            }
            Opening::Stateless => {
                peer.send(&request("0", "tools/list", &stateless::enveloped(json!({}))));
                let listed = peer.next();
                assert!(listed["result"]["tools"].is_array(), "{listed}");
            }
        }
    }

    /// A request that is served at any time, and whose answer shows that nothing else is to come.
    fn marker(self) -> String {
        match self {
            Opening::Nothing | Opening::Stateless => {
                request("\"marker\"", "server/discover", &stateless::enveloped(json!({})))
            }
            Opening::Session(_) => request("\"marker\"", "ping", &json!({})),
        }
    }
}

impl Group {
    fn run(&self, peer: &mut dyn Peer, transport: &str) -> Vec<String> {
        self.opening.take_place(peer);
        self.rows
            .iter()
            .filter_map(|row| row.run(peer, self.opening).err())
            .map(|wrong| format!("{transport}: {wrong}"))
            .collect()
    }
}

impl Row {
    /// Sends it and holds what comes against what must; answers what is wrong.
    fn run(&self, peer: &mut dyn Peer, opening: Opening) -> Result<(), String> {
        for message in &self.messages {
            if message == ARRIVED { peer.wait_for_arrival() } else { peer.send(message) }
        }
        let mut missing = self.answers.clone();
        let mut wrong = Vec::new();
        let mut judge = |missing: &mut Vec<(Value, Outcome)>, message: Value| {
            let fits = |(id, outcome): &(Value, Outcome)| *id == message["id"] && outcome.of(&message);
            match missing.iter().position(fits) {
                Some(place) => drop(missing.remove(place)),
                None => wrong.push(format!("{message} is not expected")),
            }
        };
        // One answer for each that must come, whether it is right or not.
        for _ in &self.answers {
            let message = peer.next();
            judge(&mut missing, message);
        }
        if !self.leaves_running {
            peer.settle();
        }
        peer.send(&opening.marker());
        loop {
            let message = peer.next();
            if message["id"] == "marker" {
                break;
            }
            judge(&mut missing, message);
        }
        wrong.extend(missing.iter().map(|missing| format!("{missing:?} is missing")));
        if wrong.is_empty() { Ok(()) } else { Err(format!("{}: {}", self.what, wrong.join("; "))) }
    }
}

/// Runs groups over both transports and says everything that is wrong at once.
fn run(groups: &[Group]) {
    let mut wrong = Vec::new();
    for group in groups {
        let config = group.settings.iter().fold(Config::new(), |config, (name, value)| config.with(name, value));
        // A call that takes longer becomes a stream, which shows that it has arrived.
        let config = config.with("GS_MCP_KEEP_ALIVE_SECONDS", "1");
        let server = Server::start(config);
        wrong.extend(group.run(&mut HttpPeer::new(server.address), "http"));
        wrong.extend(group.run(&mut StdioPeer::start(group.settings), "stdio"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
