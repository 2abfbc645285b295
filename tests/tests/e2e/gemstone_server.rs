//! The native GemStone MCP server's own checks, run against this server: its integration script over HTTP, and its unit
//! tests inside the image, from its sources.
//!
//! They belong to somebody else and are not kept here: `LAPIDARY_GEMSTONE_SERVER` names a folder with a clone of
//! `GemTalk/mcp_server`.

use serde_json::json;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use tests::binaries;
use tests::client::Client;
use tests::server::{Config, Home, Server};

const VARIABLE: &str = "LAPIDARY_GEMSTONE_SERVER";

/// Unit tests that do not pass here, and why; all others must.
const BEYOND_US: &[(&str, &str)] = &[
    ("testFindReferencesTo", "it expects the categories and the sources of GemStone's own Boolean"),
    ("testFindSendersTruncated", "this kernel sends = less than 200 times"),
    ("testSessionIdIsRandomHex", "it reads /dev/urandom, and a session reaches no file"),
    ("testRouterCarriesTheNamedClassAndToolsetsToTheSession", "it reads /dev/urandom, and a session reaches no file"),
];

fn clone() -> Option<PathBuf> {
    let folder = std::env::var_os(VARIABLE).map(PathBuf::from);
    if folder.is_none() {
        tests::skipped("the GemStone server's own checks", &format!("set {VARIABLE} to a clone of GemTalk/mcp_server"));
    }
    folder
}

/// A home whose repository holds the sources.
fn loaded(folder: &Path) -> Rc<Home> {
    let home = Home::new();
    let mut command = Command::new(binaries::find("lapidary-worker"));
    command.env_clear().envs(home.environment()).current_dir(folder);
    let output = command.args(["filein", "src/core/load.gs", "src/tests/load.gs"]).output().expect("the worker starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    home
}

fn write_script(path: &Path, text: &str) {
    fs::write(path, text).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("executable");
}

/// A folder in which the script finds itself, and our router where it expects its own server.
fn stage(folder: &Path, home: &Home) -> PathBuf {
    let stage = home.path().join("stage");
    fs::create_dir(&stage).expect("a folder");
    symlink(folder.join("test.sh"), stage.join("test.sh")).expect("linked");
    let router = binaries::find("lapidary-router");
    write_script(
        &stage.join("run-server.sh"),
        &format!("#!/bin/sh\nexec '{}' --port \"$GS_MCP_PORT\"\n", router.display()),
    );
    // What it waits with, for machines without it; it stops the server by the process that it started.
    write_script(&stage.join("nc"), "#!/bin/bash\n(exec 3<>\"/dev/tcp/$2/$3\") 2>/dev/null\n");
    write_script(&stage.join("lsof"), "#!/bin/sh\nexit 1\n");
    stage
}

#[test]
fn its_integration_script_passes() {
    let Some(folder) = clone() else { return };
    let home = loaded(&folder);
    let stage = stage(&folder, &home);
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port").port();
    let path = format!("{}:{}", stage.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("bash");
    command.env_clear().envs(home.environment()).env("PATH", path).env("GEMSTONE", &stage).env("TERM", "dumb");
    command.env("GS_MCP_PORT", port.to_string()).env("GS_MCP_SERVER_NAME", "gemstone-mcp");
    // By the path of the link, so that it works in the folder of the link.
    let script = format!("cd '{0}' && source '{0}/test.sh'", stage.display());
    let output = command.args(["-c", &script]).output().expect("bash runs");
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}");
    let stone = home.stone();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains(" 0 failed"), "{said}");
    let gone = |stone: tests::processes::Process| stone.wait_for_end(std::time::Duration::from_secs(15));
    assert!(stone.is_none_or(gone), "nothing is left of it");
}

#[test]
fn its_unit_tests_pass_inside_the_image() {
    let Some(folder) = clone() else { return };
    let server = Server::start(Config::new().at(&loaded(&folder)));
    let mut client = Client::open(server.address);
    let (mut unexpected, mut expected) = (Vec::new(), Vec::new());
    for class in ["McpToolTest", "McpDispatcherTest", "McpContractTest", "McpTransportTest", "McpExtensionTest"] {
        let answer = client.call("run_test_class", &json!({"className": class, "dictionaryName": "Published"}));
        let text = answer.expect_text();
        println!("{text}");
        for line in text.lines().skip(1) {
            let test = line.trim().trim_start_matches("FAIL").trim_start_matches("ERROR").trim();
            let selector = test.rsplit('#').next().unwrap_or_default();
            let why = json!({"className": class, "selector": selector, "dictionaryName": "Published"});
            println!("    {}", client.call("describe_test_failure", &why).text.lines().next().unwrap_or_default());
            match BEYOND_US.iter().find(|(known, _)| *known == selector) {
                Some((known, why)) => {
                    println!("    as expected: {why}");
                    expected.push(*known);
                }
                None => unexpected.push(test.to_owned()),
            }
        }
        client.call("abort", &json!({})).expect_text();
    }
    assert!(unexpected.is_empty(), "{unexpected:?}");
    let passed: Vec<_> = BEYOND_US.iter().filter(|(known, _)| !expected.contains(known)).collect();
    assert!(passed.is_empty(), "these pass by now: {passed:?}");
}
