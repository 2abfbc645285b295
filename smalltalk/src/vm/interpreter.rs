//! The loop: one instruction after the other.
//!
//! Each operation is a function that takes the registers and answers them. Those on the hot path are inlined, so that
//! the registers of the loop stay registers of the machine; the others are called through `Vm::slowly`, which also
//! saves the registers for what looks at the stack when a slow path ends the execution.
//!
//! # What the loop relies on
//!
//! It reads and writes the stack, the instructions and objects without the heap's checks. These hold of every method
//! before its first frame is pushed; the compiler makes them so, and the verifier proves them of what a repository
//! gives:
//!
//! 1. Every instruction that can be reached is one that exists, with its site word, descriptor word and, behind a
//!    block,
//!    its body within the code. Jumps, the ways around a block's body and the first instruction of a block lead to
//!    where
//!    an instruction starts, within the same body; control never runs over the end of a body. Behind the site word of a
//!    comparison there is an instruction.
//! 2. On every way to an instruction the evaluation stack of the body is as deep, and at least as deep as what the
//!    instruction takes: receiver and arguments of a send, copied values of a block, elements of an array.
//! 3. Temporaries, copied values included, and the deepest evaluation stack of each body together are no more than the
//!    frame words of the method's header, nor are its temporaries.
//! 4. The offset of a temporary names the receiver, an argument, a copied value or a temporary of its own body, as many
//!    as the header or the block's descriptor word say, and never a frame's header.
//! 5. The number of a site is below the number of sites of the method, and belongs to one send, which has one selector
//!    and one number of arguments.
//! 6. `ReturnFromHome` stands in blocks only. The primitive exists and is one that the class may have.
//!
//! These are facts of this process, and hold by the code of `vm`:
//!
//! 7. A frame is pushed only if all its words fit on the stack, with as many arguments as its method or block takes.
//! 8. A pointer on the stack below `sp`, in the registers or in a slot names an object: what a primitive answers and
//!    what Rust passes to a call is checked when it comes, and registers are read anew after each allocation.
//! 9. A block whose slots are sealed has a method with an entry, a shape that this method's code describes, and as many
//!    slots as the shape says. Blocks that this process makes are sealed at once, others when they are first evaluated
//!    (`vm::blocks`). What an object's size or kind is never changes.
//! 10. The instructions of an entry lie outside of the heap and live as long as the entry; the entry lives as long as
//!     the method; a frame and a block keep their method alive.
//!
//! Everything else is looked at when it is used, since code and commits can change it: that the receiver has the
//! variable, that the literals have the literal, that a global is an association, that a vector is one and has the
//! element, that a selector is a symbol.

use super::frames::{BlockShape, block_slot};
use super::known::class;
use super::methods::method_slot;
use super::registers::Registers;
use super::{Stop, Vm};
use crate::bytecode::{BlockDescriptor, op};
use crate::heap::{Layout, Oop};
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

/// A word of the running code.
#[inline(always)]
pub(super) fn instruction_word(r: &Registers, index: usize) -> u32 {
    // SAFETY: by 1, control never leaves the code, and neither do the words that belong to an instruction; by 10, the
    // code lives.
    unsafe { r.code.word_unchecked(index) }
}

const NO_VARIABLE: &str = "code that names a variable which its object does not have";

/// How a block lies in memory that the loop may enter.
const SEALED_BLOCK: Layout = Layout::slots(class::BLOCK).sealed();

impl Vm {
    /// Runs until the frame that Rust asked for has answered ([`Stop::Answered`]) or something ends the execution.
    pub(crate) fn run(&mut self, start: Registers) -> Result<Infallible, Stop> {
        self.registers = start;
        self.run_registers()
    }

