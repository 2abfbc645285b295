//! From an admitted request and its body to an answer: read the envelope, judge the era, find the session, forward.
//!
//! [`Routed`] can only be made from an [`Admitted`], and [`Forwarded`] only from a [`Routed`]. Beyond the envelope and
//! the metadata nothing of the body is looked at, but the id that a `notifications/cancelled` names, the resource that
//! is subscribed to, and what a request is about, for its headers and for the log.

use crate::admit::Admitted;
use crate::alone::{Alone, Served as Answered};
use crate::era::{Verdict, judge};
use crate::open::{Opened, Opener};
use crate::refusal::Refusal;
use crate::session::{Answer, Batch, Parcel, Session, Way};
use crate::table::{SessionId, Table, WorkerKey};
use bytes::Bytes;
use protocol::envelope::{Envelope, Fault, Kind, batch};
use protocol::error::INVALID_REQUEST;
use protocol::revision::Served;
use protocol::stateless::Glance;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::Arc;
use tokio::sync::oneshot;

/// What is worth knowing of a message while it is handled and logged.
#[derive(Debug, Clone, Default)]
pub(crate) struct Message {
    /// Its raw id.
    pub(crate) id: Option<Box<str>>,
    /// Its method.
    pub(crate) method: Option<Box<str>>,
    /// The tool that it calls.
    pub(crate) tool: Option<Box<str>>,
}

/// A message that may be forwarded, and where to.
#[derive(Debug)]
pub(crate) enum Routed {
    /// A request that opens a session.
    Open {
        /// The raw id.
        id: Box<str>,
        /// The raw parameters.
        params: Option<Box<str>>,
        /// The body.
        body: Bytes,
    },
    /// A request in a session.
    Ask {
        /// Whose.
        session: Arc<Session>,
        /// Which socket.
        way: Way,
        /// The raw id.
        id: Box<str>,
        /// The body.
        body: Bytes,
    },
    /// A message that wants no answer.
    Tell {
        /// Whose.
        session: Arc<Session>,
        /// Which socket.
        way: Way,
        /// The body.
        body: Bytes,
    },
    /// The client gives up a request.
    Cancel {
        /// Whose.
        session: Arc<Session>,
        /// The raw id that it names.
        id: Option<Box<str>>,
    },
    /// Several messages in a session.
    Batch {
        /// Whose.
        session: Arc<Session>,
        /// Each of them.
        parts: Vec<Part>,
    },
    /// A request that stands for itself.
    Alone(Alone),
    /// A message that asks for nothing.
    Nothing,
}

/// One message of a batch.
#[derive(Debug)]
pub(crate) enum Part {
    /// A request.
    Ask {
        /// Which socket.
        way: Way,
        /// The raw id.
        id: Box<str>,
        /// The message.
        body: Bytes,
    },
    /// A message that wants no answer, and which socket it takes: what a call waits for must not wait behind it.
    Tell(Way, Bytes),
    /// The client gives up the request of this raw id.
    Cancel(Option<Box<str>>),
}

/// What a POST waits for.
#[derive(Debug)]
pub(crate) enum Waiting {
    /// The exchange of this number, over this socket.
    Exchange(Way, u64),
    /// Several at once.
    Batch(Arc<Batch>),
}

/// A message that was forwarded.
#[derive(Debug)]
pub(crate) enum Forwarded {
    /// A session is being opened.
    Opening(tokio::task::JoinHandle<Result<Opened, Refusal>>),
    /// A session's gem will answer.
    Asked {
        /// Whose.
        session: Arc<Session>,
        /// What becomes a stream if it takes long.
        waiting: Waiting,
        /// The answer.
        receiver: oneshot::Receiver<Answer>,
    },
    /// A request that stands for itself has a gem or an answer.
    Alone(Answered),
    /// That was all.
    Told,
}

#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct GivenUp<'a> {
    #[serde(borrow, rename = "requestId")]
    request_id: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Subscribed<'a> {
    #[serde(borrow)]
    uri: Cow<'a, str>,
}

