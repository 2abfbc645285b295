//! The answer to a fault: the objects asked for, then what they lead to, nearest first.
//!
//! What was asked for is always there, if it exists. Neighbours are a guess at what will be asked next, so they stop
//! at their limits, and no object is sent twice at one view of a session unless it is asked for.

use super::refusal::{Refusal, answer_too_large};
use crate::engine::{Found, RepositoryReader};
use protocol::limits::stone::{FAULT_READS_MAX, RECORD_OVERHEAD_BYTES, SENT_OIDS_MAX};
use protocol::limits::{FAULT_NEIGHBOUR_BYTES_MAX, FAULT_OBJECTS_MAX, STONE_FRAME_BYTES_MAX};
use protocol::stone::{KERNEL_OID_BIT, Oid, Record};
use std::collections::{HashSet, VecDeque};

/// The objects that a session was sent and that have not changed since.
#[derive(Debug, Default)]
pub(crate) struct SentObjects {
    oids: HashSet<Oid>,
}

impl SentObjects {
    pub(crate) fn add(&mut self, oid: Oid) {
        if self.oids.len() >= SENT_OIDS_MAX {
            self.oids.clear();
        }
        self.oids.insert(oid);
    }

    /// These have changed: the session holds them no more.
    pub(crate) fn forget(&mut self, changed: &[Oid]) {
        for oid in changed {
            self.oids.remove(oid);
        }
    }
}

/// The answer to a fault at a view.
pub(crate) fn read_cluster(
    reader: &mut dyn RepositoryReader,
    view: u64,
    asked: &[Oid],
    sent: &mut SentObjects,
) -> Result<Vec<Record>, Refusal> {
    let mut cluster = Cluster { reader, view, records: Vec::new(), seen: HashSet::new(), ahead: VecDeque::new() };
    let room = cluster.add_asked(asked, STONE_FRAME_BYTES_MAX - RECORD_OVERHEAD_BYTES)?;
    cluster.add_neighbours(room.min(FAULT_NEIGHBOUR_BYTES_MAX), sent)?;
    let records = cluster.records;
    for record in &records {
        sent.add(record.oid);
    }
    Ok(records)
}

struct Cluster<'a> {
    reader: &'a mut dyn RepositoryReader,
    view: u64,
    records: Vec<Record>,
    seen: HashSet<Oid>,
    ahead: VecDeque<Oid>,
}

impl Cluster<'_> {
    /// Adds all objects that were asked for; answers the room that is left.
    fn add_asked(&mut self, asked: &[Oid], mut room: usize) -> Result<usize, Refusal> {
        let oids: Vec<Oid> = asked.iter().copied().filter(|oid| self.seen.insert(*oid)).collect();
        for found in self.reader.objects_at(&oids, self.view, room, RECORD_OVERHEAD_BYTES)? {
            match found {
                Found::Nothing => {}
                Found::TooLarge => return Err(answer_too_large()),
                Found::Object(record) => room -= self.add(record),
            }
        }
        Ok(room)
    }

    /// Adds what the objects refer to, breadth first, a read for each round.
    fn add_neighbours(&mut self, mut room: usize, sent: &SentObjects) -> Result<(), Refusal> {
        let mut reads_left = FAULT_READS_MAX;
        while room > RECORD_OVERHEAD_BYTES {
            let oids = self.next_round(reads_left.min(FAULT_OBJECTS_MAX.saturating_sub(self.records.len())), sent);
            if oids.is_empty() {
                return Ok(());
            }
            reads_left -= oids.len();
            for found in self.reader.objects_at(&oids, self.view, room, RECORD_OVERHEAD_BYTES)? {
                if let Found::Object(record) = found {
                    room -= self.add(record);
                }
            }
        }
        Ok(())
    }

    /// At most so many of the identities ahead, without those that the session has already.
    fn next_round(&mut self, limit: usize, sent: &SentObjects) -> Vec<Oid> {
        let mut round = Vec::new();
        while round.len() < limit
            && let Some(oid) = self.ahead.pop_front()
        {
            if !sent.oids.contains(&oid) && self.seen.insert(oid) {
                round.push(oid);
            }
        }
        round
    }

    fn add(&mut self, record: Record) -> usize {
        let size = RECORD_OVERHEAD_BYTES + 8 * record.references.len() + record.bytes.len();
        for oid in &record.references {
            if self.ahead.len() >= FAULT_READS_MAX {
                break;
            }
            // Every gem has the kernel, as of its view.
            if oid & KERNEL_OID_BIT == 0 {
                self.ahead.push_back(*oid);
            }
        }
        self.records.push(record);
        size
    }
}
