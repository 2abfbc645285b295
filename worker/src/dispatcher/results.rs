//! A tool's outcome as a result of JSON-RPC, with what is said of the session beside it.
//!
//! It runs nothing.

use super::Dispatcher;
use crate::request::{Reply, Request, refuse, spoken};
use crate::tool::{Answer, Content, Outcome, Refusal, gem_handle};
use protocol::envelope::{Envelope, Kind};
use protocol::error;
use protocol::gem::{ClientMessage, Results};
use protocol::limits::{FRAME_BYTES_MAX, FRAME_OVERHEAD_BYTES};
use protocol::shape::{Cache, Place, fit};
use serde_json::{Value, json};

/// Said beside every answer while it is so.
const UNCOMMITTED: &str = "[session] There are uncommitted changes: only this session sees them until commit; abort \
                           discards them. status says what they are.";

/// Said when this process panicked in a call.
const PANICKED: &str = "The server failed in this call by a fault of its own. The process (gem) of this session has \
                        ended, and what it had not committed is lost; what is committed and other sessions are as \
                        before. Open a new session and look at what is there before you go on. The server's log says \
                        what failed.";

impl Dispatcher<'_> {
    /// A tool's outcome as a result.
    pub(super) fn render(&mut self, request: &Request<'_>, mut outcome: Outcome) -> Reply {
        let notice = match (self.image.has_uncommitted_changes(), self.is_ephemeral(request)) {
            (false, _) => None,
            (true, true) => {
                // What is said of changes that stay does not hold for those that are gone.
                if let Ok(answer) = &mut outcome {
                    answer.aside = None;
                }
                Some(gem_handle::dropped(&self.image.uncommitted_changes()))
            }
            (true, false) => Some(UNCOMMITTED.to_owned()),
        };
        let notice = notice.filter(|_| !self.closing);
        let failures = std::mem::take(&mut self.load_failures);
        let whole = |outcome| self.result(request, outcome, notice.as_deref(), &failures);
        let reply = whole(outcome);
        if reply.body.len() <= FRAME_BYTES_MAX - FRAME_OVERHEAD_BYTES {
            return reply;
        }
        let size = reply.body.len();
        whole(Err(Refusal::new("tooLarge", format!("The answer has {size} bytes, more than a message may have."))))
    }

    fn result(&self, request: &Request<'_>, outcome: Outcome, notice: Option<&str>, failures: &[String]) -> Reply {
        let refusal = outcome.as_ref().err().map(|refusal| refusal.kind);
        let (mut result, has_text) = tool_result(outcome, notice, failures);
        fit(Place::CallResult, &mut result, request.revision);
        leave_out(&mut result, has_text, self.results);
        let reply = self.discovery.result(request, result, Cache::Unsaid);
        match refusal {
            Some(kind) => reply.refusing(kind),
            None => reply,
        }
    }

    /// The answer to a message at which this process panicked. It never looks at the image, which the panic may have
    /// left in any state. A task has failed with it, so it is an error then, as it is where no tool was called.
    pub(crate) fn render_panic(&self, message: ClientMessage<'_>, is_task: bool) -> Reply {
        let Ok(Envelope { kind: Kind::Request, id: Some(id), method: Some(method), params, .. }) =
            Envelope::parse(message.body)
        else {
            return Reply::accepted();
        };
        let request = Request { id, method: &method, params, revision: spoken(message.revision) };
        if is_task || request.method != "tools/call" {
            return refuse(id, error::INTERNAL_ERROR, PANICKED, "internal");
        }
        self.result(&request, Err(Refusal::new("internal", PANICKED)), None, &[])
    }
}

/// A result as all clients get it but for what their revision or the operator leaves out; whether it begins with the
/// tool's own text.
fn tool_result(outcome: Outcome, notice: Option<&str>, failures: &[String]) -> (Value, bool) {
    let (text, structured, blocks, aside, is_error) = match outcome {
        Ok(Answer { text, structured, blocks, aside }) => (text, structured, blocks, aside, false),
        Err(refusal) => (refusal.text.clone(), Some(json!({ "error": refusal.data() })), Vec::new(), None, true),
    };
    let mut content = Vec::new();
    let has_text = !text.is_empty() || blocks.is_empty();
    if has_text {
        content.push(json!({"type": "text", "text": text}));
    }
    content.extend(blocks.iter().map(Content::to_json));
    if let Some(notice) = notice {
        content.push(json!({"type": "text", "text": aside.as_deref().unwrap_or(notice)}));
    }
    content.extend(failures.iter().map(|failure| json!({"type": "text", "text": format!("[session] {failure}")})));
    let mut result = json!({"content": content, "isError": is_error});
    if let Some(structured) = structured {
        result["structuredContent"] = structured;
    }
    (result, has_text)
}

/// Leaves out what the operator does not want to be said twice. What is said of the session is said once, and stays.
fn leave_out(result: &mut Value, has_text: bool, results: Results) {
    let Some(members) = result.as_object_mut() else { return };
    match results {
        Results::Both => {}
        Results::Content => drop(members.remove("structuredContent")),
        Results::Structured if has_text && members.contains_key("structuredContent") => {
            if let Some(content) = members.get_mut("content").and_then(Value::as_array_mut) {
                content.remove(0);
            }
        }
        Results::Structured => {}
    }
}
