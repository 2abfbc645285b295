//! The harness of the end-to-end tests and of the benches: real processes, real sockets, real time.
//!
//! It builds nothing: the binaries of the product are looked for beside the test executable. It sends traffic to the
//! loopback interface only, and it ends only what it started, by process id. Read in this order: [`server`],
//! [`client`], [`http`], [`processes`].

#![forbid(unsafe_code)]

pub mod alone;
pub mod binaries;
pub mod client;
pub mod dice;
pub mod http;
pub mod processes;
pub mod schemas;
pub mod server;
pub mod sse;
pub mod tap;
pub mod tools;
pub mod witness;

use std::io::Write;

/// Whether the long forms of tests are asked for (`scripts/run-tests.sh --all`).
pub fn all_tests() -> bool {
    std::env::var_os("LAPIDARY_ALL_TESTS").is_some_and(|value| !value.is_empty())
}

/// Says that a test did not run, and why. It goes straight to standard error, past the capture of the test runner,
/// so that nobody mistakes it for a test that passed.
pub fn skipped(test: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {why}");
}
