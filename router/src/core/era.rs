//! Which era a message belongs to: its body decides, then its header, and a disagreement is an error.
//!
//! Pure. It comes after `Host`, `Origin` and size, and before anything is started.

use crate::core::headers::Headers;
use crate::refusal::Refusal;
use protocol::envelope::{Envelope, Kind};
use protocol::error::INVALID_REQUEST;
use protocol::revision::{Era, Revision, Served};
use protocol::stateless::{self, RoutingParams};

/// What a message is to the router.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It belongs to a session, or opens one.
    Session,
    /// It stands for itself.
    Stateless {
        /// What it speaks.
        revision: &'static Revision,
        /// What its method is about: the tool, the prompt or the resource.
        name: Option<Box<str>>,
    },
    /// It asks for nothing that is served in its era.
    Nothing,
}

/// Judges one message.
pub(crate) fn judge(
    envelope: &Envelope<'_>,
    params: &RoutingParams<'_>,
    headers: &Headers,
    served: &Served,
) -> Result<Verdict, Refusal> {
    if !served.has(Era::Stateless) {
        return Ok(Verdict::Session);
    }
    let sessions = served.has(Era::Session);
    match envelope.kind {
        Kind::Response { .. } if sessions => Ok(Verdict::Session),
        Kind::Response { .. } => {
            let message = "Invalid request: a client has nothing to answer at this revision";
            Err(Refusal::NoMessage { code: INVALID_REQUEST, message })
        }
        Kind::Notification if sessions && !headers.wants_no_session() => Ok(Verdict::Session),
        Kind::Notification => Ok(Verdict::Nothing),
        Kind::Request => judge_request(envelope.method.as_deref().unwrap_or_default(), params, headers, served),
    }
}

fn judge_request(
    method: &str,
    params: &RoutingParams<'_>,
    headers: &Headers,
    served: &Served,
) -> Result<Verdict, Refusal> {
    let sessions = served.has(Era::Session);
    if params.names_revision() {
        return judge_enveloped(method, params, headers, served);
    }
    if method == "initialize" {
        return match (headers.wants_no_session(), sessions) {
            (false, true) => Ok(Verdict::Session),
            (true, true) => Err(stateless::mismatch(
                "The header MCP-Protocol-Version names a revision without initialize: leave it out, or send \
                 server/discover",
            )
            .into()),
            (_, false) => Err(stateless::unsupported(&params.requested().unwrap_or_default(), served).into()),
        };
    }
    if headers.wants_no_session() || !sessions {
        // Without the envelope there is something missing, and this says what.
        stateless::check_metadata(params)?;
    }
    Ok(Verdict::Session)
}

fn judge_enveloped(
    method: &str,
    params: &RoutingParams<'_>,
    headers: &Headers,
    served: &Served,
) -> Result<Verdict, Refusal> {
    stateless::check_metadata(params)?;
    headers.check_routing().map_err(|message| stateless::mismatch(&message))?;
    let checked = stateless::check(method, params, &headers.routing(), served)?;
    Ok(Verdict::Stateless { revision: checked.revision, name: checked.name.map(|name| name.as_ref().into()) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::error::{HEADER_MISMATCH, INVALID_PARAMS, METHOD_NOT_FOUND, UNSUPPORTED_REVISION};

    const META: &str = concat!(
        r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
        r#""io.modelcontextprotocol/clientCapabilities":{}}}"#
    );

    fn judge_text(body: &str, headers: &[(&str, &str)], served: &Served) -> Result<Verdict, i32> {
        let mut given = Headers::default();
        for (name, value) in headers {
            let slot = if *name == "mcp-method" { &mut given.method } else { &mut given.revision };
            if slot.replace((*value).into()).is_some() {
                given.repeated = Some("MCP-Protocol-Version");
            }
        }
        let envelope = Envelope::parse(body.as_bytes()).expect("a message");
        judge(&envelope, &RoutingParams::read(envelope.params), &given, served).map_err(|refusal| match refusal {
            Refusal::Stateless(fault) => fault.code,
            Refusal::NoMessage { code, .. } => code,
            other => panic!("{other:?}"),
        })
    }

    fn request(method: &str, params: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
    }

    #[test]
    fn the_body_decides_and_then_the_header() {
        let all = Served::default();
        let modern = ("mcp-protocol-version", "2026-07-28");
        let list = ("mcp-method", "tools/list");
        type Row<'a> = (String, &'a [(&'a str, &'a str)], Result<bool, i32>);
        let table: &[Row<'_>] = &[
            (request("tools/list", META), &[modern, list], Ok(true)),
            (request("tools/list", "{}"), &[], Ok(false)),
            (request("tools/list", "{}"), &[("mcp-protocol-version", "2025-11-25")], Ok(false)),
            (request("tools/list", "{}"), &[modern, list], Err(INVALID_PARAMS)),
            (request("tools/list", META), &[list], Err(HEADER_MISMATCH)),
            (request("tools/list", META), &[modern, modern, list], Err(HEADER_MISMATCH)),
            (request("initialize", "{}"), &[], Ok(false)),
            (request("initialize", "{}"), &[("mcp-protocol-version", "2025-11-25")], Ok(false)),
            (request("initialize", "{}"), &[modern], Err(HEADER_MISMATCH)),
            (request("initialize", META), &[modern, ("mcp-method", "initialize")], Err(METHOD_NOT_FOUND)),
        ];
        for (body, headers, expected) in table {
            let verdict = judge_text(body, headers, &all).map(|verdict| verdict != Verdict::Session);
            assert_eq!(verdict, *expected, "{body} {headers:?}");
        }
    }

    #[test]
    fn notifications_and_responses_follow_the_header() {
        let all = Served::default();
        let notice = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;
        let modern = ("mcp-protocol-version", "2026-07-28");
        assert_eq!(judge_text(notice, &[], &all), Ok(Verdict::Session));
        assert_eq!(judge_text(notice, &[modern], &all), Ok(Verdict::Nothing));
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        assert_eq!(judge_text(answer, &[], &all), Ok(Verdict::Session));
        let stateless = Served::choose(&["2026-07-28"]).expect("known");
        assert_eq!(judge_text(answer, &[], &stateless), Err(INVALID_REQUEST));
        assert_eq!(judge_text(&request("initialize", "{}"), &[], &stateless), Err(UNSUPPORTED_REVISION));
        assert_eq!(judge_text(&request("ping", "{}"), &[], &stateless), Err(INVALID_PARAMS));
    }

    #[test]
    fn where_only_sessions_are_served_a_client_of_both_eras_falls_back() {
        let sessions = Served::choose(&["2025-11-25"]).expect("known");
        let modern = ("mcp-protocol-version", "2026-07-28");
        assert_eq!(judge_text(&request("server/discover", META), &[modern], &sessions), Ok(Verdict::Session));
    }
}
