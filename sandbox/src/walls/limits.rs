//! Resource limits of a confined process.
//!
//! Hard and soft are always the same, so that the process cannot raise them again.

use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigHandler, Signal, signal};
use std::io;

/// What a confined process may use. It may write no file, leave no core, and lock no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Private writable memory, in bytes; reserved address space does not count.
    pub data_bytes: u64,
    /// Open descriptors.
    pub files: u64,
    /// Processor seconds of its whole life.
    pub cpu_seconds: u64,
}

impl Limits {
    pub(super) fn raise(&self) -> io::Result<()> {
        let limits = [
            (Resource::RLIMIT_DATA, self.data_bytes),
            (Resource::RLIMIT_NOFILE, self.files),
            (Resource::RLIMIT_CPU, self.cpu_seconds),
            (Resource::RLIMIT_FSIZE, 0),
            (Resource::RLIMIT_CORE, 0),
            (Resource::RLIMIT_MEMLOCK, 0),
            (Resource::RLIMIT_MSGQUEUE, 0),
        ];
        for (resource, value) in limits {
            setrlimit(resource, value, value)?;
        }
        // A write beyond the file size is an error of the write, no reason to die.
        // SAFETY: ignoring a signal installs no handler.
        unsafe { signal(Signal::SIGXFSZ, SigHandler::SigIgn) }?;
        Ok(())
    }
}
