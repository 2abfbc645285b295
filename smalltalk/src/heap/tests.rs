//! The heap's promises to safe code: what is no object, no slot, no byte and no stack index of this heap is refused.

use super::{Heap, HeapFault, Oop, Roots};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Words that the tests keep as an image would.
#[derive(Default)]
struct Table {
    strong: Vec<Oop>,
    weak: Vec<Oop>,
}

impl Roots for Table {
    fn visit_all(&mut self, visit: &mut dyn FnMut(&mut Oop)) {
        self.strong.iter_mut().for_each(visit);
    }

    fn visit_cached(&mut self, _visit: &mut dyn FnMut(&mut Oop)) {}

    fn retain_weak(&mut self, keep: &mut dyn FnMut(&mut Oop) -> bool) {
        self.weak.retain_mut(keep);
    }
}

const CLASS: u32 = 40;

fn heap() -> Heap {
    let mut heap = Heap::new(16 << 20, 1 << 16).expect("memory");
    heap.allocate_old(CLASS, 3, false).expect("room in the permanent space");
    heap.freeze().expect("a shared kernel");
    heap
}

/// Whether something fails by a fault of the heap; any other panic is one of the test.
fn faults<T>(heap: &mut Heap, action: impl FnOnce(&mut Heap) -> T) -> bool {
    match catch_unwind(AssertUnwindSafe(|| drop(action(heap)))) {
        Ok(()) => false,
        Err(payload) => payload.is::<HeapFault>() || panic!("another panic than a fault"),
    }
}

#[test]
fn what_is_no_object_is_refused_by_every_function() {
    let mut heap = heap();
    let mut other = self::heap();
    let object = heap.try_allocate(CLASS, 2, false).expect("room");
    let elsewhere = other.try_allocate(CLASS, 2, false).expect("room");
    let inner = Oop::from_bits(object.bits() + 8);
    let beyond = Oop::from_bits(object.bits() + (1 << 20));
    let no_objects =
        [Oop::NIL, Oop::small(3), Oop::reference(9), Oop::from_bits(0), Oop::from_bits(8), inner, beyond, elsewhere];
    for word in no_objects {
        assert!(faults(&mut heap, |heap| heap.size(word)), "{word:?}");
        assert!(faults(&mut heap, |heap| heap.class_index(word)), "{word:?}");
        assert!(faults(&mut heap, |heap| heap.slot(word, 0)), "{word:?}");
        assert!(faults(&mut heap, |heap| heap.slots(word).len()), "{word:?}");
        assert!(faults(&mut heap, |heap| heap.bytes(word).len()), "{word:?}");
        assert!(faults(&mut heap, |heap| heap.bytes_mut(word).len()), "{word:?}");
        assert!(faults(&mut heap, |heap| heap.store(word, 0, Oop::NIL)), "{word:?}");
        assert!(faults(&mut heap, |heap| heap.store_unrecorded(word, 0, Oop::NIL)), "{word:?}");
        assert!(faults(&mut heap, |heap| heap.set_class_index(word, 1)), "{word:?}");
        assert!(faults(&mut heap, |heap| heap.oid(word)), "{word:?}");
        assert!(faults(&mut heap, |heap| heap.record_write(word)), "{word:?}");
        assert!(faults(&mut heap, |heap| heap.set_symbol(word, 1)), "{word:?}");
        if word.is_pointer() {
            assert!(faults(&mut heap, |heap| heap.store(object, 0, word)), "{word:?} as a value");
            assert!(faults(&mut heap, |heap| heap.set_stack(0, word)), "{word:?} on the stack");
        }
    }
    assert_eq!(heap.slots(object), [Oop::NIL, Oop::NIL], "nothing was written");
}

