//! The words of the language.

use num_bigint::BigInt;

/// A number as it was written, without a sign in front of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Number {
    Integer(BigInt),
    Float(f64),
    Scaled { unscaled: BigInt, fraction_digits: u32, scale: u32 },
}

impl Number {
    pub(super) fn negated(self) -> Self {
        match self {
            Self::Integer(value) => Self::Integer(-value),
            Self::Float(value) => Self::Float(-value),
            Self::Scaled { unscaled, fraction_digits, scale } => {
                Self::Scaled { unscaled: -unscaled, fraction_digits, scale }
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    Identifier(String),
    /// One keyword with its colon.
    Keyword(String),
    Binary(String),
    Number(Number),
    Character(char),
    String(String),
    Symbol(String),
    HashParenthesis,
    HashBracket,
    OpenParenthesis,
    CloseParenthesis,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Assign,
    Caret,
    Colon,
    Semicolon,
    Period,
    /// Could not be read; why has been noted already.
    Invalid,
    End,
}

impl TokenKind {
    pub(super) fn opens(&self) -> bool {
        use TokenKind::*;
        matches!(self, OpenParenthesis | OpenBracket | OpenBrace | HashParenthesis | HashBracket)
    }

    pub(super) fn closes(&self) -> bool {
        matches!(self, Self::CloseParenthesis | Self::CloseBracket | Self::CloseBrace)
    }
}

/// A word and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The method environment that an `@env1:` before it names.
    pub(super) environment: Option<u8>,
}
