//! The engine over SQLite: a write-ahead log with full sync, one writer, any number of readers.
//!
//! Does only what PostgreSQL could do with nearly the same schema. Checkpoints never run inside a commit.

mod checkpointer;
mod reader;
mod schema;
mod writer;

use super::{Checkpointer, Engine, EngineError, Reader, RepositoryFacts, Writer};
use protocol::stone::Oid;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The file in the repository's folder.
const FILE_NAME: &str = "objects.sqlite";
/// How every file of SQLite begins.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// How long a statement waits for a lock. Only opening and emptying the log ever wait.
const BUSY_WAIT: Duration = Duration::from_secs(10);
/// Page cache of each connection, in KiB.
const CACHE_KIBIBYTES: i64 = 16 * 1024;

/// A repository in one SQLite file.
pub(super) struct SqliteEngine {
    file: PathBuf,
    facts: RepositoryFacts,
}

impl SqliteEngine {
    /// Opens the repository in this folder, or creates one there. `name` is what a new one is called.
    pub(super) fn open(folder: &Path, name: &str) -> Result<Self, EngineError> {
        let file = folder.join(FILE_NAME);
        let connection = open_ours(&file, name).map_err(about(&file))?;
        // What the log holds may be there by the grace of a page cache that a power failure would have emptied.
        // Nothing of it may be told to anybody before it is synced.
        checkpointer::truncate_log(&connection)?;
        let facts = schema::facts(&connection)?;
        Ok(Self { file, facts })
    }
}

impl Engine for SqliteEngine {
    fn facts(&self) -> &RepositoryFacts {
        &self.facts
    }

    fn reader(&self) -> Result<Box<dyn Reader>, EngineError> {
        Ok(Box::new(reader::SqliteReader::new(connect(&self.file)?)))
    }

    fn writer(&self) -> Result<Box<dyn Writer>, EngineError> {
        Ok(Box::new(writer::SqliteWriter::new(connect(&self.file)?)))
    }

    fn checkpointer(&self) -> Result<Box<dyn Checkpointer>, EngineError> {
        Ok(Box::new(checkpointer::SqliteCheckpointer::new(connect(&self.file)?)))
    }
}

/// Says which file it is that does not open.
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

/// Opens the file if it is ours or not there yet. Whatever else it is, nothing in it is changed: SQLite would take
/// some garbage for a beginning.
fn open_ours(file: &Path, name: &str) -> Result<Connection, EngineError> {
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
    connection.pragma_update(None, "cache_size", -CACHE_KIBIBYTES)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    // Without this, SQLite looks at the values that are bound and compiles a prepared statement anew for each.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

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

/// Identities as one column.
fn oids_to_bytes(oids: &[Oid]) -> Vec<u8> {
    oids.iter().flat_map(|oid| oid.to_le_bytes()).collect()
}

fn oids_from_bytes(bytes: &[u8]) -> Result<Vec<Oid>, EngineError> {
    let (oids, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(EngineError::Failed("a list of identities in the repository is damaged".to_owned()));
    }
    Ok(oids.iter().map(|oid| Oid::from_le_bytes(*oid)).collect())
}

/// An identity or a commit's number as SQLite keeps it; both stay far below 2^63.
fn as_column(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The inverted number of a commit, so that the newest version of an object comes first.
fn age_of(commit: u64) -> i64 {
    i64::MAX - as_column(commit)
}

/// The commit that an inverted number stands for.
fn commit_at(age: i64) -> u64 {
    (i64::MAX - age).unsigned_abs()
}
