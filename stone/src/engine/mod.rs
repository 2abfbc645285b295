//! Storage: the interface of an engine, and the engine that serves a repository.
//!
//! Nothing outside of this folder may know which engine that is.

mod interface;
mod sqlite;
#[cfg(test)]
mod tests;

pub(crate) use interface::{
    Checkpointer, CommitRecord, Engine, EngineError, Found, RepositoryReader, RepositoryWriter,
};

use std::path::Path;

/// Opens the repository in this folder, or creates one there. `name` is what a new one is called.
pub(crate) fn open(folder: &Path, name: &str) -> Result<Box<dyn Engine>, EngineError> {
    Ok(Box::new(sqlite::SqliteEngine::open(folder, name)?))
}
