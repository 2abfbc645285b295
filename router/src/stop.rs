//! Stopping: the first signal drains, the second ends everything at once.

use crate::core::failure::EndReason;
use crate::core::shared::{Core, Stage};
use crate::observe::Log;
use crate::transport::Transport;
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

/// Lets what is under way end, then ends all sessions, then what the transport holds; each within its part of the
/// grace.
pub(crate) async fn drain(core: &Core, transport: &mut impl Transport) {
    let grace = Duration::from_millis(STOP_GRACE_MILLIS);
    let last_answers = Duration::from_millis(CANCEL_GRACE_MILLIS);
    let end = Instant::now() + grace;
    core.stage.send_replace(Stage::Draining);
    core.shared.listeners.close();
    let table = &core.shared.table;
    while Instant::now() < end - last_answers && !table.living().iter().all(|session| session.is_idle()) {
        sleep(LOOK).await;
    }
    let sessions = table.living();
    for session in &sessions {
        session.end(EndReason::ShutDown);
    }
    let all_over = async {
        for session in &sessions {
            session.over().await;
        }
    };
    let stopped = timeout_at(end, all_over).await.is_ok();
    core.stage.send_replace(Stage::Closing);
    let closed = timeout_at(end, transport.close()).await.is_ok();
    for session in &sessions {
        session.link.kill();
    }
    tracing::info!(sessions = sessions.len(), in_time = stopped && closed, "stopped");
}
