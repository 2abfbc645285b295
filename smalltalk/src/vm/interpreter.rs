//! The loop: one instruction after the other.
//!
//! Each operation is a function that takes the registers and answers them. Those on the hot path are inlined, so that
//! the registers of the loop stay registers of the machine; the others are called through `Vm::slowly`, which also
//! saves the registers for whoever looks at the stack when a slow path ends the execution.

use super::frames::{BlockShape, block_slot};
use super::known::class;
use super::registers::Registers;
use super::{Stop, Vm};
use crate::bytecode::{BlockDescriptor, op};
use crate::heap::Oop;
use std::convert::Infallible;

#[inline(always)]
fn operand_a(word: u32) -> usize {
    (word >> 8) as u8 as usize
}

#[inline(always)]
fn operand_b(word: u32) -> usize {
    (word >> 16) as usize
}

#[inline(always)]
fn place(r: &Registers, word: u32) -> usize {
    (r.fp as isize + isize::from((word >> 16) as u16 as i16)) as usize
}

#[inline(always)]
pub(super) fn target(r: &Registers, word: u32) -> usize {
    (r.ip as isize + (word as i32 >> 8) as isize) as usize
}

impl Vm {
    #[inline(always)]
    pub(crate) fn top(&self, r: &Registers) -> Oop {
        self.heap.stack.get(r.sp - 1)
    }

    #[inline(always)]
    pub(crate) fn pushed(&mut self, mut r: Registers, value: Oop) -> Registers {
        self.heap.stack.set(r.sp, value);
        r.sp += 1;
        r
    }

