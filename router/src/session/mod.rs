//! A session: one client's gem, its two lanes, and the tasks that own its calls. A gem that a client holds by a handle,
//! or that serves one request only, is one as well.
//!
//! A call belongs to the session and not to the HTTP request that brought it: where a client that goes away has
//! cancelled its call, whoever waited for it says so. Two tasks (one a lane) read what the gem says; they alone decide
//! that a gem is gone. Nothing here parses what a gem says, and nothing is keyed by a JSON-RPC id.

mod batch;
mod exchange;
mod lane;
mod phase;
mod streams;
#[cfg(test)]
mod tests;

pub(crate) use batch::Batch;
pub(crate) use exchange::Answer;
pub(crate) use lane::Refused;

use crate::events::Source;
use crate::gem::{End, Gem};
use crate::listeners::Listeners;
use crate::lock;
use crate::loss::{Loss, Remedy};
use crate::table::{Principal, SessionId, Table, WorkerKey};
use bytes::Bytes;
use exchange::{Exchange, Overdue};
use lane::Lane;
use phase::Phase;
use protocol::frame::{self, Decoder, Frame};
use protocol::gem::{Bind, ClientMessage, Event, Failed, Final, Lasting, Prepare, Ready, down, topic, up};
use protocol::limits::{
    CANCEL_GRACE_MILLIS, END_STATUS_MILLIS, FRAME_BYTES_MAX, SESSION_SECONDS_MAX, SUBSCRIPTIONS_MAX,
};
use protocol::listen::notice;
use protocol::revision::{Era, Revision};
use std::collections::HashSet;
use std::io;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};
use streams::Streams;
use tokio::io::AsyncReadExt;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::{OwnedSemaphorePermit, oneshot, watch};

/// Which socket a message takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// To the virtual machine, in order.
    Calls,
    /// To the watch thread, which answers while a call runs.
    Control,
}

impl Way {
    /// The way of a request or notification with this method: what a gem answers from what never changes, and what
    /// must be heard while a call runs, takes the other socket than calls.
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
            | "tasks/cancel" => Way::Control,
            _ => Way::Calls,
        }
    }
}

/// A message on its way to a gem.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parcel<'a> {
    /// The revision that it speaks.
    pub(crate) revision: &'static Revision,
    /// Its `Mcp-Param-*` headers.
    pub(crate) headers: &'a [(String, String)],
    /// The message itself.
    pub(crate) body: &'a [u8],
    /// Whether the gem may outlive the exchange, if the call becomes a task.
    pub(crate) may_last: bool,
}

impl Parcel<'_> {
    fn kind(&self) -> u8 {
        if self.may_last { down::LASTING } else { down::MESSAGE }
    }

    fn head(&self) -> Vec<u8> {
        let headers: Vec<(&str, &str)> =
            self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        ClientMessage::head(self.revision.name, &headers)
    }
}

/// What all sessions share.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    /// Where they are found.
    pub(crate) table: Table,
    /// Who listens for changes without a session.
    pub(crate) listeners: Listeners,
}

impl Surroundings {
    /// For a router of so many gems.
    pub(crate) fn new(gems_max: usize) -> Self {
        Self { table: Table::new(gems_max), listeners: Listeners::default() }
    }
}

/// How long things may take in a session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clocks {
    /// One call.
    pub(crate) call: Duration,
    /// Without a call.
    pub(crate) idle: Duration,
}

/// What kind of session it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionKind {
    /// The revision that it speaks.
    pub(crate) revision: &'static Revision,
    /// What whoever loses it can do.
    pub(crate) remedy: Remedy,
    /// By what its client, or the tasks in it, name it.
    pub(crate) handle: Option<SessionId>,
}

/// One client's session.
#[derive(Debug)]
pub(crate) struct Session {
    /// The process behind it.
    pub(crate) gem: Arc<Gem>,
    /// The revision that `initialize` agreed to; without a session the newest that has none.
    pub(crate) revision: &'static Revision,
    /// What whoever loses it can do.
    pub(crate) remedy: Remedy,
    around: Arc<Surroundings>,
    /// By what it is found.
    key: Mutex<Option<WorkerKey>>,
    /// By what its client, or the tasks in it, name it.
    handle: Option<SessionId>,
    /// What the gem says of its tasks.
    tasks: Mutex<Tasks>,
    calls: Lane,
    control: Lane,
    exchanges: AtomicU64,
    phase: Mutex<Phase>,
    /// Why the session is being ended, if the router ends it.
    cause: OnceLock<Loss>,
    streams: Streams,
    /// The resources whose updates the client wants to hear of.
    subscriptions: Mutex<HashSet<Box<str>>>,
    /// What the gem said of itself when it began to serve.
    ready: watch::Sender<Option<Arc<Ready>>>,
    /// Becomes true when the gem is gone.
    over: watch::Sender<bool>,
    opened: Instant,
    _room: OwnedSemaphorePermit,
}

