//! Opening a session: a gem is asked for, set up, given the client's `initialize`, and named once it has answered. Gems
//! for stateless requests are opened here as well ([`crate::pool`] says when).
//!
//! Everything that can refuse does so before anything is forked. Whatever fails later leaves nothing behind: the
//! router's ends of the gem's sockets close, and a gem whose socket has closed ends.

use crate::config::{Config, given};
use crate::gem::Gem;
use crate::keys::Keys;
use crate::loss::{Loss, Remedy};
use crate::pool::Pool;
use crate::refusal::Refusal;
use crate::session::{Answer, Parcel, Session, SessionKind, Surroundings, Way};
use crate::stone::Stone;
use crate::table::{Principal, SessionId, WorkerKey};
use crate::zygote::Zygotes;
use bytes::Bytes;
use protocol::envelope::{Envelope, Kind};
use protocol::gem::{Bind, GemLimits, Prepare};
use protocol::grant::{Author, GrantKey};
use protocol::limits::{GEM_HEAP_BYTES_MAX, GEM_STACK_BYTES_MAX, GEMS_OPENING_MAX, OPEN_MILLIS};
use protocol::revision::Served;
use protocol::stone::{Hello, IMAGE_FORMAT};
use serde::Deserialize;
use std::borrow::Cow;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Longest name of a client that is passed on.
const CLIENT_BYTES_MAX: usize = 128;

/// How long a session waits for the room of a gem that was forked ahead for nobody yet.
const ROOM: Duration = Duration::from_secs(1);

/// Opens gems, a bounded number at once and in all.
#[derive(Debug)]
pub(crate) struct Opener {
    prepare: Prepare,
    served: Served,
    keys: Keys,
    stone: Arc<Stone>,
    zygotes: Arc<Zygotes>,
    pub(crate) around: Arc<Surroundings>,
    pub(crate) pool: Pool,
    room: Arc<Semaphore>,
    opening: Semaphore,
    gems: AtomicU64,
}

/// A gem that is to be forked.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    /// What is made of it.
    pub(crate) kind: SessionKind,
    /// For whom it works.
    pub(crate) works_for: WorksFor<'a>,
}

/// For whom a gem works.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WorksFor<'a> {
    /// A client of this principal, from the beginning.
    Client {
        /// Whose client.
        principal: &'a Principal,
        /// The name that the client gives itself.
        client: &'a str,
    },
    /// Nobody yet. What this key signs will say; until then the gem can only read.
    Later(&'a GrantKey),
    /// Everybody: only lists are asked of it, and it can only read.
    Lists,
}

/// A session that `initialize` opened, or an answer that opened none.
#[derive(Debug)]
pub(crate) struct Opened {
    /// Its id, if it was opened.
    pub(crate) id: Option<SessionId>,
    /// The HTTP status of the answer.
    pub(crate) status: u16,
    /// The JSON-RPC response.
    pub(crate) body: Bytes,
}

/// What the router reads of an `initialize`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Wishes<'a> {
    #[serde(borrow)]
    protocol_version: Option<Cow<'a, str>>,
    #[serde(borrow)]
    client_info: Option<ClientInfo<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ClientInfo<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
}

impl Opener {
    pub(crate) fn new(
        config: &Config,
        stone: Arc<Stone>,
        zygotes: Arc<Zygotes>,
        around: Arc<Surroundings>,
    ) -> io::Result<Self> {
        Ok(Self {
            prepare: prepare(config),
            served: config.revisions.0.clone(),
            keys: Keys::new()?,
            stone,
            zygotes,
            around,
            pool: Pool::default(),
            room: Arc::new(Semaphore::new(config.max_gems as usize)),
            opening: Semaphore::new(GEMS_OPENING_MAX),
            gems: AtomicU64::new(1),
        })
    }

    /// The revisions that are served.
    pub(crate) fn served(&self) -> &Served {
        &self.served
    }

