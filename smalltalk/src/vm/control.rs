//! Primitives: how they are tried, and those that move frames.
//!
//! A method with a primitive tries that first; if it fails the method's Smalltalk code runs. *Data* primitives are
//! functions from receiver and arguments to a value. *Control* primitives change which frame runs, and live here.

use super::frames::{FLAG_UNWOUND, block_slot};
use super::known::class;
use super::methods::{Marker, method_slot};
use super::registers::Registers;
use super::{Stop, Vm};
use crate::heap::{HeapFull, Oop};
use crate::primitives::{Primitive, PrimitiveFailure, PrimitiveResult};

/// Receiver and arguments of a primitive: where they are on the stack. They are read through the machine each time,
/// since an allocation may have moved what they name.
#[derive(Debug, Clone, Copy)]
pub struct Arguments {
    base: usize,
    count: usize,
}

impl Arguments {
    /// How many arguments there are.
    pub fn count(self) -> usize {
        self.count
    }
}

impl Vm {
    /// The receiver of a primitive.
    pub fn receiver(&self, arguments: Arguments) -> Oop {
        self.heap.stack.get(arguments.base)
    }

    /// An argument of a primitive, counted from 0; nil if the method that named the primitive has no such argument.
    pub fn argument(&self, arguments: Arguments, index: usize) -> Oop {
        if index < arguments.count { self.heap.stack.get(arguments.base + 1 + index) } else { Oop::NIL }
    }

    /// Tries the primitive of a method, then its code.
    pub(crate) fn activate_primitive(&mut self, r: Registers, entry: u32, count: usize) -> Result<Registers, Stop> {
        self.registers = r;
        self.heap.stack_top = r.sp;
        let number = self.tables.entries[entry as usize].primitive;
        let outcome = match self.primitives.at(number) {
            Primitive::Data(function) => {
                let arguments = Arguments { base: r.sp - 1 - count, count };
                match function(self, arguments) {
                    Ok(value) => {
                        let sp = r.sp - count;
                        // With a check: a word that was held across an allocation must not get any further.
                        self.heap.set_stack(sp - 1, value);
                        return Ok(self.reload(Registers { sp, ..r }));
                    }
                    Err(failure) => Err(failure),
                }
            }
            Primitive::Control(control) if count < control.arguments() => failed(),
            Primitive::Control(control) => self.control(r, control, count),
        };
        match outcome {
            Ok(r) => Ok(r),
            Err(PrimitiveFailure::Stop(stop)) => Err(stop),
            Err(PrimitiveFailure::Failed) => {
                let r = self.reload(r);
                let r = self.push_frame(r, entry, count, 0)?;
                self.check(r)
            }
        }
    }
}

/// Primitives that change which frame runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// `value …` of a block.
    Value,
    /// `valueWithArguments:`
    ValueWithArguments,
    /// `perform:…`
    Perform,
    /// `perform:withArguments:`
    PerformWithArguments,
    /// The id of the frame that sent this.
    CurrentFrame,
    /// (id) The next handler below.
    HandlerFrameBelow,
    /// (id, index) An argument of a frame.
    FrameArgument,
    /// (value, id) Answer from a frame.
    ReturnTo,
    /// (id) Begin a frame again.
    Restart,
    /// (id, block) Evaluate a block in place of a frame.
    ReplaceWith,
    /// (start, target) The topmost unwind frame above the target that was not taken.
    UnwindFrameAbove,
    /// (id) Take an unwind frame: it is not to run again.
    TakeUnwind,
    /// The outermost frame of this execution.
    BaseFrame,
    /// (id) Whether a frame lives.
    FrameAlive,
    /// (exception) Nobody handles it: the execution ends.
    Terminate,
    /// Runs the receiver, a do-it, on nil.
    ExecuteMethod,
}

