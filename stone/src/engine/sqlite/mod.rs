//! The engine over SQLite.
//!
//! Its types, errors and statements must never be seen outside of this folder.

mod checkpointer;
mod columns;
mod engine;
mod error;
mod reader;
mod schema;
mod writer;

pub(super) use engine::SqliteEngine;
