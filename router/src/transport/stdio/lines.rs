//! Lines of a client, read by a thread of their own: standard input may be anything, and a read of it cannot always be
//! waited for in other ways.

use bytes::{Bytes, BytesMut};
use protocol::limits::BODY_BYTES_MAX;
use std::io::{self, Read};
use tokio::sync::mpsc;
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, Decoder};

/// How much is read at a time.
const READ_BYTES: usize = 64 * 1024;
/// Lines that wait to be taken; a client that sends more waits as well.
const LINES_MAX: usize = 16;

/// What a line was.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Its bytes, without the end.
    Whole(Bytes),
    /// It was longer than a message may be.
    TooLong,
}

/// The lines of `input`, up to its end.
pub(super) fn read(input: impl Read + Send + 'static) -> io::Result<mpsc::Receiver<Line>> {
    let (sender, receiver) = mpsc::channel(LINES_MAX);
    std::thread::Builder::new().name("input".into()).spawn(move || {
        if let Err(error) = pass_on(input, BODY_BYTES_MAX, |line| sender.blocking_send(line).is_ok()) {
            tracing::warn!(%error, "the input cannot be read any more");
        }
    })?;
    Ok(receiver)
}

/// Hands every line to `take`, until there is none or it wants no more.
fn pass_on(mut input: impl Read, longest: usize, mut take: impl FnMut(Line) -> bool) -> io::Result<()> {
    let mut codec = AnyDelimiterCodec::new_with_max_length(b"\n".to_vec(), Vec::new(), longest);
    let mut buffer = BytesMut::new();
    let mut space = vec![0; READ_BYTES];
    loop {
        let count = match input.read(&mut space) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        buffer.extend_from_slice(&space[..count]);
        loop {
            let decoded = if count == 0 { codec.decode_eof(&mut buffer) } else { codec.decode(&mut buffer) };
            let line = match decoded {
                Ok(Some(line)) => Line::Whole(line),
                Ok(None) if count == 0 => return Ok(()),
                Ok(None) => break,
                Err(AnyDelimiterCodecError::MaxChunkLengthExceeded) => Line::TooLong,
                Err(AnyDelimiterCodecError::Io(error)) => return Err(error),
            };
            if !take(line) {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An input that gives `step` bytes at a time.
    struct Steps<'a>(&'a [u8], usize);

    impl Read for Steps<'_> {
        fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len());
            let (now, later) = self.0.split_at(count);
            space[..count].copy_from_slice(now);
            self.0 = later;
            Ok(count)
        }
    }

    #[test]
    fn lines_survive_any_cut_and_long_ones_are_skipped() {
        let text = b"ab\n\nlonger than ten\nc\nrest";
        for step in 1..text.len() {
            let mut all = Vec::new();
            pass_on(Steps(text, step), 10, |line| {
                all.push(line);
                true
            })
            .expect("read");
            let whole = |text: &'static [u8]| Line::Whole(Bytes::from_static(text));
            assert_eq!(all, [whole(b"ab"), whole(b""), Line::TooLong, whole(b"c"), whole(b"rest")], "{step}");
        }
    }

    #[test]
    fn an_endless_line_takes_no_more_room_than_a_line_may() {
        let mut all = Vec::new();
        pass_on(Steps(&[b'x'; 1000], 10), 50, |line| {
            all.push(line);
            true
        })
        .expect("read");
        assert_eq!(all, [Line::TooLong]);
    }
}
