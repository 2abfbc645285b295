//! Stopping: the first signal drains, the second ends everything at once.

use crate::front::{Front, Stage};
use crate::listen::Connections;
use crate::loss::Loss;
use crate::observe::Log;
use protocol::limits::{CANCEL_GRACE_MILLIS, STOP_GRACE_MILLIS};
use std::io;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, sleep, timeout_at};

/// How often the drain looks whether it is done.
const LOOK: Duration = Duration::from_millis(10);

/// The signals that stop the router.
#[derive(Debug)]
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for a signal to stop. A terminal that goes away is none.
    pub(crate) async fn stop(&mut self) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                _ = self.hang_up.recv() => tracing::info!("the terminal hung up; serving on"),
            }
        }
    }
}

/// Ends the process at once when a second signal comes.
pub(crate) async fn watch_for_impatience(mut signals: Signals, log: Log) {
    signals.stop().await;
    tracing::warn!("told to stop again: stopping at once");
    log.flush();
    std::process::exit(1);
}

/// Lets what is under way end, then ends all sessions, then all connections; each within its part of the grace.
pub(crate) async fn drain(front: &Front, connections: &Connections) {
    let grace = Duration::from_millis(STOP_GRACE_MILLIS);
    let last_words = Duration::from_millis(CANCEL_GRACE_MILLIS);
    let end = Instant::now() + grace;
    front.stage.send_replace(Stage::Draining);
    front.around.listeners.close();
    while Instant::now() < end - last_words && !front.around.table.living().iter().all(|session| session.is_idle()) {
        sleep(LOOK).await;
    }
    let sessions = front.around.table.living();
    for session in &sessions {
        session.end(Loss::SessionEnded);
    }
    let all_over = async {
        for session in &sessions {
            session.over().await;
        }
    };
    let stopped = timeout_at(end, all_over).await.is_ok();
    front.stage.send_replace(Stage::Closing);
    let closed = timeout_at(end, connections.closed()).await.is_ok();
    for session in &sessions {
        session.gem.kill();
    }
    tracing::info!(sessions = sessions.len(), in_time = stopped && closed, "stopped");
}
