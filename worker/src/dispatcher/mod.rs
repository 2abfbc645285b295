//! From a client's message to its answer: the one place in a gem that knows JSON-RPC, its errors included.
//!
//! A broken request is an error of the protocol; a tool that could not do its work is a result that says so. The layers
//! below are used, none of them knows this one; of the gem's life nothing is known here.

mod client_call;
mod control;
mod features;
mod results;
mod rounds;
mod tools;

pub(crate) use control::handle_control_message;

use crate::calls::Calls;
use crate::discovery::Discovery;
use crate::link::Link;
use crate::prepare::Prepared;
use crate::read_log::ReadLog;
use crate::request::{Reply, Request, spoken, unknown_method};
use crate::shared_state::SharedState;
use crate::state_cipher::StateCipher;
use crate::tasks::Tasks;
use crate::tool::Refusal;
use crate::tool::text::echo;
use crate::toolsets::image;
use client_call::ClientCall;
use protocol::envelope::{Envelope, Kind};
use protocol::gem::{ClientMessage, Event, Results, topic, up};
use protocol::revision::Era;
use serde_json::{Map, Value};
use smalltalk::Image;
use std::sync::Arc;
use std::time::Duration;

/// Runs calls for one gem.
pub(crate) struct Dispatcher<'g> {
    /// The machine.
    pub(crate) image: &'g mut Image,
    /// What is served.
    pub(crate) prepared: Prepared<'g>,
    /// What needs no machine.
    pub(crate) discovery: Arc<Discovery>,
    /// What runs, so that it can be cancelled.
    pub(crate) calls: Arc<Calls>,
    /// What the other thread answers from.
    pub(crate) shared: Arc<SharedState>,
    /// Why toolsets of the image are not served, until an answer has said so.
    pub(crate) load_failures: Vec<String>,
    /// Time for each call.
    pub(crate) call_time: Duration,
    /// The capabilities of the session's client.
    pub(crate) capabilities: Value,
    /// Encrypts what travels through a client.
    pub(crate) state_cipher: StateCipher,
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
        self.reload_image_toolsets(link, exchange);
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
            Err(fault) => return Reply::no_message(fault),
        };
        let (Kind::Request, Some(id), Some(method)) = (envelope.kind, envelope.id, envelope.method.as_deref()) else {
            return Reply::accepted();
        };
        let request = Request { id, method, params: envelope.params, revision: spoken(message.revision) };
        if method == "initialize" {
            self.capabilities = capabilities(envelope.params);
        }
        // What is served may depend on the view, which has to be the newest before anything is said of it.
        let moves = self.prepared.image_choice.is_some() && self.is_ephemeral(&request);
        if !moves && let Some(reply) = self.discovery.answer(&request) {
            return reply;
        }
        if self.is_ephemeral(&request)
            && let Err(refusal) = self.refresh_view()
        {
            return self.render(&request, Err(refusal));
        }
        self.reload_image_toolsets(link, exchange);
        if moves && let Some(reply) = self.discovery.answer(&request) {
            return reply;
        }
        let mut call = ClientCall::new(exchange, &request, &self.capabilities, self.calls.level());
        match method {
            "tools/call" => self.call(link, &mut call, headers, may_last),
            _ => self.serve_feature(link, &mut call).unwrap_or_else(|| unknown_method(&request, &echo(method))),
        }
    }

    /// Whether a request runs in a gem that ends with it.
    pub(crate) fn is_ephemeral(&self, request: &Request<'_>) -> bool {
        request.revision.era == Era::Stateless && self.handle.is_none()
    }

    /// A gem that was forked ahead may have waited.
    fn refresh_view(&mut self) -> Result<(), Refusal> {
        if std::mem::take(&mut self.at_newest) {
            return Ok(());
        }
        self.image.refresh().map_err(|error| Refusal::new("stoneLost", error.to_string()))?;
        self.prepared.read_log = ReadLog::new(self.image.view());
        Ok(())
    }

    /// Serves what the toolsets of the image are now, if the view has moved and something of them with it.
    fn reload_image_toolsets(&mut self, link: &mut Link, exchange: u64) {
        let Some(image_choice) = self.prepared.image_choice.as_ref().filter(|_| self.image.toolsets_touched()) else {
            return;
        };
        let (toolsets, _) = image::load(self.image, image_choice, &self.prepared.selection);
        let before = self.prepared.selection.image();
        if (&before.source, &before.failures) == (&toolsets.source, &toolsets.failures) {
            return;
        }
        self.load_failures = toolsets.failures.clone();
        self.prepared.selection.set_image(toolsets);
        let discovery = Arc::new(self.discovery.renewed(&self.prepared.selection));
        let topics = discovery.differences(&self.discovery);
        self.shared.set_discovery(&discovery);
        self.discovery = discovery;
        for topic in topics {
            // A link that is broken is found out when the answer is sent.
            let event = Event { topic: topic.name(), subject: topic::OWN, details: "" };
            let _ = link.send(up::EVENT, exchange, &[&event.encode()]);
        }
    }
}

/// What the client of a session can do, from its `initialize`.
fn capabilities(params: Option<&str>) -> Value {
    let params: Option<Map<String, Value>> = params.and_then(|params| serde_json::from_str(params).ok());
    params.and_then(|mut params| params.remove("capabilities")).unwrap_or_default()
}
