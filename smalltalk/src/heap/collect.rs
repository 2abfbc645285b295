//! The collector: copies what lives.
//!
//! Roots are the stack, the handles, what the image names through [`Roots`], the states kept for `abort`, and those
//! older objects that point to younger ones (minor) or out of the permanent space (major).

use super::{Before, Chunk, HEADER_BYTES, Heap, MAJOR_STEP_BYTES, Oop, flag};

/// Words that the image holds outside of the heap.
pub trait Roots {
    /// Visits every word that keeps an object alive; none of them may point to a young one. The image brings its
    /// caches up to date afterwards.
    fn visit_all(&mut self, visit: &mut dyn FnMut(&mut Oop));

    /// Offers every word that must not keep its object alive: the visitor answers whether the object lives, and has
    /// then brought the word up to date.
    fn retain_weak(&mut self, keep: &mut dyn FnMut(&mut Oop) -> bool);
}

impl Heap {
    /// Empties the nursery: what lives becomes old.
    pub fn collect_minor(&mut self) {
        self.collections += 1;
        let mut work = Vec::new();
        self.update_stack(|heap, word| heap.promote(word, &mut work));
        for object in std::mem::take(&mut self.remembered) {
            let header = self.header(object) | flag::UNREMEMBERED;
            self.set_header(object, header);
            self.promote_slots(object, &mut work);
        }
        while let Some(object) = work.pop() {
            self.promote_slots(object, &mut work);
        }
        self.nursery_free = self.nursery.start();
    }

    /// Whether the old space has grown enough for a major collection to be worth it.
    pub fn wants_major(&self) -> bool {
        self.old_bytes > self.major_threshold
    }

    /// Copies everything that lives, nursery included, into fresh chunks.
    pub fn collect_major(&mut self, roots: &mut dyn Roots) {
        self.collect_minor();
        let from = std::mem::take(&mut self.old);
        self.old_bytes = 0;
        let mut work = Vec::new();
        self.update_stack(|heap, word| heap.evacuate(word, &mut work));
        roots.visit_all(&mut |word| self.evacuate(word, &mut work));
        let mut written = std::mem::take(&mut self.written);
        for before in &mut written {
            self.evacuate_before(before, &mut work);
        }
        self.written = written;
        for index in 0..self.outward.len() {
            self.evacuate_slots(self.outward[index], &mut work);
        }
        while let Some(object) = work.pop() {
            self.evacuate_slots(object, &mut work);
        }
        roots.retain_weak(&mut |word| self.retain_old(word));
        drop::<Vec<Chunk>>(from);
        self.major_threshold = (self.old_bytes * 2).max(MAJOR_STEP_BYTES);
    }

    /// Gives the memory of the empty nursery back to the system.
    pub fn trim_nursery(&mut self) {
        let from = self.nursery_free;
        self.nursery.release_from(from);
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

    fn promote_slots(&mut self, object: Oop, work: &mut Vec<Oop>) {
        if self.is_bytes(object) {
            return;
        }
        for index in 0..self.size(object) {
            let mut word = self.slot(object, index);
            if self.is_young(word) {
                self.promote(&mut word, work);
                self.put(object, index, word);
            }
        }
    }

    fn promote(&mut self, word: &mut Oop, work: &mut Vec<Oop>) {
        if self.is_young(*word) {
            *word = self.copy(*word, work);
        }
    }

    fn evacuate(&mut self, word: &mut Oop, work: &mut Vec<Oop>) {
        if word.is_pointer() && !self.is_permanent(*word) {
            *word = self.copy(*word, work);
        }
    }

    fn evacuate_slots(&mut self, object: Oop, work: &mut Vec<Oop>) {
        if self.is_bytes(object) {
            return;
        }
        for index in 0..self.size(object) {
            let mut word = self.slot(object, index);
            self.evacuate(&mut word, work);
            self.put(object, index, word);
        }
    }

    fn evacuate_before(&mut self, before: &mut Before, work: &mut Vec<Oop>) {
        self.evacuate(&mut before.object, work);
        self.evacuate(&mut before.replaced, work);
        if before.shape & flag::BYTES != 0 {
            return;
        }
        for bits in &mut before.body {
            let mut word = Oop::from_bits(*bits);
            self.evacuate(&mut word, work);
            *bits = word.bits();
        }
    }

    fn retain_old(&mut self, word: &mut Oop) -> bool {
        if !word.is_pointer() || self.is_permanent(*word) {
            return true;
        }
        let lives = self.header(*word) & flag::FORWARDED != 0;
        if lives {
            *word = Oop::at_address(self.word(*word, 1) as usize);
        }
        lives
    }

    /// Copies an object to the old space unless that was done already; answers where it is now.
    fn copy(&mut self, object: Oop, work: &mut Vec<Oop>) -> Oop {
        let header = self.header(object);
        if header & flag::FORWARDED != 0 {
            return Oop::at_address(self.word(object, 1) as usize);
        }
        let bytes = self.footprint(object);
        // A collection allocates no more than what was allocated before, plus the rest of one chunk; if the system
        // refuses that much there is no way to go on, and the gem ends.
        let address = self.old_room(bytes).unwrap_or_else(|_| panic!("no memory for a collection"));
        // SAFETY: both ranges are `bytes` long and in different spaces.
        unsafe {
            std::ptr::copy_nonoverlapping(object.address() as *const u8, address as *mut u8, bytes);
        }
        let copy = Oop::at_address(address);
        self.set_header(copy, header | flag::UNREMEMBERED);
        self.set_header(object, header | flag::FORWARDED);
        self.set_word(object, 1, address as u64);
        if header & flag::BYTES == 0 && bytes > HEADER_BYTES {
            work.push(copy);
        }
        copy
    }
}
