//! Every limit of the system in one place: bytes, counts and durations, with their relations asserted at compile time.
//!
//! A queue, a loop or an allocation anywhere in the product is bounded by one of these. Durations are milliseconds or
//! seconds, as the name says. What one program alone must keep is in a module of its own.

pub mod stone;

/// Largest HTTP request body that is read; a larger one is answered 413.
pub const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Room in a frame beside a client's body: revision, headers and framing.
pub const FRAME_OVERHEAD_BYTES: usize = 32 * 1024;
/// Largest frame body on the link between router and worker, in both directions.
pub const FRAME_BYTES_MAX: usize = BODY_BYTES_MAX + FRAME_OVERHEAD_BYTES;
/// Largest frame body on the link to the stone: a commit of many objects travels as one frame.
pub const STONE_FRAME_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Characters of a tool's text answer that are shown; more is cut and counted.
pub const RESULT_CHARACTERS_MAX: usize = 50_000;
/// Request headers of one HTTP request, counted; more is answered 431.
pub const HEADERS_MAX: usize = 64;
/// Request head in bytes; more is answered 431.
pub const HEADER_BYTES_MAX: usize = 16 * 1024;
/// Time for a whole request head to arrive.
pub const HEADER_MILLIS: u64 = 10_000;
/// Time for a whole request body to arrive; then 408.
pub const BODY_MILLIS: u64 = 30_000;
/// Time that a client may refuse to read what it is sent before its connection is closed.
pub const WRITE_STALL_MILLIS: u64 = 30_000;
/// JSON-RPC ids: longest string, in bytes.
pub const ID_BYTES_MAX: usize = 256;
/// JSON-RPC ids: largest magnitude of an integer that every JSON reader keeps exactly.
pub const ID_INTEGER_MAX: i64 = (1 << 53) - 1;
/// Longest method name, in bytes.
pub const METHOD_BYTES_MAX: usize = 128;
/// Members of a JSON-RPC object beside those that the protocol names.
pub const ENVELOPE_MEMBERS_MAX: usize = 32;
/// Random bytes in a session id.
pub const SESSION_ID_BYTES: usize = 16;
/// Messages in one batch.
pub const BATCH_MAX: usize = 64;
/// Gems that are forked ahead for requests that stand for themselves, once there was one.
pub const GEMS_AHEAD: usize = 2;
/// Gems that one principal's clients hold by handles, and by calls that may become tasks.
pub const HANDLES_MAX: usize = 64;
/// Tasks in one gem, ended ones that are still kept included; a call beyond does not become one.
pub const TASKS_MAX: usize = 16;
/// Time after which a call becomes a task, if its client knows tasks.
pub const TASK_AFTER_MILLIS: u64 = 5_000;
/// Time that a task is kept beyond the longest time that its call may take.
pub const TASK_KEPT_MILLIS: u64 = 600_000;
/// What a client is told to wait between two looks at a task.
pub const TASK_POLL_MILLIS: u64 = 1_000;
/// Subscriptions of one session, and of one stream that listens.
pub const SUBSCRIPTIONS_MAX: usize = 1024;
/// Requests without a session that are under way at once for a client that has one connection for all of them.
pub const CONNECTION_REQUESTS_MAX: usize = 256;
/// Streams that listen for changes at once.
pub const LISTENERS_MAX: usize = 256;
/// Bytes of events that a session keeps for streams that broke; the newest message of a stream is always kept.
pub const REPLAY_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Streams of a session that are kept after their end.
pub const REPLAY_STREAMS_MAX: usize = 16;
/// Seconds that the events of a stream that has ended are kept.
pub const REPLAY_SECONDS: u64 = 300;
/// What a client is told to wait before it comes back for a stream that broke.
pub const RETRY_MILLIS: u64 = 1_000;
/// Elements of one page of a list.
pub const LIST_PAGE_MAX: usize = 200;
/// Rounds in which one call may ask its client something.
pub const ROUNDS_MAX: usize = 8;
/// Questions of one round.
pub const QUESTIONS_MAX: usize = 16;
/// Seconds in which the answer to what a client was asked must come back with its sealed state.
pub const STATE_SECONDS_MAX: u64 = 600;
/// Bytes of a sealed state.
pub const STATE_BYTES_MAX: usize = 256 * 1024;
/// Messages that wait in a gem while its call waits for the client.
pub const WAITING_MAX: usize = 2 * CALLS_QUEUED_MAX;
/// Open client connections unless configured; the listener waits when they are reached.
pub const CONNECTIONS_DEFAULT: usize = 1024;
/// Open client connections, as far as they can be configured.
pub const CONNECTIONS_MAX: usize = 65_536;
/// Gems of one router.
pub const GEMS_MAX: usize = 512;
/// Gems being opened at once.
pub const GEMS_OPENING_MAX: usize = 16;
/// Calls in flight to one gem; more wait in its queue.
pub const CALLS_IN_FLIGHT_MAX: usize = 16;
/// Calls that wait for one gem; more are answered 503.
pub const CALLS_QUEUED_MAX: usize = 64;
/// Wall-clock seconds of one call unless configured.
pub const CALL_SECONDS_DEFAULT: u64 = 600;
/// Time that a gem has to end a call by itself once it was told to, before it is killed.
pub const CANCEL_GRACE_MILLIS: u64 = 2_000;
/// Seconds without a call after which a session ends unless configured.
pub const IDLE_SECONDS_DEFAULT: u64 = 1_800;
/// Longest life of a session in seconds.
pub const SESSION_SECONDS_MAX: u64 = 24 * 3_600;
/// Time for a fresh gem to say that it is ready.
pub const OPEN_MILLIS: u64 = 10_000;
/// Seconds between the comments that keep a silent event stream alive, unless configured.
pub const KEEP_ALIVE_SECONDS_DEFAULT: u64 = 10;
/// Longest time between them in seconds: what usual proxies and clients put up with.
pub const KEEP_ALIVE_SECONDS_MAX: u64 = 15;
/// Bytes of a user's name in the repository.
pub const USER_BYTES_MAX: usize = 128;
/// Bytes of a text that an option gives, such as a title.
pub const OPTION_BYTES_MAX: usize = 1024;
/// Heap of a gem's virtual machine.
pub const GEM_HEAP_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Stack of a gem's virtual machine.
pub const GEM_STACK_BYTES_MAX: usize = 64 * 1024 * 1024;
/// `RLIMIT_DATA` of a gem: a collection holds two copies of the heap for a moment.
pub const GEM_DATA_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// `RLIMIT_CPU` of a gem, over its whole life.
pub const GEM_CPU_SECONDS_MAX: u64 = 3_600;
/// `RLIMIT_NOFILE` of a gem.
pub const GEM_FILES_MAX: u64 = 16;
/// Time that the router grants everything it started when it is told to stop.
pub const STOP_GRACE_MILLIS: u64 = 5_000;
/// Time for a zygote to boot its image.
pub const BOOT_MILLIS: u64 = 30_000;
/// Time for a stone that was started to answer.
pub const STONE_START_MILLIS: u64 = 10_000;
/// Shortest pause before what died is started again.
pub const RESTART_MILLIS_MIN: u64 = 100;
/// Longest pause before what keeps dying is started again.
pub const RESTART_MILLIS_MAX: u64 = 5_000;
/// Time between two looks at the clocks of all sessions.
pub const SWEEP_MILLIS: u64 = 100;
/// Time that the router waits to hear how a gem that is gone has ended.
pub const END_STATUS_MILLIS: u64 = 100;
/// Bytes that wait for one event stream; a reader that falls further behind loses it.
pub const STREAM_BYTES_MAX: usize = 2 * FRAME_BYTES_MAX;
/// Time that a connection which the server closes goes on being read, so that the last answer arrives.
pub const LINGER_MILLIS: u64 = 2_000;
/// Bytes of log that wait to be written; lines beyond are dropped and counted.
pub const LOG_BYTES_MAX: usize = 1024 * 1024;
/// Object identities that the stone hands out at a time.
pub const OID_BLOCK: u64 = 1 << 16;
/// Objects in one answer to a fault, neighbours included.
pub const FAULT_OBJECTS_MAX: usize = 256;
/// Bytes of neighbours in one answer to a fault; what was asked for is always answered whole.
pub const FAULT_NEIGHBOUR_BYTES_MAX: usize = 64 * 1024;

