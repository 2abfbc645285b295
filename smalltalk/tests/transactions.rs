//! Views, commits and conflicts, between images that share a store.

mod support;

use smalltalk::memory_store::MemoryStore;
use smalltalk::store::{CommitOutcome, ObjectStore, Oid, Record, StoreError, View, Write};
use smalltalk::{Commit, Image, Refresh, SessionFacts};
use std::ops::Range;
use support::{error, image_on, value};

#[test]
fn what_is_not_committed_nobody_else_sees() {
    let store = MemoryStore::new();
    let (mut one, mut two) = (image_on(&store), image_on(&store));
    value(&mut one, "UserGlobals at: #Answer put: 42");
    assert!(one.has_uncommitted_changes());
    assert_eq!(value(&mut two, "UserGlobals includesKey: #Answer"), "false");
    assert_eq!(one.commit(), Ok(Commit::Committed));
    assert!(!one.has_uncommitted_changes());
    assert_eq!(value(&mut two, "UserGlobals includesKey: #Answer"), "false", "a view does not move by itself");
    assert_eq!(two.refresh(), Ok(Refresh::Moved));
    assert_eq!(value(&mut two, "UserGlobals at: #Answer"), "42");
    assert_eq!(value(&mut two, "Answer + 1"), "43");
}

#[test]
fn committed_classes_and_methods_work_in_a_new_session() {
    let store = MemoryStore::new();
    let mut one = image_on(&store);
    value(
        &mut one,
        "Object subclass: 'Account' instVarNames: #( balance) classVars: #( Rate) classInstVars: #() \
            poolDictionaries: #() inDictionary: UserGlobals options: #()",
    );
    value(
        &mut one,
        "Account compileMethod: 'deposit: n balance := (balance ifNil: [0]) + n. ^balance' dictionaries: nil \
            category: 'x'",
    );
    value(&mut one, "Account class compileMethod: 'rate ^Rate ifNil: [Rate := 3]' dictionaries: nil category: 'x'");
    value(
        &mut one,
        "| a | a := Account new. a deposit: 10. UserGlobals at: #Mine put: a. UserGlobals at: #Block put: [:x | x * 2]",
    );
    assert_eq!(one.commit(), Ok(Commit::Committed));
    let mut two = image_on(&store);
    assert_eq!(value(&mut two, "Mine deposit: 5"), "15");
    assert_eq!(value(&mut two, "Mine class == Account"), "true");
    assert_eq!(value(&mut two, "Account rate"), "3");
    assert_eq!(value(&mut two, "Block value: 21"), "42");
    assert_eq!(two.commit(), Ok(Commit::Committed));
    assert_eq!(one.abort(), Ok(()));
    assert_eq!(value(&mut one, "Mine deposit: 0"), "15");
}

#[test]
fn a_conflict_is_refused_names_what_conflicts_and_loses_nothing() {
    let store = MemoryStore::new();
    let mut one = image_on(&store);
    value(&mut one, "UserGlobals at: #Shared put: (Array new: 3)");
    assert_eq!(one.commit(), Ok(Commit::Committed));
    let mut two = image_on(&store);
    value(&mut one, "Shared at: 1 put: 'one'");
    value(&mut two, "Shared at: 2 put: 'two'");
    assert_eq!(one.commit(), Ok(Commit::Committed));
    let Ok(Commit::Conflict(names)) = two.commit() else { panic!("the second commit must conflict") };
    assert_eq!(names, ["an Array"]);
    assert_eq!(value(&mut two, "Shared"), "anArray( nil, 'two', nil)", "the work is as it was");
    assert!(two.has_uncommitted_changes());
    assert!(matches!(two.commit(), Ok(Commit::Conflict(_))), "trying again changes nothing");
    assert_eq!(two.abort(), Ok(()));
    assert_eq!(value(&mut two, "Shared"), "anArray( 'one', nil, nil)");
}

#[test]
fn a_refresh_keeps_work_and_tells_of_conflicts() {
    let store = MemoryStore::new();
    let mut one = image_on(&store);
    value(&mut one, "UserGlobals at: #A put: (Array new: 1). UserGlobals at: #B put: (Array new: 1)");
    assert_eq!(one.commit(), Ok(Commit::Committed));
    let mut two = image_on(&store);
    value(&mut two, "A at: 1 put: 'two'");
    value(&mut one, "B at: 1 put: 'one'");
    assert_eq!(one.commit(), Ok(Commit::Committed));
    assert_eq!(two.refresh(), Ok(Refresh::Moved));
    assert_eq!(value(&mut two, "{A. B}"), "anArray( anArray( 'two'), anArray( 'one'))");
    value(&mut one, "A at: 1 put: 'one'");
    assert_eq!(one.commit(), Ok(Commit::Committed));
    assert!(matches!(two.refresh(), Ok(Refresh::Conflict(_))));
    assert!(matches!(two.commit(), Ok(Commit::Conflict(_))), "a refresh launders no lost update");
    assert_eq!(two.abort(), Ok(()));
    assert_eq!(value(&mut two, "A"), "anArray( 'one')");
}

