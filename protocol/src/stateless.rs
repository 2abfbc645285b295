//! Requests that stand for themselves: their metadata, the headers that must agree with them, and the order of checks.
//!
//! Pure functions over text. A header is never believed where the body says something: it may only repeat it.

use crate::error::{HEADER_MISMATCH, INVALID_PARAMS, METHOD_NOT_FOUND, MISSING_CAPABILITY, UNSUPPORTED_REVISION};
use crate::revision::{Era, Revision, Served};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

/// Names the revision of a request.
pub const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// Says what its client can do.
pub const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
/// Says which log messages its client wants.
pub const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";
/// Names the subscription that a notification belongs to.
pub const SUBSCRIPTION_KEY: &str = "io.modelcontextprotocol/subscriptionId";
/// Levels of log messages, the least urgent first.
pub const LOG_LEVELS: &[&str] = &["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// Each method that a stateless request may have, and the parameter that its header `Mcp-Name` repeats.
const METHODS: &[(&str, Option<&str>)] = &[
    ("server/discover", None),
    ("tools/list", None),
    ("tools/call", Some("name")),
    ("prompts/list", None),
    ("prompts/get", Some("name")),
    ("resources/list", None),
    ("resources/templates/list", None),
    ("resources/read", Some("uri")),
    ("completion/complete", None),
    ("subscriptions/listen", None),
    ("tasks/get", Some("taskId")),
    ("tasks/update", Some("taskId")),
    ("tasks/cancel", Some("taskId")),
];

/// Names the extension for tasks, where a client and a server declare extensions.
pub const TASKS_KEY: &str = "io.modelcontextprotocol/tasks";

/// The first revision without sessions; a header that names it or a later date wants no session.
const FIRST: &str = "2026-07-28";

/// Why a stateless request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The JSON-RPC code; [`crate::error::stateless_status`] gives the HTTP status.
    pub code: i32,
    /// What is wrong and what to do.
    pub message: String,
    /// `error.data`, for programs.
    pub data: Option<Value>,
}

/// The headers of a request that its body must agree with, without the blanks around their values.
#[derive(Debug, Clone, Copy, Default)]
pub struct Headers<'a> {
    /// `MCP-Protocol-Version`.
    pub version: Option<&'a str>,
    /// `Mcp-Method`.
    pub method: Option<&'a str>,
    /// `Mcp-Name`.
    pub name: Option<&'a str>,
}

/// What is looked at in a request's parameters on its way.
#[derive(Debug, Default, Deserialize)]
pub struct RoutingParams<'a> {
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    uri: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "taskId")]
    task_id: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "protocolVersion")]
    protocol_version: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct GemArgument<'a> {
    #[serde(borrow, default)]
    gem: Option<Cow<'a, str>>,
}

/// A request that passed every check that needs no handler.
#[derive(Debug)]
pub struct Checked<'a> {
    /// What it speaks.
    pub revision: &'static Revision,
    /// What its method is about: the tool, the prompt or the resource.
    pub name: Option<Cow<'a, str>>,
}

impl<'a> RoutingParams<'a> {
    /// Reads raw parameters; those that are no object, or name a member twice, have nothing to look at.
    pub fn read(params: Option<&'a str>) -> Self {
        let params = params.filter(|text| text.starts_with('{'));
        params.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// Whether the metadata name a revision: the request says itself that it stands alone.
    pub fn names_revision(&self) -> bool {
        self.metadata().is_some_and(|meta| meta.contains_key(VERSION_KEY))
    }

    /// The metadata, if they are an object.
    pub fn metadata(&self) -> Option<Map<String, Value>> {
        // Nearly every request of a session has none, and those that have seldom more than a progress token.
        self.meta.filter(|raw| raw.get().starts_with('{')).and_then(|raw| serde_json::from_str(raw.get()).ok())
    }

    /// Whether the client of this request declares that it knows tasks.
    pub fn declares_tasks(&self) -> bool {
        self.metadata().is_some_and(|meta| meta.get(CAPABILITIES_KEY).is_some_and(declares_tasks))
    }

    /// The revision that an `initialize` asks for.
    pub fn requested(&self) -> Option<String> {
        self.protocol_version.and_then(|raw| serde_json::from_str(raw.get()).ok())
    }

    /// The handle in the argument `gem` of a tool, if there is one.
    pub fn gem(&self) -> Option<Cow<'a, str>> {
        let arguments = self.arguments.filter(|raw| raw.get().starts_with('{'))?;
        serde_json::from_str::<GemArgument<'a>>(arguments.get()).ok()?.gem
    }

