//! Frames: how an activation lies on the stack, and how one is entered and left.
//!
//! ```text
//!   receiver (or the block), arguments
//!   +0  fp of the sender
//!   +1  return word: sender's ip, number of arguments, flags
//!   +2  method
//!   +3  block, or nil
//!   +4  identity word: entry of the method, serial number
//!   +5  temporaries, evaluation stack
//! ```
//!
//! All header words are tagged integers or objects, so that the collector can scan the stack without knowing frames.
//! A *serial* is given to a frame only when somebody wants to name it; 0 means nobody has. A *frame id*, as Smalltalk
//! code sees it, is serial and position in one integer: a dead frame is never mistaken for a live one.

use super::registers::Registers;
use super::{Stop, Vm};
use crate::bytecode::FIRST_TEMPORARY;
use crate::heap::{Oop, Stack};

/// Words of a frame's header.
pub const HEADER_WORDS: usize = FIRST_TEMPORARY as usize;

const ENTRY_BITS: u32 = 24;
const ENTRY_MASK: i64 = (1 << ENTRY_BITS) - 1;
const IP_BITS: u32 = 32;
/// Bits of a stack index in a frame id: enough for the largest stack.
const POSITION_BITS: u32 = 24;
const SERIAL_MAX: u64 = 1 << 35;

/// Returns to Rust.
pub const FLAG_BASE: u64 = 1 << 40;
/// Its value is dropped: it was not sent by the code below it.
pub const FLAG_DISCARD: u64 = 1 << 41;
/// Its unwind block was taken care of.
pub const FLAG_UNWOUND: u64 = 1 << 42;

impl Vm {
    /// Pushes a frame for the method of an entry if all its words fit; receiver and arguments are on the stack.
    pub(crate) fn push_frame(
        &mut self,
        r: Registers,
        entry: u32,
        arguments: usize,
        flags: u64,
    ) -> Result<Registers, Stop> {
        let method = &self.tables.entries[entry as usize];
        self.check_room(r, method.frame_words)?;
        if usize::from(method.arguments) != arguments || r.sp <= arguments {
            return Err(Stop::Broken("a method that takes another number of arguments than its selector"));
        }
        // SAFETY: the frame fits, and it has as many arguments as the method takes.
        Ok(unsafe { self.push_frame_unchecked(r, entry, arguments, flags) })
    }

    /// Whether all words that a frame may use fit on the stack.
    fn check_room(&self, r: Registers, frame_words: u16) -> Result<(), Stop> {
        let end = r.sp + HEADER_WORDS + usize::from(frame_words);
        if end <= self.heap.stack.capacity() { Ok(()) } else { Err(Stop::StackDepth) }
    }

    /// # Safety
    /// The frame's words fit on the stack; receiver and arguments, as many as the method takes, are its topmost words;
    /// the entry is that of a verified method, whose temporaries are no more than the frame's words.
    #[inline(always)]
    pub(super) unsafe fn push_frame_unchecked(
        &mut self,
        r: Registers,
        entry: u32,
        arguments: usize,
        flags: u64,
    ) -> Registers {
        let method = self.tables.entries[entry as usize];
        let fp = r.sp;
        let stack = &mut self.heap.stack;
        let sp = fp + HEADER_WORDS + method.temporaries as usize;
        // SAFETY: the words lie in the frame, which fits; an entry names objects that live as long as its method.
        let receiver = unsafe {
            stack.set_unchecked(fp, Oop::small(r.fp as i64));
            stack.set_unchecked(fp + 1, Oop::small((r.ip as u64 | (arguments as u64) << IP_BITS | flags) as i64));
            stack.set_unchecked(fp + 2, method.method);
            stack.set_unchecked(fp + 3, Oop::NIL);
            stack.set_unchecked(fp + 4, Oop::small(i64::from(entry)));
            for index in fp + HEADER_WORDS..sp {
                stack.set_unchecked(index, Oop::NIL);
            }
            stack.get_unchecked(fp - 1 - arguments)
        };
        Registers {
            ip: 0,
            sp,
            fp,
            code: method.code,
            literals: method.literals,
            site_base: method.site_base as usize,
            receiver,
        }
    }

    /// Pushes a frame for a block that is on the stack with its arguments, if all its words fit; they are as many as it
    /// takes.
    pub(crate) fn push_block_frame(&mut self, r: Registers, block: Oop, arguments: usize) -> Result<Registers, Stop> {
        let shape = self.sealed_shape(block);
        let Some(shape) = shape.filter(|shape| shape.arguments == arguments && r.sp > arguments) else {
            return Err(Stop::Broken("a block that is not what its code says"));
        };
        // SAFETY: the block is sealed.
        let entry = unsafe { self.block_entry_unchecked(block) };
        self.check_room(r, self.tables.entries[entry as usize].frame_words)?;
        // SAFETY: the frame fits, and it has as many arguments as the block takes.
        Ok(unsafe { self.push_block_frame_unchecked(r, block, entry, arguments, shape) })
    }

