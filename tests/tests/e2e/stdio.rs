//! The router over standard input and output: both eras, on the same stone, surviving any first message.

use crate::eventually;
use protocol::limits::GEMS_AHEAD;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::time::Duration;
use tests::alone::meta;
use tests::binaries;
use tests::client::initialize;
use tests::processes::descendants;
use tests::server::Home;
use tests::witness::Witness;

/// A router and the client's ends of its pipes.
pub(crate) struct Router {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    witness: Witness,
    _home: Rc<Home>,
}

impl Router {
    /// A router whose gems run this program.
    pub(crate) fn start(worker: &str, environment: &[(&str, &str)]) -> Self {
        Self::run("lapidary-router", Some(worker), environment)
    }

    fn run(program: &str, worker: Option<&str>, environment: &[(&str, &str)]) -> Self {
        let home = Home::new();
        let mut command = Command::new(binaries::find(program));
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GS_")) {
            command.env_remove(name);
        }
        command.arg("stdio").envs(home.environment()).envs(environment.iter().copied());
        command.envs(worker.map(|worker| ("GS_MCP_WORKER_BINARY", binaries::find(worker))));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the router starts");
        let output = BufReader::new(child.stdout.take().expect("an output"));
        Self { input: child.stdin.take(), child, output, witness: Witness::default(), _home: home }
    }

    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("still open");
        self.witness.asked(line.as_bytes());
        input.write_all(line.as_bytes()).and_then(|()| input.write_all(b"\n")).expect("the router reads");
    }

    /// The next line, which must be a message.
    pub(crate) fn next(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        let message = serde_json::from_str(&line).unwrap_or_else(|error| panic!("a message, not {line:?}: {error}"));
        match &message {
            Value::Array(answers) => answers.iter().for_each(|answer| self.witness.said(answer)),
            answer => self.witness.said(answer),
        }
        message
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.send(&message.to_string());
        self.next()
    }

    fn alone(&mut self, method: &str, mut params: Value) -> Value {
        if params.get("_meta").is_none() {
            params["_meta"] = meta(&json!({"elicitation": {}}));
        }
        self.ask(&json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": params}))
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.alone("tools/call", json!({"name": tool, "arguments": arguments}))["result"].clone()
    }

    /// Closes the input and waits for the end; answers the rest of the output.
    fn finish(mut self) -> String {
        drop(self.input.take());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.output, &mut rest).expect("text");
        assert!(self.child.wait().expect("an end").success());
        rest
    }
}

