//! Where committed objects come from and go to, as the image sees it.
//!
//! The image asks for objects through [`ObjectStore`] and knows nothing of sockets or files. The worker implements it
//! over the stone's client; [`MemoryStore`](crate::memory_store::MemoryStore) implements it for tests.

use thiserror::Error;

/// Identity of an object: 61 bits, never 0, never used again.
pub type Oid = u64;

/// Marks an identity that is derived from the name of a kernel object.
pub const KERNEL_OID_BIT: Oid = 1 << 60;

/// An object as the store keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Who it is.
    pub oid: Oid,
    /// Whom it refers to; the bytes name them by index.
    pub references: Vec<Oid>,
    /// Its state, as [`crate::record`] writes it.
    pub bytes: Vec<u8>,
}

/// One object of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The newest view at which this object was known before it was changed; `None` for a new one.
    pub base: Option<u64>,
    /// Its new state.
    pub record: Record,
}

/// What became of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitOutcome {
    /// It is durable; the view moved to it.
    Committed {
        /// The new view.
        view: u64,
        /// What others changed between the old view and the new one.
        changed: Vec<Oid>,
    },
    /// Nothing was written and the view stays.
    Conflict {
        /// What others have changed of that which was to be written.
        objects: Vec<Oid>,
    },
}

/// A new view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The number of the commit that it shows.
    pub number: u64,
    /// What others changed between the old view and this one.
    pub changed: Vec<Oid>,
}

/// Why the store could not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoreError {
    /// There is no store behind this image any more.
    #[error("the stone is gone: this session can only end")]
    Lost,
    /// It refused; the session goes on.
    #[error("{message}")]
    Refused {
        /// A word for programs.
        kind: String,
        /// For a person.
        message: String,
    },
}

/// Committed objects, seen at one view.
pub trait ObjectStore: Send {
    /// The objects named, at the current view, and possibly neighbours that will be wanted next. What does not exist
    /// at the view is left out.
    fn fault(&mut self, oids: &[Oid]) -> Result<Vec<Record>, StoreError>;

    /// Makes the writes one commit and, if it succeeds, moves the view to it.
    fn commit(&mut self, writes: Vec<Write>) -> Result<CommitOutcome, StoreError>;

    /// Moves the view to the newest commit.
    fn move_view(&mut self) -> Result<View, StoreError>;

    /// Identities for new objects: a range that nobody else was or will be given.
    fn reserve(&mut self) -> Result<std::ops::Range<Oid>, StoreError>;
}
