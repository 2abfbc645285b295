//! Admission: what is checked of a request's head before a byte of its body is read and before anything is started.
//!
//! The steps have types, each made only from the one before: a [`Head`] is read, an [`AdmittedHead`] has passed `Host`
//! and `Origin`, and only what was admitted is handed to the core.

use crate::core::headers::{Headers, UNREADABLE};
use crate::origin::{is_allowed_origin, is_loopback_authority};
use crate::refusal::Refusal;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use hyper::{Method, Uri};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const REVISION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");
/// How the headers that repeat parameters begin.
const PARAMETER: &str = "mcp-param-";

/// The parts of a request's head that decide whether it is let in.
#[derive(Debug)]
pub(crate) struct Head<'a> {
    method: &'a Method,
    target: &'a Uri,
    headers: &'a HeaderMap,
}

/// A request whose head was let in: what of it still matters.
#[derive(Debug, Clone, Default)]
pub(crate) struct AdmittedHead {
    /// What of it concerns the message in its body.
    pub(crate) headers: Headers,
    /// The origin that it comes from, which is allowed.
    pub(crate) origin: Option<HeaderValue>,
    /// Whether it can be answered with a stream of events.
    pub(crate) takes_events: bool,
    /// The event after which a client wants to read on.
    pub(crate) last_event: Option<Box<str>>,
}

impl<'a> Head<'a> {
    /// The head of a request.
    pub(crate) fn of<B>(request: &'a hyper::Request<B>) -> Self {
        Self { method: request.method(), target: request.uri(), headers: request.headers() }
    }

    /// Lets the request in, or says why not. `Host` and `Origin` come before everything else.
    pub(crate) fn admit(&self, origins: &[String]) -> Result<AdmittedHead, Refusal> {
        self.check_host()?;
        let origin = self.single(ORIGIN, "Origin").map_err(|_| Refusal::ForeignOrigin)?;
        if let Some(origin) = origin {
            let is_allowed = origin.to_str().is_ok_and(|origin| is_allowed_origin(origin, origins));
            if !is_allowed {
                return Err(Refusal::ForeignOrigin);
            }
            if *self.method == Method::POST && !self.is_json() {
                return Err(Refusal::NotJson);
            }
        }
        // Two readers of one request must never take it for two different ones.
        self.single(CONTENT_TYPE, "Content-Type")?;
        self.single(AUTHORIZATION, "Authorization")?;
        let mut headers = Headers::default();
        let mut keep = |name, spelled| match self.single(name, spelled) {
            Ok(value) => value.map(text),
            Err(_) => {
                headers.repeated.get_or_insert(spelled);
                None
            }
        };
        let session = keep(SESSION, "MCP-Session-Id");
        let revision = keep(REVISION, "MCP-Protocol-Version");
        let last_event = keep(LAST_EVENT, "Last-Event-ID");
        let (method, name) = (keep(METHOD, "Mcp-Method"), keep(NAME, "Mcp-Name"));
        let (parameters, unreadable) = self.parameters();
        let headers = Headers { session, revision, method, name, parameters, unreadable, ..headers };
        Ok(AdmittedHead { headers, origin: origin.cloned(), takes_events: self.takes_events(), last_event })
    }

    /// The headers that repeat parameters, and whether one of them cannot be used.
    fn parameters(&self) -> (Vec<(String, String)>, Option<&'static str>) {
        let mut parameters = Vec::new();
        let mut unreadable = None;
        for (name, value) in self.headers {
            let Some(parameter) = name.as_str().strip_prefix(PARAMETER) else { continue };
            match value.to_str() {
                Ok(value) if self.headers.get_all(name).iter().count() == 1 => {
                    parameters.push((parameter.to_owned(), value.trim().to_owned()));
                }
                _ => unreadable = Some("A header Mcp-Param-* is repeated, or holds more than printable ASCII"),
            }
        }
        (parameters, unreadable)
    }

