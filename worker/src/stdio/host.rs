//! The gems of a client that speaks over standard input and output: forked from this process, which has booted the
//! image for all of them, and spoken to like a router does.

use crate::confinement::Sandbox;
use crate::gem::{self, Inheritance};
use crate::link::{Link, LinkError};
use crate::local::{self, LocalError};
use crate::registry::Registry;
use protocol::frame::{self, Frame};
use protocol::gem::{ClientMessage, Lasting, Prepare, Ready, SandboxPolicy, down};
use protocol::limits::{CALLS_QUEUED_MAX, CANCEL_GRACE_MILLIS};
use protocol::paths::StonePaths;
use protocol::revision::Revision;
use protocol::stone::{HELLO, Hello, IMAGE_FORMAT};
use sandbox::children::Children;
use sandbox::fork;
use sandbox::pidfd::{Pidfd, Signal};
use sandbox::walls::FilterError;
use smalltalk::Image;
use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use stone::client::Connection;
use thiserror::Error;

/// Why nothing can be served.
#[derive(Debug, Error)]
pub(crate) enum StdioError {
    /// The stone or the image is not there.
    #[error(transparent)]
    Local(#[from] LocalError),
    /// There is no system-call filter for this machine.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// The system refused something.
    #[error("cannot go on: {0}")]
    System(#[from] io::Error),
}

/// Which socket a message takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// To the virtual machine, one after the other.
    Calls,
    /// To the watch thread.
    Control,
}

/// A gem as it is spoken to.
pub(super) struct Gem {
    pub(super) calls: Link,
    pub(super) control: Link,
    pidfd: Pidfd,
    /// Whether it serves, and what it may announce.
    pub(super) topics: Option<Vec<String>>,
    /// Whether its lists depend on the commit that it sees.
    pub(super) lists_move: bool,
    /// Why it cannot serve, in its own words.
    pub(super) failure: Option<String>,
    /// What waits until it serves.
    early: Vec<(u64, Vec<u8>)>,
    /// What waits for the call before it.
    queue: VecDeque<Call>,
    /// The call that runs, and since when.
    running: Option<(u64, Instant)>,
    /// When it ended its last call, or was forked.
    rests_since: Instant,
    /// Whether a task runs, and until when the gem must last for its tasks.
    tasks: Option<(bool, Instant)>,
}

/// A call on its way to a gem.
struct Call {
    exchange: u64,
    kind: u8,
    message: Vec<u8>,
}

/// A message as a gem is handed it.
#[derive(Clone, Copy)]
pub(super) struct Parcel<'a> {
    /// The revision that it speaks.
    pub(super) revision: &'static Revision,
    /// Whether the gem may outlive the exchange, if the call becomes a task.
    pub(super) may_last: bool,
    /// The message itself.
    pub(super) body: &'a [u8],
}

/// What forks gems.
pub(super) struct Host<'r> {
    image: Image,
    registry: &'r Registry,
    sandbox: Sandbox,
    pub(super) children: Children,
    pub(super) said: PipeReader,
    say: PipeWriter,
    stone: StonePaths,
    prepare: Prepare,
    /// Keeps the stone while no gem is there.
    _lifeline: Connection,
}

impl<'r> Host<'r> {
    /// Boots, and makes sure that a stone runs.
    pub(super) fn new(registry: &'r Registry, prepare: Prepare, policy: SandboxPolicy) -> Result<Self, StdioError> {
        let stone = local::paths().map_err(LocalError::from)?;
        let (lifeline, _) = local::greet(&stone, &Hello::Lifeline { format: IMAGE_FORMAT })?;
        let mut image = Image::boot().map_err(LocalError::from)?;
        image.freeze().map_err(LocalError::from)?;
        let (said, say) = io::pipe()?;
        let (children, sandbox) = (Children::watch()?, Sandbox::new(policy)?);
        Ok(Self { image, registry, sandbox, children, said, say, stone, prepare, _lifeline: lifeline })
    }

    /// Forks a gem, which a client may hold by its handle; it is told at once what it is to be.
    pub(super) fn fork(&mut self, client: &str, handle: Option<&str>, held: bool) -> Result<Gem, StdioError> {
        let (calls, its_calls) = UnixStream::pair()?;
        let (control, its_control) = UnixStream::pair()?;
        let stone = self.connect(client)?;
        let descriptors = [OwnedFd::from(its_calls), OwnedFd::from(its_control), OwnedFd::from(stone)];
        let Self { image, registry, sandbox, say, .. } = self;
        let life = |descriptors| gem::live(Inheritance { image, registry, sandbox }, descriptors);
        let forked = fork::fork_gem(descriptors, say.as_fd(), life)?;
        let prepare = Prepare { handle: handle.map(str::to_owned), held, ..self.prepare.clone() };
        let mut calls = Link::from(OwnedFd::from(calls));
        let prepare = serde_json::to_vec(&prepare).expect("plain data");
        // A gem that cannot be told has ended, which is seen when it is listened to.
        let _ = calls.send(down::PREPARE, 0, &[&prepare]);
        Ok(Gem {
            calls,
            control: Link::from(OwnedFd::from(control)),
            pidfd: forked.pidfd,
            topics: None,
            lists_move: false,
            failure: None,
            early: Vec::new(),
            queue: VecDeque::new(),
            running: None,
            rests_since: Instant::now(),
            tasks: None,
        })
    }

