//! The link to the stone: a Unix stream socket carrying [`crate::frame`]s.
//!
//! Whoever connects says [`Hello`] first. A router keeps one connection as its *lifeline* and opens one more for each
//! gem: it says for whom, or how that will be proved when it is known ([`crate::grant`]), then hands the socket to the
//! gem, which so can claim no other identity. The stone answers each request in order, with the request's exchange
//! number. It knows an object only as an identity, the identities
//! that it refers to, and bytes.

use crate::frame::FrameError;
use crate::grant::GrantKey;
use crate::wire::{Reader, Writer};
use serde::{Deserialize, Serialize};

/// A 61-bit identity of an object. Bit 60 marks the kernel's own objects, whose identities are derived from their
/// names and are the same in every binary and stone; all others the stone hands out in blocks and never again.
pub type Oid = u64;

/// The bit that marks an object of the kernel.
pub const KERNEL_OID_BIT: Oid = 1 << 60;
/// Identities lie below this.
pub const OID_LIMIT: Oid = 1 << 61;
/// Length of the name that a gem gives each of its commits.
pub const TOKEN_BYTES: usize = 16;

/// The format of the image that gems of this build use. It changes when what gems store is laid out differently, so
/// that a stone can refuse a build that would misread it.
pub const IMAGE_FORMAT: u32 = 1;
/// The kind of refusal by which a stone that is leaving sends away who comes: another one is to be started.
pub const STOPPING: &str = "stopping";

/// A name for one commit, random, chosen by the gem.
pub type Token = [u8; TOKEN_BYTES];

/// First message on a connection, as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "camelCase")]
pub enum Hello {
    /// A router (or a tool) that wants the stone to stay while it is connected.
    Lifeline {
        /// The format of the image that its gems use; see [`Refused`](Answer::Refused).
        format: u32,
    },
    /// A gem will speak here.
    Session {
        /// The format of the image that it uses.
        format: u32,
        /// The user in the repository.
        user: String,
        /// The client, as it names itself.
        client: String,
        /// Whether commits are refused.
        read_only: bool,
    },
    /// A gem will speak here, and for whom is not known yet. Until a [`Request::Bind`] it can only read.
    Unbound {
        /// The format of the image that it uses.
        format: u32,
        /// Whether commits are refused, whoever it will work for.
        read_only: bool,
        /// By what the stone knows a grant of the router. The gem never sees it.
        key: GrantKey,
    },
}

/// An object as it travels and rests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Who it is.
    pub oid: Oid,
    /// Whom it refers to, its class first; what the bytes say refers to this list by index.
    pub references: Vec<Oid>,
    /// Everything else; the stone never looks inside.
    pub bytes: Vec<u8>,
}

/// One object of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The newest view at which the gem knew this object before it changed it; `None` for an object that is new.
    /// A newer version than this is a conflict.
    pub base: Option<u64>,
    /// Its new state.
    pub record: Record,
}

/// What a gem asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// These objects at my view, and what I shall need next.
    Fault {
        /// Which.
        oids: Vec<Oid>,
    },
    /// Make these writes one commit. The view moves when it succeeds, else not.
    Commit {
        /// The commit's name.
        token: Token,
        /// The tool that was called, for the record.
        tool: String,
        /// All that was written.
        writes: Vec<Write>,
    },
    /// Move my view to the newest commit.
    MoveView,
    /// More identities.
    Reserve,
    /// Was the commit of this name made?
    CommitStatus {
        /// The commit's name.
        token: Token,
    },
    /// From now on I work for whom this grant names, once and for all; and move my view to the newest commit.
    Bind {
        /// What the router has signed with the connection's key.
        grant: Vec<u8>,
    },
    /// What have the commits after this one changed, up to my view? The view stays.
    ChangedSince {
        /// The number of a commit; one after the view is as good as the view.
        commit: u64,
    },
}

/// What the stone answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// To [`Hello`]; a lifeline gets it with no identities and no overlays.
    Welcome {
        /// The number of this session.
        session: u64,
        /// The newest commit: where the view is.
        view: u64,
        /// The first identity of a block of [`crate::limits::OID_BLOCK`].
        first_oid: Oid,
        /// The stone's name.
        name: String,
        /// The kernel's objects that commits have changed, at the view.
        overlays: Vec<Record>,
    },
    /// To `Fault`: what was asked for, in order, then neighbours. An object that does not exist at the view is left
    /// out.
    Objects(Vec<Record>),
    /// To `Commit`: it is durable, and the view is there now.
    Committed {
        /// Its number.
        view: u64,
        /// What others have changed between the old view and the new one.
        changed: Vec<Oid>,
    },
    /// To `Commit`: nothing was written, the view stays.
    Conflict {
        /// The written objects that others have changed, each with the number of that commit.
        objects: Vec<(Oid, u64)>,
    },
    /// To `MoveView`, `Bind` and `ChangedSince`.
    View {
        /// Where the view is now.
        view: u64,
        /// What has changed on the way there: by others, but for `ChangedSince`.
        changed: Vec<Oid>,
    },
    /// To `Reserve`: the first of a block of [`crate::limits::OID_BLOCK`].
    Block(Oid),
    /// To `CommitStatus`: the commit's number, or `None`.
    CommitStatus(Option<u64>),
    /// To anything: it cannot be done; the session goes on unless this answers [`Hello`].
    Refused {
        /// A word for programs, such as `readOnly`, `storageFull`, `format`.
        kind: String,
        /// For a person: what was wrong, what to do.
        message: String,
    },
}

