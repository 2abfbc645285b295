//! Backends: the processes that answer what clients ask.
//!
//! A backend opens for a principal, forwards raw messages on exchanges, cancels, and ends with a reason. It knows no
//! transport and no session: it is handed numbers and bytes, and yields [`Event`]s. A backend without frames of its own
//! (a server that speaks JSON-RPC lines, say) rewrites ids to find the exchange again; none of that shows above.

pub(crate) mod gem;

use bytes::Bytes;
use protocol::gem::{Bind, Failed, Lasting, Prepare, Ready};
use protocol::grant::GrantKey;
use protocol::revision::Revision;
use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;
use thiserror::Error;

/// Opens processes.
pub(crate) trait Backend: Debug + Send + Sync {
    /// Opens a process that acts for this identity.
    fn open<'a>(&'a self, identity: Identity<'a>) -> Opening<'a>;
}

/// A process that is being opened.
pub(crate) type Opening<'a> = Pin<Box<dyn Future<Output = Result<Arc<dyn Link>, OpenError>> + Send + 'a>>;

/// For whom a process is opened.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Identity<'a> {
    /// A user, from the beginning.
    User {
        /// The user in the repository.
        user: &'a str,
        /// The name that the client gives itself.
        client: &'a str,
        /// Whether nothing may be committed.
        read_only: bool,
    },
    /// Nobody yet: it can only read until [`Link::bind`] shows what this key has signed.
    Unbound {
        /// Never shown to the process.
        key: &'a GrantKey,
        /// Whether nothing may be committed even then.
        read_only: bool,
    },
}

/// No process can be opened.
#[derive(Debug, Error)]
pub(crate) enum OpenError {
    /// What it works on is not there.
    #[error("{0}")]
    NoStone(String),
    /// It cannot be started.
    #[error("{0}")]
    NoProcess(String),
}

/// The link to one process.
pub(crate) trait Link: Debug + Send + Sync {
    /// The router's own number for the process.
    fn number(&self) -> u64;

    /// Its process id, for logs; 0 while it is not known.
    fn pid(&self) -> u32;

    /// Begins to tell `sink` what the process says. Called once.
    fn start(self: Arc<Self>, sink: Arc<dyn EventSink>);

    /// Says what the process is to be; first of all.
    fn prepare(&self, prepare: &Prepare);

    /// Says for whom a process works that was opened for nobody; before the first message of that client.
    fn bind(&self, bind: &Bind<'_>);

    /// Forwards a message on an exchange; 0 is the exchange of messages that want no answer, which are refused while
    /// too much waits to be written. Messages of one route arrive in order.
    fn forward(&self, route: Route, exchange: u64, message: &Message) -> Result<(), Full>;

    /// The exchange was given up. A process that cannot be told is gone or will be.
    fn cancel(&self, exchange: u64);

    /// Asks the process to finish what it does and to end.
    fn finish(&self);

    /// Ends it at once.
    fn kill(&self);
}

/// Too much waits to be written already.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// Hears what a process says.
pub(crate) trait EventSink: Send + Sync {
    /// Takes one event, without waiting. A process that says what it must not is cut off by its link.
    fn on_event(&self, event: Event) -> Result<(), Violation>;
}

/// A process broke the rules of its link and must go.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Violation(pub(crate) &'static str);

/// What a process says.
#[derive(Debug)]
pub(crate) enum Event {
    /// It serves.
    Ready(Ready),
    /// It cannot serve.
    Failed(Failed),
    /// A message for the stream of an exchange.
    Message {
        /// The exchange.
        exchange: u64,
        /// The JSON-RPC message.
        body: Bytes,
    },
    /// The answer; the exchange is over.
    Final {
        /// The exchange.
        exchange: u64,
        /// The HTTP status that the answer asks for.
        status: u16,
        /// Whether the process must outlive the exchange.
        keep: bool,
        /// The JSON-RPC response; empty where none is wanted.
        body: Bytes,
    },
    /// An encoded [`protocol::gem::Event`]: something changed.
    Notice(Bytes),
    /// How long the process must last because of its tasks.
    Lasting(Lasting),
    /// It is gone; nothing comes after this.
    Ended(Ended),
}

/// How a process came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It was never started; the system's error number.
    NotStarted(i32),
    /// It lost the stone that it works on.
    StoneLost,
    /// It exited, with this code (or 128 and a signal's number) where that is known.
    Exited {
        /// The code.
        status: Option<i32>,
        /// The last that it wrote to its standard error, where that is its own.
        last_words: Option<Box<str>>,
    },
}

/// Which way a message takes to a process that has two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// In order, behind the calls before it.
    Calls,
    /// At once, while a call runs.
    Control,
}

impl Route {
    /// The route of a request or notification with this method: what a process answers from what never changes, and
    /// what must be heard while a call runs, does not queue behind calls.
    pub(crate) fn of(method: &str) -> Self {
        match method {
            "ping"
            | "server/discover"
            | "tools/list"
            | "prompts/list"
            | "resources/list"
            | "resources/templates/list"
            | "logging/setLevel"
            | "tasks/get"
            | "tasks/update"
            | "tasks/cancel" => Route::Control,
            _ => Route::Calls,
        }
    }
}

/// A message on its way to a process.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    /// The revision that it speaks.
    pub(crate) revision: &'static Revision,
    /// Its `Mcp-Param-*` headers.
    pub(crate) headers: Vec<(String, String)>,
    /// The message itself.
    pub(crate) body: Bytes,
    /// Whether the process may outlive the exchange, if the call becomes a task.
    pub(crate) may_last: bool,
}
