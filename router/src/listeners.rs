//! Who listens for changes without a session: the streams of `subscriptions/listen`, and what each of them hears.
//!
//! A change that any gem tells of reaches every stream that asked for its kind, and no other. Each message names the
//! subscription that it belongs to by the raw id of the request that opened it.

use crate::events::{Channel, Outlet, Source};
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
    outlet: Outlet,
}

/// A stream that listens as long as this lives.
#[derive(Debug)]
pub(crate) struct Listening {
    number: u64,
    around: Arc<crate::session::Surroundings>,
}

impl Drop for Listening {
    fn drop(&mut self) {
        lock(&self.around.listeners.state).listeners.remove(&self.number);
    }
}

impl Listeners {
    /// Begins to listen; the acknowledgement is on the stream already. Nothing if too many do.
    pub(crate) fn listen(
        around: &Arc<crate::session::Surroundings>,
        id: &str,
        filter: Filter,
    ) -> Option<(Source, Listening)> {
        let mut state = lock(&around.listeners.state);
        if state.listeners.len() >= LISTENERS_MAX {
            return None;
        }
        let (outlet, source) = Channel::passing().ends();
        outlet.send(Bytes::from(acknowledgement(&filter, id)));
        state.next += 1;
        let number = state.next;
        state.listeners.insert(number, Listener { id: id.into(), filter, outlet });
        Some((source, Listening { number, around: around.clone() }))
    }

    /// Tells everybody who asked for it.
    pub(crate) fn announce(&self, event: &Event<'_>) {
        let mut state = lock(&self.state);
        // A reader that is too far behind loses its stream.
        state.listeners.retain(|_, listener| {
            !listener.filter.wants(event)
                || notice(event, Some(&listener.id)).is_none_or(|body| listener.outlet.send(Bytes::from(body)))
        });
    }

    /// Ends all of them: each gets the answer to its request.
    pub(crate) fn close(&self) {
        for (_, Listener { id, outlet, .. }) in lock(&self.state).listeners.drain() {
            outlet.send(Bytes::from(closing(&id)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::EventStream;
    use crate::session::Surroundings;
    use http_body_util::BodyExt;
    use protocol::gem::topic;
    use protocol::stateless::SUBSCRIPTION_KEY;
    use serde_json::{Value, json};
    use std::time::Duration;

    #[tokio::test]
    async fn streams_hear_what_they_asked_for_under_their_own_id() {
        let around = Arc::new(Surroundings::default());
        let filter = |text: &str| Filter::read(text).expect("lawful");
        let tools = filter(r#"{"notifications":{"toolsListChanged":true}}"#);
        let file = filter(r#"{"notifications":{"resourceSubscriptions":["a:b"]}}"#);
        let (first, _one) = Listeners::listen(&around, "7", tools).expect("room");
        let (second, _two) = Listeners::listen(&around, "\"x\"", file).expect("room");
        around.listeners.announce(&Event { topic: topic::TOOLS, ..Event::default() });
        around.listeners.announce(&Event { topic: topic::RESOURCE, subject: "a:b", details: "" });
        around.listeners.announce(&Event { topic: topic::RESOURCE, subject: "a:c", details: "" });
        around.listeners.close();
        for (source, methods, id) in [
            (first, ["notifications/subscriptions/acknowledged", "notifications/tools/list_changed"], json!(7)),
            (second, ["notifications/subscriptions/acknowledged", "notifications/resources/updated"], json!("x")),
        ] {
            let stream = EventStream::new(source, None, Duration::from_secs(60), ());
            let bytes = stream.collect().await.expect("whole").to_bytes();
            let text = String::from_utf8(bytes.to_vec()).expect("text");
            let events: Vec<Value> = text
                .lines()
                .filter_map(|line| line.strip_prefix("data: "))
                .map(|data| serde_json::from_str(data).expect("JSON"))
                .collect();
            assert_eq!(events.len(), 3, "{text}");
            assert_eq!([&events[0]["method"], &events[1]["method"]], methods.map(|method| json!(method)).each_ref());
            assert!(events[..2].iter().all(|event| event["params"]["_meta"][SUBSCRIPTION_KEY] == id), "{text}");
            assert_eq!((&events[2]["id"], &events[2]["result"]["resultType"]), (&id, &json!("complete")));
        }
    }

    #[test]
    fn whoever_is_gone_listens_no_more() {
        let around = Arc::new(Surroundings::default());
        let listening = Listeners::listen(&around, "1", Filter::default()).expect("room");
        drop(listening);
        assert!(lock(&around.listeners.state).listeners.is_empty());
    }
}
