//! Sends: which method answers a message, and the caches that make the question cheap.
//!
//! Each send site has an inline cache of one class; behind all sites there is one cache over (class, selector). Both
//! are emptied when a method, a class or the view changes: the sites that are filled are listed, so that emptying
//! them costs what they were worth.

use super::frames::{BlockShape, HEADER_WORDS, block_slot};
use super::known::{behavior_slot, class, dictionary_slot};
use super::methods::{Entry, Quick, method_slot};
use super::registers::Registers;
use super::{Stop, Vm};
use crate::heap::{NO_CLASS, Oop};
use std::collections::HashSet;

/// Inline cache of a send.
#[derive(Debug, Clone, Copy)]
pub struct Site {
    /// Class that was seen; `NO_CLASS` if none.
    pub class: u32,
    /// Its method's entry.
    pub entry: u32,
}

impl Site {
    /// Nothing seen yet.
    pub const EMPTY: Site = Site { class: NO_CLASS, entry: 0 };
}

/// One line of the cache behind the sites.
#[derive(Debug, Clone, Copy)]
pub struct CacheLine {
    selector: Oop,
    class: u32,
    entry: u32,
}

impl CacheLine {
    /// Nothing cached.
    pub const EMPTY: CacheLine = CacheLine { selector: Oop::NIL, class: NO_CLASS, entry: 0 };
}

/// Lines of the cache behind the sites; a power of two.
pub const CACHE_LINES: usize = 1024;

/// Longest chain of superclasses that is followed: a cycle must end somewhere.
const SUPERCLASSES_MAX: usize = 1000;

impl Vm {
    /// The class index of any value.
    #[inline]
    pub fn class_index_of(&self, value: Oop) -> u32 {
        let value = self.heap.checked(value);
        // SAFETY: if it is a pointer it is an object, as was just checked.
        unsafe { self.class_index_of_unchecked(value) }
    }

    /// The class index of a value.
    ///
    /// # Safety
    /// If it is a pointer it is an object of the heap; the interpreter's values are.
    #[inline(always)]
    pub(super) unsafe fn class_index_of_unchecked(&self, value: Oop) -> u32 {
        if value.is_pointer() {
            // SAFETY: as the caller says.
            return unsafe { self.heap.class_index_unchecked(value) };
        }
        if value.is_integer() {
            return class::SMALL_INTEGER;
        }
        immediate_class(value)
    }

    /// The class of any value.
    pub fn class_of(&self, value: Oop) -> Oop {
        self.tables.classes[self.class_index_of(value) as usize]
    }

    /// The entry that answers the send at a site. If nobody does, `doesNotUnderstand:` does, and receiver and
    /// arguments on the stack are arranged for it.
    #[inline(always)]
    pub(crate) fn site_entry(
        &mut self,
        r: Registers,
        site: usize,
        selector: Oop,
        arguments: usize,
    ) -> Result<(Registers, u32, usize), Stop> {
        let class = self.class_index_of(self.heap.stack.get(r.sp - 1 - arguments));
        let cached = self.sites[site];
        if cached.class == class {
            return Ok((r, cached.entry, arguments));
        }
        self.site_miss(r, site, class, selector, arguments)
    }

    fn site_miss(
        &mut self,
        r: Registers,
        site: usize,
        class: u32,
        selector: Oop,
        arguments: usize,
    ) -> Result<(Registers, u32, usize), Stop> {
        let start = self.tables.classes[class as usize];
        match self.find(class, start, selector)? {
            Some(entry) if self.tables.entries[entry as usize].arguments as usize == arguments => {
                if self.sites[site].class == NO_CLASS {
                    self.filled_sites.push(site as u32);
                }
                self.sites[site] = Site { class, entry };
                Ok((r, entry, arguments))
            }
            Some(_) => Err(Stop::Broken("a method that takes another number of arguments than its selector")),
            None => self.not_understood(r, start, selector, arguments),
        }
    }

