//! Reads of versions and commits. A reader sees what was durable when it took its snapshot.
//!
//! Never writes, and never delays a commit or another reader.

use super::columns::{age_of, as_column, oids_from_bytes};
use crate::engine::interface::{EngineError, Found, RepositoryReader};
use protocol::limits::stone::ENGINE_STATEMENTS_MAX;
use protocol::stone::{KERNEL_OID_BIT, Oid, Record};
use rusqlite::{Connection, params};

// The length is known without reading what may be long, so that an object too large costs nothing. SQLite runs in this
// process, so a batch is one prepared statement that is stepped once an identity: a single statement over a table of
// identities takes two searches an object and was measured a third slower.
const OBJECT_AT: &str = "
    SELECT length(refs) + length(bytes),
           CASE WHEN length(refs) + length(bytes) <= ?3 THEN refs END,
           CASE WHEN length(refs) + length(bytes) <= ?3 THEN bytes END
    FROM versions WHERE oid = ?1 AND age >= ?2 ORDER BY age LIMIT 1";
const CHANGED_BETWEEN: &str = "SELECT oids FROM commits WHERE number > ?1 AND number < ?2 ORDER BY number";
const KERNEL_OBJECTS: &str = "
    SELECT oid, refs, bytes FROM versions AS version WHERE oid >= ?1
    AND age = (SELECT min(age) FROM versions WHERE oid = version.oid) ORDER BY oid";

/// One connection that only reads.
pub(super) struct SqliteReader {
    connection: Connection,
}

impl SqliteReader {
    pub(super) fn new(connection: Connection) -> Self {
        connection.set_prepared_statement_cache_capacity(ENGINE_STATEMENTS_MAX);
        Self { connection }
    }

    fn run(&mut self, command: &str) -> Result<(), EngineError> {
        self.connection.prepare_cached(command)?.execute([])?;
        Ok(())
    }
}

impl RepositoryReader for SqliteReader {
    fn snapshot(&mut self) -> Result<(), EngineError> {
        self.run("BEGIN")
    }

    fn release(&mut self) {
        // Nothing was written, so there is nothing to lose; without a transaction this does nothing.
        let _ = self.run("ROLLBACK");
    }

    fn objects_at(&mut self, oids: &[Oid], view: u64, room: usize, overhead: usize) -> Result<Vec<Found>, EngineError> {
        let mut statement = self.connection.prepare_cached(OBJECT_AT)?;
        let mut found = Vec::with_capacity(oids.len());
        let mut left = room;
        for oid in oids {
            let largest = i64::try_from(left.saturating_sub(overhead)).unwrap_or(i64::MAX);
            let mut rows = statement.query(params![as_column(*oid), age_of(view), largest])?;
            found.push(match rows.next()? {
                None => Found::Nothing,
                Some(row) => {
                    let size = overhead.saturating_add(row.get::<_, u32>(0)? as usize);
                    if size > left {
                        Found::TooLarge
                    } else {
                        left -= size;
                        let references = oids_from_bytes(blob(row, 1)?)?;
                        Found::Object(Record { oid: *oid, references, bytes: blob(row, 2)?.to_vec() })
                    }
                }
            });
        }
        Ok(found)
    }

    fn changed_between(&mut self, after: u64, before: u64) -> Result<Vec<Oid>, EngineError> {
        let mut statement = self.connection.prepare_cached(CHANGED_BETWEEN)?;
        let mut rows = statement.query(params![as_column(after), as_column(before)])?;
        let mut changed = Vec::new();
        while let Some(row) = rows.next()? {
            changed.extend(oids_from_bytes(blob(row, 0)?)?);
        }
        Ok(changed)
    }

    fn kernel_objects(&mut self) -> Result<Vec<Record>, EngineError> {
        let mut statement = self.connection.prepare(KERNEL_OBJECTS)?;
        let mut rows = statement.query([as_column(KERNEL_OID_BIT)])?;
        let mut records = Vec::new();
        while let Some(row) = rows.next()? {
            let oid = row.get::<_, i64>(0)?.unsigned_abs();
            let references = oids_from_bytes(blob(row, 1)?)?;
            records.push(Record { oid, references, bytes: blob(row, 2)?.to_vec() });
        }
        Ok(records)
    }
}

fn blob<'a>(row: &'a rusqlite::Row<'_>, column: usize) -> Result<&'a [u8], EngineError> {
    row.get_ref(column)?.as_blob().map_err(|error| EngineError::Failed(error.to_string()))
}
