//! The collector: copies what lives.
//!
//! Roots are the stack, the handles, what the image names through [`Roots`], the states kept for `abort`, and those
//! older objects that point to younger ones (minor) or out of the permanent space (major). Words that come from outside
//! of objects are checked; slots hold nothing but objects, and are followed without a check.

use super::fault::fault;
use super::{Before, HEADER_BYTES, Heap, MAJOR_STEP_BYTES, Oop, body_bytes, flag};

/// Words that the image holds outside of the heap.
pub trait Roots {
    /// Visits every word that keeps an object alive; none of them may point to a young one. The image brings its
    /// caches up to date afterwards.
    fn visit_all(&mut self, visit: &mut dyn FnMut(&mut Oop));

    /// Visits every word that repeats what a slot of a living object says.
    fn visit_cached(&mut self, visit: &mut dyn FnMut(&mut Oop));

    /// Offers every word that must not keep its object alive: the visitor answers whether the object lives, and has
    /// then brought the word up to date.
    fn retain_weak(&mut self, keep: &mut dyn FnMut(&mut Oop) -> bool);
}

impl Heap {
    /// Empties the nursery: what lives becomes old.
    pub fn collect_minor(&mut self) {
        self.begin_collection();
        self.empty_nursery();
        self.collecting = false;
    }

    /// A collection that failed has left objects that are forwarded, and no other may meet them.
    fn begin_collection(&mut self) {
        assert!(!self.collecting, "a heap in which a collection has failed");
        self.collecting = true;
    }

    fn empty_nursery(&mut self) {
        self.collections += 1;
        let mut work = Vec::new();
        self.update_stack(|heap, word| heap.promote_root(word, &mut work));
        for object in std::mem::take(&mut self.remembered) {
            let header = self.header(object) | flag::UNREMEMBERED;
            self.set_header(object, header);
            // SAFETY: its header was just read, with a check.
            unsafe { self.promote_slots(object, &mut work) };
        }
        while let Some(object) = work.pop() {
            // SAFETY: it was just copied.
            unsafe { self.promote_slots(object, &mut work) };
        }
        self.arena.clear_starts(self.arena.nursery(), self.nursery_free);
        self.nursery_free = self.arena.nursery();
    }

    /// Whether the old space has grown enough for a major collection to be worth it.
    pub fn wants_major(&self) -> bool {
        self.old_bytes > self.major_threshold
    }

    /// Copies everything that lives, nursery included, into fresh chunks.
    pub fn collect_major(&mut self, roots: &mut dyn Roots) {
        self.begin_collection();
        self.empty_nursery();
        let from = std::mem::take(&mut self.old);
        from.iter().for_each(|chunk| self.arena.begin_evacuation(chunk));
        self.old_bytes = 0;
        let mut work = Vec::new();
        self.update_stack(|heap, word| heap.evacuate_root(word, &mut work));
        roots.visit_all(&mut |word| self.evacuate_root(word, &mut work));
        let mut written = std::mem::take(&mut self.written);
        for before in &mut written {
            self.evacuate_before(before, &mut work);
        }
        self.written = written;
        for index in 0..self.outward.len() {
            // SAFETY: the barrier has put it there, and what is permanent stays.
            unsafe { self.evacuate_slots(self.outward[index], &mut work) };
        }
        while let Some(object) = work.pop() {
            // SAFETY: it was just copied.
            unsafe { self.evacuate_slots(object, &mut work) };
        }
        roots.retain_weak(&mut |word| self.retain_old(word));
        from.into_iter().for_each(|chunk| self.arena.free_chunk(chunk));
        self.major_threshold = (self.old_bytes * 2).max(MAJOR_STEP_BYTES);
        self.collecting = false;
    }

    /// Gives the memory of the empty nursery back to the system.
    pub fn trim_nursery(&mut self) {
        self.arena.release_nursery(self.nursery_free);
    }

    fn update_stack(&mut self, mut update: impl FnMut(&mut Heap, &mut Oop)) {
        for index in 0..self.stack_top {
            let mut word = self.stack.get(index);
            update(self, &mut word);
            self.stack.set(index, word);
        }
        for index in 0..self.handles.len() {
            let mut word = self.handles[index];
            update(self, &mut word);
            self.handles[index] = word;
        }
    }