    /// The entry that answers a selector, if any does.
    pub(crate) fn find(&mut self, class: u32, start: Oop, selector: Oop) -> Result<Option<u32>, Stop> {
        let line = cache_line(class, selector);
        let cached = self.cache[line];
        if cached.class == class && cached.selector == selector {
            return Ok(Some(cached.entry));
        }
        let Some(method) = self.look_up(start, selector)? else { return Ok(None) };
        if let Some(met) = &mut self.met {
            met.insert(method);
        }
        let entry = self.method_entry(method)?;
        self.cache[line] = CacheLine { selector, class, entry };
        Ok(Some(entry))
    }

    /// The method that a class or one of its superclasses has for a selector.
    pub fn look_up(&mut self, start: Oop, selector: Oop) -> Result<Option<Oop>, Stop> {
        let mut behavior = start;
        for _ in 0..SUPERCLASSES_MAX {
            if !self.has_slots(behavior, behavior_slot::METACLASS_SLOTS) {
                return Ok(None);
            }
            if let Some(method) = self.own_method(behavior, selector)? {
                return Ok(Some(method));
            }
            behavior = self.load(behavior, behavior_slot::SUPERCLASS)?;
        }
        Err(Stop::Broken("a class that is its own superclass"))
    }

    /// The method that a class itself has for a selector.
    pub fn own_method(&mut self, behavior: Oop, selector: Oop) -> Result<Option<Oop>, Stop> {
        let dictionary = self.load(behavior, behavior_slot::METHOD_DICTIONARY)?;
        if !self.has_slots(dictionary, 2) {
            return Ok(None);
        }
        let table = self.load(dictionary, dictionary_slot::TABLE)?;
        if !self.has_slots(table, 2) {
            return Ok(None);
        }
        let Some(index) = self.method_place(table, selector) else { return Ok(None) };
        if self.heap.slot(table, index) != selector {
            return Ok(None);
        }
        Ok(Some(self.load(table, index + 1)?))
    }

    /// Where in the table of a method dictionary a selector stands, or would stand.
    pub(crate) fn method_place(&self, table: Oop, selector: Oop) -> Option<usize> {
        let places = self.heap.size(table) / 2;
        if places == 0 {
            return None;
        }
        let mut place = self.heap.symbol_hash(selector) as usize & (places - 1);
        for _ in 0..places {
            let held = self.heap.slot(table, place * 2);
            if held == selector || held.is_nil() {
                return Some(place * 2);
            }
            place = (place + 1) & (places - 1);
        }
        None
    }

    fn not_understood(
        &mut self,
        r: Registers,
        start: Oop,
        selector: Oop,
        arguments: usize,
    ) -> Result<(Registers, u32, usize), Stop> {
        let class = self.behavior_index(start)?;
        let Some(entry) = self.find(class, start, self.known.does_not_understand)? else {
            return Err(Stop::Broken("a class that does not even understand doesNotUnderstand:"));
        };
        if self.tables.entries[entry as usize].arguments != 1 {
            return Err(Stop::Broken("a method that takes another number of arguments than its selector"));
        }
        self.heap.stack_top = r.sp;
        let message = self.new_message(selector, r.sp - arguments, arguments)?;
        let sp = r.sp - arguments + 1;
        self.heap.set_stack(sp - 1, message);
        Ok((self.reload(Registers { sp, ..r }), entry, 1))
    }

    /// Activates a method by its entry: quick ones at once, primitives first, else by a frame. Its arguments, as many
    /// as
    /// it takes, are on the stack.
    #[inline(always)]
    pub(crate) fn activate(&mut self, r: Registers, entry: u32, arguments: usize) -> Result<Registers, Stop> {
        let method: &Entry = &self.tables.entries[entry as usize];
        match method.quick {
            Quick::No => {}
            Quick::ReturnSelf => return Ok(r),
            Quick::ReturnSlot(index) => return self.return_slot(r, index as usize),
        }
        if method.primitive != 0 {
            return self.slowly(r, |vm, r| vm.activate_primitive(r, entry, arguments));
        }
        let end = r.sp + HEADER_WORDS + usize::from(method.frame_words);
        if !self.may_go_on(end) {
            return self.slowly(r, |vm, r| vm.activate_slowly(r, entry, arguments));
        }
        // SAFETY: the frame ends below the limit of the stack, and every caller has compared the arguments with the
        // entry, or found the entry in an inline cache, where only such are put.
        Ok(unsafe { self.push_frame_unchecked(r, entry, arguments, 0) })
    }

