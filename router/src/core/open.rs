//! Opening a session: a gem is asked for, set up, given the client's `initialize`, and named once it has answered. Gems
//! for stateless requests are opened here as well ([`crate::core::pool`] says when).
//!
//! Everything that can refuse does so before anything is forked. Whatever fails later leaves nothing behind: the
//! router's ends of the gem's sockets close, and a gem whose socket has closed ends.

use crate::backend::{Backend, Identity, OpenError};
use crate::config::{Config, TransportKind};
use crate::core::events::EventBuffer;
use crate::core::failure::{EndReason, Failure, Killed, Recovery};
use crate::core::keys::Keys;
use crate::core::pool::Pool;
use crate::core::session::{Answer, Message, Refused, Responder, Route, Session, SessionKind};
use crate::core::shared::Shared;
use crate::core::table::{Principal, SessionId, WorkerKey};
use crate::refusal::Refusal;
use bytes::Bytes;
use protocol::envelope::{Envelope, Kind};
use protocol::gem::{Bind, GemLimits, Prepare};
use protocol::grant::{Author, GrantKey};
use protocol::limits::{GEM_HEAP_BYTES_MAX, GEM_STACK_BYTES_MAX, GEMS_OPENING_MAX, OPEN_MILLIS};
use protocol::revision::Served;
use serde::Deserialize;
use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
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
    backend: Arc<dyn Backend>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) pool: Pool,
    room: Arc<Semaphore>,
    opening: Semaphore,
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

/// A request that opens a session.
#[derive(Debug)]
pub(crate) struct Initialize {
    /// For whom.
    pub(crate) principal: Principal,
    /// The raw id.
    pub(crate) id: Box<str>,
    /// The raw parameters.
    pub(crate) params: Option<Box<str>>,
    /// The request itself.
    pub(crate) body: Bytes,
    /// The connection that the session lasts as long as, if it is bound to one.
    pub(crate) connection: Option<Arc<EventBuffer>>,
}

/// A session that `initialize` opened, or an answer that opened none.
#[derive(Debug)]
pub(crate) struct Opened {
    /// Its id and itself, if it was opened.
    pub(crate) session: Option<(SessionId, Arc<Session>)>,
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
    pub(crate) fn new(config: &Config, backend: Arc<dyn Backend>, shared: Arc<Shared>) -> io::Result<Self> {
        Ok(Self {
            prepare: prepare(config),
            served: config.revisions.0.clone(),
            keys: Keys::new()?,
            backend,
            shared,
            pool: Pool::default(),
            room: Arc::new(Semaphore::new(config.max_gems as usize)),
            opening: Semaphore::new(GEMS_OPENING_MAX),
        })
    }

    /// The revisions that are served.
    pub(crate) fn served(&self) -> &Served {
        &self.served
    }

