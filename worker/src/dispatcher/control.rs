//! What the control socket may carry: all that needs no machine, and what a running call waits for.
//!
//! It runs on the watch thread, so it never touches the image and never waits.

use crate::calls::{Calls, Cancel};
use crate::discovery::Discovery;
use crate::link::Link;
use crate::request::{Reply, Request, refuse, spoken, unknown_method};
use crate::tasks::{self, Tasks};
use crate::tool::text::echo;
use protocol::envelope::{Envelope, Kind};
use protocol::error::INVALID_PARAMS;
use protocol::gem::ClientMessage;
use protocol::revision::Era;
use protocol::shape::Cache;
use protocol::stateless::LOG_LEVELS;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The answer to one message.
pub(crate) fn handle_control_message(
    (discovery, calls, tasks): (&Discovery, &Calls, Option<&Tasks>),
    control: &mut Link,
    exchange: u64,
    message: ClientMessage<'_>,
) -> Reply {
    let envelope = match Envelope::parse(message.body) {
        Ok(envelope) => envelope,
        Err(fault) => return Reply::no_message(fault),
    };
    let method = envelope.method.as_deref().unwrap_or_default();
    match (envelope.kind, envelope.id) {
        (Kind::Request, Some(id)) => {
            let request = Request { id, method, params: envelope.params, revision: spoken(message.revision) };
            if method == "logging/setLevel" && request.revision.era == Era::Session {
                return set_level(discovery, calls, &request);
            }
            if let Some(reply) = tasks::answer(tasks, discovery, calls, control, &request) {
                return reply;
            }
            discovery.answer(&request).unwrap_or_else(|| unknown_method(&request, &echo(method)))
        }
        (Kind::Response { error }, Some(id)) => {
            let outcome: Value = serde_json::from_str(envelope.outcome.unwrap_or_default()).unwrap_or_default();
            let words = || outcome["message"].as_str().unwrap_or("it gave no reason").to_owned();
            calls.answer(id, if error { Err(echo(&words())) } else { Ok(outcome) });
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

fn set_level(discovery: &Discovery, calls: &Calls, request: &Request<'_>) -> Reply {
    let params: Option<Value> = request.params.and_then(|params| serde_json::from_str(params).ok());
    let level = params.as_ref().and_then(|params| params["level"].as_str());
    match level.and_then(|level| LOG_LEVELS.iter().position(|known| *known == level)) {
        Some(level) => {
            calls.set_level(level);
            discovery.result(request, json!({}), Cache::Unsaid)
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
