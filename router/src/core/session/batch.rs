//! Several messages in one POST: their answers are gathered into one array, or sent one by one as soon as any of them
//! says something before its answer.

use crate::core::events::{EventReader, EventSender};
use crate::core::session::exchange::{Answer, Responder};
use crate::lock;
use bytes::Bytes;
use std::sync::Mutex;

/// The answers of one batch.
#[derive(Debug)]
pub(crate) struct Batch {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Answers that are still to come.
    open: usize,
    answers: Vec<Bytes>,
    responder: Responder,
}

impl Batch {
    /// A batch of so many requests, at least one, whose answers go to `responder`.
    pub(crate) fn new(requests: usize, responder: Responder) -> Self {
        Self { state: Mutex::new(State { open: requests, answers: Vec::new(), responder }) }
    }

    /// One of its requests is answered.
    pub(crate) fn finish(&self, body: Bytes) {
        let mut state = lock(&self.state);
        state.open = state.open.saturating_sub(1);
        if !body.is_empty() {
            match &state.responder {
                Responder::Stream(sender) => drop(sender.send(body)),
                _ => state.answers.push(body),
            }
        }
        if state.open > 0 {
            return;
        }
        // Where all were cancelled there is nothing to say.
        let (status, body) = if state.answers.is_empty() { (202, Bytes::new()) } else { (200, array(&state.answers)) };
        state.responder.take().finish(status, body);
    }

    /// One of its requests says something: where an answer was waited for, all becomes a stream.
    pub(crate) fn message(&self, body: Bytes, open: impl FnOnce() -> (EventSender, EventReader)) {
        let mut state = lock(&self.state);
        if matches!(state.responder, Responder::Request(_))
            && let Responder::Request(waiting) = state.responder.take()
        {
            let (sender, reader) = open();
            state.drain_into(&sender);
            drop(waiting.send(Answer::Stream(reader)));
            state.responder = Responder::Stream(sender);
        }
        match &state.responder {
            Responder::Stream(sender) => drop(sender.send(body)),
            Responder::Connection(buffer) => buffer.send_or_close(body),
            Responder::Request(_) | Responder::Batch(_) | Responder::Nobody => {}
        }
    }

    /// Makes a stream of it because its request has waited for long. `None` if it has got something meanwhile.
    pub(crate) fn open_stream(&self, open: impl FnOnce() -> (EventSender, EventReader)) -> Option<EventReader> {
        let mut state = lock(&self.state);
        if !matches!(state.responder, Responder::Request(_)) {
            return None;
        }
        let (sender, reader) = open();
        state.drain_into(&sender);
        state.responder = Responder::Stream(sender);
        Some(reader)
    }
}

impl State {
    /// What is answered already comes first.
    fn drain_into(&mut self, sender: &EventSender) {
        for answer in self.answers.drain(..) {
            sender.send(answer);
        }
    }
}

fn array(answers: &[Bytes]) -> Bytes {
    let mut out = vec![b'['];
    out.extend_from_slice(&answers.join(&b','));
    out.push(b']');
    Bytes::from(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::events::EventBuffer;
    use crate::core::events::tests::rest;
    use tokio::sync::oneshot;

    fn batch(requests: usize) -> (Batch, oneshot::Receiver<Answer>) {
        let (sender, receiver) = oneshot::channel();
        (Batch::new(requests, Responder::Request(sender)), receiver)
    }

    #[tokio::test]
    async fn answers_become_one_array() {
        let (batch, receiver) = batch(3);
        batch.finish(Bytes::from_static(b"1"));
        batch.finish(Bytes::new());
        batch.finish(Bytes::from_static(b"2"));
        match receiver.await.expect("answered") {
            Answer::Whole { status: 200, body } => assert_eq!(body, "[1,2]"),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_message_before_an_answer_makes_all_of_it_a_stream() {
        let (batch, receiver) = batch(2);
        batch.finish(Bytes::from_static(b"1"));
        batch.message(Bytes::from_static(b"note"), || EventBuffer::passing().ends());
        batch.finish(Bytes::from_static(b"2"));
        let Answer::Stream(reader) = receiver.await.expect("answered") else { panic!("no stream") };
        assert_eq!(rest(reader).await, ["1", "note", "2"]);
    }

    #[tokio::test]
    async fn a_slow_batch_becomes_a_stream_once() {
        let (batch, receiver) = batch(2);
        batch.finish(Bytes::from_static(b"1"));
        let reader = batch.open_stream(|| EventBuffer::passing().ends()).expect("nothing was said yet");
        assert!(batch.open_stream(|| EventBuffer::passing().ends()).is_none());
        assert!(receiver.await.is_err(), "the stream is there in its place");
        batch.finish(Bytes::from_static(b"2"));
        assert_eq!(rest(reader).await, ["1", "2"]);
    }

    #[tokio::test]
    async fn over_a_connection_messages_go_at_once_and_answers_together() {
        let buffer = EventBuffer::passing();
        let (sender, reader) = buffer.ends();
        let batch = Batch::new(2, Responder::Connection(buffer.clone()));
        batch.finish(Bytes::from_static(b"1"));
        batch.message(Bytes::from_static(b"note"), || unreachable!("no stream of its own"));
        batch.finish(Bytes::from_static(b"2"));
        drop(sender);
        assert_eq!(rest(reader).await, ["note", "[1,2]"]);
    }
}
