//! What a client over standard input says, and which gem it is for.
//!
//! The first request that means something decides the era: `initialize` a session, a request with metadata of its own
//! none; `server/discover` decides nothing. Without a session every call has a gem of its own, or one that its client
//! holds by a handle. Every request is answered once, unless it was cancelled.

use super::host::{Gem, Host, Parcel, StdioError, Way};
use crate::gems;
use protocol::envelope::{Envelope, Kind, batch};
use protocol::error::{self, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST};
use protocol::frame::Frame;
use protocol::gem::{Event, Failed, Final, Lasting, topic, up};
use protocol::limits::{GEMS_OPENING_MAX, HANDLES_MAX, LISTENERS_MAX, SUBSCRIPTIONS_MAX};
use protocol::listen::{Filter, acknowledgement, closing, notice};
use protocol::revision::{Era, Revision, Served};
use protocol::stateless::{self, Fault, Glance};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{self, Write};
use std::time::Duration;

/// The method by which a client without a session listens.
const LISTEN: &str = "subscriptions/listen";

/// What the client turned out to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pin {
    /// It has not said yet.
    Open,
    /// A session, in this gem.
    Session(u64, &'static Revision),
    /// None.
    Stateless,
}

/// A request whose answer is still to come.
#[derive(Debug)]
struct Pending {
    id: String,
    gem: u64,
    cancelled: bool,
}

/// A call that waits for a gem to be forked.
#[derive(Debug)]
struct Waiting {
    exchange: u64,
    id: String,
    revision: &'static Revision,
    body: Vec<u8>,
    /// Whether its client knows tasks.
    knows_tasks: bool,
}

/// How long a gem lasts.
#[derive(Debug, PartialEq, Eq)]
enum Life {
    /// As long as the client.
    Lasting,
    /// As long as its one call, or what that becomes, whose name begins with this.
    Call(String),
    /// As long as the tasks in it, whose names begin with this.
    Tasks(String),
    /// As long as its client holds it by this handle.
    Held(String),
}

/// How long things may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clocks {
    /// One call.
    pub(super) call: Duration,
    /// A gem's rest between two calls, if it is held by a handle.
    pub(super) idle: Duration,
}

/// The client, and everything that works for it.
pub(super) struct Front<'r> {
    pub(super) host: Host<'r>,
    served: Served,
    clocks: Clocks,
    pin: Pin,
    gems: HashMap<u64, (Gem, Life)>,
    clerk: Option<u64>,
    pending: HashMap<u64, Pending>,
    waiting: VecDeque<Waiting>,
    listeners: Vec<(String, Filter)>,
    subscriptions: HashSet<String>,
    numbers: u64,
}

impl<'r> Front<'r> {
    /// For a client that has said nothing yet.
    pub(super) fn new(host: Host<'r>, served: Served, clocks: Clocks) -> Self {
        Self {
            host,
            served,
            clocks,
            pin: Pin::Open,
            gems: HashMap::new(),
            clerk: None,
            pending: HashMap::new(),
            waiting: VecDeque::new(),
            listeners: Vec::new(),
            subscriptions: HashSet::new(),
            numbers: 0,
        }
    }

    /// The gems.
    pub(super) fn gems(&self) -> impl Iterator<Item = (u64, &Gem)> {
        self.gems.iter().map(|(number, (gem, _))| (*number, gem))
    }

    /// Whether an answer is still to come.
    pub(super) fn is_busy(&self) -> bool {
        self.pending.values().any(|pending| !pending.cancelled) || !self.waiting.is_empty()
    }

    /// Whether a gem is there only for what its client may still want, and may end of itself.
    pub(super) fn keeps_gems(&self) -> bool {
        self.lasting() > 0
    }

