//! Admission: what is checked of a request's head before a byte of its body is read and before anything is started.
//!
//! The steps have types, each made only from the one before: a [`Head`] is read, an [`Admitted`] has passed `Host` and
//! `Origin`, and only an admitted request can be routed ([`crate::route`]).

use crate::origin::{is_allowed_origin, is_loopback_authority};
use crate::refusal::Refusal;
use crate::table::Principal;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use hyper::{Method, Uri};
use protocol::revision::{Era, Served};
use protocol::stateless::{Headers, is_stateless_version};

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
pub(crate) struct Admitted {
    /// Whom it acts for.
    pub(crate) principal: Principal,
    /// The origin that it comes from, which is allowed.
    pub(crate) origin: Option<HeaderValue>,
    /// Whether it can be answered with a stream of events.
    pub(crate) takes_events: bool,
    session: Option<HeaderValue>,
    last_event: Option<HeaderValue>,
    revision: Option<HeaderValue>,
    method: Option<HeaderValue>,
    name: Option<HeaderValue>,
    /// The headers `Mcp-Param-*`, by what comes after that in lower case.
    parameters: Vec<(String, String)>,
    /// A header that must not be repeated and was.
    repeated: Option<&'static str>,
    /// A header that a stateless request's body must agree with cannot be read.
    garbled: Option<&'static str>,
}

impl<'a> Head<'a> {
    /// The head of a request.
    pub(crate) fn of<B>(request: &'a hyper::Request<B>) -> Self {
        Self { method: request.method(), target: request.uri(), headers: request.headers() }
    }

    /// Lets the request in, or says why not. `Host` and `Origin` come before everything else.
    pub(crate) fn admit(&self, origins: &[String]) -> Result<Admitted, Refusal> {
        self.check_host()?;
        let origin = self.single(ORIGIN, "Origin").map_err(|_| Refusal::ForeignOrigin)?;
        if let Some(origin) = origin {
            let lawful = origin.to_str().is_ok_and(|origin| is_allowed_origin(origin, origins));
            if !lawful {
                return Err(Refusal::ForeignOrigin);
            }
            if *self.method == Method::POST && !self.is_json() {
                return Err(Refusal::NotJson);
            }
        }
        // Two readers of one request must never take it for two different ones.
        self.single(CONTENT_TYPE, "Content-Type")?;
        self.single(AUTHORIZATION, "Authorization")?;
        let mut repeated = None;
        let mut keep = |name, spelled| match self.single(name, spelled) {
            Ok(value) => value.cloned(),
            Err(_) => {
                repeated.get_or_insert(spelled);
                None
            }
        };
        let mut admitted = Admitted {
            origin: origin.cloned(),
            takes_events: self.takes_events(),
            session: keep(SESSION, "MCP-Session-Id"),
            revision: keep(REVISION, "MCP-Protocol-Version"),
            last_event: keep(LAST_EVENT, "Last-Event-ID"),
            method: keep(METHOD, "Mcp-Method"),
            name: keep(NAME, "Mcp-Name"),
            ..Admitted::default()
        };
        admitted.repeated = repeated;
        (admitted.parameters, admitted.garbled) = self.parameters();
        Ok(admitted)
    }

