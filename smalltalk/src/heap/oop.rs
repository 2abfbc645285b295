//! Tagged words: the representation of every Smalltalk value.
//!
//! The low three bits tell what a word is. Floats with everyday exponents, characters, 61-bit integers and the three
//! special objects need no memory. A *reference* stands for a committed object that is not loaded yet; it occurs in
//! slots only, never on the stack: what loads a slot replaces it first.

use crate::store::Oid;

/// A Smalltalk value.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Oop(u64);

impl Default for Oop {
    fn default() -> Self {
        Oop::NIL
    }
}

const TAG_BITS: u32 = 3;
const TAG_MASK: u64 = 7;
const TAG_POINTER: u64 = 0;
const TAG_INTEGER: u64 = 1;
const TAG_FLOAT: u64 = 2;
const TAG_CHARACTER: u64 = 3;
const TAG_SPECIAL: u64 = 4;
const TAG_REFERENCE: u64 = 5;

/// Exponents from this one on fit into an immediate float.
const FLOAT_EXPONENT_OFFSET: u64 = 896 << 53;
/// The first value that a rotated and offset float must not reach.
const FLOAT_LIMIT: u64 = 1 << 61;

/// The largest immediate integer.
pub const INTEGER_MAX: i64 = (1 << 60) - 1;
/// The smallest immediate integer.
pub const INTEGER_MIN: i64 = -(1 << 60);

impl Oop {
    /// `nil`
    pub const NIL: Oop = Oop(TAG_SPECIAL);
    /// `true`
    pub const TRUE: Oop = Oop(TAG_SPECIAL | 1 << TAG_BITS);
    /// `false`
    pub const FALSE: Oop = Oop(TAG_SPECIAL | 2 << TAG_BITS);

    /// An integer, if it is small enough.
    #[inline(always)]
    pub fn integer(value: i64) -> Option<Oop> {
        let shifted = value << TAG_BITS;
        (shifted >> TAG_BITS == value).then_some(Oop(shifted as u64 | TAG_INTEGER))
    }

    /// An integer that is known to be small.
    #[inline(always)]
    pub fn small(value: i64) -> Oop {
        debug_assert!((INTEGER_MIN..=INTEGER_MAX).contains(&value));
        Oop((value << TAG_BITS) as u64 | TAG_INTEGER)
    }

    /// A float, if its exponent fits.
    #[inline(always)]
    pub fn float(value: f64) -> Option<Oop> {
        let rotated = value.to_bits().rotate_left(1);
        if rotated <= 1 {
            return Some(Oop(rotated << TAG_BITS | TAG_FLOAT));
        }
        let offset = rotated.wrapping_sub(FLOAT_EXPONENT_OFFSET);
        (offset > 1 && offset < FLOAT_LIMIT).then_some(Oop(offset << TAG_BITS | TAG_FLOAT))
    }

    /// A character.
    #[inline(always)]
    pub fn character(value: char) -> Oop {
        Oop((value as u64) << TAG_BITS | TAG_CHARACTER)
    }

    /// `true` or `false`.
    #[inline(always)]
    pub fn boolean(value: bool) -> Oop {
        if value { Oop::TRUE } else { Oop::FALSE }
    }

    /// A committed object that is not loaded.
    #[inline(always)]
    pub fn reference(oid: Oid) -> Oop {
        debug_assert!(oid < 1 << 61);
        Oop(oid << TAG_BITS | TAG_REFERENCE)
    }

    /// The word of an object at an address. It and [`Oop::from_bits`] are the only ways to a pointer, and only the heap
    /// has them.
    #[inline(always)]
    pub(super) fn at_address(address: usize) -> Oop {
        debug_assert!(address != 0 && address as u64 & TAG_MASK == 0);
        Oop(address as u64)
    }

    /// A word that was one before.
    pub(super) fn from_bits(bits: u64) -> Oop {
        Oop(bits)
    }

    /// Where the object is.
    #[inline(always)]
    pub(super) fn address(self) -> usize {
        debug_assert!(self.is_pointer());
        self.0 as usize
    }

    /// The word itself.
    #[inline(always)]
    pub fn bits(self) -> u64 {
        self.0
    }

    /// An immediate from its word, as a record keeps it; `None` for anything that is not an immediate.
    pub fn immediate_from_bits(bits: u64) -> Option<Oop> {
        let oop = Oop(bits);
        let is_immediate = match bits & TAG_MASK {
            TAG_INTEGER | TAG_FLOAT => true,
            TAG_CHARACTER => u32::try_from(bits >> TAG_BITS).ok().and_then(char::from_u32).is_some(),
            TAG_SPECIAL => matches!(oop, Oop::NIL | Oop::TRUE | Oop::FALSE),
            _ => false,
        };
        is_immediate.then_some(oop)
    }

