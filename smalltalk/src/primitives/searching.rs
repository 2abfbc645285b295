//! Searching methods: which of a behaviour's own methods send, mention or contain something.
//!
//! Some behaviours at a time, so that whoever searches many of them stays interruptible. Looks at the compiled code
//! where that says it exactly, and only at that of classes which may use what is looked for; at the source otherwise.
//! Loads what is not loaded, many objects in one journey; changes nothing.

use super::objects::is_behavior;
use super::{Named, PrimitiveFailure, PrimitiveResult, failed};
use crate::bytecode::{SPECIAL_SENDS, op};
use crate::heap::Oop;
use crate::store::{Oid, Record};
use crate::uses::UNSENT;
use crate::vm::control::Arguments;
use crate::vm::known::{behavior_slot, class, dictionary_slot};
use crate::vm::methods::method_slot;
use crate::vm::{Stop, Vm};
use memchr::memmem::Finder;
use regex::{Regex, RegexBuilder};
use std::cell::RefCell;
use std::collections::HashSet;

pub(super) const PRIMITIVES: Named = &[
    ("methodsMatching", methods_matching),
    ("classesBound", classes_bound),
    ("dictionaryName", dictionary_name),
    ("regexError", regex_error),
];

/// Bytes that a compiled regular expression may take.
const REGEX_BYTES_MAX: usize = 1 << 20;

/// Classes that are searched in one go.
const CLASSES_MAX: usize = 1_000;

/// Objects that the store is asked for in one journey: so many that it adds none by itself, which would be of all
/// kinds.
const OBJECTS_AT_ONCE: usize = 256;

/// What is looked for.
enum Wanted {
    /// A method for this selector.
    Implementor(Oop),
    /// A send of this selector, or, if it is one, the operation that stands for it.
    Send(Oop, Option<u8>),
    /// A use of the variable that this association holds.
    Reference(Oop),
    /// Source with these characters; ready to be looked for where they are all of one byte.
    Text(String, Option<Box<Finder<'static>>>),
    /// Source that matches.
    Pattern(Regex),
}

impl Wanted {
    /// The slot of every method that is looked at; none if few methods are.
    fn part(&self) -> Option<usize> {
        match self {
            Wanted::Implementor(_) => None,
            Wanted::Send(..) | Wanted::Reference(_) => Some(method_slot::LITERALS),
            Wanted::Text(..) | Wanted::Pattern(_) => Some(method_slot::SOURCE),
        }
    }

