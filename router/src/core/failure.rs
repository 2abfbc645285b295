//! Why sessions end, and why a request that was forwarded has no answer.
//!
//! The one place that puts these into words for clients; causes that only concern the operator go to the log.

use crate::backend::Ended;
use protocol::error::{self, INTERNAL_ERROR, INVALID_PARAMS};

/// Why a session ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EndReason {
    /// Its client ended it, or the one request that it was there for is over.
    Client,
    /// It was not used for as long as is allowed, or it is too old.
    Idle,
    /// The router is being stopped.
    ShutDown,
    /// The router had to kill its process.
    Killed(Killed),
    /// Its process ended by itself.
    Crashed {
        /// Its exit code (or 128 and a signal's number), where that is known.
        status: Option<i32>,
        /// The last that it wrote to its standard error, where that is its own.
        last_words: Option<Box<str>>,
    },
    /// Its process lost its stone.
    StoneLost,
    /// Its process cannot serve, in its own words.
    Refused {
        /// For programs.
        kind: String,
        /// For people.
        message: String,
    },
    /// The operating system refused to start its process.
    NotStarted {
        /// Its error number.
        errno: i32,
    },
}

/// Why the router killed a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Killed {
    /// It did not get ready in time.
    SlowStart,
    /// A call was over its time and did not react when it was told to end.
    CallDeadline,
    /// A task was over its time.
    TaskDeadline,
}

/// Why there is no answer to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The session ended.
    Ended(EndReason),
    /// The request's own time was over, and its process did not react.
    Timeout,
}

/// What a client that lost something can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recovery {
    /// Open another session.
    Initialize,
    /// Open another gem.
    OpenGem,
    /// Ask again.
    Repeat,
}

impl From<Ended> for EndReason {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::NotStarted(errno) => EndReason::NotStarted { errno },
            Ended::StoneLost => EndReason::StoneLost,
            Ended::Exited { status, last_words } => EndReason::Crashed { status, last_words },
        }
    }
}

impl Recovery {
    fn hint(self) -> &'static str {
        match self {
            Recovery::Initialize => "Call initialize for a new session.",
            Recovery::OpenGem => "Call open_gem for a new gem.",
            Recovery::Repeat => "Send the request again.",
        }
    }
}

impl EndReason {
    /// A word of the router's own.
    fn name(&self) -> &'static str {
        match self {
            EndReason::Client | EndReason::Idle | EndReason::ShutDown => "sessionEnded",
            EndReason::Killed(Killed::SlowStart) => "slowStart",
            EndReason::Killed(_) | EndReason::Crashed { .. } => "workerDied",
            EndReason::StoneLost => "stoneLost",
            EndReason::Refused { .. } => "failed",
            EndReason::NotStarted { .. } => "overloaded",
        }
    }

    /// What happened and what to do.
    pub(crate) fn message(&self, recovery: Recovery) -> String {
        let hint = recovery.hint();
        match self {
            EndReason::Client | EndReason::Idle | EndReason::ShutDown => {
                "The session was ended while it worked on this request.".into()
            }
            EndReason::Killed(Killed::SlowStart) => {
                "The process for this session did not get ready in time. Try again.".into()
            }
            EndReason::Killed(_) | EndReason::Crashed { .. } => format!(
                "The process of this session ended while it worked on this request. What it had not committed is lost. \
                 {hint}"
            ),
            EndReason::StoneLost => format!(
                "The session lost its connection to the stone while it worked on this request. What it had not \
                 committed is lost; what was committed is safe. {hint}"
            ),
            EndReason::Refused { message, .. } => message.clone(),
            EndReason::NotStarted { errno } => {
                let reason = std::io::Error::from_raw_os_error(*errno);
                format!("The system has no room for another session ({reason}). Try again later.")
            }
        }
    }
}

impl Failure {
    /// A word for programs; a process that cannot serve chooses its own.
    pub(crate) fn kind(&self) -> &str {
        match self {
            Failure::Ended(EndReason::Refused { kind, .. }) => kind,
            known => known.name(),
        }
    }

    /// A word of the router's own, for the log.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Failure::Ended(reason) => reason.name(),
            Failure::Timeout => "timeout",
        }
    }

    fn message(&self, recovery: Recovery) -> String {
        match self {
            Failure::Ended(reason) => reason.message(recovery),
            Failure::Timeout => format!(
                "The call took longer than is allowed and did not react when it was told to end, so the session was \
                 stopped. What it had not committed is lost. {}",
                recovery.hint()
            ),
        }
    }

    /// The JSON-RPC error response for a request with this raw id.
    pub(crate) fn body(&self, id: Option<&str>, recovery: Recovery) -> Vec<u8> {
        let code = match self {
            Failure::Ended(EndReason::Refused { kind, .. }) if kind == "unknownToolset" || kind == "invalidParams" => {
                INVALID_PARAMS
            }
            _ => INTERNAL_ERROR,
        };
        error::body_of_kind(id, code, &self.message(recovery), self.kind())
    }
}
