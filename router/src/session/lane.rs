//! One of a session's two sockets to its gem, with the exchanges that go over it.
//!
//! Whoever forwards a message writes it here and now if the socket takes it; what it does not take waits in a backlog
//! that the lane's own task writes. So a frame is never left half written because a client went away, and a call costs
//! the router no hand-over on its way down.

use crate::events::Source;
use crate::lock;
use crate::loss::Loss;
use crate::session::exchange::{Begun, Book, Exchange, Overdue};
use crate::session::streams::Streams;
use bytes::Bytes;
use protocol::frame;
use protocol::limits::{CANCEL_GRACE_MILLIS, FRAME_BYTES_MAX};
use std::io;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Notify;

/// One socket.
#[derive(Debug)]
pub(crate) struct Lane {
    socket: OwnedWriteHalf,
    state: Mutex<LaneState>,
    /// Tells the lane's task that there is a backlog.
    kicked: Notify,
}

#[derive(Debug)]
struct LaneState {
    book: Book,
    backlog: Vec<u8>,
    /// How much of the backlog is written.
    written: usize,
    /// Why nothing goes over this lane any more.
    closed: Option<Loss>,
}

/// A message was not taken.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Too much waits already.
    Full,
    /// The gem is gone.
    Closed(Loss),
}

impl Lane {
    /// A lane over the router's end of a socket pair, and what its task reads from.
    pub(crate) fn new(socket: StdUnixStream) -> io::Result<(Self, OwnedReadHalf)> {
        socket.set_nonblocking(true)?;
        let (reader, writer) = UnixStream::from_std(socket)?.into_split();
        let book = Book::new(Instant::now());
        let state = Mutex::new(LaneState { book, backlog: Vec::new(), written: 0, closed: None });
        Ok((Self { socket: writer, state, kicked: Notify::new() }, reader))
    }

    /// Forwards a message whose answer an exchange waits for. `begin` makes both; it runs under the lane's lock, so
    /// that exchanges go over a lane in the order of their numbers.
    pub(crate) fn ask(&self, begin: impl FnOnce() -> (Exchange, Vec<u8>)) -> Result<(), Refused> {
        let mut state = lock(&self.state);
        if let Some(loss) = &state.closed {
            return Err(Refused::Closed(loss.clone()));
        }
        let (exchange, frame) = begin();
        match state.book.begin(exchange, frame, Instant::now()) {
            Begun::Send(frame) => self.write(&mut state, &frame),
            Begun::Queued => {}
            Begun::Full => return Err(Refused::Full),
        }
        Ok(())
    }

    /// Sends a frame that nobody waits for.
    pub(crate) fn tell(&self, kind: u8, exchange: u64, parts: &[&[u8]]) -> Result<(), Refused> {
        let mut frame = Vec::new();
        frame::encode_parts(&mut frame, kind, exchange, parts);
        let mut state = lock(&self.state);
        if let Some(loss) = &state.closed {
            return Err(Refused::Closed(loss.clone()));
        }
        if state.backlog.len() - state.written > FRAME_BYTES_MAX {
            return Err(Refused::Full);
        }
        self.write(&mut state, &frame);
        Ok(())
    }

    /// Writes what the socket takes and keeps the rest. A socket that is broken is noticed by the lane's task, which
    /// reads from it.
    fn write(&self, state: &mut LaneState, frame: &[u8]) {
        let mut rest = frame;
        if state.backlog.is_empty() {
            while !rest.is_empty() {
                match self.socket.try_write(rest) {
                    Ok(count) => rest = &rest[count..],
                    Err(_) => break,
                }
            }
        }
        if !rest.is_empty() {
            state.backlog.extend_from_slice(rest);
            self.kicked.notify_one();
        }
    }

    /// Waits until there is a backlog that was not there before.
    pub(crate) async fn kicked(&self) {
        self.kicked.notified().await;
    }

    /// Whether something waits to be written.
    pub(crate) fn has_backlog(&self) -> bool {
        !lock(&self.state).backlog.is_empty()
    }

    /// Waits until the socket takes more.
    pub(crate) async fn writable(&self) -> io::Result<()> {
        self.socket.writable().await
    }

    /// Writes as much of the backlog as the socket takes. If nobody reads it any more, it is dropped and nothing else
    /// happens: what the gem said before it went is still to be read, and how the reading ends says the rest.
    pub(crate) fn flush(&self) {
        let mut guard = lock(&self.state);
        let state = &mut *guard;
        while state.written < state.backlog.len() {
            match self.socket.try_write(&state.backlog[state.written..]) {
                Ok(count) => state.written += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => break,
            }
        }
        state.backlog = Vec::new();
        state.written = 0;
    }

    /// The gem said something before its answer; false if it names no exchange of this lane.
    pub(crate) fn message(&self, exchange: u64, body: Bytes, streams: &Streams) -> bool {
        lock(&self.state).book.message(exchange, body, streams).is_ok()
    }

    /// Makes a stream of an exchange whose POST has waited for long.
    pub(crate) fn open_stream(&self, exchange: u64, streams: &Streams) -> Option<Source> {
        lock(&self.state).book.open_stream(exchange, streams)
    }

    /// The POST of this exchange is gone; true if the gem must be told.
    pub(crate) fn abandon(&self, exchange: u64) -> bool {
        lock(&self.state).book.abandon(exchange)
    }

    /// The gem answered; false if it names no exchange of this lane.
    pub(crate) fn finish(&self, exchange: u64, status: u16, body: Bytes) -> bool {
        let mut state = lock(&self.state);
        match state.book.finish(exchange, status, body, Instant::now()) {
            Ok(Some(next)) => {
                self.write(&mut state, &next);
                true
            }
            Ok(None) => true,
            Err(_) => false,
        }
    }

    /// The exchanges with the gem that bear this raw id.
    pub(crate) fn give_up(&self, id: &str) -> Vec<u64> {
        lock(&self.state).book.give_up(id)
    }

    /// Whether the oldest exchange is over its time.
    pub(crate) fn overdue(&self, now: Instant, call: Duration) -> Overdue {
        lock(&self.state).book.overdue(now, call, Duration::from_millis(CANCEL_GRACE_MILLIS))
    }

    /// Since when nothing is under way, if nothing is.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        lock(&self.state).book.idle_since()
    }

    /// The gem works for no exchange of this lane now, or does so again.
    pub(crate) fn stand_still(&self, is_elsewhere: bool) {
        lock(&self.state).book.stand_still(is_elsewhere, Instant::now());
    }

    /// Nothing goes over this lane any more; whoever waits is told why.
    pub(crate) fn close(&self, loss: &Loss) {
        let mut state = lock(&self.state);
        state.closed.get_or_insert_with(|| loss.clone());
        state.book.lose_all(loss);
        state.backlog = Vec::new();
        state.written = 0;
    }
}
