//! Code of control flow that is not sent: conditions, tests for nil, loops.

use super::assemble::Label;
use super::generate::{Generator, Wanted};
use super::node::{Control, Count, InlinedBlock, Node, Send, Statement, While};
use crate::bytecode::Operation;
use crate::syntax::ast::Literal;

impl<B: Clone> Generator<'_, B> {
    pub(super) fn control(&mut self, subject: &Node, control: &Control, wanted: Wanted) {
        match control {
            Control::If { on_true: Some(on_true), on_false, offset } => {
                let mut otherwise = Label::default();
                self.condition(subject, false, &mut otherwise, *offset);
                self.arms(Some(on_true), otherwise, on_false.as_ref(), wanted);
            }
            Control::If { on_true: None, on_false, offset } => {
                let mut otherwise = Label::default();
                self.condition(subject, true, &mut otherwise, *offset);
                self.arms(on_false.as_ref(), otherwise, None, wanted);
            }
            Control::And { rest, offset } => self.and_or(subject, rest, false, *offset, wanted),
            Control::Or { rest, offset } => self.and_or(subject, rest, true, *offset, wanted),
            Control::IfNil { on_nil, on_value } => {
                self.node(subject, Wanted::Value);
                self.if_nil(on_nil.as_ref(), on_value.as_ref(), wanted);
            }
            Control::Count(count) => self.count(subject, count, wanted),
        }
    }

    fn inlined(&mut self, block: &InlinedBlock, wanted: Wanted) {
        self.enter_scope(block.scope);
        self.statements(&block.statements, wanted);
    }

    fn inlined_or_nil(&mut self, block: Option<&InlinedBlock>, wanted: Wanted) {
        match block {
            Some(block) => self.inlined(block, wanted),
            None => self.statements(&[], wanted),
        }
    }

    /// One arm here and one where `otherwise` leads.
    fn arms(&mut self, here: Option<&InlinedBlock>, otherwise: Label, there: Option<&InlinedBlock>, wanted: Wanted) {
        self.inlined_or_nil(here, wanted);
        if there.is_none() && wanted == Wanted::Effect {
            self.assembler.bind(otherwise);
            return;
        }
        let mut end = Label::default();
        self.assembler.jump(Operation::Jump, &mut end);
        self.assembler.bind(otherwise);
        self.inlined_or_nil(there, wanted);
        self.assembler.bind(end);
    }

    /// `and:` stops at false, `or:` at true.
    fn and_or(&mut self, subject: &Node, rest: &InlinedBlock, stops_at: bool, offset: u32, wanted: Wanted) {
        let mut stop = Label::default();
        self.condition(subject, stops_at, &mut stop, offset);
        self.inlined(rest, wanted);
        if wanted == Wanted::Effect {
            self.assembler.bind(stop);
            return;
        }
        let mut end = Label::default();
        self.assembler.jump(Operation::Jump, &mut end);
        self.assembler.bind(stop);
        self.node(&Node::Boolean(stops_at), Wanted::Value);
        self.assembler.bind(end);
    }

    /// Jumps to the label if the value of the node is `when`, else goes on behind; pushes no boolean if it can do
    /// without.
    fn condition(&mut self, node: &Node, when: bool, label: &mut Label, offset: u32) {
        match node {
            Node::Boolean(value) if *value == when => self.assembler.jump(Operation::Jump, label),
            Node::Boolean(_) => {}
            Node::Control { subject, control } => match control.as_ref() {
                Control::And { rest, offset: inner } => {
                    self.both(subject, rest, false, when, label, (*inner, offset));
                }
                Control::Or { rest, offset: inner } => {
                    self.both(subject, rest, true, when, label, (*inner, offset));
                }
                _ => self.general_condition(node, when, label, offset),
            },
            Node::Chain { receiver, sends } => match nil_test(sends) {
                Some(is_nil) => {
                    self.chain(receiver, &sends[..sends.len() - 1]);
                    let jumps_on_nil = is_nil == when;
                    let jump = if jumps_on_nil { Operation::JumpIfNil } else { Operation::JumpIfNotNil };
                    self.assembler.jump(jump, label);
                }
                None => self.general_condition(node, when, label, offset),
            },
            _ => self.general_condition(node, when, label, offset),
        }
    }

    fn general_condition(&mut self, node: &Node, when: bool, label: &mut Label, offset: u32) {
        self.node(node, Wanted::Value);
        self.assembler.jump_if(when, label, offset);
    }

    /// An `and:` (`stops_at` false) or `or:` (true) as a condition. `offsets`: of its selector, and of the outer one.
    fn both(
        &mut self,
        subject: &Node,
        rest: &InlinedBlock,
        stops_at: bool,
        when: bool,
        label: &mut Label,
        offsets: (u32, u32),
    ) {
        if stops_at == when {
            self.condition(subject, when, label, offsets.0);
            self.condition_block(rest, when, label, offsets.1);
        } else {
            let mut stop = Label::default();
            self.condition(subject, stops_at, &mut stop, offsets.0);
            self.condition_block(rest, when, label, offsets.1);
            self.assembler.bind(stop);
        }
    }

    fn condition_block(&mut self, block: &InlinedBlock, when: bool, label: &mut Label, offset: u32) {
        self.enter_scope(block.scope);
        let Some((Statement::Evaluate(last), earlier)) = block.statements.split_last() else {
            self.statements(&block.statements, Wanted::Value);
            self.assembler.jump_if(when, label, offset);
            return;
        };
        for statement in earlier {
            self.statement(statement, Wanted::Effect);
        }
        self.condition(last, when, label, offset);
    }

    /// The subject is on the stack.
    fn if_nil(&mut self, on_nil: Option<&InlinedBlock>, on_value: Option<&InlinedBlock>, wanted: Wanted) {
        let mut otherwise = Label::default();
        let argument = on_value.and_then(|block| block.argument);
        if wanted == Wanted::Value && on_nil.is_none() != on_value.is_none() {
            // The subject itself is the value on the other side.
            let jump = if on_nil.is_some() { Operation::JumpIfNotNil } else { Operation::JumpIfNil };
            self.assembler.operation(Operation::Duplicate, 0, 0, 1, 2);
            self.assembler.jump(jump, &mut otherwise);
            match argument {
                Some(argument) => self.pop_into(argument),
                None => self.assembler.pop(),
            }
            self.inlined_or_nil(on_nil.or(on_value), wanted);
            self.assembler.bind(otherwise);
            return;
        }
        if let Some(argument) = argument {
            self.store_into(argument);
        }
        if on_value.is_some() {
            self.assembler.jump(Operation::JumpIfNil, &mut otherwise);
            self.arms(on_value, otherwise, on_nil, wanted);
        } else {
            self.assembler.jump(Operation::JumpIfNotNil, &mut otherwise);
            self.arms(on_nil, otherwise, None, wanted);
        }
    }

    pub(super) fn while_loop(&mut self, looping: &While, wanted: Wanted) {
        let top = self.assembler.here();
        let mut end = Label::default();
        self.condition_block(&looping.condition, !looping.goes_on, &mut end, looping.offset);
        if let Some(body) = &looping.body {
            self.inlined(body, Wanted::Effect);
        }
        self.assembler.jump_back(top);
        self.assembler.bind(end);
        self.statements(&[], wanted);
    }

    /// Nothing follows it: it is left by a return only.
    pub(super) fn repeat(&mut self, body: &InlinedBlock) {
        let top = self.assembler.here();
        self.inlined(body, Wanted::Effect);
        self.assembler.jump_back(top);
    }

    /// Counts from the subject to the limit, or from 1 to the subject. The value is the subject.
    fn count(&mut self, subject: &Node, count: &Count, wanted: Wanted) {
        self.node(subject, Wanted::Value);
        if wanted == Wanted::Value {
            self.assembler.operation(Operation::Duplicate, 0, 0, 1, 2);
        }
        let constant_limit = match &count.limit {
            Some(Node::Literal(literal @ Literal::Integer(_))) => Some(literal),
            _ => None,
        };
        match &count.limit {
            Some(_) if constant_limit.is_some() => self.pop_into(count.counter),
            Some(limit) => {
                self.node(limit, Wanted::Value);
                self.pop_into(count.limit_variable);
                self.pop_into(count.counter);
            }
            None => {
                self.pop_into(count.limit_variable);
                self.push_literal(&Literal::Integer(1.into()));
                self.pop_into(count.counter);
            }
        }
        self.count_rounds(count, constant_limit);
    }

    fn count_rounds(&mut self, count: &Count, constant_limit: Option<&Literal>) {
        let top = self.assembler.here();
        let mut end = Label::default();
        self.push_variable(count.counter);
        match constant_limit {
            Some(limit) => self.push_literal(limit),
            None => self.push_variable(count.limit_variable),
        }
        let comparison = if count.descends { ">=" } else { "<=" };
        self.assembler.send(comparison, 1, false, count.offset);
        self.assembler.jump_if(false, &mut end, count.offset);
        self.inlined(&count.body, Wanted::Effect);
        self.push_variable(count.counter);
        self.push_literal(&count.step);
        self.assembler.send("+", 1, false, count.offset);
        self.pop_into(count.counter);
        self.assembler.jump_back(top);
        self.assembler.bind(end);
    }
}

/// Whether the last send is `isNil` (true) or `notNil` (false).
fn nil_test(sends: &[Send]) -> Option<bool> {
    let last = sends.last().filter(|send| !send.to_super)?;
    match last.selector.as_str() {
        "isNil" => Some(true),
        "notNil" => Some(false),
        _ => None,
    }
}
