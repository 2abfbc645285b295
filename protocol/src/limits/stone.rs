//! Limits of the stone, beside those of its link that gems know too.
//!
//! Values only: what they bound is in the crate `stone`, and must never be bounded by a number that stands there.

use super::{
    FAULT_OBJECTS_MAX, GEMS_MAX, OID_BLOCK, OPEN_MILLIS, OPTION_BYTES_MAX, STONE_FRAME_BYTES_MAX, STONE_START_MILLIS,
    STOP_GRACE_MILLIS, USER_BYTES_MAX, WRITE_STALL_MILLIS,
};

/// Connections at once; more are refused.
pub const CONNECTIONS_MAX: usize = 4_096;
/// Descriptors that the stone needs beside its connections: repository, socket, log.
pub const DESCRIPTORS_BESIDE_CONNECTIONS: usize = 64;
/// Stack of a connection's thread: nothing in it recurses.
pub const CONNECTION_STACK_BYTES: usize = 256 * 1024;
/// Pause after an accept that failed, such as for want of descriptors.
pub const ACCEPT_RETRY_MILLIS: u64 = 50;
/// Time for a peer that is refused before its hello to take the refusal.
pub const REFUSAL_MILLIS: u64 = 100;
/// Longest hello.
pub const HELLO_BYTES_MAX: usize = 64 * 1024;
/// Time for a hello to come.
pub const HELLO_MILLIS: u64 = OPEN_MILLIS;
/// Time for the rest of a frame to come, and for an answer to be taken.
pub const STALL_MILLIS: u64 = WRITE_STALL_MILLIS;
/// One read of a connection.
pub const LINK_BUFFER_BYTES: usize = 16 * 1024;
/// An output buffer that grew beyond this is given back after use.
pub const LINK_KEPT_BYTES_MAX: usize = 256 * 1024;
/// Requests up to this size need no permit.
pub const REQUEST_FREE_BYTES_MAX: usize = 64 * 1024;
/// What all larger requests may take together.
pub const REQUESTS_BYTES_MAX: usize = 2 * STONE_FRAME_BYTES_MAX;

/// How long a stone waits for its first session or lifeline.
pub const FIRST_CONNECTION_MILLIS: u64 = 10_000;
/// How long a stone that was asked to stop waits until answers under way are written.
pub const ANSWERS_MILLIS: u64 = 2_000;
/// How long a stone waits for the lock of one that no longer answers: it is leaving, and its last checkpoint takes a
/// moment.
pub const LOCK_MILLIS: u64 = 5_000;
/// Time between two tries for the lock.
pub const LOCK_RETRY_MILLIS: u64 = 20;
/// What is read of the note in the file of the lock.
pub const LOCK_NOTE_BYTES_MAX: u64 = 4_096;

/// Commits in one batch, synced together.
pub const COMMIT_BATCH_MAX: usize = 64;
/// Jobs that wait for the committer; a session that brings more is held up.
pub const COMMIT_QUEUE_MAX: usize = 2 * COMMIT_BATCH_MAX;
/// Names of commits that are remembered as reported not made; beyond that the oldest is forgotten.
pub const VOIDED_TOKENS_MAX: usize = 64 * 1024;
/// Objects committed since the last checkpoint that make the next one due.
pub const CHECKPOINT_OBJECTS: usize = 2_000;
/// Bytes committed since the last checkpoint that make the next one due.
pub const CHECKPOINT_BYTES: usize = 8 * 1024 * 1024;
/// Identities that are remembered of the latest commits; what lies further back is read from the repository.
pub const RECENT_OIDS_MAX: usize = 256 * 1024;

/// Readers of the repository, shared by all sessions.
pub const READERS: usize = 4;
/// Versions read for one answer to a fault, the ones that turned out too large included.
pub const FAULT_READS_MAX: usize = 2 * FAULT_OBJECTS_MAX;
/// Bytes that a record takes in an answer beside its references and bytes.
pub const RECORD_OVERHEAD_BYTES: usize = 16;
/// Identities that are remembered as sent to one session; beyond that the record starts anew.
pub const SENT_OIDS_MAX: usize = 64 * 1024;
/// Blocks of identities that one session may be given.
pub const SESSION_OID_BLOCKS_MAX: usize = 64 * 1024;
/// Identities by which the durable mark runs ahead of what was handed out.
pub const OIDS_AHEAD: u64 = 1024 * OID_BLOCK;

/// How long a statement of the engine waits for a lock. Only opening and emptying the log ever wait.
pub const ENGINE_LOCK_MILLIS: u64 = 10_000;
/// Page cache of each connection of the engine, in KiB.
pub const ENGINE_CACHE_KIBIBYTES: i64 = 16 * 1024;
/// Pages in the engine's log from which on it should be emptied.
pub const ENGINE_LOG_PAGES_MAX: i64 = 8 * 1024;
/// Statements that one connection of the engine keeps prepared.
pub const ENGINE_STATEMENTS_MAX: usize = 16;

// All gems of two full routers, each with its lifeline.
const _: () = assert!(CONNECTIONS_MAX > 2 * (GEMS_MAX + 1));
// A hello carries a user, a client's name and a key.
const _: () = assert!(HELLO_BYTES_MAX > USER_BYTES_MAX + OPTION_BYTES_MAX);
const _: () = assert!(HELLO_BYTES_MAX <= REQUEST_FREE_BYTES_MAX);
const _: () = assert!(LINK_BUFFER_BYTES <= LINK_KEPT_BYTES_MAX);
const _: () = assert!(REQUEST_FREE_BYTES_MAX < STONE_FRAME_BYTES_MAX);
// The largest request must be possible.
const _: () = assert!(REQUESTS_BYTES_MAX >= STONE_FRAME_BYTES_MAX);
// A router that has started a stone must still find it.
const _: () = assert!(FIRST_CONNECTION_MILLIS >= STONE_START_MILLIS);
const _: () = assert!(ANSWERS_MILLIS < STOP_GRACE_MILLIS);
// The next stone waits until the one before has left, and its router until it serves.
const _: () = assert!(ANSWERS_MILLIS < LOCK_MILLIS);
const _: () = assert!(LOCK_MILLIS < STONE_START_MILLIS);
const _: () = assert!(LOCK_RETRY_MILLIS < LOCK_MILLIS);
const _: () = assert!(REFUSAL_MILLIS < HELLO_MILLIS);
const _: () = assert!(COMMIT_QUEUE_MAX >= COMMIT_BATCH_MAX);
const _: () = assert!(RECORD_OVERHEAD_BYTES < STONE_FRAME_BYTES_MAX);
const _: () = assert!(FAULT_READS_MAX >= FAULT_OBJECTS_MAX);
const _: () = assert!(SENT_OIDS_MAX >= FAULT_OBJECTS_MAX);
const _: () = assert!(OIDS_AHEAD.is_multiple_of(OID_BLOCK));
