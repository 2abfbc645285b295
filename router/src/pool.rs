//! Gems for requests that stand for themselves: a few forked ahead once there was such a request, and one clerk.
//!
//! A request runs in a gem that nobody used before, and the gem ends with it. What needs no image (lists, discovery) is
//! asked of the *clerk*, a gem that never runs anything. The table owns all of them, so the reaper sees them too.

use crate::lock;
use crate::loss::{Loss, Remedy};
use crate::open::{Opener, Wanted};
use crate::refusal::Refusal;
use crate::session::{Session, SessionKind};
use crate::table::{Principal, SessionId, WorkerKey};
use protocol::limits::{GEMS_AHEAD, OPEN_MILLIS};
use protocol::revision::{Era, Revision};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// The gems that are forked ahead, and the clerk.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    ahead: Mutex<VecDeque<Weak<Session>>>,
    filling: AtomicBool,
    clerk: tokio::sync::Mutex<Weak<Session>>,
}

impl Pool {
    fn pop(&self) -> Option<Arc<Session>> {
        let mut ahead = lock(&self.ahead);
        while let Some(session) = ahead.pop_front() {
            if let Some(session) = session.upgrade().filter(|session| session.is_live()) {
                return Some(session);
            }
        }
        None
    }

    fn lacks(&self) -> bool {
        let mut ahead = lock(&self.ahead);
        ahead.retain(|session| session.upgrade().is_some_and(|session| session.is_live()));
        ahead.len() < GEMS_AHEAD
    }

    /// Ends one gem that waits for nobody in particular; false if there is none.
    pub(crate) fn give_way(&self) -> bool {
        self.pop().inspect(|session| session.end(Loss::SessionEnded)).is_some()
    }
}

impl Opener {
    /// A gem that nobody used before, for one request.
    pub(crate) async fn take(self: &Arc<Self>) -> Result<Arc<Session>, Refusal> {
        let session = match self.pool.pop() {
            Some(session) => session,
            None => self.alone().await?,
        };
        if !self.pool.filling.swap(true, Ordering::AcqRel) {
            tokio::spawn(self.clone().fill());
        }
        Ok(session)
    }

    async fn fill(self: Arc<Self>) {
        while self.pool.lacks() && self.has_room() {
            match self.alone().await {
                Ok(session) => lock(&self.pool.ahead).push_back(Arc::downgrade(&session)),
                Err(refusal) => {
                    tracing::warn!(kind = refusal.kind(), "no gem can be forked ahead");
                    break;
                }
            }
        }
        self.pool.filling.store(false, Ordering::Release);
    }

    /// The gem that answers what needs no image.
    pub(crate) async fn clerk(&self) -> Result<Arc<Session>, Refusal> {
        let mut clerk = self.pool.clerk.lock().await;
        if let Some(clerk) = clerk.upgrade().filter(|clerk| clerk.is_live()) {
            return Ok(clerk);
        }
        let session = self.alone().await?;
        // What is asked of it goes by its control socket, which it heeds only once it serves.
        let patience = Duration::from_millis(OPEN_MILLIS);
        if !tokio::time::timeout(patience, session.ready()).await.is_ok_and(|ready| ready.is_some()) {
            session.end(Loss::SlowStart);
            return Err(Refusal::NoWorker(session.why().message(Remedy::Repeat)));
        }
        *clerk = Arc::downgrade(&session);
        Ok(session)
    }

    async fn alone(&self) -> Result<Arc<Session>, Refusal> {
        let principal = Principal::default();
        let kind = SessionKind { revision: self.stateless()?, remedy: Remedy::Repeat, handle: Some(random_handle()?) };
        let session = self.fork(&Wanted { kind, principal: &principal, client: "" }).await?;
        let key = WorkerKey::Ephemeral(session.gem.number);
        if session.become_ready(key) { Ok(session) } else { Err(died()) }
    }

    /// A gem that a client holds by a handle. Nothing if too many are held already.
    pub(crate) async fn held(&self, principal: &Principal, client: &str) -> Result<Option<Arc<Session>>, Refusal> {
        if !self.around.table.has_room(principal) {
            return Ok(None);
        }
        let handle = random_handle()?;
        let kind = SessionKind { revision: self.stateless()?, remedy: Remedy::OpenGem, handle: Some(handle) };
        let session = self.fork(&Wanted { kind, principal, client }).await?;
        let key = WorkerKey::Handle { principal: principal.clone(), handle };
        if session.become_ready(key) {
            return Ok(Some(session));
        }
        if !session.is_live() {
            return Err(died());
        }
        // Others were faster.
        session.end(Loss::SessionEnded);
        Ok(None)
    }

    fn stateless(&self) -> Result<&'static Revision, Refusal> {
        let newest = self.served().names_of(Era::Stateless).first().and_then(|name| self.served().find(name));
        newest.ok_or(Refusal::Internal)
    }
}

fn random_handle() -> Result<SessionId, Refusal> {
    SessionId::random().map_err(|error| Refusal::NoWorker(format!("the system has no randomness: {error}")))
}

fn died() -> Refusal {
    Refusal::NoWorker("its process ended as it began".into())
}
