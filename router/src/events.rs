//! Server-sent events: the channel between a session and one stream of events, and its bytes on the wire.
//!
//! Who sends never waits. A channel that *keeps* its events (in a session) lets a reader come back for what it missed,
//! bounded in bytes; one that does not (a stateless request) loses a reader that falls too far behind. A payload can
//! never forge a field of the stream, for every line of it gets its own `data:`.

use crate::lock;
use bytes::Bytes;
use hyper::body::{Body, Frame};
use protocol::limits::{REPLAY_BYTES_MAX, RETRY_MILLIS, STREAM_BYTES_MAX};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker, ready};
use std::time::{Duration, Instant};
use tokio::time::{Interval, MissedTickBehavior, interval_at};

/// The events of one stream.
#[derive(Debug)]
pub(crate) struct Channel {
    /// The number by which ids of events name the stream; nothing if its events have no ids and are not kept.
    number: Option<u64>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
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

/// The sending end. Dropping it ends the stream after what was sent.
#[derive(Debug)]
pub(crate) struct Outlet {
    channel: Arc<Channel>,
}

/// The end that becomes a response.
#[derive(Debug)]
pub(crate) struct Source {
    channel: Arc<Channel>,
    reader: u64,
    /// The number of the last event that was read.
    cursor: u64,
}

impl State {
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

impl Channel {
    /// A channel that keeps its events, for the stream of this number in its session.
    pub(crate) fn kept(number: u64) -> Arc<Self> {
        Arc::new(Self { number: Some(number), state: Mutex::default() })
    }

    /// A channel whose events are gone once they are read.
    pub(crate) fn passing() -> Arc<Self> {
        Arc::new(Self { number: None, state: Mutex::default() })
    }

    /// Both ends of a channel that nobody used before.
    pub(crate) fn ends(self: &Arc<Self>) -> (Outlet, Source) {
        (Outlet { channel: self.clone() }, self.read(0).unwrap_or_else(|| self.read_on()))
    }

    /// A reader of all that comes after the event of this number, in place of whoever reads now. Nothing if such
    /// events are lost already, or were never sent.
    pub(crate) fn read(self: &Arc<Self>, after: u64) -> Option<Source> {
        let mut state = lock(&self.state);
        if after < state.dropped || after > state.last() {
            return None;
        }
        Some(self.reader(&mut state, after))
    }

    /// A reader of all that comes from now on, in place of whoever reads now.
    pub(crate) fn read_on(self: &Arc<Self>) -> Source {
        let mut state = lock(&self.state);
        let last = state.last();
        self.reader(&mut state, last)
    }

    fn reader(self: &Arc<Self>, state: &mut State, cursor: u64) -> Source {
        state.reader += 1;
        state.wake();
        Source { channel: self.clone(), reader: state.reader, cursor }
    }

    /// Sends one JSON-RPC message. False if the channel is closed, or its reader too far behind.
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

impl Outlet {
    /// Sends one JSON-RPC message. False if the reader is gone or too far behind: drop this end then.
    pub(crate) fn send(&self, message: Bytes) -> bool {
        // A passing channel that only its outlet holds has lost its reader.
        let read = self.channel.number.is_some() || Arc::strong_count(&self.channel) > 1;
        read && self.channel.send(message)
    }
}

impl Drop for Outlet {
    fn drop(&mut self) {
        self.channel.close();
    }
}

impl Source {
    /// A stream on which nothing is ever sent.
    pub(crate) fn silent() -> Self {
        Channel::passing().read_on()
    }

    /// The next event as bytes; `None` when there will be none.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let channel = self.channel.clone();
        let mut state = lock(&channel.state);
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
        let id = channel.number.map(|number| (number, self.cursor));
        if id.is_none() {
            state.drop_first();
        }
        Poll::Ready(Some(encode(&event, id)))
    }

    /// What comes before the first event: a comment where one is wanted, and where `priming` an event with an id and
    /// no data, so that a client which loses the stream at once can come back to it.
    pub(crate) fn opening(&self, greeting: Option<&str>, priming: bool) -> Option<Bytes> {
        let mut text = greeting.map(|greeting| format!(": {greeting}\n\n")).unwrap_or_default();
        if let Some(number) = self.channel.number.filter(|_| priming) {
            text.push_str(&format!("id: {number}-{}\nretry: {RETRY_MILLIS}\ndata:\n\n", self.cursor));
        }
        (!text.is_empty()).then(|| Bytes::from(text))
    }
}

/// Reads an id of an event: the stream's number and the event's.
pub(crate) fn read_id(text: &str) -> Option<(u64, u64)> {
    let (stream, event) = text.split_once('-')?;
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    Some((number(stream)?, number(event)?))
}

/// Something that ends a stream when it happens.
pub(crate) type Ending = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A response body of events, with comments while there are none. `guard` lives as long as the stream.
pub(crate) struct EventStream<G> {
    source: Source,
    first: Option<Bytes>,
    keep_alive: Interval,
    ending: Option<Ending>,
    _guard: G,
}

impl<G> EventStream<G> {
    /// Streams what comes from `source`, after the bytes `first` if there are any, with a comment where nothing came
    /// for a `period`.
    pub(crate) fn new(source: Source, first: Option<Bytes>, period: Duration, guard: G) -> Self {
        let mut keep_alive = interval_at(tokio::time::Instant::now() + period, period);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { source, first, keep_alive, ending: None, _guard: guard }
    }

