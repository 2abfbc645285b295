//! Loading: a slot that holds a reference gets the object, from what is loaded already or from the store.

use super::known::{behavior_slot, class};
use super::methods::method_slot;
use super::{Stop, Vm};
use crate::heap::Oop;
use crate::record;
use crate::store::{Oid, Record};

impl Vm {
    /// The value in a slot, loaded.
    #[inline]
    pub fn load(&mut self, object: Oop, index: usize) -> Result<Oop, Stop> {
        let value = self.heap.slot(object, index);
        match value.as_reference() {
            None => Ok(value),
            Some(oid) => {
                let loaded = self.object_of(oid)?;
                self.heap.store_unrecorded(object, index, loaded);
                Ok(loaded)
            }
        }
    }

    /// Loads every slot of an object.
    pub fn load_all(&mut self, object: Oop) -> Result<(), Stop> {
        if self.heap.is_bytes(object) {
            return Ok(());
        }
        for index in 0..self.heap.size(object) {
            self.load(object, index)?;
        }
        Ok(())
    }

    /// The object of an identity. Loading allocates outside of the nursery and moves nothing.
    pub fn object_of(&mut self, oid: Oid) -> Result<Oop, Stop> {
        if let Some(object) = self.tables.object(oid) {
            return Ok(object);
        }
        let records = self.attached()?.fault(&[oid]).map_err(|error| self.store_failed(error))?;
        for record in records {
            // What the transaction has loaded, and perhaps written, is newer than what the store has.
            if self.tables.object(record.oid).is_none() {
                self.materialise(&record)?;
            }
        }
        self.tables.object(oid).ok_or(Stop::Broken("a reference to an object that the store does not have"))
    }

    /// Makes an object of a record. Its class is loaded first; everything else that it refers to stays a reference
    /// unless it is there already.
    pub(crate) fn materialise(&mut self, record: &Record) -> Result<Oop, Stop> {
        let decoded = record::decode(record).map_err(Stop::Broken)?;
        let class_object = self.object_of(decoded.class)?;
        // Loading the class may have brought this very object along.
        if let Some(object) = self.tables.object(record.oid) {
            return Ok(object);
        }
        let index = self.behavior_index(class_object)?;
        let object = self.heap.allocate_old(index, decoded.size(), decoded.is_bytes())?;
        self.heap.set_oid(object, record.oid);
        self.tables.loaded.insert(record.oid, object);
        self.fill(object, &decoded)?;
        self.heap.set_stored(object);
        Ok(object)
    }

    /// Gives an object the state that a record says; shapes agree.
    ///
    /// A record says nothing of what this process has made of the object. A block that it changes is compared with its
    /// method again before it is evaluated; a method that has run stays as it was verified.
    pub(crate) fn fill(&mut self, object: Oop, decoded: &record::Decoded<'_>) -> Result<(), Stop> {
        match &decoded.body {
            record::Body::Bytes(bytes) => self.heap.overwrite_bytes(object, bytes),
            record::Body::Slots(slots) => {
                let transient = self.transient_slot(object);
                let is_verified = self.is_verified_method(object);
                self.heap.unseal(object);
                for (index, slot) in slots.iter().enumerate() {
                    if transient == Some(index) || is_verified && method_slot::VERIFIED.contains(&index) {
                        continue;
                    }
                    let value = self.slot_value(*slot, decoded)?;
                    self.heap.store_unrecorded(object, index, value);
                }
                if is_verified {
                    self.heap.seal(object);
                }
            }
        }
        self.heap.set_immutable_if(object, decoded.immutable);
        Ok(())
    }

    /// Whether an object is a method that has an entry.
    pub(crate) fn is_verified_method(&self, object: Oop) -> bool {
        self.heap.is_object(object) && self.heap.is_sealed(object) && self.heap.class_index(object) == class::METHOD
    }

    fn slot_value(&mut self, slot: record::Slot, decoded: &record::Decoded<'_>) -> Result<Oop, Stop> {
        Ok(match slot {
            record::Slot::Immediate(value) => value,
            record::Slot::Reference(oid) => self.tables.object(oid).unwrap_or(Oop::reference(oid)),
            record::Slot::Symbol(index) => {
                let (wide, bytes) = decoded.symbols[index];
                self.symbol_of_bytes(bytes, wide)?
            }
        })
    }

    /// The class index of a behaviour, given now if it has none.
    pub fn behavior_index(&mut self, behavior: Oop) -> Result<u32, Stop> {
        if !self.has_slots(behavior, behavior_slot::METACLASS_SLOTS) {
            return Err(Stop::Broken("an instance of something that is no class"));
        }
        // The word is believed if the table agrees: code and records can put anything there.
        if let Some(index) = self.heap.slot(behavior, behavior_slot::CLASS_INDEX).as_integer()
            && self.tables.classes.get(index as usize) == Some(&behavior)
        {
            return Ok(index as u32);
        }
        let index = self.tables.classes.len();
        if index > crate::heap::CLASS_INDEX_MAX as usize {
            return Err(Stop::OutOfMemory);
        }
        self.tables.classes.push(behavior);
        self.heap.store_unrecorded(behavior, behavior_slot::CLASS_INDEX, Oop::small(index as i64));
        Ok(index as u32)
    }

    /// The slot of an object that means something in this process only.
    pub(crate) fn transient_slot(&self, object: Oop) -> Option<usize> {
        match self.heap.class_index(object) {
            class::METHOD => Some(method_slot::ENTRY),
            index if self.is_behavior_class(index) => Some(behavior_slot::CLASS_INDEX),
            _ => None,
        }
    }

    /// Whether instances of this class are behaviours: metaclasses, and what is an instance of a metaclass.
    fn is_behavior_class(&self, index: u32) -> bool {
        if index == class::METACLASS {
            return true;
        }
        let object = self.tables.classes[index as usize];
        object.is_pointer() && self.heap.class_index(object) == class::METACLASS
    }
}
