//! Calls that go on after their client was answered: the extension for tasks.
//!
//! A call of a client that knows tasks becomes one when its handler says so, or when it has taken long: the client
//! gets the task's id, and asks for the outcome by it. The gem lasts as long as its tasks are kept. Two threads meet
//! here: the one that runs the call, and the one that answers what is asked of a task meanwhile. Whether a call is
//! answered as a task or by its outcome is decided once, by whoever has the turn to write on the call socket.

use crate::calls::{Calls, Cancel};
use crate::catalogue::{Catalogue, Request, refuse, refuse_alone};
use crate::client::Question;
use crate::link::{Link, LinkError, Reply, Stream};
use protocol::error::INVALID_PARAMS;
use protocol::gem::{Event, Final, Lasting, topic, up};
use protocol::limits::{TASK_AFTER_MILLIS, TASK_KEPT_MILLIS, TASK_POLL_MILLIS, TASKS_MAX};
use protocol::revision::{Era, Revision};
use protocol::shape::Cache;
use protocol::stateless::{RoutingParams, tasks_needed};
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// All tasks of one gem.
pub(crate) struct Tasks {
    handle: String,
    kept: Duration,
    catalogue: Arc<Catalogue>,
    /// The call socket.
    stream: Arc<Stream>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    tasks: Vec<Task>,
    made: u64,
    call: Option<Call>,
}

/// The call that runs.
struct Call {
    exchange: u64,
    id: String,
    revision: &'static Revision,
    /// When it becomes a task by itself.
    due: Option<Instant>,
    /// The task that it has become.
    task: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Working,
    InputRequired,
    Completed,
    Failed,
    Cancelled,
}

struct Task {
    id: String,
    exchange: u64,
    status: Status,
    message: Option<String>,
    made: Instant,
    created: SystemTime,
    updated: SystemTime,
    /// What its client is asked and has not answered yet.
    questions: Vec<Asked>,
    /// Names of all that was ever asked.
    keys: Vec<String>,
    cancelled: bool,
    /// `result` or `error`, and what it is.
    outcome: Option<(&'static str, Value)>,
}

/// What the client of a task is asked.
pub(crate) struct Asked {
    /// By what name, in this task.
    pub(crate) key: String,
    /// What.
    pub(crate) question: Question,
    /// As it travels.
    pub(crate) request: Value,
}

impl Tasks {
    /// For a gem of this handle; a call may take so long at most.
    pub(crate) fn new(handle: &str, call: Duration, catalogue: Arc<Catalogue>, stream: Arc<Stream>) -> Self {
        let kept = call + Duration::from_millis(TASK_KEPT_MILLIS);
        Self { handle: handle.to_owned(), kept, catalogue, stream, state: Mutex::default() }
    }

    /// A call begins that may become a task, by itself when it has taken long.
    pub(crate) fn begin(&self, exchange: u64, request: &Request<'_>) {
        let mut state = self.state();
        self.forget(&mut state);
        if state.tasks.len() >= TASKS_MAX {
            return;
        }
        let due = Some(Instant::now() + Duration::from_millis(TASK_AFTER_MILLIS));
        state.call = Some(Call { exchange, id: request.id.to_owned(), revision: request.revision, due, task: None });
    }

    /// When a call is to be looked at next, if one is.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.state().call.as_ref().and_then(|call| call.due)
    }

    /// Makes a task of the call that runs, if it is due. While the call socket is being written to, it is not.
    pub(crate) fn convert_what_is_due(&self) -> Result<(), LinkError> {
        let Some(turn) = self.stream.try_turn() else { return Ok(()) };
        let due = self.due().is_some_and(|due| due <= Instant::now());
        if due { self.convert(&turn).map(drop) } else { Ok(()) }
    }

    /// Makes a task of the call that runs, now. False if it cannot become one.
    pub(crate) fn become_one(&self) -> bool {
        let turn = self.stream.turn();
        self.convert(&turn).unwrap_or(false)
    }

