//! Splits a source into words. What cannot be read becomes one [`TokenKind::Invalid`] and a note of why; reading goes
//! on behind it. Every call makes progress until the end.

use super::error::number;
use super::token::{Token, TokenKind};

const BINARY_CHARACTERS: &str = "!%&*+,/<>=?@\\~|-";

/// A lexical error.
pub(super) struct Problem {
    pub(super) number: u16,
    pub(super) offset: usize,
    pub(super) message: String,
}

pub(super) struct Lexer<'a> {
    pub(super) source: &'a str,
    /// Where the next word is looked for.
    pub(super) at: usize,
    /// What could not be read so far.
    pub(super) problems: Vec<Problem>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self { source, at: 0, problems: Vec::new() }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.source[self.at..].chars().next()
    }

    pub(super) fn byte(&self, ahead: usize) -> u8 {
        self.source.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Notes what is wrong at `offset`; the word is then `Invalid`.
    pub(super) fn problem(&mut self, number: u16, offset: usize, message: impl Into<String>) -> TokenKind {
        self.problems.push(Problem { number, offset, message: message.into() });
        TokenKind::Invalid
    }

    /// The next word, comments and blanks skipped.
    pub(super) fn next(&mut self) -> Token {
        if let Err(start) = self.skip_blanks() {
            let kind = self.problem(number::UNTERMINATED, start, "this comment is not closed, expected a \"");
            return Token { kind, start, end: self.at, environment: None };
        }
        if let Some(environment) = self.environment_prefix() {
            let mut token = self.next_without_prefix();
            token.environment = Some(environment);
            return token;
        }
        self.next_without_prefix()
    }

    fn next_without_prefix(&mut self) -> Token {
        let start = self.at;
        let kind = match self.peek() {
            None => TokenKind::End,
            Some(first) => self.word(first),
        };
        Token { kind, start, end: self.at, environment: None }
    }

    fn word(&mut self, first: char) -> TokenKind {
        match first {
            '0'..='9' => self.number(),
            '#' => self.hash(),
            '\'' => match self.quoted() {
                Some(text) => TokenKind::String(text),
                None => TokenKind::Invalid,
            },
            '$' => self.character(),
            _ if is_identifier_start(first) => self.identifier(),
            _ if BINARY_CHARACTERS.contains(first) => TokenKind::Binary(self.binary()),
            _ => self.punctuation(first),
        }
    }

    fn punctuation(&mut self, first: char) -> TokenKind {
        let start = self.at;
        self.at += first.len_utf8();
        match first {
            '(' => TokenKind::OpenParenthesis,
            ')' => TokenKind::CloseParenthesis,
            '[' => TokenKind::OpenBracket,
            ']' => TokenKind::CloseBracket,
            '{' => TokenKind::OpenBrace,
            '}' => TokenKind::CloseBrace,
            '^' => TokenKind::Caret,
            ';' => TokenKind::Semicolon,
            '.' => TokenKind::Period,
            ':' if self.byte(0) == b'=' => {
                self.at += 1;
                TokenKind::Assign
            }
            ':' => TokenKind::Colon,
            _ => {
                let message = format!("the character {first:?} begins nothing, expected an expression or a message");
                self.problem(number::INVALID_CHARACTER, start, message)
            }
        }
    }

    /// Skips blanks and comments; an unclosed comment is an `Err` with its start.
    fn skip_blanks(&mut self) -> Result<(), usize> {
        while let Some(next) = self.peek() {
            if next == '"' {
                let start = self.at;
                match self.source[start + 1..].find('"') {
                    Some(length) => self.at = start + length + 2,
                    None => {
                        self.at = self.source.len();
                        return Err(start);
                    }
                }
            } else if next.is_whitespace() || next == '\u{feff}' {
                self.at += next.len_utf8();
            } else {
                break;
            }
        }
        Ok(())
    }

    /// Takes `@env1:` if it stands here with a selector right behind it.
    fn environment_prefix(&mut self) -> Option<u8> {
        let rest = self.source[self.at..].strip_prefix("@env")?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let environment = rest[..digits].parse().ok()?;
        let behind = rest[digits..].strip_prefix(':')?.chars().next()?;
        if !is_identifier_start(behind) && !BINARY_CHARACTERS.contains(behind) {
            return None;
        }
        self.at += "@env:".len() + digits;
        Some(environment)
    }

    fn take_identifier(&mut self) -> &'a str {
        let rest = &self.source[self.at..];
        let length = rest.find(|next| !is_identifier_part(next)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn identifier(&mut self) -> TokenKind {
        let name = self.take_identifier();
        if self.byte(0) == b':' && self.byte(1) != b'=' {
            self.at += 1;
            return TokenKind::Keyword(format!("{name}:"));
        }
        TokenKind::Identifier(name.to_owned())
    }

    /// A minus with a digit behind it is the sign of a number if it is not the first character.
    fn binary(&mut self) -> String {
        let start = self.at;
        while let Some(next) = self.peek() {
            let is_sign = self.at > start && next == '-' && self.byte(1).is_ascii_digit();
            if is_sign || !BINARY_CHARACTERS.contains(next) {
                break;
            }
            self.at += 1;
        }
        self.source[start..self.at].to_owned()
    }

    /// The text between apostrophes; two of them stand for one.
    fn quoted(&mut self) -> Option<String> {
        let start = self.at;
        let mut text = String::new();
        self.at += 1;
        loop {
            let rest = &self.source[self.at..];
            let Some(length) = rest.find('\'') else {
                self.at = self.source.len();
                self.problem(number::UNTERMINATED, start, "this string is not closed, expected a '");
                return None;
            };
            text.push_str(&rest[..length]);
            self.at += length + 1;
            if self.byte(0) != b'\'' {
                return Some(text);
            }
            text.push('\'');
            self.at += 1;
        }
    }

    fn character(&mut self) -> TokenKind {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some(value) => {
                self.at += value.len_utf8();
                TokenKind::Character(value)
            }
            None => self.problem(number::INVALID_LITERAL, start, "expected a character after $, found the end"),
        }
    }

    fn hash(&mut self) -> TokenKind {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some('(') => {
                self.at += 1;
                TokenKind::HashParenthesis
            }
            Some('[') => {
                self.at += 1;
                TokenKind::HashBracket
            }
            Some('\'') => match self.quoted() {
                Some(text) => TokenKind::Symbol(text),
                None => TokenKind::Invalid,
            },
            Some(next) if is_identifier_start(next) => TokenKind::Symbol(self.symbol_name()),
            Some(next) if BINARY_CHARACTERS.contains(next) => TokenKind::Symbol(self.binary()),
            _ => self.problem(number::INVALID_LITERAL, start, "expected a symbol, ( or [ after #"),
        }
    }

    fn symbol_name(&mut self) -> String {
        let start = self.at;
        loop {
            self.take_identifier();
            if self.byte(0) != b':' || self.byte(1) == b'=' {
                return self.source[start..self.at].to_owned();
            }
            self.at += 1;
        }
    }
}

pub(super) fn is_identifier_start(character: char) -> bool {
    character == '_' || character.is_alphabetic()
}

pub(super) fn is_identifier_part(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}
