//! What clients are told of the tools, and what the schemas allow.

use super::{ALL, listed, names};
use serde_json::{Value, json};
use tests::client::{Client, JSON_HEADERS, PATH, initialize};
use tests::http::Connection;
use tests::server::{Config, Server};

#[test]
fn a_client_sees_exactly_the_31_tools_whole_and_in_order() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    let tools = listed(&mut client);
    assert_eq!(names(&tools), ALL);
    for tool in &tools {
        let name = tool["name"].as_str().expect("a name");
        assert!(tool["title"].as_str().is_some_and(|title| !title.is_empty()), "{name}");
        let icon = tool["icons"][0]["src"].as_str().unwrap_or_default();
        assert!(icon.starts_with("data:image/svg+xml,"), "{name}");
        let description = tool["description"].as_str().expect("a description");
        assert!(description.starts_with("Call this "), "{name}: {description}");
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{name} {hint}");
        }
        assert_eq!(tool["annotations"]["openWorldHint"], false, "{name}: the world is the image");
        let schema = &tool["inputSchema"];
        assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)), "{name}");
        jsonschema::draft202012::meta::validate(schema).unwrap_or_else(|error| panic!("{name}: {error}"));
        jsonschema::draft202012::meta::validate(&tool["outputSchema"])
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        for (argument, schema) in schema["properties"].as_object().expect("properties") {
            assert!(schema["description"].as_str().is_some_and(|text| !text.is_empty()), "{name} {argument}");
        }
    }
}

/// A value that no argument of this schema takes.
fn wrong(schema: &Value) -> Value {
    let takes = |kind: &str| match &schema["type"] {
        Value::Array(kinds) => kinds.contains(&json!(kind)),
        known => known == kind,
    };
    if takes("boolean") { json!({}) } else { json!(true) }
}

/// Valid values for what is required.
fn valid(schema: &Value) -> serde_json::Map<String, Value> {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    required.iter().map(|name| (name.as_str().expect("a name").to_owned(), json!("Zork"))).collect()
}

#[test]
fn every_tool_refuses_what_its_schema_does_not_allow_and_says_what_it_does() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    for tool in listed(&mut client) {
        let (name, schema) = (tool["name"].as_str().expect("a name"), &tool["inputSchema"]);
        let properties = schema["properties"].as_object().expect("properties");
        let allowed: Vec<&str> = properties.keys().map(String::as_str).collect();
        let mut refused = |arguments: Value, wanted: &str| {
            let answer = client.call(name, &arguments);
            assert!(answer.expect_error().contains(wanted), "{name} {arguments}: {}", answer.text);
            assert_eq!(answer.kind(), "invalidParams", "{name} {arguments}");
        };
        let mut arguments = valid(schema);
        arguments.insert("bogus".to_owned(), json!(1));
        let known = match allowed.as_slice() {
            [] => "Unknown argument(s): bogus. This tool takes no arguments.".to_owned(),
            allowed => format!("Unknown argument(s): bogus. Allowed: {}", allowed.join(", ")),
        };
        refused(Value::Object(arguments), &known);
        for missing in valid(schema).keys() {
            let mut arguments = valid(schema);
            arguments.remove(missing);
            refused(Value::Object(arguments), &format!("Missing required argument(s): {missing}"));
        }
        for (argument, property) in properties {
            let mut arguments = valid(schema);
            arguments.insert(argument.clone(), wrong(property));
            refused(Value::Object(arguments), &format!("Invalid argument {argument}: "));
        }
    }
    let status = client.call("status", &json!({}));
    assert!(status.expect_text().ends_with("uncommittedChanges=false"), "nothing of all this ran: {}", status.text);
}

#[test]
fn a_missing_and_an_unknown_name_are_errors_of_the_protocol() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    for (params, message, kind) in [
        (json!({"arguments": {}}), "Missing tool name", "invalidParams"),
        (json!({"name": 7}), "Missing tool name: \"name\" must be a string", "invalidParams"),
        (json!({"name": "zap"}), "Unknown tool: zap", "notFound"),
        (json!({"name": "tool_search"}), "Unknown tool: tool_search", "notFound"),
        (
            json!({"name": "status", "arguments": [1]}),
            "Invalid params: \"arguments\" must be an object",
            "invalidParams",
        ),
    ] {
        let error = client.request("tools/call", &params)["error"].clone();
        assert_eq!((&error["code"], &error["message"]), (&json!(-32602), &json!(message)), "{params}");
        assert_eq!(error["data"]["kind"], kind, "{params}");
    }
}

#[test]
fn the_identity_is_the_operators_and_the_instructions_are_short() {
    let hello = |server: &Server| {
        let body = initialize("2025-11-25").to_string();
        Connection::open(server.address).request("POST", PATH, &JSON_HEADERS, body.as_bytes()).json()["result"].clone()
    };
    let server = Server::start_default();
    let plain = hello(&server);
    assert_eq!(plain["serverInfo"]["name"], "lapidary");
    assert!(plain["serverInfo"]["version"].is_string() && plain["serverInfo"].get("title").is_none(), "{plain}");
    let instructions = plain["instructions"].as_str().expect("instructions");
    assert!(instructions.lines().count() <= 10 && instructions.contains("execute_code"), "{instructions}");
    server.stop();
    let named = Config::new()
        .with("GS_MCP_SERVER_NAME", "gemstone-mcp")
        .with("GS_MCP_SERVER_VERSION", "9.9")
        .with("GS_MCP_TITLE", "Ours")
        .with("GS_MCP_TOOLSETS", "session browsing");
    let server = Server::start(named);
    let ours = hello(&server);
    assert_eq!(ours["serverInfo"], json!({"name": "gemstone-mcp", "version": "9.9", "title": "Ours"}));
    let instructions = ours["instructions"].as_str().expect("instructions");
    assert!(!instructions.contains("execute_code"), "what is not served is not spoken of: {instructions}");
}
