//! What must hold of any header and of any event, not only of those that somebody thought of. A failure prints the
//! smallest input that was found.

use crate::core::events::{EventBuffer, EventId, EventReader};
use crate::origin::{is_allowed_origin, is_configurable_origin, is_loopback_authority};
use crate::transport::http::admit::Head;
use crate::transport::http::sse::EventStream;
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::{Request, Uri};
use proptest::prelude::*;
use std::time::Duration;

/// Texts that are nearly authorities.
fn near_authority() -> impl Strategy<Value = String> {
    let host = prop_oneof![
        "localhost|LOCALHOST|localhost\\.|127\\.0\\.0\\.1|127\\.1|\\[::1\\]|\\[::2\\]|0x7f\\.1|evil",
        "[a-z0-9.@\\[\\]:%-]{0,16}",
    ];
    let rest = prop_oneof!["", ":[0-9]{0,6}", "[:@/?#.a-z0-9]{0,12}"];
    (host, rest).prop_map(|(host, rest)| format!("{host}{rest}"))
}

/// Whether a URI's host is the loopback of this machine, by another reader than ours.
fn is_loopback(uri: &Uri) -> bool {
    let host = uri.host().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// What a client makes of a stream, by the rules of the standard: each event's id and data.
fn read_events(text: &str) -> Vec<(Option<String>, String)> {
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut events = Vec::new();
    let (mut id, mut data) = (None, None::<String>);
    for line in lines.split('\n') {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" if line.is_empty() => events.extend(data.take().map(|data| (id.take(), data))),
            "id" => id = Some(value.to_owned()),
            "data" => {
                data = Some(match data {
                    Some(data) => format!("{data}\n{value}"),
                    None => value.to_owned(),
                });
            }
            _ => {}
        }
    }
    events
}

fn whole(reader: EventReader) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let stream = async { EventStream::new(reader, None, Duration::from_secs(60), ()).collect().await };
    let bytes = runtime.block_on(stream).expect("whole").to_bytes();
    String::from_utf8(bytes.to_vec()).expect("text")
}

proptest! {
    #[test]
    fn what_passes_as_loopback_is_loopback_to_every_reader(authority in near_authority(), scheme in "https?|ftp|file") {
        if is_loopback_authority(&authority) {
            let uri: Uri = format!("http://{authority}/").parse().expect("an authority");
            prop_assert!(is_loopback(&uri), "{}", authority);
        }
        let origin = format!("{scheme}://{authority}");
        if is_allowed_origin(&origin, &[]) {
            let uri: Uri = origin.parse().expect("an origin");
            prop_assert!(is_loopback(&uri) && uri.path_and_query().is_none_or(|path| path == "/"), "{}", origin);
            prop_assert!(matches!(uri.scheme_str(), Some("http" | "https")) && is_configurable_origin(&origin));
        }
    }

    #[test]
    fn a_configured_origin_lets_in_itself_and_nothing_like_it(
        configured in "https://[a-z]{1,8}\\.example(:[1-9][0-9]{1,3})?",
        before in "[a-zA-Z. ]{0,2}",
        after in "[a-z./:@0 ]{0,4}",
    ) {
        let allowed = [configured.clone()];
        prop_assert!(is_configurable_origin(&configured) && is_allowed_origin(&configured, &allowed));
        let other = format!("{before}{configured}{after}");
        prop_assert_eq!(is_allowed_origin(&other, &allowed), other == configured);
    }

    #[test]
    fn no_header_makes_admission_fail_and_none_is_taken_twice(
        name in "origin|host|content-type|accept|mcp-session-id|mcp-protocol-version|mcp-method|mcp-name|last-event-id|mcp-param-a",
        values in prop::collection::vec(prop::collection::vec(any::<u8>().prop_filter("a header's byte", |byte| {
            *byte == b'\t' || (*byte >= 0x20 && *byte != 0x7f)
        }), 0..40), 1..4),
        method in "POST|GET|DELETE|OPTIONS",
    ) {
        let mut request = Request::builder().method(method.as_str()).uri("/mcp");
        if name != "host" {
            request = request.header("host", "localhost:8000");
        }
        for value in &values {
            request = request.header(name.as_str(), value.as_slice());
        }
        let request = request.body(()).expect("a request");
        let admitted = Head::of(&request).admit(&[]);
        if values.len() > 1 && matches!(name.as_str(), "host" | "origin") {
            prop_assert!(admitted.is_err());
        }
        if let Ok(admitted) = admitted {
            let many = values.len() > 1;
            let session = admitted.headers.check_revision(&protocol::revision::Served::default());
            let single = name.starts_with("mcp-") && name != "mcp-param-a" || name == "last-event-id";
            prop_assert!(!(many && single) || session.is_err());
            prop_assert!(!(many && name == "mcp-param-a") || admitted.headers.check_routing().is_err());
            prop_assert!(!many || admitted.headers.parameters.is_empty());
        }
    }

    #[test]
    fn an_event_is_one_event_whatever_it_says(
        payloads in prop::collection::vec("(\\PC|[\r\n: ]|data|id|event|retry){0,12}", 1..6),
        kept in any::<bool>(),
    ) {
        let buffer = if kept { EventBuffer::kept(3) } else { EventBuffer::passing() };
        let (sender, reader) = buffer.ends();
        for payload in &payloads {
            prop_assert!(sender.send(Bytes::from(payload.clone())));
        }
        drop(sender);
        let text = whole(reader);
        let read = read_events(&text);
        let expected: Vec<(Option<String>, String)> = payloads
            .iter()
            .zip(1..)
            .map(|(payload, number)| {
                let id = kept.then(|| format!("3-{number}"));
                (id, payload.replace("\r\n", "\n").replace('\r', "\n"))
            })
            .collect();
        prop_assert_eq!(read, expected, "{:?}", text);
    }

    #[test]
    fn ids_of_events_are_read_back_and_nothing_else_is(stream in any::<u64>(), event in any::<u64>(), other in "\\PC{0,12}") {
        prop_assert_eq!(format!("{stream}-{event}").parse(), Ok(EventId { stream, event }));
        if let Ok(EventId { stream, event }) = other.parse::<EventId>() {
            let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
            let (first, second) = other.split_once('-').expect("two parts");
            prop_assert!(digits(first) && digits(second));
            prop_assert_eq!((first.parse(), second.parse()), (Ok(stream), Ok(event)));
        }
    }

    /// A reader that comes and goes, against what was sent.
    #[test]
    fn a_reader_that_comes_back_anywhere_reads_each_event_once(
        sizes in prop::collection::vec(0usize..5, 1..12),
        breaks in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let buffer = EventBuffer::kept(1);
        let (sender, reader) = buffer.ends();
        drop(reader);
        let total: usize = sizes.iter().sum();
        (0..total).for_each(|number| assert!(sender.send(Bytes::from(number.to_string()))));
        drop(sender);
        for place in breaks {
            let after = place.index(total + 1);
            let reader = buffer.read(after as u64).expect("all is kept");
            let numbers: Vec<String> = read_events(&whole(reader)).into_iter().map(|(_, data)| data).collect();
            prop_assert_eq!(numbers, (after..total).map(|number| number.to_string()).collect::<Vec<_>>());
        }
        prop_assert!(buffer.read(total as u64 + 1).is_none());
    }
}