impl Drop for Router {
    fn drop(&mut self) {
        drop(self.input.take());
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// How many workers this process has: its zygote and gems.
fn workers(pid: u32) -> usize {
    descendants(pid).into_iter().filter(|process| process.runs("lapidary-worker")).count()
}

fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

#[test]
fn a_session_works_and_ends_with_its_input() {
    let mut router = Router::start("lapidary-worker", &[]);
    let opened = router.ask(&initialize("2025-11-25"));
    assert_eq!(opened["result"]["protocolVersion"], "2025-11-25", "{opened}");
    router.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let call =
        |id, code: &str| request(id, "tools/call", &json!({"name": "execute_code", "arguments": {"code": code}}));
    router.ask(&call(1, "UserGlobals at: #Kept put: 4"));
    assert_eq!(router.ask(&call(2, "UserGlobals at: #Kept"))["result"]["content"][0]["text"], "4");
    router.send(&call(3, "[true] whileTrue").to_string());
    assert_eq!(router.ask(&request(4, "ping", &json!({})))["id"], 4, "a call does not hold up a ping");
    router.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#);
    let next = router.ask(&call(5, "3 + 4"));
    assert_eq!((&next["id"], &next["result"]["content"][0]["text"]), (&json!(5), &json!("7")), "{next}");
    router.send(&call(6, "5 + 6").to_string());
    let rest = router.finish();
    assert!(rest.contains("\"id\":6") && rest.contains("11"), "what was asked is answered: {rest}");
}

#[test]
fn without_a_session_each_call_has_a_gem_of_its_own_or_one_by_handle() {
    let mut router = Router::start("lapidary-worker", &[]);
    let found = router.alone("server/discover", json!({}));
    assert_eq!(found["result"]["supportedVersions"], json!(["2026-07-28"]), "{found}");
    router.call("execute_code", &json!({"code": "UserGlobals at: #Gone put: 1"}));
    let code = json!({"code": "UserGlobals at: #Gone ifAbsent: [nil]"});
    assert_eq!(router.call("execute_code", &code)["content"][0]["text"], "nil");
    assert_eq!(router.call("commit", &json!({}))["structuredContent"]["error"]["kind"], "noGem");
    let opened = router.call("open_gem", &json!({}));
    let gem = opened["structuredContent"]["gem"].as_str().expect("a handle").to_owned();
    router.call("execute_code", &json!({"code": "UserGlobals at: #Gone put: 2", "gem": gem}));
    let code = json!({"code": "UserGlobals at: #Gone", "gem": gem});
    assert_eq!(router.call("execute_code", &code)["content"][0]["text"], "2");
    assert_eq!(router.call("close_gem", &json!({"gem": gem}))["isError"], false);
    assert_eq!(router.call("status", &json!({"gem": gem}))["structuredContent"]["error"]["kind"], "unknownGem");
    let pid = router.child.id();
    eventually(Duration::from_secs(10), "only the zygote, the gem that lists and those forked ahead are left", || {
        (workers(pid) <= 2 + GEMS_AHEAD).then_some(())
    });
}

#[test]
fn a_gem_that_nobody_calls_ends_in_time() {
    let mut router = Router::start("lapidary-worker", &[("GS_MCP_IDLE_SECONDS", "1")]);
    let opened = router.call("open_gem", &json!({}));
    let gem = opened["structuredContent"]["gem"].as_str().expect("a handle").to_owned();
    let busy = json!({"code": "(Delay forSeconds: 3) wait. 7", "gem": gem});
    assert_eq!(router.call("execute_code", &busy)["content"][0]["text"], "7", "a call is no rest, however long");
    let pid = router.child.id();
    eventually(Duration::from_secs(10), "it has ended by itself", || (workers(pid) <= 1).then_some(()));
    let gone = router.call("status", &json!({"gem": gem}));
    assert_eq!(gone["structuredContent"]["error"]["kind"], "unknownGem", "{gone}");
}

#[test]
fn any_first_message_is_survived_and_answered() {
    let mut router = Router::start("lapidary-worker", &[]);
    for (line, code) in [
        ("garbage", -32700),
        ("[]", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
    ] {
        router.send(line);
        let answer = router.next();
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    router.send(r#"{"jsonrpc":"2.0","method":"notifications/unheard-of"}"#);
    router.send("");
    assert_eq!(router.ask(&request(2, "ping", &json!({})))["result"], json!({}));
    // A probe decides nothing; then a session can still be opened.
    assert!(router.alone("server/discover", json!({}))["result"].is_object());
    assert_eq!(router.ask(&initialize("2025-06-18"))["result"]["protocolVersion"], "2025-06-18");
}

#[test]
fn a_client_that_spoke_without_a_session_is_told_to_go_on_so() {
    let mut router = Router::start("lapidary-worker", &[]);
    assert!(router.alone("tools/list", json!({}))["result"]["tools"].is_array());
    let refused = router.ask(&initialize("2025-11-25"));
    assert_eq!(refused["error"]["code"], -32022, "{refused}");
    assert_eq!(refused["error"]["data"]["supported"], json!(["2026-07-28"]));
    assert_eq!(router.ask(&request(1, "tools/list", &json!({})))["error"]["code"], -32602);
}

#[test]
fn changes_and_questions_travel_over_the_same_pipe() {
    let mut router = Router::start("conformance-worker", &[("GS_MCP_TOOLSETS", "conformance")]);
    let mut params = json!({"notifications": {"toolsListChanged": true}});
    params["_meta"] = meta(&json!({}));
    let heard = router.ask(&request(9, "subscriptions/listen", &params));
    assert_eq!(heard["method"], "notifications/subscriptions/acknowledged", "{heard}");
    let tool = json!({"name": "test_trigger_tool_change", "arguments": {}});
    let told = router.alone("tools/call", tool);
    let (told, answered) = if told["method"].is_string() { (told, router.next()) } else { (router.next(), told) };
    assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 9);
    assert_eq!(answered["id"], "a");
    let call = json!({"name": "test_input_required_result_elicitation", "arguments": {}});
    let asked = router.alone("tools/call", call.clone())["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let mut again = call;
    again["requestState"] = asked["requestState"].clone();
    again["inputResponses"] = json!({"user_name": {"action": "accept", "content": {"name": "Bob"}}});
    assert_eq!(router.alone("tools/call", again)["result"]["content"][0]["text"], "Hello, Bob!");
}

#[test]
fn toolsets_of_the_image_are_served_as_the_view_shows_them() {
    let mut router = Router::start("lapidary-worker", &[("GS_MCP_TOOLSETS", "default image")]);
    let opened = router.ask(&initialize("2025-11-25"));
    assert_eq!(opened["result"]["capabilities"]["tools"]["listChanged"], true, "{opened}");
    router.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let source = "McpToolset subclass: 'Good' instVarNames: #() classVars: #() classInstVars: #() \
                  poolDictionaries: #() inDictionary: UserGlobals options: #()";
    let call =
        |id, tool: &str, arguments: Value| request(id, "tools/call", &json!({"name": tool, "arguments": arguments}));
    router.ask(&call(1, "compile_class_definition", json!({"source": source})));
    let register = "registerOn: aRegistry aRegistry name: 'good' description: 'Call it.' \
                    inputSchema: self noArguments do: [:arguments | 'fine']";
    router.ask(&call(2, "compile_method", json!({"className": "Good", "source": register})));
    let named = json!({"className": "Good", "source": "toolNames ^#('good')"});
    let heard = router.ask(&call(3, "compile_method", named));
    assert_eq!(heard["method"], "notifications/tools/list_changed", "{heard}");
    assert_eq!(router.next()["id"], 3);
    assert_eq!(router.ask(&call(4, "good", json!({})))["result"]["content"][0]["text"], "fine");
    let listed = router.ask(&request(5, "tools/list", &json!({})))["result"]["tools"].clone();
    assert!(listed.as_array().is_some_and(|tools| tools.iter().any(|tool| tool["name"] == "good")), "{listed}");
}

#[test]
fn settings_are_heeded_as_over_http() {
    let settings = [
        ("GS_MCP_SERVER_NAME", "other"),
        ("GS_MCP_SERVER_VERSION", "7"),
        ("GS_MCP_TITLE", "Another"),
        ("GS_MCP_TOOLSETS", "session execution"),
        ("GS_MCP_WORKER_CLASS", ""),
    ];
    let mut router = Router::start("lapidary-worker", &settings);
    let opened = router.ask(&initialize("2025-11-25"));
    assert_eq!(opened["result"]["serverInfo"], json!({"name": "other", "version": "7", "title": "Another"}));
    let listed = router.ask(&request(1, "tools/list", &json!({})));
    let names: Vec<&str> =
        listed["result"]["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.contains(&"execute_code") && !names.contains(&"compile_method"), "{names:?}");
    let mut router = Router::start("lapidary-worker", &[("GS_MCP_WORKER_CLASS", "NoSuchClass")]);
    let refused = router.ask(&initialize("2025-11-25"));
    assert!(refused["error"]["message"].as_str().is_some_and(|text| text.contains("NoSuchClass")), "{refused}");
}

#[test]
fn tasks_work_over_the_same_pipe() {
    let mut router = Router::start("conformance-worker", &[("GS_MCP_TOOLSETS", "conformance")]);
    let knows = meta(&json!({"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}));
    let call = json!({"name": "confirm_delete", "arguments": {"filename": "f"}, "_meta": knows});
    let made = router.alone("tools/call", call)["result"].clone();
    assert_eq!(made["resultType"], "task", "{made}");
    let id = made["taskId"].as_str().expect("an id").to_owned();
    let mut about = |method: &str, mut params: Value| {
        params["taskId"] = json!(id);
        params["_meta"] = knows.clone();
        router.alone(method, params)
    };
    let parked = eventually(Duration::from_secs(20), "the task asks", || {
        Some(about("tasks/get", json!({}))["result"].clone()).filter(|task| task["status"] != "working")
    });
    assert_eq!(parked["status"], "input_required", "{parked}");
    let responses = json!({"confirm": {"action": "accept", "content": {"confirm": true}}});
    assert_eq!(about("tasks/update", json!({ "inputResponses": responses }))["result"]["resultType"], "complete");
    let ended = eventually(Duration::from_secs(20), "the task ends", || {
        Some(about("tasks/get", json!({}))["result"].clone()).filter(|task| task["status"] == "completed")
    });
    assert_eq!(ended["result"]["content"][0]["text"], "f: deleted");
    let unknown = router.alone("tasks/get", json!({"taskId": "x", "_meta": knows}));
    assert_eq!(unknown["error"]["code"], -32602);
    let undeclared = router.alone("tasks/get", json!({"taskId": id}));
    assert_eq!(undeclared["error"]["code"], -32021);
}
