//! The instructions of a method, as the interpreter reads them.
//!
//! They lie outside of the heap: no collection moves them, no store reaches them, and what was verified once stays as
//! it was, whatever becomes of the object that they were copied from.

/// Where the instructions of a method begin.
#[derive(Debug, Clone, Copy)]
pub struct Code(*const u32);

// SAFETY: it is an address of words that nobody changes; reading them is left to the caller of `word_unchecked`.
unsafe impl Send for Code {}

/// What stands where no code runs.
static NO_CODE: [u32; 1] = [crate::bytecode::op::ReturnSelf as u32];

impl Code {
    /// No code.
    pub const NOWHERE: Code = Code(NO_CODE.as_ptr());

    /// Where words begin.
    pub fn of(words: &[u32]) -> Code {
        Code(words.as_ptr())
    }

    /// The word at an index.
    ///
    /// # Safety
    /// The words that this was made of still live, and the index is one of theirs. The tables of the machine keep the
    /// words of every method that a frame may run; the verifier proves that control never leaves them.
    #[inline(always)]
    pub unsafe fn word_unchecked(self, index: usize) -> u32 {
        // SAFETY: the caller says that the words live and that the index is one of theirs.
        unsafe { *self.0.add(index) }
    }
}
