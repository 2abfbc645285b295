//! Admission: what is checked of a request's head before a byte of its body is read and before anything is started.
//!
//! The steps have types, each made only from the one before: a [`Head`] is read, an [`Admitted`] has passed `Host` and
//! `Origin`, and only an admitted request can be routed ([`crate::route`]).

use crate::origin::{is_allowed_origin, is_loopback_authority};
use crate::refusal::Refusal;
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use hyper::{Method, Uri};
use protocol::revision;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const REVISION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// The parts of a request's head that decide whether it is let in.
#[derive(Debug)]
pub(crate) struct Head<'a> {
    method: &'a Method,
    target: &'a Uri,
    headers: &'a HeaderMap,
}

/// A request whose head was let in: what of it still matters.
#[derive(Debug, Clone)]
#[cfg_attr(test, derive(Default))]
pub(crate) struct Admitted {
    session: Option<HeaderValue>,
    revision: Option<HeaderValue>,
    /// A header that must not be repeated and was.
    repeated: Option<&'static str>,
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
        let mut repeated = None;
        let mut keep = |name, spelled| match self.single(name, spelled) {
            Ok(value) => value.cloned(),
            Err(_) => {
                repeated = Some(spelled);
                None
            }
        };
        let session = keep(SESSION, "MCP-Session-Id");
        let revision = keep(REVISION, "MCP-Protocol-Version");
        Ok(Admitted { session, revision, repeated })
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
    /// Holds the version header against what is served. A request without one speaks what its session agreed to.
    pub(crate) fn check_revision(&self) -> Result<(), Refusal> {
        if let Some(name) = self.repeated {
            return Err(Refusal::RepeatedHeader(name));
        }
        let Some(value) = &self.revision else { return Ok(()) };
        let known = value.to_str().ok().and_then(revision::find).is_some();
        if known { Ok(()) } else { Err(Refusal::Revision) }
    }

    /// The session header as it was sent.
    pub(crate) fn session(&self) -> Option<&[u8]> {
        self.session.as_ref().map(HeaderValue::as_bytes)
    }
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
    fn revisions_are_held_against_what_is_served() {
        for lawful in ["2025-06-18", "2025-11-25"] {
            let admitted = admit("POST", "/mcp", &[HOST, ("mcp-protocol-version", lawful)]).expect("let in");
            assert_eq!(admitted.check_revision(), Ok(()));
        }
        for foul in ["1999-01-01", "2026-07-28", "", "2025-11-25, 2025-06-18"] {
            let admitted = admit("POST", "/mcp", &[HOST, ("mcp-protocol-version", foul)]).expect("let in");
            assert_eq!(admitted.check_revision(), Err(Refusal::Revision), "{foul}");
        }
        let twice = [HOST, ("mcp-session-id", "a"), ("mcp-session-id", "a")];
        let admitted = admit("POST", "/mcp", &twice).expect("let in");
        assert_eq!(admitted.check_revision(), Err(Refusal::RepeatedHeader("MCP-Session-Id")));
    }
}