impl Control {
    /// How many arguments it takes at least: anybody may name any primitive in a method.
    fn arguments(self) -> usize {
        match self {
            Control::Value | Control::CurrentFrame | Control::BaseFrame | Control::ExecuteMethod => 0,
            Control::ValueWithArguments
            | Control::Perform
            | Control::HandlerFrameBelow
            | Control::Restart
            | Control::TakeUnwind
            | Control::FrameAlive
            | Control::Terminate => 1,
            Control::PerformWithArguments
            | Control::FrameArgument
            | Control::ReturnTo
            | Control::ReplaceWith
            | Control::UnwindFrameAbove => 2,
        }
    }
}

type Controlled = Result<Registers, PrimitiveFailure>;

fn failed<T>() -> Result<T, PrimitiveFailure> {
    Err(PrimitiveFailure::Failed)
}

impl Vm {
    fn control(&mut self, r: Registers, control: Control, count: usize) -> Controlled {
        let argument = |vm: &Vm, index: usize| vm.heap.stack.get(r.sp - count + index);
        match control {
            Control::Value => self.control_value(r, count),
            Control::ValueWithArguments => self.control_value_with_arguments(r),
            Control::Perform => self.control_perform(r, count),
            Control::PerformWithArguments => self.control_perform_with_arguments(r),
            Control::ExecuteMethod => self.control_execute_method(r),
            Control::ReturnTo => {
                let frame = self.named_frame(r, argument(self, 1))?;
                Ok(self.cut_to(r, frame, argument(self, 0))?)
            }
            Control::Restart => {
                let frame = self.named_frame(r, argument(self, 0))?;
                self.refuse_below_base(frame)?;
                if !self.heap.stack.get(frame + 3).is_nil() {
                    // The frame of a block: it does not begin where its method does.
                    return failed();
                }
                let r = self.restart_frame(r, frame);
                // Without this a frame that restarts itself would go on for ever.
                Ok(self.check(r)?)
            }
            Control::ReplaceWith => self.control_replace(r, argument(self, 0), argument(self, 1)),
            Control::Terminate => Err(PrimitiveFailure::Stop(Stop::Unhandled(argument(self, 0)))),
            question => {
                let value = self.answer_about_frames(r, question, count)?;
                Ok(self.answered(r, count, value))
            }
        }
    }

    /// Those that only look, or set a flag: they answer a value.
    fn answer_about_frames(&mut self, r: Registers, question: Control, count: usize) -> PrimitiveResult {
        let argument = |vm: &Vm, index: usize| vm.heap.stack.get(r.sp - count + index);
        match question {
            Control::CurrentFrame => Ok(self.frame_id(r.fp)),
            Control::BaseFrame => Ok(self.frame_id(self.base_frame)),
            Control::FrameAlive => Ok(Oop::boolean(self.frame_of_id(r.fp, argument(self, 0)).is_some())),
            Control::HandlerFrameBelow => {
                let start = self.named_frame(r, argument(self, 0))?;
                let found = self.handler_below(r.fp, start);
                Ok(self.id_or_zero(found))
            }
            Control::FrameArgument => {
                let frame = self.named_frame(r, argument(self, 0))?;
                let index = argument(self, 1).as_integer().and_then(|index| usize::try_from(index - 1).ok());
                index.and_then(|index| self.frame_argument(frame, index)).ok_or(PrimitiveFailure::Failed)
            }
            Control::UnwindFrameAbove => {
                let start = self.named_frame(r, argument(self, 0))?;
                let target = self.named_frame(r, argument(self, 1))?;
                let found = self.take_unwind_above(start, target);
                Ok(self.id_or_zero(found))
            }
            Control::TakeUnwind => {
                let frame = self.named_frame(r, argument(self, 0))?;
                self.set_frame_flag(frame, FLAG_UNWOUND);
                Ok(argument(self, 0))
            }
            _ => failed(),
        }
    }

    fn id_or_zero(&mut self, frame: usize) -> Oop {
        if frame == 0 { Oop::small(0) } else { self.frame_id(frame) }
    }

    fn answered(&mut self, r: Registers, count: usize, value: Oop) -> Registers {
        let sp = r.sp - count;
        self.heap.set_stack(sp - 1, value);
        Registers { sp, ..r }
    }

