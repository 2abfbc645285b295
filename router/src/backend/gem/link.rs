//! The link to one gem: its process and two sockets, *calls* and *control*, read by one task.
//!
//! The process is ended as soon as either socket is at its end or says what it must not; what the gem said on the other
//! before that is still heard. The last event says how the process ended.

use crate::backend::gem::process::{End, Process};
use crate::backend::gem::socket::{self, Frame, FrameReader, FrameWriter};
use crate::backend::{Ended, Event, EventSink, Full, Link, Message, Route, Violation};
use crate::lock;
use protocol::gem::{Bind, ClientMessage, Final, Lasting, Prepare, down, up};
use protocol::limits::{END_STATUS_MILLIS, FRAME_BYTES_MAX};
use std::io;
use std::os::unix::net::UnixStream;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::timeout;

/// The link to one gem.
#[derive(Debug)]
pub(crate) struct GemLink {
    process: Arc<Process>,
    calls: FrameWriter,
    control: FrameWriter,
    /// What its task reads from, until it runs.
    readers: Mutex<Option<(FrameReader, FrameReader)>>,
}

impl GemLink {
    /// Over the router's ends of both sockets.
    pub(crate) fn new(process: Arc<Process>, calls: UnixStream, control: UnixStream) -> io::Result<Self> {
        let (calls, calls_reader) = socket::split(calls)?;
        let (control, control_reader) = socket::split(control)?;
        Ok(Self { process, calls, control, readers: Mutex::new(Some((calls_reader, control_reader))) })
    }

    /// Reads both sockets to their ends, and writes what waits.
    async fn run(self: Arc<Self>, mut calls: FrameReader, mut control: FrameReader, sink: Arc<dyn EventSink>) {
        {
            let mut calls = pin!(self.read(&mut calls, &*sink));
            let mut control = pin!(self.read(&mut control, &*sink));
            let mut calls_backlog = pin!(self.calls.flush_for_ever());
            let mut control_backlog = pin!(self.control.flush_for_ever());
            let patience = Duration::from_millis(END_STATUS_MILLIS);
            let calls_ended = loop {
                tokio::select! {
                    biased;
                    () = &mut calls => break true,
                    () = &mut control => break false,
                    () = &mut calls_backlog => {}
                    () = &mut control_backlog => {}
                }
            };
            self.process.kill();
            let _ = if calls_ended { timeout(patience, control).await } else { timeout(patience, calls).await };
        }
        let ended = self.ended().await;
        // Nothing can be said after the end.
        drop(sink.on_event(Event::Ended(ended)));
    }

    /// Reads one socket to its end, or to what must not be said.
    async fn read(&self, reader: &mut FrameReader, sink: &dyn EventSink) {
        while let Some(frame) = reader.next().await {
            if let Err(Violation(what)) = event(frame).and_then(|event| event.map_or(Ok(()), |it| sink.on_event(it))) {
                tracing::error!(gem = self.number(), pid = self.pid(), what, "a gem broke its link; killing it");
                return;
            }
        }
    }

    async fn ended(&self) -> Ended {
        let patience = Duration::from_millis(END_STATUS_MILLIS);
        match timeout(patience, self.process.end()).await.unwrap_or(End::Unknown) {
            End::NotForked(errno) => Ended::NotStarted(errno),
            end if end.is_stone_lost() => Ended::StoneLost,
            End::Status(status) => Ended::Exited { status: Some(status), last_words: None },
            End::Unknown => Ended::Exited { status: None, last_words: None },
        }
    }

    fn writer(&self, route: Route) -> &FrameWriter {
        match route {
            Route::Calls => &self.calls,
            Route::Control => &self.control,
        }
    }
}

impl Link for GemLink {
    fn number(&self) -> u64 {
        self.process.number
    }

    fn pid(&self) -> u32 {
        self.process.pid()
    }

    fn start(self: Arc<Self>, sink: Arc<dyn EventSink>) {
        if let Some((calls, control)) = lock(&self.readers).take() {
            tokio::spawn(self.clone().run(calls, control, sink));
        }
    }

    fn prepare(&self, prepare: &Prepare) {
        let body = serde_json::to_vec(prepare).expect("a prepare is plain data");
        self.calls.send(down::PREPARE, 0, &body, &[]);
    }

    fn bind(&self, bind: &Bind<'_>) {
        self.calls.send(down::BIND, 0, &bind.encode(), &[]);
    }

    fn forward(&self, route: Route, exchange: u64, message: &Message) -> Result<(), Full> {
        let writer = self.writer(route);
        if exchange == 0 && writer.backlog_bytes() > FRAME_BYTES_MAX {
            return Err(Full);
        }
        let headers: Vec<(&str, &str)> =
            message.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let head = ClientMessage::head(message.revision.name, &headers);
        let kind = if message.may_last { down::LASTING } else { down::MESSAGE };
        writer.send(kind, exchange, &head, &message.body);
        Ok(())
    }

