//! The link between the router and a gem: two stream sockets (*calls* and *control*) that carry [`crate::frame`]s.
//!
//! An *exchange* is one POST and everything that answers it; the router numbers exchanges, and nothing here is keyed
//! by a JSON-RPC id. [`Prepare`] is the first frame on the call socket; the gem answers it there with [`Ready`] or
//! [`Failed`]. A gem that is forked ahead of any client is told by [`Bind`] for whom it works, before the first message
//! of a client and without an answer. On the control socket come `Cancel`, `Shutdown` and those messages that must be
//! answered while a call runs (`ping`, lists); answers to them go back on the control socket. The router never opens a
//! JSON body that a gem sends; it writes it to the exchange's stream.

use crate::frame::FrameError;
use crate::wire::{Reader, Writer};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Kinds of the frames that the router sends.
pub mod down {
    /// JSON [`super::Prepare`], first and once, on the call socket.
    pub const PREPARE: u8 = 1;
    /// A client's message, [`super::ClientMessage`].
    pub const MESSAGE: u8 = 2;
    /// The client gave the exchange up; no body.
    pub const CANCEL: u8 = 3;
    /// Finish, abort, exit; no body.
    pub const SHUTDOWN: u8 = 4;
    /// As [`MESSAGE`], from a stateless request whose gem may outlive the exchange, if the call becomes a task.
    pub const LASTING: u8 = 5;
    /// [`super::Bind`], once, on the call socket of a gem whose [`super::Prepare`] left open for whom it works.
    pub const BIND: u8 = 6;
}

/// Kinds of the frames that a gem sends.
pub mod up {
    /// JSON [`super::Ready`].
    pub const READY: u8 = 17;
    /// JSON [`super::Failed`]; the gem exits after it.
    pub const FAILED: u8 = 18;
    /// A JSON-RPC message for the exchange's stream.
    pub const MESSAGE: u8 = 19;
    /// [`super::Final`]: the answer; the exchange is over.
    pub const FINAL: u8 = 20;
    /// [`super::Event`]: a change notice for whoever listens.
    pub const EVENT: u8 = 21;
    /// [`super::Lasting`]: a call became a task, or a task has ended.
    pub const LASTING: u8 = 22;
}

/// Exit codes of a gem.
pub mod exit {
    /// The router ended it, or is gone itself.
    pub const ENDED: i32 = 0;
    /// It could not begin to serve; it has said why by [`super::Failed`] where it could.
    pub const FAILED: i32 = 69;
    /// A fault of ours: a panic.
    pub const PANIC: i32 = 70;
    /// The stone is gone, so nothing that the gem does could be committed.
    pub const STONE_LOST: i32 = 75;
    /// The router sent what the link does not know.
    pub const LINK_BROKEN: i32 = 76;
}

/// What a gem is to be, said once before anything else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prepare {
    /// Names of the toolsets to serve; empty for the default ones.
    pub toolsets: Vec<String>,
    /// Names of those toolsets whose tools are advertised, and not only registered; empty for what each says of itself.
    #[serde(default)]
    pub advertised: Vec<String>,
    /// What clients get of an answer.
    #[serde(default)]
    pub results: Results,
    /// A class in the image that changes guards, identity or wiring.
    pub worker_class: Option<String>,
    /// Whether only what is declared safe is served, and no commit is allowed.
    pub read_only: bool,
    /// Whether the tools that change classes and methods commit what they did.
    #[serde(default = "yes")]
    pub autocommit: bool,
    /// Whether user, principal and key are the gem's for good. Else [`Bind`] will say them, the gem hears no client
    /// before, and the user named here is only the one that the image shows meanwhile.
    #[serde(default = "yes")]
    pub bound: bool,
    /// The user in the repository that this gem acts for.
    pub user: String,
    /// `serverInfo.name`, where configured.
    pub server_name: Option<String>,
    /// `serverInfo.version`, where configured.
    pub server_version: Option<String>,
    /// `serverInfo.title`, where configured.
    pub title: Option<String>,
    /// What the gem may use.
    pub limits: GemLimits,
    /// The revisions that the router serves; empty for all.
    #[serde(default)]
    pub revisions: Vec<String>,
    /// Whether headers repeat what is in stateless bodies, and are to be held against them.
    #[serde(default = "yes")]
    pub headers: bool,
    /// Whom the router authenticated; empty where it asks for nobody.
    pub principal: String,
    /// The handle by which a client of the stateless protocol names this gem, or the tasks in it.
    pub handle: Option<String>,
    /// Whether a client holds the gem by its handle: it lasts until it is closed. Else it serves one call, and lasts
    /// only as long as what that call became.
    #[serde(default)]
    pub held: bool,
    /// A key derived for the principal, in hexadecimal, to seal what travels through the client.
    pub principal_key: Option<String>,
}

