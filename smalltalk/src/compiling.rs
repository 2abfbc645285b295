//! From source to a method object: the compiler's view of classes and names, and its output as objects.
//!
//! All that is made here is born old: compiling never collects, so that a method can be compiled again in the midst of
//! a send.

use crate::bytecode::{Literal, MethodCode, PrimitiveName};
use crate::compiler::{Scope, compile_doit, compile_method};
use crate::heap::{HeapFull, Oop};
use crate::syntax::CompileError;
use crate::vm::known::{behavior_slot, class, dictionary_slot};
use crate::vm::methods::{Marker, MethodHeader, method_slot};
use crate::vm::{Stop, Vm};
use num_traits::ToPrimitive;

/// Why a source became no method.
#[derive(Debug)]
pub enum CompileFailure {
    /// It is not right.
    Errors(Vec<CompileError>),
    /// It could not be finished.
    Stop(Stop),
}

impl From<Stop> for CompileFailure {
    fn from(stop: Stop) -> Self {
        CompileFailure::Stop(stop)
    }
}

impl From<HeapFull> for CompileFailure {
    fn from(_: HeapFull) -> Self {
        CompileFailure::Stop(Stop::OutOfMemory)
    }
}

/// What names mean inside a class.
struct ClassScope<'a> {
    vm: &'a mut Vm,
    /// The behaviour; nil for a do-it.
    behavior: Oop,
    instance_variables: Vec<String>,
    /// Among the heap's handles: associations that were found, which the collector must see.
    first_binding: usize,
    failure: Option<Stop>,
}

impl Scope for ClassScope<'_> {
    /// Index among the bindings.
    type Binding = usize;

    fn instance_variable(&self, name: &str) -> Option<u16> {
        self.instance_variables.iter().position(|variable| variable == name).and_then(|index| u16::try_from(index).ok())
    }

    fn binding(&mut self, name: &str) -> Option<usize> {
        match self.vm.find_binding(self.behavior, name) {
            Ok(found) => {
                let association = found?;
                self.vm.heap.handles.push(association);
                Some(self.vm.heap.handles.len() - 1 - self.first_binding)
            }
            Err(stop) => {
                self.failure = Some(stop);
                None
            }
        }
    }
}

impl Vm {
    /// Compiles a method for a behaviour; it is not installed.
    pub fn compile(&mut self, behavior: Oop, source: &str, category: Oop) -> Result<Oop, CompileFailure> {
        self.compile_with(behavior, source, category, false)
    }

    /// Compiles a do-it.
    pub fn compile_do_it(&mut self, source: &str) -> Result<Oop, CompileFailure> {
        self.compile_with(Oop::NIL, source, Oop::NIL, true)
    }

    fn compile_with(&mut self, behavior: Oop, source: &str, category: Oop, do_it: bool) -> Result<Oop, CompileFailure> {
        let instance_variables = self.visible_instance_variables(behavior)?;
        let mark = self.heap.handles.len();
        self.heap.handles.push(behavior);
        self.heap.handles.push(category);
        let first_binding = self.heap.handles.len();
        let mut scope = ClassScope { vm: self, behavior, instance_variables, first_binding, failure: None };
        let compiled = if do_it { compile_doit(source, &mut scope) } else { compile_method(source, &mut scope) };
        let failure = scope.failure.take();
        let method = match (failure, compiled) {
            (Some(stop), _) => Err(CompileFailure::Stop(stop)),
            (None, Err(errors)) => Err(CompileFailure::Errors(errors)),
            (None, Ok(code)) => self.new_method(&code, source, mark),
        };
        self.heap.handles.truncate(mark);
        method
    }

