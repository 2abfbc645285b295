//! One connection: hello, then requests in order, each answered before the next is read.
//!
//! Trusts nothing that a gem sends: who it is was said in the hello, by the router, or is proved by what the router has
//! signed. Whatever a peer does wrong on the
//! wire costs it this connection and nobody else anything.

use super::Stone;
use super::budget::Permit;
use super::committer::{Order, Verdict};
use super::fault::{Sent, gather};
use super::life::Connected;
use super::refusal::{self, Refusal};
use crate::link::{FrameReader, FrameWriter, LinkError};
use protocol::frame::{FrameError, Header};
use protocol::grant::{Author, GrantKey};
use protocol::limits::{FAULT_OBJECTS_MAX, OID_BLOCK, OPEN_MILLIS, STONE_FRAME_BYTES_MAX, WRITE_STALL_MILLIS};
use protocol::stone::{Answer, HELLO, Hello, KERNEL_OID_BIT, Oid, Request, Token, Write};
use std::collections::HashSet;
use std::io;
use std::ops::Range;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Blocks of identities that one session may be given.
const BLOCKS_MAX: usize = 64 * 1024;
/// Longest hello.
const HELLO_BYTES_MAX: usize = 64 * 1024;
/// Time for a hello to come.
const HELLO_TIME: Duration = Duration::from_millis(OPEN_MILLIS);
/// Time for the rest of a frame to come, and for an answer to be taken.
const STALL_TIME: Duration = Duration::from_millis(WRITE_STALL_MILLIS);

/// Serves one connection until it ends.
pub(crate) fn serve(stone: &Stone, stream: UnixStream, connected: &Connected<'_>) -> Result<(), LinkError> {
    stream.set_read_timeout(Some(HELLO_TIME))?;
    stream.set_write_timeout(Some(STALL_TIME))?;
    let mut wire = Wire { reader: FrameReader::new(stream), writer: FrameWriter::default() };
    if !wire.reader.wait()? {
        return Ok(());
    }
    let header = wire.reader.read_header()?;
    if header.kind != HELLO || header.length > HELLO_BYTES_MAX {
        return Err(FrameError::Malformed("the first message is no hello").into());
    }
    let body = wire.reader.read_body(header.length, Some(Instant::now() + HELLO_TIME))?;
    wire.reader.stream().set_read_timeout(None)?;
    match open(stone, Hello::decode(&body)?) {
        Ok((session, welcome)) => {
            connected.welcome();
            wire.send(header.exchange, welcome.0, &welcome.1)?;
            session.run(wire)
        }
        Err(refusal) => {
            tracing::warn!(kind = refusal.kind, "a hello was refused");
            wire.answer(header.exchange, &refusal.into())
        }
    }
}

/// A peer that was let in.
enum Peer<'a> {
    Lifeline,
    Session(Session<'a>),
}

impl Peer<'_> {
    fn run(self, mut wire: Wire) -> Result<(), LinkError> {
        match self {
            Peer::Lifeline if wire.reader.wait()? => Err(FrameError::Malformed("a lifeline asks nothing").into()),
            Peer::Lifeline => Ok(()),
            Peer::Session(session) => session.run(wire),
        }
    }
}

/// A frame's kind and body.
type Encoded = (u8, Vec<u8>);

fn open(stone: &Stone, hello: Hello) -> Result<(Peer<'_>, Encoded), Refusal> {
    match hello {
        Hello::Lifeline { format } => {
            stone.check_format(format)?;
            let opening = stone.published.opening();
            let name = stone.name.clone();
            let welcome = Answer::Welcome { session: 0, view: opening.view, first_oid: 0, name, overlays: vec![] };
            Ok((Peer::Lifeline, welcome.encode()))
        }
        Hello::Session { format, user, client, read_only } => {
            stone.check_format(format)?;
            open_session(stone, Identity::bound(Author { user, client }), read_only)
        }
        Hello::Unbound { format, read_only, key } => {
            stone.check_format(format)?;
            open_session(stone, Identity::Unbound(key), read_only)
        }
    }
}

fn open_session(stone: &Stone, identity: Identity, read_only: bool) -> Result<(Peer<'_>, Encoded), Refusal> {
    let identities = stone.identities.take(&stone.committer)?;
    // No identity is ever given twice, so the block numbers the session for ever at no cost.
    let number = identities.start / OID_BLOCK;
    let opening = stone.published.opening();
    let welcome = welcome(number, opening.view, identities.start, &stone.name, &opening.overlays)?;
    tracing::debug!(session = number, ?identity, read_only, view = opening.view, "session");
    let session = Session {
        stone,
        number,
        identity,
        read_only,
        view: opening.view,
        granted: vec![identities],
        sent: Sent::default(),
        broken: false,
    };
    Ok((Peer::Session(session), welcome))
}

