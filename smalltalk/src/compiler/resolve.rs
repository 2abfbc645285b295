//! Binds names. Walks the syntax tree once, in the order of evaluation, and answers the tree of [`super::node`]
//! together with the tables of its variables. Notes every error and goes on, so that all come at once.

mod inline;

use super::Scope;
use super::node::{BindingIndex, BlockNode, InlinedBlock, Node, Send, Statement, Target};
use super::tables::{ScopeId, Tables, VariableId, VariableKind};
use crate::syntax::ast::{self, Block, Declaration, Expression, ExpressionKind, Message, Method, Pseudo};
use crate::syntax::{CompileError, MAX_ERRORS, error_number};
use std::collections::HashMap;

pub(super) struct Resolved<B> {
    pub(super) tables: Tables,
    pub(super) bindings: Vec<B>,
    pub(super) statements: Vec<Statement>,
}

pub(super) struct Resolver<'a, S: Scope> {
    source: &'a str,
    outer: &'a mut S,
    errors: &'a mut Vec<CompileError>,
    tables: Tables,
    bindings: Vec<S::Binding>,
    /// What each outer name came to; an unknown one is reported once.
    names: HashMap<String, Option<BindingIndex>>,
}

impl<'a, S: Scope> Resolver<'a, S> {
    pub(super) fn new(source: &'a str, outer: &'a mut S, errors: &'a mut Vec<CompileError>) -> Self {
        Self { source, outer, errors, tables: Tables::default(), bindings: Vec::new(), names: HashMap::new() }
    }

    pub(super) fn method(mut self, method: &Method) -> Resolved<S::Binding> {
        let frame = self.tables.new_frame(None, method.arguments.len(), 0);
        let scope = self.tables.new_scope(None, frame, false);
        self.declare_arguments(&method.arguments, scope);
        self.declare_temporaries(&method.temporaries, scope);
        let statements = self.statements(&method.statements, scope);
        Resolved { tables: self.tables, bindings: self.bindings, statements }
    }

