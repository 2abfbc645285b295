//! Primitives of all objects: shape, elements, identity, copies, instances.

use super::{Named, PrimitiveFailure, PrimitiveResult, failed};
use crate::heap::Oop;
use crate::vm::control::Arguments;
use crate::vm::known::{behavior_slot, class};
use crate::vm::shapes::{Kind, Shape};
use crate::vm::{Stop, Vm};
use std::collections::HashMap;

pub(super) const PRIMITIVES: Named = &[
    ("class", class_of),
    ("==", identical),
    ("identityHash", identity_hash),
    ("basicSize", basic_size),
    ("basicAt:", basic_at),
    ("basicAt:put:", basic_at_put),
    ("instVarAt:", inst_var_at),
    ("instVarAt:put:", inst_var_at_put),
    ("shallowCopy", shallow_copy),
    ("become:", become_other),
    ("basicNew", basic_new),
    ("basicNew:", basic_new_sized),
    ("replaceFrom:to:with:startingAt:", replace_elements),
    ("isImmutable", is_immutable),
    ("numArgs", block_arguments),
];

fn class_of(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    Ok(vm.class_of(vm.receiver(arguments)))
}

fn identical(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    Ok(Oop::boolean(vm.receiver(arguments) == vm.argument(arguments, 0)))
}

fn identity_hash(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let object = vm.receiver(arguments);
    Ok(Oop::small(vm.identity_hash(object)? as i64))
}

/// The shape of an object's class, and how many slots its names take.
fn shape_of(vm: &mut Vm, object: Oop) -> Result<Shape, Stop> {
    let behavior = vm.class_of(object);
    vm.shape(behavior)
}

/// How many indexed elements, or bytes, an object has. One that moved to another class may have more slots than names.
fn indexed_size(vm: &mut Vm, object: Oop) -> Result<usize, Stop> {
    let Shape { named, kind } = shape_of(vm, object)?;
    Ok(if kind == Kind::Pointers { 0 } else { vm.heap.size(object).saturating_sub(named) })
}

/// An index, 1 up to a size, as an index from 0.
fn index_below(index: Oop, size: usize) -> Result<usize, PrimitiveFailure> {
    let index = index.as_integer().and_then(|index| usize::try_from(index).ok()).filter(|index| *index >= 1);
    index.map(|index| index - 1).filter(|index| *index < size).ok_or(PrimitiveFailure::Failed)
}

fn basic_size(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let object = vm.receiver(arguments);
    if !object.is_pointer() {
        return Ok(Oop::small(0));
    }
    let units = if vm.is_wide_bytes(object) { 4 } else { 1 };
    Ok(Oop::small((indexed_size(vm, object)? / units) as i64))
}

fn basic_at(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let object = vm.receiver(arguments);
    if !object.is_pointer() || vm.is_wide_bytes(object) {
        return failed();
    }
    let named = shape_of(vm, object)?.named;
    let index = index_below(vm.argument(arguments, 0), indexed_size(vm, object)?)?;
    if vm.heap.is_bytes(object) {
        return Ok(Oop::small(i64::from(vm.heap.bytes(object)[index])));
    }
    Ok(vm.load(object, named + index)?)
}

fn basic_at_put(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let object = vm.receiver(arguments);
    let value = vm.argument(arguments, 1);
    if !object.is_pointer() || vm.heap.is_immutable(object) || vm.is_wide_bytes(object) {
        return failed();
    }
    if matches!(vm.heap.class_index(object), class::LARGE_INTEGER | class::FLOAT) {
        // Their bytes mean something only as a whole.
        return failed();
    }
    let named = shape_of(vm, object)?.named;
    let index = index_below(vm.argument(arguments, 0), indexed_size(vm, object)?)?;
    if vm.heap.is_bytes(object) {
        let byte = value.as_integer().and_then(|value| u8::try_from(value).ok()).ok_or(PrimitiveFailure::Failed)?;
        vm.heap.bytes_mut(object)[index] = byte;
    } else if is_protected(vm, object) {
        return failed();
    } else {
        vm.heap.store(object, named + index, value);
    }
    Ok(value)
}

/// Objects that the machine itself leans on: a wrong word in one could take the process down.
fn is_protected(vm: &Vm, object: Oop) -> bool {
    is_code(vm, object) || vm.transient_slot(object).is_some()
}

fn is_code(vm: &Vm, object: Oop) -> bool {
    matches!(vm.heap.class_index(object), class::METHOD | class::BLOCK | class::METHOD_DICTIONARY)
}