/// Whom a session works for.
#[derive(Debug)]
enum Identity {
    /// Nobody yet: what this key has signed will say.
    Unbound(GrantKey),
    /// This user and client, for as long as the session lasts.
    Bound { user: Arc<str>, client: Arc<str> },
}

impl Identity {
    fn bound(Author { user, client }: Author) -> Self {
        Self::Bound { user: user.into(), client: client.into() }
    }

    /// Fixes it, once.
    fn bind(&mut self, grant: &[u8]) -> Result<(), Refusal> {
        let Identity::Unbound(key) = &*self else { return Err(refusal::bound_already()) };
        let author = key.verify(grant).map_err(|_| refusal::not_granted_by_router())?;
        *self = Self::bound(author);
        Ok(())
    }

    /// The user and the client.
    fn author(&self) -> Result<(Arc<str>, Arc<str>), Refusal> {
        match self {
            Identity::Unbound(_) => Err(refusal::unbound()),
            Identity::Bound { user, client } => Ok((Arc::clone(user), Arc::clone(client))),
        }
    }
}

/// A welcome whose overlays are encoded already: they come last, as the body of [`Answer::Objects`] has them.
fn welcome(session: u64, view: u64, first_oid: Oid, name: &str, overlays: &[u8]) -> Result<Encoded, Refusal> {
    let none = Answer::Welcome { session, view, first_oid, name: name.to_owned(), overlays: vec![] };
    let (kind, mut body) = none.encode();
    let (_, no_objects) = Answer::Objects(vec![]).encode();
    body.truncate(body.len() - no_objects.len());
    body.extend_from_slice(overlays);
    if body.len() > STONE_FRAME_BYTES_MAX { Err(refusal::overlays_too_large()) } else { Ok((kind, body)) }
}

/// Both directions of one connection.
struct Wire {
    reader: FrameReader<UnixStream>,
    writer: FrameWriter,
}

impl Wire {
    /// The next request, and the permit for its size; `None` at the end. A peer may be silent between frames as long
    /// as it likes, but not within one.
    fn next_request<'a>(&mut self, stone: &'a Stone) -> Result<Option<(Header, Request, Permit<'a>)>, LinkError> {
        if !self.reader.wait()? {
            return Ok(None);
        }
        let whole = self.reader.holds_whole_frame();
        if !whole {
            self.reader.stream().set_read_timeout(Some(STALL_TIME))?;
        }
        let header = self.reader.read_header()?;
        let permit = stone.budget.take(header.length);
        let body = self.reader.read_body(header.length, Some(Instant::now() + STALL_TIME))?;
        if !whole {
            self.reader.stream().set_read_timeout(None)?;
        }
        let request = Request::decode(header.kind, &body)?;
        Ok(Some((header, request, permit)))
    }

    fn answer(&mut self, exchange: u64, answer: &Answer) -> Result<(), LinkError> {
        let (kind, body) = answer.encode();
        self.send(exchange, kind, &body)
    }

    fn send(&mut self, exchange: u64, kind: u8, body: &[u8]) -> Result<(), LinkError> {
        if body.len() > STONE_FRAME_BYTES_MAX {
            // Only a list of changes can be so long, and it cannot be refused: what it tells of has happened.
            return Err(FrameError::TooLong { length: body.len(), limit: STONE_FRAME_BYTES_MAX }.into());
        }
        Ok(self.writer.write(self.reader.stream(), kind, exchange, body)?)
    }
}

struct Session<'a> {
    stone: &'a Stone,
    number: u64,
    identity: Identity,
    read_only: bool,
    view: u64,
    granted: Vec<Range<Oid>>,
    sent: Sent,
    /// A commit landed that cannot be answered as it should: to refuse it would be a lie, so the connection ends.
    broken: bool,
}

