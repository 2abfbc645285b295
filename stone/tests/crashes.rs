//! `kill -9` of the stone at any moment, and storage that fails: what was acknowledged is there, what was not is there
//! whole or not at all, and what the stone says about it is true.

mod support;

use protocol::limits::OID_BLOCK;
use protocol::stone::{Oid, Token, Write};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::collections::HashSet;
use std::process::Command;
use std::thread::{ScopedJoinHandle, scope, sleep};
use std::time::Duration;
use stone::client::{CommitOutcome, StoneError};
use support::{Gem, Home, Stone, assert_sound, changed, new, refusal, token};

const CLIENTS: usize = 8;
/// Objects that one commit writes.
const OBJECTS: usize = 5;

/// A commit that was sent, and what came of it.
struct Sent {
    token: Token,
    oids: Vec<Oid>,
    bytes: Vec<u8>,
    acknowledged: Option<u64>,
}

/// Commits until the stone is gone. The first object of each commit is the client's own, changed every time.
fn commit_until_lost(stone: &Stone) -> (HashSet<Oid>, Vec<Sent>) {
    let mut sent = Vec::new();
    let mut blocks = HashSet::new();
    let Ok(mut gem) = stone.session_as(false) else { return (blocks, sent) };
    blocks.insert(gem.welcome.identities.start);
    let own = gem.new_oid();
    let mut base = None;
    for turn in 0_u64.. {
        let bytes = [&own.to_le_bytes()[..], &turn.to_le_bytes()].concat();
        let oids: Vec<Oid> = std::iter::once(own).chain((1..OBJECTS).map(|_| gem.new_oid())).collect();
        let mut writes: Vec<Write> = oids.iter().map(|oid| new(*oid, &bytes)).collect();
        writes[0].base = base;
        let token = token();
        let answer = gem.connection.commit(token, "commit", writes);
        let acknowledged = match answer {
            Ok(CommitOutcome::Committed { view, .. }) => Some(view),
            Err(StoneError::Lost) => None,
            other => panic!("neither committed nor lost: {other:?}"),
        };
        sent.push(Sent { token, oids, bytes, acknowledged });
        if acknowledged.is_none() {
            break;
        }
        base = acknowledged;
        if turn % 7 == 0 {
            match gem.connection.reserve() {
                Ok(block) => assert!(blocks.insert(block.start), "a block was given twice"),
                Err(_) => break,
            }
        }
    }
    (blocks, sent)
}

/// Whether the commit is there; never in part.
fn is_there(gem: &mut Gem, commit: &Sent, is_last: bool) -> bool {
    let new_ones = &commit.oids[1..];
    let found: Vec<bool> = new_ones
        .iter()
        .map(|oid| match gem.read(*oid) {
            Some(record) => {
                assert_eq!(record.bytes, commit.bytes);
                true
            }
            None => false,
        })
        .collect();
    assert!(found.iter().all(|there| *there == found[0]), "a commit is there in part: {found:?}");
    if is_last {
        let own = gem.read(commit.oids[0]).is_some_and(|record| record.bytes == commit.bytes);
        assert_eq!(own, found[0], "a commit is there in part");
    }
    found[0]
}

fn check(stone: &Stone, sent: &[Sent]) -> usize {
    let mut gem = stone.session();
    let mut surprises = 0;
    for (index, commit) in sent.iter().enumerate() {
        let there = is_there(&mut gem, commit, index + 1 == sent.len());
        let status = gem.connection.commit_status(commit.token).expect("answered");
        assert_eq!(status.is_some(), there, "the status is true");
        if let Some(number) = commit.acknowledged {
            assert_eq!(status, Some(number), "an acknowledged commit is there, under its number");
        } else {
            surprises += usize::from(there);
        }
    }
    surprises
}

