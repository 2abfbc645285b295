//! What a panic does: a gem answers the call in which it happened and ends; any other process of a worker ends at once.
//!
//! Nothing may go on with what a panic left behind: the code that catches one here only answers and ends the process.

use protocol::gem::exit;
use smalltalk::HeapFault;
use std::cell::Cell;
use std::io::Write;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};

thread_local! {
    /// Whether the next panic of this thread is caught.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// From now on a panic is logged, and ends the process at once unless [`catch`] waits for it: whichever thread it is
/// in, the process is never left half alive.
pub(crate) fn install_hook() {
    std::panic::set_hook(Box::new(|panic| {
        // A log that cannot be written is no reason to leave the call without its answer.
        let _ = writeln!(std::io::stderr(), "lapidary-worker: {}", described(panic));
        // Taken, so that a second panic, of a destructor that the first one runs, ends the process.
        if !IS_CAUGHT.try_with(Cell::take).unwrap_or(false) {
            sandbox::exit_at_once(exit::PANIC)
        }
    }));
}

/// What `call` answers; nothing if it panicked. Then the caller must end the process and use nothing that the call
/// could change, other than to say so.
pub(crate) fn catch<T>(call: impl FnOnce() -> T) -> Option<T> {
    IS_CAUGHT.set(true);
    // Nothing sees a state that is broken off in the middle: the process ends right after, its image is not used again
    // and nothing is committed. What the answer needs lies behind locks that recover, or is replaced as a whole.
    let outcome = catch_unwind(AssertUnwindSafe(call));
    IS_CAUGHT.set(false);
    outcome.ok()
}

/// The place and the words of a panic. The standard library knows no words for a payload that is not text.
fn described(panic: &PanicHookInfo<'_>) -> String {
    match panic.payload().downcast_ref::<HeapFault>() {
        Some(fault) => format!("{panic}\n{fault}"),
        None => panic.to_string(),
    }
}
