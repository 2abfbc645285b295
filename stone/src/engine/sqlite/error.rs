//! Errors of SQLite as errors of an engine.
//!
//! Says for each whether the repository can go on. Tries nothing again.

use crate::engine::interface::EngineError;
use rusqlite::{ErrorCode, ffi};

impl From<rusqlite::Error> for EngineError {
    fn from(error: rusqlite::Error) -> Self {
        let text = error.to_string();
        let Some(code) = error.sqlite_error() else { return Self::Failed(text) };
        match (code.code, code.extended_code) {
            // A write that the system did not take at all: no room, a quota, a limit on the size of files. The
            // commit's last page never got there, so the commit did not either.
            (ErrorCode::DiskFull, _) | (_, ffi::SQLITE_IOERR_WRITE) => Self::Full(text),
            (ErrorCode::NotADatabase, _) => Self::Unusable(text),
            _ => Self::Failed(text),
        }
    }
}