    /// # Safety
    /// The block is sealed, and this is its shape and the entry of its method; its frame's words fit on the stack;
    /// block
    /// and arguments, as many as it takes, are its topmost words.
    #[inline(always)]
    pub(super) unsafe fn push_block_frame_unchecked(
        &mut self,
        r: Registers,
        block: Oop,
        entry: u32,
        arguments: usize,
        shape: BlockShape,
    ) -> Registers {
        let method = self.tables.entries[entry as usize];
        let fp = r.sp;
        let mut sp = fp + HEADER_WORDS;
        let stack: &mut Stack = &mut self.heap.stack;
        // SAFETY: the words lie in the frame, which fits: it has room for what a block of this method copies and for
        // its temporaries. A sealed block has as many slots as its shape says.
        let receiver = unsafe {
            stack.set_unchecked(fp, Oop::small(r.fp as i64));
            stack.set_unchecked(fp + 1, Oop::small((r.ip as u64 | (arguments as u64) << IP_BITS) as i64));
            stack.set_unchecked(fp + 2, method.method);
            stack.set_unchecked(fp + 3, block);
            stack.set_unchecked(fp + 4, Oop::small(i64::from(entry)));
            for index in 0..shape.copied {
                let value = self.heap.slot_unchecked(block, block_slot::FIRST_COPIED + index);
                self.heap.stack.set_unchecked(sp, value);
                sp += 1;
            }
            for _ in 0..shape.temporaries {
                self.heap.stack.set_unchecked(sp, Oop::NIL);
                sp += 1;
            }
            self.heap.slot_unchecked(block, block_slot::RECEIVER)
        };
        Registers {
            ip: shape.start,
            sp,
            fp,
            code: method.code,
            literals: method.literals,
            site_base: method.site_base as usize,
            receiver,
        }
    }

    /// Reads the registers of the frame anew: objects may have moved.
    #[inline]
    pub(crate) fn reload(&self, r: Registers) -> Registers {
        // SAFETY: registers describe a frame, unless nothing runs yet.
        if r.fp == 0 { r } else { unsafe { self.reload_unchecked(r) } }
    }

    /// # Safety
    /// There is a frame at `fp`.
    #[inline(always)]
    unsafe fn reload_unchecked(&self, r: Registers) -> Registers {
        // SAFETY: the header words of a frame lie on the stack. What a frame has as its block was sealed when the frame
        // was pushed, and keeps its slots.
        let (entry, receiver) = unsafe {
            let entry = self.heap.stack.get_unchecked(r.fp + 4).small_value() & ENTRY_MASK;
            let block = self.heap.stack.get_unchecked(r.fp + 3);
            let receiver = match block.is_nil() {
                true => {
                    let word = self.heap.stack.get_unchecked(r.fp + 1).small_value() as u64;
                    self.heap.stack.get_unchecked(r.fp - 1 - (word >> IP_BITS) as u8 as usize)
                }
                false => self.heap.slot_unchecked(block, block_slot::RECEIVER),
            };
            (entry as usize, receiver)
        };
        let method = &self.tables.entries[entry];
        Registers { code: method.code, literals: method.literals, site_base: method.site_base as usize, receiver, ..r }
    }

    /// Leaves the frame with a value: its sender goes on. If its sender is Rust, the run has answered.
    #[inline(always)]
    pub(crate) fn leave(&mut self, r: Registers, value: Oop) -> Result<Registers, Stop> {
        // SAFETY: the header words of a frame lie on the stack, and so does its receiver, whose place the value takes.
        // Every frame but one that returns to Rust has a sender.
        // The value is one that the frame's code has pushed, or its receiver.
        unsafe {
            let word = self.heap.stack.get_unchecked(r.fp + 1).small_value() as u64;
            let arguments = (word >> IP_BITS) as u8 as usize;
            let sender = self.heap.stack.get_unchecked(r.fp).small_value() as usize;
            let mut sp = r.fp - 1 - arguments;
            if word & (FLAG_BASE | FLAG_DISCARD) != 0 {
                if word & FLAG_BASE != 0 {
                    return Err(Stop::Answered(value));
                }
            } else {
                self.heap.stack.set_unchecked(sp, value);
                sp += 1;
            }
            Ok(self.reload_unchecked(Registers { ip: word as u32 as usize, sp, fp: sender, ..r }))
        }
    }

    /// The entry number of a frame's method.
    pub(crate) fn frame_entry(&self, fp: usize) -> usize {
        (self.heap.stack.get(fp + 4).small_value() & ENTRY_MASK) as usize
    }

    /// How many arguments a frame has.
    pub(crate) fn frame_arguments(&self, fp: usize) -> usize {
        (self.heap.stack.get(fp + 1).small_value() as u64 >> IP_BITS) as u8 as usize
    }

    /// An argument of a frame, counted from 0.
    pub(crate) fn frame_argument(&self, fp: usize, index: usize) -> Option<Oop> {
        let count = self.frame_arguments(fp);
        (index < count).then(|| self.heap.stack.get(fp - count + index))
    }

