//! Writes the code of a method and of the blocks within it. Whoever asks for code says whether the value is wanted:
//! what nobody wants is not pushed.

use super::assemble::Assembler;
use super::layout::{Copied, Place, Plan};
use super::literals::{Literals, converted};
use super::node::{BlockNode, Node, Send, Statement, Target};
use super::tables::{FrameId, ScopeId, VariableId};
use crate::bytecode::{BlockDescriptor, Literal, MethodCode, Operation, PrimitiveName, instruction};
use crate::syntax::ast::{self, Method};
use crate::syntax::{CompileError, error_number};
use num_traits::ToPrimitive;

/// Whether a value is left on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Value,
    Effect,
}

const METHOD_FRAME: FrameId = 0;
const METHOD_SCOPE: ScopeId = 0;

/// Selector and arguments of a pragma.
type PragmaCode<B> = (String, Vec<Literal<B>>);

/// The primitive of a method, and its other pragmas.
type Pragmas<B> = (Option<PrimitiveName>, Vec<PragmaCode<B>>);

/// The most words that a frame may need behind its header.
const MAX_FRAME_WORDS: usize = 60_000;

pub(super) struct Generator<'a, B> {
    source: &'a str,
    pub(super) plan: Plan,
    pub(super) assembler: Assembler<B>,
    frame: FrameId,
    frame_words: usize,
    /// Whether the code of the current frame, blocks within it included, returns from home.
    returns_from_home: bool,
    /// Where the code of each frame begins.
    starts: Vec<(FrameId, usize)>,
}

/// The three instructions that reach a kind of variable.
enum Access {
    Read,
    Store,
    Pop,
}

impl<'a, B: Clone> Generator<'a, B> {
    pub(super) fn new(source: &'a str, plan: Plan, bindings: Vec<B>) -> Self {
        let assembler = Assembler::new(Literals::new(bindings));
        let starts = vec![(METHOD_FRAME, 0)];
        Self { source, plan, assembler, frame: METHOD_FRAME, frame_words: 0, returns_from_home: false, starts }
    }

    pub(super) fn method(
        mut self,
        method: &Method,
        statements: Vec<Statement>,
        is_doit: bool,
    ) -> Result<MethodCode<B>, Vec<CompileError>> {
        self.body(&statements, is_doit);
        self.note_frame_words();
        let (primitive, pragmas) = self.pragmas(method)?;
        self.finish(method, primitive, pragmas)
    }

    /// The layout, and where the code of each frame begins.
    pub(super) fn frames(mut self, statements: &[Statement], is_doit: bool) -> (Plan, Vec<(FrameId, usize)>) {
        self.body(statements, is_doit);
        (self.plan, self.starts)
    }

    fn body(&mut self, statements: &[Statement], is_doit: bool) {
        self.enter_scope(METHOD_SCOPE);
        if is_doit {
            self.doit_body(statements);
        } else {
            self.statements(statements, Wanted::Effect);
            self.assembler.leave(Operation::ReturnSelf, 0);
        }
    }

    fn doit_body(&mut self, statements: &[Statement]) {
        match statements.split_last() {
            Some((Statement::Evaluate(last) | Statement::Return(last), earlier)) => {
                self.statements(earlier, Wanted::Effect);
                self.return_from_method(last);
            }
            None => self.return_from_method(&Node::Nil),
        }
    }

    fn finish(
        mut self,
        method: &Method,
        primitive: Option<PrimitiveName>,
        pragmas: Vec<PragmaCode<B>>,
    ) -> Result<MethodCode<B>, Vec<CompileError>> {
        let sites = self.assembler.operand(self.assembler.sites, "message sends");
        if self.frame_words > MAX_FRAME_WORDS {
            self.assembler.too_large("too many values are needed at a time");
        }
        if let Some((offset, message)) = self.assembler.broken {
            return Err(vec![CompileError::new(self.source, error_number::TOO_LARGE, offset, message)]);
        }
        Ok(MethodCode {
            selector: method.selector.clone(),
            arguments: method.arguments.len() as u8,
            temporaries: self.plan.frames[METHOD_FRAME].temporaries as u16,
            frame_words: self.frame_words as u16,
            primitive,
            pragmas,
            literals: self.assembler.literals.list,
            code: self.assembler.code,
            sites,
            positions: self.assembler.positions,
        })
    }

    fn pragmas(&self, method: &Method) -> Result<Pragmas<B>, Vec<CompileError>> {
        let mut primitive = None;
        let mut others = Vec::new();
        for pragma in &method.pragmas {
            if pragma.selector != "primitive:" {
                others.push((pragma.selector.clone(), pragma.arguments.iter().map(converted).collect()));
                continue;
            }
            let name = primitive_name(&pragma.arguments[0]);
            if name.is_none() || primitive.is_some() {
                let message = "expected one primitive, by a number or a symbol";
                let error = CompileError::new(self.source, error_number::INVALID_LITERAL, pragma.offset, message);
                return Err(vec![error]);
            }
            primitive = name;
        }
        Ok((primitive, others))
    }

