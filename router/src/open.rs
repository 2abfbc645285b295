//! Opening a session: a gem is asked for, set up, given the client's `initialize`, and named once it has answered.
//!
//! Everything that can refuse does so before anything is forked. Whatever fails later leaves nothing behind: the
//! router's ends of the gem's sockets close, and a gem whose socket has closed ends.

use crate::config::{Config, given};
use crate::gem::Gem;
use crate::loss::Loss;
use crate::refusal::Refusal;
use crate::session::{Answer, Session, Way};
use crate::stone::{GemIdentity, Stone};
use crate::table::{SessionId, Table};
use crate::zygote::Zygotes;
use bytes::Bytes;
use protocol::envelope::{Envelope, Kind};
use protocol::gem::{GemLimits, Prepare};
use protocol::limits::{GEM_HEAP_BYTES_MAX, GEM_STACK_BYTES_MAX, GEMS_OPENING_MAX, OPEN_MILLIS};
use protocol::revision::{self, Revision};
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

/// Opens sessions, a bounded number at once and in all.
#[derive(Debug)]
pub(crate) struct Opener {
    prepare: Prepare,
    stone: Arc<Stone>,
    zygotes: Arc<Zygotes>,
    table: Arc<Table>,
    room: Arc<Semaphore>,
    opening: Semaphore,
    gems: AtomicU64,
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
    pub(crate) fn new(config: &Config, stone: Arc<Stone>, zygotes: Arc<Zygotes>, table: Arc<Table>) -> Self {
        Self {
            prepare: prepare(config),
            stone,
            zygotes,
            table,
            room: Arc::new(Semaphore::new(config.max_gems as usize)),
            opening: Semaphore::new(GEMS_OPENING_MAX),
            gems: AtomicU64::new(1),
        }
    }

    /// Opens a session for an `initialize` with this raw id and these raw parameters.
    pub(crate) async fn open(&self, id: &str, params: Option<&str>, body: &[u8]) -> Result<Opened, Refusal> {
        // What the gem will judge in full is only glanced at here; what does not decode asks for nothing.
        let wishes: Wishes<'_> = params.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let revision = revision::negotiate(wishes.protocol_version.as_deref());
        let client = wishes.client_info.and_then(|info| info.name).unwrap_or_default();
        let room = self.room.clone().try_acquire_owned().map_err(|_| Refusal::TooManySessions)?;
        let patience = Duration::from_millis(OPEN_MILLIS);
        let _turn = timeout(patience, self.opening.acquire()).await.map_err(|_| Refusal::TooManySessions)?;
        let session = self.fork(revision, clip(&client), room).await?;
        let answer = timeout(patience, self.introduce(&session, id, body)).await;
        match answer {
            Ok(Ok(Answer::Whole { status, body })) => Ok(self.settle(&session, status, body)?),
            Ok(Ok(Answer::Lost(loss))) => Ok(Opened { id: None, status: 200, body: loss.body(Some(id)).into() }),
            Ok(Ok(Answer::Stream(_)) | Err(_)) => {
                session.end(Loss::SessionEnded);
                Ok(Opened { id: None, status: 200, body: Loss::WorkerDied.body(Some(id)).into() })
            }
            Err(_) => {
                session.end(Loss::SlowStart);
                session.gem.kill();
                Ok(Opened { id: None, status: 200, body: Loss::SlowStart.body(Some(id)).into() })
            }
        }
    }

    /// A gem that was asked for, and its session.
    async fn fork(
        &self,
        revision: &'static Revision,
        client: &str,
        room: OwnedSemaphorePermit,
    ) -> Result<Arc<Session>, Refusal> {
        let user = &self.prepare.user;
        let identity = GemIdentity { user, client, read_only: self.prepare.read_only };
        let stone = self.stone.connect(&identity).await.map_err(|error| Refusal::NoStone(error.to_string()))?;
        // Waited for before anything is made, so that a worker that cannot start costs nothing.
        let link = self.zygotes.link().await.map_err(|error| Refusal::NoWorker(error.to_string()))?;
        let gem = Arc::new(Gem::new(self.gems.fetch_add(1, Ordering::Relaxed)));
        let made = || -> io::Result<_> {
            let (calls, its_calls) = UnixStream::pair()?;
            let (control, its_control) = UnixStream::pair()?;
            let session = Session::start(gem.clone(), revision, self.table.clone(), room, (calls, control))?;
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
        self.table.begun(&session);
        Ok(session)
    }

    /// Sets the gem up and hands it the client's first message.
    async fn introduce(&self, session: &Arc<Session>, id: &str, body: &[u8]) -> Result<Answer, ()> {
        session.prepare(&self.prepare).map_err(drop)?;
        let answer = session.ask(Way::Calls, id, body).map_err(drop)?;
        answer.await.map_err(drop)
    }

    /// Names the session, unless the gem refused the client.
    fn settle(&self, session: &Arc<Session>, status: u16, body: Bytes) -> Result<Opened, Refusal> {
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
        if !session.become_ready(id) {
            return Err(Refusal::NoWorker("the session's process ended as it began".into()));
        }
        Ok(Opened { id: Some(id), status, body })
    }
}

fn prepare(config: &Config) -> Prepare {
    Prepare {
        toolsets: config.toolsets.0.clone(),
        worker_class: given(&config.worker_class),
        read_only: config.read_only,
        autocommit: config.autocommit,
        user: config.user.clone(),
        server_name: given(&config.server_name),
        server_version: given(&config.server_version),
        title: given(&config.title),
        limits: GemLimits {
            heap_bytes: GEM_HEAP_BYTES_MAX,
            stack_bytes: GEM_STACK_BYTES_MAX,
            call_millis: config.call_seconds * 1000,
        },
        principal: String::new(),
        handle: None,
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
