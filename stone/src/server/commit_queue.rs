//! The queue between sessions and the committer: what can be asked, and how its answer comes back.
//!
//! Bounded: a session that finds it full waits. Decides nothing about a commit.

use super::oid_allocator::HighWaterMark;
use super::refusal::{Refusal, stopping};
use protocol::limits::stone::COMMIT_QUEUE_MAX;
use protocol::stone::{Oid, Token, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

/// A commit that was found well-formed, and its author.
#[derive(Debug)]
pub(crate) struct CommitRequest {
    pub(crate) user: Arc<str>,
    pub(crate) client: Arc<str>,
    pub(crate) session: u64,
    pub(crate) tool: String,
    pub(crate) token: Token,
    pub(crate) writes: Vec<Write>,
}

/// What became of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CommitResult {
    /// It is durable, under this number.
    Committed(u64),
    /// It was durable already, under this number.
    AlreadyCommitted(u64),
    /// Others have changed these, in these commits.
    Conflict(Vec<(Oid, u64)>),
    /// It was not made, and this says why.
    Refused(Refusal),
}

/// What the committer is asked. Each carries the sender of its answer.
pub(crate) enum Job {
    /// Make this one commit.
    Commit(CommitRequest, Sender<CommitResult>),
    /// Note durably that identities below this may have been handed out.
    RaiseIdentities(Oid, Sender<Result<(), Refusal>>),
    /// The number of the commit of this name; if there is none, there must never be one.
    CommitStatus(Token, Sender<Result<Option<u64>, Refusal>>),
    /// Finish what waits, then end.
    Stop,
}

/// How sessions reach the committer.
#[derive(Clone)]
pub(crate) struct CommitterHandle {
    jobs: SyncSender<Job>,
}

impl CommitterHandle {
    /// Waits for the result.
    pub(crate) fn commit(&self, request: CommitRequest) -> CommitResult {
        let (reply, result) = channel();
        if self.jobs.send(Job::Commit(request, reply)).is_err() {
            return CommitResult::Refused(stopping());
        }
        result.recv().unwrap_or_else(|_| CommitResult::Refused(stopping()))
    }

    /// The number of the commit of this name. If there is none, there never will be: it is refused from now on.
    pub(crate) fn commit_status(&self, token: Token) -> Result<Option<u64>, Refusal> {
        let (reply, result) = channel();
        self.jobs.send(Job::CommitStatus(token, reply)).map_err(|_| stopping())?;
        result.recv().unwrap_or_else(|_| Err(stopping()))
    }

    /// Finishes what waits, then ends the thread.
    pub(crate) fn stop(&self) {
        let _ = self.jobs.send(Job::Stop);
    }
}

impl HighWaterMark for CommitterHandle {
    fn raise(&self, next_oid: Oid) -> Result<(), Refusal> {
        let (reply, result) = channel();
        self.jobs.send(Job::RaiseIdentities(next_oid, reply)).map_err(|_| stopping())?;
        result.recv().unwrap_or_else(|_| Err(stopping()))
    }
}

/// A queue's two ends.
pub(crate) fn open() -> (CommitterHandle, Receiver<Job>) {
    let (jobs, receiver) = sync_channel(COMMIT_QUEUE_MAX);
    (CommitterHandle { jobs }, receiver)
}
