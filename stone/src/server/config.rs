//! The settings of a stone.
//!
//! Holds values that were checked where they were read; reads no option itself.

use std::path::PathBuf;

/// What to serve, and where.
#[derive(Debug, Clone)]
pub struct Config {
    /// The folder of the repository; it is made if it is not there.
    pub repository: PathBuf,
    /// The Unix socket to serve.
    pub socket: PathBuf,
    /// What a new repository is called; one that exists keeps its name.
    pub name: String,
}
