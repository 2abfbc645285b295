//! A call that may ask its client something: its handler is entered, left with questions, and entered again with
//! answers.
//!
//! In a session the questions travel on the call's own stream. Without one they are its answer, together with a state
//! that only comes back to the same request; then this process may be gone, and another goes on.

use crate::calls::{Calls, Unanswered};
use crate::catalogue::{Request, refuse_alone};
use crate::client::{Ability, Client, Outbox, Question, Round, TASK_NEEDED, is_asking};
use crate::dispatcher::Dispatcher;
use crate::link::{Link, Reply};
use crate::prepare::Prepared;
use crate::tasks::Tasks;
use crate::tool::{Context, Refusal};
use protocol::error::{INVALID_PARAMS, MISSING_CAPABILITY};
use protocol::gem::up;
use protocol::limits::{ID_BYTES_MAX, ROUNDS_MAX};
use protocol::revision::Era;
use protocol::shape::Cache;
use protocol::stateless::{
    CAPABILITIES_KEY, Fault, LOG_LEVEL_KEY, LOG_LEVELS, RoutingParams, declares_tasks, tasks_needed,
};
use serde_json::{Map, Value, json};
use std::time::Instant;

/// A call, as far as its client matters.
pub(crate) struct Talk<'a> {
    /// Its exchange.
    pub(crate) exchange: u64,
    request: Request<'a>,
    capabilities: Value,
    level: Option<usize>,
    token: Option<String>,
}

/// How a handler ended.
pub(crate) enum Ended<T> {
    /// With an outcome of its own.
    Outcome(Result<T, Refusal>),
    /// With an answer that is not its own.
    Reply(Reply),
}

struct Post<'l> {
    link: &'l mut Link,
    exchange: u64,
    calls: &'l Calls,
    /// Where the call may become a task.
    tasks: Option<&'l Tasks>,
}

impl Outbox for Post<'_> {
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

impl<'a> Talk<'a> {
    /// About a request; what its session knows of the client counts where the request says nothing of it.
    pub(crate) fn new(exchange: u64, request: &Request<'a>, capabilities: &Value, level: usize) -> Self {
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

    /// The request.
    pub(crate) fn request(&self) -> &Request<'a> {
        &self.request
    }

    /// Whether its client knows tasks.
    pub(crate) fn knows_tasks(&self) -> bool {
        self.request.revision.era == Era::Stateless && declares_tasks(&self.capabilities)
    }

    fn params(&self) -> Map<String, Value> {
        self.request.params.and_then(|params| serde_json::from_str(params).ok()).unwrap_or_default()
    }

    /// What a state belongs to: the method and all parameters but those that change from round to round.
    fn binding(&self) -> Vec<u8> {
        let mut params = self.params();
        for name in ["_meta", "inputResponses", "requestState"] {
            params.remove(name);
        }
        json!([self.request.method, params]).to_string().into_bytes()
    }
}