    /// The association that a name means in a class: of a class variable, of a pool, of the symbol list.
    pub fn find_binding(&mut self, behavior: Oop, name: &str) -> Result<Option<Oop>, Stop> {
        // The name may stand in a dictionary that is not loaded yet, so that no symbol proves nothing.
        let symbol = self.symbol(name)?;
        let mut class = self.instance_side(behavior)?;
        while self.has_slots(class, behavior_slot::CLASS_SLOTS) {
            let variables = self.load(class, behavior_slot::CLASS_VARIABLES)?;
            if let Some(association) = self.dictionary_association(variables, symbol)? {
                return Ok(Some(association));
            }
            let pools = self.load(class, behavior_slot::POOLS)?;
            if let Some(association) = self.find_in_pools(pools, symbol)? {
                return Ok(Some(association));
            }
            class = self.load(class, behavior_slot::SUPERCLASS)?;
        }
        for dictionary in self.symbol_list()? {
            if let Some(association) = self.dictionary_association(dictionary, symbol)? {
                return Ok(Some(association));
            }
        }
        self.undeclared(symbol)
    }

    fn find_in_pools(&mut self, pools: Oop, name: Oop) -> Result<Option<Oop>, Stop> {
        let count = if self.has_slots(pools, 1) { self.heap.size(pools) } else { 0 };
        for index in 0..count {
            let pool = self.load(pools, index)?;
            if let Some(association) = self.dictionary_association(pool, name)? {
                return Ok(Some(association));
            }
        }
        Ok(None)
    }

    /// While the kernel is loaded a name may be used before it is defined.
    fn undeclared(&mut self, name: Oop) -> Result<Option<Oop>, Stop> {
        let starts_upper = self.text(name).is_some_and(|text| text.starts_with(char::is_uppercase));
        if !self.heap.is_booting() || !starts_upper {
            return Ok(None);
        }
        let globals = self.known.globals;
        Ok(Some(self.dictionary_put(globals, name, Oop::NIL)?))
    }

    /// The class of a metaclass; a class itself.
    pub fn instance_side(&mut self, behavior: Oop) -> Result<Oop, Stop> {
        if behavior.is_pointer() && self.heap.class_index(behavior) == class::METACLASS {
            return self.load(behavior, behavior_slot::THIS_CLASS);
        }
        Ok(behavior)
    }

    /// The names of the instance variables that code may refer to, by their places. In what the machine itself leans
    /// on, only the kernel's own code may: anything else written there could take the process down.
    fn visible_instance_variables(&mut self, behavior: Oop) -> Result<Vec<String>, Stop> {
        let mut names = self.all_instance_variables(behavior)?;
        if self.heap.is_booting() || !self.has_slots(behavior, behavior_slot::METACLASS_SLOTS) {
            return Ok(names);
        }
        let index = self.behavior_index(behavior)?;
        let is = |vm: &Vm, ancestor: u32| index == ancestor || vm.inherits_from(index, ancestor);
        let hidden = if is(self, class::METACLASS) {
            behavior_slot::METACLASS_SLOTS
        } else if is(self, class::BEHAVIOR) {
            behavior_slot::NAME
        } else if [class::METHOD, class::METHOD_DICTIONARY, class::BLOCK].iter().any(|code| is(self, *code)) {
            names.len()
        } else {
            0
        };
        for name in names.iter_mut().take(hidden) {
            name.clear();
        }
        Ok(names)
    }

    /// The names of the instance variables of a behaviour, inherited ones first.
    pub fn all_instance_variables(&mut self, behavior: Oop) -> Result<Vec<String>, Stop> {
        let mut chain = Vec::new();
        let mut current = behavior;
        while self.has_slots(current, behavior_slot::METACLASS_SLOTS) && chain.len() < 1000 {
            chain.push(current);
            current = self.load(current, behavior_slot::SUPERCLASS)?;
        }
        let mut names = Vec::new();
        for behavior in chain.into_iter().rev() {
            let own = self.load(behavior, behavior_slot::INSTANCE_VARIABLES)?;
            let count = if self.has_slots(own, 1) { self.heap.size(own) } else { 0 };
            for index in 0..count {
                let name = self.load(own, index)?;
                names.push(self.text(name).unwrap_or_default());
            }
        }
        Ok(names)
    }

