//! What the stone asks of a storage engine: versions of objects, commit records, and a few facts about the repository.
//!
//! Nothing in these traits may hold for one engine alone: PostgreSQL must fit behind them. An engine decides nothing:
//! conflicts, identities and order are the server's.

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
    /// What is stored is not a repository that this program can serve.
    #[error("{0}")]
    Unusable(String),
}

/// What an engine finds when it opens a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RepositoryFacts {
    /// The stone's name.
    pub(crate) name: String,
    /// The format of the image in it; `None` before the first commit.
    pub(crate) format: Option<u32>,
    /// The number of the newest commit; 0 before the first.
    pub(crate) newest: u64,
    /// No identity from here on was ever handed out.
    pub(crate) next_oid: Oid,
}

/// The author and time of a commit.
#[derive(Debug)]
pub(crate) struct CommitRecord<'a> {
    /// Its number: one more than that of the commit before it.
    pub(crate) number: u64,
    /// When it was made.
    pub(crate) micros_since_epoch: i64,
    /// The user in the repository.
    pub(crate) user: &'a str,
    /// The client, as it names itself.
    pub(crate) client: &'a str,
    /// The tool that was called.
    pub(crate) tool: &'a str,
    /// The number of the session.
    pub(crate) session: u64,
    /// The name that the gem gave it.
    pub(crate) token: &'a Token,
}

/// What the read of one identity came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// The object has no version at that view.
    Nothing,
    /// It has one, larger than the room that was left.
    TooLarge,
    /// Its newest version at that view.
    Object(Record),
}

/// An open repository.
pub(crate) trait Engine: Send + Sync {
    /// What was found at opening.
    fn facts(&self) -> &RepositoryFacts;
    /// A further reader.
    fn reader(&self) -> Result<Box<dyn RepositoryReader>, EngineError>;
    /// The writer: the server asks for one alone.
    fn writer(&self) -> Result<Box<dyn RepositoryWriter>, EngineError>;
    /// The checkpointer: the server asks for one alone.
    fn checkpointer(&self) -> Result<Box<dyn Checkpointer>, EngineError>;
}

/// Reads what was committed. Never waits for a writer.
pub(crate) trait RepositoryReader: Send {
    /// Takes a snapshot, which all reads see until [`RepositoryReader::release`].
    fn snapshot(&mut self) -> Result<(), EngineError>;
    /// Gives the snapshot up; must follow every [`RepositoryReader::snapshot`].
    fn release(&mut self);
    /// The newest version of each object up to a view, one answer an identity, in their order. Together the references
    /// (8 bytes each), the bytes and `overhead` bytes for each object take at most `room` bytes: what does not fit into
    /// what those before it have left is [`Found::TooLarge`].
    fn objects_at(&mut self, oids: &[Oid], view: u64, room: usize, overhead: usize) -> Result<Vec<Found>, EngineError>;
    /// What the commits after `after` and before `before` wrote; an object may be there more than once.
    fn changed_between(&mut self, after: u64, before: u64) -> Result<Vec<Oid>, EngineError>;
    /// The newest version of each object of the kernel.
    fn kernel_objects(&mut self) -> Result<Vec<Record>, EngineError>;
}

/// Writes commits: any number between [`RepositoryWriter::begin`] and [`RepositoryWriter::finish`], which makes
/// them durable together (group commit).
pub(crate) trait RepositoryWriter: Send {
    /// Begins a batch.
    fn begin(&mut self) -> Result<(), EngineError>;
    /// The number of the commit that wrote the newest version of each object, this batch's earlier commits included;
    /// one answer an identity, in their order.
    fn newest_versions(&mut self, oids: &[Oid]) -> Result<Vec<Option<u64>>, EngineError>;
    /// The number of the commit of this name, this batch's earlier commits included.
    fn commit_of(&mut self, token: &Token) -> Result<Option<u64>, EngineError>;
    /// Writes one commit. An object is at most once in its write set.
    fn append(&mut self, commit: &CommitRecord<'_>, writes: &[Write]) -> Result<(), EngineError>;
    /// Notes the first identity that was not handed out.
    fn set_next_oid(&mut self, oid: Oid) -> Result<(), EngineError>;
    /// Notes the image's format.
    fn set_format(&mut self, format: u32) -> Result<(), EngineError>;
    /// Makes the batch durable. After an error it is not there, unless the error is [`EngineError::Failed`].
    fn finish(&mut self) -> Result<(), EngineError>;
    /// Drops the batch, if one is open.
    fn abandon(&mut self);
}

/// Moves what was committed from the log to its place, beside the commits. An engine that does so by itself has nothing
/// to do here.
pub(crate) trait Checkpointer: Send {
    /// Moves what can be moved without delaying a commit; answers whether the log has grown so long that
    /// [`Checkpointer::restart_log`] is due.
    fn checkpoint(&mut self) -> Result<bool, EngineError>;
    /// Moves the rest, so that the log starts again. No batch may be open meanwhile.
    fn restart_log(&mut self) -> Result<(), EngineError>;
}
