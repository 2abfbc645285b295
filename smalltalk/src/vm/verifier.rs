//! The verifier: whether the code of a method may be run.
//!
//! Code from a repository is data that anybody may have written. The interpreter reads the stack and the instructions
//! without checks, so before a method runs this module proves of its code:
//!
//! 1. Every word belongs to an instruction that exists, is whole and can be reached. Jumps lead to where an instruction
//!    of the same body starts; those that go back are `JumpBack`, at which the machine looks at its limits. Control
//!    never runs over the end of a body, and a block's body lies within the body around it.
//! 2. On every way to an instruction the evaluation stack is as deep, and holds what the instruction takes.
//! 3. In each body, temporaries and the deepest evaluation stack together fit into the frame words of the header.
//! 4. The offset of a temporary names an argument or a temporary of its own body, never the header of a frame.
//! 5. Each number of an inline cache belongs to one send, and all of them have one.
//! 6. The literals exist that code names; that of a send is a selector of as many arguments, that of a global is a
//!    variable, or not loaded yet.
//! 7. Only a method's own body returns `self`, only a block's returns from home, and the descriptor of a block says so.
//!
//! What depends on objects that live is looked at when the code runs, since it can change afterwards: that the receiver
//! has the instance variable, that a global that was not loaded is a variable, that a vector has the element. Whether a
//! class has an instance variable is therefore not asked here: an instance may have another shape than its class has
//! now, and a method may be found in a class that it was not compiled for.
//!
//! One pass over the words, with no recursion and no allocation beyond the number of words. It must accept what the
//! compiler makes, and must never panic, whatever the words are.

use crate::bytecode::{BlockDescriptor, FIRST_TEMPORARY, Operation, SPECIAL_SENDS};
use crate::compiler::instruction_width;
use thiserror::Error;

/// What a literal is, as far as code depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiteralKind {
    /// A symbol that is a selector of so many arguments.
    Selector(usize),
    /// An object with a key and a value.
    Variable,
    /// An object that is not loaded.
    NotLoaded,
    /// Anything else.
    Value,
}

/// The code of a method, and what its header and its literals say.
#[derive(Debug, Clone, Copy)]
pub struct Unverified<'a> {
    /// Its instructions.
    pub code: &'a [u32],
    /// How many inline caches it is said to have.
    pub sites: u32,
    /// Arguments.
    pub arguments: u8,
    /// Temporaries of its own body.
    pub temporaries: u16,
    /// Words of a frame behind its header, at most.
    pub frame_words: u16,
    /// What its literals are.
    pub literals: &'a [LiteralKind],
}

/// What was found of code that may be run.
#[derive(Debug, PartialEq, Eq)]
pub struct Verified {
    /// The frame words that it needs.
    pub frame_words: usize,
    /// The indices of the words behind what sends a message, ascending.
    pub behind_sends: Vec<u32>,
}

/// Why code may not be run; `at` is the index of the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum VerifyError {
    #[error("it has no code")]
    Empty,
    #[error("word {at} is no instruction")]
    NoInstruction { at: usize },
    #[error("the instruction at word {at} ends outside of its body")]
    Truncated { at: usize },
    #[error("no way leads to word {at}")]
    Unreachable { at: usize },
    #[error("control runs over the end of the body at word {at}")]
    RunsOverEnd { at: usize },
    #[error("a jump at word {at} leads to where no instruction of its body starts")]
    JumpTarget { at: usize },
    #[error("a jump leads into the instruction, or into the block, at word {at}")]
    JumpInto { at: usize },
    #[error("the evaluation stack at word {at} is not as deep on every way")]
    DepthDiffers { at: usize },
    #[error("the instruction at word {at} takes more from the stack than is there")]
    Underflow { at: usize },
    #[error("the instruction at word {at} needs more words than the frame has")]
    FrameTooSmall { at: usize },
    #[error("the instruction at word {at} names a temporary that its frame does not have")]
    TemporaryOffset { at: usize },
    #[error("the instruction at word {at} names a literal that does not exist")]
    NoLiteral { at: usize },
    #[error("the send at word {at} has no selector of as many arguments")]
    SelectorLiteral { at: usize },
    #[error("the instruction at word {at} names a literal that is no variable")]
    VariableLiteral { at: usize },
    #[error("the send at word {at} has an inline cache that is not its own")]
    Site { at: usize },
    #[error("the number of inline caches is not that of the sends")]
    SiteCount,
    #[error("the return at word {at} does not belong into its body")]
    Return { at: usize },
    #[error("the block at word {at} is not what its descriptor says")]
    Descriptor { at: usize },
}

