//! The symbol table: one object for each text.

use super::Vm;
use super::known::class;
use crate::heap::{Heap, HeapFull, Oop};
use fnv::FnvHasher;
use std::hash::Hasher;

/// Open addressing over (hash, symbol); the text is compared in the heap.
#[derive(Debug, Default)]
pub struct SymbolTable {
    places: Vec<(u64, Oop)>,
    count: usize,
}

const FREE: (u64, Oop) = (0, Oop::NIL);

/// The hash of a symbol depends on its text alone, so that committed dictionaries work in every session. It fits into
/// a small integer.
pub fn hash_of(text: &[u8]) -> u64 {
    let mut hasher = FnvHasher::default();
    hasher.write(text);
    let hash = hasher.finish();
    (hash ^ hash >> 32) & 0x3fff_ffff
}

/// How many arguments a selector takes; `None` if the text is no selector.
pub fn argument_count(selector: &str) -> Option<usize> {
    let is_word = |word: &str| {
        let mut characters = word.chars();
        characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
            && characters.all(|character| character.is_alphanumeric() || character == '_')
    };
    if let Some(keywords) = selector.strip_suffix(':') {
        return keywords.split(':').all(is_word).then(|| keywords.split(':').count());
    }
    if is_word(selector) {
        return Some(0);
    }
    (!selector.is_empty() && selector.chars().all(|character| "+-*/\\~<>=@%|&?,!".contains(character))).then_some(1)
}

impl SymbolTable {
    fn find(&self, heap: &Heap, hash: u64, text: &[u8], wide: bool) -> Option<Oop> {
        if self.places.is_empty() {
            return None;
        }
        let mask = self.places.len() - 1;
        let mut index = hash as usize & mask;
        loop {
            let (held, symbol) = self.places[index];
            if symbol.is_nil() {
                return None;
            }
            let kind = if wide { class::QUAD_BYTE_SYMBOL } else { class::SYMBOL };
            if held == hash && heap.bytes(symbol) == text && heap.class_index(symbol) == kind {
                return Some(symbol);
            }
            index = (index + 1) & mask;
        }
    }

    fn insert(&mut self, hash: u64, symbol: Oop) {
        if (self.count + 1) * 4 > self.places.len() * 3 {
            let size = (self.places.len() * 2).max(1024);
            let places = std::mem::replace(&mut self.places, vec![FREE; size]);
            places
                .into_iter()
                .filter(|(_, symbol)| !symbol.is_nil())
                .for_each(|(hash, symbol)| self.place(hash, symbol));
        }
        self.count += 1;
        self.place(hash, symbol);
    }

    fn place(&mut self, hash: u64, symbol: Oop) {
        let mask = self.places.len() - 1;
        let mut index = hash as usize & mask;
        while !self.places[index].1.is_nil() {
            index = (index + 1) & mask;
        }
        self.places[index] = (hash, symbol);
    }

    /// Drops the symbols that nobody holds.
    pub fn retain(&mut self, keep: &mut dyn FnMut(&mut Oop) -> bool) {
        let mut died = false;
        for place in &mut self.places {
            if !place.1.is_nil() && !keep(&mut place.1) {
                *place = FREE;
                self.count -= 1;
                died = true;
            }
        }
        if died {
            let size = self.places.len();
            let places = std::mem::replace(&mut self.places, vec![FREE; size]);
            places
                .into_iter()
                .filter(|(_, symbol)| !symbol.is_nil())
                .for_each(|(hash, symbol)| self.place(hash, symbol));
        }
    }

    /// All symbols.
    pub fn all(&self) -> impl Iterator<Item = Oop> + '_ {
        self.places.iter().map(|(_, symbol)| *symbol).filter(|symbol| !symbol.is_nil())
    }
}

impl Vm {
    /// The symbol of a text.
    pub fn symbol(&mut self, text: &str) -> Result<Oop, HeapFull> {
        match crate::vm::objects::latin1(text) {
            Some(bytes) => self.symbol_of_bytes(&bytes, false),
            None => self.symbol_of_bytes(&crate::vm::objects::quad_bytes(text), true),
        }
    }

    /// The symbol whose body is these bytes: one for each character, or four if `wide`.
    pub fn symbol_of_bytes(&mut self, bytes: &[u8], wide: bool) -> Result<Oop, HeapFull> {
        let hash = hash_of(bytes);
        if let Some(symbol) = self.tables.symbols.find(&self.heap, hash, bytes, wide) {
            return Ok(symbol);
        }
        let kind = if wide { class::QUAD_BYTE_SYMBOL } else { class::SYMBOL };
        let symbol = self.heap.allocate_old(kind, bytes.len(), true)?;
        self.heap.bytes_mut(symbol).copy_from_slice(bytes);
        self.heap.set_symbol(symbol, hash);
        self.tables.symbols.insert(hash, symbol);
        Ok(symbol)
    }

    /// The symbol of a text, if there is one already.
    pub fn existing_symbol(&self, text: &str) -> Option<Oop> {
        match crate::vm::objects::latin1(text) {
            Some(bytes) => self.tables.symbols.find(&self.heap, hash_of(&bytes), &bytes, false),
            None => {
                let bytes = crate::vm::objects::quad_bytes(text);
                self.tables.symbols.find(&self.heap, hash_of(&bytes), &bytes, true)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Committed dictionaries are laid out by these.
    #[test]
    fn the_hash_of_a_symbol_never_changes() {
        let hashes = [&b""[..], b"printString", b"at:put:"].map(hash_of);
        assert_eq!(hashes, [265_338_817, 230_716_404, 52_523_072]);
    }
}