    fn run_registers(&mut self) -> Result<Infallible, Stop> {
        // A copy of its own: a parameter of this size would stay in the caller's memory.
        let mut r = self.registers;
        loop {
            let word = instruction_word(&r, r.ip);
            r.ip += 1;
            r = match word as u8 {
                op::PushTemporary => {
                    let value = self.temporary(&r, word);
                    self.push_value(r, value)
                }
                op::PopTemporary => self.pop_temporary(r, word),
                op::StoreTemporary => self.store_temporary(r, word),
                op::PushInstanceVariable => self.push_slot(r, r.receiver, operand_b(word))?,
                op::PopInstanceVariable => self.pop_instance_variable(r, word)?,
                op::PushLiteral => self.push_slot(r, r.literals, operand_b(word))?,
                op::PushGlobal => self.push_global(r, word)?,
                op::PushSelf => self.push_value(r, r.receiver),
                op::PushNil => self.push_value(r, Oop::NIL),
                op::PushTrue => self.push_value(r, Oop::TRUE),
                op::PushFalse => self.push_value(r, Oop::FALSE),
                op::PushSmallInteger => self.push_value(r, Oop::small(i64::from((word >> 16) as u16 as i16))),
                op::PushVectorTemporary => self.push_vector_temporary(r, word)?,
                op::PopVectorTemporary => self.pop_vector_temporary(r, word)?,
                op::Send => self.send_at_site(r, word)?,
                op::Jump => Registers { ip: target(&r, word), ..r },
                op::JumpBack => self.check(Registers { ip: target(&r, word), ..r })?,
                op::JumpIfFalse => self.jump_if(r, word, Oop::FALSE, Oop::TRUE)?,
                op::JumpIfTrue => self.jump_if(r, word, Oop::TRUE, Oop::FALSE)?,
                op::JumpIfNil => self.jump_if_nil(r, word, true),
                op::JumpIfNotNil => self.jump_if_nil(r, word, false),
                op::Duplicate => self.push_value(r, self.peek(&r, 1)),
                op::Pop => Registers { sp: r.sp - 1, ..r },
                op::ReturnTop => self.leave(r, self.peek(&r, 1))?,
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
                let vector = self.temporary(&r, word);
                self.store_slot(r, vector, operand_a(word))
            }
            op::PushNewVector => self.push_new_vector(r, word),
            op::PushNewArray => self.push_new_array(r, word),
            op::PushBlock => self.push_block(r, word),
            op::SendSuper => {
                let selector = self.literal_selector(&r, operand_b(word))?;
                self.send_super(Registers { ip: r.ip + 1, ..r }, selector, operand_a(word))
            }
            op::ReturnFromHome => self.return_from_home(r),
            op::Not => self.special_not(r),
            op::PushThisContext => self.push_this_context(r),
            _ => Err(Stop::Broken("an instruction that does not exist")),
        }
    }

    // === The stack, as the instruction at hand may use it

    /// The word at a depth of the evaluation stack, which the instruction takes: the top is at depth 1.
    #[inline(always)]
    fn peek(&self, r: &Registers, depth: usize) -> Oop {
        // SAFETY: by 2, there are as many words as the instruction takes.
        unsafe { self.peek_unchecked(r, depth) }
    }

    #[inline(always)]
    fn poke(&mut self, r: &Registers, depth: usize, value: Oop) {
        // SAFETY: as in `peek`; by 8, the value names an object or none.
        unsafe { self.poke_unchecked(r, depth, value) }
    }

    #[inline(always)]
    fn push_value(&mut self, r: Registers, value: Oop) -> Registers {
        // SAFETY: by 3 and 7, the frame has room for what its instructions push; by 8, the value names an object or
        // none.
        unsafe { self.push_unchecked(r, value) }
    }

    /// The temporary or argument that an instruction names.
    #[inline(always)]
    fn temporary(&self, r: &Registers, word: u32) -> Oop {
        // SAFETY: by 4, it lies in the frame.
        unsafe { self.heap.stack.get_unchecked(place(r, word)) }
    }

    // === Variables

    #[inline(always)]
    fn store_temporary(&mut self, r: Registers, word: u32) -> Registers {
        let value = self.peek(&r, 1);
        // SAFETY: by 4, the temporary lies in the frame; by 8, the value names an object or none.
        unsafe { self.heap.stack.set_unchecked(place(&r, word), value) };
        r
    }

    #[inline(always)]
    fn pop_temporary(&mut self, r: Registers, word: u32) -> Registers {
        let r = self.store_temporary(r, word);
        Registers { sp: r.sp - 1, ..r }
    }

