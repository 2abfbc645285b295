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
    task_ids: Vec<String>,
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
        if notifications.resource_subscriptions.len() + notifications.task_ids.len() > SUBSCRIPTIONS_MAX {
            return Err(format!("Invalid params: at most {SUBSCRIPTIONS_MAX} resources and tasks can be listened to"));
        }
        Ok(notifications)
    }

    /// Whether it names tasks.
    pub fn names_tasks(&self) -> bool {
        !self.task_ids.is_empty()
    }

    /// What of it can be heard where these topics are told, and of those tasks that may be heard of.
    #[must_use]
    pub fn honoured(mut self, topics: &[String], is_task: impl Fn(&str) -> bool) -> Self {
        self.task_ids.retain(|id| is_task(id));
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
            topic::TASK => self.task_ids.iter().any(|id| id == event.subject),
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
        if !self.task_ids.is_empty() {
            described.insert("taskIds".to_owned(), json!(self.task_ids));
        }
        Value::Object(described)
    }
}

/// The notification of an event; for a subscription, with the raw id of the request that opened it. Nothing for a
/// topic that is not known, or details that are no object.
pub fn notice(event: &Event<'_>, subscription: Option<&str>) -> Option<String> {
    let mut params: Map<String, Value> = match event.details {
        "" => Map::new(),
        details => serde_json::from_str(details).ok()?,
    };
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
        let filter = Filter::read(all).expect("valid").honoured(&topics, |_| false);
        assert_eq!(filter.describe(), json!({"toolsListChanged": true, "resourceSubscriptions": ["a:b"]}));
        assert!(filter.wants(&Event { topic: topic::RESOURCE, subject: "a:b", details: "" }));
        assert!(!filter.wants(&Event { topic: topic::RESOURCE, subject: "a:c", details: "" }));
        assert_eq!(Filter::read("{}").expect("valid").describe(), json!({}));
        assert!(Filter::read(r#"{"notifications":{"toolsListChanged":"yes"}}"#).is_err());
    }

    #[test]
    fn tasks_are_heard_of_by_who_may_and_with_all_that_is_told() {
        let asked = r#"{"notifications":{"taskIds":["a-1","b-1"]}}"#;
        let filter = Filter::read(asked).expect("valid").honoured(&[], |id| id.starts_with('a'));
        assert_eq!(filter.describe(), json!({"taskIds": ["a-1"]}));
        let event = Event { topic: topic::TASK, subject: "a-1", details: r#"{"taskId":"a-1","status":"working"}"# };
        assert!(filter.wants(&event) && !filter.wants(&Event { subject: "b-1", ..event }));
        let told: Value = serde_json::from_str(&notice(&event, Some("7")).expect("known")).expect("JSON");
        assert_eq!((&told["method"], &told["params"]["status"]), (&json!("notifications/tasks"), &json!("working")));
        assert_eq!(told["params"]["_meta"][SUBSCRIPTION_KEY], 7);
    }

    #[test]
    fn notices_name_their_subscription() {
        let event = Event { topic: topic::RESOURCE, subject: "a:b", details: "" };
        let told: Value = serde_json::from_str(&notice(&event, Some("\"x\"")).expect("known")).expect("JSON");
        assert_eq!(told["params"], json!({"uri": "a:b", "_meta": {SUBSCRIPTION_KEY: "x"}}));
        assert_eq!(notice(&Event { topic: "other", ..Event::default() }, None), None);
    }
}
