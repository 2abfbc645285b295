//! How identities and numbers of commits stand in columns.
//!
//! Converts values. Must never read or write a database.

use crate::engine::interface::EngineError;
use protocol::stone::Oid;

/// Identities as one column.
pub(super) fn oids_to_bytes(oids: &[Oid]) -> Vec<u8> {
    oids.iter().flat_map(|oid| oid.to_le_bytes()).collect()
}

/// The identities in a column; an error if its length cannot be that of a list.
pub(super) fn oids_from_bytes(bytes: &[u8]) -> Result<Vec<Oid>, EngineError> {
    let (oids, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(EngineError::Failed("a list of identities in the repository is damaged".to_owned()));
    }
    Ok(oids.iter().map(|oid| Oid::from_le_bytes(*oid)).collect())
}

/// An identity or a commit's number as SQLite keeps it; both stay far below 2^63.
pub(super) fn as_column(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The inverted number of a commit, so that the newest version of an object comes first.
pub(super) fn age_of(commit: u64) -> i64 {
    i64::MAX - as_column(commit)
}

/// The commit that an inverted number stands for.
pub(super) fn commit_at(age: i64) -> u64 {
    (i64::MAX - age).unsigned_abs()
}
