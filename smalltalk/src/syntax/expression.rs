//! Parses statements and expressions. Recursion happens in [`Parser::nested`] only, so it is bounded; a chain of
//! messages is a loop.

use super::ast::{Block, Expression, ExpressionKind, Message, Pseudo, Statement};
use super::error::number;
use super::parser::Parser;
use super::token::TokenKind;

impl Parser<'_> {
    /// Statements up to a closing bracket or the end. A statement with an error is left out.
    pub(super) fn statements(&mut self, statements: &mut Vec<Statement>) {
        let level = self.level();
        loop {
            while self.skip(&TokenKind::Period) {}
            if self.at_end_of_statements() {
                return;
            }
            match self.statement() {
                Some(statement) => statements.push(statement),
                None => self.recover(level),
            }
            if self.token.kind != TokenKind::Period && !self.at_end_of_statements() {
                self.expected::<()>(number::UNEXPECTED, "a period or the end of the statement");
                self.recover(level);
            }
        }
    }

    fn at_end_of_statements(&self) -> bool {
        self.token.kind == TokenKind::End || self.token.kind.closes()
    }

    fn statement(&mut self) -> Option<Statement> {
        if self.skip(&TokenKind::Caret) {
            return self.expression().map(Statement::Return);
        }
        self.expression().map(Statement::Expression)
    }

    fn expression(&mut self) -> Option<Expression> {
        self.nested(|parser| {
            let offset = parser.token.start as u32;
            let TokenKind::Identifier(name) = parser.token.kind.clone() else {
                let primary = parser.primary()?;
                return parser.messages(primary);
            };
            parser.advance();
            if parser.skip(&TokenKind::Assign) {
                let value = Box::new(parser.expression()?);
                let target = super::ast::Declaration { name, offset };
                return Some(Expression { kind: ExpressionKind::Assignment { target, value }, offset });
            }
            parser.messages(variable(name, offset))
        })
    }

    /// All messages behind a primary: unary, binary, keyword, cascade.
    fn messages(&mut self, primary: Expression) -> Option<Expression> {
        let offset = primary.offset;
        let mut messages = Vec::new();
        self.unary_messages(&mut messages);
        self.binary_messages(&mut messages)?;
        if matches!(self.token.kind, TokenKind::Keyword(_)) {
            messages.push(self.keyword_message()?);
        }
        if self.token.kind != TokenKind::Semicolon {
            return Some(send(primary, messages));
        }
        let Some(first) = messages.pop() else {
            return self.expected(number::UNEXPECTED, "a message before the cascade");
        };
        let receiver = Box::new(send(primary, messages));
        let messages = self.cascade(first)?;
        Some(Expression { kind: ExpressionKind::Cascade { receiver, messages }, offset })
    }

    fn cascade(&mut self, first: Message) -> Option<Vec<Message>> {
        let mut messages = vec![first];
        while self.skip(&TokenKind::Semicolon) {
            let message = match self.token.kind {
                TokenKind::Identifier(_) => self.unary_message(),
                TokenKind::Binary(_) => self.binary_message()?,
                TokenKind::Keyword(_) => self.keyword_message()?,
                _ => return self.expected(number::UNEXPECTED, "a message after ;"),
            };
            messages.push(message);
        }
        Some(messages)
    }

    fn unary_messages(&mut self, messages: &mut Vec<Message>) {
        while matches!(self.token.kind, TokenKind::Identifier(_)) {
            messages.push(self.unary_message());
        }
    }

    fn binary_messages(&mut self, messages: &mut Vec<Message>) -> Option<()> {
        while matches!(self.token.kind, TokenKind::Binary(_)) {
            messages.push(self.binary_message()?);
        }
        Some(())
    }

    fn unary_message(&mut self) -> Message {
        let (selector, offset, environment) = self.selector_word();
        Message { selector, arguments: Vec::new(), offset, environment }
    }

    fn binary_message(&mut self) -> Option<Message> {
        let (selector, offset, environment) = self.selector_word();
        let primary = self.primary()?;
        let mut messages = Vec::new();
        self.unary_messages(&mut messages);
        Some(Message { selector, arguments: vec![send(primary, messages)], offset, environment })
    }

    fn keyword_message(&mut self) -> Option<Message> {
        let offset = self.token.start as u32;
        let environment = self.token.environment.take();
        let mut selector = String::new();
        let mut arguments = Vec::new();
        while let TokenKind::Keyword(keyword) = &self.token.kind {
            selector.push_str(keyword);
            // Each keyword of a message may repeat the environment; another one is an error in `advance`.
            if self.token.environment == environment {
                self.token.environment = None;
            }
            self.advance();
            let primary = self.primary()?;
            let mut messages = Vec::new();
            self.unary_messages(&mut messages);
            self.binary_messages(&mut messages)?;
            arguments.push(send(primary, messages));
        }
        Some(Message { selector, arguments, offset, environment })
    }

    fn selector_word(&mut self) -> (String, u32, Option<u8>) {
        let environment = self.token.environment.take();
        let token = self.take();
        let selector = match token.kind {
            TokenKind::Identifier(selector) | TokenKind::Binary(selector) => selector,
            _ => String::new(),
        };
        (selector, token.start as u32, environment)
    }

    fn primary(&mut self) -> Option<Expression> {
        let offset = self.token.start as u32;
        let kind = match self.token.kind.clone() {
            TokenKind::Identifier(name) => {
                self.advance();
                return Some(variable(name, offset));
            }
            TokenKind::OpenParenthesis => return self.parenthesised(),
            TokenKind::OpenBracket => ExpressionKind::Block(self.block()?),
            TokenKind::OpenBrace => ExpressionKind::Array(self.brace_array()?),
            _ => match self.literal() {
                Some(literal) => ExpressionKind::Literal(literal?),
                None => return self.expected(number::EXPECTED_PRIMARY, "a primary expression"),
            },
        };
        Some(Expression { kind, offset })
    }

    fn parenthesised(&mut self) -> Option<Expression> {
        let open = self.take().start;
        let mut inner = self.expression()?;
        inner.offset = open as u32;
        self.close(&TokenKind::CloseParenthesis, ")", open)?;
        Some(inner)
    }

    fn block(&mut self) -> Option<Block> {
        let open = self.take().start;
        let mut arguments = Vec::new();
        while self.skip(&TokenKind::Colon) {
            arguments.push(self.declaration("the name of a block argument")?);
        }
        let ends_here = self.token.kind == TokenKind::CloseBracket;
        if !arguments.is_empty() && !ends_here && !self.skip_operator('|') {
            self.expected::<()>(number::UNEXPECTED, "| after the block's arguments");
            self.recover(self.level());
        }
        let temporaries = self.temporaries();
        let mut statements = Vec::new();
        self.statements(&mut statements);
        self.close(&TokenKind::CloseBracket, "]", open)?;
        Some(Block { arguments, temporaries, statements })
    }

    fn brace_array(&mut self) -> Option<Vec<Expression>> {
        let open = self.take().start;
        let mut elements = Vec::new();
        loop {
            while self.skip(&TokenKind::Period) {}
            if self.at_end_of_statements() {
                break;
            }
            elements.push(self.expression()?);
            if self.token.kind != TokenKind::Period {
                break;
            }
        }
        self.close(&TokenKind::CloseBrace, "}", open)?;
        Some(elements)
    }

    /// Takes the bracket that closes what was opened at `open`.
    pub(super) fn close(&mut self, kind: &TokenKind, text: &str, open: usize) -> Option<()> {
        if self.skip(kind) {
            return Some(());
        }
        let (line, column) = super::error::line_and_column(self.lexer.source, open);
        let opener = &self.lexer.source[open..=open];
        let what = format!("{text} for the {opener} of line {line}, column {column}");
        self.expected(number::EXPECTED_CLOSING, &what)
    }
}

fn variable(name: String, offset: u32) -> Expression {
    let kind = match Pseudo::named(&name) {
        Some(pseudo) => ExpressionKind::Pseudo(pseudo),
        None => ExpressionKind::Variable(name),
    };
    Expression { kind, offset }
}

fn send(receiver: Expression, messages: Vec<Message>) -> Expression {
    if messages.is_empty() {
        return receiver;
    }
    let offset = receiver.offset;
    Expression { kind: ExpressionKind::Send { receiver: Box::new(receiver), messages }, offset }
}
