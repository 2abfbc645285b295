//! Limits and interrupts: what ends a computation that would not end by itself.
//!
//! Back jumps and activations count down; every so often the machine looks at the clock, at the switch that other
//! threads may set, and at the heap. A limit that is reached is first told to the running Smalltalk code, as a message
//! to `System`, which signals an exception; code that goes on regardless is ended a little later.

use super::frames::FLAG_DISCARD;
use super::registers::Registers;
use super::{Stop, Vm};
use crate::heap::Oop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Activations and back jumps between two looks.
const TICKS: i32 = 2_000;
/// How long code may go on after it was told that its time is up.
const GRACE: Duration = Duration::from_millis(500);
/// Stack words that are kept for handling the exhaustion of the rest.
const STACK_RESERVE: usize = 400 * 1024;
/// Stack words that stay in memory between two executions.
const STACK_WORDS_KEPT: usize = 4 * 1024;
/// Nursery that may stay in memory between two executions.
const NURSERY_BYTES_KEPT: usize = 128 * 1024;
/// Stack words that no frame can exceed.
const FRAME_WORDS_MAX: usize = 70 * 1024;

/// The switch by which another thread interrupts a machine.
#[derive(Debug, Default)]
pub struct Interrupts {
    cancelled: AtomicBool,
}

impl Interrupts {
    /// Interrupts what runs.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Forgets an interrupt that came too late.
    pub fn clear(&self) {
        self.cancelled.store(false, Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// How far an execution may go.
#[derive(Debug)]
pub(crate) struct Limits {
    interrupts: Arc<Interrupts>,
    ticks: i32,
    stack_limit: usize,
    stack_soft: usize,
    stack_hard: usize,
    deadline: Option<Instant>,
    /// When code that was told to stop is ended, and with what.
    last_word: Option<(Instant, Stop)>,
    memory_told: bool,
    /// False once an execution has been stopped: what is run to tell of it, and to unwind it, is not cancelled again.
    accepts_cancel: bool,
    /// The highest stack index that was seen at a look.
    highest: usize,
}

impl Limits {
    pub(crate) fn new(stack_words: usize) -> Limits {
        let stack_hard = stack_words.saturating_sub(FRAME_WORDS_MAX);
        let stack_soft = stack_words.saturating_sub(STACK_RESERVE).min(stack_hard);
        Limits {
            interrupts: Arc::default(),
            ticks: TICKS,
            stack_limit: stack_soft,
            stack_soft,
            stack_hard,
            deadline: None,
            last_word: None,
            memory_told: false,
            accepts_cancel: true,
            highest: 0,
        }
    }

    /// Sets how many words of the stack may be used.
    pub(crate) fn set_stack(&mut self, words: usize) {
        let fresh = Limits::new(words);
        self.stack_soft = fresh.stack_soft;
        self.stack_hard = fresh.stack_hard;
        self.stack_limit = fresh.stack_soft;
    }

    pub(crate) fn interrupts(&self) -> Arc<Interrupts> {
        Arc::clone(&self.interrupts)
    }

    /// Grants a new execution its time. A cancel that came before is not forgotten: whoever owns the calls clears it
    /// when one begins.
    pub(crate) fn begin(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
        self.accepts_cancel = true;
        self.rearm();
    }

    /// Grants what is run after an execution was stopped its time.
    pub(crate) fn begin_aftermath(&mut self, deadline: Instant) {
        self.begin(Some(deadline));
        self.accepts_cancel = false;
    }

    pub(crate) fn rearm(&mut self) {
        self.ticks = TICKS;
        self.stack_limit = self.stack_soft;
        self.last_word = None;
        self.memory_told = false;
    }
}

impl Vm {
    /// Whether an activation whose frame ends at an index may happen without a look at the limits.
    #[inline(always)]
    pub(crate) fn may_go_on(&mut self, end: usize) -> bool {
        self.limits.ticks -= 1;
        self.limits.ticks > 0 && end < self.limits.stack_limit
    }

    /// At every back jump, and behind an activation off the fast path.
    #[inline(always)]
    pub(crate) fn check(&mut self, r: Registers) -> Result<Registers, Stop> {
        if self.may_go_on(r.sp) {
            return Ok(r);
        }
        self.slowly(r, |vm, r| vm.check_slowly(r))
    }

    /// Gives back the memory that an execution has used and an idle session does not need.
    pub(crate) fn settle(&mut self) {
        if std::mem::take(&mut self.limits.highest) > STACK_WORDS_KEPT {
            self.heap.stack.trim(STACK_WORDS_KEPT);
        }
        if self.heap.nursery_bytes() > NURSERY_BYTES_KEPT {
            self.collect();
            self.heap.trim_nursery();
        }
    }

    /// Makes the next activation or back jump look at everything.
    pub(crate) fn look_soon(&mut self) {
        self.limits.ticks = 0;
    }

    pub(crate) fn check_slowly(&mut self, r: Registers) -> Result<Registers, Stop> {
        self.heap.stack_top = r.sp;
        self.limits.highest = self.limits.highest.max(r.sp);
        if r.sp >= self.limits.stack_limit {
            return self.stack_exhausted(r);
        }
        self.limits.ticks = TICKS;
        if r.sp < self.limits.stack_soft / 2 {
            self.limits.stack_limit = self.limits.stack_soft;
        }
        if self.heap.is_over_limit() {
            return self.memory_exhausted(r);
        }
        self.limits.memory_told = false;
        self.look_at_clock(r)
    }

    fn stack_exhausted(&mut self, r: Registers) -> Result<Registers, Stop> {
        if self.limits.stack_limit >= self.limits.stack_hard {
            return Err(Stop::StackDepth);
        }
        self.limits.stack_limit = self.limits.stack_hard;
        self.tell(r, self.known.stack_depth)
    }

    fn memory_exhausted(&mut self, r: Registers) -> Result<Registers, Stop> {
        self.collect_all();
        let r = self.reload(r);
        if !self.heap.is_over_limit() {
            return Ok(r);
        }
        if std::mem::replace(&mut self.limits.memory_told, true) {
            return if self.heap.has_room_for(0, true) { Ok(r) } else { Err(Stop::OutOfMemory) };
        }
        self.tell(r, self.known.memory)
    }

    fn look_at_clock(&mut self, r: Registers) -> Result<Registers, Stop> {
        let now = Instant::now();
        if let Some((end, stop)) = &self.limits.last_word {
            return if now >= *end { Err(*stop) } else { Ok(r) };
        }
        if self.limits.accepts_cancel && self.limits.interrupts.is_cancelled() {
            self.limits.last_word = Some((now + GRACE, Stop::Cancelled));
            return self.tell(r, self.known.cancel);
        }
        if self.limits.deadline.is_some_and(|deadline| now >= deadline) {
            self.limits.last_word = Some((now + GRACE, Stop::Timeout));
            return self.tell(r, self.known.timeout);
        }
        Ok(r)
    }

    /// Lets `System` signal what happened, on top of the running frame; what that answers is dropped.
    fn tell(&mut self, r: Registers, kind: Oop) -> Result<Registers, Stop> {
        let r = self.pushed(r, self.known.system);
        let r = self.pushed(r, kind);
        self.send_flagged(r, self.known.interrupt, 1, FLAG_DISCARD)
    }
}