    /// The name that the body gives, where its method has one.
    fn named(&self, member: &str) -> Option<Cow<'a, str>> {
        let raw = match member {
            "uri" => self.uri,
            "taskId" => self.task_id,
            _ => self.name,
        };
        raw.and_then(|raw| serde_json::from_str::<Cow<'a, str>>(raw.get()).ok())
    }
}

/// Whether a client with these capabilities knows tasks.
pub fn declares_tasks(capabilities: &Value) -> bool {
    capabilities["extensions"][TASKS_KEY].is_object()
}

/// The refusal of what only a client that knows tasks can be served.
pub fn tasks_needed() -> Fault {
    Fault {
        code: MISSING_CAPABILITY,
        message: format!("The client must declare the extension {TASKS_KEY} in its capabilities"),
        data: Some(json!({"requiredCapabilities": {"extensions": {TASKS_KEY: {}}}})),
    }
}

/// The handle of the gem in which a task of this id lives, as it is written there.
pub fn handle_of_task(id: &str) -> &str {
    id.split_once('-').map_or(id, |(handle, _)| handle)
}

/// Whether stateless requests may have this method, if it is served.
pub fn is_method(method: &str) -> bool {
    METHODS.iter().any(|(known, _)| *known == method)
}

/// Whether a version header names a revision without sessions, known or still to come.
pub fn is_stateless_version(header: &str) -> bool {
    let shape = |(place, byte): (usize, u8)| if matches!(place, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    header.len() == FIRST.len() && header.bytes().enumerate().all(shape) && header >= FIRST
}

/// Holds a request against all that can be checked without a handler, in the order that clients rely on.
pub fn check<'a>(
    method: &str,
    params: &RoutingParams<'a>,
    headers: &Headers<'_>,
    served: &Served,
) -> Result<Checked<'a>, Fault> {
    let version = check_metadata(params)?;
    match headers.version {
        None => return Err(mismatch("The header MCP-Protocol-Version is missing")),
        Some(header) if header != version => {
            return Err(mismatch("The header MCP-Protocol-Version says something else than the body's _meta"));
        }
        Some(_) => {}
    }
    let revision = check_version(&version, served)?;
    let name = check_routing(method, params, headers)?;
    if !is_method(method) {
        return Err(unknown_method(method));
    }
    Ok(Checked { revision, name })
}

/// As [`check`], where no headers repeat what a body says.
pub fn check_body<'a>(method: &str, params: &RoutingParams<'a>, served: &Served) -> Result<Checked<'a>, Fault> {
    let revision = check_version(&check_metadata(params)?, served)?;
    if !is_method(method) {
        return Err(unknown_method(method));
    }
    Ok(Checked { revision, name: member_of(method).and_then(|member| params.named(member)) })
}

fn member_of(method: &str) -> Option<&'static str> {
    METHODS.iter().find(|(known, _)| *known == method).and_then(|(_, member)| *member)
}

/// The version that the metadata name, once they are complete.
pub fn check_metadata(params: &RoutingParams<'_>) -> Result<String, Fault> {
    let meta = params.metadata().unwrap_or_default();
    let missing: Vec<&str> =
        [VERSION_KEY, CAPABILITIES_KEY].into_iter().filter(|key| !meta.contains_key(*key)).collect();
    if !missing.is_empty() {
        return Err(invalid(format!("Invalid params: params._meta needs {}", missing.join(" and "))));
    }
    if !meta[CAPABILITIES_KEY].is_object() {
        return Err(invalid(format!("Invalid params: {CAPABILITIES_KEY} must be an object")));
    }
    if let Some(level) = meta.get(LOG_LEVEL_KEY)
        && !level.as_str().is_some_and(|level| LOG_LEVELS.contains(&level))
    {
        return Err(invalid(format!("Invalid params: {LOG_LEVEL_KEY} must be one of {}", LOG_LEVELS.join(", "))));
    }
    match meta[VERSION_KEY].as_str() {
        Some(version) => Ok(version.to_owned()),
        None => Err(invalid(format!("Invalid params: {VERSION_KEY} must be a string"))),
    }
}

