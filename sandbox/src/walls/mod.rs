//! The walls around a gem, each one enough against a part of what hostile code could try, all together against the
//! rest.
//!
//! In this order: descriptors, resource limits, no core and no debugger, no new privileges, Landlock, then the threads
//! that the process needs (Landlock binds them by inheritance), then the system-call filter over all of them. Must
//! never open a way that a caller did not ask for.

mod confine;
mod landlock;
mod limits;
mod seccomp;
mod status;

pub use confine::{Policy, Profile, confine};
pub use limits::Limits;
pub use seccomp::{Filter, FilterError};
pub use status::{ENFORCED, Wall, WallError, describe};
