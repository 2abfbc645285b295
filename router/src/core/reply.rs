//! What a message gets: nothing, an answer of the router's own, one that a process will give, or a stream.

use crate::core::events::EventReader;
use crate::core::failure::EndReason;
use crate::core::listeners::Listening;
use crate::core::open::Opened;
use crate::core::session::{Answer, Batch, Session};
use crate::refusal::Refusal;
use bytes::Bytes;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// What a message gets.
#[derive(Debug)]
pub(crate) enum Reply {
    /// It was taken and asks for nothing.
    Accepted,
    /// A session is being opened.
    Opening(JoinHandle<Result<Opened, Refusal>>),
    /// An answer of the router's own.
    Answered(Bytes),
    /// A process will answer.
    Pending(Pending),
    /// A stream of changes.
    Listening(EventReader, Listening),
}

/// An answer that a process will give.
#[derive(Debug)]
pub(crate) struct Pending {
    /// Whose process.
    pub(crate) session: Arc<Session>,
    /// What it answers.
    pub(crate) waiting: Waiting,
    /// The answer.
    pub(crate) receiver: oneshot::Receiver<Answer>,
    /// What the request holds of the process.
    pub(crate) hold: Option<Hold>,
}

/// What an answer is waited for.
#[derive(Debug)]
pub(crate) enum Waiting {
    /// The exchange of this number.
    Exchange(u64),
    /// Several at once.
    Batch(Arc<Batch>),
}

/// What a request holds of a process while somebody waits for its answer; dropping it is to wait no more.
#[derive(Debug)]
pub(crate) enum Hold {
    /// All of it: it ends with the request.
    Session(Arc<Session>),
    /// One exchange, which is cancelled if nobody waits any more.
    Exchange(Arc<Session>, u64),
    /// The exchange that opens a gem; if nobody waits for its answer, nobody will know the gem.
    Opening(Arc<Session>, u64),
}

impl Pending {
    /// Makes a stream of what has been waited for for long. `None` if the answer is there.
    pub(crate) fn open_stream(&self) -> Option<EventReader> {
        match &self.waiting {
            Waiting::Exchange(exchange) => self.session.open_stream(*exchange),
            Waiting::Batch(batch) => self.session.open_batch_stream(batch),
        }
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        match self {
            // A call that became a task goes on without the request that brought it.
            Hold::Session(session) if session.has_tasks() => {}
            Hold::Session(session) => session.end(EndReason::Client),
            Hold::Exchange(session, exchange) => drop(session.abandon(*exchange)),
            Hold::Opening(session, exchange) => {
                if session.abandon(*exchange) {
                    session.end(EndReason::Client);
                }
            }
        }
    }
}
