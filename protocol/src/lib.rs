//! What the processes of Lapidary say to each other and to MCP clients: bytes to types and back.
//!
//! Pure by rule: no I/O, no clock, no threads, no randomness. Whoever holds a socket feeds bytes in and takes
//! values out, so every codec here can be tested without a process. Read in this order: [`limits`], [`frame`], then
//! the three links: [`gem`] (router and worker), [`zygote`] (router and zygote), [`stone`] (router or worker and
//! stone).

#![forbid(unsafe_code)]

pub mod envelope;
pub mod error;
pub mod frame;
pub mod gem;
pub mod grant;
pub mod limits;
pub mod listen;
pub mod options;
pub mod paths;
pub mod revision;
pub mod shape;
pub mod stateless;
pub mod stone;
pub mod wire;
pub mod zygote;
