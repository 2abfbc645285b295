//! Searching methods: which of a behaviour's own methods send, mention or contain something.
//!
//! One behaviour at a time, so that whoever searches many of them stays interruptible. Looks at the compiled code where
//! that says it exactly, at the source otherwise. Loads what is not loaded; changes nothing.

use super::objects::is_behavior;
use super::{Named, PrimitiveFailure, PrimitiveResult, failed};
use crate::bytecode::{Operation, SPECIAL_SENDS, op};
use crate::compiler::instruction_width;
use crate::heap::Oop;
use crate::store::Oid;
use crate::vm::control::Arguments;
use crate::vm::known::{behavior_slot, dictionary_slot};
use crate::vm::methods::method_slot;
use crate::vm::{Stop, Vm};
use regex::{Regex, RegexBuilder};
use std::cell::RefCell;

pub(super) const PRIMITIVES: Named = &[("methodsMatching", methods_matching), ("regexError", regex_error)];

/// Bytes that a compiled regular expression may take.
const REGEX_BYTES_MAX: usize = 1 << 20;

/// Objects that the store is asked for in one journey.
const OBJECTS_AT_ONCE: usize = 128;

/// What is looked for.
enum Wanted {
    /// A method for this selector.
    Implementor(Oop),
    /// A send of this selector, or, if it is one, the operation that stands for it.
    Send(Oop, Option<u8>),
    /// A use of the variable that this association holds.
    Reference(Oop),
    /// Source with these characters.
    Text(String),
    /// Source that matches.
    Pattern(Regex),
}

impl Wanted {
    /// The slot of every method that is looked at; none if few methods are.
    fn part(&self) -> Option<usize> {
        match self {
            Wanted::Implementor(_) => None,
            Wanted::Send(..) | Wanted::Reference(_) => Some(method_slot::LITERALS),
            Wanted::Text(_) | Wanted::Pattern(_) => Some(method_slot::SOURCE),
        }
    }
}

/// Loads the methods of a table, and one part of each, many at a time: one by one they would cost a journey each.
fn load_parts(vm: &mut Vm, table: Oop, part: usize) -> Result<(), Stop> {
    let methods: Vec<Oop> = (1..vm.heap.size(table)).step_by(2).map(|index| vm.heap.slot(table, index)).collect();
    load_objects(vm, methods.into_iter().filter_map(Oop::as_reference))?;
    let mut parts = Vec::new();
    for index in (1..vm.heap.size(table)).step_by(2) {
        let method = vm.load(table, index)?;
        if vm.has_slots(method, method_slot::SLOTS) {
            parts.extend(vm.heap.slot(method, part).as_reference());
        }
    }
    load_objects(vm, parts.into_iter())
}

fn load_objects(vm: &mut Vm, oids: impl Iterator<Item = Oid>) -> Result<(), Stop> {
    let missing: Vec<Oid> = oids.filter(|oid| vm.tables.object(*oid).is_none()).collect();
    for some in missing.chunks(OBJECTS_AT_ONCE) {
        // The answer to an earlier question may have brought them along.
        let some: Vec<Oid> = some.iter().copied().filter(|oid| vm.tables.object(*oid).is_none()).collect();
        if some.is_empty() {
            continue;
        }
        let records = vm.attached()?.fault(&some);
        for record in records.map_err(|error| vm.store_failed(error))? {
            if vm.tables.object(record.oid).is_none() {
                vm.materialise(&record)?;
            }
        }
    }
    Ok(())
}

/// `behavior kind argument` → selectors and categories in turn.
fn methods_matching(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let behavior = vm.argument(arguments, 0);
    if !is_behavior(vm, behavior) {
        return failed();
    }
    let wanted = wanted(vm, arguments)?;
    let mark = vm.heap.handles.len();
    let dictionary = vm.load(behavior, behavior_slot::METHOD_DICTIONARY)?;
    let table = if vm.has_slots(dictionary, 2) { vm.load(dictionary, dictionary_slot::TABLE)? } else { Oop::NIL };
    let size = if vm.has_slots(table, 2) { vm.heap.size(table) } else { 0 };
    if let Some(part) = wanted.part()
        && size > 0
    {
        load_parts(vm, table, part)?;
    }
    for index in (0..size).step_by(2) {
        let selector = vm.heap.slot(table, index);
        if selector.is_nil() || matches!(wanted, Wanted::Implementor(symbol) if symbol != selector) {
            continue;
        }
        let method = vm.load(table, index + 1)?;
        if matches(vm, method, &wanted)? {
            let category = vm.load(method, method_slot::CATEGORY)?;
            vm.heap.handles.extend([selector, category]);
        }
    }
    Ok(vm.new_array_of_handles(mark)?)
}

