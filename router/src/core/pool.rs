//! The pool of gems for stateless requests: a few forked ahead once there was such a request, and one for lists.
//!
//! A request runs in a gem that nobody used before, and the gem ends with it. A gem in the pool works for nobody: it is
//! bound to a principal when it is taken, and never sees the key that binds it. What needs no image (lists, discovery)
//! is asked of one gem that all share, which never runs anything. The table owns all of them, so the reaper sees them
//! too.

use crate::core::failure::{EndReason, Killed, Recovery};
use crate::core::keys::grant_key;
use crate::core::open::{Opener, Wanted, WorksFor};
use crate::core::session::{Session, SessionKind};
use crate::core::table::{Principal, SessionId, WorkerKey};
use crate::lock;
use crate::refusal::Refusal;
use protocol::grant::GrantKey;
use protocol::limits::{GEMS_AHEAD, OPEN_MILLIS};
use protocol::revision::{Era, Revision};
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// The gems that are forked ahead, and the one for lists.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    ahead: Mutex<VecDeque<Ahead>>,
    filling: AtomicBool,
    for_lists: tokio::sync::Mutex<Weak<Session>>,
}

/// A gem that works for nobody yet.
#[derive(Debug)]
struct Ahead {
    session: Weak<Session>,
    /// Signs for whom it will work.
    key: GrantKey,
}

impl Pool {
    fn pop(&self) -> Option<(Arc<Session>, GrantKey)> {
        let mut ahead = lock(&self.ahead);
        while let Some(Ahead { session, key }) = ahead.pop_front() {
            if let Some(session) = session.upgrade().filter(|session| session.is_live()) {
                return Some((session, key));
            }
        }
        None
    }

    fn lacks(&self) -> bool {
        let mut ahead = lock(&self.ahead);
        ahead.retain(|ahead| ahead.session.upgrade().is_some_and(|session| session.is_live()));
        ahead.len() < GEMS_AHEAD
    }

    /// Ends one gem that waits for nobody in particular; false if there is none.
    pub(crate) fn give_way(&self) -> bool {
        self.pop().inspect(|(session, _)| session.end(EndReason::Client)).is_some()
    }
}

impl Opener {
    /// A gem that nobody used before, for one request of this client of this principal.
    pub(crate) async fn take(self: &Arc<Self>, principal: &Principal, client: &str) -> Result<Arc<Session>, Refusal> {
        let (session, key) = match self.pool.pop() {
            Some(ahead) => ahead,
            None => self.fork_ahead().await?,
        };
        self.bind(&session, &key, principal, client);
        if !self.pool.filling.swap(true, Ordering::AcqRel) {
            tokio::spawn(self.clone().fill());
        }
        Ok(session)
    }

    async fn fill(self: Arc<Self>) {
        while self.pool.lacks() && self.has_room() {
            match self.fork_ahead().await {
                Ok((session, key)) => {
                    lock(&self.pool.ahead).push_back(Ahead { session: Arc::downgrade(&session), key });
                }
                Err(refusal) => {
                    tracing::warn!(kind = refusal.kind(), "no gem can be forked ahead");
                    break;
                }
            }
        }
        self.pool.filling.store(false, Ordering::Release);
    }

    /// The gem that answers what needs no image.
    pub(crate) async fn for_lists(&self) -> Result<Arc<Session>, Refusal> {
        let mut known = self.pool.for_lists.lock().await;
        if let Some(session) = known.upgrade().filter(|session| session.is_live()) {
            return Ok(session);
        }
        let session = self.ephemeral(WorksFor::Lists, None).await?;
        // What is asked of it goes by its control socket, which it reads only once it serves.
        let patience = Duration::from_millis(OPEN_MILLIS);
        if !tokio::time::timeout(patience, session.ready()).await.is_ok_and(|ready| ready.is_some()) {
            session.kill(Killed::SlowStart);
            let reason = session.reason().unwrap_or(EndReason::Killed(Killed::SlowStart));
            return Err(Refusal::NoWorker(reason.message(Recovery::Repeat)));
        }
        *known = Arc::downgrade(&session);
        Ok(session)
    }

    /// A gem that works for nobody yet, and the key that signs for whom.
    async fn fork_ahead(&self) -> Result<(Arc<Session>, GrantKey), Refusal> {
        let key = grant_key().map_err(no_randomness)?;
        let session = self.ephemeral(WorksFor::Later(&key), Some(random_handle()?)).await?;
        Ok((session, key))
    }

    /// A gem that no client can name.
    async fn ephemeral(&self, works_for: WorksFor<'_>, handle: Option<SessionId>) -> Result<Arc<Session>, Refusal> {
        let kind = SessionKind { revision: self.stateless()?, recovery: Recovery::Repeat, handle, connection: None };
        let session = self.fork(&Wanted { kind, works_for }).await?;
        let key = WorkerKey::Ephemeral(session.link.number());
        if session.become_ready(key) { Ok(session) } else { Err(died()) }
    }

    /// A gem that a client holds by a handle. Nothing if too many are held already.
    pub(crate) async fn held(&self, principal: &Principal, client: &str) -> Result<Option<Arc<Session>>, Refusal> {
        if !self.shared.table.has_room(principal) {
            return Ok(None);
        }
        let handle = random_handle()?;
        let kind = SessionKind {
            revision: self.stateless()?,
            recovery: Recovery::OpenGem,
            handle: Some(handle),
            connection: None,
        };
        let session = self.fork(&Wanted { kind, works_for: WorksFor::Client { principal, client } }).await?;
        let key = WorkerKey::Handle { principal: principal.clone(), handle };
        if session.become_ready(key) {
            return Ok(Some(session));
        }
        if !session.is_live() {
            return Err(died());
        }
        // Others were faster.
        session.end(EndReason::Client);
        Ok(None)
    }

    fn stateless(&self) -> Result<&'static Revision, Refusal> {
        let newest = self.served().names_of(Era::Stateless).first().and_then(|name| self.served().find(name));
        newest.ok_or(Refusal::Internal)
    }
}

fn random_handle() -> Result<SessionId, Refusal> {
    SessionId::random().map_err(no_randomness)
}

fn no_randomness(error: io::Error) -> Refusal {
    Refusal::NoWorker(format!("the system has no randomness: {error}"))
}

fn died() -> Refusal {
    Refusal::NoWorker("its process ended as it began".into())
}
