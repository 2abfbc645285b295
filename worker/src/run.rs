//! The command line of a worker, whatever toolsets it was built with.

use crate::command_line::{self, Task, UsageError};
use crate::document::document;
use crate::local;
use crate::panics;
use crate::registry::Registry;
use crate::router;
use crate::tool::Toolset;
use crate::zygote;
use std::process::ExitCode;

/// The exit code for a command line that means nothing.
const USAGE: u8 = 2;

/// Does what the command line asks, with these toolsets on offer.
pub fn run(toolsets: Vec<Box<dyn Toolset>>) -> ExitCode {
    let task = match command_line::read(std::env::args_os(), std::env::vars_os()) {
        Ok((task, notices)) => {
            notices.iter().for_each(|notice| eprintln!("lapidary-worker: {notice}"));
            task
        }
        Err(UsageError::CommandLine(error)) => error.exit(),
        Err(UsageError::Path(error)) => return fail(&error),
        Err(UsageError::Option(error)) => {
            eprintln!("lapidary-worker: {error}");
            return ExitCode::from(USAGE);
        }
    };
    panics::install_hook();
    let registry = match Registry::new(toolsets) {
        Ok(registry) => registry,
        Err(error) => return fail(&error),
    };
    match task {
        Task::Zygote(sandbox) => match zygote::serve(&registry, sandbox) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error),
        },
        Task::Stdio(arguments) => fail(&router::become_stdio(&arguments)),
        Task::Document => {
            print!("{}", document(&registry));
            ExitCode::SUCCESS
        }
        Task::FileIn(options, paths) => finish(local::file_in(&options, &paths)),
        Task::Evaluate(options, code) => finish(local::evaluate(&options, &code)),
    }
}

fn finish(outcome: Result<String, local::LocalError>) -> ExitCode {
    match outcome {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => fail(&error),
    }
}

fn fail(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("lapidary-worker: {error}");
    ExitCode::FAILURE
}
