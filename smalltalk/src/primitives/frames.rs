//! Primitives that look into frames: each takes the id of a frame, and fails when that frame is gone. They change
//! nothing, and show no frame below the execution that is under way.

use super::{Named, PrimitiveFailure, PrimitiveResult};
use crate::compiler::{self, VariablePlace};
use crate::heap::Oop;
use crate::vm::Vm;
use crate::vm::control::Arguments;
use crate::vm::frames::{BlockShape, block_slot};
use crate::vm::methods::method_slot;

pub(super) const PRIMITIVES: Named = &[
    ("frameSender", sender),
    ("frameMethod", method),
    ("frameReceiver", receiver),
    ("frameBlock", block),
    ("frameArguments", values),
    ("frameVariables", variables),
    ("frameLine", line),
];

fn frame(vm: &Vm, arguments: Arguments) -> Result<usize, PrimitiveFailure> {
    let frame = vm.frame_of_id(vm.registers.frame(), vm.argument(arguments, 0));
    frame.filter(|frame| *frame >= vm.base_frame).ok_or(PrimitiveFailure::Failed)
}

/// `id` → that of the frame below; nil for the outermost.
fn sender(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let frame = frame(vm, arguments)?;
    let below = vm.frame_sender(frame);
    Ok(if frame == vm.base_frame || below == 0 { Oop::NIL } else { vm.frame_id(below) })
}

/// `id` → the method that it runs, or that its block is from.
fn method(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let frame = frame(vm, arguments)?;
    Ok(vm.heap.stack.get(frame + 2))
}

/// `id` → what `self` is in it.
fn receiver(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let frame = frame(vm, arguments)?;
    Ok(vm.frame_receiver(frame))
}

/// `id` → the block that it runs; nil if it runs a method.
fn block(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let frame = frame(vm, arguments)?;
    Ok(vm.heap.stack.get(frame + 3))
}

/// `id` → its arguments, as an array.
fn values(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let frame = frame(vm, arguments)?;
    let mark = vm.heap.handles.len();
    for index in 0..vm.frame_arguments(frame) {
        let value = vm.frame_argument(frame, index).unwrap_or_default();
        vm.heap.handles.push(value);
    }
    Ok(vm.new_array_of_handles(mark)?)
}

/// `id` → an array of the names and values of the variables that its code sees, in turn.
fn variables(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let frame = frame(vm, arguments)?;
    let method = vm.heap.stack.get(frame + 2);
    let source = vm.load(method, method_slot::SOURCE)?;
    let is_doit = vm.load(method, method_slot::METHOD_CLASS)?.is_nil();
    let block = vm.heap.stack.get(frame + 3);
    let start = if block.is_nil() { 0 } else { BlockShape::of(vm.load(block, block_slot::ENTRY)?).start };
    let source = vm.text(source).unwrap_or_default();
    let known = compiler::variables(&source, is_doit).into_iter().find(|known| known.start == start);
    let mark = vm.heap.handles.len();
    for (name, place) in known.map(|known| known.variables).unwrap_or_default() {
        let symbol = vm.symbol(&name)?;
        vm.heap.handles.push(symbol);
        let value = value_at(vm, frame, place)?;
        vm.heap.handles.push(value);
    }
    Ok(vm.new_array_of_handles(mark)?)
}

/// What lies there; nil if the variable is not there yet.
fn value_at(vm: &mut Vm, frame: usize, place: VariablePlace) -> PrimitiveResult {
    let (offset, index) = match place {
        VariablePlace::Stack(offset) => (offset, None),
        VariablePlace::Vector(offset, index) => (offset, Some(usize::from(index))),
    };
    let Some(at) = frame.checked_add_signed(isize::from(offset)).filter(|at| *at < vm.heap.stack_top) else {
        return Ok(Oop::NIL);
    };
    let value = vm.heap.stack.get(at);
    match index {
        None => Ok(value),
        Some(index) if vm.has_slots(value, index + 1) => Ok(vm.load(value, index)?),
        Some(_) => Ok(Oop::NIL),
    }
}

/// `id` → the line of its source where it is.
fn line(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let wanted = frame(vm, arguments)?;
    let (mut frame, mut ip) = (vm.registers.frame(), vm.registers.next_instruction());
    while frame != wanted && frame != 0 {
        ip = vm.frame_return_ip(frame);
        frame = vm.frame_sender(frame);
    }
    let line = vm.line_of(vm.heap.stack.get(wanted + 2), ip);
    Ok(Oop::small(i64::from(line)))
}
