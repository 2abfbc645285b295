//! Requests that stand for themselves: which gem serves each, and for how long.
//!
//! The gem is found by the head of the request alone: `Mcp-Param-Gem` names one that `open_gem` opened, and without it
//! a fresh gem serves the call and ends with it. Whether the body agrees is for the gem to say. Whoever stops waiting
//! has cancelled.

use crate::admit::Admitted;
use crate::events::Source;
use crate::listeners::{Listeners, Listening};
use crate::loss::Loss;
use crate::open::Opener;
use crate::refusal::Refusal;
use crate::session::{Answer, Parcel, Refused, Session, Way};
use crate::table::{Principal, SessionId, WorkerKey};
use bytes::Bytes;
use protocol::error::{self, INVALID_PARAMS};
use protocol::limits::LISTENERS_MAX;
use protocol::listen::Filter;
use protocol::revision::Revision;
use protocol::stateless::{self, Fault, Glance};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tokio::sync::oneshot;

/// The tool that opens a gem which lasts.
const OPEN: &str = "open_gem";
/// The parameter header that names such a gem, in lower case and without its beginning.
const GEM: &str = "gem";

/// A request that stands for itself.
#[derive(Debug)]
pub(crate) struct Alone {
    /// What it speaks.
    pub(crate) revision: &'static Revision,
    /// Its method.
    pub(crate) method: Box<str>,
    /// What its method is about.
    pub(crate) name: Option<Box<str>>,
    /// The raw id.
    pub(crate) id: Box<str>,
    /// The raw parameters.
    pub(crate) params: Option<Box<str>>,
    /// The body.
    pub(crate) body: Bytes,
}

/// What a request gets.
#[derive(Debug)]
pub(crate) enum Served {
    /// The answer of a gem, held as long as somebody waits for it.
    Asked {
        /// The gem.
        session: Arc<Session>,
        /// Which socket the request took.
        way: Way,
        /// The exchange.
        exchange: u64,
        /// The answer.
        receiver: oneshot::Receiver<Answer>,
        /// What the request holds of the gem.
        lease: Option<Lease>,
    },
    /// An answer of the router's own.
    Answered(Bytes),
    /// A stream of changes.
    Listening(Source, Listening),
}

/// What a request holds of a gem while somebody waits for its answer.
#[derive(Debug)]
pub(crate) enum Lease {
    /// All of it: it ends with the request.
    Whole(Arc<Session>),
    /// One exchange, which is cancelled if nobody waits any more.
    Exchange(Arc<Session>, u64),
    /// The exchange that opens the gem; if nobody waits for its answer, nobody will know the gem.
    Opening(Arc<Session>, u64),
}

impl Drop for Lease {
    fn drop(&mut self) {
        match self {
            // A call that became a task goes on without whoever brought it.
            Lease::Whole(session) if session.has_tasks() => {}
            Lease::Whole(session) => session.end(Loss::SessionEnded),
            Lease::Exchange(session, exchange) => drop(session.abandon(*exchange)),
            Lease::Opening(session, exchange) => {
                if session.abandon(*exchange) {
                    session.end(Loss::SessionEnded);
                }
            }
        }
    }
}

impl Alone {
    /// Finds a gem and hands it the request.
    pub(crate) async fn serve(self, admitted: &Admitted, opener: &Arc<Opener>) -> Result<Served, Refusal> {
        if &*self.method == "subscriptions/listen" {
            return self.listen(&admitted.principal, opener).await;
        }
        if self.method.starts_with("tasks/") {
            return self.ask_of_task(admitted, opener);
        }
        if Way::of(&self.method) == Way::Control {
            let shared = opener.for_lists().await?;
            if !(self.method.ends_with("/list") && shared.ready().await.is_some_and(|ready| ready.lists_move)) {
                return self.ask(shared, Way::Control, admitted, false, |_, _| None);
            }
            // The gem that is shared knows the commit of its own beginning.
            let session = self.take(admitted, opener).await?;
            return self.ask(session, Way::Calls, admitted, false, |session, _| Some(Lease::Whole(session)));
        }
        let calls = &*self.method == "tools/call";
        if calls && self.name.as_deref() == Some(OPEN) {
            return self.open(admitted, opener).await;
        }
        let named = admitted.parameters().iter().find(|(name, _)| name == GEM).filter(|_| calls);
        let Some((_, handle)) = named else {
            let session = self.take(admitted, opener).await?;
            let may_last = calls && self.knows_tasks() && session.may_last(&admitted.principal);
            return self.ask(session, Way::Calls, admitted, may_last, |session, _| Some(Lease::Whole(session)));
        };
        let Some(handle) = stateless::decode(handle) else {
            return Err(stateless::mismatch("The header Mcp-Param-Gem is not valid base64 of UTF-8").into());
        };
        let handle = SessionId::parse(handle.as_bytes());
        let key = handle.map(|handle| WorkerKey::Handle { principal: admitted.principal.clone(), handle });
        match key.and_then(|key| opener.around.table.get(&key)) {
            Some(session) => self.ask(session, Way::Calls, admitted, false, |session, exchange| {
                Some(Lease::Exchange(session, exchange))
            }),
            None => Ok(self.tool_error(
                "unknownGem",
                "There is no such gem: its handle is wrong, or it was closed or ended after a time without calls. What \
                 it had not committed is gone. Call open_gem for another.",
            )),
        }
    }

