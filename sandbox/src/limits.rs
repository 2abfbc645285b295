//! Limits of this crate: what the kernel bounds, and what its callers hand over at once.
//!
//! Values only. What a confined process may use is not here: its caller says it.

/// Descriptors that a forked child is given.
pub const CHILD_DESCRIPTORS: usize = 3;
/// Standard descriptors of every process.
pub(crate) const STANDARD_DESCRIPTORS: usize = 3;
/// Descriptors that can be put in place at once.
pub(crate) const PLACED_DESCRIPTORS_MAX: usize = 8;
/// Most descriptors that the kernel lets travel with one packet (`SCM_MAX_FD`).
pub(crate) const PACKET_DESCRIPTORS_MAX: usize = 253;
/// The highest descriptor that is closed one by one where the kernel cannot close a range.
pub(crate) const DESCRIPTOR_NUMBER_MAX: i32 = 1 << 20;

const _: () = assert!(STANDARD_DESCRIPTORS + CHILD_DESCRIPTORS <= PLACED_DESCRIPTORS_MAX);
const _: () = assert!(PLACED_DESCRIPTORS_MAX <= PACKET_DESCRIPTORS_MAX);
