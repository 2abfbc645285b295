//! What a failed check of the heap does: it ends the call that made it, and never lets it go on.
//!
//! It must never be caught within this crate: whoever catches it gives the image up.

use super::oop::Oop;
use std::fmt;

/// The payload of the panic by which a check of the heap fails: native code used a word or an index that it should
/// not have. Memory is as sound as before; what the call was doing is not finished.
#[derive(Debug)]
pub struct HeapFault(String);

impl fmt::Display for HeapFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "heap fault: {}", self.0)
    }
}

/// Fails a check about a word.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn fault(what: &'static str, word: Oop) -> ! {
    raise(format!("{what}: {word:?}"))
}

/// Fails a check about an index.
#[cold]
#[inline(never)]
#[track_caller]
pub(super) fn fault_at(what: &'static str, index: usize) -> ! {
    raise(format!("{what}: {index}"))
}

#[track_caller]
fn raise(what: String) -> ! {
    let place = std::panic::Location::caller();
    std::panic::panic_any(HeapFault(format!("{what} ({}:{})", place.file(), place.line())))
}
