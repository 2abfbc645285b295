//! What is served beside tools: reading resources, getting prompts, completing their arguments, and subscribing.

use super::Dispatcher;
use super::client_call::ClientCall;
use super::rounds::CallEnd;
use crate::link::Link;
use crate::request::{Reply, Request, refuse};
use crate::tool::text::echo;
use crate::tool::{Content, Context, Refusal};
use protocol::error::{INTERNAL_ERROR, INVALID_PARAMS};
use protocol::revision::Era;
use protocol::shape::{Cache, fit_content};
use protocol::stateless::Fault;
use serde_json::{Map, Value, json};

/// Most values of a completion.
const VALUES_MAX: usize = 100;

impl Dispatcher<'_> {
    /// The answer to a request for any of it; nothing for a method that is not served.
    pub(crate) fn serve_feature(&mut self, link: &mut Link, call: &mut ClientCall<'_>) -> Option<Reply> {
        let request = call.request;
        let params: Map<String, Value> =
            request.params.and_then(|params| serde_json::from_str(params).ok()).unwrap_or_default();
        let session = request.revision.era == Era::Session;
        match request.method {
            "resources/read" if self.discovery.has_resources() => Some(self.read(link, call, &params)),
            "resources/subscribe" | "resources/unsubscribe" if session && self.discovery.has_resources() => {
                Some(self.subscribe(&request, &params))
            }
            "prompts/get" => Some(self.get_prompt(link, call, &params)),
            "completion/complete" => Some(self.complete(&request, &params)),
            _ => None,
        }
    }

    fn read(&mut self, link: &mut Link, call: &mut ClientCall<'_>, params: &Map<String, Value>) -> Reply {
        let request = call.request;
        let Some(uri) = params.get("uri").and_then(Value::as_str) else { return invalid(&request, "Missing uri") };
        let Some(reader) = self.prepared.selection.reader(uri) else { return not_found(&request, uri) };
        let mut handler = |context: &mut Context<'_>| reader.read(context, uri);
        match self.run(link, call, &mut handler) {
            CallEnd::Outcome(Ok(Some(contents))) if !contents.is_empty() => {
                self.discovery.result(&request, json!({ "contents": contents }), Cache::Private(0))
            }
            CallEnd::Outcome(Ok(_)) => not_found(&request, uri),
            CallEnd::Outcome(Err(refusal)) => failed(&request, &refusal),
            CallEnd::Reply(reply) => reply,
        }
    }

    /// The router remembers the subscription; here the resource only must exist.
    fn subscribe(&self, request: &Request<'_>, params: &Map<String, Value>) -> Reply {
        match params.get("uri").and_then(Value::as_str) {
            None => invalid(request, "Missing uri"),
            Some(uri) if self.prepared.selection.reader(uri).is_none() => not_found(request, uri),
            Some(_) => self.discovery.result(request, json!({}), Cache::Unsaid),
        }
    }

    fn get_prompt(&mut self, link: &mut Link, call: &mut ClientCall<'_>, params: &Map<String, Value>) -> Reply {
        let request = call.request;
        let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
        let Some(prompt) = self.prepared.selection.prompt(name) else {
            return invalid(&request, &format!("Unknown prompt: {}", echo(name)));
        };
        let arguments = match params.get("arguments") {
            None => Map::new(),
            Some(Value::Object(arguments)) => arguments.clone(),
            Some(_) => return invalid(&request, "Invalid params: \"arguments\" must be an object"),
        };
        let lacks = |argument: &&str| !arguments.get(*argument).is_some_and(Value::is_string);
        if let Some(missing) = prompt.required().into_iter().find(lacks) {
            return invalid(&request, &format!("Missing required argument: {missing}"));
        }
        let mut handler = |context: &mut Context<'_>| prompt.get(context, &arguments);
        match self.run(link, call, &mut handler) {
            CallEnd::Outcome(Ok(blocks)) => {
                let message = |block: &Content| {
                    let mut content = block.to_json();
                    fit_content(&mut content, request.revision);
                    json!({"role": "user", "content": content})
                };
                let messages: Vec<Value> = blocks.iter().map(message).collect();
                let result = json!({"description": prompt.description(), "messages": messages});
                self.discovery.result(&request, result, Cache::Unsaid)
            }
            CallEnd::Outcome(Err(refusal)) => failed(&request, &refusal),
            CallEnd::Reply(reply) => reply,
        }
    }

    fn run<T>(
        &mut self,
        link: &mut Link,
        call: &mut ClientCall<'_>,
        handler: &mut dyn FnMut(&mut Context<'_>) -> Result<T, Refusal>,
    ) -> CallEnd<T> {
        if !self.calls.begin(call.exchange, call.request.id) {
            return CallEnd::Outcome(Err(Refusal::new("interrupted", "The request was cancelled before it began.")));
        }
        self.prepared.stone.set_tool("");
        let ended = self.run_rounds(link, call, handler);
        self.calls.end();
        ended
    }

    fn complete(&self, request: &Request<'_>, params: &Map<String, Value>) -> Reply {
        let text = |value: &Value, member: &str| value[member].as_str().unwrap_or_default().to_owned();
        let (reference, argument) = (&params.get("ref").cloned().unwrap_or_default(), params.get("argument"));
        let Some(argument) = argument.filter(|argument| argument["name"].is_string()) else {
            return invalid(request, "Missing argument: it needs a name and a value");
        };
        let values = match reference["type"].as_str() {
            Some("ref/prompt") => {
                let name = text(reference, "name");
                let Some(prompt) = self.prepared.selection.prompt(&name) else {
                    return invalid(request, &format!("Unknown prompt: {}", echo(&name)));
                };
                prompt.complete(&text(argument, "name"), &text(argument, "value"))
            }
            Some("ref/resource") => Vec::new(),
            _ => return invalid(request, "Invalid params: \"ref\" must be a ref/prompt or a ref/resource"),
        };
        let (total, more) = (values.len(), values.len() > VALUES_MAX);
        let values: Vec<String> = values.into_iter().take(VALUES_MAX).collect();
        let completion = json!({"values": values, "total": total, "hasMore": more});
        self.discovery.result(request, json!({ "completion": completion }), Cache::Unsaid)
    }
}

fn invalid(request: &Request<'_>, message: &str) -> Reply {
    refuse(request.id, INVALID_PARAMS, message, "invalidParams")
}

fn not_found(request: &Request<'_>, uri: &str) -> Reply {
    let data = json!({"uri": uri, "kind": "notFound"});
    let code = request.revision.resource_not_found;
    let fault = Fault { code, message: "Resource not found".to_owned(), data: Some(data) };
    Reply::error(200, Some(request.id), fault)
}

fn failed(request: &Request<'_>, refusal: &Refusal) -> Reply {
    let code = if refusal.kind == "invalidParams" { INVALID_PARAMS } else { INTERNAL_ERROR };
    refuse(request.id, code, &refusal.text, refusal.kind)
}
