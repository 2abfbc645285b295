//! A session: one client's process, the exchanges with it, and what it is known by. A gem that a client holds by a
//! handle, or that serves one request only, is one as well.
//!
//! All that changes lies in one [`State`] behind one lock, which is never held across an await: a call is forwarded by
//! the task that brought it, and answered by the task of the link, with no other task between. (A task that owns the
//! state and is sent messages costs every call two more hand-offs.) A call belongs to the session and not to the HTTP
//! request that brought it: where a client that goes away has cancelled its call, the request says so. Nothing here
//! parses what a process says, and nothing is keyed by a JSON-RPC id.

mod batch;
mod events;
mod exchange;
mod life;
mod streams;
#[cfg(test)]
mod tests;

pub(crate) use crate::backend::{Message, Route};
pub(crate) use batch::Batch;
pub(crate) use exchange::{Answer, Responder};

use crate::backend::{Full, Link};
use crate::core::events::{EventBuffer, EventId, EventReader};
use crate::core::failure::{EndReason, Killed, Recovery};
use crate::core::shared::Shared;
use crate::core::table::{Principal, SessionId, WorkerKey};
use crate::lock;
use bytes::Bytes;
use exchange::{Begun, Exchange, ExchangeTable, Overdue};
use life::Life;
use protocol::gem::{Bind, Prepare, Ready};
use protocol::limits::{CANCEL_GRACE_MILLIS, SESSION_SECONDS_MAX, SUBSCRIPTIONS_MAX};
use protocol::revision::{Era, Revision};
use std::collections::HashSet;
use std::pin::pin;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};
use streams::Streams;
use tokio::sync::{Notify, OwnedSemaphorePermit};

/// How long things may take in a session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clocks {
    /// One call.
    pub(crate) call: Duration,
    /// Without a call.
    pub(crate) idle: Duration,
}

/// What kind of session it is.
#[derive(Debug, Clone)]
pub(crate) struct SessionKind {
    /// The revision that it speaks.
    pub(crate) revision: &'static Revision,
    /// What a client that loses it can do.
    pub(crate) recovery: Recovery,
    /// By what its client, or the tasks in it, name it.
    pub(crate) handle: Option<SessionId>,
    /// The connection that it lasts as long as, and that carries all its messages, if it is bound to one.
    pub(crate) connection: Option<Arc<EventBuffer>>,
}

/// A message was not taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Too much waits already.
    Full,
    /// The session ends, or has ended.
    Closed(EndReason),
}

/// One client's session.
#[derive(Debug)]
pub(crate) struct Session {
    /// The link to its process.
    pub(crate) link: Arc<dyn Link>,
    /// The revision that `initialize` agreed to; without a session the newest that has none.
    pub(crate) revision: &'static Revision,
    /// What a client that loses it can do.
    pub(crate) recovery: Recovery,
    /// By what its client, or the tasks in it, name it.
    handle: Option<SessionId>,
    /// Whether it lasts as long as its client's connection, used or not.
    is_bound: bool,
    shared: Arc<Shared>,
    opened: Instant,
    own: Weak<Session>,
    state: Mutex<State>,
    /// Told whenever its life has changed, or its process has begun to serve.
    changed: Notify,
    _room: OwnedSemaphorePermit,
}

/// All of a session that changes.
#[derive(Debug)]
struct State {
    life: Life,
    /// By what it is found.
    key: Option<WorkerKey>,
    calls: ExchangeTable,
    control: ExchangeTable,
    /// The number of the newest exchange.
    exchanges: u64,
    tasks: Tasks,
    streams: Streams,
    /// The resources whose updates the client wants to hear of.
    subscriptions: HashSet<Box<str>>,
    /// What the process said of itself when it began to serve.
    ready: Option<Arc<Ready>>,
}

/// What a process says of its tasks.
#[derive(Debug, Clone, Copy, Default)]
struct Tasks {
    /// Whether one runs or waits for its client.
    running: bool,
    /// Until when the process must last for them.
    until: Option<Instant>,
}

