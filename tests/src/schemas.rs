//! The official JSON Schemas of each revision, and whether a message of the server is as they say.
//!
//! `LAPIDARY_SCHEMAS` names a folder with `schema-REVISION.json` for each revision and, where it is there,
//! `schema-ext-tasks-draft.json`; `scripts/install-test-tools.sh` makes one. Without it nothing is checked.

use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The name of the schema of the extension for tasks, in place of a revision.
const TASKS: &str = "ext-tasks-draft";

/// What answers each method.
const RESULTS: &[(&str, &str)] = &[
    ("initialize", "InitializeResult"),
    ("server/discover", "DiscoverResult"),
    ("ping", "EmptyResult"),
    ("logging/setLevel", "EmptyResult"),
    ("resources/subscribe", "EmptyResult"),
    ("resources/unsubscribe", "EmptyResult"),
    ("tools/list", "ListToolsResult"),
    ("tools/call", "CallToolResult"),
    ("resources/list", "ListResourcesResult"),
    ("resources/templates/list", "ListResourceTemplatesResult"),
    ("resources/read", "ReadResourceResult"),
    ("prompts/list", "ListPromptsResult"),
    ("prompts/get", "GetPromptResult"),
    ("completion/complete", "CompleteResult"),
    ("subscriptions/listen", "SubscriptionsListenResult"),
];

/// What answers the methods of the extension for tasks.
const TASK_RESULTS: &[(&str, &str)] =
    &[("tasks/get", "GetTaskResult"), ("tasks/update", "UpdateTaskResult"), ("tasks/cancel", "CancelTaskResult")];

/// All schemas that are there, and what was compiled of them.
struct Schemas {
    documents: HashMap<String, Value>,
    compiled: Mutex<HashMap<(String, String), Arc<Validator>>>,
}

static SCHEMAS: LazyLock<Option<Schemas>> = LazyLock::new(Schemas::load);

/// Whether messages are checked.
pub fn are_there() -> bool {
    SCHEMAS.is_some()
}

/// Holds a message that the server sent against the schema of a revision; `method` is that of the request that it
/// answers, where that is known. Answers what is wrong.
pub fn check(revision: &str, method: Option<&str>, message: &Value) -> Result<(), String> {
    let Some(schemas) = &*SCHEMAS else { return Ok(()) };
    if let Some(method) = message["method"].as_str() {
        return schemas.check_sent(revision, method, message);
    }
    if message.get("error").is_some() {
        // What could not be read has no id to answer to, which only later schemas can say.
        let revision = if message.get("id").is_some() { revision } else { "2025-11-25" };
        return schemas.validate(revision, &["JSONRPCErrorResponse", "JSONRPCError"], message);
    }
    schemas.validate(revision, &["JSONRPCResultResponse", "JSONRPCResponse"], message)?;
    let result = &message["result"];
    match (result["resultType"].as_str(), method) {
        (Some("input_required"), _) => schemas.validate(revision, &["InputRequiredResult"], result),
        (Some("task"), _) => schemas.validate(TASKS, &["CreateTaskResult"], result),
        (_, Some(method)) => match (find(RESULTS, method), find(TASK_RESULTS, method)) {
            (Some(name), _) => schemas.validate(revision, &[name], result),
            (None, Some(name)) => schemas.validate(TASKS, &[name], result),
            (None, None) => Err(format!("a result for {method}, which no revision has")),
        },
        (_, None) => Ok(()),
    }
}

fn find(table: &[(&str, &'static str)], method: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == method).map(|(_, name)| *name)
}

impl Schemas {
    fn load() -> Option<Self> {
        let folder = PathBuf::from(std::env::var_os("LAPIDARY_SCHEMAS").filter(|folder| !folder.is_empty())?);
        let mut documents = HashMap::new();
        let revisions = protocol::revision::REVISIONS.iter().map(|revision| revision.name);
        for name in revisions.chain([TASKS]) {
            let path = folder.join(format!("schema-{name}.json"));
            let Ok(text) = std::fs::read(&path) else {
                assert_eq!(name, TASKS, "LAPIDARY_SCHEMAS has no {}", path.display());
                continue;
            };
            let mut document: Value = serde_json::from_slice(&text).expect("a schema is JSON");
            mend(&mut document);
            documents.insert(name.to_owned(), document);
        }
        Some(Self { documents, compiled: Mutex::default() })
    }

    fn check_sent(&self, revision: &str, method: &str, message: &Value) -> Result<(), String> {
        let name = if method == "notifications/tasks" {
            return self.validate(TASKS, &["TaskStatusNotification"], message);
        } else {
            self.definition_of(revision, method).ok_or_else(|| format!("{revision} has no {method}"))?
        };
        self.validate(revision, &[&name], message)
    }

    /// The definition whose `method` is this.
    fn definition_of(&self, revision: &str, method: &str) -> Option<String> {
        let definitions = definitions(self.documents.get(revision)?)?;
        let is_it = |(_, schema): &(&String, &Value)| schema["properties"]["method"]["const"] == method;
        definitions.iter().find(is_it).map(|(name, _)| name.clone())
    }

    /// Holds a value against the first of these definitions that there is.
    fn validate(&self, revision: &str, names: &[&str], value: &Value) -> Result<(), String> {
        let Some(document) = self.documents.get(revision) else { return Ok(()) };
        let known = definitions(document).ok_or("a schema without definitions")?;
        let name = names.iter().find(|name| known.contains_key(**name));
        let name = name.ok_or_else(|| format!("{revision} has none of {names:?}"))?;
        let validator = self.compile(revision, document, name);
        let wrong: Vec<String> =
            validator.iter_errors(value).take(4).map(|error| format!("{}: {error}", error.instance_path())).collect();
        if wrong.is_empty() { Ok(()) } else { Err(format!("{revision} {name}: {}", wrong.join("; "))) }
    }

    fn compile(&self, revision: &str, document: &Value, name: &str) -> Arc<Validator> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (revision.to_owned(), name.to_owned());
        let make = || {
            let place = if document.get("$defs").is_some() { "$defs" } else { "definitions" };
            let mut schema = json!({"$ref": format!("#/{place}/{name}")});
            schema["$schema"] = document["$schema"].clone();
            schema[place] = document[place].clone();
            Arc::new(jsonschema::validator_for(&schema).expect("an official schema compiles"))
        };
        Arc::clone(compiled.entry(key).or_insert_with(make))
    }
}

fn definitions(document: &Value) -> Option<&serde_json::Map<String, Value>> {
    document.get("$defs").or_else(|| document.get("definitions"))?.as_object()
}

/// Two published schemas say that the bounds and the default of any number in a form are integers, against the
/// specification beside them.
fn mend(document: &mut Value) {
    for place in ["$defs", "definitions"] {
        for member in ["minimum", "maximum", "default"] {
            if let Some(kind) = document.pointer_mut(&format!("/{place}/NumberSchema/properties/{member}/type")) {
                *kind = json!("number");
            }
        }
    }
}
