//! The first message of a connection: reads the hello, opens a session or a lifeline, welcomes or refuses.
//!
//! A peer is what its hello says, which the router has sent; must never read a request before the hello was accepted.

use super::author::AuthorBinding;
use super::frames::{FrameStream, STALL_TIME};
use super::lifetime::ConnectionGuard;
use super::refusal::{self, Refusal};
use super::session::Session;
use super::stone::Stone;
use crate::link::LinkError;
use protocol::frame::FrameError;
use protocol::grant::Author;
use protocol::limits::stone::{HELLO_BYTES_MAX, HELLO_MILLIS};
use protocol::limits::{OID_BLOCK, STONE_FRAME_BYTES_MAX};
use protocol::stone::{Answer, HELLO, Hello, Oid};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Time for a hello to come.
const HELLO_TIME: Duration = Duration::from_millis(HELLO_MILLIS);

/// Serves one connection until it ends.
pub(crate) fn serve(stone: &Stone, stream: UnixStream, connected: &ConnectionGuard<'_>) -> Result<(), LinkError> {
    stream.set_read_timeout(Some(HELLO_TIME))?;
    stream.set_write_timeout(Some(STALL_TIME))?;
    let mut frames = FrameStream::new(stream);
    if !frames.reader.wait()? {
        return Ok(());
    }
    let header = frames.reader.read_header()?;
    if header.kind != HELLO || header.length > HELLO_BYTES_MAX {
        return Err(FrameError::Malformed("the first message is no hello").into());
    }
    let body = frames.reader.read_body(header.length, Some(Instant::now() + HELLO_TIME))?;
    frames.reader.stream().set_read_timeout(None)?;
    match open(stone, Hello::decode(&body)?) {
        Ok((session, welcome)) => {
            connected.welcome();
            frames.send(header.exchange, welcome.0, &welcome.1)?;
            session.run(frames)
        }
        Err(refusal) => {
            tracing::warn!(kind = refusal.kind, "a hello was refused");
            frames.answer(header.exchange, &refusal.into())
        }
    }
}

/// A peer whose hello was accepted.
enum Peer<'a> {
    Lifeline,
    Session(Session<'a>),
}

impl Peer<'_> {
    fn run(self, mut frames: FrameStream) -> Result<(), LinkError> {
        match self {
            Peer::Lifeline if frames.reader.wait()? => Err(FrameError::Malformed("a lifeline asks nothing").into()),
            Peer::Lifeline => Ok(()),
            Peer::Session(session) => session.run(frames),
        }
    }
}

/// A frame's kind and body.
type Encoded = (u8, Vec<u8>);

fn open(stone: &Stone, hello: Hello) -> Result<(Peer<'_>, Encoded), Refusal> {
    match hello {
        Hello::Lifeline { format } => {
            stone.check_format(format)?;
            let initial = stone.published.initial_view();
            let name = stone.name.clone();
            let welcome = Answer::Welcome { session: 0, view: initial.view, first_oid: 0, name, overlays: vec![] };
            Ok((Peer::Lifeline, welcome.encode()))
        }
        Hello::Session { format, user, client, read_only } => {
            stone.check_format(format)?;
            open_session(stone, AuthorBinding::bound(Author { user, client }), read_only)
        }
        Hello::Unbound { format, read_only, key } => {
            stone.check_format(format)?;
            open_session(stone, AuthorBinding::Unbound(key), read_only)
        }
    }
}

fn open_session(stone: &Stone, author: AuthorBinding, read_only: bool) -> Result<(Peer<'_>, Encoded), Refusal> {
    let identities = stone.oids.allocate(&stone.committer)?;
    // No identity is ever given twice, so the block numbers the session for ever at no cost.
    let number = identities.start / OID_BLOCK;
    let initial = stone.published.initial_view();
    let welcome = welcome(number, initial.view, identities.start, &stone.name, &initial.overlays)?;
    tracing::debug!(session = number, ?author, read_only, view = initial.view, "session");
    let session = Session::new(stone, number, author, read_only, initial.view, identities);
    Ok((Peer::Session(session), welcome))
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

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::stone::{KERNEL_OID_BIT, Record};

    #[test]
    fn a_welcome_put_together_is_a_welcome() {
        let overlays = vec![Record { oid: KERNEL_OID_BIT | 3, references: vec![1], bytes: vec![2] }];
        let (_, encoded) = Answer::Objects(overlays.clone()).encode();
        let (kind, body) = welcome(1, 2, 3, "name", &encoded).expect("small");
        let whole = Answer::Welcome { session: 1, view: 2, first_oid: 3, name: "name".into(), overlays };
        assert_eq!(Answer::decode(kind, &body), Ok(whole));
    }
}