    /// What `self` is in a frame.
    pub(crate) fn frame_receiver(&self, fp: usize) -> Oop {
        let block = self.heap.stack.get(fp + 3);
        match block.is_nil() {
            true => self.heap.stack.get(fp - 1 - self.frame_arguments(fp)),
            false => self.heap.slot(block, block_slot::RECEIVER),
        }
    }

    /// The frame below.
    pub(crate) fn frame_sender(&self, fp: usize) -> usize {
        self.heap.stack.get(fp).small_value() as usize
    }

    /// Where the sender goes on when this frame is left.
    pub(crate) fn frame_return_ip(&self, fp: usize) -> usize {
        self.heap.stack.get(fp + 1).small_value() as u32 as usize
    }

    /// Whether a flag of a frame is set.
    pub(crate) fn frame_has(&self, fp: usize, flag: u64) -> bool {
        self.heap.stack.get(fp + 1).small_value() as u64 & flag != 0
    }

    pub(crate) fn set_frame_flag(&mut self, fp: usize, flag: u64) {
        let word = self.heap.stack.get(fp + 1).small_value() as u64 | flag;
        self.heap.set_stack(fp + 1, Oop::small(word as i64));
    }

    /// The serial of a frame, given now if it has none.
    pub(crate) fn frame_serial(&mut self, fp: usize) -> u64 {
        let word = self.heap.stack.get(fp + 4).small_value() as u64;
        if word >> ENTRY_BITS != 0 {
            return word >> ENTRY_BITS;
        }
        self.serial = self.serial % (SERIAL_MAX - 1) + 1;
        let serial = self.serial;
        self.heap.set_stack(fp + 4, Oop::small((word | serial << ENTRY_BITS) as i64));
        serial
    }

    /// The id of a frame, for Smalltalk.
    pub(crate) fn frame_id(&mut self, fp: usize) -> Oop {
        let serial = self.frame_serial(fp);
        Oop::small((fp as u64 | serial << POSITION_BITS) as i64)
    }

    /// The frame of an id, if it still lives among the frames below `from` (inclusive).
    pub(crate) fn frame_of_id(&self, from: usize, id: Oop) -> Option<usize> {
        let id = id.as_integer()? as u64;
        let fp = (id & ((1 << POSITION_BITS) - 1)) as usize;
        let serial = id >> POSITION_BITS;
        self.is_frame_alive(from, fp, serial).then_some(fp)
    }

    /// Whether the frame at a position has a serial, seen from a frame above it.
    pub(crate) fn is_frame_alive(&self, from: usize, fp: usize, serial: u64) -> bool {
        if fp > from || fp == 0 || serial == 0 {
            return false;
        }
        let word = self.heap.stack.get(fp + 4);
        word.is_integer() && word.small_value() as u64 >> ENTRY_BITS == serial && self.is_on_chain(from, fp)
    }

    /// A word that looks right proves nothing by itself: the chain of senders does.
    fn is_on_chain(&self, from: usize, fp: usize) -> bool {
        let mut frame = from;
        while frame > fp {
            frame = self.frame_sender(frame);
        }
        frame == fp
    }

    /// Makes a frame the running one again, everything above it gone and its temporaries fresh.
    pub(crate) fn restart_frame(&mut self, r: Registers, fp: usize) -> Registers {
        let temporaries = self.tables.entries[self.frame_entry(fp)].temporaries as usize;
        let sp = fp + HEADER_WORDS + temporaries;
        for index in fp + HEADER_WORDS..sp {
            self.heap.set_stack(index, Oop::NIL);
        }
        self.reload(Registers { ip: 0, sp, fp, ..r })
    }

    /// Leaves a frame from above, whatever runs there: it answers `value` to its sender.
    pub(crate) fn cut_to(&mut self, r: Registers, fp: usize, value: Oop) -> Result<Registers, Stop> {
        if fp < self.base_frame {
            return Err(Stop::Escaped);
        }
        self.leave(Registers { fp, ..r }, value)
    }
}

/// Slots of a block.
pub mod block_slot {
    #![allow(missing_docs)]
    pub const METHOD: usize = 0;
    pub const ENTRY: usize = 1;
    pub const HOME_FRAME: usize = 2;
    pub const HOME_SERIAL: usize = 3;
    pub const RECEIVER: usize = 4;
    pub const FIRST_COPIED: usize = 5;
}

/// What the entry word of a block says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockShape {
    /// First instruction.
    pub start: usize,
    /// Arguments.
    pub arguments: usize,
    /// Temporaries beyond the copied values.
    pub temporaries: usize,
    /// Copied values.
    pub copied: usize,
}

impl BlockShape {
    /// As an immediate.
    pub fn encode(self) -> Oop {
        let counts = self.arguments | self.temporaries << 8 | self.copied << 16;
        Oop::small((self.start as u64 | (counts as u64) << 32) as i64)
    }

    /// From an immediate.
    #[inline(always)]
    pub fn of(word: Oop) -> BlockShape {
        let bits = word.as_integer().unwrap_or(0) as u64;
        BlockShape {
            start: bits as u32 as usize,
            arguments: (bits >> 32) as u8 as usize,
            temporaries: (bits >> 40) as u8 as usize,
            copied: (bits >> 48) as u8 as usize,
        }
    }
}
