//! Objects that change their shape under their identity: strings that widen, instances that move to another version of
//! their class; in the session itself, by `abort`, and as other sessions see it.

mod support;

use smalltalk::memory_store::MemoryStore;
use smalltalk::{Commit, Image};
use support::{error, image_on, value};

const WIDEN: &str = "Text at: 2 put: (Character codePoint: 26085)";
/// The string itself, by what else refers to it, and by its identity.
const SEEN: &str = "{Text. Holder first. Holder first == Text. Keys includes: Text. Text class}";
const NARROW: &str = "anArray( 'abc', 'abc', true, true, String)";
const WIDE: &str = "anArray( 'a日c', 'a日c', true, true, QuadByteString)";

fn with_text(store: &MemoryStore) -> Image {
    let mut image = image_on(store);
    value(&mut image, "UserGlobals at: #Text put: 'abc' copy");
    value(&mut image, "UserGlobals at: #Holder put: {Text}; at: #Keys put: (IdentitySet with: Text)");
    assert_eq!(image.commit(), Ok(Commit::Committed));
    image
}

#[test]
fn a_committed_string_widens_in_place() {
    let store = MemoryStore::new();
    let (mut one, mut two, mut three) = (with_text(&store), image_on(&store), image_on(&store));
    assert_eq!(value(&mut two, SEEN), NARROW);
    assert_eq!(value(&mut three, SEEN), NARROW);
    value(&mut one, WIDEN);
    assert_eq!(value(&mut one, SEEN), WIDE);
    assert!(one.has_uncommitted_changes());
    assert_eq!(one.commit(), Ok(Commit::Committed));
    assert_eq!(value(&mut one, SEEN), WIDE);
    assert_eq!(value(&mut two, SEEN), NARROW, "a view does not move by itself");
    assert_eq!(two.abort(), Ok(()));
    assert_eq!(value(&mut two, SEEN), WIDE);
    assert_eq!(value(&mut three, "System abort. Text at: 1 put: $x. Text"), "'x日c'");
    assert_eq!(three.commit(), Ok(Commit::Committed));
    assert_eq!(two.abort(), Ok(()));
    assert_eq!(value(&mut two, "Holder first"), "'x日c'");
    assert_eq!(value(&mut image_on(&store), "{Text. Keys includes: Text}"), "anArray( 'x日c', true)");
}

#[test]
fn an_abort_makes_a_string_narrow_again() {
    let store = MemoryStore::new();
    let mut one = with_text(&store);
    value(&mut one, "Text at: 1 put: $x");
    value(&mut one, WIDEN);
    value(&mut one, "Holder at: 1 put: {Text}. UserGlobals at: #More put: Text");
    assert_eq!(value(&mut one, "{Text. Holder. More == Text}"), "anArray( 'x日c', anArray( anArray( 'x日c')), true)");
    one.vm().collect_all();
    value(&mut one, "SessionTemps current at: #kept put: Text");
    assert_eq!(one.abort(), Ok(()));
    assert_eq!(value(&mut one, SEEN), NARROW);
    assert_eq!(value(&mut one, "(SessionTemps current at: #kept) == Text"), "true");
    assert!(!one.has_uncommitted_changes());
    value(&mut one, WIDEN);
    assert_eq!(one.commit(), Ok(Commit::Committed));
    assert_eq!(value(&mut one, SEEN), WIDE);
}

#[test]
fn two_sessions_that_change_one_string_conflict() {
    let store = MemoryStore::new();
    let (mut one, mut two) = (with_text(&store), image_on(&store));
    value(&mut one, "Text at: 1 put: $x");
    value(&mut two, WIDEN);
    assert_eq!(one.commit(), Ok(Commit::Committed));
    assert!(matches!(two.commit(), Ok(Commit::Conflict(_))));
    assert_eq!(value(&mut two, "Text"), "'a日c'");
    assert_eq!(two.abort(), Ok(()));
    assert_eq!(value(&mut two, "Text"), "'xbc'");
}

#[test]
fn a_committed_string_grows_in_place() {
    let store = MemoryStore::new();
    let (mut one, mut two) = (with_text(&store), image_on(&store));
    assert_eq!(value(&mut two, SEEN), NARROW);
    value(&mut one, "Text add: $d; addAll: 'ef'; add: (Character codePoint: 26085)");
    assert_eq!(value(&mut one, "{Text. Holder first == Text}"), "anArray( 'abcdef日', true)");
    assert_eq!(one.abort(), Ok(()));
    assert_eq!(value(&mut one, SEEN), NARROW);
    value(&mut one, "Text add: $d");
    assert_eq!(one.commit(), Ok(Commit::Committed));
    assert_eq!(two.abort(), Ok(()));
    assert_eq!(value(&mut two, "{Text. Holder first == Text. Text class}"), "anArray( 'abcd', true, String)");
}

/// What the state kept for an abort refers to moves along with what others committed.
#[test]
fn an_abort_after_a_view_moved_finds_the_wide_string() {
    let store = MemoryStore::new();
    let (mut one, mut two) = (with_text(&store), image_on(&store));
    assert_eq!(value(&mut two, SEEN), NARROW);
    value(&mut two, "Holder at: 1 put: nil");
    value(&mut one, WIDEN);
    assert_eq!(one.commit(), Ok(Commit::Committed));
    assert!(two.refresh().is_ok());
    assert_eq!(value(&mut two, "{Holder first. Text}"), "anArray( nil, 'a日c')");
    assert_eq!(two.abort(), Ok(()));
    assert_eq!(value(&mut two, SEEN), WIDE);
}

