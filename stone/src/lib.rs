//! The stone: one repository's committed objects, their versions and transactions, and the client that gems speak
//! through.
//!
//! A stone knows an object as an identity, the identities it refers to, and bytes; it never looks inside and knows no
//! Smalltalk. It trusts no gem: whom a connection serves is fixed by its first message, and everything after it is
//! checked. Without the feature `server` only [`client`] remains, and no storage engine is linked.
#![forbid(unsafe_code)]

pub mod client;
#[cfg(feature = "server")]
mod engine;
mod link;
#[cfg(feature = "server")]
pub mod server;
