//! What all connections of one stone share.
//!
//! Holds state and starts nothing; each part guards itself.

use super::budget::RequestMemory;
use super::commit_queue::CommitterHandle;
use super::lifetime::Lifetime;
use super::oid_allocator::OidAllocator;
use super::published::PublishedCommits;
use super::reader_pool::ReaderPool;
use super::refusal::{self, Refusal};
use std::sync::{Arc, OnceLock};

/// What all connections share.
pub(crate) struct Stone {
    pub(crate) name: String,
    pub(crate) published: Arc<PublishedCommits>,
    /// The format of the image, once it is known.
    pub(crate) format: Arc<OnceLock<u32>>,
    pub(crate) oids: OidAllocator,
    pub(crate) readers: ReaderPool,
    pub(crate) committer: CommitterHandle,
    pub(crate) budget: RequestMemory,
    pub(crate) lifetime: Lifetime,
}

impl Stone {
    /// An empty repository takes the format of its first session; it is stored with the first commit.
    pub(crate) fn check_format(&self, offered: u32) -> Result<(), Refusal> {
        let held = *self.format.get_or_init(|| offered);
        if held == offered { Ok(()) } else { Err(refusal::format(held, offered)) }
    }
}
