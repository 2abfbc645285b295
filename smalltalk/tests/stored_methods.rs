//! Methods that a hostile session has committed: refused or run within the limits, and the image works afterwards.
//!
//! `LAPIDARY_SEED` and `LAPIDARY_ROUNDS` choose the random ones; the seed is printed.

mod support;

use smalltalk::memory_store::MemoryStore;
use smalltalk::record::{self, Body, Encoder, Slot};
use smalltalk::store::{CommitOutcome, ObjectStore, Oid, Record, Write};
use smalltalk::{ErrorKind, ExecutionError, Image, VmLimits};
use std::time::{Duration, Instant};
use support::{image_on, value};

const SELECTOR: usize = 0;
const METHOD_CLASS: usize = 1;
const SOURCE: usize = 2;
const LITERALS: usize = 4;
const CODE: usize = 5;
const HEADER: usize = 6;
const ENTRY: usize = 7;
const POSITIONS: usize = 8;

const DEFINE: &str = "(Object subclass: 'Victim' instVarNames: #('one' 'two') inDictionary: UserGlobals)
    compile: 'probe | x | x := 0. [:y | x := x + y] value: 3. 1 to: 4 do: [:i | one := {x. i. Victim name}].
        #(1 2) do: [:e | e = 9 ifTrue: [^e]]. ^x printString , one size printString'";
const RIGHT: &str = "'33'";

/// A method in a store, and what is needed to put another in its place.
struct Victim {
    store: MemoryStore,
    table: Record,
    method: Record,
    code: Record,
    literals: Record,
    next: Oid,
}

fn slots(record: &Record) -> Vec<Slot> {
    match record::decode(record).expect("a record").body {
        Body::Slots(slots) => slots,
        Body::Bytes(_) => Vec::new(),
    }
}

fn bytes(record: &Record) -> Vec<u8> {
    match record::decode(record).expect("a record").body {
        Body::Bytes(bytes) => bytes.to_vec(),
        Body::Slots(_) => Vec::new(),
    }
}

fn reference(slot: Slot) -> Oid {
    match slot {
        Slot::Reference(oid) => oid,
        other => panic!("{other:?} is no reference"),
    }
}

/// The record with other slots; its symbols go by their numbers.
fn with_slots(old: &Record, oid: Oid, slots: &[Slot]) -> Record {
    let decoded = record::decode(old).expect("a record");
    let mut encoder = Encoder::slots(decoded.class, slots.len(), false);
    for slot in slots {
        match *slot {
            Slot::Immediate(value) => encoder.immediate(value),
            Slot::Reference(oid) => encoder.reference(oid),
            Slot::Symbol(index) => {
                let (wide, bytes) = decoded.symbols[index];
                encoder.symbol(wide, bytes);
            }
        }
    }
    encoder.finish(oid)
}

fn with_bytes(old: &Record, oid: Oid, bytes: &[u8]) -> Record {
    Encoder::byte_object(oid, old.references[0], bytes, true)
}

fn small(value: i64) -> Slot {
    Slot::Immediate(smalltalk::heap::Oop::small(value))
}

impl Victim {
    fn new() -> Victim {
        let store = MemoryStore::new();
        let mut author = image_on(&store);
        value(&mut author, DEFINE);
        author.commit().expect("it commits");
        assert_eq!(value(&mut author, "Victim new probe"), RIGHT);
        let (mut store, _) = store.open();
        let all = store.fault(&(1..10_000).collect::<Vec<_>>()).expect("they are there");
        let is_method = |record: &&Record| {
            let decoded = record::decode(record).expect("a record");
            decoded.size() == 9 && decoded.symbols.contains(&(false, &b"probe"[..]))
        };
        let method = all.iter().find(is_method).expect("the method is there").clone();
        let holds = |record: &&Record| record.oid != method.oid && record.references.contains(&method.oid);
        let table = all.iter().find(holds).expect("its table is there").clone();
        let part = |slot: usize| {
            let oid = reference(slots(&method)[slot]);
            all.iter().find(|record| record.oid == oid).expect("its parts are there").clone()
        };
        let (code, literals) = (part(CODE), part(LITERALS));
        let next = store.reserve().expect("a store in memory has identities").start;
        Victim { store, table, method, code, literals, next }
    }

    fn oid(&mut self) -> Oid {
        self.next += 1;
        if self.next.is_multiple_of(4096) {
            self.next = self.store.reserve().expect("a store in memory has identities").start + 1;
        }
        self.next
    }

