//! Gems: processes that a zygote forks, each with a connection to the stone.
//!
//! Whom a gem acts for is said to the stone by the router, on the connection that the gem is handed, or signed by the
//! router when the gem is taken from the pool: nothing that the gem says of its own can change it.

mod link;
mod process;
mod socket;
pub(crate) mod stone;
pub(crate) mod zygote;

use crate::backend::{Backend, Identity, Link, OpenError, Opening};
use link::GemLink;
use process::Process;
use protocol::stone::{Hello, IMAGE_FORMAT};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use stone::Stone;
use zygote::Zygotes;

/// Opens gems.
#[derive(Debug)]
pub(crate) struct Gems {
    stone: Arc<Stone>,
    zygotes: Arc<Zygotes>,
    opened: AtomicU64,
}

impl Gems {
    /// Of this stone, forked by these zygotes.
    pub(crate) fn new(stone: Arc<Stone>, zygotes: Arc<Zygotes>) -> Self {
        Self { stone, zygotes, opened: AtomicU64::new(1) }
    }

    async fn fork(&self, identity: Identity<'_>) -> Result<Arc<dyn Link>, OpenError> {
        let stone =
            self.stone.connect(&hello(identity)).await.map_err(|error| OpenError::NoStone(error.to_string()))?;
        // Waited for before anything is made, so that a worker that cannot start costs nothing.
        let zygote = self.zygotes.link().await.map_err(|error| OpenError::NoProcess(error.to_string()))?;
        let process = Arc::new(Process::new(self.opened.fetch_add(1, Ordering::Relaxed)));
        let made = || -> io::Result<_> {
            let (calls, its_calls) = UnixStream::pair()?;
            let (control, its_control) = UnixStream::pair()?;
            Ok((GemLink::new(process.clone(), calls, control)?, its_calls, its_control))
        };
        let refused = |error| OpenError::NoProcess(format!("the system refuses a gem: {error}"));
        let (link, its_calls, its_control) = made().map_err(refused)?;
        let descriptors = [its_calls.as_fd(), its_control.as_fd(), stone.as_fd()];
        match zygote.fork(&process, descriptors) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                // The zygote died just now; the next one will do.
                let next = self.zygotes.link_after(&zygote).await;
                let next = next.map_err(|error| OpenError::NoProcess(error.to_string()))?;
                next.fork(&process, descriptors).map_err(refused)?;
            }
            sent => sent.map_err(refused)?,
        }
        Ok(Arc::new(link))
    }
}

/// What the stone is told of a gem, on the connection that the gem is handed.
fn hello(identity: Identity<'_>) -> Hello {
    let format = IMAGE_FORMAT;
    match identity {
        Identity::User { user, client, read_only } => {
            Hello::Session { format, user: user.to_owned(), client: client.to_owned(), read_only }
        }
        Identity::Unbound { key, read_only } => Hello::Unbound { format, read_only, key: key.clone() },
    }
}

impl Backend for Gems {
    fn open<'a>(&'a self, identity: Identity<'a>) -> Opening<'a> {
        Box::pin(self.fork(identity))
    }
}