impl Dispatcher<'_> {
    /// Enters the handler until it has an outcome, or the client must come again.
    pub(crate) fn converse<T>(
        &mut self,
        link: &mut Link,
        talk: &mut Talk<'_>,
        handler: &mut dyn FnMut(&mut Context<'_>) -> Result<T, Refusal>,
    ) -> Ended<T> {
        let mut round = match self.resume(talk) {
            Ok(round) => round,
            Err(fault) => return Ended::Reply(refuse_alone(talk.request.id, &fault)),
        };
        let deadline = Instant::now() + self.call_time;
        for _ in 0..ROUNDS_MAX {
            let outcome = self.enter(link, talk, &mut round, deadline, handler);
            match outcome {
                Err(refusal) if is_asking(&refusal, &round) => {}
                Err(refusal)
                    if refusal.kind == TASK_NEEDED
                        && talk.request.revision.era == Era::Stateless
                        && !talk.knows_tasks() =>
                {
                    return Ended::Reply(refuse_alone(talk.request.id, &tasks_needed()));
                }
                outcome => return Ended::Outcome(outcome),
            }
            if let Some(missing) = missing(talk, &round) {
                return lacking(talk, &missing);
            }
            let is_task = self.tasks.as_ref().is_some_and(|tasks| tasks.settle());
            let put = match talk.request.revision.era {
                Era::Stateless if is_task => self.put_by_task(talk, &mut round, deadline),
                Era::Stateless => return self.hand_over(talk, &round),
                Era::Session => self.put(link, talk, &mut round, deadline),
            };
            if let Err(refusal) = put {
                return Ended::Outcome(Err(refusal));
            }
        }
        let text = format!("The call asked its client {ROUNDS_MAX} times and still wants to know more.");
        Ended::Outcome(Err(Refusal::new("other", text)))
    }

    fn enter<T>(
        &mut self,
        link: &mut Link,
        talk: &Talk<'_>,
        round: &mut Round,
        deadline: Instant,
        handler: &mut dyn FnMut(&mut Context<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        round.asked.clear();
        let tasks = self.tasks.clone();
        let mut post = Post { link, exchange: talk.exchange, calls: &self.calls, tasks: tasks.as_deref() };
        let client = Client {
            revision: talk.request.revision,
            capabilities: &talk.capabilities,
            level: talk.level,
            token: talk.token.as_deref(),
            outbox: Some(&mut post),
            round,
            told: None,
        };
        let is_alone = self.is_alone(&talk.request);
        let Prepared { ledger, autocommit, selection, stone, .. } = &mut self.prepared;
        let (autocommit, stone) = (*autocommit, stone.clone());
        handler(&mut Context { image: self.image, deadline, ledger, autocommit, selection, is_alone, stone, client })
    }

    /// What earlier rounds of a stateless call left, and what the client answered now.
    fn resume(&self, talk: &Talk<'_>) -> Result<Round, Fault> {
        let mut round = Round::default();
        if talk.request.revision.era == Era::Session {
            return Ok(round);
        }
        let mut params = talk.params();
        match params.get("requestState") {
            None | Some(Value::Null) => {}
            Some(Value::String(state)) => {
                let state = self.seal.open(state, &talk.binding()).map_err(|error| invalid(error.to_string()))?;
                let mut state: Map<String, Value> = serde_json::from_slice(&state).unwrap_or_default();
                let mut part = |name: &str| match state.remove(name) {
                    Some(Value::Object(part)) => part,
                    _ => Map::new(),
                };
                (round.answers, round.memory) = (part("answers"), part("memory"));
            }
            Some(_) => return Err(invalid("Invalid params: requestState must be a string".to_owned())),
        }
        // What was not asked for does no harm: a handler takes only what fits its question.
        if let Some(Value::Object(answers)) = params.remove("inputResponses") {
            round.answers.extend(answers);
        }
        Ok(round)
    }

    /// Answers a stateless call with its questions.
    fn hand_over<T>(&self, talk: &Talk<'_>, round: &Round) -> Ended<T> {
        let state = json!({"answers": round.answers, "memory": round.memory}).to_string();
        let state = match self.seal.close(state.as_bytes(), &talk.binding()) {
            Ok(state) => state,
            Err(error) => return Ended::Outcome(Err(Refusal::new("other", error.to_string()))),
        };
        let revision = talk.request.revision;
        let question = |(key, question): &(String, Question)| (key.clone(), question.request(revision, key));
        let requests: Map<String, Value> = round.asked.iter().map(question).collect();
        let result = json!({"resultType": "input_required", "inputRequests": requests, "requestState": state});
        Ended::Reply(self.catalogue.result(&talk.request, result, Cache::Unsaid))
    }

    /// Asks the client of a session, and waits for all its answers.
    fn put(&mut self, link: &mut Link, talk: &Talk<'_>, round: &mut Round, deadline: Instant) -> Result<(), Refusal> {
        let asked = std::mem::take(&mut round.asked);
        let id = |place: usize| format!("\"ask-{}-{}-{place}\"", talk.exchange, round.answers.len());
        let ids: Vec<String> = (0..asked.len()).map(id).collect();
        self.calls.expect(&ids);
        for (id, (_, question)) in ids.iter().zip(&asked) {
            let request = question.request(talk.request.revision, id.trim_matches('"'));
            let message = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":{},"params":{}}}"#,
                request["method"], request["params"]
            );
            let _ = link.send(up::MESSAGE, talk.exchange, &[message.as_bytes()]);
        }
        let mut answers = self.calls.wait(deadline).map_err(unanswered)?;
        for (id, (key, question)) in ids.iter().zip(asked) {
            match answers.remove(id) {
                Some(Ok(answer)) if question.accepts(&answer) => drop(round.answers.insert(key, answer)),
                Some(Err(words)) => {
                    return Err(Refusal::new("clientRefused", format!("The client refused to answer: {words}")));
                }
                _ => return Err(Refusal::new("clientRefused", "The client's answer does not fit what it was asked.")),
            }
        }
        Ok(())
    }
}

