//! The client of a call, as its handler reaches it: progress, log messages, changes, and questions.
//!
//! A handler that asks something is left and entered again with the answer, in both eras: in a session the question
//! travels on the call's own stream and the answer comes back beside it; without one the call is answered with the
//! questions and a sealed state, and comes again with both. So a handler asks before it changes anything.

use super::features::Change;
use super::{Context, Progress, Refusal};
use protocol::gem::{Event, topic, up};
use protocol::limits::QUESTIONS_MAX;
use protocol::revision::Revision;
use protocol::stateless::LOG_LEVELS;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// The kind of the refusal that leaves a handler until its client has answered.
const ASKED: &str = "inputRequired";
/// The kind of the refusal of a call that must be a task and cannot.
pub(crate) const TASK_NEEDED: &str = "taskNeeded";
/// Shortest time between two reports of progress, but for the first and the last.
const PROGRESS_PAUSE: Duration = Duration::from_millis(20);
/// Longest message of a report of progress, in characters.
const MESSAGE_CHARACTERS_MAX: usize = 256;

/// Where messages to the client go.
pub(crate) trait Outbox {
    /// Sends one frame that belongs to the call. A link that is broken is found out when the answer is sent.
    fn send(&mut self, kind: u8, body: &[u8]);

    /// Makes a task of the call. False if it cannot be one.
    fn become_task(&mut self) -> bool;

    /// Says how far the task has come that the call is. False if it is none.
    fn note(&mut self, message: &str) -> bool;

    /// Waits. False as soon as the call is given up.
    fn pause(&mut self, until: Instant) -> bool;
}

/// How urgent a log message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What helps to find an error.
    Debug,
    /// What happens.
    Info,
    /// What happens seldom.
    Notice,
    /// What may become an error.
    Warning,
    /// An error.
    Error,
    /// An error that stops something.
    Critical,
    /// An operator must act now.
    Alert,
    /// Nothing works.
    Emergency,
}

impl Level {
    fn name(self) -> &'static str {
        LOG_LEVELS[self as usize]
    }
}

/// Something that a client is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// Its user fills in a form.
    Form {
        /// What the user is told.
        message: String,
        /// The schema of the form: a flat object.
        schema: Value,
    },
    /// Its user opens a URL.
    Url {
        /// What the user is told.
        message: String,
        /// The URL.
        url: String,
    },
    /// Its model says something; these are the parameters of `sampling/createMessage`.
    Sample(Value),
    /// The folders that it works in.
    Roots,
}

/// What a client may be able to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ability {
    /// Forms.
    Form,
    /// URLs.
    Url,
    /// Its model.
    Sample,
    /// Folders.
    Roots,
}

impl Question {
    pub(crate) fn ability(&self) -> Ability {
        match self {
            Question::Form { .. } => Ability::Form,
            Question::Url { .. } => Ability::Url,
            Question::Sample(_) => Ability::Sample,
            Question::Roots => Ability::Roots,
        }
    }

    /// As a request without an envelope. `id` names the question where a revision wants URLs to have a name.
    pub(crate) fn request(&self, revision: &Revision, id: &str) -> Value {
        let (method, params) = match self {
            Question::Form { message, schema } => {
                ("elicitation/create", json!({"mode": "form", "message": message, "requestedSchema": schema}))
            }
            Question::Url { message, url } => {
                let mut params = json!({"mode": "url", "message": message, "url": url});
                if !revision.result_types {
                    params["elicitationId"] = json!(id);
                }
                ("elicitation/create", params)
            }
            Question::Sample(params) => ("sampling/createMessage", params.clone()),
            Question::Roots => ("roots/list", json!({})),
        };
        let mut params = params;
        if method == "elicitation/create" {
            protocol::shape::fit(protocol::shape::Place::Elicitation, &mut params, revision);
        }
        json!({"method": method, "params": params})
    }