    /// Opens a session for an `initialize` with this raw id and these raw parameters.
    pub(crate) async fn open(
        &self,
        principal: &Principal,
        id: &str,
        params: Option<&str>,
        body: &[u8],
    ) -> Result<Opened, Refusal> {
        // What the gem will judge in full is only glanced at here; what does not decode asks for nothing.
        let wishes: Wishes<'_> = params.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let requested = wishes.protocol_version.as_deref();
        let revision = self.served.negotiate(requested).ok_or(Refusal::NoSessions)?;
        let client = wishes.client_info.and_then(|info| info.name).unwrap_or_default();
        let remedy = Remedy::Initialize;
        let kind = SessionKind { revision, remedy, handle: None };
        let session = self.fork(&Wanted { kind, works_for: WorksFor::Client { principal, client: &client } }).await?;
        let answer = timeout(Duration::from_millis(OPEN_MILLIS), self.introduce(&session, id, body)).await;
        let lost = |loss: Loss| Ok(Opened { id: None, status: 200, body: loss.body(Some(id), remedy).into() });
        match answer {
            Ok(Ok(Answer::Whole { status, body })) => Ok(self.settle(&session, principal, status, body)?),
            Ok(Ok(Answer::Lost(loss))) => lost(loss),
            Ok(Ok(Answer::Stream(_)) | Err(_)) => {
                session.end(Loss::SessionEnded);
                lost(Loss::WorkerDied)
            }
            Err(_) => {
                session.end(Loss::SlowStart);
                session.gem.kill();
                lost(Loss::SlowStart)
            }
        }
    }

    /// A gem of its own, told what it is to be.
    pub(crate) async fn fork(&self, wanted: &Wanted<'_>) -> Result<Arc<Session>, Refusal> {
        let room = self.find_room().await?;
        let patience = Duration::from_millis(OPEN_MILLIS);
        let _turn = timeout(patience, self.opening.acquire()).await.map_err(|_| Refusal::TooManySessions)?;
        let session = self.fork_in(wanted, room).await?;
        let principal = match wanted.works_for {
            WorksFor::Client { principal, .. } => Some(principal),
            WorksFor::Later(_) | WorksFor::Lists => None,
        };
        let prepare = Prepare {
            bound: !matches!(wanted.works_for, WorksFor::Later(_)),
            principal: principal.map(|principal| principal.0.as_ref().to_owned()).unwrap_or_default(),
            principal_key: principal.map(|principal| self.keys.of(principal)),
            handle: wanted.kind.handle.map(SessionId::to_text),
            held: wanted.kind.remedy == Remedy::OpenGem,
            ..self.prepare.clone()
        };
        // A gem that cannot be told is gone, and whoever asks it hears why.
        drop(session.prepare(&prepare));
        Ok(session)
    }

    /// Says to a gem that was forked ahead for whom it works: it is told before it reads anything of that client, and
    /// the stone believes what the key has signed.
    pub(crate) fn bind(&self, session: &Session, key: &GrantKey, principal: &Principal, client: &str) {
        let user = &self.prepare.user;
        let author = Author { user: user.clone(), client: clip(client).to_owned() };
        let (principal_key, grant) = (self.keys.of(principal), key.sign(&author));
        let bind = Bind { user, principal: &principal.0, principal_key: &principal_key, grant: &grant };
        // A gem that cannot be told is gone, and whoever asks it hears why.
        drop(session.bind(&bind));
    }

    fn hello(&self, works_for: WorksFor<'_>) -> Hello {
        let (format, read_only) = (IMAGE_FORMAT, self.prepare.read_only);
        match works_for {
            WorksFor::Client { client, .. } => {
                Hello::Session { format, user: self.prepare.user.clone(), client: clip(client).to_owned(), read_only }
            }
            WorksFor::Later(key) => Hello::Unbound { format, read_only, key: key.clone() },
            WorksFor::Lists => {
                Hello::Session { format, user: self.prepare.user.clone(), client: String::new(), read_only: true }
            }
        }
    }

    /// Room for one more gem; one that was forked ahead for nobody yet makes way.
    async fn find_room(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        if let Ok(room) = self.room.clone().try_acquire_owned() {
            return Ok(room);
        }
        if !self.pool.give_way() {
            return Err(Refusal::TooManySessions);
        }
        let room = timeout(ROOM, self.room.clone().acquire_owned()).await;
        room.ok().and_then(Result::ok).ok_or(Refusal::TooManySessions)
    }

    /// Whether there is room for gems that nobody asked for yet.
    pub(crate) fn has_room(&self) -> bool {
        self.room.available_permits() > 0
    }

