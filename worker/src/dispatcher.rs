//! From a client's message to its answer: the one place in a gem that knows JSON-RPC, its errors included.
//!
//! A broken request is an error of the protocol; a tool that could not do its work is a result that says so.

use crate::arguments;
use crate::asking::{Ended, Talk};
use crate::calls::{Calls, Cancel};
use crate::catalogue::{Catalogue, Request, refuse, refuse_alone, spoken, unknown_method};
use crate::gems;
use crate::link::{Link, Reply};
use crate::prepare::Prepared;
use crate::registry::{NotServed, Served};
use crate::seal::Seal;
use crate::tasks::{self, Tasks};
use crate::tool::{Answer, Context, Outcome, Refusal};
use crate::toolsets::image;
use crate::watch::Shared;
use protocol::envelope::{Envelope, Kind};
use protocol::error::{self, INVALID_PARAMS, METHOD_NOT_FOUND};
use protocol::gem::{ClientMessage, Event, Results, topic, up};
use protocol::limits::{FRAME_BYTES_MAX, FRAME_OVERHEAD_BYTES};
use protocol::revision::Era;
use protocol::shape::{Cache, Place, fit};
use protocol::stateless::LOG_LEVELS;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use smalltalk::Image;
use std::sync::Arc;
use std::time::Duration;

/// Longest part of a client's own text that an error repeats, in characters.
const ECHO_CHARACTERS_MAX: usize = 64;

/// Said beside every answer while it is so.
const UNCOMMITTED: &str = "[session] There are uncommitted changes: only this session sees them until commit; abort \
                           discards them. status says what they are.";

/// Said when this process panicked in a call.
const PANICKED: &str = "The server failed in this call by a fault of its own. The process (gem) of this session has \
                        ended, and what it had not committed is lost; what is committed and other sessions are as \
                        before. Open a new session and look at what is there before you go on. The server's log says \
                        what failed.";

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
    /// What the other thread answers from.
    pub(crate) shared: Arc<Shared>,
    /// Why toolsets of the image are not served, until somebody was told.
    pub(crate) faults: Vec<String>,
    /// Time for each call.
    pub(crate) call_time: Duration,
    /// The capabilities of the session's client.
    pub(crate) capabilities: Value,
    /// Seals what travels through a client.
    pub(crate) seal: Seal,
    /// The handle by which a client without a session holds this gem.
    pub(crate) handle: Option<String>,
    /// Its calls that became tasks, where any can.
    pub(crate) tasks: Option<Arc<Tasks>>,
    /// Whether headers repeat what is in bodies.
    pub(crate) headers: bool,
    /// What clients get of an answer.
    pub(crate) results: Results,
    /// Whether the gem ends with the answer that goes out next.
    pub(crate) closing: bool,
    /// Whether the view is the newest, because the gem was bound to its client just now.
    pub(crate) at_newest: bool,
}

/// The parameters of `tools/call`. Read from an object only: a derived reader would take an array as well.
#[derive(Deserialize)]
struct CallParameters<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// A call, its arguments unread.
struct Call<'a> {
    name: String,
    /// The tool; none for those that open and close gems.
    served: Option<Served>,
    arguments: Option<&'a RawValue>,
}

