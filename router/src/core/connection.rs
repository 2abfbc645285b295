//! Messages that come one after the other over one connection, with nothing beside them (stdio).
//!
//! The first request that means something decides the era: `initialize` a session, a request with metadata of its own
//! none; `server/discover` decides nothing. A session lasts as long as its connection. Every request is answered once,
//! unless it was cancelled, and all that is said goes into one buffer, in order.

use crate::core::admission::{self, Admitted, Summary, cancelled, forward_batch, no_batches};
use crate::core::events::{EventBuffer, EventReader};
use crate::core::failure::EndReason;
use crate::core::open::{Initialize, Opened};
use crate::core::reply::{Pending, Reply};
use crate::core::request_id;
use crate::core::session::{Answer, Responder, Session};
use crate::core::shared::Core;
use crate::core::stateless::{LISTEN, StatelessRequest};
use crate::core::table::Principal;
use crate::refusal::Refusal;
use bytes::Bytes;
use protocol::envelope::{Envelope, Kind};
use protocol::error::INVALID_REQUEST;
use protocol::limits::{CONNECTION_REQUESTS_MAX, STOP_GRACE_MILLIS};
use protocol::revision::Era;
use protocol::stateless::{self, RoutingParams};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::task::{AbortHandle, JoinSet};

/// What the client turned out to speak.
#[derive(Debug)]
enum Pinned {
    /// It has not said yet.
    Undecided,
    /// A session, which this was opened for.
    Session(Arc<Session>),
    /// None.
    Stateless,
}

/// A request that stands for itself and is not answered yet.
#[derive(Debug)]
struct Running {
    id: Box<str>,
    /// Whether it lasts until its client cancels it.
    listens: bool,
    task: AbortHandle,
}

/// One client, and all that is under way for it.
#[derive(Debug)]
pub(crate) struct Connection {
    core: Arc<Core>,
    output: Arc<EventBuffer>,
    pinned: Pinned,
    tasks: JoinSet<()>,
    running: Vec<Running>,
}

/// A request as it was read.
#[derive(Debug, Clone, Copy)]
struct Request<'a> {
    id: &'a str,
    method: &'a str,
    params: Option<&'a str>,
}

impl Connection {
    /// For a client that has said nothing yet, and what it is told.
    pub(crate) fn new(core: Arc<Core>) -> (Self, EventReader) {
        let output = EventBuffer::passing();
        let reader = output.read_on();
        (Self { core, output, pinned: Pinned::Undecided, tasks: JoinSet::new(), running: Vec::new() }, reader)
    }

    /// Takes the bytes of one message, or of a batch.
    pub(crate) async fn take(&mut self, body: Bytes) {
        let mut summary = Summary::default();
        if let Err(refusal) = self.take_checked(body, &mut summary).await {
            self.refuse(&refusal, summary.id.as_deref());
        }
    }

    /// Refuses something.
    pub(crate) fn refuse(&self, refusal: &Refusal, id: Option<&str>) {
        tracing::info!(refused = refusal.kind(), "a message is refused");
        self.say(Bytes::from(refusal.body(id)));
    }

    fn say(&self, message: Bytes) {
        self.output.send_or_close(message);
    }

    async fn take_checked(&mut self, body: Bytes, summary: &mut Summary) -> Result<(), Refusal> {
        self.core.check_open()?;
        self.running.retain(|running| !running.task.is_finished());
        while self.tasks.try_join_next().is_some() {}
        if let Some(parts) = admission::read_batch(&body) {
            let parts = parts?;
            let Pinned::Session(session) = &self.pinned else { return Err(no_batches()) };
            let parts = Admitted::batch(session, &body, &parts)?;
            forward_batch(session, parts, Responder::Connection(self.output.clone()))?;
            return Ok(());
        }
        let envelope = admission::read(&body, summary)?;
        match (envelope.kind, envelope.id, envelope.method.as_deref()) {
            (Kind::Request, Some(id), Some(method)) => {
                let request = Request { id, method, params: envelope.params };
                self.take_request(request, &envelope, body.clone()).await
            }
            (Kind::Notification, _, Some("notifications/cancelled")) if matches!(self.pinned, Pinned::Stateless) => {
                self.cancel(envelope.params.and_then(cancelled));
                Ok(())
            }
            _ => match &self.pinned {
                // Nobody waits for what a session that has ended would make of it.
                Pinned::Session(session) if session.is_live() => self.forward(session, &envelope, body.clone()),
                _ => Ok(()),
            },
        }
    }

    fn forward(&self, session: &Session, envelope: &Envelope<'_>, body: Bytes) -> Result<(), Refusal> {
        let admitted = Admitted::new(session, envelope, body)?;
        admitted.forward(session, || Responder::Connection(self.output.clone()))?;
        Ok(())
    }

