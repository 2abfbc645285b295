//! The streams of one session: the one that belongs to no request, and those of its POSTs, kept for a while after their
//! end so that a client whose connection broke can come back for what it missed.
//!
//! Bounded in number, bytes and time. A stream never carries what belongs to another.

use crate::core::events::{EventBuffer, EventId, EventReader, EventSender};
use protocol::limits::{REPLAY_BYTES_MAX, REPLAY_SECONDS, REPLAY_STREAMS_MAX};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The number of the stream that belongs to no request.
const OWN: u64 = 0;

/// All streams of a session.
#[derive(Debug)]
pub(crate) struct Streams {
    own: Arc<EventBuffer>,
    /// Whether its client can come back for what it missed.
    resumable: bool,
    /// Of requests, by exchange: younger ones have greater numbers.
    requests: BTreeMap<u64, Arc<EventBuffer>>,
}

impl Streams {
    /// No streams yet but the session's own.
    pub(crate) fn kept() -> Self {
        Self { own: EventBuffer::kept(OWN), resumable: true, requests: BTreeMap::new() }
    }

    /// As [`Streams::kept`], for a client that cannot come back: nothing is kept.
    pub(crate) fn passing() -> Self {
        Self::over(EventBuffer::passing())
    }

    /// What belongs to no request goes into this buffer; nothing is kept.
    pub(crate) fn over(own: Arc<EventBuffer>) -> Self {
        Self { own, resumable: false, requests: BTreeMap::new() }
    }

    /// The stream of an exchange.
    pub(crate) fn open(&mut self, exchange: u64) -> (EventSender, EventReader) {
        if !self.resumable {
            return EventBuffer::passing().ends();
        }
        let buffer = EventBuffer::kept(exchange);
        self.requests.insert(exchange, buffer.clone());
        self.sweep(Instant::now());
        buffer.ends()
    }

    /// The stream that belongs to no request.
    pub(crate) fn own(&self) -> &Arc<EventBuffer> {
        &self.own
    }

    /// What came on a stream after the event of this id; `None` if there is no such event any more.
    pub(crate) fn resume(&self, EventId { stream, event }: EventId) -> Option<EventReader> {
        match stream {
            OWN => self.own.read(event),
            _ => self.requests.get(&stream)?.read(event),
        }
    }

    /// Forgets what has been kept for long enough.
    pub(crate) fn sweep(&mut self, now: Instant) {
        forget(&mut self.requests, now);
    }

    /// The session is over: the reader of its own stream is let go, unless the stream is a whole connection.
    pub(crate) fn close(&self) {
        if self.resumable {
            self.own.close();
        }
    }
}

/// Keeps the youngest of the streams that have ended, within the limits.
fn forget(requests: &mut BTreeMap<u64, Arc<EventBuffer>>, now: Instant) {
    let (mut streams, mut bytes) = (0, 0);
    let mut gone = Vec::new();
    for (number, buffer) in requests.iter().rev() {
        let Some((at, size)) = buffer.closed() else { continue };
        streams += 1;
        bytes += size;
        let old = now.saturating_duration_since(at) > Duration::from_secs(REPLAY_SECONDS);
        // What the youngest says is kept whatever its size: it may be the one answer that its client waits for.
        if old || streams > REPLAY_STREAMS_MAX || (streams > 1 && bytes > REPLAY_BYTES_MAX) {
            gone.push(*number);
        }
    }
    for number in gone {
        requests.remove(&number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn resume(streams: &Streams, id: &str) -> bool {
        streams.resume(id.parse().expect("an id")).is_some()
    }

    #[test]
    fn streams_are_kept_apart_and_forgotten_in_time() {
        let mut streams = Streams::kept();
        let (sender, _) = streams.open(3);
        sender.send(Bytes::from_static(b"{}"));
        drop(sender);
        assert!(resume(&streams, "3-0") && resume(&streams, "3-1"));
        for wrong in ["3-2", "4-0", "0-1"] {
            assert!(!resume(&streams, wrong), "{wrong}");
        }
        streams.sweep(Instant::now() + Duration::from_secs(REPLAY_SECONDS + 1));
        assert!(!resume(&streams, "3-0"));
    }

    #[test]
    fn a_running_stream_is_never_forgotten_and_ended_ones_are_bounded() {
        let mut streams = Streams::kept();
        let (_running, _) = streams.open(1);
        for exchange in 2..100 {
            let (sender, _) = streams.open(exchange);
            sender.send(Bytes::from(vec![b' '; REPLAY_BYTES_MAX / 4]));
        }
        streams.sweep(Instant::now());
        assert!(resume(&streams, "1-0"));
        let kept = streams.requests.len();
        assert!((2..=6).contains(&kept), "{kept}");
        assert!(resume(&streams, "99-0") && !resume(&streams, "2-0"));
    }
}
