//! How a stone comes, stays alone, endures its peers and goes.

mod support;

use protocol::frame::encode;
use protocol::limits::STONE_FRAME_BYTES_MAX;
use protocol::stone::{HELLO, Request};
use std::fs;
use std::io::{Read, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};
use std::time::Duration;
use stone::client::StoneError;
use support::{FORMAT, Home, Stone, await_end, changed, hello, new};

#[test]
fn a_second_stone_is_refused_until_the_first_has_gone() {
    let home = Home::new();
    let stone = home.start();
    let lifeline = stone.lifeline();
    let elsewhere = home.path().join("run/other.sock");
    let second = home.command_on(&elsewhere).stderr(Stdio::piped()).output().expect("it runs");
    let words = String::from_utf8_lossy(&second.stderr).into_owned();
    assert_eq!(second.status.code(), Some(3), "{words}");
    assert!(words.contains("another stone") && words.contains(&stone.child.id().to_string()), "{words}");
    assert!(!elsewhere.exists());
    stone.lifeline();
    drop(lifeline);
    assert!(stone.await_end().success());
    home.start();
}

#[test]
fn a_stone_that_was_killed_leaves_nothing_in_the_way() {
    let home = Home::new();
    let stone = home.start();
    let mut gem = stone.session();
    let oid = gem.new_oid();
    gem.must_commit(vec![new(oid, b"kept")]);
    stone.kill();
    assert!(home.socket().exists(), "a killed process cannot remove it");
    assert_eq!(gem.connection.move_view().map(|view| view.number), Err(StoneError::Lost));
    assert_eq!(home.start().session().bytes(oid), b"kept");
}

#[test]
fn a_stone_leaves_with_its_last_connection_and_not_before() {
    let home = Home::new();
    let stone = home.start();
    // A process that only probes whether it answers neither keeps it nor ends it.
    drop(UnixStream::connect(home.socket()).expect("it listens"));
    let first = stone.lifeline();
    let mut gem = stone.session();
    drop(first);
    assert_eq!(gem.connection.move_view().map(|view| view.number), Ok(0), "a session is still there");
    drop(gem);
    assert!(stone.await_end().success());
    assert!(!home.socket().exists());
}

#[test]
fn a_stone_without_a_connection_leaves() {
    let home = Home::new();
    let mut stone = home.start();
    stone.await_log("no connection came");
    assert!(await_end(&mut stone.child).success());
}

#[test]
fn a_stone_that_is_asked_to_stop_stops_cleanly() {
    let home = Home::new();
    let stone = home.start();
    let mut gem = stone.session();
    let oid = gem.new_oid();
    gem.must_commit(vec![new(oid, b"kept")]);
    stone.terminate();
    assert!(stone.await_end().success());
    assert_eq!(gem.connection.move_view().map(|view| view.number), Err(StoneError::Lost));
    assert!(!home.socket().exists());
    support::assert_sound(&home);
}

