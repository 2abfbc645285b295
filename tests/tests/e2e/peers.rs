//! Clients that others wrote: the Rust SDK, the Python SDK and the MCP Inspector's command line.

use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::StreamableHttpClientTransport;
use serde_json::{Value, json};
use std::process::Command;
use tests::server::Server;

#[test]
fn the_rust_sdk_lists_the_tools_and_calls_one() {
    let server = Server::start_default();
    let url = server.url();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let client = ().serve(StreamableHttpClientTransport::from_uri(url)).await.expect("initialize");
        let tools = client.list_all_tools().await.expect("tools");
        assert!(tools.iter().any(|tool| tool.name == "execute_code"), "{tools:?}");
        for (code, expected) in [("3 + 4", "7"), ("'a' , 'b'", "'ab'")] {
            let arguments = json!({"code": code}).as_object().cloned().expect("an object");
            let call = CallToolRequestParams::new("execute_code").with_arguments(arguments);
            let result = client.call_tool(call).await.expect("a result");
            let result = serde_json::to_value(result).expect("JSON");
            assert_eq!(result["content"][0]["text"], expected, "{result}");
        }
        client.cancel().await.expect("a clean end");
    });
}

#[test]
fn the_python_sdk_lists_the_tools_and_calls_one() {
    let Some(python) = std::env::var_os("LAPIDARY_PYTHON") else {
        return tests::skipped("the Python SDK", "run scripts/install-test-tools.sh and then scripts/run-tests.sh");
    };
    let server = Server::start_default();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/e2e/clients/python_sdk.py");
    for (mode, protocol) in [("auto", "2026-07-28"), ("legacy", "2025-11-25")] {
        let output = Command::new(&python).args([script, &server.url(), mode]).output().expect("python runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{mode}: {said}");
        let answer: Value = serde_json::from_slice(&output.stdout).expect("a line of JSON");
        assert!(answer["tools"].as_array().is_some_and(|tools| tools.contains(&json!("execute_code"))), "{answer}");
        assert_eq!(answer["text"], "7", "{mode}: {answer}");
        assert_eq!(answer["error"], true, "{mode}: {answer}");
        assert_eq!(answer["protocol"], protocol, "{mode}: {answer}");
        assert!(!said.contains("termination failed"), "{mode}: {said}");
    }
}

#[test]
fn the_inspector_lists_the_tools_and_calls_one() {
    let (Some(node), Some(inspector)) = (std::env::var_os("LAPIDARY_NODE"), std::env::var_os("LAPIDARY_INSPECTOR"))
    else {
        return tests::skipped("the MCP Inspector", "run scripts/install-test-tools.sh and then scripts/run-tests.sh");
    };
    let server = Server::start_default();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&node);
        command.arg(&inspector).args(["--cli", &server.url(), "--transport", "http", "--format", "json"]);
        let output = command.args(arguments).envs(server.home().environment()).output().expect("node runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default(), said)
    };
    let (code, listed, said) = run(&["--method", "tools/list"]);
    assert_eq!(code, Some(0), "{said}");
    let names = listed.to_string();
    assert!(names.contains("\"execute_code\"") && names.contains("\"status\""), "{listed}");
    let call = ["--method", "tools/call", "--tool-name", "execute_code"];
    let (code, called, said) = run(&[&call[..], &["--tool-args-json", r#"{"code":"3 + 4"}"#]].concat());
    assert_eq!(code, Some(0), "{said}");
    assert!(called.to_string().contains("\"7\""), "{called}");
    let (code, _, _) = run(&[&call[..], &["--tool-args-json", r#"{"code":"1/0"}"#]].concat());
    assert_eq!(code, Some(5), "a tool error is the Inspector's exit code 5");
}
