//! The gem's end of the link to the stone: typed, blocking calls over one socket.
//!
//! Must never link a storage engine or open a file. One call at a time: the stone answers in order.

use crate::link::{FrameReader, FrameWriter};
use protocol::limits::{OID_BLOCK, STONE_FRAME_BYTES_MAX};
use protocol::stone::{Answer, HELLO, Hello, Oid, Record, Request, Token, Write};
use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use thiserror::Error;

/// Why the stone did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoneError {
    /// The connection is gone, or the peer is no stone. Whether a commit that was under way was made is not known:
    /// ask a new connection by its token.
    #[error("the connection to the stone is lost")]
    Lost,
    /// The stone refused; the connection goes on, unless this answers a hello.
    #[error("{message}")]
    Refused {
        /// A word for programs.
        kind: String,
        /// For a person.
        message: String,
    },
}

/// What the stone says first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Welcome {
    /// The number of this session, unique in its repository; 0 for a lifeline.
    pub session: u64,
    /// The newest commit: where the view is.
    pub view: u64,
    /// Identities for new objects; empty for a lifeline.
    pub identities: Range<Oid>,
    /// The stone's name.
    pub name: String,
    /// The kernel's objects that commits have changed, at the view.
    pub overlays: Vec<Record>,
}

/// What became of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitOutcome {
    /// It is durable, and the view is at it (or beyond, if a repeated token names an earlier commit).
    Committed {
        /// The new view.
        view: u64,
        /// What others changed between the old view and the new one, each once.
        changed: Vec<Oid>,
    },
    /// Nothing was written and the view stays.
    Conflict {
        /// The written objects that others have changed, each with the number of that commit.
        objects: Vec<(Oid, u64)>,
    },
}

/// A view that moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The number of the commit that it shows.
    pub number: u64,
    /// What others changed on the way, each once.
    pub changed: Vec<Oid>,
}

/// A connection to the stone.
pub struct Connection {
    reader: FrameReader<UnixStream>,
    writer: FrameWriter,
    exchange: u64,
    lost: bool,
}

impl From<OwnedFd> for Connection {
    /// Over a connected socket, such as the one that a router hands to a gem.
    fn from(socket: OwnedFd) -> Self {
        Self::from(UnixStream::from(socket))
    }
}

impl From<UnixStream> for Connection {
    fn from(stream: UnixStream) -> Self {
        Self { reader: FrameReader::new(stream), writer: FrameWriter::default(), exchange: 0, lost: false }
    }
}

impl Connection {
    /// Connects to the socket of a stone.
    pub fn connect(socket: &Path) -> io::Result<Self> {
        Ok(Self::from(UnixStream::connect(socket)?))
    }

    /// Sends the first message, and does not wait for the answer: see [`Connection::read_welcome`].
    pub fn hello(&mut self, hello: &Hello) -> Result<(), StoneError> {
        self.send(HELLO, 0, &hello.encode())
    }

    /// Waits for the answer to a hello, which another process may have sent over this socket.
    pub fn read_welcome(&mut self) -> Result<Welcome, StoneError> {
        match self.receive(0)? {
            Answer::Welcome { session, view, first_oid, name, overlays } => {
                let identities = if first_oid == 0 { 0..0 } else { first_oid..first_oid + OID_BLOCK };
                Ok(Welcome { session, view, identities, name, overlays })
            }
            other => self.unexpected(other),
        }
    }

    /// The objects named, at the view, then neighbours that will be wanted next. What does not exist is left out.
    pub fn fault(&mut self, oids: &[Oid]) -> Result<Vec<Record>, StoneError> {
        match self.call(&Request::Fault { oids: oids.to_vec() })? {
            Answer::Objects(records) => Ok(records),
            other => self.unexpected(other),
        }
    }

