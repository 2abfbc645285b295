//! Buffers of messages between a session and whoever reads them: a stream of events, or a whole connection.
//!
//! A sender never waits. A buffer that *keeps* its events (in a session) lets a reader come back for what it missed,
//! bounded in bytes; one that does not loses a reader that falls too far behind. It knows nothing of how a transport
//! writes an event.

use crate::lock;
use bytes::Bytes;
use protocol::limits::{REPLAY_BYTES_MAX, STREAM_BYTES_MAX};
use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::str::FromStr;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

/// Names one event of a session: the number of its stream and its own number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventId {
    /// The stream.
    pub(crate) stream: u64,
    /// The event; the first is 1.
    pub(crate) event: u64,
}

impl fmt::Display for EventId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}", self.stream, self.event)
    }
}

/// A text that is no id of an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NoEventId;

impl FromStr for EventId {
    type Err = NoEventId;

    fn from_str(text: &str) -> Result<Self, NoEventId> {
        let (stream, event) = text.split_once('-').ok_or(NoEventId)?;
        let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
        Ok(Self { stream: number(stream).ok_or(NoEventId)?, event: number(event).ok_or(NoEventId)? })
    }
}

/// The events of one stream.
#[derive(Debug)]
pub(crate) struct EventBuffer {
    /// The number by which ids of events name the stream; `None` if its events have no ids and are not kept.
    number: Option<u64>,
    state: Mutex<BufferState>,
}

#[derive(Debug, Default)]
struct BufferState {
    /// Events in order; the first has the number after `dropped`.
    events: VecDeque<Bytes>,
    bytes: usize,
    /// How many events are not there any more.
    dropped: u64,
    closed_at: Option<Instant>,
    /// Which reader reads: a new one ends the one before.
    reader: u64,
    waker: Option<Waker>,
}

/// The sending end. Dropping it ends the stream after what was sent, unless others send on it too.
#[derive(Debug)]
pub(crate) struct EventSender {
    buffer: Arc<EventBuffer>,
    is_shared: bool,
}

/// The reading end.
#[derive(Debug)]
pub(crate) struct EventReader {
    buffer: Arc<EventBuffer>,
    reader: u64,
    /// The number of the last event that was read.
    cursor: u64,
}

impl BufferState {
    fn last(&self) -> u64 {
        self.dropped + self.events.len() as u64
    }

