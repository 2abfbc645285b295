//! Primitives of strings and symbols, narrow and wide, and of UTF-8.
//!
//! Only text has characters: other byte objects fail, since their bytes mean something else.

use super::characters::{lowercase, uppercase};
use super::text::Text;
use super::{Named, PrimitiveFailure, PrimitiveResult, failed, objects};
use crate::heap::Oop;
use crate::vm::control::Arguments;
use crate::vm::known::class;
use crate::vm::{Stop, Vm};

pub(super) const PRIMITIVES: Named = &[
    ("stringSize", size),
    ("stringAt:", at),
    ("stringAt:put:", at_put),
    ("stringEquals:", equals),
    ("stringCompare:", compare),
    ("stringHash", hash),
    ("stringIndexOf:startingAt:", index_of),
    ("stringAsUppercase", |vm, arguments| mapped(vm, arguments, uppercase)),
    ("stringAsLowercase", |vm, arguments| mapped(vm, arguments, lowercase)),
    ("stringAsSymbol", as_symbol),
    ("symbolAsString", symbol_as_string),
    ("quadStringNew:", new_wide),
    ("utf8Encode", encode),
    ("utf8Decode", decode),
];

/// The most characters of a symbol: symbols live outside of the nursery, and each is looked up by its text.
const SYMBOL_SIZE_MAX: usize = 1024;

fn own_text(vm: &Vm, arguments: Arguments) -> Result<Text<'_>, PrimitiveFailure> {
    vm.characters(vm.receiver(arguments)).ok_or(PrimitiveFailure::Failed)
}

/// An argument that counts from 1, as an index from 0.
fn position(vm: &Vm, arguments: Arguments, index: usize) -> Result<usize, PrimitiveFailure> {
    let position = vm.argument(arguments, index).as_integer().and_then(|position| usize::try_from(position - 1).ok());
    position.ok_or(PrimitiveFailure::Failed)
}

fn size(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    Ok(Oop::small(own_text(vm, arguments)?.size() as i64))
}

fn at(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let index = position(vm, arguments, 0)?;
    match own_text(vm, arguments)?.at(index) {
        Some(character) => Ok(Oop::character(character)),
        None => failed(),
    }
}

fn at_put(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let index = position(vm, arguments, 0)?;
    let value = vm.argument(arguments, 1);
    let character = value.as_character().ok_or(PrimitiveFailure::Failed)?;
    let text = own_text(vm, arguments)?;
    let object = vm.receiver(arguments);
    if vm.heap.is_immutable(object) || index >= text.size() {
        return failed();
    }
    match (text, u8::try_from(u32::from(character))) {
        (Text::Narrow(_), Ok(byte)) => vm.heap.bytes_mut(object)[index] = byte,
        (Text::Narrow(_), Err(_)) => widen(vm, arguments, index, character)?,
        (Text::Wide(_), _) => put_wide(vm, object, index, character),
    }
    Ok(value)
}

fn put_wide(vm: &mut Vm, object: Oop, index: usize, character: char) {
    let place = index * 4..index * 4 + 4;
    vm.heap.bytes_mut(object)[place].copy_from_slice(&u32::from(character).to_le_bytes());
}

/// Makes the receiver, a narrow string, a wide one, with a character that needs it. A class of the user's own has no
/// wide counterpart.
fn widen(vm: &mut Vm, arguments: Arguments, index: usize, character: char) -> Result<(), PrimitiveFailure> {
    let object = vm.receiver(arguments);
    if vm.heap.class_index(object) != class::STRING || vm.heap.is_permanent(object) {
        return failed();
    }
    let bytes: Vec<u8> = own_text(vm, arguments)?.codes().flat_map(u32::to_le_bytes).collect();
    let wide = vm.allocate_replacement(class::QUAD_BYTE_STRING, bytes.len(), true)?;
    vm.heap.bytes_mut(wide).copy_from_slice(&bytes);
    put_wide(vm, wide, index, character);
    if vm.replace(vm.receiver(arguments), wide) { Ok(()) } else { failed() }
}

