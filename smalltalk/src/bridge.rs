//! Values that cross between Rust and the image: how a tool asks the image something and gets data back.
//!
//! A tool sends a message to one of the kernel's own classes, found by its identity, so that a user's class of the same
//! name does no harm. Arguments and answer are plain data; an object that is no plain data crosses as nothing but the
//! name of its class.

use crate::compiling::CompileFailure;
use crate::heap::Oop;
use crate::identities::oid_of_name;
use crate::image::{ExecutionError, Image};
use crate::vm::known::class;
use crate::vm::{Stop, Vm};
use std::time::Instant;

/// Plain data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `nil`
    Nil,
    /// `true` or `false`
    Boolean(bool),
    /// A small integer.
    Integer(i64),
    /// A string or a symbol.
    Text(String),
    /// An array, or any other sequence that the image answers as one.
    Array(Vec<Value>),
    /// Something else: the name of its class.
    Other(String),
}

/// Arrays within arrays that are followed.
const DEPTH_MAX: usize = 32;

impl Value {
    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The elements, if it is an array.
    pub fn as_array(&self) -> Option<&[Value]> {
        match self {
            Value::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The integer, if it is one.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Value::Integer(value) => Some(*value),
            _ => None,
        }
    }

    /// The boolean, if it is one.
    pub fn as_boolean(&self) -> Option<bool> {
        match self {
            Value::Boolean(value) => Some(*value),
            _ => None,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

impl From<Option<&str>> for Value {
    fn from(text: Option<&str>) -> Self {
        text.map_or(Value::Nil, Value::from)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Boolean(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Integer(value)
    }
}

impl Image {
    /// Sends a message to a class of the kernel, and answers what it answers as plain data.
    ///
    /// # Errors
    /// Whatever ends an execution: see [`Image::execute`].
    pub fn ask(
        &mut self,
        receiver: &str,
        selector: &str,
        arguments: &[Value],
        deadline: Instant,
    ) -> Result<Value, ExecutionError> {
        self.in_execution(deadline, |vm| {
            let class = vm.tables.kernel.get(&oid_of_name(receiver)).copied();
            let class = class.ok_or(Stop::Broken("a tool asked a class that the kernel does not have"))?;
            let mark = vm.heap.handles.len();
            for argument in arguments {
                let word = vm.word_of(argument, 0)?;
                vm.heap.handles.push(word);
            }
            let selector = vm.symbol(selector)?;
            let words = vm.heap.handles.split_off(mark);
            let answer = vm.call(class, selector, &words)?;
            vm.value_of(answer, 0)
        })
    }

    /// The source compiled as a do-it, to see whether it is right; nothing is run.
    ///
    /// # Errors
    /// The compile errors.
    pub fn check_source(&mut self, source: &str) -> Result<(), ExecutionError> {
        match self.vm().compile_do_it(source) {
            Ok(_) => Ok(()),
            Err(CompileFailure::Errors(errors)) => Err(crate::image::compile_error(&errors)),
            Err(CompileFailure::Stop(stop)) => Err(self.vm().report(&stop)),
        }
    }
}

impl Vm {
    /// A value as an object. What it allocates is among the handles until the whole is made.
    fn word_of(&mut self, value: &Value, depth: usize) -> Result<Oop, Stop> {
        Ok(match value {
            Value::Nil | Value::Other(_) => Oop::NIL,
            Value::Boolean(value) => Oop::boolean(*value),
            Value::Integer(value) => self.new_integer(&num_bigint::BigInt::from(*value))?,
            Value::Text(text) => self.new_string(text)?,
            Value::Array(_) if depth == DEPTH_MAX => return Err(Stop::Broken("arrays nested too deeply")),
            Value::Array(elements) => {
                let mark = self.heap.handles.len();
                for element in elements {
                    let word = self.word_of(element, depth + 1)?;
                    self.heap.handles.push(word);
                }
                self.new_array_of_handles(mark)?
            }
        })
    }

    /// An object as a value.
    fn value_of(&mut self, object: Oop, depth: usize) -> Result<Value, Stop> {
        if let Some(value) = object.as_integer() {
            return Ok(Value::Integer(value));
        }
        match object {
            Oop::NIL => return Ok(Value::Nil),
            Oop::TRUE => return Ok(Value::Boolean(true)),
            Oop::FALSE => return Ok(Value::Boolean(false)),
            _ => {}
        }
        let index = self.class_index_of(object);
        if self.is_array(object) && depth < DEPTH_MAX {
            let mut elements = Vec::with_capacity(self.heap.size(object));
            for index in 0..self.heap.size(object) {
                let element = self.load(object, index)?;
                elements.push(self.value_of(element, depth + 1)?);
            }
            return Ok(Value::Array(elements));
        }
        let is_text =
            matches!(index, class::STRING | class::SYMBOL | class::QUAD_BYTE_STRING | class::QUAD_BYTE_SYMBOL)
                || self.inherits_from(index, class::STRING);
        match self.text(object) {
            Some(text) if is_text => Ok(Value::Text(text)),
            _ => Ok(Value::Other(self.class_name(self.class_of(object)))),
        }
    }
}
