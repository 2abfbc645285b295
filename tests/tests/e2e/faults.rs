//! `kill -9` of each process: what its client sees, what others do not notice, what is there again and when.

use crate::{eventually, open_eventually};
use serde_json::json;
use std::time::{Duration, Instant};
use tests::client::{Client, tool_call};
use tests::processes::{Process, still_alive_after};
use tests::server::{Server, described};

const LOOP: &str = "[true] whileTrue";

#[test]
fn killing_a_gem_in_mid_call_fails_that_call_and_no_other_session() {
    let server = Server::start_default();
    let (mut victim, gem) = server.gem_of(|| Client::open(server.address));
    let (mut other, other_gem) = server.gem_of(|| Client::open(server.address));
    other.evaluate("UserGlobals at: #Own put: 'mine'");
    victim.send(&tool_call(9, "execute_code", &json!({"code": LOOP})));
    wait_until_busy(gem);
    let killed = Instant::now();
    gem.kill();
    let response = victim.connection().response();
    assert!(killed.elapsed() < Duration::from_secs(2), "{:?}", killed.elapsed());
    let answer = response.json();
    assert_eq!(answer["id"], 9, "{answer}");
    assert_eq!(answer["error"]["data"]["kind"], "workerDied", "{answer}");
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(victim.post(&ping).status, 404, "the session is gone");
    assert_eq!(other.evaluate("UserGlobals at: #Own"), "'mine'");
    assert!(other_gem.is_alive());
    assert_eq!(Client::open(server.address).evaluate("3 + 4"), "7");
}

#[test]
fn killing_an_idle_gem_makes_its_session_404() {
    let server = Server::start_default();
    let (mut client, gem) = server.gem_of(|| Client::open(server.address));
    gem.kill();
    assert!(gem.wait_for_end(Duration::from_secs(5)));
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    eventually(Duration::from_secs(2), "the session is gone", || (client.post(&ping).status == 404).then_some(()));
}

#[test]
fn killing_the_router_leaves_no_process_within_a_second_not_even_a_spinning_gem() {
    let mut server = Server::start_default();
    let (mut spinning, gem) = server.gem_of(|| Client::open(server.address));
    let _idle = Client::open(server.address);
    spinning.send(&tool_call(1, "execute_code", &json!({"code": LOOP})));
    wait_until_busy(gem);
    let all = server.kill_router();
    assert!(all.len() >= 5, "router, stone, zygote and two gems: {all:?}");
    let left = still_alive_after(&all, Duration::from_secs(1));
    assert!(left.is_empty(), "left behind: {}", described(&left));
}

#[test]
fn killing_the_stone_loses_no_acknowledged_commit_and_it_is_back_within_a_second() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    for number in 1..=5 {
        client.evaluate(&format!("UserGlobals at: #Number put: {number}"));
        client.call("commit", &json!({})).expect_text();
    }
    client.evaluate("UserGlobals at: #Number put: 'not committed'");
    let (_, gem) = server.gem_of(|| Client::open(server.address));
    let stone = server.home().stone().expect("a stone runs");
    let killed = Instant::now();
    stone.kill();
    assert!(stone.wait_for_end(Duration::from_secs(1)));
    let again = eventually(Duration::from_secs(1), "a stone runs again", || server.home().stone());
    assert_ne!(again, stone);
    assert!(gem.wait_for_end(Duration::from_secs(2)), "gems end with their stone");
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    eventually(Duration::from_secs(2), "old sessions are gone", || (client.post(&ping).status == 404).then_some(()));
    let mut client = open_eventually(&server);
    assert!(killed.elapsed() < Duration::from_secs(4), "{:?}", killed.elapsed());
    assert_eq!(client.evaluate("UserGlobals at: #Number"), "5");
    client.evaluate("UserGlobals at: #Number put: 6");
    client.call("commit", &json!({})).expect_text();
}

#[test]
fn killing_the_stone_in_mid_call_answers_the_call() {
    let server = Server::start_default();
    let (mut client, gem) = server.gem_of(|| Client::open(server.address));
    client.send(&tool_call(3, "execute_code", &json!({"code": LOOP})));
    wait_until_busy(gem);
    server.home().stone().expect("a stone runs").kill();
    let answer = client.connection().response().json();
    assert_eq!(answer["id"], 3);
    assert!(answer.to_string().contains("stoneLost"), "{answer}");
}

#[test]
fn killing_the_zygote_ends_no_session_and_new_ones_open() {
    let server = Server::start_default();
    let (mut client, gem) = server.gem_of(|| Client::open(server.address));
    client.evaluate("UserGlobals at: #Own put: 'mine'");
    let zygote = server.zygote();
    assert_ne!(zygote, gem);
    zygote.kill();
    assert!(zygote.wait_for_end(Duration::from_secs(1)));
    assert_eq!(client.evaluate("UserGlobals at: #Own"), "'mine'");
    let mut fresh = open_eventually(&server);
    assert_eq!(fresh.evaluate("3 + 4"), "7");
    assert_eq!(client.evaluate("UserGlobals at: #Own"), "'mine'", "the old session goes on");
    assert_eq!(client.delete(), 200);
    assert!(gem.wait_for_end(Duration::from_secs(5)), "a gem of the old zygote still ends by DELETE");
}

#[test]
fn a_stopped_server_answers_what_runs_or_ends_it_and_leaves_nothing() {
    let server = Server::start_default();
    let (mut client, gem) = server.gem_of(|| Client::open(server.address));
    client.send(&tool_call(1, "execute_code", &json!({"code": LOOP})));
    wait_until_busy(gem);
    let start = Instant::now();
    let status = server.stop();
    assert!(status.success(), "{status}");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    client.connection().set_patience(Duration::from_secs(1));
    let _ = client.connection().try_head();
}

/// Waits until the process has used some processor time: the call has reached its code.
pub(crate) fn wait_until_busy(process: Process) {
    let before = cpu_ticks(process);
    eventually(Duration::from_secs(10), "the gem works", || (cpu_ticks(process) >= before + 5).then_some(()));
}

/// The processor time that a process has used, in the clock ticks of the system.
pub(crate) fn cpu_ticks(process: Process) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/stat", process.pid)).unwrap_or_default();
    let (_, rest) = text.rsplit_once(')').unwrap_or_default();
    rest.split_whitespace().nth(11).and_then(|field| field.parse().ok()).unwrap_or(0)
}
