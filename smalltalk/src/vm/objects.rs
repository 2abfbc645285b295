//! Making and reading objects from Rust.

use super::known::{behavior_slot, class, dictionary_slot};
use super::{Stop, Vm};
use crate::heap::{HeapFull, Oop};
use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;

/// The characters of a text as single bytes, if all of them fit.
pub fn latin1(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|character| u8::try_from(u32::from(character)).ok()).collect()
}

/// The characters of a text, four bytes each.
pub fn quad_bytes(text: &str) -> Vec<u8> {
    text.chars().flat_map(|character| u32::from(character).to_le_bytes()).collect()
}

/// The body of a large integer: whether it is negative, then its magnitude.
pub(crate) fn integer_bytes(value: &BigInt) -> Vec<u8> {
    let (sign, magnitude) = value.to_bytes_le();
    let mut bytes = vec![u8::from(sign == Sign::Minus)];
    bytes.extend_from_slice(&magnitude);
    bytes
}

impl Vm {
    /// An object of a class, its slots nil or its bytes zero. It may collect: words held by the caller are stale
    /// afterwards, unless they are on the stack below `stack_top` or among the handles.
    pub fn allocate(&mut self, class: u32, size: usize, bytes: bool) -> Result<Oop, HeapFull> {
        if let Some(object) = self.heap.try_allocate(class, size, bytes) {
            return Ok(object);
        }
        if self.heap.is_booting() {
            return self.heap.allocate_old(class, size, bytes);
        }
        if self.heap.is_over_limit() {
            self.look_soon();
        }
        if !self.heap.has_room_for(size, bytes) {
            self.collect_all();
            if !self.heap.has_room_for(size, bytes) {
                return Err(HeapFull);
            }
        }
        if self.heap.is_large(size, bytes) {
            return self.heap.allocate_old(class, size, bytes);
        }
        self.collect();
        self.heap.allocate_in_empty_nursery(class, size, bytes)
    }

    /// Collects the nursery, and everything if that is worth it.
    pub fn collect(&mut self) {
        if self.heap.wants_major() {
            return self.collect_all();
        }
        self.heap.collect_minor();
    }

    /// Collects everything.
    pub fn collect_all(&mut self) {
        self.heap.collect_major(&mut self.tables);
        // Cached selectors have moved, and entries may have been given up.
        self.flush_caches();
    }

    /// Whether a value is an object with at least so many slots.
    pub fn has_slots(&self, value: Oop, count: usize) -> bool {
        self.heap.is_object(value) && !self.heap.is_bytes(value) && self.heap.size(value) >= count
    }

    /// Whether a value is an object of a class, by index, and has bytes as its instances should.
    pub fn has_bytes(&self, value: Oop, class: u32) -> bool {
        value.is_pointer() && self.heap.class_index(value) == class && self.heap.is_bytes(value)
    }

    /// Whether a value is an array, whose elements are slots.
    pub fn is_array(&self, value: Oop) -> bool {
        value.is_pointer() && self.heap.class_index(value) == class::ARRAY && !self.heap.is_bytes(value)
    }

    // === Text

    /// A string.
    pub fn new_string(&mut self, text: &str) -> Result<Oop, HeapFull> {
        match latin1(text) {
            Some(bytes) => self.new_bytes(class::STRING, &bytes),
            None => self.new_bytes(class::QUAD_BYTE_STRING, &quad_bytes(text)),
        }
    }

    /// A byte object of a class.
    pub fn new_bytes(&mut self, class: u32, bytes: &[u8]) -> Result<Oop, HeapFull> {
        let object = self.allocate(class, bytes.len(), true)?;
        self.heap.bytes_mut(object).copy_from_slice(bytes);
        Ok(object)
    }

