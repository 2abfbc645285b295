//! Primitives of integers of any size.
//!
//! Small operands take a path of their own; the others go through big integers. No operation makes an integer longer
//! than [`BITS_MAX`] in one step, and none may run for long: where the cost grows with the square of the length, it
//! fails on long operands and leaves the work to Smalltalk code, which can be interrupted.

use super::big_integers::{BITS_MAX, digits_in_radix, floor_divide, floor_rest, magnitude_gcd, parse_digits, shifted};
use super::{Named, PrimitiveFailure, PrimitiveResult, failed};
use crate::heap::Oop;
use crate::vm::Vm;
use crate::vm::control::Arguments;
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use std::cmp::Ordering;

pub(super) const PRIMITIVES: Named = &[
    ("integer+", add),
    ("integer-", subtract),
    ("integer*", multiply),
    ("integer/", divide),
    ("integer//", divide_down),
    ("integer\\\\", rest_of_divide_down),
    ("integerQuo:", quotient),
    ("integerRem:", remainder),
    ("integer=", equal),
    ("integer<", less),
    ("integer>", greater),
    ("integer<=", less_or_equal),
    ("integer>=", greater_or_equal),
    ("integerBitAnd:", bit_and),
    ("integerBitOr:", bit_or),
    ("integerBitXor:", bit_xor),
    ("integerBitShift:", bit_shift),
    ("integerBitLength", bit_length),
    ("integerGcd:", gcd),
    ("integerHash", hash),
    ("integerAsFloat", as_float),
    ("integerPrint:", print),
    ("integerFromDigits:radix:", from_digits),
];

/// Receiver and argument, if both are small.
fn small_operands(vm: &Vm, arguments: Arguments) -> Option<(i64, i64)> {
    Some((vm.receiver(arguments).as_integer()?, vm.argument(arguments, 0).as_integer()?))
}

fn own_value(vm: &Vm, arguments: Arguments) -> Result<BigInt, PrimitiveFailure> {
    vm.integer_value(vm.receiver(arguments)).ok_or(PrimitiveFailure::Failed)
}

/// Receiver and argument, if both are integers.
fn operands(vm: &Vm, arguments: Arguments) -> Result<(BigInt, BigInt), PrimitiveFailure> {
    let argument = vm.integer_value(vm.argument(arguments, 0)).ok_or(PrimitiveFailure::Failed)?;
    Ok((own_value(vm, arguments)?, argument))
}

/// Receiver and argument, if both are integers and the argument is not zero.
fn division_operands(vm: &Vm, arguments: Arguments) -> Result<(BigInt, BigInt), PrimitiveFailure> {
    let (dividend, divisor) = operands(vm, arguments)?;
    if divisor.is_zero() { failed() } else { Ok((dividend, divisor)) }
}

/// The value of a calculation on words.
fn word(vm: &mut Vm, value: i64) -> PrimitiveResult {
    match Oop::integer(value) {
        Some(small) => Ok(small),
        None => Ok(vm.new_integer(&BigInt::from(value))?),
    }
}

// === Arithmetic

fn add(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    if let Some((a, b)) = small_operands(vm, arguments) {
        return word(vm, a + b);
    }
    let (a, b) = operands(vm, arguments)?;
    Ok(vm.new_integer(&(a + b))?)
}

fn subtract(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    if let Some((a, b)) = small_operands(vm, arguments) {
        return word(vm, a - b);
    }
    let (a, b) = operands(vm, arguments)?;
    Ok(vm.new_integer(&(a - b))?)
}

fn multiply(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    if let Some(product) = small_operands(vm, arguments).and_then(|(a, b)| a.checked_mul(b)) {
        return word(vm, product);
    }
    let (a, b) = operands(vm, arguments)?;
    if a.bits() + b.bits() > BITS_MAX {
        return failed();
    }
    Ok(vm.new_integer(&(a * b))?)
}

/// Exact quotients only.
fn divide(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    if let Some((a, b)) = small_operands(vm, arguments) {
        return if b != 0 && a % b == 0 { word(vm, a / b) } else { failed() };
    }
    let (a, b) = division_operands(vm, arguments)?;
    let (quotient, rest) = num_integer::Integer::div_rem(&a, &b);
    if rest.is_zero() { Ok(vm.new_integer(&quotient)?) } else { failed() }
}

fn divide_down(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let (a, b) = match small_operands(vm, arguments) {
        Some((_, 0)) => return failed(),
        Some((a, b)) => return word(vm, num_integer::div_floor(a, b)),
        None => division_operands(vm, arguments)?,
    };
    Ok(vm.new_integer(&floor_divide(&a, &b))?)
}

