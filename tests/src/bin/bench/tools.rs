//! `tools`: what searches cost in an image with 20,000 methods more, beside a plain scan of the same source bytes.
//!
//! The scan is Rust's own substring search over the sources in memory, one after the other, in this process; the
//! searches are calls over the wire, answers included. All take turns. A fresh session's first search, which also loads
//! what it looks at, stands in the table.

use crate::figures::{Samples, heading, row};
use crate::load::{Session, calls};
use serde_json::{Value, json};
use std::fmt::Write;
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};
use tests::binaries;
use tests::client::tool_call;
use tests::server::{Config, Home, Server};

const CLASSES: usize = 500;
const METHODS_A_CLASS: usize = 40;
/// Every so many methods there is one that is looked for.
const RARE: usize = 1_000;
/// What the search looks for.
const PATTERN: &str = "needle in the hay";
/// What only the rare methods send.
const SENT: &str = "weighNeedleWith:";
/// What only the rare methods implement.
const IMPLEMENTED: &str = "findNeedle";
const ROUNDS: usize = 8;
const ROUND: Duration = Duration::from_millis(250);
const COLD_SESSIONS: usize = 5;

/// Runs the bench.
pub(crate) fn run() -> Vec<(&'static str, f64)> {
    let sources: Vec<Vec<String>> = (0..CLASSES).map(|class| methods_of(class).collect()).collect();
    let home = Home::new();
    load(&home, &sources);
    let server = Server::start(Config::new().at(&home));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let figures = runtime.block_on(measure(&server, &sources.concat()));
    server.stop();
    figures
}

async fn measure(server: &Server, sources: &[String]) -> Vec<(&'static str, f64)> {
    let bytes: usize = sources.iter().map(String::len).sum();
    println!("{} methods of {} bytes beside the kernel's; one session.\n", sources.len(), bytes);
    let call = |tool, arguments: Value| tool_call(7, tool, &arguments).to_string();
    let search = call("search_method_source", json!({"pattern": PATTERN, "dictionaryName": "UserGlobals"}));
    let senders = call("find_senders", json!({"selector": SENT}));
    let implementors = call("find_implementors", json!({"selector": IMPLEMENTED}));
    let request = |method| json!({"jsonrpc": "2.0", "id": 7, "method": method}).to_string();
    let bodies = [
        ("search_method_source", search),
        ("find_senders", senders),
        ("find_implementors", implementors),
        ("tools/list", request("tools/list")),
        ("ping", request("ping")),
    ];
    heading();
    for (what, body) in &bodies[..3] {
        row(&format!("{what}, the first of a fresh session"), &cold(server, body).await);
    }
    let mut session = vec![Session::open(server.address).await];
    session[0].post(&bodies[0].1).await;
    let mut all = [(); 5].map(|()| Samples::default());
    let mut scanned = Samples::default();
    for _ in 0..ROUNDS {
        scanned.add(scan(sources));
        for ((_, body), samples) in bodies.iter().zip(&mut all) {
            let (back, taken) = calls(session, body, ROUND).await;
            session = back;
            samples.add(taken);
        }
    }
    row("plain scan of the sources", &scanned);
    for ((what, _), samples) in bodies.iter().zip(&all) {
        row(what, samples);
    }
    session.pop().expect("one session").close().await;
    let p50 = |samples: &Samples| samples.percentile(50);
    let scan = p50(&scanned);
    vec![
        ("search_over_scan", p50(&all[0]) / scan),
        ("senders_over_scan", p50(&all[1]).max(p50(&all[2])) / scan),
        ("list_over_ping", p50(&all[3]) / p50(&all[4])),
    ]
}

/// The first call of sessions that have done nothing else.
async fn cold(server: &Server, body: &str) -> Samples {
    let mut samples = Samples::default();
    for _ in 0..COLD_SESSIONS {
        let mut session = Session::open(server.address).await;
        let start = Instant::now();
        session.post(body).await;
        samples.add(Samples::new(vec![start.elapsed()], start.elapsed()));
        session.close().await;
    }
    samples
}

fn scan(sources: &[String]) -> Samples {
    let start = Instant::now();
    let mut latencies = Vec::new();
    while start.elapsed() < ROUND {
        let begun = Instant::now();
        let found = sources.iter().filter(|source| black_box(source).contains(black_box(PATTERN))).count();
        assert_eq!(found, sources.len() / RARE);
        latencies.push(begun.elapsed());
    }
    Samples::new(latencies, start.elapsed())
}

/// The sources of a class: what programs are made of, in proportions that are usual, the same in every run.
fn methods_of(class: usize) -> impl Iterator<Item = String> {
    (0..METHODS_A_CLASS).map(move |method| {
        let number = class * METHODS_A_CLASS + method;
        if number % RARE == RARE / 2 {
            return format!("{IMPLEMENTED}\n\t\"Look for the {PATTERN}.\"\n\t^self {SENT} {number}\n");
        }
        let mut source = format!(
            "step{method}With: anObject for: aBlock\n\t\"Answer what becomes of anObject in step {number}.\"\n\
             \t| result next |\n\tresult := OrderedCollection new.\n"
        );
        for line in 0..1 + number % 3 {
            let _ = writeln!(
                source,
                "\tnext := self step{}With: (anObject at: {line}) for: aBlock.\n\
                 \tnext isNil ifFalse: [result add: (aBlock value: next printString size + {number})].",
                (method + line) % METHODS_A_CLASS
            );
        }
        source.push_str("\t^result\n");
        source
    })
}

/// Files the classes in.
fn load(home: &Home, sources: &[Vec<String>]) {
    let mut file = String::new();
    for (class, methods) in sources.iter().enumerate() {
        let _ = write!(
            file,
            "doit\nObject subclass: 'Hay{class}'\n  instVarNames: #()\n  classVars: #()\n  classInstVars: #()\n  \
             poolDictionaries: #()\n  inDictionary: UserGlobals\n  options: #()\n%\ncategory: 'steps'\n"
        );
        for method in methods {
            let _ = write!(file, "method: Hay{class}\n{method}%\n");
        }
    }
    let path = home.path().join("hay.gs");
    std::fs::write(&path, file).expect("written");
    let mut command = Command::new(binaries::find("lapidary-worker"));
    let output = command.env_clear().envs(home.environment()).arg("filein").arg(&path).output().expect("a worker");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
