//! The instruction set, and the form in which the compiler hands a method over.
//!
//! Code is a vector of 32-bit words. An instruction is `operation | a << 8 | b << 16`; jumps use the upper 24 bits as
//! one signed number. A *site* word follows every send: the number of its inline cache within the method.
//!
//! A frame, as the operands see it (`offset` is a signed 16-bit number relative to the frame):
//!
//! ```text
//!   receiver, argument 1 .. n        offsets -n-1, -n .. -1   (pushed by the sender; a block's own closure is its
//! receiver)
//!   five header words                offsets 0 .. 4           (never addressed by code)
//!   temporaries                      offsets 5 ..             (in a block: copied values first, then its temporaries)
//!   evaluation stack
//! ```

use num_bigint::BigInt;

/// Offset of the first temporary in a frame.
pub const FIRST_TEMPORARY: i16 = 5;

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident = $number:literal),* $(,)?) => {
        /// Operations; see each one for its operands and its effect on the stack (before `→` after).
        #[repr(u8)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum Operation { $($(#[$doc])* $name = $number),* }

        /// Numbers of the operations, for matching.
        #[allow(missing_docs, non_upper_case_globals)]
        pub mod op { $(pub const $name: u8 = $number;)* }

        impl Operation {
            /// The operation of this number.
            pub fn from_number(number: u8) -> Option<Self> {
                match number { $($number => Some(Self::$name),)* _ => None }
            }
        }
    };
}

operations! {
    /// b = offset. → value
    PushTemporary = 0,
    /// b = offset. value → value
    StoreTemporary = 1,
    /// b = offset. value →
    PopTemporary = 2,
    /// b = index. → value
    PushInstanceVariable = 3,
    /// b = index. value → value
    StoreInstanceVariable = 4,
    /// b = index. value →
    PopInstanceVariable = 5,
    /// b = literal. → value
    PushLiteral = 6,
    /// b = literal that is an association. → its value
    PushGlobal = 7,
    /// b = literal that is an association. value → value
    StoreGlobal = 8,
    /// b = literal that is an association. value →
    PopGlobal = 9,
    /// → self
    PushSelf = 10,
    /// → nil
    PushNil = 11,
    /// → true
    PushTrue = 12,
    /// → false
    PushFalse = 13,
    /// b = signed 16-bit number. → it
    PushSmallInteger = 14,
    /// → the current context
    PushThisContext = 15,
    /// a = index in the vector, b = offset of the temporary that holds the vector. → value
    PushVectorTemporary = 16,
    /// as above. value → value
    StoreVectorTemporary = 17,
    /// as above. value →
    PopVectorTemporary = 18,
    /// b = size. → new vector of nils
    PushNewVector = 19,
    /// b = count. values → Array of them
    PushNewArray = 20,
    /// a = number of copied values, b = words of the body, which follows the descriptor word (see `BlockDescriptor`).
    /// copied values → block; execution goes on behind the body
    PushBlock = 21,
    /// a = number of arguments, b = literal of the selector; a site word follows. receiver, arguments → value
    Send = 22,
    /// as `Send`, looked up above the class of the method
    SendSuper = 23,
    /// upper 24 bits = signed distance from the next instruction; only forwards
    Jump = 24,
    /// as `Jump`, only backwards: interrupts are polled here
    JumpBack = 25,
    /// as `Jump`. boolean →; else sends #mustBeBoolean to it
    JumpIfTrue = 26,
    /// as `Jump`. boolean →; else sends #mustBeBoolean to it
    JumpIfFalse = 27,
    /// as `Jump`. value →
    JumpIfNil = 28,
    /// as `Jump`. value →
    JumpIfNotNil = 29,
    /// value → value, value
    Duplicate = 30,
    /// value →
    Pop = 31,
    /// Returns the top from the method (in a block: never used) or, in a block, the block's own value.
    ReturnTop = 32,
    /// Returns self from the method.
    ReturnSelf = 33,
    /// In a block: returns the top from the method that the block was made in.
    ReturnFromHome = 34,
    /// Arithmetic and comparison with inline cases; a site word follows each. receiver, argument → value
    Add = 40,
    Subtract = 41,
    Multiply = 42,
    Less = 43,
    Greater = 44,
    LessOrEqual = 45,
    GreaterOrEqual = 46,
    Equal = 47,
    NotEqual = 48,
    /// `//`
    FloorDivide = 49,
    /// `\\`
    Modulo = 50,
    /// `/`
    Divide = 51,
    /// `bitAnd:`
    BitAnd = 52,
    /// `bitOr:`
    BitOr = 53,
    /// `bitShift:`
    BitShift = 54,
    /// `==`: never a send, no site word. receiver, argument → boolean
    Identical = 55,
    /// `~~`: never a send, no site word
    NotIdentical = 56,
    /// `at:`, a site word follows
    At = 57,
    /// `at:put:`, a site word follows
    AtPut = 58,
    /// `size`, a site word follows
    Size = 59,
    /// `value`, a site word follows
    Value = 60,
    /// `value:`, a site word follows
    ValueWith = 61,
    /// `not`, a site word follows
    Not = 62,
    /// `isNil`: never a send, no site word
    IsNil = 63,
    /// `notNil`: never a send, no site word
    NotNil = 64,
}

