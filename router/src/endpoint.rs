//! The endpoint `/mcp`: one handler a verb, over requests that were admitted.

use crate::admit::{Admitted, Head};
use crate::alone::Served;
use crate::body;
use crate::cors;
use crate::events::{EventStream, Source};
use crate::front::Front;
use crate::hangup::Peer;
use crate::loss::{Loss, Remedy};
use crate::observe::RequestLine;
use crate::open::Opened;
use crate::refusal::Refusal;
use crate::route::{self, Forwarded, Routed, Waiting};
use crate::session::{Answer, Session};
use crate::table::SessionId;
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
use tokio::sync::oneshot;
use tokio::time::timeout;
use tower_service::Service;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The routes. Everything that reaches them was admitted by [`serve`].
pub(crate) fn routes(front: Arc<Front>) -> Router {
    let endpoint: MethodRouter<Arc<Front>> =
        post(on_post).get(on_get).delete(on_delete).head(on_other).fallback(on_other);
    Router::new().route("/mcp", endpoint).fallback(on_elsewhere).with_state(front)
}

/// Handles one request, from its head to its answer.
pub(crate) async fn serve(front: Arc<Front>, mut routes: Router, mut request: hyper::Request<Incoming>) -> Response {
    let admitted = match Head::of(&request).admit(&front.origins) {
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
    State(front): State<Arc<Front>>,
    Extension(admitted): Extension<Admitted>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Response {
    let mut line = RequestLine::new("POST");
    match forward(&front, &admitted, request.into_body(), &mut line).await {
        Ok(forwarded) => {
            let mut response = respond(&front, forwarded, admitted.takes_events, peer, line).await;
            if response.headers().contains_key(SESSION) {
                front.spelling.apply(&mut response);
            }
            response
        }
        Err(refusal) => refuse(refusal, line),
    }
}

async fn forward(front: &Front, admitted: &Admitted, body: Body, line: &mut RequestLine) -> Result<Forwarded, Refusal> {
    front.check_open()?;
    line.session = admitted.session().and_then(SessionId::parse);
    let body = body::read(body).await?;
    let opener = &front.opener;
    let routed = Routed::new(admitted, body, &front.around.table, opener.served(), &mut line.message)?;
    routed.forward(admitted, opener).await
}

/// What whoever waited for an answer has got.
enum Waited {
    /// What the gem has made of the request.
    Answered(Answer),
    /// A stream, because it takes long.
    Late(Source),
    /// Nothing, and there will be nothing.
    Nothing,
}

/// Waits for the answer and puts it into a response.
async fn respond(front: &Front, forwarded: Forwarded, takes_events: bool, peer: Peer, line: RequestLine) -> Response {
    match forwarded {
        Forwarded::Told => finish(line, 202, Bytes::new()),
        Forwarded::Asked { session, waiting, receiver } => {
            let priming = session.revision.priming;
            let waited = wait(front, &session, Some(waiting).filter(|_| takes_events), receiver).await;
            answer(waited, session.remedy, line, |source, greeting, line| {
                let first = source.opening(greeting, priming);
                events(EventStream::new(source, first, front.keep_alive, line))
            })
        }
        Forwarded::Alone(served) => respond_alone(front, served, takes_events, peer, line).await,
        Forwarded::Opening(task) => match task.await {
            Ok(Ok(opened)) => welcome(opened, line),
            Ok(Err(refusal)) => refuse(refusal, line),
            Err(_) => refuse(Refusal::Internal, line),
        },
    }
}

/// The answer to a request that stands for itself. Whoever stops waiting has cancelled it.
async fn respond_alone(
    front: &Front,
    served: Served,
    takes_events: bool,
    peer: Peer,
    mut line: RequestLine,
) -> Response {
    let keep_alive = front.keep_alive;
    match served {
        Served::Answered(body) => finish(line, 200, body),
        Served::Listening(source, listening) => {
            line.status = 200;
            events(EventStream::new(source, None, keep_alive, (line, listening)).until(Box::pin(peer.gone())))
        }
        Served::Asked { session, way, exchange, receiver, lease } => {
            line.session = session.shown();
            let waiting = Some(Waiting::Exchange(way, exchange)).filter(|_| takes_events);
            let waited = tokio::select! {
                waited = wait(front, &session, waiting, receiver) => waited,
                // Nobody reads this response.
                () = peer.clone().gone() => return finish(line, 202, Bytes::new()),
            };
            answer(waited, session.remedy, line, |source, greeting, line| {
                let first = source.opening(greeting, false);
                events(EventStream::new(source, first, keep_alive, (line, lease)).until(Box::pin(peer.gone())))
            })
        }
    }
}

/// Waits for an answer. Where it takes long, a client that takes events gets a stream of them, so that it sees that
/// somebody is at work.
async fn wait(
    front: &Front,
    session: &Session,
    waiting: Option<Waiting>,
    mut receiver: oneshot::Receiver<Answer>,
) -> Waited {
    if let Some(waiting) = waiting {
        if let Ok(answered) = timeout(front.keep_alive, &mut receiver).await {
            return answered.map_or(Waited::Nothing, Waited::Answered);
        }
        let source = match &waiting {
            Waiting::Exchange(way, exchange) => session.open_stream(*way, *exchange),
            Waiting::Batch(batch) => session.open_batch_stream(batch),
        };
        if let Some(source) = source {
            return Waited::Late(source);
        }
    }
    receiver.await.map_or(Waited::Nothing, Waited::Answered)
}

/// The response to what was waited for; `stream` makes one of events, after a comment if there is one to begin with.
fn answer(
    waited: Waited,
    remedy: Remedy,
    mut line: RequestLine,
    stream: impl FnOnce(Source, Option<&str>, RequestLine) -> Response,
) -> Response {
    match waited {
        Waited::Answered(Answer::Whole { status, body }) => finish(line, status, body),
        Waited::Answered(Answer::Stream(source)) => {
            line.status = 200;
            stream(source, None, line)
        }
        Waited::Late(source) => {
            line.status = 200;
            stream(source, Some("keep-alive"), line)
        }
        Waited::Answered(Answer::Lost(loss)) => lose(&loss, remedy, line),
        Waited::Nothing => refuse(Refusal::Internal, line),
    }
}

fn welcome(opened: Opened, mut line: RequestLine) -> Response {
    line.session = opened.id;
    let mut response = finish(line, opened.status, opened.body);
    if let Some(id) = opened.id
        && let Ok(value) = HeaderValue::from_str(&id.to_text())
    {
        response.headers_mut().insert(SESSION, value);
    }
    response
}

async fn on_get(State(front): State<Arc<Front>>, Extension(admitted): Extension<Admitted>) -> Response {
    let mut line = RequestLine::new("GET");
    match listen(&front, &admitted) {
        Ok((source, priming)) => {
            line.session = admitted.session().and_then(SessionId::parse);
            line.status = 200;
            let first = source.opening(Some("connected"), priming);
            events(EventStream::new(source, first, front.keep_alive, line))
        }
        Err(refusal) => refuse(refusal, line),
    }
}

/// The stream that a GET opens, and whether it is primed. Without a session nothing is ever sent on it.
fn listen(front: &Front, admitted: &Admitted) -> Result<(Source, bool), Refusal> {
    check_session_verb(front, admitted)?;
    if admitted.session().is_none() {
        return Ok((Source::silent(), false));
    }
    let session = route::find(admitted, &front.around.table, false)?;
    let source = match admitted.last_event() {
        Some(last) => session.resume(last).ok_or(Refusal::UnknownEvent)?,
        None => session.listen(),
    };
    Ok((source, session.revision.priming))
}

/// GET and DELETE belong to sessions.
fn check_session_verb(front: &Front, admitted: &Admitted) -> Result<(), Refusal> {
    front.check_open()?;
    let served = front.opener.served();
    if !served.has(Era::Session) || (served.has(Era::Stateless) && admitted.wants_no_session()) {
        return Err(Refusal::NoSessions);
    }
    admitted.check_revision(served)
}

async fn on_delete(State(front): State<Arc<Front>>, Extension(admitted): Extension<Admitted>) -> Response {
    let mut line = RequestLine::new("DELETE");
    let found = check_session_verb(&front, &admitted);
    match found.and_then(|()| route::find(&admitted, &front.around.table, false)) {
        Ok(session) => {
            line.session = admitted.session().and_then(SessionId::parse);
            session.end(Loss::SessionEnded);
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
    let lawful = StatusCode::from_u16(status).ok().filter(|status| (200..600).contains(&status.as_u16()));
    let status = match lawful {
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

fn lose(loss: &Loss, remedy: Remedy, mut line: RequestLine) -> Response {
    line.refused = Some(loss.name());
    let body = Bytes::from(loss.body(line.message.id.as_deref(), remedy));
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