/// For whom a gem works that was forked ahead.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Bind<'a> {
    /// The user in the repository.
    pub user: &'a str,
    /// Whom the router authenticated; empty where it asks for nobody.
    pub principal: &'a str,
    /// A key derived for the principal, in hexadecimal.
    pub principal_key: &'a str,
    /// What the stone is to be shown ([`crate::grant`]).
    pub grant: &'a [u8],
}

/// Never the key, wherever it is printed.
impl fmt::Debug for Bind<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Bind").field("user", &self.user).field("principal", &self.principal).finish()
    }
}

impl<'a> Bind<'a> {
    /// As a frame body.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.block(self.user.as_bytes()).block(self.principal.as_bytes()).block(self.principal_key.as_bytes());
        writer.block(self.grant);
        writer.bytes
    }

    /// Reads a frame body.
    pub fn decode(body: &'a [u8]) -> Result<Self, FrameError> {
        let mut reader = Reader::new(body);
        let (user, principal, principal_key) = (reader.text()?, reader.text()?, reader.text()?);
        let grant = reader.block()?;
        reader.finish()?;
        Ok(Self { user, principal, principal_key, grant })
    }
}

fn yes() -> bool {
    true
}

/// What clients get of a tool's answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Results {
    /// The content for a model alone.
    Content,
    /// The structured content alone, where there is any and the client's revision knows it.
    Structured,
    /// Both.
    #[default]
    Both,
}

impl Results {
    /// By its name in a configuration.
    pub fn named(name: &str) -> Result<Self, String> {
        match name {
            "content" => Ok(Self::Content),
            "structured" => Ok(Self::Structured),
            "both" => Ok(Self::Both),
            _ => Err("choose content, structured or both".to_owned()),
        }
    }
}

/// How strictly the sandbox of a gem is insisted on. It is fixed when a zygote starts, since a gem confines itself
/// before it reads anything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SandboxPolicy {
    /// A wall that cannot be raised is a refusal to start.
    #[default]
    Strict,
    /// It is a warning in the log.
    BestEffort,
    /// None is raised.
    Off,
}

impl SandboxPolicy {
    /// Its name in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::BestEffort => "best-effort",
            Self::Off => "off",
        }
    }

    /// By its name in a configuration; an empty one is no choice.
    ///
    /// # Errors
    /// For any other name, with the names that are allowed.
    pub fn named(name: &str) -> Result<Self, String> {
        match name {
            "strict" | "" => Ok(Self::Strict),
            "best-effort" => Ok(Self::BestEffort),
            "off" => Ok(Self::Off),
            _ => Err("choose strict, best-effort or off".to_owned()),
        }
    }
}

/// Limits that hold inside a gem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GemLimits {
    /// Bytes of heap.
    pub heap_bytes: usize,
    /// Bytes of stack.
    pub stack_bytes: usize,
    /// Wall-clock milliseconds of one call.
    pub call_millis: u64,
}

/// The gem serves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    /// The toolsets that it serves.
    pub toolsets: Vec<String>,
    /// What each wall around it came to, by name: `enforced`, or why not.
    pub sandbox: Vec<(String, String)>,
    /// The topics of the [`Event`]s that it may send.
    #[serde(default)]
    pub topics: Vec<String>,
    /// Whether its lists depend on the commit that it sees, so that another gem may know more than this one.
    #[serde(default)]
    pub lists_move: bool,
}

/// The gem cannot serve: the error of `initialize`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// A word for programs, such as `unknownToolset`.
    pub kind: String,
    /// What to fix, for a person.
    pub message: String,
}

/// A client's JSON-RPC message as it goes to a gem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientMessage<'a> {
    /// The revision that the client speaks, or is taken to speak.
    pub revision: &'a str,
    /// The body, byte for byte.
    pub body: &'a [u8],
}

impl<'a> ClientMessage<'a> {
    /// The bytes before the body: write them, then the body, as one frame.
    pub fn head(revision: &str, parameter_headers: &[(&str, &str)]) -> Vec<u8> {
        let mut head = Writer::new();
        head.block(revision.as_bytes()).u32(parameter_headers.len() as u32);
        for (name, value) in parameter_headers {
            head.block(name.as_bytes()).block(value.as_bytes());
        }
        head.bytes
    }