    /// The dictionaries in which a user's code looks for names, in order.
    pub fn symbol_list(&mut self) -> Result<Vec<Oop>, Stop> {
        let association = self.known.symbol_list;
        if association.is_nil() {
            return Ok(vec![self.known.globals]);
        }
        let list = self.load(association, dictionary_slot::VALUE)?;
        let count = if self.has_slots(list, 1) { self.heap.size(list) } else { 0 };
        let mut dictionaries = Vec::with_capacity(count);
        for index in 0..count {
            let dictionary = self.load(list, index)?;
            if self.has_slots(dictionary, 2) && dictionary != self.known.lapidary {
                dictionaries.push(dictionary);
            }
        }
        // Whatever somebody makes of the list: this is always there, and always behind the user's own.
        if !self.known.lapidary.is_nil() {
            dictionaries.push(self.known.lapidary);
        }
        Ok(dictionaries)
    }

    // === Methods as objects

    /// Handles from `mark`: behaviour, category, bindings.
    fn new_method(&mut self, code: &MethodCode<usize>, source: &str, mark: usize) -> Result<Oop, CompileFailure> {
        let header = self.header_of(code)?;
        let (category, first_binding) = (mark + 1, mark + 2);
        let result = self.heap.handles.len();
        let method = self.heap.allocate_old(class::METHOD, method_slot::SLOTS, false)?;
        self.heap.handles.push(method);
        self.set_new_slot(result, method_slot::HEADER, header);
        let selector = self.symbol(&code.selector)?;
        self.set_new_slot(result, method_slot::SELECTOR, selector);
        self.set_new_slot(result, method_slot::METHOD_CLASS, self.heap.handles[mark]);
        self.set_new_slot(result, method_slot::CATEGORY, self.heap.handles[category]);
        let text = self.new_old_string(source)?;
        self.set_new_slot(result, method_slot::SOURCE, text);
        let words: Vec<u8> =
            code.code.iter().chain([&u32::from(code.sites)]).flat_map(|word| word.to_le_bytes()).collect();
        let code_object = self.new_old_bytes(&words)?;
        self.set_new_slot(result, method_slot::CODE, code_object);
        let positions: Vec<u8> =
            code.positions.iter().flat_map(|(at, offset)| [at.to_le_bytes(), offset.to_le_bytes()]).flatten().collect();
        let positions = self.new_old_bytes(&positions)?;
        self.set_new_slot(result, method_slot::POSITIONS, positions);
        let literals = self.heap.allocate_old(class::ARRAY, code.literals.len(), false)?;
        self.set_new_slot(result, method_slot::LITERALS, literals);
        for (index, literal) in code.literals.iter().enumerate() {
            let value = self.literal(literal, first_binding)?;
            let literals = self.heap.slot(self.heap.handles[result], method_slot::LITERALS);
            self.heap.store(literals, index, value);
        }
        Ok(self.heap.handles[result])
    }

    fn set_new_slot(&mut self, handle: usize, slot: usize, value: Oop) {
        let object = self.heap.handles[handle];
        self.heap.store(object, slot, value);
    }

    /// Parts of methods are born old, and refuse changes.
    fn new_old_bytes(&mut self, bytes: &[u8]) -> Result<Oop, HeapFull> {
        let object = self.heap.allocate_old(class::BYTE_ARRAY, bytes.len(), true)?;
        self.heap.bytes_mut(object).copy_from_slice(bytes);
        self.heap.set_immutable(object);
        Ok(object)
    }

    fn new_old_string(&mut self, text: &str) -> Result<Oop, HeapFull> {
        let (kind, bytes) = match crate::vm::objects::latin1(text) {
            Some(bytes) => (class::STRING, bytes),
            None => (class::QUAD_BYTE_STRING, crate::vm::objects::quad_bytes(text)),
        };
        let object = self.heap.allocate_old(kind, bytes.len(), true)?;
        self.heap.bytes_mut(object).copy_from_slice(&bytes);
        self.heap.set_immutable(object);
        Ok(object)
    }

    fn header_of(&self, code: &MethodCode<usize>) -> Result<Oop, CompileFailure> {
        let primitive = match &code.primitive {
            None => 0,
            Some(PrimitiveName::Name(name)) => {
                self.primitives.number(name).ok_or_else(|| unknown_primitive(&format!("#{name}")))?
            }
            Some(PrimitiveName::Number(number)) => return Err(unknown_primitive(&number.to_string())),
        };
        let marker = code.pragmas.iter().find(|(selector, _)| selector == "marker:");
        let marker = match marker.and_then(|(_, arguments)| arguments.first()) {
            Some(Literal::Symbol(name)) if name == "handler" => Marker::Handler,
            Some(Literal::Symbol(name)) if name == "unwind" => Marker::Unwind,
            Some(Literal::Symbol(name)) if name == "handlerRun" || name == "unwindRun" => Marker::OnBehalf,
            _ => Marker::None,
        };
        let (arguments, temporaries) = (code.arguments, code.temporaries);
        Ok(MethodHeader { arguments, temporaries, frame_words: code.frame_words, primitive, marker }.encode())
    }

