//! The virtual machine's stack: words of its own, never the Rust stack.
//!
//! Every word below the top is a tagged word that names an object of the heap, or none. Who writes without a check owes
//! that; the collector checks it all the same.

use super::fault::fault_at;
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
    #[inline(always)]
    pub fn capacity(&self) -> usize {
        self.words
    }

    #[inline(always)]
    #[track_caller]
    fn check(&self, index: usize) {
        if index >= self.words {
            fault_at("an index beyond the stack", index);
        }
    }

    /// The word at an index. What lies above the top may be stale: it is checked where it is used.
    #[inline]
    #[track_caller]
    pub fn get(&self, index: usize) -> Oop {
        self.check(index);
        // SAFETY: the index was just checked.
        unsafe { self.get_unchecked(index) }
    }

    /// Sets the word at an index to one that the heap has checked.
    #[inline]
    #[track_caller]
    pub(super) fn set(&mut self, index: usize, value: Oop) {
        self.check(index);
        // SAFETY: the index was just checked, and the caller has checked the value.
        unsafe { self.set_unchecked(index, value) }
    }

    /// The word at an index.
    ///
    /// # Safety
    /// The index is below the capacity. The interpreter upholds it: a frame is pushed only if all the words that its
    /// method may use fit, and verified code addresses nothing outside of its frame.
    #[inline(always)]
    pub unsafe fn get_unchecked(&self, index: usize) -> Oop {
        debug_assert!(index < self.words);
        // SAFETY: the region has `words` words, and the caller says that the index is one of them.
        unsafe { *(self.region.start() as *const Oop).add(index) }
    }

    /// Sets the word at an index.
    ///
    /// # Safety
    /// The index is below the capacity, as for [`Stack::get_unchecked`]; the value is no reference, and if it is a
    /// pointer it names an object of the heap that this stack belongs to. The interpreter upholds it: its values come
    /// from slots, from the stack and from allocations since which nothing has moved.
    #[inline(always)]
    pub unsafe fn set_unchecked(&mut self, index: usize, value: Oop) {
        debug_assert!(index < self.words);
        debug_assert!(!value.is_reference());
        // SAFETY: as in `get_unchecked`.
        unsafe { *(self.region.start() as *mut Oop).add(index) = value }
    }

    /// Words below an index.
    pub fn below(&self, top: usize) -> &[Oop] {
        assert!(top <= self.words, "a top within the stack");
        // SAFETY: the range lies in the region, and words are plain data.
        unsafe { std::slice::from_raw_parts(self.region.start() as *const Oop, top) }
    }

    /// Words below an index, to be changed to such as the heap has checked.
    pub(super) fn below_mut(&mut self, top: usize) -> &mut [Oop] {
        assert!(top <= self.words, "a top within the stack");
        // SAFETY: as in `below`, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.region.start() as *mut Oop, top) }
    }

    /// Gives the memory above an index back to the system.
    pub fn trim(&mut self, top: usize) {
        if top < self.words {
            self.region.release(top * 8, (self.words - top) * 8);
        }
    }
}