    /// Whether a client can have meant this as the answer; what it cannot have meant is asked again.
    pub(crate) fn accepts(&self, answer: &Value) -> bool {
        match self {
            Question::Form { .. } | Question::Url { .. } => {
                matches!(answer["action"].as_str(), Some("accept" | "decline" | "cancel"))
            }
            Question::Sample(_) => answer["content"].is_object() || answer["content"].is_array(),
            Question::Roots => answer["roots"].is_array(),
        }
    }
}

impl Ability {
    /// What a client declares that has it.
    pub(crate) fn declared(self) -> Value {
        match self {
            Ability::Form => json!({"elicitation": {"form": {}}}),
            Ability::Url => json!({"elicitation": {"url": {}}}),
            Ability::Sample => json!({"sampling": {}}),
            Ability::Roots => json!({"roots": {}}),
        }
    }

    /// Whether these capabilities have it.
    pub(crate) fn within(self, capabilities: &Value, revision: &Revision) -> bool {
        let elicitation = &capabilities["elicitation"];
        match self {
            // A client that says nothing of modes knows forms.
            Ability::Form => {
                revision.forms
                    && elicitation.is_object()
                    && (elicitation["form"].is_object() || elicitation["url"].is_null())
            }
            Ability::Url => revision.urls && elicitation["url"].is_object(),
            Ability::Sample => capabilities["sampling"].is_object(),
            Ability::Roots => capabilities["roots"].is_object(),
        }
    }
}

/// What is known of a call between two entries of its handler.
#[derive(Debug, Default)]
pub(crate) struct Round {
    /// Answers so far.
    pub(crate) answers: Map<String, Value>,
    /// What the handler wants to remember.
    pub(crate) memory: Map<String, Value>,
    /// What it asks now.
    pub(crate) asked: Vec<(String, Question)>,
}

/// The client of one call.
pub(crate) struct Client<'g> {
    pub(crate) revision: &'static Revision,
    pub(crate) capabilities: &'g Value,
    /// The least urgent level that it wants to hear of.
    pub(crate) level: Option<usize>,
    /// The raw JSON of the token with which it wants to hear of progress.
    pub(crate) token: Option<&'g str>,
    pub(crate) outbox: Option<&'g mut dyn Outbox>,
    pub(crate) round: &'g mut Round,
    /// When progress was last reported, and how far the call was.
    pub(crate) last_report: Option<(Instant, u64)>,
}

#[cfg(test)]
impl<'g> Client<'g> {
    /// None: it hears nothing and can do nothing.
    pub(crate) fn absent(round: &'g mut Round) -> Self {
        let revision = protocol::revision::newest_of_sessions();
        Self { revision, capabilities: &Value::Null, level: None, token: None, outbox: None, round, last_report: None }
    }
}

impl Client<'_> {
    fn notify(&mut self, method: &str, params: &str) {
        let message = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
        if let Some(outbox) = &mut self.outbox {
            outbox.send(up::MESSAGE, message.as_bytes());
        }
    }
}

