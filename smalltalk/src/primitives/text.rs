//! The characters of byte objects of either width: comparing, searching, hashing. Nothing here allocates objects.

use crate::heap::Oop;
use crate::vm::Vm;
use crate::vm::known::{FIRST_FREE_CLASS_INDEX, class};
use std::cmp::Ordering;

/// The characters of a string or symbol.
#[derive(Debug, Clone, Copy)]
pub(super) enum Text<'a> {
    /// One byte each.
    Narrow(&'a [u8]),
    /// Four bytes each, the lowest first.
    Wide(&'a [u8]),
}

impl Vm {
    /// The characters of a string or symbol; `None` for anything else, other byte objects included.
    pub(super) fn characters(&self, object: Oop) -> Option<Text<'_>> {
        if !object.is_pointer() || !self.heap.is_bytes(object) {
            return None;
        }
        let is_text = match self.heap.class_index(object) {
            class::STRING | class::SYMBOL | class::QUAD_BYTE_STRING | class::QUAD_BYTE_SYMBOL => true,
            index => index >= FIRST_FREE_CLASS_INDEX && self.inherits_from(index, class::STRING),
        };
        let bytes = self.heap.bytes(object);
        is_text.then(|| if self.is_wide_bytes(object) { Text::Wide(bytes) } else { Text::Narrow(bytes) })
    }
}

fn unit(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |code, byte| code << 8 | u32::from(*byte))
}

impl<'a> Text<'a> {
    /// How many characters there are.
    pub(super) fn size(self) -> usize {
        match self {
            Text::Narrow(bytes) => bytes.len(),
            Text::Wide(bytes) => bytes.len() / 4,
        }
    }

    /// The code points.
    pub(super) fn codes(self) -> impl Iterator<Item = u32> + 'a {
        let (bytes, width) = match self {
            Text::Narrow(bytes) => (bytes, 1),
            Text::Wide(bytes) => (bytes, 4),
        };
        bytes.chunks_exact(width).map(unit)
    }

    /// The characters; what is no code point shows as the replacement character.
    pub(super) fn chars(self) -> impl Iterator<Item = char> + 'a {
        self.codes().map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// The character at an index from 0.
    pub(super) fn at(self, index: usize) -> Option<char> {
        let code = match self {
            Text::Narrow(bytes) => u32::from(*bytes.get(index)?),
            Text::Wide(bytes) => unit(bytes.chunks_exact(4).nth(index)?),
        };
        Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// By code points.
    pub(super) fn compare(self, other: Text<'_>) -> Ordering {
        match (self, other) {
            (Text::Narrow(one), Text::Narrow(two)) => one.cmp(two),
            _ => self.codes().cmp(other.codes()),
        }
    }

    /// Whether the characters are the same.
    pub(super) fn equals(self, other: Text<'_>) -> bool {
        match (self, other) {
            (Text::Narrow(one), Text::Narrow(two)) | (Text::Wide(one), Text::Wide(two)) => one == two,
            _ => self.size() == other.size() && self.codes().eq(other.codes()),
        }
    }

    /// A hash of the characters that does not depend on their width. It is part of what committed collections rely on.
    /// For characters of one byte it is FNV-1a; a wider one is one step of it and not four, which no library computes.
    pub(super) fn hash(self) -> i64 {
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for code in self.codes() {
            hash = (hash ^ u64::from(code)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        ((hash ^ hash >> 32) & 0x3fff_ffff) as i64
    }

    /// The index from 0 of a text, at or behind `start`. An empty text is found nowhere.
    pub(super) fn index_of(self, wanted: Text<'_>, start: usize) -> Option<usize> {
        if wanted.size() == 0 || start >= self.size() {
            return None;
        }
        match self {
            Text::Narrow(bytes) => {
                // What has a wide character cannot occur in narrow text.
                let wanted: Vec<u8> = wanted.codes().map(u8::try_from).collect::<Result<_, _>>().ok()?;
                memchr::memmem::find(&bytes[start..], &wanted).map(|found| start + found)
            }
            Text::Wide(bytes) => {
                wide_index(bytes, &wanted.codes().flat_map(u32::to_le_bytes).collect::<Vec<u8>>(), start)
            }
        }
    }
}

fn wide_index(bytes: &[u8], wanted: &[u8], start: usize) -> Option<usize> {
    let finder = memchr::memmem::Finder::new(wanted);
    let mut from = start * 4;
    while let Some(found) = bytes.get(from..).and_then(|rest| finder.find(rest)) {
        if (from + found).is_multiple_of(4) {
            return Some((from + found) / 4);
        }
        // Between two characters: no match.
        from += found + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vm::objects::quad_bytes;

    #[test]
    fn widths_do_not_matter() {
        let wide = quad_bytes("abc");
        let (narrow, wide) = (Text::Narrow(b"abc"), Text::Wide(&wide));
        assert!(narrow.equals(wide) && wide.equals(narrow));
        assert_eq!(narrow.hash(), wide.hash());
        assert_eq!(narrow.compare(wide), Ordering::Equal);
        assert_eq!(Text::Narrow(b"abd").compare(wide), Ordering::Greater);
        assert_eq!(Text::Narrow(b"ab").compare(wide), Ordering::Less);
        assert_eq!((wide.at(2), wide.at(3), narrow.at(3)), (Some('c'), None, None));
    }

    #[test]
    fn text_is_found_in_text_of_either_width() {
        let wide = quad_bytes("aba\u{4e00}ba");
        let (one, other) = (quad_bytes("\u{4e00}b"), quad_bytes("b"));
        let wide = Text::Wide(&wide);
        assert_eq!(wide.index_of(Text::Narrow(b"ba"), 0), Some(1));
        assert_eq!(wide.index_of(Text::Narrow(b"ba"), 2), Some(4));
        assert_eq!(wide.index_of(Text::Wide(&one), 0), Some(3));
        assert_eq!(Text::Narrow(b"abab").index_of(Text::Wide(&other), 2), Some(3));
        assert_eq!(Text::Narrow(b"abab").index_of(Text::Wide(&one), 0), None);
        assert_eq!(wide.index_of(Text::Narrow(b""), 0), None);
        assert_eq!(wide.index_of(Text::Narrow(b"a"), usize::MAX), None);
    }

    #[test]
    fn matches_between_characters_do_not_count() {
        // U+6200 begins with a zero byte that is followed by 0x62.
        let wide = quad_bytes("\u{6200}\0b");
        let wanted = quad_bytes("b");
        assert_eq!(Text::Wide(&wide).index_of(Text::Wide(&wanted), 0), Some(2));
    }

    #[test]
    fn the_hash_of_a_text_never_changes_and_does_not_depend_on_its_width() {
        let (ascii, chinese) = (quad_bytes("abc"), quad_bytes("\u{4e2d}\u{6587}"));
        let hashes = [Text::Narrow(b"abc"), Text::Wide(&ascii), Text::Narrow(b"\xe9"), Text::Wide(&chinese)];
        assert_eq!(hashes.map(Text::hash), [576_648_530, 576_648_530, 694_597_608, 153_994_917]);
    }
}
