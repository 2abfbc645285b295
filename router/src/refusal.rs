//! Everything that the router refuses by itself, and the one place where a refusal becomes an HTTP response.
//!
//! A refusal says what was wrong and what to do. It never repeats a header's value, and repeats an id only as the raw
//! JSON that was checked before.

use crate::core::session::Refused;
use axum::body::Body;
use axum::response::Response;
use hyper::StatusCode;
use hyper::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use protocol::error::{self, INTERNAL_ERROR, INVALID_REQUEST, stateless_status};
use protocol::limits::{BODY_BYTES_MAX, BODY_MILLIS};
use protocol::stateless::Fault;
use serde_json::{Value, json};

/// Why a request is not forwarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// No `Host`, several, or one that the request's target contradicts.
    BadHost,
    /// A `Host` that is not this machine's loopback.
    ForeignHost,
    /// An `Origin` that is not allowed.
    ForeignOrigin,
    /// A header that may be given once was given several times.
    RepeatedHeader(&'static str),
    /// A browser's request that is not JSON.
    NotJson,
    /// A body over the limit.
    TooLarge,
    /// A body that did not arrive in time.
    TooSlow,
    /// A body that broke off or broke HTTP's rules.
    BrokenBody,
    /// A body that is no message.
    NoMessage {
        /// The JSON-RPC code.
        code: i32,
        /// What is wrong.
        message: &'static str,
    },
    /// A revision that is not served; these are, of those with sessions.
    Revision(Vec<&'static str>),
    /// A stateless request that breaks a rule of its own.
    Stateless(Box<Fault>),
    /// The event after which a client wants to read on is not kept.
    UnknownEvent,
    /// Methods that only sessions have, where none are served.
    NoSessions,
    /// A request that must name its session and does not.
    NoSession {
        /// Whether it was a POST, which can say what to do.
        post: bool,
    },
    /// A session that does not exist, or not any more.
    UnknownSession,
    /// The session has too many calls already.
    Overloaded,
    /// The router has too many sessions already.
    TooManySessions,
    /// Too many streams listen already.
    TooManyListeners(usize),
    /// There is no stone.
    NoStone(String),
    /// No gem can be started.
    NoWorker(String),
    /// The router is being stopped.
    Stopping,
    /// A method that the endpoint does not have.
    Method,
    /// A path that is not the endpoint.
    Path,
    /// A fault of the router itself.
    Internal,
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Full => Refusal::Overloaded,
            Refused::Closed(_) => Refusal::UnknownSession,
        }
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Refusal::Stateless(Box::new(fault))
    }
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Refusal::BadHost
            | Refusal::RepeatedHeader(_)
            | Refusal::BrokenBody
            | Refusal::NoMessage { .. }
            | Refusal::Revision(_)
            | Refusal::UnknownEvent
            | Refusal::NoSession { .. } => StatusCode::BAD_REQUEST,
            Refusal::Stateless(fault) => {
                StatusCode::from_u16(stateless_status(fault.code)).unwrap_or(StatusCode::BAD_REQUEST)
            }
            Refusal::ForeignHost | Refusal::ForeignOrigin => StatusCode::FORBIDDEN,
            Refusal::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Refusal::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Refusal::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Refusal::UnknownSession | Refusal::Path => StatusCode::NOT_FOUND,
            Refusal::Method | Refusal::NoSessions => StatusCode::METHOD_NOT_ALLOWED,
            Refusal::Overloaded
            | Refusal::TooManySessions
            | Refusal::TooManyListeners(_)
            | Refusal::NoStone(_)
            | Refusal::NoWorker(_)
            | Refusal::Stopping => StatusCode::SERVICE_UNAVAILABLE,
            Refusal::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// A word for programs.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Refusal::BadHost | Refusal::ForeignHost => "host",
            Refusal::ForeignOrigin => "origin",
            Refusal::RepeatedHeader(_) => "repeatedHeader",
            Refusal::NotJson => "mediaType",
            Refusal::TooLarge => "tooLarge",
            Refusal::TooSlow => "tooSlow",
            Refusal::BrokenBody => "brokenBody",
            Refusal::NoMessage { .. } => "invalidMessage",
            Refusal::Revision(_) => "unsupportedRevision",
            Refusal::Stateless(_) => "stateless",
            Refusal::UnknownEvent => "unknownEvent",
            Refusal::NoSessions => "noSessions",
            Refusal::NoSession { .. } => "noSession",
            Refusal::UnknownSession => "unknownSession",
            Refusal::Overloaded | Refusal::TooManySessions | Refusal::TooManyListeners(_) => "overloaded",
            Refusal::NoStone(_) => "noStone",
            Refusal::NoWorker(_) => "noWorker",
            Refusal::Stopping => "stopping",
            Refusal::Method => "method",
            Refusal::Path => "path",
            Refusal::Internal => "internal",
        }
    }

    fn message(&self) -> String {
        match self {
            Refusal::BadHost => "A request needs exactly one Host header, equal to the authority of its target".into(),
            Refusal::ForeignHost => "Host not allowed (DNS-rebinding protection): use localhost or 127.0.0.1".into(),
            Refusal::ForeignOrigin => "Origin not allowed (DNS-rebinding protection)".into(),
            Refusal::RepeatedHeader(name) => format!("The header {name} may be given only once"),
            Refusal::NotJson => "A request with an Origin header must be of type application/json".into(),
            Refusal::TooLarge => format!("The request body is longer than {BODY_BYTES_MAX} bytes"),
            Refusal::TooSlow => format!("The request body did not arrive within {} seconds", BODY_MILLIS / 1000),
            Refusal::BrokenBody => "The request body is incomplete or badly framed".into(),
            Refusal::NoMessage { message, .. } => (*message).into(),
            Refusal::Revision(supported) => {
                format!("Unsupported MCP-Protocol-Version: use {}", supported.join(" or "))
            }
            Refusal::Stateless(fault) => fault.message.clone(),
            Refusal::UnknownEvent => {
                "The events after this Last-Event-ID are not kept any more; open a stream without \
                it, and call again what has no answer"
                    .into()
            }
            Refusal::NoSessions => "There are no sessions at this revision; only POST is served".into(),
            Refusal::NoSession { post: true } => "Missing MCP-Session-Id header (call initialize first)".into(),
            Refusal::NoSession { post: false } => "Missing MCP-Session-Id header".into(),
            Refusal::UnknownSession => "Unknown or expired session".into(),
            Refusal::Overloaded => "The session has too many calls under way; try again when some have ended".into(),
            Refusal::TooManySessions => "The server has too many sessions; try again later or end one".into(),
            Refusal::TooManyListeners(most) => format!("{most} streams listen already; close one or try again later"),
            Refusal::NoStone(reason) | Refusal::NoWorker(reason) => format!("No session can be opened: {reason}"),
            Refusal::Stopping => "The server is being stopped".into(),
            Refusal::Method => "Only POST, GET and DELETE are served here".into(),
            Refusal::Path => "There is nothing here; the endpoint is /mcp".into(),
            Refusal::Internal => "The server failed to handle this request".into(),
        }
    }

    fn code(&self) -> i32 {
        match self {
            Refusal::NoMessage { code, .. } => *code,
            Refusal::Stateless(fault) => fault.code,
            _ if self.status().is_server_error() => INTERNAL_ERROR,
            _ => INVALID_REQUEST,
        }
    }

    fn data(&self) -> Option<Value> {
        match self {
            Refusal::Revision(supported) => Some(json!({ "kind": self.kind(), "supported": supported })),
            Refusal::Stateless(fault) => fault.data.clone(),
            _ => Some(json!({ "kind": self.kind() })),
        }
    }

    /// As the body of a JSON-RPC error response; `id` is the raw id of the request, where it was read.
    pub(crate) fn body(&self, id: Option<&str>) -> Vec<u8> {
        error::body(id, self.code(), &self.message(), self.data().as_ref())
    }

    /// As a response; `id` is the raw id of the request, where it was read.
    pub(crate) fn response(&self, id: Option<&str>) -> Response {
        let mut response = Response::new(Body::from(self.body(id)));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        match self {
            Refusal::NoSessions => drop(headers.insert(ALLOW, HeaderValue::from_static("POST"))),
            Refusal::Method => drop(headers.insert(ALLOW, HeaderValue::from_static("POST, GET, DELETE"))),
            Refusal::TooLarge | Refusal::TooSlow | Refusal::BrokenBody | Refusal::Stopping => {
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            _ => {}
        }
        if self.status() == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}
