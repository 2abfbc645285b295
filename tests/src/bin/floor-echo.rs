//! The child of the bench's floor: answers every frame that comes in on its standard input with the same frame.
//!
//! It does nothing else, so that its cost is that of a process behind a socket and no more.

#![forbid(unsafe_code)]

use protocol::frame::{Decoder, encode};
use protocol::limits::FRAME_BYTES_MAX;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

fn main() -> io::Result<()> {
    let mut socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut decoder = Decoder::new(FRAME_BYTES_MAX);
    let mut out = Vec::new();
    loop {
        let count = socket.read(decoder.space())?;
        if count == 0 {
            return Ok(());
        }
        decoder.advance(count);
        while let Some(frame) = decoder.next_frame().map_err(io::Error::other)? {
            out.clear();
            encode(&mut out, frame.kind, frame.exchange, &frame.body);
            socket.write_all(&out)?;
        }
    }
}
