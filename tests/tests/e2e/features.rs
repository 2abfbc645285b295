//! What toolsets may serve beside tools, in both eras: questions to the client, log messages, changes, completions,
//! lists in pages.

use crate::conformance::server as with_fixtures;
use serde_json::{Value, json};
use tests::alone::{self, REVISION, post, request};
use tests::binaries;
use tests::client::{Client, JSON_HEADERS, PATH, initialize};
use tests::http::Connection;
use tests::server::{Config, Server};

/// A session whose client has abilities and answers what it is asked.
struct Talker {
    address: std::net::SocketAddr,
    session: String,
    revision: &'static str,
}

impl Talker {
    fn open(server: &Server, revision: &'static str, abilities: &Value) -> Self {
        let mut opening = initialize(revision);
        opening["params"]["capabilities"] = abilities.clone();
        let mut connection = Connection::open(server.address);
        let opened = connection.request("POST", PATH, &JSON_HEADERS, opening.to_string().as_bytes());
        assert_eq!(opened.json()["result"]["protocolVersion"], revision);
        let session = opened.header("mcp-session-id").expect("an id").to_owned();
        Self { address: server.address, session, revision }
    }

    fn begin(&self, message: &Value) -> Connection {
        let mut headers = vec![JSON_HEADERS[0], JSON_HEADERS[1], ("MCP-Session-Id", self.session.as_str())];
        if self.revision != "2025-03-26" {
            headers.push(("MCP-Protocol-Version", self.revision));
        }
        let mut connection = Connection::open(self.address);
        let bytes = connection.compose("POST", PATH, &headers, message.to_string().as_bytes());
        connection.send(&bytes).expect("sent");
        connection
    }

    /// Calls a tool; answers the question that it asked, if any, and its result.
    fn call(&self, tool: &str, arguments: &Value, answer: &Value) -> (Option<Value>, Value) {
        let params = json!({"name": tool, "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let mut connection = self.begin(&message);
        let head = connection.head();
        if head.header("content-type") == Some("application/json") {
            let body = connection.body(&head);
            return (None, serde_json::from_slice::<Value>(&body).expect("JSON")["result"].clone());
        }
        let mut asked = None;
        loop {
            let chunk = connection.chunk().expect("a chunk").expect("no end yet");
            for message in messages(&String::from_utf8(chunk).expect("text")) {
                if message["id"] == 1 {
                    return (asked, message["result"].clone());
                }
                let reply = json!({"jsonrpc": "2.0", "id": message["id"], "result": answer});
                assert_eq!(self.begin(&reply).response().status, 202);
                asked = Some(message);
            }
        }
    }
}

fn messages(events: &str) -> Vec<Value> {
    let data = events.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter_map(|data| serde_json::from_str(data).ok()).collect()
}

/// A tool that asks: what its client must be able to do, what it is asked by, what it answers, and what comes of it.
type Row<'a> = (&'a str, Value, &'a str, Value, &'a str);

fn rows() -> Vec<Row<'static>> {
    let text = json!({"type": "text", "text": "Paris"});
    vec![
        (
            "test_input_required_result_elicitation",
            json!({"elicitation": {}}),
            "elicitation/create",
            json!({"action": "accept", "content": {"name": "Alice"}}),
            "Hello, Alice!",
        ),
        (
            "test_elicitation_url",
            json!({"elicitation": {"url": {}}}),
            "elicitation/create",
            json!({"action": "accept"}),
            "The page was answered with \"accept\"",
        ),
        (
            "test_input_required_result_sampling",
            json!({"sampling": {}}),
            "sampling/createMessage",
            json!({"role": "assistant", "content": text, "model": "m"}),
            "LLM response: Paris",
        ),
        (
            "test_input_required_result_list_roots",
            json!({"roots": {}}),
            "roots/list",
            json!({"roots": [{"uri": "file:///a"}]}),
            "Roots: [{\"uri\":\"file:///a\"}]",
        ),
    ]
}

