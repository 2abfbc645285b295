//! What the kernel says of a live gem: the walls stand around the processes that really serve.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use tests::binaries;
use tests::client::{Client, JSON_HEADERS, PATH, initialize};
use tests::http::Connection;
use tests::processes::Process;
use tests::server::{Config, Server};

fn status(process: Process) -> BTreeMap<String, String> {
    let text = fs::read_to_string(format!("/proc/{}/status", process.pid)).expect("a live process");
    let pair = |line: &str| line.split_once(':').map(|(name, value)| (name.to_owned(), value.trim().to_owned()));
    text.lines().filter_map(pair).collect()
}

fn descriptors(process: Process) -> Vec<String> {
    let entries = fs::read_dir(format!("/proc/{}/fd", process.pid)).expect("readable as this user").flatten();
    entries.map(|entry| fs::read_link(entry.path()).expect("a link").to_string_lossy().into_owned()).collect()
}

#[test]
fn a_gem_is_filtered_and_cannot_gain_privileges() {
    let server = Server::start_default();
    let (mut client, gem) = server.gem_of(|| Client::open(server.address));
    client.evaluate("3 + 4");
    let status = status(gem);
    assert_eq!(status["Seccomp"], "2", "a system call filter is on");
    assert_eq!(status["NoNewPrivs"], "1");
    assert_eq!(status["Threads"], "2", "the machine and the watch thread");
}

#[test]
fn a_gem_holds_its_three_sockets_and_no_environment() {
    let server = Server::start(Config::new().with("LAPIDARY_CANARY", "secret"));
    let _first = Client::open(server.address);
    let (_second, gem) = server.gem_of(|| Client::open(server.address));
    let all = descriptors(gem);
    let sockets: BTreeSet<&String> = all.iter().filter(|name| name.starts_with("socket:")).collect();
    assert_eq!(sockets.len(), 3, "calls, control and stone: {all:?}");
    let others: Vec<&String> = all.iter().filter(|name| !name.starts_with("socket:")).collect();
    let harmless = |name: &str| name == "/dev/null" || name.starts_with("pipe:") || name.ends_with(".log");
    assert!(others.iter().all(|name| harmless(name)) && others.len() <= 3, "{all:?}");
    let environment = fs::read(format!("/proc/{}/environ", gem.pid)).unwrap_or_default();
    assert!(!environment.windows(6).any(|window| window == b"secret"), "the environment is not passed on");
}

#[test]
fn code_reaches_no_file() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    for code in ["GsFile openReadOnServer: '/etc/passwd'", "(FileStream on: '/etc/passwd') contents"] {
        client.execute(code).expect_error();
    }
}

/// A server on a kernel without Landlock, that treats missing walls like this.
fn without_landlock(policy: &str) -> Server {
    let worker = binaries::find("worker-without-landlock");
    let config = Config::new().with("GS_MCP_WORKER_BINARY", worker.to_str().expect("a path of text"));
    Server::start(config.with("GS_MCP_SANDBOX", policy))
}

#[test]
fn no_session_opens_without_a_wall_and_the_error_says_how_to_go_on() {
    let server = without_landlock("strict");
    let body = initialize("2025-11-25").to_string();
    let response = Connection::open(server.address).request("POST", PATH, &JSON_HEADERS, body.as_bytes());
    assert!(response.header("mcp-session-id").is_none(), "nothing was opened");
    let error = response.json()["error"].clone();
    assert_eq!(error["data"]["kind"], "sandboxIncomplete", "{error}");
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("landlock (") && message.contains("GS_MCP_SANDBOX=best-effort"), "{message}");
    assert!(!message.contains("seccomp ("), "what stands is not named: {message}");
}

#[test]
fn best_effort_goes_on_and_warns() {
    let server = without_landlock("best-effort");
    let (mut client, gem) = server.gem_of(|| Client::open(server.address));
    client.evaluate("3 + 4");
    assert_eq!(status(gem)["NoNewPrivs"], "1", "the other walls stand");
    let log = server.home().log();
    assert!(log.contains("warning: the sandbox is incomplete, without landlock ("), "{log}");
}

#[test]
fn off_raises_no_wall() {
    let server = Server::start(Config::new().with("GS_MCP_SANDBOX", "off"));
    let (mut client, gem) = server.gem_of(|| Client::open(server.address));
    client.evaluate("3 + 4");
    let status = status(gem);
    assert_eq!((&*status["Seccomp"], &*status["NoNewPrivs"], &*status["Threads"]), ("0", "0", "2"));
}

#[test]
fn a_policy_that_is_unknown_is_refused_by_name() {
    for program in ["lapidary-router", "lapidary-worker"] {
        let arguments: &[&str] = if program == "lapidary-worker" { &["stdio"] } else { &[] };
        let mut command = std::process::Command::new(binaries::find(program));
        let output = command.args(arguments).env("GS_MCP_SANDBOX", "lenient").output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        let wanted = ["'lenient' for '--sandbox", "choose strict, best-effort or off"];
        assert!(wanted.iter().all(|part| said.contains(part)), "{said}");
    }
}
