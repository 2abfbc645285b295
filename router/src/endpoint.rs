//! The endpoint `/mcp`: one handler a verb, over requests that were admitted.

use crate::admit::{Admitted, Head};
use crate::body;
use crate::events::{EventStream, Source};
use crate::front::Front;
use crate::loss::Loss;
use crate::observe::RequestLine;
use crate::open::Opened;
use crate::refusal::Refusal;
use crate::route::{self, Forwarded, Routed};
use crate::session::Answer;
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
use std::sync::Arc;
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
    if *request.method() == Method::CONNECT {
        // Its target has no path that could be routed.
        return refuse(Refusal::Method, RequestLine::new("CONNECT"));
    }
    request.extensions_mut().insert(admitted);
    let Ok(response) = routes.call(request.map(Body::new)).await;
    response
}

async fn on_post(
    State(front): State<Arc<Front>>,
    Extension(admitted): Extension<Admitted>,
    request: Request,
) -> Response {
    let mut line = RequestLine::new("POST");
    match forward(&front, &admitted, request.into_body(), &mut line).await {
        Ok(forwarded) => respond(forwarded, line).await,
        Err(refusal) => refuse(refusal, line),
    }
}

async fn forward(front: &Front, admitted: &Admitted, body: Body, line: &mut RequestLine) -> Result<Forwarded, Refusal> {
    front.check_open()?;
    line.session = admitted.session().and_then(SessionId::parse);
    let body = body::read(body).await?;
    Routed::new(admitted, body, &front.table, &mut line.message)?.forward(&front.opener)
}

/// Waits for the answer and puts it into a response.
async fn respond(forwarded: Forwarded, mut line: RequestLine) -> Response {
    match forwarded {
        Forwarded::Told => finish(line, 202, Bytes::new()),
        Forwarded::Asked(receiver) => match receiver.await {
            Ok(Answer::Whole { status, body }) => finish(line, status, body),
            Ok(Answer::Stream(source)) => {
                line.status = 200;
                stream(source, None, line)
            }
            Ok(Answer::Lost(loss)) => lose(&loss, line),
            Err(_) => refuse(Refusal::Internal, line),
        },
        Forwarded::Opening(task) => match task.await {
            Ok(Ok(opened)) => welcome(opened, line),
            Ok(Err(refusal)) => refuse(refusal, line),
            Err(_) => refuse(Refusal::Internal, line),
        },
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
    let found = front.check_open().and_then(|()| admitted.check_revision());
    match found.and_then(|()| route::find(&admitted, &front.table, false)) {
        Ok(session) => {
            line.session = admitted.session().and_then(SessionId::parse);
            line.status = 200;
            stream(session.listen(), Some("connected"), line)
        }
        Err(refusal) => refuse(refusal, line),
    }
}

async fn on_delete(State(front): State<Arc<Front>>, Extension(admitted): Extension<Admitted>) -> Response {
    let mut line = RequestLine::new("DELETE");
    let found = front.check_open().and_then(|()| admitted.check_revision());
    match found.and_then(|()| route::find(&admitted, &front.table, false)) {
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

fn lose(loss: &Loss, mut line: RequestLine) -> Response {
    line.refused = Some(loss.name());
    let body = Bytes::from(loss.body(line.message.id.as_deref()));
    finish(line, 200, body)
}

fn refuse(refusal: Refusal, mut line: RequestLine) -> Response {
    let response = refusal.response(line.message.id.as_deref());
    line.status = response.status().as_u16();
    line.refused = Some(refusal.kind());
    response
}

fn stream(source: Source, greeting: Option<&'static str>, line: RequestLine) -> Response {
    let mut response = Response::new(Body::new(EventStream::new(source, greeting, line)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
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
