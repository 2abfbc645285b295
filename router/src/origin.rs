//! Which `Host` and `Origin` a request may bear: pure functions over the header's text.
//!
//! A web page that a user merely visits can send requests to this machine; these two headers tell it apart. Parsing is
//! exact and by whitelist: what is not spelled as browsers spell it is refused, and nothing is normalised.

use std::net::Ipv4Addr;

/// Whether a `Host` header names this machine's loopback.
pub(crate) fn is_loopback_authority(authority: &str) -> bool {
    let Some((host, port)) = split_port(authority) else { return false };
    port.is_none_or(is_port) && (host.eq_ignore_ascii_case("localhost") || is_loopback_literal(host))
}

/// Whether an `Origin` header is allowed: a loopback host with any port, or exactly one of `configured`.
pub(crate) fn is_allowed_origin(origin: &str, configured: &[String]) -> bool {
    is_loopback_origin(origin) || configured.iter().any(|allowed| allowed == origin)
}

/// Whether the text can be an origin at all: a scheme, a host and perhaps a port.
pub(crate) fn is_configurable_origin(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let Some((host, port)) = split_port(rest) else { return false };
    let scheme_is_valid =
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_lowercase() || b"+-.".contains(&byte));
    let host_is_valid =
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._[]:".contains(&byte));
    scheme_is_valid && host_is_valid && port.is_none_or(is_port)
}

fn is_loopback_origin(origin: &str) -> bool {
    let Some(authority) = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")) else {
        return false;
    };
    let Some((host, port)) = split_port(authority) else { return false };
    // A browser writes an origin's host in lower case.
    port.is_none_or(is_port) && (host == "localhost" || is_loopback_literal(host))
}

/// The host, and the port if a colon stands there. An IPv6 literal keeps its brackets.
fn split_port(authority: &str) -> Option<(&str, Option<&str>)> {
    if authority.starts_with('[') {
        let (host, rest) = authority.split_at(authority.find(']')? + 1);
        return match rest.strip_prefix(':') {
            Some(port) => Some((host, Some(port))),
            None => rest.is_empty().then_some((host, None)),
        };
    }
    Some(match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    })
}

fn is_loopback_literal(host: &str) -> bool {
    // The standard parser takes four plain decimal numbers only: no octal, no hexadecimal, no short forms.
    host == "[::1]" || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

fn is_port(text: &str) -> bool {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits && !text.starts_with('0') && text.parse::<u16>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_origins_of_any_port_are_allowed() {
        for origin in [
            "http://localhost",
            "http://localhost:1",
            "https://localhost:65535",
            "http://127.0.0.1:3000",
            "http://127.9.8.7",
            "http://[::1]:8080",
            "https://[::1]",
        ] {
            assert!(is_allowed_origin(origin, &[]), "{origin}");
        }
    }

    #[test]
    fn all_other_origins_are_refused() {
        for origin in [
            "",
            "null",
            "http://",
            "http://evil.example",
            "http://localhost.evil",
            "http://localhost.",
            "http://127.0.0.1.evil",
            "http://localhost@evil",
            "http://localhost:1@evil",
            "http://evil@localhost",
            "http://localhost:",
            "http://localhost:0",
            "http://localhost:65536",
            "http://localhost:+1",
            "http://localhost:01",
            "http://localhost/",
            "http://localhost:1/",
            "http://localhost?x",
            "http://localhost#x",
            "http://localhost\\@evil",
            "http://Localhost",
            "HTTP://localhost",
            "ftp://localhost",
            "file://",
            "localhost",
            "//localhost",
            "http:localhost",
            "http:///localhost",
            " http://localhost",
            "http://localhost ",
            "http://localhost http://evil",
            "http://0x7f.1",
            "http://127.1",
            "http://2130706433",
            "http://0177.0.0.1",
            "http://127.000.0.1",
            "http://0.0.0.0",
            "http://128.0.0.1",
            "http://[::]",
            "http://[::1",
            "http://[::1]evil",
            "http://[::1].evil",
            "http://::1",
            "http://[::ffff:127.0.0.1]",
            "http://locаlhost",
            "http://xn--loclhost-1fg",
        ] {
            assert!(!is_allowed_origin(origin, &[]), "{origin}");
        }
    }

    #[test]
    fn configured_origins_are_compared_exactly() {
        let configured = ["https://app.example".to_owned(), "http://app.example:8080".to_owned()];
        assert!(is_allowed_origin("https://app.example", &configured));
        assert!(is_allowed_origin("http://app.example:8080", &configured));
        for origin in
            ["http://app.example", "https://app.example:443", "https://app.example.evil", "https://APP.example"]
        {
            assert!(!is_allowed_origin(origin, &configured), "{origin}");
        }
    }

    #[test]
    fn hosts_are_loopback_names_and_literals() {
        for host in ["localhost", "LocalHost:8000", "127.0.0.1:8000", "127.1.2.3", "[::1]:8000", "[::1]"] {
            assert!(is_loopback_authority(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:8000",
            "localhost.evil",
            "localhost.",
            "localhost:80:80",
            "localhost:x",
            "localhost:",
            "user@localhost",
            "0x7f.1",
            "127.1",
            "2130706433",
            "017700000001",
            "0.0.0.0",
            "[::1]x",
            "::1",
            "127.0.0.1,evil",
        ] {
            assert!(!is_loopback_authority(host), "{host}");
        }
    }
}
