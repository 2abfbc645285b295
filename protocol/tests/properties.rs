//! What must hold of any bytes, not only of those that somebody thought of: the envelope, batches, frames, and the
//! headers that repeat what a body says. A failure prints the smallest input that was found; `PROPTEST_CASES` makes the
//! run longer, `PROPTEST_RNG_SEED` repeats one.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use protocol::envelope::{Envelope, Kind, batch};
use protocol::error::{HEADER_MISMATCH, INVALID_REQUEST, PARSE_ERROR};
use protocol::frame::{Decoder, Frame, encode};
use protocol::gem::{ClientMessage, Event, Final};
use protocol::limits::{ID_BYTES_MAX, ID_INTEGER_MAX};
use protocol::revision::Served;
use protocol::stateless::{Headers, RoutingParams, agrees, check, decode};
use serde_json::{Value, json};

const FRAME_MAX: usize = 4096;

/// Any JSON, not deep.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map(any::<String>(), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Any bytes, fewer than `most`.
fn any_bytes(most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..most)
}

/// The raw JSON of a valid id.
fn any_id() -> impl Strategy<Value = String> {
    let short = any::<String>().prop_filter("an id is short", |text| text.len() <= ID_BYTES_MAX);
    prop_oneof![
        (-ID_INTEGER_MAX..=ID_INTEGER_MAX).prop_map(|number| number.to_string()),
        short.prop_map(|text| json!(text).to_string()),
    ]
}

/// What a method may be called.
fn any_method() -> impl Strategy<Value = String> {
    "[a-zA-Z/_$äλ-]{1,30}"
}

/// A string as a JSON writer may spell it: every character may be escaped.
fn spell(text: &str, escape_each: bool) -> String {
    if !escape_each {
        return json!(text).to_string();
    }
    let units: String = text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
    format!("\"{units}\"")
}

