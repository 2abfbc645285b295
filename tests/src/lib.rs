//! The harness of the end-to-end tests and of the benches: real processes, real sockets, real time.
//!
//! It builds nothing: the binaries of the product are looked for beside the test executable. It sends traffic to the
//! loopback interface only, and it ends only what it started, by process id. Read in this order: [`server`],
//! [`client`], [`http`], [`processes`].

#![forbid(unsafe_code)]