    /// Pushes what a slot holds, if the object has it.
    #[inline(always)]
    fn push_slot(&mut self, r: Registers, object: Oop, index: usize) -> Result<Registers, Stop> {
        // SAFETY: by 8, it is an object or none; the slot is read only if it is there.
        let value = unsafe {
            if !self.heap.has_slot_unchecked(object, index) {
                return Err(Stop::Broken(NO_VARIABLE));
            }
            self.heap.slot_unchecked(object, index)
        };
        if value.is_reference() {
            return self.slowly(r, |vm, r| vm.push_loaded(r, object, index));
        }
        Ok(self.push_value(r, value))
    }

    /// Stores the top into a slot, if the object has it.
    #[inline(always)]
    fn store_slot(&mut self, r: Registers, object: Oop, index: usize) -> Result<Registers, Stop> {
        let value = self.peek(&r, 1);
        // SAFETY: by 8, it is an object or none, and so is the value; the slot is written only if it is there and open.
        unsafe {
            if !self.heap.has_open_slot_unchecked(object, index) {
                return self.slowly(r, |vm, r| vm.store_in_sealed(r, object, index));
            }
            self.heap.store_unchecked(object, index, value);
        }
        Ok(r)
    }

    /// Of what is sealed only a method's category may change: it means nothing to the machine.
    fn store_in_sealed(&mut self, r: Registers, object: Oop, index: usize) -> Result<Registers, Stop> {
        let is_category = index == method_slot::CATEGORY && self.is_verified_method(object);
        if !is_category {
            return Err(Stop::Broken(NO_VARIABLE));
        }
        let value = self.top(&r);
        self.heap.unseal(object);
        self.heap.store(object, index, value);
        self.heap.seal(object);
        Ok(r)
    }

    fn push_loaded(&mut self, r: Registers, object: Oop, index: usize) -> Result<Registers, Stop> {
        let value = self.load(object, index)?;
        Ok(self.push_value(r, value))
    }

    #[inline(always)]
    fn push_vector_temporary(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        let vector = self.temporary(&r, word);
        self.push_slot(r, vector, operand_a(word))
    }

    #[inline(always)]
    fn pop_vector_temporary(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        let vector = self.temporary(&r, word);
        let r = self.store_slot(r, vector, operand_a(word))?;
        Ok(Registers { sp: r.sp - 1, ..r })
    }

    #[inline(always)]
    fn pop_instance_variable(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        let r = self.store_instance_variable(r, word)?;
        Ok(Registers { sp: r.sp - 1, ..r })
    }

    #[inline(always)]
    fn store_instance_variable(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        self.store_slot(r, r.receiver, operand_b(word))
    }

    #[inline(always)]
    fn push_global(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        // SAFETY: by 8, the literals are an object; the slot is read only if it is there.
        let association = unsafe {
            match self.heap.has_slot_unchecked(r.literals, operand_b(word)) {
                true => self.heap.slot_unchecked(r.literals, operand_b(word)),
                false => Oop::NIL,
            }
        };
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
        let association = self.loaded_literal(&r, operand_b(word))?;
        self.store_slot(r, association, super::known::dictionary_slot::VALUE)
    }

    /// A literal, loaded.
    fn loaded_literal(&mut self, r: &Registers, index: usize) -> Result<Oop, Stop> {
        if !self.has_slots(r.literals, index + 1) {
            return Err(Stop::Broken("a method without the literal that its code names"));
        }
        self.load(r.literals, index)
    }

    /// A literal that must be a selector.
    fn literal_selector(&mut self, r: &Registers, index: usize) -> Result<Oop, Stop> {
        let selector = self.loaded_literal(r, index)?;
        if !self.heap.is_object(selector) || !self.heap.is_symbol(selector) {
            return Err(Stop::Broken("a send of something that is no symbol"));
        }
        Ok(selector)
    }

    // === Jumps and tests

    #[inline(always)]
    fn jump_if(&mut self, r: Registers, word: u32, when: Oop, unless: Oop) -> Result<Registers, Stop> {
        let value = self.peek(&r, 1);
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
        let is_nil = self.peek(&r, 1).is_nil();
        let ip = if is_nil == when { target(&r, word) } else { r.ip };
        Registers { sp: r.sp - 1, ip, ..r }
    }

