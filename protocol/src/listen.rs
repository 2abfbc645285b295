//! `subscriptions/listen`: what a client wants to hear of, and the notifications that tell it.
//!
//! Each notification of a subscription names it by the raw id of the request that opened it.

use crate::gem::{Event, topic};
use crate::limits::SUBSCRIPTIONS_MAX;
use crate::stateless::SUBSCRIPTION_KEY;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// What a client wants to hear of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Filter {
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
    pub fn read(params: &str) -> Result<Self, String> {
        let Parameters { notifications } =
            serde_json::from_str(params).map_err(|error| format!("Invalid params: {error}"))?;
        if notifications.resource_subscriptions.len() > SUBSCRIPTIONS_MAX {
            return Err(format!("Invalid params: at most {SUBSCRIPTIONS_MAX} resources can be listened to"));
        }
        Ok(notifications)
    }

    /// What of it can be heard where these topics are told.
    #[must_use]
    pub fn honoured(mut self, topics: &[String]) -> Self {
        let told = |topic: &str| topics.iter().any(|told| told == topic);
        self.tools_list_changed &= told(topic::TOOLS);
        self.prompts_list_changed &= told(topic::PROMPTS);
        self.resources_list_changed &= told(topic::RESOURCES);
        if !told(topic::RESOURCE) {
            self.resource_subscriptions.clear();
        }
        self
    }

    /// Whether it asks for this.
    pub fn wants(&self, event: &Event<'_>) -> bool {
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

/// The notification of an event; for a subscription, with the raw id of the request that opened it. Nothing for a
/// topic that is not known.
pub fn notice(event: &Event<'_>, subscription: Option<&str>) -> Option<String> {
    let mut params = Map::new();
    if event.topic == topic::RESOURCE {
        params.insert("uri".to_owned(), json!(event.subject));
    }
    Some(message(event.method()?, params, subscription))
}

/// The first message of a subscription: what of it is honoured.
pub fn acknowledgement(filter: &Filter, subscription: &str) -> String {
    let params = Map::from_iter([("notifications".to_owned(), filter.describe())]);
    message("notifications/subscriptions/acknowledged", params, Some(subscription))
}

/// The last message of a subscription that the server ends: the answer to its request.
pub fn closing(subscription: &str) -> String {
    let result = json!({"resultType": "complete", "_meta": tag(subscription)});
    format!(r#"{{"jsonrpc":"2.0","id":{subscription},"result":{result}}}"#)
}

fn message(method: &str, mut params: Map<String, Value>, subscription: Option<&str>) -> String {
    if let Some(id) = subscription {
        params.insert("_meta".to_owned(), tag(id));
    }
    let mut message = json!({"jsonrpc": "2.0", "method": method});
    if !params.is_empty() {
        message["params"] = Value::Object(params);
    }
    message.to_string()
}

fn tag(id: &str) -> Value {
    // The id was checked when the request came; a number stays a number.
    let id: Value = serde_json::from_str(id).unwrap_or_default();
    json!({ SUBSCRIPTION_KEY: id })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_heard_is_honoured() {
        let topics = [topic::TOOLS, topic::RESOURCE].map(str::to_owned);
        let all = r#"{"notifications":{"toolsListChanged":true,"promptsListChanged":true,
            "resourceSubscriptions":["a:b"]}}"#;
        let filter = Filter::read(all).expect("lawful").honoured(&topics);
        assert_eq!(filter.describe(), json!({"toolsListChanged": true, "resourceSubscriptions": ["a:b"]}));
        assert!(filter.wants(&Event { topic: topic::RESOURCE, subject: "a:b" }));
        assert!(!filter.wants(&Event { topic: topic::RESOURCE, subject: "a:c" }));
        assert_eq!(Filter::read("{}").expect("lawful").describe(), json!({}));
        assert!(Filter::read(r#"{"notifications":{"toolsListChanged":"yes"}}"#).is_err());
    }

    #[test]
    fn notices_name_their_subscription() {
        let event = Event { topic: topic::RESOURCE, subject: "a:b" };
        let told: Value = serde_json::from_str(&notice(&event, Some("\"x\"")).expect("known")).expect("JSON");
        assert_eq!(told["params"], json!({"uri": "a:b", "_meta": {SUBSCRIPTION_KEY: "x"}}));
        assert_eq!(notice(&Event { topic: "other", subject: "" }, None), None);
    }
}
