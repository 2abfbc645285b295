//! The tools that are served, as another tool may look for them.
//!
//! What is advertised and what a read-only session leaves out is decided above this layer.

use super::served::ServedTool;
use std::sync::Arc;

/// Why a tool may not be called.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotServed {
    /// There is none of this name.
    Unknown,
    /// It is not declared safe, and the session is read-only.
    ReadOnly,
}

/// The tools that one gem serves.
pub(crate) trait ToolDirectory {
    /// The tool of this name.
    fn find(&self, name: &str) -> Result<Arc<ServedTool>, NotServed>;

    /// All tools that may be called, in the order of their names.
    fn tools(&self) -> Vec<Arc<ServedTool>>;

    /// Whether `tools/list` says it.
    fn advertises(&self, tool: &ServedTool) -> bool;
}
