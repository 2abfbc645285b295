//! The syntax tree. Offsets are bytes of the source.

use num_bigint::BigInt;

/// A method, or a do-it.
#[derive(Debug, Clone, PartialEq)]
pub struct Method {
    /// Its selector.
    pub selector: String,
    /// Its arguments.
    pub arguments: Vec<Declaration>,
    /// What stands in angle brackets.
    pub pragmas: Vec<Pragma>,
    /// Its temporaries.
    pub temporaries: Vec<Declaration>,
    /// Its statements.
    pub statements: Vec<Statement>,
}

/// A name where it is declared, or assigned to.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub offset: u32,
}

/// `<primitive: 60>`
#[derive(Debug, Clone, PartialEq)]
pub struct Pragma {
    /// Its selector.
    pub selector: String,
    /// Its arguments.
    pub arguments: Vec<Literal>,
    /// Where it begins.
    pub offset: u32,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// Evaluated, and the value forgotten unless it is the last one of a block.
    Expression(Expression),
    /// `^ value`
    Return(Expression),
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Where it begins.
    pub offset: u32,
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpressionKind {
    /// A variable.
    Variable(String),
    /// `self` and its like.
    Pseudo(Pseudo),
    /// A constant.
    Literal(Literal),
    /// `[ … ]`
    Block(Block),
    /// `{ … }`
    Array(Vec<Expression>),
    /// `target := value`
    Assignment {
        /// To whom.
        target: Declaration,
        /// What.
        value: Box<Expression>,
    },
    /// Messages, each to the answer of the one before. One node holds all of them, so that a long chain is not deep.
    Send {
        /// Receiver of the first.
        receiver: Box<Expression>,
        /// At least one.
        messages: Vec<Message>,
    },
    /// Messages, all to one receiver.
    Cascade {
        /// Receiver of each.
        receiver: Box<Expression>,
        /// At least two.
        messages: Vec<Message>,
    },
}

/// The names that the language keeps for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Pseudo {
    SelfReference,
    Super,
    Nil,
    True,
    False,
    ThisContext,
}

impl Pseudo {
    /// The pseudo-variable of this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "self" => Self::SelfReference,
            "super" => Self::Super,
            "nil" => Self::Nil,
            "true" => Self::True,
            "false" => Self::False,
            "thisContext" => Self::ThisContext,
            _ => return None,
        })
    }
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its selector.
    pub selector: String,
    /// Its arguments.
    pub arguments: Vec<Expression>,
    /// Where its selector begins.
    pub offset: u32,
    /// The method environment that an `@env1:` before it names.
    pub environment: Option<u8>,
}

/// A block.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Its arguments.
    pub arguments: Vec<Declaration>,
    /// Its temporaries.
    pub temporaries: Vec<Declaration>,
    /// Its statements.
    pub statements: Vec<Statement>,
}

/// A constant.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `nil`, inside an array or a pragma.
    Nil,
    /// `true` or `false`, inside an array or a pragma.
    Boolean(bool),
    /// An integer.
    Integer(BigInt),
    /// A float; always finite.
    Float(f64),
    /// A scaled decimal: `unscaled / 10 ** fraction_digits`, printed with `scale` digits.
    ScaledDecimal {
        /// All digits.
        unscaled: BigInt,
        /// How many of them are behind the point.
        fraction_digits: u32,
        /// The scale as written, or else the digits behind the point.
        scale: u32,
    },
    /// `$a`
    Character(char),
    /// `'text'`
    String(String),
    /// `#name`
    Symbol(String),
    /// `#( … )`
    Array(Vec<Literal>),
    /// `#[ … ]`
    ByteArray(Vec<u8>),
}
