//! A borrowed view of one JSON-RPC message: its kind, its id byte for byte, its method, its parameters unread.
//!
//! This is the only place where a client's message is judged before it reaches a gem, so it is strict about what
//! decides the route (one object, no member twice, a valid id) and blind to everything else: `params` stay raw. It
//! never recurses on what it reads, and what it accepts it never changes.

use crate::error::{INVALID_REQUEST, PARSE_ERROR};
use crate::limits::{BATCH_MAX, ENVELOPE_MEMBERS_MAX, ID_BYTES_MAX, ID_INTEGER_MAX, METHOD_BYTES_MAX};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It has a method and an id, and wants an answer.
    Request,
    /// It has a method and no id.
    Notification,
    /// It answers a request of ours.
    Response {
        /// Whether it answers with an error.
        error: bool,
    },
}

/// One JSON-RPC message, borrowed from its bytes.
#[derive(Debug, Clone)]
pub struct Envelope<'a> {
    /// What it is.
    pub kind: Kind,
    /// The raw JSON of its id; a notification has none.
    pub id: Option<&'a str>,
    /// Its method; a response has none.
    pub method: Option<Cow<'a, str>>,
    /// The raw JSON of its parameters.
    pub params: Option<&'a str>,
    /// The raw JSON of its result or error.
    pub outcome: Option<&'a str>,
}

/// Why a body is not a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault<'a> {
    /// [`PARSE_ERROR`] or [`INVALID_REQUEST`].
    pub code: i32,
    /// What is wrong, and what is allowed.
    pub message: &'static str,
    /// The raw id, where a valid one was read.
    pub id: Option<&'a str>,
}

impl Fault<'_> {
    fn invalid(message: &'static str) -> Self {
        Fault { code: INVALID_REQUEST, message, id: None }
    }

    fn unparsable(message: &'static str) -> Self {
        Fault { code: PARSE_ERROR, message, id: None }
    }
}

impl<'a> Envelope<'a> {
    /// Reads a whole body.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Fault<'a>> {
        let text = std::str::from_utf8(bytes).map_err(|_| Fault::unparsable("Parse error: the body is not UTF-8"))?;
        if !text.trim_start_matches([' ', '\t', '\n', '\r']).starts_with('{') {
            return Err(not_an_object(text));
        }
        let members: Members<'a> = serde_json::from_str(text)
            .map_err(|_| Fault::unparsable("Parse error: the body must be one JSON object and nothing after it"))?;
        members.judge()
    }
}

/// The messages of a batch, byte for byte; nothing if the body is not an array.
pub fn batch(bytes: &[u8]) -> Option<Result<Vec<&str>, Fault<'static>>> {
    let text = std::str::from_utf8(bytes).ok()?;
    if !text.trim_start_matches([' ', '\t', '\n', '\r']).starts_with('[') {
        return None;
    }
    let elements: Vec<&RawValue> = match serde_json::from_str(text) {
        Ok(elements) => elements,
        Err(_) => return Some(Err(Fault::unparsable("Parse error: the body is not JSON"))),
    };
    Some(match elements.len() {
        0 => Err(Fault::invalid("Invalid request: a batch must not be empty")),
        count if count > BATCH_MAX => Err(Fault::invalid("Invalid request: a batch may have at most 64 messages")),
        _ => Ok(elements.into_iter().map(RawValue::get).collect()),
    })
}

fn not_an_object(text: &str) -> Fault<'static> {
    match serde_json::from_str::<&RawValue>(text) {
        Ok(_) => Fault::invalid(
            "Invalid request: the body must be one JSON-RPC object; batches are served in sessions at 2025-03-26 only",
        ),
        Err(_) => Fault::unparsable("Parse error: the body is not JSON"),
    }
}

/// The members that matter, and the first thing that was wrong among all of them.
#[derive(Default)]
struct Members<'a> {
    version: Option<&'a str>,
    id: Option<&'a str>,
    method: Option<&'a str>,
    params: Option<&'a str>,
    result: Option<&'a str>,
    error: Option<&'a str>,
    fault: Option<&'static str>,
}

