//! Primitives: what Smalltalk code cannot do for itself.
//!
//! A primitive is named by a pragma, `<primitive: #name>`, and tried before the method's code. *Data* primitives are
//! functions from receiver and arguments to a value; they never send messages. They fail, and leave it to the method's
//! code to say why, on anything that they do not handle. One file for each kind of receiver; each lists its primitives
//! in a table.

mod big_integers;
mod changes;
mod characters;
mod float_text;
mod floats;
mod frames;
mod integers;
mod objects;
mod reflection;
mod reshaping;
mod searching;
mod session;
mod strings;
mod text;
mod transactions;
mod transcript;

pub(crate) use objects::is_behavior;
pub use transcript::Transcript;

use crate::heap::Oop;
use crate::vm::control::{Arguments, Control};
use crate::vm::{Stop, Vm};
use std::collections::HashMap;

/// Why a primitive gave no value.
#[derive(Debug, PartialEq)]
pub enum PrimitiveFailure {
    /// It does not handle this: the method's code goes on.
    Failed,
    /// The whole execution ends.
    Stop(Stop),
}

/// What a primitive answers.
pub type PrimitiveResult = Result<Oop, PrimitiveFailure>;

/// A primitive that computes a value. Words that it holds across an allocation go stale: it reads receiver and
/// arguments through the machine again, or keeps words among the heap's handles.
pub type DataPrimitive = fn(&mut Vm, Arguments) -> PrimitiveResult;

/// One primitive.
#[derive(Debug, Clone, Copy)]
pub enum Primitive {
    /// Computes a value.
    Data(DataPrimitive),
    /// Changes which frame runs.
    Control(Control),
}

/// A table of named primitives.
pub type Named = &'static [(&'static str, DataPrimitive)];

const CONTROLS: &[(&str, Control)] = &[
    ("value", Control::Value),
    ("valueWithArguments", Control::ValueWithArguments),
    ("perform", Control::Perform),
    ("performWithArguments", Control::PerformWithArguments),
    ("currentFrame", Control::CurrentFrame),
    ("handlerFrameBelow:", Control::HandlerFrameBelow),
    ("frame:argument:", Control::FrameArgument),
    ("return:to:", Control::ReturnTo),
    ("restart:", Control::Restart),
    ("replace:with:", Control::ReplaceWith),
    ("unwindFrame:above:", Control::UnwindFrameAbove),
    ("takeUnwind:", Control::TakeUnwind),
    ("baseFrame", Control::BaseFrame),
    ("frameAlive:", Control::FrameAlive),
    ("terminate:", Control::Terminate),
    ("executeMethod", Control::ExecuteMethod),
];

const DATA: &[Named] = &[
    objects::PRIMITIVES,
    reflection::PRIMITIVES,
    reshaping::PRIMITIVES,
    searching::PRIMITIVES,
    changes::PRIMITIVES,
    transactions::PRIMITIVES,
    session::PRIMITIVES,
    frames::PRIMITIVES,
    integers::PRIMITIVES,
    floats::PRIMITIVES,
    characters::PRIMITIVES,
    strings::PRIMITIVES,
    transcript::PRIMITIVES,
];

/// All primitives, by number and by name. Numbers mean something in one process only: what is stored is the source.
#[derive(Debug, Clone)]
pub struct PrimitiveTable {
    primitives: Vec<Primitive>,
    numbers: HashMap<&'static str, u16>,
}

impl PrimitiveTable {
    /// The table of this binary.
    pub fn new() -> PrimitiveTable {
        let mut table = PrimitiveTable { primitives: Vec::new(), numbers: HashMap::new() };
        for (name, control) in CONTROLS {
            table.add(name, Primitive::Control(*control));
        }
        for (name, function) in DATA.iter().copied().flatten() {
            table.add(name, Primitive::Data(*function));
        }
        table
    }

    fn add(&mut self, name: &'static str, primitive: Primitive) {
        self.primitives.push(primitive);
        let number = u16::try_from(self.primitives.len()).expect("primitives fit in a method's header");
        let before = self.numbers.insert(name, number);
        assert!(before.is_none(), "two primitives are named {name}");
    }

    /// The primitive of a number.
    #[inline(always)]
    pub fn at(&self, number: u16) -> Primitive {
        self.primitives[number as usize - 1]
    }

    /// The number of a name.
    pub fn number(&self, name: &str) -> Option<u16> {
        self.numbers.get(name).copied()
    }

    /// All names, in alphabetical order.
    pub fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.numbers.keys().copied().collect();
        names.sort_unstable();
        names
    }
}

impl Default for PrimitiveTable {
    fn default() -> Self {
        Self::new()
    }
}

/// The primitive does not handle this.
pub(crate) fn failed<T>() -> Result<T, PrimitiveFailure> {
    Err(PrimitiveFailure::Failed)
}
