//! The walls around a gem, each one enough against a part of what hostile code could try, all together against the
//! rest.
//!
//! In this order: descriptors, resource limits, no core and no debugger, no new privileges, Landlock, then the threads
//! that the process needs (Landlock binds them by inheritance), then the system-call filter over all of them. Unless
//! the policy says otherwise, a wall that cannot be raised is an error: a process never goes on half confined unasked.

mod landlock;
mod limits;
mod seccomp;

pub use limits::Limits;
pub use seccomp::{Filter, FilterError};

use crate::descriptors::{check, close_from};
use std::io;
use std::os::fd::RawFd;
use thiserror::Error;

/// The status of a wall that stands.
pub const ENFORCED: &str = "enforced";

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

/// What became of one wall.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wall {
    /// Its name, such as `landlock`.
    pub name: &'static str,
    /// [`ENFORCED`], or why not.
    pub status: String,
}

impl Wall {
    /// Whether it confines the process as it should.
    pub fn is_enforced(&self) -> bool {
        self.status == ENFORCED
    }
}

/// The process could not be confined. It must exit: it may be confined in part.
#[derive(Debug, Error)]
pub enum WallError {
    /// The policy is strict and these walls do not stand.
    #[error("{}", describe(.0))]
    Missing(Vec<Wall>),
    /// The threads of the process could not be started.
    #[error("a thread could not be started: {0}")]
    Thread(#[source] io::Error),
}

/// Names and reasons of walls in one line, such as `landlock (this kernel has no Landlock)`.
pub fn describe(walls: &[Wall]) -> String {
    walls.iter().map(|Wall { name, status }| format!("{name} ({status})")).collect::<Vec<_>>().join(", ")
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
