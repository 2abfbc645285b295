//! The parser's frame: the current word, errors and how to go on after one, and the outer forms: method patterns,
//! temporaries, pragmas, bodies. Expressions and literals are parsed in the sibling files.

use super::ast::{Declaration, Literal, Method, Pragma, Statement};
use super::error::{CompileError, number};
use super::lexer::Lexer;
use super::number::shortened;
use super::token::{Token, TokenKind};
use super::{DOIT_SELECTOR, MAX_DEPTH, MAX_ERRORS, MAX_SOURCE_BYTES};

/// A source that was parsed. With errors, the tree is what could be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The tree; `None` if not even the pattern of the method could be read.
    pub method: Option<Method>,
    /// In order of place.
    pub errors: Vec<CompileError>,
}

/// Parses a method.
pub fn parse_method(source: &str) -> Parsed {
    parse(source, |parser| {
        let (selector, arguments) = parser.pattern()?;
        Some(parser.body(selector, arguments))
    })
}

/// Parses a do-it: temporaries and statements, without a pattern.
pub fn parse_doit(source: &str) -> Parsed {
    parse(source, |parser| Some(parser.body(DOIT_SELECTOR.to_owned(), Vec::new())))
}

/// The selector of a method, whatever is wrong behind its pattern.
pub fn method_selector(source: &str) -> Option<String> {
    if source.len() > MAX_SOURCE_BYTES {
        return None;
    }
    Parser::new(source).pattern().map(|(selector, _)| selector)
}

fn parse(source: &str, form: impl FnOnce(&mut Parser<'_>) -> Option<Method>) -> Parsed {
    if source.len() > MAX_SOURCE_BYTES {
        let message = format!("the source has {} bytes, at most {MAX_SOURCE_BYTES} are allowed", source.len());
        let error = CompileError { number: number::TOO_LARGE, offset: 0, line: 1, column: 1, message };
        return Parsed { method: None, errors: vec![error] };
    }
    let mut parser = Parser::new(source);
    let method = form(&mut parser);
    Parsed { method, errors: parser.finish() }
}

/// A parse in progress. Functions answer `None` when they could not go on; the error has been noted by then, and
/// whoever owns the statement recovers.
pub(super) struct Parser<'a> {
    pub(super) lexer: Lexer<'a>,
    pub(super) token: Token,
    depth: usize,
    /// Brackets that were opened and not closed, up to the current word.
    open: i64,
    errors: Vec<(usize, u16, String)>,
    abandoned: bool,
}

impl<'a> Parser<'a> {
    fn new(source: &'a str) -> Self {
        let mut lexer = Lexer::new(source);
        let token = lexer.next();
        Self { lexer, token, depth: 0, open: 0, errors: Vec::new(), abandoned: false }
    }

    fn finish(mut self) -> Vec<CompileError> {
        self.collect_problems();
        self.errors.sort_by_key(|error| error.0);
        let source = self.lexer.source;
        let error = |(at, number, message)| CompileError::new(source, number, at as u32, message);
        self.errors.into_iter().take(MAX_ERRORS).map(error).collect()
    }

    fn collect_problems(&mut self) {
        for problem in std::mem::take(&mut self.lexer.problems) {
            self.errors.push((problem.offset, problem.number, problem.message));
        }
    }

    /// Goes to the next word.
    pub(super) fn advance(&mut self) {
        if let Some(environment) = self.token.environment.take() {
            let start = self.token.start;
            let message =
                format!("unexpected @env{environment}: here, expected it only before the selector of a message");
            self.error_at(number::UNEXPECTED, start, message);
        }
        self.open += i64::from(self.token.kind.opens()) - i64::from(self.token.kind.closes());
        if !self.abandoned {
            self.token = self.lexer.next();
        }
    }

    /// Goes to the next word and answers the one that was current.
    pub(super) fn take(&mut self) -> Token {
        let token = self.token.clone();
        self.advance();
        token
    }

    /// Goes on if the current word is this one.
    pub(super) fn skip(&mut self, kind: &TokenKind) -> bool {
        let found = self.token.kind == *kind;
        if found {
            self.advance();
        }
        found
    }

    /// Takes an operator character, leaving the rest of the operator as the next word: `||` may be two bars.
    pub(super) fn skip_operator(&mut self, character: char) -> bool {
        let found = self.at_operator(character);
        if found {
            self.lexer.at = self.token.start + character.len_utf8();
            self.advance();
        }
        found
    }

    pub(super) fn at_operator(&self, character: char) -> bool {
        matches!(&self.token.kind, TokenKind::Binary(operator) if operator.starts_with(character))
    }

    /// Notes an error at a place, once a place.
    pub(super) fn error_at(&mut self, number: u16, offset: usize, message: impl Into<String>) {
        if self.abandoned {
            return;
        }
        if self.errors.len() + self.lexer.problems.len() >= MAX_ERRORS {
            self.abandon();
        } else if self.errors.last().is_none_or(|last| last.0 != offset) {
            self.errors.push((offset, number, message.into()));
        }
    }

    /// Notes that something else was expected where the current word stands.
    pub(super) fn expected<T>(&mut self, number: u16, what: &str) -> Option<T> {
        // A word that could not be read has its error already.
        if self.token.kind != TokenKind::Invalid {
            let message = format!("expected {what}, found {}", self.found());
            self.error_at(number, self.token.start, message);
        }
        None
    }