    async fn fork_in(&self, wanted: &Wanted<'_>, room: OwnedSemaphorePermit) -> Result<Arc<Session>, Refusal> {
        let hello = self.hello(wanted.works_for);
        let stone = self.stone.connect(&hello).await.map_err(|error| Refusal::NoStone(error.to_string()))?;
        // Waited for before anything is made, so that a worker that cannot start costs nothing.
        let link = self.zygotes.link().await.map_err(|error| Refusal::NoWorker(error.to_string()))?;
        let gem = Arc::new(Gem::new(self.gems.fetch_add(1, Ordering::Relaxed)));
        let made = || -> io::Result<_> {
            let (calls, its_calls) = UnixStream::pair()?;
            let (control, its_control) = UnixStream::pair()?;
            let session = Session::start(gem.clone(), wanted.kind, self.around.clone(), room, (calls, control))?;
            Ok((session, its_calls, its_control))
        };
        let refused = |error| Refusal::NoWorker(format!("the system refuses a gem: {error}"));
        let (session, its_calls, its_control) = made().map_err(refused)?;
        let descriptors = [its_calls.as_fd(), its_control.as_fd(), stone.as_fd()];
        match link.fork(&gem, descriptors) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                // The zygote died just now; the next one will do.
                let next =
                    self.zygotes.link_after(&link).await.map_err(|error| Refusal::NoWorker(error.to_string()))?;
                next.fork(&gem, descriptors).map_err(refused)?;
            }
            sent => sent.map_err(refused)?,
        }
        self.around.table.begun(&session);
        Ok(session)
    }

    /// Hands a gem the client's first message.
    async fn introduce(&self, session: &Arc<Session>, id: &str, body: &[u8]) -> Result<Answer, ()> {
        let parcel = Parcel { revision: session.revision, headers: &[], body, may_last: false };
        let (_, answer) = session.ask(Way::Calls, id, &parcel).map_err(drop)?;
        answer.await.map_err(drop)
    }

    /// Names the session, unless the gem refused the client.
    fn settle(
        &self,
        session: &Arc<Session>,
        principal: &Principal,
        status: u16,
        body: Bytes,
    ) -> Result<Opened, Refusal> {
        let kind = Envelope::parse(&body).map(|envelope| envelope.kind);
        let accepted = kind == Ok(Kind::Response { error: false }) && status < 400;
        if !accepted {
            session.end(Loss::SessionEnded);
            return Ok(Opened { id: None, status, body });
        }
        let id = SessionId::random().map_err(|error| {
            session.end(Loss::SessionEnded);
            Refusal::NoWorker(format!("the system has no randomness: {error}"))
        })?;
        if !session.become_ready(WorkerKey::Session { principal: principal.clone(), id }) {
            return Err(Refusal::NoWorker("the session's process ended as it began".into()));
        }
        Ok(Opened { id: Some(id), status, body })
    }
}

fn prepare(config: &Config) -> Prepare {
    Prepare {
        toolsets: config.toolsets.0.clone(),
        advertised: config.advertised.0.clone(),
        results: config.results,
        worker_class: given(&config.worker_class),
        read_only: config.read_only,
        autocommit: config.autocommit,
        bound: true,
        user: config.user.clone(),
        server_name: given(&config.server_name),
        server_version: given(&config.server_version),
        title: given(&config.title),
        limits: GemLimits {
            heap_bytes: GEM_HEAP_BYTES_MAX,
            stack_bytes: GEM_STACK_BYTES_MAX,
            call_millis: config.call_seconds * 1000,
        },
        revisions: config.revisions.0.names().into_iter().map(str::to_owned).collect(),
        headers: true,
        principal: String::new(),
        handle: None,
        held: false,
        principal_key: None,
    }
}

/// At most [`CLIENT_BYTES_MAX`] bytes of a client's name, without control characters.
fn clip(name: &str) -> &str {
    let clean = name.split(char::is_control).next().unwrap_or_default();
    let mut end = clean.len().min(CLIENT_BYTES_MAX);
    while !clean.is_char_boundary(end) {
        end -= 1;
    }
    &clean[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read_where_they_are_there() {
        let params =
            r#"{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c\u0061","version":"1"}}"#;
        let wishes: Wishes<'_> = serde_json::from_str(params).expect("lawful");
        assert_eq!(wishes.protocol_version.as_deref(), Some("2025-06-18"));
        assert_eq!(wishes.client_info.and_then(|info| info.name).as_deref(), Some("ca"));
        let none: Wishes<'_> = serde_json::from_str("{}").expect("lawful");
        assert!(none.protocol_version.is_none());
    }

    #[test]
    fn names_are_clipped_between_characters() {
        assert_eq!(clip("a\nb"), "a");
        assert_eq!(clip(&"ä".repeat(100)).len(), CLIENT_BYTES_MAX);
        assert_eq!(clip(&format!("x{}", "ä".repeat(100))).len(), CLIENT_BYTES_MAX - 1);
    }
}
