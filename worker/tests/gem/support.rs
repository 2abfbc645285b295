//! A router's and a stone's ends of a worker's sockets.

use protocol::frame::{Decoder, Frame, encode, encode_parts};
use protocol::gem::{Bind, ClientMessage, Failed, Final, GemLimits, Prepare, Ready, down, up};
use protocol::limits::{FRAME_BYTES_MAX, GEM_HEAP_BYTES_MAX, GEM_STACK_BYTES_MAX, STONE_FRAME_BYTES_MAX};
use protocol::stone::{Answer, Request as Asked};
use protocol::zygote::{PACKET_BYTES_MAX, Report, Request};
use sandbox::packet::PacketSocket;
use sandbox::pidfd::Pidfd;
use sandbox::spawn::{Child, Command, Stdio};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::Sender;
use std::time::Duration;

/// Longest wait for anything; a machine under load is no reason to fail.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running zygote.
pub(crate) struct Zygote {
    pub(crate) socket: PacketSocket,
    pub(crate) child: Child,
}

impl Zygote {
    pub(crate) fn start() -> Self {
        let (socket, far) = PacketSocket::pair().expect("a pair");
        let mut command = Command::new(env!("CARGO_BIN_EXE_lapidary-worker"));
        command.arg("zygote").stdin(Stdio::Descriptor(far.as_fd())).stdout(Stdio::Inherit).stderr(Stdio::Inherit);
        let child = command.spawn().expect("started");
        drop(command);
        drop(far);
        let zygote = Self { socket, child };
        assert!(matches!(zygote.report(), Report::Booted { .. }));
        zygote
    }

    pub(crate) fn report(&self) -> Report {
        let packet = self.socket.receive(PACKET_BYTES_MAX).expect("received");
        Report::decode(&packet.bytes).expect("a report")
    }

    /// Forks a gem and says `Prepare`, but does not wait for its answer.
    pub(crate) fn fork(&self, number: u64, prepare: &Prepare, stone: Stone) -> Gem {
        let (calls, far_calls) = sandbox::stream_pair().expect("a pair");
        let (control, far_control) = sandbox::stream_pair().expect("a pair");
        let (near_stone, far_stone) = sandbox::stream_pair().expect("a pair");
        let descriptors = [far_calls.as_fd(), far_control.as_fd(), far_stone.as_fd()];
        self.socket.send(&Request::Fork { gem: number }.encode(), &descriptors).expect("sent");
        let mut packet = self.socket.receive(PACKET_BYTES_MAX).expect("received");
        let Report::Forked { gem, .. } = Report::decode(&packet.bytes).expect("a report") else { panic!("no gem") };
        assert_eq!(gem, number);
        let pidfd = Pidfd::from(packet.descriptors.pop().expect("a pidfd"));
        let stone_end = near_stone.try_clone().expect("cloned");
        stone.play(near_stone);
        let mut gem = Gem { calls: calls.into(), control: control.into(), stone: stone_end, pidfd, exchange: 0 };
        gem.calls.send(down::PREPARE, 0, &[&serde_json::to_vec(prepare).expect("plain")]);
        gem
    }

    /// A gem that serves.
    pub(crate) fn open(&self, number: u64, prepare: &Prepare) -> Gem {
        let mut gem = self.fork(number, prepare, Stone::default());
        let frame = gem.calls.next().expect("a frame");
        assert_eq!(frame.kind, up::READY, "{}", String::from_utf8_lossy(&frame.body));
        serde_json::from_slice::<Ready>(&frame.body).expect("a ready");
        gem
    }

    /// The status with which this gem has ended, as the zygote reports it.
    pub(crate) fn ended(&self, number: u64) -> i32 {
        match self.report() {
            Report::Ended { gem, status } if gem == number => status,
            other => panic!("not the end of {number}: {other:?}"),
        }
    }
}

