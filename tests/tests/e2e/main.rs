//! End to end: the real binaries over real sockets, as a client or an operator meets them.
//!
//! One module a theme, one test a behaviour, named for what must hold. Every test starts servers of its own, and every
//! server proves at its end that nothing of it is left.

mod admission;
mod browsers;
mod command_line;
mod concurrency;
mod conformance;
mod crashes;
mod documents;
mod faults;
mod features;
mod gemstone_server;
mod hostile;
mod identity;
mod keeping;
mod ladder;
mod language;
mod lifecycle;
mod operation;
mod peers;
mod resumption;
mod runaway;
mod scripts;
mod settings;
mod stalls;
mod stateless;
mod stdio;
mod streams;
mod tasks;
mod tools;
mod toolsets;
mod transactions;
mod vendor;
mod walls;
mod wire;

use std::time::{Duration, Instant};
use tests::client::{Client, JSON_HEADERS, PATH, initialize};
use tests::http::Connection;
use tests::server::Server;

/// Tries until it succeeds: for what another process will have done soon, and that no event tells.
fn eventually<T>(limit: Duration, what: &str, mut attempt: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + limit;
    loop {
        if let Some(value) = attempt() {
            return value;
        }
        assert!(Instant::now() < end, "not within {limit:?}: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A session as soon as one can be opened again: for after the death of what sessions need.
fn open_eventually(server: &Server) -> Client {
    eventually(Duration::from_secs(5), "a session opens", || {
        let body = initialize("2025-11-25").to_string();
        let response = Connection::open(server.address).request("POST", PATH, &JSON_HEADERS, body.as_bytes());
        (response.status == 200 && response.json()["result"].is_object()).then(|| Client::open(server.address))
    })
}