    async fn take_request(
        &mut self,
        request: Request<'_>,
        envelope: &Envelope<'_>,
        body: Bytes,
    ) -> Result<(), Refusal> {
        let Request { id, method, params } = request;
        let routing = RoutingParams::read(params);
        if let Pinned::Session(session) = &self.pinned
            && (session.is_live() || method != "initialize")
        {
            return self.forward(session, envelope, body);
        }
        let served = self.core.served();
        let is_stateless = routing.names_revision() || matches!(self.pinned, Pinned::Stateless);
        if served.has(Era::Stateless) && is_stateless && !matches!(self.pinned, Pinned::Session(_)) {
            return self.take_stateless(request, &routing, body).await;
        }
        match (method, served.negotiate(routing.requested().as_deref())) {
            ("initialize", Some(_)) => self.open(request, body).await,
            ("initialize", None) => {
                Err(stateless::unsupported(&routing.requested().unwrap_or_default(), served).into())
            }
            ("ping", Some(_)) => {
                self.say(Bytes::from(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)));
                Ok(())
            }
            _ => {
                let message = "Invalid request: send initialize or server/discover first";
                Err(Refusal::NoMessage { code: INVALID_REQUEST, message })
            }
        }
    }

    /// Opens a session. What comes after it waits until it is open.
    async fn open(&mut self, Request { id, params, .. }: Request<'_>, body: Bytes) -> Result<(), Refusal> {
        let asked = Initialize {
            principal: Principal::default(),
            id: id.into(),
            params: params.map(Into::into),
            body,
            connection: Some(self.output.clone()),
        };
        let Opened { session, body, .. } = self.core.opener.open(asked).await?;
        if let Some((_, session)) = session {
            self.pinned = Pinned::Session(session);
        }
        self.say(body);
        Ok(())
    }

    async fn take_stateless(
        &mut self,
        Request { id, method, params }: Request<'_>,
        routing: &RoutingParams<'_>,
        body: Bytes,
    ) -> Result<(), Refusal> {
        let served = self.core.served();
        if method == "initialize" && !routing.names_revision() {
            return Err(stateless::unsupported(&routing.requested().unwrap_or_default(), served).into());
        }
        let checked = stateless::check_body(method, routing, served)?;
        if method != "server/discover" {
            self.pinned = Pinned::Stateless;
        }
        if self.running.len() >= CONNECTION_REQUESTS_MAX {
            return Err(Refusal::Overloaded);
        }
        let request = StatelessRequest {
            principal: Principal::default(),
            revision: checked.revision,
            method: method.into(),
            name: checked.name.map(|name| name.as_ref().into()),
            gem: routing.gem().map(|handle| handle.as_ref().into()),
            headers: Vec::new(),
            id: id.into(),
            params: params.map(Into::into),
            body,
        };
        self.serve(request).await;
        Ok(())
    }

    /// Serves a request in a task of its own. What can be forwarded at once is, so that requests to one gem stay in
    /// the order in which they came.
    async fn serve(&mut self, request: StatelessRequest) {
        let (id, listens) = (request.id.clone(), &*request.method == LISTEN);
        let (opener, output) = (self.core.opener.clone(), self.output.clone());
        let stream = {
            let output = output.clone();
            move || (output.shared_sender(), EventReader::silent())
        };
        let own_id = id.clone();
        let mut serving: Serving = Box::pin(async move { request.serve(&opener, stream).await });
        let first = poll_fn(|cx| Poll::Ready(serving.as_mut().poll(cx))).await;
        let task = self.tasks.spawn(async move {
            let reply = match first {
                Poll::Ready(reply) => reply,
                Poll::Pending => serving.await,
            };
            match reply {
                Ok(reply) => deliver(reply, &output, &own_id).await,
                Err(refusal) => output.send_or_close(Bytes::from(refusal.body(Some(&own_id)))),
            }
        });
        self.running.push(Running { id, listens, task });
    }

    /// The client gives up what bears this raw id; it wants no answer.
    fn cancel(&mut self, id: Option<&str>) {
        let Some(id) = id else { return };
        for running in self.running.iter().filter(|running| request_id::is_same(&running.id, id)) {
            running.task.abort();
        }
    }

    /// Whether the answer to something is still to come.
    fn is_busy(&self) -> bool {
        let in_session = matches!(&self.pinned, Pinned::Session(session) if session.is_live() && !session.is_idle());
        in_session || self.running.iter().any(|running| !running.listens && !running.task.is_finished())
    }

    /// Waits until all that was asked is answered, within the grace.
    pub(crate) async fn drain(&self) {
        /// How often it looks.
        const LOOK: Duration = Duration::from_millis(5);
        let drained = async {
            while self.is_busy() {
                tokio::time::sleep(LOOK).await;
            }
        };
        drop(tokio::time::timeout(Duration::from_millis(STOP_GRACE_MILLIS), drained).await);
    }

    /// Nothing more is said.
    pub(crate) fn close(&mut self) {
        self.tasks.abort_all();
        if let Pinned::Session(session) = &self.pinned {
            session.end(EndReason::Client);
        }
        self.output.close();
    }
}

type Serving = Pin<Box<dyn Future<Output = Result<Reply, Refusal>> + Send>>;

/// Waits for the answer and says it. Dropping this is to wait no more.
async fn deliver(reply: Reply, output: &EventBuffer, id: &str) {
    let say = |message: Bytes| {
        if !message.is_empty() {
            output.send_or_close(message);
        }
    };
    match reply {
        Reply::Answered(body) => say(body),
        // What it hears is said as it comes.
        Reply::Listening(_, _listening) => std::future::pending().await,
        Reply::Pending(Pending { session, receiver, hold: _hold, .. }) => match receiver.await {
            Ok(Answer::Whole { body, .. }) => say(body),
            Ok(Answer::Stream(mut reader)) => {
                while let Some(message) = reader.next().await {
                    say(message);
                }
            }
            Ok(Answer::Failed(failure)) => say(Bytes::from(failure.body(Some(id), session.recovery))),
            Err(_) => say(Bytes::from(Refusal::Internal.body(Some(id)))),
        },
        Reply::Accepted | Reply::Opening(_) => {}
    }
}
