//! The command line of a worker, whatever toolsets it was built with.

use crate::document::document;
use crate::local;
use crate::panics;
use crate::registry::Registry;
use crate::router;
use crate::tool::Toolset;
use crate::zygote;
use clap::{Args, Parser, Subcommand};
use protocol::gem::SandboxPolicy;
use std::ffi::OsString;
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "lapidary-worker", version, about = "One client's process: tools in a live Smalltalk image")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Boot the image once and fork a gem for each session; standard input is a packet socket to the router.
    Zygote(SandboxArgument),
    /// Become `lapidary-router stdio`, which serves one MCP client over standard input and output.
    #[command(disable_help_flag = true)]
    Stdio {
        /// What is handed on to it.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Print what the tools say of themselves, as Markdown.
    Document,
    /// Load Smalltalk source files (.gs or .st) into the stone and commit, or say what failed and commit nothing.
    Filein {
        /// The files, in order; `input` in one of them is relative to the working directory.
        #[arg(required = true)]
        paths: Vec<std::path::PathBuf>,
    },
    /// Run Smalltalk at the newest commit and print the value's printString; what it changes is not committed.
    Eval {
        /// The code.
        code: String,
    },
}

/// How strictly the sandbox is insisted on.
#[derive(Args)]
struct SandboxArgument {
    /// What happens where the kernel lacks a part of the sandbox: strict refuses, best-effort goes on without that part
    /// and warns, off uses no sandbox at all
    #[arg(long, env = "GS_MCP_SANDBOX", value_parser = SandboxPolicy::named, default_value = "strict")]
    sandbox: SandboxPolicy,
}

/// Does what the command line asks, with these toolsets on offer.
pub fn run(toolsets: Vec<Box<dyn Toolset>>) -> ExitCode {
    let arguments = Arguments::parse();
    panics::install_hook();
    let registry = match Registry::new(toolsets) {
        Ok(registry) => registry,
        Err(error) => return fail(&error),
    };
    match arguments.command {
        Command::Zygote(SandboxArgument { sandbox }) => match zygote::serve(&registry, sandbox) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error),
        },
        Command::Stdio { arguments } => fail(&router::become_stdio(&arguments)),
        Command::Document => {
            print!("{}", document(&registry));
            ExitCode::SUCCESS
        }
        Command::Filein { paths } => finish(local::file_in(&paths)),
        Command::Eval { code } => finish(local::evaluate(&code)),
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
