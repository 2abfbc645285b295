//! What the stone costs, beside the floor of the same disk: prints one line of JSON.
//!
//! Commits are ten objects of 100 bytes at random places among many; the floor is a 4 KiB write and a sync.

#[path = "../tests/support/mod.rs"]
mod support;

use protocol::stone::{Oid, Write};
use rand::RngExt;
use std::collections::HashMap;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Barrier;
use std::time::{Duration, Instant};
use stone::client::CommitOutcome;
use support::{Gem, Home, Stone, record};

const OBJECTS: usize = 60_000;
const OBJECT_BYTES: usize = 100;
const OBJECTS_A_COMMIT: usize = 10;
/// Objects of the tree that is walked, and to how many others each node refers.
const TREE_OBJECTS: usize = 5_000;
const TREE_FAN_OUT: usize = 8;
const WALKS: usize = 21;
const MEASURED: Duration = Duration::from_secs(4);

fn main() {
    let home = Home::new();
    let (floor, floor_p50) = floor(home.path());
    let stone = home.start();
    let _lifeline = stone.lifeline();
    let oids = fill(&mut stone.session());
    // Before the commits, which cut the chains.
    let chained = median(500, || stone.session(), |gem, turn| drop(gem.connection.fault(&[oids[turn * 100]])));
    let (one, one_p50) = commits(&stone, &oids, 1);
    let (sixteen, _) = commits(&stone, &oids, 16);
    let tree = grow_tree(&mut stone.session());
    let (walk, requests) = walks(&stone, tree, false);
    let (batched, batched_requests) = walks(&stone, tree, true);
    let single = median(2_000, || stone.session(), |gem, _| drop(gem.read(oids[rand::rng().random_range(0..OBJECTS)])));
    let nothing = median(2_000, || stone.session(), |gem, _| drop(gem.connection.move_view()));
    let open = median(1_000, || (), |(), _| drop(stone.session()));
    println!(
        "{{\"bench\": \"stone\", \"figures\": {{\"floor_syncs_per_s\": {floor:.0}, \"floor_p50_us\": {floor_p50:.0}, \"commits_1_per_s\": {one:.0}, \
         \"commit_1_p50_us\": {one_p50:.0}, \"commits_16_per_s\": {sixteen:.0}, \"commits_1_over_floor\": {:.2}, \
         \"commits_16_over_floor\": {:.2}, \"round_trip_p50_us\": {nothing:.0}, \"fault_random_p50_us\": {single:.0}, \
         \"fault_chain_p50_us\": {chained:.0}, \"open_p50_us\": {open:.0}, \
         \"cold_walk_objects\": {TREE_OBJECTS}, \"cold_walk_requests\": {requests}, \"cold_walk_p50_us\": {walk:.0}, \
         \"cold_walk_batched_requests\": {batched_requests}, \"cold_walk_batched_p50_us\": {batched:.0}}}}}",
        one / floor,
        sixteen / floor,
    );
}

/// Writes of 4 KiB, each synced, that go over the same place, as a log that has its length: how many a second, and the
/// median microseconds of one.
fn floor(folder: &Path) -> (f64, f64) {
    let mut file = File::create(folder.join("floor")).expect("writable");
    let page = [7; 4096];
    file.write_all(&page.repeat(1024)).and_then(|()| file.sync_all()).expect("writable");
    let mut times = Vec::new();
    let begun = Instant::now();
    while begun.elapsed() < MEASURED / 2 {
        let start = Instant::now();
        file.seek(SeekFrom::Start(times.len() as u64 % 1024 * 4096)).expect("within");
        file.write_all(&page).and_then(|()| file.sync_data()).expect("writable");
        times.push(start.elapsed());
    }
    times.sort_unstable();
    (times.len() as f64 / begun.elapsed().as_secs_f64(), times[times.len() / 2].as_secs_f64() * 1e6)
}

/// Many objects in chains of a hundred.
fn fill(gem: &mut Gem) -> Vec<Oid> {
    let oids: Vec<Oid> = (0..OBJECTS).map(|_| gem.new_oid()).collect();
    for part in oids.chunks(10_000) {
        let next = |oid: Oid| if (oid + 1).is_multiple_of(100) { vec![] } else { vec![oid + 1] };
        let write = |oid: &Oid| Write { base: None, record: record(*oid, &next(*oid), &[1; OBJECT_BYTES]) };
        gem.must_commit(part.iter().map(write).collect());
    }
    oids
}

