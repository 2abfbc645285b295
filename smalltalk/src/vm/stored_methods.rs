//! Methods from the repository: verified before they first run, once in a process.
//!
//! A gem whose process is hostile, or a damaged store, can commit anything as a method. [`Vm::verify_method`] stands
//! before every entry, and only a method with an entry runs. What it refuses is compiled again from its source, in
//! memory; where that does not go either, the execution ends with [`Stop::CorruptMethod`] and the session goes on.
//!
//! What this process compiles itself is right by construction; tests verify that too. From Smalltalk the parts of a
//! method cannot be changed: its slots are hidden, and its code, positions and literals are objects of its own that
//! refuse stores or cannot be reached. So a method is verified once. Whatever may still change below it, such as the
//! elements of its literals when a view moves, the interpreter looks at when it uses it.
//!
//! Nothing here may collect: a send is under way.

use super::known::{behavior_slot, class};
use super::methods::{MethodHeader, method_slot};
use super::symbols::argument_count;
use super::verifier::{LiteralKind, Unverified, verify};
use super::{Stop, Vm};
use crate::compiling::CompileFailure;
use crate::heap::Oop;

/// Warnings that are kept until the host asks for them; of more, only the number is told.
const WARNINGS_MAX: usize = 100;
/// Characters of a name from the repository that a text shows.
const NAME_CHARACTERS_MAX: usize = 100;

/// What the host should log.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    texts: Vec<String>,
    dropped: usize,
}

impl Warnings {
    fn add(&mut self, text: String) {
        if self.texts.len() < WARNINGS_MAX {
            self.texts.push(text);
        } else {
            self.dropped += 1;
        }
    }

    pub(crate) fn take(&mut self) -> Vec<String> {
        let mut texts = std::mem::take(&mut self.texts);
        let dropped = std::mem::take(&mut self.dropped);
        if dropped > 0 {
            texts.push(format!("{dropped} more warnings were dropped"));
        }
        texts
    }
}

/// Why a method may not be run.
enum Refusal {
    /// It is not right.
    Corrupt(String),
    /// It could not be looked at: the store or the memory has failed.
    Stop(Stop),
}

impl From<Stop> for Refusal {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Broken(what) => Refusal::Corrupt(format!("it leads to {what}")),
            stop => Refusal::Stop(stop),
        }
    }
}

fn corrupt<T>(reason: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Corrupt(reason.into()))
}

impl Vm {
    /// Whether an object can be asked for its parts as a method.
    pub(crate) fn check_is_method(&mut self, method: Oop) -> Result<(), Stop> {
        if self.class_index_of(method) == class::METHOD && self.has_slots(method, method_slot::SLOTS) {
            return Ok(());
        }
        let class = shown(&self.class_name(self.class_of(method)));
        let text = format!("What a method dictionary holds is an object of {class}, and no method.");
        self.refuse_method(text)
    }

    /// Refuses a method that may not be run, or makes it one that may.
    pub(crate) fn verify_method(&mut self, method: Oop) -> Result<(), Stop> {
        if !self.heap.is_stored(method) || self.heap.is_permanent(method) {
            debug_assert!(self.is_sound(method).is_ok(), "the compiler makes code that the verifier takes");
            return Ok(());
        }
        let reason = match self.is_sound(method) {
            Ok(()) => return Ok(()),
            Err(Refusal::Stop(stop)) => return Err(stop),
            Err(Refusal::Corrupt(reason)) => reason,
        };
        let name = self.method_name(method);
        match self.compile_again(method) {
            Ok(()) => {
                let recovery = "it was compiled again from its source; define it anew to mend it in the repository";
                self.warnings
                    .add(format!("the method {name} as the repository has it may not be run: {reason}; {recovery}"));
                Ok(())
            }
            Err(Refusal::Stop(stop)) => Err(stop),
            Err(Refusal::Corrupt(no_source)) => self.refuse_method(format!(
                "The method {name} as the repository has it may not be run: {reason}. It could not be compiled again \
                 from its source: {no_source}. Define it anew, or remove it."
            )),
        }
    }

    fn refuse_method(&mut self, text: String) -> Result<(), Stop> {
        self.corrupt_method = text;
        Err(Stop::CorruptMethod)
    }

    // === What is verified

    fn is_sound(&mut self, method: Oop) -> Result<(), Refusal> {
        let header = self.load(method, method_slot::HEADER)?;
        let decoded = MethodHeader::of(header);
        if decoded.encode() != header {
            return corrupt("its header is none");
        }
        self.check_names(method, decoded)?;
        let words = self.words_of_code(method)?;
        let Some((sites, code)) = words.split_last() else { return corrupt("it has no code") };
        let literals = self.load(method, method_slot::LITERALS)?;
        if self.class_index_of(literals) != class::ARRAY || !self.has_slots(literals, 0) {
            return corrupt("its literals are no Array");
        }
        let kinds: Vec<LiteralKind> =
            (0..self.heap.size(literals)).map(|index| self.literal_kind(self.heap.slot(literals, index))).collect();
        let unverified = Unverified {
            code,
            sites: *sites,
            arguments: decoded.arguments,
            temporaries: decoded.temporaries,
            frame_words: decoded.frame_words,
            literals: &kinds,
        };
        verify(&unverified).map_err(|error| Refusal::Corrupt(error.to_string()))?;
        self.check_positions(method, code.len())
    }

