//! Floats as text, and the floats nearest to exact numbers: all roundings are to the nearest, halves to even. Nothing
//! here knows of objects.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

/// From this exponent of ten on, and below the other, a float prints with an exponent.
const POSITIONAL_END: i32 = 16;
const POSITIONAL_START: i32 = -5;

/// The shortest digits that read as this float again: `2.5`, `1.0`, `1.0e100`. A point always shows, since digits
/// without one read as an integer.
pub(super) fn printed(value: f64) -> String {
    if value.is_nan() {
        return "PlusQuietNaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "PlusInfinity" } else { "MinusInfinity" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let exponent = scientific.split_once('e').and_then(|(_, exponent)| exponent.parse::<i32>().ok()).unwrap_or(0);
    if (POSITIONAL_START + 1..POSITIONAL_END).contains(&exponent) {
        return format!("{value:?}");
    }
    match scientific.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => scientific,
    }
}

/// The float nearest to `mantissa * 10 ** exponent`; an infinity if that is too large.
pub(super) fn nearest_to_digits(mantissa: &BigInt, exponent: i64) -> f64 {
    // The standard library reads decimal digits exactly, however many there are.
    format!("{mantissa}e{exponent}").parse().unwrap_or(f64::NAN)
}

/// The float nearest to a quotient; `None` if the denominator is zero.
pub(super) fn nearest_quotient(numerator: &BigInt, denominator: &BigInt) -> Option<f64> {
    if denominator.is_zero() {
        return None;
    }
    if numerator.is_zero() {
        return Some(0.0);
    }
    // The quotient of the magnitudes, scaled by a power of two to 66 or 67 bits; what is left over only decides
    // whether a half is really one.
    let (top, bottom) = (numerator.abs(), denominator.abs());
    let scale = 66 - (top.bits() as i64 - bottom.bits() as i64);
    let (top, bottom) = if scale >= 0 { (top << scale, bottom) } else { (top, bottom << -scale) };
    let (quotient, rest) = top.div_rem(&bottom);
    let magnitude = rounded(quotient.to_u128()?, !rest.is_zero(), scale);
    let negative = (numerator.sign() == Sign::Minus) != (denominator.sign() == Sign::Minus);
    Some(if negative { -magnitude } else { magnitude })
}

/// The float nearest to `quotient / 2 ** scale`, or to a little more than that.
fn rounded(quotient: u128, more: bool, scale: i64) -> f64 {
    let top_bit = i64::from(127 - quotient.leading_zeros() as i32) - scale;
    // The weight of the last bit that the float keeps: no float has finer ones than the smallest.
    let last = (top_bit - 52).max(-1074);
    let dropped = last + scale;
    if top_bit > 1023 {
        return f64::INFINITY;
    }
    if dropped > 127 {
        return 0.0;
    }
    let kept = (quotient >> dropped) as u64;
    let rest = quotient & ((1 << dropped) - 1);
    let half = 1_u128 << (dropped - 1);
    let up = rest > half || rest == half && (more || kept & 1 == 1);
    // Both factors are floats without a loss, and so is the product, unless it is too large.
    (kept + u64::from(up)) as f64 * power_of_two(last)
}

/// A power of two, from the smallest float up to the largest exponent.
fn power_of_two(exponent: i64) -> f64 {
    if exponent >= -1022 {
        f64::from_bits(((exponent + 1023) as u64) << 52)
    } else {
        f64::from_bits(1 << (exponent + 1074))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_print_shortest() {
        let cases = [
            (2.5, "2.5"),
            (1.0, "1.0"),
            (-0.1, "-0.1"),
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (100.0, "100.0"),
            (0.0001, "0.0001"),
            (0.00001, "1.0e-5"),
            (1.5e-7, "1.5e-7"),
            (1e15, "1000000000000000.0"),
            (1e16, "1.0e16"),
            (1e100, "1.0e100"),
            (-1.25e100, "-1.25e100"),
            (0.1 + 0.2, "0.30000000000000004"),
            (f64::MAX, "1.7976931348623157e308"),
            (f64::from_bits(1), "5.0e-324"),
            (f64::INFINITY, "PlusInfinity"),
            (f64::NEG_INFINITY, "MinusInfinity"),
            (f64::NAN, "PlusQuietNaN"),
        ];
        for (value, text) in cases {
            assert_eq!(printed(value), text);
        }
    }

    #[test]
    fn digits_read_as_the_nearest_float() {
        assert_eq!(nearest_to_digits(&BigInt::from(25), -1), 2.5);
        assert_eq!(nearest_to_digits(&BigInt::from(-1), -1), -0.1);
        assert_eq!(nearest_to_digits(&BigInt::from(1), 400), f64::INFINITY);
        assert_eq!(nearest_to_digits(&BigInt::from(1), i64::MIN / 8), 0.0);
        assert_eq!(nearest_to_digits(&BigInt::from(17_976_931_348_623_157_i64), 292), f64::MAX);
    }

    #[test]
    fn quotients_are_rounded_once() {
        let quotient = |top: &BigInt, bottom: &BigInt| nearest_quotient(top, bottom).expect("a quotient");
        let power = |exponent: u32| BigInt::from(10).pow(exponent);
        for (top, bottom) in [(1_i64, 3_i64), (-1, 3), (2, -3), (1, 10), (355, 113), (i64::MAX, 7), (1, i64::MAX)] {
            let expected = if top.abs() < 1 << 53 && bottom.abs() < 1 << 53 {
                top as f64 / bottom as f64
            } else {
                format!("{}", quotient(&BigInt::from(top), &BigInt::from(bottom))).parse().expect("a float")
            };
            assert_eq!(quotient(&BigInt::from(top), &BigInt::from(bottom)), expected, "{top}/{bottom}");
        }
        for exponent in [1, 5, 22, 23, 100, 300, 307, 308, 310, 320, 323, 324, 330, 1000] {
            let (one, tens) = (BigInt::from(1), power(exponent));
            assert_eq!(quotient(&one, &tens), format!("1e-{exponent}").parse().expect("a float"), "1e-{exponent}");
            assert_eq!(quotient(&tens, &one), format!("1e{exponent}").parse().expect("a float"), "1e{exponent}");
        }
        assert_eq!(nearest_quotient(&power(2), &BigInt::zero()), None);
        // A hair above the middle between two floats.
        let middle = (BigInt::from(1) << 200) + (BigInt::from(1) << 147);
        assert_eq!(quotient(&middle, &(BigInt::from(1) << 200)), 1.0);
        assert_eq!(quotient(&(middle + 1), &(BigInt::from(1) << 200)), 1.0 + f64::EPSILON);
    }

    #[test]
    fn long_integers_become_the_nearest_float() {
        let even: BigInt = BigInt::from(1_i64 << 53) + 1;
        assert_eq!(even.to_f64(), Some((1_i64 << 53) as f64));
        let above: BigInt = (BigInt::from(1) << 200) + (BigInt::from(1) << 147) + 1;
        assert_eq!(above.to_f64(), nearest_quotient(&above, &BigInt::from(1)));
        let endless: BigInt = BigInt::from(1) << 5000;
        assert_eq!(endless.to_f64(), Some(f64::INFINITY));
    }
}