proptest! {
    #[test]
    fn any_bytes_are_a_message_or_refused_with_the_right_code(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Err(fault) = Envelope::parse(&bytes) {
            let is_json = serde_json::from_slice::<Value>(&bytes).is_ok();
            prop_assert_eq!(fault.code, if is_json { INVALID_REQUEST } else { PARSE_ERROR });
        }
    }

    #[test]
    fn any_json_is_a_message_or_an_invalid_request(value in any_json()) {
        if let Err(fault) = Envelope::parse(value.to_string().as_bytes()) {
            prop_assert_eq!(fault.code, INVALID_REQUEST);
        }
    }

    #[test]
    fn a_valid_message_is_taken_apart_byte_for_byte(
        id in prop::option::of(any_id()),
        method in any_method(),
        params in prop::option::of(any_json()),
        escaped in any::<bool>(),
        blanks in "[ \t\r\n]{0,4}",
        order in Just(vec![0usize, 1, 2, 3]).prop_shuffle(),
    ) {
        let params = params.map(|params| params.to_string());
        let members = [
            Some("\"jsonrpc\":\"2.0\"".to_owned()),
            id.as_ref().map(|id| format!("\"id\":{blanks}{id}")),
            Some(format!("\"method\"{blanks}:{}", spell(&method, escaped))),
            params.as_ref().map(|params| format!("\"params\":{params}{blanks}")),
        ];
        let members: Vec<String> = order.iter().filter_map(|place| members[*place].clone()).collect();
        let body = format!("{blanks}{{{}}}{blanks}", members.join(","));
        let envelope = Envelope::parse(body.as_bytes()).expect("valid");
        prop_assert_eq!(envelope.kind, if id.is_some() { Kind::Request } else { Kind::Notification });
        prop_assert_eq!(envelope.id, id.as_deref());
        prop_assert_eq!(envelope.method.as_deref(), Some(method.as_str()));
        prop_assert_eq!(envelope.params, params.as_deref());
    }

    #[test]
    fn a_message_with_one_byte_changed_harms_nobody(
        id in any_id(),
        method in any_method(),
        place in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{"a":[1,"x"]}}}}"#).into_bytes();
        let place = place.index(body.len());
        body[place] = byte;
        match Envelope::parse(&body) {
            Ok(envelope) => {
                let whole = std::str::from_utf8(&body).expect("it was read");
                prop_assert!(envelope.id.is_none_or(|id| whole.contains(id)));
            }
            Err(fault) => prop_assert!(matches!(fault.code, PARSE_ERROR | INVALID_REQUEST)),
        }
    }

    #[test]
    fn the_parts_of_a_batch_are_what_was_put_in(parts in prop::collection::vec(any_json(), 1..20)) {
        let parts: Vec<String> = parts.iter().map(Value::to_string).collect();
        let body = format!("[{}]", parts.join(" ,\n"));
        prop_assert_eq!(batch(body.as_bytes()).expect("an array").expect("valid"), parts);
    }

    #[test]
    fn frames_survive_any_cut(
        frames in prop::collection::vec((any::<u8>(), any::<u64>(), any_bytes(2000)), 0..12),
        cuts in prop::collection::vec(1usize..700, 1..40),
    ) {
        let mut bytes = Vec::new();
        for (kind, exchange, body) in &frames {
            encode(&mut bytes, *kind, *exchange, body);
        }
        let decoded = feed(&bytes, &cuts).expect("valid");
        let frames = frames.into_iter().map(|(kind, exchange, body)| Frame { kind, exchange, body });
        let expected: Vec<Frame> = frames.collect();
        prop_assert_eq!(decoded, expected);
    }

    #[test]
    fn any_bytes_are_frames_or_refused_and_never_take_more_room_than_a_frame(
        bytes in prop::collection::vec(any::<u8>(), 0..4000),
        cuts in prop::collection::vec(1usize..700, 1..20),
    ) {
        if let Ok(frames) = feed(&bytes, &cuts) {
            prop_assert!(frames.iter().all(|frame| frame.body.len() <= FRAME_MAX));
        }
    }

    #[test]
    fn bodies_of_frames_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Ok((message, headers)) = ClientMessage::decode(&bytes) {
            let mut again = ClientMessage::head(message.revision, &headers);
            again.extend_from_slice(message.body);
            prop_assert_eq!(&again, &bytes);
        }
        if let Ok(event) = Event::decode(&bytes) {
            prop_assert_eq!(event.encode(), bytes.clone());
        }
        prop_assert_eq!(Final::decode(&bytes).is_ok(), bytes.len() >= 3);
    }

    #[test]
    fn a_message_to_a_gem_arrives_as_it_was_sent(
        revision in any::<String>(),
        headers in prop::collection::vec((any::<String>(), any::<String>()), 0..6),
        body in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let mut bytes = ClientMessage::head(&revision, &headers);
        bytes.extend_from_slice(&body);
        let (message, read) = ClientMessage::decode(&bytes).expect("valid");
        prop_assert_eq!((message.revision, message.body, read), (revision.as_str(), body.as_slice(), headers));
    }

    #[test]
    fn what_a_client_wraps_is_unwrapped_and_agrees(text in any::<String>()) {
        let wrapped = format!("=?base64?{}?=", STANDARD.encode(&text));
        let unwrapped = decode(&wrapped);
        prop_assert_eq!(unwrapped.as_deref(), Some(text.as_str()));
        prop_assert_eq!(agrees(&wrapped, &json!(text)), Some(true));
        prop_assert_eq!(agrees(&wrapped, &json!(format!("{text}."))), Some(false));
    }

    #[test]
    fn any_header_is_text_or_refused(value in any::<String>(), argument in any_json()) {
        let is_wrapped = value.starts_with("=?base64?") && value.ends_with("?=") && value.len() >= 11;
        prop_assert!(is_wrapped || decode(&value).as_deref() == Some(value.as_str()));
        if agrees(&value, &argument) == Some(true) {
            prop_assert!(!argument.is_null() && !argument.is_array() && !argument.is_object());
        }
    }

    #[test]
    fn whole_numbers_agree_with_themselves_and_no_other(
        one in -ID_INTEGER_MAX..=ID_INTEGER_MAX,
        other in -ID_INTEGER_MAX..=ID_INTEGER_MAX,
    ) {
        prop_assert_eq!(agrees(&one.to_string(), &json!(one)), Some(true));
        prop_assert_eq!(agrees(&one.to_string(), &json!(other)), Some(one == other));
    }

    #[test]
    fn headers_that_differ_from_the_body_are_refused_whatever_they_say(
        method in "(tools/call|prompts/get|[a-z/]{1,12})",
        said in prop::option::of("(tools/call|prompts/get|[a-z/]{1,12})"),
        name in "[a-zA-Z0-9_]{1,12}",
        header in prop::option::of("[a-zA-Z0-9_]{1,12}"),
        version in prop::option::of("(2026-07-28|2025-11-25|[0-9-]{10})"),
    ) {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"_meta": meta, "name": name}).to_string();
        let headers = Headers { version: version.as_deref(), method: said.as_deref(), name: header.as_deref() };
        let checked = check(&method, &RoutingParams::read(Some(&params)), &headers, &Served::default());
        let is_named = matches!(method.as_str(), "tools/call" | "prompts/get");
        let agree = headers.version == Some("2026-07-28")
            && headers.method == Some(method.as_str())
            && (!is_named || headers.name == Some(name.as_str()));
        let refused = checked.as_ref().is_err_and(|fault| fault.code == HEADER_MISMATCH);
        prop_assert_eq!(refused, !agree, "{:?}", checked);
    }
}

/// Feeds bytes in pieces of these sizes, again and again.
fn feed(bytes: &[u8], cuts: &[usize]) -> Result<Vec<Frame>, protocol::frame::FrameError> {
    let mut decoder = Decoder::new(FRAME_MAX);
    let mut frames = Vec::new();
    let mut rest = bytes;
    for cut in cuts.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let space = decoder.space();
        assert!(space.len() <= 64 * 1024, "a decoder holds no more than it needs");
        let count = rest.len().min(*cut).min(space.len());
        space[..count].copy_from_slice(&rest[..count]);
        decoder.advance(count);
        rest = &rest[count..];
        while let Some(frame) = decoder.next_frame()? {
            frames.push(frame);
        }
    }
    Ok(frames)
}
