//! Memory for large requests, shared by all connections, so that many of them cannot exhaust the stone together.
//!
//! Small requests pass freely; their number is bounded by that of the connections. Must never be waited for while a
//! permit is held.

use protocol::limits::stone::{REQUEST_FREE_BYTES_MAX, REQUESTS_BYTES_MAX};
use std::sync::{Condvar, Mutex, PoisonError};

/// The memory that is left for large requests.
#[derive(Debug)]
pub(crate) struct RequestMemory {
    left: Mutex<usize>,
    freed: Condvar,
}

impl RequestMemory {
    pub(crate) fn new() -> Self {
        Self { left: Mutex::new(REQUESTS_BYTES_MAX), freed: Condvar::new() }
    }

    /// Waits until a request of this size may be read. The permit is to be held until it is done with.
    pub(crate) fn take(&self, bytes: usize) -> Permit<'_> {
        if bytes <= REQUEST_FREE_BYTES_MAX {
            return Permit { memory: self, bytes: 0 };
        }
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        while *left < bytes {
            left = self.freed.wait(left).unwrap_or_else(PoisonError::into_inner);
        }
        *left -= bytes;
        Permit { memory: self, bytes }
    }
}

/// Room for one request, until it is dropped.
#[derive(Debug)]
pub(crate) struct Permit<'a> {
    memory: &'a RequestMemory,
    bytes: usize,
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        if self.bytes > 0 {
            *self.memory.left.lock().unwrap_or_else(PoisonError::into_inner) += self.bytes;
            self.memory.freed.notify_all();
        }
    }
}