    /// Ends when this happens, too.
    pub(crate) fn until(mut self, ending: Ending) -> Self {
        self.ending = Some(ending);
        self
    }
}

impl<G: Unpin> Body for EventStream<G> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        if let Some(first) = this.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        match this.source.poll_next(cx) {
            Poll::Ready(Some(event)) => {
                this.keep_alive.reset();
                Poll::Ready(Some(Ok(Frame::data(event))))
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                if this.ending.as_mut().is_some_and(|ending| ending.as_mut().poll(cx).is_ready()) {
                    return Poll::Ready(None);
                }
                ready!(this.keep_alive.poll_tick(cx));
                Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b": keep-alive\n\n")))))
            }
        }
    }
}

/// One event. A line break inside the payload, of whichever kind, begins a new `data:` line.
fn encode(message: &[u8], id: Option<(u64, u64)>) -> Bytes {
    let mut out = Vec::with_capacity(message.len() + 64);
    if let Some((stream, event)) = id {
        out.extend_from_slice(format!("id: {stream}-{event}\n").as_bytes());
    }
    out.extend_from_slice(b"event: message\ndata: ");
    let mut bytes = message.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' | b'\n' => {
                if byte == b'\r' && bytes.peek() == Some(&b'\n') {
                    bytes.next();
                }
                out.extend_from_slice(b"\ndata: ");
            }
            _ => out.push(byte),
        }
    }
    out.extend_from_slice(b"\n\n");
    Bytes::from(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    async fn text(source: Source) -> String {
        let bytes =
            EventStream::new(source, None, Duration::from_secs(60), ()).collect().await.expect("whole").to_bytes();
        String::from_utf8(bytes.to_vec()).expect("text")
    }

    fn message(number: usize) -> Bytes {
        Bytes::from(format!("{{\"n\":{number}}}"))
    }

    #[test]
    fn a_payload_cannot_forge_fields() {
        let event = encode(b"{\"a\":1}\nevent: evil\r\nid: 7\rdata: x", None);
        let text = std::str::from_utf8(&event).expect("text");
        assert_eq!(text, "event: message\ndata: {\"a\":1}\ndata: event: evil\ndata: id: 7\ndata: data: x\n\n");
    }

    #[test]
    fn a_reader_that_falls_behind_loses_its_stream() {
        let (outlet, _source) = Channel::passing().ends();
        let big = Bytes::from(vec![b' '; STREAM_BYTES_MAX]);
        assert!(outlet.send(big.clone()), "one message always fits");
        assert!(!outlet.send(big));
        let (outlet, source) = Channel::passing().ends();
        drop(source);
        assert!(!outlet.send(Bytes::from_static(b"{}")));
    }

    #[tokio::test]
    async fn a_broken_stream_is_read_on_from_any_event_without_loss_or_repetition() {
        const EVENTS: usize = 20;
        for broken in 0..=EVENTS {
            let channel = Channel::kept(7);
            let (outlet, source) = channel.ends();
            drop(source);
            (0..EVENTS).for_each(|number| assert!(outlet.send(message(number))));
            drop(outlet);
            let source = channel.read(broken as u64).expect("kept");
            let expected: String = (broken..EVENTS)
                .map(|number| format!("id: 7-{}\nevent: message\ndata: {{\"n\":{number}}}\n\n", number + 1))
                .collect();
            assert_eq!(text(source).await, expected);
        }
    }

    #[tokio::test]
    async fn a_new_reader_ends_the_one_before() {
        let channel = Channel::kept(1);
        let (outlet, first) = channel.ends();
        let second = channel.read(0).expect("kept");
        outlet.send(message(1));
        drop(outlet);
        assert_eq!(text(first).await, "");
        assert!(text(second).await.contains("\"n\":1"));
    }

    #[test]
    fn what_is_kept_is_bounded_and_what_is_lost_is_said() {
        let channel = Channel::kept(1);
        let (outlet, _source) = channel.ends();
        let half = Bytes::from(vec![b' '; REPLAY_BYTES_MAX / 2]);
        (0..5).for_each(|_| assert!(outlet.send(half.clone())));
        assert!(lock(&channel.state).bytes <= REPLAY_BYTES_MAX);
        assert!(channel.read(2).is_none(), "events were lost");
        assert!(channel.read(3).is_some());
        assert!(channel.read(6).is_none(), "no such event");
    }

    #[test]
    fn ids_are_read_strictly() {
        assert_eq!(read_id("3-14"), Some((3, 14)));
        for foul in ["", "3", "3-", "-1", "+3-1", "3-1-1", "a-1", "99999999999999999999-1"] {
            assert_eq!(read_id(foul), None, "{foul}");
        }
    }

    #[test]
    fn a_stream_opens_with_what_its_revision_wants() {
        let (_outlet, source) = Channel::kept(4).ends();
        assert_eq!(source.opening(None, false), None);
        assert_eq!(
            source.opening(Some("connected"), true).expect("some"),
            ": connected\n\nid: 4-0\nretry: 1000\ndata:\n\n"
        );
        assert_eq!(Source::silent().opening(Some("connected"), true).expect("some"), ": connected\n\n");
    }
}
