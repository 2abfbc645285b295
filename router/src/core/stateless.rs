//! Requests that stand for themselves: which gem serves each, and for how long.
//!
//! Where headers come with a request, the gem is found by `Mcp-Param-Gem` alone, and whether the body agrees is for the
//! gem to say; else by the argument in the body. Without a handle a fresh gem serves the call and ends with it.

use crate::core::events::{EventReader, EventSender};
use crate::core::listeners::Listeners;
use crate::core::open::Opener;
use crate::core::reply::{Hold, Pending, Reply, Waiting};
use crate::core::session::{Message, Refused, Responder, Route, Session};
use crate::core::table::{Principal, SessionId, WorkerKey};
use crate::refusal::Refusal;
use bytes::Bytes;
use protocol::error::{self, INVALID_PARAMS};
use protocol::limits::LISTENERS_MAX;
use protocol::listen::Filter;
use protocol::revision::Revision;
use protocol::stateless::{self, Fault, RoutingParams};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tokio::sync::oneshot;

/// The tool that opens a gem which lasts.
const OPEN: &str = "open_gem";
/// The method by which a client without a session listens.
pub(crate) const LISTEN: &str = "subscriptions/listen";

/// A request that stands for itself, checked.
#[derive(Debug)]
pub(crate) struct StatelessRequest {
    /// For whom.
    pub(crate) principal: Principal,
    /// What it speaks.
    pub(crate) revision: &'static Revision,
    /// Its method.
    pub(crate) method: Box<str>,
    /// What its method is about.
    pub(crate) name: Option<Box<str>>,
    /// The handle of a gem that it names.
    pub(crate) gem: Option<Box<str>>,
    /// Its `Mcp-Param-*` headers.
    pub(crate) headers: Vec<(String, String)>,
    /// The raw id.
    pub(crate) id: Box<str>,
    /// The raw parameters.
    pub(crate) params: Option<Box<str>>,
    /// The request itself.
    pub(crate) body: Bytes,
}

impl StatelessRequest {
    /// Whether it calls a tool; only then a gem may be named.
    pub(crate) fn calls(&self) -> bool {
        &*self.method == "tools/call"
    }

    /// Finds a gem and hands it the request. `stream` makes both ends of a stream that listens.
    pub(crate) async fn serve(
        self,
        opener: &Arc<Opener>,
        stream: impl FnOnce() -> (EventSender, EventReader),
    ) -> Result<Reply, Refusal> {
        if &*self.method == LISTEN {
            return self.listen(opener, stream).await;
        }
        if self.method.starts_with("tasks/") {
            return self.ask_of_task(opener);
        }
        if Route::of(&self.method) == Route::Control {
            return self.ask_what_needs_no_image(opener).await;
        }
        if self.calls() && self.name.as_deref() == Some(OPEN) {
            return self.open(opener).await;
        }
        let Some(handle) = self.gem.as_deref().filter(|_| self.calls()) else {
            let session = self.take(opener).await?;
            let may_last = self.calls() && self.knows_tasks() && session.may_last(&self.principal);
            return self.ask(session, Route::Calls, may_last, |session, _| Some(Hold::Session(session)));
        };
        let handle = SessionId::parse(handle.as_bytes());
        let key = handle.map(|handle| WorkerKey::Handle { principal: self.principal.clone(), handle });
        match key.and_then(|key| opener.shared.table.get(&key)) {
            Some(session) => {
                self.ask(session, Route::Calls, false, |session, exchange| Some(Hold::Exchange(session, exchange)))
            }
            None => Ok(self.tool_error(
                "unknownGem",
                "There is no such gem: its handle is wrong, or it was closed or ended after a time without calls. What \
                 it had not committed is gone. Call open_gem for another.",
            )),
        }
    }

    /// Lists and discovery, which one gem that never runs anything answers for all.
    async fn ask_what_needs_no_image(self, opener: &Arc<Opener>) -> Result<Reply, Refusal> {
        let shared = opener.for_lists().await?;
        if !(self.method.ends_with("/list") && shared.ready().await.is_some_and(|ready| ready.lists_move)) {
            return self.ask(shared, Route::Control, false, |_, _| None);
        }
        // That gem knows the commit of its own beginning.
        let session = self.take(opener).await?;
        self.ask(session, Route::Calls, false, |session, _| Some(Hold::Session(session)))
    }

    /// A fresh gem for this request.
    async fn take(&self, opener: &Arc<Opener>) -> Result<Arc<Session>, Refusal> {
        opener.take(&self.principal, &client_name(self.params.as_deref())).await
    }

