//! The form in which an object rests in a store.
//!
//! A record is the identities that the object refers to, its class first, and bytes that name them by index. Immediate
//! values and symbols are written by content. The layout of the bytes:
//!
//! ```text
//!   u8 format | u8 flags (1 bytes, 2 immutable) | u32 size
//!   byte object:  its bytes
//!   otherwise:    one u64 a slot: an immediate word, or index << 3 | 5 (reference), or index << 3 | 6 (symbol)
//!                 u32 count of symbols, each: u8 wide | u32 length | bytes
//! ```

use crate::heap::Oop;
use crate::store::{Oid, Record};
use std::collections::HashMap;

/// The format that this binary writes, and the only one that it reads.
pub const FORMAT: u8 = 1;

const FLAG_BYTES: u8 = 1;
const FLAG_IMMUTABLE: u8 = 2;
const TAG_BITS: u32 = 3;
const TAG_REFERENCE: u64 = 5;
const TAG_SYMBOL: u64 = 6;

/// A slot as a record says it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Slot {
    /// The value itself.
    Immediate(Oop),
    /// Another object.
    Reference(Oid),
    /// A symbol, by its index in the record.
    Symbol(usize),
}

/// The body of a record.
#[derive(Debug, PartialEq)]
pub enum Body<'a> {
    /// Of a byte object.
    Bytes(&'a [u8]),
    /// Of any other.
    Slots(Vec<Slot>),
}

/// A record that was read.
#[derive(Debug, PartialEq)]
pub struct Decoded<'a> {
    /// Its class.
    pub class: Oid,
    /// Whether Smalltalk may store into it.
    pub immutable: bool,
    /// Its state.
    pub body: Body<'a>,
    /// Its symbols: whether they take four bytes a character, and their bytes.
    pub symbols: Vec<(bool, &'a [u8])>,
}

impl Decoded<'_> {
    /// Slots, or bytes.
    pub fn size(&self) -> usize {
        match &self.body {
            Body::Bytes(bytes) => bytes.len(),
            Body::Slots(slots) => slots.len(),
        }
    }

    /// Whether it is a byte object.
    pub fn is_bytes(&self) -> bool {
        matches!(self.body, Body::Bytes(_))
    }
}

/// Writes a record.
#[derive(Debug)]
pub struct Encoder {
    references: Vec<Oid>,
    indices: HashMap<Oid, usize>,
    symbols: Vec<(bool, Vec<u8>)>,
    bytes: Vec<u8>,
}

impl Encoder {
    /// Begins the record of an object with slots.
    pub fn slots(class: Oid, size: usize, immutable: bool) -> Encoder {
        Encoder::new(class, size, if immutable { FLAG_IMMUTABLE } else { 0 })
    }

    /// The whole record of a byte object.
    pub fn byte_object(oid: Oid, class: Oid, body: &[u8], immutable: bool) -> Record {
        let flags = FLAG_BYTES | if immutable { FLAG_IMMUTABLE } else { 0 };
        let mut encoder = Encoder::new(class, body.len(), flags);
        encoder.bytes.extend_from_slice(body);
        Record { oid, references: encoder.references, bytes: encoder.bytes }
    }

    fn new(class: Oid, size: usize, flags: u8) -> Encoder {
        let mut bytes = vec![FORMAT, flags];
        bytes.extend_from_slice(&(size as u32).to_le_bytes());
        Encoder { references: vec![class], indices: HashMap::from([(class, 0)]), symbols: Vec::new(), bytes }
    }

    /// The next slot is an immediate.
    pub fn immediate(&mut self, value: Oop) {
        self.bytes.extend_from_slice(&value.bits().to_le_bytes());
    }

    /// The next slot is another object.
    pub fn reference(&mut self, oid: Oid) {
        let next = self.references.len();
        let index = *self.indices.entry(oid).or_insert(next);
        if index == next {
            self.references.push(oid);
        }
        self.word(index, TAG_REFERENCE);
    }

    /// The next slot is a symbol.
    pub fn symbol(&mut self, wide: bool, bytes: &[u8]) {
        self.word(self.symbols.len(), TAG_SYMBOL);
        self.symbols.push((wide, bytes.to_vec()));
    }