    /// The current word, for a message.
    fn found(&self) -> String {
        match self.token.kind {
            TokenKind::End => "the end of the source".to_owned(),
            _ => shortened(&self.lexer.source[self.token.start..self.token.end]),
        }
    }

    /// Reads no further: what follows would only be noise.
    fn abandon(&mut self) {
        self.abandoned = true;
        let end = self.lexer.source.len();
        self.token = Token { kind: TokenKind::End, start: end, end, environment: None };
    }

    /// Runs a step one level deeper.
    pub(super) fn nested<T>(&mut self, step: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep");
            self.error_at(number::TOO_DEEP, self.token.start, message);
            self.abandon();
            return None;
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }

    /// How many brackets are open; what [`Parser::recover`] goes back to.
    pub(super) fn level(&self) -> i64 {
        self.open
    }

    /// Skips to the end of a statement that began at this level, or of what encloses it.
    pub(super) fn recover(&mut self, level: i64) {
        loop {
            let kind = &self.token.kind;
            let ends_statement = *kind == TokenKind::Period || kind.closes();
            if *kind == TokenKind::End || self.open <= level && ends_statement {
                return;
            }
            self.token.environment = None;
            self.advance();
        }
    }

    /// The selector and the arguments that a method begins with.
    fn pattern(&mut self) -> Option<(String, Vec<Declaration>)> {
        match self.token.kind.clone() {
            TokenKind::Identifier(selector) => {
                self.advance();
                Some((selector, Vec::new()))
            }
            TokenKind::Binary(selector) => {
                self.advance();
                let argument = self.declaration("the name of the argument")?;
                Some((selector, vec![argument]))
            }
            TokenKind::Keyword(_) => self.keyword_pattern(),
            _ => self.expected(number::EXPECTED_PATTERN, "a method that begins with its selector"),
        }
    }

    fn keyword_pattern(&mut self) -> Option<(String, Vec<Declaration>)> {
        let mut selector = String::new();
        let mut arguments = Vec::new();
        while let TokenKind::Keyword(keyword) = &self.token.kind {
            selector.push_str(keyword);
            self.advance();
            arguments.push(self.declaration("the name of the argument")?);
        }
        Some((selector, arguments))
    }

    pub(super) fn declaration(&mut self, what: &str) -> Option<Declaration> {
        let offset = self.token.start as u32;
        match self.token.kind.clone() {
            TokenKind::Identifier(name) => {
                self.advance();
                Some(Declaration { name, offset })
            }
            _ => self.expected(number::UNEXPECTED, what),
        }
    }

    fn body(&mut self, selector: String, arguments: Vec<Declaration>) -> Method {
        let mut pragmas = Vec::new();
        self.pragmas(&mut pragmas);
        let temporaries = self.temporaries();
        self.pragmas(&mut pragmas);
        let mut statements: Vec<Statement> = Vec::new();
        loop {
            self.statements(&mut statements);
            if self.token.kind == TokenKind::End {
                break;
            }
            self.expected::<()>(number::UNEXPECTED, "a statement or the end of the source");
            self.advance();
        }
        Method { selector, arguments, pragmas, temporaries, statements }
    }

    /// `| a b |`, if it stands here.
    pub(super) fn temporaries(&mut self) -> Vec<Declaration> {
        let mut names = Vec::new();
        if !self.skip_operator('|') {
            return names;
        }
        while let TokenKind::Identifier(name) = self.token.kind.clone() {
            names.push(Declaration { name, offset: self.token.start as u32 });
            self.advance();
        }
        if !self.skip_operator('|') {
            self.expected::<()>(number::UNEXPECTED, "the name of a temporary or |");
            self.recover(self.open);
        }
        names
    }

    fn pragmas(&mut self, pragmas: &mut Vec<Pragma>) {
        while self.at_operator('<') {
            if self.pragma(pragmas).is_none() {
                while !self.at_operator('>') && self.token.kind != TokenKind::End {
                    self.advance();
                }
                self.skip_operator('>');
            }
        }
    }

    /// `<name>`, `<key: literal …>`, or both behind each other as in `<protected primitive: 60>`.
    fn pragma(&mut self, pragmas: &mut Vec<Pragma>) -> Option<()> {
        let offset = self.token.start as u32;
        self.skip_operator('<');
        let is_unary = matches!(self.token.kind, TokenKind::Identifier(_));
        if let TokenKind::Identifier(selector) = self.token.kind.clone() {
            self.advance();
            pragmas.push(Pragma { selector, arguments: Vec::new(), offset });
        }
        let mut selector = String::new();
        let mut arguments: Vec<Literal> = Vec::new();
        while let TokenKind::Keyword(keyword) = &self.token.kind {
            selector.push_str(keyword);
            self.advance();
            arguments.push(self.pragma_argument()?);
        }
        if !arguments.is_empty() {
            pragmas.push(Pragma { selector, arguments, offset });
        } else if !is_unary {
            return self.expected(number::UNEXPECTED, "the name of a pragma");
        }
        if self.skip_operator('>') { Some(()) } else { self.expected(number::UNEXPECTED, "> to close the pragma") }
    }
}
