//! Raises all walls around this process, in their order.
//!
//! Unless the policy says otherwise, a wall that cannot be raised is an error: a process must never go on half confined
//! unasked.

use super::landlock;
use super::limits::Limits;
use super::seccomp::Filter;
use super::status::{ENFORCED, Wall, WallError};
use crate::descriptors::{check, close_from};
use std::io;
use std::os::fd::RawFd;

/// What to do about a wall that cannot be raised.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Policy {
    /// It is an error.
    #[default]
    Strict,
    /// It is reported, and the process goes on without it.
    BestEffort,
    /// None is raised at all.
    Off,
}

/// What to build.
#[derive(Debug)]
pub struct Profile<'a> {
    /// Descriptors from this number on are closed.
    pub first_foreign_descriptor: RawFd,
    /// What the process may use.
    pub limits: Limits,
    /// System calls that it may make; compiled ahead, once for all gems.
    pub filter: &'a Filter,
    /// What to do about a wall that cannot be raised.
    pub policy: Policy,
}

/// Confines this process for good.
///
/// It must have one thread when it comes here. `start` starts whatever threads it needs, each with
/// [`crate::threads::start`]; none can be started later.
///
/// # Errors
/// When the policy is strict and a wall does not stand, with all that are missing; when `start` fails.
pub fn confine<T>(profile: &Profile<'_>, start: impl FnOnce() -> io::Result<T>) -> Result<(T, Vec<Wall>), WallError> {
    if profile.policy == Policy::Off {
        return Ok((start().map_err(WallError::Thread)?, Vec::new()));
    }
    close_from(profile.first_foreign_descriptor);
    let mut walls = vec![Wall { name: "descriptors", status: ENFORCED.to_owned() }];
    let mut raise = |name: &'static str, outcome: Result<(), String>| {
        walls.push(Wall { name, status: outcome.err().unwrap_or_else(|| ENFORCED.to_owned()) });
    };
    raise("limits", profile.limits.raise().map_err(|error| error.to_string()));
    raise("undumpable", undumpable().map_err(|error| error.to_string()));
    raise("noNewPrivileges", no_new_privileges().map_err(|error| error.to_string()));
    raise("landlock", landlock::deny_all());
    let started = start().map_err(WallError::Thread)?;
    raise("seccomp", profile.filter.apply());
    let missing: Vec<Wall> = walls.iter().filter(|wall| !wall.is_enforced()).cloned().collect();
    if profile.policy == Policy::Strict && !missing.is_empty() {
        return Err(WallError::Missing(missing));
    }
    Ok((started, walls))
}

/// No core file, no debugger, no reading of this process's memory or environment by others of the same user.
fn undumpable() -> io::Result<()> {
    // SAFETY: sets a flag of the process.
    check(unsafe { libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0) }).map(drop)
}

/// Nothing executed from here can gain privileges.
fn no_new_privileges() -> io::Result<()> {
    // SAFETY: sets a flag of the process.
    check(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }).map(drop)
}