    fn drop_first(&mut self) {
        if let Some(event) = self.events.pop_front() {
            self.bytes -= event.len();
            self.dropped += 1;
        }
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

impl EventBuffer {
    /// A buffer that keeps its events, for the stream of this number in its session.
    pub(crate) fn kept(number: u64) -> Arc<Self> {
        Arc::new(Self { number: Some(number), state: Mutex::default() })
    }

    /// A buffer whose events are gone once they are read.
    pub(crate) fn passing() -> Arc<Self> {
        Arc::new(Self { number: None, state: Mutex::default() })
    }

    /// Both ends of a buffer that is new.
    pub(crate) fn ends(self: &Arc<Self>) -> (EventSender, EventReader) {
        let sender = EventSender { buffer: self.clone(), is_shared: false };
        (sender, self.read(0).unwrap_or_else(|| self.read_on()))
    }

    /// A sender that leaves the buffer open when it is dropped.
    pub(crate) fn shared_sender(self: &Arc<Self>) -> EventSender {
        EventSender { buffer: self.clone(), is_shared: true }
    }

    /// A reader of all that comes after the event of this number, in place of the one that reads now. `None` if such
    /// events are lost already, or were never sent.
    pub(crate) fn read(self: &Arc<Self>, after: u64) -> Option<EventReader> {
        let mut state = lock(&self.state);
        if after < state.dropped || after > state.last() {
            return None;
        }
        Some(self.reader(&mut state, after))
    }

    /// A reader of all that comes from now on, in place of the one that reads now.
    pub(crate) fn read_on(self: &Arc<Self>) -> EventReader {
        let mut state = lock(&self.state);
        let last = state.last();
        self.reader(&mut state, last)
    }

    fn reader(self: &Arc<Self>, state: &mut BufferState, cursor: u64) -> EventReader {
        state.reader += 1;
        state.wake();
        EventReader { buffer: self.clone(), reader: state.reader, cursor }
    }

    /// Sends one JSON-RPC message. False if the buffer is closed, or its reader too far behind.
    pub(crate) fn send(&self, message: Bytes) -> bool {
        let mut state = lock(&self.state);
        if state.closed_at.is_some() {
            return false;
        }
        let size = message.len();
        if self.number.is_some() {
            while state.bytes > 0 && state.bytes + size > REPLAY_BYTES_MAX {
                state.drop_first();
            }
        } else if state.bytes > 0 && state.bytes + size > STREAM_BYTES_MAX {
            // One message always fits.
            return false;
        }
        state.bytes += size;
        state.events.push_back(message);
        state.wake();
        true
    }

    /// Sends one message of a connection: a reader that is too far behind loses it.
    pub(crate) fn send_or_close(&self, message: Bytes) {
        if !self.send(message) {
            self.close();
        }
    }

    /// Nothing more will be sent.
    pub(crate) fn close(&self) {
        let mut state = lock(&self.state);
        state.closed_at.get_or_insert_with(Instant::now);
        state.wake();
    }

    /// Since when nothing is sent any more, if so, and how many bytes are kept.
    pub(crate) fn closed(&self) -> Option<(Instant, usize)> {
        let state = lock(&self.state);
        state.closed_at.map(|at| (at, state.bytes))
    }
}

impl EventSender {
    /// Sends one JSON-RPC message. False if the reader is gone or too far behind: drop this end then.
    pub(crate) fn send(&self, message: Bytes) -> bool {
        // A passing buffer that only its sender holds has lost its reader.
        let read = self.buffer.number.is_some() || Arc::strong_count(&self.buffer) > 1;
        read && self.buffer.send(message)
    }
}

impl Drop for EventSender {
    fn drop(&mut self) {
        if !self.is_shared {
            self.buffer.close();
        }
    }
}

impl EventReader {
    /// A reader to which nothing is ever sent.
    pub(crate) fn silent() -> Self {
        EventBuffer::passing().read_on()
    }

    /// What the next event would be numbered as; `None` where events have no ids.
    pub(crate) fn position(&self) -> Option<EventId> {
        self.buffer.number.map(|stream| EventId { stream, event: self.cursor })
    }

    /// The next event, and its id if it has one; `None` when there will be none.
    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<(Option<EventId>, Bytes)>> {
        let buffer = self.buffer.clone();
        let mut state = lock(&buffer.state);
        if state.reader != self.reader || self.cursor < state.dropped {
            return Poll::Ready(None);
        }
        let place = (self.cursor - state.dropped) as usize;
        let Some(event) = state.events.get(place).cloned() else {
            if state.closed_at.is_some() {
                return Poll::Ready(None);
            }
            state.waker = Some(cx.waker().clone());
            return Poll::Pending;
        };
        self.cursor += 1;
        let id = self.position();
        if id.is_none() {
            state.drop_first();
        }
        Poll::Ready(Some((id, event)))
    }

    /// The next message; `None` when there will be none.
    pub(crate) async fn next(&mut self) -> Option<Bytes> {
        poll_fn(|cx| self.poll_next(cx)).await.map(|(_, message)| message)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// All messages up to the end.
    pub(crate) async fn rest(mut reader: EventReader) -> Vec<String> {
        let mut all = Vec::new();
        while let Some(message) = reader.next().await {
            all.push(String::from_utf8(message.to_vec()).expect("text"));
        }
        all
    }

    fn message(number: usize) -> Bytes {
        Bytes::from(format!("{{\"n\":{number}}}"))
    }

    #[test]
    fn a_reader_that_falls_behind_loses_its_stream() {
        let (sender, _reader) = EventBuffer::passing().ends();
        let big = Bytes::from(vec![b' '; STREAM_BYTES_MAX]);
        assert!(sender.send(big.clone()), "one message always fits");
        assert!(!sender.send(big));
        let (sender, reader) = EventBuffer::passing().ends();
        drop(reader);
        assert!(!sender.send(Bytes::from_static(b"{}")));
    }

    #[tokio::test]
    async fn a_broken_stream_is_read_on_from_any_event_without_loss_or_repetition() {
        const EVENTS: usize = 20;
        for broken in 0..=EVENTS {
            let buffer = EventBuffer::kept(7);
            let (sender, reader) = buffer.ends();
            drop(reader);
            (0..EVENTS).for_each(|number| assert!(sender.send(message(number))));
            drop(sender);
            let reader = buffer.read(broken as u64).expect("kept");
            assert_eq!(reader.position(), Some(EventId { stream: 7, event: broken as u64 }));
            let expected: Vec<String> = (broken..EVENTS).map(|number| format!("{{\"n\":{number}}}")).collect();
            assert_eq!(rest(reader).await, expected);
        }
    }

    #[tokio::test]
    async fn a_new_reader_ends_the_one_before() {
        let buffer = EventBuffer::kept(1);
        let (sender, first) = buffer.ends();
        let second = buffer.read(0).expect("kept");
        sender.send(message(1));
        drop(sender);
        assert!(rest(first).await.is_empty());
        assert_eq!(rest(second).await, ["{\"n\":1}"]);
    }

    #[tokio::test]
    async fn a_shared_sender_leaves_the_buffer_open() {
        let buffer = EventBuffer::passing();
        let (sender, reader) = buffer.ends();
        let shared = buffer.shared_sender();
        assert!(shared.send(message(1)));
        drop(shared);
        assert!(sender.send(message(2)));
        drop(sender);
        assert_eq!(rest(reader).await, ["{\"n\":1}", "{\"n\":2}"]);
    }

    #[test]
    fn what_is_kept_is_bounded_and_what_is_lost_is_said() {
        let buffer = EventBuffer::kept(1);
        let (sender, _reader) = buffer.ends();
        let half = Bytes::from(vec![b' '; REPLAY_BYTES_MAX / 2]);
        (0..5).for_each(|_| assert!(sender.send(half.clone())));
        assert!(lock(&buffer.state).bytes <= REPLAY_BYTES_MAX);
        assert!(buffer.read(2).is_none(), "events were lost");
        assert!(buffer.read(3).is_some());
        assert!(buffer.read(6).is_none(), "no such event");
    }

    #[test]
    fn ids_are_read_strictly() {
        assert_eq!("3-14".parse(), Ok(EventId { stream: 3, event: 14 }));
        for wrong in ["", "3", "3-", "-1", "+3-1", "3-1-1", "a-1", "99999999999999999999-1"] {
            assert_eq!(wrong.parse::<EventId>(), Err(NoEventId), "{wrong}");
        }
    }
}