impl<'a> Members<'a> {
    fn slot(&mut self, key: &str) -> Option<&mut Option<&'a str>> {
        match key {
            "jsonrpc" => Some(&mut self.version),
            "id" => Some(&mut self.id),
            "method" => Some(&mut self.method),
            "params" => Some(&mut self.params),
            "result" => Some(&mut self.result),
            "error" => Some(&mut self.error),
            _ => None,
        }
    }

    fn judge(self) -> Result<Envelope<'a>, Fault<'a>> {
        let id = self.id.filter(|id| check_id(id).is_ok());
        self.classify().map_err(|message| Fault { id, ..Fault::invalid(message) })
    }

    fn classify(self) -> Result<Envelope<'a>, &'static str> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        if self.version != Some(r#""2.0""#) {
            return Err("Invalid request: \"jsonrpc\" must be \"2.0\"");
        }
        if let Some(id) = self.id {
            check_id(id)?;
        }
        match (self.method, self.result, self.error) {
            (Some(method), None, None) => self.asking(method),
            (None, Some(outcome), None) => self.answering(outcome, false),
            (None, None, Some(outcome)) => self.answering(outcome, true),
            (None, None, None) => Err("Invalid request: a message needs \"method\", \"result\" or \"error\""),
            _ => Err("Invalid request: only one of \"method\", \"result\" and \"error\" may be given"),
        }
    }

    fn asking(self, method: &'a str) -> Result<Envelope<'a>, &'static str> {
        let method = read_string(method).ok_or("Invalid request: \"method\" must be a string")?;
        if method.is_empty() || method.len() > METHOD_BYTES_MAX {
            return Err("Invalid request: \"method\" must have 1 to 128 bytes");
        }
        if method.contains(char::is_control) {
            return Err("Invalid request: \"method\" must not contain control characters");
        }
        let kind = if self.id.is_some() { Kind::Request } else { Kind::Notification };
        Ok(Envelope { kind, id: self.id, method: Some(method), params: self.params, outcome: None })
    }

    fn answering(self, outcome: &'a str, error: bool) -> Result<Envelope<'a>, &'static str> {
        if self.id.is_none() {
            return Err("Invalid request: a response needs the id of what it answers");
        }
        let kind = Kind::Response { error };
        Ok(Envelope { kind, id: self.id, method: None, params: None, outcome: Some(outcome) })
    }
}

/// An id is a string of at most [`ID_BYTES_MAX`] bytes, or an integer that every JSON reader keeps exactly.
fn check_id(raw: &str) -> Result<(), &'static str> {
    const NOT_AN_ID: &str = "Invalid request: \"id\" must be a string or an integer";
    match raw.as_bytes().first() {
        Some(b'"') => match read_string(raw) {
            Some(text) if text.len() <= ID_BYTES_MAX => Ok(()),
            Some(_) => Err("Invalid request: an \"id\" must not be longer than 256 bytes"),
            None => Err("Invalid request: \"id\" is not valid Unicode"),
        },
        Some(b'-' | b'0'..=b'9') => {
            if raw.contains(['.', 'e', 'E']) {
                return Err(NOT_AN_ID);
            }
            match raw.parse::<i64>() {
                Ok(number) if number.unsigned_abs() <= ID_INTEGER_MAX.unsigned_abs() => Ok(()),
                _ => Err("Invalid request: an integer \"id\" must lie within ±9007199254740991"),
            }
        }
        _ => Err(NOT_AN_ID),
    }
}

fn read_string(raw: &str) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Text<'_>>(raw).ok().map(|text| text.0)
}

