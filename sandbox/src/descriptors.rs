//! File descriptors of this process: close those that are not meant for it, and put the others at fixed numbers.
//!
//! Everything here runs between fork and exec, or in a forked child: system calls only, no allocation, no locks.

use crate::limits::{DESCRIPTOR_NUMBER_MAX, PLACED_DESCRIPTORS_MAX};
use std::io;
use std::os::fd::RawFd;

/// Closes every descriptor from `first` on.
pub(crate) fn close_from(first: RawFd) {
    // SAFETY: closing descriptors touches no memory. Callers are in a child of their own and use none of the closed
    // ones again; owners of them are never dropped there.
    unsafe {
        if libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) == 0 {
            return;
        }
        // Kernels before 5.9 have no close_range.
        for descriptor in first..highest() {
            libc::close(descriptor);
        }
    }
}

/// Has every descriptor from `first` on closed when this process executes another program.
pub(crate) fn close_on_exec_from(first: RawFd) -> io::Result<()> {
    // SAFETY: changing flags of descriptors touches no memory.
    unsafe {
        if libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) == 0 {
            return Ok(());
        }
        // Kernels before 5.11 do not know the flag. A number that is not open answers an error that does not matter.
        for descriptor in first..highest() {
            libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
    Ok(())
}

/// A number above all open descriptors.
fn highest() -> RawFd {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure lives through the call.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) };
    RawFd::try_from(limit.rlim_cur).unwrap_or(DESCRIPTOR_NUMBER_MAX).min(DESCRIPTOR_NUMBER_MAX)
}

/// Makes `sources[i]` available as descriptor `first + i`, whatever numbers they have now. What was open there before
/// is closed; the sources stay open too. The places are closed on exec.
pub(crate) fn place(sources: &[RawFd], first: RawFd) -> io::Result<()> {
    let mut parked = [-1; PLACED_DESCRIPTORS_MAX];
    assert!(sources.len() <= parked.len(), "a handful of descriptors");
    // All are duplicated beyond the places before any moves, so that no place is taken while a source sits on it.
    let beyond = first + sources.len() as RawFd;
    for (source, slot) in sources.iter().zip(&mut parked) {
        // SAFETY: duplicating a descriptor touches no memory.
        *slot = check(unsafe { libc::fcntl(*source, libc::F_DUPFD_CLOEXEC, beyond) })?;
    }
    for (place, slot) in (first..).zip(&parked[..sources.len()]) {
        // SAFETY: as above; the slot was just duplicated here and nothing else knows it.
        unsafe {
            check(libc::dup3(*slot, place, libc::O_CLOEXEC))?;
            libc::close(*slot);
        }
    }
    Ok(())
}

/// The result of a system call, or what errno says.
pub(crate) fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
