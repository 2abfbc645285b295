//! Parses constants.

use super::ast::Literal;
use super::error::number;
use super::parser::Parser;
use super::token::{Number, TokenKind};
use num_traits::ToPrimitive;

impl Parser<'_> {
    /// A constant. The outer `None`: none stands here; the inner one: it has an error.
    pub(super) fn literal(&mut self) -> Option<Option<Literal>> {
        let literal = match self.token.kind.clone() {
            TokenKind::Number(value) => number_literal(value),
            TokenKind::Character(value) => Literal::Character(value),
            TokenKind::String(text) => Literal::String(text),
            TokenKind::Symbol(name) => Literal::Symbol(name),
            TokenKind::HashParenthesis => return Some(self.nested(Self::array)),
            TokenKind::HashBracket => return Some(self.byte_array()),
            _ => return self.negative_number().map(Some),
        };
        self.advance();
        Some(Some(literal))
    }

    /// A number with a minus right before it.
    fn negative_number(&mut self) -> Option<Literal> {
        let is_minus = matches!(&self.token.kind, TokenKind::Binary(operator) if operator == "-");
        let digit = self.lexer.source.as_bytes().get(self.token.end);
        if !is_minus || !digit.is_some_and(u8::is_ascii_digit) {
            return None;
        }
        self.advance();
        match self.token.kind.clone() {
            TokenKind::Number(value) => {
                self.advance();
                Some(number_literal(value.negated()))
            }
            _ => None,
        }
    }

    /// `#( … )` or, inside of one, `( … )`.
    fn array(&mut self) -> Option<Literal> {
        let open = self.take().end - 1;
        let mut elements = Vec::new();
        while !matches!(self.token.kind, TokenKind::CloseParenthesis | TokenKind::End) {
            elements.push(self.array_element()?);
        }
        self.close(&TokenKind::CloseParenthesis, ")", open)?;
        Some(Literal::Array(elements))
    }

    fn array_element(&mut self) -> Option<Literal> {
        if let Some(literal) = self.literal() {
            return literal;
        }
        match self.token.kind.clone() {
            TokenKind::Identifier(name) => {
                self.advance();
                Some(named_literal(&name).unwrap_or(Literal::Symbol(name)))
            }
            TokenKind::Binary(name) => {
                self.advance();
                Some(Literal::Symbol(name))
            }
            TokenKind::Keyword(_) => Some(Literal::Symbol(self.adjacent_keywords())),
            TokenKind::OpenParenthesis => self.nested(Self::array),
            TokenKind::OpenBracket => self.byte_array(),
            _ => self.expected(number::INVALID_LITERAL, "a literal or ) in the literal array"),
        }
    }

    /// `at:put:` without a `#` is one symbol.
    fn adjacent_keywords(&mut self) -> String {
        let mut name = String::new();
        let mut end = self.token.start;
        while let TokenKind::Keyword(keyword) = &self.token.kind {
            if self.token.start != end {
                break;
            }
            name.push_str(keyword);
            end = self.token.end;
            self.advance();
        }
        name
    }

    /// `#[ … ]` or, inside of a literal array, `[ … ]`.
    fn byte_array(&mut self) -> Option<Literal> {
        let open = self.take().end - 1;
        let mut bytes = Vec::new();
        while let TokenKind::Number(value) = &self.token.kind {
            let byte = match value {
                Number::Integer(value) => value.to_u8(),
                _ => None,
            };
            match byte {
                Some(byte) => bytes.push(byte),
                None => return self.expected(number::INVALID_LITERAL, "an integer from 0 to 255 in the byte array"),
            }
            self.advance();
        }
        if self.token.kind != TokenKind::CloseBracket {
            return self.expected(number::INVALID_LITERAL, "an integer from 0 to 255 or ] in the byte array");
        }
        self.close(&TokenKind::CloseBracket, "]", open)?;
        Some(Literal::ByteArray(bytes))
    }

    pub(super) fn pragma_argument(&mut self) -> Option<Literal> {
        if let Some(literal) = self.literal() {
            return literal;
        }
        if let TokenKind::Identifier(name) = &self.token.kind
            && let Some(literal) = named_literal(name)
        {
            self.advance();
            return Some(literal);
        }
        self.expected(number::INVALID_LITERAL, "a literal as the argument of the pragma")
    }
}

fn named_literal(name: &str) -> Option<Literal> {
    match name {
        "nil" => Some(Literal::Nil),
        "true" => Some(Literal::Boolean(true)),
        "false" => Some(Literal::Boolean(false)),
        _ => None,
    }
}

fn number_literal(value: Number) -> Literal {
    match value {
        Number::Integer(value) => Literal::Integer(value),
        Number::Float(value) => Literal::Float(value),
        Number::Scaled { unscaled, fraction_digits, scale } => {
            Literal::ScaledDecimal { unscaled, fraction_digits, scale }
        }
    }
}
