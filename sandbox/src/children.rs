//! Learns which children have ended, however many there are, by one descriptor.
//!
//! Reaps every child of this process, so it must never be used beside another waiter.

use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

/// Says when children of this process have ended. For a process with one thread.
#[derive(Debug)]
pub struct Children {
    signals: SignalFd,
}

/// A child that has ended and was reaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Its number, which is free for another process from now on.
    pub pid: u32,
    /// Its exit code, or 128 and the number of the signal.
    pub status: i32,
}

impl Children {
    /// From now on SIGCHLD is blocked in the calling thread and arrives here.
    pub fn watch() -> io::Result<Self> {
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGCHLD);
        signals.thread_block()?;
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        Ok(Self { signals: SignalFd::with_flags(&signals, flags)? })
    }

    /// Reaps all that have ended. Call it when the descriptor is readable; one signal may stand for several children.
    pub fn reap(&self) -> io::Result<Vec<Ended>> {
        while self.signals.read_signal()?.is_some() {}
        let mut ended = Vec::new();
        loop {
            match waitid(Id::All, WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG) {
                Ok(WaitStatus::Exited(pid, status)) => ended.push(Ended { pid: pid.as_raw() as u32, status }),
                Ok(WaitStatus::Signaled(pid, signal, _)) => {
                    ended.push(Ended { pid: pid.as_raw() as u32, status: 128 + signal as i32 });
                }
                Ok(_) | Err(Errno::ECHILD) => return Ok(ended),
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl AsFd for Children {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.signals.as_fd()
    }
}
