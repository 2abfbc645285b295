//! Making classes: the class, its metaclass, their shapes and empty method dictionaries.

use crate::heap::Oop;
use crate::vm::known::{behavior_slot, class, dictionary_slot};
use crate::vm::shapes::{Kind, Shape};
use crate::vm::{Stop, Vm};

/// What a new class is to be. Checks of names are the business of the Smalltalk code that asks.
#[derive(Debug)]
pub struct NewClass {
    /// Its superclass, or nil.
    pub superclass: Oop,
    /// Its name.
    pub name: String,
    /// What its instances are, unless the superclass says more.
    pub kind: Kind,
    /// Its own instance variables.
    pub instance_variables: Vec<String>,
    /// The metaclass's own instance variables.
    pub class_instance_variables: Vec<String>,
}

/// Slots of a method dictionary's first table: four methods.
pub(crate) const FIRST_METHOD_TABLE: usize = 8;

/// The most named variables of an object; code names each by 16 bits.
const VARIABLES_MAX: usize = 10_000;

impl Vm {
    /// Whether instances can be as a request asks: bytes leave no place for variables.
    pub fn can_be_laid_out(&mut self, request: &NewClass) -> Result<bool, Stop> {
        let inherited = match request.superclass.is_nil() {
            true => Shape { named: 0, kind: Kind::Pointers },
            false => self.shape(request.superclass)?,
        };
        let named = inherited.named + request.instance_variables.len();
        let kind = if inherited.kind == Kind::Pointers { request.kind } else { inherited.kind };
        let class_variables = request.class_instance_variables.len();
        Ok(named <= VARIABLES_MAX && class_variables <= VARIABLES_MAX && !(kind == Kind::Bytes && named > 0))
    }

    /// Makes a class. Everything of it is born old, so nothing moves.
    pub fn make_class(&mut self, request: &NewClass) -> Result<Oop, Stop> {
        let inherited = match request.superclass.is_nil() {
            true => Shape { named: 0, kind: Kind::Pointers },
            false => self.shape(request.superclass)?,
        };
        let kind = if inherited.kind == Kind::Pointers { request.kind } else { inherited.kind };
        let named = inherited.named + request.instance_variables.len();
        let metaclass = self.make_metaclass(request)?;
        let meta_index = self.behavior_index(metaclass)?;
        let slots = self.shape(metaclass)?.named;
        let made = self.heap.allocate_old(meta_index, slots, false)?;
        self.heap.store(metaclass, behavior_slot::THIS_CLASS, made);
        self.heap.store(made, behavior_slot::SUPERCLASS, request.superclass);
        self.heap.store(made, behavior_slot::FORMAT, Shape { named, kind }.encode());
        let names = self.symbol_array(&request.instance_variables)?;
        self.heap.store(made, behavior_slot::INSTANCE_VARIABLES, names);
        let dictionary = self.new_method_dictionary()?;
        self.heap.store(made, behavior_slot::METHOD_DICTIONARY, dictionary);
        let name = self.symbol(&request.name)?;
        self.heap.store(made, behavior_slot::NAME, name);
        Ok(made)
    }

    fn make_metaclass(&mut self, request: &NewClass) -> Result<Oop, Stop> {
        let metaclass = self.heap.allocate_old(class::METACLASS, behavior_slot::METACLASS_SLOTS, false)?;
        let (above, inherited) = match request.superclass.is_nil() {
            true => (self.tables.classes[class::CLASS as usize], behavior_slot::CLASS_SLOTS),
            false => {
                let above = self.class_of(request.superclass);
                (above, self.shape(above)?.named)
            }
        };
        let named = inherited + request.class_instance_variables.len();
        self.heap.store(metaclass, behavior_slot::SUPERCLASS, above);
        self.heap.store(metaclass, behavior_slot::FORMAT, Shape { named, kind: Kind::Pointers }.encode());
        let names = self.symbol_array(&request.class_instance_variables)?;
        self.heap.store(metaclass, behavior_slot::INSTANCE_VARIABLES, names);
        let dictionary = self.new_method_dictionary()?;
        self.heap.store(metaclass, behavior_slot::METHOD_DICTIONARY, dictionary);
        Ok(metaclass)
    }

    fn symbol_array(&mut self, names: &[String]) -> Result<Oop, Stop> {
        let array = self.heap.allocate_old(class::ARRAY, names.len(), false)?;
        for (index, name) in names.iter().enumerate() {
            let symbol = self.symbol(name)?;
            self.heap.store(array, index, symbol);
        }
        Ok(array)
    }

    fn new_method_dictionary(&mut self) -> Result<Oop, Stop> {
        let dictionary = self.heap.allocate_old(class::METHOD_DICTIONARY, dictionary_slot::USES + 1, false)?;
        let table = self.heap.allocate_old(class::ARRAY, FIRST_METHOD_TABLE, false)?;
        self.heap.store(dictionary, dictionary_slot::TALLY, Oop::small(0));
        self.heap.store(dictionary, dictionary_slot::TABLE, table);
        Ok(dictionary)
    }
}
