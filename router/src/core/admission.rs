//! Admission: from bytes to a message that may be forwarded, the same for every transport.
//!
//! It reads the envelope and decides what the message is to a session. Beyond the envelope nothing of the body is
//! looked at but the id that a `notifications/cancelled` names, the resource that is subscribed to, and the tool's name
//! for the log.

use crate::core::session::{Batch, Message, Responder, Route, Session};
use crate::refusal::Refusal;
use bytes::Bytes;
use protocol::envelope::{Envelope, Kind, batch};
use protocol::error::INVALID_REQUEST;
use protocol::stateless::RoutingParams;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::Arc;

/// What is worth knowing of a message while it is handled and logged.
#[derive(Debug, Clone, Default)]
pub(crate) struct Summary {
    /// Its raw id.
    pub(crate) id: Option<Box<str>>,
    /// Its method.
    pub(crate) method: Option<Box<str>>,
    /// The tool that it calls.
    pub(crate) tool: Option<Box<str>>,
}

/// One message for a session, admitted.
#[derive(Debug)]
pub(crate) enum Admitted {
    /// A request.
    Request {
        /// Which way it takes to the backend.
        route: Route,
        /// The raw id.
        id: Box<str>,
        /// The message.
        body: Bytes,
    },
    /// A message that wants no answer.
    Notification(Route, Bytes),
    /// The client gives up the request of this raw id.
    Cancel(Option<Box<str>>),
}

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Cancelled<'a> {
    #[serde(borrow, rename = "requestId")]
    request_id: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Subscribed<'a> {
    #[serde(borrow)]
    uri: Cow<'a, str>,
}

/// Reads one message; what is known of it is written to `summary` even if it is refused.
pub(crate) fn read<'a>(body: &'a [u8], summary: &mut Summary) -> Result<Envelope<'a>, Refusal> {
    let envelope = Envelope::parse(body).map_err(|fault| {
        summary.id = fault.id.map(Into::into);
        Refusal::NoMessage { code: fault.code, message: fault.message }
    })?;
    *summary = Summary::of(&envelope);
    Ok(envelope)
}

/// Reads several messages that came as one array; `None` if the body is no array.
pub(crate) fn read_batch(body: &[u8]) -> Option<Result<Vec<(Envelope<'_>, &str)>, Refusal>> {
    let parts = batch(body)?;
    let invalid = |message| Refusal::NoMessage { code: INVALID_REQUEST, message };
    let read = || {
        let parts = parts.map_err(|fault| Refusal::NoMessage { code: fault.code, message: fault.message })?;
        let envelopes = parts.iter().map(|part| Envelope::parse(part.as_bytes())).collect::<Result<Vec<_>, _>>();
        let envelopes = envelopes.map_err(|fault| invalid(fault.message))?;
        if envelopes.iter().any(|envelope| RoutingParams::read(envelope.params).names_revision()) {
            return Err(invalid("Invalid request: requests that stand for themselves are not sent in batches"));
        }
        if envelopes.iter().any(|envelope| envelope.method.as_deref() == Some("initialize")) {
            return Err(invalid("Invalid request: initialize is not sent in a batch"));
        }
        Ok(envelopes.into_iter().zip(parts).collect())
    };
    Some(read())
}

/// The refusal of a batch where none is served.
pub(crate) fn no_batches() -> Refusal {
    let message = "Invalid request: batches are served in sessions at 2025-03-26 only";
    Refusal::NoMessage { code: INVALID_REQUEST, message }
}

impl Admitted {
    /// Admits a message to a session: what it subscribes to is noted there.
    pub(crate) fn new(session: &Session, envelope: &Envelope<'_>, body: Bytes) -> Result<Self, Refusal> {
        note_subscription(session, envelope)?;
        Ok(match (envelope.kind, envelope.id, envelope.method.as_deref()) {
            (Kind::Request, Some(id), Some(method)) => {
                Admitted::Request { route: Route::of(method), id: id.into(), body }
            }
            (Kind::Notification, _, Some("notifications/cancelled")) => {
                Admitted::Cancel(envelope.params.and_then(cancelled).map(Into::into))
            }
            // What a call waits for must not wait behind it.
            (Kind::Response { .. }, ..) => Admitted::Notification(Route::Control, body),
            _ => Admitted::Notification(Route::Calls, body),
        })
    }