/// The served revision of this name, if it has no sessions.
pub fn check_version(version: &str, served: &Served) -> Result<&'static Revision, Fault> {
    let revision = served.find(version).filter(|revision| revision.era == Era::Stateless);
    revision.ok_or_else(|| unsupported(version, served))
}

/// The refusal of a revision that is not served, which names those that are.
pub fn unsupported(requested: &str, served: &Served) -> Fault {
    /// Longest part of what a client asked for that is repeated.
    const REPEATED_MAX: usize = 64;
    let requested: String = requested.chars().take(REPEATED_MAX).collect();
    let supported = served.names_of(Era::Stateless);
    Fault {
        code: UNSUPPORTED_REVISION,
        message: format!("Unsupported protocol version: use {}", supported.join(" or ")),
        data: Some(json!({ "supported": supported, "requested": requested })),
    }
}

/// The refusal of a method that does not exist here.
pub fn unknown_method(method: &str) -> Fault {
    let shown: String = method.chars().take(64).collect();
    Fault { code: METHOD_NOT_FOUND, message: format!("Method not found: {shown}"), data: None }
}

fn check_routing<'a>(
    method: &str,
    params: &RoutingParams<'a>,
    headers: &Headers<'_>,
) -> Result<Option<Cow<'a, str>>, Fault> {
    match headers.method {
        None => return Err(mismatch("The header Mcp-Method is missing")),
        Some(header) if header != method => return Err(mismatch("The header Mcp-Method differs from the body")),
        Some(_) => {}
    }
    let Some(member) = member_of(method) else { return Ok(None) };
    let named = params.named(member);
    match (headers.name, &named) {
        (None, Some(_)) => {
            return Err(mismatch(&format!("The header Mcp-Name is missing: it repeats params.{member}")));
        }
        (Some(header), Some(named)) => {
            let decoded = decode(header).ok_or_else(|| mismatch("The header Mcp-Name is not valid base64 of UTF-8"))?;
            if decoded != *named {
                return Err(mismatch(&format!("The header Mcp-Name differs from params.{member}")));
            }
        }
        (Some(_), None) => return Err(mismatch(&format!("The header Mcp-Name is given, but params.{member} is not"))),
        (None, None) => {}
    }
    Ok(named)
}

/// The refusal of a header that does not agree with the body.
pub fn mismatch(message: &str) -> Fault {
    Fault { code: HEADER_MISMATCH, message: message.to_owned(), data: None }
}

fn invalid(message: String) -> Fault {
    Fault { code: INVALID_PARAMS, message, data: None }
}

/// The text of a header's value, which may be wrapped as `=?base64?…?=`. Half a wrapper is text.
pub fn decode(value: &str) -> Option<Cow<'_, str>> {
    let Some(wrapped) = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Some(Cow::Borrowed(value));
    };
    let bytes = STANDARD.decode(wrapped).ok()?;
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

