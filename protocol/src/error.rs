//! JSON-RPC error codes with their HTTP statuses, and error bodies that echo a request's id byte for byte.
//!
//! It never turns an id into a number or a string of ours, for what a client sent as its id is what it must get back.

use serde_json::Value;

/// The body is not JSON.
pub const PARSE_ERROR: i32 = -32700;
/// JSON, but not a message that this protocol has.
pub const INVALID_REQUEST: i32 = -32600;
/// No such method, or it is not available here.
pub const METHOD_NOT_FOUND: i32 = -32601;
/// The method exists, its parameters are wrong.
pub const INVALID_PARAMS: i32 = -32602;
/// The server could not do its part.
pub const INTERNAL_ERROR: i32 = -32603;
/// There is no such resource, at the revisions with sessions.
pub const RESOURCE_NOT_FOUND: i32 = -32002;
/// A header is missing, malformed or says something else than the body.
pub const HEADER_MISMATCH: i32 = -32020;
/// The request needs a capability that its client did not declare.
pub const MISSING_CAPABILITY: i32 = -32021;
/// The revision is not served.
pub const UNSUPPORTED_REVISION: i32 = -32022;

/// The HTTP status of an error that a stateless request is refused with before anything was done for it. A handler's
/// own `INVALID_PARAMS` and `INTERNAL_ERROR` are answers and travel with 200.
pub const fn stateless_status(code: i32) -> u16 {
    match code {
        METHOD_NOT_FOUND => 404,
        PARSE_ERROR | INVALID_REQUEST | INVALID_PARAMS | HEADER_MISMATCH | MISSING_CAPABILITY
        | UNSUPPORTED_REVISION => 400,
        _ => 500,
    }
}

/// One JSON-RPC error response.
///
/// `id` is the raw JSON of the request's id; a message whose id could not be read gets none, so the member is left
/// out. `data` is left out when absent.
pub fn body(id: Option<&str>, code: i32, message: &str, data: Option<&Value>) -> Vec<u8> {
    let mut out = String::with_capacity(96 + message.len());
    out.push_str(r#"{"jsonrpc":"2.0","#);
    if let Some(id) = id {
        out.push_str(r#""id":"#);
        out.push_str(id);
        out.push(',');
    }
    out.push_str(r#""error":{"code":"#);
    out.push_str(&code.to_string());
    out.push_str(r#","message":"#);
    out.push_str(&Value::from(message).to_string());
    if let Some(data) = data {
        out.push_str(r#","data":"#);
        out.push_str(&data.to_string());
    }
    out.push_str("}}");
    out.into_bytes()
}

/// An error response whose data is a word for programs: `{"kind": kind}`.
pub fn body_of_kind(id: Option<&str>, code: i32, message: &str, kind: &str) -> Vec<u8> {
    body(id, code, message, Some(&serde_json::json!({ "kind": kind })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_echoed_byte_for_byte() {
        for id in ["9007199254740991", "-0", "\"\\u0061\"", "\"\""] {
            let built = body(Some(id), INTERNAL_ERROR, "no", None);
            let expected = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":"no"}}}}"#);
            assert_eq!(built, expected.as_bytes());
        }
    }

    #[test]
    fn an_error_without_a_readable_id_has_none() {
        let built = body_of_kind(None, PARSE_ERROR, "a \"quoted\"\nline", "k");
        let value: Value = serde_json::from_slice(&built).expect("JSON");
        assert!(value.get("id").is_none());
        assert_eq!(value["error"]["message"], "a \"quoted\"\nline");
        assert_eq!(value["error"]["data"]["kind"], "k");
    }
}
