//! Writes batches of commits, each batch one transaction of SQLite and one sync.
//!
//! Checks nothing: what may be written has been decided before.

use super::columns::{age_of, as_column, commit_at, oids_to_bytes};
use super::schema;
use crate::engine::interface::{CommitRecord, EngineError, RepositoryWriter};
use protocol::limits::stone::ENGINE_STATEMENTS_MAX;
use protocol::stone::{Oid, Token, Write};
use rusqlite::{Connection, OptionalExtension, params};

const NEWEST_VERSION: &str = "SELECT age FROM versions WHERE oid = ?1 ORDER BY age LIMIT 1";
const COMMIT_OF: &str = "SELECT number FROM commits WHERE token = ?1";
const ADD_VERSION: &str = "INSERT INTO versions (oid, age, refs, bytes) VALUES (?1, ?2, ?3, ?4)";
const ADD_COMMIT: &str = "
    INSERT INTO commits (number, made_at, user, client, tool, session, token, objects, oids)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

/// The one connection that writes.
pub(super) struct SqliteWriter {
    connection: Connection,
}

impl SqliteWriter {
    pub(super) fn new(connection: Connection) -> Self {
        connection.set_prepared_statement_cache_capacity(ENGINE_STATEMENTS_MAX);
        Self { connection }
    }

    fn run(&mut self, command: &str) -> Result<(), EngineError> {
        self.connection.prepare_cached(command)?.execute([])?;
        Ok(())
    }
}

impl RepositoryWriter for SqliteWriter {
    fn begin(&mut self) -> Result<(), EngineError> {
        self.run("BEGIN IMMEDIATE")
    }

    fn newest_versions(&mut self, oids: &[Oid]) -> Result<Vec<Option<u64>>, EngineError> {
        let mut statement = self.connection.prepare_cached(NEWEST_VERSION)?;
        let mut newest = |oid: &Oid| -> Result<Option<u64>, EngineError> {
            let age = statement.query_row([as_column(*oid)], |row| row.get::<_, i64>(0)).optional()?;
            Ok(age.map(commit_at))
        };
        oids.iter().map(&mut newest).collect()
    }

    fn commit_of(&mut self, token: &Token) -> Result<Option<u64>, EngineError> {
        let mut statement = self.connection.prepare_cached(COMMIT_OF)?;
        let number = statement.query_row([token.as_slice()], |row| row.get::<_, i64>(0)).optional()?;
        Ok(number.map(i64::unsigned_abs))
    }

    fn append(&mut self, commit: &CommitRecord<'_>, writes: &[Write]) -> Result<(), EngineError> {
        let age = age_of(commit.number);
        let mut statement = self.connection.prepare_cached(ADD_VERSION)?;
        for Write { record, .. } in writes {
            statement.execute(params![as_column(record.oid), age, oids_to_bytes(&record.references), record.bytes])?;
        }
        let oids: Vec<Oid> = writes.iter().map(|write| write.record.oid).collect();
        self.connection.prepare_cached(ADD_COMMIT)?.execute(params![
            as_column(commit.number),
            commit.micros_since_epoch,
            commit.user,
            commit.client,
            commit.tool,
            as_column(commit.session),
            commit.token.as_slice(),
            as_column(oids.len() as u64),
            oids_to_bytes(&oids),
        ])?;
        Ok(())
    }

    fn set_next_oid(&mut self, oid: Oid) -> Result<(), EngineError> {
        schema::set_number(&self.connection, "next_oid", as_column(oid))
    }

    fn set_format(&mut self, format: u32) -> Result<(), EngineError> {
        schema::set_number(&self.connection, "format", i64::from(format))
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        self.run("COMMIT")
    }

    fn abandon(&mut self) {
        if !self.connection.is_autocommit() {
            // SQLite has rolled back by itself after most errors; if it did not and cannot now, the next batch's
            // begin says so.
            let _ = self.run("ROLLBACK");
        }
    }
}
