//! Who listens for changes without a session: the streams of `subscriptions/listen`, and what each of them hears.
//!
//! A change that any gem tells of reaches every stream that asked for its kind, and no other. Each message names the
//! subscription that it belongs to by the raw id of the request that opened it.

use crate::core::events::EventSender;
use crate::core::shared::Shared;
use crate::lock;
use bytes::Bytes;
use protocol::gem::Event;
use protocol::limits::LISTENERS_MAX;
use protocol::listen::{Filter, acknowledgement, closing, notice};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// All streams that listen.
#[derive(Debug, Default)]
pub(crate) struct Listeners {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    listeners: HashMap<u64, Listener>,
    next: u64,
}

#[derive(Debug)]
struct Listener {
    id: Box<str>,
    filter: Filter,
    sender: EventSender,
}

/// A stream that listens as long as this lives.
#[derive(Debug)]
pub(crate) struct Listening {
    number: u64,
    shared: Arc<Shared>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        lock(&self.shared.listeners.state).listeners.remove(&self.number);
    }
}

impl Listeners {
    /// Begins to listen; what is heard is sent, after an acknowledgement. `None` if too many do.
    pub(crate) fn listen(shared: &Arc<Shared>, id: &str, filter: Filter, sender: EventSender) -> Option<Listening> {
        let mut state = lock(&shared.listeners.state);
        if state.listeners.len() >= LISTENERS_MAX {
            return None;
        }
        sender.send(Bytes::from(acknowledgement(&filter, id)));
        state.next += 1;
        let number = state.next;
        state.listeners.insert(number, Listener { id: id.into(), filter, sender });
        Some(Listening { number, shared: shared.clone() })
    }

    /// Tells everybody who asked for it.
    pub(crate) fn announce(&self, event: &Event<'_>) {
        let mut state = lock(&self.state);
        // A reader that is too far behind loses its stream.
        state.listeners.retain(|_, listener| {
            !listener.filter.wants(event)
                || notice(event, Some(&listener.id)).is_none_or(|body| listener.sender.send(Bytes::from(body)))
        });
    }

    /// Ends all of them: each gets the answer to its request.
    pub(crate) fn close(&self) {
        for (_, Listener { id, sender, .. }) in lock(&self.state).listeners.drain() {
            sender.send(Bytes::from(closing(&id)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::events::EventBuffer;
    use crate::core::events::tests::rest;
    use protocol::gem::topic;
    use protocol::stateless::SUBSCRIPTION_KEY;
    use serde_json::{Value, json};

    #[tokio::test]
    async fn streams_hear_what_they_asked_for_under_their_own_id() {
        let shared = Arc::new(Shared::default());
        let filter = |text: &str| Filter::read(text).expect("parameters");
        let tools = filter(r#"{"notifications":{"toolsListChanged":true}}"#);
        let file = filter(r#"{"notifications":{"resourceSubscriptions":["a:b"]}}"#);
        let [(sender, first), (other, second)] = [EventBuffer::passing().ends(), EventBuffer::passing().ends()];
        let _one = Listeners::listen(&shared, "7", tools, sender).expect("room");
        let _two = Listeners::listen(&shared, "\"x\"", file, other).expect("room");
        shared.listeners.announce(&Event { topic: topic::TOOLS, ..Event::default() });
        shared.listeners.announce(&Event { topic: topic::RESOURCE, subject: "a:b", details: "" });
        shared.listeners.announce(&Event { topic: topic::RESOURCE, subject: "a:c", details: "" });
        shared.listeners.close();
        for (reader, methods, id) in [
            (first, ["notifications/subscriptions/acknowledged", "notifications/tools/list_changed"], json!(7)),
            (second, ["notifications/subscriptions/acknowledged", "notifications/resources/updated"], json!("x")),
        ] {
            let texts = rest(reader).await;
            let events: Vec<Value> = texts.iter().map(|text| serde_json::from_str(text).expect("JSON")).collect();
            assert_eq!(events.len(), 3, "{texts:?}");
            assert_eq!([&events[0]["method"], &events[1]["method"]], methods.map(|method| json!(method)).each_ref());
            assert!(events[..2].iter().all(|event| event["params"]["_meta"][SUBSCRIPTION_KEY] == id), "{texts:?}");
            assert_eq!((&events[2]["id"], &events[2]["result"]["resultType"]), (&id, &json!("complete")));
        }
    }

    #[test]
    fn a_client_that_is_gone_listens_no_more() {
        let shared = Arc::new(Shared::default());
        let (sender, _reader) = EventBuffer::passing().ends();
        let listening = Listeners::listen(&shared, "1", Filter::default(), sender).expect("room");
        drop(listening);
        assert!(lock(&shared.listeners.state).listeners.is_empty());
    }
}
