//! What every session may see: the newest durable commit, what the latest ones wrote, and the kernel's changed
//! objects.
//!
//! Moves in one step, after the sync and before any answer. Must hold no more than the latest commits' identities and
//! the kernel's objects, so that its size does not follow the repository's.

use protocol::limits::stone::RECENT_OIDS_MAX;
use protocol::stone::{Answer, KERNEL_OID_BIT, Oid, Record, Write};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};

/// A durable commit that is to be published.
#[derive(Debug)]
pub(crate) struct DurableCommit<'a> {
    pub(crate) number: u64,
    pub(crate) writes: &'a [Write],
}

/// What a new session sees.
#[derive(Debug, Clone)]
pub(crate) struct InitialView {
    pub(crate) view: u64,
    /// The body of [`Answer::Objects`] over all overlays.
    pub(crate) overlays: Arc<[u8]>,
}

#[derive(Debug)]
struct Commits {
    view: u64,
    recent: VecDeque<(u64, Box<[Oid]>)>,
    recent_oids: usize,
    kernel: BTreeMap<Oid, Record>,
    /// Encoded once, for all the sessions that open before the next change to the kernel.
    overlays: Option<Arc<[u8]>>,
}

/// The published commits of one stone.
#[derive(Debug)]
pub(crate) struct PublishedCommits {
    state: RwLock<Commits>,
}

impl PublishedCommits {
    pub(crate) fn new(view: u64, kernel: Vec<Record>) -> Self {
        let kernel = kernel.into_iter().map(|record| (record.oid, record)).collect();
        let state = Commits { view, recent: VecDeque::new(), recent_oids: 0, kernel, overlays: None };
        Self { state: RwLock::new(state) }
    }

    /// The newest commit.
    pub(crate) fn view(&self) -> u64 {
        self.state.read().unwrap_or_else(PoisonError::into_inner).view
    }

    /// The newest commit and the kernel as it is there.
    pub(crate) fn initial_view(&self) -> InitialView {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(overlays) = &state.overlays {
            return InitialView { view: state.view, overlays: Arc::clone(overlays) };
        }
        drop(state);
        let mut state = self.write();
        let overlays = encode(&state.kernel);
        state.overlays = Some(Arc::clone(&overlays));
        InitialView { view: state.view, overlays }
    }

    /// Publishes a batch, in order.
    pub(crate) fn publish(&self, batch: &[DurableCommit<'_>]) {
        let mut state = self.write();
        for commit in batch {
            state.add(commit);
        }
    }

    /// What the commits after `after` and before `before` wrote, each object once and in order of identity; `None` if
    /// that lies too far back.
    pub(crate) fn changed_between(&self, after: u64, before: u64) -> Option<Vec<Oid>> {
        if before <= after.saturating_add(1) {
            return Some(Vec::new());
        }
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let first = state.recent.front()?.0;
        if first > after + 1 {
            return None;
        }
        let skipped = usize::try_from(after + 1 - first).ok()?;
        let range = state.recent.iter().skip(skipped).take_while(|(number, _)| *number < before);
        Some(sorted_unique(range.flat_map(|(_, oids)| oids.iter().copied()).collect()))
    }

    fn write(&self) -> RwLockWriteGuard<'_, Commits> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Commits {
    fn add(&mut self, commit: &DurableCommit<'_>) {
        self.view = commit.number;
        let oids: Box<[Oid]> = commit.writes.iter().map(|write| write.record.oid).collect();
        self.recent_oids += oids.len();
        self.recent.push_back((commit.number, oids));
        while self.recent_oids > RECENT_OIDS_MAX {
            let Some((_, dropped)) = self.recent.pop_front() else { break };
            self.recent_oids -= dropped.len();
        }
        for Write { record, .. } in commit.writes {
            if record.oid & KERNEL_OID_BIT != 0 {
                self.kernel.insert(record.oid, record.clone());
                self.overlays = None;
            }
        }
    }
}

/// Sorts, and drops what is there again.
pub(crate) fn sorted_unique(mut oids: Vec<Oid>) -> Vec<Oid> {
    oids.sort_unstable();
    oids.dedup();
    oids
}

fn encode(kernel: &BTreeMap<Oid, Record>) -> Arc<[u8]> {
    let (_, body) = Answer::Objects(kernel.values().cloned().collect()).encode();
    body.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writes(oids: &[Oid]) -> Vec<Write> {
        let record = |oid: &Oid| Record { oid: *oid, references: vec![], bytes: vec![] };
        oids.iter().map(|oid| Write { base: None, record: record(oid) }).collect()
    }

    #[test]
    fn what_others_changed_is_told_once_and_only_within_the_range() {
        let published = PublishedCommits::new(10, vec![]);
        assert_eq!(published.changed_between(3, 9), None, "it lies before the start");
        for (number, oids) in [(11, vec![5, 3]), (12, vec![3, 4]), (13, vec![9])] {
            published.publish(&[DurableCommit { number, writes: &writes(&oids) }]);
        }
        assert_eq!(published.changed_between(10, 14), Some(vec![3, 4, 5, 9]));
        assert_eq!(published.changed_between(11, 13), Some(vec![3, 4]));
        assert_eq!(published.changed_between(13, 14), Some(vec![]));
        assert_eq!(published.changed_between(9, 14), None);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let published = PublishedCommits::new(0, vec![]);
        let oids: Vec<Oid> = (1..=RECENT_OIDS_MAX as u64).collect();
        published.publish(&[DurableCommit { number: 1, writes: &writes(&oids) }]);
        assert_eq!(published.changed_between(0, 2).expect("recent").len(), RECENT_OIDS_MAX);
        published.publish(&[DurableCommit { number: 2, writes: &writes(&[7]) }]);
        assert_eq!(published.changed_between(0, 3), None);
        assert_eq!(published.changed_between(1, 3), Some(vec![7]));
    }

    #[test]
    fn an_initial_view_shows_the_newest_kernel() {
        let published = PublishedCommits::new(0, vec![]);
        assert_eq!(&*published.initial_view().overlays, &[0; 4]);
        published.publish(&[DurableCommit { number: 1, writes: &writes(&[7, KERNEL_OID_BIT | 7]) }]);
        let initial = published.initial_view();
        assert_eq!((initial.view, initial.overlays[0]), (1, 1));
    }
}
