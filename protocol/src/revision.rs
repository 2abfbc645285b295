//! The revisions of MCP that are served: one table that says what each of them has.
//!
//! Whoever must behave differently for a revision asks a column of [`REVISIONS`]; nowhere else is a revision compared
//! by name. To serve another one is to add its row.

/// How a client's state is kept between its requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// `initialize` opens a session, which later requests name in a header.
    Session,
    /// Every request stands for itself and says which revision it speaks.
    Stateless,
}

/// What one revision has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revision {
    /// Its date, as it travels.
    pub name: &'static str,
    /// How state is kept.
    pub era: Era,
    /// Whether an array of messages may be sent as one body.
    pub batches: bool,
    /// Whether a client names the revision in the header `MCP-Protocol-Version`.
    pub version_header: bool,
    /// Whether a client that goes away has cancelled its call.
    pub disconnect_cancels: bool,
    /// Whether tools say `outputSchema` and answer `structuredContent`.
    pub structured_content: bool,
    /// Whether tools, prompts and the server itself may have a `title`.
    pub titles: bool,
    /// Whether icons, descriptions and web sites may be named.
    pub icons: bool,
    /// Whether wrong arguments of a tool are a tool's error, which a model can read, and not a protocol error.
    pub argument_faults_are_tool_errors: bool,
    /// Whether every result says `resultType`.
    pub result_types: bool,
}

const REVISION_2025_06_18: Revision = Revision {
    name: "2025-06-18",
    era: Era::Session,
    batches: false,
    version_header: true,
    disconnect_cancels: false,
    structured_content: true,
    titles: true,
    icons: false,
    argument_faults_are_tool_errors: false,
    result_types: false,
};

const REVISION_2025_11_25: Revision =
    Revision { name: "2025-11-25", icons: true, argument_faults_are_tool_errors: true, ..REVISION_2025_06_18 };

/// All that is served, oldest first.
pub const REVISIONS: &[Revision] = &[REVISION_2025_06_18, REVISION_2025_11_25];

/// The revision of this name, if it is served.
pub fn find(name: &str) -> Option<&'static Revision> {
    REVISIONS.iter().find(|revision| revision.name == name)
}

/// The newest revision that a handshake can select.
pub fn newest_of_sessions() -> &'static Revision {
    let newest = REVISIONS.iter().rev().find(|revision| revision.era == Era::Session);
    newest.expect("a revision with sessions is served")
}

/// What `initialize` answers to a client that asks for `requested`: the same where it is served in a session, else
/// the newest that is.
pub fn negotiate(requested: Option<&str>) -> &'static Revision {
    match requested.and_then(find) {
        Some(revision) if revision.era == Era::Session => revision,
        _ => newest_of_sessions(),
    }
}

/// The names of all that is served, newest first.
pub fn names() -> Vec<&'static str> {
    REVISIONS.iter().rev().map(|revision| revision.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_served_is_agreed_to_and_all_else_gets_the_newest() {
        let table = [
            (Some("2025-06-18"), "2025-06-18"),
            (Some("2025-11-25"), "2025-11-25"),
            (Some("2026-07-28"), "2025-11-25"),
            (Some("2024-11-05"), "2025-11-25"),
            (Some("2025-11-25 "), "2025-11-25"),
            (Some(""), "2025-11-25"),
            (None, "2025-11-25"),
        ];
        for (requested, agreed) in table {
            assert_eq!(negotiate(requested).name, agreed, "{requested:?}");
        }
    }

    #[test]
    fn the_table_is_in_order_and_names_nothing_twice() {
        assert!(REVISIONS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }
}
