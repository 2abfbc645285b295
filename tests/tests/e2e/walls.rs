//! What the kernel says of a live gem: the walls stand around the processes that really serve.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use tests::client::Client;
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
