//! Little-endian binary fields, for the bodies of frames that carry objects.
//!
//! A reader never trusts a length: it compares with what is left before it allocates.

use crate::frame::FrameError;

/// Writes fields in order.
#[derive(Debug, Default)]
pub struct Writer {
    /// What was written so far.
    pub bytes: Vec<u8>,
}

impl Writer {
    /// An empty writer.
    pub fn new() -> Self {
        Self::default()
    }

    /// One byte.
    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.bytes.push(value);
        self
    }

    /// Four bytes.
    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.bytes.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// Eight bytes.
    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.bytes.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// A length in four bytes, then the bytes.
    pub fn block(&mut self, bytes: &[u8]) -> &mut Self {
        self.u32(u32::try_from(bytes.len()).expect("a block fits in a u32"));
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Bytes whose length the reader knows.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }
}

/// Reads fields in order from a borrowed body.
#[derive(Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// A reader over the whole of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Bytes not read yet.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// The next `count` bytes.
    pub fn raw(&mut self, count: usize) -> Result<&'a [u8], FrameError> {
        if count > self.rest.len() {
            return Err(FrameError::Malformed("a field runs past the end of its frame"));
        }
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        Ok(taken)
    }

    /// One byte.
    pub fn u8(&mut self) -> Result<u8, FrameError> {
        Ok(self.raw(1)?[0])
    }

    /// Four bytes.
    pub fn u32(&mut self) -> Result<u32, FrameError> {
        Ok(u32::from_le_bytes(self.raw(4)?.try_into().expect("four bytes")))
    }

    /// Eight bytes.
    pub fn u64(&mut self) -> Result<u64, FrameError> {
        Ok(u64::from_le_bytes(self.raw(8)?.try_into().expect("eight bytes")))
    }

    /// A block written by [`Writer::block`].
    pub fn block(&mut self) -> Result<&'a [u8], FrameError> {
        let length = self.u32()? as usize;
        self.raw(length)
    }

    /// A block that must be UTF-8.
    pub fn text(&mut self) -> Result<&'a str, FrameError> {
        std::str::from_utf8(self.block()?).map_err(|_| FrameError::Malformed("text that is not UTF-8"))
    }

    /// A count of items that take at least `item_bytes` each, so that a lying count cannot make anybody allocate.
    pub fn count(&mut self, item_bytes: usize) -> Result<usize, FrameError> {
        let count = self.u32()? as usize;
        if count.saturating_mul(item_bytes) > self.rest.len() {
            return Err(FrameError::Malformed("a count runs past the end of its frame"));
        }
        Ok(count)
    }

    /// Refuses bytes after the last field.
    pub fn finish(self) -> Result<(), FrameError> {
        if self.rest.is_empty() { Ok(()) } else { Err(FrameError::Malformed("bytes after the last field")) }
    }
}
