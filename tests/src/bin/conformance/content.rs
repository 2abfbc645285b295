//! Tools that answer each kind of content, tell progress, log, and fail.

use crate::{HARMLESS, Nothing};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use worker::{Answer, Body, Content, Contents, Context, Level, Outcome, Progress, Refusal, Tool};

/// A picture of one pixel.
pub(crate) const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8,
    6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0,
    0xf0, 0x1f, 0, 5, 0, 1, 0xff, 0x89, 0x99, 0x3d, 0x1d, 0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
];

/// A sound of no length.
const WAV: &[u8] = &[
    0x52, 0x49, 0x46, 0x46, 0x24, 0, 0, 0, 0x57, 0x41, 0x56, 0x45, 0x66, 0x6d, 0x74, 0x20, 0x10, 0, 0, 0, 1, 0, 1, 0,
    0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0, 0x64, 0x61, 0x74, 0x61, 0, 0, 0, 0,
];

/// Between two words of a tool that takes its time, as the suite asks for.
const PAUSE: Duration = Duration::from_millis(50);

pub(crate) fn tools() -> Vec<Tool> {
    let tool = |name, handler: fn(&mut Context<'_>, Nothing) -> Outcome| {
        Tool::new(name, name, "Call this to see one kind of answer.", HARMLESS, handler)
    };
    vec![
        tool("test_simple_text", |_, Nothing {}| Ok(Answer::text("This is a simple text response for testing."))),
        tool("test_image_content", |_, Nothing {}| Ok(Answer::blocks(vec![image()]))),
        tool("test_audio_content", |_, Nothing {}| {
            Ok(Answer::blocks(vec![Content::Audio { bytes: WAV.to_vec(), mime_type: "audio/wav" }]))
        }),
        tool("test_embedded_resource", |_, Nothing {}| Ok(Answer::blocks(vec![embedded()]))),
        tool("test_multiple_content_types", |_, Nothing {}| Ok(mixed())),
        tool("test_error_handling", |_, Nothing {}| {
            Err(Refusal::new("other", "This tool intentionally returns an error for testing"))
        }),
        tool("test_tool_with_logging", with_logging),
        tool("test_tool_with_progress", with_progress),
        tool("test_logging_tool", with_logging),
        tool("test_reconnection", with_progress),
        Tool::new("test_custom_header", "test_custom_header", "Call this to see a header.", HARMLESS, custom_header),
        schema_tool(),
    ]
}

pub(crate) fn image() -> Content {
    Content::Image { bytes: PNG.to_vec(), mime_type: "image/png" }
}

fn embedded() -> Content {
    let text = "This is an embedded resource content.".to_owned();
    Content::Resource(Contents {
        uri: "test://embedded-resource".to_owned(),
        mime_type: "text/plain",
        body: Body::Text(text),
    })
}

fn mixed() -> Answer {
    let resource = Contents {
        uri: "test://mixed-content-resource".to_owned(),
        mime_type: "application/json",
        body: Body::Text(json!({"test": "data", "value": 123}).to_string()),
    };
    let text = Content::Text("Multiple content types test:".to_owned());
    Answer::blocks(vec![text, image(), Content::Resource(resource)])
}

fn with_logging(context: &mut Context<'_>, Nothing {}: Nothing) -> Outcome {
    context.log(Level::Info, "conformance", json!("Tool execution started"));
    std::thread::sleep(PAUSE);
    context.log(Level::Info, "conformance", json!("Tool processing data"));
    std::thread::sleep(PAUSE);
    context.log(Level::Info, "conformance", json!("Tool execution completed"));
    Ok(Answer::text("Logged."))
}

fn with_progress(context: &mut Context<'_>, Nothing {}: Nothing) -> Outcome {
    for done in [0, 50, 100] {
        context.report(Progress { done, total: 100, message: "Working" });
        std::thread::sleep(PAUSE);
    }
    Ok(Answer::text("Done."))
}

#[derive(Deserialize, JsonSchema)]
struct CustomHeader {
    /// What the header repeats.
    #[schemars(extend("x-mcp-header" = "Value"))]
    value: String,
}

fn custom_header(_: &mut Context<'_>, CustomHeader { value }: CustomHeader) -> Outcome {
    Ok(Answer::text(format!("Value: {value}")))
}

/// A tool whose schema uses what only the newest dialect has.
fn schema_tool() -> Tool {
    let name = "json_schema_2020_12_tool";
    let handler = |_: &mut Context<'_>, arguments: serde_json::Map<String, Value>| {
        Ok(Answer::text(format!("JSON Schema 2020-12 tool called with: {}", Value::Object(arguments))))
    };
    Tool::with_schema(name, name, "Call this to see a schema of the newest dialect.", HARMLESS, schema(), handler)
}

fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            },
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}, {"not": {"required": ["name"]}}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"properties": {"contactMethod": {"type": "string"}}},
        "additionalProperties": false,
    })
}
