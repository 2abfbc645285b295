//! `stateless`: what a call without a session costs, each in a fresh process, beside the floor's opening of a process
//! that answers; with the worker's own toolsets, and with one toolset of the image as well.
//!
//! Floor and both servers take turns, so that a change of the machine's mood hits all of them.

use crate::figures::{Samples, heading, row};
use crate::load::{Wire, opens};
use crate::route::fill;
use crate::targets::Floor;
use serde_json::json;
use std::fs;
use std::process::Command;
use std::rc::Rc;
use std::time::Instant;
use tests::alone::request;
use tests::binaries;
use tests::server::{Config, Home, Server};

const ROUNDS: usize = 8;
const CALLS_IN_A_ROUND: usize = 40;

/// A toolset of a usual size, as a file says it.
const TOOLSET: &str = "doit
McpToolset subclass: 'Reports'
  instVarNames: #()
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()
%
category: 'tools'
method: Reports
toolNames
	^#('report_count' 'report_of' 'report_sum')
%
method: Reports
registerOn: aRegistry
	aRegistry name: 'report_count' description: 'Counts the reports.' inputSchema: self noArguments
		do: [:arguments | '0'].
	aRegistry name: 'report_of' description: 'The report of a month.'
		inputSchema: (self objectSchema: (self properties: {'month'. self propString: 'Which month.'})
			required: #('month'))
		do: [:arguments | arguments string: 'month'].
	aRegistry name: 'report_sum' description: 'The sum of two numbers.'
		inputSchema: (self objectSchema: (self properties: {'a'. self propInteger: 'One.'. 'b'.
			self propInteger: 'The other.'}) required: #('a' 'b'))
		do: [:arguments | ((arguments integer: 'a') + (arguments integer: 'b')) printString]
%
";

/// Runs the bench.
pub(crate) fn run() -> Vec<(&'static str, f64)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(measure())
}

async fn measure() -> Vec<(&'static str, f64)> {
    let floor = Floor::start();
    let plain = Server::start_default();
    let home = home_with_toolset();
    let mut with_toolset = Server::start(Config::new().at(&home).with("GS_MCP_TOOLSETS", "default Reports"));
    let status = ("status", json!({}));
    let own = ("report_sum", json!({"a": 3, "b": 4}));
    let kinds = [(&plain, &status), (&with_toolset, &status), (&with_toolset, &own)];
    let mut opened = Samples::default();
    let mut called = [(); 3].map(|()| Samples::default());
    for _ in 0..ROUNDS {
        opened.add(opens(floor.address, CALLS_IN_A_ROUND, 1).await);
        for ((server, (tool, arguments)), samples) in kinds.iter().zip(&mut called) {
            samples.add(calls(server, tool, arguments).await);
        }
    }
    heading();
    row("floor: open", &opened);
    let names = ["status", "status, one toolset of the image", "a tool of the image"];
    for (name, samples) in names.iter().zip(&called) {
        row(&format!("stateless call: {name}"), samples);
    }
    plain.stop();
    let (sessions, kib) = fill(with_toolset.address, || {
        with_toolset.processes().into_iter().map(|process| process.proportional_kib()).sum()
    })
    .await;
    for session in sessions {
        session.close().await;
    }
    with_toolset.stop();
    println!("\nIdle session with one toolset of the image, PSS: {kib:.0} KiB");
    let over = |samples: &Samples| samples.percentile(50) / opened.percentile(50);
    vec![
        ("stateless_over_open_floor", over(&called[0])),
        ("stateless_image_over_open_floor", over(&called[1])),
        ("stateless_image_tool_over_open_floor", over(&called[2])),
        ("stateless_p50_ms", called[0].percentile(50)),
        ("stateless_image_p50_ms", called[1].percentile(50)),
        ("idle_image_pss_kib", kib),
    ]
}

/// Calls one after the other, over one connection.
async fn calls(server: &Server, tool: &str, arguments: &serde_json::Value) -> Samples {
    let (message, headers) = request("tools/call", &json!({"name": tool, "arguments": arguments}), &json!({}));
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut wire = Wire::connect(server.address).await;
    let start = Instant::now();
    let mut latencies = Vec::new();
    for _ in 0..CALLS_IN_A_ROUND {
        latencies.push(wire.post(&headers, &message.to_string()).await);
    }
    Samples::new(latencies, start.elapsed())
}

/// A home whose stone holds the toolset.
fn home_with_toolset() -> Rc<Home> {
    let home = Home::new();
    let file = home.path().join("reports.gs");
    fs::write(&file, TOOLSET).expect("written");
    let mut command = Command::new(binaries::find("lapidary-worker"));
    let output = command.env_clear().envs(home.environment()).arg("filein").arg(&file).output().expect("a worker");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    home
}
