//! From an admitted request and its body to an answer: read the envelope, find the session, forward, wait.
//!
//! [`Routed`] can only be made from an [`Admitted`], and [`Forwarded`] only from a [`Routed`]. Beyond the envelope
//! nothing of the body is looked at, but the id that a `notifications/cancelled` names and the tool's name for the log.

use crate::admit::Admitted;
use crate::open::{Opened, Opener};
use crate::refusal::Refusal;
use crate::session::{Answer, Session, Way};
use crate::table::{SessionId, Table};
use bytes::Bytes;
use protocol::envelope::{Envelope, Kind};
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
}

/// A message that was forwarded.
#[derive(Debug)]
pub(crate) enum Forwarded {
    /// A session is being opened.
    Opening(tokio::task::JoinHandle<Result<Opened, Refusal>>),
    /// An answer will come.
    Asked(oneshot::Receiver<Answer>),
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

impl Routed {
    /// Reads the message and finds where it goes. What is known of it is written to `message` even if it is refused.
    pub(crate) fn new(admitted: &Admitted, body: Bytes, table: &Table, message: &mut Message) -> Result<Self, Refusal> {
        let envelope = Envelope::parse(&body).map_err(|fault| {
            message.id = fault.id.map(Into::into);
            Refusal::NoMessage { code: fault.code, message: fault.message }
        })?;
        *message = Message::of(&envelope);
        admitted.check_revision()?;
        let method = envelope.method.as_deref();
        if let (Kind::Request, Some("initialize"), Some(id)) = (envelope.kind, method, envelope.id) {
            let (id, params) = (id.into(), envelope.params.map(Into::into));
            return Ok(Routed::Open { id, params, body });
        }
        let session = find(admitted, table, true)?;
        Ok(match (envelope.kind, envelope.id, method) {
            (Kind::Request, Some(id), Some(method)) => {
                let (way, id) = (Way::of(method), id.into());
                Routed::Ask { session, way, id, body }
            }
            (Kind::Notification, _, Some("notifications/cancelled")) => {
                let id = envelope.params.and_then(given_up).map(Into::into);
                Routed::Cancel { session, id }
            }
            _ => Routed::Tell { session, body },
        })
    }

    /// Forwards it.
    pub(crate) fn forward(self, opener: &Arc<Opener>) -> Result<Forwarded, Refusal> {
        Ok(match self {
            Routed::Open { id, params, body } => {
                // A task of its own: a client that goes away must not leave half a session.
                let opener = opener.clone();
                Forwarded::Opening(tokio::spawn(async move { opener.open(&id, params.as_deref(), &body).await }))
            }
            Routed::Ask { session, way, id, body } => Forwarded::Asked(session.ask(way, &id, &body)?),
            Routed::Tell { session, body } => {
                session.tell(Way::Calls, &body)?;
                Forwarded::Told
            }
            Routed::Cancel { session, id } => {
                if let Some(id) = id {
                    session.cancel(&id);
                }
                Forwarded::Told
            }
        })
    }
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
    SessionId::parse(named).and_then(|id| table.get(&id)).ok_or(Refusal::UnknownSession)
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

    #[test]
    fn a_message_that_is_refused_keeps_its_id() {
        let mut message = Message::default();
        let body = Bytes::from_static(br#"{"jsonrpc":"2.0","id":"x","method":"ping"}"#);
        let refused = Routed::new(&Admitted::default(), body, &Table::default(), &mut message);
        assert_eq!(refused.expect_err("refused"), Refusal::NoSession { post: true });
        assert_eq!(message.id.as_deref(), Some("\"x\""));
        let body = Bytes::from_static(br#"{"jsonrpc":"2.0","id":9,"method":1}"#);
        assert!(Routed::new(&Admitted::default(), body, &Table::default(), &mut message).is_err());
        assert_eq!(message.id.as_deref(), Some("9"));
    }
}