fn wanted(vm: &mut Vm, arguments: Arguments) -> Result<Wanted, PrimitiveFailure> {
    let Some(kind) = vm.text(vm.argument(arguments, 1)) else { return failed() };
    let object = vm.argument(arguments, 2);
    let text = |vm: &Vm| vm.text(object).ok_or(PrimitiveFailure::Failed);
    Ok(match kind.as_str() {
        "implementors" => Wanted::Implementor(object),
        "senders" => {
            let text = text(vm)?;
            let special = SPECIAL_SENDS.iter().find(|(_, selector, _)| *selector == text);
            Wanted::Send(object, special.map(|(operation, _, _)| *operation as u8).or(unsent(&text)))
        }
        "references" => Wanted::Reference(object),
        "text" => Wanted::Text(text(vm)?),
        "textIgnoringCase" => Wanted::Pattern(compiled(&regex::escape(&text(vm)?), true)?),
        "regex" => Wanted::Pattern(compiled(&text(vm)?, false)?),
        "regexIgnoringCase" => Wanted::Pattern(compiled(&text(vm)?, true)?),
        _ => return failed(),
    })
}

/// Operations that stand for a message but never send it.
fn unsent(selector: &str) -> Option<u8> {
    match selector {
        "==" => Some(op::Identical),
        "~~" => Some(op::NotIdentical),
        "isNil" => Some(op::IsNil),
        "notNil" => Some(op::NotNil),
        _ => None,
    }
}

fn matches(vm: &mut Vm, method: Oop, wanted: &Wanted) -> Result<bool, Stop> {
    if !vm.has_slots(method, method_slot::SLOTS) {
        return Ok(false);
    }
    match wanted {
        Wanted::Implementor(_) => Ok(true),
        Wanted::Send(selector, operation) => sends(vm, method, *selector, *operation),
        Wanted::Reference(association) => refers_to(vm, method, *association),
        Wanted::Text(text) => {
            let source = vm.load(method, method_slot::SOURCE)?;
            Ok(contains(vm, source, text))
        }
        Wanted::Pattern(pattern) => {
            let source = vm.load(method, method_slot::SOURCE)?;
            Ok(vm.text(source).is_some_and(|source| pattern.is_match(&source)))
        }
    }
}

/// The literal of this index, if the method has it.
fn literal_index(vm: &mut Vm, method: Oop, wanted: Oop) -> Result<Option<usize>, Stop> {
    let literals = vm.load(method, method_slot::LITERALS)?;
    let size = if vm.has_slots(literals, 1) { vm.heap.size(literals) } else { 0 };
    let oid = vm.heap.oid(wanted);
    Ok((0..size).find(|index| {
        let literal = vm.heap.slot(literals, *index);
        literal == wanted || oid != 0 && literal.as_reference() == Some(oid)
    }))
}

/// Only bindings are associations among the literals.
fn refers_to(vm: &mut Vm, method: Oop, association: Oop) -> Result<bool, Stop> {
    Ok(literal_index(vm, method, association)?.is_some())
}

/// A selector may be a mere literal: what counts is an instruction that sends it.
fn sends(vm: &mut Vm, method: Oop, selector: Oop, operation: Option<u8>) -> Result<bool, Stop> {
    let literal = literal_index(vm, method, selector)?;
    if literal.is_none() && operation.is_none() {
        return Ok(false);
    }
    let code = vm.load(method, method_slot::CODE)?;
    if !code.is_pointer() || !vm.heap.is_bytes(code) {
        return Ok(false);
    }
    let words: Vec<u32> = vm
        .heap
        .bytes(code)
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
        .collect();
    // The last word counts the inline caches.
    let words = &words[..words.len().saturating_sub(1)];
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let number = *word as u8;
        let is_send = matches!(number, op::Send | op::SendSuper) && literal == Some((*word >> 16) as usize);
        if is_send || operation == Some(number) {
            return Ok(true);
        }
        at += Operation::from_number(number).map_or(1, instruction_width);
    }
    Ok(false)
}

/// Whether a string has these characters in it, in this order, in this case.
fn contains(vm: &Vm, source: Oop, text: &str) -> bool {
    if !source.is_pointer() || !vm.heap.is_bytes(source) {
        return false;
    }
    if vm.is_wide_bytes(source) {
        return vm.text(source).is_some_and(|source| source.contains(text));
    }
    match crate::vm::objects::latin1(text) {
        Some(wanted) => memchr::memmem::find(vm.heap.bytes(source), &wanted).is_some(),
        None => false,
    }
}

/// `string` → why it is no regular expression; nil if it is one.
fn regex_error(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let Some(text) = vm.text(vm.argument(arguments, 0)) else { return failed() };
    match compile(&text, false) {
        Ok(_) => Ok(Oop::NIL),
        Err(error) => Ok(vm.new_string(&error.to_string())?),
    }
}

fn compile(text: &str, ignore_case: bool) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text)
        .case_insensitive(ignore_case)
        .multi_line(true)
        .size_limit(REGEX_BYTES_MAX)
        .dfa_size_limit(REGEX_BYTES_MAX)
        .build()
}

/// The same expression is asked for with every behaviour of a search: the last one is kept.
fn compiled(text: &str, ignore_case: bool) -> Result<Regex, PrimitiveFailure> {
    thread_local! {
        static LAST: RefCell<Option<(String, bool, Regex)>> = const { RefCell::new(None) };
    }
    LAST.with_borrow_mut(|last| match last {
        Some((known, ignored, regex)) if known == text && *ignored == ignore_case => Ok(regex.clone()),
        _ => {
            let regex = compile(text, ignore_case).map_err(|_| PrimitiveFailure::Failed)?;
            *last = Some((text.to_owned(), ignore_case, regex.clone()));
            Ok(regex)
        }
    })
}