    /// # Safety
    /// It is an object of this heap.
    unsafe fn promote_slots(&mut self, object: Oop, work: &mut Vec<Oop>) {
        // SAFETY: the caller says that it is an object; its slots hold objects of this heap, or none.
        unsafe {
            let header = self.header_unchecked(object);
            if header & flag::BYTES != 0 {
                return;
            }
            for index in 0..header as u32 as usize {
                let word = self.slot_unchecked(object, index);
                if self.is_young(word) {
                    let copy = self.copy(word, work);
                    self.set_word_unchecked(object, 2 + index, copy.bits());
                }
            }
        }
    }

    fn promote_root(&mut self, word: &mut Oop, work: &mut Vec<Oop>) {
        self.arena.check_value(*word);
        if self.is_young(*word) {
            // SAFETY: it is an object, as was just checked.
            *word = unsafe { self.copy(*word, work) };
        }
    }

    fn evacuate_root(&mut self, word: &mut Oop, work: &mut Vec<Oop>) {
        self.arena.check_value(*word);
        // SAFETY: it is an object or none, as was just checked.
        unsafe { self.evacuate(word, work) }
    }

    /// # Safety
    /// If it is a pointer it is an object of this heap.
    unsafe fn evacuate(&mut self, word: &mut Oop, work: &mut Vec<Oop>) {
        if self.arena.in_from_space(*word) {
            // SAFETY: as the caller says.
            *word = unsafe { self.copy(*word, work) };
        }
    }

    /// # Safety
    /// It is an object of this heap.
    unsafe fn evacuate_slots(&mut self, object: Oop, work: &mut Vec<Oop>) {
        // SAFETY: the caller says that it is an object; its slots hold objects of this heap, or none.
        unsafe {
            let header = self.header_unchecked(object);
            if header & flag::BYTES != 0 {
                return;
            }
            for index in 0..header as u32 as usize {
                let mut word = self.slot_unchecked(object, index);
                self.evacuate(&mut word, work);
                self.set_word_unchecked(object, 2 + index, word.bits());
            }
        }
    }

    fn evacuate_before(&mut self, before: &mut Before, work: &mut Vec<Oop>) {
        self.evacuate_root(&mut before.object, work);
        self.evacuate_root(&mut before.replaced, work);
        if before.shape & flag::BYTES != 0 {
            return;
        }
        for bits in &mut before.body {
            let mut word = Oop::from_bits(*bits);
            self.evacuate_root(&mut word, work);
            *bits = word.bits();
        }
    }

    fn retain_old(&mut self, word: &mut Oop) -> bool {
        self.arena.check_value(*word);
        if !self.arena.in_from_space(*word) {
            return true;
        }
        // SAFETY: it is an object, as was just checked, and has two header words.
        let (header, second) = unsafe { (self.header_unchecked(*word), self.word_unchecked(*word, 1)) };
        let lives = header & flag::FORWARDED != 0;
        if lives {
            *word = Oop::at_address(second as usize);
        }
        lives
    }

    /// Copies an object to the old space unless that was done already; answers where it is now.
    ///
    /// # Safety
    /// It is an object in the nursery, or in what a major collection evacuates.
    unsafe fn copy(&mut self, object: Oop, work: &mut Vec<Oop>) -> Oop {
        // SAFETY: the caller says that it is an object, and its header has two words.
        let (header, second) = unsafe { (self.header_unchecked(object), self.word_unchecked(object, 1)) };
        if header & flag::FORWARDED != 0 {
            return Oop::at_address(second as usize);
        }
        let bytes = HEADER_BYTES + body_bytes(header as u32 as usize, header & flag::BYTES != 0);
        // A collection allocates no more than what was allocated before, plus the rest of one chunk; if the system
        // refuses that much there is no way to go on, and the gem ends.
        let Ok(address) = self.old_room(bytes) else { fault("no memory to copy an object", object) };
        // SAFETY: both ranges are `bytes` long and in different spaces; the copy is whole when its start is set.
        unsafe {
            std::ptr::copy_nonoverlapping(object.address() as *const u8, address as *mut u8, bytes);
            self.arena.set_start_unchecked(address);
        }
        let copy = Oop::at_address(address);
        // SAFETY: both are objects, and flags are no part of size and kind.
        unsafe {
            self.set_word_unchecked(copy, 0, header | flag::UNREMEMBERED);
            self.set_word_unchecked(object, 0, header | flag::FORWARDED);
            self.set_word_unchecked(object, 1, address as u64);
        }
        if header & flag::BYTES == 0 && bytes > HEADER_BYTES {
            work.push(copy);
        }
        copy
    }
}
