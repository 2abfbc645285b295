//! The virtual machine: state, and the ways in from Rust.
//!
//! Reading order: [`registers`] and [`frames`] (what a frame is), [`interpreter`] (the loop), [`send`] (look-up and
//! caches), [`control`] (the primitives that move frames), [`limits`] (interrupts), [`objects`] (making and reading
//! objects from Rust). Smalltalk never runs on the Rust stack: a primitive cannot call back; it can only arrange that
//! a frame runs next. The one way in is [`Vm::call`].

mod blocks;
pub mod control;
#[allow(unsafe_code)]
pub mod frames;
#[allow(unsafe_code)]
pub mod interpreter;
pub mod known;
pub mod limits;
pub mod loading;
pub mod methods;
pub mod objects;
#[allow(unsafe_code)]
pub mod registers;
mod reshaping;
#[allow(unsafe_code)]
pub mod send;
pub mod shapes;
#[allow(unsafe_code)]
pub mod special;
mod stored_methods;
pub mod symbols;
pub mod tables;
pub mod verifier;

use crate::heap::{Heap, Oop};
use crate::primitives::{PrimitiveTable, Transcript};
use crate::store::{ObjectStore, Oid, StoreError};
use known::Known;
use limits::{Interrupts, Limits};
use registers::Registers;
use send::{CacheLine, Site};
use std::ops::Range;
use std::sync::Arc;
use stored_methods::Warnings;
use tables::Tables;

/// Why an execution ended without a value. It is plain data of a few words: anything that must be dropped would cost
/// the interpreter's loop, which hands it around at every step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stop {
    /// It ended well after all: this is the value. Only the loop itself says so.
    Answered(Oop),
    /// An exception found no handler and is not one that can be ignored.
    Unhandled(Oop),
    /// The time was up, and the code went on after it was told.
    Timeout,
    /// The call was cancelled, and the code went on after it was told.
    Cancelled,
    /// The stack was used up, reserve included.
    StackDepth,
    /// The heap was used up, reserve included.
    OutOfMemory,
    /// The store failed; `Vm::store_failure` says how.
    Store,
    /// An unwind block tried to leave an execution that had ended.
    Escaped,
    /// A method from the repository may not be run; `Vm::corrupt_method` says which and why.
    CorruptMethod,
    /// The image contradicts itself; only this execution ends.
    Broken(&'static str),
}

impl From<crate::heap::HeapFull> for Stop {
    fn from(_: crate::heap::HeapFull) -> Self {
        Stop::OutOfMemory
    }
}

/// Who works here, as the image may say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFacts {
    /// The user in the repository.
    pub user: String,
    /// The session's number.
    pub session: u64,
    /// The stone's name.
    pub stone: String,
}

/// One virtual machine with its image.
pub struct Vm {
    /// All objects.
    pub(crate) heap: Heap,
    /// What the image names outside of the heap: classes, symbols, methods, loaded objects.
    pub(crate) tables: Tables,
    /// The kernel's objects that the machine itself uses.
    pub(crate) known: Known,
    /// Primitives by number.
    pub(crate) primitives: PrimitiveTable,
    pub(crate) sites: Vec<Site>,
    pub(crate) filled_sites: Vec<u32>,
    pub(crate) cache: Vec<CacheLine>,
    /// Methods that were looked up, while somebody wants to know.
    pub(crate) met: Option<std::collections::HashSet<Oop>>,
    pub(crate) registers: Registers,
    /// Frame of the innermost [`Vm::call`]: nothing may cut the stack below it.
    pub(crate) base_frame: usize,
    pub(crate) serial: u64,
    pub(crate) limits: Limits,
    /// The store behind this image, once it is attached.
    pub(crate) store: Option<Box<dyn ObjectStore>>,
    /// How the store failed when it ended an execution.
    pub(crate) store_failure: StoreError,
    /// What to tell of the method that ended an execution by [`Stop::CorruptMethod`].
    pub(crate) corrupt_method: String,
    /// What the host should log.
    pub(crate) warnings: Warnings,
    /// Identities for new objects.
    pub(crate) oids: Range<Oid>,
    /// The number of the commit that this image shows.
    pub(crate) view: u64,
    /// Who works here.
    pub(crate) session: SessionFacts,
    /// What others committed of that which this transaction wrote, learned by a refresh.
    pub(crate) overtaken: std::collections::HashSet<Oid>,
    /// What others have committed of anything, as far as this session has seen.
    pub(crate) foreign: crate::foreign::ForeignChanges,
    /// What the toolsets of the image depend on, once somebody has asked for them.
    pub(crate) watch: Option<crate::toolset_watch::Watch>,
    /// What was written for whoever looks on.
    pub(crate) transcript: Transcript,
}

