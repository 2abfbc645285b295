//! `streams`: how soon the first event of a call reaches its client, beside a whole call; and what a stream costs on
//! which nothing happens.
//!
//! Calls and events take turns in one session, so that a change of the machine's mood hits both. The idle streams are
//! GETs without a session, held open in the router and in the floor.

use crate::figures::{Samples, heading, row};
use crate::load::{Session, Wire};
use crate::targets::Floor;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tests::binaries;
use tests::client::tool_call;
use tests::processes::Process;
use tests::server::{Config, Server};
use tokio::net::TcpStream;

const WARM_UP: usize = 200;
const ROUNDS: usize = 2_000;
const STREAMS: usize = 10_000;
/// Descriptors that a process needs beside those of its streams.
const FILES_BESIDE: u64 = 500;
/// Streams before what they cost is first looked at, so that what is made once counts for none of them.
const STREAMS_BEFORE: usize = 100;

/// Runs the bench.
pub(crate) fn run() -> Vec<(&'static str, f64)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(measure())
}

async fn measure() -> Vec<(&'static str, f64)> {
    let streams = raise_file_limit();
    let worker = binaries::find("conformance-worker");
    let config = Config::new()
        .with("GS_MCP_WORKER_BINARY", worker.to_str().expect("a path of text"))
        .with("GS_MCP_TOOLSETS", "conformance session")
        .with("GS_MCP_MAX_CONNECTIONS", &(streams + 100).to_string());
    let server = Server::start(config);
    let (calls, events) = calls_and_events(server.address).await;
    heading();
    row("lapidary: status, whole", &calls);
    row("lapidary: first event of a call", &events);
    let floor = Floor::start();
    let floor_kib = idle_kib(floor.address, floor.process(), streams).await;
    let our_kib = idle_kib(server.address, server.router(), streams).await;
    println!("\n{streams} idle streams, PSS each: floor {floor_kib:.1} KiB, lapidary {our_kib:.1} KiB");
    server.stop();
    vec![("event_over_call", events.percentile(50) / calls.percentile(50)), ("stream_kib", our_kib)]
}

async fn calls_and_events(address: SocketAddr) -> (Samples, Samples) {
    let mut session = Session::open(address).await;
    let call = tool_call(7, "status", &json!({})).to_string();
    let params =
        json!({"name": "test_steps", "arguments": {"name": "bench", "steps": 1}, "_meta": {"progressToken": "t"}});
    let telling = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}).to_string();
    let (mut called, mut heard) = (Vec::new(), Vec::new());
    let mut start = Instant::now();
    for round in 0..WARM_UP + ROUNDS {
        if round == WARM_UP {
            (called, heard, start) = (Vec::new(), Vec::new(), Instant::now());
        }
        called.push(session.timed(&call).await);
        heard.push(session.event(&telling, b"notifications/progress").await);
    }
    let elapsed = start.elapsed();
    session.close().await;
    (Samples::new(called, elapsed), Samples::new(heard, elapsed))
}

/// What one more idle stream takes of the memory of the process that holds it.
async fn idle_kib(address: SocketAddr, process: Process, streams: usize) -> f64 {
    let mut held: Vec<TcpStream> = Vec::with_capacity(streams);
    for _ in 0..STREAMS_BEFORE {
        held.push(Wire::connect(address).await.listen().await);
    }
    let before = process.proportional_kib();
    while held.len() < streams {
        held.push(Wire::connect(address).await.listen().await);
    }
    // What is only needed while a stream opens is given back by now.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let each = process.proportional_kib().saturating_sub(before) as f64 / (streams - STREAMS_BEFORE) as f64;
    drop(held);
    each
}

/// Raises the limit of open files as far as it goes; answers how many streams it leaves room for.
fn raise_file_limit() -> usize {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum }) {
        println!("The limit of open files stays as it is: {error}");
    }
    let room = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX).saturating_sub(FILES_BESIDE);
    let streams = room.min(STREAMS as u64) as usize;
    if streams < STREAMS {
        println!("The limit of open files leaves room for {streams} streams, not {STREAMS}.");
    }
    streams
}