    /// Admits the messages of a batch, in a session whose revision has such.
    pub(crate) fn batch(session: &Session, body: &Bytes, parts: &[(Envelope<'_>, &str)]) -> Result<Vec<Self>, Refusal> {
        if !session.revision.batches {
            return Err(no_batches());
        }
        let admit =
            |(envelope, text): &(Envelope<'_>, &str)| Admitted::new(session, envelope, body.slice_ref(text.as_bytes()));
        parts.iter().map(admit).collect()
    }

    /// Forwards it; answers the number of its exchange if it is a request.
    pub(crate) fn forward(
        self,
        session: &Session,
        responder: impl FnOnce() -> Responder,
    ) -> Result<Option<u64>, Refusal> {
        match self {
            Admitted::Request { route, id, body } => {
                Ok(Some(session.ask(route, &id, Message::in_session(session, &body), responder())?))
            }
            Admitted::Notification(route, body) => {
                session.tell(route, &Message::in_session(session, &body))?;
                Ok(None)
            }
            Admitted::Cancel(id) => {
                if let Some(id) = id {
                    session.cancel(&id);
                }
                Ok(None)
            }
        }
    }
}

/// Forwards a batch, whose answers go to `responder`. `None` if none of its messages wants an answer.
pub(crate) fn forward_batch(
    session: &Session,
    parts: Vec<Admitted>,
    responder: Responder,
) -> Result<Option<Arc<Batch>>, Refusal> {
    let requests = parts.iter().filter(|part| matches!(part, Admitted::Request { .. })).count();
    let batch = Arc::new(Batch::new(requests, responder));
    for part in parts {
        part.forward(session, || Responder::Batch(batch.clone()))?;
    }
    Ok((requests > 0).then_some(batch))
}

/// A client that subscribes to a resource in its session hears of what any gem does to it.
fn note_subscription(session: &Session, envelope: &Envelope<'_>) -> Result<(), Refusal> {
    let wanted = match (envelope.kind, envelope.method.as_deref()) {
        (Kind::Request, Some("resources/subscribe")) => true,
        (Kind::Request, Some("resources/unsubscribe")) => false,
        _ => return Ok(()),
    };
    let params = envelope.params.filter(|params| params.starts_with('{'));
    let Some(Ok(Subscribed { uri })) = params.map(serde_json::from_str) else { return Ok(()) };
    if session.subscribe(&uri, wanted) { Ok(()) } else { Err(Refusal::Overloaded) }
}

impl Summary {
    fn of(envelope: &Envelope<'_>) -> Self {
        let tool = match envelope.method.as_deref() {
            Some("tools/call") => envelope.params.and_then(tool_name),
            _ => None,
        };
        Self { id: envelope.id.map(Into::into), method: envelope.method.as_deref().map(Into::into), tool }
    }
}

fn tool_name(params: &str) -> Option<Box<str>> {
    /// Longest name of a tool that is logged.
    const TOOL_BYTES_MAX: usize = 128;
    let name = serde_json::from_str::<Named<'_>>(params).ok()?.name?;
    (name.len() <= TOOL_BYTES_MAX).then(|| name.into())
}

/// The raw id that the parameters of a `notifications/cancelled` name.
pub(crate) fn cancelled(params: &str) -> Option<&str> {
    serde_json::from_str::<Cancelled<'_>>(params).ok()?.request_id.map(RawValue::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_router_looks_for_is_found_and_nothing_else_matters() {
        assert_eq!(tool_name(r#"{"arguments":{"name":"no"},"name":"commit"}"#).as_deref(), Some("commit"));
        assert_eq!(tool_name(r#"{"name":7}"#), None);
        assert_eq!(tool_name("[]"), None);
        assert_eq!(cancelled(r#"{"requestId":"a\u0062","reason":"x"}"#), Some(r#""a\u0062""#));
        assert_eq!(cancelled("{}"), None);
    }

    #[test]
    fn a_message_that_is_refused_keeps_its_id() {
        let mut summary = Summary::default();
        assert!(read(br#"{"jsonrpc":"2.0","id":9,"method":1}"#, &mut summary).is_err());
        assert_eq!(summary.id.as_deref(), Some("9"));
    }

    #[test]
    fn a_batch_is_refused_as_a_whole() {
        assert!(read_batch(b"{}").is_none());
        let code = |body: &[u8]| match read_batch(body).expect("an array") {
            Ok(_) => 0,
            Err(Refusal::NoMessage { code, .. }) => code,
            Err(other) => panic!("{other:?}"),
        };
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        assert_eq!(code(format!("[{ping},{ping}]").as_bytes()), 0);
        for wrong in ["[]", "[7]", &format!("[{ping},{{}}]"), &format!("[{}]", ping.replace("ping", "initialize"))] {
            assert_eq!(code(wrong.as_bytes()), INVALID_REQUEST, "{wrong}");
        }
    }
}
