//! Views, conflicts and commits, by way of a real stone and real sockets.

mod support;

use protocol::limits::{FAULT_NEIGHBOUR_BYTES_MAX, FAULT_OBJECTS_MAX, OID_BLOCK};
use protocol::stone::{KERNEL_OID_BIT, Oid, Write};
use std::sync::Barrier;
use stone::client::{CommitOutcome, StoneError};
use support::{FORMAT, Home, changed, hello, new, record, refusal, token};

#[test]
fn what_was_committed_outlives_the_stone() {
    let home = Home::new();
    let stone = home.start();
    let mut gem = stone.session();
    assert_eq!((gem.welcome.view, gem.welcome.name.as_str()), (0, "test"));
    let (a, b) = (gem.new_oid(), gem.new_oid());
    let whole = Write { base: None, record: record(a, &[KERNEL_OID_BIT | 5, b], b"whole") };
    assert_eq!(gem.must_commit(vec![whole.clone(), new(b, b"part")]), 1);
    assert_eq!(gem.must_commit(vec![changed(b, 1, b"part, changed")]), 2);
    drop(gem);
    assert!(stone.await_end().success());
    assert!(!home.socket().exists(), "the socket goes with its stone");

    let stone = home.start();
    let mut gem = stone.session();
    assert_eq!(gem.welcome.view, 2);
    assert_eq!(gem.read(a), Some(whole.record));
    assert_eq!(gem.bytes(b), b"part, changed");
    assert_eq!(gem.read(b + 1), None);
    drop(gem);
    assert!(stone.await_end().success());
    support::assert_sound(&home);
}

#[test]
fn an_old_view_goes_on_reading_old_versions() {
    let home = Home::new();
    let stone = home.start();
    let mut writer = stone.session();
    let oid = writer.new_oid();
    writer.must_commit(vec![new(oid, b"0")]);
    let mut old: Vec<_> = Vec::new();
    for version in 1..=20_u64 {
        old.push((version, stone.session()));
        let later = writer.new_oid();
        writer.must_commit(vec![changed(oid, version, &version.to_le_bytes()), new(later, b"later")]);
        assert_eq!(old[0].1.read(later), None, "a view shows nothing of later commits");
    }
    for (view, gem) in &mut old {
        assert_eq!(gem.welcome.view, *view);
        let expected = if *view == 1 { b"0".to_vec() } else { (*view - 1).to_le_bytes().to_vec() };
        assert_eq!(gem.bytes(oid), expected);
    }
    let (view, mut gem) = old.swap_remove(5);
    let moved = gem.connection.move_view().expect("views move");
    assert_eq!(moved.number, 21);
    assert_eq!(moved.changed.len() as u64, 21 - view + 1, "each changed object once: {:?}", moved.changed);
    assert_eq!(gem.bytes(oid), 20_u64.to_le_bytes());
}

#[test]
fn what_changed_since_a_commit_is_told_and_the_view_stays() {
    let home = Home::new();
    let stone = home.start();
    let mut first = stone.session();
    let (a, b) = (first.new_oid(), first.new_oid());
    first.must_commit(vec![new(a, b"a1"), new(b, b"b1")]);
    first.must_commit(vec![changed(a, 1, b"a2")]);
    let mut second = stone.session();
    first.must_commit(vec![changed(b, 1, b"b3")]);
    assert_eq!(second.connection.changed_since(0), Ok(vec![a, b]));
    assert_eq!(second.connection.changed_since(1), Ok(vec![a]));
    assert_eq!(second.connection.changed_since(2), Ok(vec![]));
    assert_eq!(
        second.connection.changed_since(u64::MAX),
        Ok(vec![]),
        "what lies ahead of the view has changed nothing"
    );
    assert_eq!(second.bytes(b), b"b1", "the view stays");
    assert_eq!(first.connection.changed_since(0), Ok(vec![a, b]), "what a session has committed itself counts as well");
}

#[test]
fn conflicts_are_told_by_object_and_write_nothing() {
    let home = Home::new();
    let stone = home.start();
    let mut first = stone.session();
    let (a, b, c) = (first.new_oid(), first.new_oid(), first.new_oid());
    first.must_commit(vec![new(a, b"a1"), new(b, b"b1"), new(c, b"c1")]);
    let mut second = stone.session();
    first.must_commit(vec![changed(a, 1, b"a2")]);
    first.must_commit(vec![changed(b, 1, b"b3")]);
    let both = vec![changed(a, 1, b"lost"), changed(c, 1, b"lost"), changed(b, 1, b"lost")];
    let outcome = second.commit(both).expect("answered");
    assert_eq!(outcome, CommitOutcome::Conflict { objects: vec![(a, 2), (b, 3)] });
    assert_eq!(second.bytes(a), b"a1", "the view stays");
    let apart = second.commit(vec![changed(c, 1, b"c4")]).expect("answered");
    assert_eq!(apart, CommitOutcome::Committed { view: 4, changed: vec![a, b] });
    assert_eq!((second.bytes(a), second.bytes(c)), (b"a2".to_vec(), b"c4".to_vec()));
    let empty = first.commit(vec![]).expect("answered");
    assert_eq!(empty, CommitOutcome::Committed { view: 4, changed: vec![c] });
}