    /// From here on the call becomes no task any more unless it has; whether it has.
    pub(crate) fn settle(&self) -> bool {
        let _turn = self.stream.turn();
        self.state().call.as_mut().is_some_and(|call| {
            call.due = None;
            call.task.is_some()
        })
    }

    fn convert(&self, turn: &MutexGuard<'_, ()>) -> Result<bool, LinkError> {
        let mut guard = self.state();
        let state = &mut *guard;
        let Some(call) = &mut state.call else { return Ok(false) };
        if call.task.is_some() {
            return Ok(true);
        }
        state.made += 1;
        let task = Task::new(format!("{}-{}", self.handle, state.made), call.exchange);
        call.due = None;
        call.task = Some(task.id.clone());
        let mut result = task.describe(self.kept);
        result.insert("resultType".to_owned(), json!("task"));
        let request = Request { id: &call.id, method: "tools/call", params: None, revision: call.revision };
        let reply = self.catalogue.result(&request, Value::Object(result), Cache::Unsaid);
        let exchange = call.exchange;
        state.tasks.push(task);
        drop(guard);
        // The router knows that the gem lasts before a client knows of the task.
        let lasting = Lasting { running: true, millis: self.kept.as_millis() as u64 };
        self.stream.write(turn, up::LASTING, exchange, &[&lasting.encode()])?;
        self.stream.write(turn, up::FINAL, exchange, &[&Final::head(reply.status, true), &reply.body])?;
        Ok(true)
    }

    /// Sends something that belongs to the call; what no task may send is dropped.
    pub(crate) fn send(&self, kind: u8, exchange: u64, body: &[u8]) -> Result<(), LinkError> {
        let turn = self.stream.turn();
        let is_task = self.state().call.as_ref().is_some_and(|call| call.task.is_some());
        if is_task && kind == up::MESSAGE { Ok(()) } else { self.stream.write(&turn, kind, exchange, &[body]) }
    }

    /// Says how far the task has come that the call is. False if it is none.
    pub(crate) fn note(&self, message: &str) -> bool {
        self.change_current(|task| task.message = Some(message.to_owned())).is_some()
    }

    /// The call has ended: answers it, or keeps its outcome for whoever asks for it.
    pub(crate) fn finish(&self, exchange: u64, reply: &Reply, keep: bool) -> Result<(), LinkError> {
        let turn = self.stream.turn();
        let mut state = self.state();
        let Some(id) = state.call.take().and_then(|call| call.task) else {
            let keep = keep || !state.tasks.is_empty();
            drop(state);
            return self.stream.write(&turn, up::FINAL, exchange, &[&Final::head(reply.status, keep), &reply.body]);
        };
        let Some(task) = state.tasks.iter_mut().find(|task| task.id == id) else { return Ok(()) };
        task.end(&reply.body);
        let told = task.describe(self.kept);
        let rest = self.kept.saturating_sub(task.made.elapsed());
        drop(state);
        let lasting = Lasting { running: false, millis: rest.as_millis() as u64 };
        self.stream.write(&turn, up::LASTING, exchange, &[&lasting.encode()])?;
        self.stream.write(&turn, up::EVENT, 0, &[&told_of(&id, told)])
    }

    /// Has the client of the task asked; answers under which names. Nothing if the call is no task.
    pub(crate) fn ask(
        &self,
        asked: Vec<(String, Question)>,
        revision: &Revision,
        calls: &Calls,
    ) -> Option<Vec<String>> {
        let mut names = Vec::new();
        let told = self.change_current(|task| {
            for (key, question) in asked {
                let name = task.fresh(&key);
                let request = question.request(revision, &name);
                task.questions.push(Asked { key: name.clone(), question, request });
                names.push(name);
            }
            calls.expect(&names);
            task.status = Status::InputRequired;
        });
        self.tell_of(told?);
        Some(names)
    }