    /// Ends gems that nobody can want anything of any more, and kills those whose calls will never end.
    pub(super) fn sweep(&mut self) {
        let Clocks { call, idle } = self.clocks;
        self.gems.retain(|_, (gem, life)| match life {
            Life::Tasks(_) => !gem.is_over(),
            Life::Held(_) => !gem.is_over() || gem.has_rested().is_none_or(|rest| rest < idle),
            Life::Lasting | Life::Call(_) => true,
        });
        for (_, (gem, _)) in self.gems.iter().filter(|(_, (gem, _))| gem.is_stuck(call)) {
            gem.kill();
        }
    }

    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// One line.
    pub(super) fn heed(&mut self, line: &[u8]) -> Result<(), StdioError> {
        let Some(parts) = batch(line) else { return self.heed_one(line) };
        let fault = |code, message: &str| error::body(None, code, message, None);
        match parts {
            Err(wrong) => self.say(&fault(wrong.code, wrong.message)),
            Ok(parts) if matches!(self.pin, Pin::Session(_, revision) if revision.batches) => {
                parts.into_iter().try_for_each(|part| self.heed_one(part.as_bytes()))
            }
            Ok(_) => {
                let message = "Invalid request: batches are served in sessions at 2025-03-26 only";
                self.say(&fault(INVALID_REQUEST, message))
            }
        }
    }

    /// A line that was longer than a message may be.
    pub(super) fn refuse_long(&mut self) -> Result<(), StdioError> {
        self.say(&error::body(None, INVALID_REQUEST, "Invalid request: the message is too long", None))
    }

    fn heed_one(&mut self, line: &[u8]) -> Result<(), StdioError> {
        let envelope = match Envelope::parse(line) {
            Ok(envelope) => envelope,
            Err(fault) => return self.say(&error::body(fault.id, fault.code, fault.message, None)),
        };
        match (envelope.kind, envelope.id, envelope.method.as_deref()) {
            (Kind::Request, Some(id), Some(method)) => self.heed_request(id, method, &envelope, line),
            (Kind::Notification, _, Some("notifications/cancelled")) => self.cancel(envelope.params),
            (Kind::Response { .. }, ..) => {
                if let Pin::Session(gem, revision) = self.pin
                    && let Some((gem, _)) = self.gems.get_mut(&gem)
                {
                    gem.ask(Way::Control, 0, Parcel { revision, may_last: false, body: line });
                }
                Ok(())
            }
            // The others tell nothing that a gem wants to know.
            _ => Ok(()),
        }
    }

