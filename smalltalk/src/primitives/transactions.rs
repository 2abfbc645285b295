//! Primitives of `System`: the transaction, the session, the clock.

use super::{Named, PrimitiveFailure, PrimitiveResult, failed};
use crate::heap::Oop;
use crate::store::StoreError;
use crate::transaction::{Commit, Refresh};
use crate::vm::control::Arguments;
use crate::vm::{Stop, Vm};
use std::time::{SystemTime, UNIX_EPOCH};

pub(super) const PRIMITIVES: Named = &[
    ("commit", commit),
    ("abort", abort),
    ("continue", refresh),
    ("needsCommit", needs_commit),
    ("userName", user_name),
    ("sessionNumber", session_number),
    ("stoneName", stone_name),
    ("microsecondClock", microsecond_clock),
    ("collectGarbage", collect_garbage),
];

/// Answers an array: nil and why the store refuses. The session goes on as it was.
fn refused(vm: &mut Vm, stop: Stop) -> PrimitiveResult {
    let StoreError::Refused { message, .. } = vm.store_error(stop) else { return Err(PrimitiveFailure::Stop(stop)) };
    let mark = vm.heap.handles.len();
    vm.heap.handles.push(Oop::NIL);
    let text = vm.new_string(&message)?;
    vm.heap.handles.push(text);
    Ok(vm.new_array_of_handles(mark)?)
}

/// Answers an array: true; or false and what conflicts.
fn outcome(vm: &mut Vm, conflicts: Option<Vec<String>>) -> PrimitiveResult {
    let mark = vm.heap.handles.len();
    vm.heap.handles.push(Oop::boolean(conflicts.is_none()));
    if let Some(conflicts) = conflicts {
        let inner = vm.heap.handles.len();
        for conflict in conflicts {
            let text = vm.new_string(&conflict)?;
            vm.heap.handles.push(text);
        }
        let array = vm.new_array_of_handles(inner)?;
        vm.heap.handles.push(array);
    }
    Ok(vm.new_array_of_handles(mark)?)
}

fn commit(vm: &mut Vm, _arguments: Arguments) -> PrimitiveResult {
    let conflicts = match vm.commit() {
        Ok(Commit::Committed) => None,
        Ok(Commit::Conflict(conflicts)) => Some(conflicts),
        Err(Stop::Store) => return refused(vm, Stop::Store),
        Err(stop) => return Err(PrimitiveFailure::Stop(stop)),
    };
    outcome(vm, conflicts)
}

fn abort(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    vm.abort()?;
    Ok(vm.receiver(arguments))
}

fn refresh(vm: &mut Vm, _arguments: Arguments) -> PrimitiveResult {
    let conflicts = match vm.refresh() {
        Ok(Refresh::Moved) => None,
        Ok(Refresh::Conflict(conflicts)) => Some(conflicts),
        Err(Stop::Store) => return refused(vm, Stop::Store),
        Err(stop) => return Err(PrimitiveFailure::Stop(stop)),
    };
    outcome(vm, conflicts)
}

fn needs_commit(vm: &mut Vm, _arguments: Arguments) -> PrimitiveResult {
    Ok(Oop::boolean(vm.has_uncommitted_changes()))
}

fn user_name(vm: &mut Vm, _arguments: Arguments) -> PrimitiveResult {
    let user = vm.session.user.clone();
    Ok(vm.new_string(&user)?)
}

fn session_number(vm: &mut Vm, _arguments: Arguments) -> PrimitiveResult {
    match i64::try_from(vm.session.session).ok().and_then(Oop::integer) {
        Some(number) => Ok(number),
        None => failed(),
    }
}

fn stone_name(vm: &mut Vm, _arguments: Arguments) -> PrimitiveResult {
    let stone = vm.session.stone.clone();
    Ok(vm.new_string(&stone)?)
}

/// Microseconds since the beginning of 1970.
fn microsecond_clock(_vm: &mut Vm, _arguments: Arguments) -> PrimitiveResult {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(Oop::small(since.as_micros() as i64))
}

fn collect_garbage(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    vm.collect_all();
    Ok(vm.receiver(arguments))
}
