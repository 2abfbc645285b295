//! `tools/call`: finding the tool, its arguments and its gem, and running it.

use super::Dispatcher;
use super::client_call::ClientCall;
use super::rounds::CallEnd;
use crate::link::Link;
use crate::request::{Reply, Request, refuse, refuse_with_status};
use crate::tool::directory::{NotServed, ToolDirectory};
use crate::tool::served::ServedTool;
use crate::tool::text::echo;
use crate::tool::{Answer, Context, Outcome, Refusal, gem_handle, schema};
use protocol::error::{self, INVALID_PARAMS, METHOD_NOT_FOUND};
use protocol::revision::Era;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The parameters of `tools/call`. Read from an object only: a derived reader would take an array as well.
#[derive(Deserialize)]
struct CallParameters<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// A call, its arguments unread.
struct Call<'a> {
    name: String,
    /// The tool; none for those that open and close gems.
    served: Option<Arc<ServedTool>>,
    arguments: Option<&'a RawValue>,
}

impl Dispatcher<'_> {
    /// The answer to `tools/call`.
    pub(super) fn call(
        &mut self,
        link: &mut Link,
        call: &mut ClientCall<'_>,
        headers: &[(&str, &str)],
        may_last: bool,
    ) -> Reply {
        let request = call.request;
        let Call { name, served, arguments } = match self.find(&request) {
            Ok(call) => call,
            Err(refusal) => return refusal,
        };
        let mut arguments = match read_arguments(arguments) {
            Ok(arguments) => arguments,
            Err(message) => return refuse(request.id, INVALID_PARAMS, message, "invalidParams"),
        };
        if request.revision.era == Era::Stateless {
            let annotated = served.as_deref().map(ServedTool::headers).unwrap_or_default();
            let agreed = if self.headers { gem_handle::check_headers(annotated, &arguments, headers) } else { Ok(()) };
            if let Err(fault) = agreed {
                return refuse_with_status(request.id, fault);
            }
            if let Err(refusal) = self.take_gem(&name, &mut arguments) {
                return self.render(&request, Err(refusal));
            }
        }
        let Some(served) = served else { return self.open_or_close(&request, &name, &arguments) };
        if !self.calls.begin(call.exchange, request.id) {
            let refusal = Refusal::new("interrupted", "The call was cancelled before it began; nothing was done.");
            return self.render(&request, Err(refusal));
        }
        if (may_last || self.handle.is_some())
            && call.knows_tasks()
            && let Some(tasks) = &self.tasks
        {
            tasks.begin(call.exchange, &request);
        }
        let mut handler = |context: &mut Context<'_>| served.call(context, arguments.clone());
        let ended = self.run_rounds(link, call, &mut handler);
        self.calls.end();
        self.reload_image_toolsets(link, call.exchange);
        match ended {
            CallEnd::Outcome(Err(refusal))
                if refusal.kind == "invalidParams" && !request.revision.argument_faults_are_tool_errors =>
            {
                refuse(request.id, INVALID_PARAMS, &refusal.text, refusal.kind)
            }
            CallEnd::Outcome(outcome) => self.render(&request, outcome),
            CallEnd::Reply(reply) => reply,
        }
    }

    /// Takes the argument that names the gem, and refuses what cannot be done in this one.
    fn take_gem(&self, tool: &str, arguments: &mut Map<String, Value>) -> Result<(), Refusal> {
        let given = arguments.remove(gem_handle::ARGUMENT).filter(|gem| !gem.is_null());
        match (given, &self.handle) {
            (Some(given), Some(handle)) if given == **handle => Ok(()),
            (Some(_), _) => Err(gem_handle::unknown()),
            (None, Some(_)) if tool == gem_handle::OPEN => Ok(()),
            (None, _) if gem_handle::needs_one(tool) => Err(gem_handle::none_given(tool)),
            (None, _) => Ok(()),
        }
    }

    fn open_or_close(&mut self, request: &Request<'_>, name: &str, arguments: &Map<String, Value>) -> Reply {
        let outcome = if !arguments.is_empty() {
            self.closing |= name == gem_handle::OPEN;
            Err(Refusal::new("invalidParams", format!("{name} takes no arguments{}", but_gem(name))))
        } else if name == gem_handle::CLOSE {
            self.closing = true;
            let lost_changes = self.image.has_uncommitted_changes();
            let left = if lost_changes { " What it had not committed is gone." } else { "" };
            Ok(Answer::of(format!("The gem is closed.{left}"), &gem_handle::Closed { lost_changes }))
        } else {
            self.opened()
        };
        let reply = self.render(request, outcome);
        if self.closing { self.image.abort().map_or(reply_lost(request.id), |()| reply) } else { reply }
    }

    fn opened(&self) -> Outcome {
        match &self.handle {
            Some(handle) => {
                let text = format!("gem={handle}\nGive this to every tool as the argument gem; close_gem ends it.");
                Ok(Answer::of(text, &gem_handle::Opened { gem: handle }))
            }
            None => Err(Refusal::new("other", "No gem can be opened here.")),
        }
    }

    /// The tool that is called, and its arguments, unread.
    fn find<'a>(&self, request: &Request<'a>) -> Result<Call<'a>, Reply> {
        let invalid = |message: &str, kind| refuse(request.id, INVALID_PARAMS, message, kind);
        let parameters = request.params.unwrap_or("{}");
        if !parameters.starts_with('{') {
            return Err(invalid("Invalid params: they must be an object", "invalidParams"));
        }
        let CallParameters { name, arguments } = serde_json::from_str(parameters)
            .map_err(|_| invalid("Invalid params: a member is given twice or is not JSON", "invalidParams"))?;
        let Some(name) = name else { return Err(invalid("Missing tool name", "invalidParams")) };
        let Ok(name) = serde_json::from_str::<String>(name.get()) else {
            return Err(invalid("Missing tool name: \"name\" must be a string", "invalidParams"));
        };
        if request.revision.era == Era::Stateless && gem_handle::is_own(&name) {
            return Ok(Call { name, served: None, arguments });
        }
        match self.prepared.selection.find(&name) {
            Ok(served) => Ok(Call { name, served: Some(served), arguments }),
            Err(NotServed::Unknown) => Err(invalid(&format!("Unknown tool: {}", echo(&name)), "notFound")),
            Err(NotServed::ReadOnly) => {
                let message = format!("'{name}' is not available: the server is read-only");
                Err(refuse(request.id, METHOD_NOT_FOUND, &message, "readOnly"))
            }
        }
    }
}

fn but_gem(tool: &str) -> &'static str {
    if tool == gem_handle::CLOSE { " but gem" } else { "" }
}

fn reply_lost(id: &str) -> Reply {
    refuse(id, error::INTERNAL_ERROR, "The stone is gone; what was not committed is lost", "stoneLost")
}

fn read_arguments(raw: Option<&RawValue>) -> Result<Map<String, Value>, &'static str> {
    match raw.map(RawValue::get) {
        None => Ok(Map::new()),
        Some(raw) if raw.starts_with('{') => schema::read(raw),
        Some(_) => Err("Invalid params: \"arguments\" must be an object"),
    }
}