fn rest_of_divide_down(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let (a, b) = match small_operands(vm, arguments) {
        Some((_, 0)) => return failed(),
        Some((a, b)) => return word(vm, num_integer::mod_floor(a, b)),
        None => division_operands(vm, arguments)?,
    };
    Ok(vm.new_integer(&floor_rest(&a, &b))?)
}

fn quotient(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let (a, b) = match small_operands(vm, arguments) {
        Some((_, 0)) => return failed(),
        Some((a, b)) => return word(vm, a / b),
        None => division_operands(vm, arguments)?,
    };
    Ok(vm.new_integer(&(a / b))?)
}

fn remainder(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let (a, b) = match small_operands(vm, arguments) {
        Some((_, 0)) => return failed(),
        Some((a, b)) => return word(vm, a % b),
        None => division_operands(vm, arguments)?,
    };
    Ok(vm.new_integer(&(a % b))?)
}

// === Comparing

fn compare(vm: &Vm, arguments: Arguments) -> Result<Ordering, PrimitiveFailure> {
    if let Some((a, b)) = small_operands(vm, arguments) {
        return Ok(a.cmp(&b));
    }
    let (a, b) = operands(vm, arguments)?;
    Ok(a.cmp(&b))
}

fn equal(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    Ok(Oop::boolean(compare(vm, arguments)?.is_eq()))
}

fn less(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    Ok(Oop::boolean(compare(vm, arguments)?.is_lt()))
}

fn greater(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    Ok(Oop::boolean(compare(vm, arguments)?.is_gt()))
}

fn less_or_equal(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    Ok(Oop::boolean(compare(vm, arguments)?.is_le()))
}

fn greater_or_equal(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    Ok(Oop::boolean(compare(vm, arguments)?.is_ge()))
}

fn hash(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let value = own_value(vm, arguments)?;
    Ok(Oop::small(super::big_integers::hash_of(&value)))
}

// === Bits

fn bit_and(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    if let Some((a, b)) = small_operands(vm, arguments) {
        return Ok(Oop::small(a & b));
    }
    let (a, b) = operands(vm, arguments)?;
    Ok(vm.new_integer(&(a & b))?)
}

fn bit_or(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    if let Some((a, b)) = small_operands(vm, arguments) {
        return Ok(Oop::small(a | b));
    }
    let (a, b) = operands(vm, arguments)?;
    Ok(vm.new_integer(&(a | b))?)
}

fn bit_xor(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    if let Some((a, b)) = small_operands(vm, arguments) {
        return Ok(Oop::small(a ^ b));
    }
    let (a, b) = operands(vm, arguments)?;
    Ok(vm.new_integer(&(a ^ b))?)
}

fn bit_shift(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    if let Some((value, distance @ -63..=0)) = small_operands(vm, arguments) {
        return Ok(Oop::small(value >> -distance));
    }
    let (value, distance) = operands(vm, arguments)?;
    match shifted(value, &distance) {
        Some(value) => Ok(vm.new_integer(&value)?),
        None => failed(),
    }
}

fn bit_length(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    Ok(Oop::small(own_value(vm, arguments)?.bits() as i64))
}

fn gcd(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    if let Some((a, b)) = small_operands(vm, arguments) {
        return word(vm, num_integer::gcd(a, b));
    }
    let (a, b) = operands(vm, arguments)?;
    match magnitude_gcd(&a, &b) {
        Some(divisor) => Ok(vm.new_integer(&divisor)?),
        None => failed(),
    }
}

// === Converting

fn as_float(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let value = match vm.receiver(arguments).as_integer() {
        Some(small) => small as f64,
        None => own_value(vm, arguments)?.to_f64().ok_or(PrimitiveFailure::Failed)?,
    };
    Ok(vm.new_float(value)?)
}

fn radix(radix: Oop) -> Result<u32, PrimitiveFailure> {
    let radix = radix.as_integer().and_then(|radix| u32::try_from(radix).ok());
    radix.filter(|radix| (2..=36).contains(radix)).ok_or(PrimitiveFailure::Failed)
}

fn print(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let radix = radix(vm.argument(arguments, 0))?;
    let digits = match vm.receiver(arguments).as_integer() {
        Some(small) if radix == 10 => small.to_string(),
        _ => digits_in_radix(&own_value(vm, arguments)?, radix),
    };
    Ok(vm.new_string(&digits)?)
}

fn from_digits(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let radix = radix(vm.argument(arguments, 1))?;
    let value = vm.text(vm.argument(arguments, 0)).and_then(|digits| parse_digits(&digits, radix));
    match value {
        Some(value) => Ok(vm.new_integer(&value)?),
        None => failed(),
    }
}