    fn note_frame_words(&mut self) {
        let layout = &self.plan.frames[self.frame];
        let words = layout.copied.len() + layout.temporaries + self.assembler.stack.peak;
        self.frame_words = self.frame_words.max(words);
    }

    /// Makes the variables of a scope fresh: its vector, and in a loop also what the last round left behind.
    pub(super) fn enter_scope(&mut self, scope: ScopeId) {
        if let Some(vector) = self.plan.vectors[scope] {
            self.assembler.push(Operation::PushNewVector, vector.size as u16);
            self.assembler.operation(Operation::PopTemporary, 0, vector.offset as u16, 1, 0);
        }
        if !self.plan.tables.is_in_loop(scope) {
            return;
        }
        for variable in self.plan.tables.scopes[scope].temporaries.clone() {
            let needs_nil = self.plan.tables.variables[variable].set_before_read == Some(false);
            if needs_nil && matches!(self.plan.place(variable, self.frame), Place::Temporary(_)) {
                self.assembler.push(Operation::PushNil, 0);
                self.pop_into(variable);
            }
        }
    }

    pub(super) fn statements(&mut self, statements: &[Statement], wanted: Wanted) {
        let Some((last, earlier)) = statements.split_last() else {
            if wanted == Wanted::Value {
                self.assembler.push(Operation::PushNil, 0);
            }
            return;
        };
        for statement in earlier {
            self.statement(statement, Wanted::Effect);
        }
        self.statement(last, wanted);
    }

    pub(super) fn statement(&mut self, statement: &Statement, wanted: Wanted) {
        match statement {
            Statement::Evaluate(node) => self.node(node, wanted),
            Statement::Return(node) if self.frame == METHOD_FRAME => self.return_from_method(node),
            Statement::Return(node) => {
                self.node(node, Wanted::Value);
                self.returns_from_home |= self.assembler.reachable;
                self.assembler.leave(Operation::ReturnFromHome, 1);
            }
        }
    }

    fn return_from_method(&mut self, node: &Node) {
        if matches!(node, Node::SelfReference) {
            self.assembler.leave(Operation::ReturnSelf, 0);
        } else {
            self.node(node, Wanted::Value);
            self.assembler.leave(Operation::ReturnTop, 1);
        }
    }

    pub(super) fn node(&mut self, node: &Node, wanted: Wanted) {
        match node {
            Node::Assign(target, value) => self.assign(*target, value, wanted),
            Node::While(looping) => self.while_loop(looping, wanted),
            Node::Repeat(body) => self.repeat(body),
            Node::Control { subject, control } => self.control(subject, control, wanted),
            Node::Chain { receiver, sends } => {
                self.chain(receiver, sends);
                self.drop_unless(wanted);
            }
            Node::Cascade { receiver, messages } => {
                self.cascade(receiver, messages);
                self.drop_unless(wanted);
            }
            Node::Array(elements, offset) => self.array(elements, *offset, wanted),
            _ if wanted == Wanted::Effect => {}
            _ => self.simple_value(node),
        }
    }

    /// A value that can be had without an effect.
    fn simple_value(&mut self, node: &Node) {
        match node {
            Node::SelfReference => self.assembler.push(Operation::PushSelf, 0),
            Node::Boolean(true) => self.assembler.push(Operation::PushTrue, 0),
            Node::Boolean(false) => self.assembler.push(Operation::PushFalse, 0),
            Node::ThisContext => self.assembler.push(Operation::PushThisContext, 0),
            Node::Literal(literal) => self.push_literal(literal),
            Node::Read(target) => self.access(*target, Access::Read),
            Node::Block(block) => self.block(block),
            _ => self.assembler.push(Operation::PushNil, 0),
        }
    }

    fn drop_unless(&mut self, wanted: Wanted) {
        if wanted == Wanted::Effect {
            self.assembler.pop();
        }
    }

    pub(super) fn push_literal(&mut self, literal: &ast::Literal) {
        let small = match literal {
            ast::Literal::Integer(value) => value.to_i16(),
            _ => None,
        };
        match small {
            Some(value) => self.assembler.push(Operation::PushSmallInteger, value as u16),
            None => self.assembler.push_constant(literal),
        }
    }

    fn access(&mut self, target: Target, access: Access) {
        use Operation::*;
        let (operations, a, b) = match target {
            Target::Variable(variable) => match self.plan.place(variable, self.frame) {
                Place::Temporary(offset) => ([PushTemporary, StoreTemporary, PopTemporary], 0, offset as u16),
                Place::Vector { index, offset } => {
                    ([PushVectorTemporary, StoreVectorTemporary, PopVectorTemporary], index, offset as u16)
                }
            },
            Target::InstanceVariable(index) => {
                ([PushInstanceVariable, StoreInstanceVariable, PopInstanceVariable], 0, index)
            }
            Target::Binding(index) if self.assembler.reachable => {
                let literal = self.assembler.literals.binding(index);
                let literal = self.assembler.operand(literal, "literals");
                ([PushGlobal, StoreGlobal, PopGlobal], 0, literal)
            }
            Target::Binding(_) => return,
        };
        let [read, store, pop] = operations;
        match access {
            Access::Read => self.assembler.operation(read, a, b, 0, 1),
            Access::Store => self.assembler.operation(store, a, b, 1, 1),
            Access::Pop => self.assembler.operation(pop, a, b, 1, 0),
        }
    }

