//! The configuration: read once, by flags and environment, and never again.
//!
//! What each option is called and may be is in `protocol::options`; here clap takes the command line apart, and the
//! values become the types that the router works with. Nothing else in this crate reads the environment.

use crate::origin::is_configurable_origin;
use clap::{Arg, ArgAction, ArgMatches, ValueEnum, value_parser};
use protocol::gem::{Results, SandboxPolicy};
use protocol::options::{self, OptionError, OptionSpec, Reader, Settings};
use protocol::paths::{self, Environment, PathError, StonePaths};
use protocol::revision::Served;
use std::ffi::OsString;
use std::path::PathBuf;
use thiserror::Error;

const ABOUT: &str = "Serves a live Smalltalk image to MCP clients, each in a process of its own: over Streamable HTTP, or \
                     one client over standard input and output.\n\nEvery setting is a flag or an environment \
                     variable; a flag wins. It listens on 127.0.0.1 only.";
/// The argument that chooses the transport.
const TRANSPORT: &str = "transport";
/// The exit code for options that mean nothing.
const USAGE: i32 = 2;

/// What the operator chose.
#[derive(Debug, Clone)]
pub struct Config {
    /// How clients reach it.
    pub transport: TransportKind,
    /// TCP port on 127.0.0.1; 0 takes any free one.
    pub port: u16,
    /// Whether only tools that are declared safe are served, and every commit refused.
    pub read_only: bool,
    /// Whether the tools that change classes and methods commit what they did.
    pub autocommit: bool,
    /// Toolsets to serve; the default ones if empty.
    pub toolsets: Words,
    /// Those of the toolsets whose tools are listed; each toolset decides if empty.
    pub advertised: Words,
    /// What clients get of an answer.
    pub results: Results,
    /// What happens where the kernel lacks a part of a gem's sandbox.
    pub sandbox: SandboxPolicy,
    /// A class in the image that changes a gem's guards, identity or wiring.
    pub worker_class: Option<String>,
    /// The title that the server gives itself.
    pub title: Option<String>,
    /// The name that the server gives itself.
    pub server_name: Option<String>,
    /// The version that the server gives itself.
    pub server_version: Option<String>,
    /// The stone: a name, or a path if it contains a `/`.
    pub stone: OsString,
    /// The user in the repository that gems act for.
    pub user: String,
    /// Origins of browsers that are allowed beside loopback ones.
    pub allowed_origins: Words,
    /// Seconds without a call after which a session ends.
    pub idle_seconds: u64,
    /// Seconds that one call may take.
    pub call_seconds: u64,
    /// Seconds without an event after which a stream gets a comment.
    pub keep_alive_seconds: u64,
    /// Connections of clients at once.
    pub max_connections: u64,
    /// Gems at once.
    pub max_gems: u64,
    /// Revisions of MCP to serve.
    pub revisions: Revisions,
    /// How much is logged.
    pub log: LogLevel,
    /// How it is logged.
    pub log_format: LogFormat,
    /// The program that gems run; the one beside this program if nothing is said.
    pub worker_binary: Option<PathBuf>,
    /// The program that serves the repository; the one beside this program if nothing is said.
    pub stone_binary: Option<PathBuf>,
    /// A file for the URL, written once the port is open.
    pub ready_file: Option<PathBuf>,
}

/// How clients reach the router.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TransportKind {
    /// Streamable HTTP on a port of 127.0.0.1.
    Http,
    /// One client over standard input and output, a message a line.
    Stdio,
}

/// The configuration cannot be read, or is not asked for.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// The command line is no command line of this program, or asks for help or for the version.
    #[error(transparent)]
    CommandLine(#[from] clap::Error),
    /// An option has a value that is not allowed.
    #[error(transparent)]
    Option(#[from] OptionError),
}

/// A list of words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words(pub Vec<String>);

/// The revisions of MCP that are served: all of them, unless the operator chose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revisions(pub Served);

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// What went wrong here.
    Error,
    /// What may need somebody's attention.
    Warn,
    /// One line a request, and what starts and ends.
    Info,
    /// What the router decides.
    Debug,
    /// All of it.
    Trace,
}

/// How a line of the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

impl Config {
    /// From this process's command line and environment; ends the process with exit code 2, and words for a person,
    /// where they mean nothing.
    pub fn parse() -> Self {
        match Self::read(std::env::args_os(), std::env::vars_os()) {
            Ok((config, notices)) => {
                notices.iter().for_each(|notice| eprintln!("lapidary-router: {notice}"));
                config
            }
            Err(ConfigError::CommandLine(error)) => error.exit(),
            Err(error @ ConfigError::Option(_)) => {
                eprintln!("lapidary-router: {error}");
                std::process::exit(USAGE)
            }
        }
    }