    /// Selector and class, and that a primitive is named by the source: what the repository calls by number is
    /// another one in each binary.
    fn check_names(&mut self, method: Oop, header: MethodHeader) -> Result<(), Refusal> {
        let selector = self.load(method, method_slot::SELECTOR)?;
        match self.literal_kind(selector) {
            LiteralKind::Selector(arguments) if arguments == usize::from(header.arguments) => {}
            _ => return corrupt("its selector does not take as many arguments as its code"),
        }
        let owner = self.load(method, method_slot::METHOD_CLASS)?;
        if !owner.is_nil() && !crate::primitives::is_behavior(self, owner) {
            return corrupt("its class is none");
        }
        let source = self.load(method, method_slot::SOURCE)?;
        if header.primitive != 0 && self.heap.is_stored(method) {
            let named = self.text(source).and_then(|source| crate::compiler::primitive_name(&source));
            if named.is_none() {
                return corrupt("it has a primitive that its source does not name");
            }
        }
        Ok(())
    }

    /// The words of the code, the number of inline caches last.
    fn words_of_code(&mut self, method: Oop) -> Result<Vec<u32>, Refusal> {
        let code = self.load(method, method_slot::CODE)?;
        if !self.is_byte_array(code) || !self.heap.size(code).is_multiple_of(4) {
            return corrupt("its code is no ByteArray of whole words");
        }
        let words = self.heap.bytes(code).chunks_exact(4);
        Ok(words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
    }

    fn is_byte_array(&self, value: Oop) -> bool {
        self.class_index_of(value) == class::BYTE_ARRAY && self.heap.is_bytes(value)
    }

    fn literal_kind(&self, literal: Oop) -> LiteralKind {
        if literal.is_reference() {
            return LiteralKind::NotLoaded;
        }
        if literal.is_pointer() && self.heap.is_symbol(literal) {
            let arguments = self.text(literal).and_then(|text| argument_count(&text));
            return arguments.map_or(LiteralKind::Value, LiteralKind::Selector);
        }
        if self.has_slots(literal, 2) { LiteralKind::Variable } else { LiteralKind::Value }
    }

    /// Pairs of a place in the code and an offset in the source, the places ascending.
    fn check_positions(&mut self, method: Oop, words: usize) -> Result<(), Refusal> {
        let positions = self.load(method, method_slot::POSITIONS)?;
        if !self.is_byte_array(positions) || !self.heap.size(positions).is_multiple_of(8) {
            return corrupt("its positions are no ByteArray of pairs");
        }
        let pairs = self.heap.bytes(positions).chunks_exact(8);
        let places: Vec<usize> =
            pairs.map(|pair| u32::from_le_bytes([pair[0], pair[1], pair[2], pair[3]]) as usize).collect();
        if places.is_sorted() && places.last().is_none_or(|last| *last <= words) {
            return Ok(());
        }
        corrupt("its positions are not those of its code")
    }

    // === What becomes of a method that is refused

    /// Gives a method the parts that its source compiles to. They are of this process: nothing is written.
    fn compile_again(&mut self, method: Oop) -> Result<(), Refusal> {
        let source = self.load(method, method_slot::SOURCE)?;
        let Some(source) = self.text(source) else { return corrupt("it has none") };
        let owner = self.load(method, method_slot::METHOD_CLASS)?;
        let category = self.load(method, method_slot::CATEGORY)?;
        let compiled = match owner {
            Oop::NIL => self.compile_do_it(&source),
            _ if crate::primitives::is_behavior(self, owner) => self.compile(owner, &source, category),
            _ => return corrupt("its class is none"),
        };
        let fresh = match compiled {
            Ok(fresh) => fresh,
            Err(CompileFailure::Stop(stop)) => return Err(stop.into()),
            Err(CompileFailure::Errors(errors)) => {
                return corrupt(errors.first().map(ToString::to_string).unwrap_or_default());
            }
        };
        let selector = self.load(method, method_slot::SELECTOR)?;
        let known = matches!(self.literal_kind(selector), LiteralKind::Selector(_));
        if known && selector != self.heap.slot(fresh, method_slot::SELECTOR) {
            return corrupt("that is the source of another method");
        }
        use method_slot::{CODE, HEADER, LITERALS, POSITIONS, SELECTOR};
        for slot in [SELECTOR, LITERALS, CODE, HEADER, POSITIONS] {
            let part = self.heap.slot(fresh, slot);
            self.heap.store_unrecorded(method, slot, part);
        }
        Ok(())
    }

    /// `Class>>selector`, as far as the method says it.
    fn method_name(&mut self, method: Oop) -> String {
        let owner = self.load(method, method_slot::METHOD_CLASS).unwrap_or(Oop::NIL);
        let owner = if self.has_slots(owner, behavior_slot::METACLASS_SLOTS) {
            self.class_name(owner)
        } else {
            "an unknown class".to_owned()
        };
        let selector = self.load(method, method_slot::SELECTOR).ok().and_then(|selector| self.text(selector));
        format!("{}>>{}", shown(&owner), shown(&selector.unwrap_or_else(|| "an unknown selector".to_owned())))
    }
}

/// A name from the repository, fit for one line of a log.
fn shown(name: &str) -> String {
    name.chars().take(NAME_CHARACTERS_MAX).flat_map(char::escape_debug).collect()
}
