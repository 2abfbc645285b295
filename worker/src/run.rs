//! The command line of a worker, whatever toolsets it was built with.

use crate::document::document;
use crate::local;
use crate::registry::Registry;
use crate::stdio;
use crate::tool::Toolset;
use crate::zygote;
use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args, Parser, Subcommand};
use protocol::gem::{Results, SandboxPolicy, exit};
use protocol::limits::{CALL_SECONDS_DEFAULT, IDLE_SECONDS_DEFAULT, SESSION_SECONDS_MAX};
use protocol::revision::Served;
use std::process::ExitCode;

/// The exit code for a command line that means nothing.
const USAGE: u8 = 2;

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
    /// Serve one MCP client over standard input and output, at the user's stone.
    Stdio(StdioArguments),
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

/// The settings of a server over standard input and output; they are named like the router's.
#[derive(Args)]
struct StdioArguments {
    /// Toolsets to serve, separated by commas; the default ones if empty
    #[arg(long, env = "GS_MCP_TOOLSETS", value_delimiter = ',')]
    toolsets: Vec<String>,
    /// Those of the toolsets whose tools are listed, separated by commas; by default each toolset decides
    #[arg(long, env = "GS_MCP_ADVERTISED", value_delimiter = ',')]
    advertised: Vec<String>,
    /// What the client gets of an answer: content, structured or both
    #[arg(long, env = "GS_MCP_RESULTS", value_parser = Results::named, default_value = "both")]
    results: Results,
    #[command(flatten)]
    sandbox: SandboxArgument,
    /// A class in the image that changes guards, identity or wiring
    #[arg(long, env = "GS_MCP_WORKER_CLASS")]
    worker_class: Option<String>,
    /// The name that the server gives itself
    #[arg(long, env = "GS_MCP_SERVER_NAME")]
    server_name: Option<String>,
    /// The version that the server gives itself
    #[arg(long, env = "GS_MCP_SERVER_VERSION")]
    server_version: Option<String>,
    /// The title that the server gives itself
    #[arg(long, env = "GS_MCP_TITLE")]
    title: Option<String>,
    /// Serve only tools that are declared safe, and refuse every commit
    #[arg(long = "readonly", env = "GS_MCP_READONLY", value_parser = BoolishValueParser::new(), default_value = "false",
        num_args = 0..=1, require_equals = true, default_missing_value = "true", action = ArgAction::Set)]
    read_only: bool,
    /// Whether the tools that change classes and methods commit what they did
    #[arg(long, env = "GS_MCP_AUTOCOMMIT", value_parser = BoolishValueParser::new(), default_value = "true",
        require_equals = true, action = ArgAction::Set)]
    autocommit: bool,
    /// Revisions of MCP to serve, separated by commas; all of them if empty
    #[arg(long, env = "GS_MCP_REVISIONS", value_delimiter = ',')]
    revisions: Vec<String>,
    /// The user in the repository
    #[arg(long, env = "GS_USER", default_value = "DataCurator")]
    user: String,
    /// Seconds that one call may take
    #[arg(long, env = "GS_MCP_CALL_SECONDS", default_value_t = CALL_SECONDS_DEFAULT,
        value_parser = clap::value_parser!(u64).range(1..=SESSION_SECONDS_MAX))]
    call_seconds: u64,
    /// Seconds without a call after which a gem that is held by a handle ends
    #[arg(long, env = "GS_MCP_IDLE_SECONDS", default_value_t = IDLE_SECONDS_DEFAULT,
        value_parser = clap::value_parser!(u64).range(1..=SESSION_SECONDS_MAX))]
    idle_seconds: u64,
}

impl StdioArguments {
    fn options(self) -> Result<stdio::Options, String> {
        // The router takes blanks as well, and one environment may serve both.
        let words = |words: Vec<String>| {
            let split = words.iter().flat_map(|word| word.split_whitespace());
            split.map(str::to_owned).collect::<Vec<_>>()
        };
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let known = |unknown| format!("`{unknown}` is no revision that is served");
        Ok(stdio::Options {
            toolsets: words(self.toolsets),
            advertised: words(self.advertised),
            results: self.results,
            sandbox: self.sandbox.sandbox,
            worker_class: given(self.worker_class),
            server_name: given(self.server_name),
            server_version: given(self.server_version),
            title: given(self.title),
            read_only: self.read_only,
            autocommit: self.autocommit,
            user: self.user,
            served: Served::choose(&words(self.revisions)).map_err(known)?,
            call_seconds: self.call_seconds,
            idle_seconds: self.idle_seconds,
        })
    }
}

/// Does what the command line asks, with these toolsets on offer.
pub fn run(toolsets: Vec<Box<dyn Toolset>>) -> ExitCode {
    let arguments = Arguments::parse();
    end_on_panic();
    let registry = match Registry::new(toolsets) {
        Ok(registry) => registry,
        Err(error) => return fail(&error),
    };
    match arguments.command {
        Command::Zygote(SandboxArgument { sandbox }) => match zygote::serve(&registry, sandbox) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error),
        },
        Command::Stdio(arguments) => match arguments.options() {
            Err(message) => {
                eprintln!("lapidary-worker: {message}");
                ExitCode::from(USAGE)
            }
            Ok(options) => match stdio::serve(&registry, &options) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => fail(&error),
            },
        },
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

/// A panic is a fault of ours: the process says so and ends at once, whichever thread it is in, and is never left half
/// alive.
fn end_on_panic() {
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("lapidary-worker: {panic}");
        sandbox::exit_at_once(exit::PANIC)
    }));
}