    fn named_frame(&self, r: Registers, id: Oop) -> Result<usize, PrimitiveFailure> {
        self.frame_of_id(r.fp, id).ok_or(PrimitiveFailure::Failed)
    }

    fn refuse_below_base(&self, frame: usize) -> Result<(), Stop> {
        if frame < self.base_frame { Err(Stop::Escaped) } else { Ok(()) }
    }

    fn control_value(&mut self, r: Registers, count: usize) -> Controlled {
        let block = self.heap.stack.get(r.sp - 1 - count);
        self.activate_block(r, block, count)
    }

    /// Evaluates a block that is on the stack with its arguments.
    fn activate_block(&mut self, r: Registers, block: Oop, count: usize) -> Result<Registers, PrimitiveFailure> {
        let shape = self.seal_block(block)?;
        if shape.is_none_or(|shape| shape.arguments != count) {
            return failed();
        }
        Ok(self.evaluate_block(r, block, count)?)
    }

    /// Spreads the array on top of the stack over it; answers how many elements there were.
    fn spread(&mut self, r: Registers, array: Oop) -> Result<(Registers, usize), PrimitiveFailure> {
        if !self.is_array(array) || self.heap.size(array) > usize::from(u8::MAX) {
            return failed();
        }
        self.load_all(array)?;
        let count = self.heap.size(array);
        for index in 0..count {
            let value = self.heap.slot(array, index);
            self.heap.set_stack(r.sp - 1 + index, value);
        }
        Ok((Registers { sp: r.sp - 1 + count, ..r }, count))
    }

    fn control_value_with_arguments(&mut self, r: Registers) -> Controlled {
        let (block, array) = (self.heap.stack.get(r.sp - 2), self.heap.stack.get(r.sp - 1));
        if !self.is_array(array) {
            return failed();
        }
        let shape = self.seal_block(block)?;
        if shape.is_none_or(|shape| self.heap.size(array) != shape.arguments) {
            return failed();
        }
        let (r, count) = self.spread(r, array)?;
        self.activate_block(r, block, count)
    }

    fn control_perform(&mut self, r: Registers, count: usize) -> Controlled {
        let first = r.sp - count;
        let selector = self.heap.stack.get(first);
        if !self.is_selector_for(selector, count - 1) {
            return failed();
        }
        for index in 1..count {
            let value = self.heap.stack.get(first + index);
            self.heap.set_stack(first + index - 1, value);
        }
        Ok(self.send(Registers { sp: r.sp - 1, ..r }, selector, count - 1)?)
    }

    fn control_perform_with_arguments(&mut self, r: Registers) -> Controlled {
        let (selector, array) = (self.heap.stack.get(r.sp - 2), self.heap.stack.get(r.sp - 1));
        if !self.is_array(array) || !self.is_selector_for(selector, self.heap.size(array)) {
            return failed();
        }
        let moved = Registers { sp: r.sp - 1, ..r };
        self.heap.set_stack(moved.sp - 1, array);
        let (r, count) = self.spread(moved, array)?;
        Ok(self.send(r, selector, count)?)
    }

    /// Whether a symbol, sent with so many arguments, can name a method.
    fn is_selector_for(&self, selector: Oop, count: usize) -> bool {
        if !selector.is_pointer() || !self.heap.is_symbol(selector) {
            return false;
        }
        let text = self.text(selector).unwrap_or_default();
        super::symbols::argument_count(&text) == Some(count)
    }

    fn control_replace(&mut self, r: Registers, id: Oop, block: Oop) -> Controlled {
        let frame = self.named_frame(r, id)?;
        self.refuse_below_base(frame)?;
        if self.class_index_of(block) != class::BLOCK || self.frame_has(frame, super::frames::FLAG_BASE) {
            return failed();
        }
        let below = frame - 1 - self.frame_arguments(frame);
        let (ip, fp) = (self.frame_return_ip(frame), self.frame_sender(frame));
        self.heap.set_stack(below, block);
        let r = self.reload(Registers { ip, fp, sp: below + 1, ..r });
        self.activate_block(r, block, 0)
    }

