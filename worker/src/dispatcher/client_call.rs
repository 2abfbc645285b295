//! A call, as far as its client matters: what the client can do and wants to hear, and where messages to it go.

use crate::calls::Calls;
use crate::link::Link;
use crate::request::Request;
use crate::tasks::Tasks;
use crate::tool::client::Outbox;
use protocol::limits::ID_BYTES_MAX;
use protocol::revision::Era;
use protocol::stateless::{CAPABILITIES_KEY, LOG_LEVEL_KEY, LOG_LEVELS, RoutingParams, declares_tasks};
use serde_json::{Map, Value, json};
use std::time::Instant;

/// A call, as far as its client matters.
pub(crate) struct ClientCall<'a> {
    /// Its exchange.
    pub(crate) exchange: u64,
    /// The request.
    pub(super) request: Request<'a>,
    /// What its client can do.
    pub(super) capabilities: Value,
    /// The least urgent level of log messages that its client wants.
    pub(super) level: Option<usize>,
    /// The raw JSON of the token with which its client wants to hear of progress.
    pub(super) token: Option<String>,
}

impl<'a> ClientCall<'a> {
    /// About a request; what its session knows of the client counts where the request says nothing of it.
    pub(super) fn new(exchange: u64, request: &Request<'a>, capabilities: &Value, level: usize) -> Self {
        let meta = RoutingParams::read(request.params).metadata().unwrap_or_default();
        let token = meta.get("progressToken").filter(|token| token.is_string() || token.is_i64() || token.is_u64());
        let token = token.map(Value::to_string).filter(|token| token.len() <= ID_BYTES_MAX);
        let (capabilities, level) = match request.revision.era {
            Era::Session => (capabilities.clone(), Some(level)),
            Era::Stateless => {
                let wanted = meta.get(LOG_LEVEL_KEY).and_then(Value::as_str);
                let level = wanted.and_then(|wanted| LOG_LEVELS.iter().position(|known| *known == wanted));
                (meta.get(CAPABILITIES_KEY).cloned().unwrap_or_default(), level)
            }
        };
        Self { exchange, request: *request, capabilities, level, token }
    }

    /// Whether its client knows tasks.
    pub(super) fn knows_tasks(&self) -> bool {
        self.request.revision.era == Era::Stateless && declares_tasks(&self.capabilities)
    }

    /// The parameters, as an object.
    pub(super) fn params(&self) -> Map<String, Value> {
        self.request.params.and_then(|params| serde_json::from_str(params).ok()).unwrap_or_default()
    }

    /// What a state belongs to: the method and all parameters but those that change from round to round.
    pub(super) fn binding(&self) -> Vec<u8> {
        let mut params = self.params();
        for name in ["_meta", "inputResponses", "requestState"] {
            params.remove(name);
        }
        json!([self.request.method, params]).to_string().into_bytes()
    }
}

/// Sends what belongs to the call, on its own stream or by its task.
pub(super) struct CallOutbox<'l> {
    pub(super) link: &'l mut Link,
    pub(super) exchange: u64,
    pub(super) calls: &'l Calls,
    /// Where the call may become a task.
    pub(super) tasks: Option<&'l Tasks>,
}

impl Outbox for CallOutbox<'_> {
    fn send(&mut self, kind: u8, body: &[u8]) {
        let _ = match self.tasks {
            Some(tasks) => tasks.send(kind, self.exchange, body),
            None => self.link.send(kind, self.exchange, &[body]),
        };
    }

    fn become_task(&mut self) -> bool {
        self.tasks.is_some_and(Tasks::become_one)
    }

    fn note(&mut self, message: &str) -> bool {
        self.tasks.is_some_and(|tasks| tasks.note(message))
    }

    fn pause(&mut self, until: Instant) -> bool {
        self.calls.pause(until)
    }
}