#[test]
fn kill_at_any_moment_loses_nothing_that_was_acknowledged() {
    let seed = std::env::var("STONE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(rand::random::<u64>);
    let rounds = std::env::var("STONE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(8);
    println!("STONE_SEED={seed} STONE_ROUNDS={rounds}");
    let mut random = StdRng::seed_from_u64(seed);
    let home = Home::new();
    let mut blocks = HashSet::new();
    let (mut acknowledged, mut surprises) = (0, 0);
    for round in 0..rounds {
        let mut stone = home.start();
        let delay = Duration::from_micros(random.random_range(1_000..400_000));
        let outcome: Vec<_> = scope(|scope| {
            let clients: Vec<ScopedJoinHandle<'_, _>> =
                (0..CLIENTS).map(|_| scope.spawn(|| commit_until_lost(&stone))).collect();
            sleep(delay);
            kill_by_id(stone.child.id());
            clients.into_iter().map(|client| client.join().expect("no client fails")).collect()
        });
        stone.child.wait().expect("it was ours");
        let stone = home.start();
        let lifeline = stone.lifeline();
        for (given, sent) in outcome {
            for block in given {
                assert!(blocks.insert(block), "round {round}: identity block {block} was given twice");
            }
            acknowledged += sent.iter().filter(|commit| commit.acknowledged.is_some()).count();
            surprises += check(&stone, &sent);
        }
        let next = stone.session().welcome.identities.start;
        assert!(blocks.iter().all(|block| block + OID_BLOCK <= next), "round {round}: {next} was given before");
        blocks.insert(next);
        drop(lifeline);
        assert!(stone.await_end().success());
        assert_sound(&home);
    }
    println!("{acknowledged} acknowledged commits, all there; {surprises} others that were made");
    assert!(acknowledged > 0, "a test that commits nothing shows nothing");
}

fn kill_by_id(id: u32) {
    let pid = nix::unistd::Pid::from_raw(id.cast_signed());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).expect("it runs");
}

#[test]
fn without_room_commits_are_refused_and_reads_go_on() {
    let home = Home::new();
    // The shell's unit is 512 bytes; the limit can be raised later, as room can be made.
    let command = home.command_through("sh", &["-c", "ulimit -S -f 4096; exec \"$0\" \"$@\""]);
    let stone = Stone::start(command, home.socket());
    let mut gem = stone.session();
    let kept = gem.new_oid();
    gem.must_commit(vec![new(kept, b"kept")]);
    let large = gem.new_oid();
    let refused = gem.commit(vec![changed(kept, 1, b"lost"), new(large, &vec![1; 4 * 1024 * 1024])]);
    assert_eq!(refusal(refused), "storageFull");
    assert_eq!(gem.bytes(kept), b"kept", "reads go on");
    assert_eq!(gem.read(large), None, "nothing of it was written");
    assert_eq!(gem.must_commit(vec![changed(kept, 1, b"small")]), 2, "what fits is taken");
    let status = Command::new("prlimit")
        .arg(format!("--pid={}", stone.child.id()))
        .arg("--fsize=unlimited")
        .status()
        .expect("prlimit runs");
    assert!(status.success());
    assert_eq!(gem.must_commit(vec![changed(kept, 2, b"again"), new(large, &vec![1; 4 * 1024 * 1024])]), 3);
    drop(gem);
    assert!(stone.await_end().success());
    assert_eq!(home.start().session().bytes(large).len(), 4 * 1024 * 1024);
    assert_sound(&home);
}

#[test]
fn after_a_failed_sync_no_commit_is_taken_until_a_restart() {
    let home = Home::new();
    // Made first, so that the syncs to come are those of commits.
    home.start().session();
    let inject = "inject=fsync,fdatasync:error=EIO:when=12+";
    let command =
        home.command_through("strace", &["-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", inject]);
    let stone = Stone::start(command, home.socket());
    let mut gem = stone.session();
    let kept = gem.new_oid();
    let mut known = gem.must_commit(vec![new(kept, &0_u64.to_le_bytes())]);
    let failed = loop {
        let name = token();
        match gem.connection.commit(name, "commit", vec![changed(kept, known, &known.to_le_bytes())]) {
            Ok(CommitOutcome::Committed { view, .. }) => known = view,
            other => {
                assert_eq!(refusal(other), "storageFailed");
                break name;
            }
        }
    };
    assert_eq!(refusal(gem.commit(vec![changed(kept, known, b"no")])), "storageFailed", "it stays so");
    assert_eq!(refusal(gem.connection.commit_status(failed)), "storageFailed", "it cannot be known");
    assert_eq!(gem.bytes(kept), (known - 1).to_le_bytes(), "reads go on");
    let mut late = stone.session();
    assert_eq!(refusal(late.commit(vec![changed(kept, known, b"no")])), "storageFailed");
    drop((gem, late));
    stone.await_end();
    let stone = home.start();
    let mut gem = stone.session();
    let status = gem.connection.commit_status(failed).expect("answered now");
    let expected = if status.is_some() { known } else { known - 1 };
    assert_eq!(gem.bytes(kept), expected.to_le_bytes());
    gem.must_commit(vec![changed(kept, gem.welcome.view, b"yes")]);
}
