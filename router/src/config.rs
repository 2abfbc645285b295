//! The configuration: read once, by flags and environment, and never again.
//!
//! Each setting is one definition: its flag, its variable, its default, its words in `--help` and its check. Nothing
//! else in this crate reads the environment.

use crate::origin::is_configurable_origin;
use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser, ValueEnum};
use protocol::gem::{Results, SandboxPolicy};
use protocol::limits::{
    CALL_SECONDS_DEFAULT, CONNECTIONS_DEFAULT, CONNECTIONS_MAX, GEMS_MAX, IDLE_SECONDS_DEFAULT,
    KEEP_ALIVE_SECONDS_DEFAULT, KEEP_ALIVE_SECONDS_MAX, SESSION_SECONDS_MAX,
};
use protocol::paths::{self, Environment, PathError, StonePaths};
use protocol::revision::Served;
use std::ffi::OsString;
use std::path::PathBuf;

/// How the variables begin that only this product reads.
const VARIABLE_PREFIX: &str = "GS_MCP_";

/// Serves a live Smalltalk image to MCP clients over Streamable HTTP, each client in a process of its own.
///
/// Every setting is a flag or an environment variable; a flag wins. It listens on 127.0.0.1 only.
#[derive(Debug, Clone, Parser)]
#[command(name = "lapidary-router", version)]
pub struct Config {
    /// How clients reach it: over HTTP, or one client over standard input and output
    #[arg(value_enum, default_value_t = TransportKind::Http)]
    pub transport: TransportKind,

    /// TCP port on 127.0.0.1; 0 takes any free one
    #[arg(long, env = "GS_MCP_PORT", default_value_t = 8000)]
    pub port: u16,

