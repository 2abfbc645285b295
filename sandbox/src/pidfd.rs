//! A process by descriptor: it cannot be mistaken for a later one that was given the same number.
//!
//! Must never signal or wait by number.

use nix::errno::Errno;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

pub use nix::sys::signal::Signal;

/// A process. It becomes readable (for poll) when the process has ended.
#[derive(Debug)]
pub struct Pidfd {
    descriptor: OwnedFd,
}

impl Pidfd {
    /// The process that has this number now. Free of races only for a child that has not been reaped.
    pub fn open(pid: u32) -> io::Result<Self> {
        // SAFETY: the call touches no memory.
        let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, pid as libc::pid_t, 0) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just made this descriptor; nothing else owns it. It is closed on exec by definition.
        Ok(Self { descriptor: unsafe { OwnedFd::from_raw_fd(descriptor as RawFd) } })
    }

    /// Sends a signal. That the process has ended already is no error.
    pub fn kill(&self, signal: Signal) -> io::Result<()> {
        let no_info = std::ptr::null::<libc::siginfo_t>();
        // SAFETY: a null siginfo is what the call documents for "as kill does".
        let result = unsafe {
            libc::syscall(libc::SYS_pidfd_send_signal, self.descriptor.as_raw_fd(), signal as libc::c_int, no_info, 0)
        };
        match Errno::result(result) {
            Ok(_) | Err(Errno::ESRCH) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits until this child has ended and reaps it: its exit code, or 128 and the number of the signal.
    pub fn wait(&self) -> io::Result<i32> {
        loop {
            match self.reap(WaitPidFlag::empty()) {
                Ok(Some(status)) => return Ok(status),
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// As [`Pidfd::wait`], or `None` if the child still runs.
    pub fn try_wait(&self) -> io::Result<Option<i32>> {
        self.reap(WaitPidFlag::WNOHANG)
    }

    fn reap(&self, flags: WaitPidFlag) -> io::Result<Option<i32>> {
        match waitid(Id::PIDFd(self.descriptor.as_fd()), flags | WaitPidFlag::WEXITED)? {
            WaitStatus::Exited(_, code) => Ok(Some(code)),
            WaitStatus::Signaled(_, signal, _) => Ok(Some(128 + signal as i32)),
            _ => Ok(None),
        }
    }
}

impl From<OwnedFd> for Pidfd {
    fn from(descriptor: OwnedFd) -> Self {
        Self { descriptor }
    }
}

impl From<Pidfd> for OwnedFd {
    fn from(pidfd: Pidfd) -> Self {
        pidfd.descriptor
    }
}

impl AsFd for Pidfd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

impl AsRawFd for Pidfd {
    fn as_raw_fd(&self) -> RawFd {
        self.descriptor.as_raw_fd()
    }
}