/// How many slots of an object code may name by number.
fn slots_of(vm: &mut Vm, object: Oop) -> Result<usize, Stop> {
    let Shape { named, kind } = shape_of(vm, object)?;
    let size = vm.heap.size(object);
    Ok(if kind == Kind::Pointers { named.min(size) } else { size })
}

/// The insides of code are not even shown: what they refer to could be changed.
fn inst_var_at(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let object = vm.receiver(arguments);
    if !object.is_pointer() || vm.heap.is_bytes(object) || is_code(vm, object) {
        return failed();
    }
    let index = index_below(vm.argument(arguments, 0), slots_of(vm, object)?)?;
    Ok(vm.load(object, index)?)
}

fn inst_var_at_put(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let object = vm.receiver(arguments);
    let value = vm.argument(arguments, 1);
    if !object.is_pointer() || vm.heap.is_bytes(object) || vm.heap.is_immutable(object) {
        return failed();
    }
    let index = index_below(vm.argument(arguments, 0), slots_of(vm, object)?)?;
    let first_free =
        if vm.heap.size(object) > behavior_slot::CLASS_VARIABLES { behavior_slot::NAME } else { usize::MAX };
    let allowed = !is_protected(vm, object) || vm.transient_slot(object).is_some() && index >= first_free;
    if !allowed || vm.heap.class_index(object) == class::METHOD {
        return failed();
    }
    vm.heap.store(object, index, value);
    Ok(value)
}

fn shallow_copy(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let object = vm.receiver(arguments);
    if !object.is_pointer() || vm.heap.is_symbol(object) {
        return Ok(object);
    }
    if vm.transient_slot(object).is_some() {
        return failed();
    }
    let (index, size, bytes) = (vm.heap.class_index(object), vm.heap.size(object), vm.heap.is_bytes(object));
    let copy = vm.allocate(index, size, bytes)?;
    let object = vm.receiver(arguments);
    vm.heap.copy_elements(copy, 0, object, 0, size);
    Ok(copy)
}

/// Every reference to the receiver becomes one to the argument, and the other way round. Both are new to the
/// repository, where an identity keeps its shape. They have as many named variables: methods of either may be running,
/// and their code refers to variables by number.
fn become_other(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let (one, other) = (vm.receiver(arguments), vm.argument(arguments, 0));
    let movable = |vm: &Vm, object: Oop| {
        object.is_pointer()
            && !vm.heap.is_symbol(object)
            && !vm.heap.is_immutable(object)
            && !vm.heap.is_stored(object)
            && !is_protected(vm, object)
    };
    if !movable(vm, one) || !movable(vm, other) {
        return failed();
    }
    let alike = vm.heap.is_bytes(one) == vm.heap.is_bytes(other)
        && vm.is_wide_bytes(one) == vm.is_wide_bytes(other)
        && shape_of(vm, one)?.named == shape_of(vm, other)?.named;
    if !alike || is_association(vm, one) != is_association(vm, other) {
        return failed();
    }
    exchange(vm, one, other);
    Ok(other)
}

/// Exchanges all references to two objects, neither of them known to the repository nor a symbol.
fn exchange(vm: &mut Vm, one: Oop, other: Oop) {
    // The identities go with the references: whoever hashed one of them finds it again.
    let (one_oid, other_oid) = (vm.heap.oid(one), vm.heap.oid(other));
    vm.heap.set_oid(one, other_oid);
    vm.heap.set_oid(other, one_oid);
    let exchange = HashMap::from([(one, other), (other, one)]);
    vm.heap.exchange_references(&exchange, &mut vm.tables);
}

/// The receiver, if it is a behaviour. Slots alone do not make one: whoever believed in any object with a format could
/// be made to give out objects whose body is not what their class says.
pub(super) fn own_behavior(vm: &Vm, arguments: Arguments) -> Result<Oop, PrimitiveFailure> {
    let behavior = vm.receiver(arguments);
    if is_behavior(vm, behavior) { Ok(behavior) } else { failed() }
}

/// Whether an object is a class or a metaclass.
pub(crate) fn is_behavior(vm: &Vm, object: Oop) -> bool {
    vm.has_slots(object, behavior_slot::METACLASS_SLOTS)
        && vm.transient_slot(object) == Some(behavior_slot::CLASS_INDEX)
}