    /// An activation for which the machine has to look at its limits.
    fn activate_slowly(&mut self, r: Registers, entry: u32, arguments: usize) -> Result<Registers, Stop> {
        let r = self.push_frame(r, entry, arguments, 0)?;
        self.check_slowly(r)
    }

    /// Evaluates a sealed block that is on the stack with its arguments.
    ///
    /// # Safety
    /// The block is sealed and this is its shape; its arguments, as many as it takes, are the topmost words.
    #[inline(always)]
    pub(super) unsafe fn evaluate_block_unchecked(
        &mut self,
        r: Registers,
        block: Oop,
        shape: BlockShape,
    ) -> Result<Registers, Stop> {
        // SAFETY: the caller says that it is sealed.
        let entry = unsafe { self.block_entry_unchecked(block) };
        let end = r.sp + HEADER_WORDS + usize::from(self.tables.entries[entry as usize].frame_words);
        if !self.may_go_on(end) {
            return self.slowly(r, |vm, r| vm.evaluate_block(r, block, shape.arguments));
        }
        // SAFETY: as the caller says, and the frame ends below the limit of the stack.
        Ok(unsafe { self.push_block_frame_unchecked(r, block, entry, shape.arguments, shape) })
    }

    /// Evaluates a sealed block that is on the stack with its arguments, and looks at the limits.
    pub(super) fn evaluate_block(&mut self, r: Registers, block: Oop, arguments: usize) -> Result<Registers, Stop> {
        let r = self.push_block_frame(r, block, arguments)?;
        self.check(r)
    }

    /// `^instanceVariable`, without a frame.
    #[inline(always)]
    fn return_slot(&mut self, r: Registers, index: usize) -> Result<Registers, Stop> {
        // SAFETY: a send has pushed its receiver, which is an object or none; the slot is read only if it is there.
        unsafe {
            let receiver = self.peek_unchecked(&r, 1);
            if !self.heap.has_slot_unchecked(receiver, index) {
                return Err(Stop::Broken("code that names a variable which its object does not have"));
            }
            let value = self.heap.slot_unchecked(receiver, index);
            if value.is_reference() {
                return self.slowly(r, |vm, r| vm.return_loaded(r, receiver, index));
            }
            self.poke_unchecked(&r, 1, value);
        }
        Ok(r)
    }

    fn return_loaded(&mut self, r: Registers, receiver: Oop, index: usize) -> Result<Registers, Stop> {
        let value = self.load(receiver, index)?;
        self.heap.set_stack(r.sp - 1, value);
        Ok(r)
    }

    /// Sends a message whose receiver and arguments are on the stack, without a site.
    pub(crate) fn send(&mut self, r: Registers, selector: Oop, arguments: usize) -> Result<Registers, Stop> {
        self.registers = r;
        let class = self.class_index_of(self.heap.stack.get(r.sp - 1 - arguments));
        let start = self.tables.classes[class as usize];
        let (r, entry, arguments) = match self.find(class, start, selector)? {
            Some(entry) if self.tables.entries[entry as usize].arguments as usize == arguments => (r, entry, arguments),
            _ => self.not_understood(r, start, selector, arguments)?,
        };
        self.activate(r, entry, arguments)
    }

    /// As [`Vm::send`], with a frame that bears flags; primitives are not tried.
    pub(crate) fn send_flagged(
        &mut self,
        r: Registers,
        selector: Oop,
        arguments: usize,
        flags: u64,
    ) -> Result<Registers, Stop> {
        let class = self.class_index_of(self.heap.stack.get(r.sp - 1 - arguments));
        let start = self.tables.classes[class as usize];
        let (r, entry, arguments) = match self.find(class, start, selector)? {
            Some(entry) if self.tables.entries[entry as usize].arguments as usize == arguments => (r, entry, arguments),
            _ => self.not_understood(r, start, selector, arguments)?,
        };
        self.push_frame(r, entry, arguments, flags)
    }