impl Context<'_> {
    /// Whether the client asked to be told how far the call has come.
    pub fn wants_reports(&self) -> bool {
        self.client.token.is_some()
    }

    /// Tells the client how far the call has come, if it asked.
    pub fn report(&mut self, progress: Progress<'_>) {
        let Progress { done, total, message } = progress;
        let client = &mut self.client;
        let now = Instant::now();
        let hasty =
            |(at, last): (Instant, u64)| done <= last || (done < total && now.duration_since(at) < PROGRESS_PAUSE);
        if client.last_report.is_some_and(hasty) {
            return;
        }
        client.last_report = Some((now, done));
        let message: String = message.chars().take(MESSAGE_CHARACTERS_MAX).collect();
        // A task sends nothing of its own accord; its client asks for it.
        if client.outbox.as_mut().is_some_and(|outbox| outbox.note(&format!("{done} of {total}: {message}"))) {
            return;
        }
        let Some(token) = client.token else { return };
        let message = json!(message);
        let params = format!(r#"{{"progressToken":{token},"progress":{done},"total":{total},"message":{message}}}"#);
        client.notify("notifications/progress", &params);
    }

    /// Sends the client a log message, if it wants such.
    pub fn log(&mut self, level: Level, logger: &str, data: Value) {
        if self.client.level.is_some_and(|least| level as usize >= least) {
            let params = json!({"level": level.name(), "logger": logger, "data": data}).to_string();
            self.client.notify("notifications/message", &params);
        }
    }

    /// Tells all clients that listen of a change.
    pub fn announce(&mut self, change: Change<'_>) {
        let (topic, subject) = match change {
            Change::Tools => (topic::TOOLS, ""),
            Change::Prompts => (topic::PROMPTS, ""),
            Change::Resources => (topic::RESOURCES, ""),
            Change::Resource(uri) => (topic::RESOURCE, uri),
        };
        if let Some(outbox) = &mut self.client.outbox {
            outbox.send(up::EVENT, &Event { topic, subject, details: "" }.encode());
        }
    }

    /// Makes a task of the call, if its client knows tasks: the client gets the task's id at once and asks for the
    /// outcome later. What is asked of the client from here on is asked by way of the task. Whether it is one now.
    pub fn become_task(&mut self) -> bool {
        self.client.outbox.as_mut().is_some_and(|outbox| outbox.become_task())
    }

    /// As [`Context::become_task`], for what can only be done as a task: other clients are refused.
    pub fn require_task(&mut self) -> Result<(), Refusal> {
        let text = "This can only be done as a task, which this client does not know or of which there are too many.";
        if self.become_task() { Ok(()) } else { Err(Refusal::new(TASK_NEEDED, text)) }
    }

    /// Waits for a time; an error as soon as the client gives the call up, or when the call's own time is over.
    pub fn pause(&mut self, time: Duration) -> Result<(), Refusal> {
        let end = (Instant::now() + time).min(self.deadline);
        let undisturbed = match &mut self.client.outbox {
            Some(outbox) => outbox.pause(end),
            None => true,
        };
        if !undisturbed {
            return Err(Refusal::new("interrupted", "The call was cancelled."));
        }
        if end == self.deadline { Err(Refusal::new("timeout", "The call took too long.")) } else { Ok(()) }
    }

    /// Whether the client can be asked such a thing.
    pub fn supports(&self, ability: Ability) -> bool {
        ability.within(self.client.capabilities, self.client.revision)
    }

    /// Asks the client one thing; `key` names it within this call. The handler is left with the error, and entered
    /// again from its beginning once the answer is there.
    pub fn ask(&mut self, key: &str, question: Question) -> Result<Value, Refusal> {
        let answers = self.ask_all(vec![(key, question)])?;
        Ok(answers.into_iter().next().unwrap_or_default())
    }

    /// Asks the client several things at once.
    pub fn ask_all(&mut self, questions: Vec<(&str, Question)>) -> Result<Vec<Value>, Refusal> {
        let round = &mut *self.client.round;
        let answered = |(key, question): &&(&str, Question)| {
            round.answers.get(*key).is_some_and(|answer| question.accepts(answer))
        };
        let open = questions.iter().filter(|asked| !answered(asked));
        let open: Vec<(String, Question)> = open.map(|(key, question)| ((*key).to_owned(), question.clone())).collect();
        if open.is_empty() {
            return Ok(questions.iter().map(|(key, _)| round.answers[*key].clone()).collect());
        }
        if open.len() > QUESTIONS_MAX {
            return Err(Refusal::new("other", format!("A call may ask at most {QUESTIONS_MAX} things at once")));
        }
        round.asked = open;
        Err(Refusal::new(ASKED, "The client is being asked."))
    }

    /// Remembers something until this call is answered, whatever the client is asked meanwhile.
    pub fn remember(&mut self, key: &str, value: Value) {
        self.client.round.memory.insert(key.to_owned(), value);
    }

    /// What was remembered in this call.
    pub fn recall(&self, key: &str) -> Option<&Value> {
        self.client.round.memory.get(key)
    }
}

/// Whether a refusal only says that the client is being asked.
pub(crate) fn is_asking(refusal: &Refusal, round: &Round) -> bool {
    refusal.kind == ASKED && !round.asked.is_empty()
}
