//! Identities for new objects, in blocks, none ever handed out twice.
//!
//! The durable mark runs ahead of what is handed out, by large steps: a crash loses what lies between, and nothing is
//! given before the mark beyond it is durable.

use super::refusal::{Refusal, identities_exhausted};
use protocol::limits::OID_BLOCK;
use protocol::limits::stone::OIDS_AHEAD;
use protocol::stone::{KERNEL_OID_BIT, Oid};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Makes the mark of identities handed out durable.
pub(crate) trait HighWaterMark {
    /// Notes that identities below `next_oid` may have been handed out.
    fn raise(&self, next_oid: Oid) -> Result<(), Refusal>;
}

/// What was handed out, and how far it may go.
#[derive(Debug)]
pub(crate) struct OidAllocator {
    /// The next identity, and the durable mark.
    marks: Mutex<(Oid, Oid)>,
}

impl OidAllocator {
    /// `next` is the mark found in the repository, `durable` what it was raised to since.
    pub(crate) fn new(next: Oid, durable: Oid) -> Self {
        Self { marks: Mutex::new((next.max(OID_BLOCK), durable)) }
    }

    /// A block that no other session was or will be given.
    pub(crate) fn allocate(&self, mark: &dyn HighWaterMark) -> Result<Range<Oid>, Refusal> {
        let mut marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        let (next, durable) = *marks;
        if next > KERNEL_OID_BIT - OID_BLOCK {
            return Err(identities_exhausted());
        }
        if next + OID_BLOCK > durable {
            let raised = (next + OIDS_AHEAD).min(KERNEL_OID_BIT);
            mark.raise(raised)?;
            marks.1 = raised;
        }
        marks.0 = next + OID_BLOCK;
        Ok(next..next + OID_BLOCK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    struct TestMark(Cell<Oid>);

    impl HighWaterMark for TestMark {
        fn raise(&self, next_oid: Oid) -> Result<(), Refusal> {
            self.0.set(next_oid);
            Ok(())
        }
    }

    #[test]
    fn nothing_is_given_beyond_the_durable_mark() {
        let mark = TestMark(Cell::new(OID_BLOCK));
        let oids = OidAllocator::new(OID_BLOCK, OID_BLOCK);
        let mut last = OID_BLOCK;
        for _ in 0..3000 {
            let block = oids.allocate(&mark).expect("enough");
            assert_eq!((block.start, block.end), (last, last + OID_BLOCK));
            assert!(block.end <= mark.0.get());
            last = block.end;
        }
    }

    #[test]
    fn the_kernels_identities_are_never_given() {
        let mark = TestMark(Cell::new(0));
        let oids = OidAllocator::new(KERNEL_OID_BIT - OID_BLOCK, KERNEL_OID_BIT - OID_BLOCK);
        assert_eq!(oids.allocate(&mark).expect("the last").end, KERNEL_OID_BIT);
        assert_eq!(oids.allocate(&mark), Err(identities_exhausted()));
    }
}
