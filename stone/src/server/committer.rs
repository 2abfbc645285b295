//! The one thread that writes: checks commits, writes as many as wait together, syncs once, answers.
//!
//! Never answers before the sync, and never tries a failed sync again: after one, nothing is taken until a restart.

use super::identities::Raise;
use super::published::{Durable, Published};
use super::refusal::{Refusal, not_new, stopping, storage_failed, token_void, unknown_object};
use crate::engine::{CommitRecord, EngineError, Writer};
use protocol::limits::COMMIT_BATCH_MAX;
use protocol::stone::{KERNEL_OID_BIT, Oid, Token, Write};
use std::collections::{HashSet, VecDeque};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Jobs that may wait; who brings more is held up.
const QUEUE_MAX: usize = 2 * COMMIT_BATCH_MAX;
/// Names of commits that are remembered not to have landed.
const VOIDED_MAX: usize = 64 * 1024;
/// Objects committed since the last check-point that make the next one due.
const CHECK_POINT_OBJECTS: usize = 2_000;
/// Bytes committed since the last check-point that make the next one due.
const CHECK_POINT_BYTES: usize = 8 * 1024 * 1024;

/// A commit that was found well-formed, and who made it.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) user: Arc<str>,
    pub(crate) client: Arc<str>,
    pub(crate) session: u64,
    pub(crate) tool: String,
    pub(crate) token: Token,
    pub(crate) writes: Vec<Write>,
}

/// What became of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is durable, under this number.
    Committed(u64),
    /// It was durable already, under this number.
    Repeated(u64),
    /// Others have changed these, in these commits.
    Conflict(Vec<(Oid, u64)>),
    Refused(Refusal),
}

enum Job {
    Commit(Order, Sender<Verdict>),
    RaiseIdentities(Oid, Sender<Result<(), Refusal>>),
    Landed(Token, Sender<Result<Option<u64>, Refusal>>),
    Stop,
}

/// What the committer shares with the rest of the stone.
pub(crate) struct Shared {
    pub(crate) published: Arc<Published>,
    /// The format of the image, once it is known.
    pub(crate) format: Arc<OnceLock<u32>>,
    /// Held while a batch is open; who empties the log takes it.
    pub(crate) gate: Arc<Mutex<()>>,
    /// Why the storage failed, if it did.
    pub(crate) failure: Arc<OnceLock<String>>,
    /// Asks for a check-point.
    pub(crate) check_point_due: SyncSender<()>,
}

/// How sessions reach the committer.
#[derive(Clone)]
pub(crate) struct CommitterHandle {
    jobs: SyncSender<Job>,
}

impl CommitterHandle {
    /// Waits for the verdict.
    pub(crate) fn commit(&self, order: Order) -> Verdict {
        let (reply, verdict) = channel();
        if self.jobs.send(Job::Commit(order, reply)).is_err() {
            return Verdict::Refused(stopping());
        }
        verdict.recv().unwrap_or_else(|_| Verdict::Refused(stopping()))
    }

    /// The number of the commit of this name. If there is none, there never will be: it is refused from now on.
    pub(crate) fn landed(&self, token: Token) -> Result<Option<u64>, Refusal> {
        let (reply, result) = channel();
        self.jobs.send(Job::Landed(token, reply)).map_err(|_| stopping())?;
        result.recv().unwrap_or_else(|_| Err(stopping()))
    }

    /// Finishes what waits, then ends the thread.
    pub(crate) fn stop(&self) {
        let _ = self.jobs.send(Job::Stop);
    }
}

impl Raise for CommitterHandle {
    fn raise(&self, next_oid: Oid) -> Result<(), Refusal> {
        let (reply, result) = channel();
        self.jobs.send(Job::RaiseIdentities(next_oid, reply)).map_err(|_| stopping())?;
        result.recv().unwrap_or_else(|_| Err(stopping()))
    }
}

/// The committer itself.
pub(crate) struct Committer {
    writer: Box<dyn Writer>,
    shared: Shared,
    jobs: Receiver<Job>,
    format_stored: bool,
    voided: Voided,
    objects_since_check_point: usize,
    bytes_since_check_point: usize,
}

