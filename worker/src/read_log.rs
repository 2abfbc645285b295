//! What this session has read, and when: the record behind the promise that no change is overwritten unseen.
//!
//! What another session changed after this session last read it may not be overwritten. What was never read
//! counts as read at the session's first view. The log only remembers; the image knows what others have changed.

use fnv::FnvHasher;
use std::collections::HashMap;
use std::fmt;
use std::hash::Hasher;

/// Things that are remembered; beyond that, all that was read before counts as never read.
const ELEMENTS_MAX: usize = 100_000;

/// Something that can be overwritten.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ProgramElement {
    /// A method: dictionary and behaviour, selector.
    Method(String, String),
    /// The definition of a class.
    Definition(String),
    /// The comment of a class.
    Comment(String),
}

/// What a text was: two texts of the same version are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version(u64);

impl Version {
    /// Of a thing that consists of these texts.
    pub(crate) fn of(texts: &[&str]) -> Self {
        let mut hasher = FnvHasher::default();
        for text in texts {
            hasher.write(text.as_bytes());
            // A byte that is in no text, so that moving a boundary makes a difference.
            hasher.write_u8(0xff);
        }
        Version(hasher.finish())
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

/// A reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The view in which it was read.
    pub(crate) view: u64,
    /// What it was then; `None` if it was never read.
    pub(crate) version: Option<Version>,
}

/// What a session has read.
#[derive(Debug)]
pub(crate) struct ReadLog {
    first_view: u64,
    readings: HashMap<ProgramElement, Reading>,
    /// The last time that a class was read with all of its methods.
    whole: HashMap<String, u64>,
}

impl ReadLog {
    /// Of a session that begins in this view.
    pub(crate) fn new(first_view: u64) -> Self {
        Self { first_view, readings: HashMap::new(), whole: HashMap::new() }
    }

    /// This thing was read, or written, in this view.
    pub(crate) fn note(&mut self, thing: ProgramElement, view: u64, version: Version) {
        if self.readings.len() >= ELEMENTS_MAX {
            self.readings.clear();
        }
        self.readings.insert(thing, Reading { view, version: Some(version) });
    }

    /// This thing was removed in this view, so this session knows that it is not there.
    pub(crate) fn forget(&mut self, thing: &ProgramElement, view: u64) {
        self.readings.insert(thing.clone(), Reading { view, version: None });
    }

    /// All methods of a class were read; `class` is dictionary and name.
    pub(crate) fn note_whole(&mut self, class: String, view: u64) {
        if self.whole.len() >= ELEMENTS_MAX {
            self.whole.clear();
        }
        self.whole.insert(class, view);
    }

    /// When this thing was last read.
    pub(crate) fn reading(&self, thing: &ProgramElement) -> Reading {
        let whole = match thing {
            ProgramElement::Method(behavior, _) => {
                self.whole.get(behavior.strip_suffix(" class").unwrap_or(behavior)).copied()
            }
            _ => None,
        };
        let first = Reading { view: self.first_view, version: None };
        match (self.readings.get(thing).copied(), whole) {
            (Some(reading), Some(view)) if reading.view < view => Reading { view, version: None },
            (Some(reading), _) => reading,
            (None, Some(view)) => Reading { view, version: None },
            (None, None) => first,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(behavior: &str) -> ProgramElement {
        ProgramElement::Method(behavior.to_owned(), "x".to_owned())
    }

    #[test]
    fn the_latest_reading_counts() {
        let mut read_log = ReadLog::new(3);
        assert_eq!(read_log.reading(&method("D.A")), Reading { view: 3, version: None });
        let version = Version::of(&["x", "^1"]);
        read_log.note(method("D.A"), 5, version);
        assert_eq!(read_log.reading(&method("D.A")), Reading { view: 5, version: Some(version) });
        read_log.note_whole("D.A".to_owned(), 7);
        assert_eq!(read_log.reading(&method("D.A")), Reading { view: 7, version: None });
        assert_eq!(read_log.reading(&method("D.A class")), Reading { view: 7, version: None });
        assert_eq!(read_log.reading(&method("D.B")).view, 3);
    }

    #[test]
    fn versions_tell_texts_apart() {
        assert_eq!(Version::of(&["ab", "c"]), Version::of(&["ab", "c"]));
        assert_ne!(Version::of(&["ab", "c"]), Version::of(&["a", "bc"]));
        assert_eq!(Version::of(&[]).to_string().len(), 16);
    }
}