    /// Serve only tools that are declared safe, and refuse every commit (1, true, yes or on; 0, false, no or off)
    #[arg(
        long = "readonly",
        env = "GS_MCP_READONLY",
        value_parser = |text: &str| read_boolean(text, false),
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        default_value = "false",
        action = clap::ArgAction::Set
    )]
    pub read_only: bool,

    /// Whether the tools that change classes and methods commit what they did (1, true, yes or on; 0, false, no or off)
    #[arg(
        long,
        env = "GS_MCP_AUTOCOMMIT",
        value_parser = |text: &str| read_boolean(text, true),
        require_equals = true,
        default_value = "true",
        action = clap::ArgAction::Set
    )]
    pub autocommit: bool,

    /// Toolsets to serve, separated by commas or blanks; the default ones if empty
    #[arg(long, env = "GS_MCP_TOOLSETS", value_parser = read_words, default_value = "", hide_default_value = true)]
    pub toolsets: Words,

    /// Those of the toolsets whose tools are listed to clients, separated by commas or blanks; the others are found by
    /// tool_search and called by name. By default each toolset decides
    #[arg(long, env = "GS_MCP_ADVERTISED", value_parser = read_words, default_value = "", hide_default_value = true)]
    pub advertised: Words,

    /// What clients get of an answer: content, structured or both
    #[arg(long, env = "GS_MCP_RESULTS", value_parser = Results::named, default_value = "both")]
    pub results: Results,

    /// What happens where the kernel lacks a part of a gem's sandbox: strict opens no session, best-effort goes on
    /// without that part and warns, off uses no sandbox at all
    #[arg(long, env = "GS_MCP_SANDBOX", value_parser = SandboxPolicy::named, default_value = "strict")]
    pub sandbox: SandboxPolicy,

    /// A class in the image that changes a gem's guards, identity or wiring
    #[arg(long, env = "GS_MCP_WORKER_CLASS")]
    pub worker_class: Option<String>,

    /// The title that the server gives itself
    #[arg(long, env = "GS_MCP_TITLE")]
    pub title: Option<String>,

    /// The name that the server gives itself
    #[arg(long, env = "GS_MCP_SERVER_NAME")]
    pub server_name: Option<String>,

    /// The version that the server gives itself
    #[arg(long, env = "GS_MCP_SERVER_VERSION")]
    pub server_version: Option<String>,

    /// The stone: a name in the user's data folder, or the path of a repository's folder if it contains a `/`
    #[arg(long, env = "GS_STONE", default_value = paths::STONE_NAME_DEFAULT)]
    pub stone: OsString,

    /// The user in the repository that gems act for
    #[arg(long, env = "GS_USER", default_value = "DataCurator", value_parser = read_user)]
    pub user: String,

    /// Origins of browsers that are allowed beside loopback ones, exactly as they are sent, separated by blanks
    #[arg(
        long,
        env = "GS_MCP_ALLOWED_ORIGINS",
        value_parser = read_origins,
        default_value = "",
        hide_default_value = true
    )]
    pub allowed_origins: Words,

    /// Seconds without a call after which a session ends
    #[arg(long, env = "GS_MCP_IDLE_SECONDS", default_value_t = IDLE_SECONDS_DEFAULT, value_parser = seconds())]
    pub idle_seconds: u64,

    /// Seconds that one call may take
    #[arg(long, env = "GS_MCP_CALL_SECONDS", default_value_t = CALL_SECONDS_DEFAULT, value_parser = seconds())]
    pub call_seconds: u64,

    /// Seconds without an event after which a stream of events, or a call that is slow to answer, gets a comment
    #[arg(long, env = "GS_MCP_KEEP_ALIVE_SECONDS", default_value_t = KEEP_ALIVE_SECONDS_DEFAULT,
        value_parser = clap::value_parser!(u64).range(1..=KEEP_ALIVE_SECONDS_MAX))]
    pub keep_alive_seconds: u64,

    /// Connections of clients at once; further ones wait
    #[arg(long, env = "GS_MCP_MAX_CONNECTIONS", default_value_t = CONNECTIONS_DEFAULT as u64,
        value_parser = clap::value_parser!(u64).range(1..=CONNECTIONS_MAX as u64))]
    pub max_connections: u64,

    /// Gems (client processes) at once; one more is answered 503
    #[arg(long, env = "GS_MCP_MAX_GEMS", default_value_t = GEMS_MAX as u64,
        value_parser = clap::value_parser!(u64).range(1..=GEMS_MAX as u64))]
    pub max_gems: u64,

    /// Revisions of MCP to serve, separated by commas or blanks; all of them if empty. Leave 2026-07-28 out, and
    /// clients that speak it fall back to sessions
    #[arg(
        long,
        env = "GS_MCP_REVISIONS",
        value_parser = read_revisions,
        default_value = "",
        hide_default_value = true
    )]
    pub revisions: Revisions,

    /// How much is logged, to standard error
    #[arg(long, env = "GS_MCP_LOG", value_enum, default_value_t = LogLevel::Info)]
    pub log: LogLevel,

    /// How it is logged
    #[arg(long, env = "GS_MCP_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,

    /// The program that gems run; by default `lapidary-worker` beside this one
    #[arg(long, env = "GS_MCP_WORKER_BINARY")]
    pub worker_binary: Option<PathBuf>,

    /// The program that keeps the repository; by default `lapidary-stone` beside this one
    #[arg(long, env = "GS_MCP_STONE_BINARY")]
    pub stone_binary: Option<PathBuf>,

    /// Write the URL to this file once the port is open
    #[arg(long)]
    pub ready_file: Option<PathBuf>,
}

