//! Checkpoints: moves what the log holds to its place in the file.
//!
//! Runs beside the commits and never inside one.

use crate::engine::interface::{Checkpointer, EngineError};
use protocol::limits::stone::ENGINE_LOG_PAGES_MAX;
use rusqlite::Connection;

/// The one connection that makes checkpoints.
pub(super) struct SqliteCheckpointer {
    connection: Connection,
}

impl SqliteCheckpointer {
    pub(super) fn new(connection: Connection) -> Self {
        Self { connection }
    }
}

impl Checkpointer for SqliteCheckpointer {
    fn checkpoint(&mut self) -> Result<bool, EngineError> {
        Ok(run(&self.connection, "PRAGMA wal_checkpoint(PASSIVE)")?.log_pages > ENGINE_LOG_PAGES_MAX)
    }

    fn restart_log(&mut self) -> Result<(), EngineError> {
        // RESTART leaves the file at its length: to write over what is there costs less than to let it grow again.
        run(&self.connection, "PRAGMA wal_checkpoint(RESTART)").map(drop)
    }
}

/// Moves the whole log and truncates it, at opening.
pub(super) fn truncate_log(connection: &Connection) -> Result<(), EngineError> {
    let state = run(connection, "PRAGMA wal_checkpoint(TRUNCATE)")?;
    if state.busy {
        return Err(EngineError::Unusable("another program has the repository's file open: close it".to_owned()));
    }
    Ok(())
}

struct LogState {
    busy: bool,
    log_pages: i64,
}

fn run(connection: &Connection, command: &str) -> Result<LogState, EngineError> {
    let row = connection.query_row(command, [], |row| Ok(LogState { busy: row.get(0)?, log_pages: row.get(1)? }))?;
    Ok(row)
}
