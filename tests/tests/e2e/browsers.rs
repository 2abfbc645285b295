//! Pages in a real browser: what the MCP Inspector's page can do, and what pages of other origins may.

use serde_json::Value;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use tests::server::{Config, Server};
use tests::tap::Tap;
use tests::tools::{INSPECTOR, NODE, driver, find};

/// A driver of a browser; nothing, said aloud, where there is no browser or no Node.
fn browse(script: &str) -> Option<Command> {
    let node = find(NODE, script)?;
    if std::env::var_os("LAPIDARY_CHROMIUM").is_none() {
        tests::skipped(script, "there is no Chromium: run scripts/install-test-tools.sh as root on Debian");
        return None;
    }
    let mut command = Command::new(node);
    command.arg(driver(script));
    Some(command)
}

fn seen(server: &Server, command: &mut Command) -> Value {
    let output = command.envs(server.home().environment()).output().expect("node runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}\n{}", server.home().log());
    serde_json::from_slice(&output.stdout).expect("a line of JSON")
}

/// Where pictures are kept: beside the test tools, so that the folder is not committed.
fn picture(name: &str) -> PathBuf {
    let folder = tests::tools::folder().expect("the tools were found").join("pictures");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

#[test]
fn the_page_of_the_inspector_connects_lists_and_calls_in_each_era() {
    for era in ["legacy", "modern"] {
        let Some(mut command) = browse("inspector_page.mjs") else { return };
        if find(INSPECTOR, "the MCP Inspector").is_none() {
            return;
        }
        let server = Server::start_default();
        let tap = Tap::on(&server);
        let picture = picture(&format!("inspector-{era}.png"));
        let seen = seen(&server, command.args([&tap.url(), era]).arg(&picture));
        tap.finish();
        assert_eq!(seen["answer"], "158", "{era}");
        let bytes = std::fs::read(&picture).expect("a picture");
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 10_000, "{}", picture.display());
        eprintln!("the picture is {}", picture.display());
    }
}

#[test]
fn pages_of_loopback_and_configured_origins_may_call_and_no_others() {
    let Some(mut command) = browse("page.mjs") else { return };
    // The origin of a page has its port, so it must be known before the server starts.
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
    let allowed = format!("http://app.example:{port}");
    let server = Server::start(Config::new().with("GS_MCP_ALLOWED_ORIGINS", &allowed));
    let seen = seen(&server, command.args([server.url(), port.to_string()]));
    for host in ["127.0.0.1", "localhost", "app.example"] {
        let page = &seen[host];
        assert!(page["tools"].as_u64().is_some_and(|count| count > 20), "{host}: {page}");
        assert_eq!((&page["ended"], &page["alone"]), (&Value::from(200), &Value::from("unknownGem")), "{host}");
        assert!(page["first"].as_str().is_some_and(|first| first.contains("connected")), "{host}: {page}");
    }
    let refused = seen["evil.example"]["error"].as_str().expect("an error");
    assert!(refused.contains("fetch"), "{refused}");
    let log = server.home().log();
    assert!(log.contains("refused=\"origin\""), "{log}");
}