    /// Reads a frame body; answers the message and its `Mcp-Param-*` headers, in order.
    #[allow(clippy::type_complexity)]
    pub fn decode(body: &'a [u8]) -> Result<(Self, Vec<(&'a str, &'a str)>), FrameError> {
        let mut reader = Reader::new(body);
        let revision = reader.text()?;
        let count = reader.count(8)?;
        let mut headers = Vec::with_capacity(count);
        for _ in 0..count {
            headers.push((reader.text()?, reader.text()?));
        }
        let body = reader.raw(reader.remaining())?;
        Ok((Self { revision, body }, headers))
    }
}

/// How an exchange ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Final<'a> {
    /// The HTTP status that the answer asks for; it holds unless a stream was opened before.
    pub status: u16,
    /// Whether this gem must outlive the exchange.
    pub keep: bool,
    /// The JSON-RPC response; empty where the message asked for none.
    pub body: &'a [u8],
}

/// Bytes before the response in the body of a [`Final`].
const FINAL_HEAD_BYTES: usize = 3;

impl<'a> Final<'a> {
    /// The bytes before the body: write them, then the body, as one frame.
    pub fn head(status: u16, keep: bool) -> [u8; FINAL_HEAD_BYTES] {
        let status = status.to_le_bytes();
        [status[0], status[1], u8::from(keep)]
    }

    /// Reads a frame body.
    pub fn decode(body: &'a [u8]) -> Result<Self, FrameError> {
        let mut reader = Reader::new(body);
        let head = reader.raw(FINAL_HEAD_BYTES)?;
        let body = reader.raw(reader.remaining())?;
        Ok(Self { status: u16::from_le_bytes([head[0], head[1]]), keep: head[2] != 0, body })
    }
}

/// How long a gem must last because of its tasks. Told before whatever lets a client know of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lasting {
    /// Whether a task runs or waits for its client: other calls wait behind it.
    pub running: bool,
    /// How many milliseconds from now the gem must last, whether it is called or not.
    pub millis: u64,
}

impl Lasting {
    /// As a frame body.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.u8(u8::from(self.running)).u64(self.millis);
        writer.bytes
    }

    /// Reads a frame body.
    pub fn decode(body: &[u8]) -> Result<Self, FrameError> {
        let mut reader = Reader::new(body);
        let lasting = Self { running: reader.u8()? != 0, millis: reader.u64()? };
        reader.finish()?;
        Ok(lasting)
    }
}

/// A change notice that the router fans out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Event<'a> {
    /// What changed: one of [`topic`].
    pub topic: &'a str,
    /// Which one: the URI of a resource that was updated, the id of a task; of a list, [`topic::OWN`] or nothing.
    pub subject: &'a str,
    /// The parameters of the notification, a JSON object, where they are more than the subject; else empty.
    pub details: &'a str,
}

/// Topics of events.
pub mod topic {
    /// The list of tools.
    pub const TOOLS: &str = "tools";
    /// The list of prompts.
    pub const PROMPTS: &str = "prompts";
    /// The list of resources.
    pub const RESOURCES: &str = "resources";
    /// One resource.
    pub const RESOURCE: &str = "resource";
    /// The subject of a list that has changed for the gem's own client alone, as its view moved.
    pub const OWN: &str = "own";
    /// One task.
    pub const TASK: &str = "task";
}

impl<'a> Event<'a> {
    /// As a frame body.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.block(self.topic.as_bytes()).block(self.subject.as_bytes()).block(self.details.as_bytes());
        writer.bytes
    }

    /// Reads a frame body.
    pub fn decode(body: &'a [u8]) -> Result<Self, FrameError> {
        let mut reader = Reader::new(body);
        let event = Self { topic: reader.text()?, subject: reader.text()?, details: reader.text()? };
        reader.finish()?;
        Ok(event)
    }

    /// The method of the notification that says so; nothing for a topic that is not known.
    pub fn method(&self) -> Option<&'static str> {
        match self.topic {
            topic::TOOLS => Some("notifications/tools/list_changed"),
            topic::PROMPTS => Some("notifications/prompts/list_changed"),
            topic::RESOURCES => Some("notifications/resources/list_changed"),
            topic::RESOURCE => Some("notifications/resources/updated"),
            topic::TASK => Some("notifications/tasks"),
            _ => None,
        }
    }
}
