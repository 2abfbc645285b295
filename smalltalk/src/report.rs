//! How an execution that ended without a value is told: what stopped it, and the user's frames.

use crate::heap::Oop;
use crate::image::{ErrorKind, ExecutionError};
use crate::store::StoreError;
use crate::syntax::error::line_and_column;
use crate::vm::methods::method_slot;
use crate::vm::{Stop, Vm};
use std::time::{Duration, Instant};

/// Frames that are listed; more are counted.
const FRAMES_MAX: usize = 30;

impl Vm {
    /// What to tell of an execution that was stopped; the stack is still as it was then.
    pub(crate) fn report(&mut self, stop: &Stop) -> ExecutionError {
        let frames = self.user_frames();
        let (kind, class, message) = match stop {
            Stop::Unhandled(exception) => {
                let (class, message) = self.describe_exception(*exception);
                return ExecutionError { kind: kind_of(&class), class, message, frames, compile_errors: Vec::new() };
            }
            Stop::Timeout => (ErrorKind::Timeout, "TimeLimitReached", "the time of this call was up"),
            Stop::Cancelled => (ErrorKind::Interrupted, "Break", "the call was cancelled"),
            Stop::StackDepth => (ErrorKind::StackDepth, "AlmostOutOfStack", "the stack was used up"),
            Stop::OutOfMemory => {
                (ErrorKind::OutOfMemory, "AlmostOutOfMemory", "the memory of this session was used up")
            }
            Stop::Store => match &self.store_failure {
                StoreError::Lost => (ErrorKind::StoreLost, "StoneLost", "the stone is gone"),
                StoreError::Refused { message, .. } => (ErrorKind::Other, "TransactionError", message.as_str()),
            },
            Stop::Escaped => (ErrorKind::Other, "Error", "an unwind block tried to leave an ended execution"),
            Stop::CorruptMethod => (ErrorKind::CorruptMethod, "CorruptMethod", self.corrupt_method.as_str()),
            Stop::Broken(what) => (ErrorKind::Other, "Error", *what),
            Stop::Answered(_) => (ErrorKind::Other, "Error", "it answered"),
        };
        ExecutionError {
            kind,
            class: class.to_owned(),
            message: message.to_owned(),
            frames,
            compile_errors: Vec::new(),
        }
    }

    /// Class name and description of an exception, as the exception tells them.
    fn describe_exception(&mut self, exception: Oop) -> (String, String) {
        let name = self.class_name(self.class_of(exception));
        let (system, describe) = (self.known.system, self.known.describe);
        self.limits.begin_aftermath(Instant::now() + AFTERMATH_TIME);
        match self.call(system, describe, &[exception]) {
            Ok(array) if self.is_array(array) && self.heap.size(array) == 2 => {
                let told = self.text(self.heap.slot(array, 0)).unwrap_or(name);
                let message = self.text(self.heap.slot(array, 1)).unwrap_or_default();
                (told, message)
            }
            _ => (name, "(its description failed)".to_owned()),
        }
    }

    /// Lets the unwind blocks of a stopped execution run; what they do wrong is their own.
    pub(crate) fn run_unwind_blocks(&mut self, stop: &Stop) {
        if matches!(stop, Stop::Store | Stop::Broken(_)) {
            return;
        }
        let (top, base) = (self.registers.frame(), self.outermost_frame());
        if top == 0 || base == 0 {
            return;
        }
        self.limits.begin_aftermath(Instant::now() + AFTERMATH_TIME);
        let (top, base) = (self.frame_id(top), self.frame_id(base));
        let (system, selector) = (self.known.system, self.known.run_unwind_blocks);
        // An unwind block that fails or takes too long ends here, and the ones below it do not run.
        let _ = self.call(system, selector, &[base, top]);
    }

    fn outermost_frame(&self) -> usize {
        let mut frame = self.registers.frame();
        while frame != 0 && self.frame_sender(frame) != 0 {
            frame = self.frame_sender(frame);
        }
        frame
    }

    /// The frames of the user's own code, innermost first, in words.
    pub(crate) fn user_frames(&self) -> Vec<String> {
        let mut frames = Vec::new();
        let mut more = 0;
        let (mut frame, mut ip) = (self.registers.frame(), self.registers.next_instruction());
        while frame != 0 {
            if let Some(line) = self.describe_frame(frame, ip) {
                if frames.len() < FRAMES_MAX {
                    frames.push(line);
                } else {
                    more += 1;
                }
            }
            ip = self.frame_return_ip(frame);
            frame = self.frame_sender(frame);
        }
        if more > 0 {
            frames.push(format!("... and {more} more"));
        }
        frames
    }

    /// A frame in words; `None` for the kernel's own.
    fn describe_frame(&self, frame: usize, ip: usize) -> Option<String> {
        let method = self.heap.stack.get(frame + 2);
        if !method.is_pointer() || self.heap.is_permanent(method) {
            return None;
        }
        let block = if self.heap.stack.get(frame + 3).is_nil() { "" } else { "[] in " };
        let line = self.line_of(method, ip);
        let owner = self.heap.slot(method, method_slot::METHOD_CLASS);
        if owner.is_nil() {
            return Some(format!("{block}executed code (line {line})"));
        }
        let owner = owner.as_reference().and_then(|oid| self.tables.object(oid)).unwrap_or(owner);
        let selector = self.text(self.heap.slot(method, method_slot::SELECTOR)).unwrap_or_default();
        Some(format!("{block}{}>>{selector} (line {line})", self.class_name(owner)))
    }

    /// The source line of an instruction: that of the last send up to it.
    pub(crate) fn line_of(&self, method: Oop, ip: usize) -> u32 {
        let loaded = |slot: usize| {
            let value = self.heap.slot(method, slot);
            value.as_reference().and_then(|oid| self.tables.object(oid)).unwrap_or(value)
        };
        let (positions, source) = (loaded(method_slot::POSITIONS), loaded(method_slot::SOURCE));
        if !positions.is_pointer() || !self.heap.is_bytes(positions) {
            return 0;
        }
        let pairs = self.heap.bytes(positions).chunks_exact(8).map(|pair| {
            let word = |from: usize| u32::from_le_bytes(pair[from..from + 4].try_into().expect("four bytes"));
            (word(0) as usize, word(4) as usize)
        });
        let offset = pairs.take_while(|(at, _)| *at <= ip).last().map_or(0, |(_, offset)| offset);
        self.text(source).map_or(0, |source| line_and_column(&source, offset).0)
    }
}

/// Time for describing what stopped an execution, and for its unwind blocks.
const AFTERMATH_TIME: Duration = Duration::from_millis(500);

fn kind_of(class: &str) -> ErrorKind {
    match class {
        "TimeLimitReached" => ErrorKind::Timeout,
        "Break" => ErrorKind::Interrupted,
        "AlmostOutOfStack" => ErrorKind::StackDepth,
        "AlmostOutOfMemory" => ErrorKind::OutOfMemory,
        "CompileError" => ErrorKind::CompileError,
        _ => ErrorKind::Other,
    }
}