    fn connect(&self, client: &str) -> Result<UnixStream, StdioError> {
        let mut stream = match UnixStream::connect(&self.stone.socket) {
            Ok(stream) => stream,
            Err(_) => {
                // The stone has died; whoever needs it starts the next one.
                drop(local::connect(&self.stone)?);
                UnixStream::connect(&self.stone.socket)?
            }
        };
        let hello = Hello::Session {
            format: IMAGE_FORMAT,
            user: self.prepare.user.clone(),
            client: client.chars().filter(|character| !character.is_control()).take(64).collect(),
            read_only: self.prepare.read_only,
        };
        let mut bytes = Vec::new();
        frame::encode(&mut bytes, HELLO, 0, &hello.encode());
        stream.write_all(&bytes)?;
        Ok(stream)
    }

    /// Passes on to standard error what gems have said to theirs.
    pub(super) fn pass_on(&mut self) {
        let mut said = [0; 4096];
        if let Ok(count) = self.said.read(&mut said) {
            let _ = io::stderr().write_all(&said[..count]);
        }
    }
}

impl Gem {
    /// Hands it a message. False if too many wait already.
    pub(super) fn ask(&mut self, way: Way, exchange: u64, parcel: Parcel<'_>) -> bool {
        let message = [&ClientMessage::head(parcel.revision.name, &[]), parcel.body].concat();
        let kind = if parcel.may_last { down::LASTING } else { down::MESSAGE };
        match way {
            Way::Control if self.topics.is_some() => drop(self.control.send(down::MESSAGE, exchange, &[&message])),
            Way::Control if self.early.len() < CALLS_QUEUED_MAX => self.early.push((exchange, message)),
            Way::Calls if self.is_free() => self.run(Call { exchange, kind, message }),
            Way::Calls if self.queue.len() < CALLS_QUEUED_MAX => {
                self.queue.push_back(Call { exchange, kind, message });
            }
            _ => return false,
        }
        true
    }

    /// One call at a time: a gem that reads while it is written to never waits for whoever waits for it.
    fn run(&mut self, Call { exchange, kind, message }: Call) {
        self.running = Some((exchange, Instant::now()));
        let _ = self.calls.send(kind, exchange, &[&message]);
    }

    fn is_free(&self) -> bool {
        self.running.is_none() && !self.tasks.is_some_and(|(running, _)| running)
    }

    /// A call became a task, or a task has ended.
    pub(super) fn lasts(&mut self, lasting: Lasting) {
        self.tasks = Some((lasting.running, Instant::now() + Duration::from_millis(lasting.millis)));
        self.run_next();
    }

    /// Whether nothing is kept in it any more that somebody could ask for.
    pub(super) fn is_over(&self) -> bool {
        self.tasks.is_none_or(|(_, until)| Instant::now() >= until)
    }

    /// How long it has had nothing to do; nothing while it has.
    pub(super) fn has_rested(&self) -> Option<Duration> {
        self.is_free().then(|| self.rests_since.elapsed())
    }

    fn run_next(&mut self) {
        if self.is_free()
            && let Some(next) = self.queue.pop_front()
        {
            self.run(next);
        }
    }

    /// It serves from now on.
    pub(super) fn serves(&mut self, Ready { topics, lists_move, .. }: Ready) {
        self.topics = Some(topics);
        self.lists_move = lists_move;
        for (exchange, message) in std::mem::take(&mut self.early) {
            let _ = self.control.send(down::MESSAGE, exchange, &[&message]);
        }
    }

    /// An exchange is over; the next call may run.
    pub(super) fn finished(&mut self, exchange: u64) {
        if self.running.is_some_and(|(running, _)| running == exchange) {
            self.running = None;
            self.rests_since = Instant::now();
            self.run_next();
        }
    }

    /// Gives an exchange up. True if the gem knows of it and will still answer.
    pub(super) fn cancel(&mut self, exchange: u64) -> bool {
        let waiting = self.queue.len() + self.early.len();
        self.queue.retain(|queued| queued.exchange != exchange);
        self.early.retain(|(queued, _)| *queued != exchange);
        if self.queue.len() + self.early.len() < waiting {
            return false;
        }
        let _ = self.control.send(down::CANCEL, exchange, &[]);
        true
    }

    /// Whether its call is so far over its time that it will never end by itself.
    pub(super) fn is_stuck(&self, call: Duration) -> bool {
        let grace = 2 * Duration::from_millis(CANCEL_GRACE_MILLIS);
        self.running.is_some_and(|(_, since)| since.elapsed() > call + grace)
    }

    /// Ends the process.
    pub(super) fn kill(&self) {
        if let Err(error) = self.pidfd.kill(Signal::SIGKILL) {
            eprintln!("lapidary-worker: a gem cannot be killed: {error}");
        }
    }

    /// What has arrived on one of its sockets, and whether the socket is still open.
    pub(super) fn hear(&mut self, way: Way) -> (Vec<Frame>, bool) {
        let link = if way == Way::Calls { &mut self.calls } else { &mut self.control };
        let mut open = link.fill().unwrap_or(false);
        let mut frames = Vec::new();
        loop {
            match link.next_buffered() {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => return (frames, open),
                Err(LinkError::Frame(_) | LinkError::Socket(_)) => {
                    open = false;
                    return (frames, open);
                }
            }
        }
    }
}
