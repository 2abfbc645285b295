//! Calls that go on after their client was answered: the extension for tasks.
//!
//! A call of a client that knows tasks becomes one when its handler says so, or when it has taken long: the client
//! gets the task's id, and asks for the outcome by it. The gem lasts as long as its tasks are kept. Two threads meet
//! here: the one that runs the call, and the one that answers what is asked of a task meanwhile. Whether a call is
//! answered as a task or by its outcome is decided once, under the lock for writing on the call socket.

mod task;

use crate::calls::{Calls, Cancel};
use crate::discovery::Discovery;
use crate::link::{FrameWriter, Link, LinkError};
use crate::request::{Reply, Request, refuse, refuse_with_status};
use crate::tool::Question;
use protocol::error::INVALID_PARAMS;
use protocol::gem::{Event, Final, Lasting, topic, up};
use protocol::limits::{TASK_AFTER_MILLIS, TASK_KEPT_MILLIS, TASKS_MAX};
use protocol::revision::{Era, Revision};
use protocol::shape::Cache;
use protocol::stateless::{RoutingParams, tasks_needed};
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use task::{PendingQuestion, Task, TaskStatus};

/// All tasks of one gem.
pub(crate) struct Tasks {
    handle: String,
    kept: Duration,
    discovery: Arc<Discovery>,
    /// The call socket.
    writer: Arc<FrameWriter>,
    table: Mutex<TaskTable>,
}

#[derive(Default)]
struct TaskTable {
    tasks: Vec<Task>,
    made: u64,
    call: Option<RunningCall>,
}

/// The call that runs.
struct RunningCall {
    exchange: u64,
    id: String,
    revision: &'static Revision,
    /// When it becomes a task by itself.
    due: Option<Instant>,
    /// The task that it has become.
    task: Option<String>,
}

impl Tasks {
    /// For a gem of this handle; a call may take so long at most.
    pub(crate) fn new(handle: &str, call: Duration, discovery: Arc<Discovery>, writer: Arc<FrameWriter>) -> Self {
        let kept = call + Duration::from_millis(TASK_KEPT_MILLIS);
        Self { handle: handle.to_owned(), kept, discovery, writer, table: Mutex::default() }
    }

    /// A call begins that may become a task, by itself when it has taken long.
    pub(crate) fn begin(&self, exchange: u64, request: &Request<'_>) {
        let mut table = self.table();
        self.forget(&mut table);
        if table.tasks.len() >= TASKS_MAX {
            return;
        }
        let due = Some(Instant::now() + Duration::from_millis(TASK_AFTER_MILLIS));
        table.call =
            Some(RunningCall { exchange, id: request.id.to_owned(), revision: request.revision, due, task: None });
    }

