//! An image: what the worker holds, and its whole interface.

use crate::boot::{self, BootError};
use crate::compiling::CompileFailure;
use crate::store::{ObjectStore, Oid, Record, StoreError};
use crate::transaction::{Commit, Refresh};
use crate::vm::limits::Interrupts;
use crate::vm::{SessionFacts, Stop, Vm};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// What an image may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VmLimits {
    /// Bytes of heap, beside the kernel.
    pub heap_bytes: usize,
    /// Bytes of stack.
    pub stack_bytes: usize,
}

/// Why an execution gave no value, for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The source is not right.
    CompileError,
    /// The time was up.
    Timeout,
    /// It was cancelled.
    Interrupted,
    /// The heap was used up.
    OutOfMemory,
    /// The stack was used up.
    StackDepth,
    /// There is no store any more.
    StoreLost,
    /// A method from the repository cannot be run.
    CorruptMethod,
    /// A Smalltalk error.
    Other,
}

/// Why an execution gave no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionError {
    /// For programs.
    pub kind: ErrorKind,
    /// The exception's class.
    pub class: String,
    /// What it says.
    pub message: String,
    /// The frames of the user's own code, innermost first: `Class>>selector (line n)`.
    pub frames: Vec<String>,
    /// What is wrong with a source, one by one.
    pub compile_errors: Vec<crate::syntax::CompileError>,
}

/// A Smalltalk image with its virtual machine.
#[derive(Debug)]
pub struct Image {
    vm: Vm,
}

impl Image {
    /// An image with the kernel that is embedded in this binary.
    pub fn boot() -> Result<Image, BootError> {
        Ok(Image { vm: boot::boot()? })
    }

    /// An image around a machine that a test has booted.
    #[cfg(test)]
    pub(crate) fn of(vm: Vm) -> Image {
        Image { vm }
    }

    /// Makes the kernel permanent and shares its memory with processes that are forked from this one. Nothing may be
    /// committed before, and nothing executed by a user.
    pub fn freeze(&mut self) -> Result<(), BootError> {
        self.vm.flush_caches();
        Ok(self.vm.heap.freeze()?)
    }

    /// Puts a store behind the image. `overlays` are the kernel's objects as commits have changed them, up to the view.
    pub fn attach(
        &mut self,
        store: Box<dyn ObjectStore>,
        session: SessionFacts,
        overlays: Vec<Record>,
        oids: Range<Oid>,
        view: u64,
    ) -> Result<(), StoreError> {
        self.vm.store = Some(store);
        self.vm.session = session;
        self.vm.oids = oids;
        self.vm.view = view;
        self.vm.heap.view = view;
        for record in overlays {
            self.vm.apply(&record).map_err(|stop| self.vm.store_error(stop))?;
        }
        self.vm.flush_caches();
        Ok(())
    }

    /// Sets what the image may use.
    pub fn set_limits(&mut self, limits: VmLimits) {
        self.vm.heap.set_limit(limits.heap_bytes);
        let words = (limits.stack_bytes / 8).min(self.vm.heap.stack.capacity());
        self.vm.limits.set_stack(words);
    }

    /// The switch by which another thread cancels what runs.
    pub fn interrupts(&self) -> Arc<Interrupts> {
        self.vm.interrupts()
    }

    /// Runs a do-it; answers the `printString` of its value.
    pub fn execute(&mut self, source: &str, deadline: Instant) -> Result<String, ExecutionError> {
        let mut errors = None;
        let outcome = self.in_execution(deadline, |vm| {
            let method = match vm.compile_do_it(source) {
                Ok(method) => method,
                Err(CompileFailure::Stop(stop)) => return Err(stop),
                Err(CompileFailure::Errors(found)) => {
                    errors = Some(compile_error(&found));
                    return Ok(String::new());
                }
            };
            let (system, execute) = (vm.known.system, vm.known.execute);
            let printed = vm.call(system, execute, &[method])?;
            Ok(vm.text(printed).unwrap_or_else(|| "(a printString that is no string)".to_owned()))
        });
        match errors {
            Some(error) => Err(error),
            None => outcome,
        }
    }

    /// Runs something on a fresh stack with its limits; if it is stopped, tells what happened and lets the unwind
    /// blocks run.
    pub(crate) fn in_execution<T>(
        &mut self,
        deadline: Instant,
        run: impl FnOnce(&mut Vm) -> Result<T, Stop>,
    ) -> Result<T, ExecutionError> {
        self.vm.reset();
        self.vm.limits.begin(Some(deadline));
        let outcome = run(&mut self.vm).map_err(|stop| {
            let report = self.vm.report(&stop);
            self.vm.run_unwind_blocks(&stop);
            report
        });
        self.vm.reset();
        self.vm.settle();
        outcome
    }

    /// Commits.
    pub fn commit(&mut self) -> Result<Commit, StoreError> {
        self.vm.reset();
        self.vm.commit().map_err(|stop| self.vm.store_error(stop))
    }

    /// Gives up what is not committed and takes the newest view.
    pub fn abort(&mut self) -> Result<(), StoreError> {
        self.vm.reset();
        self.vm.abort().map_err(|stop| self.vm.store_error(stop))
    }

    /// Takes the newest view and keeps what is not committed.
    pub fn refresh(&mut self) -> Result<Refresh, StoreError> {
        self.vm.reset();
        self.vm.refresh().map_err(|stop| self.vm.store_error(stop))
    }

    /// Whether something is not committed.
    pub fn has_uncommitted_changes(&self) -> bool {
        self.vm.has_uncommitted_changes()
    }

    /// What is not committed, in words.
    pub fn uncommitted_changes(&mut self) -> Vec<String> {
        self.vm.uncommitted_changes()
    }

    /// Takes back what is not committed, and keeps the view.
    pub fn revert(&mut self) {
        self.vm.reset();
        self.vm.revert();
    }

    /// Says who works here from now on.
    pub fn set_user(&mut self, user: &str) {
        user.clone_into(&mut self.vm.session.user);
    }

    /// What happened that the host should log, oldest first; each is told once. The image itself writes nowhere.
    pub fn take_warnings(&mut self) -> Vec<String> {
        self.vm.warnings.take()
    }

    /// Who works here.
    pub fn session(&self) -> &SessionFacts {
        &self.vm.session
    }

    /// The number of the commit that this image shows.
    pub fn view(&self) -> u64 {
        self.vm.view
    }

    /// Whether the toolsets of the image may be others than when they were last asked for: the view has moved, and
    /// something that they depend on with it.
    pub fn toolsets_touched(&self) -> bool {
        self.vm.toolsets_touched()
    }

    /// The machine itself, for tests and tools in this workspace.
    pub fn vm(&mut self) -> &mut Vm {
        &mut self.vm
    }
}

pub(crate) fn compile_error(errors: &[crate::syntax::CompileError]) -> ExecutionError {
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    ExecutionError {
        kind: ErrorKind::CompileError,
        class: "CompileError".to_owned(),
        message: texts.join("\n"),
        frames: Vec::new(),
        compile_errors: errors.to_vec(),
    }
}
