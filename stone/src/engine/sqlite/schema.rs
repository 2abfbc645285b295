//! The tables of a repository, and the facts that stand in them.
//!
//! `versions` holds every version of every object, newest first. `commits` holds one row a commit, and the identities
//! that it wrote as one column: what a view missed is one range of rows. `meta` holds what there is one of. A
//! file that is no repository is never changed.

use super::columns::as_column;
use crate::engine::interface::{EngineError, RepositoryFacts};
use protocol::limits::OID_BLOCK;
use rusqlite::{Connection, OptionalExtension, params};
use std::fs::File;
use std::path::Path;

/// Marks the file as a repository of ours.
const APPLICATION_ID: i32 = 0x4c61_7053;
/// The layout of the tables below.
const LAYOUT: i64 = 1;

const TABLES: &str = "
    CREATE TABLE meta (
        name   TEXT PRIMARY KEY,
        number INTEGER,
        words  TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE versions (
        oid    INTEGER NOT NULL,
        age    INTEGER NOT NULL,
        refs   BLOB NOT NULL,
        bytes  BLOB NOT NULL,
        PRIMARY KEY (oid, age)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE commits (
        number  INTEGER PRIMARY KEY,
        made_at INTEGER NOT NULL,
        user    TEXT NOT NULL,
        client  TEXT NOT NULL,
        tool    TEXT NOT NULL,
        session INTEGER NOT NULL,
        token   BLOB NOT NULL UNIQUE,
        objects INTEGER NOT NULL,
        oids    BLOB NOT NULL
    ) STRICT;
";

/// Whether there is nothing in the file yet; an error if there is something, and it is not ours.
pub(super) fn is_new(connection: &Connection) -> Result<bool, EngineError> {
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match (application, tables) {
        (0, 0) => Ok(true),
        (APPLICATION_ID, _) => check_layout(connection).map(|()| false),
        _ => Err(EngineError::Unusable("a database, but no repository of Lapidary: it is left alone".to_owned())),
    }
}

/// Creates a repository.
pub(super) fn create(connection: &mut Connection, file: &Path, name: &str) -> Result<(), EngineError> {
    let transaction = connection.transaction()?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.execute_batch(TABLES)?;
    transaction.execute("INSERT INTO meta (name, number) VALUES ('layout', ?1)", [LAYOUT])?;
    transaction.execute("INSERT INTO meta (name, number) VALUES ('next_oid', ?1)", [as_column(OID_BLOCK)])?;
    transaction.execute("INSERT INTO meta (name, words) VALUES ('name', ?1)", [name])?;
    transaction.commit()?;
    sync_folders(file).map_err(|error| EngineError::Failed(error.to_string()))
}

/// A new file is durable only once its folder is, and that only once the one around it is.
fn sync_folders(file: &Path) -> std::io::Result<()> {
    file.ancestors().skip(1).take(2).try_for_each(|folder| File::open(folder)?.sync_all())
}

fn check_layout(connection: &Connection) -> Result<(), EngineError> {
    match number(connection, "layout")? {
        Some(LAYOUT) => Ok(()),
        found => {
            let found = found.map_or("none".to_owned(), |found| found.to_string());
            Err(EngineError::Unusable(format!(
                "it has layout {found}, this program knows layout {LAYOUT}: serve it with the version of Lapidary \
                 that wrote it"
            )))
        }
    }
}

/// Reads what an opened repository says of itself.
pub(super) fn facts(connection: &Connection) -> Result<RepositoryFacts, EngineError> {
    let damaged = |what: &str| EngineError::Unusable(format!("the repository is damaged: it has no {what}"));
    let name = connection
        .query_row("SELECT words FROM meta WHERE name = 'name'", [], |row| row.get::<_, Option<String>>(0))
        .optional()?
        .flatten()
        .ok_or_else(|| damaged("name"))?;
    let newest: i64 = connection.query_row("SELECT coalesce(max(number), 0) FROM commits", [], |row| row.get(0))?;
    let next_oid = number(connection, "next_oid")?.ok_or_else(|| damaged("mark of the identities handed out"))?;
    let format = number(connection, "format")?.and_then(|format| u32::try_from(format).ok());
    if newest > 0 && format.is_none() {
        return Err(damaged("format"));
    }
    Ok(RepositoryFacts { name, format, newest: newest.unsigned_abs(), next_oid: next_oid.unsigned_abs() })
}

fn number(connection: &Connection, name: &str) -> Result<Option<i64>, EngineError> {
    let mut statement = connection.prepare("SELECT number FROM meta WHERE name = ?1")?;
    Ok(statement.query_row([name], |row| row.get::<_, Option<i64>>(0)).optional()?.flatten())
}

/// Notes a number in `meta`.
pub(super) fn set_number(connection: &Connection, name: &str, number: i64) -> Result<(), EngineError> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO meta (name, number) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET number = ?2",
    )?;
    statement.execute(params![name, number])?;
    Ok(())
}