    /// The headers that repeat parameters, and whether one of them cannot be used.
    fn parameters(&self) -> (Vec<(String, String)>, Option<&'static str>) {
        let mut parameters = Vec::new();
        let mut garbled = None;
        for (name, value) in self.headers {
            let Some(parameter) = name.as_str().strip_prefix(PARAMETER) else { continue };
            match value.to_str() {
                Ok(value) if self.headers.get_all(name).iter().count() == 1 => {
                    parameters.push((parameter.to_owned(), value.trim().to_owned()));
                }
                _ => garbled = Some("A header Mcp-Param-* is repeated, or holds more than printable ASCII"),
            }
        }
        (parameters, garbled)
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

impl Admitted {
    /// Holds the version header against the sessions that are served. A request without one speaks what its session
    /// agreed to.
    pub(crate) fn check_revision(&self, served: &Served) -> Result<(), Refusal> {
        if let Some(name) = self.repeated {
            return Err(Refusal::RepeatedHeader(name));
        }
        let Some(value) = &self.revision else { return Ok(()) };
        let known = value.to_str().ok().and_then(|name| served.find(name.trim()));
        let supported = || served.names_of(Era::Session);
        known.filter(|revision| revision.era == Era::Session).map(drop).ok_or_else(|| Refusal::Revision(supported()))
    }

    /// Whether the version header alone says that no session is meant.
    pub(crate) fn wants_no_session(&self) -> bool {
        text(self.revision.as_ref()).is_some_and(is_stateless_version)
    }

    /// The headers that a stateless request's body must agree with.
    pub(crate) fn routing(&self) -> Headers<'_> {
        Headers {
            version: text(self.revision.as_ref()),
            method: text(self.method.as_ref()),
            name: text(self.name.as_ref()),
        }
    }

    /// What no stateless request may do with its headers, and this one does.
    pub(crate) fn check_routing(&self) -> Result<(), String> {
        match (self.repeated, self.garbled) {
            // Stateless requests have no session and resume nothing; what they say of either does not matter.
            (Some(name), _) if !matches!(name, "MCP-Session-Id" | "Last-Event-ID") => {
                Err(format!("The header {name} may be given only once"))
            }
            (_, Some(garbled)) => Err(garbled.to_owned()),
            _ => Ok(()),
        }
    }

    /// The headers that repeat parameters.
    pub(crate) fn parameters(&self) -> &[(String, String)] {
        &self.parameters
    }

    /// The event after which a client wants to read on.
    pub(crate) fn last_event(&self) -> Option<&str> {
        text(self.last_event.as_ref())
    }

    /// The session header as it was sent.
    pub(crate) fn session(&self) -> Option<&[u8]> {
        self.session.as_ref().map(HeaderValue::as_bytes)
    }
}

/// A header's value without the blanks around it; one that is no text reads as nothing.
fn text(value: Option<&HeaderValue>) -> Option<&str> {
    value.and_then(|value| value.to_str().ok()).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;

    fn admit(method: &str, target: &str, headers: &[(&str, &str)]) -> Result<Admitted, Refusal> {
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
            for lawful in ["application/json", "Application/JSON; charset=utf-8", "application/json ;x=y"] {
                assert!(admit("POST", "/mcp", &[HOST, origin, ("content-type", lawful)]).is_ok(), "{lawful}");
            }
            for foul in
                ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp", ""]
            {
                let refused = admit("POST", "/mcp", &[HOST, origin, ("content-type", foul)]);
                assert_eq!(refused.expect_err(foul), Refusal::NotJson);
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
        for lawful in ["2025-03-26", "2025-06-18", "2025-11-25"] {
            let admitted = admit("POST", "/mcp", &[HOST, ("mcp-protocol-version", lawful)]).expect("let in");
            assert_eq!(admitted.check_revision(&served), Ok(()));
        }
        for foul in ["1999-01-01", "2026-07-28", "", "2025-11-25, 2025-06-18"] {
            let admitted = admit("POST", "/mcp", &[HOST, ("mcp-protocol-version", foul)]).expect("let in");
            assert_eq!(
                admitted.check_revision(&served),
                Err(Refusal::Revision(served.names_of(Era::Session))),
                "{foul}"
            );
        }
        let fewer = Served::choose(&["2025-06-18"]).expect("known");
        let admitted = admit("POST", "/mcp", &[HOST, ("mcp-protocol-version", "2025-11-25")]).expect("let in");
        assert!(admitted.check_revision(&fewer).is_err());
        let twice = [HOST, ("mcp-session-id", "a"), ("mcp-session-id", "a")];
        let admitted = admit("POST", "/mcp", &twice).expect("let in");
        assert_eq!(admitted.check_revision(&served), Err(Refusal::RepeatedHeader("MCP-Session-Id")));
    }

    #[test]
    fn headers_that_repeat_parameters_are_gathered() {
        let headers = [HOST, ("mcp-param-gem", " ab "), ("Mcp-Param-Other", "x"), ("mcp-name", " n ")];
        let admitted = admit("POST", "/mcp", &headers).expect("let in");
        let expected = [("gem", "ab"), ("other", "x")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(admitted.parameters(), expected);
        assert_eq!(admitted.routing().name, Some("n"));
        assert_eq!(admitted.check_routing(), Ok(()));
        for foul in [("mcp-param-gem", "cd"), ("mcp-name", "m")] {
            let headers = [&headers[..], &[foul]].concat();
            assert!(admit("POST", "/mcp", &headers).expect("let in").check_routing().is_err(), "{foul:?}");
        }
        let sessions = [HOST, ("mcp-session-id", "a"), ("mcp-session-id", "b")];
        assert_eq!(admit("POST", "/mcp", &sessions).expect("let in").check_routing(), Ok(()));
    }

    #[test]
    fn streams_are_for_those_who_take_them() {
        let takes = |accept| admit("POST", "/mcp", &[HOST, ("accept", accept)]).expect("let in").takes_events;
        assert!(takes("application/json, text/event-stream") && takes("text/event-stream;q=0.1") && takes("text/*"));
        assert!(!takes("application/json") && !takes("*/*") && !takes("text/html"));
    }
}