    /// Only a client that names them takes a stream in place of an answer that it has waited for.
    fn takes_events(&self) -> bool {
        let accepted: Vec<&HeaderValue> = self.headers.get_all(ACCEPT).iter().collect();
        let events = |range: &str| {
            let kind = range.split(';').next().unwrap_or_default().trim();
            ["text/event-stream", "text/*"].iter().any(|events| kind.eq_ignore_ascii_case(events))
        };
        accepted.iter().any(|value| value.to_str().is_ok_and(|value| value.split(',').any(events)))
    }

    fn check_host(&self) -> Result<(), Refusal> {
        let host = self.single(HOST, "Host").map_err(|_| Refusal::BadHost)?.ok_or(Refusal::BadHost)?;
        let host = host.to_str().map_err(|_| Refusal::BadHost)?;
        if self.target.authority().is_some_and(|authority| authority.as_str() != host) {
            return Err(Refusal::BadHost);
        }
        if is_loopback_authority(host) { Ok(()) } else { Err(Refusal::ForeignHost) }
    }

    fn is_json(&self) -> bool {
        let Ok(Some(value)) = self.single(CONTENT_TYPE, "Content-Type") else { return false };
        let Ok(text) = value.to_str() else { return false };
        let essence = text.split(';').next().unwrap_or_default();
        essence.trim_matches([' ', '\t']).eq_ignore_ascii_case("application/json")
    }

    fn single(&self, name: HeaderName, spelled: &'static str) -> Result<Option<&'a HeaderValue>, Refusal> {
        let mut values = self.headers.get_all(name).iter();
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(Refusal::RepeatedHeader(spelled)),
            (value, None) => Ok(value),
        }
    }
}

