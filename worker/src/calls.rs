//! Which call runs, which were given up, and what the client answered to what it was asked: the one thing that both
//! threads change.
//!
//! A cancel comes by another socket than the call that it concerns, so it may come before, during and after it. The
//! router numbers exchanges in the order in which they arrived, so a cancel that names a JSON-RPC id means the first
//! call of that id among those with a smaller number than its own.

use protocol::limits::CALLS_QUEUED_MAX;
use serde_json::Value;
use smalltalk::Interrupts;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Cancels kept for calls that were not begun yet.
const EARLY_MAX: usize = 2 * CALLS_QUEUED_MAX;

/// The level of log messages until a client chooses: `info`.
const LEVEL_DEFAULT: usize = 1;

/// The calls of one gem.
#[derive(Debug)]
pub(crate) struct Calls {
    interrupts: Arc<Interrupts>,
    state: Mutex<CallState>,
    /// Something happened that a call which waits for its client wants to know.
    changed: Condvar,
    /// The least urgent level of log messages that the session's client wants.
    level: AtomicUsize,
}

/// What the client answered to one question: a result, or the message of an error.
pub(crate) type ClientAnswer = Result<Value, String>;

/// Why there are no answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// The client gave the call up.
    Cancelled,
    /// It took too long.
    Late,
}

#[derive(Debug, Default)]
struct CallState {
    running: Option<Running>,
    /// What was asked, by raw id, and what was answered.
    questions: HashMap<String, Option<ClientAnswer>>,
    early: VecDeque<Cancel>,
}

#[derive(Debug)]
struct Running {
    exchange: u64,
    id: String,
    cancelled: bool,
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
        let level = AtomicUsize::new(LEVEL_DEFAULT);
        Self { interrupts, state: Mutex::default(), changed: Condvar::new(), level }
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
        state.running = Some(Running { exchange, id: id.to_owned(), cancelled: false });
        true
    }

    /// The call that ran has ended.
    pub(crate) fn end(&self) {
        self.state().running = None;
    }

    /// The client of the session wants log messages from this level on.
    pub(crate) fn set_level(&self, level: usize) {
        self.level.store(level, Ordering::Relaxed);
    }

    /// The least urgent level that the client of the session wants.
    pub(crate) fn level(&self) -> usize {
        self.level.load(Ordering::Relaxed)
    }

    /// Questions with these raw ids are about to be asked.
    pub(crate) fn expect(&self, ids: &[String]) {
        self.state().questions = ids.iter().map(|id| (id.clone(), None)).collect();
    }

    /// The client answered what bears this raw id; an answer that is not waited for is dropped.
    pub(crate) fn answer(&self, id: &str, answered: ClientAnswer) {
        let mut state = self.state();
        if let Some(question) = state.questions.get_mut(id) {
            question.get_or_insert(answered);
            self.changed.notify_all();
        }
    }

    /// Waits until all that was asked is answered.
    pub(crate) fn wait(&self, deadline: Instant) -> Result<HashMap<String, ClientAnswer>, Unanswered> {
        let mut state = self.state();
        loop {
            if state.running.as_ref().is_some_and(|running| running.cancelled) {
                state.questions.clear();
                return Err(Unanswered::Cancelled);
            }
            if state.questions.values().all(Option::is_some) {
                let answered = std::mem::take(&mut state.questions).into_iter();
                return Ok(answered.filter_map(|(id, answered)| Some((id, answered?))).collect());
            }
            let rest = deadline.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                state.questions.clear();
                return Err(Unanswered::Late);
            }
            state = self.changed.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until then; false as soon as what runs is cancelled.
    pub(crate) fn pause(&self, until: Instant) -> bool {
        let mut state = self.state();
        loop {
            if state.running.as_ref().is_some_and(|running| running.cancelled) {
                return false;
            }
            let rest = until.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return true;
            }
            state = self.changed.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends what runs if it is meant; else keeps this for the call that may come.
    pub(crate) fn cancel(&self, cancel: Cancel) {
        let mut state = self.state();
        let meant = state.running.as_mut().filter(|running| cancel.concerns(running.exchange, &running.id));
        if let Some(running) = meant {
            running.cancelled = true;
            self.interrupts.cancel();
            self.changed.notify_all();
            return;
        }
        if state.early.len() == EARLY_MAX {
            state.early.pop_front();
        }
        state.early.push_back(cancel);
    }

    fn state(&self) -> MutexGuard<'_, CallState> {
        // A panic ends the process right after its call was answered; the state is whole in any case.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
    fn a_call_waits_for_its_answers_or_its_end() {
        let calls = calls();
        let soon = || Instant::now() + std::time::Duration::from_secs(60);
        assert!(calls.begin(1, "1"));
        calls.expect(&["\"a\"".to_owned(), "\"b\"".to_owned()]);
        calls.answer("\"a\"", Ok(json!(1)));
        calls.answer("\"c\"", Ok(json!(3)));
        assert_eq!(calls.wait(Instant::now()), Err(Unanswered::Late));
        calls.expect(&["\"a\"".to_owned()]);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| calls.wait(soon()));
            calls.answer("\"a\"", Err("no".to_owned()));
            let answers = waiting.join().expect("joined").expect("answered");
            assert_eq!(answers["\"a\""], Err("no".to_owned()));
        });
        calls.expect(&["\"a\"".to_owned()]);
        calls.cancel(Cancel::Exchange(1));
        assert_eq!(calls.wait(soon()), Err(Unanswered::Cancelled));
    }

    #[test]
    fn a_pause_ends_with_the_call() {
        let calls = calls();
        assert!(calls.begin(1, "1"));
        assert!(calls.pause(Instant::now()));
        calls.cancel(Cancel::Exchange(1));
        assert!(!calls.pause(Instant::now() + std::time::Duration::from_secs(60)));
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