impl std::fmt::Debug for Vm {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Vm").field("view", &self.view).finish_non_exhaustive()
    }
}

impl Vm {
    /// A machine with an empty image.
    pub(crate) fn new(heap: Heap, primitives: PrimitiveTable) -> Vm {
        let limits = Limits::new(heap.stack.capacity());
        Vm {
            heap,
            tables: Tables::default(),
            known: Known::default(),
            primitives,
            sites: Vec::new(),
            filled_sites: Vec::new(),
            cache: vec![CacheLine::EMPTY; send::CACHE_LINES],
            met: None,
            registers: Registers::default(),
            base_frame: 0,
            serial: 0,
            limits,
            store: None,
            store_failure: StoreError::Lost,
            corrupt_method: String::new(),
            warnings: Warnings::default(),
            oids: 0..0,
            view: 0,
            session: SessionFacts { user: String::new(), session: 0, stone: String::new() },
            overtaken: std::collections::HashSet::new(),
            foreign: Default::default(),
            watch: None,
            transcript: Transcript::default(),
        }
    }

    /// The store failed: that ends the execution.
    pub(crate) fn store_failed(&mut self, error: StoreError) -> Stop {
        self.store_failure = error;
        Stop::Store
    }

    /// What stopped something that asked the store.
    pub(crate) fn store_error(&self, stop: Stop) -> StoreError {
        match stop {
            Stop::Store => self.store_failure.clone(),
            other => StoreError::Refused { kind: "other".to_owned(), message: format!("the image gave up: {other:?}") },
        }
    }

    /// The store behind this image.
    pub(crate) fn attached(&mut self) -> Result<&mut Box<dyn ObjectStore>, Stop> {
        if self.store.is_none() {
            self.store_failure = StoreError::Lost;
        }
        self.store.as_mut().ok_or(Stop::Store)
    }

    /// Collect at every allocation, to bring out words that were held across one.
    pub fn set_stress(&mut self, stress: bool) {
        self.heap.set_stress(stress);
    }

    /// How many collections there were.
    pub fn collections(&self) -> u64 {
        self.heap.collections()
    }

    /// The switch by which another thread interrupts this machine.
    pub fn interrupts(&self) -> Arc<Interrupts> {
        self.limits.interrupts()
    }

    /// Sends a message from Rust and runs until it has answered. Calls nest only when an execution has ended: what
    /// was interrupted below stays on the stack, to be looked at, until [`Vm::reset`].
    pub fn call(&mut self, receiver: Oop, selector: Oop, arguments: &[Oop]) -> Result<Oop, Stop> {
        let outer = (self.registers, self.base_frame);
        if self.registers.sp == 0 {
            self.reset();
        }
        let mut registers = self.registers;
        registers.sp = self.push(registers.sp, receiver);
        for argument in arguments {
            registers.sp = self.push(registers.sp, *argument);
        }
        let stop = self.activate_base(registers, selector, arguments.len()).and_then(|r| self.run(r));
        self.base_frame = outer.1;
        match stop {
            Err(Stop::Answered(value)) => {
                self.registers = outer.0;
                self.heap.stack_top = self.registers.sp;
                Ok(value)
            }
            Err(stop) => Err(stop),
            Ok(never) => match never {},
        }
    }

    /// Runs a method without arguments on nil.
    pub(crate) fn run_method(&mut self, method: Oop) -> Result<Oop, Stop> {
        let r = self.registers;
        let r = self.pushed(r, Oop::NIL);
        let entry = self.method_entry(method)?;
        let r = self.push_frame(r, entry, 0, frames::FLAG_BASE)?;
        self.base_frame = r.fp;
        match self.run(r) {
            Err(Stop::Answered(value)) => Ok(value),
            Err(stop) => Err(stop),
            Ok(never) => match never {},
        }
    }

    /// Forgets whatever is on the stack.
    pub fn reset(&mut self) {
        // Position 0 is left empty: as the position of a frame it means that there is none.
        self.heap.set_stack(0, Oop::NIL);
        self.registers = Registers { sp: 1, ..Registers::default() };
        self.base_frame = 0;
        self.heap.stack_top = 1;
        self.heap.handles.clear();
        self.limits.rearm();
    }

    fn push(&mut self, sp: usize, value: Oop) -> usize {
        self.heap.set_stack(sp, value);
        sp + 1
    }
}
