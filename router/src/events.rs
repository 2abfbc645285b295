//! Server-sent events: a bounded hand-over from a session to one open HTTP response, and its bytes on the wire.
//!
//! Who sends never waits: a reader that falls too far behind loses its stream. A payload can never forge a field of
//! the stream, for every line of it gets its own `data:`.

use bytes::Bytes;
use hyper::body::{Body, Frame};
use protocol::limits::{KEEP_ALIVE_MILLIS, STREAM_BYTES_MAX};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

/// The sending end. Dropping it ends the stream after what was sent.
#[derive(Debug)]
pub(crate) struct Outlet {
    sender: UnboundedSender<Bytes>,
    held: Arc<AtomicUsize>,
}

/// The end that becomes a response.
#[derive(Debug)]
pub(crate) struct Source {
    receiver: UnboundedReceiver<Bytes>,
    held: Arc<AtomicUsize>,
}

impl Outlet {
    /// A pair of ends.
    pub(crate) fn new() -> (Self, Source) {
        let (sender, receiver) = unbounded_channel();
        let held = Arc::new(AtomicUsize::new(0));
        (Self { sender, held: held.clone() }, Source { receiver, held })
    }

    /// Sends one JSON-RPC message. False if the reader is gone or too far behind: drop this end then.
    pub(crate) fn send(&self, message: Bytes) -> bool {
        let size = message.len();
        // Bounded by bytes, so the channel itself need not be. One message always fits.
        let before = self.held.fetch_add(size, Ordering::Relaxed);
        if before > 0 && before + size > STREAM_BYTES_MAX {
            return false;
        }
        self.sender.send(message).is_ok()
    }
}

/// A response body of events, with comments while there are none. `guard` lives as long as the stream.
pub(crate) struct EventStream<G> {
    source: Source,
    first: Option<Bytes>,
    keep_alive: Interval,
    _guard: G,
}

impl<G> EventStream<G> {
    /// Streams what comes from `source`, after the comment `greeting` if there is one.
    pub(crate) fn new(source: Source, greeting: Option<&'static str>, guard: G) -> Self {
        let period = Duration::from_millis(KEEP_ALIVE_MILLIS);
        let mut keep_alive = interval_at(Instant::now() + period, period);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let first = greeting.map(|text| Bytes::from(format!(": {text}\n\n")));
        Self { source, first, keep_alive, _guard: guard }
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
        match this.source.receiver.poll_recv(cx) {
            Poll::Ready(Some(message)) => {
                this.source.held.fetch_sub(message.len(), Ordering::Relaxed);
                this.keep_alive.reset();
                Poll::Ready(Some(Ok(Frame::data(encode(&message)))))
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                ready!(this.keep_alive.poll_tick(cx));
                Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(b": keep-alive\n\n")))))
            }
        }
    }
}

/// One event. A line break inside the payload, of whichever kind, begins a new `data:` line.
fn encode(message: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(message.len() + 24);
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

    #[test]
    fn a_payload_cannot_forge_fields() {
        let event = encode(b"{\"a\":1}\nevent: evil\r\nid: 7\rdata: x");
        let text = std::str::from_utf8(&event).expect("text");
        assert_eq!(text, "event: message\ndata: {\"a\":1}\ndata: event: evil\ndata: id: 7\ndata: data: x\n\n");
    }

    #[test]
    fn a_reader_that_falls_behind_loses_its_stream() {
        let (outlet, _source) = Outlet::new();
        let big = Bytes::from(vec![b' '; STREAM_BYTES_MAX]);
        assert!(outlet.send(big.clone()), "one message always fits");
        assert!(!outlet.send(big));
        let (outlet, source) = Outlet::new();
        drop(source);
        assert!(!outlet.send(Bytes::from_static(b"{}")));
    }
}
