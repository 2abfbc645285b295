//! The constants of a method. Equal ones are stored once, except strings and arrays: each of those is an object that
//! code may compare by identity.

use super::node::BindingIndex;
use crate::bytecode::Literal;
use crate::syntax::ast;
use num_bigint::BigInt;
use std::collections::HashMap;

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Integer(BigInt),
    FloatBits(u64),
    ScaledDecimal(BigInt, u32, u32),
    Character(char),
    Symbol(String),
    Binding(BindingIndex),
}

pub(super) struct Literals<B> {
    pub(super) list: Vec<Literal<B>>,
    known: HashMap<Key, usize>,
    bindings: Vec<B>,
}

impl<B: Clone> Literals<B> {
    pub(super) fn new(bindings: Vec<B>) -> Self {
        Self { list: Vec::new(), known: HashMap::new(), bindings }
    }

    pub(super) fn constant(&mut self, literal: &ast::Literal) -> usize {
        let key = match literal {
            ast::Literal::Integer(value) => Some(Key::Integer(value.clone())),
            ast::Literal::Float(value) => Some(Key::FloatBits(value.to_bits())),
            ast::Literal::Character(value) => Some(Key::Character(*value)),
            ast::Literal::Symbol(name) => Some(Key::Symbol(name.clone())),
            ast::Literal::ScaledDecimal { unscaled, fraction_digits, scale } => {
                Some(Key::ScaledDecimal(unscaled.clone(), *fraction_digits, *scale))
            }
            _ => None,
        };
        self.index(key, || converted(literal))
    }

    pub(super) fn symbol(&mut self, name: &str) -> usize {
        self.index(Some(Key::Symbol(name.to_owned())), || Literal::Symbol(name.to_owned()))
    }

    pub(super) fn binding(&mut self, index: BindingIndex) -> usize {
        let binding = self.bindings[index].clone();
        self.index(Some(Key::Binding(index)), || Literal::Binding(binding))
    }

    fn index(&mut self, key: Option<Key>, literal: impl FnOnce() -> Literal<B>) -> usize {
        if let Some(known) = key.as_ref().and_then(|key| self.known.get(key)) {
            return *known;
        }
        let index = self.list.len();
        self.list.push(literal());
        if let Some(key) = key {
            self.known.insert(key, index);
        }
        index
    }
}

/// A constant of the source as one of a method.
pub(super) fn converted<B>(literal: &ast::Literal) -> Literal<B> {
    match literal {
        ast::Literal::Nil => Literal::Nil,
        ast::Literal::Boolean(value) => Literal::Boolean(*value),
        ast::Literal::Integer(value) => Literal::Integer(value.clone()),
        ast::Literal::Float(value) => Literal::Float(*value),
        ast::Literal::ScaledDecimal { unscaled, fraction_digits, scale } => {
            Literal::ScaledDecimal { unscaled: unscaled.clone(), fraction_digits: *fraction_digits, scale: *scale }
        }
        ast::Literal::Character(value) => Literal::Character(*value),
        ast::Literal::String(text) => Literal::String(text.clone()),
        ast::Literal::Symbol(name) => Literal::Symbol(name.clone()),
        ast::Literal::Array(elements) => Literal::Array(elements.iter().map(converted).collect()),
        ast::Literal::ByteArray(bytes) => Literal::ByteArray(bytes.clone()),
    }
}
