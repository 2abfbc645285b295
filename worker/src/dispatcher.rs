//! From a client's message to its answer: the one place in a gem that knows JSON-RPC, its errors included.
//!
//! A broken request is an error of the protocol; a tool that could not do its work is a result that says so.

use crate::calls::{Calls, Cancel};
use crate::catalogue::{Catalogue, Request, refuse, result, spoken, unknown_method};
use crate::link::{Link, Reply};
use crate::prepare::Prepared;
use crate::registry::{NotServed, Served};
use crate::tool::{Answer, Context, Outcome, Progress, Refusal, Reporter};
use protocol::envelope::{Envelope, Kind};
use protocol::error::{self, INVALID_PARAMS, METHOD_NOT_FOUND};
use protocol::gem::{ClientMessage, up};
use protocol::limits::{FRAME_BYTES_MAX, FRAME_OVERHEAD_BYTES, ID_BYTES_MAX};
use protocol::revision::Revision;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use smalltalk::Image;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest part of a client's own text that an error repeats, in characters.
const ECHO_CHARACTERS_MAX: usize = 64;

/// Shortest time between two reports of progress.
const PROGRESS_PAUSE: Duration = Duration::from_millis(100);

/// Said beside every answer while it is so.
const UNCOMMITTED: &str = "[session] There are uncommitted changes: only this session sees them until commit; abort \
                           discards them. status says what they are.";

/// Runs calls for one gem.
pub(crate) struct Dispatcher<'g> {
    /// The machine.
    pub(crate) image: &'g mut Image,
    /// What is served.
    pub(crate) prepared: Prepared<'g>,
    /// What needs no machine.
    pub(crate) catalogue: Arc<Catalogue>,
    /// What runs, for whoever wants to cancel it.
    pub(crate) calls: Arc<Calls>,
    /// Time for each call.
    pub(crate) call_time: Duration,
}

/// The parameters of `tools/call`. Read from an object only: a derived reader would take an array as well.
#[derive(Deserialize)]
struct CallParameters<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

/// A call, its arguments unread.
struct Call<'a, 'g> {
    served: Served<'g>,
    arguments: Option<&'a RawValue>,
    /// The raw JSON of the token with which the client wants to hear of its progress.
    token: Option<&'a str>,
}

impl<'g> Dispatcher<'g> {
    /// The answer to one message.
    pub(crate) fn handle(&mut self, link: &mut Link, exchange: u64, message: ClientMessage<'_>) -> Reply {
        let envelope = match Envelope::parse(message.body) {
            Ok(envelope) => envelope,
            Err(fault) => return Reply { status: 400, body: error::body(fault.id, fault.code, fault.message, None) },
        };
        let (Kind::Request, Some(id), Some(method)) = (envelope.kind, envelope.id, envelope.method.as_deref()) else {
            return Reply::accepted();
        };
        let request = Request { id, method, params: envelope.params, revision: spoken(message.revision) };
        if let Some(reply) = self.catalogue.answer(&request) {
            return reply;
        }
        match method {
            "tools/call" => self.call(link, exchange, &request),
            _ => unknown_method(id, &clip(method)),
        }
    }

    fn call(&mut self, link: &mut Link, exchange: u64, request: &Request<'_>) -> Reply {
        let Call { served, arguments, token } = match self.find(request) {
            Ok(call) => call,
            Err(refusal) => return refusal,
        };
        let arguments = match read_arguments(arguments) {
            Ok(arguments) => arguments,
            Err(message) => return refuse(request.id, INVALID_PARAMS, message, "invalidParams"),
        };
        let outcome = if self.calls.begin(exchange, request.id) {
            let progress = token.map(|token| reporter(link, exchange, token));
            let outcome = self.run(&served, arguments, progress);
            self.calls.end();
            outcome
        } else {
            Err(Refusal::new("interrupted", "The call was cancelled before it began; nothing was done."))
        };
        render(request, outcome, self.image.has_uncommitted_changes())
    }

    fn run(&mut self, served: &Served<'_>, arguments: Map<String, Value>, progress: Option<Reporter<'_>>) -> Outcome {
        self.prepared.stone.set_tool(served.name());
        let deadline = Instant::now() + self.call_time;
        let Prepared { ledger, autocommit, .. } = &mut self.prepared;
        let mut context = Context { image: self.image, deadline, ledger, autocommit: *autocommit, progress };
        served.call(&mut context, arguments)
    }

    /// The tool that is called, and its arguments, unread.
    fn find<'a>(&self, request: &Request<'a>) -> Result<Call<'a, 'g>, Reply> {
        let invalid = |message: &str, kind| refuse(request.id, INVALID_PARAMS, message, kind);
        let parameters = request.params.unwrap_or("{}");
        if !parameters.starts_with('{') {
            return Err(invalid("Invalid params: they must be an object", "invalidParams"));
        }
        let CallParameters { name, arguments, meta } = serde_json::from_str(parameters)
            .map_err(|_| invalid("Invalid params: a member is given twice or is not JSON", "invalidParams"))?;
        let Some(name) = name else { return Err(invalid("Missing tool name", "invalidParams")) };
        let Ok(name) = serde_json::from_str::<String>(name.get()) else {
            return Err(invalid("Missing tool name: \"name\" must be a string", "invalidParams"));
        };
        match self.prepared.selection.find(&name) {
            Ok(served) => Ok(Call { served, arguments, token: meta.and_then(progress_token) }),
            Err(NotServed::Unknown) => Err(invalid(&format!("Unknown tool: {}", clip(&name)), "notFound")),
            Err(NotServed::ReadOnly) => {
                let message = format!("'{name}' is not available: the server is read-only");
                Err(refuse(request.id, METHOD_NOT_FOUND, &message, "readOnly"))
            }
        }
    }
}