impl Dispatcher<'_> {
    /// The answer to one message. If what is served has changed with it, the client hears of that.
    pub(crate) fn handle(
        &mut self,
        link: &mut Link,
        exchange: u64,
        message: (ClientMessage<'_>, &[(&str, &str)]),
        may_last: bool,
    ) -> Reply {
        let reply = self.answer(link, exchange, message, may_last);
        self.look_at_image(link, exchange);
        reply
    }

    fn answer(
        &mut self,
        link: &mut Link,
        exchange: u64,
        (message, headers): (ClientMessage<'_>, &[(&str, &str)]),
        may_last: bool,
    ) -> Reply {
        let envelope = match Envelope::parse(message.body) {
            Ok(envelope) => envelope,
            Err(fault) => return Reply { status: 400, body: error::body(fault.id, fault.code, fault.message, None) },
        };
        let (Kind::Request, Some(id), Some(method)) = (envelope.kind, envelope.id, envelope.method.as_deref()) else {
            return Reply::accepted();
        };
        let request = Request { id, method, params: envelope.params, revision: spoken(message.revision) };
        if method == "initialize" {
            self.capabilities = capabilities(envelope.params);
        }
        // What is served may depend on the view, which has to be the newest before anything is said of it.
        let moves = self.prepared.wiring.is_some() && self.is_alone(&request);
        if !moves && let Some(reply) = self.catalogue.answer(&request) {
            return reply;
        }
        if self.is_alone(&request)
            && let Err(refusal) = self.look_at_newest()
        {
            return self.render(&request, Err(refusal));
        }
        self.look_at_image(link, exchange);
        if moves && let Some(reply) = self.catalogue.answer(&request) {
            return reply;
        }
        let mut talk = Talk::new(exchange, &request, &self.capabilities, self.calls.level());
        match method {
            "tools/call" => self.call(link, &mut talk, headers, may_last),
            _ => self.offer(link, &mut talk).unwrap_or_else(|| unknown_method(&request, &clip(method))),
        }
    }

    /// Whether a request runs in a gem that ends with it.
    pub(crate) fn is_alone(&self, request: &Request<'_>) -> bool {
        request.revision.era == Era::Stateless && self.handle.is_none()
    }

    /// A gem that was forked ahead may have waited.
    fn look_at_newest(&mut self) -> Result<(), Refusal> {
        if std::mem::take(&mut self.at_newest) {
            return Ok(());
        }
        self.image.refresh().map_err(|error| Refusal::new("stoneLost", error.to_string()))?;
        self.prepared.ledger = crate::ledger::Ledger::new(self.image.view());
        Ok(())
    }

    /// Serves what the toolsets of the image are now, if the view has moved and something of them with it.
    fn look_at_image(&mut self, link: &mut Link, exchange: u64) {
        let Some(wiring) = self.prepared.wiring.as_ref().filter(|_| self.image.toolsets_touched()) else { return };
        let (surface, _) = image::look(self.image, wiring, &self.prepared.selection);
        let before = self.prepared.selection.image();
        if (&before.source, &before.faults) == (&surface.source, &surface.faults) {
            return;
        }
        self.faults = surface.faults.clone();
        self.prepared.selection.set_image(surface);
        let catalogue = Arc::new(self.catalogue.renewed(&self.prepared.selection));
        let topics = catalogue.differences(&self.catalogue);
        self.shared.set_catalogue(&catalogue);
        self.catalogue = catalogue;
        for topic in topics {
            // A link that is broken is found out when the answer is sent.
            let event = Event { topic: topic.name(), subject: topic::OWN, details: "" };
            let _ = link.send(up::EVENT, exchange, &[&event.encode()]);
        }
    }

    fn call(&mut self, link: &mut Link, talk: &mut Talk<'_>, headers: &[(&str, &str)], may_last: bool) -> Reply {
        let request = *talk.request();
        let Call { name, served, arguments } = match self.find(&request) {
            Ok(call) => call,
            Err(refusal) => return refusal,
        };
        let mut arguments = match read_arguments(arguments) {
            Ok(arguments) => arguments,
            Err(message) => return refuse(request.id, INVALID_PARAMS, message, "invalidParams"),
        };
        if request.revision.era == Era::Stateless {
            let annotated = served.as_ref().map(Served::headers).unwrap_or_default();
            let agreed = if self.headers { gems::check_headers(annotated, &arguments, headers) } else { Ok(()) };
            if let Err(fault) = agreed {
                return refuse_alone(request.id, &fault);
            }
            if let Err(refusal) = self.take_gem(&name, &mut arguments) {
                return self.render(&request, Err(refusal));
            }
        }
        let Some(served) = served else { return self.open_or_close(&request, &name, &arguments) };
        if !self.calls.begin(talk.exchange, request.id) {
            let refusal = Refusal::new("interrupted", "The call was cancelled before it began; nothing was done.");
            return self.render(&request, Err(refusal));
        }
        if (may_last || self.handle.is_some())
            && talk.knows_tasks()
            && let Some(tasks) = &self.tasks
        {
            tasks.begin(talk.exchange, &request);
        }
        let mut handler = |context: &mut Context<'_>| served.call(context, arguments.clone());
        let ended = self.converse(link, talk, &mut handler);
        self.calls.end();
        self.look_at_image(link, talk.exchange);
        match ended {
            Ended::Outcome(Err(refusal))
                if refusal.kind == "invalidParams" && !request.revision.argument_faults_are_tool_errors =>
            {
                refuse(request.id, INVALID_PARAMS, &refusal.text, refusal.kind)
            }
            Ended::Outcome(outcome) => self.render(&request, outcome),
            Ended::Reply(reply) => reply,
        }
    }

    /// Takes the argument that names the gem, and refuses what cannot be done in this one.
    fn take_gem(&self, tool: &str, arguments: &mut Map<String, Value>) -> Result<(), Refusal> {
        let given = arguments.remove(gems::ARGUMENT).filter(|gem| !gem.is_null());
        match (given, &self.handle) {
            (Some(given), Some(handle)) if given == **handle => Ok(()),
            (Some(_), _) => Err(gems::unknown()),
            (None, Some(_)) if tool == gems::OPEN => Ok(()),
            (None, _) if gems::needs_one(tool) => Err(gems::none_given(tool)),
            (None, _) => Ok(()),
        }
    }

    fn open_or_close(&mut self, request: &Request<'_>, name: &str, arguments: &Map<String, Value>) -> Reply {
        let outcome = if !arguments.is_empty() {
            self.closing |= name == gems::OPEN;
            Err(Refusal::new("invalidParams", format!("{name} takes no arguments{}", but_gem(name))))
        } else if name == gems::CLOSE {
            self.closing = true;
            let lost_changes = self.image.has_uncommitted_changes();
            let left = if lost_changes { " What it had not committed is gone." } else { "" };
            Ok(Answer::of(format!("The gem is closed.{left}"), &gems::Closed { lost_changes }))
        } else {
            self.opened()
        };
        let reply = self.render(request, outcome);
        if self.closing { self.image.abort().map_or(reply_lost(request.id), |()| reply) } else { reply }
    }

    fn opened(&self) -> Outcome {
        match &self.handle {
            Some(handle) => {
                let text = format!("gem={handle}\nGive this to every tool as the argument gem; close_gem ends it.");
                Ok(Answer::of(text, &gems::Opened { gem: handle }))
            }
            None => Err(Refusal::new("other", "No gem can be opened here.")),
        }
    }

    /// The tool that is called, and its arguments, unread.
    fn find<'a>(&self, request: &Request<'a>) -> Result<Call<'a>, Reply> {
        let invalid = |message: &str, kind| refuse(request.id, INVALID_PARAMS, message, kind);
        let parameters = request.params.unwrap_or("{}");
        if !parameters.starts_with('{') {
            return Err(invalid("Invalid params: they must be an object", "invalidParams"));
        }
        let CallParameters { name, arguments } = serde_json::from_str(parameters)
            .map_err(|_| invalid("Invalid params: a member is given twice or is not JSON", "invalidParams"))?;
        let Some(name) = name else { return Err(invalid("Missing tool name", "invalidParams")) };
        let Ok(name) = serde_json::from_str::<String>(name.get()) else {
            return Err(invalid("Missing tool name: \"name\" must be a string", "invalidParams"));
        };
        if request.revision.era == Era::Stateless && gems::is_own(&name) {
            return Ok(Call { name, served: None, arguments });
        }
        match self.prepared.selection.find(&name) {
            Ok(served) => Ok(Call { name, served: Some(served), arguments }),
            Err(NotServed::Unknown) => Err(invalid(&format!("Unknown tool: {}", clip(&name)), "notFound")),
            Err(NotServed::ReadOnly) => {
                let message = format!("'{name}' is not available: the server is read-only");
                Err(refuse(request.id, METHOD_NOT_FOUND, &message, "readOnly"))
            }
        }
    }
}