    /// The first frame of a call from Rust.
    pub(crate) fn activate_base(&mut self, r: Registers, selector: Oop, arguments: usize) -> Result<Registers, Stop> {
        // A frame at position 0 would look like no frame: the stack begins with one word that nobody uses.
        debug_assert!(r.sp > arguments);
        let r = self.send_flagged(r, selector, arguments, super::frames::FLAG_BASE)?;
        self.base_frame = r.fp;
        Ok(r)
    }

    /// A send above the class of the running method.
    pub(crate) fn send_super(&mut self, r: Registers, selector: Oop, arguments: usize) -> Result<Registers, Stop> {
        self.registers = r;
        let method = self.heap.stack.get(r.fp + 2);
        let owner = self.load(method, method_slot::METHOD_CLASS)?;
        let above = if owner.is_nil() { Oop::NIL } else { self.load(owner, behavior_slot::SUPERCLASS)? };
        let entry = match self.has_slots(above, behavior_slot::METACLASS_SLOTS) {
            true => {
                let index = self.behavior_index(above)?;
                self.find(index, above, selector)?
            }
            false => None,
        };
        match entry {
            Some(entry) if self.tables.entries[entry as usize].arguments as usize == arguments => {
                self.activate(r, entry, arguments)
            }
            _ => {
                let start = self.class_of(self.heap.stack.get(r.sp - 1 - arguments));
                let (r, entry, arguments) = self.not_understood(r, start, selector, arguments)?;
                self.activate(r, entry, arguments)
            }
        }
    }

    /// The entry of a sealed block's method.
    ///
    /// # Safety
    /// The block is sealed: its method has an entry.
    #[inline(always)]
    pub(super) unsafe fn block_entry_unchecked(&self, block: Oop) -> u32 {
        // SAFETY: as the caller says.
        unsafe {
            let method = self.heap.slot_unchecked(block, block_slot::METHOD);
            self.heap.slot_unchecked(method, method_slot::ENTRY).small_value() as u32
        }
    }

    /// From now on, notes which methods answer messages; what the machine computes without a send counts for nobody.
    pub fn watch_methods(&mut self) {
        self.flush_caches();
        self.met = Some(HashSet::new());
    }

    /// The kernel's methods that have answered a message since [`Vm::watch_methods`]: class and selector, sorted.
    pub fn methods_met(&mut self) -> Vec<(String, String)> {
        let met: Vec<Oop> =
            self.met.iter().flatten().copied().filter(|method| self.heap.is_permanent(*method)).collect();
        let name = |method: &Oop| {
            let (owner, selector) = (method_slot::METHOD_CLASS, method_slot::SELECTOR);
            let selector = self.text(self.heap.slot(*method, selector)).unwrap_or_default();
            (self.class_name(self.heap.slot(*method, owner)), selector)
        };
        let mut names: Vec<(String, String)> = met.iter().map(name).collect();
        names.sort();
        names
    }

    /// Empties all caches: a method, a class or the view has changed.
    pub fn flush_caches(&mut self) {
        for site in self.filled_sites.drain(..) {
            self.sites[site as usize] = Site::EMPTY;
        }
        self.cache.fill(CacheLine::EMPTY);
    }
}

fn cache_line(class: u32, selector: Oop) -> usize {
    let mixed = (selector.bits() >> 4) ^ u64::from(class).wrapping_mul(0x9e37_79b9);
    mixed as usize & (CACHE_LINES - 1)
}

#[inline(never)]
fn immediate_class(value: Oop) -> u32 {
    match value {
        Oop::NIL => class::UNDEFINED_OBJECT,
        Oop::TRUE => class::TRUE,
        Oop::FALSE => class::FALSE,
        _ if value.is_float() => class::SMALL_DOUBLE,
        _ if value.is_character() => class::CHARACTER,
        _ => class::UNDEFINED_OBJECT,
    }
}
