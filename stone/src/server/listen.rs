//! The listening socket: where it may be, which processes may connect, one thread a connection.
//!
//! Accepts processes of its own user only, and must never remove a file that is not its own.

use super::error::ServeError;
use super::handshake;
use super::refusal;
use super::stone::Stone;
use crate::link::{FrameWriter, is_ordinary_end};
use nix::sys::socket::{Shutdown, getsockopt, shutdown, sockopt::PeerCredentials};
use nix::unistd::Uid;
use protocol::limits::stone as limits;
use protocol::stone::Answer;
use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Pause after an accept that failed, such as for want of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(limits::ACCEPT_RETRY_MILLIS);
/// Time for a peer that is refused before its hello to take the refusal.
const REFUSAL_TIME: Duration = Duration::from_millis(limits::REFUSAL_MILLIS);

/// The listening socket, and the file that it is.
#[derive(Debug)]
pub(crate) struct Listener {
    listener: UnixListener,
    path: PathBuf,
    identity: (u64, u64),
}

impl Listener {
    /// Binds the socket; a file that a dead stone has left there is replaced.
    pub(crate) fn open(path: &Path) -> Result<Self, ServeError> {
        let cannot = |error| ServeError::file(path, error);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        private_folder(folder)?;
        remove_stale(path)?;
        let listener = UnixListener::bind(path).map_err(cannot)?;
        fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(cannot)?;
        let identity = identity_of(&fs::symlink_metadata(path).map_err(cannot)?);
        Ok(Self { listener, path: path.to_owned(), identity })
    }

    /// Takes no further connections, and ends [`Listener::serve`]. To be called after the stone has closed.
    pub(crate) fn close(&self) {
        if let Err(error) = shutdown(self.listener.as_raw_fd(), Shutdown::Read) {
            tracing::warn!(%error, "the socket could not be closed");
        }
    }

    /// Removes the file, unless another stone has put its own there.
    pub(crate) fn remove(&self) {
        if fs::symlink_metadata(&self.path).is_ok_and(|found| identity_of(&found) == self.identity) {
            let _ = fs::remove_file(&self.path);
        }
    }

    /// Refuses the connections that were never accepted.
    pub(crate) fn refuse_waiting(&self) {
        if self.listener.set_nonblocking(true).is_ok() {
            while let Ok((stream, _)) = self.listener.accept() {
                refuse(&stream, refusal::stopping());
            }
        }
    }

    /// Accepts until the stone closes.
    pub(crate) fn serve(&self, stone: &Arc<Stone>) {
        loop {
            let accepted = self.listener.accept();
            if stone.lifetime.is_closed() {
                if let Ok((stream, _)) = accepted {
                    refuse(&stream, refusal::stopping());
                }
                return;
            }
            match accepted {
                Ok((stream, _)) => accept(stone, stream),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    thread::sleep(ACCEPT_PAUSE);
                }
            }
        }
    }
}

fn accept(stone: &Arc<Stone>, stream: UnixStream) {
    match getsockopt(&stream, PeerCredentials) {
        Ok(peer) if peer.uid() == Uid::effective().as_raw() => {}
        Ok(peer) => return tracing::warn!(uid = peer.uid(), "a process of another user was refused"),
        Err(error) => return tracing::warn!(%error, "a peer without credentials was refused"),
    }
    let stone = Arc::clone(stone);
    let spawned =
        thread::Builder::new().name("session".to_owned()).stack_size(limits::CONNECTION_STACK_BYTES).spawn(move || {
            let Some(connected) = stone.lifetime.connect() else {
                let reason = if stone.lifetime.is_closed() { refusal::stopping() } else { refusal::busy() };
                return refuse(&stream, reason);
            };
            match handshake::serve(&stone, stream, &connected) {
                Ok(()) => {}
                Err(error) if is_ordinary_end(&error) => {}
                Err(error) => tracing::warn!(%error, "a connection was dropped"),
            }
        });
    if let Err(error) = spawned {
        tracing::warn!(%error, "no thread for a connection: it was dropped");
    }
}

fn refuse(stream: &UnixStream, reason: refusal::Refusal) {
    let (kind, body) = Answer::from(reason).encode();
    // A peer that does not take it finds the connection closed, which says as much.
    let _ = stream.set_write_timeout(Some(REFUSAL_TIME));
    let _ = FrameWriter::default().write(stream, kind, 0, &body);
}

/// Makes sure that the folder exists and that no other user can reach into it.
pub(crate) fn private_folder(folder: &Path) -> Result<(), ServeError> {
    let cannot = |error| ServeError::file(folder, error);
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(cannot)?;
    let found = fs::metadata(folder).map_err(cannot)?;
    let is_own = found.uid() == Uid::effective().as_raw();
    if found.is_dir() && is_own && found.mode() & 0o077 == 0 {
        return Ok(());
    }
    Err(ServeError::NotPrivate(folder.to_owned()))
}

fn remove_stale(path: &Path) -> Result<(), ServeError> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(ServeError::file(path, error)),
    };
    if !found.file_type().is_socket() || found.uid() != Uid::effective().as_raw() {
        return Err(ServeError::NotASocket(path.to_owned()));
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(|error| ServeError::file(path, error))
        }
        _ => Err(ServeError::SocketTaken(path.to_owned())),
    }
}

fn identity_of(found: &Metadata) -> (u64, u64) {
    (found.dev(), found.ino())
}
