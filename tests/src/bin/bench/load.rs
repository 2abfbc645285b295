//! The load generator: one thread, one connection a session, the next request when the answer is whole.
//!
//! It reads no more of an answer than HTTP needs, so that the two cores are left to what is measured.

use crate::figures::Samples;
use memchr::memmem;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tests::client::{self, JSON_HEADERS};
use tests::http::header_in;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// One kept-alive connection.
pub(crate) struct Wire {
    stream: TcpStream,
    address: SocketAddr,
    buffer: Vec<u8>,
}

/// One session and its connection.
pub(crate) struct Session {
    wire: Wire,
    id: String,
}

impl Wire {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("the target listens");
        stream.set_nodelay(true).expect("no delay");
        Self { stream, address, buffer: Vec::with_capacity(64 * 1024) }
    }

    fn compose(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Vec<u8> {
        let mut text = format!("{method} {} HTTP/1.1\r\nHost: {}\r\n", client::PATH, self.address);
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        text.into_bytes()
    }

    /// Sends one request and reads its whole answer; answers the head, which must begin with a success.
    async fn exchange(&mut self, request: &[u8]) -> String {
        self.stream.write_all(request).await.expect("the target reads");
        self.buffer.clear();
        loop {
            let count = self.stream.read_buf(&mut self.buffer).await.expect("the target answers");
            assert!(count > 0, "the target closed the connection");
            let Some(end) = memmem::find(&self.buffer, b"\r\n\r\n") else { continue };
            let head = String::from_utf8_lossy(&self.buffer[..end]).into_owned();
            let length = content_length(&head);
            if self.buffer.len() >= end + 4 + length {
                let body = &self.buffer[end + 4..];
                let succeeded = head.starts_with("HTTP/1.1 20") && memmem::find(body, br#""isError":true"#).is_none();
                assert!(succeeded, "{head}\n\n{}", String::from_utf8_lossy(body));
                return head;
            }
        }
    }

    /// Sends one request that is answered with a stream; answers how long it took until `wanted` had arrived. The
    /// stream is read to its end.
    async fn first(&mut self, request: &[u8], wanted: &[u8]) -> Duration {
        self.buffer.clear();
        let start = Instant::now();
        let mut took = None;
        self.stream.write_all(request).await.expect("the target reads");
        while !self.buffer.ends_with(b"0\r\n\r\n") {
            let count = self.stream.read_buf(&mut self.buffer).await.expect("the target answers");
            assert!(count > 0, "the target closed the connection");
            if took.is_none() && self.buffer.windows(wanted.len()).any(|window| window == wanted) {
                took = Some(start.elapsed());
            }
        }
        took.unwrap_or_else(|| panic!("no such event in {}", String::from_utf8_lossy(&self.buffer)))
    }

    /// Opens a stream that stays; waits until it says that it is there.
    pub(crate) async fn listen(mut self) -> TcpStream {
        let request = self.compose("GET", &[("Accept", "text/event-stream")], "");
        self.stream.write_all(&request).await.expect("the target reads");
        while !self.buffer.windows(9).any(|window| window == b"connected") {
            let count = self.stream.read_buf(&mut self.buffer).await.expect("the target answers");
            assert!(count > 0, "the target closed the connection");
        }
        self.stream
    }

    /// Opens a session; answers its id and how long it took.
    pub(crate) async fn open(&mut self) -> (String, Duration) {
        let body = client::initialize(client::REVISION).to_string();
        let request = self.compose("POST", &JSON_HEADERS, &body);
        let start = Instant::now();
        let head = self.exchange(&request).await;
        let took = start.elapsed();
        (header_in(&head, "mcp-session-id").expect("a session id").to_owned(), took)
    }

    /// One POST; how long it took.
    pub(crate) async fn post(&mut self, headers: &[(&str, &str)], body: &str) -> Duration {
        let request = self.compose("POST", headers, body);
        let start = Instant::now();
        self.exchange(&request).await;
        start.elapsed()
    }

    /// Ends a session.
    pub(crate) async fn close(&mut self, session: &str) {
        let request = self.compose("DELETE", &[("MCP-Session-Id", session)], "");
        self.exchange(&request).await;
    }
}

impl Session {
    /// Opens a session over a connection of its own.
    pub(crate) async fn open(address: SocketAddr) -> Self {
        let mut wire = Wire::connect(address).await;
        let (id, _) = wire.open().await;
        Self { wire, id }
    }

    /// One request of this session.
    pub(crate) async fn post(&mut self, body: &str) {
        let request = self.request(body);
        self.wire.exchange(&request).await;
    }

    /// One request of this session that is answered with a stream; how long it took until `wanted` had arrived.
    pub(crate) async fn event(&mut self, body: &str, wanted: &[u8]) -> Duration {
        let request = self.request(body);
        self.wire.first(&request, wanted).await
    }

    /// One request of this session; how long it took.
    pub(crate) async fn timed(&mut self, body: &str) -> Duration {
        let request = self.request(body);
        let start = Instant::now();
        self.wire.exchange(&request).await;
        start.elapsed()
    }

    /// Ends it.
    pub(crate) async fn close(mut self) {
        let id = std::mem::take(&mut self.id);
        self.wire.close(&id).await;
    }

    fn request(&self, body: &str) -> Vec<u8> {
        self.wire.compose("POST", &client::with_session(&self.id), body)
    }
}

/// All sessions post `body` again and again for `time`, each waiting for its answer; gives the sessions back.
pub(crate) async fn calls(sessions: Vec<Session>, body: &str, time: Duration) -> (Vec<Session>, Samples) {
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for mut session in sessions {
        let request = session.request(body);
        tasks.spawn(async move {
            let mut latencies = Vec::new();
            while start.elapsed() < time {
                let sent = Instant::now();
                session.wire.exchange(&request).await;
                latencies.push(sent.elapsed());
            }
            (session, latencies)
        });
    }
    let mut sessions = Vec::new();
    let mut latencies = Vec::new();
    for (session, taken) in tasks.join_all().await {
        sessions.push(session);
        latencies.extend(taken);
    }
    (sessions, Samples::new(latencies, start.elapsed()))
}

/// Opens and ends `count` sessions, `width` at a time; the samples are the opens.
pub(crate) async fn opens(address: SocketAddr, count: usize, width: usize) -> Samples {
    let start = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..width {
        tasks.spawn(async move {
            let mut wire = Wire::connect(address).await;
            let mut latencies = Vec::new();
            for _ in 0..count / width {
                let (id, took) = wire.open().await;
                latencies.push(took);
                wire.close(&id).await;
            }
            latencies
        });
    }
    let latencies = tasks.join_all().await.into_iter().flatten().collect();
    Samples::new(latencies, start.elapsed())
}

fn content_length(head: &str) -> usize {
    match header_in(head, "content-length") {
        Some(length) => length.parse().expect("a length"),
        None => panic!("an answer without a length cannot be measured:\n{head}"),
    }
}
