//! What the interpreter holds in machine registers while it runs one frame.
//!
//! The fields are the machine's own: no module outside of `vm` makes or changes registers, since the interpreter reads
//! the stack at these positions without a check.

use super::{Stop, Vm};
use crate::heap::{Code, Oop};

/// The state of the running frame. It is copied, not shared: a slow path takes it by value and answers a new one, so
/// that the compiler can keep the loop's own copy in registers.
///
/// Registers always describe a frame that lies on the stack whole, as pushing it has checked: `fp` is its first header
/// word, `sp` lies in it, `ip` is where an instruction of its verified code starts.
#[derive(Debug, Clone, Copy)]
pub struct Registers {
    /// Next instruction, as an index in the code.
    pub(in crate::vm) ip: usize,
    /// First free index of the stack.
    pub(in crate::vm) sp: usize,
    /// First header word of the frame.
    pub(in crate::vm) fp: usize,
    /// The method's instructions.
    pub(in crate::vm) code: Code,
    /// The method's literals.
    pub(in crate::vm) literals: Oop,
    /// The method's first inline cache.
    pub(in crate::vm) site_base: usize,
    /// `self`.
    pub(in crate::vm) receiver: Oop,
}

impl Default for Registers {
    fn default() -> Self {
        Registers { ip: 0, sp: 0, fp: 0, code: Code::NOWHERE, literals: Oop::NIL, site_base: 0, receiver: Oop::NIL }
    }
}

impl Registers {
    /// First header word of the running frame; 0 if none runs.
    pub(crate) fn frame(&self) -> usize {
        self.fp
    }

    /// Where the running frame goes on.
    pub(crate) fn next_instruction(&self) -> usize {
        self.ip
    }
}

impl Vm {
    /// The word on top of the evaluation stack.
    pub(in crate::vm) fn top(&self, r: &Registers) -> Oop {
        self.heap.stack.get(r.sp - 1)
    }

    /// Pushes a word that the machine adds to what the frame's code pushes by itself.
    pub(in crate::vm) fn pushed(&mut self, mut r: Registers, value: Oop) -> Registers {
        self.heap.set_stack(r.sp, value);
        r.sp += 1;
        r
    }

    /// The word at a depth of the evaluation stack; the top is at depth 1.
    ///
    /// # Safety
    /// The running code has pushed so many words, receiver and arguments counted. The verifier proves that no
    /// instruction takes more than there are.
    #[inline(always)]
    pub(in crate::vm) unsafe fn peek_unchecked(&self, r: &Registers, depth: usize) -> Oop {
        // SAFETY: the caller says that the word lies in the frame.
        unsafe { self.heap.stack.get_unchecked(r.sp - depth) }
    }

    /// Sets the word at a depth of the evaluation stack.
    ///
    /// # Safety
    /// As for [`Vm::peek_unchecked`], and the value names an object of the heap, or none.
    #[inline(always)]
    pub(in crate::vm) unsafe fn poke_unchecked(&mut self, r: &Registers, depth: usize, value: Oop) {
        // SAFETY: as the caller says.
        unsafe { self.heap.stack.set_unchecked(r.sp - depth, value) }
    }

    /// Pushes what an instruction pushes.
    ///
    /// # Safety
    /// The frame has room: the verifier proves that no way through the code pushes more than the frame's words. The
    /// value names an object of the heap, or none.
    #[inline(always)]
    pub(in crate::vm) unsafe fn push_unchecked(&mut self, mut r: Registers, value: Oop) -> Registers {
        // SAFETY: as the caller says.
        unsafe { self.heap.stack.set_unchecked(r.sp, value) };
        r.sp += 1;
        r
    }

    /// Leaves the fast path. The registers travel through the machine, word by word: passed as one value they would
    /// live in memory for the whole loop.
    #[inline(always)]
    pub(in crate::vm) fn slowly(
        &mut self,
        r: Registers,
        slow: impl FnOnce(&mut Vm, Registers) -> Result<Registers, Stop>,
    ) -> Result<Registers, Stop> {
        self.registers = r;
        self.out_of_line(slow)?;
        Ok(self.registers)
    }

    #[inline(never)]
    fn out_of_line(&mut self, slow: impl FnOnce(&mut Vm, Registers) -> Result<Registers, Stop>) -> Result<(), Stop> {
        self.registers = slow(self, self.registers)?;
        Ok(())
    }
}
