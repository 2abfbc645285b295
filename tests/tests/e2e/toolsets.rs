//! Toolsets that are classes of the image: how they come to be served, and what they cannot do to a session.

use serde_json::{Value, json};
use std::fs;
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;
use tests::alone;
use tests::binaries;
use tests::client::{Client, JSON_HEADERS, PATH, initialize};
use tests::http::Connection;
use tests::server::{Config, Home, Server};

/// A class as a file says it.
fn class(name: &str, superclass: &str, dictionary: &str, methods: &[&str]) -> String {
    let mut text = format!(
        "doit\n{superclass} subclass: '{name}'\n  instVarNames: #()\n  classVars: #()\n  classInstVars: #()\n  \
         poolDictionaries: #()\n  inDictionary: {dictionary}\n  options: #()\n%\ncategory: 'tools'\n"
    );
    for method in methods {
        text.push_str(&format!("method: {name}\n{method}\n%\n"));
    }
    text
}

/// A toolset with one tool that takes nothing and does this.
fn toolset(name: &str, tool: &str, body: &str) -> String {
    let names = format!("toolNames\n\t^#('{tool}')");
    let register = format!(
        "registerOn: aRegistry\n\taRegistry name: '{tool}' description: 'Call it.' inputSchema: self noArguments do: \
         [:arguments | {body}]"
    );
    class(name, "McpToolset", "UserGlobals", &[&names, &register])
}

/// A home whose stone holds these classes.
fn home_with(texts: &[String]) -> Rc<Home> {
    let home = Home::new();
    let file = home.path().join("classes.gs");
    fs::write(&file, texts.concat()).expect("written");
    let mut command = Command::new(binaries::find("lapidary-worker"));
    let loaded = command.env_clear().envs(home.environment()).arg("filein").arg(&file).output().expect("it runs");
    assert!(loaded.status.success(), "{}", String::from_utf8_lossy(&loaded.stderr));
    // The stone that served this leaves by itself; a server that meets it as it goes is told to come again.
    assert!(home.stone().is_none_or(|stone| stone.wait_for_end(Duration::from_secs(10))));
    home
}

fn opening(server: &Server) -> Value {
    let body = initialize("2025-11-25").to_string();
    Connection::open(server.address).request("POST", PATH, &JSON_HEADERS, body.as_bytes()).json()
}

fn tool_names(client: &mut Client) -> Vec<String> {
    names(&client.request("tools/list", &json!({})))
}

