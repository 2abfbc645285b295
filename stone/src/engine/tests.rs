//! What every engine must do, whichever it is.

use super::{CommitRecord, Engine, Found, RepositoryReader, RepositoryWriter, open};
use protocol::stone::{KERNEL_OID_BIT, Oid, Record, Token, Write};

fn engine(folder: &tempfile::TempDir) -> Box<dyn Engine> {
    open(folder.path(), "test").expect("a new repository")
}

fn write(oid: Oid, bytes: &[u8]) -> Write {
    Write { base: None, record: Record { oid, references: vec![9], bytes: bytes.to_vec() } }
}

fn commit(writer: &mut dyn RepositoryWriter, number: u64, writes: &[Write]) {
    let token: Token = [number as u8; 16];
    let (user, client, tool) = ("user", "client", "tool");
    let record = CommitRecord { number, micros_since_epoch: 0, user, client, tool, session: 1, token: &token };
    writer.begin().and_then(|()| writer.append(&record, writes)).and_then(|()| writer.finish()).expect("committed");
}

fn bytes(found: &Found) -> Option<&[u8]> {
    match found {
        Found::Object(record) => Some(&record.bytes),
        Found::Nothing | Found::TooLarge => None,
    }
}

fn read(reader: &mut dyn RepositoryReader, oids: &[Oid], view: u64, room: usize) -> Vec<Found> {
    reader.snapshot().expect("a snapshot");
    let found = reader.objects_at(oids, view, room, 4).expect("read");
    reader.release();
    found
}

#[test]
fn a_batch_is_answered_in_its_order_and_at_its_view() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = engine(&folder);
    let (mut writer, mut reader) = (engine.writer().expect("a writer"), engine.reader().expect("a reader"));
    commit(writer.as_mut(), 1, &[write(5, b"five"), write(6, b"six")]);
    commit(writer.as_mut(), 2, &[write(5, b"five again"), write(KERNEL_OID_BIT | 1, b"kernel")]);
    let found = read(reader.as_mut(), &[6, 7, 5, 6], 2, 1_000);
    let all: Vec<Option<&[u8]>> = found.iter().map(bytes).collect();
    assert_eq!(all, [Some(&b"six"[..]), None, Some(&b"five again"[..]), Some(&b"six"[..])]);
    assert_eq!(found[1], Found::Nothing);
    let before = read(reader.as_mut(), &[5, KERNEL_OID_BIT | 1], 1, 1_000);
    assert_eq!((bytes(&before[0]), &before[1]), (Some(&b"five"[..]), &Found::Nothing));
    assert_eq!(read(reader.as_mut(), &[], 2, 1_000), []);
    let newest = writer.newest_versions(&[7, 6, 5]).expect("read");
    assert_eq!(newest, [None, Some(1), Some(2)]);
    assert_eq!(reader.changed_between(0, 3).expect("read"), [5, 6, 5, KERNEL_OID_BIT | 1]);
    assert_eq!(reader.kernel_objects().expect("read").len(), 1);
}

#[test]
fn what_does_not_fit_is_left_out_and_what_does_comes_still() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = engine(&folder);
    let (mut writer, mut reader) = (engine.writer().expect("a writer"), engine.reader().expect("a reader"));
    commit(writer.as_mut(), 1, &[write(1, &[1; 10]), write(2, &[2; 100]), write(3, &[3; 10])]);
    // Each takes 8 bytes for its reference and 4 of overhead beside its own.
    let found = read(reader.as_mut(), &[1, 2, 3], 1, 22 + 22);
    let all: Vec<bool> = found.iter().map(|found| bytes(found).is_some()).collect();
    assert_eq!((all, &found[1]), (vec![true, false, true], &Found::TooLarge));
    let found = read(reader.as_mut(), &[1, 3], 1, 22 + 21);
    assert_eq!((bytes(&found[0]).is_some(), &found[1]), (true, &Found::TooLarge));
}

#[test]
fn a_reader_keeps_its_snapshot_and_facts_survive() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = engine(&folder);
    let (mut writer, mut reader) = (first.writer().expect("a writer"), first.reader().expect("a reader"));
    writer.begin().and_then(|()| writer.set_format(3)).and_then(|()| writer.set_next_oid(1 << 20)).expect("written");
    writer.finish().expect("durable");
    commit(writer.as_mut(), 1, &[write(1, b"one")]);
    reader.snapshot().expect("a snapshot");
    assert_eq!(reader.changed_between(0, 9).expect("read"), [1]);
    commit(writer.as_mut(), 2, &[write(2, b"two")]);
    assert_eq!(reader.changed_between(0, 9).expect("read"), [1], "the snapshot is older");
    reader.release();
    let abandoned = writer.begin().and_then(|()| writer.set_next_oid(1 << 30));
    abandoned.expect("written");
    writer.abandon();
    let mut checkpointer = first.checkpointer().expect("a checkpointer");
    assert_eq!(checkpointer.checkpoint(), Ok(false));
    checkpointer.restart_log().expect("no batch is open");
    drop((writer, reader, checkpointer, first));
    let facts = engine(&folder).facts().clone();
    assert_eq!((facts.name.as_str(), facts.format, facts.newest, facts.next_oid), ("test", Some(3), 2, 1 << 20));
}
