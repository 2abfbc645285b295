//! `lapidary-stone`: serves one repository to the gems and routers of its user.
//!
//! Configures, announces, serves, exits; everything else is in the library.
#![forbid(unsafe_code)]

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use protocol::options::{self, OptionSpec, Reader, Settings};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use stone::server::{Config, ServeError, run};
use tracing_subscriber::EnvFilter;

/// The command line means nothing.
const EXIT_USAGE: u8 = 2;
/// Another stone has the repository.
const EXIT_SERVED: u8 = 3;
const ABOUT: &str = "Serves one Lapidary repository on a Unix socket.\n\nUsually started by the router. It leaves by \
                     itself when its last connection has gone, or after ten seconds if none has come. SIGTERM \
                     finishes what is under way and stops it.";
const EXIT_CODES: &str = "Exit status: 0 it served and left; 1 it cannot serve, and stderr says why; 2 wrong arguments; \
                          3 another stone serves this repository.";

/// The command line as clap takes it apart: values stay raw, since the table of options reads them.
fn command() -> clap::Command {
    let arguments = Reader::Stone.options().map(argument);
    clap::Command::new("lapidary-stone")
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(EXIT_CODES)
        .args(arguments)
}

fn argument(spec: &'static OptionSpec) -> Arg {
    Arg::new(spec.name)
        .long(spec.name)
        .value_name(spec.value_name())
        .help(spec.help_text())
        .required(spec.is_required())
        .value_parser(value_parser!(OsString))
        .action(ArgAction::Set)
}

fn given(matches: &ArgMatches) -> impl Iterator<Item = (&'static str, OsString)> {
    Reader::Stone.options().filter_map(|spec| Some((spec.name, matches.get_one::<OsString>(spec.name)?.clone())))
}

fn main() -> ExitCode {
    let matches = command().get_matches();
    abort_on_panic();
    let outcome = options::resolve(Reader::Stone, given(&matches), std::env::vars_os());
    match outcome.map_err(|error| (error.to_string(), EXIT_USAGE)).and_then(|settings| serve(&settings)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("lapidary-stone: {}", message.0);
            ExitCode::from(message.1)
        }
    }
}

fn serve(settings: &Settings) -> Result<(), (String, u8)> {
    start_log(settings)?;
    let absolute =
        |path: PathBuf| std::path::absolute(&path).map_err(|error| (format!("{}: {error}", path.display()), 1));
    let path = |spec| PathBuf::from(settings.path(spec).unwrap_or_default());
    let repository = absolute(path(&options::REPOSITORY))?;
    let name = match settings.optional_text(&options::REPOSITORY_NAME) {
        Some(name) => name,
        None => protocol::paths::repository_name(&repository).map_err(|error| (error.to_string(), 1))?,
    };
    let config = Config { repository, socket: absolute(path(&options::SOCKET))?, name };
    run(&config).map_err(|error| {
        let status = if matches!(error, ServeError::Served { .. }) { EXIT_SERVED } else { 1 };
        (error.to_string(), status)
    })
}

fn start_log(settings: &Settings) -> Result<(), (String, u8)> {
    let spec = &options::STONE_LOG_LEVEL;
    let filter = EnvFilter::try_new(settings.text(spec))
        .map_err(|error| (settings.refuse(spec, &error.to_string()).to_string(), EXIT_USAGE))?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false);
    match settings.text(&options::STONE_LOG_FORMAT).as_str() {
        "json" => builder.json().init(),
        _ => builder.init(),
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
