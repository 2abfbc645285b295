//! Clients that others wrote, each in each of its modes: they list the tools, call some, hear of progress, cancel a
//! call, lose their session or their gem, and come back.

use crate::eventually;
use crate::faults::cpu_ticks;
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientRequest, ProgressNotificationParam, Request};
use rmcp::service::{NotificationContext, PeerRequestOptions, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tests::server::Server;
use tests::tap::Tap;
use tests::tools::{self, INSPECTOR, NODE, PYTHON, PYTHON_1, driver, end_all_gems, find, prepared, walk};
use tokio::sync::Notify;

/// The walk of a driver in each of these modes, which must come to these revisions.
fn take_the_walk(program: &Path, script: &str, modes: &[(&str, &str)]) {
    let server = prepared();
    let tap = Tap::on(&server);
    for (mode, revision) in modes {
        let mut command = Command::new(program);
        command.arg(driver(script)).arg(tap.url()).args(Some(mode).filter(|mode| !mode.is_empty()));
        let seen = walk(&server, &mut command);
        check(&seen, &format!("{script} {mode}"), revision);
    }
    tap.finish();
    let log = server.home().log();
    assert!(log.contains("unknownSession") || modes.iter().all(|(_, revision)| *revision > "2026"), "{log}");
}

fn check(seen: &Value, who: &str, revision: &str) {
    let is_stateless = revision > "2026";
    assert_eq!(seen["protocol"], revision, "{who}: {seen}");
    let tools = seen["tools"].as_array().expect("tools");
    assert!(tools.contains(&json!("execute_code")), "{who}: {seen}");
    assert_eq!(tools.contains(&json!("open_gem")), is_stateless, "{who}: {seen}");
    assert_eq!((&seen["text"], &seen["error"]), (&json!("7"), &json!(true)), "{who}: {seen}");
    assert!(seen["progress"].as_array().is_some_and(|heard| !heard.is_empty()), "{who}: {seen}");
    assert_eq!(seen["after"], "7", "{who}, after a call that was given up: {seen}");
    let lost = seen["lost"].as_str().expect("text");
    assert_ne!(lost, "7", "{who} had lost its gem: {seen}");
    assert_eq!(lost.contains("open_gem"), is_stateless, "{who}: {seen}");
    assert_eq!(seen["again"], "7", "{who} came back: {seen}");
}

#[test]
fn the_python_sdk_1() {
    let Some(python) = find(PYTHON_1, "the Python SDK 1.x") else { return };
    take_the_walk(&python, "python_sdk_1.py", &[("", "2025-11-25")]);
}

#[test]
fn the_python_sdk_2() {
    let Some(python) = find(PYTHON, "the Python SDK 2.x") else { return };
    let modes = [("auto", "2026-07-28"), ("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28")];
    take_the_walk(&python, "python_sdk_2.py", &modes);
}

#[test]
fn fastmcp() {
    let Some(python) = find(PYTHON, "fastmcp") else { return };
    take_the_walk(&python, "python_fastmcp.py", &[("auto", "2026-07-28"), ("legacy", "2025-11-25")]);
}

#[test]
fn the_node_sdk_1() {
    let Some(node) = find(NODE, "the SDK 1.x for Node") else { return };
    take_the_walk(&node, "node_sdk_1.mjs", &[("", "2025-11-25")]);
}

#[test]
fn the_node_sdk_2() {
    let Some(node) = find(NODE, "the SDK 2.x for Node") else { return };
    let modes =
        [("default", "2025-11-25"), ("legacy", "2025-11-25"), ("auto", "2026-07-28"), ("2026-07-28", "2026-07-28")];
    take_the_walk(&node, "node_sdk_2.mjs", &modes);
}

/// Hears of progress.
#[derive(Debug, Clone, Default)]
struct Listener(Arc<Notify>);

impl ClientHandler for Listener {
    async fn on_progress(&self, _: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.0.notify_one();
    }
}

type Rust = RunningService<RoleClient, Listener>;

async fn rust_call(client: &Rust, tool: &'static str, arguments: Value) -> CallToolResult {
    client.call_tool(rust_params(tool, arguments)).await.expect("a result")
}

fn rust_params(tool: &'static str, arguments: Value) -> CallToolRequestParams {
    let arguments: Map<String, Value> = arguments.as_object().cloned().expect("an object");
    CallToolRequestParams::new(tool).with_arguments(arguments)
}

fn text(result: &CallToolResult) -> String {
    serde_json::to_value(result).expect("JSON")["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}

/// Arguments of this call, in the gem that the client holds if it holds one.
fn within(gem: Option<&str>, mut arguments: Value) -> Value {
    if let Some(gem) = gem {
        arguments["gem"] = json!(gem);
    }
    arguments
}

async fn rust_walk(server: &Server, tap: &Tap, mode: ClientLifecycleMode, is_stateless: bool) {
    let heard = Listener::default();
    let transport = StreamableHttpClientTransport::from_uri(tap.url());
    let client = heard.clone().serve_with_lifecycle(transport, mode).await.expect("a connection");
    let tools = client.list_all_tools().await.expect("tools");
    assert!(tools.iter().any(|tool| tool.name == "execute_code"));
    assert_eq!(tools.iter().any(|tool| tool.name == "open_gem"), is_stateless);
    let gem = hold(&client, is_stateless).await;
    let run = async |gem: Option<&str>, code: &str| {
        rust_call(&client, "execute_code", within(gem, json!({"code": code}))).await
    };
    assert_eq!(text(&run(gem.as_deref(), "3 + 4").await), "7");
    assert_eq!(run(gem.as_deref(), "1/0").await.is_error, Some(true));
    rust_call(&client, "list_failing_tests", within(gem.as_deref(), json!({"classNames": ["WalkTest"]}))).await;
    heard.0.notified().await;
    let arguments = within(gem.as_deref(), json!({"classNames": ["WalkForEverTest"]}));
    let call = ClientRequest::CallToolRequest(Request::new(rust_params("list_failing_tests", arguments)));
    let called = client.send_cancellable_request(call, PeerRequestOptions::no_options()).await.expect("sent");
    heard.0.notified().await;
    called.cancel(None).await.expect("cancelled");
    assert_eq!(text(&run(gem.as_deref(), "3 + 4").await), "7", "it is answered once the other is given up");
    end_all_gems(server);
    if is_stateless {
        assert!(text(&run(gem.as_deref(), "3 + 4").await).contains("open_gem"));
    }
    // In a session this client opens another by itself.
    let gem = hold(&client, is_stateless).await;
    assert_eq!(text(&run(gem.as_deref(), "3 + 4").await), "7");
    client.cancel().await.expect("a clean end");
}

async fn hold(client: &Rust, is_stateless: bool) -> Option<String> {
    if !is_stateless {
        return None;
    }
    let opened = rust_call(client, "open_gem", json!({})).await;
    opened.structured_content.expect("data")["gem"].as_str().map(str::to_owned)
}

#[test]
fn the_rust_sdk() {
    let server = prepared();
    let tap = Tap::on(&server);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let preferred_versions = vec![serde_json::from_value(json!("2026-07-28")).expect("a version")];
    let auto = ClientLifecycleMode::Auto { preferred_versions: preferred_versions.clone(), legacy_version: None };
    let discover = ClientLifecycleMode::Discover { preferred_versions };
    for (mode, is_stateless) in [(ClientLifecycleMode::Initialize, false), (auto, true), (discover, true)] {
        let limit = Duration::from_secs(60);
        let walk = async { tokio::time::timeout(limit, rust_walk(&server, &tap, mode.clone(), is_stateless)).await };
        runtime.block_on(walk).unwrap_or_else(|_| panic!("{mode:?} hangs\n{}", server.home().log()));
    }
    tap.finish();
}

/// The Inspector's command line.
fn inspector(server: &Server, tap: &Tap, era: &str, arguments: &[&str]) -> Command {
    let folder = tools::folder().expect("it was found");
    let mut command = Command::new(folder.join(NODE));
    command.arg(folder.join(INSPECTOR)).args(["--cli", &tap.url(), "--transport", "http", "--format", "json"]);
    command.args(["--protocol-era", era]).args(arguments).envs(server.home().environment());
    command
}

/// One run of it; answers its exit code, its answer, and what it said beside it.
fn inspect(server: &Server, tap: &Tap, era: &str, arguments: &[&str]) -> (Option<i32>, Value, String) {
    let output = inspector(server, tap, era, arguments).output().expect("node runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap_or_default(), said)
}

#[test]
fn the_command_line_of_the_inspector() {
    if find(INSPECTOR, "the MCP Inspector").is_none() {
        return;
    }
    let server = prepared();
    let tap = Tap::on(&server);
    for (era, is_stateless) in [("legacy", false), ("auto", true), ("modern", true)] {
        let (code, listed, said) = inspect(&server, &tap, era, &["--method", "tools/list"]);
        assert_eq!(code, Some(0), "{era}: {said}");
        assert!(listed.to_string().contains("\"execute_code\""), "{era}: {listed}");
        assert_eq!(listed.to_string().contains("\"open_gem\""), is_stateless, "{era}: {listed}");
        let call = ["--method", "tools/call", "--tool-name", "execute_code", "--tool-args-json"];
        let (code, called, said) = inspect(&server, &tap, era, &[&call[..], &[r#"{"code":"3 + 4"}"#]].concat());
        assert_eq!(code, Some(0), "{era}: {said}");
        assert!(called.to_string().contains("\"7\""), "{era}: {called}");
        let (code, _, _) = inspect(&server, &tap, era, &[&call[..], &[r#"{"code":"1/0"}"#]].concat());
        assert_eq!(code, Some(5), "{era}: a tool error is the Inspector's exit code 5");
        let strict = inspect(&server, &tap, era, &["--method", "tools/list", "--strict"]);
        let is_clean = strict.0 == Some(0) && !strict.2.contains("Warning");
        assert!(is_clean, "{era}: every schema is one that all clients can use: {}", strict.2);
    }
    tap.finish();
}

#[test]
fn a_command_line_of_the_inspector_that_ends_has_cancelled_its_call_where_there_are_no_sessions() {
    if find(INSPECTOR, "the MCP Inspector").is_none() {
        return;
    }
    let server = prepared();
    let tap = Tap::on(&server);
    let call = ["--method", "tools/call", "--tool-name", "list_failing_tests", "--tool-args-json"];
    let arguments = [&call[..], &[r#"{"classNames":["WalkForEverTest"]}"#]].concat();
    let mut running = inspector(&server, &tap, "modern", &arguments).stdout(Stdio::null()).spawn().expect("node runs");
    let busy = eventually(Duration::from_secs(60), "a gem works", || {
        server.gems().into_iter().find(|gem| cpu_ticks(*gem) > 20)
    });
    running.kill().expect("a signal");
    running.wait().expect("it ends");
    assert!(busy.wait_for_end(Duration::from_secs(10)), "its gem goes with it");
    let (code, listed, said) = inspect(&server, &tap, "modern", &["--method", "tools/list"]);
    assert!(code == Some(0) && listed.is_object(), "{said}");
    tap.finish();
}
