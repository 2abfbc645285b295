//! Frames over one of a gem's sockets to the router, blocking.

use protocol::frame::{Decoder, Frame, FrameError, encode_parts};
use protocol::gem::{Final, up};
use protocol::limits::FRAME_BYTES_MAX;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use thiserror::Error;

/// The link cannot be used any further.
#[derive(Debug, Error)]
pub(crate) enum LinkError {
    /// The socket failed.
    #[error("the link to the router failed: {0}")]
    Socket(#[from] io::Error),
    /// The router sent what this link does not know.
    #[error("the router broke the link's protocol: {0}")]
    Frame(#[from] FrameError),
}

/// The writing side of a socket, which two threads may share: the one that holds the lock writes.
#[derive(Debug)]
pub(crate) struct FrameWriter {
    socket: UnixStream,
    writing: Mutex<()>,
}

impl FrameWriter {
    /// Waits for the lock, with which one may write.
    pub(crate) fn lock(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock, unless the other thread holds it.
    pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, ()>> {
        match self.writing.try_lock() {
            Ok(lock) => Some(lock),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Sends one frame whose body is the parts together.
    pub(crate) fn write(
        &self,
        _lock: &MutexGuard<'_, ()>,
        kind: u8,
        exchange: u64,
        parts: &[&[u8]],
    ) -> Result<(), LinkError> {
        let mut bytes = Vec::new();
        encode_parts(&mut bytes, kind, exchange, parts);
        Ok((&self.socket).write_all(&bytes)?)
    }
}

/// One of the two sockets.
pub(crate) struct Link {
    writer: Arc<FrameWriter>,
    decoder: Decoder,
}

impl Link {
    /// Its writing side.
    pub(crate) fn writer(&self) -> Arc<FrameWriter> {
        Arc::clone(&self.writer)
    }

    /// The next frame; `None` when the router has closed its end.
    pub(crate) fn next(&mut self) -> Result<Option<Frame>, LinkError> {
        loop {
            if let Some(frame) = self.decoder.next_frame()? {
                return Ok(Some(frame));
            }
            match (&self.writer.socket).read(self.decoder.space()) {
                Ok(0) => return Ok(None),
                Ok(count) => self.decoder.advance(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The next frame that has arrived whole already, without reading.
    pub(crate) fn next_buffered(&mut self) -> Result<Option<Frame>, LinkError> {
        Ok(self.decoder.next_frame()?)
    }

    /// Reads once, which waits only if nothing is there; `false` when the router has closed its end.
    pub(crate) fn fill(&mut self) -> Result<bool, LinkError> {
        match (&self.writer.socket).read(self.decoder.space()) {
            Ok(count) => {
                self.decoder.advance(count);
                Ok(count > 0)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// Sends one frame whose body is the parts together.
    pub(crate) fn send(&mut self, kind: u8, exchange: u64, parts: &[&[u8]]) -> Result<(), LinkError> {
        self.writer.write(&self.writer.lock(), kind, exchange, parts)
    }

    /// Ends an exchange with an HTTP status and a body; `keep` says whether the gem outlives it.
    pub(crate) fn finish(&mut self, exchange: u64, status: u16, body: &[u8], keep: bool) -> Result<(), LinkError> {
        self.send(up::FINAL, exchange, &[&Final::head(status, keep), body])
    }
}

impl From<OwnedFd> for Link {
    fn from(socket: OwnedFd) -> Self {
        let writer = Arc::new(FrameWriter { socket: UnixStream::from(socket), writing: Mutex::new(()) });
        Self { writer, decoder: Decoder::new(FRAME_BYTES_MAX) }
    }
}

impl AsFd for Link {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.writer.socket.as_fd()
    }
}
