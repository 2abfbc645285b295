//! The server as its operator meets it: options, the reaper, read-only mode, logs.

use serde_json::json;
use std::process::Command;
use std::time::{Duration, Instant};
use tests::binaries;
use tests::client::{Client, tool_call};
use tests::server::{Config, Home, Server};

#[test]
fn the_reaper_ends_idle_sessions_and_only_those() {
    let config = Config::new().with("GS_MCP_IDLE_SECONDS", "1").with("GS_MCP_CALL_SECONDS", "3");
    let server = Server::start(config);
    let (mut idle, idle_gem) = server.gem_of(|| Client::open(server.address));
    let (mut busy, busy_gem) = server.gem_of(|| Client::open(server.address));
    busy.send(&tool_call(1, "execute_code", &json!({"code": "[true] whileTrue"})));
    let start = Instant::now();
    assert!(idle_gem.wait_for_end(Duration::from_secs(10)), "an idle gem is ended");
    assert!(start.elapsed() >= Duration::from_millis(900), "not before its time");
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(idle.post(&ping).status, 404);
    let answer = busy.connection().response();
    assert_eq!(answer.status, 200, "a call in progress is not idle: {}", answer.text());
    assert!(busy_gem.wait_for_end(Duration::from_secs(10)), "afterwards it is");
}

#[test]
fn a_read_only_server_serves_what_is_safe_and_refuses_the_rest() {
    let server = Server::start(Config::new().with("GS_MCP_READONLY", "1"));
    let mut client = Client::open(server.address);
    let tools = client.request("tools/list", &json!({}));
    let names: Vec<&str> =
        tools["result"]["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(!names.contains(&"execute_code") && !names.contains(&"commit"), "{names:?}");
    for name in ["abort", "refresh", "status"] {
        assert!(names.contains(&name), "{names:?}");
        client.call(name, &json!({})).expect_text();
    }
    for name in ["execute_code", "commit"] {
        let answer = client.request("tools/call", &json!({"name": name, "arguments": {"code": "1"}}));
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
        assert_eq!(answer["error"]["data"]["kind"], "readOnly", "{answer}");
    }
}

#[test]
fn names_and_user_follow_the_configuration() {
    let config = Config::new()
        .with("GS_MCP_SERVER_NAME", "my-server")
        .with("GS_MCP_SERVER_VERSION", "9.9.9")
        .with("GS_MCP_TITLE", "My Server")
        .with("GS_USER", "Ada")
        .with("GS_STONE", "otherstone");
    let server = Server::start(config);
    let mut connection = tests::http::Connection::open(server.address);
    let body = tests::client::initialize("2025-11-25").to_string();
    let response = connection.request("POST", "/mcp", &tests::client::JSON_HEADERS, body.as_bytes());
    let info = response.json()["result"]["serverInfo"].clone();
    assert_eq!(info, json!({"name": "my-server", "version": "9.9.9", "title": "My Server"}));
    let mut client = Client::open(server.address);
    let status = client.call("status", &json!({})).expect_text().to_owned();
    assert!(status.starts_with("user=Ada session=") && status.contains(" stone=otherstone "), "{status}");
    assert!(server.home().path().join("data/lapidary/otherstone.stone").is_dir());
}

#[test]
fn an_unknown_toolset_fails_initialize_with_words_that_help() {
    let server = Server::start(Config::new().with("GS_MCP_TOOLSETS", "nosuchtoolset"));
    let mut connection = tests::http::Connection::open(server.address);
    let body = tests::client::initialize("2025-11-25").to_string();
    let response = connection.request("POST", "/mcp", &tests::client::JSON_HEADERS, body.as_bytes());
    let answer = response.json();
    assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains("nosuchtoolset")), "{answer}");
    assert!(response.header("mcp-session-id").is_none(), "no session was opened");
}

#[test]
fn the_log_has_a_line_a_request_and_never_a_session_id() {
    let server = Server::start(Config::new().with("GS_MCP_LOG_FORMAT", "json"));
    let mut client = Client::open(server.address);
    client.evaluate("3 + 4");
    let home = server.home().clone();
    let session = client.session.clone();
    server.stop();
    let log = home.log();
    assert!(!log.contains(&session), "the id itself must not be logged");
    let line = log.lines().find(|line| line.contains("execute_code")).unwrap_or_else(|| panic!("a line in {log}"));
    let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
    let text = line.to_string();
    for field in ["tools/call", "execute_code", "200"] {
        assert!(text.contains(field), "{field} in {text}");
    }
}

#[test]
fn help_names_every_setting_and_a_wrong_one_is_exit_code_2() {
    let router = binaries::find("lapidary-router");
    let help = Command::new(&router).arg("--help").output().expect("it runs");
    assert!(help.status.success());
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    for name in [
        "GS_MCP_PORT",
        "GS_MCP_READONLY",
        "GS_MCP_TOOLSETS",
        "GS_MCP_WORKER_CLASS",
        "GS_MCP_TITLE",
        "GS_MCP_SERVER_NAME",
        "GS_MCP_SERVER_VERSION",
        "GS_STONE",
        "GS_USER",
        "GS_MCP_ALLOWED_ORIGINS",
        "GS_MCP_IDLE_SECONDS",
        "GS_MCP_CALL_SECONDS",
        "GS_MCP_LOG",
        "GS_MCP_LOG_FORMAT",
    ] {
        assert!(help.contains(name), "{name} in the help");
    }
    let wrong = Command::new(&router).args(["--port", "seven"]).output().expect("it runs");
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn a_port_that_is_taken_is_said_and_nothing_is_left() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("its address").port().to_string();
    let home = Home::new();
    let mut command = Command::new(binaries::find("lapidary-router"));
    command.args(["--port", &port]).envs(home.environment());
    let output = command.output().expect("it runs and ends");
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains(&port), "{said}");
    if let Some(stone) = home.stone() {
        assert!(stone.wait_for_end(Duration::from_secs(12)), "a stone without a router leaves");
    }
}

#[test]
fn the_router_listens_on_the_loopback_interface_only() {
    let server = Server::start_default();
    let port = format!("{:04X}", server.address.port());
    let table = std::fs::read_to_string("/proc/net/tcp").expect("the table of sockets");
    let listening: Vec<&str> = table
        .lines()
        .filter_map(|line| line.split_whitespace().nth(1))
        .filter(|local| local.ends_with(&format!(":{port}")))
        .collect();
    assert!(listening.iter().any(|local| local.starts_with("0100007F")), "{listening:?}");
    assert!(listening.iter().all(|local| !local.starts_with("00000000")), "{listening:?}");
}
