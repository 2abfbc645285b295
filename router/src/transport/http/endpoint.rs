//! The endpoint `/mcp`: one handler a verb, over requests that were admitted.

use crate::core::events::{EventId, EventReader};
use crate::core::failure::{EndReason, Failure, Recovery};
use crate::core::headers::Headers;
use crate::core::open::Opened;
use crate::core::reply::{Pending, Reply};
use crate::core::session::Answer;
use crate::core::shared::Core;
use crate::core::table::SessionId;
use crate::observe::RequestLine;
use crate::refusal::Refusal;
use crate::transport::http::admit::{AdmittedHead, Head};
use crate::transport::http::hangup::Peer;
use crate::transport::http::spelling::Spelling;
use crate::transport::http::sse::{Ending, EventStream, opening};
use crate::transport::http::{body, cors};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::{MethodRouter, post};
use axum::{Extension, Router};
use bytes::Bytes;
use hyper::body::Incoming;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{Method, StatusCode};
use protocol::revision::Era;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use tower_service::Service;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Endpoint {
    /// Origins that are allowed beside loopback ones.
    pub(crate) origins: Vec<String>,
    /// What answers.
    pub(crate) core: Arc<Core>,
    /// How long a client may hear nothing of what it waits for.
    pub(crate) keep_alive: Duration,
    /// How headers are spelled.
    pub(crate) spelling: Spelling,
}

/// The routes. Everything that reaches them was admitted by [`serve`].
pub(crate) fn routes(endpoint: Arc<Endpoint>) -> Router {
    let verbs: MethodRouter<Arc<Endpoint>> =
        post(on_post).get(on_get).delete(on_delete).head(on_other).fallback(on_other);
    Router::new().route("/mcp", verbs).fallback(on_elsewhere).with_state(endpoint)
}

/// Handles one request, from its head to its answer.
pub(crate) async fn serve(
    endpoint: Arc<Endpoint>,
    mut routes: Router,
    mut request: hyper::Request<Incoming>,
) -> Response {
    let admitted = match Head::of(&request).admit(&endpoint.origins) {
        Ok(admitted) => admitted,
        Err(refusal) => return refuse(refusal, RequestLine::new(verb(request.method()))),
    };
    let origin = admitted.origin.clone();
    let mut response = if *request.method() == Method::CONNECT {
        // Its target has no path that could be routed.
        refuse(Refusal::Method, RequestLine::new("CONNECT"))
    } else if origin.is_some() && cors::is_preflight(request.method(), request.headers()) {
        cors::preflight(request.headers())
    } else {
        request.extensions_mut().insert(admitted);
        let Ok(response) = routes.call(request.map(Body::new)).await;
        response
    };
    cors::decorate(&mut response, origin);
    response
}

