//! What the stone asks of a storage engine: versions of objects, a list of commits, a few facts.
//!
//! Nothing outside this module may know which engine is below. An engine decides nothing: conflicts, identities and
//! order are the server's.

pub(crate) mod sqlite;

use protocol::stone::{Oid, Record, Token, Write};
use thiserror::Error;

/// Why the engine could not do it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum EngineError {
    /// There is no room: nothing was written, and it can be tried again once there is.
    #[error("{0}")]
    Full(String),
    /// The storage failed. What was being written may or may not be there after a restart.
    #[error("{0}")]
    Failed(String),
    /// The files are not a repository that this program can serve.
    #[error("{0}")]
    Unusable(String),
}

/// What an engine finds when it opens a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The stone's name.
    pub(crate) name: String,
    /// The format of the image in it; `None` before the first commit.
    pub(crate) format: Option<u32>,
    /// The newest commit; 0 before the first.
    pub(crate) newest: u64,
    /// No identity from here on was ever handed out.
    pub(crate) next_oid: Oid,
}

/// Who made a commit, and when.
#[derive(Debug)]
pub(crate) struct CommitRow<'a> {
    pub(crate) number: u64,
    pub(crate) micros_since_epoch: i64,
    pub(crate) user: &'a str,
    pub(crate) client: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) session: u64,
    pub(crate) token: &'a Token,
}

/// What a read came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// The object has no version at that view.
    Nothing,
    /// It has one, larger than there was room for.
    TooLarge,
    /// Here it is.
    Object(Record),
}

/// An open repository.
pub(crate) trait Engine: Send + Sync {
    /// What was found at opening.
    fn facts(&self) -> &Facts;
    /// A further reader.
    fn reader(&self) -> Result<Box<dyn Reader>, EngineError>;
    /// The writer: the server asks for one alone.
    fn writer(&self) -> Result<Box<dyn Writer>, EngineError>;
    /// The keeper: the server asks for one alone.
    fn keeper(&self) -> Result<Box<dyn Keeper>, EngineError>;
}

/// Reads what was committed. Never waits for a writer.
pub(crate) trait Reader: Send {
    /// Begins a run of reads that see one state.
    fn begin(&mut self) -> Result<(), EngineError>;
    /// Ends it; must follow every [`Reader::begin`].
    fn end(&mut self);
    /// The newest version of an object up to a view, if its references and bytes take at most `room` bytes.
    fn object_at(&mut self, oid: Oid, view: u64, room: usize) -> Result<Found, EngineError>;
    /// What the commits after `after` and before `before` wrote; an object may be there more than once.
    fn changed_between(&mut self, after: u64, before: u64) -> Result<Vec<Oid>, EngineError>;
    /// The newest version of each object of the kernel.
    fn kernel_objects(&mut self) -> Result<Vec<Record>, EngineError>;
}

/// Writes commits: any number between [`Writer::begin`] and [`Writer::finish`], which makes them durable together.
pub(crate) trait Writer: Send {
    /// Begins a batch.
    fn begin(&mut self) -> Result<(), EngineError>;
    /// The commit that wrote the newest version of an object, this batch's earlier commits included.
    fn newest_version(&mut self, oid: Oid) -> Result<Option<u64>, EngineError>;
    /// The number of the commit of this name, this batch's earlier commits included.
    fn commit_of(&mut self, token: &Token) -> Result<Option<u64>, EngineError>;
    /// Writes one commit. An object is at most once in it.
    fn append(&mut self, commit: &CommitRow<'_>, writes: &[Write]) -> Result<(), EngineError>;
    /// Notes the first identity that was not handed out.
    fn set_next_oid(&mut self, oid: Oid) -> Result<(), EngineError>;
    /// Notes the image's format.
    fn set_format(&mut self, format: u32) -> Result<(), EngineError>;
    /// Makes the batch durable. After an error it is not there, unless the error is [`EngineError::Failed`].
    fn finish(&mut self) -> Result<(), EngineError>;
    /// Drops the batch, if one is open.
    fn abandon(&mut self);
}

/// Moves what was committed from the log to its place, beside the commits.
pub(crate) trait Keeper: Send {
    /// Moves what can be moved without holding anybody up; answers whether the log has grown so long that it should
    /// be emptied by [`Keeper::empty_log`].
    fn check_point(&mut self) -> Result<bool, EngineError>;
    /// Moves the rest, so that the log starts again. No batch may be open meanwhile.
    fn empty_log(&mut self) -> Result<(), EngineError>;
}
