//! A session: one client's gem, its two lanes, and the tasks that own its calls.
//!
//! A call belongs to the session and not to the HTTP request that brought it: a client that goes away leaves its call
//! running. Two tasks (one a lane) read what the gem says; they alone decide that a gem is gone. Nothing here parses
//! what a gem says, and nothing is keyed by a JSON-RPC id.

mod exchange;
mod lane;
mod phase;
#[cfg(test)]
mod tests;

pub(crate) use exchange::Answer;
pub(crate) use lane::Refused;

use crate::events::{Outlet, Source};
use crate::gem::{End, Gem};
use crate::lock;
use crate::loss::Loss;
use crate::table::{SessionId, Table};
use bytes::Bytes;
use exchange::{Exchange, Overdue};
use lane::Lane;
use phase::Phase;
use protocol::frame::{self, Decoder, Frame};
use protocol::gem::{ClientMessage, Event, Failed, Final, Prepare, Ready, down, up};
use protocol::limits::{CANCEL_GRACE_MILLIS, END_STATUS_MILLIS, FRAME_BYTES_MAX, SESSION_SECONDS_MAX};
use protocol::revision::Revision;
use std::io;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};
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
    /// The way of a request or notification with this method.
    pub(crate) fn of(method: &str) -> Self {
        match method {
            "ping" | "tools/list" => Way::Control,
            _ => Way::Calls,
        }
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

/// One client's session.
#[derive(Debug)]
pub(crate) struct Session {
    /// The process behind it.
    pub(crate) gem: Arc<Gem>,
    /// The revision that `initialize` agreed to.
    pub(crate) revision: &'static Revision,
    table: Arc<Table>,
    id: OnceLock<SessionId>,
    calls: Lane,
    control: Lane,
    exchanges: AtomicU64,
    phase: Mutex<Phase>,
    /// Why the session is being ended, if the router ends it.
    cause: OnceLock<Loss>,
    listener: Mutex<Option<Outlet>>,
    /// Becomes true when the gem is gone.
    over: watch::Sender<bool>,
    opened: Instant,
    _room: OwnedSemaphorePermit,
}

/// A gem broke the rules of its link and must go.
#[derive(Debug)]
struct Breach(&'static str);

impl Session {
    /// A session over the router's ends of both sockets, in its first phase. Its tasks run from now on.
    pub(crate) fn start(
        gem: Arc<Gem>,
        revision: &'static Revision,
        table: Arc<Table>,
        room: OwnedSemaphorePermit,
        (calls, control): (StdUnixStream, StdUnixStream),
    ) -> io::Result<Arc<Self>> {
        let (calls, calls_reader) = Lane::new(calls)?;
        let (control, control_reader) = Lane::new(control)?;
        let session = Arc::new(Self {
            gem,
            revision,
            table,
            id: OnceLock::new(),
            calls,
            control,
            exchanges: AtomicU64::new(1),
            phase: Mutex::new(Phase::Starting),
            cause: OnceLock::new(),
            listener: Mutex::new(None),
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

    /// Forwards a request; its answer will come from what this answers.
    pub(crate) fn ask(&self, way: Way, id: &str, body: &[u8]) -> Result<oneshot::Receiver<Answer>, Refused> {
        let head = ClientMessage::head(self.revision.name, &[]);
        let (sender, receiver) = oneshot::channel();
        self.lane(way).ask(|| {
            let number = self.exchanges.fetch_add(1, Ordering::Relaxed);
            let mut frame = Vec::new();
            frame::encode_parts(&mut frame, down::MESSAGE, number, &[&head, body]);
            (Exchange::new(number, id.into(), sender), frame)
        })?;
        Ok(receiver)
    }

    /// Forwards a message that asks for no answer; it belongs to no exchange.
    pub(crate) fn tell(&self, way: Way, body: &[u8]) -> Result<(), Refused> {
        let head = ClientMessage::head(self.revision.name, &[]);
        self.lane(way).tell(down::MESSAGE, 0, &[&head, body])
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
        let (outlet, source) = Outlet::new();
        let mut listener = lock(&self.listener);
        if *lock(&self.phase) == Phase::Ready {
            *listener = Some(outlet);
        }
        source
    }

    /// `initialize` was answered: the session can be named from now on. False if it has ended meanwhile.
    pub(crate) fn become_ready(self: &Arc<Self>, id: SessionId) -> bool {
        let mut phase = lock(&self.phase);
        let ready = phase.ready();
        if ready {
            // Under the phase's lock, so that whoever ends the session finds it in the table.
            self.id.get_or_init(|| id);
            self.table.insert(id, self.clone());
        }
        ready
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
        if let Some(id) = self.id.get() {
            self.table.remove(id);
        }
        drop(lock(&self.listener).take());
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
        let Some(idle) = self.idle_for(now) else { return };
        let old = now.saturating_duration_since(self.opened) >= Duration::from_secs(SESSION_SECONDS_MAX);
        if idle >= clocks.idle || old {
            tracing::info!(gem = self.gem.number, idle_seconds = idle.as_secs(), "ending an idle session");
            self.end(Loss::SessionEnded);
        }
    }

    fn idle_for(&self, now: Instant) -> Option<Duration> {
        let since = self.calls.idle_since()?.max(self.control.idle_since()?);
        Some(now.saturating_duration_since(since))
    }

    /// Whether nothing is under way.
    pub(crate) fn is_idle(&self) -> bool {
        self.idle_for(Instant::now()).is_some()
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
                _ = lane.writable(), if backlog => match lane.flush() {
                    Ok(()) => Ok(()),
                    Err(_) => break,
                },
            };
            if let Err(Breach(what)) = step {
                tracing::error!(gem = self.gem.number, pid = self.gem.pid(), what, "a gem broke its link; killing it");
                break;
            }
        }
        self.gone(way).await;
    }

    fn heed_all(&self, way: Way, decoder: &mut Decoder) -> Result<(), Breach> {
        while let Some(frame) = decoder.next_frame().map_err(|_| Breach("a frame over the limit"))? {
            self.heed(way, frame)?;
        }
        Ok(())
    }

    fn heed(&self, way: Way, frame: Frame) -> Result<(), Breach> {
        let lane = self.lane(way);
        match frame.kind {
            up::FINAL => {
                let Final { status, body, .. } =
                    Final::decode(&frame.body).map_err(|_| Breach("a final without its head"))?;
                let head = frame.body.len() - body.len();
                let body = Bytes::from(frame.body).slice(head..);
                // A message outside of any exchange may be acknowledged, with nothing.
                let known = (frame.exchange == 0 && body.is_empty()) || lane.finish(frame.exchange, status, body);
                if known { Ok(()) } else { Err(Breach("an answer to no exchange")) }
            }
            up::MESSAGE => match lane.message(frame.exchange, Bytes::from(frame.body)) {
                true => Ok(()),
                false => Err(Breach("a message for no exchange")),
            },
            up::EVENT => self.fan_out(frame.body),
            up::READY => self.heed_ready(&frame.body),
            up::FAILED => self.heed_failed(&frame.body),
            _ => Err(Breach("an unknown kind of frame")),
        }
    }

    fn fan_out(&self, body: Vec<u8>) -> Result<(), Breach> {
        let message = Event::decode(&body).map_err(|_| Breach("an event that does not decode"))?.body;
        let message = Bytes::copy_from_slice(message);
        let mut listener = lock(&self.listener);
        if listener.as_ref().is_some_and(|outlet| !outlet.send(message)) {
            *listener = None;
        }
        Ok(())
    }

    fn heed_ready(&self, body: &[u8]) -> Result<(), Breach> {
        let ready: Ready = serde_json::from_slice(body).map_err(|_| Breach("a ready that does not decode"))?;
        let sandbox = ready.sandbox.iter().map(|(wall, state)| format!("{wall}: {state}"));
        let sandbox = sandbox.collect::<Vec<_>>().join(", ");
        let milliseconds = self.opened.elapsed().as_millis() as u64;
        tracing::debug!(gem = self.gem.number, milliseconds, toolsets = ?ready.toolsets, sandbox, "gem is ready");
        Ok(())
    }

    fn heed_failed(&self, body: &[u8]) -> Result<(), Breach> {
        if *lock(&self.phase) != Phase::Starting {
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
