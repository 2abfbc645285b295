//! A plain HTTP/1.1 client over one socket, which can also send what no proper client would.
//!
//! It reads strictly: what it does not understand fails the test. It sends exactly the bytes that it is given.

use crate::witness::Witness;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a test waits for bytes before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// One connection to a server on the loopback interface.
pub struct Connection {
    stream: TcpStream,
    held: Vec<u8>,
    address: SocketAddr,
    witness: Arc<Mutex<Witness>>,
    /// Who gets the bytes that come, as they come.
    mirror: Option<TcpStream>,
}

/// A response with its whole body.
#[derive(Debug, Clone)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Names in lower case, and values, in order.
    pub headers: Vec<(String, String)>,
    /// The body, transfer coding undone.
    pub body: Vec<u8>,
}

/// The head of a response; its body waits on the connection.
#[derive(Debug, Clone)]
pub struct Head {
    /// The status code.
    pub status: u16,
    /// Names in lower case, and values, in order.
    pub headers: Vec<(String, String)>,
}

impl Connection {
    /// Connects.
    pub fn open(address: SocketAddr) -> Self {
        assert!(address.ip().is_loopback(), "tests talk to this machine only");
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("no delay");
        let connection = Self { stream, held: Vec::new(), address, witness: Arc::default(), mirror: None };
        connection.set_patience(PATIENCE);
        connection
    }

    /// Sets how long a read waits.
    pub fn set_patience(&self, patience: Duration) {
        self.stream.set_read_timeout(Some(patience)).expect("a read limit");
        self.stream.set_write_timeout(Some(patience)).expect("a write limit");
    }

    /// From here on a read waits for as long as it takes.
    pub fn wait_for_ever(&self) {
        self.stream.set_read_timeout(None).expect("no read limit");
        self.stream.set_write_timeout(None).expect("no write limit");
    }

    /// From here on somebody else sends over this connection, and gets every byte that comes at once. Answers what to
    /// send over, and who is to be told of each request.
    pub fn mirror(&mut self, to: TcpStream) -> (TcpStream, Arc<Mutex<Witness>>) {
        self.mirror = Some(to);
        (self.stream.try_clone().expect("a second handle"), Arc::clone(&self.witness))
    }

