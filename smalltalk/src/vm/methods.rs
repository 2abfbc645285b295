//! Methods: as objects in the heap, and as the interpreter sees them.

use super::{Stop, Vm};
use crate::bytecode::op;
use crate::heap::{Code, Oop};
use crate::vm::send::Site;

/// Slots of a method.
pub mod method_slot {
    #![allow(missing_docs)]
    pub const SELECTOR: usize = 0;
    pub const METHOD_CLASS: usize = 1;
    pub const SOURCE: usize = 2;
    pub const CATEGORY: usize = 3;
    pub const LITERALS: usize = 4;
    pub const CODE: usize = 5;
    pub const HEADER: usize = 6;
    /// Transient: the number of its [`super::Entry`].
    pub const ENTRY: usize = 7;
    pub const POSITIONS: usize = 8;
    pub const SLOTS: usize = 9;
    /// What was verified: these stay as they are once the method has an entry.
    pub const VERIFIED: [usize; 5] = [SELECTOR, METHOD_CLASS, LITERALS, CODE, HEADER];
}

/// What a method says to whoever walks the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Marker {
    /// Nothing.
    None = 0,
    /// An exception handler (`on:do:`).
    Handler = 1,
    /// A block that is to run when the stack is unwound (`ensure:`, `ifCurtailed:`).
    Unwind = 2,
    /// Runs on behalf of the frame named by its first argument: a search for handlers goes on below that.
    OnBehalf = 3,
}

impl Marker {
    fn from_number(number: u8) -> Marker {
        [Marker::None, Marker::Handler, Marker::Unwind, Marker::OnBehalf][(number & 3) as usize]
    }
}

/// The header word of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodHeader {
    /// Arguments.
    pub arguments: u8,
    /// Temporaries.
    pub temporaries: u16,
    /// Words behind the frame's header, at most.
    pub frame_words: u16,
    /// Number of the primitive; 0 for none.
    pub primitive: u16,
    /// What it says to stack walkers.
    pub marker: Marker,
}

impl MethodHeader {
    /// As an immediate.
    pub fn encode(self) -> Oop {
        let bits = u64::from(self.arguments)
            | u64::from(self.temporaries) << 8
            | u64::from(self.frame_words) << 24
            | u64::from(self.primitive & 0xfff) << 40
            | (self.marker as u64) << 52;
        Oop::small(bits as i64)
    }

    /// From an immediate.
    pub fn of(word: Oop) -> MethodHeader {
        let bits = word.as_integer().unwrap_or(0) as u64;
        MethodHeader {
            arguments: bits as u8,
            temporaries: (bits >> 8) as u16,
            frame_words: (bits >> 24) as u16,
            primitive: (bits >> 40) as u16 & 0xfff,
            marker: Marker::from_number((bits >> 52) as u8),
        }
    }
}

/// What a method does without a frame of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quick {
    /// It needs a frame.
    No,
    /// `^self`
    ReturnSelf,
    /// `^instanceVariable`
    ReturnSlot(u16),
}

/// What the interpreter needs of a method, in one place.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The method; nil if the entry is vacant.
    pub method: Oop,
    /// Its literals.
    pub literals: Oop,
    /// Its instructions: a copy outside of the heap, in [`super::tables::Tables::instructions`].
    pub code: Code,
    /// Its first inline cache.
    pub site_base: u32,
    /// Its number of inline caches.
    pub sites: u32,
    /// Temporaries.
    pub temporaries: u16,
    /// Words behind the frame's header, at most.
    pub frame_words: u16,
    /// Number of its primitive; 0 for none.
    pub primitive: u16,
    /// Arguments.
    pub arguments: u8,
    /// What it says to stack walkers.
    pub marker: Marker,
    /// What it does without a frame.
    pub quick: Quick,
}

impl Entry {
    /// An entry that belongs to no method.
    pub const VACANT: Entry = Entry {
        method: Oop::NIL,
        literals: Oop::NIL,
        code: Code::NOWHERE,
        site_base: 0,
        sites: 0,
        temporaries: 0,
        frame_words: 0,
        primitive: 0,
        arguments: 0,
        marker: Marker::None,
        quick: Quick::No,
    };
}

