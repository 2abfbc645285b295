//! A request of a client, and the reply to it: a result or an error of JSON-RPC.
//!
//! It knows no method and runs nothing.

use protocol::envelope;
use protocol::error::{self, METHOD_NOT_FOUND, stateless_status};
use protocol::revision::{self, Era, Revision};
use protocol::stateless::Fault;
use serde_json::{Value, json};

/// A request, its parameters unread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    /// The raw JSON of its id.
    pub(crate) id: &'a str,
    /// Its method.
    pub(crate) method: &'a str,
    /// The raw JSON of its parameters.
    pub(crate) params: Option<&'a str>,
    /// The revision that the client speaks.
    pub(crate) revision: &'static Revision,
}

/// What answers an exchange: as data, and as it goes out. What was written here is never parsed again.
#[derive(Debug, PartialEq)]
pub(crate) struct Reply {
    /// The HTTP status that it asks for.
    pub(crate) status: u16,
    /// The JSON-RPC response; empty for none.
    pub(crate) body: Vec<u8>,
    /// What the response says.
    pub(crate) outcome: ReplyOutcome,
}

/// What a reply says.
#[derive(Debug, PartialEq)]
pub(crate) enum ReplyOutcome {
    /// Nothing, or what is in the body only: a list.
    BodyOnly,
    /// A result.
    Result {
        /// The result.
        result: Value,
        /// The kind of the refusal that it tells of, if a tool could not do its work.
        refusal: Option<&'static str>,
    },
    /// An error of JSON-RPC.
    Error(Fault),
}

impl Reply {
    /// No response, because none was asked for.
    pub(crate) fn accepted() -> Self {
        Self { status: 202, body: Vec::new(), outcome: ReplyOutcome::BodyOnly }
    }

    /// A response that is JSON already.
    pub(crate) fn written(body: String) -> Self {
        Self { status: 200, body: body.into_bytes(), outcome: ReplyOutcome::BodyOnly }
    }

    /// A result, with the id byte for byte.
    pub(crate) fn result(id: &str, result: Value) -> Self {
        let written = result.to_string();
        let mut body = String::with_capacity(64 + id.len() + written.len());
        body.push_str(r#"{"jsonrpc":"2.0","id":"#);
        body.push_str(id);
        body.push_str(r#","result":"#);
        body.push_str(&written);
        body.push('}');
        Self { status: 200, body: body.into_bytes(), outcome: ReplyOutcome::Result { result, refusal: None } }
    }

    /// An error, with the id byte for byte if one could be read.
    pub(crate) fn error(status: u16, id: Option<&str>, fault: Fault) -> Self {
        let body = error::body(id, fault.code, &fault.message, fault.data.as_ref());
        Self { status, body, outcome: ReplyOutcome::Error(fault) }
    }

    /// The same for a body that is no message.
    pub(crate) fn no_message(fault: envelope::Fault<'_>) -> Self {
        let envelope::Fault { code, message, id } = fault;
        Self::error(400, id, Fault { code, message: message.to_owned(), data: None })
    }

    /// Says that its result tells of a refusal of this kind.
    pub(crate) fn refusing(mut self, kind: &'static str) -> Self {
        if let ReplyOutcome::Result { refusal, .. } = &mut self.outcome {
            *refusal = Some(kind);
        }
        self
    }
}

/// The refusal of a request that stands for itself, with the HTTP status of its code.
pub(crate) fn refuse_with_status(id: &str, fault: Fault) -> Reply {
    Reply::error(stateless_status(fault.code), Some(id), fault)
}

/// A JSON-RPC error with a word for programs.
pub(crate) fn refuse(id: &str, code: i32, message: &str, kind: &str) -> Reply {
    Reply::error(200, Some(id), Fault { code, message: message.to_owned(), data: Some(json!({ "kind": kind })) })
}

/// The refusal of a method that is not known here.
pub(crate) fn unknown_method(request: &Request<'_>, method: &str) -> Reply {
    let reply = refuse(request.id, METHOD_NOT_FOUND, &format!("Method not found: {method}"), "notFound");
    match request.revision.era {
        Era::Session => reply,
        Era::Stateless => Reply { status: stateless_status(METHOD_NOT_FOUND), ..reply },
    }
}

/// The row of the revision that the router says the client speaks.
pub(crate) fn spoken(name: &str) -> &'static Revision {
    revision::find(name).unwrap_or_else(revision::newest_of_sessions)
}
