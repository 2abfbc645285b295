//! The tree that the generator walks: names are bound, and what becomes jumps is told apart from what is sent.

use super::tables::{FrameId, ScopeId, VariableId};
use crate::syntax::ast::Literal;

pub(super) enum Statement {
    Evaluate(Node),
    Return(Node),
}

/// Index in the list of bindings of a method.
pub(super) type BindingIndex = usize;

#[derive(Clone, Copy)]
pub(super) enum Target {
    Variable(VariableId),
    InstanceVariable(u16),
    Binding(BindingIndex),
}

pub(super) enum Node {
    SelfReference,
    Nil,
    Boolean(bool),
    ThisContext,
    Literal(Literal),
    Read(Target),
    Assign(Target, Box<Node>),
    Array(Vec<Node>, u32),
    Block(BlockNode),
    While(Box<While>),
    Repeat(InlinedBlock),
    /// Messages, each to the answer of the one before.
    Chain {
        receiver: Box<Node>,
        sends: Vec<Send>,
    },
    /// Control flow that depends on the value of the subject.
    Control {
        subject: Box<Node>,
        control: Box<Control>,
    },
    /// Messages, all to one receiver.
    Cascade {
        receiver: Box<Node>,
        messages: Vec<Send>,
    },
}

/// A block that exists as an object.
pub(super) struct BlockNode {
    pub(super) frame: FrameId,
    pub(super) scope: ScopeId,
    pub(super) statements: Vec<Statement>,
    pub(super) offset: u32,
}

/// A block that runs in the frame around it.
pub(super) struct InlinedBlock {
    pub(super) scope: ScopeId,
    pub(super) argument: Option<VariableId>,
    pub(super) statements: Vec<Statement>,
}

pub(super) struct While {
    pub(super) condition: InlinedBlock,
    pub(super) body: Option<InlinedBlock>,
    /// The value of the condition that goes on.
    pub(super) goes_on: bool,
    pub(super) offset: u32,
}

/// Control flow without a send.
pub(super) enum Control {
    If { on_true: Option<InlinedBlock>, on_false: Option<InlinedBlock>, offset: u32 },
    IfNil { on_nil: Option<InlinedBlock>, on_value: Option<InlinedBlock> },
    And { rest: InlinedBlock, offset: u32 },
    Or { rest: InlinedBlock, offset: u32 },
    Count(Box<Count>),
}

pub(super) struct Send {
    pub(super) selector: String,
    pub(super) arguments: Vec<Node>,
    pub(super) to_super: bool,
    pub(super) offset: u32,
}

/// `to:do:`, `to:by:do:` and `timesRepeat:`; the latter counts from 1 to the receiver.
pub(super) struct Count {
    /// `None`: the receiver is the limit and counting starts at 1.
    pub(super) limit: Option<Node>,
    pub(super) step: Literal,
    pub(super) descends: bool,
    pub(super) counter: VariableId,
    /// Where the limit is kept, unless it is a constant.
    pub(super) limit_variable: VariableId,
    pub(super) body: InlinedBlock,
    pub(super) offset: u32,
}
