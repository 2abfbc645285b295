//! What became of each wall, for the caller and for messages.
//!
//! Holds results; raises nothing.

use std::io;
use thiserror::Error;

/// The status of a wall that stands.
pub const ENFORCED: &str = "enforced";

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
