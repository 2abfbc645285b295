//! Primitives of behaviours: their methods, and new classes.

use super::objects::{is_behavior, own_behavior};
use super::{Named, PrimitiveFailure, PrimitiveResult, failed};
use crate::class_making::NewClass;
use crate::compiling::CompileFailure;
use crate::heap::Oop;
use crate::syntax::CompileError;
use crate::vm::Vm;
use crate::vm::control::Arguments;
use crate::vm::known::{behavior_slot, class, dictionary_slot};
use crate::vm::shapes::Kind;

pub(super) const PRIMITIVES: Named = &[
    ("compile", compile),
    ("compileDoIt:", compile_do_it),
    ("removeSelector:", remove_selector),
    ("removeAllMethods", remove_all_methods),
    ("includesSelectorLocal:", includes_selector),
    ("compiledMethodAt:", compiled_method_at),
    ("selectors", selectors),
    ("classKind", class_kind),
    ("newClass", new_class),
    ("globalNamed:", global_named),
    ("allSymbolDictionaries", all_symbol_dictionaries),
    ("loadedBehaviors", loaded_behaviors),
];

/// A selector among the arguments.
fn selector(vm: &Vm, arguments: Arguments, index: usize) -> Result<Oop, PrimitiveFailure> {
    let selector = vm.argument(arguments, index);
    if selector.is_pointer() && vm.heap.is_symbol(selector) { Ok(selector) } else { failed() }
}

/// `source category dictionaries` → the method, installed; or an array of errors.
fn compile(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let behavior = own_behavior(vm, arguments)?;
    let Some(source) = vm.text(vm.argument(arguments, 0)) else { return failed() };
    match vm.compile(behavior, &source, vm.argument(arguments, 1)) {
        Ok(method) => {
            vm.install_method(vm.receiver(arguments), method)?;
            Ok(method)
        }
        Err(failure) => errors_of(vm, failure),
    }
}

/// `source` → a method to be executed; or an array of errors.
fn compile_do_it(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let Some(source) = vm.text(vm.argument(arguments, 0)) else { return failed() };
    match vm.compile_do_it(&source) {
        Ok(method) => Ok(method),
        Err(failure) => errors_of(vm, failure),
    }
}

fn errors_of(vm: &mut Vm, failure: CompileFailure) -> PrimitiveResult {
    match failure {
        CompileFailure::Stop(stop) => Err(PrimitiveFailure::Stop(stop)),
        CompileFailure::Errors(errors) => {
            let mark = vm.heap.handles.len();
            for error in &errors {
                let array = error_array(vm, error)?;
                vm.heap.handles.push(array);
            }
            Ok(vm.new_array_of_handles(mark)?)
        }
    }
}

/// Number, line, column, message.
fn error_array(vm: &mut Vm, error: &CompileError) -> PrimitiveResult {
    let mark = vm.heap.handles.len();
    for number in [i64::from(error.number), i64::from(error.line), i64::from(error.column)] {
        vm.heap.handles.push(Oop::small(number));
    }
    let message = vm.new_string(&error.message)?;
    vm.heap.handles.push(message);
    Ok(vm.new_array_of_handles(mark)?)
}

fn remove_selector(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let (behavior, selector) = (own_behavior(vm, arguments)?, selector(vm, arguments, 0)?);
    Ok(Oop::boolean(vm.remove_method(behavior, selector)?))
}

fn remove_all_methods(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let behavior = own_behavior(vm, arguments)?;
    vm.remove_all_methods(behavior)?;
    Ok(behavior)
}

fn includes_selector(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let (behavior, selector) = (own_behavior(vm, arguments)?, selector(vm, arguments, 0)?);
    Ok(Oop::boolean(vm.own_method(behavior, selector)?.is_some()))
}

fn compiled_method_at(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let (behavior, selector) = (own_behavior(vm, arguments)?, selector(vm, arguments, 0)?);
    Ok(vm.own_method(behavior, selector)?.unwrap_or(Oop::NIL))
}

