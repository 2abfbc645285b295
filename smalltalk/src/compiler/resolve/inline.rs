//! Which messages become jumps: those whose arguments (and, for loops, whose receiver) are literal blocks of the right
//! arity. Everything else is sent.

use super::Resolver;
use crate::compiler::Scope;
use crate::compiler::node::{Control, Count, Node, While};
use crate::compiler::tables::{ScopeId, VariableKind};
use crate::syntax::ast::{Block, Expression, ExpressionKind, Literal, Message};
use num_bigint::Sign;

impl<S: Scope> Resolver<'_, S> {
    /// A loop whose receiver is a literal block.
    pub(super) fn inlined_loop(&mut self, receiver: &Expression, message: &Message, scope: ScopeId) -> Option<Node> {
        let condition = literal_block(receiver, 0)?;
        let goes_on = match (message.selector.as_str(), message.arguments.as_slice()) {
            ("repeat", []) => {
                let around = self.loop_scope(scope);
                return Some(Node::Repeat(self.inlined_block(condition, around)));
            }
            ("whileTrue", []) => true,
            ("whileFalse", []) => false,
            ("whileTrue:", [body]) if literal_block(body, 0).is_some() => true,
            ("whileFalse:", [body]) if literal_block(body, 0).is_some() => false,
            _ => return None,
        };
        let around = self.loop_scope(scope);
        let condition = self.inlined_block(condition, around);
        let body = message.arguments.first().and_then(|body| literal_block(body, 0));
        let body = body.map(|body| self.inlined_block(body, around));
        Some(Node::While(Box::new(While { condition, body, goes_on, offset: message.offset })))
    }

    fn loop_scope(&mut self, scope: ScopeId) -> ScopeId {
        let frame = self.tables.scopes[scope].frame;
        self.tables.new_scope(Some(scope), frame, true)
    }

    /// Control flow that depends on the value of any receiver.
    pub(super) fn inlined_control(&mut self, message: &Message, scope: ScopeId) -> Option<Control> {
        if message.environment.is_some_and(|environment| environment != 0) {
            return None;
        }
        match message.selector.as_str() {
            "ifTrue:" | "ifFalse:" | "ifTrue:ifFalse:" | "ifFalse:ifTrue:" => self.inlined_if(message, scope),
            "ifNil:" | "ifNotNil:" | "ifNil:ifNotNil:" | "ifNotNil:ifNil:" => self.inlined_if_nil(message, scope),
            "and:" => {
                let rest = literal_block(&message.arguments[0], 0)?;
                Some(Control::And { rest: self.inlined_block(rest, scope), offset: message.offset })
            }
            "or:" => {
                let rest = literal_block(&message.arguments[0], 0)?;
                Some(Control::Or { rest: self.inlined_block(rest, scope), offset: message.offset })
            }
            "to:do:" | "to:by:do:" => self.inlined_to_do(message, scope),
            "timesRepeat:" => self.inlined_times_repeat(message, scope),
            _ => None,
        }
    }

    fn inlined_if(&mut self, message: &Message, scope: ScopeId) -> Option<Control> {
        if message.arguments.iter().any(|argument| literal_block(argument, 0).is_none()) {
            return None;
        }
        let mut arms = message.arguments.iter().filter_map(|argument| literal_block(argument, 0));
        let first = arms.next().map(|arm| self.inlined_block(arm, scope));
        let second = arms.next().map(|arm| self.inlined_block(arm, scope));
        let true_first = message.selector.starts_with("ifTrue:");
        let (on_true, on_false) = if true_first { (first, second) } else { (second, first) };
        Some(Control::If { on_true, on_false, offset: message.offset })
    }

    fn inlined_if_nil(&mut self, message: &Message, scope: ScopeId) -> Option<Control> {
        let mut on_nil = None;
        let mut on_value = None;
        for (keyword, argument) in message.selector.split_inclusive(':').zip(&message.arguments) {
            if keyword == "ifNil:" {
                on_nil = Some(literal_block(argument, 0)?);
            } else {
                on_value = Some(literal_block(argument, 0).or_else(|| literal_block(argument, 1))?);
            }
        }
        let on_nil = on_nil.map(|arm| self.inlined_block(arm, scope));
        let on_value = on_value.map(|arm| self.inlined_block(arm, scope));
        Some(Control::IfNil { on_nil, on_value })
    }

    fn inlined_to_do(&mut self, message: &Message, scope: ScopeId) -> Option<Control> {
        let (step, descends) = match message.arguments.as_slice() {
            [_, step, _] => literal_step(step)?,
            _ => (Literal::Integer(1.into()), false),
        };
        let body = literal_block(message.arguments.last()?, 1)?;
        let limit = Some(self.expression(&message.arguments[0], scope));
        let around = self.loop_scope(scope);
        let limit_variable = self.tables.new_variable(around, VariableKind::Temporary, None);
        let body = self.inlined_block(body, around);
        let counter = body.argument?;
        let count = Count { limit, step, descends, counter, limit_variable, body, offset: message.offset };
        Some(Control::Count(Box::new(count)))
    }

    fn inlined_times_repeat(&mut self, message: &Message, scope: ScopeId) -> Option<Control> {
        let body = literal_block(&message.arguments[0], 0)?;
        let around = self.loop_scope(scope);
        let counter = self.tables.new_variable(around, VariableKind::Temporary, None);
        let limit_variable = self.tables.new_variable(around, VariableKind::Temporary, None);
        let body = self.inlined_block(body, around);
        let step = Literal::Integer(1.into());
        let offset = message.offset;
        let count = Count { limit: None, step, descends: false, counter, limit_variable, body, offset };
        Some(Control::Count(Box::new(count)))
    }
}

fn literal_block(expression: &Expression, arity: usize) -> Option<&Block> {
    match &expression.kind {
        ExpressionKind::Block(block) if block.arguments.len() == arity => Some(block),
        _ => None,
    }
}

/// A constant step that is not zero, and whether it leads downwards.
fn literal_step(expression: &Expression) -> Option<(Literal, bool)> {
    let ExpressionKind::Literal(literal) = &expression.kind else { return None };
    let descends = match literal {
        Literal::Integer(value) | Literal::ScaledDecimal { unscaled: value, .. } if value.sign() != Sign::NoSign => {
            value.sign() == Sign::Minus
        }
        Literal::Float(value) if *value != 0.0 => *value < 0.0,
        _ => return None,
    };
    Some((literal.clone(), descends))
}
