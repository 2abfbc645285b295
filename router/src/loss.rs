//! Why a call that was forwarded has no answer of its gem.
//!
//! The one place that puts these into words for clients; causes that only concern the operator go to the log.

use protocol::error::{self, INTERNAL_ERROR, INVALID_PARAMS};

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Loss {
    /// The gem's process ended.
    WorkerDied,
    /// The gem lost its stone.
    StoneLost,
    /// The call's time was over and the gem did not react.
    Timeout,
    /// The session was ended meanwhile.
    SessionEnded,
    /// The client gave it up before the gem saw it.
    Cancelled,
    /// The gem cannot serve, in its own words.
    Failed {
        /// For programs.
        kind: String,
        /// For people.
        message: String,
    },
    /// The gem did not get ready in time.
    SlowStart,
    /// The operating system refused to fork the gem.
    NotForked {
        /// Its error number.
        errno: i32,
    },
}

/// What whoever lost something can do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Open another session.
    Initialize,
    /// Open another gem.
    OpenGem,
    /// Ask again.
    Repeat,
}

impl Remedy {
    fn words(self) -> &'static str {
        match self {
            Remedy::Initialize => "Call initialize for a new session.",
            Remedy::OpenGem => "Call open_gem for a new gem.",
            Remedy::Repeat => "Send the request again.",
        }
    }
}

impl Loss {
    /// A word for programs; a gem that cannot serve chooses its own.
    pub(crate) fn kind(&self) -> &str {
        match self {
            Loss::Failed { kind, .. } => kind,
            known => known.name(),
        }
    }

    /// A word of the router's own, for the log.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Loss::WorkerDied => "workerDied",
            Loss::StoneLost => "stoneLost",
            Loss::Timeout => "timeout",
            Loss::SessionEnded => "sessionEnded",
            Loss::Cancelled => "cancelled",
            Loss::Failed { .. } => "failed",
            Loss::SlowStart => "slowStart",
            Loss::NotForked { .. } => "overloaded",
        }
    }

    /// What happened and what to do.
    pub(crate) fn message(&self, remedy: Remedy) -> String {
        let words = remedy.words();
        match self {
            Loss::WorkerDied => format!(
                "The process of this session ended while it worked on this request. What it had not committed is lost. \
                 {words}"
            ),
            Loss::StoneLost => format!(
                "The session lost its connection to the stone while it worked on this request. What it had not \
                 committed is lost; what was committed is safe. {words}"
            ),
            Loss::Timeout => format!(
                "The call took longer than is allowed and did not react when it was told to end, so the session was \
                 stopped. What it had not committed is lost. {words}"
            ),
            Loss::SessionEnded => "The session was ended while it worked on this request.".into(),
            Loss::Cancelled => "The request was cancelled before it began.".into(),
            Loss::Failed { message, .. } => message.clone(),
            Loss::SlowStart => "The process for this session did not get ready in time. Try again.".into(),
            Loss::NotForked { errno } => {
                let reason = std::io::Error::from_raw_os_error(*errno);
                format!("The system has no room for another session ({reason}). Try again later.")
            }
        }
    }

    /// The JSON-RPC error response for a request with this raw id.
    pub(crate) fn body(&self, id: Option<&str>, remedy: Remedy) -> Vec<u8> {
        let code = match self {
            Loss::Failed { kind, .. } if kind == "unknownToolset" || kind == "invalidParams" => INVALID_PARAMS,
            _ => INTERNAL_ERROR,
        };
        error::body_of_kind(id, code, &self.message(remedy), self.kind())
    }
}
