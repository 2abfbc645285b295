//! Opens a repository in a SQLite file: a write-ahead log with full sync, one writer, any number of readers.
//!
//! Does only what PostgreSQL could do with nearly the same schema. Checkpoints never run inside a commit.

use super::checkpointer::{self, SqliteCheckpointer};
use super::reader::SqliteReader;
use super::schema;
use super::writer::SqliteWriter;
use crate::engine::interface::{
    Checkpointer, Engine, EngineError, RepositoryFacts, RepositoryReader, RepositoryWriter,
};
use protocol::limits::stone::{ENGINE_CACHE_KIBIBYTES, ENGINE_LOCK_MILLIS};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file in the repository's folder.
const FILE_NAME: &str = "objects.sqlite";
/// How every file of SQLite begins.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// How long a statement waits for a lock. Only opening and emptying the log ever wait.
const BUSY_WAIT: Duration = Duration::from_millis(ENGINE_LOCK_MILLIS);

/// A repository in one SQLite file.
pub(crate) struct SqliteEngine {
    file: PathBuf,
    facts: RepositoryFacts,
}

impl SqliteEngine {
    /// Opens the repository in this folder, or creates one there. `name` is what a new one is called.
    pub(crate) fn open(folder: &Path, name: &str) -> Result<Self, EngineError> {
        let file = folder.join(FILE_NAME);
        let connection = open_or_create(&file, name).map_err(about(&file))?;
        // What the log holds may be in the page cache alone, which a power failure would empty. Nothing of it may be
        // shown before it is synced.
        checkpointer::truncate_log(&connection)?;
        let facts = schema::facts(&connection)?;
        Ok(Self { file, facts })
    }
}

impl Engine for SqliteEngine {
    fn facts(&self) -> &RepositoryFacts {
        &self.facts
    }

    fn reader(&self) -> Result<Box<dyn RepositoryReader>, EngineError> {
        Ok(Box::new(SqliteReader::new(connect(&self.file)?)))
    }

    fn writer(&self) -> Result<Box<dyn RepositoryWriter>, EngineError> {
        Ok(Box::new(SqliteWriter::new(connect(&self.file)?)))
    }

    fn checkpointer(&self) -> Result<Box<dyn Checkpointer>, EngineError> {
        Ok(Box::new(SqliteCheckpointer::new(connect(&self.file)?)))
    }
}

/// Names the file in the error.
fn about(file: &Path) -> impl Fn(EngineError) -> EngineError + '_ {
    move |error| {
        let say = |reason: String| format!("{}: {reason}", file.display());
        match error {
            EngineError::Full(reason) => EngineError::Full(say(reason)),
            EngineError::Failed(reason) => EngineError::Failed(say(reason)),
            EngineError::Unusable(reason) => EngineError::Unusable(say(reason)),
        }
    }
}

/// Opens the file if it is a repository, and creates one if there is no file. Any other file is left as it is: SQLite
/// takes some garbage for an empty database.
fn open_or_create(file: &Path, name: &str) -> Result<Connection, EngineError> {
    let mut head = Vec::new();
    match File::open(file).and_then(|file| file.take(MAGIC.len() as u64).read_to_end(&mut head)) {
        Ok(_) if head.is_empty() || head == MAGIC => {}
        Ok(_) => return Err(EngineError::Unusable("this is no database: it is damaged, or not ours".to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(EngineError::Unusable(error.to_string())),
    }
    let mut connection = open_file(file)?;
    let is_new = schema::is_new(&connection)?;
    configure(&connection)?;
    if is_new {
        schema::create(&mut connection, file, name)?;
    }
    Ok(connection)
}

fn connect(file: &Path) -> Result<Connection, EngineError> {
    let connection = open_file(file)?;
    configure(&connection)?;
    Ok(connection)
}

fn open_file(file: &Path) -> Result<Connection, EngineError> {
    // Each connection is used by one thread at a time.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY_WAIT)?;
    Ok(connection)
}

fn configure(connection: &Connection) -> Result<(), EngineError> {
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        return Err(EngineError::Unusable("this file system cannot carry a write-ahead log".to_owned()));
    }
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "cache_size", -ENGINE_CACHE_KIBIBYTES)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    // Without this, SQLite looks at the values that are bound and compiles a prepared statement anew for each.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}
