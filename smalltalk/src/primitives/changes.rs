//! Primitives for the tools: what others have changed, the frames of the user's own code, the toolsets of the image.

use super::objects::is_behavior;
use super::{Named, PrimitiveResult, failed};
use crate::heap::Oop;
use crate::vm::Vm;
use crate::vm::control::Arguments;

pub(super) const PRIMITIVES: Named = &[
    ("changedAt", changed_at),
    ("methodChangedAt", method_changed_at),
    ("userFrames", user_frames),
    ("boundToolsets", bound_toolsets),
];

/// `object` → the last view in which somebody else changed it; 0 for none.
fn changed_at(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let view = vm.object_changed_at(vm.argument(arguments, 0));
    Ok(Oop::small(view as i64))
}

/// `behavior selector` → the last view in which somebody else changed that method; 0 for none.
fn method_changed_at(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let (behavior, selector) = (vm.argument(arguments, 0), vm.argument(arguments, 1));
    if !is_behavior(vm, behavior) || !selector.is_pointer() || !vm.heap.is_symbol(selector) {
        return failed();
    }
    let view = vm.method_changed_at(behavior, selector)?;
    Ok(Oop::small(view as i64))
}

/// → for each class below `McpToolset` that is bound under its name, an array: the class, its name, whether it names
/// tools itself, whether it registers any.
fn bound_toolsets(vm: &mut Vm, _arguments: Arguments) -> PrimitiveResult {
    Ok(vm.bound_toolsets()?)
}

/// → the frames of the user's own code, innermost first, as an array of strings.
fn user_frames(vm: &mut Vm, _arguments: Arguments) -> PrimitiveResult {
    let mark = vm.heap.handles.len();
    for frame in vm.user_frames() {
        let line = vm.new_string(&frame)?;
        vm.heap.handles.push(line);
    }
    Ok(vm.new_array_of_handles(mark)?)
}