    /// Makes the writes one commit. `token` names it: after a lost connection, [`Connection::commit_status`] on
    /// another one says whether it was made. With no writes this only moves the view.
    pub fn commit(&mut self, token: Token, tool: &str, writes: Vec<Write>) -> Result<CommitOutcome, StoneError> {
        match self.call(&Request::Commit { token, tool: tool.to_owned(), writes })? {
            Answer::Committed { view, changed } => Ok(CommitOutcome::Committed { view, changed }),
            Answer::Conflict { objects } => Ok(CommitOutcome::Conflict { objects }),
            other => self.unexpected(other),
        }
    }

    /// Moves the view to the newest commit.
    pub fn move_view(&mut self) -> Result<View, StoneError> {
        match self.call(&Request::MoveView)? {
            Answer::View { view, changed } => Ok(View { number: view, changed }),
            other => self.unexpected(other),
        }
    }

    /// Binds the session to whom the router's grant names, and moves the view to the newest commit.
    pub fn bind(&mut self, grant: Vec<u8>) -> Result<View, StoneError> {
        match self.call(&Request::Bind { grant })? {
            Answer::View { view, changed } => Ok(View { number: view, changed }),
            other => self.unexpected(other),
        }
    }

    /// What the commits after `commit` have changed up to the view, which stays. A gem that is given what another has
    /// found out at an earlier commit so learns whether it still holds.
    pub fn changed_since(&mut self, commit: u64) -> Result<Vec<Oid>, StoneError> {
        match self.call(&Request::ChangedSince { commit })? {
            Answer::View { changed, .. } => Ok(changed),
            other => self.unexpected(other),
        }
    }

    /// A further block of identities for new objects.
    pub fn reserve(&mut self) -> Result<Range<Oid>, StoneError> {
        match self.call(&Request::Reserve)? {
            Answer::Block(first) => Ok(first..first + OID_BLOCK),
            other => self.unexpected(other),
        }
    }

    /// The number of the commit of this name, or `None` if it was not made. Then it never will be: the stone refuses
    /// the name from now on, so that nothing left behind by a gem that died can make the answer wrong.
    pub fn commit_status(&mut self, token: Token) -> Result<Option<u64>, StoneError> {
        match self.call(&Request::CommitStatus { token })? {
            Answer::CommitStatus(commit) => Ok(commit),
            other => self.unexpected(other),
        }
    }

    fn call(&mut self, request: &Request) -> Result<Answer, StoneError> {
        let (kind, body) = request.encode();
        if body.len() > STONE_FRAME_BYTES_MAX {
            let size = body.len();
            let message = format!(
                "{size} bytes are more than one request to the stone may carry ({STONE_FRAME_BYTES_MAX}): \
                 commit in smaller steps"
            );
            return Err(StoneError::Refused { kind: "tooLarge".to_owned(), message });
        }
        self.exchange += 1;
        self.send(kind, self.exchange, &body)?;
        self.receive(self.exchange)
    }

    fn send(&mut self, kind: u8, exchange: u64, body: &[u8]) -> Result<(), StoneError> {
        if self.lost || self.writer.write(self.reader.stream(), kind, exchange, body).is_err() {
            return self.lose();
        }
        Ok(())
    }

    fn receive(&mut self, exchange: u64) -> Result<Answer, StoneError> {
        if self.lost {
            return self.lose();
        }
        let Ok(header) = self.reader.read_header() else { return self.lose() };
        if header.exchange != exchange {
            return self.lose();
        }
        let Ok(body) = self.reader.read_body(header.length, None) else { return self.lose() };
        Answer::decode(header.kind, &body).or_else(|_| self.lose())
    }

    fn unexpected<T>(&mut self, answer: Answer) -> Result<T, StoneError> {
        match answer {
            Answer::Refused { kind, message } => Err(StoneError::Refused { kind, message }),
            _ => self.lose(),
        }
    }

    /// A peer that breaks the protocol once is not asked again.
    fn lose<T>(&mut self) -> Result<T, StoneError> {
        self.lost = true;
        Err(StoneError::Lost)
    }
}
