//! Accepting connections and driving them: HTTP/1 with every wait bounded.
//!
//! A permit comes before an accept, so that the number of connections is bounded by not taking more. An accept that
//! fails (no descriptors left, say) backs off instead of spinning.

use crate::core::shared::Stage;
use crate::transport::http::endpoint::{self, Endpoint};
use crate::transport::http::guard::guarded;
use crate::transport::http::hangup::Watchable;
use crate::transport::http::stall::Stall;
use axum::Router;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use protocol::limits::{HEADER_BYTES_MAX, HEADER_MILLIS, HEADERS_MAX, LINGER_MILLIS};
use std::convert::Infallible;
use std::future::poll_fn;
use std::net::Ipv4Addr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

const BACK_OFF_MIN: Duration = Duration::from_millis(10);
const BACK_OFF_MAX: Duration = Duration::from_secs(1);

/// Opens the port, on loopback only.
pub(crate) async fn bind(port: u16) -> std::io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await
}

/// All connections of one listener.
#[derive(Debug)]
pub(crate) struct Connections {
    most: usize,
    room: Arc<Semaphore>,
}

impl Connections {
    /// At most so many.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, room: Arc::new(Semaphore::new(most)) }
    }

    /// Accepts until the router begins to stop; the port closes then.
    pub(crate) async fn accept(&self, listener: TcpListener, endpoint: Arc<Endpoint>) {
        let routes = endpoint::routes(endpoint.clone());
        let builder = builder();
        let mut stage = endpoint.core.stage.subscribe();
        let mut back_off = BACK_OFF_MIN;
        loop {
            let accepted = tokio::select! {
                accepted = self.next(&listener) => accepted,
                _ = stage.wait_for(|stage| *stage > Stage::Open) => return,
            };
            match accepted {
                Ok((stream, permit)) => {
                    back_off = BACK_OFF_MIN;
                    let driven = drive(stream, builder.clone(), endpoint.clone(), routes.clone(), permit);
                    tokio::spawn(driven);
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection cannot be accepted; backing off");
                    tokio::time::sleep(back_off).await;
                    back_off = (back_off * 2).min(BACK_OFF_MAX);
                }
            }
        }
    }

    async fn next(&self, listener: &TcpListener) -> std::io::Result<(TcpStream, OwnedSemaphorePermit)> {
        let permit = self.room.clone().acquire_owned().await.map_err(std::io::Error::other)?;
        let (stream, _) = listener.accept().await?;
        Ok((stream, permit))
    }

    /// Waits until no connection is open.
    pub(crate) async fn closed(&self) {
        // The semaphore is never closed, so this only waits.
        drop(self.room.acquire_many(self.most as u32).await);
    }
}

fn builder() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_millis(HEADER_MILLIS))
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEADER_BYTES_MAX)
        // A client that has closed its sending half still waits for its answer.
        .half_close(true)
        .keep_alive(true);
    builder
}

/// One connection's life.
async fn drive(
    stream: TcpStream,
    builder: http1::Builder,
    endpoint: Arc<Endpoint>,
    routes: Router,
    _permit: OwnedSemaphorePermit,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection was gone before it was served");
        return;
    }
    let stream = Watchable::new(stream);
    let peer = stream.peer();
    let mut stage = endpoint.core.stage.subscribe();
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(peer.clone());
        let answered = guarded(endpoint::serve(endpoint.clone(), routes.clone(), request));
        Box::pin(async move { Ok::<_, Infallible>(answered.await) })
            as Pin<Box<dyn Future<Output = Result<_, Infallible>> + Send>>
    });
    let mut connection = builder.serve_connection(TokioIo::new(Stall::new(stream)), service);
    let mut closing = false;
    let served = loop {
        tokio::select! {
            biased;
            served = poll_fn(|cx| connection.poll_without_shutdown(cx)) => break served,
            () = until_closing(&mut stage), if !closing => {
                closing = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended badly");
    }
    let stream = connection.into_parts().io.into_inner().into_inner();
    if !closing {
        linger(stream).await;
    }
}

async fn until_closing(stage: &mut watch::Receiver<Stage>) {
    if stage.wait_for(|stage| *stage == Stage::Closing).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Closes the sending half and reads on for a moment: closing with bytes unread would reset the connection, and the
/// peer could lose the answer that it has not read yet.
async fn linger(mut stream: Watchable) {
    if stream.shutdown().await.is_err() {
        return;
    }
    // Not part of the task itself, which most of its life has other things to do.
    let mut scrap = vec![0; 8 * 1024];
    let read = async { while stream.read(&mut scrap).await.is_ok_and(|count| count > 0) {} };
    drop(tokio::time::timeout(Duration::from_millis(LINGER_MILLIS), read).await);
}
