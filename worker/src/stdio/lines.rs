//! Lines of a client, cut out of what arrives, bounded: of a line that is too long only that it was is kept.

use protocol::limits::BODY_BYTES_MAX;

/// How much is read at a time.
const READ_BYTES: usize = 64 * 1024;

/// What a line was.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Its bytes, without the end.
    Whole(Vec<u8>),
    /// It was longer than a message may be.
    TooLong,
}

/// The lines so far.
#[derive(Debug)]
pub(super) struct Lines {
    held: Vec<u8>,
    /// Whether the line in hand is too long already.
    skipping: bool,
    longest: usize,
}

impl Default for Lines {
    fn default() -> Self {
        Self { held: Vec::new(), skipping: false, longest: BODY_BYTES_MAX }
    }
}

impl Lines {
    /// Room to read into.
    pub(super) fn space() -> Vec<u8> {
        vec![0; READ_BYTES]
    }

    /// Takes what was read; answers the lines that are complete now.
    pub(super) fn take(&mut self, mut bytes: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.hold(&bytes[..end]);
            lines.push(self.end());
            bytes = &bytes[end + 1..];
        }
        self.hold(bytes);
        lines
    }

    /// The last line, if the client ended without ending it.
    pub(super) fn rest(&mut self) -> Option<Line> {
        (self.skipping || !self.held.is_empty()).then(|| self.end())
    }

    fn hold(&mut self, bytes: &[u8]) {
        if self.held.len() + bytes.len() > self.longest {
            self.skipping = true;
            self.held = Vec::new();
        }
        if !self.skipping {
            self.held.extend_from_slice(bytes);
        }
    }

    fn end(&mut self) -> Line {
        let held = std::mem::take(&mut self.held);
        if std::mem::take(&mut self.skipping) { Line::TooLong } else { Line::Whole(held) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_survive_any_cut_and_long_ones_are_skipped() {
        let text = b"ab\n\nlonger than ten\nc\nrest";
        for step in 1..text.len() {
            let mut lines = Lines { longest: 10, ..Lines::default() };
            let mut all: Vec<Line> = text.chunks(step).flat_map(|part| lines.take(part)).collect();
            all.extend(lines.rest());
            let whole = |text: &[u8]| Line::Whole(text.to_vec());
            assert_eq!(all, [whole(b"ab"), whole(b""), Line::TooLong, whole(b"c"), whole(b"rest")], "{step}");
            assert_eq!(lines.rest(), None);
        }
    }
}
