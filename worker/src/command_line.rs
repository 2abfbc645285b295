//! The command line of a worker: clap takes it apart, the table of options in `protocol` reads the values.
//!
//! Nothing else in this crate reads the arguments or a variable of ours.

use crate::local::{LocalOptions, StoneAccess};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use protocol::gem::SandboxPolicy;
use protocol::options::{self, OptionError, OptionSpec, Reader, Settings};
use protocol::paths::PathError;
use std::ffi::OsString;
use std::path::PathBuf;
use thiserror::Error;

/// What a worker is started for.
#[derive(Debug)]
pub(crate) enum Task {
    /// To fork a gem for each session of a router.
    Zygote(SandboxPolicy),
    /// To become the router, which serves one client over standard input and output, with these arguments.
    Stdio(Vec<OsString>),
    /// To print what the tools say of themselves.
    Document,
    /// To load files.
    FileIn(LocalOptions, Vec<PathBuf>),
    /// To run code.
    Evaluate(LocalOptions, String),
}

/// The command line or the environment means nothing.
#[derive(Debug, Error)]
pub(crate) enum UsageError {
    #[error(transparent)]
    CommandLine(#[from] clap::Error),
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error(transparent)]
    Path(#[from] PathError),
}

/// The task, and what to tell the operator of how it was read.
pub(crate) fn read(
    arguments: impl IntoIterator<Item = OsString>,
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<(Task, Vec<String>), UsageError> {
    let matches = command().try_get_matches_from(arguments)?;
    let Some((name, matches)) = matches.subcommand() else { return Ok((Task::Document, Vec::new())) };
    if name == "stdio" {
        return Ok((Task::Stdio(many(matches, "arguments")), Vec::new()));
    }
    let Some(reader) = reader_of(name) else { return Ok((Task::Document, Vec::new())) };
    let settings = options::resolve(reader, given(reader, matches), environment)?;
    let task = match (reader, name) {
        (Reader::Zygote, _) => Task::Zygote(sandbox(&settings)?),
        (_, "eval") => Task::Evaluate(local_options(&settings)?, one(matches, "code")),
        _ => Task::FileIn(local_options(&settings)?, many(matches, "paths")),
    };
    Ok((task, settings.notices().to_vec()))
}

fn reader_of(subcommand: &str) -> Option<Reader> {
    match subcommand {
        "zygote" => Some(Reader::Zygote),
        "filein" | "eval" => Some(Reader::Local),
        _ => None,
    }
}

fn command() -> Command {
    let subcommand = |name: &'static str, about: &'static str| {
        let options = reader_of(name).into_iter().flat_map(Reader::options).filter(|spec| spec.is_argument());
        Command::new(name).about(about).args(options.map(argument))
    };
    let paths = Arg::new("paths")
        .value_name("FILE")
        .help("The files, in order; `input` in one of them is relative to the working directory")
        .required(true)
        .num_args(1..)
        .value_parser(value_parser!(PathBuf));
    let code = Arg::new("code").value_name("CODE").help("The code").required(true);
    let handed_on = Arg::new("arguments")
        .help("What is handed on to it")
        .num_args(0..)
        .trailing_var_arg(true)
        .allow_hyphen_values(true)
        .value_parser(value_parser!(OsString));
    Command::new("lapidary-worker")
        .version(env!("CARGO_PKG_VERSION"))
        .about("One client's process: tools in a live Smalltalk image")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(subcommand(
            "zygote",
            "Boot the image once and fork a gem for each session; standard input is a packet socket to the router",
        ))
        .subcommand(
            subcommand("stdio", "Become `lapidary-router stdio`, which serves one client over standard input and output")
                .disable_help_flag(true)
                .arg(handed_on),
        )
        .subcommand(subcommand("document", "Print what the tools say of themselves, as Markdown"))
        .subcommand(
            subcommand(
                "filein",
                "Load Smalltalk source files (.gs or .st) into the stone and commit, or say what failed and commit \
                 nothing",
            )
            .arg(paths),
        )
        .subcommand(
            subcommand(
                "eval",
                "Run Smalltalk at the newest commit and print the value's printString; what it changes is not committed",
            )
            .arg(code),
        )
}

fn argument(spec: &'static OptionSpec) -> Arg {
    let argument = Arg::new(spec.name)
        .long(spec.name)
        .value_name(spec.value_name())
        .help(spec.help_text())
        .required(spec.is_required())
        .value_parser(value_parser!(OsString))
        .action(ArgAction::Set);
    match spec.is_flag() {
        true => argument.num_args(0..=1).require_equals(true).default_missing_value("yes"),
        false => argument,
    }
}

fn given(reader: Reader, matches: &ArgMatches) -> Vec<(&'static str, OsString)> {
    let arguments = reader.options().filter(|spec| spec.is_argument());
    arguments.filter_map(|spec| Some((spec.name, matches.get_one::<OsString>(spec.name)?.clone()))).collect()
}

fn one(matches: &ArgMatches, name: &str) -> String {
    matches.get_one::<String>(name).cloned().unwrap_or_default()
}

fn many<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Vec<T> {
    matches.get_many::<T>(name).into_iter().flatten().cloned().collect()
}

fn sandbox(settings: &Settings) -> Result<SandboxPolicy, OptionError> {
    let spec = &options::SANDBOX;
    SandboxPolicy::named(&settings.text(spec)).map_err(|why| settings.refuse(spec, &why))
}

fn stone(settings: &Settings) -> Result<StoneAccess, PathError> {
    let stone = settings.path(&options::STONE).unwrap_or_default();
    StoneAccess::new(&stone, settings.path(&options::STONE_BINARY).map(PathBuf::from))
}

fn local_options(settings: &Settings) -> Result<LocalOptions, UsageError> {
    Ok(LocalOptions { stone: stone(settings)?, user: settings.text(&options::USER) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_well_formed() {
        command().debug_assert();
    }

    #[test]
    fn what_follows_stdio_is_handed_on_as_it_is() {
        let arguments = ["lapidary-worker", "stdio", "--readonly=off", "--help"].map(OsString::from);
        let (task, _) = read(arguments, []).expect("allowed");
        let Task::Stdio(handed_on) = task else { panic!("{task:?}") };
        assert_eq!(handed_on, ["--readonly=off", "--help"]);
    }

    #[test]
    fn a_value_on_the_command_line_wins_over_the_variable() {
        let arguments = ["lapidary-worker", "eval", "--stone", "/srv/x", "3 + 4"].map(OsString::from);
        let environment = [("GS_STONE", "/srv/y"), ("GS_USER", "ada")];
        let environment = environment.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let (task, notices) = read(arguments, environment).expect("allowed");
        let Task::Evaluate(options, code) = task else { panic!("{task:?}") };
        assert_eq!((options.user.as_str(), code.as_str()), ("ada", "3 + 4"));
        assert_eq!(options.stone.paths.repository, PathBuf::from("/srv/x"));
        assert!(notices.is_empty());
    }
}