/// What the client of a session can do, from its `initialize`.
fn capabilities(params: Option<&str>) -> Value {
    let params: Option<Map<String, Value>> = params.and_then(|params| serde_json::from_str(params).ok());
    params.and_then(|mut params| params.remove("capabilities")).unwrap_or_default()
}

fn but_gem(tool: &str) -> &'static str {
    if tool == gems::CLOSE { " but gem" } else { "" }
}

fn reply_lost(id: &str) -> Reply {
    refuse(id, error::INTERNAL_ERROR, "The stone is gone; what was not committed is lost", "stoneLost")
}

fn read_arguments(raw: Option<&RawValue>) -> Result<Map<String, Value>, &'static str> {
    match raw.map(RawValue::get) {
        None => Ok(Map::new()),
        Some(raw) if raw.starts_with('{') => arguments::read(raw),
        Some(_) => Err("Invalid params: \"arguments\" must be an object"),
    }
}

impl Dispatcher<'_> {
    /// A tool's outcome as a result.
    fn render(&mut self, request: &Request<'_>, mut outcome: Outcome) -> Reply {
        let notice = match (self.image.has_uncommitted_changes(), self.is_alone(request)) {
            (false, _) => None,
            (true, true) => {
                // What is said of changes that stay does not hold for those that are gone.
                if let Ok(answer) = &mut outcome {
                    answer.aside = None;
                }
                Some(gems::dropped(&self.image.uncommitted_changes()))
            }
            (true, false) => Some(UNCOMMITTED.to_owned()),
        };
        let notice = notice.filter(|_| !self.closing);
        let faults = std::mem::take(&mut self.faults);
        let whole = |outcome| self.result(request, outcome, notice.as_deref(), &faults);
        let reply = whole(outcome);
        if reply.body.len() <= FRAME_BYTES_MAX - FRAME_OVERHEAD_BYTES {
            return reply;
        }
        let size = reply.body.len();
        whole(Err(Refusal::new("tooLarge", format!("The answer has {size} bytes, more than a message may have."))))
    }

    fn result(&self, request: &Request<'_>, outcome: Outcome, notice: Option<&str>, faults: &[String]) -> Reply {
        let (mut result, has_text) = tool_result(outcome, notice, faults);
        fit(Place::CallResult, &mut result, request.revision);
        leave_out(&mut result, has_text, self.results);
        self.catalogue.result(request, result, Cache::Unsaid)
    }

    /// The answer to a message at which this process panicked. It never looks at the image, which the panic may have
    /// left in any state. A task has failed with it, so it is an error then, as it is where no tool was called.
    pub(crate) fn render_panic(&self, message: ClientMessage<'_>, is_task: bool) -> Reply {
        let Ok(Envelope { kind: Kind::Request, id: Some(id), method: Some(method), params, .. }) =
            Envelope::parse(message.body)
        else {
            return Reply::accepted();
        };
        let request = Request { id, method: &method, params, revision: spoken(message.revision) };
        if is_task || request.method != "tools/call" {
            return refuse(id, error::INTERNAL_ERROR, PANICKED, "internal");
        }
        self.result(&request, Err(Refusal::new("internal", PANICKED)), None, &[])
    }
}