/// Only a string or an integer is a token; whatever else is there asks for nothing.
fn progress_token(meta: &RawValue) -> Option<&str> {
    #[derive(Deserialize)]
    struct Meta<'a> {
        #[serde(borrow, rename = "progressToken")]
        token: Option<&'a RawValue>,
    }
    let meta = Some(meta.get()).filter(|meta| meta.starts_with('{'))?;
    let token = serde_json::from_str::<Meta<'_>>(meta).ok()?.token?.get();
    let is_token = token.starts_with('"') || token.parse::<i64>().is_ok();
    (is_token && token.len() <= ID_BYTES_MAX).then_some(token)
}

/// Sends progress as messages of the exchange, and not too many of them.
fn reporter<'l>(link: &'l mut Link, exchange: u64, token: &'l str) -> Reporter<'l> {
    let mut last: Option<Instant> = None;
    Box::new(move |Progress { done, total, message }| {
        let now = Instant::now();
        if last.is_some_and(|last| now.duration_since(last) < PROGRESS_PAUSE) {
            return;
        }
        last = Some(now);
        let message = json!(clip(message));
        let notice = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{done},"total":{total},"message":{message}}}}}"#
        );
        // A link that is broken is found out when the answer is sent.
        let _ = link.send(up::MESSAGE, exchange, &[notice.as_bytes()]);
    })
}

fn read_arguments(raw: Option<&RawValue>) -> Result<Map<String, Value>, &'static str> {
    match raw.map(RawValue::get) {
        None => Ok(Map::new()),
        Some(raw) if raw.starts_with('{') => serde_json::from_str(raw)
            .map_err(|_| "Invalid params: \"arguments\" are nested too deeply or hold bad text"),
        Some(_) => Err("Invalid params: \"arguments\" must be an object"),
    }
}

/// A tool's outcome as a result.
fn render(request: &Request<'_>, outcome: Outcome, uncommitted: bool) -> Reply {
    let reply = result(request.id, &tool_result(request.revision, outcome, uncommitted));
    if reply.body.len() <= FRAME_BYTES_MAX - FRAME_OVERHEAD_BYTES {
        return reply;
    }
    let size = reply.body.len();
    let refusal = Refusal::new("tooLarge", format!("The answer has {size} bytes, more than a message may have."));
    result(request.id, &tool_result(request.revision, Err(refusal), uncommitted))
}

fn tool_result(revision: &Revision, outcome: Outcome, uncommitted: bool) -> Value {
    let (text, structured, aside, is_error) = match outcome {
        Ok(Answer { text, structured, aside }) => (text, structured, aside, false),
        Err(refusal) => (refusal.text.clone(), Some(json!({ "error": refusal.data() })), None, true),
    };
    let mut content = vec![json!({"type": "text", "text": text})];
    if uncommitted {
        content.push(json!({"type": "text", "text": aside.as_deref().unwrap_or(UNCOMMITTED)}));
    }
    let mut result = json!({"content": content, "isError": is_error});
    if let Some(structured) = structured.filter(|_| revision.structured_content) {
        result["structuredContent"] = structured;
    }
    result
}

fn clip(text: &str) -> String {
    match text.char_indices().nth(ECHO_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// What the control socket may ask: all that needs no machine.
pub(crate) fn handle_beside(catalogue: &Catalogue, calls: &Calls, exchange: u64, message: ClientMessage<'_>) -> Reply {
    let envelope = match Envelope::parse(message.body) {
        Ok(envelope) => envelope,
        Err(fault) => return Reply { status: 400, body: error::body(fault.id, fault.code, fault.message, None) },
    };
    let method = envelope.method.as_deref().unwrap_or_default();
    match (envelope.kind, envelope.id) {
        (Kind::Request, Some(id)) => {
            let request = Request { id, method, params: envelope.params, revision: spoken(message.revision) };
            catalogue.answer(&request).unwrap_or_else(|| unknown_method(id, &clip(method)))
        }
        _ => {
            if method == "notifications/cancelled" {
                cancel(calls, exchange, envelope.params);
            }
            Reply::accepted()
        }
    }
}

/// A cancel that names no lawful id cancels nothing: a notification has no answer that could say so.
fn cancel(calls: &Calls, exchange: u64, params: Option<&str>) {
    #[derive(Deserialize)]
    struct Cancelled<'a> {
        #[serde(borrow, rename = "requestId")]
        request: &'a RawValue,
    }
    let params = params.filter(|params| params.starts_with('{'));
    if let Some(Ok(Cancelled { request })) = params.map(serde_json::from_str) {
        calls.cancel(Cancel::Id { id: request.get().to_owned(), before: exchange });
    }
}
