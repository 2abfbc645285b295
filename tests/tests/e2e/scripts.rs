//! `run-server.sh` and `stop-server.sh`: two commands, and nothing is stopped that they did not start.

use std::net::TcpListener;
use std::process::{Command, Output};
use std::rc::Rc;
use std::time::Duration;
use tests::binaries;
use tests::client::Client;
use tests::processes::{Process, descendants, still_alive_after};
use tests::server::Home;

/// A home in which the scripts run, with the binaries of this build.
struct Scripts {
    home: Rc<Home>,
    port: u16,
}

impl Scripts {
    fn new() -> Self {
        // The port is free again once it was asked for; nobody else takes a port that the system just gave.
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        Self { home: Home::new(), port: listener.local_addr().expect("its address").port() }
    }

    fn run(&self, script: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(binaries::workspace().join("scripts").join(script));
        let router = binaries::find("lapidary-router");
        command.args(arguments).envs(self.home.environment());
        command.env("LAPIDARY_BIN", router.parent().expect("a folder")).env("GS_MCP_PORT", self.port.to_string());
        command.output().expect("the script runs")
    }
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn pid_in(text: &str) -> Process {
    let (_, rest) = text.split_once("(pid ").unwrap_or_else(|| panic!("a pid in {text}"));
    let pid = rest.split(')').next().and_then(|pid| pid.parse().ok());
    Process::of(pid.expect("a number")).expect("a live process")
}

#[test]
fn the_two_commands_start_and_stop_a_server() {
    let scripts = Scripts::new();
    let started = scripts.run("run-server.sh", &[]);
    let text = said(&started);
    assert!(started.status.success(), "{text}");
    let router = pid_in(&text);
    assert!(router.runs("lapidary-router"));
    let url = format!("http://127.0.0.1:{}/mcp", scripts.port);
    assert!(text.contains(&url) && text.contains(&format!("stop-server.sh {}", scripts.port)), "{text}");
    let address = ([127, 0, 0, 1], scripts.port).into();
    assert_eq!(Client::open(address).evaluate("3 + 4"), "7");

    let again = scripts.run("run-server.sh", &[]);
    assert!(again.status.success() && said(&again).contains("already running"), "{}", said(&again));
    assert_eq!(pid_in(&said(&again)), router);

    let mut all: std::collections::BTreeSet<Process> = descendants(router.pid).into_iter().collect();
    all.insert(router);
    all.extend(scripts.home.stone());
    let stopped = scripts.run("stop-server.sh", &[&scripts.port.to_string()]);
    assert!(stopped.status.success() && said(&stopped).contains("Stopped"), "{}", said(&stopped));
    assert!(!router.is_alive());
    assert!(still_alive_after(&all, Duration::from_secs(5)).is_empty(), "zygote, gems and stone go with it");
    let twice = scripts.run("stop-server.sh", &[]);
    assert!(twice.status.success() && said(&twice).contains("Nothing runs"), "{}", said(&twice));
}

#[test]
fn what_the_scripts_did_not_start_is_left_alone() {
    let scripts = Scripts::new();
    let stranger = TcpListener::bind(("127.0.0.1", scripts.port)).expect("the port");
    let refused = scripts.run("run-server.sh", &[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(said(&refused).contains("is taken"), "{}", said(&refused));
    let stopped = scripts.run("stop-server.sh", &[]);
    assert_eq!(stopped.status.code(), Some(3));
    assert!(said(&stopped).contains("left alone"), "{}", said(&stopped));
    drop(stranger);
}

#[test]
fn a_process_id_that_was_given_out_again_is_not_stopped() {
    let scripts = Scripts::new();
    let mut bystander = Command::new("sleep").arg("60").spawn().expect("sleep runs");
    let folder = scripts.home.path().join("state/lapidary");
    std::fs::create_dir_all(&folder).expect("a folder");
    let remembered = format!("{} 1 http://127.0.0.1:{}/mcp\n", bystander.id(), scripts.port);
    std::fs::write(folder.join(format!("router-{}.pid", scripts.port)), remembered).expect("a pid file");
    let stopped = scripts.run("stop-server.sh", &[]);
    assert!(stopped.status.success() && said(&stopped).contains("Nothing runs"), "{}", said(&stopped));
    assert!(Process::of(bystander.id()).is_some(), "the bystander lives");
    bystander.kill().expect("it ends");
    bystander.wait().expect("reaped");
}

#[test]
fn wrong_arguments_are_refused() {
    let scripts = Scripts::new();
    for port in ["0", "65536", "x", "-1", ""] {
        let output = scripts.run("stop-server.sh", &[port]);
        if !port.is_empty() {
            assert_eq!(output.status.code(), Some(2), "{port:?}: {}", said(&output));
        }
    }
    assert_eq!(scripts.run("stop-server.sh", &["1", "2"]).status.code(), Some(2));
}

#[test]
fn a_server_for_the_conformance_suite_starts_and_stops_like_any_other() {
    let scripts = Scripts::new();
    let started = scripts.run("serve-conformance.sh", &[]);
    assert!(started.status.success(), "{}", said(&started));
    let router = pid_in(&said(&started));
    let mut client = Client::open(([127, 0, 0, 1], scripts.port).into());
    assert!(!client.call("test_simple_text", &serde_json::json!({})).is_error);
    let stopped = scripts.run("stop-server.sh", &[]);
    assert!(stopped.status.success(), "{}", said(&stopped));
    assert!(still_alive_after(&[router].into(), Duration::from_secs(30)).is_empty());
}
