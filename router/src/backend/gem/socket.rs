//! One of the two sockets between the router and a gem: frames out without waiting, frames in as they come.
//!
//! A frame is written here and now if the socket takes it, straight from the body that came in; what the socket does
//! not take waits in a backlog that the link's task writes. So a frame is never left half written because a client went
//! away, and a call costs no hand-over on its way down.

use crate::lock;
use bytes::{Buf, Bytes, BytesMut};
use protocol::frame::HEADER_BYTES;
use protocol::limits::FRAME_BYTES_MAX;
use std::io::{self, IoSlice};
use std::os::unix::net::UnixStream as StdUnixStream;
use std::sync::Mutex;
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Notify;
use tokio_util::codec::{Decoder, LengthDelimitedCodec};

/// Bytes of a frame's header after its length: the kind and the exchange.
const AFTER_LENGTH_BYTES: usize = HEADER_BYTES - 4;
/// Room that is made for each read.
const READ_BYTES: usize = 8 * 1024;

/// A frame that arrived.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) kind: u8,
    pub(crate) exchange: u64,
    pub(crate) body: Bytes,
}

/// The sending end of one socket.
#[derive(Debug)]
pub(crate) struct FrameWriter {
    socket: OwnedWriteHalf,
    backlog: Mutex<BytesMut>,
    /// Tells the link's task that there is a backlog.
    filled: Notify,
}

/// The receiving end of one socket.
#[derive(Debug)]
pub(crate) struct FrameReader {
    socket: OwnedReadHalf,
    codec: LengthDelimitedCodec,
    buffer: BytesMut,
}

/// Both ends of the router's side of a socket pair.
pub(crate) fn split(socket: StdUnixStream) -> io::Result<(FrameWriter, FrameReader)> {
    socket.set_nonblocking(true)?;
    let (reader, writer) = UnixStream::from_std(socket)?.into_split();
    let writer = FrameWriter { socket: writer, backlog: Mutex::default(), filled: Notify::new() };
    let codec = LengthDelimitedCodec::builder()
        .little_endian()
        .length_field_type::<u32>()
        .length_adjustment(AFTER_LENGTH_BYTES as isize)
        .num_skip(4)
        .max_frame_length(FRAME_BYTES_MAX + AFTER_LENGTH_BYTES)
        .new_codec();
    Ok((writer, FrameReader { socket: reader, codec, buffer: BytesMut::new() }))
}

impl FrameWriter {
    /// Sends a frame whose body is the concatenation of these two.
    pub(crate) fn send(&self, kind: u8, exchange: u64, head: &[u8], body: &[u8]) {
        let length = u32::try_from(head.len() + body.len()).expect("a body within the limits");
        let mut header = [0; HEADER_BYTES];
        header[..4].copy_from_slice(&length.to_le_bytes());
        header[4] = kind;
        header[5..].copy_from_slice(&exchange.to_le_bytes());
        let parts = [&header[..], head, body];
        let mut backlog = lock(&self.backlog);
        let written = if backlog.is_empty() {
            // A socket that is broken is noticed by whoever reads from it.
            self.socket.try_write_vectored(&parts.map(IoSlice::new)).unwrap_or(0)
        } else {
            0
        };
        let mut skipped = written;
        for part in parts {
            let skip = skipped.min(part.len());
            skipped -= skip;
            backlog.extend_from_slice(&part[skip..]);
        }
        if !backlog.is_empty() {
            self.filled.notify_one();
        }
    }

    /// How many bytes wait to be written.
    pub(crate) fn backlog_bytes(&self) -> usize {
        lock(&self.backlog).len()
    }

    /// Writes the backlog for ever.
    pub(crate) async fn flush_for_ever(&self) {
        loop {
            while self.backlog_bytes() == 0 {
                self.filled.notified().await;
            }
            // What cannot be waited for is as good as written: nobody reads it.
            if self.socket.writable().await.is_err() {
                lock(&self.backlog).clear();
            }
            self.flush();
        }
    }

    /// Writes as much of the backlog as the socket takes. If nobody reads it any more, it is dropped and nothing else
    /// happens: what the gem said before it went is still to be read, and how the reading ends says the rest.
    fn flush(&self) {
        let mut backlog = lock(&self.backlog);
        while !backlog.is_empty() {
            match self.socket.try_write(&backlog) {
                Ok(count) => backlog.advance(count),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => backlog.clear(),
            }
        }
        // A backlog is rare and may be large: its room is given back.
        *backlog = BytesMut::new();
    }
}

impl FrameReader {
    /// The next frame; `None` at the end, or at a frame that is over the limit.
    pub(crate) async fn next(&mut self) -> Option<Frame> {
        loop {
            match self.codec.decode(&mut self.buffer) {
                Ok(Some(frame)) => {
                    let mut frame = frame.freeze();
                    let (kind, exchange) = (frame.get_u8(), frame.get_u64_le());
                    return Some(Frame { kind, exchange, body: frame });
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::error!(%error, "a gem sends frames that are over the limit");
                    return None;
                }
            }
            self.buffer.reserve(READ_BYTES);
            match self.socket.read_buf(&mut self.buffer).await {
                Ok(count) if count > 0 => {}
                Ok(_) | Err(_) => return None,
            }
        }
    }
}