impl Message {
    /// A message in a session.
    pub(crate) fn in_session(session: &Session, body: &Bytes) -> Self {
        Self { revision: session.revision, headers: Vec::new(), body: body.clone(), may_last: false }
    }
}

impl State {
    fn table(&mut self, route: Route) -> &mut ExchangeTable {
        match route {
            Route::Calls => &mut self.calls,
            Route::Control => &mut self.control,
        }
    }

    fn next_exchange(&mut self) -> u64 {
        self.exchanges += 1;
        self.exchanges
    }

    /// Since when nothing is under way; `None` while something is.
    fn idle_since(&self, now: Instant) -> Option<Instant> {
        if self.tasks.until.is_some_and(|until| now < until) {
            return None;
        }
        Some(self.calls.idle_since()?.max(self.control.idle_since()?))
    }
}

impl Session {
    /// A session over a link that was just opened; what the process says is heard from now on.
    pub(crate) fn start(
        link: Arc<dyn Link>,
        kind: SessionKind,
        shared: Arc<Shared>,
        room: OwnedSemaphorePermit,
    ) -> Arc<Self> {
        let SessionKind { revision, recovery, handle, connection } = kind;
        let now = Instant::now();
        let is_bound = connection.is_some();
        let streams = match (connection, revision.era) {
            (Some(connection), _) => Streams::over(connection),
            (None, Era::Session) => Streams::kept(),
            (None, Era::Stateless) => Streams::passing(),
        };
        let state = State {
            life: Life::Opening,
            key: None,
            calls: ExchangeTable::new(now),
            control: ExchangeTable::new(now),
            exchanges: 0,
            tasks: Tasks::default(),
            streams,
            subscriptions: HashSet::new(),
            ready: None,
        };
        let session = Arc::new_cyclic(|own: &Weak<Self>| Self {
            link,
            revision,
            recovery,
            handle,
            is_bound,
            shared,
            opened: now,
            own: own.clone(),
            state: Mutex::new(state),
            changed: Notify::new(),
            _room: room,
        });
        session.link.clone().start(session.clone());
        session
    }

    /// Says what the process is to be; first of all.
    pub(crate) fn prepare(&self, prepare: &Prepare) {
        self.link.prepare(prepare);
    }

    /// Says for whom the process works, if it was opened for nobody; before the first message of that client.
    pub(crate) fn bind(&self, bind: &Bind<'_>) {
        self.link.bind(bind);
    }

    /// Forwards a request whose answer goes to `responder`; answers the number of its exchange.
    pub(crate) fn ask(&self, route: Route, id: &str, message: Message, responder: Responder) -> Result<u64, Refused> {
        let mut state = lock(&self.state);
        if let Some(reason) = state.life.reason() {
            return Err(Refused::Closed(reason.clone()));
        }
        let number = state.next_exchange();
        let exchange = Exchange::new(number, id.into(), responder);
        match state.table(route).begin(exchange, message, Instant::now()) {
            // Under the lock, so that exchanges arrive in the order of their numbers.
            Begun::Send(message) => self.link.forward(route, number, &message)?,
            Begun::Queued => {}
            Begun::Full => return Err(Refused::Full),
        }
        Ok(number)
    }

    /// Forwards a message that asks for no answer; it belongs to no exchange.
    pub(crate) fn tell(&self, route: Route, message: &Message) -> Result<(), Refused> {
        let state = lock(&self.state);
        match state.life.reason() {
            Some(reason) => Err(Refused::Closed(reason.clone())),
            None => Ok(self.link.forward(route, 0, message)?),
        }
    }

    /// Makes a stream of an exchange whose request has waited for long. `None` if its answer is there.
    pub(crate) fn open_stream(&self, exchange: u64) -> Option<EventReader> {
        let State { calls, control, streams, .. } = &mut *lock(&self.state);
        calls.open_stream(exchange, streams).or_else(|| control.open_stream(exchange, streams))
    }

