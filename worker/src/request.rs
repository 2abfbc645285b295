//! A request of a client, and the replies that need nothing but it: results and errors of JSON-RPC.
//!
//! It knows no method and runs nothing.

use crate::link::Reply;
use protocol::error::{self, METHOD_NOT_FOUND, stateless_status};
use protocol::revision::{self, Era, Revision};
use protocol::stateless::Fault;

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

/// A JSON-RPC result that is JSON already, with the id byte for byte.
pub(crate) fn raw_result(id: &str, result: &str) -> Reply {
    let mut body = String::with_capacity(64 + id.len() + result.len());
    body.push_str(r#"{"jsonrpc":"2.0","id":"#);
    body.push_str(id);
    body.push_str(r#","result":"#);
    body.push_str(result);
    body.push('}');
    Reply::ok(body.into_bytes())
}

/// The refusal of a request that stands for itself, with the HTTP status of its code.
pub(crate) fn refuse_with_status(id: &str, fault: &Fault) -> Reply {
    let body = error::body(Some(id), fault.code, &fault.message, fault.data.as_ref());
    Reply { status: stateless_status(fault.code), body }
}

/// A JSON-RPC error with a word for programs.
pub(crate) fn refuse(id: &str, code: i32, message: &str, kind: &str) -> Reply {
    Reply::ok(error::body_of_kind(Some(id), code, message, kind))
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
