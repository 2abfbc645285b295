//! Calculations on big integers, bounded in size and time. Nothing here knows of objects.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{FromPrimitive, Signed, ToPrimitive, Zero};

/// The most bits that an operation may give an integer. To divide, print or read a number of this length takes some
/// tenths of a second, and nothing can interrupt it.
pub(super) const BITS_MAX: u64 = 1024 * 1024;

/// The common divisor of longer integers is looked for in steps that can be interrupted.
const GCD_BITS_MAX: u64 = 64 * 1024;

/// The quotient, rounded towards minus infinity; the divisor is not zero.
pub(super) fn floor_divide(dividend: &BigInt, divisor: &BigInt) -> BigInt {
    dividend.div_floor(divisor)
}

/// What [`floor_divide`] leaves.
pub(super) fn floor_rest(dividend: &BigInt, divisor: &BigInt) -> BigInt {
    dividend.mod_floor(divisor)
}

/// The greatest common divisor; `None` if it takes too long.
pub(super) fn magnitude_gcd(one: &BigInt, other: &BigInt) -> Option<BigInt> {
    let (long, short) = if one.bits() < other.bits() { (other, one) } else { (one, other) };
    if short.is_zero() {
        return Some(long.abs());
    }
    if short.bits() > GCD_BITS_MAX {
        return None;
    }
    Some((long % short).gcd(short))
}

/// Shifted left, or right by a negative distance; `None` if that is too long.
pub(super) fn shifted(value: BigInt, distance: &BigInt) -> Option<BigInt> {
    if value.is_zero() {
        return Some(value);
    }
    if distance.is_negative() {
        // Beyond its length nothing but the sign is left.
        let distance = distance.magnitude().to_u64().unwrap_or(u64::MAX).min(value.bits() + 1);
        return Some(value >> distance);
    }
    let distance = distance.to_u64().filter(|distance| *distance <= BITS_MAX)?;
    (value.bits() + distance <= BITS_MAX).then(|| value << distance)
}

/// The digits, capital letters from ten on, with a minus in front if it is negative.
pub(super) fn digits_in_radix(value: &BigInt, radix: u32) -> String {
    let mut digits = value.to_str_radix(radix);
    digits.make_ascii_uppercase();
    digits
}

/// The value of digits; `None` if there are none, others, or too many.
pub(super) fn parse_digits(digits: &str, radix: u32) -> Option<BigInt> {
    if digits.is_empty() || digits.len() as u64 > BITS_MAX || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    if digits.len() as f64 * f64::from(radix).log2() > BITS_MAX as f64 {
        return None;
    }
    BigInt::parse_bytes(digits.as_bytes(), radix)
}

/// A hash that is the value itself where that is small. It depends on the value alone, so that committed collections
/// work in every session.
pub(super) fn hash_of(value: &BigInt) -> i64 {
    match value.to_i64().filter(|small| crate::heap::Oop::integer(*small).is_some()) {
        Some(small) => small,
        None => crate::vm::symbols::hash_of(&value.to_signed_bytes_le()) as i64,
    }
}

/// The hash of a float: that of the integer that it equals, if there is one.
pub(super) fn hash_of_float(value: f64) -> i64 {
    match whole(value) {
        Some(integer) => hash_of(&integer),
        None => crate::vm::symbols::hash_of(&value.to_bits().to_le_bytes()) as i64,
    }
}

fn whole(value: f64) -> Option<BigInt> {
    if value.trunc() == value { BigInt::from_f64(value) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn big(digits: &str) -> BigInt {
        digits.parse().expect("digits")
    }

    #[test]
    fn quotients_round_towards_minus_infinity() {
        let long = big("-100000000000000000000000000000000000001");
        assert_eq!(floor_divide(&long, &big("10")), big("-10000000000000000000000000000000000001"));
        assert_eq!(floor_rest(&long, &big("10")), big("9"));
        assert_eq!(floor_rest(&-long, &big("-10")), big("-9"));
    }

    #[test]
    fn shifts_keep_the_sign_and_are_bounded() {
        assert_eq!(shifted(big("1"), &big("100")), Some(big("1267650600228229401496703205376")));
        assert_eq!(shifted(big("-5"), &big("-1")), Some(big("-3")));
        assert_eq!(shifted(big("-5"), &big("-99999999999999999999999")), Some(big("-1")));
        assert_eq!(shifted(big("5"), &big("-99999999999999999999999")), Some(big("0")));
        assert_eq!(shifted(big("0"), &big("99999999999999999999999")), Some(big("0")));
        assert_eq!(shifted(big("1"), &BigInt::from(BITS_MAX)), None);
        assert_eq!(shifted(big("1"), &big("99999999999999999999999")), None);
    }

    #[test]
    fn digits_are_read_only_if_they_are_digits() {
        assert_eq!(parse_digits("fF", 16), Some(big("255")));
        for (digits, radix) in [("", 10), ("1_0", 10), ("+1", 10), ("-1", 10), ("2", 2), ("é", 36)] {
            assert_eq!(parse_digits(digits, radix), None, "{digits}");
        }
        assert_eq!(parse_digits(&"9".repeat(1_000_000), 10), None);
        assert_eq!(digits_in_radix(&big("-255"), 16), "-FF");
    }

    #[test]
    fn equal_numbers_have_equal_hashes() {
        for value in [0.0, -0.0, 1.0, -7.0, 1e15, 1e18, 1e19, -1e300] {
            assert_eq!(hash_of_float(value), hash_of(&BigInt::from_f64(value).expect("whole")), "{value}");
        }
        assert_ne!(hash_of_float(0.5), hash_of_float(0.25));
        assert_eq!(hash_of_float(f64::NAN), hash_of_float(f64::NAN));
    }

    #[test]
    fn common_divisors_are_positive_and_bounded() {
        assert_eq!(magnitude_gcd(&big("-12"), &big("18")), Some(big("6")));
        assert_eq!(magnitude_gcd(&big("0"), &big("-18")), Some(big("18")));
        let long: BigInt = (BigInt::from(1) << GCD_BITS_MAX) + 1;
        assert_eq!(magnitude_gcd(&long, &big("7")), Some((&long % big("7")).gcd(&big("7"))));
        assert_eq!(magnitude_gcd(&long, &(&long + 2)), None);
    }
}
