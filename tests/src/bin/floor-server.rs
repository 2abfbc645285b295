//! The bench's floor: the HTTP stack of the router, and behind it one child a session that echoes the raw body.
//!
//! It checks nothing, logs nothing and keeps no time but what its HTTP stack keeps: a bound to measure the router
//! against, not a product. It prints its address and serves until its standard input ends.

#![forbid(unsafe_code)]

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use axum::routing::post;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use protocol::frame::{Decoder, Frame, encode};
use protocol::limits::{FRAME_BYTES_MAX, HEADER_BYTES_MAX, HEADER_MILLIS, HEADERS_MAX};
use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::pin::Pin;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};

const SESSION_HEADER: &str = "mcp-session-id";

/// One child and the socket to it.
struct Link {
    socket: UnixStream,
    decoder: Decoder,
    child: Child,
}

struct Floor {
    echo: PathBuf,
    next: AtomicU64,
    links: Mutex<HashMap<String, Arc<tokio::sync::Mutex<Link>>>>,
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let echo = tests::binaries::find("floor-echo");
    let floor = Arc::new(Floor { echo, next: AtomicU64::new(0), links: Mutex::default() });
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("{}", listener.local_addr()?);
    let service = Router::new().route("/mcp", post(message).get(listen).delete(end)).with_state(floor);
    std::thread::spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        std::process::exit(0);
    });
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = TowerToHyperService::new(service.clone());
        let mut builder = hyper::server::conn::http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(Duration::from_millis(HEADER_MILLIS));
        builder.max_buf_size(HEADER_BYTES_MAX).max_headers(HEADERS_MAX);
        tokio::spawn(async move { builder.serve_connection(TokioIo::new(stream), service).await });
    }
}

async fn message(State(floor): State<Arc<Floor>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    let answer = match headers.get(SESSION_HEADER).map(|value| value.to_str().unwrap_or("").to_owned()) {
        Some(session) => floor.call(session, &body).await,
        None => floor.open(&body).await,
    };
    answer.unwrap_or_else(|error| {
        let mut response = Response::new(Body::from(error.to_string()));
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        response
    })
}

/// A stream that says that it is there and nothing more.
struct Silent {
    said: bool,
}

impl hyper::body::Body for Silent {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, Infallible>>> {
        if std::mem::replace(&mut self.said, true) {
            return Poll::Pending;
        }
        Poll::Ready(Some(Ok(hyper::body::Frame::data(Bytes::from_static(b": connected\n\n")))))
    }
}

async fn listen() -> Response<Body> {
    let mut response = Response::new(Body::new(Silent { said: false }));
    response.headers_mut().insert("content-type", HeaderValue::from_static("text/event-stream"));
    response
}

async fn end(State(floor): State<Arc<Floor>>, headers: HeaderMap) -> StatusCode {
    let session = headers.get(SESSION_HEADER).and_then(|value| value.to_str().ok()).unwrap_or("");
    let link = floor.links.lock().expect("no panic holds it").remove(session);
    let Some(link) = link else { return StatusCode::NOT_FOUND };
    if let Some(link) = Arc::into_inner(link) {
        let Link { socket, mut child, .. } = link.into_inner();
        drop(socket);
        tokio::task::spawn_blocking(move || child.wait());
    }
    StatusCode::OK
}

impl Floor {
    async fn open(&self, body: &[u8]) -> io::Result<Response<Body>> {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let mut command = Command::new(&self.echo);
        command.env_clear().stdin(OwnedFd::from(theirs)).stdout(Stdio::null());
        let child = command.spawn()?;
        drop(command);
        let mut link = Link { socket: UnixStream::from_std(ours)?, decoder: Decoder::new(FRAME_BYTES_MAX), child };
        let answer = link.exchange(body).await?;
        let session = format!("{:032x}", self.next.fetch_add(1, Ordering::Relaxed));
        let value = HeaderValue::from_str(&session).expect("hexadecimal digits");
        self.links.lock().expect("no panic holds it").insert(session, Arc::new(tokio::sync::Mutex::new(link)));
        let mut response = json(answer.body);
        response.headers_mut().insert(SESSION_HEADER, value);
        Ok(response)
    }

    async fn call(&self, session: String, body: &[u8]) -> io::Result<Response<Body>> {
        let link = self.links.lock().expect("no panic holds it").get(&session).cloned();
        let link = link.ok_or_else(|| io::Error::other("an unknown session"))?;
        let answer = link.lock().await.exchange(body).await?;
        Ok(json(answer.body))
    }
}

impl Link {
    async fn exchange(&mut self, body: &[u8]) -> io::Result<Frame> {
        let mut out = Vec::new();
        encode(&mut out, 2, 0, body);
        self.socket.write_all(&out).await?;
        loop {
            if let Some(frame) = self.decoder.next_frame().map_err(io::Error::other)? {
                return Ok(frame);
            }
            let count = self.socket.read(self.decoder.space()).await?;
            if count == 0 {
                return Err(io::Error::other("the child ended"));
            }
            self.decoder.advance(count);
        }
    }
}

fn json(body: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    response.headers_mut().insert("content-type", HeaderValue::from_static("application/json"));
    response
}
