//! The worker on a kernel without Landlock: a system-call filter answers what such a kernel answers, and stays in force
//! in the worker that this becomes.
#![forbid(unsafe_code)]

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// `landlock_create_ruleset`, on every architecture.
const LANDLOCK_CREATE_RULESET: i64 = 444;
/// `ENOSYS`, on every architecture.
const NOT_IMPLEMENTED: u32 = 38;

fn main() {
    let architecture = std::env::consts::ARCH.try_into().expect("a known processor");
    let missing = SeccompAction::Errno(NOT_IMPLEMENTED);
    let calls = [(LANDLOCK_CREATE_RULESET, vec![])].into();
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, missing, architecture).expect("well formed");
    seccompiler::apply_filter(&BpfProgram::try_from(filter).expect("compiled")).expect("applied");
    let mut worker = Command::new(tests::binaries::find("lapidary-worker"));
    let error = worker.args(std::env::args_os().skip(1)).exec();
    panic!("the worker cannot be executed: {error}");
}