    /// A literal as an object, born old and refusing changes.
    fn literal(&mut self, literal: &Literal<usize>, first_binding: usize) -> Result<Oop, Stop> {
        Ok(match literal {
            Literal::Nil => Oop::NIL,
            Literal::Boolean(value) => Oop::boolean(*value),
            Literal::Integer(value) => self.old_integer(value)?,
            Literal::Float(value) => match Oop::float(*value) {
                Some(immediate) => immediate,
                None => self.new_old_number(class::FLOAT, &value.to_bits().to_le_bytes())?,
            },
            Literal::ScaledDecimal { unscaled, fraction_digits, scale } => {
                self.scaled_decimal(unscaled, *fraction_digits, *scale)?
            }
            Literal::Character(value) => Oop::character(*value),
            Literal::String(text) => self.new_old_string(text)?,
            Literal::Symbol(text) => self.symbol(text)?,
            Literal::ByteArray(bytes) => self.new_old_bytes(bytes)?,
            Literal::Array(elements) => self.literal_array(elements, first_binding)?,
            Literal::Binding(index) => self.heap.handles[first_binding + index],
        })
    }

    fn literal_array(&mut self, elements: &[Literal<usize>], first_binding: usize) -> Result<Oop, Stop> {
        let handle = self.heap.handles.len();
        let array = self.heap.allocate_old(class::ARRAY, elements.len(), false)?;
        self.heap.handles.push(array);
        for (index, element) in elements.iter().enumerate() {
            let value = self.literal(element, first_binding)?;
            self.heap.store(self.heap.handles[handle], index, value);
        }
        let array = self.heap.handles[handle];
        self.heap.handles.truncate(handle);
        self.heap.set_immutable(array);
        Ok(array)
    }

    /// An integer of any size.
    fn old_integer(&mut self, value: &num_bigint::BigInt) -> Result<Oop, HeapFull> {
        match value.to_i64().and_then(Oop::integer) {
            Some(small) => Ok(small),
            None => self.new_old_number(class::LARGE_INTEGER, &crate::vm::objects::integer_bytes(value)),
        }
    }

    fn new_old_number(&mut self, kind: u32, bytes: &[u8]) -> Result<Oop, HeapFull> {
        let number = self.heap.allocate_old(kind, bytes.len(), true)?;
        self.heap.bytes_mut(number).copy_from_slice(bytes);
        self.heap.set_immutable(number);
        Ok(number)
    }

    /// A scaled decimal: numerator, denominator, scale.
    fn scaled_decimal(&mut self, unscaled: &num_bigint::BigInt, digits: u32, scale: u32) -> Result<Oop, Stop> {
        use num_integer::Integer;
        let power = num_bigint::BigInt::from(10).pow(digits);
        let divisor = unscaled.gcd(&power);
        let handle = self.heap.handles.len();
        for part in [unscaled / &divisor, &power / &divisor] {
            let integer = self.old_integer(&part)?;
            self.heap.handles.push(integer);
        }
        let decimal = self.heap.allocate_old(class::SCALED_DECIMAL, 3, false)?;
        for index in 0..2 {
            self.heap.store(decimal, index, self.heap.handles[handle + index]);
        }
        self.heap.store(decimal, 2, Oop::small(i64::from(scale)));
        self.heap.handles.truncate(handle);
        self.heap.set_immutable(decimal);
        Ok(decimal)
    }
}

fn unknown_primitive(name: &str) -> CompileFailure {
    let message = format!("there is no primitive {name}");
    CompileFailure::Errors(vec![CompileError::new("", crate::syntax::error_number::UNSUPPORTED, 0, message)])
}
