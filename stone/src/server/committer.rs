//! The one thread that writes: checks commits, writes as many as wait together, syncs once, answers.
//!
//! Must never answer before the sync, and never tries a failed sync again: after one, nothing is taken until a restart.

use super::commit_queue::{CommitRequest, CommitResult, Job};
use super::published::{DurableCommit, PublishedCommits};
use super::refusal::{Refusal, not_new, storage_failed, token_void, unknown_object};
use super::voided_tokens::VoidedTokens;
use crate::engine::{CommitRecord, EngineError, RepositoryWriter};
use protocol::limits::stone::{CHECKPOINT_BYTES, CHECKPOINT_OBJECTS, COMMIT_BATCH_MAX};
use protocol::stone::{KERNEL_OID_BIT, Oid, Token, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// What the committer shares with the rest of the stone.
pub(crate) struct CommitterState {
    pub(crate) published: Arc<PublishedCommits>,
    /// The format of the image, once it is known.
    pub(crate) format: Arc<OnceLock<u32>>,
    /// Held while a batch is open, and while the log is emptied.
    pub(crate) batch_lock: Arc<Mutex<()>>,
    /// Why the storage failed, if it did.
    pub(crate) failure: Arc<OnceLock<String>>,
    /// Asks for a checkpoint.
    pub(crate) checkpoint_due: SyncSender<()>,
}

/// The committer itself.
pub(crate) struct Committer {
    writer: Box<dyn RepositoryWriter>,
    shared: CommitterState,
    jobs: Receiver<Job>,
    format_stored: bool,
    voided: VoidedTokens,
    objects_since_checkpoint: usize,
    bytes_since_checkpoint: usize,
}

/// A commit and where its result goes.
type Pending = (CommitRequest, Sender<CommitResult>);

impl Committer {
    pub(crate) fn new(
        writer: Box<dyn RepositoryWriter>,
        shared: CommitterState,
        jobs: Receiver<Job>,
        format_stored: bool,
    ) -> Self {
        Self {
            writer,
            shared,
            jobs,
            format_stored,
            voided: VoidedTokens::default(),
            objects_since_checkpoint: 0,
            bytes_since_checkpoint: 0,
        }
    }

    /// Works until it is asked to stop.
    pub(crate) fn run(mut self) {
        let mut stop = false;
        while !stop {
            let Ok(first) = self.jobs.recv() else { return };
            let mut requests = Vec::new();
            let mut status_queries = Vec::new();
            let mut next = Some(first);
            while let Some(job) = next {
                match job {
                    Job::Commit(request, reply) => requests.push((request, reply)),
                    Job::RaiseIdentities(oid, reply) => drop(reply.send(self.raise(oid))),
                    Job::CommitStatus(token, reply) => status_queries.push((token, reply)),
                    Job::Stop => stop = true,
                }
                let more = !stop && requests.len() + status_queries.len() < COMMIT_BATCH_MAX;
                next = if more { self.jobs.try_recv().ok() } else { None };
            }
            if !requests.is_empty() {
                self.batch(requests);
            }
            for (token, reply) in status_queries {
                let _ = reply.send(self.commit_status(token));
            }
        }
    }

    fn commit_status(&mut self, token: Token) -> Result<Option<u64>, Refusal> {
        let commit = self.writer.commit_of(&token).map_err(|error| self.refusal_of(error))?;
        match (commit, self.shared.failure.get()) {
            (Some(number), _) => Ok(Some(number)),
            // What failed to be synced may yet be found in the log after a restart.
            (None, Some(reason)) => Err(storage_failed(reason)),
            (None, None) => {
                self.voided.add(token);
                Ok(None)
            }
        }
    }

    fn batch(&mut self, requests: Vec<Pending>) {
        match self.try_batch(&requests) {
            Ok(()) => {}
            // One that is too large for the room that is left must not take the others with it.
            Err(EngineError::Full(_)) if requests.len() > 1 => {
                requests.into_iter().for_each(|one| self.batch(vec![one]))
            }
            Err(error) => {
                let refusal = self.refusal_of(error);
                for (_, reply) in requests {
                    let _ = reply.send(CommitResult::Refused(refusal.clone()));
                }
            }
        }
    }

    /// Writes one batch, publishes it and answers; or changes and answers nothing.
    fn try_batch(&mut self, requests: &[Pending]) -> Result<(), EngineError> {
        if let Some(reason) = self.shared.failure.get() {
            return Err(EngineError::Failed(reason.clone()));
        }
        let batch_lock = Arc::clone(&self.shared.batch_lock);
        let held = batch_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let results = self.write(requests).inspect_err(|_| self.writer.abandon())?;
        drop(held);
        let durable: Vec<DurableCommit<'_>> = (requests.iter().zip(&results))
            .filter_map(|((request, _), result)| match result {
                CommitResult::Committed(number) => Some(DurableCommit { number: *number, writes: &request.writes }),
                _ => None,
            })
            .collect();
        self.shared.published.publish(&durable);
        self.note_checkpoint(&durable);
        tracing::debug!(requests = requests.len(), committed = durable.len(), "batch");
        for ((request, reply), result) in requests.iter().zip(results) {
            log_result(request, &result);
            let _ = reply.send(result);
        }
        Ok(())
    }

    fn write(&mut self, requests: &[Pending]) -> Result<Vec<CommitResult>, EngineError> {
        self.writer.begin()?;
        let mut newest = self.shared.published.view();
        let before = newest;
        let mut results = Vec::with_capacity(requests.len());
        for (request, _) in requests {
            let result = self.write_one(request, newest + 1)?;
            newest += u64::from(matches!(result, CommitResult::Committed(_)));
            results.push(result);
        }
        if newest == before {
            self.writer.abandon();
            return Ok(results);
        }
        self.store_format()?;
        self.writer.finish()?;
        self.format_stored = true;
        Ok(results)
    }

    fn write_one(&mut self, request: &CommitRequest, number: u64) -> Result<CommitResult, EngineError> {
        if let Some(earlier) = self.writer.commit_of(&request.token)? {
            return Ok(CommitResult::AlreadyCommitted(earlier));
        }
        if self.voided.has(&request.token) {
            return Ok(CommitResult::Refused(token_void()));
        }
        if let Some(result) = check(self.writer.as_mut(), &request.writes)? {
            return Ok(result);
        }
        let record = CommitRecord {
            number,
            micros_since_epoch: micros_since_epoch(),
            user: &request.user,
            client: &request.client,
            tool: &request.tool,
            session: request.session,
            token: &request.token,
        };
        self.writer.append(&record, &request.writes)?;
        Ok(CommitResult::Committed(number))
    }

    fn store_format(&mut self) -> Result<(), EngineError> {
        match self.shared.format.get() {
            Some(format) if !self.format_stored => self.writer.set_format(*format),
            _ => Ok(()),
        }
    }

    fn raise(&mut self, next_oid: Oid) -> Result<(), Refusal> {
        if let Some(reason) = self.shared.failure.get() {
            return Err(storage_failed(reason));
        }
        let batch_lock = Arc::clone(&self.shared.batch_lock);
        let _held = batch_lock.lock().unwrap_or_else(PoisonError::into_inner);
        raise(self.writer.as_mut(), next_oid).map_err(|error| self.refusal_of(error))
    }

    /// Remembers a failure that must last until a restart.
    fn refusal_of(&mut self, error: EngineError) -> Refusal {
        match &error {
            EngineError::Full(reason) => tracing::warn!(reason, "no room to commit"),
            EngineError::Failed(reason) | EngineError::Unusable(reason) => {
                if self.shared.failure.set(reason.clone()).is_ok() {
                    tracing::error!(reason, "the storage failed: no commits are taken until a restart");
                }
            }
        }
        error.into()
    }

    fn note_checkpoint(&mut self, durable: &[DurableCommit<'_>]) {
        for write in durable.iter().flat_map(|commit| commit.writes) {
            self.objects_since_checkpoint += 1;
            self.bytes_since_checkpoint += write.record.bytes.len() + 8 * write.record.references.len();
        }
        let due =
            self.objects_since_checkpoint >= CHECKPOINT_OBJECTS || self.bytes_since_checkpoint >= CHECKPOINT_BYTES;
        // A full channel means that one is asked for already.
        if due && self.shared.checkpoint_due.try_send(()).is_ok() {
            self.objects_since_checkpoint = 0;
            self.bytes_since_checkpoint = 0;
        }
    }
}

/// Notes durably the first identity that was not handed out.
pub(crate) fn raise(writer: &mut dyn RepositoryWriter, next_oid: Oid) -> Result<(), EngineError> {
    let written = writer.begin().and_then(|()| writer.set_next_oid(next_oid)).and_then(|()| writer.finish());
    written.inspect_err(|_| writer.abandon())
}

/// Whether all writes may be made; `None` if so.
fn check(writer: &mut dyn RepositoryWriter, writes: &[Write]) -> Result<Option<CommitResult>, EngineError> {
    let mut conflicts = Vec::new();
    let oids: Vec<Oid> = writes.iter().map(|write| write.record.oid).collect();
    for (Write { base, record }, newest) in writes.iter().zip(writer.newest_versions(&oids)?) {
        let kernel = record.oid & KERNEL_OID_BIT != 0;
        match (base, newest) {
            (None, None) => {}
            (None, Some(_)) if !kernel => {
                return Ok(Some(CommitResult::Refused(not_new(record.oid))));
            }
            (Some(_), None) if !kernel => {
                return Ok(Some(CommitResult::Refused(unknown_object(record.oid))));
            }
            // Each gem knows the kernel's objects before any commit has written them: as of commit 0.
            (base, newest) => {
                if newest.unwrap_or(0) > base.unwrap_or(0) {
                    conflicts.push((record.oid, newest.unwrap_or(0)));
                }
            }
        }
    }
    Ok(if conflicts.is_empty() { None } else { Some(CommitResult::Conflict(conflicts)) })
}

fn log_result(request: &CommitRequest, result: &CommitResult) {
    let CommitRequest { session, user, tool, writes, .. } = request;
    let objects = writes.len();
    match result {
        CommitResult::Committed(number) => tracing::debug!(number, session, %user, tool, objects, "commit"),
        CommitResult::AlreadyCommitted(number) => {
            tracing::debug!(number, session, %user, tool, "commit asked for again")
        }
        CommitResult::Conflict(with) => tracing::debug!(session, %user, tool, conflicts = with.len(), "conflict"),
        CommitResult::Refused(refusal) => tracing::debug!(session, %user, tool, kind = refusal.kind, "commit refused"),
    }
}

fn micros_since_epoch() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_micros()).unwrap_or(i64::MAX)
}
