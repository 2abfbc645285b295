//! Server-sent events: the messages of a stream as the body of a response.
//!
//! A payload can never forge a field of the stream, for every line of it gets its own `data:`. A stream holds a guard,
//! and can end when its client does.

use crate::core::events::{EventId, EventReader};
use bytes::Bytes;
use hyper::body::{Body, Frame};
use protocol::limits::RETRY_MILLIS;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Interval, MissedTickBehavior, interval_at};

/// What comes before the first event: a comment where one is wanted, and where `priming` an event with an id and no
/// data, so that a client which loses the stream at once can come back to it.
pub(crate) fn opening(reader: &EventReader, greeting: Option<&str>, priming: bool) -> Option<Bytes> {
    let mut text = greeting.map(|greeting| format!(": {greeting}\n\n")).unwrap_or_default();
    if let Some(id) = reader.position().filter(|_| priming) {
        text.push_str(&format!("id: {id}\nretry: {RETRY_MILLIS}\ndata:\n\n"));
    }
    (!text.is_empty()).then(|| Bytes::from(text))
}

/// Something that ends a stream when it happens.
pub(crate) type Ending = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A response body of events, with comments while there are none. `guard` lives as long as the stream.
pub(crate) struct EventStream<G> {
    reader: EventReader,
    first: Option<Bytes>,
    keep_alive: Interval,
    ending: Option<Ending>,
    _guard: G,
}

impl<G> EventStream<G> {
    /// Streams what comes from `reader`, after the bytes `first` if there are any, with a comment where nothing came
    /// for a `period`.
    pub(crate) fn new(reader: EventReader, first: Option<Bytes>, period: Duration, guard: G) -> Self {
        let mut keep_alive = interval_at(tokio::time::Instant::now() + period, period);
        keep_alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { reader, first, keep_alive, ending: None, _guard: guard }
    }

    /// Ends when this happens, too.
    pub(crate) fn until(mut self, ending: Option<Ending>) -> Self {
        self.ending = ending;
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
        match this.reader.poll_next(cx) {
            Poll::Ready(Some((id, message))) => {
                this.keep_alive.reset();
                Poll::Ready(Some(Ok(Frame::data(encode(&message, id)))))
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
fn encode(message: &[u8], id: Option<EventId>) -> Bytes {
    let mut out = Vec::with_capacity(message.len() + 64);
    if let Some(id) = id {
        out.extend_from_slice(format!("id: {id}\n").as_bytes());
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
    use crate::core::events::EventBuffer;
    use http_body_util::BodyExt;

    #[test]
    fn a_payload_cannot_forge_fields() {
        let event = encode(b"{\"a\":1}\nevent: evil\r\nid: 7\rdata: x", None);
        let text = std::str::from_utf8(&event).expect("text");
        assert_eq!(text, "event: message\ndata: {\"a\":1}\ndata: event: evil\ndata: id: 7\ndata: data: x\n\n");
    }

    #[tokio::test]
    async fn events_of_a_kept_stream_have_ids() {
        let (sender, reader) = EventBuffer::kept(7).ends();
        sender.send(Bytes::from_static(b"{}"));
        drop(sender);
        let stream = EventStream::new(reader, None, Duration::from_secs(60), ());
        let text = stream.collect().await.expect("whole").to_bytes();
        assert_eq!(text, "id: 7-1\nevent: message\ndata: {}\n\n");
    }

    #[test]
    fn a_stream_opens_with_what_its_revision_wants() {
        let (_sender, reader) = EventBuffer::kept(4).ends();
        assert_eq!(opening(&reader, None, false), None);
        assert_eq!(
            opening(&reader, Some("connected"), true).expect("some"),
            ": connected\n\nid: 4-0\nretry: 1000\ndata:\n\n"
        );
        let silent = EventReader::silent();
        assert_eq!(opening(&silent, Some("connected"), true).expect("some"), ": connected\n\n");
    }
}