    fn word(&mut self, index: usize, tag: u64) {
        self.bytes.extend_from_slice(&((index as u64) << TAG_BITS | tag).to_le_bytes());
    }

    /// The record.
    pub fn finish(mut self, oid: Oid) -> Record {
        self.bytes.extend_from_slice(&(self.symbols.len() as u32).to_le_bytes());
        for (wide, symbol) in &self.symbols {
            self.bytes.push(u8::from(*wide));
            self.bytes.extend_from_slice(&(symbol.len() as u32).to_le_bytes());
            self.bytes.extend_from_slice(symbol);
        }
        Record { oid, references: self.references, bytes: self.bytes }
    }
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], &'static str> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or("a record that ends too early")?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, &'static str> {
        Ok(self.take(1)?[0])
    }

    fn number(&mut self) -> Result<usize, &'static str> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().expect("four bytes")) as usize)
    }
}

/// Reads a record.
///
/// # Errors
/// What is wrong with it, if it was not written by [`Encoder`].
pub fn decode(record: &Record) -> Result<Decoded<'_>, &'static str> {
    let class = *record.references.first().ok_or("a record without a class")?;
    let mut input = Input(&record.bytes);
    if input.byte()? != FORMAT {
        return Err("a record of another format");
    }
    let flags = input.byte()?;
    let size = input.number()?;
    let immutable = flags & FLAG_IMMUTABLE != 0;
    if flags & FLAG_BYTES != 0 {
        let body = Body::Bytes(input.take(size)?);
        return Ok(Decoded { class, immutable, body, symbols: Vec::new() });
    }
    let words = input.take(size.checked_mul(8).ok_or("a record of impossible size")?)?;
    let count = input.number()?;
    let mut symbols = Vec::new();
    for _ in 0..count {
        let wide = input.byte()? != 0;
        let length = input.number()?;
        symbols.push((wide, input.take(length)?));
    }
    let slots = words
        .chunks_exact(8)
        .map(|word| slot_of(u64::from_le_bytes(word.try_into().expect("eight bytes")), record, symbols.len()));
    let body = Body::Slots(slots.collect::<Result<_, _>>()?);
    Ok(Decoded { class, immutable, body, symbols })
}

fn slot_of(word: u64, record: &Record, symbols: usize) -> Result<Slot, &'static str> {
    let index = (word >> TAG_BITS) as usize;
    match word & ((1 << TAG_BITS) - 1) {
        TAG_REFERENCE => record.references.get(index).map(|oid| Slot::Reference(*oid)).ok_or("a reference to nothing"),
        TAG_SYMBOL if index < symbols => Ok(Slot::Symbol(index)),
        _ => Oop::immediate_from_bits(word).map(Slot::Immediate).ok_or("a slot that is no value"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_as_they_were_written() {
        let mut encoder = Encoder::slots(7, 5, true);
        encoder.immediate(Oop::small(-3));
        encoder.reference(9);
        encoder.symbol(false, b"size");
        encoder.reference(9);
        encoder.reference(7);
        let record = encoder.finish(42);
        assert_eq!(record.references, [7, 9]);
        let decoded = decode(&record).expect("valid");
        let slots = vec![
            Slot::Immediate(Oop::small(-3)),
            Slot::Reference(9),
            Slot::Symbol(0),
            Slot::Reference(9),
            Slot::Reference(7),
        ];
        assert_eq!(decoded.body, Body::Slots(slots));
        assert_eq!(decoded.symbols, [(false, &b"size"[..])]);
        assert!(decoded.immutable);
    }

    #[test]
    fn no_cut_or_changed_record_makes_it_panic() {
        let mut encoder = Encoder::slots(7, 2, false);
        encoder.symbol(true, &[1, 0, 0, 0]);
        encoder.reference(8);
        let record = encoder.finish(42);
        for cut in 0..record.bytes.len() {
            let cut = Record { bytes: record.bytes[..cut].to_vec(), ..record.clone() };
            assert!(decode(&cut).is_err());
        }
        for index in 0..record.bytes.len() {
            let mut changed = record.clone();
            changed.bytes[index] ^= 0x5f;
            let _ = decode(&changed);
        }
        let nothing = Record { oid: 1, references: vec![], bytes: record.bytes };
        assert!(decode(&nothing).is_err());
    }
}
