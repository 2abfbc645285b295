//! `route`: what a session and a routed call cost, beside the floor.
//!
//! The routed call is `tools/call` of `status`, the smallest that goes through router, socket, dispatcher and image;
//! the floor gets the same bytes and echoes them. `ping` and an `execute_code` stand beside it in the table. Floor and
//! product take turns, so that a change of the machine's mood hits both.

use crate::figures::{Samples, heading, row};
use crate::load::{Session, calls, opens};
use crate::targets::Floor;
use serde_json::json;
use std::net::SocketAddr;
use std::time::Duration;
use tests::client::tool_call;
use tests::server::Server;

const LEVELS: [usize; 3] = [64, 16, 1];
const SESSIONS: usize = 64;
/// Many short turns: which cores a pair of processes lands on changes from turn to turn and doubles a latency, so a
/// few long ones would compare placements.
const ROUNDS: usize = 16;
const ROUND: Duration = Duration::from_millis(200);
const WARM_UP: Duration = Duration::from_millis(250);
const BESIDE: Duration = Duration::from_secs(1);
const OPEN_ROUNDS: usize = 8;
const OPENS_IN_A_ROUND: usize = 40;
const OPENS_AT_A_TIME: usize = 8;

/// The samples of one kind for both targets.
struct Pair {
    floor: Samples,
    ours: Samples,
}

/// What the opens came to.
struct Opens {
    one_at_a_time: Pair,
    many_at_a_time: Pair,
}

/// Runs the bench.
pub(crate) fn run() -> Vec<(&'static str, f64)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(measure())
}

async fn measure() -> Vec<(&'static str, f64)> {
    let floor = Floor::start();
    let mut server = Server::start_default();
    println!("One load thread, {} cores; floor: the same HTTP stack before children that echo.\n", cores());
    let (mut floor_sessions, floor_kib) = fill(floor.address, || floor.proportional_kib()).await;
    let (mut our_sessions, our_kib) = fill(server.address, || proportional_kib(&mut server)).await;

    heading();
    let call = tool_call(7, "status", &json!({})).to_string();
    let mut levels = Vec::new();
    for level in LEVELS {
        end_all_but(&mut floor_sessions, level).await;
        end_all_but(&mut our_sessions, level).await;
        let pair = call_pair(&mut floor_sessions, &mut our_sessions, &call).await;
        row(&format!("floor: echo, {level} sessions"), &pair.floor);
        row(&format!("lapidary: status, {level} sessions"), &pair.ours);
        levels.push((level, pair));
    }
    beside(&mut our_sessions).await;
    end_all_but(&mut floor_sessions, 0).await;
    end_all_but(&mut our_sessions, 0).await;
    let opened = open_pair(floor.address, server.address).await;
    println!("\nIdle session, PSS: floor {floor_kib:.0} KiB, lapidary {our_kib:.0} KiB");
    server.stop();
    figures(&levels, &opened, our_kib)
}

fn figures(levels: &[(usize, Pair)], opened: &Opens, idle_kib: f64) -> Vec<(&'static str, f64)> {
    let at = |level: usize| &levels.iter().find(|(known, _)| *known == level).expect("a measured level").1;
    let alone = &opened.one_at_a_time;
    vec![
        ("call_p50_over_floor", at(1).ours.percentile(50) / at(1).floor.percentile(50)),
        ("calls_64_over_floor", at(64).ours.rate() / at(64).floor.rate()),
        ("open_p50_over_floor", alone.ours.percentile(50) / alone.floor.percentile(50)),
        ("open_p50_ms", alone.ours.percentile(50)),
        ("opens_per_s", opened.many_at_a_time.ours.rate()),
        ("idle_pss_kib", idle_kib),
    ]
}

/// Opens all sessions, each after one `execute_code`; answers them and what one more idle session costs.
pub(crate) async fn fill(address: SocketAddr, mut kib: impl FnMut() -> u64) -> (Vec<Session>, f64) {
    let call = tool_call(1, "execute_code", &json!({"code": "3 + 4"})).to_string();
    let mut sessions = Vec::new();
    let mut with_one = 0;
    for _ in 0..SESSIONS {
        let mut session = Session::open(address).await;
        session.post(&call).await;
        sessions.push(session);
        if sessions.len() == 1 {
            with_one = kib();
        }
    }
    let marginal = (kib() as f64 - with_one as f64) / (SESSIONS - 1) as f64;
    (sessions, marginal)
}

async fn call_pair(floor: &mut Vec<Session>, ours: &mut Vec<Session>, call: &str) -> Pair {
    turn(floor, call, WARM_UP).await;
    turn(ours, call, WARM_UP).await;
    let mut pair = Pair { floor: Samples::default(), ours: Samples::default() };
    for _ in 0..ROUNDS {
        pair.floor.add(turn(floor, call, ROUND).await);
        pair.ours.add(turn(ours, call, ROUND).await);
    }
    pair
}

async fn turn(sessions: &mut Vec<Session>, call: &str, time: Duration) -> Samples {
    let (back, samples) = calls(std::mem::take(sessions), call, time).await;
    *sessions = back;
    samples
}

/// Other calls of one session, for the table only.
async fn beside(sessions: &mut Vec<Session>) {
    let ping = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}).to_string();
    let code = tool_call(7, "execute_code", &json!({"code": "nil"})).to_string();
    for (name, call) in [("ping", ping), ("execute_code nil", code)] {
        turn(sessions, &call, WARM_UP).await;
        row(&format!("lapidary: {name}, 1 session"), &turn(sessions, &call, BESIDE).await);
    }
}

async fn open_pair(floor: SocketAddr, ours: SocketAddr) -> Opens {
    let fresh = || Pair { floor: Samples::default(), ours: Samples::default() };
    let mut opened = Opens { one_at_a_time: fresh(), many_at_a_time: fresh() };
    for _ in 0..OPEN_ROUNDS {
        opened.one_at_a_time.floor.add(opens(floor, OPENS_IN_A_ROUND, 1).await);
        opened.one_at_a_time.ours.add(opens(ours, OPENS_IN_A_ROUND, 1).await);
    }
    for _ in 0..OPEN_ROUNDS {
        opened.many_at_a_time.floor.add(opens(floor, OPENS_IN_A_ROUND * 2, OPENS_AT_A_TIME).await);
        opened.many_at_a_time.ours.add(opens(ours, OPENS_IN_A_ROUND * 2, OPENS_AT_A_TIME).await);
    }
    println!("\nA second: sessions opened and ended; p50 and p99: the open alone.");
    heading();
    row("floor: open, one at a time", &opened.one_at_a_time.floor);
    row("lapidary: open, one at a time", &opened.one_at_a_time.ours);
    row(&format!("floor: open, {OPENS_AT_A_TIME} at a time"), &opened.many_at_a_time.floor);
    row(&format!("lapidary: open, {OPENS_AT_A_TIME} at a time"), &opened.many_at_a_time.ours);
    opened
}

async fn end_all_but(sessions: &mut Vec<Session>, kept: usize) {
    while sessions.len() > kept {
        sessions.pop().expect("one more").close().await;
    }
}

fn proportional_kib(server: &mut Server) -> u64 {
    server.processes().into_iter().map(|process| process.proportional_kib()).sum()
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