    fn witness(&self) -> MutexGuard<'_, Witness> {
        self.witness.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes these bytes; answers an error where the server has closed.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.witness().sent(bytes);
        self.stream.write_all(bytes)
    }

    /// Says that no more bytes will come.
    pub fn finish_sending(&self) {
        self.stream.shutdown(Shutdown::Write).expect("a half-closed socket");
    }

    /// A well-formed request and its whole response.
    pub fn request(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
        let bytes = self.compose(method, path, headers, body);
        self.send(&bytes).expect("the server reads");
        self.response()
    }

    /// The bytes of a well-formed request. `Host` and `Content-Length` are added unless they are given.
    pub fn compose(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
        let given = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        let mut text = format!("{method} {path} HTTP/1.1\r\n");
        if !given("host") {
            text.push_str(&format!("Host: {}\r\n", self.address));
        }
        if !given("content-length") && !given("transfer-encoding") && (method == "POST" || !body.is_empty()) {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str("\r\n");
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(body);
        bytes
    }

    /// The next response, whole.
    pub fn response(&mut self) -> Response {
        let head = self.head();
        let body = self.body(&head);
        Response { status: head.status, headers: head.headers, body }
    }

    /// The next response's head.
    pub fn head(&mut self) -> Head {
        self.try_head().expect("a response").expect("a response before the server closed")
    }

    /// The next response's head; `None` where the server closed instead.
    pub fn try_head(&mut self) -> io::Result<Option<Head>> {
        let end = loop {
            if let Some(end) = find(&self.held, b"\r\n\r\n") {
                break end + 4;
            }
            if self.fill()? == 0 {
                assert!(self.held.is_empty(), "the server closed in the middle of a head");
                return Ok(None);
            }
        };
        let head = String::from_utf8(self.held.drain(..end).collect()).expect("a head of text");
        let head = Head::read(&head);
        self.witness().head(&head.headers);
        Ok(Some(head))
    }

    /// The body that belongs to `head`.
    pub fn body(&mut self, head: &Head) -> Vec<u8> {
        self.try_body(head).expect("a whole body")
    }

    /// The body that belongs to `head`; an error where the connection broke.
    pub fn try_body(&mut self, head: &Head) -> io::Result<Vec<u8>> {
        if matches!(head.status, 100..=199 | 204 | 304) {
            return Ok(Vec::new());
        }
        let mut body = Vec::new();
        if head.is_chunked() {
            while let Some(chunk) = self.chunk()? {
                body.extend_from_slice(&chunk);
            }
        } else {
            body = match head.header("content-length") {
                Some(length) => self.take(length.parse().expect("a length"))?,
                None => self.rest(),
            };
        }
        self.witness().body(&body);
        Ok(body)
    }

    /// The next chunk of a chunked body; `None` at its end.
    pub fn chunk(&mut self) -> io::Result<Option<Vec<u8>>> {
        let line = self.line()?;
        let length = usize::from_str_radix(line.split(';').next().unwrap_or(""), 16)
            .unwrap_or_else(|_| panic!("a chunk begins with its size, not with {line:?}"));
        let mut chunk = self.take(length + 2)?;
        assert!(chunk.ends_with(b"\r\n"), "a chunk ends with a line end");
        chunk.truncate(length);
        self.witness().part(&chunk);
        Ok((length > 0).then_some(chunk))
    }

    /// Waits for the server to close; answers what it still sent.
    pub fn rest(&mut self) -> Vec<u8> {
        while self.fill().unwrap_or(0) > 0 {}
        std::mem::take(&mut self.held)
    }

    /// Whether the server closes within `limit` without a further byte.
    pub fn closes_within(&mut self, limit: Duration) -> bool {
        self.set_patience(limit);
        match self.fill() {
            Ok(count) => count == 0,
            Err(error) => !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut),
        }
    }

    fn line(&mut self) -> io::Result<String> {
        loop {
            if let Some(end) = find(&self.held, b"\r\n") {
                let line = String::from_utf8_lossy(&self.held[..end]).into_owned();
                self.held.drain(..end + 2);
                return Ok(line);
            }
            if self.fill()? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }

    fn take(&mut self, count: usize) -> io::Result<Vec<u8>> {
        while self.held.len() < count {
            if self.fill()? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(self.held.drain(..count).collect())
    }

    fn fill(&mut self) -> io::Result<usize> {
        let mut buffer = [0; 16 * 1024];
        loop {
            match self.stream.read(&mut buffer) {
                // A profiler or a debugger may stop a read; the answer is still to come.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => {
                    let count = read?;
                    self.held.extend_from_slice(&buffer[..count]);
                    if let Some(mirror) = &mut self.mirror {
                        mirror.write_all(&buffer[..count])?;
                    }
                    return Ok(count);
                }
            }
        }
    }
}

impl Head {
    fn read(text: &str) -> Self {
        let mut lines = text.split("\r\n");
        let first = lines.next().unwrap_or_default();
        let status = first.strip_prefix("HTTP/1.1 ").or_else(|| first.strip_prefix("HTTP/1.0 "));
        let status = status.and_then(|rest| rest.get(..3)?.parse().ok());
        let pair = |line: &str| {
            let (name, value) = line.split_once(':').unwrap_or_else(|| panic!("a header, not {line:?}"));
            (name.to_ascii_lowercase(), value.trim().to_owned())
        };
        let headers = lines.filter(|line| !line.is_empty()).map(pair).collect();
        Self { status: status.unwrap_or_else(|| panic!("a status line, not {first:?}")), headers }
    }

    /// The value of the header with this lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        value(&self.headers, name)
    }

    fn is_chunked(&self) -> bool {
        self.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"))
    }
}

impl Response {
    /// The value of the header with this lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        value(&self.headers, name)
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("a body of text")
    }

    /// The body's JSON; the last event's, where it is an event stream.
    pub fn json(&self) -> serde_json::Value {
        let text = self.text();
        let json = if self.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream")) {
            let data = text.lines().filter_map(|line| line.strip_prefix("data:")).next_back();
            data.unwrap_or_else(|| panic!("an event with data in {text:?}")).trim().to_owned()
        } else {
            text
        };
        serde_json::from_str(&json).unwrap_or_else(|error| panic!("JSON, not {json:?}: {error}"))
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a connection to {}", self.address)
    }
}

/// The value of a header in the text of a head, whatever the case of its name.
pub fn header_in<'a>(head: &'a str, wanted: &str) -> Option<&'a str> {
    let mut pairs = head.split("\r\n").skip(1).filter_map(|line| line.split_once(':'));
    pairs.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.trim())
}

fn value<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