/// A string, borrowed where it has no escapes.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a JSON-RPC object")
            }

            /// Goes through to the end whatever it finds, so that a body that is not JSON is always told so.
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Members::default();
                let mut others: Vec<Cow<'de, str>> = Vec::new();
                while let Some(Text(key)) = map.next_key()? {
                    let value = map.next_value::<&'de RawValue>()?.get();
                    let twice = match members.slot(&key) {
                        Some(slot) => slot.replace(value).is_some(),
                        None if others.contains(&key) => true,
                        None => {
                            if others.len() < ENVELOPE_MEMBERS_MAX {
                                others.push(key);
                            } else {
                                members.fault.get_or_insert("Invalid request: too many members");
                            }
                            false
                        }
                    };
                    if twice {
                        members.fault.get_or_insert("Invalid request: a member is given twice");
                    }
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(body: &[u8]) -> i32 {
        Envelope::parse(body).map_or_else(|fault| fault.code, |_| 0)
    }

    #[test]
    fn kinds_are_told_apart() {
        let request =
            Envelope::parse(br#" {"jsonrpc":"2.0","id":"\u0061","method":"ping","params":[1]} "#).expect("ok");
        assert_eq!(request.kind, Kind::Request);
        assert_eq!(request.id, Some(r#""\u0061""#), "the id is as it was written");
        assert_eq!(request.method.as_deref(), Some("ping"));
        assert_eq!(request.params, Some("[1]"));
        let notice = Envelope::parse(br#"{"method":"notifications/x","jsonrpc":"2.0"}"#).expect("ok");
        assert_eq!((notice.kind, notice.id), (Kind::Notification, None));
        let answer = Envelope::parse(br#"{"jsonrpc":"2.0","id":7,"result":{}}"#).expect("ok");
        assert_eq!((answer.kind, answer.id), (Kind::Response { error: false }, Some("7")));
        let refusal = Envelope::parse(br#"{"jsonrpc":"2.0","id":7,"error":{}}"#).expect("ok");
        assert_eq!(refusal.kind, Kind::Response { error: true });
    }

    #[test]
    fn what_is_not_json_is_a_parse_error() {
        let deep_and_open = [b'['; 100_000];
        let table: &[&[u8]] = &[
            b"",
            b"null garbage",
            b"{",
            b"{}{}",
            b"\xef\xbb\xbf{}",
            b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}",
            br#"{"jsonrpc":"2.0","id":1,"method":"ping"} x"#,
            br#"{"id":1,"id":2,"#,
            &deep_and_open,
        ];
        for body in table {
            assert_eq!(code(body), PARSE_ERROR, "{:?}", String::from_utf8_lossy(&body[..body.len().min(60)]));
        }
    }

    #[test]
    fn what_is_json_but_no_message_is_an_invalid_request() {
        for body in [
            "null",
            "7",
            "[]",
            r#"["2.0",1,"tools/call",{}]"#,
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#,
            "{}",
            r#"{"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":""}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a\u0000b"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#,
            r#"{"jsonrpc":"2.0","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"\u0069d":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","x":1,"x":1}"#,
        ] {
            assert_eq!(code(body.as_bytes()), INVALID_REQUEST, "{body}");
        }
        let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "m".repeat(METHOD_BYTES_MAX + 1));
        assert_eq!(code(long.as_bytes()), INVALID_REQUEST);
        let many: String = (0..1000).map(|index| format!(r#","x{index}":1"#)).collect();
        assert_eq!(code(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m"{many}}}"#).as_bytes()), INVALID_REQUEST);
    }

    #[test]
    fn ids_are_strings_or_exact_integers() {
        let longest = format!("\"{}\"", "x".repeat(ID_BYTES_MAX));
        for id in ["0", "-1", "-0", "9007199254740991", "-9007199254740991", r#""""#, r#""a\"b""#, &longest] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            assert_eq!(Envelope::parse(body.as_bytes()).expect(id).id, Some(id));
        }
        let long = format!("\"{}\"", "x".repeat(10 * 1024));
        for id in [
            "null",
            "1.0",
            "1e400",
            "1e2",
            "9007199254740992",
            "-9007199254740992",
            "12345678901234567890",
            "true",
            "[]",
            "{}",
            r#""\ud800""#,
            &long,
        ] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            let fault = Envelope::parse(body.as_bytes()).expect_err(id);
            assert_eq!((fault.code, fault.id), (INVALID_REQUEST, None), "{id}");
        }
    }

    #[test]
    fn a_readable_id_is_kept_for_the_refusal() {
        let fault = Envelope::parse(br#"{"jsonrpc":"2.0","id":"q","method":[]}"#).expect_err("refused");
        assert_eq!(fault.id, Some("\"q\""));
    }

    #[test]
    fn batches_are_taken_apart_and_bounded() {
        let parts = batch(br#" [{"a":1}, [2] ,3]"#).expect("an array").expect("valid");
        assert_eq!(parts, [r#"{"a":1}"#, "[2]", "3"]);
        assert!(batch(b"{}").is_none() && batch(b"\xff").is_none());
        assert_eq!(batch(b"[]").expect("an array").expect_err("empty").code, INVALID_REQUEST);
        assert_eq!(batch(b"[1,").expect("an array").expect_err("broken").code, PARSE_ERROR);
        let many = format!("[{}1]", "1,".repeat(BATCH_MAX));
        assert_eq!(batch(many.as_bytes()).expect("an array").expect_err("too many").code, INVALID_REQUEST);
    }

    #[test]
    fn depth_costs_no_stack() {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{}{}}}"#,
            "[".repeat(900_000),
            "]".repeat(900_000)
        );
        assert_eq!(code(body.as_bytes()), 0);
    }
}