    fn heed_request(&mut self, id: &str, method: &str, envelope: &Envelope<'_>, line: &[u8]) -> Result<(), StdioError> {
        let glance = Glance::at(envelope.params);
        if let Pin::Session(gem, revision) = self.pin {
            return self.in_session(gem, revision, (id, method, envelope.params), line);
        }
        if self.served.has(Era::Stateless) && (glance.is_enveloped() || self.pin == Pin::Stateless) {
            return match self.check(method, &glance) {
                Ok(revision) => self.alone(revision, (id, method, envelope.params), line),
                Err(fault) => self.refuse(id, &fault),
            };
        }
        match (method, self.served.negotiate(glance.requested().as_deref())) {
            ("initialize", Some(revision)) => self.open_session(revision, id, envelope.params, line),
            ("initialize", None) => {
                let fault = stateless::unsupported(&glance.requested().unwrap_or_default(), &self.served);
                self.refuse(id, &fault)
            }
            ("ping", Some(_)) => self.say(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#).as_bytes()),
            _ => {
                let message = "Invalid request: send initialize or server/discover first".to_owned();
                self.refuse(id, &Fault { code: INVALID_REQUEST, message, data: None })
            }
        }
    }

    /// The checks of a request without a session that have nothing to do with headers.
    fn check(&self, method: &str, glance: &Glance<'_>) -> Result<&'static Revision, Fault> {
        if method == "initialize" && !glance.is_enveloped() {
            return Err(stateless::unsupported(&glance.requested().unwrap_or_default(), &self.served));
        }
        let version = stateless::check_metadata(glance)?;
        let revision = stateless::check_version(&version, &self.served)?;
        if stateless::is_method(method) { Ok(revision) } else { Err(stateless::unknown_method(method)) }
    }

    fn open_session(
        &mut self,
        revision: &'static Revision,
        id: &str,
        params: Option<&str>,
        line: &[u8],
    ) -> Result<(), StdioError> {
        let client = client_name(params, "clientInfo");
        match self.fork(&client, Life::Lasting) {
            Ok(gem) => {
                self.pin = Pin::Session(gem, revision);
                self.ask(gem, Way::Calls, revision, id, line)
            }
            Err(error) => self.lose(id, &error.to_string()),
        }
    }

    fn in_session(
        &mut self,
        gem: u64,
        revision: &'static Revision,
        (id, method, params): (&str, &str, Option<&str>),
        line: &[u8],
    ) -> Result<(), StdioError> {
        if !self.gems.contains_key(&gem) {
            if method == "initialize" {
                return self.open_session(revision, id, params, line);
            }
            return self.lose(id, "the session's process has ended: call initialize for a new one");
        }
        let uri = || object(params).get("uri").and_then(Value::as_str).map(str::to_owned);
        match (method, uri()) {
            ("resources/subscribe", Some(uri)) if self.subscriptions.len() < SUBSCRIPTIONS_MAX => {
                self.subscriptions.insert(uri);
            }
            ("resources/unsubscribe", Some(uri)) => drop(self.subscriptions.remove(&uri)),
            _ => {}
        }
        self.ask(gem, way(method), revision, id, line)
    }

    /// A request that stands for itself.
    fn alone(
        &mut self,
        revision: &'static Revision,
        (id, method, params): (&str, &str, Option<&str>),
        line: &[u8],
    ) -> Result<(), StdioError> {
        if method != "server/discover" {
            self.pin = Pin::Stateless;
        }
        if method.starts_with("tasks/") {
            return self.ask_of_task(revision, (id, params), line);
        }
        if method == LISTEN || way(method) == Way::Control {
            let clerk = match self.clerk() {
                Ok(clerk) => clerk,
                Err(error) => return self.lose(id, &error.to_string()),
            };
            // The clerk knows the commit of its own beginning.
            let knows = !(method.ends_with("/list") && self.gems.get(&clerk).is_some_and(|(gem, _)| gem.lists_move));
            if method == LISTEN {
                return self.listen(clerk, id, params);
            }
            if knows {
                return self.ask(clerk, Way::Control, revision, id, line);
            }
        }
        let knows_tasks = Glance::at(params).declares_tasks();
        let params = object(params);
        let calls = method == "tools/call";
        if calls && params.get("name").is_some_and(|name| name == gems::OPEN) {
            return self.open_gem(revision, id, &params, line);
        }
        let handle = params.get("arguments").and_then(|arguments| arguments.get(gems::ARGUMENT));
        match handle.filter(|_| calls).and_then(Value::as_str) {
            Some(handle) => match self.held(handle) {
                Some(gem) => self.ask(gem, Way::Calls, revision, id, line),
                None => self.say(&tool_error(id, &gems::unknown())),
            },
            None => {
                let (exchange, id, body) = (self.number(), id.to_owned(), line.to_vec());
                self.waiting.push_back(Waiting { exchange, id, revision, body, knows_tasks });
                self.begin_waiting()
            }
        }
    }

    /// A request about a task, for the gem in which it lives.
    fn ask_of_task(
        &mut self,
        revision: &'static Revision,
        (id, params): (&str, Option<&str>),
        line: &[u8],
    ) -> Result<(), StdioError> {
        if !Glance::at(params).declares_tasks() {
            return self.refuse(id, &stateless::tasks_needed());
        }
        let task = object(params).remove("taskId");
        match task.as_ref().and_then(Value::as_str).and_then(|task| self.keeper(task)) {
            Some(gem) => self.ask(gem, Way::Control, revision, id, line),
            None => self.say(&crate::tasks::unknown(id).body),
        }
    }

    /// The gem in which a task of this id may live.
    fn keeper(&self, task: &str) -> Option<u64> {
        let handle = stateless::handle_of_task(task);
        let keeps = |life: &Life| matches!(life, Life::Tasks(own) | Life::Held(own) if own == handle);
        self.gems.iter().find(|(_, (_, life))| keeps(life)).map(|(number, _)| *number)
    }

    /// How many gems last because of what their client may still want.
    fn lasting(&self) -> usize {
        self.gems.values().filter(|(_, life)| matches!(life, Life::Held(_) | Life::Tasks(_))).count()
    }

    /// Forks gems for calls that wait, a bounded number at once.
    fn begin_waiting(&mut self) -> Result<(), StdioError> {
        loop {
            let calls = self.gems.values().filter(|(_, life)| matches!(life, Life::Call(_))).count();
            if calls >= GEMS_OPENING_MAX {
                return Ok(());
            }
            let Some(Waiting { exchange, id, revision, body, knows_tasks }) = self.waiting.pop_front() else {
                return Ok(());
            };
            let may_last = knows_tasks && self.lasting() + calls < HANDLES_MAX;
            match random_handle().and_then(|handle| self.fork("", Life::Call(handle))) {
                Ok(gem) => {
                    self.pending.insert(exchange, Pending { id, gem, cancelled: false });
                    if let Some((gem, _)) = self.gems.get_mut(&gem) {
                        gem.ask(Way::Calls, exchange, Parcel { revision, may_last, body: &body });
                    }
                }
                Err(error) => self.lose(&id, &error.to_string())?,
            }
        }
    }

    fn held(&self, handle: &str) -> Option<u64> {
        let found = self.gems.iter().find(|(_, (_, life))| matches!(life, Life::Held(held) if held == handle));
        found.map(|(number, _)| *number)
    }

    fn open_gem(
        &mut self,
        revision: &'static Revision,
        id: &str,
        params: &Map<String, Value>,
        line: &[u8],
    ) -> Result<(), StdioError> {
        if self.lasting() >= HANDLES_MAX {
            let text = format!("{HANDLES_MAX} gems are open already: close one with close_gem first");
            return self.say(&tool_error(id, &crate::tool::Refusal::new("tooManyGems", text)));
        }
        let info = &params["_meta"]["io.modelcontextprotocol/clientInfo"]["name"];
        let client = info.as_str().unwrap_or_default().to_owned();
        match random_handle().and_then(|handle| self.fork(&client, Life::Held(handle))) {
            Ok(gem) => self.ask(gem, Way::Calls, revision, id, line),
            Err(error) => self.lose(id, &error.to_string()),
        }
    }

    /// The gem that answers what needs no image.
    fn clerk(&mut self) -> Result<u64, StdioError> {
        if let Some(clerk) = self.clerk.filter(|clerk| self.gems.contains_key(clerk)) {
            return Ok(clerk);
        }
        let clerk = self.fork("", Life::Lasting)?;
        self.clerk = Some(clerk);
        Ok(clerk)
    }

    fn listen(&mut self, clerk: u64, id: &str, params: Option<&str>) -> Result<(), StdioError> {
        // What can be heard is known once the clerk serves; it was just forked, or has served for long.
        while self.gems.get(&clerk).is_some_and(|(gem, _)| gem.topics.is_none()) {
            self.listen_to(clerk, Way::Calls)?;
        }
        let topics = self.gems.get(&clerk).and_then(|(gem, _)| gem.topics.clone()).unwrap_or_default();
        if self.listeners.len() >= LISTENERS_MAX {
            return self.lose(id, &format!("{LISTENERS_MAX} subscriptions are open already"));
        }
        match Filter::read(params.unwrap_or("{}")) {
            Ok(filter) if filter.names_tasks() && !Glance::at(params).declares_tasks() => {
                self.refuse(id, &stateless::tasks_needed())
            }
            Ok(filter) => {
                let filter = filter.honoured(&topics, |task| self.keeper(task).is_some());
                self.say(acknowledgement(&filter, id).as_bytes())?;
                self.listeners.push((id.to_owned(), filter));
                Ok(())
            }
            Err(message) => self.refuse(id, &Fault { code: INVALID_PARAMS, message, data: None }),
        }
    }

    fn fork(&mut self, client: &str, life: Life) -> Result<u64, StdioError> {
        let (handle, held) = match &life {
            Life::Lasting => (None, false),
            Life::Call(handle) | Life::Tasks(handle) => (Some(handle.as_str()), false),
            Life::Held(handle) => (Some(handle.as_str()), true),
        };
        let gem = self.host.fork(client, handle, held)?;
        let number = self.number();
        self.gems.insert(number, (gem, life));
        Ok(number)
    }

    fn ask(
        &mut self,
        gem: u64,
        way: Way,
        revision: &'static Revision,
        id: &str,
        line: &[u8],
    ) -> Result<(), StdioError> {
        let exchange = self.number();
        let parcel = Parcel { revision, may_last: false, body: line };
        let taken = self.gems.get_mut(&gem).is_some_and(|(gem, _)| gem.ask(way, exchange, parcel));
        if !taken {
            return self.lose(id, "too many calls wait already; try again when some have ended");
        }
        self.pending.insert(exchange, Pending { id: id.to_owned(), gem, cancelled: false });
        Ok(())
    }

    /// The client gives up what bears the id that it names; it wants no answer.
    fn cancel(&mut self, params: Option<&str>) -> Result<(), StdioError> {
        let Some(id) = object(params).remove("requestId").map(|id| id.to_string()) else { return Ok(()) };
        self.waiting.retain(|waiting| !same(&waiting.id, &id));
        self.listeners.retain(|(listener, _)| !same(listener, &id));
        let meant: Vec<u64> =
            self.pending.iter().filter(|(_, pending)| same(&pending.id, &id)).map(|(exchange, _)| *exchange).collect();
        for exchange in meant {
            let Some(pending) = self.pending.get_mut(&exchange) else { continue };
            pending.cancelled = true;
            let number = pending.gem;
            let Some((gem, life)) = self.gems.get_mut(&number) else { continue };
            if matches!(life, Life::Call(_)) {
                // Its end ends the call, whatever that is doing.
                self.gems.remove(&number);
                self.pending.remove(&exchange);
            } else if !gem.cancel(exchange) {
                self.pending.remove(&exchange);
            }
        }
        self.begin_waiting()
    }

    /// Hears what a gem says on one of its sockets.
    pub(super) fn listen_to(&mut self, number: u64, way: Way) -> Result<(), StdioError> {
        let Some((gem, _)) = self.gems.get_mut(&number) else { return Ok(()) };
        let (mut frames, open) = gem.hear(way);
        // Of a gem that has ended, what it said on the other socket is still heard: why it could not serve, say.
        let mut unheard = !open && way == Way::Control;
        while unheard {
            let (more, goes_on) = gem.hear(Way::Calls);
            frames.extend(more);
            unheard = goes_on;
        }
        for frame in frames {
            self.heed_frame(number, &frame)?;
        }
        if open { Ok(()) } else { self.bury(number) }
    }

    fn heed_frame(&mut self, number: u64, frame: &Frame) -> Result<(), StdioError> {
        match frame.kind {
            up::READY => {
                let Ok(ready) = serde_json::from_slice(&frame.body) else { return Ok(()) };
                if let Some((gem, _)) = self.gems.get_mut(&number) {
                    gem.serves(ready);
                }
                Ok(())
            }
            up::FAILED => {
                let failed: Option<Failed> = serde_json::from_slice(&frame.body).ok();
                if let Some((gem, _)) = self.gems.get_mut(&number) {
                    gem.failure = failed.map(|failed| failed.message);
                }
                Ok(())
            }
            up::MESSAGE => match self.pending.get(&frame.exchange) {
                Some(pending) if !pending.cancelled => self.say(&frame.body),
                _ => Ok(()),
            },
            up::EVENT => self.fan_out(&frame.body),
            up::LASTING => {
                if let (Ok(lasting), Some((gem, _))) = (Lasting::decode(&frame.body), self.gems.get_mut(&number)) {
                    gem.lasts(lasting);
                }
                Ok(())
            }
            up::FINAL => self.finish(number, frame),
            _ => Ok(()),
        }
    }

    fn finish(&mut self, number: u64, frame: &Frame) -> Result<(), StdioError> {
        let Ok(Final { keep, body, .. }) = Final::decode(&frame.body) else { return Ok(()) };
        let pending = self.pending.remove(&frame.exchange);
        if let Some((gem, life)) = self.gems.get_mut(&number) {
            gem.finished(frame.exchange);
            match life {
                Life::Lasting => {}
                Life::Call(handle) if keep => *life = Life::Tasks(std::mem::take(handle)),
                Life::Tasks(_) | Life::Held(_) if keep => {}
                _ => drop(self.gems.remove(&number)),
            }
        }
        if pending.is_some_and(|pending| !pending.cancelled) && !body.is_empty() {
            self.say(body)?;
        }
        self.begin_waiting()
    }

    fn fan_out(&mut self, body: &[u8]) -> Result<(), StdioError> {
        let Ok(event) = Event::decode(body) else { return Ok(()) };
        let in_session = matches!(self.pin, Pin::Session(..))
            && event.topic != topic::TASK
            && (event.topic != topic::RESOURCE || self.subscriptions.contains(event.subject));
        let mut notices: Vec<String> = notice(&event, None).filter(|_| in_session).into_iter().collect();
        let wanting = self.listeners.iter().filter(|(_, filter)| filter.wants(&event));
        notices.extend(wanting.filter_map(|(id, _)| notice(&event, Some(id))));
        notices.iter().try_for_each(|notice| self.say(notice.as_bytes()))
    }

    /// A gem is gone: whoever waits for it hears why.
    fn bury(&mut self, number: u64) -> Result<(), StdioError> {
        let failure = self.gems.remove(&number).and_then(|(gem, _)| gem.failure);
        let reason = failure.as_deref().unwrap_or("its process ended; what it had not committed is lost");
        let lost: Vec<u64> =
            self.pending.iter().filter(|(_, pending)| pending.gem == number).map(|(exchange, _)| *exchange).collect();
        for exchange in lost {
            if let Some(pending) = self.pending.remove(&exchange)
                && !pending.cancelled
            {
                self.lose(&pending.id, reason)?;
            }
        }
        self.begin_waiting()
    }

    fn refuse(&self, id: &str, fault: &Fault) -> Result<(), StdioError> {
        self.say(&error::body(Some(id), fault.code, &fault.message, fault.data.as_ref()))
    }

    fn lose(&self, id: &str, reason: &str) -> Result<(), StdioError> {
        let message = format!("The request has no answer: {reason}");
        self.say(&error::body_of_kind(Some(id), INTERNAL_ERROR, &message, "workerDied"))
    }

    /// One message, on a line of its own.
    fn say(&self, message: &[u8]) -> Result<(), StdioError> {
        let mut output = io::stdout().lock();
        output.write_all(message)?;
        output.write_all(b"\n")?;
        Ok(output.flush()?)
    }
}

impl Drop for Front<'_> {
    /// Whoever still listens gets the answer to its request, if somebody reads it.
    fn drop(&mut self) {
        for (id, _) in std::mem::take(&mut self.listeners) {
            let _ = self.say(closing(&id).as_bytes());
        }
    }
}

/// A handle that nobody can guess.
fn random_handle() -> Result<String, StdioError> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bits.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn way(method: &str) -> Way {
    match method {
        "ping"
        | "server/discover"
        | "tools/list"
        | "prompts/list"
        | "resources/list"
        | "resources/templates/list"
        | "logging/setLevel" => Way::Control,
        _ => Way::Calls,
    }
}

/// Whether two raw ids are the same value, however they are written.
fn same(one: &str, other: &str) -> bool {
    let read = |raw: &str| serde_json::from_str::<Value>(raw).ok();
    one == other || (read(one).is_some() && read(one) == read(other))
}

fn object(params: Option<&str>) -> Map<String, Value> {
    params.and_then(|params| serde_json::from_str(params).ok()).unwrap_or_default()
}

fn client_name(params: Option<&str>, member: &str) -> String {
    let params = object(params);
    params.get(member).and_then(|info| info["name"].as_str()).unwrap_or_default().to_owned()
}

fn tool_error(id: &str, refusal: &crate::tool::Refusal) -> Vec<u8> {
    let result = json!({
        "content": [{"type": "text", "text": refusal.text}],
        "structuredContent": {"error": refusal.clone().data()},
        "isError": true,
        "resultType": "complete",
    });
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into_bytes()
}
