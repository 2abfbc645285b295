//! Primitives of characters.

use super::{Named, PrimitiveFailure, PrimitiveResult, failed};
use crate::heap::Oop;
use crate::vm::Vm;
use crate::vm::control::Arguments;

pub(super) const PRIMITIVES: Named = &[
    ("characterValue", value),
    ("characterNew:", new),
    ("characterIs:", is),
    ("characterAsUppercase", |vm, arguments| Ok(Oop::character(uppercase(own_value(vm, arguments)?)))),
    ("characterAsLowercase", |vm, arguments| Ok(Oop::character(lowercase(own_value(vm, arguments)?)))),
];

fn own_value(vm: &Vm, arguments: Arguments) -> Result<char, PrimitiveFailure> {
    vm.receiver(arguments).as_character().ok_or(PrimitiveFailure::Failed)
}

fn value(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    Ok(Oop::small(i64::from(u32::from(own_value(vm, arguments)?))))
}

/// The character of a code point; surrogates are none.
fn new(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let code = vm.argument(arguments, 0).as_integer().and_then(|code| u32::try_from(code).ok());
    match code.and_then(char::from_u32) {
        Some(character) => Ok(Oop::character(character)),
        None => failed(),
    }
}

fn is(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let character = own_value(vm, arguments)?;
    let answer = match vm.text(vm.argument(arguments, 0)).as_deref() {
        Some("letter") => character.is_alphabetic(),
        Some("alphanumeric") => character.is_alphanumeric(),
        Some("uppercase") => character.is_uppercase(),
        Some("lowercase") => character.is_lowercase(),
        Some("separator") => character.is_whitespace(),
        _ => return failed(),
    };
    Ok(Oop::boolean(answer))
}

/// The capital of a letter, if it is a single character; else the letter.
pub(super) fn uppercase(character: char) -> char {
    single(character.to_uppercase(), character)
}

/// The small letter of a capital, if it is a single character; else the capital.
pub(super) fn lowercase(character: char) -> char {
    single(character.to_lowercase(), character)
}

fn single(mut mapped: impl Iterator<Item = char>, character: char) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(only), None) => only,
        _ => character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_changes_one_character_into_one() {
        assert_eq!((uppercase('a'), uppercase('ä'), uppercase('ß'), uppercase('1')), ('A', 'Ä', 'ß', '1'));
        assert_eq!((lowercase('A'), lowercase('Σ'), lowercase('İ')), ('a', 'σ', 'İ'));
    }
}