/// What a gem says of its tasks.
#[derive(Debug, Clone, Copy, Default)]
struct Tasks {
    /// Whether one runs or waits for its client.
    running: bool,
    /// Until when the gem must last for them.
    until: Option<Instant>,
}

/// A gem broke the rules of its link and must go.
#[derive(Debug)]
struct Breach(&'static str);

impl Session {
    /// A session over the router's ends of both sockets, in its first phase. Its tasks run from now on.
    pub(crate) fn start(
        gem: Arc<Gem>,
        SessionKind { revision, remedy, handle }: SessionKind,
        around: Arc<Surroundings>,
        room: OwnedSemaphorePermit,
        (calls, control): (StdUnixStream, StdUnixStream),
    ) -> io::Result<Arc<Self>> {
        let (calls, calls_reader) = Lane::new(calls)?;
        let (control, control_reader) = Lane::new(control)?;
        let session = Arc::new(Self {
            gem,
            revision,
            remedy,
            around,
            key: Mutex::new(None),
            handle,
            tasks: Mutex::default(),
            calls,
            control,
            exchanges: AtomicU64::new(1),
            phase: Mutex::new(Phase::Starting),
            cause: OnceLock::new(),
            streams: Streams::new(revision.era == Era::Session),
            subscriptions: Mutex::default(),
            ready: watch::channel(None).0,
            over: watch::channel(false).0,
            opened: Instant::now(),
            _room: room,
        });
        tokio::spawn(session.clone().read(Way::Calls, calls_reader));
        tokio::spawn(session.clone().read(Way::Control, control_reader));
        Ok(session)
    }

    fn lane(&self, way: Way) -> &Lane {
        match way {
            Way::Calls => &self.calls,
            Way::Control => &self.control,
        }
    }

    /// Says what the gem is to be; first of all.
    pub(crate) fn prepare(&self, prepare: &Prepare) -> Result<(), Refused> {
        let body = serde_json::to_vec(prepare).expect("a prepare is plain data");
        self.calls.tell(down::PREPARE, 0, &[&body])
    }

    /// Says for whom the gem works, if it was forked ahead of any client; before the first message of that client.
    pub(crate) fn bind(&self, bind: &Bind<'_>) -> Result<(), Refused> {
        self.calls.tell(down::BIND, 0, &[&bind.encode()])
    }

    /// Forwards a request; answers its exchange, and what its answer will come from.
    pub(crate) fn ask(
        &self,
        way: Way,
        id: &str,
        parcel: &Parcel<'_>,
    ) -> Result<(u64, oneshot::Receiver<Answer>), Refused> {
        let (sender, receiver) = oneshot::channel();
        let number = self.post(way, parcel, |number| Exchange::new(number, id.into(), sender, self.remedy))?;
        Ok((number, receiver))
    }

    /// Forwards one request of a batch.
    pub(crate) fn ask_in_batch(
        &self,
        way: Way,
        id: &str,
        parcel: &Parcel<'_>,
        batch: &Arc<Batch>,
    ) -> Result<(), Refused> {
        self.post(way, parcel, |number| Exchange::in_batch(number, id.into(), batch.clone())).map(drop)
    }

    fn post(&self, way: Way, parcel: &Parcel<'_>, exchange: impl FnOnce(u64) -> Exchange) -> Result<u64, Refused> {
        let head = parcel.head();
        let mut posted = 0;
        self.lane(way).ask(|| {
            let number = self.exchanges.fetch_add(1, Ordering::Relaxed);
            posted = number;
            let mut frame = Vec::new();
            frame::encode_parts(&mut frame, parcel.kind(), number, &[&head, parcel.body]);
            (exchange(number), frame)
        })?;
        Ok(posted)
    }

    /// Forwards a message that asks for no answer; it belongs to no exchange.
    pub(crate) fn tell(&self, way: Way, parcel: &Parcel<'_>) -> Result<(), Refused> {
        self.lane(way).tell(down::MESSAGE, 0, &[&parcel.head(), parcel.body])
    }

    /// Makes a stream of an exchange whose POST has waited for long. Nothing if its answer is there.
    pub(crate) fn open_stream(&self, way: Way, exchange: u64) -> Option<Source> {
        self.lane(way).open_stream(exchange, &self.streams)
    }

    /// Makes a stream of a batch whose POST has waited for long. Nothing if it has got something meanwhile.
    pub(crate) fn open_batch_stream(&self, batch: &Batch) -> Option<Source> {
        // The stream has a number of its own, for it belongs to none of the batch's exchanges alone.
        batch.open_stream(|| self.streams.open(self.exchanges.fetch_add(1, Ordering::Relaxed)))
    }

    /// The POST of this exchange is gone and took its call with it. True if the call was under way.
    pub(crate) fn abandon(&self, exchange: u64) -> bool {
        let under_way = self.calls.abandon(exchange);
        if under_way {
            // A gem that cannot be told is gone or will be.
            drop(self.control.tell(down::CANCEL, exchange, &[]));
        }
        under_way
    }

    /// The client gave up whatever bears this raw id.
    pub(crate) fn cancel(&self, id: &str) {
        for way in [Way::Calls, Way::Control] {
            for exchange in self.lane(way).give_up(id) {
                // A gem that cannot be told is gone or will be.
                drop(self.control.tell(down::CANCEL, exchange, &[]));
            }
        }
    }

    /// Opens the stream for what belongs to no request; an older one ends.
    pub(crate) fn listen(&self) -> Source {
        self.streams.own().read_on()
    }

    /// What came on a stream after the event of this id, and what will come; nothing if it is not there any more.
    pub(crate) fn resume(&self, last_event: &str) -> Option<Source> {
        self.streams.resume(last_event)
    }

    /// The client wants to hear of updates of this resource, or not any more. False if it wants too many.
    pub(crate) fn subscribe(&self, uri: &str, wanted: bool) -> bool {
        let mut subscriptions = lock(&self.subscriptions);
        if !wanted {
            subscriptions.remove(uri);
            return true;
        }
        let room = subscriptions.len() < SUBSCRIPTIONS_MAX || subscriptions.contains(uri);
        room && (subscriptions.contains(uri) || subscriptions.insert(uri.into()))
    }

    /// Something changed that this session's client may want to hear of.
    fn hear(&self, event: &Event<'_>) {
        let heard = self.revision.era == Era::Session
            && *lock(&self.phase) == Phase::Ready
            && event.topic != topic::TASK
            && (event.topic != topic::RESOURCE || lock(&self.subscriptions).contains(event.subject));
        if heard && let Some(body) = notice(event, None) {
            self.streams.own().send(Bytes::from(body));
        }
    }

    /// The gem can be used by this key from now on. False if it has ended meanwhile.
    pub(crate) fn become_ready(self: &Arc<Self>, key: WorkerKey) -> bool {
        let mut phase = lock(&self.phase);
        let ready = phase.ready();
        if ready {
            // Under the phase's lock, so that whoever ends the session finds it in the table.
            return self.settle(key);
        }
        ready
    }

    /// Finds a place in the table under this key. False if there is none.
    fn settle(self: &Arc<Self>, key: WorkerKey) -> bool {
        let mut own = lock(&self.key);
        if !self.around.table.insert(key.clone(), self.clone()) {
            return false;
        }
        if let Some(old) = own.replace(key) {
            self.around.table.remove(&old);
        }
        true
    }

    /// The gem serves one call of this principal, which may become a task: then it is found by its handle, and lasts.
    /// False if the principal holds too many already.
    pub(crate) fn may_last(self: &Arc<Self>, principal: &Principal) -> bool {
        let phase = lock(&self.phase);
        let key = self.handle.map(|handle| WorkerKey::Handle { principal: principal.clone(), handle });
        *phase == Phase::Ready && key.is_some_and(|key| self.settle(key))
    }

    /// Whether it is there for tasks.
    pub(crate) fn has_tasks(&self) -> bool {
        lock(&self.tasks).until.is_some()
    }

    /// What the gem says of itself; waits until it serves. Nothing if it never will.
    pub(crate) async fn ready(&self) -> Option<Arc<Ready>> {
        let mut ready = self.ready.subscribe();
        tokio::select! {
            known = ready.wait_for(Option::is_some) => known.ok().and_then(|known| known.clone()),
            () = self.over() => None,
        }
    }

    /// Why it does not serve, as far as that is known.
    pub(crate) fn why(&self) -> Loss {
        self.cause.get().cloned().unwrap_or(Loss::WorkerDied)
    }

    /// What stands for it in logs.
    pub(crate) fn shown(&self) -> Option<SessionId> {
        lock(&self.key).as_ref().and_then(WorkerKey::shown)
    }

    /// Whether it can still be used.
    pub(crate) fn is_live(&self) -> bool {
        matches!(*lock(&self.phase), Phase::Starting | Phase::Ready)
    }

    /// Ends the session: takes it out of the table, asks the gem to finish, kills it if it does not.
    pub(crate) fn end(self: &Arc<Self>, why: Loss) {
        if !lock(&self.phase).drain() {
            return;
        }
        self.cause.get_or_init(|| why);
        self.leave();
        if self.control.tell(down::SHUTDOWN, 0, &[]).is_err() {
            self.gem.kill();
        }
        let session = self.clone();
        tokio::spawn(async move {
            let grace = Duration::from_millis(CANCEL_GRACE_MILLIS);
            if tokio::time::timeout(grace, session.over()).await.is_err() {
                tracing::warn!(gem = session.gem.number, pid = session.gem.pid(), "a gem did not finish; killing it");
                session.gem.kill();
            }
        });
    }

    /// Nobody finds the session any more, and its open stream ends.
    fn leave(&self) {
        if let Some(key) = &*lock(&self.key) {
            self.around.table.remove(key);
        }
        self.streams.close();
    }

    /// Looks at the clocks.
    pub(crate) fn sweep(self: &Arc<Self>, now: Instant, clocks: &Clocks) {
        for way in [Way::Calls, Way::Control] {
            match self.lane(way).overdue(now, clocks.call) {
                Overdue::No => {}
                Overdue::Cancel(exchange) => {
                    tracing::warn!(gem = self.gem.number, exchange, "a call is over its time; cancelling it");
                    drop(self.control.tell(down::CANCEL, exchange, &[]));
                }
                Overdue::Kill => {
                    tracing::warn!(
                        gem = self.gem.number,
                        pid = self.gem.pid(),
                        "a gem ignores its deadline; killing it"
                    );
                    self.gem.kill();
                }
            }
        }
        self.streams.sweep(now);
        let tasks = *lock(&self.tasks);
        if tasks.running && tasks.until.is_some_and(|until| now >= until) {
            tracing::warn!(gem = self.gem.number, pid = self.gem.pid(), "a task outlives its time; killing its gem");
            self.gem.kill();
        }
        let Some(idle) = self.idle_for(now) else { return };
        let old = now.saturating_duration_since(self.opened) >= Duration::from_secs(SESSION_SECONDS_MAX);
        // What was there for its tasks only is done when nobody may ask for them any more.
        let done = self.has_tasks() && self.remedy != Remedy::OpenGem;
        if idle >= clocks.idle || old || done {
            tracing::info!(gem = self.gem.number, idle_seconds = idle.as_secs(), "ending an idle session");
            self.end(Loss::SessionEnded);
        }
    }

    fn idle_for(&self, now: Instant) -> Option<Duration> {
        if lock(&self.tasks).until.is_some_and(|until| now < until) {
            return None;
        }
        let since = self.calls.idle_since()?.max(self.control.idle_since()?);
        Some(now.saturating_duration_since(since))
    }

    /// Whether nothing is under way.
    pub(crate) fn is_idle(&self) -> bool {
        let idle = [&self.calls, &self.control].iter().all(|lane| lane.idle_since().is_some());
        idle && !lock(&self.tasks).running
    }

    /// The life of one lane: reads what the gem says and writes the backlog, until either cannot be done.
    async fn read(self: Arc<Self>, way: Way, mut reader: OwnedReadHalf) {
        let lane = self.lane(way);
        let mut decoder = Decoder::new(FRAME_BYTES_MAX);
        loop {
            let backlog = lane.has_backlog();
            let step = tokio::select! {
                biased;
                read = reader.read(decoder.space()) => match read {
                    Ok(0) => break,
                    Ok(count) => {
                        decoder.advance(count);
                        self.heed_all(way, &mut decoder)
                    }
                    Err(_) => break,
                },
                () = lane.kicked(), if !backlog => Ok(()),
                _ = lane.writable(), if backlog => {
                    lane.flush();
                    Ok(())
                }
            };
            if let Err(Breach(what)) = step {
                tracing::error!(gem = self.gem.number, pid = self.gem.pid(), what, "a gem broke its link; killing it");
                break;
            }
        }
        self.gone(way).await;
    }

    fn heed_all(self: &Arc<Self>, way: Way, decoder: &mut Decoder) -> Result<(), Breach> {
        while let Some(frame) = decoder.next_frame().map_err(|_| Breach("a frame over the limit"))? {
            self.heed(way, frame)?;
        }
        Ok(())
    }

    fn heed(self: &Arc<Self>, way: Way, frame: Frame) -> Result<(), Breach> {
        let lane = self.lane(way);
        match frame.kind {
            up::FINAL => {
                let Final { status, keep, body } =
                    Final::decode(&frame.body).map_err(|_| Breach("a final without its head"))?;
                let head = frame.body.len() - body.len();
                let body = Bytes::from(frame.body).slice(head..);
                // A message outside of any exchange may be acknowledged, with nothing.
                let known = (frame.exchange == 0 && body.is_empty()) || lane.finish(frame.exchange, status, body);
                if !known {
                    return Err(Breach("an answer to no exchange"));
                }
                // A session lasts until somebody ends it; any other gem as long as it says.
                if way == Way::Calls && self.revision.era == Era::Stateless && !keep {
                    self.end(Loss::SessionEnded);
                }
                Ok(())
            }
            up::MESSAGE => match lane.message(frame.exchange, Bytes::from(frame.body), &self.streams) {
                true => Ok(()),
                false => Err(Breach("a message for no exchange")),
            },
            up::EVENT => self.fan_out(&frame.body),
            up::LASTING => {
                let lasting = Lasting::decode(&frame.body).map_err(|_| Breach("a lasting that does not decode"))?;
                self.last(lasting);
                Ok(())
            }
            up::READY => self.heed_ready(&frame.body),
            up::FAILED => self.heed_failed(&frame.body),
            _ => Err(Breach("an unknown kind of frame")),
        }
    }

    /// A call became a task, or a task has ended.
    fn last(&self, Lasting { running, millis }: Lasting) {
        let longest = Duration::from_secs(SESSION_SECONDS_MAX);
        let until = Instant::now() + Duration::from_millis(millis).min(longest);
        *lock(&self.tasks) = Tasks { running, until: Some(until) };
        self.calls.stand_still(running);
    }

    /// Tells all who listen, in whichever era.
    fn fan_out(&self, body: &[u8]) -> Result<(), Breach> {
        let event = Event::decode(body).map_err(|_| Breach("an event that does not decode"))?;
        if event.method().is_none() {
            return Err(Breach("an event of no known topic"));
        }
        if event.topic != topic::RESOURCE && event.subject == topic::OWN {
            self.hear(&event);
        } else {
            for session in self.around.table.all() {
                session.hear(&event);
            }
        }
        self.around.listeners.announce(&event);
        Ok(())
    }

    fn heed_ready(&self, body: &[u8]) -> Result<(), Breach> {
        let ready: Ready = serde_json::from_slice(body).map_err(|_| Breach("a ready that does not decode"))?;
        let sandbox = ready.sandbox.iter().map(|(wall, state)| format!("{wall}: {state}"));
        let sandbox = sandbox.collect::<Vec<_>>().join(", ");
        let milliseconds = self.opened.elapsed().as_millis() as u64;
        tracing::debug!(gem = self.gem.number, milliseconds, toolsets = ?ready.toolsets, sandbox, "gem is ready");
        self.ready.send_replace(Some(Arc::new(ready)));
        Ok(())
    }

    fn heed_failed(&self, body: &[u8]) -> Result<(), Breach> {
        if self.ready.borrow().is_some() {
            return Err(Breach("a failure to start after the start"));
        }
        let Failed { kind, message } =
            serde_json::from_slice(body).map_err(|_| Breach("a failed that does not decode"))?;
        tracing::warn!(gem = self.gem.number, kind, message, "a gem cannot serve");
        self.cause.get_or_init(|| Loss::Failed { kind, message });
        Ok(())
    }

    /// One lane has reached its end: the gem is gone, or must be. Whoever waits on this lane is told; the other lane
    /// comes to its own end, and what the gem said there before is still heard.
    async fn gone(self: Arc<Self>, way: Way) {
        if lock(&self.phase).end() {
            self.leave();
            self.gem.kill();
            self.over.send_replace(true);
        }
        let loss = self.loss().await;
        if way == Way::Calls {
            tracing::info!(gem = self.gem.number, pid = self.gem.pid(), kind = loss.kind(), "gem ended");
        }
        self.lane(way).close(&loss);
    }

    /// Why the session ended: the router's own reason, or what its zygote says of the process.
    async fn loss(&self) -> Loss {
        if let Some(cause) = self.cause.get() {
            return cause.clone();
        }
        let patience = Duration::from_millis(END_STATUS_MILLIS);
        match tokio::time::timeout(patience, self.gem.end()).await.unwrap_or(End::Unknown) {
            End::NotForked(errno) => Loss::NotForked { errno },
            end if end.is_stone_lost() => Loss::StoneLost,
            _ => Loss::WorkerDied,
        }
    }

    /// Waits until the gem is gone.
    pub(crate) async fn over(&self) {
        // The sender lives in the session itself, so waiting cannot fail.
        drop(self.over.subscribe().wait_for(|over| *over).await);
    }
}