    /// The text of a string or symbol of either width; `None` for anything else.
    pub fn text(&self, object: Oop) -> Option<String> {
        if !object.is_pointer() || !self.heap.is_bytes(object) {
            return None;
        }
        let bytes = self.heap.bytes(object);
        if self.is_wide_bytes(object) {
            let units = bytes.chunks_exact(4).map(|unit| u32::from_le_bytes(unit.try_into().expect("four bytes")));
            return Some(units.map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)).collect());
        }
        Some(bytes.iter().map(|byte| char::from(*byte)).collect())
    }

    /// Whether a class, by index, is another or below it. Looks at what is loaded only: an ancestor of a class in use
    /// is loaded.
    pub fn inherits_from(&self, class: u32, ancestor: u32) -> bool {
        let wanted = self.tables.classes[ancestor as usize];
        let mut behavior = self.tables.classes[class as usize];
        for _ in 0..1000 {
            if behavior == wanted {
                return true;
            }
            if !self.has_slots(behavior, behavior_slot::METACLASS_SLOTS) {
                return false;
            }
            behavior = self.heap.slot(behavior, behavior_slot::SUPERCLASS);
            if let Some(oid) = behavior.as_reference() {
                behavior = self.tables.object(oid).unwrap_or(Oop::NIL);
            }
        }
        false
    }

    /// The name of a class; of a metaclass, its class's name and ` class`.
    pub fn class_name(&self, behavior: Oop) -> String {
        if !self.has_slots(behavior, behavior_slot::METACLASS_SLOTS) {
            return "an unknown class".to_owned();
        }
        if self.heap.class_index(behavior) == class::METACLASS {
            let this = self.heap.slot(behavior, behavior_slot::THIS_CLASS);
            return match this.is_pointer() {
                true => format!("{} class", self.class_name(this)),
                false => "an unknown class".to_owned(),
            };
        }
        let name = self.heap.slot(behavior, behavior_slot::NAME);
        let name = name.as_reference().and_then(|oid| self.tables.object(oid)).unwrap_or(name);
        self.text(name).unwrap_or_else(|| "an unnamed class".to_owned())
    }

    // === Numbers

    /// An integer of any size.
    pub fn new_integer(&mut self, value: &BigInt) -> Result<Oop, HeapFull> {
        if let Some(small) = value.to_i64().and_then(Oop::integer) {
            return Ok(small);
        }
        self.new_bytes(class::LARGE_INTEGER, &integer_bytes(value))
    }

    /// The value of an integer of any size; `None` for anything else.
    pub fn integer_value(&self, object: Oop) -> Option<BigInt> {
        if let Some(small) = object.as_integer() {
            return Some(BigInt::from(small));
        }
        if !self.has_bytes(object, class::LARGE_INTEGER) {
            return None;
        }
        let bytes = self.heap.bytes(object);
        let sign = if bytes.first() == Some(&1) { Sign::Minus } else { Sign::Plus };
        Some(BigInt::from_bytes_le(sign, bytes.get(1..).unwrap_or_default()))
    }

    /// A float.
    pub fn new_float(&mut self, value: f64) -> Result<Oop, HeapFull> {
        match Oop::float(value) {
            Some(immediate) => Ok(immediate),
            None => self.new_bytes(class::FLOAT, &value.to_bits().to_le_bytes()),
        }
    }

    /// The value of a float; `None` for anything else, integers included.
    pub fn float_value(&self, object: Oop) -> Option<f64> {
        if let Some(value) = object.as_float() {
            return Some(value);
        }
        if !self.has_bytes(object, class::FLOAT) {
            return None;
        }
        Some(f64::from_bits(u64::from_le_bytes(self.heap.bytes(object).try_into().ok()?)))
    }

    // === Collections

    /// An array of what lies among the handles from an index on; the handles are given up.
    pub fn new_array_of_handles(&mut self, from: usize) -> Result<Oop, HeapFull> {
        let count = self.heap.handles.len() - from;
        let array = self.allocate(class::ARRAY, count, false);
        if let Ok(array) = array {
            for index in 0..count {
                let value = self.heap.handles[from + index];
                self.heap.store(array, index, value);
            }
        }
        self.heap.handles.truncate(from);
        array
    }

    /// A message with arguments that are on the stack.
    pub(crate) fn new_message(&mut self, selector: Oop, first: usize, count: usize) -> Result<Oop, HeapFull> {
        let array = self.allocate(class::ARRAY, count, false)?;
        for index in 0..count {
            let value = self.heap.stack.get(first + index);
            self.heap.store(array, index, value);
        }
        let mark = self.heap.handles.len();
        self.heap.handles.push(array);
        self.heap.handles.push(selector);
        let message = self.allocate(class::MESSAGE, 2, false);
        let (array, selector) = (self.heap.handles[mark], self.heap.handles[mark + 1]);
        self.heap.handles.truncate(mark);
        let message = message?;
        self.heap.store(message, 0, selector);
        self.heap.store(message, 1, array);
        Ok(message)
    }

    /// The association of a name in a symbol dictionary.
    pub fn dictionary_association(&mut self, dictionary: Oop, name: Oop) -> Result<Option<Oop>, Stop> {
        if !self.has_slots(dictionary, 2) {
            return Ok(None);
        }
        let table = self.load(dictionary, dictionary_slot::TABLE)?;
        if !self.has_slots(table, 1) {
            return Ok(None);
        }
        let capacity = self.heap.size(table);
        let mut index = self.heap.symbol_hash(name) as usize & (capacity - 1);
        for _ in 0..capacity {
            let association = self.load(table, index)?;
            if !self.has_slots(association, 2) {
                return Ok(None);
            }
            if self.load(association, dictionary_slot::KEY)? == name {
                return Ok(Some(association));
            }
            index = (index + 1) & (capacity - 1);
        }
        Ok(None)
    }
}
