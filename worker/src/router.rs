//! The way from `lapidary-worker stdio`, as it was called before, to the router, which serves standard input and output
//! as it serves HTTP.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use thiserror::Error;

/// The router's program, beside this one.
const PROGRAM: &str = "lapidary-router";
/// By what the router is told which program its gems run.
const WORKER_VARIABLE: &str = "GS_MCP_WORKER_BINARY";

/// The router cannot take over.
#[derive(Debug, Error)]
#[error("{path} cannot be started: {source}")]
pub(crate) struct RouterError {
    path: PathBuf,
    source: io::Error,
}

/// Replaces this process by the router, with this program as the one that its gems run. Answers only if it cannot.
pub(crate) fn become_stdio(arguments: &[OsString]) -> RouterError {
    let own = std::env::current_exe().unwrap_or_default();
    let path = own.with_file_name(PROGRAM);
    eprintln!("lapidary-worker: `lapidary-worker stdio` is now `{PROGRAM} stdio`: starting that");
    let source = Command::new(&path).arg("stdio").args(arguments).env(WORKER_VARIABLE, own).exec();
    RouterError { path, source }
}
