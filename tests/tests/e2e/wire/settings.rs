//! Settings mean the same over both transports, and one that means nothing is refused by name before anything starts.

use super::Outcome::{ErrorOfKind, Result};
use super::{Group, Opening, request, row, run};
use serde_json::json;
use std::process::{Command, Stdio};
use tests::binaries;
use tests::server::Home;

#[test]
fn read_only_mode_has_one_spelling_rule() {
    let compile = request(
        "1",
        "tools/call",
        &json!({"name": "compile_method", "arguments": {
        "className": "Object", "source": "wireProbe ^1"}}),
    );
    let group = |settings, rows| Group { opening: Opening::Session("2025-11-25"), settings, rows };
    let refused =
        || vec![row("a change in read-only mode", &[&compile], &[(json!(1), ErrorOfKind(-32601, "readOnly"))])];
    let allowed = || vec![row("a change", &[&compile], &[(json!(1), Result)])];
    run(&[
        group(&[("GS_MCP_READONLY", "1")], refused()),
        group(&[("GS_MCP_READONLY", "yes")], refused()),
        group(&[("GS_MCP_READONLY", "TRUE")], refused()),
        group(&[("GS_MCP_READONLY", "0")], allowed()),
        group(&[("GS_MCP_READONLY", "")], allowed()),
    ]);
}

#[test]
fn a_setting_that_means_nothing_is_refused_by_name() {
    for (name, value) in [
        ("GS_MCP_READONLY", "perhaps"),
        ("GS_MCP_CALL_SECONDS", "soon"),
        ("GS_MCP_CALL_SECONDS", "0"),
        ("GS_MCP_REVISIONS", "1999-01-01"),
        ("GS_USER", "a\tb"),
    ] {
        for command in [&["--port", "0"][..], &["stdio"]] {
            let home = Home::new();
            let mut router = Command::new(binaries::find("lapidary-router"));
            router.args(command).envs(home.environment()).env(name, value).stdin(Stdio::null());
            let output = router.output().expect("it runs");
            let told = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success(), "{command:?} with {name}={value:?} starts");
            assert!(told.contains(name), "{command:?} with {name}={value:?} says {told}");
        }
    }
}