    /// Commits another method in the place of the old one: `change` gets its slots, code and literals.
    fn commit(&mut self, change: impl FnOnce(&mut Vec<Slot>, &mut Vec<u8>, &mut Vec<Slot>)) {
        let (mut method, mut code, mut literals) = (slots(&self.method), bytes(&self.code), slots(&self.literals));
        let (method_oid, code_oid, literals_oid) = (self.oid(), self.oid(), self.oid());
        (method[CODE], method[LITERALS]) = (Slot::Reference(code_oid), Slot::Reference(literals_oid));
        change(&mut method, &mut code, &mut literals);
        let mut table = slots(&self.table);
        for slot in table.iter_mut().filter(|slot| **slot == Slot::Reference(self.method.oid)) {
            *slot = Slot::Reference(method_oid);
        }
        let records = [
            with_slots(&self.method, method_oid, &method),
            with_bytes(&self.code, code_oid, &code),
            with_slots(&self.literals, literals_oid, &literals),
            with_slots(&self.table, self.table.oid, &table),
        ];
        let writes = records.into_iter().map(|record| Write { base: None, record }).collect();
        let outcome = self.store.commit(writes).expect("the store takes anything");
        assert!(matches!(outcome, CommitOutcome::Committed { .. }));
    }

    fn reader(&self) -> Image {
        let mut reader = image_on(&self.store);
        reader.set_limits(VmLimits { heap_bytes: 24 << 20, stack_bytes: 6 << 20 });
        reader
    }
}

/// Takes what was committed, runs the method, and sees to it that the image works.
fn probe(reader: &mut Image) -> Result<String, ExecutionError> {
    reader.abort().expect("the view moves");
    let outcome = reader.execute("Victim new probe", Instant::now() + Duration::from_millis(200));
    assert_eq!(value(reader, "[nil zork] on: MessageNotUnderstood do: [:ex | #(3 1 2) size]"), "3");
    outcome
}

type Change = fn(&mut Vec<Slot>, &mut Vec<u8>, &mut Vec<Slot>);

/// One fault of each kind.
const CHANGES: &[(&str, Change)] = &[
    ("no header", |method, _, _| method[HEADER] = Slot::Immediate(smalltalk::heap::Oop::NIL)),
    ("a header of all bits", |method, _, _| method[HEADER] = small((1 << 54) - 1)),
    ("no frame words", |method, _, _| method[HEADER] = small(2 << 8)),
    ("other arguments", |method, _, _| method[HEADER] = small(3 | 2 << 8 | 60_000 << 24)),
    ("too many temporaries", |method, _, _| method[HEADER] = small(60_000 << 8 | 70 << 24)),
    ("a primitive", |method, _, _| method[HEADER] = small(2 << 8 | 60 << 24 | 900 << 40)),
    ("another selector", |method, _, _| method[SELECTOR] = small(5)),
    ("no class", |method, _, _| method[METHOD_CLASS] = method[CODE]),
    ("code that is no object", |method, _, _| method[CODE] = small(1)),
    ("code with slots", |method, _, _| method[CODE] = method[LITERALS]),
    ("literals of bytes", |method, _, _| method[LITERALS] = method[CODE]),
    ("literals that are no object", |method, _, _| method[LITERALS] = small(1)),
    ("literals that do not exist", |method, _, _| method[LITERALS] = Slot::Reference(1 << 40)),
    ("positions that are none", |method, _, _| method[POSITIONS] = method[LITERALS]),
    ("no literals", |_, _, literals| literals.clear()),
    ("literals of another kind", |_, _, literals| literals.fill(small(7))),
    ("no code", |_, code, _| code.clear()),
    ("half a word", |_, code, _| code.truncate(3)),
    ("code that is cut off", |_, code, _| code.truncate(code.len() / 8 * 4)),
    ("many inline caches", |_, code, _| code[..].last_chunk_mut().map_or((), |word: &mut [u8; 4]| *word = [255; 4])),
    ("no instruction", |_, code, _| code[0] = 99),
    ("a temporary that does not exist", |_, code, _| code[..4].copy_from_slice(&[0, 0, 255, 127])),
    ("a jump out of the code", |_, code, _| code[..4].copy_from_slice(&[24, 255, 255, 127])),
    ("a jump to itself", |_, code, _| code[..4].copy_from_slice(&[25, 255, 255, 255])),
    ("only pops", |_, code, _| code.chunks_exact_mut(4).for_each(|word| word.copy_from_slice(&[31, 0, 0, 0]))),
    ("only pushes", |_, code, _| code.chunks_exact_mut(4).for_each(|word| word.copy_from_slice(&[11, 0, 0, 0]))),
];

