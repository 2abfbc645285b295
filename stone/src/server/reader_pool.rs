//! A few readers of the repository, shared by all sessions.
//!
//! Reading must never wait for a commit, only for another reader to be done.

use super::refusal::Refusal;
use crate::engine::{Engine, EngineError, RepositoryReader};
use protocol::limits::stone::READERS;
use std::sync::{Condvar, Mutex, PoisonError};

/// The readers that are idle.
pub(crate) struct ReaderPool {
    idle: Mutex<Vec<Box<dyn RepositoryReader>>>,
    returned: Condvar,
}

impl ReaderPool {
    pub(crate) fn open(engine: &dyn Engine) -> Result<Self, EngineError> {
        let idle = (0..READERS).map(|_| engine.reader()).collect::<Result<_, _>>()?;
        Ok(Self { idle: Mutex::new(idle), returned: Condvar::new() })
    }

    /// Runs `work` with a reader over one snapshot.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&mut dyn RepositoryReader) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let mut reader = self.take();
        let result = reader.snapshot().map_err(Refusal::from).and_then(|()| work(reader.as_mut()));
        reader.release();
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
        self.returned.notify_one();
        result
    }

    fn take(&self) -> Box<dyn RepositoryReader> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match idle.pop() {
                Some(reader) => return reader,
                None => idle = self.returned.wait(idle).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}
