//! How the headers of a welcome are spelled.
//!
//! HTTP does not mind the case of a name, but there are scripts that look for `MCP-Session-Id` as MCP writes it. hyper
//! writes a name as a message that it once read spelled it, where that was kept; so one message is read at the start.

use axum::body::Body;
use axum::http::Extensions;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;

/// A message with the names as they are to be spelled.
const EXAMPLE: &[u8] = b"GET / HTTP/1.1\r\nHost: example\r\nConnection: close\r\nContent-Length: 0\r\n\
    Content-Type: text/plain\r\nDate: now\r\nMCP-Session-Id: example\r\n\r\n";
const PIPE_BYTES: usize = 1024;

/// What makes a response spell them so.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spelling(Extensions);

impl Spelling {
    /// Learns it; if that fails, names are in lower case, which is as good for HTTP.
    pub(crate) async fn learn() -> Self {
        let (mut near, far) = tokio::io::duplex(PIPE_BYTES);
        let (tell, mut told) = mpsc::unbounded_channel();
        let service = service_fn(move |request: Request<hyper::body::Incoming>| {
            let _ = tell.send(request.extensions().clone());
            async { Ok::<_, Infallible>(Response::new(Body::empty())) }
        });
        if near.write_all(EXAMPLE).await.is_ok() {
            let _ = http1::Builder::new().preserve_header_case(true).serve_connection(TokioIo::new(far), service).await;
        }
        Self(told.try_recv().unwrap_or_default())
    }

    /// Has a response spell its headers so.
    pub(crate) fn apply(&self, response: &mut axum::response::Response) {
        response.extensions_mut().extend(self.0.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;

    #[tokio::test]
    async fn the_session_id_is_spelled_as_mcp_writes_it() {
        let spelling = Spelling::learn().await;
        let (mut near, far) = tokio::io::duplex(PIPE_BYTES);
        let service = service_fn(move |_: Request<hyper::body::Incoming>| {
            let mut response = axum::response::Response::new(Body::empty());
            response.headers_mut().insert("mcp-session-id", axum::http::HeaderValue::from_static("7"));
            spelling.apply(&mut response);
            async { Ok::<_, Infallible>(response) }
        });
        near.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.expect("written");
        http1::Builder::new().serve_connection(TokioIo::new(far), service).await.expect("served");
        let mut answer = String::new();
        near.read_to_string(&mut answer).await.expect("read");
        assert!(answer.contains("\r\nMCP-Session-Id: 7\r\n"), "{answer}");
    }
}