fn selectors(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let behavior = own_behavior(vm, arguments)?;
    let mark = vm.heap.handles.len();
    let dictionary = vm.load(behavior, behavior_slot::METHOD_DICTIONARY)?;
    if vm.has_slots(dictionary, 2) {
        let table = vm.load(dictionary, dictionary_slot::TABLE)?;
        let size = if vm.has_slots(table, 2) { vm.heap.size(table) } else { 0 };
        for index in (0..size).step_by(2) {
            let selector = vm.heap.slot(table, index);
            if !selector.is_nil() {
                vm.heap.handles.push(selector);
            }
        }
    }
    Ok(vm.new_array_of_handles(mark)?)
}

fn class_kind(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let behavior = own_behavior(vm, arguments)?;
    let name = match vm.shape(behavior)?.kind {
        Kind::Pointers => "pointer",
        Kind::Indexable => "indexable",
        Kind::Bytes => "byte",
    };
    Ok(vm.symbol(name)?)
}

/// The strings of an array.
fn strings(vm: &mut Vm, array: Oop) -> Result<Vec<String>, PrimitiveFailure> {
    if array.is_nil() {
        return Ok(Vec::new());
    }
    if !vm.is_array(array) {
        return failed();
    }
    let mut strings = Vec::new();
    for index in 0..vm.heap.size(array) {
        let element = vm.load(array, index)?;
        strings.push(vm.text(element).ok_or(PrimitiveFailure::Failed)?);
    }
    Ok(strings)
}

/// `superclass name instVarNames classVars pools classInstVarNames kind` → the class, bound nowhere yet.
fn new_class(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let superclass = vm.argument(arguments, 0);
    let is_class = is_behavior(vm, superclass) && vm.has_slots(superclass, behavior_slot::CLASS_SLOTS);
    if !superclass.is_nil() && !is_class {
        return failed();
    }
    let Some(name) = vm.text(vm.argument(arguments, 1)) else { return failed() };
    let instance_variables = strings(vm, vm.argument(arguments, 2))?;
    let class_instance_variables = strings(vm, vm.argument(arguments, 5))?;
    let kind = match vm.text(vm.argument(arguments, 6)).as_deref() {
        Some("pointer") => Kind::Pointers,
        Some("indexable") => Kind::Indexable,
        Some("byte") => Kind::Bytes,
        _ => return failed(),
    };
    let request = NewClass { superclass, name, kind, instance_variables, class_instance_variables };
    let (class_variables, pools) = (vm.argument(arguments, 3), vm.argument(arguments, 4));
    let are_tables = (class_variables.is_nil() || vm.class_index_of(class_variables) == class::SYMBOL_DICTIONARY)
        && (pools.is_nil() || vm.is_array(pools));
    if !are_tables || !vm.can_be_laid_out(&request)? {
        return failed();
    }
    let made = vm.make_class(&request)?;
    let (class_variables, pools) = (vm.argument(arguments, 3), vm.argument(arguments, 4));
    vm.heap.store(made, behavior_slot::CLASS_VARIABLES, class_variables);
    vm.heap.store(made, behavior_slot::POOLS, pools);
    Ok(made)
}

/// The association of a name as code in no class sees it; nil if there is none.
fn global_named(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let Some(name) = vm.text(vm.argument(arguments, 0)) else { return failed() };
    Ok(vm.find_binding(Oop::NIL, &name)?.unwrap_or(Oop::NIL))
}

/// The symbol list, as an array.
fn all_symbol_dictionaries(vm: &mut Vm, _arguments: Arguments) -> PrimitiveResult {
    let mark = vm.heap.handles.len();
    let dictionaries = vm.symbol_list()?;
    vm.heap.handles.extend(dictionaries);
    Ok(vm.new_array_of_handles(mark)?)
}

/// Every behaviour that this process has met.
fn loaded_behaviors(vm: &mut Vm, _arguments: Arguments) -> PrimitiveResult {
    let mark = vm.heap.handles.len();
    let behaviors: Vec<Oop> = vm.tables.classes.iter().copied().filter(|class| class.is_pointer()).collect();
    vm.heap.handles.extend(behaviors);
    Ok(vm.new_array_of_handles(mark)?)
}