/// Frame kind of [`Hello`].
pub const HELLO: u8 = 1;

impl Hello {
    /// As a frame body.
    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a hello is plain data")
    }

    /// Reads a frame body.
    pub fn decode(body: &[u8]) -> Result<Self, FrameError> {
        serde_json::from_slice(body).map_err(|_| FrameError::Malformed("a hello that is not what it should be"))
    }
}

impl Record {
    /// Appends it to a body.
    pub fn encode(&self, writer: &mut Writer) {
        writer.u64(self.oid);
        encode_oids(writer, &self.references);
        writer.block(&self.bytes);
    }

    /// Reads one.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, FrameError> {
        let oid = decode_oid(reader)?;
        let references = decode_oids(reader)?;
        Ok(Self { oid, references, bytes: reader.block()?.to_vec() })
    }
}

/// Fewest bytes that a record takes.
const RECORD_BYTES_MIN: usize = 16;

fn encode_oids(writer: &mut Writer, oids: &[Oid]) {
    writer.u32(oids.len() as u32);
    for oid in oids {
        writer.u64(*oid);
    }
}

fn decode_oid(reader: &mut Reader<'_>) -> Result<Oid, FrameError> {
    let oid = reader.u64()?;
    if oid == 0 || oid >= OID_LIMIT {
        return Err(FrameError::Malformed("an identity out of range"));
    }
    Ok(oid)
}

fn decode_oids(reader: &mut Reader<'_>) -> Result<Vec<Oid>, FrameError> {
    let count = reader.count(8)?;
    (0..count).map(|_| decode_oid(reader)).collect()
}

fn encode_records(writer: &mut Writer, records: &[Record]) {
    writer.u32(records.len() as u32);
    for record in records {
        record.encode(writer);
    }
}

fn decode_records(reader: &mut Reader<'_>) -> Result<Vec<Record>, FrameError> {
    let count = reader.count(RECORD_BYTES_MIN)?;
    (0..count).map(|_| Record::decode(reader)).collect()
}

fn decode_token(reader: &mut Reader<'_>) -> Result<Token, FrameError> {
    Ok(reader.raw(TOKEN_BYTES)?.try_into().expect("as many bytes as asked for"))
}

impl Request {
    /// As a frame: kind and body.
    pub fn encode(&self) -> (u8, Vec<u8>) {
        let mut writer = Writer::new();
        let kind = match self {
            Request::Fault { oids } => {
                encode_oids(&mut writer, oids);
                2
            }
            Request::Commit { token, tool, writes } => {
                writer.raw(token).block(tool.as_bytes()).u32(writes.len() as u32);
                for write in writes {
                    // A view may be 0, so what is new is told by a byte of its own.
                    writer.u8(u8::from(write.base.is_some())).u64(write.base.unwrap_or(0));
                    write.record.encode(&mut writer);
                }
                3
            }
            Request::MoveView => 4,
            Request::Reserve => 5,
            Request::CommitStatus { token } => {
                writer.raw(token);
                6
            }
            Request::Bind { grant } => {
                writer.block(grant);
                7
            }
            Request::ChangedSince { commit } => {
                writer.u64(*commit);
                8
            }
        };
        (kind, writer.bytes)
    }

    /// Reads a frame.
    pub fn decode(kind: u8, body: &[u8]) -> Result<Self, FrameError> {
        let mut reader = Reader::new(body);
        let request = match kind {
            2 => Request::Fault { oids: decode_oids(&mut reader)? },
            3 => {
                let token = decode_token(&mut reader)?;
                let tool = reader.text()?.to_owned();
                let count = reader.count(RECORD_BYTES_MIN)?;
                let writes = (0..count).map(|_| Write::decode(&mut reader)).collect::<Result<_, _>>()?;
                Request::Commit { token, tool, writes }
            }
            4 => Request::MoveView,
            5 => Request::Reserve,
            6 => Request::CommitStatus { token: decode_token(&mut reader)? },
            7 => Request::Bind { grant: reader.block()?.to_vec() },
            8 => Request::ChangedSince { commit: reader.u64()? },
            _ => return Err(FrameError::Malformed("an unknown request to the stone")),
        };
        reader.finish()?;
        Ok(request)
    }
}

impl Write {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, FrameError> {
        let known = reader.u8()? != 0;
        let base = reader.u64()?;
        Ok(Self { base: known.then_some(base), record: Record::decode(reader)? })
    }
}