impl Dispatcher<'_> {
    /// Asks the client of a task, and waits for all its answers.
    fn put_by_task(&mut self, talk: &Talk<'_>, round: &mut Round, deadline: Instant) -> Result<(), Refusal> {
        let asked = std::mem::take(&mut round.asked);
        let keys: Vec<String> = asked.iter().map(|(key, _)| key.clone()).collect();
        let Some(tasks) = self.tasks.clone() else { return Ok(()) };
        let names = tasks.ask(asked, talk.request.revision, &self.calls).unwrap_or_default();
        let answers = self.calls.wait(deadline);
        tasks.go_on();
        let mut answers = answers.map_err(unanswered)?;
        for (key, name) in keys.into_iter().zip(names) {
            if let Some(Ok(answer)) = answers.remove(&name) {
                round.answers.insert(key, answer);
            }
        }
        Ok(())
    }
}

fn unanswered(why: Unanswered) -> Refusal {
    match why {
        Unanswered::Cancelled => Refusal::new("interrupted", "The call was cancelled while its client was asked."),
        Unanswered::Late => Refusal::new("timeout", "The client did not answer in time."),
    }
}

fn invalid(message: String) -> Fault {
    Fault { code: INVALID_PARAMS, message, data: None }
}

/// What the client would have to be able to do, and did not declare.
fn missing(talk: &Talk<'_>, round: &Round) -> Option<Value> {
    let lacks = |ability: &Ability| !ability.within(&talk.capabilities, talk.request.revision);
    let mut missing = Map::new();
    for ability in round.asked.iter().map(|(_, question)| question.ability()).filter(lacks) {
        let Value::Object(declared) = ability.declared() else { continue };
        for (name, modes) in declared {
            let known = missing.entry(name).or_insert_with(|| json!({}));
            if let (Some(known), Value::Object(modes)) = (known.as_object_mut(), modes) {
                known.extend(modes);
            }
        }
    }
    (!missing.is_empty()).then_some(Value::Object(missing))
}

fn lacking<T>(talk: &Talk<'_>, missing: &Value) -> Ended<T> {
    let names = missing.as_object().map(|missing| missing.keys().cloned().collect::<Vec<_>>().join(", "));
    let message = format!("The client must be able to do what it did not declare: {}", names.unwrap_or_default());
    match talk.request.revision.era {
        Era::Session => Ended::Outcome(Err(Refusal::new("missingCapability", message))),
        Era::Stateless => {
            let data = Some(json!({ "requiredCapabilities": missing }));
            Ended::Reply(refuse_alone(talk.request.id, &Fault { code: MISSING_CAPABILITY, message, data }))
        }
    }
}