/// An order and where its verdict goes.
type Pending = (Order, Sender<Verdict>);

impl Committer {
    pub(crate) fn new(writer: Box<dyn Writer>, shared: Shared, format_stored: bool) -> (Self, CommitterHandle) {
        let (sender, jobs) = sync_channel(QUEUE_MAX);
        let committer = Self {
            writer,
            shared,
            jobs,
            format_stored,
            voided: Voided::default(),
            objects_since_check_point: 0,
            bytes_since_check_point: 0,
        };
        (committer, CommitterHandle { jobs: sender })
    }

    /// Works until it is told to stop.
    pub(crate) fn run(mut self) {
        let mut stop = false;
        while !stop {
            let Ok(first) = self.jobs.recv() else { return };
            let mut orders = Vec::new();
            let mut questions = Vec::new();
            let mut next = Some(first);
            while let Some(job) = next {
                match job {
                    Job::Commit(order, reply) => orders.push((order, reply)),
                    Job::RaiseIdentities(oid, reply) => drop(reply.send(self.raise(oid))),
                    Job::Landed(token, reply) => questions.push((token, reply)),
                    Job::Stop => stop = true,
                }
                let more = !stop && orders.len() + questions.len() < COMMIT_BATCH_MAX;
                next = if more { self.jobs.try_recv().ok() } else { None };
            }
            if !orders.is_empty() {
                self.batch(orders);
            }
            for (token, reply) in questions {
                let _ = reply.send(self.landed(token));
            }
        }
    }

