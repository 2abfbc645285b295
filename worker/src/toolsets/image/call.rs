//! Calling the image: a tool, a resource, a prompt. What it answers is held against what it said of itself.

use super::SERVER;
use super::served::ImageFeature;
use crate::tool::{Answer, Content, Context, Handler, Outcome, Refusal};
use crate::toolsets::support::ask::ask_image;
use jsonschema::Validator;
use protocol::limits::FRAME_BYTES_MAX;
use serde_json::{Map, Value, json};

/// What calls a tool of the image.
pub(super) fn handler(toolset: String, name: String, output: Option<Validator>) -> Handler {
    Box::new(move |context, arguments| {
        let arguments = Value::Object(arguments).to_string();
        let selectors = [name.as_str().into(), toolset.as_str().into(), arguments.as_str().into()];
        let (text, data): (String, Option<String>) =
            ask_image(context.image, context.deadline, SERVER, "_call:of:with:", &selectors)?;
        answer(&name, text, data.as_deref(), output.as_ref())
    })
}

fn answer(name: &str, text: String, data: Option<&str>, output: Option<&Validator>) -> Outcome {
    let invalid_data = |why: String| Refusal::new("other", format!("The tool {name} answered data that {why}"));
    let Some(data) = data else {
        return match output {
            Some(_) => Err(Refusal::new("other", format!("The tool {name} has an outputSchema and answered no data"))),
            None => Ok(Answer::text(text)),
        };
    };
    if data.len() > FRAME_BYTES_MAX {
        return Err(Refusal::new("tooLarge", format!("The tool {name} answered {} bytes of data", data.len())));
    }
    let data: Value = serde_json::from_str(data).map_err(|error| invalid_data(format!("are no JSON: {error}")))?;
    if !data.is_object() {
        return Err(invalid_data("are no object; a Dictionary with Strings as keys is one".to_owned()));
    }
    if let Some(Err(error)) = output.map(|output| output.validate(&data)) {
        return Err(invalid_data(format!("do not fit its outputSchema: {}", error.masked())));
    }
    Ok(Answer::text(text).with_data(data))
}

/// The contents of a resource, as JSON.
pub(crate) fn read(
    context: &mut Context<'_>,
    feature: &ImageFeature,
    uri: &str,
) -> Result<Option<Vec<Value>>, Refusal> {
    let names = [feature.name.as_str().into(), feature.kind.into(), feature.toolset.as_str().into(), uri.into()];
    let (text, bytes): (Option<String>, Option<String>) =
        ask_image(context.image, context.deadline, SERVER, "_read:ofKind:of:uri:", &names)?;
    let mut contents = json!({"uri": uri, "mimeType": feature.mime_type});
    match (text, bytes) {
        (Some(text), _) => contents["text"] = Value::from(text),
        (None, Some(bytes)) => contents["blob"] = Value::from(bytes),
        (None, None) => return Ok(None),
    }
    Ok(Some(vec![contents]))
}

/// The messages of a prompt.
pub(crate) fn get_prompt(
    context: &mut Context<'_>,
    feature: &ImageFeature,
    arguments: &Map<String, Value>,
) -> Result<Vec<Content>, Refusal> {
    let arguments = Value::Object(arguments.clone()).to_string();
    let names = [feature.name.as_str().into(), feature.toolset.as_str().into(), arguments.as_str().into()];
    let texts: Vec<String> = ask_image(context.image, context.deadline, SERVER, "_prompt:of:with:", &names)?;
    Ok(texts.into_iter().map(Content::Text).collect())
}
