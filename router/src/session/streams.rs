//! The streams of one session: the one that belongs to no request, and those of its POSTs, kept for a while after their
//! end so that a client whose connection broke can come back for what it missed.
//!
//! Bounded in number, bytes and time. A stream never carries what belongs to another.

use crate::events::{Channel, Outlet, Source, read_id};
use crate::lock;
use protocol::limits::{REPLAY_BYTES_MAX, REPLAY_SECONDS, REPLAY_STREAMS_MAX};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The number of the stream that belongs to no request.
const OWN: u64 = 0;

/// All streams of a session. A session without an id keeps nothing: its client cannot come back.
#[derive(Debug)]
pub(crate) struct Streams {
    own: Arc<Channel>,
    keeps: bool,
    /// Of POSTs, by exchange: younger ones have greater numbers.
    posts: Mutex<BTreeMap<u64, Arc<Channel>>>,
}

impl Streams {
    /// No streams yet but the session's own.
    pub(crate) fn new(keeps: bool) -> Self {
        Self { own: Channel::kept(OWN), keeps, posts: Mutex::default() }
    }

    /// The stream of an exchange.
    pub(crate) fn open(&self, exchange: u64) -> (Outlet, Source) {
        if !self.keeps {
            return Channel::passing().ends();
        }
        let channel = Channel::kept(exchange);
        let mut posts = lock(&self.posts);
        posts.insert(exchange, channel.clone());
        forget(&mut posts, Instant::now());
        channel.ends()
    }

    /// The stream that belongs to no request.
    pub(crate) fn own(&self) -> &Arc<Channel> {
        &self.own
    }

    /// What came on a stream after the event of this id; nothing if there is no such event any more.
    pub(crate) fn resume(&self, last_event: &str) -> Option<Source> {
        let (stream, event) = read_id(last_event)?;
        if stream == OWN {
            return self.own.read(event);
        }
        let channel = lock(&self.posts).get(&stream).cloned()?;
        channel.read(event)
    }

    /// Forgets what has been kept for long enough.
    pub(crate) fn sweep(&self, now: Instant) {
        forget(&mut lock(&self.posts), now);
    }

    /// The session is over: whoever reads its own stream is let go.
    pub(crate) fn close(&self) {
        self.own.close();
    }
}

/// Keeps the youngest of the streams that have ended, within the limits.
fn forget(posts: &mut BTreeMap<u64, Arc<Channel>>, now: Instant) {
    let (mut streams, mut bytes) = (0, 0);
    let mut gone = Vec::new();
    for (number, channel) in posts.iter().rev() {
        let Some((at, size)) = channel.closed() else { continue };
        streams += 1;
        bytes += size;
        let old = now.saturating_duration_since(at) > Duration::from_secs(REPLAY_SECONDS);
        // What the youngest says is kept whatever its size: it may be the one answer that its client waits for.
        if old || streams > REPLAY_STREAMS_MAX || (streams > 1 && bytes > REPLAY_BYTES_MAX) {
            gone.push(*number);
        }
    }
    for number in gone {
        posts.remove(&number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    #[test]
    fn streams_are_kept_apart_and_forgotten_in_time() {
        let streams = Streams::new(true);
        let (outlet, _) = streams.open(3);
        outlet.send(Bytes::from_static(b"{}"));
        drop(outlet);
        assert!(streams.resume("3-0").is_some() && streams.resume("3-1").is_some());
        for foul in ["3-2", "4-0", "0-1", "x"] {
            assert!(streams.resume(foul).is_none(), "{foul}");
        }
        streams.sweep(Instant::now() + Duration::from_secs(REPLAY_SECONDS + 1));
        assert!(streams.resume("3-0").is_none());
    }

    #[test]
    fn a_running_stream_is_never_forgotten_and_ended_ones_are_bounded() {
        let streams = Streams::new(true);
        let (_running, _) = streams.open(1);
        for exchange in 2..100 {
            let (outlet, _) = streams.open(exchange);
            outlet.send(Bytes::from(vec![b' '; REPLAY_BYTES_MAX / 4]));
        }
        streams.sweep(Instant::now());
        assert!(streams.resume("1-0").is_some());
        let kept = lock(&streams.posts).len();
        assert!((2..=6).contains(&kept), "{kept}");
        assert!(streams.resume("99-0").is_some() && streams.resume("2-0").is_none());
    }
}
