//! Whether a client is gone while it waits: where that cancels its call, somebody has to notice.
//!
//! It looks at the connection beside the server that reads from it, by a descriptor of its own, and takes nothing from
//! it. That descriptor is made only when somebody wants to know: most connections never need one. A client that only
//! closes its sending half looks the same as one that is gone.

use crate::lock;
use std::io::{self, IoSlice};
use std::os::fd::{AsFd, OwnedFd};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

/// A client's connection, whose [`Peer`] may be watched while it is served.
#[derive(Debug)]
pub(crate) struct Watchable {
    reader: OwnedReadHalf,
    peer: Peer,
}

/// The client at the other end of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Peer(Arc<Mutex<OwnedWriteHalf>>);

impl Watchable {
    /// This connection.
    pub(crate) fn new(stream: TcpStream) -> Self {
        let (reader, writer) = stream.into_split();
        Self { reader, peer: Peer(Arc::new(Mutex::new(writer))) }
    }

    /// Its client.
    pub(crate) fn peer(&self) -> Peer {
        self.peer.clone()
    }

    fn writing<T>(&self, act: impl FnOnce(Pin<&mut OwnedWriteHalf>) -> T) -> T {
        act(Pin::new(&mut *lock(&self.peer.0)))
    }
}

impl Peer {
    /// Waits until the client has closed; for ever if that cannot be seen.
    pub(crate) async fn gone(self) {
        // A descriptor of its own for each wait: one can be watched only once at a time.
        let own = self.descriptor().map(std::net::TcpStream::from).and_then(TcpStream::from_std);
        let Ok(own) = own else { return std::future::pending().await };
        loop {
            match own.ready(Interest::READABLE).await {
                Ok(ready) if !ready.is_read_closed() => {
                    // What is there to read belongs to the server: nothing is taken, and more is waited for.
                    let nothing = || Err::<(), _>(io::ErrorKind::WouldBlock.into());
                    drop(own.try_io(Interest::READABLE, nothing));
                }
                Ok(_) | Err(_) => return,
            }
        }
    }

    fn descriptor(&self) -> io::Result<OwnedFd> {
        lock(&self.0).as_ref().as_fd().try_clone_to_owned()
    }
}

impl AsyncRead for Watchable {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.reader).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Watchable {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.writing(|writer| writer.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.writing(|writer| writer.poll_write_vectored(cx, slices))
    }

    fn is_write_vectored(&self) -> bool {
        self.writing(|writer| writer.is_write_vectored())
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.writing(|writer| writer.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.writing(|writer| writer.poll_shutdown(cx))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    async fn pair() -> (TcpStream, Watchable) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let client = TcpStream::connect(listener.local_addr().expect("an address")).await.expect("connected");
        let (served, _) = listener.accept().await.expect("accepted");
        (client, Watchable::new(served))
    }

    #[tokio::test]
    async fn bytes_that_nobody_has_read_are_no_end() {
        let (mut client, served) = pair().await;
        let mut gone = Box::pin(served.peer().gone());
        client.write_all(b"more").await.expect("written");
        assert!(tokio::time::timeout(Duration::from_millis(50), &mut gone).await.is_err());
        drop(client);
        tokio::time::timeout(Duration::from_secs(10), gone).await.expect("noticed");
    }

    #[tokio::test]
    async fn a_client_that_is_watched_is_served_as_before() {
        let (mut client, mut served) = pair().await;
        let gone = tokio::spawn(served.peer().gone());
        client.write_all(b"ask").await.expect("written");
        let mut asked = [0; 3];
        served.read_exact(&mut asked).await.expect("read");
        served.write_all(b"answer").await.expect("written");
        served.shutdown().await.expect("shut");
        let mut answered = String::new();
        client.read_to_string(&mut answered).await.expect("read");
        assert_eq!((&asked, answered.as_str()), (b"ask", "answer"));
        drop(client);
        tokio::time::timeout(Duration::from_secs(10), gone).await.expect("noticed").expect("no panic");
    }
}
