//! Listens in on a connection of a test: every message that the server sends on it must be as the official schema of
//! its revision says, whatever the test itself looks at.

use crate::http::header_in;
use crate::schemas;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

/// The revision of requests whose own is not known.
const DEFAULT: &str = "2025-11-25";
/// What a request that stands for itself says of its revision.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// What each session of any server agreed to.
static SESSIONS: LazyLock<Mutex<HashMap<String, String>>> = LazyLock::new(Mutex::default);

/// What is known of one connection.
#[derive(Debug, Default)]
pub struct Witness {
    /// The method of each request, by the JSON of its id.
    methods: HashMap<String, String>,
    revision: Option<String>,
    /// The part of a stream of events that is no whole event yet.
    events: String,
    /// The session that the response names.
    session: Option<String>,
    is_stream: bool,
    is_json: bool,
}

impl Witness {
    /// Bytes went to the server; they may be a part of a request, or none.
    pub fn sent(&mut self, bytes: &[u8]) {
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { return };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let known = header_in(&head, "mcp-session-id").and_then(|session| sessions().get(session).cloned());
        self.revision = known.or_else(|| header_in(&head, "mcp-protocol-version").map(str::to_owned));
        self.asked(&bytes[end + 4..]);
    }

    /// A message, or several as an array, went to the server.
    pub fn asked(&mut self, body: &[u8]) {
        match serde_json::from_slice(body) {
            Ok(Value::Array(messages)) => messages.iter().for_each(|message| self.note(message)),
            Ok(message) => self.note(&message),
            Err(_) => {}
        }
    }

    fn note(&mut self, message: &Value) {
        if let Some(version) = message["params"]["_meta"][VERSION_KEY].as_str() {
            self.revision = Some(version.to_owned());
        }
        if let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) {
            self.methods.insert(id.to_string(), method.to_owned());
        }
    }

    /// The head of a response came.
    pub fn head(&mut self, headers: &[(String, String)]) {
        let value = |wanted: &str| headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
        let kind = value("content-type").unwrap_or_default();
        self.is_stream = kind.starts_with("text/event-stream");
        self.is_json = kind.starts_with("application/json");
        self.session = value("mcp-session-id").map(str::to_owned);
        self.events.clear();
    }

    /// The whole body of the response came.
    pub fn body(&mut self, body: &[u8]) {
        if self.is_json && schemas::are_there() {
            match serde_json::from_slice(body).expect("a body of JSON") {
                Value::Array(messages) => messages.iter().for_each(|message| self.said(message)),
                message => self.said(&message),
            }
        }
    }

    /// A part of the body of the response came.
    pub fn part(&mut self, part: &[u8]) {
        if !self.is_stream || !schemas::are_there() {
            return;
        }
        self.events.push_str(&String::from_utf8_lossy(part));
        while let Some(end) = self.events.find("\n\n") {
            let event: String = self.events.drain(..end + 2).collect();
            let data = event.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
            let data: String = data.collect();
            if !data.is_empty() {
                self.said(&serde_json::from_str(&data).expect("an event of JSON"));
            }
        }
    }

    /// The server said this.
    ///
    /// # Panics
    /// If it is not as the schema says.
    pub fn said(&mut self, message: &Value) {
        let method = message.get("id").and_then(|id| self.methods.get(&id.to_string())).cloned();
        if method.as_deref() == Some("initialize")
            && let Some(revision) = message["result"]["protocolVersion"].as_str()
        {
            self.revision = Some(revision.to_owned());
            if let Some(session) = self.session.take() {
                sessions().insert(session, revision.to_owned());
            }
        }
        let known = |name: &String| protocol::revision::find(name).is_some();
        let revision = self.revision.clone().filter(known).unwrap_or_else(|| DEFAULT.to_owned());
        if let Err(wrong) = schemas::check(&revision, method.as_deref(), message) {
            panic!("the server's message is not as the official schema says: {wrong}\n{message}");
        }
    }
}

fn sessions() -> MutexGuard<'static, HashMap<String, String>> {
    SESSIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_breaks_a_schema_is_seen() {
        if !schemas::are_there() {
            return crate::skipped(
                "the official schemas",
                "run scripts/install-test-tools.sh and scripts/run-tests.sh",
            );
        }
        let ping = |result: Value| {
            let mut witness = Witness::default();
            witness.sent(
                b"POST /mcp HTTP/1.1\r\nmcp-protocol-version: 2026-07-28\r\n\r\n{\"id\":1,\"method\":\"tools/list\"}",
            );
            witness.head(&[("content-type".to_owned(), "text/event-stream".to_owned())]);
            let event = format!(": x\n\ndata: {}\n\n", json!({"jsonrpc": "2.0", "id": 1, "result": result}));
            let halves = event.split_at(event.len() / 2);
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                witness.part(halves.0.as_bytes());
                witness.part(halves.1.as_bytes());
            }))
            .is_ok()
        };
        let valid = json!({"resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "private"});
        assert!(ping(valid.clone()));
        for member in ["resultType", "tools", "ttlMs", "cacheScope"] {
            let mut invalid = valid.clone();
            invalid.as_object_mut().expect("an object").remove(member);
            assert!(!ping(invalid), "{member}");
        }
    }
}