    /// Leaves the fast path. The registers travel through the machine, word by word: passed as one value they would
    /// live in memory for the whole loop.
    #[inline(always)]
    pub(crate) fn slowly(
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

    /// Runs until the frame that Rust asked for has answered ([`Stop::Answered`]) or something ends the execution.
    pub(crate) fn run(&mut self, start: Registers) -> Result<Infallible, Stop> {
        self.registers = start;
        self.run_registers()
    }

    fn run_registers(&mut self) -> Result<Infallible, Stop> {
        // A copy of its own: a parameter of this size would stay in the caller's memory.
        let mut r = self.registers;
        loop {
            let word = r.code.word(r.ip);
            r.ip += 1;
            r = match word as u8 {
                op::PushTemporary => {
                    let value = self.heap.stack.get(place(&r, word));
                    self.pushed(r, value)
                }
                op::PopTemporary => self.pop_temporary(r, word),
                op::StoreTemporary => self.store_temporary(r, word),
                op::PushInstanceVariable => self.push_slot(r, r.receiver, operand_b(word))?,
                op::PopInstanceVariable => self.pop_instance_variable(r, word)?,
                op::PushLiteral => self.push_slot(r, r.literals, operand_b(word))?,
                op::PushGlobal => self.push_global(r, word)?,
                op::PushSelf => self.pushed(r, r.receiver),
                op::PushNil => self.pushed(r, Oop::NIL),
                op::PushTrue => self.pushed(r, Oop::TRUE),
                op::PushFalse => self.pushed(r, Oop::FALSE),
                op::PushSmallInteger => self.pushed(r, Oop::small(i64::from((word >> 16) as u16 as i16))),
                op::PushVectorTemporary => self.push_vector_temporary(r, word)?,
                op::PopVectorTemporary => self.pop_vector_temporary(r, word),
                op::Send => self.send_at_site(r, word)?,
                op::Jump => Registers { ip: target(&r, word), ..r },
                op::JumpBack => self.check(Registers { ip: target(&r, word), ..r })?,
                op::JumpIfFalse => self.jump_if(r, word, Oop::FALSE, Oop::TRUE)?,
                op::JumpIfTrue => self.jump_if(r, word, Oop::TRUE, Oop::FALSE)?,
                op::JumpIfNil => self.jump_if_nil(r, word, true),
                op::JumpIfNotNil => self.jump_if_nil(r, word, false),
                op::Duplicate => self.pushed(r, self.top(&r)),
                op::Pop => Registers { sp: r.sp - 1, ..r },
                op::ReturnTop => self.leave(r, self.top(&r))?,
                op::ReturnSelf => self.leave(r, r.receiver)?,
                // One arm each: within it the operation is a constant, and need not be told apart again.
                op::Add => self.special_send(r, op::Add)?,
                op::Subtract => self.special_send(r, op::Subtract)?,
                op::Less => self.comparison(r, op::Less)?,
                op::Greater => self.comparison(r, op::Greater)?,
                op::LessOrEqual => self.comparison(r, op::LessOrEqual)?,
                op::GreaterOrEqual => self.comparison(r, op::GreaterOrEqual)?,
                op::Equal => self.comparison(r, op::Equal)?,
                op::At => self.special_send(r, op::At)?,
                operation @ op::Add..=op::Size => self.special_send(r, operation)?,
                op::Value => self.value_send(r, 0)?,
                op::ValueWith => self.value_send(r, 1)?,
                op::IsNil => self.nil_test(r, true),
                op::NotNil => self.nil_test(r, false),
                _ => self.slowly(r, |vm, r| vm.rare(r, word))?,
            };
        }
    }

    fn rare(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        match word as u8 {
            op::StoreInstanceVariable => self.store_instance_variable(r, word),
            op::StoreGlobal => self.store_global(r, word),
            op::PopGlobal => Ok(self.store_global(r, word).map(|r| Registers { sp: r.sp - 1, ..r })?),
            op::StoreVectorTemporary => {
                let vector = self.heap.stack.get(place(&r, word));
                self.heap.store(vector, operand_a(word), self.top(&r));
                Ok(r)
            }
            op::PushNewVector => self.push_new_vector(r, word),
            op::PushNewArray => self.push_new_array(r, word),
            op::PushBlock => self.push_block(r, word),
            op::SendSuper => {
                let selector = self.load(r.literals, operand_b(word))?;
                self.send_super(Registers { ip: r.ip + 1, ..r }, selector, operand_a(word))
            }
            op::ReturnFromHome => self.return_from_home(r),
            op::Not => self.special_not(r),
            op::PushThisContext => self.push_this_context(r),
            _ => Err(Stop::Broken("an instruction that does not exist")),
        }
    }

    // === Variables

    #[inline(always)]
    fn store_temporary(&mut self, r: Registers, word: u32) -> Registers {
        self.heap.stack.set(place(&r, word), self.top(&r));
        r
    }

    #[inline(always)]
    fn pop_temporary(&mut self, r: Registers, word: u32) -> Registers {
        self.heap.stack.set(place(&r, word), self.top(&r));
        Registers { sp: r.sp - 1, ..r }
    }

    #[inline(always)]
    fn push_slot(&mut self, r: Registers, object: Oop, index: usize) -> Result<Registers, Stop> {
        let value = self.heap.slot(object, index);
        if value.is_reference() {
            return self.slowly(r, |vm, r| vm.push_loaded(r, object, index));
        }
        Ok(self.pushed(r, value))
    }

    fn push_loaded(&mut self, r: Registers, object: Oop, index: usize) -> Result<Registers, Stop> {
        let value = self.load(object, index)?;
        Ok(self.pushed(r, value))
    }

    #[inline(always)]
    fn push_vector_temporary(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        let vector = self.heap.stack.get(place(&r, word));
        self.push_slot(r, vector, operand_a(word))
    }

    #[inline(always)]
    fn pop_vector_temporary(&mut self, r: Registers, word: u32) -> Registers {
        let vector = self.heap.stack.get(place(&r, word));
        self.heap.store(vector, operand_a(word), self.top(&r));
        Registers { sp: r.sp - 1, ..r }
    }

    #[inline(always)]
    fn pop_instance_variable(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        let r = self.store_instance_variable(r, word)?;
        Ok(Registers { sp: r.sp - 1, ..r })
    }

    #[inline(always)]
    fn store_instance_variable(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        self.heap.store(r.receiver, operand_b(word), self.top(&r));
        Ok(r)
    }

    #[inline(always)]
    fn push_global(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        let association = self.heap.slot(r.literals, operand_b(word));
        if association.is_reference() {
            return self.slowly(r, |vm, r| vm.push_loaded_global(r, operand_b(word)));
        }
        self.push_slot(r, association, super::known::dictionary_slot::VALUE)
    }

    fn push_loaded_global(&mut self, r: Registers, literal: usize) -> Result<Registers, Stop> {
        let association = self.load(r.literals, literal)?;
        self.push_slot(r, association, super::known::dictionary_slot::VALUE)
    }

    fn store_global(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        let association = self.load(r.literals, operand_b(word))?;
        self.heap.store(association, super::known::dictionary_slot::VALUE, self.top(&r));
        Ok(r)
    }

    // === Jumps and tests

    #[inline(always)]
    fn jump_if(&mut self, r: Registers, word: u32, when: Oop, unless: Oop) -> Result<Registers, Stop> {
        let value = self.top(&r);
        let r = Registers { sp: r.sp - 1, ..r };
        if value == when {
            return Ok(Registers { ip: target(&r, word), ..r });
        }
        if value == unless {
            return Ok(r);
        }
        // The answer, if there is one, takes the value's place and is tested again.
        let again = Registers { sp: r.sp + 1, ip: r.ip - 1, ..r };
        self.slowly(again, |vm, r| vm.send(r, vm.known.must_be_boolean, 0))
    }

    #[inline(always)]
    fn jump_if_nil(&mut self, r: Registers, word: u32, when: bool) -> Registers {
        let is_nil = self.top(&r).is_nil();
        let ip = if is_nil == when { target(&r, word) } else { r.ip };
        Registers { sp: r.sp - 1, ip, ..r }
    }

    #[inline(always)]
    fn nil_test(&mut self, r: Registers, when: bool) -> Registers {
        let answer = Oop::boolean(self.top(&r).is_nil() == when);
        self.heap.stack.set(r.sp - 1, answer);
        r
    }

    // === Sends

    #[inline(always)]
    fn send_at_site(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        let arguments = operand_a(word);
        let site = r.site_base + r.code.word(r.ip) as usize;
        let r = Registers { ip: r.ip + 1, ..r };
        let receiver = self.heap.stack.get(r.sp - 1 - arguments);
        let class = self.class_index_of(receiver);
        let cached = self.sites[site];
        if cached.class == class {
            return self.activate(r, cached.entry, arguments);
        }
        self.slowly(r, |vm, r| vm.send_missed(r, site, operand_b(word), arguments))
    }

    fn send_missed(&mut self, r: Registers, site: usize, literal: usize, arguments: usize) -> Result<Registers, Stop> {
        let selector = self.load(r.literals, literal)?;
        let (r, entry, arguments) = self.site_entry(r, site, selector, arguments)?;
        self.activate(r, entry, arguments)
    }

    /// A short send whose inline case did not hold: a true send at its site.
    pub(crate) fn special_send_slow(
        &mut self,
        r: Registers,
        operation: u8,
        arguments: usize,
    ) -> Result<Registers, Stop> {
        let site = r.site_base + r.code.word(r.ip) as usize;
        let r = Registers { ip: r.ip + 1, ..r };
        let selector = self.known.special_selectors[operation as usize];
        let (r, entry, arguments) = self.site_entry(r, site, selector, arguments)?;
        self.activate(r, entry, arguments)
    }

    #[inline(always)]
    fn value_send(&mut self, r: Registers, arguments: usize) -> Result<Registers, Stop> {
        let block = self.heap.stack.get(r.sp - 1 - arguments);
        if block.is_pointer() && self.heap.class_index(block) == class::BLOCK && !self.heap.is_stored(block) {
            let shape = BlockShape::of(self.heap.slot(block, block_slot::ENTRY));
            if shape.arguments == arguments {
                let r = self.push_block_frame(Registers { ip: r.ip + 1, ..r }, block, arguments, 0);
                return self.check(r);
            }
        }
        let operation = if arguments == 0 { op::Value } else { op::ValueWith };
        self.slowly(r, |vm, r| vm.special_send_slow(r, operation, arguments))
    }

    // === Blocks and arrays

    fn push_new_vector(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        self.heap.stack_top = r.sp;
        let vector = self.allocate(class::ARRAY, operand_b(word), false)?;
        let r = self.reload(r);
        Ok(self.pushed(r, vector))
    }

    /// A context names its frame, and outlives it.
    fn push_this_context(&mut self, r: Registers) -> Result<Registers, Stop> {
        self.heap.stack_top = r.sp;
        let id = self.frame_id(r.fp);
        let context = self.allocate(class::CONTEXT, 1, false)?;
        self.heap.store(context, 0, id);
        let r = self.reload(r);
        Ok(self.pushed(r, context))
    }

    fn push_new_array(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        let count = operand_b(word);
        self.heap.stack_top = r.sp;
        let array = self.allocate(class::ARRAY, count, false)?;
        for index in 0..count {
            let value = self.heap.stack.get(r.sp - count + index);
            self.heap.store(array, index, value);
        }
        let r = self.reload(Registers { sp: r.sp - count, ..r });
        Ok(self.pushed(r, array))
    }

    fn push_block(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        let copied = operand_a(word);
        let descriptor = BlockDescriptor::decode(r.code.word(r.ip));
        self.heap.stack_top = r.sp;
        let block = self.allocate(class::BLOCK, block_slot::FIRST_COPIED + copied, false)?;
        let shape = BlockShape {
            start: r.ip + 1,
            arguments: descriptor.arguments as usize,
            temporaries: descriptor.temporaries as usize,
            copied,
        };
        let r = self.reload(r);
        let method = self.heap.stack.get(r.fp + 2);
        self.heap.store(block, block_slot::METHOD, method);
        self.heap.store(block, block_slot::ENTRY, shape.encode());
        self.heap.store(block, block_slot::RECEIVER, r.receiver);
        if descriptor.returns_from_home {
            self.set_home(block, r.fp);
        }
        for index in 0..copied {
            let value = self.heap.stack.get(r.sp - copied + index);
            self.heap.store(block, block_slot::FIRST_COPIED + index, value);
        }
        let r = Registers { sp: r.sp - copied, ip: r.ip + 1 + operand_b(word), ..r };
        Ok(self.pushed(r, block))
    }

    fn set_home(&mut self, block: Oop, fp: usize) {
        let outer = self.heap.stack.get(fp + 3);
        let (frame, serial) = if outer.is_nil() {
            (Oop::small(fp as i64), Oop::small(self.frame_serial(fp) as i64))
        } else {
            (self.heap.slot(outer, block_slot::HOME_FRAME), self.heap.slot(outer, block_slot::HOME_SERIAL))
        };
        self.heap.store(block, block_slot::HOME_FRAME, frame);
        self.heap.store(block, block_slot::HOME_SERIAL, serial);
    }
}