    /// What a class must use, if that says anything.
    fn used(&self) -> Option<Oop> {
        match self {
            Wanted::Send(used, _) | Wanted::Reference(used) => Some(*used),
            _ => None,
        }
    }
}

/// A method that may be looked at.
struct Candidate {
    /// The number of its behaviour.
    behavior: u32,
    /// Where its selector stands in the table of its behaviour.
    place: u32,
    /// Nil if it is none.
    method: Oop,
    /// What of the method is looked at.
    part: Oop,
}

/// The methods of some tables, each with one part. What is not loaded is loaded many at a time: one by one they would
/// cost a journey each. In rounds, each of which touches one kind of object: what one of them waits for, memory or the
/// store, the next one need not.
fn candidates(vm: &mut Vm, tables: &[Oop], part: usize) -> Result<Vec<Candidate>, Stop> {
    let mut all = Vec::new();
    for (behavior, table) in tables.iter().enumerate().filter(|(_, table)| !table.is_nil()) {
        for (pair, held) in vm.heap.slots(*table).chunks_exact(2).enumerate().filter(|(_, held)| !held[0].is_nil()) {
            let (behavior, place) = (behavior as u32, 2 * pair as u32);
            all.push(Candidate { behavior, place, method: held[1], part: Oop::NIL });
        }
    }
    let missing = all.iter().filter_map(|each| each.method.as_reference()).collect();
    if load_objects(vm, missing)? {
        for candidate in &mut all {
            let table = tables[candidate.behavior as usize];
            candidate.method = vm.load(table, candidate.place as usize + 1)?;
        }
    }
    for Candidate { method, part: held, .. } in &mut all {
        if vm.has_slots(*method, method_slot::SLOTS) {
            *held = vm.heap.slot(*method, part);
        } else {
            *method = Oop::NIL;
        }
    }
    let missing = all.iter().filter_map(|each| each.part.as_reference()).collect();
    if load_objects(vm, missing)? {
        for candidate in all.iter_mut().filter(|candidate| candidate.part.as_reference().is_some()) {
            candidate.part = vm.load(candidate.method, part)?;
        }
    }
    Ok(all)
}

/// Loads what these slots hold.
fn load_slots(vm: &mut Vm, slots: impl Iterator<Item = (Oop, usize)>) -> Result<(), Stop> {
    let missing: Vec<Oid> = slots.filter_map(|(holder, slot)| vm.heap.slot(holder, slot).as_reference()).collect();
    load_objects(vm, missing).map(drop)
}

/// Loads what is not loaded of these. Whether there was any reference at all.
fn load_objects(vm: &mut Vm, oids: Vec<Oid>) -> Result<bool, Stop> {
    let missing: Vec<Oid> = oids.iter().copied().filter(|oid| vm.tables.object(*oid).is_none()).collect();
    for some in missing.chunks(OBJECTS_AT_ONCE) {
        // The answer to an earlier question may have brought them along.
        let some: Vec<Oid> = some.iter().copied().filter(|oid| vm.tables.object(*oid).is_none()).collect();
        if some.is_empty() {
            continue;
        }
        let records = vm.attached()?.fault(&some);
        let records = records.map_err(|error| vm.store_failed(error))?;
        load_classes(vm, &records)?;
        for record in records {
            if vm.tables.object(record.oid).is_none() {
                vm.materialise(&record)?;
            }
        }
    }
    Ok(!oids.is_empty())
}

/// Loads the classes of what was answered: one by one they would cost a journey each.
fn load_classes(vm: &mut Vm, records: &[Record]) -> Result<(), Stop> {
    let here: HashSet<Oid> = records.iter().map(|record| record.oid).collect();
    let mut missing = HashSet::new();
    for record in records {
        let class = crate::record::decode(record).map_err(Stop::Broken)?.class;
        if !here.contains(&class) && vm.tables.object(class).is_none() {
            missing.insert(class);
        }
    }
    let missing: Vec<Oid> = missing.into_iter().collect();
    if missing.is_empty() { Ok(()) } else { load_objects(vm, missing).map(drop) }
}

/// The associations of a symbol dictionary, loaded; nothing if it is none.
fn bindings_of(vm: &mut Vm, dictionary: Oop) -> Result<Option<Vec<Oop>>, Stop> {
    if !vm.has_slots(dictionary, dictionary_slot::TABLE + 1) {
        return Ok(None);
    }
    let table = vm.load(dictionary, dictionary_slot::TABLE)?;
    let size = if vm.has_slots(table, 1) { vm.heap.size(table) } else { 0 };
    load_slots(vm, (0..size).map(|index| (table, index)))?;
    let mut bindings = Vec::new();
    for index in 0..size {
        let association = vm.load(table, index)?;
        if vm.has_slots(association, dictionary_slot::VALUE + 1) {
            bindings.push(association);
        }
    }
    Ok(Some(bindings))
}

/// The key under which a symbol dictionary holds itself; nil if there is none. What else it holds stays unloaded.
fn dictionary_name(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let dictionary = vm.receiver(arguments);
    let Some(bindings) = bindings_of(vm, dictionary)? else { return failed() };
    let own = bindings.into_iter().find(|binding| vm.is_at(*binding, dictionary_slot::VALUE, dictionary));
    Ok(own.map_or(Ok(Oop::NIL), |binding| vm.load(binding, dictionary_slot::KEY))?)
}

/// `symbolDictionary` → the classes that it binds under their own names.
fn classes_bound(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let dictionary = vm.argument(arguments, 0);
    let Some(bindings) = bindings_of(vm, dictionary)? else { return failed() };
    load_slots(vm, bindings.iter().map(|association| (*association, dictionary_slot::VALUE)))?;
    let mark = vm.heap.handles.len();
    for association in bindings {
        let value = vm.load(association, dictionary_slot::VALUE)?;
        let key = vm.load(association, dictionary_slot::KEY)?;
        let is_class = value.is_pointer() && vm.heap.class_index(vm.class_of(value)) == class::METACLASS;
        if is_class && vm.load(value, behavior_slot::NAME)? == key {
            vm.heap.handles.push(value);
        }
    }
    Ok(vm.new_array_of_handles(mark)?)
}

/// `classes first last kind argument` → of the classes from the first to the last, for each side on which there is
/// something: number of the class, whether it is the class side, and an array of selectors and categories in turn.
fn methods_matching(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let behaviors = behaviors_to_search(vm, arguments)?;
    let wanted = wanted(vm, arguments)?;
    let tables = tables_to_search(vm, behaviors, &wanted)?;
    let mark = vm.heap.handles.len();
    let found = match wanted.part() {
        None => search_tables(vm, &tables, &wanted)?,
        Some(part) => search_methods(vm, &tables, part, &wanted)?,
    };
    let first = vm.argument(arguments, 1).as_integer().unwrap_or_default();
    Ok(hits_of_handles(vm, mark, first, &found)?)
}

/// Both sides of each of the classes.
fn behaviors_to_search(vm: &mut Vm, arguments: Arguments) -> Result<Vec<Oop>, PrimitiveFailure> {
    let classes = vm.argument(arguments, 0);
    let number = |index| vm.argument(arguments, index).as_integer().and_then(|number| usize::try_from(number).ok());
    let (Some(first), Some(last)) = (number(1), number(2)) else { return failed() };
    let is_range = (1..=CLASSES_MAX).contains(&(last + 1).saturating_sub(first)) && first > 0;
    if !is_range || !vm.has_slots(classes, last) {
        return failed();
    }
    let mut behaviors = Vec::with_capacity(2 * (last + 1 - first));
    for index in first - 1..last {
        let class = vm.load(classes, index)?;
        let sides = [class, vm.class_of(class)];
        if !sides.iter().all(|side| is_behavior(vm, *side)) {
            return failed();
        }
        behaviors.extend(sides);
    }
    Ok(behaviors)
}

/// What the handles from here on are, which are so many for each behaviour, as the primitive answers it.
fn hits_of_handles(vm: &mut Vm, mark: usize, first: i64, found: &[usize]) -> Result<Oop, Stop> {
    let last = vm.heap.handles.len();
    let mut from = mark;
    for (behavior, count) in found.iter().enumerate().filter(|(_, count)| **count > 0) {
        let array = vm.allocate(class::ARRAY, *count, false)?;
        for index in 0..*count {
            let value = vm.heap.handles[from + index];
            vm.heap.store(array, index, value);
        }
        from += count;
        let class = Oop::small(first + behavior as i64 / 2);
        vm.heap.handles.extend([class, Oop::boolean(behavior % 2 == 1), array]);
    }
    let all = vm.new_array_of_handles(last);
    vm.heap.handles.truncate(mark);
    Ok(all?)
}

/// The table of each behaviour in which there may be something; else nil.
fn tables_to_search(vm: &mut Vm, all: Vec<Oop>, wanted: &Wanted) -> Result<Vec<Oop>, Stop> {
    load_slots(vm, all.iter().map(|behavior| (*behavior, behavior_slot::METHOD_DICTIONARY)))?;
    let mut dictionaries = Vec::with_capacity(all.len());
    for behavior in all {
        dictionaries.push(vm.load(behavior, behavior_slot::METHOD_DICTIONARY)?);
    }
    let is_dictionary = |vm: &Vm, dictionary: Oop| vm.has_slots(dictionary, dictionary_slot::TABLE + 1);
    let has_uses = |vm: &Vm, dictionary: Oop| vm.has_slots(dictionary, dictionary_slot::USES + 1);
    let with_uses: Vec<Oop> = dictionaries.iter().copied().filter(|each| has_uses(vm, *each)).collect();
    if wanted.used().is_some() {
        load_slots(vm, with_uses.into_iter().map(|dictionary| (dictionary, dictionary_slot::USES)))?;
    }
    for dictionary in &mut dictionaries {
        let may_use = match wanted.used() {
            Some(used) => vm.may_use(*dictionary, used)?,
            None => true,
        };
        if !may_use || !is_dictionary(vm, *dictionary) {
            *dictionary = Oop::NIL;
        }
    }
    let searched: Vec<Oop> = dictionaries.iter().copied().filter(|dictionary| !dictionary.is_nil()).collect();
    load_slots(vm, searched.into_iter().map(|dictionary| (dictionary, dictionary_slot::TABLE)))?;
    for dictionary in &mut dictionaries {
        if !dictionary.is_nil() {
            let table = vm.load(*dictionary, dictionary_slot::TABLE)?;
            *dictionary = if vm.has_slots(table, 2) { table } else { Oop::NIL };
        }
    }
    Ok(dictionaries)
}

/// Adds selector and category of the method of each table that is looked for to the handles; how many of each table.
fn search_tables(vm: &mut Vm, tables: &[Oop], wanted: &Wanted) -> Result<Vec<usize>, Stop> {
    let Wanted::Implementor(selector) = wanted else { return Ok(Vec::new()) };
    let mut found = vec![0; tables.len()];
    for (behavior, table) in tables.iter().enumerate().filter(|(_, table)| !table.is_nil()) {
        if let Some(place) = vm.method_place(*table, *selector).filter(|place| !vm.heap.slot(*table, *place).is_nil()) {
            let before = vm.heap.handles.len();
            note(vm, *table, place)?;
            found[behavior] = vm.heap.handles.len() - before;
        }
    }
    Ok(found)
}

/// Adds selector and category of each method that matches to the handles; how many of each table.
fn search_methods(vm: &mut Vm, tables: &[Oop], part: usize, wanted: &Wanted) -> Result<Vec<usize>, Stop> {
    let mut found = vec![0; tables.len()];
    for Candidate { behavior, place, method, part } in candidates(vm, tables, part)? {
        if !method.is_nil() && matches(vm, method, part, wanted)? {
            let (behavior, before) = (behavior as usize, vm.heap.handles.len());
            note(vm, tables[behavior], place as usize)?;
            found[behavior] += vm.heap.handles.len() - before;
        }
    }
    Ok(found)
}

fn note(vm: &mut Vm, table: Oop, index: usize) -> Result<(), Stop> {
    let method = vm.load(table, index + 1)?;
    if vm.has_slots(method, method_slot::SLOTS) {
        let category = vm.load(method, method_slot::CATEGORY)?;
        vm.heap.handles.extend([vm.heap.slot(table, index), category]);
    }
    Ok(())
}

fn wanted(vm: &mut Vm, arguments: Arguments) -> Result<Wanted, PrimitiveFailure> {
    let Some(kind) = vm.text(vm.argument(arguments, 3)) else { return failed() };
    let object = vm.argument(arguments, 4);
    let text = |vm: &Vm| vm.text(object).ok_or(PrimitiveFailure::Failed);
    Ok(match kind.as_str() {
        "implementors" => Wanted::Implementor(object),
        "senders" => {
            let text = text(vm)?;
            let special = SPECIAL_SENDS.iter().find(|(_, selector, _)| *selector == text);
            let unsent = || UNSENT.iter().find(|(_, selector)| *selector == text).map(|(operation, _)| *operation);
            Wanted::Send(object, special.map(|(operation, _, _)| *operation as u8).or_else(unsent))
        }
        "references" => Wanted::Reference(object),
        "text" => {
            let text = text(vm)?;
            let finder = crate::vm::objects::latin1(&text).map(|bytes| Box::new(Finder::new(&bytes).into_owned()));
            Wanted::Text(text, finder)
        }
        "textIgnoringCase" => Wanted::Pattern(compiled(&regex::escape(&text(vm)?), true)?),
        "regex" => Wanted::Pattern(compiled(&text(vm)?, false)?),
        "regexIgnoringCase" => Wanted::Pattern(compiled(&text(vm)?, true)?),
        _ => return failed(),
    })
}

/// Whether a method matches, a part of which is this.
fn matches(vm: &mut Vm, method: Oop, part: Oop, wanted: &Wanted) -> Result<bool, Stop> {
    match wanted {
        Wanted::Implementor(selector) => Ok(vm.load(method, method_slot::SELECTOR)? == *selector),
        Wanted::Send(selector, operation) => sends(vm, method, part, *selector, *operation),
        // Only bindings are associations among the literals.
        Wanted::Reference(association) => Ok(literal_index(vm, part, *association).is_some()),
        Wanted::Text(text, finder) => Ok(contains(vm, part, text, finder.as_deref())),
        Wanted::Pattern(pattern) => Ok(vm.text(part).is_some_and(|source| pattern.is_match(&source))),
    }
}

/// The index of this one, if it is among the literals.
fn literal_index(vm: &Vm, literals: Oop, wanted: Oop) -> Option<usize> {
    if vm.has_slots(literals, 1) { vm.place_among(literals, wanted) } else { None }
}

/// A selector may be a mere literal: what counts is an instruction that sends it.
fn sends(vm: &mut Vm, method: Oop, literals: Oop, selector: Oop, operation: Option<u8>) -> Result<bool, Stop> {
    let literal = literal_index(vm, literals, selector);
    if literal.is_none() && operation.is_none() {
        return Ok(false);
    }
    let is_send = |word: &u32| {
        let number = *word as u8;
        let sends = matches!(number, op::Send | op::SendSuper) && literal == Some((*word >> 16) as usize);
        sends || operation == Some(number)
    };
    Ok(vm.instructions_of(method)?.iter().any(is_send))
}

/// Whether a string has these characters in it, in this order, in this case.
fn contains(vm: &Vm, source: Oop, text: &str, finder: Option<&Finder<'_>>) -> bool {
    if !source.is_pointer() || !vm.heap.is_bytes(source) {
        return false;
    }
    if vm.is_wide_bytes(source) {
        return vm.text(source).is_some_and(|source| source.contains(text));
    }
    finder.is_some_and(|finder| finder.find(vm.heap.bytes(source)).is_some())
}

/// `string` → why it is no regular expression; nil if it is one.
fn regex_error(vm: &mut Vm, arguments: Arguments) -> PrimitiveResult {
    let Some(text) = vm.text(vm.argument(arguments, 0)) else { return failed() };
    match compile(&text, false) {
        Ok(_) => Ok(Oop::NIL),
        Err(error) => Ok(vm.new_string(&error.to_string())?),
    }
}

fn compile(text: &str, ignore_case: bool) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text)
        .case_insensitive(ignore_case)
        .multi_line(true)
        .size_limit(REGEX_BYTES_MAX)
        .dfa_size_limit(REGEX_BYTES_MAX)
        .build()
}

/// The same expression is asked for with every behaviour of a search: the last one is kept.
fn compiled(text: &str, ignore_case: bool) -> Result<Regex, PrimitiveFailure> {
    thread_local! {
        static LAST: RefCell<Option<(String, bool, Regex)>> = const { RefCell::new(None) };
    }
    LAST.with_borrow_mut(|last| match last {
        Some((known, ignored, regex)) if known == text && *ignored == ignore_case => Ok(regex.clone()),
        _ => {
            let regex = compile(text, ignore_case).map_err(|_| PrimitiveFailure::Failed)?;
            *last = Some((text.to_owned(), ignore_case, regex.clone()));
            Ok(regex)
        }
    })
}
