//! Check-points: what the log holds goes to its place, beside the commits and never inside one.

use super::EngineError;
use crate::engine::Keeper;
use rusqlite::Connection;

/// Pages in the log from which on it should be emptied.
const LOG_PAGES_MAX: i64 = 8 * 1024;

/// The one connection that makes check-points.
pub(super) struct SqliteKeeper {
    connection: Connection,
}

impl SqliteKeeper {
    pub(super) fn new(connection: Connection) -> Self {
        Self { connection }
    }
}

impl Keeper for SqliteKeeper {
    fn check_point(&mut self) -> Result<bool, EngineError> {
        Ok(run(&self.connection, "PRAGMA wal_checkpoint(PASSIVE)")?.log_pages > LOG_PAGES_MAX)
    }

    fn empty_log(&mut self) -> Result<(), EngineError> {
        // RESTART leaves the file at its length: to write over what is there costs less than to let it grow again.
        run(&self.connection, "PRAGMA wal_checkpoint(RESTART)").map(drop)
    }
}

/// Moves the whole log and truncates it, at opening.
pub(super) fn empty(connection: &Connection) -> Result<(), EngineError> {
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
