//! Whether a client is gone while it waits: where that cancels its call, somebody has to notice.
//!
//! It looks at the connection beside the server that reads from it, by a descriptor of its own, and takes nothing from
//! it. A client that only closes its sending half looks the same as one that is gone.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use tokio::io::Interest;
use tokio::net::TcpStream;

/// One more descriptor of a client's connection.
#[derive(Debug, Clone)]
pub(crate) struct Peer(Arc<OwnedFd>);

impl Peer {
    /// Of this connection.
    pub(crate) fn of(connection: &impl AsFd) -> io::Result<Self> {
        connection.as_fd().try_clone_to_owned().map(|descriptor| Self(Arc::new(descriptor)))
    }

    /// Waits until the client has closed; for ever if that cannot be seen.
    pub(crate) async fn gone(self) {
        // A descriptor of its own for each wait: one can be watched only once at a time.
        let own = self.0.try_clone().map(std::net::TcpStream::from).and_then(TcpStream::from_std);
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::io::AsyncWriteExt;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn bytes_that_nobody_has_read_are_no_end() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let mut client = TcpStream::connect(listener.local_addr().expect("an address")).await.expect("connected");
        let (served, _) = listener.accept().await.expect("accepted");
        let mut gone = Box::pin(Peer::of(&served).expect("a descriptor").gone());
        client.write_all(b"more").await.expect("written");
        assert!(tokio::time::timeout(Duration::from_millis(50), &mut gone).await.is_err());
        drop(client);
        tokio::time::timeout(Duration::from_secs(10), gone).await.expect("noticed");
    }
}