const _: () = assert!(FRAME_BYTES_MAX > BODY_BYTES_MAX);
// The headers that travel beside a body are at most a whole request head, each with two lengths of four bytes.
const _: () = assert!(FRAME_OVERHEAD_BYTES >= HEADER_BYTES_MAX + HEADERS_MAX * 8 + 1024);
const _: () = assert!(GEMS_AHEAD < GEMS_MAX);
const _: () = assert!(HANDLES_MAX < GEMS_MAX);
const _: () = assert!(BATCH_MAX <= CALLS_QUEUED_MAX);
const _: () = assert!(STATE_BYTES_MAX < BODY_BYTES_MAX);
const _: () = assert!(STONE_FRAME_BYTES_MAX >= FRAME_BYTES_MAX);
const _: () = assert!(STONE_FRAME_BYTES_MAX <= u32::MAX as usize);
const _: () = assert!(RESULT_CHARACTERS_MAX * 4 < FRAME_BYTES_MAX);
const _: () = assert!(GEM_DATA_BYTES_MAX as usize >= GEM_HEAP_BYTES_MAX * 2 + GEM_STACK_BYTES_MAX);
const _: () = assert!(GEMS_OPENING_MAX <= GEMS_MAX);
const _: () = assert!(GEMS_MAX < CONNECTIONS_DEFAULT);
const _: () = assert!(CONNECTIONS_DEFAULT <= CONNECTIONS_MAX);
const _: () = assert!(KEEP_ALIVE_SECONDS_DEFAULT <= KEEP_ALIVE_SECONDS_MAX);
const _: () = assert!(CALL_SECONDS_DEFAULT < IDLE_SECONDS_DEFAULT);
const _: () = assert!(IDLE_SECONDS_DEFAULT < SESSION_SECONDS_MAX);
const _: () = assert!(CANCEL_GRACE_MILLIS < STOP_GRACE_MILLIS);
const _: () = assert!(STREAM_BYTES_MAX > FRAME_BYTES_MAX);
const _: () = assert!(RESTART_MILLIS_MIN <= RESTART_MILLIS_MAX);
const _: () = assert!(SWEEP_MILLIS < CANCEL_GRACE_MILLIS);
const _: () = assert!(END_STATUS_MILLIS < CANCEL_GRACE_MILLIS);
const _: () = assert!(FAULT_NEIGHBOUR_BYTES_MAX < STONE_FRAME_BYTES_MAX);
