//! Primitives of floats.
//!
//! Arguments are floats, or integers that a float holds exactly; other numbers fail, and the library brings them to one
//! kind first.

use super::float_text::{nearest_quotient, nearest_to_digits, printed};
use super::{Named, PrimitiveFailure, PrimitiveResult, failed};
use crate::heap::Oop;
use crate::vm::Vm;
use crate::vm::control::Arguments;
use num_bigint::BigInt;
use num_traits::FromPrimitive;

pub(super) const PRIMITIVES: Named = &[
    ("float+", |vm, arguments| arithmetic(vm, arguments, |a, b| a + b)),
    ("float-", |vm, arguments| arithmetic(vm, arguments, |a, b| a - b)),
    ("float*", |vm, arguments| arithmetic(vm, arguments, |a, b| a * b)),
    ("float/", divide),
    ("float=", |vm, arguments| comparison(vm, arguments, |a, b| a == b)),
    ("float<", |vm, arguments| comparison(vm, arguments, |a, b| a < b)),
    ("float>", |vm, arguments| comparison(vm, arguments, |a, b| a > b)),
    ("float<=", |vm, arguments| comparison(vm, arguments, |a, b| a <= b)),
    ("float>=", |vm, arguments| comparison(vm, arguments, |a, b| a >= b)),
    ("floatHash", hash),
    ("floatTruncated", |vm, arguments| integer(vm, arguments, f64::trunc)),
    ("floatFloor", |vm, arguments| integer(vm, arguments, f64::floor)),
    ("floatCeiling", |vm, arguments| integer(vm, arguments, f64::ceil)),
    ("floatRounded", |vm, arguments| integer(vm, arguments, f64::round)),
    ("floatExactParts", exact_parts),
    ("floatSqrt", |vm, arguments| function(vm, arguments, f64::sqrt)),
    ("floatLn", |vm, arguments| function(vm, arguments, f64::ln)),
    ("floatLog10", |vm, arguments| function(vm, arguments, f64::log10)),
    ("floatExp", |vm, arguments| function(vm, arguments, f64::exp)),
    ("floatSin", |vm, arguments| function(vm, arguments, f64::sin)),
    ("floatCos", |vm, arguments| function(vm, arguments, f64::cos)),
    ("floatTan", |vm, arguments| function(vm, arguments, f64::tan)),
    ("floatArcSin", |vm, arguments| function(vm, arguments, f64::asin)),
    ("floatArcCos", |vm, arguments| function(vm, arguments, f64::acos)),
    ("floatArcTan", |vm, arguments| function(vm, arguments, f64::atan)),
    ("floatArcTan2:", |vm, arguments| arithmetic(vm, arguments, f64::atan2)),
    ("floatPower:", |vm, arguments| arithmetic(vm, arguments, f64::powf)),
    ("floatPrintString", print),
    ("floatSpecial:", special),
    ("floatFromDigits:exponent:", from_digits),
    ("floatFromNumerator:denominator:", from_quotient),
];

/// Integers below this are floats without a loss.
const EXACT_INTEGERS: i64 = 1 << 53;

fn own_value(vm: &Vm, arguments: Arguments) -> Result<f64, PrimitiveFailure> {
    vm.float_value(vm.receiver(arguments)).ok_or(PrimitiveFailure::Failed)
}

/// The argument, if it is a float or can be taken for one.
fn operand(vm: &Vm, arguments: Arguments) -> Result<f64, PrimitiveFailure> {
    let argument = vm.argument(arguments, 0);
    let exact = || argument.as_integer().filter(|integer| integer.abs() < EXACT_INTEGERS).map(|integer| integer as f64);
    vm.float_value(argument).or_else(exact).ok_or(PrimitiveFailure::Failed)
}

fn arithmetic(vm: &mut Vm, arguments: Arguments, operation: fn(f64, f64) -> f64) -> PrimitiveResult {
    let value = operation(own_value(vm, arguments)?, operand(vm, arguments)?);
    Ok(vm.new_float(value)?)
}

fn comparison(vm: &mut Vm, arguments: Arguments, operation: fn(&f64, &f64) -> bool) -> PrimitiveResult {
    Ok(Oop::boolean(operation(&own_value(vm, arguments)?, &operand(vm, arguments)?)))
}

fn function(vm: &mut Vm, arguments: Arguments, operation: fn(f64) -> f64) -> PrimitiveResult {
    let value = operation(own_value(vm, arguments)?);
    Ok(vm.new_float(value)?)
}

fn divide(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let (dividend, divisor) = (own_value(vm, arguments)?, operand(vm, arguments)?);
    if divisor == 0.0 { failed() } else { Ok(vm.new_float(dividend / divisor)?) }
}

fn hash(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    Ok(Oop::small(super::big_integers::hash_of_float(own_value(vm, arguments)?)))
}

/// The integer that a way of rounding gives; fails for what is not finite.
fn integer(vm: &mut Vm, arguments: Arguments, rounding: fn(f64) -> f64) -> PrimitiveResult {
    let rounded = rounding(own_value(vm, arguments)?);
    match BigInt::from_f64(rounded) {
        Some(value) => Ok(vm.new_integer(&value)?),
        None => failed(),
    }
}

/// Mantissa and exponent of base two, without common factors of two.
fn exact_parts(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let value = own_value(vm, arguments)?;
    if !value.is_finite() {
        return failed();
    }
    let (mantissa, exponent, sign) = num_traits::Float::integer_decode(value);
    let zeros = if mantissa == 0 { 0 } else { mantissa.trailing_zeros() };
    let exponent = if mantissa == 0 { 0 } else { i64::from(exponent) + i64::from(zeros) };
    let mark = vm.heap.handles.len();
    vm.heap.handles.push(Oop::small((mantissa >> zeros) as i64 * i64::from(sign)));
    vm.heap.handles.push(Oop::small(exponent));
    Ok(vm.new_array_of_handles(mark)?)
}

fn print(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let text = printed(own_value(vm, arguments)?);
    Ok(vm.new_string(&text)?)
}

fn special(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let value = match vm.text(vm.argument(arguments, 0)).as_deref() {
        Some("infinity") => f64::INFINITY,
        Some("negativeInfinity") => f64::NEG_INFINITY,
        Some("nan") => f64::NAN,
        Some("smallest") => f64::from_bits(1),
        _ => return failed(),
    };
    Ok(vm.new_float(value)?)
}

/// The value of an argument that is an integer.
fn integer_argument(vm: &Vm, arguments: Arguments, index: usize) -> Result<BigInt, PrimitiveFailure> {
    vm.integer_value(vm.argument(arguments, index)).ok_or(PrimitiveFailure::Failed)
}

fn from_digits(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let mantissa = integer_argument(vm, arguments, 0)?;
    let exponent = vm.argument(arguments, 1).as_integer().ok_or(PrimitiveFailure::Failed)?;
    Ok(vm.new_float(nearest_to_digits(&mantissa, exponent))?)
}

fn from_quotient(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let (numerator, denominator) = (integer_argument(vm, arguments, 0)?, integer_argument(vm, arguments, 1)?);
    match nearest_quotient(&numerator, &denominator) {
        Some(value) => Ok(vm.new_float(value)?),
        None => failed(),
    }
}