/// Verifies code.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify(method: &Unverified<'_>) -> Result<Verified, VerifyError> {
    if method.code.is_empty() {
        return Err(VerifyError::Empty);
    }
    if method.sites as usize > method.code.len() {
        return Err(VerifyError::SiteCount);
    }
    let body = Body {
        number: 0,
        start: 0,
        end: method.code.len(),
        arguments: method.arguments.into(),
        temporaries: method.temporaries.into(),
        block: None,
        returns_from_home: false,
    };
    let verifier = Verifier {
        method,
        places: vec![Place::Unknown; method.code.len()],
        sites: vec![false; method.sites as usize],
        bodies: Vec::new(),
        body,
        last_number: 0,
        at: 0,
        depth: Some(0),
        verified: Verified { frame_words: method.temporaries.into(), behind_sends: Vec::new() },
    };
    verifier.run()
}

/// What is known of a word.
#[derive(Clone, Copy)]
enum Place {
    Unknown,
    /// A jump leads here from above, or the way around a block.
    Expected {
        body: u32,
        depth: usize,
    },
    /// An instruction starts here.
    Start {
        body: u32,
        depth: usize,
    },
}

/// The body of the method or of a block.
struct Body {
    number: u32,
    start: usize,
    end: usize,
    arguments: usize,
    /// Copied values included.
    temporaries: usize,
    /// The index of the block's instruction, and its descriptor.
    block: Option<(usize, BlockDescriptor)>,
    returns_from_home: bool,
}

struct Verifier<'a> {
    method: &'a Unverified<'a>,
    places: Vec<Place>,
    /// Which inline caches have a send.
    sites: Vec<bool>,
    /// Those around the current one, outermost first.
    bodies: Vec<Body>,
    body: Body,
    last_number: u32,
    at: usize,
    /// The depth with which control comes here from the instruction before; `None` if it does not.
    depth: Option<usize>,
    verified: Verified,
}

