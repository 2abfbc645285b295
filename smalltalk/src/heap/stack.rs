//! The virtual machine's stack: words of its own, never the Rust stack.
//!
//! It keeps one invariant for the collector: every word below the top is a tagged word.

use super::oop::Oop;
use super::region::Region;
use std::io;

/// Words, addressed by index from the bottom.
#[derive(Debug)]
pub struct Stack {
    region: Region,
    words: usize,
}

impl Stack {
    pub(super) fn new(bytes: usize) -> io::Result<Stack> {
        let region = Region::new(bytes)?;
        let words = region.bytes() / 8;
        Ok(Stack { region, words })
    }

    /// How many words there are.
    pub fn capacity(&self) -> usize {
        self.words
    }

    /// The word at an index.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Oop {
        debug_assert!(index < self.words);
        // SAFETY: frames are pushed only after `frame_words` of their method was checked against the capacity, and
        // code addresses nothing outside its frame; so the index is below the capacity. JUSTIFICATION: a check here
        // costs a tenth of all execution time.
        unsafe { *(self.region.start() as *const Oop).add(index) }
    }

    /// Sets the word at an index.
    #[inline(always)]
    pub fn set(&mut self, index: usize, value: Oop) {
        debug_assert!(index < self.words);
        debug_assert!(!value.is_reference());
        // SAFETY: as in `get`.
        unsafe { *(self.region.start() as *mut Oop).add(index) = value }
    }

    /// Words below an index.
    pub fn below(&self, top: usize) -> &[Oop] {
        assert!(top <= self.words);
        // SAFETY: the range lies in the region, and words are plain data.
        unsafe { std::slice::from_raw_parts(self.region.start() as *const Oop, top) }
    }

    /// Words below an index, to be changed.
    pub fn below_mut(&mut self, top: usize) -> &mut [Oop] {
        assert!(top <= self.words);
        // SAFETY: as in `below`, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.region.start() as *mut Oop, top) }
    }

    /// Gives the memory above an index back to the system.
    pub fn trim(&mut self, top: usize) {
        let from = self.region.start() + top * 8;
        self.region.release_from(from);
    }
}
