//! Primitives for what a session has for itself: the root of its own objects, and a nap.

use super::{Named, PrimitiveResult, failed};
use crate::vm::Vm;
use crate::vm::control::Arguments;
use crate::vm::known::class;
use std::time::Duration;

pub(super) const PRIMITIVES: Named = &[("sessionRoot", session_root), ("nap", nap)];

/// The longest nap, in milliseconds: between two of them an execution can be cancelled.
const NAP_MAX: i64 = 10;

/// → an array with two slots, the same for as long as the session lives. It belongs to no repository.
fn session_root(vm: &mut Vm, _arguments: Arguments) -> PrimitiveResult {
    if vm.tables.session_root.is_nil() {
        // Born old, as all that the tables name.
        vm.tables.session_root = vm.heap.allocate_old(class::ARRAY, 2, false)?;
    }
    Ok(vm.tables.session_root)
}

/// `milliseconds` → the receiver, after that time.
fn nap(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    match vm.argument(arguments, 0).as_integer() {
        Some(time @ 0..=NAP_MAX) => std::thread::sleep(Duration::from_millis(time.unsigned_abs())),
        _ => return failed(),
    }
    Ok(vm.receiver(arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_one_object_through_collections() {
        let mut image = crate::Image::boot().unwrap();
        image.freeze().unwrap();
        let deadline = std::time::Instant::now() + Duration::from_secs(60);
        image.execute("SessionTemps current at: #A put: #(1 2) copy", deadline).unwrap();
        assert!(!image.has_uncommitted_changes());
        image.vm().collect_all();
        let mut run = |code: &str| image.execute(code, deadline).unwrap();
        run("1 to: 100000 do: [:i | Array new: 10]");
        assert_eq!(run("SessionTemps current at: #A"), "anArray( 1, 2)");
        assert_eq!(run("SessionTemps current == SessionTemps current"), "true");
    }
}
