//! What the interpreter holds in machine registers while it runs one frame.

use crate::heap::{Code, Oop};

/// The state of the running frame. It is copied, not shared: a slow path takes it by value and answers a new one, so
/// that the compiler can keep the loop's own copy in registers.
#[derive(Debug, Clone, Copy)]
pub struct Registers {
    /// Next instruction, as an index in the code.
    pub ip: usize,
    /// First free index of the stack.
    pub sp: usize,
    /// First header word of the frame.
    pub fp: usize,
    /// The method's instructions.
    pub code: Code,
    /// The method's literals.
    pub literals: Oop,
    /// The method's first inline cache.
    pub site_base: usize,
    /// `self`.
    pub receiver: Oop,
}

/// What stands where no code runs.
static NO_CODE: [u32; 1] = [crate::bytecode::op::ReturnSelf as u32];

impl Default for Registers {
    fn default() -> Self {
        Registers {
            ip: 0,
            sp: 0,
            fp: 0,
            code: Code::from_static(&NO_CODE),
            literals: Oop::NIL,
            site_base: 0,
            receiver: Oop::NIL,
        }
    }
}
