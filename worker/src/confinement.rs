//! How a gem confines itself, and what it says when it cannot.
//!
//! Made once, before any gem is forked. Never decides by itself to go on without a wall: the operator's policy does.

use protocol::gem::{Failed, SandboxPolicy};
use protocol::limits::{GEM_CPU_SECONDS_MAX, GEM_DATA_BYTES_MAX, GEM_FILES_MAX};
use sandbox::walls::{self, Filter, FilterError, Limits, Policy, Profile, Wall, WallError};
use std::io;
use std::os::fd::RawFd;

/// The walls of all gems of this process.
#[derive(Debug)]
pub(crate) struct Sandbox {
    filter: Filter,
    policy: Policy,
}

impl Sandbox {
    /// Compiles the system-call filter.
    pub(crate) fn new(policy: SandboxPolicy) -> Result<Self, FilterError> {
        let policy = match policy {
            SandboxPolicy::Strict => Policy::Strict,
            SandboxPolicy::BestEffort => Policy::BestEffort,
            SandboxPolicy::Off => Policy::Off,
        };
        Ok(Self { filter: Filter::compile()?, policy })
    }

    /// Confines this process for good: descriptors from `first_foreign_descriptor` on are closed, and `start` starts
    /// the threads that it needs. What the policy lets pass is a warning on standard error.
    pub(crate) fn confine<T>(
        &self,
        first_foreign_descriptor: RawFd,
        start: impl FnOnce() -> io::Result<T>,
    ) -> Result<(T, Vec<Wall>), WallError> {
        let profile = Profile {
            first_foreign_descriptor,
            limits: Limits { data_bytes: GEM_DATA_BYTES_MAX, files: GEM_FILES_MAX, cpu_seconds: GEM_CPU_SECONDS_MAX },
            filter: &self.filter,
            policy: self.policy,
        };
        let (started, walls) = walls::confine(&profile, start)?;
        let missing: Vec<Wall> = walls.iter().filter(|wall| !wall.is_enforced()).cloned().collect();
        if !missing.is_empty() {
            eprintln!("lapidary-worker: warning: the sandbox is incomplete, without {}", walls::describe(&missing));
        }
        Ok((started, walls))
    }
}

/// The refusal of a gem that could not be confined.
pub(crate) fn failed(error: &WallError) -> Failed {
    Failed { kind: "sandboxIncomplete".to_owned(), message: explain(error) }
}

/// What is missing and how to go on, for the operator.
pub(crate) fn explain(error: &WallError) -> String {
    match error {
        WallError::Missing(missing) => format!(
            "The sandbox of this session's process cannot be raised: this system lacks {}. Use a kernel that has it \
             (Linux 6.12 or newer with Landlock and seccomp), or set GS_MCP_SANDBOX=best-effort (--sandbox) to go on \
             without it, or off to use no sandbox at all.",
            walls::describe(missing)
        ),
        WallError::Thread(_) => format!("This session's process cannot be confined: {error}. Try again."),
    }
}