    fn cancel(&self, exchange: u64) {
        self.control.send(down::CANCEL, exchange, &[], &[]);
    }

    fn finish(&self) {
        self.control.send(down::SHUTDOWN, 0, &[], &[]);
    }

    fn kill(&self) {
        self.process.kill();
    }
}

/// What a frame says; `None` for the acknowledgement of a message that wanted no answer.
fn event(Frame { kind, exchange, body }: Frame) -> Result<Option<Event>, Violation> {
    let event = match kind {
        up::FINAL => {
            let read = Final::decode(&body).map_err(|_| Violation("a final without its head"))?;
            let (status, keep, head) = (read.status, read.keep, body.len() - read.body.len());
            let body = body.slice(head..);
            if exchange == 0 && body.is_empty() {
                return Ok(None);
            }
            Event::Final { exchange, status, keep, body }
        }
        up::MESSAGE => Event::Message { exchange, body },
        up::EVENT => Event::Notice(body),
        up::LASTING => Event::Lasting(Lasting::decode(&body).map_err(|_| Violation("a lasting that does not decode"))?),
        up::READY => {
            Event::Ready(serde_json::from_slice(&body).map_err(|_| Violation("a ready that does not decode"))?)
        }
        up::FAILED => {
            Event::Failed(serde_json::from_slice(&body).map_err(|_| Violation("a failed that does not decode"))?)
        }
        _ => return Err(Violation("an unknown kind of frame")),
    };
    Ok(Some(event))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use protocol::frame::{self, Decoder};
    use protocol::gem::exit;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::sync::mpsc;

    /// The gem's end of one socket.
    struct Peer {
        stream: tokio::net::UnixStream,
        decoder: Decoder,
    }

    impl Peer {
        fn new(stream: UnixStream) -> Self {
            stream.set_nonblocking(true).expect("set");
            let stream = tokio::net::UnixStream::from_std(stream).expect("a stream");
            Self { stream, decoder: Decoder::new(FRAME_BYTES_MAX) }
        }

        /// The next frame; `None` at the end.
        async fn next(&mut self) -> Option<frame::Frame> {
            loop {
                if let Some(frame) = self.decoder.next_frame().expect("a frame") {
                    return Some(frame);
                }
                match self.stream.read(self.decoder.space()).await.unwrap_or(0) {
                    0 => return None,
                    count => self.decoder.advance(count),
                }
            }
        }

        async fn send(&mut self, kind: u8, exchange: u64, parts: &[&[u8]]) {
            let mut bytes = Vec::new();
            frame::encode_parts(&mut bytes, kind, exchange, parts);
            self.stream.write_all(&bytes).await.expect("written");
        }
    }

    /// Notes what it hears; an answer to exchange 77 is a violation.
    struct Notes(mpsc::UnboundedSender<Event>);

    impl EventSink for Notes {
        fn on_event(&self, event: Event) -> Result<(), Violation> {
            if matches!(event, Event::Final { exchange: 77, .. }) {
                return Err(Violation("an answer to no exchange"));
            }
            self.0.send(event).expect("heard");
            Ok(())
        }
    }

    struct Scene {
        link: Arc<GemLink>,
        events: mpsc::UnboundedReceiver<Event>,
        calls: Peer,
        control: Peer,
    }

    fn scene() -> Scene {
        let (calls, its_calls) = UnixStream::pair().expect("a pair");
        let (control, its_control) = UnixStream::pair().expect("a pair");
        let link = Arc::new(GemLink::new(Arc::new(Process::new(1)), calls, control).expect("a link"));
        let (sender, events) = mpsc::unbounded_channel();
        link.clone().start(Arc::new(Notes(sender)));
        Scene { link, events, calls: Peer::new(its_calls), control: Peer::new(its_control) }
    }

    fn message(body: &[u8]) -> Message {
        let revision = protocol::revision::newest_of_sessions();
        let headers = vec![("gem".to_owned(), "a".to_owned())];
        Message { revision, headers, body: Bytes::copy_from_slice(body), may_last: false }
    }

    #[tokio::test]
    async fn messages_and_words_take_the_socket_that_is_theirs() {
        let mut scene = scene();
        scene.link.forward(Route::Calls, 1, &message(b"call")).expect("taken");
        scene.link.forward(Route::Control, 2, &Message { may_last: true, ..message(b"list") }).expect("taken");
        scene.link.cancel(1);
        scene.link.finish();
        let call = scene.calls.next().await.expect("a frame");
        let (read, headers) = ClientMessage::decode(&call.body).expect("decodes");
        assert_eq!(
            (call.kind, call.exchange, read.revision, read.body),
            (down::MESSAGE, 1, "2025-11-25", &b"call"[..])
        );
        assert_eq!(headers, [("gem", "a")]);
        for expected in [(down::LASTING, 2), (down::CANCEL, 1), (down::SHUTDOWN, 0)] {
            let frame = scene.control.next().await.expect("a frame");
            assert_eq!((frame.kind, frame.exchange), expected);
        }
    }

    #[tokio::test]
    async fn a_frame_that_the_socket_does_not_take_at_once_arrives_whole() {
        let mut scene = scene();
        let body = vec![b'x'; FRAME_BYTES_MAX / 2];
        for exchange in 1..=4 {
            scene.link.forward(Route::Calls, exchange, &message(&body)).expect("taken");
        }
        let refused = scene.link.forward(Route::Calls, 0, &message(b"notice"));
        assert_eq!(refused, Err(Full), "what nobody waits for is refused while so much waits");
        for exchange in 1..=4 {
            let frame = scene.calls.next().await.expect("a frame");
            assert_eq!(frame.exchange, exchange);
            assert_eq!(ClientMessage::decode(&frame.body).expect("decodes").0.body, body);
        }
        scene.link.forward(Route::Calls, 0, &message(b"notice")).expect("taken");
        assert_eq!(scene.calls.next().await.expect("a frame").exchange, 0);
    }

    #[tokio::test]
    async fn what_a_gem_said_is_heard_though_it_is_gone() {
        let mut scene = scene();
        scene.calls.send(up::FINAL, 0, &[&Final::head(200, false)]).await;
        scene.calls.send(up::FINAL, 5, &[&Final::head(404, true), b"{}"]).await;
        scene.calls.send(up::FAILED, 0, &[br#"{"kind":"unknownToolset","message":"no"}"#]).await;
        let Scene { calls, control, mut events, link } = scene;
        // The control socket is seen to be at its end first, whatever is read first.
        drop(control);
        drop(calls);
        let heard = events.recv().await.expect("an event");
        assert!(
            matches!(heard, Event::Final { exchange: 5, status: 404, keep: true, ref body } if *body == "{}"),
            "{heard:?}"
        );
        assert!(matches!(events.recv().await, Some(Event::Failed(failed)) if failed.kind == "unknownToolset"));
        link.process.ended(End::Status(exit::FAILED));
        let ended = events.recv().await.expect("an event");
        let status = Some(exit::FAILED);
        assert!(
            matches!(&ended, Event::Ended(ended) if *ended == Ended::Exited { status, last_words: None }),
            "{ended:?}"
        );
    }

    #[tokio::test]
    async fn how_the_process_ended_is_said_last() {
        for (end, expected) in [
            (End::Status(exit::STONE_LOST), Ended::StoneLost),
            (End::Status(137), Ended::Exited { status: Some(137), last_words: None }),
            (End::NotForked(11), Ended::NotStarted(11)),
            (End::Unknown, Ended::Exited { status: None, last_words: None }),
        ] {
            let Scene { calls, control, mut events, link } = scene();
            link.process.ended(end);
            drop((calls, control));
            let ended = events.recv().await.expect("an event");
            assert!(matches!(&ended, Event::Ended(ended) if *ended == expected), "{ended:?}");
            assert!(events.recv().await.is_none());
        }
    }

    #[tokio::test]
    async fn a_gem_that_breaks_its_link_is_cut_off() {
        let framed = |kind: u8, exchange: u64, body: &[u8]| {
            let mut bytes = Vec::new();
            frame::encode(&mut bytes, kind, exchange, body);
            bytes
        };
        let mut endless = u32::MAX.to_le_bytes().to_vec();
        endless.extend_from_slice(&[up::FINAL; 9]);
        let violations = [
            endless,
            framed(up::FINAL, 77, &[200, 0, 0]),
            framed(up::FINAL, 1, &[200]),
            framed(up::READY, 0, b"not json"),
            framed(up::FAILED, 0, b"{}"),
            framed(up::LASTING, 0, b"x"),
            framed(99, 1, b""),
            framed(down::MESSAGE, 1, b""),
        ];
        for violation in violations {
            let mut scene = scene();
            scene.link.process.ended(End::Unknown);
            scene.calls.stream.write_all(&violation).await.expect("written");
            // The control socket stays open: what is killed does not have to close it in time.
            let ended = scene.events.recv().await.expect("an event");
            assert!(matches!(ended, Event::Ended(_)), "{violation:?}: {ended:?}");
        }
    }
}
