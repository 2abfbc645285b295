//! One task: where it stands, what its client is asked, what its call came to.
//!
//! It sends nothing.

use crate::request::ReplyOutcome;
use crate::tool::Question;
use protocol::error::INTERNAL_ERROR;
use protocol::limits::TASK_POLL_MILLIS;
use protocol::stateless::Fault;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant, SystemTime};

/// Said of a call whose reply had nothing to keep; none of a tool's calls has such.
const NO_ANSWER: &str = "The call has no answer";

/// Where a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskStatus {
    Working,
    InputRequired,
    Completed,
    Failed,
    Cancelled,
}

/// A call that goes on, or has ended, after its client was answered.
pub(super) struct Task {
    pub(super) id: String,
    pub(super) exchange: u64,
    pub(super) status: TaskStatus,
    /// How far it has come, or how it ended.
    pub(super) message: Option<String>,
    pub(super) made: Instant,
    created: SystemTime,
    pub(super) updated: SystemTime,
    /// What its client is asked and has not answered yet.
    pub(super) questions: Vec<PendingQuestion>,
    /// Names of all that was ever asked.
    keys: Vec<String>,
    pub(super) cancelled: bool,
    /// What its call came to.
    outcome: Option<ReplyOutcome>,
}

/// What the client of a task is asked.
pub(super) struct PendingQuestion {
    /// By what name, in this task.
    pub(super) key: String,
    /// What.
    pub(super) question: Question,
    /// As it travels.
    pub(super) request: Value,
}

impl Task {
    /// That begins now.
    pub(super) fn new(id: String, exchange: u64) -> Self {
        let now = SystemTime::now();
        Self {
            id,
            exchange,
            status: TaskStatus::Working,
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
    pub(super) fn fresh(&mut self, key: &str) -> String {
        let number = self.keys.iter().filter(|used| *used == key).count();
        self.keys.push(key.to_owned());
        if number == 0 { key.to_owned() } else { format!("{key}#{}", number + 1) }
    }

    /// The call has ended, with this.
    pub(super) fn end(&mut self, outcome: ReplyOutcome) {
        self.questions.clear();
        self.updated = SystemTime::now();
        (self.status, self.message) = match &outcome {
            // A cancel that came too late changes nothing: the client gets the outcome.
            ReplyOutcome::Result { refusal: Some("interrupted"), .. } if self.cancelled => {
                (TaskStatus::Cancelled, Some("Cancelled".to_owned()))
            }
            ReplyOutcome::Result { .. } => (TaskStatus::Completed, None),
            ReplyOutcome::Error(fault) => (TaskStatus::Failed, Some(fault.message.clone())),
            ReplyOutcome::BodyOnly => (TaskStatus::Failed, Some(NO_ANSWER.to_owned())),
        };
        self.outcome = Some(outcome);
    }

    /// Whether its call has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.outcome.is_some()
    }

    /// As a client is told of it.
    pub(super) fn describe(&self, kept: Duration) -> Map<String, Value> {
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
        if self.status == TaskStatus::InputRequired {
            let requests = self.questions.iter().map(|asked| (asked.key.clone(), asked.request.clone()));
            described.insert("inputRequests".to_owned(), Value::Object(requests.collect()));
        }
        if let Some((name, outcome)) = self.outcome_member() {
            described.insert(name.to_owned(), outcome);
        }
        described
    }

    /// The member in which a client gets the outcome.
    fn outcome_member(&self) -> Option<(&'static str, Value)> {
        match self.outcome.as_ref()? {
            _ if self.status == TaskStatus::Cancelled => None,
            ReplyOutcome::Result { result, .. } => Some(("result", result.clone())),
            ReplyOutcome::Error(Fault { code, message, data }) => {
                let mut error = json!({"code": code, "message": message});
                if let Some(data) = data {
                    error["data"] = data.clone();
                }
                Some(("error", error))
            }
            ReplyOutcome::BodyOnly => Some(("error", json!({"code": INTERNAL_ERROR, "message": NO_ANSWER}))),
        }
    }
}

impl TaskStatus {
    fn name(self) -> &'static str {
        match self {
            TaskStatus::Working => "working",
            TaskStatus::InputRequired => "input_required",
            TaskStatus::Completed => "completed",
            TaskStatus::Failed => "failed",
            TaskStatus::Cancelled => "cancelled",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(cancelled: bool, outcome: ReplyOutcome) -> Value {
        let mut task = Task::new("h-1".to_owned(), 1);
        task.cancelled = cancelled;
        task.end(outcome);
        assert!(task.has_ended());
        Value::Object(task.describe(Duration::from_secs(1)))
    }

    fn result(refusal: Option<&'static str>) -> ReplyOutcome {
        ReplyOutcome::Result { result: json!({"content": []}), refusal }
    }

    #[test]
    fn a_task_ends_as_its_call_did() {
        let done = ended(false, result(Some("notFound")));
        assert_eq!((&done["status"], &done["result"]), (&json!("completed"), &json!({"content": []})));
        let fault = Fault { code: -32602, message: "No".to_owned(), data: Some(json!({"kind": "invalidParams"})) };
        let failed = ended(false, ReplyOutcome::Error(fault));
        assert_eq!((&failed["status"], &failed["statusMessage"]), (&json!("failed"), &json!("No")));
        let error = json!({"code": -32602, "message": "No", "data": {"kind": "invalidParams"}});
        assert_eq!(failed["error"], error);
        assert_eq!(ended(false, ReplyOutcome::BodyOnly)["status"], json!("failed"));
    }

    #[test]
    fn a_cancel_counts_if_it_came_in_time() {
        let cancelled = ended(true, result(Some("interrupted")));
        assert_eq!((&cancelled["status"], cancelled.get("result")), (&json!("cancelled"), None));
        assert_eq!(ended(true, result(None))["status"], json!("completed"), "what was done is done");
        assert_eq!(ended(false, result(Some("interrupted")))["status"], json!("completed"));
    }
}
