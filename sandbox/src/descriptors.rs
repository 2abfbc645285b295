//! Descriptors of the own process: close the ones nobody asked for, and put the others where they are expected.
//!
//! Everything here runs between fork and exec, or in a forked child: system calls only, no allocation, no locks.

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
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        let last = RawFd::try_from(limit.rlim_cur).unwrap_or(1 << 20).min(1 << 20);
        for descriptor in first..last {
            libc::close(descriptor);
        }
    }
}

/// Makes `sources[i]` available as descriptor `first + i`, whatever numbers they have now. What was open there before
/// is closed; the sources stay open too. `keep` says whether the places survive an exec.
pub(crate) fn place(sources: &[RawFd], first: RawFd, keep: bool) -> io::Result<()> {
    let mut parked = [-1; 8];
    assert!(sources.len() <= parked.len(), "a handful of descriptors");
    let close_on_exec = if keep { 0 } else { libc::O_CLOEXEC };
    // All are duplicated beyond the places before any moves, so that no place is taken while a source sits on it.
    let beyond = first + sources.len() as RawFd;
    for (source, slot) in sources.iter().zip(&mut parked) {
        // SAFETY: duplicating a descriptor touches no memory.
        *slot = check(unsafe { libc::fcntl(*source, libc::F_DUPFD_CLOEXEC, beyond) })?;
    }
    for (place, slot) in (first..).zip(&parked[..sources.len()]) {
        // SAFETY: as above; the slot was just duplicated here and nobody else knows it.
        unsafe {
            check(libc::dup3(*slot, place, close_on_exec))?;
            libc::close(*slot);
        }
    }
    Ok(())
}

/// The result of a system call, or what errno says.
pub(crate) fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