impl Routed {
    /// Reads the message and finds where it goes. What is known of it is written to `message` even if it is refused.
    pub(crate) fn new(
        admitted: &Admitted,
        body: Bytes,
        table: &Table,
        served: &Served,
        message: &mut Message,
    ) -> Result<Self, Refusal> {
        if let Some(parts) = batch(&body) {
            return route_batch(admitted, &body, parts, table, served);
        }
        let envelope = Envelope::parse(&body).map_err(|fault| {
            message.id = fault.id.map(Into::into);
            Refusal::NoMessage { code: fault.code, message: fault.message }
        })?;
        *message = Message::of(&envelope);
        let glance = Glance::at(envelope.params);
        match judge(&envelope, &glance, admitted, served)? {
            Verdict::Session => {}
            Verdict::Nothing => return Ok(Routed::Nothing),
            Verdict::Alone { revision, name } => {
                let own = |text: Option<&str>| text.map(Box::from);
                let method = own(envelope.method.as_deref()).unwrap_or_default();
                let (id, params) = (own(envelope.id).unwrap_or_default(), own(envelope.params));
                return Ok(Routed::Alone(Alone { revision, method, name, id, params, body }));
            }
        }
        admitted.check_revision(served)?;
        if let (Kind::Request, Some("initialize"), Some(id)) = (envelope.kind, envelope.method.as_deref(), envelope.id)
        {
            let (id, params) = (id.into(), envelope.params.map(Into::into));
            return Ok(Routed::Open { id, params, body });
        }
        let session = find(admitted, table, true)?;
        note_subscription(&session, &envelope)?;
        let part = Part::of(&envelope, body.clone());
        Ok(match part {
            Part::Ask { way, id, body } => Routed::Ask { session, way, id, body },
            Part::Tell(way, body) => Routed::Tell { session, way, body },
            Part::Cancel(id) => Routed::Cancel { session, id },
        })
    }

    /// Forwards it.
    pub(crate) async fn forward(self, admitted: &Admitted, opener: &Arc<Opener>) -> Result<Forwarded, Refusal> {
        let parcel =
            |session: &Session, body| Parcel { revision: session.revision, headers: &[], body, may_last: false };
        Ok(match self {
            Routed::Open { id, params, body } => {
                // A task of its own: a client that goes away must not leave half a session.
                let (opener, principal) = (opener.clone(), admitted.principal.clone());
                let open = async move { opener.open(&principal, &id, params.as_deref(), &body).await };
                Forwarded::Opening(tokio::spawn(open))
            }
            Routed::Ask { session, way, id, body } => {
                let (number, receiver) = session.ask(way, &id, &parcel(&session, &body))?;
                Forwarded::Asked { session, waiting: Waiting::Exchange(way, number), receiver }
            }
            Routed::Tell { session, way, body } => {
                session.tell(way, &parcel(&session, &body))?;
                Forwarded::Told
            }
            Routed::Cancel { session, id } => {
                cancel(&session, id);
                Forwarded::Told
            }
            Routed::Batch { session, parts } => forward_batch(session, parts)?,
            Routed::Alone(alone) => Forwarded::Alone(alone.serve(admitted, opener).await?),
            Routed::Nothing => Forwarded::Told,
        })
    }
}

impl Part {
    fn of(envelope: &Envelope<'_>, body: Bytes) -> Self {
        match (envelope.kind, envelope.id, envelope.method.as_deref()) {
            (Kind::Request, Some(id), Some(method)) => Part::Ask { way: Way::of(method), id: id.into(), body },
            (Kind::Notification, _, Some("notifications/cancelled")) => {
                Part::Cancel(envelope.params.and_then(given_up).map(Into::into))
            }
            (Kind::Response { .. }, ..) => Part::Tell(Way::Control, body),
            _ => Part::Tell(Way::Calls, body),
        }
    }
}

