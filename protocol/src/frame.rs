//! Frames: how every byte between two of our processes is delimited.
//!
//! `u32 length | u8 kind | u64 exchange | body`, little-endian; `length` counts the body alone. A length is compared
//! with the reader's limit before anything is allocated for it. What `kind` means belongs to the link.
//!
//! Decoded by hand: `tokio_util::codec` depends on tokio, which this crate, the worker and the stone never do.

use thiserror::Error;

/// Bytes before the body: length, kind, exchange.
pub const HEADER_BYTES: usize = 4 + 1 + 8;

/// How much room a decoder offers for each read.
const READ_BYTES: usize = 16 * 1024;

/// One frame, its body owned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// What the body is; each link has its own table.
    pub kind: u8,
    /// The exchange it belongs to; 0 where it belongs to none.
    pub exchange: u64,
    /// The payload.
    pub body: Vec<u8>,
}

/// What stands before a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the body.
    pub length: usize,
    /// What the body is.
    pub kind: u8,
    /// The exchange it belongs to; 0 where it belongs to none.
    pub exchange: u64,
}

impl Header {
    /// The header at the beginning of these bytes; `None` if they are too few.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (kind, rest) = rest.split_first()?;
        let exchange = rest.first_chunk::<8>()?;
        Some(Self {
            length: u32::from_le_bytes(*length) as usize,
            kind: *kind,
            exchange: u64::from_le_bytes(*exchange),
        })
    }

    /// Refuses a body that is longer than a link allows.
    ///
    /// # Errors
    /// [`FrameError::TooLong`].
    pub fn check(&self, limit: usize) -> Result<(), FrameError> {
        if self.length > limit { Err(FrameError::TooLong { length: self.length, limit }) } else { Ok(()) }
    }
}

/// A peer broke the framing: the link cannot be used further.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum FrameError {
    /// The declared length is over the limit of this link.
    #[error("a frame of {length} bytes is over this link's limit of {limit}")]
    TooLong {
        /// What the header says.
        length: usize,
        /// What is allowed.
        limit: usize,
    },
    /// The kind is not one that this side of the link accepts, or its body does not decode.
    #[error("a frame that this link does not know: {0}")]
    Malformed(&'static str),
}

/// Appends one frame to `out`.
///
/// # Panics
/// If `body` is longer than a `u32` can say: writers check their own limits before.
pub fn encode(out: &mut Vec<u8>, kind: u8, exchange: u64, body: &[u8]) {
    encode_parts(out, kind, exchange, &[body]);
}

/// Appends one frame whose body is the concatenation of `parts`, so that a large body need not be copied together
/// first.
///
/// # Panics
/// As [`encode`].
pub fn encode_parts(out: &mut Vec<u8>, kind: u8, exchange: u64, parts: &[&[u8]]) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let length = u32::try_from(length).expect("a frame body fits in a u32");
    out.reserve(HEADER_BYTES + length as usize);
    out.extend_from_slice(&length.to_le_bytes());
    out.push(kind);
    out.extend_from_slice(&exchange.to_le_bytes());
    for part in parts {
        out.extend_from_slice(part);
    }
}

/// Cuts a byte stream into frames. The owner reads into [`Decoder::space`], says how much with
/// [`Decoder::advance`], and takes frames with [`Decoder::next_frame`] until there is none.
#[derive(Debug)]
pub struct Decoder {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    limit: usize,
}

impl Decoder {
    /// A decoder that refuses bodies longer than `limit`.
    pub fn new(limit: usize) -> Self {
        Self { buffer: Vec::new(), start: 0, end: 0, limit }
    }

    /// Room to read into; never empty.
    pub fn space(&mut self) -> &mut [u8] {
        if self.start == self.end {
            self.start = 0;
            self.end = 0;
            if self.buffer.len() > 4 * READ_BYTES {
                self.buffer = Vec::new();
            }
        }
        let wanted = self.wanted().max(READ_BYTES);
        if self.buffer.len() - self.end < wanted.min(READ_BYTES) || self.buffer.len() - self.start < wanted {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            let size = self.buffer.len().max(self.end + READ_BYTES).max(wanted);
            self.buffer.resize(size, 0);
        }
        &mut self.buffer[self.end..]
    }

    /// Says that `count` bytes were read into the space.
    pub fn advance(&mut self, count: usize) {
        self.end += count;
        assert!(self.end <= self.buffer.len(), "no more was read than there was room for");
    }

    /// Whether a part of a frame waits for its rest.
    pub fn is_partial(&self) -> bool {
        self.start != self.end
    }

    /// The next whole frame, if it is there.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, FrameError> {
        let held = &self.buffer[self.start..self.end];
        let Some(header) = Header::read(held) else { return Ok(None) };
        header.check(self.limit)?;
        let whole = HEADER_BYTES + header.length;
        let Some(body) = held.get(HEADER_BYTES..whole) else { return Ok(None) };
        let frame = Frame { kind: header.kind, exchange: header.exchange, body: body.to_vec() };
        self.start += whole;
        Ok(Some(frame))
    }

    /// Bytes from `start` that the frame in hand needs, if its header is there and within the limit.
    fn wanted(&self) -> usize {
        match Header::read(&self.buffer[self.start..self.end]) {
            Some(header) if header.length <= self.limit => HEADER_BYTES + header.length,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(decoder: &mut Decoder, mut bytes: &[u8], step: usize) -> Vec<Frame> {
        let mut frames = Vec::new();
        while !bytes.is_empty() {
            let space = decoder.space();
            let count = bytes.len().min(step).min(space.len());
            space[..count].copy_from_slice(&bytes[..count]);
            bytes = &bytes[count..];
            decoder.advance(count);
            while let Some(frame) = decoder.next_frame().expect("valid") {
                frames.push(frame);
            }
        }
        frames
    }

    #[test]
    fn frames_survive_any_cut() {
        let bodies = [vec![], vec![7; 1], vec![1; 100_000], vec![2; 3], vec![3; 16_371], vec![4; 16_384]];
        let mut bytes = Vec::new();
        for (index, body) in bodies.iter().enumerate() {
            encode(&mut bytes, index as u8, index as u64 * 3, body);
        }
        for step in [1, 2, 13, 4096, usize::MAX] {
            let frames = feed(&mut Decoder::new(100_000), &bytes, step);
            assert_eq!(frames.len(), bodies.len());
            for (index, frame) in frames.iter().enumerate() {
                assert_eq!((frame.kind, frame.exchange), (index as u8, index as u64 * 3));
                assert_eq!(frame.body, bodies[index]);
            }
        }
    }

    #[test]
    fn a_length_over_the_limit_is_refused_before_it_is_allocated() {
        let mut decoder = Decoder::new(10);
        let mut bytes = u32::MAX.to_le_bytes().to_vec();
        bytes.extend_from_slice(&[0; 9]);
        decoder.space()[..13].copy_from_slice(&bytes);
        decoder.advance(13);
        let refused = FrameError::TooLong { length: u32::MAX as usize, limit: 10 };
        assert_eq!(decoder.next_frame(), Err(refused));
        assert!(decoder.space().len() <= 2 * READ_BYTES);
    }
}
