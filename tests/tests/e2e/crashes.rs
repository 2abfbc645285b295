//! The stone killed at arbitrary instants while a client commits: every acknowledged commit is there afterwards, and
//! none that was not asked for.

use crate::{eventually, open_eventually};
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;
use tests::client::{Client, tool_call};
use tests::dice::Dice;
use tests::server::Server;

#[test]
fn no_acknowledged_commit_is_lost_wherever_the_stone_is_killed() {
    let rounds = if tests::all_tests() { 60 } else { 6 };
    let mut dice = Dice::printed();
    let server = Server::start_default();
    let mut first = Client::open(server.address);
    first.evaluate("UserGlobals at: #Count put: (Array with: 0 with: 0)");
    first.call("commit", &json!({})).expect_text();
    let mut low = 0;
    for round in 0..rounds {
        let (acknowledged, attempted) = commit_until_killed(&server, low, dice.below(40));
        let found = value_after_crash(&server);
        assert!(
            found >= acknowledged && found <= attempted,
            "round {round}: {acknowledged} acknowledged, {attempted} attempted, {found} found"
        );
        low = found;
    }
}

/// One client counts up with a commit a step; after some milliseconds the stone is killed.
fn commit_until_killed(server: &Server, low: u64, delay: u64) -> (u64, u64) {
    let acknowledged = AtomicU64::new(low);
    let attempted = AtomicU64::new(low);
    let over = AtomicBool::new(false);
    let stone = eventually(Duration::from_secs(5), "a stone runs", || server.home().stone());
    let client = open_eventually(server);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut client = client;
            for number in low + 1.. {
                attempted.store(number, Ordering::SeqCst);
                if over.load(Ordering::SeqCst) || !step(&mut client, number) {
                    return;
                }
                acknowledged.store(number, Ordering::SeqCst);
            }
        });
        thread::sleep(Duration::from_millis(delay));
        stone.kill();
        assert!(stone.wait_for_end(Duration::from_secs(1)));
        over.store(true, Ordering::SeqCst);
    });
    (acknowledged.into_inner(), attempted.into_inner())
}

/// Both halves are written in one commit, so they must always be equal.
fn step(client: &mut Client, number: u64) -> bool {
    let code = format!("(UserGlobals at: #Count) at: 1 put: {number}; at: 2 put: {number}");
    for call in [tool_call(1, "execute_code", &json!({"code": code})), tool_call(2, "commit", &json!({}))] {
        client.send(&call);
        let Ok(Some(head)) = client.connection().try_head() else { return false };
        let body = String::from_utf8(client.connection().body(&head)).unwrap_or_default();
        let answer: serde_json::Value = serde_json::from_str(&body).unwrap_or_default();
        if head.status != 200 || !answer["result"].is_object() || answer["result"]["isError"] == json!(true) {
            return false;
        }
    }
    true
}

fn value_after_crash(server: &Server) -> u64 {
    let mut client = open_eventually(server);
    let text =
        client.evaluate("| a | a := UserGlobals at: #Count. (a at: 1) = (a at: 2) ifTrue: [a at: 1] ifFalse: [-1]");
    text.parse().unwrap_or_else(|_| panic!("a commit was torn: {text}"))
}