/// Messages that came as one array; the session's revision must have such.
fn route_batch(
    admitted: &Admitted,
    body: &Bytes,
    parts: Result<Vec<&str>, Fault<'_>>,
    table: &Table,
    served: &Served,
) -> Result<Routed, Refusal> {
    let invalid = |message| Refusal::NoMessage { code: INVALID_REQUEST, message };
    let parts = parts.map_err(|fault| Refusal::NoMessage { code: fault.code, message: fault.message })?;
    let envelopes = parts.iter().map(|part| Envelope::parse(part.as_bytes())).collect::<Result<Vec<_>, _>>();
    let envelopes = envelopes.map_err(|fault| invalid(fault.message))?;
    if envelopes.iter().any(|envelope| Glance::at(envelope.params).is_enveloped()) {
        return Err(invalid("Invalid request: requests that stand for themselves are not sent in batches"));
    }
    if envelopes.iter().any(|envelope| envelope.method.as_deref() == Some("initialize")) {
        return Err(invalid("Invalid request: initialize is not sent in a batch"));
    }
    admitted.check_revision(served)?;
    let session = find(admitted, table, true)?;
    if !session.revision.batches {
        return Err(invalid("Invalid request: batches are served in sessions at 2025-03-26 only"));
    }
    for envelope in &envelopes {
        note_subscription(&session, envelope)?;
    }
    let part = |(envelope, text): (&Envelope<'_>, &str)| Part::of(envelope, body.slice_ref(text.as_bytes()));
    let parts = envelopes.iter().zip(parts).map(part).collect();
    Ok(Routed::Batch { session, parts })
}

fn forward_batch(session: Arc<Session>, parts: Vec<Part>) -> Result<Forwarded, Refusal> {
    let requests = parts.iter().filter(|part| matches!(part, Part::Ask { .. })).count();
    let (batch, receiver) = Batch::new(requests);
    let batch = Arc::new(batch);
    for part in parts {
        let parcel = |body| Parcel { revision: session.revision, headers: &[], body, may_last: false };
        match part {
            Part::Ask { way, id, body } => session.ask_in_batch(way, &id, &parcel(&body), &batch)?,
            Part::Tell(way, body) => session.tell(way, &parcel(&body))?,
            Part::Cancel(id) => cancel(&session, id),
        }
    }
    let waiting = Waiting::Batch(batch);
    Ok(if requests == 0 { Forwarded::Told } else { Forwarded::Asked { session, waiting, receiver } })
}

fn cancel(session: &Session, id: Option<Box<str>>) {
    if let Some(id) = id {
        session.cancel(&id);
    }
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

impl Message {
    fn of(envelope: &Envelope<'_>) -> Self {
        let tool = match envelope.method.as_deref() {
            Some("tools/call") => envelope.params.and_then(tool_name),
            _ => None,
        };
        Self { id: envelope.id.map(Into::into), method: envelope.method.as_deref().map(Into::into), tool }
    }
}

/// The session that a request names.
pub(crate) fn find(admitted: &Admitted, table: &Table, post: bool) -> Result<Arc<Session>, Refusal> {
    let named = admitted.session().ok_or(Refusal::NoSession { post })?;
    let id = SessionId::parse(named).ok_or(Refusal::UnknownSession)?;
    let key = WorkerKey::Session { principal: admitted.principal.clone(), id };
    table.get(&key).ok_or(Refusal::UnknownSession)
}

fn tool_name(params: &str) -> Option<Box<str>> {
    /// Longest name of a tool that is logged.
    const TOOL_BYTES_MAX: usize = 128;
    let name = serde_json::from_str::<Named<'_>>(params).ok()?.name?;
    (name.len() <= TOOL_BYTES_MAX).then(|| name.into())
}

fn given_up(params: &str) -> Option<&str> {
    serde_json::from_str::<GivenUp<'_>>(params).ok()?.request_id.map(RawValue::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_router_looks_for_is_found_and_nothing_else_matters() {
        assert_eq!(tool_name(r#"{"arguments":{"name":"no"},"name":"commit"}"#).as_deref(), Some("commit"));
        assert_eq!(tool_name(r#"{"name":7}"#), None);
        assert_eq!(tool_name("[]"), None);
        assert_eq!(given_up(r#"{"requestId":"a\u0062","reason":"x"}"#), Some(r#""a\u0062""#));
        assert_eq!(given_up("{}"), None);
    }

    fn route(body: Bytes, message: &mut Message) -> Result<Routed, Refusal> {
        Routed::new(&Admitted::default(), body, &Table::default(), &Served::default(), message)
    }

    #[test]
    fn a_message_that_is_refused_keeps_its_id() {
        let mut message = Message::default();
        let body = Bytes::from_static(br#"{"jsonrpc":"2.0","id":"x","method":"ping"}"#);
        let refused = route(body, &mut message);
        assert_eq!(refused.expect_err("refused"), Refusal::NoSession { post: true });
        assert_eq!(message.id.as_deref(), Some("\"x\""));
        let body = Bytes::from_static(br#"{"jsonrpc":"2.0","id":9,"method":1}"#);
        assert!(route(body, &mut message).is_err());
        assert_eq!(message.id.as_deref(), Some("9"));
    }
}
