//! When the stone may leave: who is connected, what is under way, who has told it to stop.
//!
//! Only a peer that was welcomed counts as company: somebody who just looks whether anybody answers must neither keep
//! a stone nor end it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a stone waits for the first to come.
const FIRST_WAIT: Duration = Duration::from_secs(10);
/// How long a stone that was told to stop waits until answers under way are written.
const ANSWERS_WAIT: Duration = Duration::from_secs(2);
/// Connections at once; more are refused.
pub(crate) const CONNECTIONS_MAX: usize = 4_096;

/// Why the stone leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    LastLeft,
    NobodyCame,
    Told,
}

impl Reason {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::LastLeft => "the last connection has gone",
            Self::NobodyCame => "nobody came",
            Self::Told => "told to stop",
        }
    }
}

#[derive(Debug, Default)]
struct State {
    connected: usize,
    ever_welcomed: bool,
    answering: usize,
    told: bool,
    closed: bool,
}

/// The life of one stone.
#[derive(Debug)]
pub(crate) struct Life {
    began: Instant,
    state: Mutex<State>,
    changed: Condvar,
}

impl Life {
    pub(crate) fn new() -> Self {
        Self { began: Instant::now(), state: Mutex::default(), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection was accepted; `None` if there are too many or the stone has closed.
    pub(crate) fn connect(&self) -> Option<Connected<'_>> {
        let mut state = self.state();
        if state.connected >= CONNECTIONS_MAX || state.closed {
            return None;
        }
        state.connected += 1;
        Some(Connected { life: self })
    }

    /// Whether the stone takes nobody any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// Something is under way whose answer should still be written before the stone leaves.
    pub(crate) fn answer(&self) -> Answering<'_> {
        self.state().answering += 1;
        Answering { life: self }
    }

    /// Tells the stone to stop.
    pub(crate) fn stop(&self) {
        self.state().told = true;
        self.changed.notify_all();
    }

    /// Waits until there is a reason to leave; from then on nobody is taken in.
    pub(crate) fn wait(&self) -> Reason {
        let mut state = self.state();
        loop {
            let patience = FIRST_WAIT.saturating_sub(self.began.elapsed());
            if let Some(reason) = state.reason(patience.is_zero()) {
                state.closed = true;
                return reason;
            }
            let wait = if state.ever_welcomed || patience.is_zero() { Duration::from_secs(3600) } else { patience };
            state = self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
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

impl State {
    fn reason(&self, patience_over: bool) -> Option<Reason> {
        if self.told {
            return Some(Reason::Told);
        }
        // Whoever is connected but not welcomed yet is about to say hello, or is dropped for his silence.
        if self.connected > 0 {
            return None;
        }
        match (self.ever_welcomed, patience_over) {
            (true, _) => Some(Reason::LastLeft),
            (false, true) => Some(Reason::NobodyCame),
            (false, false) => None,
        }
    }
}

/// One connection, until it is dropped.
#[derive(Debug)]
pub(crate) struct Connected<'a> {
    life: &'a Life,
}

impl Connected<'_> {
    /// This peer is company.
    pub(crate) fn welcome(&self) {
        self.life.state().ever_welcomed = true;
    }
}

impl Drop for Connected<'_> {
    fn drop(&mut self) {
        self.life.state().connected -= 1;
        self.life.changed.notify_all();
    }
}

/// One answer under way, until it is dropped.
#[derive(Debug)]
pub(crate) struct Answering<'a> {
    life: &'a Life,
}

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        self.life.state().answering -= 1;
        self.life.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_welcomed_peer_ends_the_stone_by_leaving() {
        let life = Life::new();
        drop(life.connect());
        assert_eq!(life.state().reason(false), None);
        assert_eq!(life.state().reason(true), Some(Reason::NobodyCame));
        let first = life.connect().expect("open");
        first.welcome();
        let second = life.connect().expect("open");
        drop(first);
        assert_eq!(life.state().reason(true), None, "somebody is about to say hello");
        drop(second);
        assert_eq!(life.wait(), Reason::LastLeft);
        assert!(life.connect().is_none());
    }
}
