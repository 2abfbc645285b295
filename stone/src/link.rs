//! Frames over a blocking stream, for both ends of the link to the stone.
//!
//! Must never allocate by what a header declares: a body's buffer grows with what has arrived.

use protocol::frame::{FrameError, HEADER_BYTES, Header, encode};
use protocol::limits::STONE_FRAME_BYTES_MAX;
use protocol::limits::stone::{LINK_BUFFER_BYTES, LINK_KEPT_BYTES_MAX};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::time::Instant;
use thiserror::Error;

/// The link cannot be used further.
#[derive(Debug, Error)]
pub(crate) enum LinkError {
    /// The stream ended, stalled or broke.
    #[error("{0}")]
    Stream(#[from] io::Error),
    /// The peer broke the framing.
    #[error("{0}")]
    Frame(#[from] FrameError),
}

/// Whether a connection ended as connections do.
#[cfg(feature = "server")]
pub(crate) fn is_ordinary_end(error: &LinkError) -> bool {
    let LinkError::Stream(error) = error else { return false };
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

/// Reads frames.
pub(crate) struct FrameReader<R> {
    stream: BufReader<R>,
}

impl<R: Read> FrameReader<R> {
    pub(crate) fn new(stream: R) -> Self {
        Self { stream: BufReader::with_capacity(LINK_BUFFER_BYTES, stream) }
    }

    pub(crate) fn stream(&self) -> &R {
        self.stream.get_ref()
    }

    /// Waits for the first byte of a frame; false at the end of the stream.
    pub(crate) fn wait(&mut self) -> io::Result<bool> {
        loop {
            match self.stream.fill_buf() {
                Ok(held) => return Ok(!held.is_empty()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether the next frame lies in the buffer whole, so that reading it cannot block.
    #[cfg(feature = "server")]
    pub(crate) fn holds_whole_frame(&self) -> bool {
        let held = self.stream.buffer();
        Header::read(held).is_some_and(|header| held.len() - HEADER_BYTES >= header.length)
    }

    /// Reads a header, and refuses a length over the limit of this link.
    pub(crate) fn read_header(&mut self) -> Result<Header, LinkError> {
        let mut bytes = [0; HEADER_BYTES];
        self.stream.read_exact(&mut bytes)?;
        let header = Header::read(&bytes).expect("as many bytes as a header has");
        header.check(STONE_FRAME_BYTES_MAX)?;
        Ok(header)
    }

    /// Reads a body; all of it must be there by the deadline, if there is one.
    pub(crate) fn read_body(&mut self, length: usize, deadline: Option<Instant>) -> Result<Vec<u8>, LinkError> {
        let mut body = Vec::with_capacity(length.min(LINK_BUFFER_BYTES));
        while body.len() < length {
            if !self.wait()? {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            let held = self.stream.buffer();
            let count = held.len().min(length - body.len());
            body.extend_from_slice(&held[..count]);
            self.stream.consume(count);
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                return Err(io::Error::from(io::ErrorKind::TimedOut).into());
            }
        }
        Ok(body)
    }
}

/// Writes frames, each with one call where the stream takes it whole.
#[derive(Default)]
pub(crate) struct FrameWriter {
    out: Vec<u8>,
}

impl FrameWriter {
    /// The body is within this link's limit: the caller has looked.
    pub(crate) fn write(&mut self, mut stream: impl Write, kind: u8, exchange: u64, body: &[u8]) -> io::Result<()> {
        debug_assert!(body.len() <= STONE_FRAME_BYTES_MAX);
        self.out.clear();
        encode(&mut self.out, kind, exchange, body);
        let written = stream.write_all(&self.out);
        if self.out.capacity() > LINK_KEPT_BYTES_MAX {
            self.out = Vec::new();
        }
        written
    }
}
