//! The stone, as the image asks for objects: types of one crate into those of the other, and the name of each commit.

use protocol::stone::{self as wire, Token};
use smalltalk::store::{CommitOutcome, ObjectStore, Oid, Record, StoreError, View, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use stone::client::{self, Connection, StoneError};

/// The image knows no protocol, so it has types of its own for what it stores; they mean the same.
const _: () = assert!(wire::KERNEL_OID_BIT == smalltalk::store::KERNEL_OID_BIT);

/// What the gem and its store tell each other beside the image.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoneState {
    shared: Arc<StoneFields>,
}

#[derive(Debug, Default)]
struct StoneFields {
    tool: Mutex<String>,
    grant: Mutex<Option<Vec<u8>>>,
    lost: AtomicBool,
}

impl StoneState {
    /// From now on this tool runs; the stone writes its name beside each commit.
    pub(crate) fn set_tool(&self, name: &str) {
        name.clone_into(&mut self.shared.tool.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// The next time that the view moves, the stone is shown for whom this gem works: binding costs no request of its
    /// own.
    pub(crate) fn bind_as_view_moves(&self, grant: &[u8]) {
        *self.shared.grant.lock().unwrap_or_else(PoisonError::into_inner) = Some(grant.to_vec());
    }

    fn take_grant(&self) -> Option<Vec<u8>> {
        self.shared.grant.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether the stone cannot be asked any more: the gem can only end.
    pub(crate) fn is_lost(&self) -> bool {
        self.shared.lost.load(Ordering::Relaxed)
    }

    fn tool(&self) -> String {
        self.shared.tool.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn store_error(&self, error: StoneError) -> StoreError {
        match error {
            StoneError::Lost => {
                self.shared.lost.store(true, Ordering::Relaxed);
                StoreError::Lost
            }
            StoneError::Refused { kind, message } => StoreError::Refused { kind, message },
        }
    }
}

/// Committed objects, over a gem's connection to the stone.
pub(crate) struct StoneStore {
    connection: Connection,
    state: StoneState,
}

impl StoneStore {
    /// Over a connection that the stone has welcomed.
    pub(crate) fn new(connection: Connection, state: StoneState) -> Self {
        Self { connection, state }
    }
}

impl ObjectStore for StoneStore {
    fn fault(&mut self, oids: &[Oid]) -> Result<Vec<Record>, StoreError> {
        let records = self.connection.fault(oids).map_err(|error| self.state.store_error(error))?;
        Ok(records.into_iter().map(record).collect())
    }

    fn commit(&mut self, writes: Vec<Write>) -> Result<CommitOutcome, StoreError> {
        let writes = writes.into_iter().map(write).collect();
        let outcome = self
            .connection
            .commit(token()?, &self.state.tool(), writes)
            .map_err(|error| self.state.store_error(error))?;
        Ok(match outcome {
            client::CommitOutcome::Committed { view, changed } => CommitOutcome::Committed { view, changed },
            client::CommitOutcome::Conflict { objects } => {
                CommitOutcome::Conflict { objects: objects.into_iter().map(|(oid, _)| oid).collect() }
            }
        })
    }

    fn move_view(&mut self) -> Result<View, StoreError> {
        let moved = match self.state.take_grant() {
            Some(grant) => self.connection.bind(grant),
            None => self.connection.move_view(),
        };
        let client::View { number, changed } = moved.map_err(|error| self.state.store_error(error))?;
        Ok(View { number, changed })
    }

    fn reserve(&mut self) -> Result<Range<Oid>, StoreError> {
        self.connection.reserve().map_err(|error| self.state.store_error(error))
    }
}

/// A fresh name for a commit. It comes from the system itself: a generator seeded before the fork would give every gem
/// the same ones.
fn token() -> Result<Token, StoreError> {
    let mut token = Token::default();
    getrandom::fill(&mut token).map_err(|error| StoreError::Refused {
        kind: "noRandomness".to_owned(),
        message: format!("The system gives no random bytes, so the commit was not begun: {error}"),
    })?;
    Ok(token)
}

/// An object as the image takes it.
pub(crate) fn record(record: wire::Record) -> Record {
    let wire::Record { oid, references, bytes } = record;
    Record { oid, references, bytes }
}

fn write(write: Write) -> wire::Write {
    let Record { oid, references, bytes } = write.record;
    wire::Write { base: write.base, record: wire::Record { oid, references, bytes } }
}
