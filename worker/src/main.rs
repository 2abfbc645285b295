//! The worker with the tools that come with it.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    worker::run(worker::standard_toolsets())
}
