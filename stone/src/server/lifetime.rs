//! When the stone may leave: connections, answers under way, and the request to stop.
//!
//! Only a peer whose hello was accepted counts. A process that only probes whether the stone answers must neither keep
//! it nor end it.

use protocol::limits::stone as limits;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a stone waits for its first session or lifeline.
const FIRST_WAIT: Duration = Duration::from_millis(limits::FIRST_CONNECTION_MILLIS);
/// How long a stone that was asked to stop waits until answers under way are written.
const ANSWERS_WAIT: Duration = Duration::from_millis(limits::ANSWERS_MILLIS);

/// Why the stone leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopReason {
    LastLeft,
    NoneCame,
    Requested,
}

impl StopReason {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::LastLeft => "the last connection has gone",
            Self::NoneCame => "no connection came",
            Self::Requested => "asked to stop",
        }
    }
}

#[derive(Debug, Default)]
struct Counts {
    connected: usize,
    ever_welcomed: bool,
    answering: usize,
    stop_requested: bool,
    closed: bool,
}

/// The lifetime of one stone.
#[derive(Debug)]
pub(crate) struct Lifetime {
    began: Instant,
    state: Mutex<Counts>,
    changed: Condvar,
}

impl Lifetime {
    pub(crate) fn new() -> Self {
        Self { began: Instant::now(), state: Mutex::default(), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, Counts> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection was accepted; `None` if there are too many or the stone has closed.
    pub(crate) fn connect(&self) -> Option<ConnectionGuard<'_>> {
        let mut state = self.state();
        if state.connected >= limits::CONNECTIONS_MAX || state.closed {
            return None;
        }
        state.connected += 1;
        Some(ConnectionGuard { lifetime: self })
    }

    /// Whether the stone takes no more connections.
    pub(crate) fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// Something is under way whose answer should still be written before the stone leaves.
    pub(crate) fn answer(&self) -> ResponseGuard<'_> {
        self.state().answering += 1;
        ResponseGuard { lifetime: self }
    }

    /// Asks the stone to stop.
    pub(crate) fn stop(&self) {
        self.state().stop_requested = true;
        self.changed.notify_all();
    }

    /// Waits until there is a reason to leave; from then on no connection is taken.
    pub(crate) fn wait(&self) -> StopReason {
        let mut state = self.state();
        loop {
            let grace = FIRST_WAIT.saturating_sub(self.began.elapsed());
            if let Some(reason) = state.reason(grace.is_zero()) {
                state.closed = true;
                return reason;
            }
            state = if state.ever_welcomed || grace.is_zero() {
                self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
            } else {
                self.changed.wait_timeout(state, grace).unwrap_or_else(PoisonError::into_inner).0
            };
        }
    }

    /// Waits until the answers under way are written, within reason.
    pub(crate) fn wait_for_answers(&self) {
        let until = Instant::now() + ANSWERS_WAIT;
        let mut state = self.state();
        while state.answering > 0 {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Counts {
    fn reason(&self, grace_over: bool) -> Option<StopReason> {
        if self.stop_requested {
            return Some(StopReason::Requested);
        }
        // A peer that is connected but not welcomed yet is about to say hello, or is dropped for its silence.
        if self.connected > 0 {
            return None;
        }
        match (self.ever_welcomed, grace_over) {
            (true, _) => Some(StopReason::LastLeft),
            (false, true) => Some(StopReason::NoneCame),
            (false, false) => None,
        }
    }
}

/// One connection, until it is dropped.
#[derive(Debug)]
pub(crate) struct ConnectionGuard<'a> {
    lifetime: &'a Lifetime,
}

impl ConnectionGuard<'_> {
    /// This peer's hello was accepted: it counts from now on.
    pub(crate) fn welcome(&self) {
        self.lifetime.state().ever_welcomed = true;
    }
}

impl Drop for ConnectionGuard<'_> {
    fn drop(&mut self) {
        self.lifetime.state().connected -= 1;
        self.lifetime.changed.notify_all();
    }
}

/// One answer under way, until it is dropped.
#[derive(Debug)]
pub(crate) struct ResponseGuard<'a> {
    lifetime: &'a Lifetime,
}

impl Drop for ResponseGuard<'_> {
    fn drop(&mut self) {
        self.lifetime.state().answering -= 1;
        self.lifetime.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_welcomed_peer_ends_the_stone_by_leaving() {
        let lifetime = Lifetime::new();
        drop(lifetime.connect());
        assert_eq!(lifetime.state().reason(false), None);
        assert_eq!(lifetime.state().reason(true), Some(StopReason::NoneCame));
        let first = lifetime.connect().expect("open");
        first.welcome();
        let second = lifetime.connect().expect("open");
        drop(first);
        assert_eq!(lifetime.state().reason(true), None, "a peer is about to say hello");
        drop(second);
        assert_eq!(lifetime.wait(), StopReason::LastLeft);
        assert!(lifetime.connect().is_none());
    }
}
