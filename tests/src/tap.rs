//! Stands between a server and a client that is not ours: passes every byte on, and holds every message that the
//! server sends against the official schema of its revision.

use crate::http::{Connection, header_in};
use crate::schemas;
use crate::server::Server;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Connections to a server that are listened in on.
#[derive(Debug)]
pub struct Tap {
    address: SocketAddr,
    found: Arc<Found>,
}

/// What was heard.
#[derive(Debug, Default)]
struct Found {
    responses: AtomicUsize,
    wrong: Mutex<Vec<String>>,
}

impl Tap {
    /// Listens in on whoever connects here instead of to the server.
    pub fn on(server: &Server) -> Self {
        Self::before(server.address)
    }

    fn before(to: SocketAddr) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let found = Arc::new(Found::default());
        let shared = Arc::clone(&found);
        // It ends with the process of the test: a client may keep a connection for as long as it likes.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                listen_in(client, to, &shared);
            }
        });
        Self { address, found }
    }

    /// Where a client is to connect to.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, crate::client::PATH)
    }

    /// All went by, and every message was as its schema says.
    ///
    /// # Panics
    /// If nothing went by, or something was wrong.
    pub fn finish(self) {
        let wrong = self.found.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(wrong.is_empty(), "what the client was sent: {}", wrong.join("\n"));
        let responses = self.found.responses.load(Ordering::Relaxed);
        assert!(responses > 0, "nobody has connected to the tap");
        let checked = if schemas::are_there() { "held against the schemas" } else { "not held against any schema" };
        println!("{responses} responses went by, {checked}");
    }
}

/// Passes on what the two say, each in a thread of its own.
fn listen_in(client: TcpStream, to: SocketAddr, found: &Arc<Found>) {
    let mut connection = Connection::open(to);
    connection.wait_for_ever();
    let (server, witness) = connection.mirror(client.try_clone().expect("a second handle"));
    let back = client.try_clone().expect("a second handle");
    thread::spawn(move || {
        let _ =
            pass_on(client, &server, |request| witness.lock().unwrap_or_else(PoisonError::into_inner).sent(request));
        let _ = server.shutdown(Shutdown::Write);
    });
    let found = Arc::clone(found);
    thread::spawn(move || {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| read_all(&mut connection, &found))) {
            let text = panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "something unreadable".to_owned());
            found.wrong.lock().unwrap_or_else(PoisonError::into_inner).push(text);
        }
        let _ = back.shutdown(Shutdown::Both);
    });
}

/// Reads responses until the connection ends; the connection itself looks at them.
fn read_all(connection: &mut Connection, found: &Found) {
    while let Ok(Some(head)) = connection.try_head() {
        found.responses.fetch_add(1, Ordering::Relaxed);
        // A client may leave in the middle of a body.
        if connection.try_body(&head).is_err() {
            return;
        }
    }
}

/// Passes on requests; each is noted before the last byte of it has gone on.
fn pass_on(mut client: TcpStream, mut server: &TcpStream, mut note: impl FnMut(&[u8])) -> std::io::Result<()> {
    let (mut buffer, mut held) = ([0; 16 * 1024], Vec::new());
    loop {
        let count = client.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        held.extend_from_slice(&buffer[..count]);
        while let Some(length) = whole_request(&held) {
            let request: Vec<u8> = held.drain(..length).collect();
            note(&request);
        }
        server.write_all(&buffer[..count])?;
    }
}

/// How many bytes the first request has, if it is there as a whole.
fn whole_request(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&bytes[..end]);
    assert!(header_in(&head, "transfer-encoding").is_none(), "a request in chunks, which the tap does not read");
    let length = header_in(&head, "content-length").map_or(0, |length| length.parse().expect("a length"));
    (bytes.len() >= end + length).then_some(end + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_told_apart() {
        let two = b"POST / HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}GET / HTTP/1.1\r\n\r\n";
        assert_eq!(whole_request(two), Some(40));
        assert_eq!(whole_request(&two[40..]), Some(two.len() - 40));
        assert_eq!(whole_request(&two[..39]), None);
    }

    #[test]
    fn what_breaks_a_schema_is_seen_and_passed_on_all_the_same() {
        if !schemas::are_there() {
            let how = "run scripts/install-test-tools.sh and scripts/run-tests.sh";
            return crate::skipped("the official schemas", how);
        }
        for (result, is_valid) in [(r#"{"tools":[]}"#, true), (r#"{"tools":3}"#, false)] {
            let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
            let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
            let tap = Tap::before(listener.local_addr().expect("an address"));
            let mut client = Connection::open(tap.address);
            let request = client.compose("POST", "/mcp", &[], br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
            client.send(&request).expect("sent");
            let (mut server, _) = listener.accept().expect("a connection");
            server.read_exact(&mut vec![0; request.len()]).expect("the request");
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
            let response = format!("{head}content-length: {}\r\n\r\n{answer}", answer.len());
            server.write_all(response.as_bytes()).expect("sent");
            drop(server);
            // Not as a client of ours, which would look at the message itself.
            assert_eq!(client.rest(), response.as_bytes());
            assert_eq!(catch_unwind(AssertUnwindSafe(|| tap.finish())).is_ok(), is_valid, "{result}");
        }
    }
}