impl Answer {
    /// As a frame: kind and body.
    pub fn encode(&self) -> (u8, Vec<u8>) {
        let mut writer = Writer::new();
        let kind = match self {
            Answer::Welcome { session, view, first_oid, name, overlays } => {
                writer.u64(*session).u64(*view).u64(*first_oid).block(name.as_bytes());
                encode_records(&mut writer, overlays);
                32
            }
            Answer::Objects(records) => {
                encode_records(&mut writer, records);
                33
            }
            Answer::Committed { view, changed } => {
                writer.u64(*view);
                encode_oids(&mut writer, changed);
                34
            }
            Answer::Conflict { objects } => {
                writer.u32(objects.len() as u32);
                for (oid, commit) in objects {
                    writer.u64(*oid).u64(*commit);
                }
                35
            }
            Answer::View { view, changed } => {
                writer.u64(*view);
                encode_oids(&mut writer, changed);
                36
            }
            Answer::Block(first) => {
                writer.u64(*first);
                37
            }
            Answer::CommitStatus(commit) => {
                writer.u8(u8::from(commit.is_some())).u64(commit.unwrap_or(0));
                38
            }
            Answer::Refused { kind, message } => {
                writer.block(kind.as_bytes()).block(message.as_bytes());
                39
            }
        };
        (kind, writer.bytes)
    }

    /// Reads a frame.
    pub fn decode(kind: u8, body: &[u8]) -> Result<Self, FrameError> {
        let mut reader = Reader::new(body);
        let answer = match kind {
            32 => Answer::Welcome {
                session: reader.u64()?,
                view: reader.u64()?,
                first_oid: reader.u64()?,
                name: reader.text()?.to_owned(),
                overlays: decode_records(&mut reader)?,
            },
            33 => Answer::Objects(decode_records(&mut reader)?),
            34 => Answer::Committed { view: reader.u64()?, changed: decode_oids(&mut reader)? },
            35 => {
                let count = reader.count(16)?;
                let pair = |reader: &mut Reader<'_>| Ok((decode_oid(reader)?, reader.u64()?));
                Answer::Conflict { objects: (0..count).map(|_| pair(&mut reader)).collect::<Result<_, FrameError>>()? }
            }
            36 => Answer::View { view: reader.u64()?, changed: decode_oids(&mut reader)? },
            37 => Answer::Block(decode_oid(&mut reader)?),
            38 => {
                let made = reader.u8()? != 0;
                let commit = reader.u64()?;
                Answer::CommitStatus(made.then_some(commit))
            }
            39 => Answer::Refused { kind: reader.text()?.to_owned(), message: reader.text()?.to_owned() },
            _ => return Err(FrameError::Malformed("an unknown answer of the stone")),
        };
        reader.finish()?;
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(oid: Oid) -> Record {
        Record { oid, references: vec![oid | KERNEL_OID_BIT, 9], bytes: vec![1, 2, 3] }
    }

    #[test]
    fn requests_come_back_as_they_went() {
        let writes = vec![
            Write { base: None, record: record(5) },
            Write { base: Some(0), record: record(6) },
            Write { base: Some(17), record: Record { oid: 7, references: vec![], bytes: vec![] } },
        ];
        for request in [
            Request::Fault { oids: vec![1, 2, OID_LIMIT - 1] },
            Request::Commit { token: [3; 16], tool: "commit".into(), writes },
            Request::MoveView,
            Request::Reserve,
            Request::CommitStatus { token: [9; 16] },
            Request::ChangedSince { commit: 77 },
            Request::Bind { grant: vec![7; 40] },
        ] {
            let (kind, body) = request.encode();
            assert_eq!(Request::decode(kind, &body), Ok(request));
        }
    }

    #[test]
    fn answers_come_back_as_they_went() {
        let overlays = vec![record(KERNEL_OID_BIT | 1)];
        for answer in [
            Answer::Welcome { session: 4, view: 0, first_oid: 0, name: "gs64stone".into(), overlays },
            Answer::Objects(vec![record(1), record(2)]),
            Answer::Committed { view: 8, changed: vec![1, 2] },
            Answer::Conflict { objects: vec![(1, 8), (2, 9)] },
            Answer::View { view: 8, changed: vec![] },
            Answer::Block(65_536),
            Answer::CommitStatus(Some(0)),
            Answer::CommitStatus(None),
            Answer::Refused { kind: "readOnly".into(), message: "no".into() },
        ] {
            let (kind, body) = answer.encode();
            assert_eq!(Answer::decode(kind, &body), Ok(answer));
        }
    }

    #[test]
    fn lying_counts_and_stray_bytes_are_refused() {
        assert!(Request::decode(2, &u32::MAX.to_le_bytes()).is_err());
        assert!(Request::decode(3, &[0; 20]).is_err());
        assert!(Request::decode(4, &[0]).is_err());
        assert!(Request::decode(99, &[]).is_err());
        assert!(Answer::decode(33, &u32::MAX.to_le_bytes()).is_err());
        assert!(Request::decode(2, &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).is_err(), "identity 0 names nothing");
    }
}
