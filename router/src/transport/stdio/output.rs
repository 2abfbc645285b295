//! What a client is told, written by a thread of its own, a message a line.
//!
//! A client that reads nothing for too long is given up, as over HTTP.

use crate::core::events::EventReader;
use bytes::Bytes;
use protocol::limits::WRITE_STALL_MILLIS;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

/// Messages between those who say them and the thread that writes.
const MESSAGES_MAX: usize = 64;

/// The output of one client.
#[derive(Debug)]
pub(super) struct Output {
    state: watch::Receiver<State>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// All that was said is written, or will never be.
    Closed,
}

impl Output {
    /// Writes what comes from `reader`.
    pub(super) fn start(mut reader: EventReader) -> io::Result<Self> {
        let (sender, receiver) = mpsc::channel::<Bytes>(MESSAGES_MAX);
        let (closed, state) = watch::channel(State::Open);
        let closed = Arc::new(closed);
        let written = closed.clone();
        std::thread::Builder::new().name("output".into()).spawn(move || {
            if let Err(error) = write(io::stdout().lock(), receiver) {
                tracing::warn!(%error, "the output cannot be written any more");
            }
            written.send_replace(State::Closed);
        })?;
        tokio::spawn(async move {
            let patience = Duration::from_millis(WRITE_STALL_MILLIS);
            while let Some(message) = reader.next().await {
                // The thread may be stuck in a write for ever.
                if !timeout(patience, sender.send(message)).await.is_ok_and(|sent| sent.is_ok()) {
                    closed.send_replace(State::Closed);
                    return;
                }
            }
        });
        Ok(Self { state })
    }

    /// Waits until nothing can be said any more.
    pub(super) async fn broken(&self) {
        drop(self.state.clone().wait_for(|state| *state == State::Closed).await);
    }

    /// Waits until all that was said is written.
    pub(super) async fn closed(&self) {
        self.broken().await;
    }
}

/// Writes messages until no more come. What has gathered is written before it is flushed.
fn write(mut output: impl Write, mut messages: mpsc::Receiver<Bytes>) -> io::Result<()> {
    while let Some(message) = messages.blocking_recv() {
        output.write_all(&message)?;
        output.write_all(b"\n")?;
        if messages.is_empty() {
            output.flush()?;
        }
    }
    output.flush()
}