/// What the router wants, with everything that this platform allows.
pub(crate) fn prepare() -> Prepare {
    let limits = GemLimits {
        heap_bytes: GEM_HEAP_BYTES_MAX,
        stack_bytes: GEM_STACK_BYTES_MAX,
        call_millis: PATIENCE.as_millis() as u64,
    };
    let wanted = json!({
        "toolsets": [],
        "worker_class": null,
        "read_only": false,
        "user": "DataCurator",
        "server_name": null,
        "server_version": null,
        "title": null,
        "limits": limits,
        "principal": "",
        "handle": null,
        "principal_key": null,
    });
    serde_json::from_value(wanted).expect("what is left out has a default")
}

/// One socket with frames.
pub(crate) struct Link {
    stream: UnixStream,
    decoder: Decoder,
}

impl From<UnixStream> for Link {
    fn from(stream: UnixStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        Self { stream, decoder: Decoder::new(STONE_FRAME_BYTES_MAX.max(FRAME_BYTES_MAX)) }
    }
}

impl Link {
    pub(crate) fn send(&mut self, kind: u8, exchange: u64, parts: &[&[u8]]) {
        let mut bytes = Vec::new();
        encode_parts(&mut bytes, kind, exchange, parts);
        self.stream.write_all(&bytes).expect("written");
    }

    pub(crate) fn message(&mut self, exchange: u64, body: &str) {
        self.send(down::MESSAGE, exchange, &[&ClientMessage::head("2025-11-25", &[]), body.as_bytes()]);
    }

    /// The next frame, or `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Frame> {
        loop {
            if let Some(frame) = self.decoder.next_frame().expect("valid") {
                return Some(frame);
            }
            match self.stream.read(self.decoder.space()) {
                Ok(0) => return None,
                Ok(count) => self.decoder.advance(count),
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return None,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => panic!("nothing came: {error}"),
            }
        }
    }

    /// The answer to this exchange: its status and its body, which must be JSON if it is there.
    pub(crate) fn answer(&mut self, exchange: u64) -> (u16, Value) {
        let frame = self.next().expect("an answer");
        assert_eq!((frame.kind, frame.exchange), (up::FINAL, exchange));
        let Final { status, body, .. } = Final::decode(&frame.body).expect("a final");
        let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(body).expect("JSON") };
        (status, body)
    }

    pub(crate) fn failure(&mut self) -> Failed {
        let frame = self.next().expect("a frame");
        assert_eq!(frame.kind, up::FAILED);
        serde_json::from_slice(&frame.body).expect("a failure")
    }
}

/// A gem and our ends of its sockets.
pub(crate) struct Gem {
    pub(crate) calls: Link,
    pub(crate) control: Link,
    pub(crate) stone: UnixStream,
    pub(crate) pidfd: Pidfd,
    exchange: u64,
}

impl Gem {
    /// Says for whom it works.
    pub(crate) fn bind(&mut self, user: &str, grant: &[u8]) {
        let bind = Bind { user, principal: user, principal_key: &"5a".repeat(32), grant };
        self.calls.send(down::BIND, 0, &[&bind.encode()]);
    }

    /// A number for the next exchange.
    pub(crate) fn exchange(&mut self) -> u64 {
        self.exchange += 1;
        self.exchange
    }

    /// Sends one body as a call and answers what comes back.
    pub(crate) fn ask(&mut self, body: &str) -> (u16, Value) {
        let exchange = self.exchange();
        self.calls.message(exchange, body);
        self.calls.answer(exchange)
    }

    /// Begins to call a tool; answers the exchange.
    pub(crate) fn begin(&mut self, id: u64, tool: &str, arguments: &Value) -> u64 {
        let exchange = self.exchange();
        self.calls.message(exchange, &call(id, tool, arguments));
        exchange
    }