#[test]
fn a_handler_that_asks_is_written_once_for_both_eras() {
    let server = with_fixtures();
    for (tool, abilities, method, answer, expected) in rows() {
        let (asked, result) = Talker::open(&server, "2025-11-25", &abilities).call(tool, &json!({}), &answer);
        let asked = asked.expect("a question");
        assert_eq!((&asked["method"], &result["content"][0]["text"]), (&json!(method), &json!(expected)), "{result}");
        assert_eq!(asked["params"].get("elicitationId").is_some(), tool == "test_elicitation_url", "{asked}");

        let call = json!({"name": tool, "arguments": {}});
        let (message, headers) = request("tools/call", &call, &abilities);
        let asked = post(server.address, &message, &headers).json()["result"].clone();
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let (key, question) = asked["inputRequests"].as_object().and_then(|all| all.iter().next()).expect("a question");
        assert_eq!(question["method"], method);
        assert_eq!(question["params"].get("elicitationId"), None, "{asked}");
        let mut again = call;
        again["inputResponses"] = json!({ key: answer });
        again["requestState"] = asked["requestState"].clone();
        let (message, headers) = request("tools/call", &again, &abilities);
        let done = post(server.address, &message, &headers).json();
        assert_eq!(done["result"]["content"][0]["text"], expected, "{done}");
    }
}

#[test]
fn nobody_is_asked_for_what_he_did_not_declare() {
    let server = with_fixtures();
    for (tool, ..) in rows() {
        for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
            let (asked, result) = Talker::open(&server, revision, &json!({})).call(tool, &json!({}), &Value::Null);
            assert_eq!((asked, &result["isError"]), (None, &json!(true)), "{revision} {tool}: {result}");
        }
        let (message, headers) = request("tools/call", &json!({"name": tool, "arguments": {}}), &json!({}));
        let refused = post(server.address, &message, &headers);
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (400, &json!(-32021)), "{tool}");
    }
    // Forms came with one revision and pages with the next, whatever a client says that it can.
    let both = json!({"elicitation": {"form": {}, "url": {}}});
    for (revision, tool) in
        [("2025-03-26", "test_input_required_result_elicitation"), ("2025-06-18", "test_elicitation_url")]
    {
        let (asked, result) = Talker::open(&server, revision, &both).call(tool, &json!({}), &Value::Null);
        assert_eq!((asked, &result["isError"]), (None, &json!(true)), "{revision}: {result}");
    }
}

#[test]
fn log_messages_come_from_the_level_on_that_a_client_wants() {
    let server = with_fixtures();
    let mut client = Client::open(server.address);
    let call = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call",
        "params": {"name": "test_tool_with_logging", "arguments": {}}});
    for (level, heard) in [("debug", 3), ("info", 3), ("error", 0)] {
        assert_eq!(client.request("logging/setLevel", &json!({ "level": level }))["result"], json!({}));
        assert_eq!(client.post(&call).text().matches("notifications/message").count(), heard, "{level}");
    }
    assert_eq!(client.request("logging/setLevel", &json!({"level": "loud"}))["error"]["code"], -32602);
    for (level, heard) in [(None, 0), (Some("info"), 3), (Some("error"), 0)] {
        let mut params = json!({"name": "test_tool_with_logging", "arguments": {}, "_meta": alone::meta(&json!({}))});
        if let Some(level) = level {
            params["_meta"]["io.modelcontextprotocol/logLevel"] = json!(level);
        }
        let (message, headers) = request("tools/call", &params, &json!({}));
        let text = post(server.address, &message, &headers).text();
        assert_eq!(text.matches("notifications/message").count(), heard, "{level:?}: {text}");
    }
}