impl Verifier<'_> {
    fn run(mut self) -> Result<Verified, VerifyError> {
        while self.at < self.method.code.len() {
            self.instruction()?;
            self.close_bodies()?;
        }
        if self.sites.contains(&false) {
            return Err(VerifyError::SiteCount);
        }
        Ok(self.verified)
    }

    /// Leaves the bodies that end here.
    fn close_bodies(&mut self) -> Result<(), VerifyError> {
        while self.at == self.body.end {
            if self.depth.is_some() {
                return Err(VerifyError::RunsOverEnd { at: self.at });
            }
            let Some(around) = self.bodies.pop() else { return Ok(()) };
            let closed = std::mem::replace(&mut self.body, around);
            if let Some((at, descriptor)) = closed.block
                && descriptor.returns_from_home != closed.returns_from_home
            {
                return Err(VerifyError::Descriptor { at });
            }
            self.body.returns_from_home |= closed.returns_from_home;
        }
        Ok(())
    }

    fn instruction(&mut self) -> Result<(), VerifyError> {
        let at = self.at;
        let depth = self.enter(at)?;
        let operation = Operation::from_number(self.word(at) as u8).ok_or(VerifyError::NoInstruction { at })?;
        let width = instruction_width(operation);
        if at + width > self.body.end {
            return Err(VerifyError::Truncated { at });
        }
        if width == 2 && !matches!(self.places[at + 1], Place::Unknown) {
            return Err(VerifyError::JumpInto { at });
        }
        self.check_operands(operation)?;
        let (popped, pushed) = self.effect(operation);
        let after = depth.checked_sub(popped).ok_or(VerifyError::Underflow { at })? + pushed;
        let words = self.body.temporaries + after;
        if words > self.method.frame_words.into() {
            return Err(VerifyError::FrameTooSmall { at });
        }
        self.verified.frame_words = self.verified.frame_words.max(words);
        self.at += width;
        self.go_on(operation, at, after)
    }

    /// Marks that an instruction starts here; answers how deep the stack is on every way to it.
    fn enter(&mut self, at: usize) -> Result<usize, VerifyError> {
        let expected = match self.places[at] {
            Place::Expected { body, depth } if body == self.body.number => Some(depth),
            Place::Unknown => None,
            _ => return Err(VerifyError::JumpInto { at }),
        };
        let depth = match (self.depth, expected) {
            (Some(depth), Some(expected)) if depth != expected => return Err(VerifyError::DepthDiffers { at }),
            (depth, expected) => depth.or(expected).ok_or(VerifyError::Unreachable { at })?,
        };
        self.places[at] = Place::Start { body: self.body.number, depth };
        Ok(depth)
    }

    fn word(&self, at: usize) -> u32 {
        self.method.code[at]
    }

    fn a(&self) -> usize {
        (self.word(self.at) >> 8 & 0xff) as usize
    }

    fn b(&self) -> usize {
        (self.word(self.at) >> 16) as usize
    }

    // === Operands

    fn check_operands(&mut self, operation: Operation) -> Result<(), VerifyError> {
        use Operation::*;
        let at = self.at;
        match operation {
            PushTemporary | StoreTemporary | PopTemporary | PushVectorTemporary | StoreVectorTemporary
            | PopVectorTemporary => self.check_offset(self.b() as u16 as i16),
            PushLiteral => self.literal().map(drop),
            PushGlobal | StoreGlobal | PopGlobal => match self.literal()? {
                LiteralKind::Variable | LiteralKind::NotLoaded => Ok(()),
                _ => Err(VerifyError::VariableLiteral { at }),
            },
            Send | SendSuper => match self.literal()? {
                LiteralKind::Selector(arguments) if arguments == self.a() => self.take_site(),
                _ => Err(VerifyError::SelectorLiteral { at }),
            },
            JumpIfTrue | JumpIfFalse => {
                self.verified.behind_sends.push(at as u32 + 1);
                Ok(())
            }
            _ if special_arguments(operation).is_some() => self.take_site(),
            _ => Ok(()),
        }
    }

    fn check_offset(&self, offset: i16) -> Result<(), VerifyError> {
        let (arguments, offset) = (self.body.arguments as i32, i32::from(offset));
        let first = i32::from(FIRST_TEMPORARY);
        let exists =
            (-arguments..0).contains(&offset) || (first..first + self.body.temporaries as i32).contains(&offset);
        if exists { Ok(()) } else { Err(VerifyError::TemporaryOffset { at: self.at }) }
    }

    fn literal(&self) -> Result<LiteralKind, VerifyError> {
        self.method.literals.get(self.b()).copied().ok_or(VerifyError::NoLiteral { at: self.at })
    }

    /// The inline cache that the second word of a send names belongs to it alone.
    fn take_site(&mut self) -> Result<(), VerifyError> {
        let at = self.at;
        match self.sites.get_mut(self.method.code[at + 1] as usize) {
            Some(taken) if !*taken => *taken = true,
            _ => return Err(VerifyError::Site { at }),
        }
        self.verified.behind_sends.push(at as u32 + 2);
        Ok(())
    }

    /// How many words an instruction takes from the evaluation stack, and how many it leaves there.
    fn effect(&self, operation: Operation) -> (usize, usize) {
        use Operation::*;
        match operation {
            PushTemporary | PushInstanceVariable | PushLiteral | PushGlobal | PushSelf | PushNil | PushTrue
            | PushFalse | PushSmallInteger | PushThisContext | PushVectorTemporary | PushNewVector => (0, 1),
            StoreTemporary | StoreInstanceVariable | StoreGlobal | StoreVectorTemporary | IsNil | NotNil => (1, 1),
            PopTemporary | PopInstanceVariable | PopGlobal | PopVectorTemporary | Pop => (1, 0),
            JumpIfTrue | JumpIfFalse | JumpIfNil | JumpIfNotNil | ReturnTop | ReturnFromHome => (1, 0),
            PushNewArray => (self.b(), 1),
            PushBlock => (self.a(), 1),
            Send | SendSuper => (self.a() + 1, 1),
            Jump | JumpBack | ReturnSelf => (0, 0),
            Duplicate => (1, 2),
            Identical | NotIdentical => (2, 1),
            Add | Subtract | Multiply | Less | Greater | LessOrEqual | GreaterOrEqual | Equal | NotEqual
            | FloorDivide | Modulo | Divide | BitAnd | BitOr | BitShift | At | AtPut | Size | Value | ValueWith
            | Not => (special_arguments(operation).unwrap_or(0) + 1, 1),
        }
    }

    // === Where control goes

    /// `at` is the instruction, `after` the depth behind it; `self.at` is the next instruction already.
    fn go_on(&mut self, operation: Operation, at: usize, after: usize) -> Result<(), VerifyError> {
        use Operation::*;
        self.depth = None;
        match operation {
            ReturnTop => {}
            ReturnSelf if self.body.block.is_none() => {}
            ReturnFromHome if self.body.block.is_some() => self.body.returns_from_home = true,
            ReturnSelf | ReturnFromHome => return Err(VerifyError::Return { at }),
            Jump => self.expect_at_target(at, after)?,
            JumpIfTrue | JumpIfFalse | JumpIfNil | JumpIfNotNil => {
                self.expect_at_target(at, after)?;
                self.depth = Some(after);
            }
            JumpBack => self.check_target_above(at, after)?,
            PushBlock => self.open_block(at, after)?,
            _ => self.depth = Some(after),
        }
        Ok(())
    }

    /// Where a jump leads, if that is within its body.
    fn target(&self, at: usize) -> Result<usize, VerifyError> {
        let target = self.at as i64 + i64::from(self.word(at) as i32 >> 8);
        let target = usize::try_from(target).ok().filter(|target| (self.body.start..self.body.end).contains(target));
        target.ok_or(VerifyError::JumpTarget { at })
    }

    fn expect_at_target(&mut self, at: usize, depth: usize) -> Result<(), VerifyError> {
        let target = self.target(at)?;
        if target < self.at { Err(VerifyError::JumpTarget { at }) } else { self.expect(target, depth) }
    }

    /// A place below, in the current body, is come to with this depth.
    fn expect(&mut self, target: usize, depth: usize) -> Result<(), VerifyError> {
        let number = self.body.number;
        match self.places[target] {
            Place::Expected { body, depth: known } if body == number && known != depth => {
                return Err(VerifyError::DepthDiffers { at: target });
            }
            Place::Expected { body, .. } if body != number => return Err(VerifyError::JumpInto { at: target }),
            _ => self.places[target] = Place::Expected { body: number, depth },
        }
        Ok(())
    }

    fn check_target_above(&self, at: usize, depth: usize) -> Result<(), VerifyError> {
        match self.places[self.target(at)?] {
            Place::Start { body, depth: known } if body == self.body.number => {
                if known == depth {
                    Ok(())
                } else {
                    Err(VerifyError::DepthDiffers { at })
                }
            }
            _ => Err(VerifyError::JumpTarget { at }),
        }
    }

    /// Enters the body of a block; `self.at` is its first instruction.
    fn open_block(&mut self, at: usize, after: usize) -> Result<(), VerifyError> {
        let word = self.word(at);
        let (copied, words) = ((word >> 8 & 0xff) as usize, (word >> 16) as usize);
        let descriptor = BlockDescriptor::decode(self.word(at + 1));
        let end = self.at + words;
        // What follows a block is in the body around it: nobody returns from there but by an instruction.
        if words == 0 || end >= self.body.end {
            return Err(VerifyError::Truncated { at });
        }
        let temporaries = copied + usize::from(descriptor.temporaries);
        if descriptor.encode() != self.word(at + 1) {
            return Err(VerifyError::Descriptor { at });
        }
        if temporaries > self.method.frame_words.into() {
            return Err(VerifyError::FrameTooSmall { at });
        }
        self.expect(end, after)?;
        self.last_number += 1;
        let body = Body {
            number: self.last_number,
            start: self.at,
            end,
            arguments: descriptor.arguments.into(),
            temporaries,
            block: Some((at, descriptor)),
            returns_from_home: false,
        };
        self.bodies.push(std::mem::replace(&mut self.body, body));
        self.depth = Some(0);
        Ok(())
    }
}

/// The arguments of an operation that is a send in short form.
fn special_arguments(operation: Operation) -> Option<usize> {
    SPECIAL_SENDS.iter().find(|(special, _, _)| *special == operation).map(|(_, _, arguments)| usize::from(*arguments))
}

#[cfg(test)]
#[path = "verifier_tests.rs"]
mod tests;
