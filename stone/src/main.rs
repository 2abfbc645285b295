//! `lapidary-stone`: serves one repository to the gems and routers of its user.
//!
//! Configures, announces, serves, exits; everything else is in the library.
#![forbid(unsafe_code)]

use clap::{Parser, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;
use stone::server::{Config, ServeError, run};
use tracing_subscriber::EnvFilter;

/// Another stone has the repository.
const EXIT_SERVED: u8 = 3;

/// Serves one Lapidary repository on a Unix socket.
///
/// Usually started by the router. It leaves by itself when its last connection has gone, or after ten seconds if
/// nobody has come. SIGTERM finishes what is under way and stops it.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Exit status: 0 it served and left; 1 it cannot serve, and stderr says why; \
                                 2 wrong arguments; 3 another stone serves this repository."
)]
struct Arguments {
    /// The repository's folder, such as ~/.local/share/lapidary/gs64stone.stone; made if it is not there
    #[arg(long, value_name = "FOLDER")]
    path: PathBuf,
    /// The Unix socket to serve; its folder must be yours alone (mode 0700), and is made if it is not there
    #[arg(long, value_name = "FILE")]
    socket: PathBuf,
    /// What a new repository is called; by default after its folder. One that exists keeps its name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// What to log to stderr: error, warn, info, debug (each commit), trace, or a filter such as stone=debug
    #[arg(long, value_name = "FILTER", default_value = "info")]
    log_level: String,
    /// How to log
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum LogFormat {
    /// Lines for people
    Text,
    /// One JSON object a line
    Json,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    abort_on_panic();
    match serve(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("lapidary-stone: {}", message.0);
            ExitCode::from(message.1)
        }
    }
}

fn serve(arguments: Arguments) -> Result<(), (String, u8)> {
    start_log(&arguments.log_level, arguments.log_format)?;
    let absolute =
        |path: PathBuf| std::path::absolute(&path).map_err(|error| (format!("{}: {error}", path.display()), 1));
    let repository = absolute(arguments.path)?;
    let name = match arguments.name {
        Some(name) => name,
        None => protocol::paths::repository_name(&repository).map_err(|error| (error.to_string(), 1))?,
    };
    let config = Config { repository, socket: absolute(arguments.socket)?, name };
    run(&config).map_err(|error| {
        let status = if matches!(error, ServeError::Served { .. }) { EXIT_SERVED } else { 1 };
        (error.to_string(), status)
    })
}

fn start_log(filter: &str, format: LogFormat) -> Result<(), (String, u8)> {
    let filter = EnvFilter::try_new(filter).map_err(|error| (format!("--log-level {filter}: {error}"), 2))?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false);
    match format {
        LogFormat::Text => builder.init(),
        LogFormat::Json => builder.json().init(),
    }
    Ok(())
}

/// A broken invariant must not go on to the repository: what is committed is safe, and the router starts anew.
fn abort_on_panic() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        report(panic);
        std::process::abort();
    }));
}
