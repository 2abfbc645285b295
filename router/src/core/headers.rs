//! What came beside a message's body: the headers that decide which session and which revision it belongs to.
//!
//! A transport fills it in; it may only repeat what a body says, and is held against it. It is no HTTP: a transport
//! that has no headers has none of these.

use crate::core::table::Principal;
use crate::refusal::Refusal;
use protocol::revision::{Era, Served};
use protocol::stateless::{self, is_stateless_version};

/// What stands for a header's value that is no text: nothing that is asked for is spelled so.
pub(crate) const UNREADABLE: &str = "\u{fffd}";

/// The headers of one message.
#[derive(Debug, Clone, Default)]
pub(crate) struct Headers {
    /// Whom it acts for.
    pub(crate) principal: Principal,
    /// `MCP-Session-Id`.
    pub(crate) session: Option<Box<str>>,
    /// `MCP-Protocol-Version`.
    pub(crate) revision: Option<Box<str>>,
    /// `Mcp-Method`.
    pub(crate) method: Option<Box<str>>,
    /// `Mcp-Name`.
    pub(crate) name: Option<Box<str>>,
    /// The headers `Mcp-Param-*`, by what comes after that in lower case.
    pub(crate) parameters: Vec<(String, String)>,
    /// A header that must not be repeated and was.
    pub(crate) repeated: Option<&'static str>,
    /// A header that a stateless request's body must agree with cannot be read.
    pub(crate) unreadable: Option<&'static str>,
}

impl Headers {
    /// Holds the version header against the sessions that are served. A request without one speaks what its session
    /// agreed to.
    pub(crate) fn check_revision(&self, served: &Served) -> Result<(), Refusal> {
        if let Some(name) = self.repeated {
            return Err(Refusal::RepeatedHeader(name));
        }
        let Some(name) = &self.revision else { return Ok(()) };
        let known = served.find(name).filter(|revision| revision.era == Era::Session);
        known.map(drop).ok_or_else(|| Refusal::Revision(served.names_of(Era::Session)))
    }

    /// Whether the version header alone says that no session is meant.
    pub(crate) fn wants_no_session(&self) -> bool {
        self.revision.as_deref().is_some_and(is_stateless_version)
    }

    /// The headers that a stateless request's body must agree with.
    pub(crate) fn routing(&self) -> stateless::Headers<'_> {
        stateless::Headers {
            version: readable(self.revision.as_deref()),
            method: readable(self.method.as_deref()),
            name: readable(self.name.as_deref()),
        }
    }

    /// What no stateless request may do with its headers, and this one does.
    pub(crate) fn check_routing(&self) -> Result<(), String> {
        match (self.repeated, self.unreadable) {
            // Stateless requests have no session and resume nothing; what they say of either does not matter.
            (Some(name), _) if !matches!(name, "MCP-Session-Id" | "Last-Event-ID") => {
                Err(format!("The header {name} may be given only once"))
            }
            (_, Some(unreadable)) => Err(unreadable.to_owned()),
            _ => Ok(()),
        }
    }

    /// The value of the header that repeats this parameter.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A header that is no text reads as none where it is held against a body.
fn readable(value: Option<&str>) -> Option<&str> {
    value.filter(|text| *text != UNREADABLE)
}
