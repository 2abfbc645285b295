//! A store in memory, for tests and for running Smalltalk without a stone: the same promises, except that nothing is
//! left when the process ends.

use crate::store::{CommitOutcome, KERNEL_OID_BIT, ObjectStore, Oid, Record, StoreError, View, Write};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

const OIDS_AT_A_TIME: Oid = 4096;

#[derive(Debug, Default)]
struct Shared {
    newest: u64,
    next_oid: Oid,
    versions: BTreeMap<Oid, BTreeMap<u64, Record>>,
}

/// Committed objects in memory; clones share them, each with a view of its own.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    shared: Arc<Mutex<Shared>>,
    view: u64,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// A session of its own on the same objects, at the newest commit; with the kernel's objects that were changed.
    pub fn open(&self) -> (MemoryStore, Vec<Record>) {
        let shared = self.lock();
        let kernel = shared.versions.range(KERNEL_OID_BIT..);
        let overlays = kernel.filter_map(|(_, versions)| versions.values().next_back().cloned()).collect();
        (MemoryStore { shared: Arc::clone(&self.shared), view: shared.newest }, overlays)
    }

    /// The number of the commit that this session sees.
    pub fn view(&self) -> u64 {
        self.view
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed_since(&self, shared: &Shared, view: u64) -> Vec<Oid> {
        let changed = shared.versions.iter().filter(|(_, versions)| versions.range(view + 1..).next().is_some());
        changed.map(|(oid, _)| *oid).collect()
    }
}

impl ObjectStore for MemoryStore {
    fn fault(&mut self, oids: &[Oid]) -> Result<Vec<Record>, StoreError> {
        let shared = self.lock();
        let newest = |oid| shared.versions.get(oid)?.range(..=self.view).next_back().map(|(_, record)| record.clone());
        Ok(oids.iter().filter_map(newest).collect())
    }

    fn commit(&mut self, writes: Vec<Write>) -> Result<CommitOutcome, StoreError> {
        let shared = Arc::clone(&self.shared);
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = |oid| shared.versions.get(&oid).and_then(|versions| versions.keys().next_back().copied());
        let overtaken = |write: &Write| {
            let base = write.base?;
            newest(write.record.oid).filter(|number| *number > base).map(|_| write.record.oid)
        };
        let objects: Vec<Oid> = writes.iter().filter_map(overtaken).collect();
        if !objects.is_empty() {
            return Ok(CommitOutcome::Conflict { objects });
        }
        let mut changed = self.changed_since(&shared, self.view);
        if !writes.is_empty() {
            shared.newest += 1;
        }
        let number = shared.newest;
        let own: BTreeSet<Oid> = writes.iter().map(|write| write.record.oid).collect();
        for write in writes {
            shared.versions.entry(write.record.oid).or_default().insert(number, write.record);
        }
        changed.retain(|oid| !own.contains(oid));
        self.view = number;
        Ok(CommitOutcome::Committed { view: number, changed })
    }

    fn move_view(&mut self) -> Result<View, StoreError> {
        let (number, changed) = {
            let shared = self.lock();
            (shared.newest, self.changed_since(&shared, self.view))
        };
        self.view = number;
        Ok(View { number, changed })
    }

    fn reserve(&mut self) -> Result<Range<Oid>, StoreError> {
        let mut shared = self.lock();
        let first = shared.next_oid.max(1);
        shared.next_oid = first + OIDS_AT_A_TIME;
        Ok(first..first + OIDS_AT_A_TIME)
    }
}
