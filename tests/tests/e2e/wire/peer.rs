//! Clients of both transports that send messages as they are given, and hear messages whatever carried them.

use crate::stdio::Router;
use serde_json::Value;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tests::client::{JSON_HEADERS, PATH};
use tests::http::{Connection, Head};

/// How long a message may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client of one connection or session.
pub(super) trait Peer {
    /// Sends one message, or what is none.
    fn send(&mut self, message: &str);
    /// The next message that is an answer; those of a batch come one by one.
    fn next(&mut self) -> Value;
    /// Waits until what was sent has reached its session, where messages may overtake each other.
    fn wait_for_arrival(&mut self) {}
    /// Waits until nothing more can come of what was sent, where that can be seen.
    fn settle(&mut self) {}
}

/// Answers that came, those of batches taken apart.
#[derive(Default)]
struct Answers(VecDeque<Value>);

impl Answers {
    fn take_in(&mut self, message: Value) {
        match message {
            Value::Array(messages) => messages.into_iter().for_each(|message| self.take_in(message)),
            message if message.get("method").is_some() => {}
            message => self.0.push_back(message),
        }
    }
}

/// A client over HTTP: each message is a POST of its own, and several may be under way.
pub(super) struct HttpPeer {
    address: SocketAddr,
    session: Arc<Mutex<Option<String>>>,
    /// Whether it has spoken without a session, and goes on so.
    is_stateless: bool,
    answers: Answers,
    sender: Sender<Value>,
    receiver: Receiver<Value>,
    posts: Vec<Post>,
}

/// A request that was sent.
struct Post {
    /// Says when the head of its response has come.
    head: Receiver<()>,
    response: JoinHandle<()>,
}

impl HttpPeer {
    pub(super) fn new(address: SocketAddr) -> Self {
        let (sender, receiver) = channel();
        Self {
            address,
            session: Arc::default(),
            is_stateless: false,
            answers: Answers::default(),
            sender,
            receiver,
            posts: Vec::new(),
        }
    }

    fn headers(&mut self, message: &str) -> Vec<(String, String)> {
        let mut headers: Vec<(String, String)> =
            JSON_HEADERS.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut add = |name: &str, value: &str| headers.push((name.to_owned(), value.to_owned()));
        if let Some(session) = &*self.session.lock().unwrap_or_else(PoisonError::into_inner) {
            add("MCP-Session-Id", session);
        }
        let message: Value = serde_json::from_str(message).unwrap_or_default();
        let params = &message["params"];
        let version = params["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str();
        // A probe decides nothing.
        self.is_stateless |= version.is_some() && message["method"] != "server/discover";
        if self.is_stateless || version.is_some() {
            add("MCP-Protocol-Version", version.unwrap_or(tests::alone::REVISION));
        }
        if version.is_some() {
            add("Mcp-Method", message["method"].as_str().unwrap_or_default());
            if let Some(name) = ["name", "uri", "taskId"].iter().find_map(|member| params[*member].as_str()) {
                add("Mcp-Name", name);
            }
            if let Some(gem) = params["arguments"]["gem"].as_str() {
                add("Mcp-Param-Gem", gem);
            }
        }
        headers
    }
}

impl Peer for HttpPeer {
    fn send(&mut self, message: &str) {
        let headers = self.headers(message);
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let mut connection = Connection::open(self.address);
        connection.set_patience(PATIENCE);
        let bytes = connection.compose("POST", PATH, &headers, message.as_bytes());
        // An error of the write is one of the read as well: a server that refuses what is too long reads no further.
        let _ = connection.send(&bytes);
        let (session, sender) = (Arc::clone(&self.session), self.sender.clone());
        let (came, head) = channel();
        let response = std::thread::spawn(move || {
            let head = connection.head();
            if let Some(id) = header(&head, "mcp-session-id") {
                *session.lock().unwrap_or_else(PoisonError::into_inner) = Some(id.to_owned());
            }
            // Nobody may wait for it.
            let _ = came.send(());
            let body = connection.body(&head);
            for message in messages(&head, &body) {
                let _ = sender.send(message);
            }
        });
        self.posts.push(Post { head, response });
    }

    fn next(&mut self) -> Value {
        loop {
            if let Some(answer) = self.answers.0.pop_front() {
                return answer;
            }
            self.answers.take_in(self.receiver.recv_timeout(PATIENCE).expect("an answer in time"));
        }
    }

    fn wait_for_arrival(&mut self) {
        // A head that came before has left a message, or its sender has gone after it.
        self.posts.iter().for_each(|post| {
            let _ = post.head.recv_timeout(PATIENCE);
        });
    }

    fn settle(&mut self) {
        self.posts.drain(..).for_each(|post| post.response.join().expect("a whole response"));
    }
}

fn header<'a>(head: &'a Head, wanted: &str) -> Option<&'a str> {
    head.headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
}

/// The messages of a response: one, several, those of a stream of events, or none.
fn messages(head: &Head, body: &[u8]) -> Vec<Value> {
    let read = |text: &[u8]| serde_json::from_slice(text).expect("JSON");
    if header(head, "content-type").is_some_and(|kind| kind.starts_with("text/event-stream")) {
        let text = String::from_utf8_lossy(body);
        let data = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        return data.filter(|data| !data.is_empty()).map(|data| read(data.as_bytes())).collect();
    }
    if body.is_empty() { Vec::new() } else { vec![read(body)] }
}

/// A client over standard input and output.
pub(super) struct StdioPeer {
    router: Router,
    answers: Answers,
}

impl StdioPeer {
    pub(super) fn start(settings: &[(&str, &str)]) -> Self {
        Self { router: Router::start("lapidary-worker", settings), answers: Answers::default() }
    }
}

impl Peer for StdioPeer {
    fn send(&mut self, message: &str) {
        self.router.send(message);
    }

    fn next(&mut self) -> Value {
        loop {
            if let Some(answer) = self.answers.0.pop_front() {
                return answer;
            }
            let message = self.router.next();
            self.answers.take_in(message);
        }
    }
}