#[test]
fn sixteen_clients_commit_at_once_and_none_is_lost() {
    const CLIENTS: usize = 16;
    const COMMITS: u64 = 40;
    let home = Home::new();
    let stone = home.start();
    let mut first = stone.session();
    let counter = first.new_oid();
    first.must_commit(vec![new(counter, &0_u64.to_le_bytes())]);
    let start = Barrier::new(CLIENTS);
    let numbers: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(|| client(&stone, counter, &start))).collect();
        clients.into_iter().map(|client| client.join().expect("no client fails")).collect()
    });
    let mut all: Vec<u64> = numbers.concat();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len() as u64, CLIENTS as u64 * COMMITS, "every commit has a number of its own");
    first.connection.move_view().expect("views move");
    let count = u64::from_le_bytes(first.bytes(counter).try_into().expect("eight bytes"));
    assert_eq!(count, CLIENTS as u64 * COMMITS / 4, "every increment that was acknowledged is there");

    /// Three disjoint commits, then an increment of what all fight for, again and again.
    fn client(stone: &support::Stone, counter: Oid, start: &Barrier) -> Vec<u64> {
        let mut gem = stone.session();
        start.wait();
        let mut numbers = Vec::new();
        for turn in 1..=COMMITS {
            if turn % 4 != 0 {
                let oid = gem.new_oid();
                numbers.push(gem.must_commit(vec![new(oid, b"mine")]));
                continue;
            }
            numbers.push(increment(&mut gem, counter));
        }
        numbers
    }

    fn increment(gem: &mut support::Gem, counter: Oid) -> u64 {
        loop {
            let view = gem.connection.move_view().expect("views move").number;
            let count = u64::from_le_bytes(gem.bytes(counter).try_into().expect("eight bytes"));
            match gem.commit(vec![changed(counter, view, &(count + 1).to_le_bytes())]).expect("answered") {
                CommitOutcome::Committed { view, .. } => return view,
                CommitOutcome::Conflict { objects } => assert!(objects[0].0 == counter && objects[0].1 > view),
            }
        }
    }
}

#[test]
fn a_repeated_token_is_answered_by_the_first_outcome() {
    let home = Home::new();
    let stone = home.start();
    let mut gem = stone.session();
    let mut other = stone.session();
    let (a, name) = (gem.new_oid(), token());
    let first = gem.connection.commit(name, "commit", vec![new(a, b"once")]).expect("answered");
    assert_eq!(first, CommitOutcome::Committed { view: 1, changed: vec![] });
    assert_eq!(gem.connection.commit(name, "commit", vec![new(a, b"twice")]), Ok(first));
    assert_eq!(gem.bytes(a), b"once");
    let b = other.new_oid();
    let elsewhere = other.connection.commit(name, "commit", vec![new(b, b"other")]).expect("answered");
    assert_eq!(elsewhere, CommitOutcome::Committed { view: 1, changed: vec![a] }, "news to this session");
    assert_eq!(other.read(b), None);
    assert_eq!(other.connection.commit_status(name), Ok(Some(1)));
    let never = token();
    assert_eq!(other.connection.commit_status(never), Ok(None));
    let late = gem.connection.commit(never, "commit", vec![changed(a, 1, b"late")]);
    assert_eq!(refusal(late), "tokenVoid", "a commit reported as not made must not be made afterwards");
}