/// A tree of [`TREE_OBJECTS`] objects whose nodes refer to [`TREE_FAN_OUT`] others each; answers its root.
fn grow_tree(gem: &mut Gem) -> Oid {
    let oids: Vec<Oid> = (0..TREE_OBJECTS).map(|_| gem.new_oid()).collect();
    let children = |index: usize| {
        let first = (index * TREE_FAN_OUT + 1).min(TREE_OBJECTS);
        oids[first..(first + TREE_FAN_OUT).min(TREE_OBJECTS)].to_vec()
    };
    let write =
        |(index, oid): (usize, &Oid)| Write { base: None, record: record(*oid, &children(index), &[3; OBJECT_BYTES]) };
    gem.must_commit(oids.iter().enumerate().map(write).collect());
    oids[0]
}

/// Median microseconds of a walk over the tree by a session that has nothing of it, and the requests that it makes.
fn walks(stone: &Stone, root: Oid, batched: bool) -> (f64, usize) {
    let mut requests = 0;
    let mut times: Vec<Duration> = (0..WALKS)
        .map(|_| {
            let mut gem = stone.session();
            let begun = Instant::now();
            requests = walk(&mut gem, root, batched);
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    (times[WALKS / 2].as_secs_f64() * 1e6, requests)
}

/// Depth first, and neighbours are kept. What is not there is asked for by itself, as an image does it, or along with
/// all that is not there of what its parent refers to.
fn walk(gem: &mut Gem, root: Oid, batched: bool) -> usize {
    let mut known: HashMap<Oid, Vec<Oid>> = HashMap::new();
    let (mut waiting, mut visited, mut requests) = (vec![root], 0, 0);
    while let Some(oid) = waiting.pop() {
        if !known.contains_key(&oid) {
            requests += 1;
            let siblings = waiting.iter().rev().take(if batched { TREE_FAN_OUT - 1 } else { 0 });
            let wanted: Vec<Oid> =
                std::iter::once(oid).chain(siblings.copied().filter(|oid| !known.contains_key(oid))).collect();
            let records = gem.connection.fault(&wanted).expect("a fault is answered");
            known.extend(records.into_iter().map(|record| (record.oid, record.references)));
        }
        visited += 1;
        waiting.extend(&known[&oid]);
    }
    assert_eq!(visited, TREE_OBJECTS);
    requests
}

/// Commits a second, and the median microseconds of one.
fn commits(stone: &Stone, oids: &[Oid], clients: usize) -> (f64, f64) {
    let start = Barrier::new(clients);
    let client = |index: usize| {
        let mut gem = stone.session();
        let mine: Vec<Oid> = oids.iter().copied().skip(index).step_by(clients).collect();
        let mut view = gem.welcome.view;
        let mut times = Vec::new();
        start.wait();
        let begun = Instant::now();
        while begun.elapsed() < MEASURED {
            let place = rand::rng().random_range(0..mine.len() - OBJECTS_A_COMMIT * 97);
            let writes = (0..OBJECTS_A_COMMIT).map(|step| mine[place + step * 97]);
            let writes = writes.map(|oid| Write { base: Some(view), record: record(oid, &[], &[2; OBJECT_BYTES]) });
            let writes = writes.collect();
            let asked = Instant::now();
            match gem.commit(writes).expect("answered") {
                CommitOutcome::Committed { view: now, .. } => view = now,
                other => panic!("no other session writes these: {other:?}"),
            }
            times.push(asked.elapsed());
        }
        times
    };
    let mut times: Vec<Duration> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..clients)
            .map(|index| {
                scope.spawn({
                    let client = &client;
                    move || client(index)
                })
            })
            .collect();
        running.into_iter().flat_map(|client| client.join().expect("no client fails")).collect()
    });
    times.sort_unstable();
    (times.len() as f64 / MEASURED.as_secs_f64(), times[times.len() / 2].as_secs_f64() * 1e6)
}

/// Median microseconds of a piece of work.
fn median<T>(turns: usize, prepare: impl Fn() -> T, mut work: impl FnMut(&mut T, usize)) -> f64 {
    let mut subject = prepare();
    let mut times: Vec<Duration> = (0..turns)
        .map(|turn| {
            let start = Instant::now();
            work(&mut subject, turn);
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[turns / 2].as_secs_f64() * 1e6
}
