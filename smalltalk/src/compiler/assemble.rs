//! Writes instructions and keeps count of the stack. What cannot be reached is not written. A limit of the instruction
//! set that is broken is noted, and the words written from then on are never handed out.

use super::literals::Literals;
use crate::bytecode::{Operation, SPECIAL_SENDS, instruction, jump};

/// A place that jumps lead to from above.
#[derive(Default)]
pub(super) struct Label {
    jumps: Vec<usize>,
    depth: usize,
}

/// The stack of one frame, as far as the code is written.
#[derive(Clone, Copy, Default)]
pub(super) struct Stack {
    pub(super) depth: usize,
    pub(super) peak: usize,
}

pub(super) struct Assembler<B> {
    pub(super) code: Vec<u32>,
    pub(super) positions: Vec<(u32, u32)>,
    pub(super) literals: Literals<B>,
    pub(super) sites: usize,
    pub(super) stack: Stack,
    pub(super) reachable: bool,
    /// The first limit that was broken: place and text.
    pub(super) broken: Option<(u32, String)>,
    /// The latest place of the source that code was written for.
    latest: u32,
}

impl<B: Clone> Assembler<B> {
    pub(super) fn new(literals: Literals<B>) -> Self {
        Self {
            code: Vec::new(),
            positions: Vec::new(),
            literals,
            sites: 0,
            stack: Stack::default(),
            reachable: true,
            broken: None,
            latest: 0,
        }
    }

    pub(super) fn too_large(&mut self, message: &str) {
        self.broken.get_or_insert_with(|| (self.latest, message.to_owned()));
    }

    /// Tells where in the source the next instructions come from.
    pub(super) fn at(&mut self, offset: u32) {
        self.latest = offset;
    }

    /// A number as an operand.
    pub(super) fn operand(&mut self, value: usize, what: &str) -> u16 {
        u16::try_from(value).unwrap_or_else(|_| {
            self.too_large(&format!("too many {what}: {value}, at most 65535 are allowed"));
            0
        })
    }

    fn write(&mut self, word: u32, popped: usize, pushed: usize) {
        if !self.reachable {
            return;
        }
        self.code.push(word);
        self.stack.depth = self.stack.depth + pushed - popped;
        self.stack.peak = self.stack.peak.max(self.stack.depth);
    }

    pub(super) fn operation(&mut self, operation: Operation, a: u8, b: u16, popped: usize, pushed: usize) {
        self.write(instruction(operation, a, b), popped, pushed);
    }

    pub(super) fn push(&mut self, operation: Operation, b: u16) {
        self.operation(operation, 0, b, 0, 1);
    }

    pub(super) fn pop(&mut self) {
        self.operation(Operation::Pop, 0, 0, 1, 0);
    }

    /// An instruction that leaves the frame.
    pub(super) fn leave(&mut self, operation: Operation, popped: usize) {
        self.operation(operation, 0, 0, popped, 0);
        self.reachable = false;
    }

    pub(super) fn push_constant(&mut self, literal: &crate::syntax::ast::Literal) {
        if self.reachable {
            let index = self.literals.constant(literal);
            let index = self.operand(index, "literals");
            self.push(Operation::PushLiteral, index);
        }
    }

    /// A message to the receiver and the arguments that are on the stack.
    pub(super) fn send(&mut self, selector: &str, arguments: usize, to_super: bool, offset: u32) {
        self.at(offset);
        if !self.reachable {
            return;
        }
        let without_send = match selector {
            "==" => Some(Operation::Identical),
            "~~" => Some(Operation::NotIdentical),
            "isNil" => Some(Operation::IsNil),
            "notNil" => Some(Operation::NotNil),
            _ => None,
        };
        if let Some(operation) = without_send.filter(|_| !to_super) {
            return self.operation(operation, 0, 0, arguments + 1, 1);
        }
        match SPECIAL_SENDS.iter().find(|(_, special, _)| *special == selector && !to_super) {
            Some((operation, _, _)) => self.operation(*operation, 0, 0, arguments + 1, 1),
            None => {
                let index = self.literals.symbol(selector);
                let index = self.operand(index, "literals");
                let operation = if to_super { Operation::SendSuper } else { Operation::Send };
                self.operation(operation, arguments as u8, index, arguments + 1, 1);
            }
        }
        let site = self.sites as u32;
        self.sites += 1;
        self.write(site, 0, 0);
        self.note_position(offset);
    }

    fn note_position(&mut self, offset: u32) {
        self.positions.push((self.code.len() as u32, offset));
    }

    pub(super) fn jump(&mut self, operation: Operation, label: &mut Label) {
        if !self.reachable {
            return;
        }
        let popped = usize::from(operation != Operation::Jump);
        label.jumps.push(self.code.len());
        self.operation(operation, 0, 0, popped, 0);
        label.depth = self.stack.depth;
        self.reachable = operation != Operation::Jump;
    }

    /// Jumps if the boolean on the stack is `when`; anything but a boolean gets a message there.
    pub(super) fn jump_if(&mut self, when: bool, label: &mut Label, offset: u32) {
        if !self.reachable {
            return;
        }
        self.at(offset);
        self.jump(if when { Operation::JumpIfTrue } else { Operation::JumpIfFalse }, label);
        self.note_position(offset);
    }

    /// Lets all jumps to the label lead here.
    pub(super) fn bind(&mut self, label: Label) {
        if label.jumps.is_empty() {
            return;
        }
        if !self.reachable {
            self.stack.depth = label.depth;
            self.reachable = true;
        }
        for from in label.jumps {
            let operation = Operation::from_number(self.code[from] as u8).unwrap_or(Operation::Jump);
            self.code[from] = self.jump_word(operation, self.code.len() as i64 - from as i64 - 1);
        }
    }

    pub(super) fn here(&self) -> usize {
        self.code.len()
    }

    pub(super) fn jump_back(&mut self, to: usize) {
        if self.reachable {
            let word = self.jump_word(Operation::JumpBack, to as i64 - self.code.len() as i64 - 1);
            self.write(word, 0, 0);
            self.reachable = false;
        }
    }

    fn jump_word(&mut self, operation: Operation, distance: i64) -> u32 {
        let word = i32::try_from(distance).ok().and_then(|distance| jump(operation, distance));
        word.unwrap_or_else(|| {
            self.too_large("the code is too long for a jump within it");
            0
        })
    }
}