    #[inline(always)]
    fn nil_test(&mut self, r: Registers, when: bool) -> Registers {
        let answer = Oop::boolean(self.peek(&r, 1).is_nil() == when);
        self.poke(&r, 1, answer);
        r
    }

    // === Sends

    #[inline(always)]
    fn send_at_site(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        let arguments = operand_a(word);
        let site = r.site_base + instruction_word(&r, r.ip) as usize;
        let r = Registers { ip: r.ip + 1, ..r };
        let receiver = self.peek(&r, 1 + arguments);
        // SAFETY: by 8, the receiver is an object or none.
        let class = unsafe { self.class_index_of_unchecked(receiver) };
        let cached = self.sites[site];
        if cached.class == class {
            return self.activate(r, cached.entry, arguments);
        }
        self.slowly(r, |vm, r| vm.send_missed(r, site, operand_b(word), arguments))
    }

    fn send_missed(&mut self, r: Registers, site: usize, literal: usize, arguments: usize) -> Result<Registers, Stop> {
        let selector = self.literal_selector(&r, literal)?;
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
        let site = r.site_base + instruction_word(&r, r.ip) as usize;
        let r = Registers { ip: r.ip + 1, ..r };
        let selector = self.known.special_selectors[operation as usize];
        let (r, entry, arguments) = self.site_entry(r, site, selector, arguments)?;
        self.activate(r, entry, arguments)
    }

    #[inline(always)]
    fn value_send(&mut self, r: Registers, arguments: usize) -> Result<Registers, Stop> {
        let block = self.peek(&r, 1 + arguments);
        // SAFETY: by 8, it is an object or none; its slots are read if it is a sealed block, which has them by 9.
        unsafe {
            if block.is_pointer() && self.heap.layout_unchecked(block) == SEALED_BLOCK {
                let shape = BlockShape::of(self.heap.slot_unchecked(block, block_slot::ENTRY));
                if shape.arguments == arguments {
                    return self.evaluate_block_unchecked(Registers { ip: r.ip + 1, ..r }, block, shape);
                }
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
        Ok(self.push_value(r, vector))
    }

    /// A context names its frame, and outlives it.
    fn push_this_context(&mut self, r: Registers) -> Result<Registers, Stop> {
        self.heap.stack_top = r.sp;
        let id = self.frame_id(r.fp);
        let context = self.allocate(class::CONTEXT, 1, false)?;
        self.heap.store(context, 0, id);
        let r = self.reload(r);
        Ok(self.push_value(r, context))
    }

    fn push_new_array(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        let count = operand_b(word);
        self.heap.stack_top = r.sp;
        let array = self.allocate(class::ARRAY, count, false)?;
        for index in 0..count {
            let value = self.peek(&r, count - index);
            // SAFETY: the array was just allocated, with so many slots.
            unsafe { self.heap.store_unchecked(array, index, value) };
        }
        let r = self.reload(Registers { sp: r.sp - count, ..r });
        Ok(self.push_value(r, array))
    }

    fn push_block(&mut self, r: Registers, word: u32) -> Result<Registers, Stop> {
        let copied = operand_a(word);
        let descriptor = BlockDescriptor::decode(instruction_word(&r, r.ip));
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
        // SAFETY: the block was just allocated, with so many slots; by 8, the values name objects or none.
        unsafe {
            self.heap.store_unchecked(block, block_slot::METHOD, method);
            self.heap.store_unchecked(block, block_slot::ENTRY, shape.encode());
            self.heap.store_unchecked(block, block_slot::RECEIVER, r.receiver);
            for index in 0..copied {
                let value = self.peek(&r, copied - index);
                self.heap.store_unchecked(block, block_slot::FIRST_COPIED + index, value);
            }
        }
        if descriptor.returns_from_home {
            self.set_home(block, r.fp);
        }
        self.heap.seal(block);
        let r = Registers { sp: r.sp - copied, ip: r.ip + 1 + operand_b(word), ..r };
        Ok(self.push_value(r, block))
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