async fn on_post(
    State(endpoint): State<Arc<Endpoint>>,
    Extension(admitted): Extension<AdmittedHead>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Response {
    let mut line = RequestLine::new("POST");
    let reply = match take(&endpoint, &admitted.headers, request.into_body(), &mut line).await {
        Ok(reply) => reply,
        Err(refusal) => return refuse(refusal, line),
    };
    match reply {
        Reply::Accepted => finish(line, 202, Bytes::new()),
        Reply::Answered(body) => finish(line, 200, body),
        Reply::Pending(pending) => wait(&endpoint, pending, admitted.takes_events, peer, line).await,
        Reply::Listening(reader, listening) => {
            line.status = 200;
            let stream = EventStream::new(reader, None, endpoint.keep_alive, (line, listening));
            events(stream.until(Some(Box::pin(peer.gone()))))
        }
        Reply::Opening(task) => match task.await {
            Ok(Ok(opened)) => welcome(opened, &endpoint.spelling, line),
            Ok(Err(refusal)) => refuse(refusal, line),
            Err(_) => refuse(Refusal::Internal, line),
        },
    }
}

async fn take(endpoint: &Endpoint, headers: &Headers, body: Body, line: &mut RequestLine) -> Result<Reply, Refusal> {
    endpoint.core.check_open()?;
    line.session = session_id(headers);
    let body = body::read(body).await?;
    endpoint.core.take(headers, body, &mut line.message).await
}

fn session_id(headers: &Headers) -> Option<SessionId> {
    SessionId::parse(headers.session.as_deref()?.as_bytes())
}

/// Waits for an answer and puts it into a response. Where that takes long, a client that takes events gets a stream of
/// them, so that it sees that something is at work. Where the revision says so, a client that stops waiting has
/// cancelled.
async fn wait(
    endpoint: &Endpoint,
    mut pending: Pending,
    takes_events: bool,
    peer: Peer,
    mut line: RequestLine,
) -> Response {
    let revision = pending.session.revision;
    if pending.hold.is_some() || line.session.is_none() {
        line.session = pending.session.shown();
    }
    let gone = || -> Option<Ending> { revision.disconnect_cancels.then(|| Box::pin(peer.clone().gone()) as Ending) };
    let waited = match gone() {
        None => wait_for(endpoint, &mut pending, takes_events).await,
        Some(gone) => tokio::select! {
            waited = wait_for(endpoint, &mut pending, takes_events) => waited,
            // Nobody reads this response.
            () = gone => return finish(line, 202, Bytes::new()),
        },
    };
    let (reader, greeting) = match waited {
        Waited::Answered(Answer::Whole { status, body }) => return finish(line, status, body),
        Waited::Answered(Answer::Failed(failure)) => return fail(&failure, pending.session.recovery, line),
        Waited::Answered(Answer::Stream(reader)) => (reader, None),
        Waited::Late(reader) => (reader, Some("keep-alive")),
        Waited::Nothing => return refuse(Refusal::Internal, line),
    };
    line.status = 200;
    let first = opening(&reader, greeting, revision.priming);
    events(EventStream::new(reader, first, endpoint.keep_alive, (line, pending.hold)).until(gone()))
}

/// What a request that waited for an answer has got.
enum Waited {
    /// What the process has made of it.
    Answered(Answer),
    /// A stream, because it takes long.
    Late(EventReader),
    /// Nothing, and there will be nothing.
    Nothing,
}

async fn wait_for(endpoint: &Endpoint, pending: &mut Pending, takes_events: bool) -> Waited {
    if takes_events {
        if let Ok(answered) = timeout(endpoint.keep_alive, &mut pending.receiver).await {
            return answered.map_or(Waited::Nothing, Waited::Answered);
        }
        if let Some(reader) = pending.open_stream() {
            return Waited::Late(reader);
        }
    }
    (&mut pending.receiver).await.map_or(Waited::Nothing, Waited::Answered)
}

fn welcome(opened: Opened, spelling: &Spelling, mut line: RequestLine) -> Response {
    let id = opened.session.map(|(id, _)| id);
    line.session = id;
    let mut response = finish(line, opened.status, opened.body);
    if let Some(id) = id
        && let Ok(value) = HeaderValue::from_str(&id.to_text())
    {
        response.headers_mut().insert(SESSION, value);
        spelling.apply(&mut response);
    }
    response
}

async fn on_get(State(endpoint): State<Arc<Endpoint>>, Extension(admitted): Extension<AdmittedHead>) -> Response {
    let mut line = RequestLine::new("GET");
    match listen(&endpoint.core, &admitted) {
        Ok((reader, priming)) => {
            line.session = session_id(&admitted.headers);
            line.status = 200;
            let first = opening(&reader, Some("connected"), priming);
            events(EventStream::new(reader, first, endpoint.keep_alive, line))
        }
        Err(refusal) => refuse(refusal, line),
    }
}

/// The stream that a GET opens, and whether it is primed. Without a session nothing is ever sent on it.
fn listen(core: &Core, admitted: &AdmittedHead) -> Result<(EventReader, bool), Refusal> {
    check_session_verb(core, &admitted.headers)?;
    if admitted.headers.session.is_none() {
        return Ok((EventReader::silent(), false));
    }
    let session = core.find(&admitted.headers, false)?;
    let reader = match &admitted.last_event {
        Some(last) => {
            last.parse::<EventId>().ok().and_then(|last| session.resume(last)).ok_or(Refusal::UnknownEvent)?
        }
        None => session.listen(),
    };
    Ok((reader, session.revision.priming))
}

/// GET and DELETE belong to sessions.
fn check_session_verb(core: &Core, headers: &Headers) -> Result<(), Refusal> {
    core.check_open()?;
    let served = core.served();
    if !served.has(Era::Session) || (served.has(Era::Stateless) && headers.wants_no_session()) {
        return Err(Refusal::NoSessions);
    }
    headers.check_revision(served)
}

async fn on_delete(State(endpoint): State<Arc<Endpoint>>, Extension(admitted): Extension<AdmittedHead>) -> Response {
    let mut line = RequestLine::new("DELETE");
    let (core, headers) = (&endpoint.core, &admitted.headers);
    match check_session_verb(core, headers).and_then(|()| core.find(headers, false)) {
        Ok(session) => {
            line.session = session_id(headers);
            session.end(EndReason::Client);
            finish(line, 200, Bytes::new())
        }
        Err(refusal) => refuse(refusal, line),
    }
}

async fn on_other(request: Request) -> Response {
    refuse(Refusal::Method, RequestLine::new(verb(request.method())))
}

async fn on_elsewhere(request: Request) -> Response {
    refuse(Refusal::Path, RequestLine::new(verb(request.method())))
}

/// A response of one JSON body. An answer with nothing in it is an acknowledgement.
fn finish(mut line: RequestLine, status: u16, body: Bytes) -> Response {
    let known = StatusCode::from_u16(status).ok().filter(|status| (200..600).contains(&status.as_u16()));
    let status = match known {
        Some(StatusCode::OK) if body.is_empty() && line.message.method.is_some() => StatusCode::ACCEPTED,
        Some(status) => status,
        None => StatusCode::INTERNAL_SERVER_ERROR,
    };
    line.status = status.as_u16();
    let typed = !body.is_empty();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    if typed {
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    response
}

fn fail(failure: &Failure, recovery: Recovery, mut line: RequestLine) -> Response {
    line.refused = Some(failure.name());
    let body = Bytes::from(failure.body(line.message.id.as_deref(), recovery));
    finish(line, 200, body)
}

fn refuse(refusal: Refusal, mut line: RequestLine) -> Response {
    let response = refusal.response(line.message.id.as_deref());
    line.status = response.status().as_u16();
    line.refused = Some(refusal.kind());
    response
}

fn events<G: Unpin + Send + 'static>(stream: EventStream<G>) -> Response {
    let mut response = Response::new(Body::new(stream));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-store"));
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    response
}

/// The verb, as it may be logged.
fn verb(method: &Method) -> &'static str {
    match *method {
        Method::POST => "POST",
        Method::GET => "GET",
        Method::DELETE => "DELETE",
        Method::HEAD => "HEAD",
        Method::OPTIONS => "OPTIONS",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        _ => "other",
    }
}
