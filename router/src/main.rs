//! `lapidary-router`: read the configuration, start, announce, wait, drain, exit.

#![forbid(unsafe_code)]

use router::config::Config;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Bad values end here, with exit code 2 and a message that says which.
    let config = Config::parse();
    match router::run(config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lapidary-router: {error}");
            ExitCode::FAILURE
        }
    }
}
