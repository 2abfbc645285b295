//! What browsers are told: pages of an allowed origin may call, and read what they need of an answer.
//!
//! An origin is repeated only once it was let in, and never is a wildcard given.

use axum::body::Body;
use axum::response::Response;
use hyper::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, HeaderMap, HeaderValue, VARY,
};
use hyper::{Method, StatusCode};

/// What a page may read of an answer.
const EXPOSED: &str = "MCP-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After";
/// What a page may send, beside headers that repeat parameters.
const ALLOWED: &str = "Content-Type, Accept, Authorization, MCP-Session-Id, MCP-Protocol-Version, Mcp-Method, \
                       Mcp-Name, Last-Event-ID, traceparent, tracestate, baggage";
/// Seconds for which a browser need not ask again.
const MAX_AGE: &str = "600";
/// How the headers that repeat parameters begin.
const PARAMETER: &str = "mcp-param-";

/// Whether a request is a browser's question, before a call, whether it may make it.
pub(crate) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    *method == Method::OPTIONS && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to that question, for an origin that was let in.
pub(crate) fn preflight(headers: &HeaderMap) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let answer = response.headers_mut();
    answer.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST, GET, DELETE"));
    answer.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(MAX_AGE));
    if let Ok(allowed) = HeaderValue::from_str(&allowed(headers)) {
        answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    }
    response
}

/// The headers that may be sent: those that are known, and of those asked for the ones that repeat parameters.
fn allowed(headers: &HeaderMap) -> String {
    let asked = headers.get_all(ACCESS_CONTROL_REQUEST_HEADERS).iter().filter_map(|value| value.to_str().ok());
    let names = asked.flat_map(|value| value.split(',')).map(str::trim);
    let is_token = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    let parameter = |name: &&str| name.to_ascii_lowercase().starts_with(PARAMETER) && is_token(name);
    names.filter(parameter).fold(ALLOWED.to_owned(), |mut all, name| {
        all.push_str(", ");
        all.push_str(name);
        all
    })
}

/// Tells the browser, in any answer, what its page may read of it. `origin` is one that was let in.
pub(crate) fn decorate(response: &mut Response, origin: Option<HeaderValue>) {
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    if let Some(origin) = origin {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.append(VARY, HeaderValue::from_static("Origin"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_parameters_are_allowed_by_name_and_nothing_else_is() {
        let mut headers = HeaderMap::new();
        let asked = "content-type, mcp-param-gem,x-evil, Mcp-Param-A\"b";
        headers.insert(ACCESS_CONTROL_REQUEST_HEADERS, HeaderValue::from_static(asked));
        let allowed = allowed(&headers);
        assert!(allowed.ends_with(", mcp-param-gem"), "{allowed}");
        assert!(!allowed.contains("evil") && !allowed.contains('*'));
    }

    #[test]
    fn only_a_question_before_a_call_is_one() {
        let mut headers = HeaderMap::new();
        assert!(!is_preflight(&Method::OPTIONS, &headers));
        headers.insert(ACCESS_CONTROL_REQUEST_METHOD, HeaderValue::from_static("POST"));
        assert!(is_preflight(&Method::OPTIONS, &headers) && !is_preflight(&Method::GET, &headers));
    }

    #[test]
    fn an_origin_is_repeated_only_where_one_was_let_in() {
        let mut response = Response::new(Body::empty());
        decorate(&mut response, None);
        assert!(response.headers().get(ACCESS_CONTROL_ALLOW_ORIGIN).is_none());
        assert_eq!(response.headers()[ACCESS_CONTROL_EXPOSE_HEADERS], EXPOSED);
        decorate(&mut response, Some(HeaderValue::from_static("http://localhost:1")));
        assert_eq!(response.headers()[ACCESS_CONTROL_ALLOW_ORIGIN], "http://localhost:1");
    }
}