    fn landed(&mut self, token: Token) -> Result<Option<u64>, Refusal> {
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

    fn batch(&mut self, orders: Vec<Pending>) {
        match self.try_batch(&orders) {
            Ok(()) => {}
            // One that is too large for the room that is left must not take the others with it.
            Err(EngineError::Full(_)) if orders.len() > 1 => orders.into_iter().for_each(|one| self.batch(vec![one])),
            Err(error) => {
                let refusal = self.refusal_of(error);
                for (_, reply) in orders {
                    let _ = reply.send(Verdict::Refused(refusal.clone()));
                }
            }
        }
    }

    /// Writes one batch, publishes it and answers; or changes and answers nothing.
    fn try_batch(&mut self, orders: &[Pending]) -> Result<(), EngineError> {
        if let Some(reason) = self.shared.failure.get() {
            return Err(EngineError::Failed(reason.clone()));
        }
        let gate = Arc::clone(&self.shared.gate);
        let held = gate.lock().unwrap_or_else(PoisonError::into_inner);
        let verdicts = self.write(orders).inspect_err(|_| self.writer.abandon())?;
        drop(held);
        let durable: Vec<Durable<'_>> = (orders.iter().zip(&verdicts))
            .filter_map(|((order, _), verdict)| match verdict {
                Verdict::Committed(number) => Some(Durable { number: *number, writes: &order.writes }),
                _ => None,
            })
            .collect();
        self.shared.published.publish(&durable);
        self.note_check_point(&durable);
        tracing::debug!(orders = orders.len(), committed = durable.len(), "batch");
        for ((order, reply), verdict) in orders.iter().zip(verdicts) {
            log_verdict(order, &verdict);
            let _ = reply.send(verdict);
        }
        Ok(())
    }

    fn write(&mut self, orders: &[Pending]) -> Result<Vec<Verdict>, EngineError> {
        self.writer.begin()?;
        let mut newest = self.shared.published.view();
        let before = newest;
        let mut verdicts = Vec::with_capacity(orders.len());
        for (order, _) in orders {
            let verdict = self.write_one(order, newest + 1)?;
            newest += u64::from(matches!(verdict, Verdict::Committed(_)));
            verdicts.push(verdict);
        }
        if newest == before {
            self.writer.abandon();
            return Ok(verdicts);
        }
        self.store_format()?;
        self.writer.finish()?;
        self.format_stored = true;
        Ok(verdicts)
    }

    fn write_one(&mut self, order: &Order, number: u64) -> Result<Verdict, EngineError> {
        if let Some(earlier) = self.writer.commit_of(&order.token)? {
            return Ok(Verdict::Repeated(earlier));
        }
        if self.voided.has(&order.token) {
            return Ok(Verdict::Refused(token_void()));
        }
        if let Some(verdict) = check(self.writer.as_mut(), &order.writes)? {
            return Ok(verdict);
        }
        let record = CommitRecord {
            number,
            micros_since_epoch: micros_since_epoch(),
            user: &order.user,
            client: &order.client,
            tool: &order.tool,
            session: order.session,
            token: &order.token,
        };
        self.writer.append(&record, &order.writes)?;
        Ok(Verdict::Committed(number))
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
        let gate = Arc::clone(&self.shared.gate);
        let _held = gate.lock().unwrap_or_else(PoisonError::into_inner);
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

    fn note_check_point(&mut self, durable: &[Durable<'_>]) {
        for write in durable.iter().flat_map(|commit| commit.writes) {
            self.objects_since_check_point += 1;
            self.bytes_since_check_point += write.record.bytes.len() + 8 * write.record.references.len();
        }
        let due =
            self.objects_since_check_point >= CHECK_POINT_OBJECTS || self.bytes_since_check_point >= CHECK_POINT_BYTES;
        // A full channel means that one is asked for already.
        if due && self.shared.check_point_due.try_send(()).is_ok() {
            self.objects_since_check_point = 0;
            self.bytes_since_check_point = 0;
        }
    }
}

/// Names of commits that somebody was told have not landed. A gem that died may have left its commit in a socket, so
/// what was told is made to hold. The names need not outlive the stone: neither does what is in its sockets.
#[derive(Debug, Default)]
struct Voided {
    tokens: HashSet<Token>,
    oldest_first: VecDeque<Token>,
}

impl Voided {
    fn add(&mut self, token: Token) {
        if self.tokens.insert(token) {
            self.oldest_first.push_back(token);
        }
        if self.oldest_first.len() > VOIDED_MAX
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.tokens.remove(&oldest);
        }
    }

    fn has(&self, token: &Token) -> bool {
        self.tokens.contains(token)
    }
}

/// Durably notes the first identity that was not handed out.
pub(crate) fn raise(writer: &mut dyn Writer, next_oid: Oid) -> Result<(), EngineError> {
    let written = writer.begin().and_then(|()| writer.set_next_oid(next_oid)).and_then(|()| writer.finish());
    written.inspect_err(|_| writer.abandon())
}

/// Whether all writes may be made; `None` if so.
fn check(writer: &mut dyn Writer, writes: &[Write]) -> Result<Option<Verdict>, EngineError> {
    let mut conflicts = Vec::new();
    let oids: Vec<Oid> = writes.iter().map(|write| write.record.oid).collect();
    for (Write { base, record }, newest) in writes.iter().zip(writer.newest_versions(&oids)?) {
        let kernel = record.oid & KERNEL_OID_BIT != 0;
        match (base, newest) {
            (None, None) => {}
            (None, Some(_)) if !kernel => {
                return Ok(Some(Verdict::Refused(not_new(record.oid))));
            }
            (Some(_), None) if !kernel => {
                return Ok(Some(Verdict::Refused(unknown_object(record.oid))));
            }
            // The kernel's objects are known to everybody before anybody has written them: as of commit 0.
            (base, newest) => {
                if newest.unwrap_or(0) > base.unwrap_or(0) {
                    conflicts.push((record.oid, newest.unwrap_or(0)));
                }
            }
        }
    }
    Ok(if conflicts.is_empty() { None } else { Some(Verdict::Conflict(conflicts)) })
}

fn log_verdict(order: &Order, verdict: &Verdict) {
    let Order { session, user, tool, writes, .. } = order;
    let objects = writes.len();
    match verdict {
        Verdict::Committed(number) => tracing::debug!(number, session, %user, tool, objects, "commit"),
        Verdict::Repeated(number) => tracing::debug!(number, session, %user, tool, "commit asked for again"),
        Verdict::Conflict(with) => tracing::debug!(session, %user, tool, conflicts = with.len(), "conflict"),
        Verdict::Refused(refusal) => tracing::debug!(session, %user, tool, kind = refusal.kind, "commit refused"),
    }
}

fn micros_since_epoch() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_micros()).unwrap_or(i64::MAX)
}