    fn ask(
        self,
        session: Arc<Session>,
        route: Route,
        may_last: bool,
        hold: impl FnOnce(Arc<Session>, u64) -> Option<Hold>,
    ) -> Result<Reply, Refusal> {
        let Self { revision, headers, body, id, .. } = self;
        let (sender, receiver) = oneshot::channel();
        let message = Message { revision, headers, body, may_last };
        let exchange = session.ask(route, &id, message, Responder::Request(sender));
        let exchange = exchange.map_err(|refused| match refused {
            Refused::Full => Refusal::Overloaded,
            Refused::Closed(reason) => Refusal::NoWorker(reason.message(session.recovery)),
        })?;
        let hold = hold(session.clone(), exchange);
        Ok(Reply::Pending(Pending { session, waiting: Waiting::Exchange(exchange), receiver, hold }))
    }

    /// Opens a gem that lasts and hands it the call, which answers its handle.
    async fn open(self, opener: &Arc<Opener>) -> Result<Reply, Refusal> {
        let client = client_name(self.params.as_deref());
        let Some(session) = opener.held(&self.principal, &client).await? else {
            let text = "Too many gems are open or kept for tasks already: close one with close_gem first";
            return Ok(self.tool_error("tooManyGems", text));
        };
        self.ask(session, Route::Calls, false, |session, exchange| Some(Hold::Opening(session, exchange)))
    }

    fn knows_tasks(&self) -> bool {
        RoutingParams::read(self.params.as_deref()).declares_tasks()
    }

    /// A request about a task goes to the gem in which the task lives, by the task's name.
    fn ask_of_task(self, opener: &Arc<Opener>) -> Result<Reply, Refusal> {
        if !self.knows_tasks() {
            return Err(stateless::tasks_needed().into());
        }
        match self.name.as_deref().and_then(|task| gem_of_task(task, &self.principal, opener)) {
            Some(session) => self.ask(session, Route::Control, false, |_, _| None),
            None => {
                let message = match &self.name {
                    Some(_) => "Unknown task: its id is wrong, or it is not kept any more",
                    None => "Invalid params: taskId must be a string",
                };
                let body = error::body_of_kind(Some(&self.id), INVALID_PARAMS, message, "notFound");
                Ok(Reply::Answered(Bytes::from(body)))
            }
        }
    }

    async fn listen(
        self,
        opener: &Arc<Opener>,
        stream: impl FnOnce() -> (EventSender, EventReader),
    ) -> Result<Reply, Refusal> {
        let Some(ready) = opener.for_lists().await?.ready().await else {
            return Err(Refusal::NoWorker("its process cannot serve; a call says why".into()));
        };
        let filter = Filter::read(self.params.as_deref().unwrap_or("{}"));
        let filter = filter.map_err(|message| Fault { code: INVALID_PARAMS, message, data: None })?;
        if filter.names_tasks() && !self.knows_tasks() {
            return Err(stateless::tasks_needed().into());
        }
        let filter = filter.honoured(&ready.topics, |task| gem_of_task(task, &self.principal, opener).is_some());
        let (sender, reader) = stream();
        match Listeners::listen(&opener.shared, &self.id, filter, sender) {
            Some(listening) => Ok(Reply::Listening(reader, listening)),
            None => Err(Refusal::TooManyListeners(LISTENERS_MAX)),
        }
    }

    /// An error that a model can read: the gem that it names is not there.
    fn tool_error(&self, kind: &str, text: &str) -> Reply {
        let result = json!({
            "content": [{"type": "text", "text": text}],
            "structuredContent": {"error": {"kind": kind, "message": text}},
            "isError": true,
            "resultType": "complete",
        });
        Reply::Answered(Bytes::from(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, self.id)))
    }
}

/// The gem in which a task of this id may live, if it is this principal's.
fn gem_of_task(task: &str, principal: &Principal, opener: &Opener) -> Option<Arc<Session>> {
    let handle = SessionId::parse(stateless::handle_of_task(task).as_bytes())?;
    opener.shared.table.get(&WorkerKey::Handle { principal: principal.clone(), handle })
}

/// The name that a client gives itself, if it does.
fn client_name(params: Option<&str>) -> String {
    let meta: Map<String, Value> = RoutingParams::read(params).metadata().unwrap_or_default();
    let info = meta.get("io.modelcontextprotocol/clientInfo");
    info.and_then(|info| info["name"].as_str()).unwrap_or_default().to_owned()
}