#[test]
fn neighbours_come_along_within_their_limits() {
    let home = Home::new();
    let stone = home.start();
    let mut gem = stone.session();
    let chain: Vec<Oid> = (0..1000).map(|_| gem.new_oid()).collect();
    let link = |pair: &[Oid]| Write { base: None, record: record(pair[0], &[KERNEL_OID_BIT | 1, pair[1]], b"link") };
    let mut writes: Vec<Write> = chain.windows(2).map(link).collect();
    writes.push(new(chain[999], b"end"));
    let (hub, large, small) = (gem.new_oid(), gem.new_oid(), gem.new_oid());
    writes.push(Write { base: None, record: record(hub, &[large, small], b"hub") });
    writes.push(new(large, &vec![7; FAULT_NEIGHBOUR_BYTES_MAX]));
    writes.push(new(small, b"small"));
    gem.must_commit(writes);

    let mut reader = stone.session();
    let oids = |records: Vec<protocol::stone::Record>| records.iter().map(|record| record.oid).collect::<Vec<_>>();
    let first = oids(reader.connection.fault(&[chain[0]]).expect("answered"));
    assert_eq!(first, chain[..FAULT_OBJECTS_MAX]);
    let second = oids(reader.connection.fault(&[chain[FAULT_OBJECTS_MAX], chain[0]]).expect("answered"));
    assert_eq!(second[..2], [chain[FAULT_OBJECTS_MAX], chain[0]], "what is asked for comes again, and first");
    assert_eq!(second[2..], chain[FAULT_OBJECTS_MAX + 1..2 * FAULT_OBJECTS_MAX - 1]);
    let around = oids(reader.connection.fault(&[hub, hub]).expect("answered"));
    assert_eq!(around, [hub, small], "a neighbour that is too large stays away and keeps no other from coming");
    assert_eq!(reader.bytes(large).len(), FAULT_NEIGHBOUR_BYTES_MAX, "what is asked for comes at any size");
    let many: Vec<Oid> = chain[..FAULT_OBJECTS_MAX + 1].to_vec();
    assert_eq!(refusal(reader.connection.fault(&many)), "tooMany");
    gem.must_commit(vec![changed(chain[1], 1, b"changed")]);
    reader.connection.move_view().expect("views move");
    let again = oids(reader.connection.fault(&[chain[0]]).expect("answered"));
    assert_eq!(again, chain[..2], "of the neighbours only what has changed since");
}

#[test]
fn a_changed_kernel_is_shown_at_opening() {
    let home = Home::new();
    let stone = home.start();
    let mut gem = stone.session();
    let (x, y) = (KERNEL_OID_BIT | 77, KERNEL_OID_BIT | 78);
    gem.must_commit(vec![changed(x, 0, b"x1"), new(y, b"y1")]);
    let mut late = stone.session();
    assert_eq!(late.welcome.overlays, [record(x, &[], b"x1"), record(y, &[], b"y1")]);
    gem.must_commit(vec![changed(x, 1, b"x2")]);
    assert_eq!(late.bytes(x), b"x1");
    let conflict = late.commit(vec![changed(x, 1, b"lost"), new(y, b"lost")]).expect("answered");
    assert_eq!(conflict, CommitOutcome::Conflict { objects: vec![(x, 2), (y, 1)] });
    drop((gem, late));
    assert!(stone.await_end().success());
    let overlays = home.start().session().welcome.overlays;
    assert_eq!(overlays, [record(x, &[], b"x2"), record(y, &[], b"y1")]);
}

#[test]
fn what_a_gem_must_not_do_is_refused_and_the_session_goes_on() {
    let home = Home::new();
    let stone = home.start();
    let mut gem = stone.session();
    let oid = gem.new_oid();
    gem.must_commit(vec![new(oid, b"1")]);
    let foreign = gem.welcome.identities.end + OID_BLOCK;
    for (writes, kind) in [
        (vec![new(foreign, b"")], "notGranted"),
        (vec![new(oid, b"")], "notNew"),
        (vec![changed(oid + 1, 1, b"")], "unknownObject"),
        (vec![changed(oid, 2, b"")], "malformedCommit"),
        (vec![changed(oid, 1, b""), changed(oid, 1, b"")], "malformedCommit"),
    ] {
        assert_eq!(refusal(gem.commit(writes)), kind);
    }
    let block = gem.connection.reserve().expect("identities are given");
    assert_eq!(gem.must_commit(vec![new(block.start, b""), new(block.end - 1, b""), changed(oid, 1, b"2")]), 2);

    let mut reader = stone.session_as(true).expect("a reader is welcome");
    assert_eq!(refusal(reader.commit(vec![changed(oid, 2, b"3")])), "readOnly");
    assert_eq!(refusal(reader.commit(vec![])), "readOnly");
    assert_eq!(reader.bytes(oid), b"2");
    assert_eq!(reader.connection.move_view().expect("views move").number, 2);
}

#[test]
fn another_format_is_refused_once_there_is_a_commit() {
    let home = Home::new();
    let stone = home.start();
    drop(stone.lifeline());
    assert!(stone.await_end().success());
    // Nothing was committed, so the next to come may bring another format.
    let stone = home.start();
    let mut connection = stone.connect();
    connection.hello(&hello(7, false)).expect("it listens");
    let oid = connection.read_welcome().expect("welcome").identities.start;
    connection.commit(token(), "commit", vec![new(oid, b"")]).expect("answered");
    drop(connection);
    assert!(stone.await_end().success());
    let stone = home.start();
    let _lifeline = {
        let mut connection = stone.connect();
        connection.hello(&hello(7, true)).expect("it listens");
        connection.read_welcome().expect("welcome");
        connection
    };
    let mut connection = stone.connect();
    connection.hello(&hello(FORMAT, false)).expect("it listens");
    assert_eq!(refusal(connection.read_welcome()), "format");
    assert_eq!(connection.move_view(), Err(StoneError::Lost), "a refused hello ends the connection");
}