#[test]
fn a_changed_kernel_method_is_seen_by_others_and_undone_by_abort() {
    let store = MemoryStore::new();
    let (mut one, mut two) = (image_on(&store), image_on(&store));
    value(&mut one, "Object compileMethod: 'zork ^''zork''' dictionaries: nil category: 'x'");
    assert_eq!(value(&mut one, "3 zork"), "'zork'");
    assert_eq!(one.abort(), Ok(()));
    assert_eq!(value(&mut one, "3 respondsTo: #zork"), "false");
    value(&mut one, "Object compileMethod: 'zork ^''zork''' dictionaries: nil category: 'x'");
    assert_eq!(one.commit(), Ok(Commit::Committed));
    assert_eq!(value(&mut two, "3 respondsTo: #zork"), "false");
    assert_eq!(two.abort(), Ok(()));
    assert_eq!(value(&mut two, "3 zork"), "'zork'");
    let mut three = image_on(&store);
    assert_eq!(value(&mut three, "3 zork"), "'zork'", "an overlay reaches a fresh image");
}

#[test]
fn code_can_commit_and_go_on() {
    let store = MemoryStore::new();
    let (mut one, mut two) = (image_on(&store), image_on(&store));
    assert_eq!(
        value(
            &mut one,
            "| a | a := Array with: 1. UserGlobals at: #L put: a. System commit. a at: 1 put: 2. System commit"
        ),
        "true"
    );
    assert_eq!(value(&mut two, "System abort. UserGlobals at: #L"), "anArray( 2)");
}

#[test]
fn large_structures_survive_and_load_on_demand() {
    let store = MemoryStore::new();
    let mut one = image_on(&store);
    value(
        &mut one,
        "| d | d := Dictionary new. 1 to: 5000 do: [:i | d at: i printString put: (OrderedCollection with: i \
            with: 'x')]. UserGlobals at: #D put: d",
    );
    assert_eq!(one.commit(), Ok(Commit::Committed));
    let mut two = image_on(&store);
    assert_eq!(value(&mut two, "(D at: '4711') first"), "4711");
    assert_eq!(value(&mut two, "D size"), "5000");
    assert_eq!(value(&mut two, "D inject: 0 into: [:sum :each | sum + each first]"), "12502500");
}

#[test]
fn a_committed_method_finds_its_primitive_by_name() {
    let store = MemoryStore::new();
    let mut one = image_on(&store);
    value(&mut one, "Object compileMethod: 'mySize <primitive: #basicSize> ^-1' dictionaries: nil category: 'x'");
    assert_eq!(one.commit(), Ok(Commit::Committed));
    let mut two = image_on(&store);
    assert_eq!(value(&mut two, "(Array new: 3) mySize"), "3");
}

/// A store that takes no commits, as a stone does of a session that may only read.
struct ReadOnly(MemoryStore);

impl ObjectStore for ReadOnly {
    fn fault(&mut self, oids: &[Oid]) -> Result<Vec<Record>, StoreError> {
        self.0.fault(oids)
    }

    fn commit(&mut self, _writes: Vec<Write>) -> Result<CommitOutcome, StoreError> {
        Err(StoreError::Refused { kind: "readOnly".to_owned(), message: "this session may only read".to_owned() })
    }

    fn move_view(&mut self) -> Result<View, StoreError> {
        self.0.move_view()
    }

    fn reserve(&mut self) -> Result<Range<Oid>, StoreError> {
        self.0.reserve()
    }
}

#[test]
fn a_commit_that_the_stone_refuses_is_an_error_that_code_can_handle() {
    let mut image = Image::boot().expect("the kernel boots");
    image.freeze().expect("it can be frozen");
    let facts = SessionFacts { user: "Reader".to_owned(), session: 1, stone: "memory".to_owned() };
    let store = Box::new(ReadOnly(MemoryStore::new()));
    image.attach(store, facts, Vec::new(), 1..4096, 0).expect("attaches");
    let handled =
        "UserGlobals at: #A put: 3. [System commit] on: TransactionError do: [:ex | ex return: ex messageText]";
    assert_eq!(value(&mut image, handled), "'this session may only read'");
    let told = error(&mut image, "| log | log := UserGlobals. [System commitTransaction] ensure: [log at: #B put: 4]");
    assert_eq!((told.class.as_str(), told.frames.len()), ("TransactionError", 2), "{told:?}");
    assert_eq!(value(&mut image, "{A. B. System needsCommit}"), "anArray( 3, 4, true)", "the session goes on");
}

#[test]
fn nobody_can_commit_a_symbol_list_without_globals() {
    for nonsense in ["3", "Array new", "{UserGlobals. Published}", "nil"] {
        let store = MemoryStore::new();
        let mut image = image_on(&store);
        let code = format!("Globals at: #_SymbolList put: {nonsense}. System commit");
        let told = error(&mut image, &code);
        assert_eq!(told.class, "TransactionError", "{nonsense}: {}", told.message);
        assert!(image.commit().is_err(), "{nonsense}");
        image.abort().expect("an abort mends it");
        assert_eq!(value(&mut image, "UserGlobals at: #A put: 3. System commit"), "true");
        assert_eq!(value(&mut image_on(&store), "A"), "3");
    }
}