#[test]
fn a_session_hears_of_changes_that_any_gem_tells_of() {
    let server = with_fixtures();
    let mut client = Client::open(server.address);
    let watched = json!({"uri": "test://watched-resource"});
    assert_eq!(client.request("resources/subscribe", &watched)["result"], json!({}));
    let unknown = client.request("resources/subscribe", &json!({"uri": "test://none"}));
    assert_eq!(unknown["error"]["code"], -32002, "{unknown}");
    let headers = [("Accept", "text/event-stream"), ("MCP-Session-Id", client.session.as_str())];
    let mut stream = Connection::open(server.address);
    let bytes = stream.compose("GET", PATH, &headers, b"");
    stream.send(&bytes).expect("sent");
    assert_eq!(stream.head().status, 200);
    stream.chunk().expect("a chunk").expect("it begins");
    let mut heard = |wanted: usize| {
        let mut seen = Vec::new();
        while seen.len() < wanted {
            let chunk = String::from_utf8(stream.chunk().expect("a chunk").expect("no end")).expect("text");
            seen.extend(messages(&chunk));
        }
        seen.iter().filter_map(|message| message["method"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    // A gem of another client, in the other era.
    alone::call(server.address, "test_trigger_tool_change", &json!({}));
    alone::call(server.address, "test_trigger_resource_change", &json!({}));
    let [tools, resources, updated] = ["tools/list_changed", "resources/list_changed", "resources/updated"];
    assert_eq!(heard(3), [tools, resources, updated].map(|method| format!("notifications/{method}")));
    client.request("resources/unsubscribe", &watched);
    alone::call(server.address, "test_trigger_resource_change", &json!({}));
    alone::call(server.address, "test_trigger_tool_change", &json!({}));
    assert_eq!(heard(2), [resources, tools].map(|method| format!("notifications/{method}")));
}

#[test]
fn arguments_of_prompts_are_completed_in_both_eras() {
    let server = with_fixtures();
    let asking = |name: &str| json!({"ref": {"type": "ref/prompt", "name": name}, "argument": {"name": "arg1", "value": "test"}});
    let mut client = Client::open(server.address);
    let expected = json!(["testValue1", "testValue2"]);
    let known = asking("test_prompt_with_arguments");
    assert_eq!(client.request("completion/complete", &known)["result"]["completion"]["values"], expected);
    assert_eq!(client.request("completion/complete", &asking("none"))["error"]["code"], -32602);
    let told = alone::ask(server.address, "completion/complete", &known);
    assert_eq!(told["result"]["completion"]["values"], expected);
    let unknown = alone::ask(server.address, "prompts/get", &json!({"name": "none"}));
    assert_eq!(unknown["error"]["code"], -32602);
    let missing = alone::ask(server.address, "prompts/get", &json!({"name": "test_prompt_with_arguments"}));
    assert!(missing["error"]["message"].as_str().is_some_and(|text| text.contains("arg1")), "{missing}");
}

#[test]
fn long_lists_come_in_pages_in_both_eras() {
    let worker = binaries::find("conformance-worker");
    let config = Config::new().with("GS_MCP_WORKER_BINARY", worker.to_str().expect("a path of text"));
    let server = Server::start(config.with("GS_MCP_TOOLSETS", "crowd"));
    let mut client = Client::open(server.address);
    let mut asks: [Box<dyn FnMut(Value) -> Value>; 2] = [
        Box::new(|params| client.request("resources/list", &params)),
        Box::new(|params| alone::ask(server.address, "resources/list", &params)),
    ];
    for ask in &mut asks {
        let (mut seen, mut pages, mut params) = (std::collections::BTreeSet::new(), 0, json!({}));
        loop {
            let result = ask(params)["result"].clone();
            let resources = result["resources"].as_array().expect("resources").clone();
            seen.extend(resources.iter().map(|resource| resource["uri"].to_string()));
            pages += 1;
            match result.get("nextCursor") {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => break,
            }
        }
        assert_eq!((seen.len(), pages), (450, 3), "each of them once");
        for invalid in [json!(""), json!("nonsense"), json!(7)] {
            assert_eq!(ask(json!({ "cursor": invalid }))["error"]["code"], -32602, "{invalid}");
        }
    }
}

#[test]
fn resources_that_there_are_not_are_told_with_the_code_of_the_revision() {
    let server = with_fixtures();
    let mut client = Client::open(server.address);
    let nowhere = json!({"uri": "test://template//data"});
    assert_eq!(client.request("resources/read", &nowhere)["error"]["code"], -32002);
    let refused = alone::ask(server.address, "resources/read", &nowhere);
    assert_eq!((&refused["error"]["code"], &refused["error"]["data"]["uri"]), (&json!(-32602), &nowhere["uri"]));
    let read = alone::ask(server.address, "resources/read", &json!({"uri": "test://template/9/data"}));
    assert!(read["result"]["contents"][0]["text"].as_str().is_some_and(|text| text.contains("\"9\"")), "{read}");
    assert!(read["result"]["ttlMs"].is_u64() && read["result"]["cacheScope"] == "private", "{read}");
    assert_eq!(read["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "lapidary");
    assert_eq!(REVISION, "2026-07-28");
}
