//! The session core, one for all transports: revisions, admission, exchanges, cancellation, streams, events, limits.
//!
//! It knows no socket of a client and no process: transports call it, and it calls backends. A transport with headers
//! beside each message hands them to [`request`], one that is a connection for one client to [`connection`].

mod admission;
pub(crate) mod connection;
mod era;
pub(crate) mod events;
pub(crate) mod failure;
pub(crate) mod headers;
mod keys;
mod listeners;
pub(crate) mod open;
mod pool;
pub(crate) mod reply;
mod request;
mod request_id;
pub(crate) mod session;
pub(crate) mod shared;
mod stateless;
pub(crate) mod table;

pub(crate) use admission::Summary;