/// Whether the header of a parameter says the same as the argument in the body; nothing if it cannot be read.
pub fn agrees(header: &str, argument: &Value) -> Option<bool> {
    let said = decode(header)?;
    Some(match argument {
        Value::String(text) => said == *text,
        Value::Bool(truth) => said == if *truth { "true" } else { "false" },
        Value::Number(number) => match (said.parse::<f64>(), number.as_f64()) {
            (Ok(said), Some(number)) => said == number,
            _ => false,
        },
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(version: &str, rest: &str) -> String {
        format!(r#"{{"_meta":{{"{VERSION_KEY}":"{version}","{CAPABILITIES_KEY}":{{}}}}{rest}}}"#)
    }

    fn code(method: &str, params: &str, version: Option<&str>, routed: Option<&str>, name: Option<&str>) -> i32 {
        let headers = Headers { version, method: routed, name };
        let params = RoutingParams::read(Some(params));
        check(method, &params, &headers, &Served::default()).map_or_else(|fault| fault.code, |_| 0)
    }

    #[test]
    fn the_ladder_has_the_order_that_clients_rely_on() {
        let good = Some("2026-07-28");
        let list = Some("tools/list");
        let table = [
            ("tools/list", params("2026-07-28", ""), good, list, None, 0),
            // Metadata come before headers.
            ("tools/list", "{}".to_owned(), None, None, None, INVALID_PARAMS),
            ("tools/list", format!(r#"{{"_meta":{{"{CAPABILITIES_KEY}":{{}}}}}}"#), good, list, None, INVALID_PARAMS),
            (
                "tools/list",
                format!(r#"{{"_meta":{{"{VERSION_KEY}":"2026-07-28"}}}}"#),
                good,
                list,
                None,
                INVALID_PARAMS,
            ),
            // A header that differs comes before a version that is not served.
            ("tools/list", params("v999.0.0", ""), good, list, None, HEADER_MISMATCH),
            ("tools/list", params("2026-07-28", ""), None, list, None, HEADER_MISMATCH),
            ("tools/list", params("v999.0.0", ""), Some("v999.0.0"), None, None, UNSUPPORTED_REVISION),
            ("tools/list", params("2025-11-25", ""), Some("2025-11-25"), list, None, UNSUPPORTED_REVISION),
            // Routing headers come before the method.
            ("tools/list", params("2026-07-28", ""), good, None, None, HEADER_MISMATCH),
            ("tools/list", params("2026-07-28", ""), good, Some("TOOLS/LIST"), None, HEADER_MISMATCH),
            ("no/such", params("2026-07-28", ""), good, list, None, HEADER_MISMATCH),
            ("no/such", params("2026-07-28", ""), good, Some("no/such"), None, METHOD_NOT_FOUND),
        ];
        for (method, params, version, routed, name, expected) in table {
            assert_eq!(code(method, &params, version, routed, name), expected, "{method} {params} {version:?}");
        }
        for gone in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"] {
            assert_eq!(code(gone, &params("2026-07-28", ""), good, Some(gone), None), METHOD_NOT_FOUND, "{gone}");
        }
    }

    #[test]
    fn names_must_agree() {
        let call = |name: &str| params("2026-07-28", &format!(r#","name":{name}"#));
        let code = |params: &str, name| code("tools/call", params, Some("2026-07-28"), Some("tools/call"), name);
        assert_eq!(code(&call(r#""a""#), Some("a")), 0);
        assert_eq!(code(&call(r#""\u00e4""#), Some("=?base64?w6Q=?=")), 0);
        for wrong in [None, Some("b"), Some("=?base64?w6Q?="), Some("=?base64?!!?=")] {
            assert_eq!(code(&call(r#""a""#), wrong), HEADER_MISMATCH, "{wrong:?}");
        }
        assert_eq!(code(&params("2026-07-28", ""), Some("a")), HEADER_MISMATCH);
        assert_eq!(code(&params("2026-07-28", ""), None), 0, "a handler says what is missing");
    }

    #[test]
    fn wrapped_values_are_decoded_and_half_wrapped_ones_are_text() {
        for (value, text) in [
            ("=?base64?SGVsbG8=?=", Some("Hello")),
            ("SGVsbG8=", Some("SGVsbG8=")),
            ("=?base64?SGVsbG8=", Some("=?base64?SGVsbG8=")),
            ("=?base64?SGVsbG8?=", None),
            ("=?base64?SGVs!!!bG8=?=", None),
            ("=?base64?/w==?=", None),
        ] {
            assert_eq!(decode(value).as_deref(), text, "{value}");
        }
        assert_eq!(agrees("42", &json!(42)), Some(true));
        assert_eq!(agrees("42.0", &json!(42)), Some(true));
        assert_eq!(agrees("true", &json!(true)), Some(true));
        assert_eq!(agrees("True", &json!(true)), Some(false));
        assert_eq!(agrees("x", &json!(["x"])), Some(false));
    }

    #[test]
    fn dates_from_the_first_on_want_no_session() {
        for version in ["2026-07-28", "2027-01-01"] {
            assert!(is_stateless_version(version), "{version}");
        }
        for version in ["2025-11-25", "v999.0.0", "", "2026-07-28 ", "2026-07-2x"] {
            assert!(!is_stateless_version(version), "{version}");
        }
    }

    #[test]
    fn what_is_refused_names_what_to_do() {
        let params = RoutingParams::read(Some("{}"));
        let fault = check_metadata(&params).expect_err("refused");
        assert!(fault.message.contains(VERSION_KEY) && fault.message.contains(CAPABILITIES_KEY), "{}", fault.message);
        let fault = unsupported("v1", &Served::default());
        assert_eq!(fault.data, Some(json!({"supported": ["2026-07-28"], "requested": "v1"})));
        assert!(!RoutingParams::read(Some(r#"{"_meta":{"progressToken":1}}"#)).names_revision());
    }
}