    /// Opens a session for an `initialize`.
    pub(crate) async fn open(&self, asked: Initialize) -> Result<Opened, Refusal> {
        let Initialize { principal, id, params, body, connection } = asked;
        // What the gem will judge in full is only glanced at here; what does not decode asks for nothing.
        let wishes: Wishes<'_> = params.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let requested = wishes.protocol_version.as_deref();
        let revision = self.served.negotiate(requested).ok_or(Refusal::NoSessions)?;
        let client = wishes.client_info.and_then(|info| info.name).unwrap_or_default();
        let recovery = Recovery::Initialize;
        let kind = SessionKind { revision, recovery, handle: None, connection };
        let works_for = WorksFor::Client { principal: &principal, client: &client };
        let session = self.fork(&Wanted { kind, works_for }).await?;
        let answer = timeout(Duration::from_millis(OPEN_MILLIS), introduce(&session, &id, body)).await;
        let failure = match answer {
            Ok(Ok(Answer::Whole { status, body })) => return self.settle(session, &principal, status, body),
            Ok(Ok(Answer::Failed(failure))) => failure,
            Ok(Ok(Answer::Stream(_))) => {
                session.end(EndReason::Client);
                Failure::Ended(EndReason::Crashed { status: None, last_words: None })
            }
            Ok(Err(reason)) => Failure::Ended(reason),
            Err(_) => {
                session.kill(Killed::SlowStart);
                Failure::Ended(EndReason::Killed(Killed::SlowStart))
            }
        };
        Ok(Opened { session: None, status: 200, body: failure.body(Some(&id), recovery).into() })
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
            held: wanted.kind.recovery == Recovery::OpenGem,
            ..self.prepare.clone()
        };
        session.prepare(&prepare);
        Ok(session)
    }

    /// Says to a gem that was forked ahead for whom it works: it is told before it reads anything of that client, and
    /// the stone believes what the key has signed.
    pub(crate) fn bind(&self, session: &Session, key: &GrantKey, principal: &Principal, client: &str) {
        let user = &self.prepare.user;
        let author = Author { user: user.clone(), client: clip(client).to_owned() };
        let (principal_key, grant) = (self.keys.of(principal), key.sign(&author));
        let bind = Bind { user, principal: &principal.0, principal_key: &principal_key, grant: &grant };
        session.bind(&bind);
    }

    fn identity<'a>(&'a self, works_for: WorksFor<'a>) -> Identity<'a> {
        let Prepare { user, read_only, .. } = &self.prepare;
        match works_for {
            WorksFor::Client { client, .. } => Identity::User { user, client: clip(client), read_only: *read_only },
            WorksFor::Later(key) => Identity::Unbound { key, read_only: *read_only },
            WorksFor::Lists => Identity::User { user, client: "", read_only: true },
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
        let identity = self.identity(wanted.works_for);
        let link = self.backend.open(identity).await.map_err(|error| match error {
            OpenError::NoStone(reason) => Refusal::NoStone(reason),
            OpenError::NoProcess(reason) => Refusal::NoWorker(reason),
        })?;
        let session = Session::start(link, wanted.kind.clone(), self.shared.clone(), room);
        self.shared.table.begun(&session);
        Ok(session)
    }

    /// Names the session, unless the gem refused the client.
    fn settle(
        &self,
        session: Arc<Session>,
        principal: &Principal,
        status: u16,
        body: Bytes,
    ) -> Result<Opened, Refusal> {
        let kind = Envelope::parse(&body).map(|envelope| envelope.kind);
        let accepted = kind == Ok(Kind::Response { error: false }) && status < 400;
        if !accepted {
            session.end(EndReason::Client);
            return Ok(Opened { session: None, status, body });
        }
        let id = SessionId::random().map_err(|error| {
            session.end(EndReason::Client);
            Refusal::NoWorker(format!("the system has no randomness: {error}"))
        })?;
        if !session.become_ready(WorkerKey::Session { principal: principal.clone(), id }) {
            return Err(Refusal::NoWorker("the session's process ended as it began".into()));
        }
        Ok(Opened { session: Some((id, session)), status, body })
    }
}

/// Hands a gem the client's first message.
async fn introduce(session: &Session, id: &str, body: Bytes) -> Result<Answer, EndReason> {
    let (sender, receiver) = oneshot::channel();
    let message = Message::in_session(session, &body);
    let died = || EndReason::Crashed { status: None, last_words: None };
    match session.ask(Route::Calls, id, message, Responder::Request(sender)) {
        Ok(_) => receiver.await.map_err(|_| died()),
        Err(Refused::Closed(reason)) => Err(reason),
        Err(Refused::Full) => Err(died()),
    }
}

fn prepare(config: &Config) -> Prepare {
    Prepare {
        toolsets: config.toolsets.0.clone(),
        advertised: config.advertised.0.clone(),
        results: config.results,
        worker_class: config.worker_class.clone(),
        read_only: config.read_only,
        autocommit: config.autocommit,
        bound: true,
        user: config.user.clone(),
        server_name: config.server_name.clone(),
        server_version: config.server_version.clone(),
        title: config.title.clone(),
        limits: GemLimits {
            heap_bytes: GEM_HEAP_BYTES_MAX,
            stack_bytes: GEM_STACK_BYTES_MAX,
            call_millis: config.call_seconds * 1000,
        },
        revisions: config.revisions.0.names().into_iter().map(str::to_owned).collect(),
        headers: config.transport == TransportKind::Http,
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
        let wishes: Wishes<'_> = serde_json::from_str(params).expect("parameters");
        assert_eq!(wishes.protocol_version.as_deref(), Some("2025-06-18"));
        assert_eq!(wishes.client_info.and_then(|info| info.name).as_deref(), Some("ca"));
        let none: Wishes<'_> = serde_json::from_str("{}").expect("parameters");
        assert!(none.protocol_version.is_none());
    }

    #[test]
    fn names_are_clipped_between_characters() {
        assert_eq!(clip("a\nb"), "a");
        assert_eq!(clip(&"ä".repeat(100)).len(), CLIENT_BYTES_MAX);
        assert_eq!(clip(&format!("x{}", "ä".repeat(100))).len(), CLIENT_BYTES_MAX - 1);
    }
}
