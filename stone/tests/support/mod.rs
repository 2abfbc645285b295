//! A real stone process in a folder of its own, and peers that speak to it.
#![allow(dead_code, reason = "each test file uses its part of it")]

use protocol::stone::{Hello, Oid, Record, TOKEN_BYTES, Token, Write};
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use stone::client::{CommitOutcome, Connection, StoneError, Welcome};
use tempfile::TempDir;

/// The image format that these tests use.
pub(crate) const FORMAT: u32 = 1;
/// Long enough for anything that should happen at once.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A folder with a repository and a socket in it, and the stone that serves it.
pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::Builder::new().prefix("stone-").tempdir().expect("a temporary folder") }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn repository(&self) -> PathBuf {
        self.path().join("test.stone")
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path().join("run/stone.sock")
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.repository().join("objects.sqlite")
    }

    /// The command that serves this repository.
    pub(crate) fn command(&self) -> Command {
        self.command_by(Command::new(env!("CARGO_BIN_EXE_lapidary-stone")), &self.socket())
    }

    /// The same on another socket.
    pub(crate) fn command_on(&self, socket: &Path) -> Command {
        self.command_by(Command::new(env!("CARGO_BIN_EXE_lapidary-stone")), socket)
    }

    /// The same through another program, which ends by executing the one that its arguments name.
    pub(crate) fn command_through(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).arg(env!("CARGO_BIN_EXE_lapidary-stone"));
        self.command_by(command, &self.socket())
    }

    fn command_by(&self, mut command: Command, socket: &Path) -> Command {
        command.arg("--path").arg(self.repository()).arg("--socket").arg(socket);
        command
    }

    /// Starts the stone and waits until it serves.
    pub(crate) fn start(&self) -> Stone {
        Stone::start(self.command(), self.socket())
    }
}

/// A running stone; killed if it is still there when it is dropped.
pub(crate) struct Stone {
    pub(crate) child: Child,
    socket: PathBuf,
    log: Mutex<Receiver<String>>,
}

impl Stone {
    pub(crate) fn start(mut command: Command, socket: PathBuf) -> Self {
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the stone's binary runs");
        let stderr = BufReader::new(child.stderr.take().expect("piped"));
        let (lines, log) = channel();
        std::thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| lines.send(line)));
        let stone = Self { child, socket, log: Mutex::new(log) };
        stone.await_log("serving");
        stone
    }

    /// Waits until a line with this in it is logged, and answers it.
    pub(crate) fn await_log(&self, words: &str) -> String {
        let mut seen = Vec::new();
        while let Ok(line) = self.log.lock().expect("no test panics in here").recv_timeout(PATIENCE) {
            if line.contains(words) {
                return line;
            }
            seen.push(line);
        }
        panic!("the stone never logged `{words}`, but: {seen:#?}");
    }

    pub(crate) fn connect(&self) -> Connection {
        Connection::connect(&self.socket).expect("the stone listens")
    }

    pub(crate) fn lifeline(&self) -> Connection {
        let mut connection = self.connect();
        connection.hello(&Hello::Lifeline { format: FORMAT }).expect("it listens");
        connection.read_welcome().expect("a lifeline is welcome");
        connection
    }

    pub(crate) fn session(&self) -> Gem {
        self.session_as(false).expect("a session is welcome")
    }

    pub(crate) fn session_as(&self, read_only: bool) -> Result<Gem, StoneError> {
        let mut connection = self.connect();
        connection.hello(&hello(FORMAT, read_only))?;
        let welcome = connection.read_welcome()?;
        Ok(Gem { next: welcome.identities.start, connection, welcome })
    }

    /// `kill -9`, and waits until it is gone.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it was ours");
    }

    pub(crate) fn terminate(&self) {
        let pid = nix::unistd::Pid::from_raw(self.child.id().cast_signed());
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).expect("it runs");
    }

    /// Waits until it has left by itself.
    pub(crate) fn await_end(mut self) -> ExitStatus {
        await_end(&mut self.child)
    }
}

impl Drop for Stone {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for a process, but not for ever.
pub(crate) fn await_end(child: &mut Child) -> ExitStatus {
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until {
        if let Some(status) = child.try_wait().expect("it is ours") {
            assert_eq!(status.signal(), None, "it must not die of a signal");
            return status;
        }
        // The standard library has no wait with a deadline.
        std::thread::sleep(Duration::from_millis(2));
    }
    panic!("process {} does not end", child.id());
}

/// A session, and the identities that it has not used yet.
pub(crate) struct Gem {
    pub(crate) connection: Connection,
    pub(crate) welcome: Welcome,
    next: Oid,
}

impl Gem {
    pub(crate) fn new_oid(&mut self) -> Oid {
        assert!(self.next < self.welcome.identities.end, "a test needs one block at most");
        self.next += 1;
        self.next - 1
    }

    /// Commits under a fresh token.
    pub(crate) fn commit(&mut self, writes: Vec<Write>) -> Result<CommitOutcome, StoneError> {
        self.connection.commit(token(), "commit", writes)
    }

    /// Commits what cannot conflict; answers the number.
    pub(crate) fn must_commit(&mut self, writes: Vec<Write>) -> u64 {
        match self.commit(writes) {
            Ok(CommitOutcome::Committed { view, .. }) => view,
            other => panic!("it should have been committed: {other:?}"),
        }
    }

    /// One object at the view.
    pub(crate) fn read(&mut self, oid: Oid) -> Option<Record> {
        let records = self.connection.fault(&[oid]).expect("a fault is answered");
        records.into_iter().find(|record| record.oid == oid)
    }

    pub(crate) fn bytes(&mut self, oid: Oid) -> Vec<u8> {
        self.read(oid).expect("it exists").bytes
    }
}

pub(crate) fn hello(format: u32, read_only: bool) -> Hello {
    Hello::Session { format, user: "DataCurator".to_owned(), client: "test".to_owned(), read_only }
}

pub(crate) fn token() -> Token {
    rand::random::<[u8; TOKEN_BYTES]>()
}

pub(crate) fn record(oid: Oid, references: &[Oid], bytes: &[u8]) -> Record {
    Record { oid, references: references.to_vec(), bytes: bytes.to_vec() }
}

/// A write of a new object.
pub(crate) fn new(oid: Oid, bytes: &[u8]) -> Write {
    Write { base: None, record: record(oid, &[], bytes) }
}

/// A write of an object that was known at a view.
pub(crate) fn changed(oid: Oid, base: u64, bytes: &[u8]) -> Write {
    Write { base: Some(base), record: record(oid, &[], bytes) }
}

/// What is in the repository's file, once its stone has gone.
pub(crate) fn assert_sound(home: &Home) {
    let connection = rusqlite::Connection::open(home.database()).expect("it opens");
    let integrity: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("it can be checked");
    assert_eq!(integrity, "ok");
}

/// The kind of a refusal.
pub(crate) fn refusal<T: std::fmt::Debug>(result: Result<T, StoneError>) -> String {
    match result {
        Err(StoneError::Refused { kind, message }) => {
            assert!(message.len() > 20, "a refusal says what to do: {message}");
            kind
        }
        other => panic!("it should have been refused: {other:?}"),
    }
}