impl Session<'_> {
    fn run(mut self, mut wire: Wire) -> Result<(), LinkError> {
        while let Some((header, request, permit)) = wire.next_request(self.stone)? {
            let answering = self.stone.life.answer();
            let answer = self.perform(request).unwrap_or_else(Answer::from);
            drop(permit);
            if self.broken {
                return Err(FrameError::Malformed("a commit landed, and what others changed could not be read").into());
            }
            wire.answer(header.exchange, &answer)?;
            drop(answering);
        }
        Ok(())
    }

    fn perform(&mut self, request: Request) -> Result<Answer, Refusal> {
        match request {
            Request::Fault { oids } => self.fault(&oids),
            Request::Commit { token, tool, writes } => self.commit(token, tool, writes),
            Request::MoveView => self.move_view(),
            Request::Reserve => self.reserve(),
            Request::Landed { token } => {
                // The answer keeps a commit of that name from ever being made, which is more than reading.
                self.identity.author()?;
                Ok(Answer::Landed(self.stone.committer.landed(token)?))
            }
            Request::Bind { grant } => {
                self.identity.bind(&grant)?;
                self.move_view()
            }
            Request::ChangedSince { commit } => {
                let changed = self.changed_between(commit, self.view + 1)?;
                Ok(Answer::View { view: self.view, changed })
            }
        }
    }

    fn move_view(&mut self) -> Result<Answer, Refusal> {
        let newest = self.stone.published.view();
        let changed = self.move_to(newest, newest + 1)?;
        Ok(Answer::View { view: self.view, changed })
    }

    fn fault(&mut self, oids: &[Oid]) -> Result<Answer, Refusal> {
        if oids.len() > FAULT_OBJECTS_MAX {
            return Err(refusal::too_many_asked(oids.len()));
        }
        let (view, sent) = (self.view, &mut self.sent);
        let records = self.stone.readers.read(|reader| gather(reader, view, oids, sent))?;
        Ok(Answer::Objects(records))
    }

    fn commit(&mut self, token: Token, tool: String, writes: Vec<Write>) -> Result<Answer, Refusal> {
        let (user, client) = self.identity.author()?;
        if self.read_only {
            return Err(refusal::read_only());
        }
        if writes.is_empty() {
            let newest = self.stone.published.view();
            let changed = self.move_to(newest, newest + 1)?;
            return Ok(Answer::Committed { view: self.view, changed });
        }
        self.check(&writes)?;
        let written: Vec<Oid> = writes.iter().map(|write| write.record.oid).collect();
        let order = Order { user, client, session: self.number, tool, token, writes };
        match self.stone.committer.commit(order) {
            Verdict::Committed(number) => {
                let changed = self.move_to(number, number);
                let changed = changed.inspect_err(|_| self.broken = true)?;
                written.into_iter().for_each(|oid| self.sent.add(oid));
                Ok(Answer::Committed { view: number, changed })
            }
            // Made by this session earlier, or by another of the same gem: then its writes are news here as well.
            Verdict::Repeated(number) => {
                let moved = self.move_to(number.max(self.view), number + 1);
                let changed = moved.inspect_err(|_| self.broken = true)?;
                Ok(Answer::Committed { view: self.view, changed })
            }
            Verdict::Conflict(objects) => Ok(Answer::Conflict { objects }),
            Verdict::Refused(refusal) => Err(refusal),
        }
    }

    /// What can be told of a commit without looking into the repository.
    fn check(&self, writes: &[Write]) -> Result<(), Refusal> {
        let mut seen = HashSet::with_capacity(writes.len());
        for Write { base, record } in writes {
            let oid = record.oid;
            if !seen.insert(oid) {
                return Err(refusal::twice_in_commit(oid));
            }
            match base {
                Some(base) if *base > self.view => return Err(refusal::base_ahead(oid, *base, self.view)),
                None if oid & KERNEL_OID_BIT == 0 && !self.granted.iter().any(|block| block.contains(&oid)) => {
                    return Err(refusal::not_granted(oid));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Moves the view, and answers what the commits after it and before `before` wrote.
    fn move_to(&mut self, view: u64, before: u64) -> Result<Vec<Oid>, Refusal> {
        let changed = self.changed_between(self.view, before)?;
        self.sent.forget(&changed);
        self.view = view;
        Ok(changed)
    }

    /// What the commits after `after` and before `before` wrote, each object once.
    fn changed_between(&self, after: u64, before: u64) -> Result<Vec<Oid>, Refusal> {
        let changed = match self.stone.published.changed_between(after, before) {
            Some(changed) => changed,
            None => self.stone.readers.read(|reader| Ok(reader.changed_between(after, before)?))?,
        };
        Ok(super::published::each_once(changed))
    }

    fn reserve(&mut self) -> Result<Answer, Refusal> {
        if self.granted.len() >= BLOCKS_MAX {
            return Err(refusal::too_many_identities());
        }
        let block = self.stone.identities.take(&self.stone.committer)?;
        let first = block.start;
        match self.granted.last_mut() {
            Some(last) if last.end == block.start => last.end = block.end,
            _ => self.granted.push(block),
        }
        Ok(Answer::Block(first))
    }
}

/// Whether a connection ended as connections do.
pub(crate) fn is_ordinary_end(error: &LinkError) -> bool {
    let LinkError::Stream(error) = error else { return false };
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::stone::Record;

    #[test]
    fn a_welcome_put_together_is_a_welcome() {
        let overlays = vec![Record { oid: KERNEL_OID_BIT | 3, references: vec![1], bytes: vec![2] }];
        let (_, encoded) = Answer::Objects(overlays.clone()).encode();
        let (kind, body) = welcome(1, 2, 3, "name", &encoded).expect("small");
        let whole = Answer::Welcome { session: 1, view: 2, first_oid: 3, name: "name".into(), overlays };
        assert_eq!(Answer::decode(kind, &body), Ok(whole));
    }
}
