//! Who listens for changes without a session: the streams of `subscriptions/listen`, and what each of them hears.
//!
//! A change that any gem tells of reaches every stream that asked for its kind, and no other. Each message names the
//! subscription that it belongs to by the raw id of the request that opened it.

use crate::events::{Channel, Outlet, Source};
use crate::lock;
use bytes::Bytes;
use protocol::gem::{Event, topic};
use protocol::limits::{LISTENERS_MAX, SUBSCRIPTIONS_MAX};
use protocol::stateless::SUBSCRIPTION_KEY;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// What a client wants to hear of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Filter {
    tools_list_changed: bool,
    prompts_list_changed: bool,
    resources_list_changed: bool,
    resource_subscriptions: Vec<String>,
}

#[derive(Deserialize)]
struct Parameters {
    #[serde(default)]
    notifications: Filter,
}

impl Filter {
    /// Reads the parameters of `subscriptions/listen`; answers what is wrong with them.
    pub(crate) fn read(params: &str) -> Result<Self, String> {
        let Parameters { notifications } =
            serde_json::from_str(params).map_err(|error| format!("Invalid params: {error}"))?;
        if notifications.resource_subscriptions.len() > SUBSCRIPTIONS_MAX {
            return Err(format!("Invalid params: at most {SUBSCRIPTIONS_MAX} resources can be listened to"));
        }
        Ok(notifications)
    }

    /// What of it can be heard where these topics are told.
    pub(crate) fn honoured(mut self, topics: &[String]) -> Self {
        let told = |topic: &str| topics.iter().any(|told| told == topic);
        self.tools_list_changed &= told(topic::TOOLS);
        self.prompts_list_changed &= told(topic::PROMPTS);
        self.resources_list_changed &= told(topic::RESOURCES);
        if !told(topic::RESOURCE) {
            self.resource_subscriptions.clear();
        }
        self
    }

    fn wants(&self, event: &Event<'_>) -> bool {
        match event.topic {
            topic::TOOLS => self.tools_list_changed,
            topic::PROMPTS => self.prompts_list_changed,
            topic::RESOURCES => self.resources_list_changed,
            topic::RESOURCE => self.resource_subscriptions.iter().any(|uri| uri == event.subject),
            _ => false,
        }
    }

    fn describe(&self) -> Value {
        let mut described = Map::new();
        let lists = [
            ("toolsListChanged", self.tools_list_changed),
            ("promptsListChanged", self.prompts_list_changed),
            ("resourcesListChanged", self.resources_list_changed),
        ];
        for (name, _) in lists.into_iter().filter(|(_, wanted)| *wanted) {
            described.insert(name.to_owned(), json!(true));
        }
        if !self.resource_subscriptions.is_empty() {
            described.insert("resourceSubscriptions".to_owned(), json!(self.resource_subscriptions));
        }
        Value::Object(described)
    }
}

/// The notification of an event; for a subscription, with the raw id of the request that opened it.
pub(crate) fn notice(event: &Event<'_>, subscription: Option<&str>) -> Option<Bytes> {
    let mut params = Map::new();
    if event.topic == topic::RESOURCE {
        params.insert("uri".to_owned(), json!(event.subject));
    }
    Some(message(event.method()?, params, subscription))
}

fn message(method: &str, mut params: Map<String, Value>, subscription: Option<&str>) -> Bytes {
    if let Some(id) = subscription {
        params.insert("_meta".to_owned(), tag(id));
    }
    let mut message = json!({"jsonrpc": "2.0", "method": method});
    if !params.is_empty() {
        message["params"] = Value::Object(params);
    }
    Bytes::from(message.to_string())
}

fn tag(id: &str) -> Value {
    // The id was checked when the request came; a number stays a number.
    let id: Value = serde_json::from_str(id).unwrap_or_default();
    json!({ SUBSCRIPTION_KEY: id })
}

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
        let params = Map::from_iter([("notifications".to_owned(), filter.describe())]);
        outlet.send(message("notifications/subscriptions/acknowledged", params, Some(id)));
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
                || notice(event, Some(&listener.id)).is_none_or(|body| listener.outlet.send(body))
        });
    }

    /// Ends all of them: each gets the answer to its request.
    pub(crate) fn close(&self) {
        for (_, Listener { id, outlet, .. }) in lock(&self.state).listeners.drain() {
            let result = json!({"resultType": "complete", "_meta": tag(&id)});
            outlet.send(Bytes::from(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::EventStream;
    use crate::session::Surroundings;
    use http_body_util::BodyExt;

    fn topics() -> Vec<String> {
        [topic::TOOLS, topic::RESOURCE].map(str::to_owned).to_vec()
    }

    #[test]
    fn only_what_can_be_heard_is_honoured() {
        let all =
            r#"{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["a:b"]}}"#;
        let filter = Filter::read(all).expect("lawful").honoured(&topics());
        assert_eq!(filter.describe(), json!({"toolsListChanged": true, "resourceSubscriptions": ["a:b"]}));
        assert_eq!(Filter::read("{}").expect("lawful").describe(), json!({}));
        assert!(Filter::read(r#"{"notifications":{"toolsListChanged":"yes"}}"#).is_err());
    }

    #[tokio::test]
    async fn streams_hear_what_they_asked_for_under_their_own_id() {
        let around = Arc::new(Surroundings::default());
        let filter = |text: &str| Filter::read(text).expect("lawful");
        let tools = filter(r#"{"notifications":{"toolsListChanged":true}}"#);
        let file = filter(r#"{"notifications":{"resourceSubscriptions":["a:b"]}}"#);
        let (first, _one) = Listeners::listen(&around, "7", tools).expect("room");
        let (second, _two) = Listeners::listen(&around, "\"x\"", file).expect("room");
        around.listeners.announce(&Event { topic: topic::TOOLS, subject: "" });
        around.listeners.announce(&Event { topic: topic::RESOURCE, subject: "a:b" });
        around.listeners.announce(&Event { topic: topic::RESOURCE, subject: "a:c" });
        around.listeners.close();
        for (source, methods, id) in [
            (first, ["notifications/subscriptions/acknowledged", "notifications/tools/list_changed"], json!(7)),
            (second, ["notifications/subscriptions/acknowledged", "notifications/resources/updated"], json!("x")),
        ] {
            let bytes = EventStream::new(source, None, ()).collect().await.expect("whole").to_bytes();
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