    /// Whether it is an object in memory.
    #[inline(always)]
    pub fn is_pointer(self) -> bool {
        self.0 & TAG_MASK == TAG_POINTER
    }

    /// Whether it is an immediate integer.
    #[inline(always)]
    pub fn is_integer(self) -> bool {
        self.0 & TAG_MASK == TAG_INTEGER
    }

    /// Whether it is an immediate float.
    #[inline(always)]
    pub fn is_float(self) -> bool {
        self.0 & TAG_MASK == TAG_FLOAT
    }

    /// Whether it is a character.
    #[inline(always)]
    pub fn is_character(self) -> bool {
        self.0 & TAG_MASK == TAG_CHARACTER
    }

    /// Whether it stands for an object that is not loaded.
    #[inline(always)]
    pub fn is_reference(self) -> bool {
        self.0 & TAG_MASK == TAG_REFERENCE
    }

    /// Whether it is `nil`.
    #[inline(always)]
    pub fn is_nil(self) -> bool {
        self == Oop::NIL
    }

    /// The immediate integer.
    #[inline(always)]
    pub fn as_integer(self) -> Option<i64> {
        self.is_integer().then_some(self.0 as i64 >> TAG_BITS)
    }

    /// The value of a word that is known to be an integer.
    #[inline(always)]
    pub fn small_value(self) -> i64 {
        debug_assert!(self.is_integer());
        self.0 as i64 >> TAG_BITS
    }

    /// The immediate float.
    #[inline(always)]
    pub fn as_float(self) -> Option<f64> {
        self.is_float().then(|| {
            let offset = self.0 >> TAG_BITS;
            let rotated = if offset > 1 { offset.wrapping_add(FLOAT_EXPONENT_OFFSET) } else { offset };
            f64::from_bits(rotated.rotate_right(1))
        })
    }

    /// The character.
    #[inline(always)]
    pub fn as_character(self) -> Option<char> {
        if !self.is_character() {
            return None;
        }
        char::from_u32((self.0 >> TAG_BITS) as u32)
    }

    /// The identity of an object that is not loaded.
    #[inline(always)]
    pub fn as_reference(self) -> Option<Oid> {
        self.is_reference().then_some(self.0 >> TAG_BITS)
    }
}

impl std::fmt::Debug for Oop {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 & TAG_MASK {
            TAG_INTEGER => write!(formatter, "{}", self.small_value()),
            TAG_FLOAT => write!(formatter, "{:?}", self.as_float().unwrap_or(f64::NAN)),
            TAG_CHARACTER => write!(formatter, "{:?}", self.as_character()),
            TAG_REFERENCE => write!(formatter, "reference {:#x}", self.0 >> TAG_BITS),
            TAG_SPECIAL => write!(formatter, "special {}", self.0 >> TAG_BITS),
            _ => write!(formatter, "object at {:#x}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_sixty_one_bits() {
        for value in [0, 1, -1, INTEGER_MAX, INTEGER_MIN] {
            assert_eq!(Oop::integer(value).and_then(Oop::as_integer), Some(value));
        }
        assert_eq!(Oop::integer(INTEGER_MAX + 1), None);
        assert_eq!(Oop::integer(INTEGER_MIN - 1), None);
    }

    #[test]
    fn everyday_floats_are_immediate_and_exact() {
        for value in [0.0, -0.0, 1.0, -1.5, 0.1, 1e38, -1e38, 3.5e-38, f64::from(f32::MAX)] {
            let oop = Oop::float(value).unwrap_or_else(|| panic!("{value} is immediate"));
            assert_eq!(oop.as_float().map(f64::to_bits), Some(value.to_bits()));
        }
        for value in [f64::NAN, f64::INFINITY, 1e300, 1e-300, f64::MIN_POSITIVE] {
            assert_eq!(Oop::float(value), None);
        }
    }

    #[test]
    fn only_immediates_come_back_from_bits() {
        for oop in [Oop::NIL, Oop::TRUE, Oop::small(-7), Oop::character('é'), Oop::float(2.5).expect("immediate")] {
            assert_eq!(Oop::immediate_from_bits(oop.bits()), Some(oop));
        }
        for bits in [0, 8, Oop::reference(9).bits(), TAG_SPECIAL | 3 << 3, TAG_CHARACTER | 0xD800 << 3, u64::MAX] {
            assert_eq!(Oop::immediate_from_bits(bits), None);
        }
    }
}
