//! Ids of JSON-RPC requests: echoed byte for byte, compared as the values that they are.
//!
//! `"a"` and `"\u0061"` are one id, `1` and `"1"` are two. Nothing else in the router is keyed by an id.

use serde_json::Value;

/// Whether two raw ids are the same value, however they are written.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    one == other || matches!((key(one), key(other)), (Some(one), Some(other)) if one == other)
}

/// What of an id matters for its value.
#[derive(Debug, PartialEq)]
enum Key {
    Text(String),
    Integer(i64),
    Number(f64),
}

fn key(raw: &str) -> Option<Key> {
    match serde_json::from_str(raw).ok()? {
        Value::String(text) => Some(Key::Text(text)),
        Value::Number(number) => Some(match (number.as_i64(), number.as_f64()?) {
            (Some(integer), _) => Key::Integer(integer),
            // Another writer of JSON may spell an integer as 7.0 or 7e0.
            (None, float) if float.fract() == 0.0 && float.abs() < (1u64 << 53) as f64 => Key::Integer(float as i64),
            (None, float) => Key::Number(float),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_compared_as_values() {
        for (one, other) in [("1", "1"), ("\"a\"", "\"\\u0061\""), ("\"é\"", "\"\\u00e9\""), ("-0", "0"), ("7", "7.0")]
        {
            assert!(is_same(one, other) && is_same(other, one), "{one} {other}");
        }
        for (one, other) in [("1", "\"1\""), ("1", "2"), ("\"a\"", "\"b\""), ("null", "0"), ("{", "[")] {
            assert!(!is_same(one, other) && !is_same(other, one), "{one} {other}");
        }
    }
}