    /// Makes a stream of a batch whose request has waited for long. `None` if it has got something meanwhile.
    pub(crate) fn open_batch_stream(&self, batch: &Batch) -> Option<EventReader> {
        let mut state = lock(&self.state);
        batch.open_stream(|| {
            // The stream has a number of its own, for it belongs to none of the batch's exchanges alone.
            let number = state.next_exchange();
            state.streams.open(number)
        })
    }

    /// The request of this exchange is gone and took its call with it. True if the call was under way.
    pub(crate) fn abandon(&self, exchange: u64) -> bool {
        let under_way = lock(&self.state).calls.abandon(exchange);
        if under_way {
            self.link.cancel(exchange);
        }
        under_way
    }

    /// The client gave up every request whose id is this raw one.
    pub(crate) fn cancel(&self, id: &str) {
        let mut state = lock(&self.state);
        let mut meant = state.calls.cancel(id);
        meant.extend(state.control.cancel(id));
        meant.into_iter().for_each(|exchange| self.link.cancel(exchange));
    }

    /// Opens the stream for what belongs to no request; an older one ends.
    pub(crate) fn listen(&self) -> EventReader {
        lock(&self.state).streams.own().read_on()
    }

    /// What came on a stream after this event, and what will come; `None` if it is not there any more.
    pub(crate) fn resume(&self, last_event: EventId) -> Option<EventReader> {
        lock(&self.state).streams.resume(last_event)
    }

    /// The client wants to hear of updates of this resource, or not any more. False if it wants too many.
    pub(crate) fn subscribe(&self, uri: &str, wanted: bool) -> bool {
        let subscriptions = &mut lock(&self.state).subscriptions;
        if !wanted {
            subscriptions.remove(uri);
            return true;
        }
        let room = subscriptions.len() < SUBSCRIPTIONS_MAX || subscriptions.contains(uri);
        room && (subscriptions.contains(uri) || subscriptions.insert(uri.into()))
    }

    /// The session can be used by this key from now on. False if it has ended meanwhile, or there is no room for it.
    pub(crate) fn become_ready(&self, key: WorkerKey) -> bool {
        let mut state = lock(&self.state);
        // Under the lock, so that whatever ends the session finds it in the table.
        state.life.serve() && self.settle(&mut state, key)
    }

    /// Finds a place in the table under this key. False if there is none.
    fn settle(&self, state: &mut State, key: WorkerKey) -> bool {
        let Some(own) = self.own.upgrade() else { return false };
        if !self.shared.table.insert(key.clone(), own) {
            return false;
        }
        if let Some(old) = state.key.replace(key) {
            self.shared.table.remove(&old);
        }
        true
    }

    /// The process serves one call of this principal, which may become a task: then it is found by its handle, and
    /// lasts. False if the principal holds too many already.
    pub(crate) fn may_last(&self, principal: &Principal) -> bool {
        let mut state = lock(&self.state);
        let key = self.handle.map(|handle| WorkerKey::Handle { principal: principal.clone(), handle });
        state.life == Life::Serving && key.is_some_and(|key| self.settle(&mut state, key))
    }

    /// Whether it is there for tasks.
    pub(crate) fn has_tasks(&self) -> bool {
        lock(&self.state).tasks.until.is_some()
    }

    /// What stands for it in logs.
    pub(crate) fn shown(&self) -> Option<SessionId> {
        lock(&self.state).key.as_ref().and_then(WorkerKey::shown)
    }

    /// Whether it can still be used.
    pub(crate) fn is_live(&self) -> bool {
        lock(&self.state).life.is_live()
    }

    /// Why it ends or has ended, if it does.
    pub(crate) fn reason(&self) -> Option<EndReason> {
        lock(&self.state).life.reason().cloned()
    }

    /// Whether nothing is under way.
    pub(crate) fn is_idle(&self) -> bool {
        let state = lock(&self.state);
        state.calls.idle_since().is_some() && state.control.idle_since().is_some() && !state.tasks.running
    }

