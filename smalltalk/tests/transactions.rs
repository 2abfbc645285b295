//! Views, commits and conflicts, between images that share a store.

mod support;

use smalltalk::memory_store::MemoryStore;
use smalltalk::{Commit, Refresh};
use support::{image_on, value};

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
