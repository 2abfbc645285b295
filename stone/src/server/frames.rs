//! Requests and answers as frames over one connection.
//!
//! A peer may be silent between frames as long as it likes, but not within one. Must never hold memory for a request
//! without a permit.

use super::budget::{Permit, RequestMemory};
use crate::link::{FrameReader, FrameWriter, LinkError};
use protocol::frame::{FrameError, Header};
use protocol::limits::STONE_FRAME_BYTES_MAX;
use protocol::limits::stone::STALL_MILLIS;
use protocol::stone::{Answer, Request};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Time for the rest of a frame to come, and for an answer to be taken.
pub(crate) const STALL_TIME: Duration = Duration::from_millis(STALL_MILLIS);

/// Both directions of one connection.
pub(crate) struct FrameStream {
    pub(crate) reader: FrameReader<UnixStream>,
    writer: FrameWriter,
}

impl FrameStream {
    pub(crate) fn new(stream: UnixStream) -> Self {
        Self { reader: FrameReader::new(stream), writer: FrameWriter::default() }
    }

    /// The next request, and the permit for its size; `None` at the end. A peer may be silent between frames as long
    /// as it likes, but not within one.
    pub(crate) fn next_request<'a>(
        &mut self,
        memory: &'a RequestMemory,
    ) -> Result<Option<(Header, Request, Permit<'a>)>, LinkError> {
        if !self.reader.wait()? {
            return Ok(None);
        }
        let whole = self.reader.holds_whole_frame();
        if !whole {
            self.reader.stream().set_read_timeout(Some(STALL_TIME))?;
        }
        let header = self.reader.read_header()?;
        let permit = memory.take(header.length);
        let body = self.reader.read_body(header.length, Some(Instant::now() + STALL_TIME))?;
        if !whole {
            self.reader.stream().set_read_timeout(None)?;
        }
        let request = Request::decode(header.kind, &body)?;
        Ok(Some((header, request, permit)))
    }

    pub(crate) fn answer(&mut self, exchange: u64, answer: &Answer) -> Result<(), LinkError> {
        let (kind, body) = answer.encode();
        self.send(exchange, kind, &body)
    }

    pub(crate) fn send(&mut self, exchange: u64, kind: u8, body: &[u8]) -> Result<(), LinkError> {
        if body.len() > STONE_FRAME_BYTES_MAX {
            // Only a list of changes can be so long, and it cannot be refused: what it tells of has happened.
            return Err(FrameError::TooLong { length: body.len(), limit: STONE_FRAME_BYTES_MAX }.into());
        }
        Ok(self.writer.write(self.reader.stream(), kind, exchange, body)?)
    }
}