/// A header's value without the blanks around it.
fn text(value: &HeaderValue) -> Box<str> {
    value.to_str().map_or(UNREADABLE, str::trim).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;
    use protocol::revision::{Era, Served};

    fn admit(method: &str, target: &str, headers: &[(&str, &str)]) -> Result<AdmittedHead, Refusal> {
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        Head::of(&request.body(()).expect("a request")).admit(&["https://app.example".to_owned()])
    }

    const HOST: (&str, &str) = ("host", "127.0.0.1:8000");

    #[test]
    fn host_comes_first() {
        let origin = ("origin", "http://evil.example");
        let table: &[(&[(&str, &str)], Refusal)] = &[
            (&[], Refusal::BadHost),
            (&[origin], Refusal::BadHost),
            (&[HOST, HOST], Refusal::BadHost),
            (&[("host", "evil.example"), origin], Refusal::ForeignHost),
            (&[("host", "localhost.evil:8000")], Refusal::ForeignHost),
            (&[HOST, origin], Refusal::ForeignOrigin),
            (&[HOST, ("origin", "null")], Refusal::ForeignOrigin),
            (&[HOST, ("origin", "http://localhost"), ("origin", "http://localhost")], Refusal::ForeignOrigin),
        ];
        for method in ["POST", "GET", "DELETE", "OPTIONS", "PUT"] {
            for (headers, refusal) in table {
                assert_eq!(&admit(method, "/mcp", headers).expect_err(method), refusal, "{method} {headers:?}");
            }
        }
    }

    #[test]
    fn an_absolute_target_must_agree_with_host() {
        assert!(admit("POST", "http://127.0.0.1:8000/mcp", &[HOST]).is_ok());
        assert_eq!(admit("POST", "http://evil.example/mcp", &[HOST]).expect_err("refused"), Refusal::BadHost);
    }

    #[test]
    fn a_browser_must_say_json_and_others_need_not() {
        for origin in ["http://localhost:3000", "http://127.0.0.1", "http://[::1]:1", "https://app.example"] {
            let origin = ("origin", origin);
            for right in ["application/json", "Application/JSON; charset=utf-8", "application/json ;x=y"] {
                assert!(admit("POST", "/mcp", &[HOST, origin, ("content-type", right)]).is_ok(), "{right}");
            }
            for wrong in
                ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp", ""]
            {
                let refused = admit("POST", "/mcp", &[HOST, origin, ("content-type", wrong)]);
                assert_eq!(refused.expect_err(wrong), Refusal::NotJson);
            }
            assert_eq!(admit("POST", "/mcp", &[HOST, origin]).expect_err("refused"), Refusal::NotJson);
            assert!(admit("GET", "/mcp", &[HOST, origin]).is_ok());
        }
        assert!(admit("POST", "/mcp", &[HOST]).is_ok());
        assert!(admit("POST", "/mcp", &[HOST, ("content-type", "application/x-www-form-urlencoded")]).is_ok());
    }

    #[test]
    fn headers_that_can_mean_one_thing_only_are_given_once() {
        for (name, spelled, value) in
            [("content-type", "Content-Type", "application/json"), ("authorization", "Authorization", "Bearer a")]
        {
            assert!(admit("POST", "/mcp", &[HOST, (name, value)]).is_ok());
            let twice = admit("POST", "/mcp", &[HOST, (name, value), (name, value)]);
            assert_eq!(twice.expect_err("refused"), Refusal::RepeatedHeader(spelled));
        }
    }

    #[test]
    fn revisions_are_held_against_what_is_served() {
        let served = Served::default();
        for right in ["2025-03-26", "2025-06-18", "2025-11-25"] {
            let admitted = admit("POST", "/mcp", &[HOST, ("mcp-protocol-version", right)]).expect("let in");
            assert_eq!(admitted.headers.check_revision(&served), Ok(()));
        }
        for wrong in ["1999-01-01", "2026-07-28", "", "2025-11-25, 2025-06-18"] {
            let admitted = admit("POST", "/mcp", &[HOST, ("mcp-protocol-version", wrong)]).expect("let in");
            assert_eq!(
                admitted.headers.check_revision(&served),
                Err(Refusal::Revision(served.names_of(Era::Session))),
                "{wrong}"
            );
        }
        let fewer = Served::choose(&["2025-06-18"]).expect("known");
        let admitted = admit("POST", "/mcp", &[HOST, ("mcp-protocol-version", "2025-11-25")]).expect("let in");
        assert!(admitted.headers.check_revision(&fewer).is_err());
        let twice = [HOST, ("mcp-session-id", "a"), ("mcp-session-id", "a")];
        let admitted = admit("POST", "/mcp", &twice).expect("let in");
        assert_eq!(admitted.headers.check_revision(&served), Err(Refusal::RepeatedHeader("MCP-Session-Id")));
    }

    #[test]
    fn headers_that_repeat_parameters_are_gathered() {
        let headers = [HOST, ("mcp-param-gem", " ab "), ("Mcp-Param-Other", "x"), ("mcp-name", " n ")];
        let admitted = admit("POST", "/mcp", &headers).expect("let in");
        let expected = [("gem", "ab"), ("other", "x")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(admitted.headers.parameters, expected);
        assert_eq!(admitted.headers.routing().name, Some("n"));
        assert_eq!(admitted.headers.check_routing(), Ok(()));
        for wrong in [("mcp-param-gem", "cd"), ("mcp-name", "m")] {
            let headers = [&headers[..], &[wrong]].concat();
            assert!(admit("POST", "/mcp", &headers).expect("let in").headers.check_routing().is_err(), "{wrong:?}");
        }
        let sessions = [HOST, ("mcp-session-id", "a"), ("mcp-session-id", "b")];
        assert_eq!(admit("POST", "/mcp", &sessions).expect("let in").headers.check_routing(), Ok(()));
    }

    #[test]
    fn streams_are_for_those_who_take_them() {
        let takes = |accept| admit("POST", "/mcp", &[HOST, ("accept", accept)]).expect("let in").takes_events;
        assert!(takes("application/json, text/event-stream") && takes("text/event-stream;q=0.1") && takes("text/*"));
        assert!(!takes("application/json") && !takes("*/*") && !takes("text/html"));
    }
}