/// How clients reach the router.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TransportKind {
    /// Streamable HTTP on a port of 127.0.0.1.
    Http,
    /// One client, a message a line.
    Stdio,
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
    /// Reads the command line and the environment.
    ///
    /// # Errors
    /// What is wrong, with the option and the variable that it may be given by; `--help` and `--version` as well.
    pub fn read() -> Result<Self, clap::Error> {
        let mut command = Self::command();
        refuse_unknown_variables(&mut command)?;
        let read = command.try_get_matches_from_mut(std::env::args_os());
        let read = read.and_then(|matches| Self::from_arg_matches(&matches));
        read.map_err(|error| name_variable(error, &mut command))
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

/// A misspelt variable would be a setting that silently is not made, such as the one that forbids all changes.
fn refuse_unknown_variables(command: &mut clap::Command) -> Result<(), clap::Error> {
    let known: Vec<OsString> = command.get_arguments().filter_map(|option| option.get_env()).map(Into::into).collect();
    let is_ours = |name: &OsString| name.to_string_lossy().starts_with(VARIABLE_PREFIX);
    let unknown = std::env::vars_os().map(|(name, _)| name).find(|name| is_ours(name) && !known.contains(name));
    let Some(unknown) = unknown else { return Ok(()) };
    let names: Vec<String> = known.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    let message = format!("there is no setting {}: choose from {}", unknown.to_string_lossy(), names.join(", "));
    Err(command.error(clap::error::ErrorKind::UnknownArgument, message))
}

/// clap names the option whose value is refused; a value may have come by its variable.
fn name_variable(mut error: clap::Error, command: &mut clap::Command) -> clap::Error {
    let Some(ContextValue::String(named)) = error.get(ContextKind::InvalidArg) else { return error };
    let option = command.get_arguments().find(|option| option.to_string() == *named);
    let Some(variable) = option.and_then(|option| option.get_env()) else { return error };
    let named = format!("{named} (or {})", variable.to_string_lossy());
    error.insert(ContextKind::InvalidArg, ContextValue::String(named));
    error
}

/// A setting that was given as nothing was not given.
pub(crate) fn given(value: &Option<String>) -> Option<String> {
    value.clone().filter(|text| !text.is_empty())
}

fn sibling(name: &str) -> PathBuf {
    match std::env::current_exe() {
        Ok(own) => own.with_file_name(name),
        Err(_) => PathBuf::from(name),
    }
}

fn seconds() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=SESSION_SECONDS_MAX)
}

/// A variable that is set to nothing is not set: its default stands.
fn read_boolean(text: &str, default: bool) -> Result<bool, String> {
    match text.to_ascii_lowercase().as_str() {
        "" => Ok(default),
        "1" | "true" | "yes" | "on" => Ok(true),
        "0" | "false" | "no" | "off" => Ok(false),
        _ => Err("say 1, true, yes or on, or 0, false, no or off".into()),
    }
}

fn read_words(text: &str) -> Result<Words, String> {
    let words = text.split([',', ' ', '\t', '\n']).filter(|word| !word.is_empty());
    Ok(Words(words.map(str::to_owned).collect()))
}

fn read_revisions(text: &str) -> Result<Revisions, String> {
    let names: Vec<&str> = text.split([',', ' ', '\t', '\n']).filter(|word| !word.is_empty()).collect();
    Served::choose(&names)
        .map(Revisions)
        .map_err(|unknown| format!("`{unknown}` is not served: choose from {}", Served::default().names().join(", ")))
}

fn read_user(text: &str) -> Result<String, String> {
    if text.is_empty() || text.len() > 128 || text.contains(char::is_control) {
        return Err("a user has 1 to 128 bytes and no control characters".into());
    }
    Ok(text.to_owned())
}

fn read_origins(text: &str) -> Result<Words, String> {
    let words: Vec<String> = text.split_ascii_whitespace().map(str::to_owned).collect();
    match words.iter().find(|word| !is_configurable_origin(word)) {
        Some(word) => Err(format!("`{word}` is no origin: give scheme://host or scheme://host:port, nothing after it")),
        None => Ok(Words(words)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Config, clap::Error> {
        Config::try_parse_from(std::iter::once(&"lapidary-router").chain(arguments))
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
        for (text, value) in
            [("1", true), ("0", false), ("true", true), ("FALSE", false), ("Yes", true), ("off", false)]
        {
            assert_eq!(parse(&[&format!("--readonly={text}")]).expect(text).read_only, value);
        }
    }

    #[test]
    fn bad_values_are_refused_with_exit_code_2() {
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
            assert_eq!(parse(&arguments).expect_err(arguments[0]).exit_code(), 2);
        }
    }

    #[test]
    fn the_command_is_well_formed() {
        Config::command().debug_assert();
    }
}
