//! Tools that ask their client something.

use crate::{HARMLESS, Nothing};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use worker::{Ability, Answer, Context, Outcome, Question, Refusal, Tool};

#[derive(Deserialize, JsonSchema)]
struct Sampling {
    /// What the model is asked.
    prompt: String,
}

#[derive(Deserialize, JsonSchema)]
struct Elicitation {
    /// What the user is told.
    message: String,
}

pub(crate) fn tools() -> Vec<Tool> {
    let tool = |name, handler: fn(&mut Context<'_>, Nothing) -> Outcome| {
        Tool::new(name, name, "Call this to be asked something.", HARMLESS, handler)
    };
    vec![
        Tool::new("test_sampling", "test_sampling", "Call this to have your model asked.", HARMLESS, sampling),
        Tool::new("test_elicitation", "test_elicitation", "Call this to be asked.", HARMLESS, elicitation),
        tool("test_elicitation_sep1034_defaults", |context, Nothing {}| form(context, defaults())),
        tool("test_elicitation_sep1330_enums", |context, Nothing {}| form(context, enums())),
        tool("test_streaming_elicitation", ask_name),
        tool("test_missing_capability", ask_model),
        tool("test_input_required_result_elicitation", ask_name),
        tool("test_input_required_result_sampling", ask_model),
        tool("test_input_required_result_list_roots", |context, Nothing {}| {
            let answer = context.ask("client_roots", Question::Roots)?;
            Ok(Answer::text(format!("Roots: {}", answer["roots"])))
        }),
        tool("test_elicitation_url", |context, Nothing {}| {
            let (message, url) = ("Please sign in.".to_owned(), "https://sign-in.example/".to_owned());
            let answer = context.ask("sign_in", Question::Url { message, url })?;
            Ok(Answer::text(format!("The page was answered with {}", answer["action"])))
        }),
        tool("test_input_required_result_request_state", request_state),
        tool("test_input_required_result_tampered_state", request_state),
        tool("test_input_required_result_multiple_inputs", multiple),
        tool("test_input_required_result_multi_round", multi_round),
        tool("test_input_required_result_capabilities", capabilities),
    ]
}

fn name_question() -> Question {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    Question::Form { message: "What is your name?".to_owned(), schema }
}

fn model_question(text: &str) -> Question {
    let message = json!({"role": "user", "content": {"type": "text", "text": text}});
    Question::Sample(json!({"messages": [message], "maxTokens": 100}))
}

fn ask_name(context: &mut Context<'_>, Nothing {}: Nothing) -> Outcome {
    let answer = context.ask("user_name", name_question())?;
    Ok(Answer::text(format!("Hello, {}!", answer["content"]["name"].as_str().unwrap_or("whoever you are"))))
}

fn ask_model(context: &mut Context<'_>, Nothing {}: Nothing) -> Outcome {
    let answer = context.ask("capital_question", model_question("What is the capital of France?"))?;
    Ok(Answer::text(format!("LLM response: {}", answer["content"]["text"].as_str().unwrap_or_default())))
}

fn sampling(context: &mut Context<'_>, Sampling { prompt }: Sampling) -> Outcome {
    let answer = context.ask("response", model_question(&prompt))?;
    Ok(Answer::text(format!("LLM response: {}", answer["content"]["text"].as_str().unwrap_or_default())))
}

fn elicitation(context: &mut Context<'_>, Elicitation { message }: Elicitation) -> Outcome {
    let schema = json!({"type": "object", "required": ["username", "email"], "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"}}});
    let answer = context.ask("user", Question::Form { message, schema })?;
    Ok(Answer::text(format!("User response: {answer}")))
}

fn form(context: &mut Context<'_>, properties: Value) -> Outcome {
    let schema = json!({"type": "object", "properties": properties, "required": []});
    let message = "Please review the form.".to_owned();
    let answer = context.ask("form", Question::Form { message, schema })?;
    let (action, content) = (&answer["action"], &answer["content"]);
    Ok(Answer::text(format!("Elicitation completed: action={action}, content={content}")))
}

fn defaults() -> Value {
    json!({
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true},
    })
}

fn enums() -> Value {
    let plain = json!(["option1", "option2", "option3"]);
    let titled = json!([{"const": "value1", "title": "First"}, {"const": "value2", "title": "Second"}]);
    json!({
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    })
}

fn request_state(context: &mut Context<'_>, Nothing {}: Nothing) -> Outcome {
    context.remember("secret", json!("kept"));
    context.ask("confirm", name_question())?;
    match context.recall("secret") {
        Some(secret) if secret == "kept" => Ok(Answer::text("state-ok")),
        _ => Err(Refusal::new("other", "The state is lost.")),
    }
}

fn multiple(context: &mut Context<'_>, Nothing {}: Nothing) -> Outcome {
    let questions = vec![
        ("user_name", name_question()),
        ("greeting", model_question("Greet somebody.")),
        ("client_roots", Question::Roots),
    ];
    let answers = context.ask_all(questions)?;
    Ok(Answer::text(format!("All answered: {}", Value::Array(answers))))
}

fn multi_round(context: &mut Context<'_>, Nothing {}: Nothing) -> Outcome {
    let name = context.ask("step1", name_question())?;
    let color = json!({"type": "object", "properties": {"color": {"type": "string"}}, "required": ["color"]});
    let question = Question::Form { message: "Which colour do you like?".to_owned(), schema: color };
    let color = context.ask("step2", question)?;
    Ok(Answer::text(format!("{} likes {}", name["content"]["name"], color["content"]["color"])))
}

fn capabilities(context: &mut Context<'_>, Nothing {}: Nothing) -> Outcome {
    let mut questions = Vec::new();
    if context.supports(Ability::Form) {
        questions.push(("user_name", name_question()));
    }
    if context.supports(Ability::Sample) {
        questions.push(("greeting", model_question("Greet somebody.")));
    }
    let answers = context.ask_all(questions)?;
    Ok(Answer::text(format!("Answered: {}", Value::Array(answers))))
}
