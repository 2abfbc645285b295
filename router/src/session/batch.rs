//! Several messages in one POST: their answers are gathered into one array, or sent one by one as soon as any of them
//! says something before its answer.

use crate::events::{Outlet, Source};
use crate::lock;
use crate::session::exchange::Answer;
use bytes::Bytes;
use std::sync::Mutex;
use tokio::sync::oneshot;

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
    sender: Option<oneshot::Sender<Answer>>,
    outlet: Option<Outlet>,
}

impl Batch {
    /// A batch of so many requests, at least one.
    pub(crate) fn new(requests: usize) -> (Self, oneshot::Receiver<Answer>) {
        let (sender, receiver) = oneshot::channel();
        let state = State { open: requests, answers: Vec::new(), sender: Some(sender), outlet: None };
        (Self { state: Mutex::new(state) }, receiver)
    }

    /// One of its requests is answered.
    pub(crate) fn finish(&self, body: Bytes) {
        let mut state = lock(&self.state);
        state.open = state.open.saturating_sub(1);
        if !body.is_empty() {
            match &state.outlet {
                Some(outlet) => drop(outlet.send(body)),
                None => state.answers.push(body),
            }
        }
        if state.open > 0 {
            return;
        }
        state.outlet = None;
        if let Some(sender) = state.sender.take() {
            let body = array(&state.answers);
            drop(sender.send(Answer::Whole { status: 200, body }));
        }
    }

    /// One of its requests says something: all becomes a stream.
    pub(crate) fn message(&self, body: Bytes, open: impl FnOnce() -> (Outlet, Source)) {
        let mut state = lock(&self.state);
        if let Some(sender) = state.sender.take() {
            drop(sender.send(Answer::Stream(state.become_stream(open))));
        }
        if let Some(outlet) = &state.outlet {
            outlet.send(body);
        }
    }

    /// Makes a stream of it because its POST has waited for long. Nothing if it has got something meanwhile.
    pub(crate) fn open_stream(&self, open: impl FnOnce() -> (Outlet, Source)) -> Option<Source> {
        let mut state = lock(&self.state);
        state.sender.take()?;
        Some(state.become_stream(open))
    }
}

impl State {
    /// What is answered already comes first.
    fn become_stream(&mut self, open: impl FnOnce() -> (Outlet, Source)) -> Source {
        let (outlet, source) = open();
        for answer in self.answers.drain(..) {
            outlet.send(answer);
        }
        self.outlet = Some(outlet);
        source
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
    use crate::events::{Channel, EventStream};
    use http_body_util::BodyExt;
    use std::time::Duration;

    #[tokio::test]
    async fn answers_become_one_array() {
        let (batch, receiver) = Batch::new(2);
        batch.finish(Bytes::from_static(b"1"));
        batch.finish(Bytes::from_static(b"2"));
        match receiver.await.expect("answered") {
            Answer::Whole { status: 200, body } => assert_eq!(body, "[1,2]"),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_word_before_an_answer_makes_all_of_it_a_stream() {
        let (batch, receiver) = Batch::new(2);
        batch.finish(Bytes::from_static(b"1"));
        batch.message(Bytes::from_static(b"note"), || Channel::passing().ends());
        batch.finish(Bytes::from_static(b"2"));
        let Answer::Stream(source) = receiver.await.expect("answered") else { panic!("no stream") };
        let event = |data| format!("event: message\ndata: {data}\n\n");
        assert_eq!(whole(source).await, [event("1"), event("note"), event("2")].concat());
    }

    #[tokio::test]
    async fn a_slow_batch_becomes_a_stream_once() {
        let (batch, receiver) = Batch::new(2);
        batch.finish(Bytes::from_static(b"1"));
        let source = batch.open_stream(|| Channel::passing().ends()).expect("nothing was said yet");
        assert!(batch.open_stream(|| Channel::passing().ends()).is_none());
        assert!(receiver.await.is_err(), "whoever waited has the stream");
        batch.finish(Bytes::from_static(b"2"));
        assert_eq!(whole(source).await, "event: message\ndata: 1\n\nevent: message\ndata: 2\n\n");
    }

    async fn whole(source: crate::events::Source) -> Bytes {
        EventStream::new(source, None, Duration::from_secs(60), ()).collect().await.expect("whole").to_bytes()
    }
}