/// Whether the argument is text of the same characters, and not a symbol.
fn equals(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let own = own_text(vm, arguments)?;
    let other = vm.argument(arguments, 0);
    let same = vm.characters(other).is_some_and(|text| !vm.heap.is_symbol(other) && own.equals(text));
    Ok(Oop::boolean(same))
}

/// -1, 0 or 1.
fn compare(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let other = vm.characters(vm.argument(arguments, 0)).ok_or(PrimitiveFailure::Failed)?;
    Ok(Oop::small(own_text(vm, arguments)?.compare(other) as i64))
}

fn hash(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    Ok(Oop::small(own_text(vm, arguments)?.hash()))
}

/// The index of a character or a text, 0 if it does not occur.
fn index_of(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let start = position(vm, arguments, 1)?;
    let own = own_text(vm, arguments)?;
    let wanted = vm.argument(arguments, 0);
    let found = match wanted.as_character() {
        Some(character) => own.index_of(Text::Wide(&u32::from(character).to_le_bytes()), start),
        None => own.index_of(vm.characters(wanted).ok_or(PrimitiveFailure::Failed)?, start),
    };
    Ok(Oop::small(found.map_or(0, |index| index as i64 + 1)))
}

fn mapped(vm: &mut Vm, arguments: Arguments, mapping: fn(char) -> char) -> PrimitiveResult {
    let text: String = own_text(vm, arguments)?.chars().map(mapping).collect();
    Ok(vm.new_string(&text)?)
}

fn as_symbol(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let object = vm.receiver(arguments);
    let text = own_text(vm, arguments)?;
    if vm.heap.is_symbol(object) {
        return Ok(object);
    }
    if text.size() > SYMBOL_SIZE_MAX {
        return failed();
    }
    let text: String = text.chars().collect();
    if let Some(symbol) = vm.existing_symbol(&text) {
        return Ok(symbol);
    }
    make_room_for_symbol(vm)?;
    Ok(vm.symbol(&text)?)
}

/// Symbols are born without regard for the limit of the heap.
fn make_room_for_symbol(vm: &mut Vm) -> Result<(), Stop> {
    let room = SYMBOL_SIZE_MAX * 4;
    if !vm.heap.is_booting() && !vm.heap.has_room_for(room, true) {
        vm.collect_all();
        if !vm.heap.has_room_for(room, true) {
            return Err(Stop::OutOfMemory);
        }
    }
    Ok(())
}

fn symbol_as_string(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let (kind, bytes) = match own_text(vm, arguments)? {
        Text::Narrow(bytes) => (class::STRING, bytes.to_vec()),
        Text::Wide(bytes) => (class::QUAD_BYTE_STRING, bytes.to_vec()),
    };
    Ok(vm.new_bytes(kind, &bytes)?)
}

/// Text of so many characters of code point 0; the receiver is a class of wide strings.
fn new_wide(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let behavior = objects::own_behavior(vm, arguments)?;
    let size = vm.argument(arguments, 0).as_integer().and_then(|size| usize::try_from(size).ok());
    let bytes = size.and_then(|size| size.checked_mul(4)).ok_or(PrimitiveFailure::Failed)?;
    let index = vm.behavior_index(behavior)?;
    if index == class::QUAD_BYTE_SYMBOL || !vm.is_wide_class(index) {
        return failed();
    }
    vm.allocate(index, bytes, true).or_else(|_| failed())
}

fn encode(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let text: String = own_text(vm, arguments)?.chars().collect();
    Ok(vm.new_bytes(class::BYTE_ARRAY, text.as_bytes())?)
}

/// The receiver is a byte array, or narrow text that holds bytes.
fn decode(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let object = vm.receiver(arguments);
    if !object.is_pointer() || !vm.heap.is_bytes(object) || vm.is_wide_bytes(object) {
        return failed();
    }
    let kind = vm.heap.class_index(object);
    if kind != class::BYTE_ARRAY && !vm.inherits_from(kind, class::BYTE_ARRAY) && vm.characters(object).is_none() {
        return failed();
    }
    let text = std::str::from_utf8(vm.heap.bytes(object)).map(str::to_owned);
    match text {
        Ok(text) => Ok(vm.new_string(&text)?),
        Err(_) => failed(),
    }
}