    /// Ends the session: takes it out of the table and asks the process to finish; the reaper kills it if it does not.
    pub(crate) fn end(&self, reason: EndReason) {
        let mut state = lock(&self.state);
        if state.life.end(reason, Instant::now()) {
            self.leave(&state);
            self.link.finish();
            self.changed.notify_waiters();
        }
    }

    /// Ends the session and its process at once.
    pub(crate) fn kill(&self, why: Killed) {
        let mut state = lock(&self.state);
        if state.life.end(EndReason::Killed(why), Instant::now()) {
            self.leave(&state);
            self.changed.notify_waiters();
        }
        self.link.kill();
    }

    /// Nobody finds the session any more, and its open stream ends.
    fn leave(&self, state: &State) {
        if let Some(key) = &state.key {
            self.shared.table.remove(key);
        }
        state.streams.close();
    }

    /// Looks at the clocks.
    pub(crate) fn sweep(&self, now: Instant, clocks: &Clocks) {
        let mut state = lock(&self.state);
        let grace = Duration::from_millis(CANCEL_GRACE_MILLIS);
        if let Life::Ending { since, .. } = &state.life {
            if now.saturating_duration_since(*since) >= grace {
                tracing::warn!(gem = self.link.number(), pid = self.link.pid(), "a gem did not finish; killing it");
                self.link.kill();
            }
            return;
        }
        state.streams.sweep(now);
        let killed = self.overdue(&mut state, now, clocks.call, grace);
        let idle = state.idle_since(now).map(|since| now.saturating_duration_since(since));
        let old = now.saturating_duration_since(self.opened) >= Duration::from_secs(SESSION_SECONDS_MAX);
        // What was there for its tasks only is done when nobody may ask for them any more.
        let done = state.tasks.until.is_some() && self.recovery != Recovery::OpenGem;
        drop(state);
        if let Some(why) = killed {
            tracing::warn!(gem = self.link.number(), pid = self.link.pid(), ?why, "killing a gem");
            self.kill(why);
        } else if let Some(idle) = idle
            && !self.is_bound
            && (idle >= clocks.idle || old || done)
        {
            tracing::info!(gem = self.link.number(), idle_seconds = idle.as_secs(), "ending an idle session");
            self.end(EndReason::Idle);
        }
    }

    /// Why the process must be killed, if it must; a call that is over its time is cancelled first.
    fn overdue(&self, state: &mut State, now: Instant, call: Duration, grace: Duration) -> Option<Killed> {
        for table in [&mut state.calls, &mut state.control] {
            match table.overdue(now, call, grace) {
                Overdue::No => {}
                Overdue::Cancel(exchange) => {
                    tracing::warn!(gem = self.link.number(), exchange, "a call is over its time; cancelling it");
                    self.link.cancel(exchange);
                }
                Overdue::Kill => return Some(Killed::CallDeadline),
            }
        }
        let tasks = state.tasks;
        (tasks.running && tasks.until.is_some_and(|until| now >= until)).then_some(Killed::TaskDeadline)
    }

    /// What the process says of itself; waits until it serves. `None` if it never will.
    pub(crate) async fn ready(&self) -> Option<Arc<Ready>> {
        self.wait_for(|state| match (&state.ready, state.life.is_live()) {
            (Some(ready), _) => Some(Some(ready.clone())),
            (None, false) => Some(None),
            (None, true) => None,
        })
        .await
    }

    /// Waits until the process is gone.
    pub(crate) async fn over(&self) {
        self.wait_for(|state| matches!(state.life, Life::Ended(_)).then_some(())).await;
    }

    async fn wait_for<T>(&self, look: impl Fn(&State) -> Option<T>) -> T {
        loop {
            let mut changed = pin!(self.changed.notified());
            // Before the look, so that no change falls between.
            changed.as_mut().enable();
            if let Some(found) = look(&lock(&self.state)) {
                return found;
            }
            changed.await;
        }
    }
}

impl From<Full> for Refused {
    fn from(_: Full) -> Self {
        Refused::Full
    }
}
