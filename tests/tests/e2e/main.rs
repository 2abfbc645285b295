//! End to end: the real binaries over real sockets, as a client or an operator meets them.
//!
//! One module a theme, one test a behaviour, named for what must hold. Every test starts servers of its own, and every
//! server proves at its end that nothing of it is left.

mod admission;
mod concurrency;
mod crashes;
mod faults;
mod language;
mod lifecycle;
mod operation;
mod peers;
mod runaway;
mod scripts;
mod stalls;
mod transactions;
mod walls;

use std::time::{Duration, Instant};

/// Tries until it succeeds: for what another process will have done soon, and that no event tells.
fn eventually<T>(limit: Duration, what: &str, mut attempt: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + limit;
    loop {
        if let Some(value) = attempt() {
            return value;
        }
        assert!(Instant::now() < end, "not within {limit:?}: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