    /// Calls a tool; answers its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let exchange = self.begin(1, tool, &arguments);
        let (status, mut body) = self.calls.answer(exchange);
        assert_eq!(status, 200);
        assert_eq!(body["error"], Value::Null, "{body}");
        body["result"].take()
    }

    /// Runs code that must succeed; answers the text.
    pub(crate) fn run(&mut self, code: &str) -> String {
        let result = self.call("execute_code", json!({ "code": code }));
        assert_eq!(result["isError"], false, "{result}");
        text(&result).to_owned()
    }

    /// Begins to run code that does not end, and waits until it runs.
    pub(crate) fn spin(&mut self, id: u64) -> u64 {
        self.begin(id, "execute_code", &json!({"code": "[true] whileTrue"}))
    }
}

pub(crate) fn call(id: u64, tool: &str, arguments: &Value) -> String {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

/// The one text of a result.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("text")
}

/// How the stone behaves.
#[derive(Default)]
pub(crate) struct Stone {
    pub(crate) refuses: bool,
    pub(crate) hangs_up: bool,
    /// Where it passes on the grants that it is shown.
    pub(crate) grants: Option<Sender<Vec<u8>>>,
}

/// The session number that it gives.
pub(crate) const SESSION: u64 = 5;

impl Stone {
    fn play(self, stream: UnixStream) {
        let welcome = if self.refuses {
            Answer::Refused { kind: "format".to_owned(), message: "This stone is of another format".to_owned() }
        } else {
            let name = "gs64stone".to_owned();
            Answer::Welcome { session: SESSION, view: 0, first_oid: 1 << 16, name, overlays: Vec::new() }
        };
        std::thread::spawn(move || {
            let mut link = Link::from(stream);
            if !self.hangs_up {
                answer(&mut link, 0, &welcome);
            }
            if self.refuses || self.hangs_up {
                let _ = link.stream.shutdown(std::net::Shutdown::Both);
                return;
            }
            // The holder of the other clone of the stream ends this.
            link.stream.set_read_timeout(None).expect("set");
            while let Some(frame) = link.next() {
                let asked = Asked::decode(frame.kind, &frame.body).expect("a request");
                if let (Asked::Bind { grant }, Some(grants)) = (&asked, &self.grants) {
                    grants.send(grant.clone()).expect("the test listens");
                }
                answer(&mut link, frame.exchange, &reply(asked));
            }
        });
    }
}

fn answer(link: &mut Link, exchange: u64, answer: &Answer) {
    let (kind, body) = answer.encode();
    let mut bytes = Vec::new();
    encode(&mut bytes, kind, exchange, &body);
    // The gem may have gone meanwhile.
    let _ = link.stream.write_all(&bytes);
}

/// Every commit of something conflicts, so that its texts can be seen without a second session.
fn reply(asked: Asked) -> Answer {
    match asked {
        Asked::Fault { .. } => Answer::Objects(Vec::new()),
        Asked::Commit { writes, .. } if writes.is_empty() => Answer::Committed { view: 1, changed: Vec::new() },
        Asked::Commit { writes, .. } => {
            Answer::Conflict { objects: writes.iter().map(|write| (write.record.oid, 1)).collect() }
        }
        Asked::MoveView | Asked::Bind { .. } | Asked::ChangedSince { .. } => {
            Answer::View { view: 1, changed: Vec::new() }
        }
        Asked::Reserve => Answer::Block(1 << 20),
        Asked::CommitStatus { .. } => Answer::CommitStatus(None),
    }
}

/// Closes one end of a pair for good, whatever other clone of it there is.
pub(crate) fn hang_up(stream: &UnixStream) {
    stream.shutdown(std::net::Shutdown::Both).expect("shut down");
}

/// Whatever owns a descriptor, dropped: what remains is its number.
pub(crate) fn close(owner: impl Into<OwnedFd>) {
    drop(owner.into());
}

impl From<Link> for OwnedFd {
    fn from(link: Link) -> Self {
        link.stream.into()
    }
}