    /// When a call is to be looked at next, if one is.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.table().call.as_ref().and_then(|call| call.due)
    }

    /// Makes a task of the call that runs, if it is due. While the call socket is being written to, it is not.
    pub(crate) fn convert_what_is_due(&self) -> Result<(), LinkError> {
        let Some(lock) = self.writer.try_lock() else { return Ok(()) };
        let due = self.due().is_some_and(|due| due <= Instant::now());
        if due { self.convert(&lock).map(drop) } else { Ok(()) }
    }

    /// Makes a task of the call that runs, now. False if it cannot become one.
    pub(crate) fn become_one(&self) -> bool {
        let lock = self.writer.lock();
        self.convert(&lock).unwrap_or(false)
    }

    /// From here on the call becomes no task any more unless it has; whether it has.
    pub(crate) fn settle(&self) -> bool {
        let _lock = self.writer.lock();
        self.table().call.as_mut().is_some_and(|call| {
            call.due = None;
            call.task.is_some()
        })
    }

    fn convert(&self, lock: &MutexGuard<'_, ()>) -> Result<bool, LinkError> {
        let mut guard = self.table();
        let table = &mut *guard;
        let Some(call) = &mut table.call else { return Ok(false) };
        if call.task.is_some() {
            return Ok(true);
        }
        table.made += 1;
        let task = Task::new(format!("{}-{}", self.handle, table.made), call.exchange);
        call.due = None;
        call.task = Some(task.id.clone());
        let mut result = task.describe(self.kept);
        result.insert("resultType".to_owned(), json!("task"));
        let request = Request { id: &call.id, method: "tools/call", params: None, revision: call.revision };
        let reply = self.discovery.result(&request, Value::Object(result), Cache::Unsaid);
        let exchange = call.exchange;
        table.tasks.push(task);
        drop(guard);
        // The router knows that the gem lasts before a client knows of the task.
        let lasting = Lasting { running: true, millis: self.kept.as_millis() as u64 };
        self.writer.write(lock, up::LASTING, exchange, &[&lasting.encode()])?;
        self.writer.write(lock, up::FINAL, exchange, &[&Final::head(reply.status, true), &reply.body])?;
        Ok(true)
    }

    /// Sends something that belongs to the call; what no task may send is dropped.
    pub(crate) fn send(&self, kind: u8, exchange: u64, body: &[u8]) -> Result<(), LinkError> {
        let lock = self.writer.lock();
        let is_task = self.table().call.as_ref().is_some_and(|call| call.task.is_some());
        if is_task && kind == up::MESSAGE { Ok(()) } else { self.writer.write(&lock, kind, exchange, &[body]) }
    }

    /// Says how far the task has come that the call is. False if it is none.
    pub(crate) fn note(&self, message: &str) -> bool {
        self.change_current(|task| task.message = Some(message.to_owned())).is_some()
    }

    /// The call has ended: answers it, or keeps its outcome until its client asks for it.
    pub(crate) fn finish(&self, exchange: u64, reply: Reply, keep: bool) -> Result<(), LinkError> {
        let lock = self.writer.lock();
        let mut table = self.table();
        let Some(id) = table.call.take().and_then(|call| call.task) else {
            let keep = keep || !table.tasks.is_empty();
            drop(table);
            return self.writer.write(&lock, up::FINAL, exchange, &[&Final::head(reply.status, keep), &reply.body]);
        };
        let Some(task) = table.tasks.iter_mut().find(|task| task.id == id) else { return Ok(()) };
        task.end(reply.outcome);
        let described = task.describe(self.kept);
        let rest = self.kept.saturating_sub(task.made.elapsed());
        drop(table);
        let lasting = Lasting { running: false, millis: rest.as_millis() as u64 };
        self.writer.write(&lock, up::LASTING, exchange, &[&lasting.encode()])?;
        self.writer.write(&lock, up::EVENT, 0, &[&task_event(&id, described)])
    }

    /// Has the client of the task asked; answers under which names. Nothing if the call is no task.
    pub(crate) fn ask(
        &self,
        asked: Vec<(String, Question)>,
        revision: &Revision,
        calls: &Calls,
    ) -> Option<Vec<String>> {
        let mut names = Vec::new();
        let described = self.change_current(|task| {
            for (key, question) in asked {
                let name = task.fresh(&key);
                let request = question.request(revision, &name);
                task.questions.push(PendingQuestion { key: name.clone(), question, request });
                names.push(name);
            }
            calls.expect(&names);
            task.status = TaskStatus::InputRequired;
        });
        self.send_event(described?);
        Some(names)
    }

    /// The client of the task is asked nothing any more.
    pub(crate) fn go_on(&self) {
        let described = self.change_current(|task| {
            task.questions.clear();
            task.status = TaskStatus::Working;
        });
        if let Some(described) = described {
            self.send_event(described);
        }
    }

    fn change_current(&self, change: impl FnOnce(&mut Task)) -> Option<(String, Map<String, Value>)> {
        let mut guard = self.table();
        let table = &mut *guard;
        let id = table.call.as_ref()?.task.as_ref()?;
        let task = table.tasks.iter_mut().find(|task| task.id == *id)?;
        change(task);
        task.updated = SystemTime::now();
        Some((task.id.clone(), task.describe(self.kept)))
    }

    fn send_event(&self, (id, described): (String, Map<String, Value>)) {
        // A link that is broken is found out when the call has ended.
        let _ = self.writer.write(&self.writer.lock(), up::EVENT, 0, &[&task_event(&id, described)]);
    }

    /// Forgets what is not kept any more.
    fn forget(&self, table: &mut TaskTable) {
        table.tasks.retain(|task| !task.has_ended() || task.made.elapsed() < self.kept);
    }

    fn table(&self) -> MutexGuard<'_, TaskTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The event that tells of a task.
fn task_event(id: &str, described: Map<String, Value>) -> Vec<u8> {
    Event { topic: topic::TASK, subject: id, details: &Value::Object(described).to_string() }.encode()
}

/// The answer to a request about a task; nothing for another method. `control` is where a change is told of.
pub(crate) fn answer(
    tasks: Option<&Tasks>,
    discovery: &Discovery,
    calls: &Calls,
    control: &mut Link,
    request: &Request<'_>,
) -> Option<Reply> {
    let known = matches!(request.method, "tasks/get" | "tasks/update" | "tasks/cancel");
    if !known || request.revision.era == Era::Session {
        return None;
    }
    if !RoutingParams::read(request.params).declares_tasks() {
        return Some(refuse_with_status(request.id, tasks_needed()));
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
        Some(Ok(result)) => discovery.result(request, Value::Object(result), Cache::Unsaid),
    })
}

/// The refusal of a task's id that names none.
pub(crate) fn unknown(id: &str) -> Reply {
    let message = "Unknown task: its id is wrong, or it is not kept any more";
    refuse(id, INVALID_PARAMS, message, "notFound")
}

type TaskReply = Option<Result<Map<String, Value>, &'static str>>;

impl Tasks {
    fn get(&self, id: &str) -> TaskReply {
        let mut table = self.table();
        self.forget(&mut table);
        let task = table.tasks.iter().find(|task| task.id == id)?;
        Some(Ok(task.describe(self.kept)))
    }

    /// Takes what of the answers was asked for and fits; what does not stays open.
    fn update(&self, id: &str, params: &Map<String, Value>, calls: &Calls, control: &mut Link) -> TaskReply {
        let mut table = self.table();
        self.forget(&mut table);
        let task = table.tasks.iter_mut().find(|task| task.id == id)?;
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
                task.status = TaskStatus::Working;
            }
            let event = task_event(id, task.describe(self.kept));
            drop(table);
            // A link that is broken is found out when the answer is sent.
            let _ = control.send(up::EVENT, 0, &[&event]);
        }
        Some(Ok(Map::new()))
    }

    /// Asks the call to end; what it comes to, is seen at the task.
    fn cancel(&self, id: &str, calls: &Calls) -> TaskReply {
        let mut table = self.table();
        self.forget(&mut table);
        let task = table.tasks.iter_mut().find(|task| task.id == id)?;
        if !task.has_ended() {
            task.cancelled = true;
            calls.cancel(Cancel::Exchange(task.exchange));
        }
        Some(Ok(Map::new()))
    }
}
