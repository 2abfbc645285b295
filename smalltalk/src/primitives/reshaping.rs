//! The primitive by which an instance moves to another version of its class, and text grows.

use super::{Named, PrimitiveResult, failed};
use crate::vm::Vm;
use crate::vm::control::Arguments;
use crate::vm::shapes::Kind;

pub(super) const PRIMITIVES: Named = &[("takeShapeOf:", take_shape)];

/// The receiver gets the class and the state of the argument, a new object, and keeps its identity. It must not be at
/// work in code of the user's, which would go on with other variables than its own.
fn take_shape(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let (object, shape) = (vm.receiver(arguments), vm.argument(arguments, 0));
    if !object.is_pointer() || !shape.is_pointer() || object == shape {
        return failed();
    }
    let bytes = vm.heap.is_bytes(shape);
    if bytes != vm.heap.is_bytes(object) {
        return failed();
    }
    if vm.heap.is_stored(shape) || vm.heap.is_immutable(object) || !bytes && vm.is_at_work(object) {
        return failed();
    }
    let behavior = vm.class_of(shape);
    let size = match vm.shape(behavior)?.kind {
        Kind::Pointers => vm.heap.size(shape).max(vm.heap.size(object)),
        _ => vm.heap.size(shape),
    };
    let index = vm.heap.class_index(shape);
    let replacement = vm.allocate_replacement(index, size, bytes)?;
    let (object, shape) = (vm.receiver(arguments), vm.argument(arguments, 0));
    vm.heap.copy_elements(replacement, 0, shape, 0, vm.heap.size(shape));
    if vm.replace(object, replacement) { Ok(replacement) } else { failed() }
}
