//! The stone as a process: opens the repository, serves its socket, leaves after its last connection.
//!
//! Knows no engine beyond the trait, speaks to no client of the product, and panics at nothing that a peer or a file
//! can do. Read in this order, from the topmost layer down:
//!
//! - [`run()`] starts and stops everything
//! - `listen`, `handshake`, `session`: a connection, its first message, its requests
//! - `stone`: what connections share
//! - `committer`, `checkpoints`: the threads that write
//! - `commit_queue`, `fault`, `published`, `reader_pool`, `oid_allocator`: what sessions ask of the repository
//! - `lifetime`, `lock`, `budget`, `frames`, `author`, `voided_tokens`, `refusal`: parts that know no others

mod author;
mod budget;
mod checkpoints;
mod commit_queue;
mod committer;
mod config;
mod error;
mod fault;
mod frames;
mod handshake;
mod lifetime;
mod listen;
mod lock;
mod oid_allocator;
mod published;
mod reader_pool;
mod refusal;
mod run;
mod session;
mod stone;
mod voided_tokens;

pub use config::Config;
pub use error::ServeError;
pub use run::run;
