//! A call that may ask its client something: its handler is entered, left with questions, and entered again with
//! answers.
//!
//! In a session the questions travel on the call's own stream. Without one they are its answer, together with a state
//! that only comes back to the same request; then this process may be gone, and another goes on.

use super::Dispatcher;
use super::client_call::{CallOutbox, ClientCall};
use crate::calls::Unanswered;
use crate::link::Link;
use crate::prepare::Prepared;
use crate::request::{Reply, refuse_with_status};
use crate::tool::client::{Ability, Client, Question, Round, TASK_NEEDED, is_asking};
use crate::tool::{Context, Refusal};
use protocol::error::{INVALID_PARAMS, MISSING_CAPABILITY};
use protocol::gem::up;
use protocol::limits::ROUNDS_MAX;
use protocol::revision::Era;
use protocol::shape::Cache;
use protocol::stateless::{Fault, tasks_needed};
use serde_json::{Map, Value, json};
use std::time::Instant;

/// How a handler ended.
pub(crate) enum CallEnd<T> {
    /// With an outcome of its own.
    Outcome(Result<T, Refusal>),
    /// With an answer that is not its own.
    Reply(Reply),
}

impl Dispatcher<'_> {
    /// Enters the handler until it has an outcome, or the client must come again.
    pub(crate) fn run_rounds<T>(
        &mut self,
        link: &mut Link,
        call: &mut ClientCall<'_>,
        handler: &mut dyn FnMut(&mut Context<'_>) -> Result<T, Refusal>,
    ) -> CallEnd<T> {
        let mut round = match self.resume(call) {
            Ok(round) => round,
            Err(fault) => return CallEnd::Reply(refuse_with_status(call.request.id, fault)),
        };
        let deadline = Instant::now() + self.call_time;
        for _ in 0..ROUNDS_MAX {
            let outcome = self.run_handler(link, call, &mut round, deadline, handler);
            match outcome {
                Err(refusal) if is_asking(&refusal, &round) => {}
                Err(refusal)
                    if refusal.kind == TASK_NEEDED
                        && call.request.revision.era == Era::Stateless
                        && !call.knows_tasks() =>
                {
                    return CallEnd::Reply(refuse_with_status(call.request.id, tasks_needed()));
                }
                outcome => return CallEnd::Outcome(outcome),
            }
            if let Some(missing) = missing(call, &round) {
                return refuse_missing(call, &missing);
            }
            let is_task = self.tasks.as_ref().is_some_and(|tasks| tasks.settle());
            let asked = match call.request.revision.era {
                Era::Stateless if is_task => self.ask_by_task(call, &mut round, deadline),
                Era::Stateless => return self.answer_with_questions(call, &round),
                Era::Session => self.ask_in_session(link, call, &mut round, deadline),
            };
            if let Err(refusal) = asked {
                return CallEnd::Outcome(Err(refusal));
            }
        }
        let text = format!("The call asked its client {ROUNDS_MAX} times and still wants to know more.");
        CallEnd::Outcome(Err(Refusal::new("other", text)))
    }

    fn run_handler<T>(
        &mut self,
        link: &mut Link,
        call: &ClientCall<'_>,
        round: &mut Round,
        deadline: Instant,
        handler: &mut dyn FnMut(&mut Context<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        round.asked.clear();
        let tasks = self.tasks.clone();
        let mut outbox = CallOutbox { link, exchange: call.exchange, calls: &self.calls, tasks: tasks.as_deref() };
        let client = Client {
            revision: call.request.revision,
            capabilities: &call.capabilities,
            level: call.level,
            token: call.token.as_deref(),
            outbox: Some(&mut outbox),
            round,
            last_report: None,
        };
        let is_ephemeral = self.is_ephemeral(&call.request);
        let Prepared { read_log, autocommit, selection, stone, .. } = &mut self.prepared;
        let (autocommit, stone) = (*autocommit, stone.clone());
        handler(&mut Context {
            image: self.image,
            deadline,
            read_log,
            autocommit,
            tools: selection,
            is_ephemeral,
            stone,
            client,
        })
    }

    /// What earlier rounds of a stateless call left, and what the client answered now.
    fn resume(&self, call: &ClientCall<'_>) -> Result<Round, Fault> {
        let mut round = Round::default();
        if call.request.revision.era == Era::Session {
            return Ok(round);
        }
        let mut params = call.params();
        match params.get("requestState") {
            None | Some(Value::Null) => {}
            Some(Value::String(state)) => {
                let state =
                    self.state_cipher.decrypt(state, &call.binding()).map_err(|error| invalid(error.to_string()))?;
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
    fn answer_with_questions<T>(&self, call: &ClientCall<'_>, round: &Round) -> CallEnd<T> {
        let state = json!({"answers": round.answers, "memory": round.memory}).to_string();
        let state = match self.state_cipher.encrypt(state.as_bytes(), &call.binding()) {
            Ok(state) => state,
            Err(error) => return CallEnd::Outcome(Err(Refusal::new("other", error.to_string()))),
        };
        let revision = call.request.revision;
        let question = |(key, question): &(String, Question)| (key.clone(), question.request(revision, key));
        let requests: Map<String, Value> = round.asked.iter().map(question).collect();
        let result = json!({"resultType": "input_required", "inputRequests": requests, "requestState": state});
        CallEnd::Reply(self.discovery.result(&call.request, result, Cache::Unsaid))
    }

    /// Asks the client of a session, and waits for all its answers.
    fn ask_in_session(
        &mut self,
        link: &mut Link,
        call: &ClientCall<'_>,
        round: &mut Round,
        deadline: Instant,
    ) -> Result<(), Refusal> {
        let asked = std::mem::take(&mut round.asked);
        let id = |place: usize| format!("\"ask-{}-{}-{place}\"", call.exchange, round.answers.len());
        let ids: Vec<String> = (0..asked.len()).map(id).collect();
        self.calls.expect(&ids);
        for (id, (_, question)) in ids.iter().zip(&asked) {
            let request = question.request(call.request.revision, id.trim_matches('"'));
            let message = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":{},"params":{}}}"#,
                request["method"], request["params"]
            );
            let _ = link.send(up::MESSAGE, call.exchange, &[message.as_bytes()]);
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
    fn ask_by_task(&mut self, call: &ClientCall<'_>, round: &mut Round, deadline: Instant) -> Result<(), Refusal> {
        let asked = std::mem::take(&mut round.asked);
        let keys: Vec<String> = asked.iter().map(|(key, _)| key.clone()).collect();
        let Some(tasks) = self.tasks.clone() else { return Ok(()) };
        let names = tasks.ask(asked, call.request.revision, &self.calls).unwrap_or_default();
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
fn missing(call: &ClientCall<'_>, round: &Round) -> Option<Value> {
    let lacks = |ability: &Ability| !ability.within(&call.capabilities, call.request.revision);
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

fn refuse_missing<T>(call: &ClientCall<'_>, missing: &Value) -> CallEnd<T> {
    let names = missing.as_object().map(|missing| missing.keys().cloned().collect::<Vec<_>>().join(", "));
    let message = format!("The client must be able to do what it did not declare: {}", names.unwrap_or_default());
    match call.request.revision.era {
        Era::Session => CallEnd::Outcome(Err(Refusal::new("missingCapability", message))),
        Era::Stateless => {
            let data = Some(json!({ "requiredCapabilities": missing }));
            CallEnd::Reply(refuse_with_status(call.request.id, Fault { code: MISSING_CAPABILITY, message, data }))
        }
    }
}
