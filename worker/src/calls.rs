//! Which call runs, and which were given up: the one thing that both threads change.
//!
//! A cancel comes by another socket than the call that it concerns, so it may come before, during and after it. The
//! router numbers exchanges in the order in which they arrived, so a cancel that names a JSON-RPC id means the first
//! call of that id among those with a smaller number than its own.

use protocol::limits::CALLS_QUEUED_MAX;
use smalltalk::Interrupts;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Cancels kept for calls that were not begun yet.
const EARLY_MAX: usize = 2 * CALLS_QUEUED_MAX;

/// The state.
#[derive(Debug)]
pub(crate) struct Calls {
    interrupts: Arc<Interrupts>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    running: Option<Running>,
    early: VecDeque<Cancel>,
}

#[derive(Debug)]
struct Running {
    exchange: u64,
    id: String,
}

/// A call that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cancel {
    /// By its exchange.
    Exchange(u64),
    /// By its raw JSON-RPC id; it came before this exchange.
    Id {
        /// The id.
        id: String,
        /// The exchange of the cancel itself.
        before: u64,
    },
}

impl Cancel {
    fn concerns(&self, exchange: u64, raw_id: &str) -> bool {
        match self {
            Cancel::Exchange(cancelled) => *cancelled == exchange,
            Cancel::Id { id, before } => exchange < *before && id == raw_id,
        }
    }

    /// Whether no call after this exchange can be meant any more.
    fn is_over(&self, exchange: u64) -> bool {
        match self {
            Cancel::Exchange(cancelled) => *cancelled <= exchange,
            Cancel::Id { before, .. } => *before <= exchange,
        }
    }
}

impl Calls {
    /// For a machine that these interrupt.
    pub(crate) fn new(interrupts: Arc<Interrupts>) -> Self {
        Self { interrupts, state: Mutex::default() }
    }

    /// A call begins, unless it was cancelled already: then `false`.
    pub(crate) fn begin(&self, exchange: u64, id: &str) -> bool {
        let mut state = self.state();
        let cancelled = state.early.iter().position(|cancel| cancel.concerns(exchange, id));
        if let Some(index) = cancelled {
            state.early.remove(index);
            return false;
        }
        state.early.retain(|cancel| !cancel.is_over(exchange));
        // Under the lock, so that a cancel of this call cannot be taken for one of the last.
        self.interrupts.clear();
        state.running = Some(Running { exchange, id: id.to_owned() });
        true
    }

    /// The call that ran has ended.
    pub(crate) fn end(&self) {
        self.state().running = None;
    }

    /// Ends what runs if it is meant; else keeps this for the call that may come.
    pub(crate) fn cancel(&self, cancel: Cancel) {
        let mut state = self.state();
        if state.running.as_ref().is_some_and(|running| cancel.concerns(running.exchange, &running.id)) {
            self.interrupts.cancel();
            return;
        }
        if state.early.len() == EARLY_MAX {
            state.early.pop_front();
        }
        state.early.push_back(cancel);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic ends the process, so nobody sees what it left; the state is whole in any case.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls() -> Calls {
        Calls::new(Arc::default())
    }

    fn by_id(id: &str, before: u64) -> Cancel {
        Cancel::Id { id: id.to_owned(), before }
    }

    #[test]
    fn a_cancel_that_overtakes_its_call_stops_it_and_only_it() {
        let calls = calls();
        calls.cancel(Cancel::Exchange(5));
        assert!(calls.begin(4, "1"));
        calls.end();
        assert!(!calls.begin(5, "1"));
        assert!(calls.begin(6, "1"));
    }

    #[test]
    fn an_id_means_the_first_call_before_the_cancel() {
        let calls = calls();
        calls.cancel(by_id("1", 7));
        assert!(calls.begin(4, "\"1\""));
        calls.end();
        assert!(!calls.begin(5, "1"));
        assert!(calls.begin(6, "1"), "one cancel, one call");
        calls.end();
        calls.cancel(by_id("1", 8));
        assert!(calls.begin(9, "1"), "an id may be used again");
    }

    #[test]
    fn cancels_of_what_never_comes_are_forgotten() {
        let calls = calls();
        for exchange in 0..10_000 {
            calls.cancel(Cancel::Exchange(exchange));
        }
        assert_eq!(calls.state().early.len(), EARLY_MAX);
        assert!(calls.begin(20_000, "1"));
        assert!(calls.state().early.is_empty());
    }
}