#[test]
fn a_broken_peer_loses_its_own_connection_alone() {
    let home = Home::new();
    let stone = home.start();
    let mut witness = stone.session();
    let oid = witness.new_oid();
    witness.must_commit(vec![new(oid, b"1")]);
    let good_hello = frame(HELLO, &hello(FORMAT, false).encode());
    let huge = |kind: u8| [&u32::MAX.to_le_bytes()[..], &[kind], &[0; 8]].concat();
    let just_over = ((STONE_FRAME_BYTES_MAX + 1) as u32).to_le_bytes();
    let after_hello = |bytes: Vec<u8>| [good_hello.clone(), bytes].concat();
    for bytes in [
        huge(HELLO),
        frame(HELLO, b"{"),
        frame(HELLO, b"{\"role\":\"king\"}"),
        frame(3, &[]),
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        after_hello(huge(3)),
        after_hello([&just_over[..], &[3], &[0; 8]].concat()),
        after_hello(frame(3, &[0; 20])),
        after_hello(frame(200, &[])),
        after_hello(frame(2, &u32::MAX.to_le_bytes())),
        after_hello(good_hello.clone()),
        after_hello(frame(3, &[&[0; 16][..], &[0; 4], &u32::MAX.to_le_bytes()].concat())),
    ] {
        assert_ended(&home, &bytes);
        assert_eq!(witness.bytes(oid), b"1");
    }
    let (kind, fault) = Request::Fault { oids: vec![oid] }.encode();
    let half = frame(kind, &fault);
    let mut stalled = UnixStream::connect(home.socket()).expect("it listens");
    stalled.write_all(&after_hello(half[..15].to_vec())).expect("taken");
    assert_eq!(witness.must_commit(vec![changed(oid, 1, b"2")]), 2, "a peer that stalls delays no commit");
    // A large length alone reserves nothing.
    let mut greedy = UnixStream::connect(home.socket()).expect("it listens");
    let declared = (STONE_FRAME_BYTES_MAX as u32).to_le_bytes();
    greedy.write_all(&after_hello([&declared[..], &[3], &[0; 8], &[0; 100]].concat())).expect("taken");
    assert_eq!(witness.bytes(oid), b"2");
    assert!(resident_kibibytes(&stone) < 64 * 1024, "{} KiB", resident_kibibytes(&stone));
}

fn frame(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(&mut bytes, kind, 1, body);
    bytes
}

/// Sends this, and sees the connection end.
fn assert_ended(home: &Home, bytes: &[u8]) {
    let mut stream = UnixStream::connect(home.socket()).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(8))).expect("valid");
    let _ = stream.write_all(bytes);
    let mut answered = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answered) {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset, "for {:?}", &bytes[..bytes.len().min(40)]);
    }
}

fn resident_kibibytes(stone: &Stone) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", stone.child.id())).expect("it runs");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("it has memory");
    line.split_whitespace().nth(1).expect("a number").parse().expect("a number")
}

#[test]
fn nothing_that_is_not_its_own_is_touched() {
    let home = Home::new();
    let run = home.path().join("run");
    let refused = |words: &str| {
        let output = home.command().stderr(Stdio::piped()).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(words), "{said}");
    };
    fs::create_dir(&run).expect("new");
    fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).expect("ours");
    refused("chmod 700");
    fs::set_permissions(&run, fs::Permissions::from_mode(0o700)).expect("ours");
    fs::write(home.socket(), "a file").expect("writable");
    refused("no socket of this user");
    fs::remove_file(home.socket()).expect("ours");
    let taken = UnixListener::bind(home.socket()).expect("free");
    refused("another process answers");
    drop(taken);
    for garbage in [b"garbage, and not a little of it".repeat(300), vec![0; 8192]] {
        let kept = garbage.clone();
        fs::write(home.database(), garbage).expect("writable");
        refused("objects.sqlite");
        assert!(fs::read(home.database()).expect("there") == kept, "it is left alone");
    }
    fs::remove_file(home.database()).expect("ours");
    let foreign = rusqlite::Connection::open(home.database()).expect("new");
    foreign.execute_batch("CREATE TABLE of_another_program (x)").expect("writable");
    drop(foreign);
    let kept = fs::read(home.database()).expect("there");
    refused("no repository of Lapidary");
    assert!(fs::read(home.database()).expect("there") == kept, "it is left alone");
}

#[test]
fn help_says_everything() {
    let output = Command::new(env!("CARGO_BIN_EXE_lapidary-stone")).arg("--help").output().expect("it runs");
    let help = String::from_utf8_lossy(&output.stdout).into_owned();
    for words in ["--path", "--socket", "--name", "--log-level", "--log-format", "Exit status"] {
        assert!(help.contains(words), "{words} is missing in {help}");
    }
    let wrong = Command::new(env!("CARGO_BIN_EXE_lapidary-stone")).arg("--path").output().expect("it runs");
    assert_eq!(wrong.status.code(), Some(2));
}