    /// A fresh gem for this request.
    async fn take(&self, admitted: &Admitted, opener: &Arc<Opener>) -> Result<Arc<Session>, Refusal> {
        opener.take(&admitted.principal, &client_name(self.params.as_deref())).await
    }

    fn ask(
        &self,
        session: Arc<Session>,
        way: Way,
        admitted: &Admitted,
        may_last: bool,
        lease: impl FnOnce(Arc<Session>, u64) -> Option<Lease>,
    ) -> Result<Served, Refusal> {
        let headers = admitted.parameters();
        let parcel = Parcel { revision: self.revision, headers, body: &self.body, may_last };
        let (exchange, receiver) = session.ask(way, &self.id, &parcel).map_err(|refused| match refused {
            Refused::Full => Refusal::Overloaded,
            Refused::Closed(loss) => Refusal::NoWorker(loss.message(session.remedy)),
        })?;
        let lease = lease(session.clone(), exchange);
        Ok(Served::Asked { session, way, exchange, receiver, lease })
    }

    /// Opens a gem that lasts and hands it the call, which answers its handle.
    async fn open(&self, admitted: &Admitted, opener: &Arc<Opener>) -> Result<Served, Refusal> {
        let client = client_name(self.params.as_deref());
        let Some(session) = opener.held(&admitted.principal, &client).await? else {
            let text = "Too many gems are open or kept for tasks already: close one with close_gem first";
            return Ok(self.tool_error("tooManyGems", text));
        };
        self.ask(session, Way::Calls, admitted, false, |session, exchange| Some(Lease::Opening(session, exchange)))
    }

    fn knows_tasks(&self) -> bool {
        Glance::at(self.params.as_deref()).declares_tasks()
    }

    /// A request about a task goes to the gem in which the task lives, by the task's name.
    fn ask_of_task(&self, admitted: &Admitted, opener: &Arc<Opener>) -> Result<Served, Refusal> {
        if !self.knows_tasks() {
            return Err(stateless::tasks_needed().into());
        }
        match self.name.as_deref().and_then(|task| keeper(task, &admitted.principal, opener)) {
            Some(session) => self.ask(session, Way::Control, admitted, false, |_, _| None),
            None => {
                let message = match &self.name {
                    Some(_) => "Unknown task: its id is wrong, or it is not kept any more",
                    None => "Invalid params: taskId must be a string",
                };
                let body = error::body_of_kind(Some(&self.id), INVALID_PARAMS, message, "notFound");
                Ok(Served::Answered(Bytes::from(body)))
            }
        }
    }

    async fn listen(&self, principal: &Principal, opener: &Arc<Opener>) -> Result<Served, Refusal> {
        let Some(ready) = opener.for_lists().await?.ready().await else {
            return Err(Refusal::NoWorker("its process cannot serve; a call says why".into()));
        };
        let filter = Filter::read(self.params.as_deref().unwrap_or("{}")).map_err(invalid)?;
        if filter.names_tasks() && !self.knows_tasks() {
            return Err(stateless::tasks_needed().into());
        }
        let filter = filter.honoured(&ready.topics, |task| keeper(task, principal, opener).is_some());
        match Listeners::listen(&opener.around, &self.id, filter) {
            Some((source, listening)) => Ok(Served::Listening(source, listening)),
            None => Err(Refusal::TooManyListeners(LISTENERS_MAX)),
        }
    }

    /// An error that a model can read: the gem that it names is not there.
    fn tool_error(&self, kind: &str, text: &str) -> Served {
        let result = json!({
            "content": [{"type": "text", "text": text}],
            "structuredContent": {"error": {"kind": kind, "message": text}},
            "isError": true,
            "resultType": "complete",
        });
        Served::Answered(Bytes::from(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, self.id)))
    }
}

/// The gem in which a task of this id may live, if it is this principal's.
fn keeper(task: &str, principal: &Principal, opener: &Opener) -> Option<Arc<Session>> {
    let handle = SessionId::parse(stateless::handle_of_task(task).as_bytes())?;
    opener.around.table.get(&WorkerKey::Handle { principal: principal.clone(), handle })
}

fn invalid(message: String) -> Refusal {
    Fault { code: INVALID_PARAMS, message, data: None }.into()
}

/// The name that a client gives itself, if it does.
fn client_name(params: Option<&str>) -> String {
    let meta: Map<String, Value> = Glance::at(params).metadata().unwrap_or_default();
    let info = meta.get("io.modelcontextprotocol/clientInfo");
    info.and_then(|info| info["name"].as_str()).unwrap_or_default().to_owned()
}