    fn error(&mut self, number: u16, offset: u32, message: String) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(CompileError::new(self.source, number, offset, message));
        }
    }

    fn declare_arguments(&mut self, arguments: &[Declaration], scope: ScopeId) {
        for (index, argument) in arguments.iter().enumerate() {
            self.declare(argument, scope, VariableKind::Argument(index));
        }
    }

    fn declare_temporaries(&mut self, temporaries: &[Declaration], scope: ScopeId) {
        for temporary in temporaries {
            self.declare(temporary, scope, VariableKind::Temporary);
        }
    }

    fn declare(&mut self, declaration: &Declaration, scope: ScopeId, kind: VariableKind) -> VariableId {
        let name = &declaration.name;
        let collides_with = if Pseudo::named(name).is_some() {
            Some("is a reserved name")
        } else if self.outer.instance_variable(name).is_some() {
            Some("is an instance variable")
        } else if self.tables.scopes[scope].names.contains_key(name) {
            // A block may shadow the variables around it.
            Some("is an argument or a temporary here already")
        } else {
            None
        };
        if let Some(why) = collides_with {
            let message = format!("variable already declared: {name} {why}, expected another name");
            self.error(error_number::ALREADY_DECLARED, declaration.offset, message);
        }
        self.tables.new_variable(scope, kind, Some(name))
    }

    fn statements(&mut self, statements: &[ast::Statement], scope: ScopeId) -> Vec<Statement> {
        let mut resolved = Vec::with_capacity(statements.len());
        for statement in statements {
            resolved.push(match statement {
                ast::Statement::Expression(expression) => Statement::Evaluate(self.expression(expression, scope)),
                ast::Statement::Return(expression) => Statement::Return(self.expression(expression, scope)),
            });
        }
        resolved
    }

    fn expression(&mut self, expression: &Expression, scope: ScopeId) -> Node {
        let offset = expression.offset;
        match &expression.kind {
            ExpressionKind::Variable(name) => self.read(name, offset, scope),
            ExpressionKind::Pseudo(pseudo) => self.pseudo(*pseudo, offset),
            ExpressionKind::Literal(literal) => Node::Literal(literal.clone()),
            ExpressionKind::Block(block) => self.block(block, offset, scope),
            ExpressionKind::Array(elements) => {
                let elements = elements.iter().map(|element| self.expression(element, scope)).collect();
                Node::Array(elements, offset)
            }
            ExpressionKind::Assignment { target, value } => self.assignment(target, value, scope),
            ExpressionKind::Send { receiver, messages } => self.chain(receiver, messages, scope),
            ExpressionKind::Cascade { receiver, messages } => self.cascade(receiver, messages, scope),
        }
    }

    fn pseudo(&mut self, pseudo: Pseudo, offset: u32) -> Node {
        match pseudo {
            Pseudo::SelfReference => Node::SelfReference,
            Pseudo::Nil => Node::Nil,
            Pseudo::True => Node::Boolean(true),
            Pseudo::False => Node::Boolean(false),
            Pseudo::ThisContext => Node::ThisContext,
            Pseudo::Super => {
                let message = "expected a message to super: super alone is no value".to_owned();
                self.error(error_number::UNEXPECTED, offset, message);
                Node::SelfReference
            }
        }
    }

    fn read(&mut self, name: &str, offset: u32, scope: ScopeId) -> Node {
        if let Some(variable) = self.tables.lookup(scope, name) {
            self.tables.note_read(variable, scope);
            return Node::Read(Target::Variable(variable));
        }
        self.outer_variable(name, offset).map_or(Node::Nil, Node::Read)
    }

    /// An instance variable, or one that the scope around the source knows.
    fn outer_variable(&mut self, name: &str, offset: u32) -> Option<Target> {
        if let Some(index) = self.outer.instance_variable(name) {
            return Some(Target::InstanceVariable(index));
        }
        if let Some(known) = self.names.get(name) {
            return known.map(Target::Binding);
        }
        let index = self.outer.binding(name).map(|binding| {
            self.bindings.push(binding);
            self.bindings.len() - 1
        });
        self.names.insert(name.to_owned(), index);
        if index.is_none() {
            self.error(error_number::UNDEFINED, offset, format!("undefined symbol {name}"));
        }
        index.map(Target::Binding)
    }

    fn assignment(&mut self, target: &Declaration, value: &Expression, scope: ScopeId) -> Node {
        let name = target.name.as_str();
        let value = self.expression(value, scope);
        let resolved = match self.tables.lookup(scope, name) {
            _ if Pseudo::named(name).is_some() => self.not_assignable(target, "it is not a variable"),
            Some(variable) if self.tables.variables[variable].kind == VariableKind::Temporary => {
                self.tables.note_assignment(variable, scope);
                Some(Target::Variable(variable))
            }
            Some(_) => self.not_assignable(target, "it is an argument"),
            None => self.outer_variable(name, target.offset),
        };
        resolved.map_or(Node::Nil, |target| Node::Assign(target, Box::new(value)))
    }

    fn not_assignable(&mut self, target: &Declaration, why: &str) -> Option<Target> {
        let message = format!("cannot assign to {}: {why}", target.name);
        self.error(error_number::NOT_ASSIGNABLE, target.offset, message);
        None
    }

    fn block(&mut self, block: &Block, offset: u32, scope: ScopeId) -> Node {
        let frame = self.tables.new_frame(Some(scope), block.arguments.len(), offset);
        let inner = self.tables.new_scope(Some(scope), frame, false);
        self.declare_arguments(&block.arguments, inner);
        self.declare_temporaries(&block.temporaries, inner);
        let statements = self.statements(&block.statements, inner);
        Node::Block(BlockNode { frame, scope: inner, statements, offset })
    }

    /// A block that runs in the frame around it, in a scope of its own.
    fn inlined_block(&mut self, block: &Block, enclosing: ScopeId) -> InlinedBlock {
        let frame = self.tables.scopes[enclosing].frame;
        let scope = self.tables.new_scope(Some(enclosing), frame, false);
        let mut argument = None;
        for declaration in &block.arguments {
            argument = Some(self.declare(declaration, scope, VariableKind::InlinedArgument));
        }
        self.declare_temporaries(&block.temporaries, scope);
        InlinedBlock { scope, argument, statements: self.statements(&block.statements, scope) }
    }

    fn chain(&mut self, receiver: &Expression, messages: &[Message], scope: ScopeId) -> Node {
        let to_super = receiver.kind == ExpressionKind::Pseudo(Pseudo::Super);
        let (first, messages) = match self.inlined_loop(receiver, &messages[0], scope) {
            Some(node) => (node, &messages[1..]),
            None if to_super => (Node::SelfReference, messages),
            None => (self.expression(receiver, scope), messages),
        };
        let mut sends = Vec::with_capacity(messages.len());
        for (index, message) in messages.iter().enumerate() {
            let sent_to_super = to_super && index == 0;
            let control = if sent_to_super { None } else { self.inlined_control(message, scope) };
            if let Some(control) = control {
                // Only keyword messages are inlined here, and they end a chain.
                return Node::Control { subject: Box::new(chain_node(first, sends)), control: Box::new(control) };
            }
            sends.push(self.send(message, sent_to_super, scope));
        }
        chain_node(first, sends)
    }

    fn cascade(&mut self, receiver: &Expression, messages: &[Message], scope: ScopeId) -> Node {
        let to_super = receiver.kind == ExpressionKind::Pseudo(Pseudo::Super);
        let receiver = if to_super { Node::SelfReference } else { self.expression(receiver, scope) };
        let messages = messages.iter().map(|message| self.send(message, to_super, scope)).collect();
        Node::Cascade { receiver: Box::new(receiver), messages }
    }

    fn send(&mut self, message: &Message, to_super: bool, scope: ScopeId) -> Send {
        if let Some(environment) = message.environment.filter(|environment| *environment != 0) {
            let text = format!("method environment {environment} does not exist here, expected @env0: or no prefix");
            self.error(error_number::UNSUPPORTED, message.offset, text);
        }
        if message.arguments.len() > usize::from(u8::MAX) {
            let text = "a message with more than 255 arguments".to_owned();
            self.error(error_number::TOO_LARGE, message.offset, text);
        }
        let arguments = message.arguments.iter().map(|argument| self.expression(argument, scope)).collect();
        Send { selector: message.selector.clone(), arguments, to_super, offset: message.offset }
    }
}

fn chain_node(receiver: Node, sends: Vec<Send>) -> Node {
    if sends.is_empty() {
        return receiver;
    }
    Node::Chain { receiver: Box::new(receiver), sends }
}