impl Vm {
    /// The entry of a method, made now if there is none.
    pub(crate) fn method_entry(&mut self, method: Oop) -> Result<u32, Stop> {
        self.check_is_method(method)?;
        if let Some(number) = self.heap.slot(method, method_slot::ENTRY).as_integer()
            && self.tables.entries.get(number as usize).is_some_and(|entry| entry.method == method)
        {
            return Ok(number as u32);
        }
        self.verify_method(method)?;
        let mut header = MethodHeader::of(self.load(method, method_slot::HEADER)?);
        if header.primitive != 0 && self.heap.is_stored(method) && !self.heap.is_permanent(method) {
            header.primitive = self.primitive_in_source(method)?;
        }
        let code_object = self.load(method, method_slot::CODE)?;
        let literals = self.load(method, method_slot::LITERALS)?;
        let words = self.words_of(code_object);
        let Some((sites, instructions)) = words.split_last().filter(|_| self.has_slots(literals, 0)) else {
            return Err(Stop::Broken("a method without code"));
        };
        let (sites, instructions) = (*sites, Box::<[u32]>::from(instructions));
        let entry = Entry {
            method,
            literals,
            code: Code::of(&instructions),
            site_base: self.take_sites(sites),
            sites,
            temporaries: header.temporaries,
            frame_words: header.frame_words,
            primitive: header.primitive,
            arguments: header.arguments,
            marker: header.marker,
            quick: quick_of(&instructions, header),
        };
        let number = self.place_entry(entry, instructions);
        self.heap.store_unrecorded(method, method_slot::ENTRY, Oop::small(i64::from(number)));
        self.heap.seal(method);
        Ok(number)
    }

    /// The number of a primitive belongs to one binary: a method that came from a store names it in its source.
    fn primitive_in_source(&mut self, method: Oop) -> Result<u16, Stop> {
        let source = self.load(method, method_slot::SOURCE)?;
        let name = self.text(source).and_then(|source| crate::compiler::primitive_name(&source));
        Ok(name.and_then(|name| self.primitives.number(&name)).unwrap_or(0))
    }

    fn place_entry(&mut self, entry: Entry, instructions: Box<[u32]>) -> u32 {
        if let Some(number) = self.tables.free_entries.pop() {
            self.tables.entries[number as usize] = entry;
            self.tables.instructions[number as usize] = instructions;
            return number;
        }
        self.tables.entries.push(entry);
        self.tables.instructions.push(instructions);
        (self.tables.entries.len() - 1) as u32
    }

    /// The words of a code object; none if it is no byte object. The last is the number of inline caches: one more than
    /// the highest that the code names.
    fn words_of(&self, code_object: Oop) -> Vec<u32> {
        if !self.heap.is_object(code_object) || !self.heap.is_bytes(code_object) {
            return Vec::new();
        }
        let words = self.heap.bytes(code_object).chunks_exact(4);
        words.map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
    }

    fn take_sites(&mut self, count: u32) -> u32 {
        if count > 0
            && let Some(index) = self.tables.free_sites.iter().position(|(_, free)| *free == count)
        {
            return self.tables.free_sites.swap_remove(index).0;
        }
        let base = self.sites.len() as u32;
        self.sites.resize(self.sites.len() + count as usize, Site::EMPTY);
        base
    }
}

fn quick_of(instructions: &[u32], header: MethodHeader) -> Quick {
    if header.arguments != 0 || header.primitive != 0 || header.marker != Marker::None {
        return Quick::No;
    }
    match instructions {
        [first, ..] if *first as u8 == op::ReturnSelf => Quick::ReturnSelf,
        [first, next, ..] if *first as u8 == op::PushInstanceVariable && *next as u8 == op::ReturnTop => {
            Quick::ReturnSlot((*first >> 16) as u16)
        }
        _ => Quick::No,
    }
}