#[test]
fn strings_widen_while_everything_moves() {
    let store = MemoryStore::new();
    let mut one = with_text(&store);
    one.vm().set_stress(true);
    value(&mut one, WIDEN);
    one.vm().collect_all();
    let all = "((1 to: 20) collect: [:i | 'abc' copy at: 1 put: (Character codePoint: 26085); yourself]) asSet";
    assert_eq!(value(&mut one, all), "aSet( '日bc')");
    assert_eq!(value(&mut one, SEEN), WIDE);
    assert_eq!(one.abort(), Ok(()));
    assert_eq!(value(&mut one, SEEN), NARROW);
}

const SECOND: &str = "Object subclass: 'Point2' instVarNames: #( y z x) classVars: #() classInstVars: #() \
    poolDictionaries: #() inDictionary: UserGlobals options: #()";

fn with_points(store: &MemoryStore) -> Image {
    let mut image = image_on(store);
    let define = SECOND.replace("y z x", "x y");
    value(&mut image, &define);
    value(&mut image, "Point2 compile: 'x ^x' classified: 'a'. Point2 compile: 'y ^y' classified: 'a'");
    value(&mut image, "UserGlobals at: #Old put: Point2; at: #P put: Point2 new");
    value(&mut image, "P instVarAt: 1 put: 1; instVarAt: 2 put: 2. UserGlobals at: #Holder put: {P. P}");
    assert_eq!(image.commit(), Ok(Commit::Committed));
    image
}

const POINT: &str =
    "{P class == Point2. P class == Old. (P instVarNamed: #x). (P instVarNamed: #y). Holder first == P}";
const MOVED: &str = "anArray( true, false, 1, 2, true)";
const STAYED: &str = "anArray( false, true, 1, 2, true)";

#[test]
fn committed_instances_move_to_another_version() {
    let store = MemoryStore::new();
    let (mut one, mut two) = (with_points(&store), image_on(&store));
    value(&mut one, SECOND);
    assert_eq!(one.commit(), Ok(Commit::Committed));
    assert_eq!(two.abort(), Ok(()));
    assert_eq!(value(&mut two, POINT), STAYED);
    value(&mut one, "Old migrateInstances: {P} to: Point2");
    assert_eq!(value(&mut one, POINT), MOVED);
    assert_eq!(one.abort(), Ok(()));
    assert_eq!(value(&mut one, POINT), STAYED);
    value(&mut one, "Old migrateInstances: {P} to: Point2. P instVarNamed: #z put: 3");
    assert_eq!(one.commit(), Ok(Commit::Committed));
    assert_eq!(value(&mut two, POINT), STAYED);
    assert_eq!(two.abort(), Ok(()));
    assert_eq!(value(&mut two, POINT), MOVED);
    assert_eq!(value(&mut two, "P instVarNamed: #z"), "3");
    assert_eq!(value(&mut image_on(&store), POINT), MOVED);
    value(&mut two, "Point2 migrateInstances: {P} to: Old");
    assert_eq!(value(&mut two, "{P x. P y. Holder last == P}"), "anArray( 1, 2, true)");
    assert_eq!(two.commit(), Ok(Commit::Committed));
    assert_eq!(value(&mut one, "System abort. {P x. P y. P basicSize}"), "anArray( 1, 2, 0)");
}

#[test]
fn a_block_with_an_old_receiver_stays_harmless() {
    let store = MemoryStore::new();
    let mut one = with_points(&store);
    value(&mut one, "Point2 compile: 'blocks ^{[x]. [y]. [y := 7. y]}' classified: 'a'");
    value(&mut one, "UserGlobals at: #Blocks put: P blocks");
    assert_eq!(one.commit(), Ok(Commit::Committed));
    value(&mut one, &SECOND.replace("y z x", ""));
    value(&mut one, "Old migrateInstances: {P} to: Point2");
    one.vm().collect_all();
    assert_eq!(one.commit(), Ok(Commit::Committed));
    let mut two = image_on(&store);
    for image in [&mut one, &mut two] {
        // The variables have no names any more; the slots are there.
        assert_eq!(value(image, "Blocks collect: [:each | each value]"), "anArray( nil, nil, 7)");
        assert_eq!(value(image, "{P basicSize. P class instSize}"), "anArray( 0, 0)");
        assert_eq!(error(image, "P instVarAt: 1").class, "OffsetError");
    }
}

#[test]
fn a_version_its_history_and_its_methods_are_undone_by_abort() {
    let store = MemoryStore::new();
    let mut one = with_points(&store);
    value(&mut one, SECOND);
    value(&mut one, "Point2 copyMethodsFrom: Old dictionaries: nil");
    let seen = "{Old classHistory size. Old == Point2. Old selectors size. Point2 selectors size}";
    assert_eq!(value(&mut one, seen), "anArray( 2, false, 2, 2)");
    assert_eq!(one.abort(), Ok(()));
    assert_eq!(value(&mut one, seen), "anArray( 1, true, 2, 2)");
}

#[test]
fn the_same_definition_writes_nothing() {
    let store = MemoryStore::new();
    let mut one = with_points(&store);
    value(&mut one, SECOND);
    assert!(one.has_uncommitted_changes());
    assert_eq!(one.commit(), Ok(Commit::Committed));
    value(&mut one, SECOND);
    assert!(!one.has_uncommitted_changes());
}
