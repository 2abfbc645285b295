//! Shapes: how the instances of a class lie in memory, as the format word of the class says.

use super::known::{behavior_slot, class};
use super::{Stop, Vm};
use crate::heap::Oop;

/// What the body of an instance is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Named slots.
    Pointers,
    /// Named slots, then as many as each instance wants.
    Indexable,
    /// Bytes.
    Bytes,
}

/// The shape of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Named slots, inherited ones included.
    pub named: usize,
    /// What the body is.
    pub kind: Kind,
}

const KIND_SHIFT: u32 = 32;

impl Shape {
    /// As a format word.
    pub fn encode(self) -> Oop {
        let kind = match self.kind {
            Kind::Pointers => 0,
            Kind::Indexable => 1,
            Kind::Bytes => 2,
        };
        Oop::small(self.named as i64 | kind << KIND_SHIFT)
    }

    /// From a format word.
    pub fn of(word: Oop) -> Option<Shape> {
        let bits = word.as_integer()?;
        let kind = match bits >> KIND_SHIFT {
            0 => Kind::Pointers,
            1 => Kind::Indexable,
            2 => Kind::Bytes,
            _ => return None,
        };
        Some(Shape { named: bits as u32 as usize, kind })
    }
}

impl Vm {
    /// The shape of the instances of a behaviour.
    pub fn shape(&mut self, behavior: Oop) -> Result<Shape, Stop> {
        if !self.has_slots(behavior, behavior_slot::METACLASS_SLOTS) {
            return Err(Stop::Broken("an instance of something that is no class"));
        }
        let format = self.load(behavior, behavior_slot::FORMAT)?;
        Shape::of(format).ok_or(Stop::Broken("a class without a format"))
    }

    /// Whether instances of a class, by index, take four bytes an element.
    pub fn is_wide_class(&self, index: u32) -> bool {
        index == class::QUAD_BYTE_STRING
            || index == class::QUAD_BYTE_SYMBOL
            || index >= super::known::FIRST_FREE_CLASS_INDEX && self.inherits_from(index, class::QUAD_BYTE_STRING)
    }

    /// Whether an object's body is bytes, four of them an element.
    pub fn is_wide_bytes(&self, object: Oop) -> bool {
        self.heap.is_bytes(object) && self.is_wide_class(self.heap.class_index(object))
    }

    /// A number that stays with an object, in this session and all others.
    pub fn identity_hash(&mut self, object: Oop) -> Result<u64, Stop> {
        if !object.is_pointer() {
            return Ok(object.bits() >> 3 & 0x0fff_ffff_ffff_ffff);
        }
        if self.heap.is_symbol(object) {
            return Ok(self.heap.symbol_hash(object));
        }
        let oid = self.identity(object)?;
        Ok((oid.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24) & 0x3fff_ffff)
    }

    /// The identity of an object, given now if it has none.
    pub fn identity(&mut self, object: Oop) -> Result<crate::store::Oid, Stop> {
        let oid = self.heap.oid(object);
        if oid != 0 {
            return Ok(oid);
        }
        let oid = match self.oids.next() {
            Some(oid) => oid,
            None => {
                let reserved = self.attached()?.reserve();
                self.oids = reserved.map_err(|error| self.store_failed(error))?;
                self.oids.next().ok_or(Stop::Broken("a store that has no identities left"))?
            }
        };
        self.heap.set_oid(object, oid);
        Ok(oid)
    }
}