/// A result as all clients get it but for what their revision or the operator leaves out; whether it begins with the
/// tool's own text.
fn tool_result(outcome: Outcome, notice: Option<&str>, faults: &[String]) -> (Value, bool) {
    let (text, structured, blocks, aside, is_error) = match outcome {
        Ok(Answer { text, structured, blocks, aside }) => (text, structured, blocks, aside, false),
        Err(refusal) => (refusal.text.clone(), Some(json!({ "error": refusal.data() })), Vec::new(), None, true),
    };
    let mut content = Vec::new();
    let has_text = !text.is_empty() || blocks.is_empty();
    if has_text {
        content.push(json!({"type": "text", "text": text}));
    }
    content.extend(blocks.iter().map(crate::features::Content::to_json));
    if let Some(notice) = notice {
        content.push(json!({"type": "text", "text": aside.as_deref().unwrap_or(notice)}));
    }
    content.extend(faults.iter().map(|fault| json!({"type": "text", "text": format!("[session] {fault}")})));
    let mut result = json!({"content": content, "isError": is_error});
    if let Some(structured) = structured {
        result["structuredContent"] = structured;
    }
    (result, has_text)
}

/// Leaves out what the operator does not want to be said twice. What is said of the session is said once, and stays.
fn leave_out(result: &mut Value, has_text: bool, results: Results) {
    let Some(members) = result.as_object_mut() else { return };
    match results {
        Results::Both => {}
        Results::Content => drop(members.remove("structuredContent")),
        Results::Structured if has_text && members.contains_key("structuredContent") => {
            if let Some(content) = members.get_mut("content").and_then(Value::as_array_mut) {
                content.remove(0);
            }
        }
        Results::Structured => {}
    }
}