/// Compiled code holds associations, as the variables that they are.
fn is_association(vm: &Vm, object: Oop) -> bool {
    matches!(vm.heap.class_index(object), class::ASSOCIATION | class::SYMBOL_ASSOCIATION)
}

fn basic_new(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    instantiate(vm, arguments, 0)
}

fn basic_new_sized(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let size = vm.argument(arguments, 0).as_integer().and_then(|size| usize::try_from(size).ok());
    let size = size.ok_or(PrimitiveFailure::Failed)?;
    let behavior = own_behavior(vm, arguments)?;
    if vm.shape(behavior)?.kind == Kind::Pointers && size > 0 {
        return failed();
    }
    instantiate(vm, arguments, size)
}

fn instantiate(vm: &mut Vm, arguments: Arguments, size: usize) -> PrimitiveResult {
    let behavior = own_behavior(vm, arguments)?;
    let shape = vm.shape(behavior)?;
    let index = vm.behavior_index(behavior)?;
    // A class comes from its definition only: it would lack a format.
    if is_made_otherwise(index) || vm.heap.class_index(behavior) == class::METACLASS {
        return failed();
    }
    let units = if vm.is_wide_class(index) { 4 } else { 1 };
    let total = size.checked_mul(units).and_then(|size| size.checked_add(shape.named));
    let total = total.ok_or(PrimitiveFailure::Failed)?;
    if total > LARGEST_BELIEVABLE && !vm.heap.has_room_for(total, shape.kind == Kind::Bytes) {
        return failed();
    }
    Ok(vm.allocate(index, total, shape.kind == Kind::Bytes)?)
}

/// A request for more elements than this that cannot be met is a mistake in its number, not a full heap.
const LARGEST_BELIEVABLE: usize = 1 << 20;

/// Classes whose instances are immediate, unique or made by the machine.
fn is_made_otherwise(index: u32) -> bool {
    matches!(
        index,
        class::SMALL_INTEGER
            | class::SMALL_DOUBLE
            | class::FLOAT
            | class::LARGE_INTEGER
            | class::CHARACTER
            | class::UNDEFINED_OBJECT
            | class::TRUE
            | class::FALSE
            | class::SYMBOL
            | class::QUAD_BYTE_SYMBOL
            | class::METHOD
            | class::METHOD_DICTIONARY
            | class::BLOCK
            | class::BEHAVIOR
            | class::CLASS
            | class::METACLASS
    )
}

/// `replaceFrom: start to: stop with: source startingAt: sourceStart`, between two objects of the same kind.
fn replace_elements(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let (target, source) = (vm.receiver(arguments), vm.argument(arguments, 2));
    if !target.is_pointer() || !source.is_pointer() || vm.heap.is_immutable(target) || is_protected(vm, target) {
        return failed();
    }
    let agree =
        vm.heap.is_bytes(target) == vm.heap.is_bytes(source) && vm.is_wide_bytes(target) == vm.is_wide_bytes(source);
    if !agree {
        return failed();
    }
    let units = if vm.is_wide_bytes(target) { 4 } else { 1 };
    let (to, from) = (shape_of(vm, target)?.named, shape_of(vm, source)?.named);
    let positive = |index: usize| vm.argument(arguments, index).as_integer().and_then(|at| usize::try_from(at).ok());
    let (Some(start), Some(stop), Some(begin)) = (positive(0), positive(1), positive(3)) else { return failed() };
    if stop + 1 == start && start >= 1 {
        return Ok(target);
    }
    if start < 1 || begin < 1 || stop < start {
        return failed();
    }
    let count = stop - start + 1;
    let fits = |object: Oop, first: usize, named: usize| {
        first
            .checked_add(count)
            .is_some_and(|end| (end - 1).checked_mul(units).is_some_and(|end| end + named <= vm.heap.size(object)))
    };
    if !fits(target, start, to) || !fits(source, begin, from) {
        return failed();
    }
    vm.heap.copy_elements(target, to + (start - 1) * units, source, from + (begin - 1) * units, count * units);
    Ok(target)
}

fn is_immutable(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let object = vm.receiver(arguments);
    Ok(Oop::boolean(!object.is_pointer() || vm.heap.is_immutable(object)))
}

fn block_arguments(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let block = vm.receiver(arguments);
    if vm.class_index_of(block) != class::BLOCK {
        return failed();
    }
    let entry = vm.load(block, crate::vm::frames::block_slot::ENTRY)?;
    Ok(Oop::small(crate::vm::frames::BlockShape::of(entry).arguments as i64))
}