/// The selectors of the operations that are sends in short form, with their argument counts.
pub const SPECIAL_SENDS: &[(Operation, &str, u8)] = &[
    (Operation::Add, "+", 1),
    (Operation::Subtract, "-", 1),
    (Operation::Multiply, "*", 1),
    (Operation::Less, "<", 1),
    (Operation::Greater, ">", 1),
    (Operation::LessOrEqual, "<=", 1),
    (Operation::GreaterOrEqual, ">=", 1),
    (Operation::Equal, "=", 1),
    (Operation::NotEqual, "~=", 1),
    (Operation::FloorDivide, "//", 1),
    (Operation::Modulo, "\\\\", 1),
    (Operation::Divide, "/", 1),
    (Operation::BitAnd, "bitAnd:", 1),
    (Operation::BitOr, "bitOr:", 1),
    (Operation::BitShift, "bitShift:", 1),
    (Operation::At, "at:", 1),
    (Operation::AtPut, "at:put:", 2),
    (Operation::Size, "size", 0),
    (Operation::Value, "value", 0),
    (Operation::ValueWith, "value:", 1),
    (Operation::Not, "not", 0),
];

/// An instruction word with two operands.
pub fn instruction(operation: Operation, a: u8, b: u16) -> u32 {
    operation as u32 | u32::from(a) << 8 | u32::from(b) << 16
}

/// A jump by `distance` words from the next instruction; `None` if it is too far.
pub fn jump(operation: Operation, distance: i32) -> Option<u32> {
    let fits = (-(1 << 23)..1 << 23).contains(&distance);
    fits.then_some(operation as u32 | (distance << 8) as u32)
}

/// The word behind `PushBlock`: what a block needs when it is activated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockDescriptor {
    /// Arguments.
    pub arguments: u8,
    /// Temporaries beyond the arguments and the copied values.
    pub temporaries: u8,
    /// Whether it, or a block within it, returns from its home method.
    pub returns_from_home: bool,
}

impl BlockDescriptor {
    /// As a word.
    pub fn encode(self) -> u32 {
        u32::from(self.arguments) | u32::from(self.temporaries) << 8 | u32::from(self.returns_from_home) << 16
    }

    /// From a word.
    pub fn decode(word: u32) -> Self {
        Self { arguments: word as u8, temporaries: (word >> 8) as u8, returns_from_home: word & 1 << 16 != 0 }
    }
}

/// A constant of a method. `B` names a variable that the compiler's caller resolved.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal<B> {
    /// `nil`, inside an array.
    Nil,
    /// `true` or `false`, inside an array.
    Boolean(bool),
    /// An integer of any size.
    Integer(BigInt),
    /// A float.
    Float(f64),
    /// A scaled decimal: its digits as an integer, how many of them are behind the point, and the written scale.
    ScaledDecimal {
        /// Numerator over `10 ** fraction_digits`.
        unscaled: BigInt,
        /// Digits behind the point in the source.
        fraction_digits: u32,
        /// The scale that it prints with.
        scale: u32,
    },
    /// `$a`
    Character(char),
    /// `'text'`
    String(String),
    /// `#name`
    Symbol(String),
    /// `#( … )`
    Array(Vec<Literal<B>>),
    /// `#[ … ]`
    ByteArray(Vec<u8>),
    /// The association that holds a global, class or pool variable.
    Binding(B),
}

/// The primitive that a method names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrimitiveName {
    /// `<primitive: #name>`
    Name(String),
    /// `<primitive: 60>`
    Number(u32),
}

/// A compiled method, before it becomes an object.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodCode<B> {
    /// Its selector.
    pub selector: String,
    /// Arguments.
    pub arguments: u8,
    /// Temporaries of the method's own frame.
    pub temporaries: u16,
    /// The largest number of words that a frame of this method, or of a block in it, needs behind its header:
    /// temporaries and evaluation stack.
    pub frame_words: u16,
    /// The primitive to try first.
    pub primitive: Option<PrimitiveName>,
    /// Its other pragmas: selector and arguments.
    pub pragmas: Vec<(String, Vec<Literal<B>>)>,
    /// Its constants.
    pub literals: Vec<Literal<B>>,
    /// Its instructions.
    pub code: Vec<u32>,
    /// How many inline caches it needs.
    pub sites: u16,
    /// Pairs of (index in the code of the word behind a send, byte offset of its selector in the source), ascending.
    pub positions: Vec<(u32, u32)>,
}