fn names(listed: &Value) -> Vec<String> {
    let tools = listed["result"]["tools"].as_array().unwrap_or_else(|| panic!("tools, not {listed}"));
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

/// The stream on which the server tells a session of what happens beside its calls.
fn stream(client: &Client) -> Connection {
    let headers = [("Accept", "text/event-stream"), ("MCP-Session-Id", client.session.as_str())];
    let mut stream = Connection::open(client.address);
    let bytes = stream.compose("GET", PATH, &headers, b"");
    stream.send(&bytes).expect("sent");
    assert_eq!(stream.head().status, 200);
    stream
}

/// Reads a stream up to this notification; answers what came before it.
fn wait_for(stream: &mut Connection, notification: &str) -> String {
    let mut before = String::new();
    loop {
        let chunk = stream.chunk().expect("a chunk").expect("no end yet");
        let chunk = String::from_utf8_lossy(&chunk).into_owned();
        if chunk.contains(notification) {
            return before;
        }
        before.push_str(&chunk);
    }
}

const GREETINGS: &str = "McpToolset subclass: 'Greetings' instVarNames: #() classVars: #() classInstVars: #() \
                         poolDictionaries: #() inDictionary: UserGlobals options: #()";
const REGISTER: &str = "registerOn: aRegistry
    (aRegistry name: 'greet' description: 'Call this to greet somebody.'
        inputSchema: (self objectSchema: (self properties: {'name'. self propString: 'Whom.'}) required: #('name'))
        do: [:arguments | self answer: 'Hello, ' , (arguments string: 'name')
            data: (self properties: {'name'. arguments at: 'name'})])
        title: 'Greet'; readOnly; icon: 'M0 0h16v16z'; keywords: #('hello')";

fn compile(client: &mut Client, source: &str) {
    client.call("compile_method", &json!({"className": "Greetings", "source": source})).expect_text();
}

#[test]
fn a_session_serves_a_toolset_once_its_view_shows_it_and_its_client_is_told() {
    let server = Server::start(Config::new().with("GS_MCP_TOOLSETS", "default image"));
    let (mut author, mut reader) = (Client::open(server.address), Client::open(server.address));
    let mut told = stream(&reader);
    assert_eq!(tool_names(&mut reader).len(), 31);
    author.call("compile_class_definition", &json!({"source": GREETINGS})).expect_text();
    compile(&mut author, REGISTER);
    assert_eq!(tool_names(&mut author).len(), 31, "it names no tools yet");
    compile(&mut author, "toolNames ^#('greet')");
    assert!(tool_names(&mut author).contains(&"greet".to_owned()), "its own commit has moved its view");
    assert_eq!(tool_names(&mut reader).len(), 31, "its view has not moved");
    reader.call("refresh", &json!({})).expect_text();
    let before = wait_for(&mut told, "notifications/tools/list_changed");
    assert!(!before.contains("list_changed"), "{before}");

    let listed = reader.request("tools/list", &json!({}));
    let sorted = names(&listed);
    assert!(sorted.is_sorted() && sorted.len() == 32, "{sorted:?}");
    let tools = listed["result"]["tools"].as_array().expect("tools").clone();
    let greet = tools.iter().find(|tool| tool["name"] == "greet").expect("greet");
    assert_eq!((&greet["title"], &greet["annotations"]["readOnlyHint"]), (&json!("Greet"), &json!(true)));
    assert_eq!(greet["inputSchema"]["additionalProperties"], json!(false));
    assert!(greet["icons"][0]["src"].as_str().is_some_and(|icon| icon.contains("M0 0h16v16z")), "{greet}");
    let answer = reader.call("greet", &json!({"name": "Ada"}));
    assert_eq!(answer.expect_text(), "Hello, Ada");
    assert_eq!(answer.result["structuredContent"], json!({"name": "Ada"}));
    for (arguments, wanted) in [
        (json!({"name": "Ada", "nom": 1}), "Unknown argument(s): nom. Allowed: name"),
        (json!({}), "Missing required argument(s): name"),
        (json!({"name": 3}), "Invalid argument name: value is not of type \"string\""),
    ] {
        let refused = reader.call("greet", &arguments);
        assert_eq!((refused.expect_error(), refused.kind()), (wanted, "invalidParams"));
    }

    author.call("delete_class", &json!({"className": "Greetings"})).expect_text();
    assert_eq!(tool_names(&mut reader).len(), 32);
    reader.call("abort", &json!({})).expect_text();
    wait_for(&mut told, "notifications/tools/list_changed");
    assert_eq!(tool_names(&mut reader).len(), 31);
    let gone = reader.request("tools/call", &json!({"name": "greet", "arguments": {"name": "Ada"}}));
    assert_eq!(gone["error"]["data"]["kind"], "notFound", "{gone}");
}

#[test]
fn a_toolset_that_breaks_is_left_out_and_the_answer_says_why() {
    let home = home_with(&[toolset("Good", "good", "'fine'"), toolset("Frail", "frail", "'fine'")]);
    let server = Server::start(Config::new().at(&home).with("GS_MCP_TOOLSETS", "default Good Frail"));
    let mut client = Client::open(server.address);
    assert_eq!(client.call("frail", &json!({})).expect_text(), "fine");
    let broken = "registerOn: aRegistry ^1 / 0";
    let answer = client.call("compile_method", &json!({"className": "Frail", "source": broken}));
    answer.expect_text();
    let note = answer.notes.concat();
    assert!(note.contains("The toolset Frail of the image cannot be served: ZeroDivide"), "{note}");
    assert_eq!(client.call("good", &json!({})).expect_text(), "fine");
    assert!(!tool_names(&mut client).contains(&"frail".to_owned()));
    let source = "registerOn: aRegistry
        aRegistry name: 'frail' description: 'Call it.' inputSchema: self noArguments do: [:arguments | 'mended']";
    let answer = client.call("compile_method", &json!({"className": "Frail", "source": source}));
    assert_eq!(answer.notes, Vec::<String>::new());
    assert_eq!(client.call("frail", &json!({})).expect_text(), "mended");
}

#[test]
fn what_cannot_be_served_fails_initialize_with_what_to_fix() {
    let home = home_with(&[
        toolset("Good", "good", "'fine'"),
        class("Heir", "Good", "UserGlobals", &[]),
        class("Half", "McpToolset", "UserGlobals", &["toolNames\n\t^#('half')"]),
        class("Broken", "McpToolset", "UserGlobals", &["toolNames\n\t^#()", "registerOn: aRegistry\n\t^1 / 0"]),
        class("Lying", "McpToolset", "UserGlobals", &["toolNames\n\t^#('lie')", "registerOn: aRegistry"]),
        toolset("Twin", "good", "'also fine'"),
        toolset("Usurper", "status", "'mine'"),
        class("Server", "McpServer", "UserGlobals", &["toolsetNames\n\t^super toolsetNames , #('Nowhere')"]),
        class("Faulty", "McpServer", "UserGlobals", &["serverName\n\t^self zork"]),
    ]);
    let table = [
        ("Nowhere", "", "unknownToolset", "Unknown toolset(s): Nowhere. Available: default"),
        ("Nowhere", "", "unknownToolset", "no dictionary of this user holds a class of that name: commit it first"),
        ("default Array", "", "unknownToolset", "it is no class below the McpToolset of the dictionary Lapidary"),
        ("Heir", "", "unknownToolset", "it does not implement toolNames itself, and an inherited one does not count"),
        ("Half", "", "unknownToolset", "it does not implement registerOn:"),
        ("Broken", "", "toolsetFailed", "The toolset Broken of the image cannot be served: ZeroDivide"),
        ("Lying", "", "toolsetFailed", "its toolNames are anArray( 'lie'), but registerOn: registers anArray( )"),
        ("Good Twin", "", "duplicateTool", "The tool good is served twice: by Good and by Twin of the image."),
        ("default Usurper", "", "duplicateTool", "The tool status is served twice: by session and by Usurper"),
        ("image", "", "duplicateTool", "The tool good is served twice"),
        ("", "Nowhere", "unknownWorkerClass", "The worker class Nowhere is not in the image"),
        ("", "Good", "unknownWorkerClass", "is no subclass of the McpServer of the dictionary Lapidary"),
        ("", "Server", "unknownToolset", "Unknown toolset(s): Nowhere"),
        ("", "Faulty", "workerClassFailed", "does not understand  #'zork'"),
    ];
    for (toolsets, class, kind, words) in table {
        let config = Config::new().at(&home).with("GS_MCP_TOOLSETS", toolsets).with("GS_MCP_WORKER_CLASS", class);
        let server = Server::start(config);
        let answer = opening(&server);
        assert_eq!(answer["error"]["data"]["kind"], kind, "{toolsets} {class}: {answer}");
        let message = answer["error"]["message"].as_str().expect("a message");
        assert!(message.contains(words), "{toolsets} {class}: {message}");
    }
}

#[test]
fn whatever_a_handler_does_the_session_lives_on() {
    let bodies = [
        ("error", "1 / 0", "other", "ZeroDivide"),
        ("exception", "Exception signal: 'beyond Error'", "other", "beyond Error"),
        ("interrupt", "Break signal", "interrupted", ""),
        ("leaves", "^'home'", "other", ""),
        ("recurses", "| block | block := nil. block := [:x | (block value: x) + 1]. block value: 1", "stackDepth", ""),
        ("loops", "[true] whileTrue", "timeout", ""),
        ("clings", "[[true] whileTrue] on: AbstractException do: [:ex | ex retry]", "timeout", ""),
        (
            "hoards",
            "| all | all := OrderedCollection new. [all add: (Array new: 1000000). false] whileFalse",
            "outOfMemory",
            "",
        ),
        ("numbers", "3", "other", "answered an instance of SmallInteger"),
        ("lists", "self answer: 'x' data: #(1)", "other", "answered data that are no object"),
        ("strange", "self answer: 'x' data: (self properties: {'a'. Object new})", "other", ""),
        ("refuses", "self refuse: #teapot saying: 'short and stout'", "other", "short and stout"),
        ("aborts", "System abortTransaction. UserGlobals at: #Left put: 1. 1 / 0", "other", "ZeroDivide"),
    ];
    let mut texts: Vec<String> =
        bodies.iter().map(|(tool, body, ..)| toolset(&format!("Tool{tool}"), tool, body)).collect();
    texts.push(toolset("Toolhuge", "huge", "(String new: 70000) atAllPut: $x; yourself"));
    let home = home_with(&texts);
    let config = Config::new().at(&home).with("GS_MCP_TOOLSETS", "default image").with("GS_MCP_CALL_SECONDS", "1");
    let server = Server::start(config);
    let (mut client, gem) = server.gem_of(|| Client::open(server.address));
    for (tool, _, kind, words) in bodies {
        let answer = client.call(tool, &json!({}));
        assert!(answer.expect_error().contains(words), "{tool}: {}", answer.text);
        assert_eq!(answer.kind(), kind, "{tool}: {}", answer.text);
        assert!(client.call("status", &json!({})).expect_text().starts_with("user="), "{tool}");
    }
    let refused = client.call("refuses", &json!({}));
    assert_eq!(refused.result["structuredContent"]["error"]["reason"], "teapot");
    let huge = client.call("huge", &json!({})).expect_text().to_owned();
    assert!(huge.ends_with("...[truncated: showing 50000 of 70000 characters]"), "{} characters", huge.len());
    assert!(gem.is_alive());
}

#[test]
fn a_read_only_session_serves_what_is_declared_safe_and_drops_what_has_nothing() {
    let mixed = class(
        "Mixed",
        "McpToolset",
        "UserGlobals",
        &[
            "toolNames\n\t^#('look' 'touch')",
            "readOnlySafeToolNames\n\t^#('look')",
            "registerOn: aRegistry\n\t#('look' 'touch') do: [:each | aRegistry name: each description: 'Call it.' \
             inputSchema: self noArguments do: [:arguments | each]]",
        ],
    );
    let home = home_with(&[mixed, toolset("Unsafe", "write", "'written'")]);
    let config = Config::new().at(&home).with("GS_MCP_TOOLSETS", "default Mixed Unsafe").with("GS_MCP_READONLY", "1");
    let server = Server::start(config);
    let mut client = Client::open(server.address);
    let listed = tool_names(&mut client);
    assert!(listed.contains(&"look".to_owned()) && listed.len() == 23, "{listed:?}");
    assert_eq!(client.call("look", &json!({})).expect_text(), "look");
    for gated in ["touch", "write", "commit"] {
        let refused = client.request("tools/call", &json!({"name": gated, "arguments": {}}));
        assert_eq!(
            (&refused["error"]["code"], &refused["error"]["data"]["kind"]),
            (&json!(-32601), &json!("readOnly"))
        );
    }
    let unknown = client.request("tools/call", &json!({"name": "zork", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602);
}

#[test]
fn classes_of_ones_own_that_bear_our_names_do_no_harm() {
    let names = ["McpToolset", "McpServer", "McpError", "McpTool", "ToolSupport", "ToolBrowser", "ToolEditor"];
    let mut texts = vec![toolset("Good", "good", "self refuse: #notFound saying: 'nothing here'")];
    texts.extend(names.iter().map(|name| class(name, "Object", "UserGlobals", &[])));
    texts.push(class(
        "Imitation",
        "McpToolset",
        "UserGlobals",
        &["toolNames\n\t^#('imitate')", "registerOn: aRegistry"],
    ));
    let home = home_with(&texts);
    let server = Server::start(Config::new().at(&home).with("GS_MCP_TOOLSETS", "default image"));
    let mut client = Client::open(server.address);
    assert_eq!(tool_names(&mut client).len(), 32, "an imitation of the root is no root");
    let refused = client.call("good", &json!({}));
    assert_eq!((refused.expect_error(), refused.kind()), ("nothing here", "notFound"));
    let described = client.call("describe_class", &json!({"className": "McpToolset"}));
    assert!(described.expect_text().contains("superclass=Object"), "{}", described.text);
    for name in names {
        client.call("compile_method", &json!({"className": name, "source": "zork ^3"})).expect_text();
        let ours = json!({"className": name, "dictionaryName": "Lapidary", "source": "zork ^3"});
        assert_eq!(client.call("compile_method", &ours).kind(), "refused", "{name}");
    }
    assert_eq!(client.call("remove_dictionary", &json!({"dictionaryName": "Lapidary"})).kind(), "refused");
}

#[test]
fn the_first_of_two_classes_of_a_name_is_served() {
    let shadowed = toolset("Same", "second", "'2'").replace("inDictionary: UserGlobals", "inDictionary: Published");
    let home = home_with(&[shadowed, toolset("Same", "first", "'1'")]);
    for toolsets in ["Same", "image"] {
        let server = Server::start(Config::new().at(&home).with("GS_MCP_TOOLSETS", toolsets));
        assert_eq!(tool_names(&mut Client::open(server.address)), ["first"], "{toolsets}");
    }
}

#[test]
fn a_worker_class_changes_guards_identity_and_wiring() {
    let house = class(
        "House",
        "McpServer",
        "UserGlobals",
        &[
            "protectedDictionaryNames\n\t^super protectedDictionaryNames , #('Published')",
            "toolsetNames\n\t^super toolsetNames , #('Good')",
            "instructions\n\t^'Mind the step.'",
        ],
    );
    let named = "classmethod: House\ndefaultServerName\n\t^'house'\n%\n".to_owned();
    let stubborn = class("Stubborn", "House", "UserGlobals", &["serverName\n\t^'stubborn'", "serverTitle\n\t^'T'"]);
    let shared = class("Shared", "Object", "Published", &[]);
    let home = home_with(&[house, named, stubborn, shared, toolset("Good", "good", "'fine'")]);
    let info = |class: &str, name: &str| {
        let config = Config::new().at(&home).with("GS_MCP_WORKER_CLASS", class).with("GS_MCP_SERVER_NAME", name);
        opening(&Server::start(config))["result"]["serverInfo"].clone()
    };
    let version = info("", "")["version"].clone();
    assert_eq!(info("", ""), json!({"name": "lapidary", "version": version}), "no title unless there is one");
    assert_eq!(info("House", "")["name"], "house");
    assert_eq!(info("House", "mine")["name"], "mine", "the router goes before the class's default");
    assert_eq!(info("Stubborn", "mine"), json!({"name": "stubborn", "version": version, "title": "T"}));

    let server = Server::start(Config::new().at(&home).with("GS_MCP_WORKER_CLASS", "House"));
    assert_eq!(opening(&server)["result"]["instructions"], "Mind the step.");
    let mut client = Client::open(server.address);
    assert_eq!(tool_names(&mut client).len(), 32);
    let change = |name: &str| json!({"className": name, "source": "zork ^3"});
    client.call("compile_method", &change("Good")).expect_text();
    for (name, words) in [("Shared", "home dictionary Published"), ("Array", "home dictionary Globals")] {
        let refused = client.call("compile_method", &change(name));
        assert_eq!(refused.kind(), "refused");
        assert!(refused.text.contains(words), "{}", refused.text);
    }
    assert_eq!(client.call("remove_dictionary", &json!({"dictionaryName": "Published"})).kind(), "refused");
}

#[test]
fn requests_that_stand_alone_see_the_newest_toolsets() {
    let server = Server::start(Config::new().with("GS_MCP_TOOLSETS", "default image"));
    let list = || names(&alone::ask(server.address, "tools/list", &json!({})));
    assert!(!list().contains(&"greet".to_owned()));
    let mut author = Client::open(server.address);
    author.call("compile_class_definition", &json!({"source": GREETINGS})).expect_text();
    compile(&mut author, REGISTER);
    compile(&mut author, "toolNames ^#('greet')");
    for _ in 0..4 {
        assert!(list().contains(&"greet".to_owned()), "whichever gem was forked ahead");
        assert_eq!(alone::call(server.address, "greet", &json!({"name": "Bob"})).expect_text(), "Hello, Bob");
    }
}

/// The example of the documentation, and what it says that calls answer.
fn documented() -> (Vec<String>, Vec<(String, Value, String)>) {
    let text = fs::read_to_string(binaries::workspace().join("docs/toolsets.md")).expect("docs/toolsets.md");
    let blocks = text.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("topaz\n"));
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| `")?.strip_suffix(" |")?.splitn(3, " | ");
        let (tool, arguments, answer) = (cells.next()?, cells.next()?, cells.next()?);
        let arguments = serde_json::from_str(arguments.trim_matches('`')).ok()?;
        Some((tool.trim_end_matches('`').to_owned(), arguments, answer.to_owned()))
    };
    (blocks.map(str::to_owned).collect(), text.lines().filter_map(row).collect())
}

#[test]
fn the_example_of_the_documentation_does_what_it_says() {
    let (classes, calls) = documented();
    assert!(classes.len() == 2 && calls.len() >= 7, "{calls:?}");
    let home = home_with(&classes);
    let server = Server::start(Config::new().at(&home).with("GS_MCP_WORKER_CLASS", "HouseServer"));
    assert_eq!(opening(&server)["result"]["serverInfo"]["name"], "house-mcp");
    let mut client = Client::open(server.address);
    for (tool, arguments, wanted) in calls {
        let answer = client.call(&tool, &arguments);
        let told = if answer.is_error { format!("{}: {}", answer.kind(), answer.text) } else { answer.text.clone() };
        assert_eq!(told.trim(), wanted, "{tool} {arguments}");
    }
    let text = fs::read_to_string(binaries::workspace().join("docs/toolsets.md")).expect("docs/toolsets.md");
    let examples = text.lines().filter_map(|line| line.strip_suffix('"')?.split_once(" \"=> "));
    for (code, printed) in examples {
        assert_eq!(client.evaluate(code), printed, "{code}");
    }

    let read = client.request("resources/read", &json!({"uri": "greetings://manners"}));
    let contents = json!([{"uri": "greetings://manners", "mimeType": "text/plain", "text": "Be kind."}]);
    assert_eq!(read["result"]["contents"], contents, "{read}");
    assert_eq!(client.request("resources/list", &json!({}))["result"]["resources"][0]["name"], "manners");
    let prompt = client.request("prompts/get", &json!({"name": "introduce", "arguments": {"name": "Ada"}}));
    let told = "Introduce Ada to everybody here.";
    assert_eq!(prompt["result"]["messages"][0]["content"]["text"], told, "{prompt}");
    let lacking = client.request("prompts/get", &json!({"name": "introduce", "arguments": {}}));
    assert_eq!(lacking["error"]["message"], "Missing required argument: name");
}