    /// The client of the task is asked nothing any more.
    pub(crate) fn go_on(&self) {
        let told = self.change_current(|task| {
            task.questions.clear();
            task.status = Status::Working;
        });
        if let Some(told) = told {
            self.tell_of(told);
        }
    }

    fn change_current(&self, change: impl FnOnce(&mut Task)) -> Option<(String, Map<String, Value>)> {
        let mut guard = self.state();
        let state = &mut *guard;
        let id = state.call.as_ref()?.task.as_ref()?;
        let task = state.tasks.iter_mut().find(|task| task.id == *id)?;
        change(task);
        task.updated = SystemTime::now();
        Some((task.id.clone(), task.describe(self.kept)))
    }

    fn tell_of(&self, (id, told): (String, Map<String, Value>)) {
        // A link that is broken is found out when the call has ended.
        let _ = self.stream.write(&self.stream.turn(), up::EVENT, 0, &[&told_of(&id, told)]);
    }

    /// Forgets what nobody may ask for any more.
    fn forget(&self, state: &mut State) {
        state.tasks.retain(|task| task.outcome.is_none() || task.made.elapsed() < self.kept);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The event that tells of a task.
fn told_of(id: &str, told: Map<String, Value>) -> Vec<u8> {
    Event { topic: topic::TASK, subject: id, details: &Value::Object(told).to_string() }.encode()
}

impl Task {
    fn new(id: String, exchange: u64) -> Self {
        let now = SystemTime::now();
        Self {
            id,
            exchange,
            status: Status::Working,
            message: None,
            made: Instant::now(),
            created: now,
            updated: now,
            questions: Vec::new(),
            keys: Vec::new(),
            cancelled: false,
            outcome: None,
        }
    }

    /// A name for a question that no other of this task has had.
    fn fresh(&mut self, key: &str) -> String {
        let number = self.keys.iter().filter(|used| *used == key).count();
        self.keys.push(key.to_owned());
        if number == 0 { key.to_owned() } else { format!("{key}#{}", number + 1) }
    }

    /// The call has ended with this response.
    fn end(&mut self, response: &[u8]) {
        let mut response: Map<String, Value> = serde_json::from_slice(response).unwrap_or_default();
        let interrupted =
            response.get("result").is_some_and(|result| result["structuredContent"]["error"]["kind"] == "interrupted");
        self.questions.clear();
        self.updated = SystemTime::now();
        (self.status, self.message) = match (response.remove("result"), response.remove("error")) {
            // Whoever was too late with it gets the outcome: what was done is done.
            (Some(_), _) if self.cancelled && interrupted => (Status::Cancelled, Some("Cancelled".to_owned())),
            (Some(result), _) => {
                self.outcome = Some(("result", result));
                (Status::Completed, None)
            }
            (None, error) => {
                let error = error.unwrap_or_else(|| json!({"code": -32603, "message": "The call has no answer"}));
                let message = error["message"].as_str().map(str::to_owned);
                self.outcome = Some(("error", error));
                (Status::Failed, message)
            }
        };
        self.outcome.get_or_insert(("", Value::Null));
    }

    /// As a client is told of it.
    fn describe(&self, kept: Duration) -> Map<String, Value> {
        let stamp = |time| humantime::format_rfc3339_millis(time).to_string();
        let mut described = Map::from_iter([
            ("taskId".to_owned(), json!(self.id)),
            ("status".to_owned(), json!(self.status.name())),
            ("createdAt".to_owned(), json!(stamp(self.created))),
            ("lastUpdatedAt".to_owned(), json!(stamp(self.updated))),
            ("ttlMs".to_owned(), json!(kept.as_millis() as u64)),
            ("pollIntervalMs".to_owned(), json!(TASK_POLL_MILLIS)),
        ]);
        if let Some(message) = &self.message {
            described.insert("statusMessage".to_owned(), json!(message));
        }
        if self.status == Status::InputRequired {
            let requests = self.questions.iter().map(|asked| (asked.key.clone(), asked.request.clone()));
            described.insert("inputRequests".to_owned(), Value::Object(requests.collect()));
        }
        if let Some((name, outcome)) = self.outcome.as_ref().filter(|(name, _)| !name.is_empty()) {
            described.insert((*name).to_owned(), outcome.clone());
        }
        described
    }
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Working => "working",
            Status::InputRequired => "input_required",
            Status::Completed => "completed",
            Status::Failed => "failed",
            Status::Cancelled => "cancelled",
        }
    }
}