    /// From a command line, whose first word is the program, and an environment; and what to tell the operator of it.
    ///
    /// # Errors
    /// For a command line or a variable that means nothing, by its name.
    pub fn read(
        arguments: impl IntoIterator<Item = OsString>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<(Self, Vec<String>), ConfigError> {
        let matches = command().try_get_matches_from(arguments)?;
        let settings = options::resolve(Reader::Router, given(Reader::Router, &matches), environment)?;
        let transport = *matches.get_one(TRANSPORT).unwrap_or(&TransportKind::Http);
        Ok((Self::from_settings(transport, &settings)?, settings.notices().to_vec()))
    }

    fn from_settings(transport: TransportKind, settings: &Settings) -> Result<Self, OptionError> {
        Ok(Self {
            transport,
            // The table's bounds are those of the type.
            port: settings.number(&options::PORT) as u16,
            read_only: settings.flag(&options::READ_ONLY),
            autocommit: settings.flag(&options::AUTOCOMMIT),
            toolsets: Words(settings.list(&options::TOOLSETS)),
            advertised: Words(settings.list(&options::ADVERTISED)),
            results: chosen(settings, &options::RESULTS, Results::named)?,
            sandbox: chosen(settings, &options::SANDBOX, SandboxPolicy::named)?,
            worker_class: settings.optional_text(&options::WORKER_CLASS),
            title: settings.optional_text(&options::TITLE),
            server_name: settings.optional_text(&options::SERVER_NAME),
            server_version: settings.optional_text(&options::SERVER_VERSION),
            stone: settings.path(&options::STONE).unwrap_or_default(),
            user: settings.text(&options::USER),
            allowed_origins: Words(origins(settings)?),
            idle_seconds: settings.number(&options::IDLE_SECONDS),
            call_seconds: settings.number(&options::CALL_SECONDS),
            keep_alive_seconds: settings.number(&options::KEEP_ALIVE_SECONDS),
            max_connections: settings.number(&options::MAX_CONNECTIONS),
            max_gems: settings.number(&options::MAX_GEMS),
            revisions: Revisions(revisions(settings)?),
            log: chosen(settings, &options::LOG, |text| LogLevel::from_str(text, false))?,
            log_format: chosen(settings, &options::LOG_FORMAT, |text| LogFormat::from_str(text, false))?,
            worker_binary: settings.path(&options::WORKER_BINARY).map(PathBuf::from),
            stone_binary: settings.path(&options::STONE_BINARY).map(PathBuf::from),
            ready_file: settings.path(&options::READY_FILE).map(PathBuf::from),
        })
    }

    /// Where the stone of this configuration is.
    pub fn stone_paths(&self) -> Result<StonePaths, PathError> {
        let variable = std::env::var_os;
        let [home, data, state, runtime] = ["HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"].map(variable);
        let folder = std::env::current_dir().ok();
        paths::stone_paths(&Environment {
            stone: Some(&self.stone),
            home: home.as_deref(),
            data_home: data.as_deref(),
            state_home: state.as_deref(),
            runtime_dir: runtime.as_deref(),
            current_folder: folder.as_deref(),
        })
    }

    /// The folder for logs of what outlives the router.
    pub fn state_folder(&self) -> Option<PathBuf> {
        let absolute = |value: OsString| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
        let state = std::env::var_os("XDG_STATE_HOME").and_then(absolute);
        let home = || std::env::var_os("HOME").and_then(absolute).map(|home| home.join(".local/state"));
        state.or_else(home).map(|folder| folder.join("lapidary"))
    }

    /// The program that gems run.
    pub fn worker_program(&self) -> PathBuf {
        self.worker_binary.clone().unwrap_or_else(|| sibling("lapidary-worker"))
    }

    /// The program that keeps the repository.
    pub fn stone_program(&self) -> PathBuf {
        self.stone_binary.clone().unwrap_or_else(|| sibling("lapidary-stone"))
    }
}

/// The command line as clap takes it apart: values stay raw, since the table reads them.
fn command() -> clap::Command {
    let arguments = Reader::Router.options().filter(|spec| spec.is_argument()).map(argument);
    let transport = Arg::new(TRANSPORT)
        .help("How clients reach it: over HTTP, which is the default, or one client over standard input and output")
        .value_parser(value_parser!(TransportKind));
    let command = clap::Command::new("lapidary-router").version(env!("CARGO_PKG_VERSION")).about(ABOUT);
    command.arg(transport).args(arguments)
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

/// What the command line says, by the names of the options.
fn given(reader: Reader, matches: &ArgMatches) -> Vec<(&'static str, OsString)> {
    let arguments = reader.options().filter(|spec| spec.is_argument());
    arguments.filter_map(|spec| Some((spec.name, matches.get_one::<OsString>(spec.name)?.clone()))).collect()
}

fn chosen<T>(
    settings: &Settings,
    spec: &OptionSpec,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, OptionError> {
    read(&settings.text(spec)).map_err(|why| settings.refuse(spec, &why))
}

fn revisions(settings: &Settings) -> Result<Served, OptionError> {
    Served::choose(&settings.list(&options::REVISIONS)).map_err(|why| settings.refuse(&options::REVISIONS, &why))
}

fn origins(settings: &Settings) -> Result<Vec<String>, OptionError> {
    let origins = settings.list(&options::ALLOWED_ORIGINS);
    match origins.iter().find(|origin| !is_configurable_origin(origin)) {
        Some(origin) => {
            let why = format!("`{origin}` is no origin: give scheme://host or scheme://host:port, nothing after it");
            Err(settings.refuse(&options::ALLOWED_ORIGINS, &why))
        }
        None => Ok(origins),
    }
}

fn sibling(name: &str) -> PathBuf {
    match std::env::current_exe() {
        Ok(own) => own.with_file_name(name),
        Err(_) => PathBuf::from(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Config, ConfigError> {
        let arguments = std::iter::once(&"lapidary-router").chain(arguments).map(OsString::from);
        Config::read(arguments, []).map(|(config, _)| config)
    }

    #[test]
    fn the_defaults_are_the_documented_ones() {
        let config = parse(&[]).expect("defaults");
        assert_eq!((config.port, config.read_only, config.idle_seconds, config.call_seconds), (8000, false, 1800, 600));
        assert_eq!((config.user.as_str(), config.stone.to_str()), ("DataCurator", Some("gs64stone")));
        assert_eq!(config.toolsets, Words::default());
        assert!(config.autocommit);
        assert_eq!((config.results, &config.advertised), (Results::Both, &Words::default()));
        assert_eq!(parse(&["--results", "content"]).expect("valid").results, Results::Content);
        assert_eq!(config.sandbox, SandboxPolicy::Strict);
        assert_eq!(parse(&["--sandbox", "best-effort"]).expect("valid").sandbox, SandboxPolicy::BestEffort);
        assert!(!parse(&["--autocommit=0"]).expect("valid").autocommit);
    }

    #[test]
    fn values_are_read() {
        let config =
            parse(&["--readonly", "--toolsets", "a, b c", "--allowed-origins", "https://a.example http://b:1"])
                .expect("valid");
        assert!(config.read_only);
        assert_eq!(config.toolsets.0, ["a", "b", "c"]);
        assert_eq!(config.allowed_origins.0, ["https://a.example", "http://b:1"]);
        assert_eq!(config.revisions, Revisions::default());
        let fewer = parse(&["--revisions", "2025-11-25 2025-06-18"]).expect("valid").revisions;
        assert_eq!(fewer.0.names(), ["2025-11-25", "2025-06-18"]);
        for (text, value) in [("1", true), ("0", false), ("true", true), ("FALSE", false)] {
            assert_eq!(parse(&[&format!("--readonly={text}")]).expect(text).read_only, value);
        }
    }

    #[test]
    fn bad_values_are_refused_by_name() {
        for arguments in [
            ["--port", "70000"],
            ["--readonly=maybe", "--port=1"],
            ["--idle-seconds", "0"],
            ["--call-seconds", "x"],
            ["--max-gems", "0"],
            ["--max-connections", "0"],
            ["--keep-alive-seconds", "16"],
            ["--allowed-origins", "evil.example"],
            ["--allowed-origins", "https://evil.example/path"],
            ["--user", ""],
            ["--revisions", "2026-07-28,2024-11-05"],
            ["--log", "loud"],
            ["--results", "none"],
            ["--sandbox", "lenient"],
        ] {
            let error = parse(&arguments).expect_err(arguments[0]).to_string();
            let name = arguments[0].split('=').next().expect("a name");
            assert!(error.contains(&format!("'{name}")), "{error}");
        }
    }

    #[test]
    fn the_command_is_well_formed() {
        command().debug_assert();
    }

    #[test]
    fn the_choices_of_the_table_are_those_of_the_types() {
        use protocol::options::Kind;
        let names = |kind: Kind| match kind {
            Kind::Choice(names) => names.to_vec(),
            other => panic!("{other:?} is no choice"),
        };
        let values = |values: Vec<Option<clap::builder::PossibleValue>>| {
            values.into_iter().flatten().map(|value| value.get_name().to_owned()).collect::<Vec<_>>()
        };
        let levels = LogLevel::value_variants().iter().map(ValueEnum::to_possible_value).collect();
        assert_eq!(names(options::LOG.kind), values(levels));
        let formats = LogFormat::value_variants().iter().map(ValueEnum::to_possible_value).collect();
        assert_eq!(names(options::LOG_FORMAT.kind), values(formats));
        assert!(names(options::RESULTS.kind).iter().all(|name| Results::named(name).is_ok()));
        assert!(names(options::SANDBOX.kind).iter().all(|name| SandboxPolicy::named(name).is_ok()));
    }
}