    fn control_execute_method(&mut self, r: Registers) -> Controlled {
        let method = self.top(&r);
        if self.class_index_of(method) != class::METHOD || !self.has_slots(method, method_slot::SLOTS) {
            return failed();
        }
        // The method of a class would take nil for one of its instances.
        if !self.load(method, method_slot::METHOD_CLASS)?.is_nil() {
            return failed();
        }
        let entry = self.method_entry(method)?;
        if self.tables.entries[entry as usize].arguments != 0 {
            return failed();
        }
        self.heap.set_stack(r.sp - 1, Oop::NIL);
        Ok(self.activate(r, entry, 0)?)
    }

    // === Walking the stack

    /// The next frame below `start` that marks a handler; what runs on behalf of another frame is skipped down to it.
    fn handler_below(&self, top: usize, start: usize) -> usize {
        let mut frame = start;
        while frame > self.base_frame {
            frame = match self.tables.entries[self.frame_entry(frame)].marker {
                Marker::OnBehalf if self.heap.stack.get(frame + 3).is_nil() => self.on_behalf_of(top, frame),
                _ => self.frame_sender(frame),
            };
            let entry = &self.tables.entries[self.frame_entry(frame)];
            if frame >= self.base_frame && entry.marker == Marker::Handler && self.heap.stack.get(frame + 3).is_nil() {
                return frame;
            }
        }
        0
    }

    /// The sender of the frame on whose behalf this one runs.
    fn on_behalf_of(&self, top: usize, frame: usize) -> usize {
        let named = self.frame_argument(frame, 0).and_then(|id| self.frame_of_id(top, id));
        self.frame_sender(named.filter(|named| *named < frame).unwrap_or(frame))
    }

    /// The topmost unwind frame from `start` down to above `target`, taken now.
    fn take_unwind_above(&mut self, start: usize, target: usize) -> usize {
        match self.unwind_between(start, target) {
            Some(frame) => {
                self.set_frame_flag(frame, FLAG_UNWOUND);
                frame
            }
            None => 0,
        }
    }

    fn unwind_between(&self, start: usize, target: usize) -> Option<usize> {
        let mut frame = start;
        while frame > target {
            let entry = &self.tables.entries[self.frame_entry(frame)];
            let is_block = !self.heap.stack.get(frame + 3).is_nil();
            if entry.marker == Marker::Unwind && !is_block && !self.frame_has(frame, FLAG_UNWOUND) {
                return Some(frame);
            }
            frame = self.frame_sender(frame);
        }
        None
    }

    /// `^` in a block: leaves the method that the block was made in, unwind blocks first.
    pub(crate) fn return_from_home(&mut self, r: Registers) -> Result<Registers, Stop> {
        let value = self.top(&r);
        let block = self.heap.stack.get(r.fp + 3);
        if !self.has_slots(block, block_slot::FIRST_COPIED) {
            return Err(Stop::Broken("a return from a block that is none"));
        }
        let home = self.heap.slot(block, block_slot::HOME_FRAME).as_integer().unwrap_or(0) as usize;
        let serial = self.heap.slot(block, block_slot::HOME_SERIAL).as_integer().unwrap_or(0) as u64;
        let r = self.pushed(Registers { sp: r.sp - 1, ..r }, block);
        if !self.is_frame_alive(r.fp, home, serial) {
            let r = self.pushed(r, value);
            return self.send(r, self.known.cannot_return, 1);
        }
        if self.unwind_between(r.fp, home).is_none() {
            return self.cut_to(r, home, value);
        }
        let id = self.frame_id(home);
        let r = self.pushed(r, id);
        let r = self.pushed(r, value);
        self.send(r, self.known.unwind_returning, 2)
    }
}

impl From<HeapFull> for PrimitiveFailure {
    fn from(_: HeapFull) -> Self {
        PrimitiveFailure::Stop(Stop::OutOfMemory)
    }
}

impl From<Stop> for PrimitiveFailure {
    fn from(stop: Stop) -> Self {
        PrimitiveFailure::Stop(stop)
    }
}
