//! The table of options. To add one: a `static` here, its place in [`OPTIONS`], and who reads it.

use super::DefaultValue::{Nothing, Number, Required, Text};
use super::GivenBy::{Both, CommandLine, Variable};
use super::Reader::{Local, Router, Scripts, Stone, Zygote};
use super::{Kind, OptionSpec};
use crate::limits::{
    CALL_SECONDS_DEFAULT, CONNECTIONS_DEFAULT, CONNECTIONS_MAX, GEMS_MAX, IDLE_SECONDS_DEFAULT,
    KEEP_ALIVE_SECONDS_DEFAULT, KEEP_ALIVE_SECONDS_MAX, OPTION_BYTES_MAX, SESSION_SECONDS_MAX, USER_BYTES_MAX,
};
use crate::paths::STONE_NAME_DEFAULT;

const SECONDS: Kind = Kind::Seconds { min: 1, max: SESSION_SECONDS_MAX };
const TEXT: Kind = Kind::Text { bytes_max: OPTION_BYTES_MAX };
const LOG_FORMATS: Kind = Kind::Choice(&["text", "json"]);

/// The port.
pub static PORT: OptionSpec = OptionSpec {
    name: "port",
    given_by: Both("GS_MCP_PORT"),
    default: Number(8000),
    kind: Kind::Integer { min: 0, max: 65_535 },
    help: "TCP port on 127.0.0.1; 0 takes any free one, which the scripts do not allow",
    readers: &[Router, Scripts],
};
/// The stone.
pub static STONE: OptionSpec = OptionSpec {
    name: "stone",
    given_by: Both("GS_STONE"),
    default: Text(STONE_NAME_DEFAULT),
    kind: Kind::Path,
    help: "The stone: a name in the user's data folder, or the path of a repository's folder if it contains a `/`",
    readers: &[Router, Local],
};
/// The user of the repository.
pub static USER: OptionSpec = OptionSpec {
    name: "user",
    given_by: Both("GS_USER"),
    default: Text("DataCurator"),
    kind: Kind::Text { bytes_max: USER_BYTES_MAX },
    help: "The user in the repository that gems act for",
    readers: &[Router, Local],
};
/// Whether nothing may be changed.
pub static READ_ONLY: OptionSpec = OptionSpec {
    name: "readonly",
    given_by: Both("GS_MCP_READONLY"),
    default: Text("no"),
    kind: Kind::Flag,
    help: "Serve only tools that are declared safe, and refuse every commit",
    readers: &[Router],
};
/// Whether tools that change code commit.
pub static AUTOCOMMIT: OptionSpec = OptionSpec {
    name: "autocommit",
    given_by: Both("GS_MCP_AUTOCOMMIT"),
    default: Text("yes"),
    kind: Kind::Flag,
    help: "Whether the tools that change classes and methods commit what they did; `no` leaves all committing to `commit`",
    readers: &[Router],
};
/// The toolsets.
pub static TOOLSETS: OptionSpec = OptionSpec {
    name: "toolsets",
    given_by: Both("GS_MCP_TOOLSETS"),
    default: Nothing("`default`"),
    kind: Kind::Words,
    help: "Toolsets to serve: `browsing`, `execution`, `listing`, `mutation`, `search`, `session`, `testing` (all these \
           are `default`), `catalog`, classes of the image, `image` for all of those",
    readers: &[Router],
};
/// The toolsets that are listed.
pub static ADVERTISED: OptionSpec = OptionSpec {
    name: "advertised",
    given_by: Both("GS_MCP_ADVERTISED"),
    default: Nothing("each toolset decides"),
    kind: Kind::Words,
    help: "Those of the toolsets whose tools are listed to clients; the others are found by tool_search and called by \
           name",
    readers: &[Router],
};
/// What an answer holds.
pub static RESULTS: OptionSpec = OptionSpec {
    name: "results",
    given_by: Both("GS_MCP_RESULTS"),
    default: Text("both"),
    kind: Kind::Choice(&["content", "structured", "both"]),
    help: "What clients get of an answer",
    readers: &[Router],
};
/// How strictly the sandbox is insisted on.
pub static SANDBOX: OptionSpec = OptionSpec {
    name: "sandbox",
    given_by: Both("GS_MCP_SANDBOX"),
    default: Text("strict"),
    kind: Kind::Choice(&["strict", "best-effort", "off"]),
    help: "What happens where the kernel lacks a part of a gem's sandbox: strict opens no session, best-effort goes on \
           without that part and warns, off uses no sandbox at all",
    readers: &[Router, Zygote],
};
/// A class that changes how gems work.
pub static WORKER_CLASS: OptionSpec = OptionSpec {
    name: "worker-class",
    given_by: Both("GS_MCP_WORKER_CLASS"),
    default: Nothing("none"),
    kind: TEXT,
    help: "A subclass of `McpServer` in the image that changes a gem's guards, identity or wiring",
    readers: &[Router],
};
/// The server's name.
pub static SERVER_NAME: OptionSpec = OptionSpec {
    name: "server-name",
    given_by: Both("GS_MCP_SERVER_NAME"),
    default: Nothing("`lapidary`"),
    kind: TEXT,
    help: "The name that the server gives itself",
    readers: &[Router],
};
/// The server's version.
pub static SERVER_VERSION: OptionSpec = OptionSpec {
    name: "server-version",
    given_by: Both("GS_MCP_SERVER_VERSION"),
    default: Nothing("its version"),
    kind: TEXT,
    help: "The version that the server gives itself",
    readers: &[Router],
};
/// The server's title.
pub static TITLE: OptionSpec = OptionSpec {
    name: "title",
    given_by: Both("GS_MCP_TITLE"),
    default: Nothing("none"),
    kind: TEXT,
    help: "The title that the server gives itself",
    readers: &[Router],
};
/// The origins of browsers.
pub static ALLOWED_ORIGINS: OptionSpec = OptionSpec {
    name: "allowed-origins",
    given_by: Both("GS_MCP_ALLOWED_ORIGINS"),
    default: Nothing("none"),
    kind: Kind::Origins,
    help: "Origins of browsers that are allowed beside loopback ones, exactly as they are sent",
    readers: &[Router],
};
/// The revisions that are served.
pub static REVISIONS: OptionSpec = OptionSpec {
    name: "revisions",
    given_by: Both("GS_MCP_REVISIONS"),
    default: Nothing("all"),
    kind: Kind::Revisions,
    help: "Revisions of MCP to serve. Leave 2026-07-28 out, and clients that speak it fall back to sessions",
    readers: &[Router],
};
/// When an idle session ends.
pub static IDLE_SECONDS: OptionSpec = OptionSpec {
    name: "idle-seconds",
    given_by: Both("GS_MCP_IDLE_SECONDS"),
    default: Number(IDLE_SECONDS_DEFAULT),
    kind: SECONDS,
    help: "Seconds without a call after which a session, or a gem that is held by a handle, ends",
    readers: &[Router],
};
/// How long a call may take.
pub static CALL_SECONDS: OptionSpec = OptionSpec {
    name: "call-seconds",
    given_by: Both("GS_MCP_CALL_SECONDS"),
    default: Number(CALL_SECONDS_DEFAULT),
    kind: SECONDS,
    help: "Seconds that one call may take",
    readers: &[Router],
};
/// How often a silent stream gets a comment.
pub static KEEP_ALIVE_SECONDS: OptionSpec = OptionSpec {
    name: "keep-alive-seconds",
    given_by: Both("GS_MCP_KEEP_ALIVE_SECONDS"),
    default: Number(KEEP_ALIVE_SECONDS_DEFAULT),
    kind: Kind::Seconds { min: 1, max: KEEP_ALIVE_SECONDS_MAX },
    help: "Seconds without an event after which a stream of events, or a call that is slow to answer, gets a comment",
    readers: &[Router],
};
/// Connections at once.
pub static MAX_CONNECTIONS: OptionSpec = OptionSpec {
    name: "max-connections",
    given_by: Both("GS_MCP_MAX_CONNECTIONS"),
    default: Number(CONNECTIONS_DEFAULT as u64),
    kind: Kind::Integer { min: 1, max: CONNECTIONS_MAX as u64 },
    help: "Connections of clients at once; further ones wait",
    readers: &[Router],
};
/// Gems at once.
pub static MAX_GEMS: OptionSpec = OptionSpec {
    name: "max-gems",
    given_by: Both("GS_MCP_MAX_GEMS"),
    default: Number(GEMS_MAX as u64),
    kind: Kind::Integer { min: 1, max: GEMS_MAX as u64 },
    help: "Gems (client processes) at once; one more is answered 503",
    readers: &[Router],
};
/// How much is logged.
pub static LOG: OptionSpec = OptionSpec {
    name: "log",
    given_by: Both("GS_MCP_LOG"),
    default: Text("info"),
    kind: Kind::Choice(&["off", "error", "warn", "info", "debug", "trace"]),
    help: "How much is logged, to standard error",
    readers: &[Router],
};
/// How it is logged.
pub static LOG_FORMAT: OptionSpec = OptionSpec {
    name: "log-format",
    given_by: Both("GS_MCP_LOG_FORMAT"),
    default: Text("text"),
    kind: LOG_FORMATS,
    help: "How it is logged: lines for people, or one JSON object a line",
    readers: &[Router],
};
/// The worker's program.
pub static WORKER_BINARY: OptionSpec = OptionSpec {
    name: "worker-binary",
    given_by: Both("GS_MCP_WORKER_BINARY"),
    default: Nothing("`lapidary-worker` beside the router"),
    kind: Kind::Path,
    help: "The program that gems run",
    readers: &[Router],
};
/// The stone's program.
pub static STONE_BINARY: OptionSpec = OptionSpec {
    name: "stone-binary",
    given_by: Both("GS_MCP_STONE_BINARY"),
    default: Nothing("`lapidary-stone` beside the program that starts it"),
    kind: Kind::Path,
    help: "The program that serves the repository",
    readers: &[Router, Local],
};
/// Where the URL is written.
pub static READY_FILE: OptionSpec = OptionSpec {
    name: "ready-file",
    given_by: CommandLine,
    default: Nothing("none"),
    kind: Kind::Path,
    help: "Write the URL to this file once the port is open",
    readers: &[Router],
};
/// The folder of finished binaries.
pub static BINARIES: OptionSpec = OptionSpec {
    name: "binaries",
    given_by: Variable("LAPIDARY_BIN"),
    default: Nothing("release binaries are built first where needed"),
    kind: Kind::Path,
    help: "The folder with finished binaries",
    readers: &[Scripts],
};
/// The repository's folder.
pub static REPOSITORY: OptionSpec = OptionSpec {
    name: "path",
    given_by: CommandLine,
    default: Required,
    kind: Kind::Path,
    help: "The repository's folder, such as ~/.local/share/lapidary/gs64stone.stone; made if it is not there",
    readers: &[Stone],
};
/// The stone's socket.
pub static SOCKET: OptionSpec = OptionSpec {
    name: "socket",
    given_by: CommandLine,
    default: Required,
    kind: Kind::Path,
    help: "The Unix socket to serve; its folder must be yours alone (mode 0700), and is made if it is not there",
    readers: &[Stone],
};
/// The name of a new repository.
pub static REPOSITORY_NAME: OptionSpec = OptionSpec {
    name: "name",
    given_by: CommandLine,
    default: Nothing("after its folder"),
    kind: TEXT,
    help: "What a new repository is called; one that exists keeps its name",
    readers: &[Stone],
};
/// How much the stone logs.
pub static STONE_LOG_LEVEL: OptionSpec = OptionSpec {
    name: "log-level",
    given_by: CommandLine,
    default: Text("info"),
    kind: TEXT,
    help: "What to log to standard error: error, warn, info, debug (each commit), trace, or a filter such as \
           stone=debug",
    readers: &[Stone],
};
/// How the stone logs.
pub static STONE_LOG_FORMAT: OptionSpec = OptionSpec {
    name: "log-format",
    given_by: CommandLine,
    default: Text("text"),
    kind: LOG_FORMATS,
    help: "How to log: lines for people, or one JSON object a line",
    readers: &[Stone],
};

/// All options, in the order in which help and document show them.
pub static OPTIONS: &[&OptionSpec] = &[
    &PORT,
    &STONE,
    &USER,
    &READ_ONLY,
    &AUTOCOMMIT,
    &TOOLSETS,
    &ADVERTISED,
    &RESULTS,
    &SANDBOX,
    &WORKER_CLASS,
    &SERVER_NAME,
    &SERVER_VERSION,
    &TITLE,
    &ALLOWED_ORIGINS,
    &REVISIONS,
    &IDLE_SECONDS,
    &CALL_SECONDS,
    &KEEP_ALIVE_SECONDS,
    &MAX_GEMS,
    &MAX_CONNECTIONS,
    &LOG,
    &LOG_FORMAT,
    &WORKER_BINARY,
    &STONE_BINARY,
    &READY_FILE,
    &BINARIES,
    &REPOSITORY,
    &SOCKET,
    &REPOSITORY_NAME,
    &STONE_LOG_LEVEL,
    &STONE_LOG_FORMAT,
];
