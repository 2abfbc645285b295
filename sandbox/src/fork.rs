//! Forks a child that goes on as the same program, with nothing open but what it was given.
//!
//! The child shares the memory of its parent, so it keeps what the parent has built. Must never be called with a second
//! thread, and the child must never run the parent's destructors.

use crate::descriptors::{check, close_from, place};
use crate::pidfd::Pidfd;
use nix::sys::signal::SigSet;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

pub use crate::limits::CHILD_DESCRIPTORS as DESCRIPTORS;
use crate::limits::STANDARD_DESCRIPTORS;

/// First number of the descriptors that a child is given.
pub const FIRST_DESCRIPTOR: RawFd = STANDARD_DESCRIPTORS as RawFd;

/// A forked child as its parent sees it.
#[derive(Debug)]
pub struct ForkedProcess {
    /// Its number, for logs.
    pub pid: u32,
    /// The process; the parent must reap it by this.
    pub pidfd: Pidfd,
}

/// Forks. The child has the descriptors at 3, 4 and 5 (given to `body` in that order), nothing at 0 and 1, `stderr` at
/// 2, and nothing else; it runs `body`, exits with what that answers and never returns, so nothing that the parent
/// owns is dropped twice.
///
/// # Errors
/// When the process has more than one thread (the others would be missing in the child, with their locks held), and
/// when the system refuses.
pub fn fork_process<F>(
    descriptors: [OwnedFd; DESCRIPTORS],
    stderr: BorrowedFd<'_>,
    body: F,
) -> io::Result<ForkedProcess>
where
    F: FnOnce([OwnedFd; DESCRIPTORS]) -> i32,
{
    if threads()? != 1 {
        return Err(io::Error::other("a process with several threads cannot fork"));
    }
    let null = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    // SAFETY: there is one thread (checked above), so no lock can be held by a thread that is missing in the child.
    let pid = check(unsafe { libc::fork() })?;
    if pid > 0 {
        // Only this process reaps, and has not yet: the number still belongs to this child.
        return Ok(ForkedProcess { pid: pid as u32, pidfd: Pidfd::open(pid as u32)? });
    }
    let status = match take_descriptors(&descriptors, null.as_raw_fd(), stderr.as_raw_fd()) {
        Ok(own) => {
            // Their old numbers are closed by now; dropping the owners would close other ones.
            std::mem::forget((descriptors, null));
            body(own)
        }
        Err(_) => 127,
    };
    // No destructor and no exit handler of the parent may run here.
    crate::exit_at_once(status)
}

/// Puts the descriptors where the child expects them and closes all others.
fn take_descriptors(
    descriptors: &[OwnedFd; DESCRIPTORS],
    null: RawFd,
    stderr: RawFd,
) -> io::Result<[OwnedFd; DESCRIPTORS]> {
    let [calls, control, stone] = descriptors;
    let sources = [null, null, stderr, calls.as_raw_fd(), control.as_raw_fd(), stone.as_raw_fd()];
    place(&sources, 0)?;
    close_from(FIRST_DESCRIPTOR + DESCRIPTORS as RawFd);
    // The parent may block the signal of its children's end; the child starts like any process.
    SigSet::empty().thread_set_mask()?;
    // SAFETY: `place` has just made these; nothing else in this process knows them.
    Ok(std::array::from_fn(|index| unsafe { OwnedFd::from_raw_fd(FIRST_DESCRIPTOR + index as RawFd) }))
}

/// How many threads this process has.
fn threads() -> io::Result<usize> {
    // The link count of the directory is 2 and one for each thread: one call instead of a walk.
    use std::os::unix::fs::MetadataExt;
    Ok((std::fs::metadata("/proc/self/task")?.nlink() as usize).saturating_sub(2))
}