    pub(super) fn push_variable(&mut self, variable: VariableId) {
        self.access(Target::Variable(variable), Access::Read);
    }

    pub(super) fn store_into(&mut self, variable: VariableId) {
        self.access(Target::Variable(variable), Access::Store);
    }

    pub(super) fn pop_into(&mut self, variable: VariableId) {
        self.access(Target::Variable(variable), Access::Pop);
    }

    fn assign(&mut self, target: Target, value: &Node, wanted: Wanted) {
        self.node(value, Wanted::Value);
        self.access(target, if wanted == Wanted::Value { Access::Store } else { Access::Pop });
    }

    fn array(&mut self, elements: &[Node], offset: u32, wanted: Wanted) {
        for element in elements {
            self.node(element, wanted);
        }
        if wanted == Wanted::Value {
            self.assembler.at(offset);
            let count = self.assembler.operand(elements.len(), "elements in braces");
            self.assembler.operation(Operation::PushNewArray, 0, count, elements.len(), 1);
        }
    }

    pub(super) fn chain(&mut self, receiver: &Node, sends: &[Send]) {
        self.node(receiver, Wanted::Value);
        for send in sends {
            self.send(send);
        }
    }

    fn send(&mut self, send: &Send) {
        for argument in &send.arguments {
            self.node(argument, Wanted::Value);
        }
        self.assembler.send(&send.selector, send.arguments.len(), send.to_super, send.offset);
    }

    fn cascade(&mut self, receiver: &Node, messages: &[Send]) {
        self.node(receiver, Wanted::Value);
        let Some((last, earlier)) = messages.split_last() else { return };
        for message in earlier {
            self.assembler.operation(Operation::Duplicate, 0, 0, 1, 2);
            self.send(message);
            self.assembler.pop();
        }
        self.send(last);
    }

    fn block(&mut self, block: &BlockNode) {
        if !self.assembler.reachable {
            return;
        }
        let copied = self.plan.frames[block.frame].copied.clone();
        for entry in &copied {
            match *entry {
                Copied::Variable(variable) => self.push_variable(variable),
                Copied::Vector(scope) => {
                    let offset = self.plan.vector_offset(scope, self.frame);
                    self.assembler.push(Operation::PushTemporary, offset as u16);
                }
            }
        }
        self.assembler.at(block.offset);
        let start = self.assembler.here();
        self.assembler.operation(Operation::PushBlock, copied.len() as u8, 0, copied.len(), 1);
        self.assembler.code.push(0);
        self.block_body(block);
        self.assembler.at(block.offset);
        let words = self.assembler.operand(self.assembler.here() - start - 2, "instructions in a block");
        self.assembler.code[start] = instruction(Operation::PushBlock, copied.len() as u8, words);
    }

    fn descriptor(&self, frame: FrameId, returns_from_home: bool) -> u32 {
        let table = &self.plan.tables.frames[frame];
        let descriptor = BlockDescriptor {
            arguments: table.argument_count as u8,
            temporaries: self.plan.frames[frame].temporaries as u8,
            returns_from_home,
        };
        descriptor.encode()
    }

    /// Writes the body behind the descriptor, and then the descriptor.
    fn block_body(&mut self, block: &BlockNode) {
        let descriptor_at = self.assembler.here() - 1;
        self.starts.push((block.frame, descriptor_at + 1));
        let outer_returns = std::mem::take(&mut self.returns_from_home);
        let outer_frame = std::mem::replace(&mut self.frame, block.frame);
        let outer_stack = std::mem::take(&mut self.assembler.stack);
        self.enter_scope(block.scope);
        self.statements(&block.statements, Wanted::Value);
        self.assembler.leave(Operation::ReturnTop, 1);
        self.note_frame_words();
        self.assembler.code[descriptor_at] = self.descriptor(block.frame, self.returns_from_home);
        self.returns_from_home |= outer_returns;
        self.frame = outer_frame;
        self.assembler.stack = outer_stack;
        self.assembler.reachable = true;
    }
}

fn primitive_name(literal: &ast::Literal) -> Option<PrimitiveName> {
    match literal {
        ast::Literal::Integer(number) => number.to_u32().map(PrimitiveName::Number),
        ast::Literal::Symbol(name) | ast::Literal::String(name) => Some(PrimitiveName::Name(name.clone())),
        _ => None,
    }
}