#[test]
fn a_method_that_is_refused_is_compiled_again_from_its_source() {
    let mut victim = Victim::new();
    let mut reader = victim.reader();
    for (what, change) in CHANGES {
        victim.commit(change);
        let outcome = probe(&mut reader);
        let warnings = reader.take_warnings();
        if *what == "no class" {
            let error = outcome.expect_err("it has no class to be compiled in");
            assert_eq!(error.kind, ErrorKind::CorruptMethod, "{what}: {error:?}");
            continue;
        }
        assert_eq!(outcome.unwrap_or_else(|error| panic!("{what}: {error:?}")), RIGHT, "{what}");
        assert_eq!(warnings.len(), 1, "{what}: {warnings:?}");
        assert!(warnings[0].contains("Victim>>probe") || *what == "another selector", "{what}: {warnings:?}");
        // Once a method and process.
        value(&mut reader, "Victim new probe");
        assert!(reader.take_warnings().is_empty(), "{what}");
    }
}

#[test]
fn a_method_without_a_source_ends_the_execution_only() {
    let mut victim = Victim::new();
    let mut reader = victim.reader();
    for (what, change) in CHANGES {
        victim.commit(|method, code, literals| {
            change(method, code, literals);
            method[SOURCE] = small(3);
        });
        let error = probe(&mut reader).expect_err(what);
        assert_eq!(error.kind, ErrorKind::CorruptMethod, "{what}: {error:?}");
        assert!(error.message.contains("Define it anew, or remove it"), "{what}: {error:?}");
    }
}

#[test]
fn what_means_something_in_one_process_only_is_not_believed() {
    let mut victim = Victim::new();
    let mut reader = victim.reader();
    for number in [0, 5, 1 << 30, -1] {
        victim.commit(|method, _, _| method[ENTRY] = small(number));
        assert_eq!(probe(&mut reader).expect("the method is right"), RIGHT);
    }
    let mut table = slots(&victim.table);
    for slot in table.iter_mut().filter(|slot| **slot == Slot::Reference(victim.method.oid)) {
        *slot = small(3);
    }
    let record = with_slots(&victim.table, victim.table.oid, &table);
    victim.store.commit(vec![Write { base: None, record }]).expect("the store takes anything");
    assert_eq!(probe(&mut reader).expect_err("no method").kind, ErrorKind::CorruptMethod);
}

#[test]
fn what_depends_on_living_objects_is_an_error_when_it_is_used() {
    let mut victim = Victim::new();
    let mut reader = victim.reader();
    // Code that the verifier takes, as long as the old one for the sake of its positions: `PushInstanceVariable 200.
    // Pop`, again and again.
    victim.commit(|method, code, _| {
        method[HEADER] = small(4 << 24);
        let words = std::iter::repeat_n([3 | 200 << 16, 31], 200).flatten().chain([11, 32, 0]);
        *code = words.flat_map(|word: u32| word.to_le_bytes()).collect();
    });
    let error = probe(&mut reader).expect_err("there is no such variable");
    assert!(error.message.contains("a variable which its object does not have"), "{error:?}");
    assert!(reader.take_warnings().is_empty());
}

fn flip(code: &mut [u8], at: usize, byte: u8) {
    let at = at % code.len();
    code[at] = byte;
}

#[test]
fn random_changes_are_refused_or_run_within_the_limits() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = number("LAPIDARY_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    let rounds = number("LAPIDARY_ROUNDS").unwrap_or(1_000);
    println!("LAPIDARY_SEED={seed} LAPIDARY_ROUNDS={rounds}");
    let mut state = seed;
    let mut below = move |limit: usize| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % limit as u64) as usize
    };
    let mut victim = Victim::new();
    let mut reader = victim.reader();
    let mut compiled_again = 0;
    for round in 0..rounds {
        victim.commit(|method, code, literals| {
            for _ in 0..=below(3) {
                match below(10) {
                    0 => method[below(9)] = small(below(1 << 40) as i64),
                    1 => method[HEADER] = small((below(1 << 8) << 24 | below(6) << 8) as i64),
                    2 if !literals.is_empty() => literals.fill(small(4)),
                    3 => code.truncate(below(code.len() + 1)),
                    4 => method[below(9)] = method[below(9)],
                    _ if code.is_empty() => {}
                    5 => flip(code, below(10_000), below(256) as u8),
                    _ => {
                        let at = below(10_000) % code.len();
                        code[at & !3] = below(70) as u8;
                    }
                }
            }
        });
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| probe(&mut reader)));
        let _ = outcome.unwrap_or_else(|_| panic!("seed {seed}, round {round}"));
        compiled_again += reader.take_warnings().len() as u64;
    }
    println!("{compiled_again} of {rounds} were compiled again");
    assert!(compiled_again > rounds / 4, "{compiled_again} of {rounds}: the test tests nothing");
}
