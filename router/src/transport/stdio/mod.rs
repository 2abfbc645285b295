//! One client over standard input and output: a message a line, in both directions.
//!
//! Nothing but messages is ever written to standard output. It ends when its input does, or when nobody reads its
//! output.

mod lines;
mod output;

use crate::core::connection::Connection;
use crate::core::shared::Core;
use crate::refusal::Refusal;
use crate::transport::Transport;
use lines::Line;
use output::Output;
use protocol::error::INVALID_REQUEST;
use std::io;
use std::sync::Arc;
use tokio::sync::mpsc;

/// The client at the other end of both pipes.
#[derive(Debug)]
pub(crate) struct Stdio {
    lines: mpsc::Receiver<Line>,
    open: Option<(Connection, Output)>,
}

impl Stdio {
    /// Begins to read.
    pub(crate) fn start() -> io::Result<Self> {
        Ok(Self { lines: lines::read(io::stdin())?, open: None })
    }
}

impl Transport for Stdio {
    async fn serve(&mut self, core: Arc<Core>) {
        let (connection, reader) = Connection::new(core);
        let output = match Output::start(reader) {
            Ok(output) => output,
            Err(error) => return tracing::error!(%error, "nothing can be written"),
        };
        // It outlives this future, which is dropped when the router is told to stop.
        let (connection, output) = self.open.insert((connection, output));
        loop {
            let line = tokio::select! {
                line = self.lines.recv() => line,
                () = output.broken() => return tracing::warn!("nobody reads what is said"),
            };
            match line {
                Some(Line::Whole(bytes)) if bytes.trim_ascii().is_empty() => {}
                Some(Line::Whole(bytes)) => connection.take(bytes).await,
                Some(Line::TooLong) => {
                    let message = "Invalid request: the message is too long";
                    connection.refuse(&Refusal::NoMessage { code: INVALID_REQUEST, message }, None);
                }
                None => break,
            }
        }
        tracing::info!("the input has ended");
        tokio::select! {
            () = connection.drain() => {}
            () = output.broken() => {}
        }
    }

    async fn close(&mut self) {
        if let Some((connection, output)) = &mut self.open {
            connection.close();
            output.closed().await;
        }
    }
}
