//! Resources, templates and prompts.

use crate::content::{PNG, image};
use serde_json::{Map, Value, json};
use worker::{Body, Content, Contents, Context, Prompt, PromptArgument, Question, Refusal, Resource, Template};

const STATIC_TEXT: &str = "test://static-text";
const STATIC_BINARY: &str = "test://static-binary";
/// The resource whose changes can be told.
pub(crate) const WATCHED: &str = "test://watched-resource";
const TEMPLATE: &str = "test://template/";

type Read = Result<Option<Vec<Contents>>, Refusal>;

pub(crate) fn resources() -> Vec<Resource> {
    let resource = |uri, name, mime_type| Resource { uri, name, description: "For testing.", mime_type, read };
    vec![
        resource(STATIC_TEXT, "Static text", "text/plain"),
        resource(STATIC_BINARY, "Static binary", "image/png"),
        resource(WATCHED, "Watched", "text/plain"),
    ]
}

pub(crate) fn templates() -> Vec<Template> {
    vec![Template {
        uri_template: "test://template/{id}/data",
        prefix: TEMPLATE,
        name: "Template",
        description: "For testing.",
        mime_type: "application/json",
        read: read_template,
    }]
}

fn read(_: &mut Context<'_>, uri: &str) -> Read {
    let (mime_type, body) = match uri {
        STATIC_TEXT => ("text/plain", Body::Text("This is the content of the static text resource.".to_owned())),
        STATIC_BINARY => ("image/png", Body::Bytes(PNG.to_vec())),
        _ => ("text/plain", Body::Text("Watched.".to_owned())),
    };
    Ok(Some(vec![Contents { uri: uri.to_owned(), mime_type, body }]))
}

fn read_template(_: &mut Context<'_>, uri: &str) -> Read {
    let id = uri.strip_prefix(TEMPLATE).and_then(|rest| rest.strip_suffix("/data"));
    let contents = |id: &str| {
        let text = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")}).to_string();
        vec![Contents { uri: uri.to_owned(), mime_type: "application/json", body: Body::Text(text) }]
    };
    Ok(id.filter(|id| !id.is_empty()).map(contents))
}

pub(crate) fn prompts() -> Vec<Prompt> {
    let argument = |name| PromptArgument { name, description: "For testing.", required: true };
    let prompt = |name, arguments, get| Prompt { name, description: "For testing.", arguments, get, complete: None };
    vec![
        prompt("test_simple_prompt", vec![], |_, _| text("This is a simple prompt for testing.".to_owned())),
        Prompt {
            complete: Some(|_, begun| vec![format!("{begun}Value1"), format!("{begun}Value2")]),
            ..prompt("test_prompt_with_arguments", vec![argument("arg1"), argument("arg2")], |_, arguments| {
                let [one, two] = ["arg1", "arg2"].map(|name| said(arguments, name));
                text(format!("Prompt with arguments: arg1='{one}', arg2='{two}'"))
            })
        },
        prompt("test_prompt_with_embedded_resource", vec![argument("resourceUri")], |_, arguments| {
            let body = Body::Text("Embedded resource content for testing.".to_owned());
            let contents = Contents { uri: said(arguments, "resourceUri"), mime_type: "text/plain", body };
            let asked = Content::Text("Please process the embedded resource above.".to_owned());
            Ok(vec![Content::Resource(contents), asked])
        }),
        prompt("test_prompt_with_image", vec![], |_, _| {
            Ok(vec![image(), Content::Text("Please analyze the image above.".to_owned())])
        }),
        prompt("test_input_required_result_prompt", vec![], asking),
    ]
}

fn text(text: String) -> Result<Vec<Content>, Refusal> {
    Ok(vec![Content::Text(text)])
}

fn said(arguments: &Map<String, Value>, name: &str) -> String {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn asking(context: &mut Context<'_>, _: &Map<String, Value>) -> Result<Vec<Content>, Refusal> {
    let schema = json!({"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]});
    let question = Question::Form { message: "What context should the prompt use?".to_owned(), schema };
    let answer = context.ask("user_context", question)?;
    text(format!("Use this context: {}", answer["content"]["context"].as_str().unwrap_or_default()))
}