pub(crate) fn clip(text: &str) -> String {
    match text.char_indices().nth(ECHO_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// What the control socket may carry: all that needs no machine, and what a running call waits for.
pub(crate) fn handle_beside(
    (catalogue, calls, tasks): (&Catalogue, &Calls, Option<&Tasks>),
    control: &mut Link,
    exchange: u64,
    message: ClientMessage<'_>,
) -> Reply {
    let envelope = match Envelope::parse(message.body) {
        Ok(envelope) => envelope,
        Err(fault) => return Reply { status: 400, body: error::body(fault.id, fault.code, fault.message, None) },
    };
    let method = envelope.method.as_deref().unwrap_or_default();
    match (envelope.kind, envelope.id) {
        (Kind::Request, Some(id)) => {
            let request = Request { id, method, params: envelope.params, revision: spoken(message.revision) };
            if method == "logging/setLevel" && request.revision.era == Era::Session {
                return set_level(catalogue, calls, &request);
            }
            if let Some(reply) = tasks::answer(tasks, catalogue, calls, control, &request) {
                return reply;
            }
            catalogue.answer(&request).unwrap_or_else(|| unknown_method(&request, &clip(method)))
        }
        (Kind::Response { error }, Some(id)) => {
            let outcome: Value = serde_json::from_str(envelope.outcome.unwrap_or_default()).unwrap_or_default();
            let words = || outcome["message"].as_str().unwrap_or("it gave no reason").to_owned();
            calls.answer(id, if error { Err(clip(&words())) } else { Ok(outcome) });
            Reply::accepted()
        }
        _ => {
            if method == "notifications/cancelled" {
                cancel(calls, exchange, envelope.params);
            }
            Reply::accepted()
        }
    }
}

fn set_level(catalogue: &Catalogue, calls: &Calls, request: &Request<'_>) -> Reply {
    let params: Option<Value> = request.params.and_then(|params| serde_json::from_str(params).ok());
    let level = params.as_ref().and_then(|params| params["level"].as_str());
    match level.and_then(|level| LOG_LEVELS.iter().position(|known| *known == level)) {
        Some(level) => {
            calls.set_level(level);
            catalogue.result(request, json!({}), Cache::Unsaid)
        }
        None => {
            let message = format!("Invalid params: \"level\" must be one of {}", LOG_LEVELS.join(", "));
            refuse(request.id, INVALID_PARAMS, &message, "invalidParams")
        }
    }
}

/// A cancel that names no valid id cancels nothing: a notification has no answer that could say so.
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
