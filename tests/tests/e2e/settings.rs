//! Each odd value of an option through both entry points: what one refuses the other refuses, by the same name and in
//! the same words, and nothing is started.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};
use tests::binaries;
use tests::server::Home;

/// Runs an entry point with no client; answers its exit code, and what it says without its own name.
fn run(program: &str, arguments: &[&str], name: &str, value: &OsStr) -> (Option<i32>, String) {
    let home = Home::new();
    let mut command = Command::new(binaries::find(program));
    command.env_clear().envs(home.environment()).args(arguments).env(name, value).stdin(Stdio::null());
    let output = command.output().expect("it runs");
    let told = String::from_utf8_lossy(&output.stderr).replace(program, "");
    assert!(home.stone().is_none() || output.status.success(), "{name}: a stone was started");
    (output.status.code(), told)
}

#[test]
fn an_odd_value_is_refused_alike_by_both_entry_points() {
    let values: &[(&str, &[u8])] = &[
        ("GS_MCP_READONLY", b"perhaps"),
        ("GS_MCP_READONLY", b" yes"),
        ("GS_MCP_AUTOCOMMIT", b"2"),
        ("GS_MCP_CALL_SECONDS", b"soon"),
        ("GS_MCP_CALL_SECONDS", b"0"),
        ("GS_MCP_IDLE_SECONDS", b"-1"),
        ("GS_MCP_RESULTS", b"all"),
        ("GS_MCP_SANDBOX", b"lenient"),
        ("GS_MCP_REVISIONS", b"1999-01-01"),
        ("GS_USER", b"a\tb"),
        ("GS_USER", b"\xff"),
        ("GS_MCP_TITLE", b"a\nb"),
        ("GS_MCP_READ_ONLY", b"1"),
    ];
    for (name, value) in values {
        let value = OsStr::from_bytes(value);
        let http = run("lapidary-router", &["--port", "0"], name, value);
        let stdio = run("lapidary-router", &["stdio"], name, value);
        assert_eq!(http.0, Some(2), "{name}={value:?}: {}", http.1);
        assert!(http.1.contains(name), "{name}={value:?} is not named: {}", http.1);
        assert_eq!(http, stdio, "{name}={value:?}");
    }
}

#[test]
fn an_empty_value_is_not_given_and_is_told() {
    let (status, told) = run("lapidary-router", &["stdio"], "GS_MCP_READONLY", OsStr::new(""));
    assert_eq!(status, Some(0), "{told}");
    assert!(told.contains("GS_MCP_READONLY is empty and counts as not given"), "{told}");
}

#[test]
fn help_shows_every_option_of_its_program() {
    use protocol::options::Reader;
    let programs = [
        ("lapidary-router", &["--help"][..], Reader::Router),
        ("lapidary-worker", &["stdio", "--help"], Reader::Router),
        ("lapidary-worker", &["zygote", "--help"], Reader::Zygote),
        ("lapidary-worker", &["eval", "--help"], Reader::Local),
        ("lapidary-stone", &["--help"], Reader::Stone),
    ];
    for (program, arguments, reader) in programs {
        let output = Command::new(binaries::find(program)).args(arguments).output().expect("it runs");
        let help = String::from_utf8_lossy(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
        for spec in reader.options().filter(|spec| spec.is_argument()) {
            let words = spec.help_text().split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(help.contains(&format!("--{}", spec.name)) && help.contains(&words), "{program}: {words}\n{help}");
        }
    }
}
