//! Reads numbers: `42`, `16rFF`, `1e10`, `2.5e-3`, `1.5s2`. Their length is bounded, since the cost of reading an
//! integer grows with the square of it.

use super::error::number;
use super::lexer::{Lexer, is_identifier_part};
use super::token::{Number, TokenKind};
use num_bigint::BigInt;
use num_traits::Pow;

/// The most digits that a number may have, written out.
const MAX_DIGITS: usize = 10_000;

impl Lexer<'_> {
    /// A number; the lexer stands at its first digit.
    pub(super) fn number(&mut self) -> TokenKind {
        let start = self.at;
        self.skip_digits();
        if self.byte(0) == b'r' {
            return self.radix_number(start);
        }
        let whole = self.at;
        if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            self.at += 1;
            self.skip_digits();
        }
        let mantissa = self.at;
        if self.at_scale() {
            return self.scaled(start, whole);
        }
        let letter = self.byte(0);
        let exponent = self.exponent();
        if mantissa > whole || matches!(letter, b'd' | b'q') && exponent.is_some() || exponent.is_some_and(|e| e < 0) {
            return self.float(start, mantissa, exponent.unwrap_or(0));
        }
        self.integer(start, 10, start, mantissa, exponent.unwrap_or(0))
    }

    fn skip_digits(&mut self) {
        while self.byte(0).is_ascii_digit() {
            self.at += 1;
        }
    }

    /// Whether an `s` stands here that ends a scaled decimal.
    fn at_scale(&self) -> bool {
        if self.byte(0) != b's' {
            return false;
        }
        let rest = self.source[self.at + 1..].trim_start_matches(|next: char| next.is_ascii_digit());
        !rest.chars().next().is_some_and(is_identifier_part)
    }

    /// Takes an exponent, if one stands here.
    fn exponent(&mut self) -> Option<i64> {
        if !matches!(self.byte(0), b'e' | b'E' | b'd' | b'q') {
            return None;
        }
        let signed = matches!(self.byte(1), b'-' | b'+');
        if !self.byte(1 + usize::from(signed)).is_ascii_digit() {
            return None;
        }
        let negative = self.byte(1) == b'-';
        self.at += 1 + usize::from(signed);
        let start = self.at;
        self.skip_digits();
        // What is too long to be a number is too large, too.
        let magnitude = self.source[start..self.at].parse::<i64>().unwrap_or(i64::MAX);
        Some(if negative { -magnitude } else { magnitude })
    }

    fn integer(&mut self, start: usize, radix: u32, from: usize, to: usize, exponent: i64) -> TokenKind {
        if (to - from) as i64 + exponent.min(i64::from(u32::MAX)) > MAX_DIGITS as i64 {
            return self.too_long(start);
        }
        match BigInt::parse_bytes(&self.source.as_bytes()[from..to], radix) {
            Some(value) => TokenKind::Number(Number::Integer(value * BigInt::from(radix).pow(exponent.max(0) as u32))),
            None => self.problem(number::INVALID_NUMBER, start, format!("expected digits of radix {radix}")),
        }
    }

    fn too_long(&mut self, start: usize) -> TokenKind {
        let message = format!("this number has too many digits, at most {MAX_DIGITS} are allowed");
        self.problem(number::INVALID_NUMBER, start, message)
    }

    fn float(&mut self, start: usize, mantissa: usize, exponent: i64) -> TokenKind {
        let text = format!("{}e{exponent}", &self.source[start..mantissa]);
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => TokenKind::Number(Number::Float(value)),
            _ => self.problem(number::INVALID_NUMBER, start, "this float is too large to be represented"),
        }
    }

    fn scaled(&mut self, start: usize, whole: usize) -> TokenKind {
        let mantissa = self.at;
        self.at += 1;
        let scale_start = self.at;
        self.skip_digits();
        let fraction_digits = mantissa.saturating_sub(whole + 1);
        let written = &self.source[scale_start..self.at];
        let scale = if written.is_empty() { Some(fraction_digits) } else { written.parse().ok() };
        let Some(scale) = scale.filter(|scale| *scale <= MAX_DIGITS && mantissa - start <= MAX_DIGITS) else {
            return self.too_long(start);
        };
        let digits: String = self.source[start..mantissa].chars().filter(|next| *next != '.').collect();
        let unscaled = digits.parse().unwrap_or_default();
        let fraction_digits = fraction_digits as u32;
        TokenKind::Number(Number::Scaled { unscaled, fraction_digits, scale: scale as u32 })
    }

    /// `16rFF`, `16r-FF`; the lexer stands at the `r`. Below radix 15 an `e` begins an exponent.
    fn radix_number(&mut self, start: usize) -> TokenKind {
        let radix = self.source[start..self.at].parse::<u32>().ok().filter(|radix| (2..=36).contains(radix));
        self.at += 1;
        let negative = self.byte(0) == b'-' && self.byte(1).is_ascii_alphanumeric();
        self.at += usize::from(negative);
        let digits = self.at;
        while radix.is_some_and(|radix| char::from(self.byte(0)).is_digit(radix)) {
            self.at += 1;
        }
        let digits_end = self.at;
        let exponent = self.exponent().unwrap_or(0);
        let Some(radix) = radix else {
            self.skip_letters();
            return self.problem(number::INVALID_NUMBER, start, "expected a radix between 2 and 36 before the r");
        };
        if digits == digits_end || exponent < 0 || self.peek().is_some_and(is_identifier_part) {
            self.skip_letters();
            let message =
                format!("expected only digits of radix {radix}, found {}", shortened(&self.source[start..self.at]));
            return self.problem(number::INVALID_NUMBER, start, message);
        }
        match self.integer(start, radix, digits, digits_end, exponent) {
            TokenKind::Number(value) if negative => TokenKind::Number(value.negated()),
            token => token,
        }
    }

    fn skip_letters(&mut self) {
        while let Some(next) = self.peek().filter(|next| is_identifier_part(*next)) {
            self.at += next.len_utf8();
        }
    }
}

/// The first characters of a text, for a message.
pub(super) fn shortened(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