/// The answer to a request about a task; nothing for another method. `control` is where a change is told of.
pub(crate) fn answer(
    tasks: Option<&Tasks>,
    catalogue: &Catalogue,
    calls: &Calls,
    control: &mut Link,
    request: &Request<'_>,
) -> Option<Reply> {
    let known = matches!(request.method, "tasks/get" | "tasks/update" | "tasks/cancel");
    if !known || request.revision.era == Era::Session {
        return None;
    }
    if !RoutingParams::read(request.params).declares_tasks() {
        return Some(refuse_alone(request.id, &tasks_needed()));
    }
    let params: Map<String, Value> =
        request.params.and_then(|params| serde_json::from_str(params).ok()).unwrap_or_default();
    let Some(id) = params.get("taskId").and_then(Value::as_str) else {
        return Some(refuse(request.id, INVALID_PARAMS, "Invalid params: taskId must be a string", "invalidParams"));
    };
    let answered = tasks.and_then(|tasks| match request.method {
        "tasks/get" => tasks.get(id),
        "tasks/update" => tasks.update(id, &params, calls, control),
        _ => tasks.cancel(id, calls),
    });
    Some(match answered {
        None => unknown(request.id),
        Some(Err(message)) => refuse(request.id, INVALID_PARAMS, message, "invalidParams"),
        Some(Ok(result)) => catalogue.result(request, Value::Object(result), Cache::Unsaid),
    })
}

/// The refusal of a task's id that names none.
pub(crate) fn unknown(id: &str) -> Reply {
    let message = "Unknown task: its id is wrong, or it is not kept any more";
    refuse(id, INVALID_PARAMS, message, "notFound")
}

type Answered = Option<Result<Map<String, Value>, &'static str>>;

impl Tasks {
    fn get(&self, id: &str) -> Answered {
        let mut state = self.state();
        self.forget(&mut state);
        let task = state.tasks.iter().find(|task| task.id == id)?;
        Some(Ok(task.describe(self.kept)))
    }

    /// Takes what of the answers was asked for and fits; what does not stays open.
    fn update(&self, id: &str, params: &Map<String, Value>, calls: &Calls, control: &mut Link) -> Answered {
        let mut state = self.state();
        self.forget(&mut state);
        let task = state.tasks.iter_mut().find(|task| task.id == id)?;
        let Some(Value::Object(answers)) = params.get("inputResponses") else {
            return Some(Err("Invalid params: inputResponses must be an object"));
        };
        let open = task.questions.len();
        task.questions.retain(|asked| match answers.get(&asked.key).filter(|answer| asked.question.accepts(answer)) {
            Some(answer) => {
                calls.answer(&asked.key, Ok(answer.clone()));
                false
            }
            None => true,
        });
        if task.questions.len() < open {
            task.updated = SystemTime::now();
            if task.questions.is_empty() {
                task.status = Status::Working;
            }
            let told = told_of(id, task.describe(self.kept));
            drop(state);
            // A link that is broken is found out when the answer is sent.
            let _ = control.send(up::EVENT, 0, &[&told]);
        }
        Some(Ok(Map::new()))
    }

    /// Asks the call to end; what it comes to, is seen at the task.
    fn cancel(&self, id: &str, calls: &Calls) -> Answered {
        let mut state = self.state();
        self.forget(&mut state);
        let task = state.tasks.iter_mut().find(|task| task.id == id)?;
        if task.outcome.is_none() {
            task.cancelled = true;
            calls.cancel(Cancel::Exchange(task.exchange));
        }
        Some(Ok(Map::new()))
    }
}