#[test]
fn indices_and_kinds_are_checked() {
    let mut heap = heap();
    let slots = heap.try_allocate(CLASS, 2, false).expect("room");
    let bytes = heap.try_allocate(CLASS, 3, true).expect("room");
    for index in [2, 3, usize::MAX] {
        assert!(faults(&mut heap, |heap| heap.slot(slots, index)));
        assert!(faults(&mut heap, |heap| heap.store(slots, index, Oop::NIL)));
    }
    assert!(faults(&mut heap, |heap| heap.slot(bytes, 0)));
    assert!(faults(&mut heap, |heap| heap.store(bytes, 0, Oop::NIL)));
    assert!(faults(&mut heap, |heap| heap.bytes(slots).len()));
    assert!(faults(&mut heap, |heap| heap.overwrite_bytes(bytes, b"four")));
    assert!(faults(&mut heap, |heap| heap.symbol_hash(bytes)));
    let top = heap.stack.capacity();
    assert!(faults(&mut heap, |heap| heap.stack.get(top)));
    assert!(faults(&mut heap, |heap| heap.set_stack(top, Oop::NIL)));
    heap.seal(slots);
    assert!(faults(&mut heap, |heap| heap.store(slots, 0, Oop::NIL)), "it is sealed");
}

#[test]
fn a_word_that_a_collection_made_stale_is_refused() {
    let mut heap = heap();
    let young = heap.try_allocate(CLASS, 2, false).expect("room");
    heap.collect_minor();
    assert!(faults(&mut heap, |heap| heap.slot(young, 0)), "it is dead");
    let old = heap.allocate_old(CLASS, 2, false).expect("room");
    let large = heap.allocate_old(CLASS, 100_000, true).expect("room");
    heap.handles.push(old);
    let mut table = Table { strong: vec![large], weak: vec![old] };
    heap.collect_major(&mut table);
    assert!(faults(&mut heap, |heap| heap.slot(old, 0)), "it has moved");
    assert!(faults(&mut heap, |heap| heap.bytes(large).len()), "it has moved");
    assert_eq!(table.weak, heap.handles, "what lives is found where it is now");
    assert_eq!((heap.size(heap.handles[0]), heap.size(table.strong[0])), (2, 100_000));
}

#[test]
fn a_collection_refuses_roots_that_are_no_objects_and_is_the_last_one() {
    for bad in [Oop::from_bits(8), Oop::from_bits(1 << 40)] {
        let mut heap = heap();
        let object = heap.try_allocate(CLASS, 2, false).expect("room");
        heap.handles.push(bad);
        assert!(faults(&mut heap, Heap::collect_minor));
        assert!(catch_unwind(AssertUnwindSafe(|| heap.collect_minor())).is_err(), "no other follows");
        assert_eq!(heap.slots(object).len(), 2, "what is there stays readable");
        let mut heap = self::heap();
        let mut table = Table { strong: vec![bad], weak: Vec::new() };
        assert!(faults(&mut heap, |heap| heap.collect_major(&mut table)));
    }
}

#[test]
fn a_size_that_no_object_can_have_is_no_room() {
    let mut heap = heap();
    for size in [usize::MAX, usize::MAX / 8, u32::MAX as usize + 1, u32::MAX as usize] {
        assert_eq!(heap.try_allocate(CLASS, size, false), None);
        assert!(heap.allocate_old(CLASS, size, false).is_err());
        assert!(!heap.has_room_for(size, true));
    }
}

#[test]
fn random_mistakes_never_leave_the_objects_of_the_heap() {
    let mut random = crate::random::Random(7);
    let mut heap = heap();
    let mut table = Table::default();
    let mut words = vec![Oop::NIL, Oop::small(1)];
    for step in 0..20_000 {
        let (object, value) = (words[random.below(words.len())], words[random.below(words.len())]);
        let index = random.below(6);
        match random.below(9) {
            0..=2 => words.push(heap.try_allocate(CLASS, index, step % 3 == 0).unwrap_or_default()),
            3 => words.push(heap.allocate_old(CLASS, index * 9_000, step % 2 == 0).unwrap_or_default()),
            4..=6 => drop(faults(&mut heap, |heap| heap.store(object, index, value))),
            7 => drop(faults(&mut heap, |heap| heap.bytes_mut(object).fill(255))),
            _ if random.below(20) == 0 => {
                table.strong.retain(|word| heap.checked_or_nil(*word) == *word);
                if step % 2 == 0 { heap.collect_minor() } else { heap.collect_major(&mut table) }
            }
            _ => heap.handles.push(heap.checked_or_nil(value)),
        }
        if words.len() > 200 {
            words.drain(..100);
            heap.handles.truncate(20);
        }
    }
}

impl Heap {
    fn checked_or_nil(&self, word: Oop) -> Oop {
        if word.is_pointer() && !self.is_object(word) { Oop::NIL } else { word }
    }
}
