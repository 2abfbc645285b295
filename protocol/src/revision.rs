//! The revisions of MCP that are served: one table that says what each of them has.
//!
//! Whoever must behave differently for a revision asks a column of [`REVISIONS`]; nowhere else is a revision compared
//! by name. To serve another one is to add its row. What the columns mean for a message is in [`crate::shape`].

use crate::error::{INVALID_PARAMS, RESOURCE_NOT_FOUND};

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
    /// Whether an event stream begins with an event that has an id and no data, and says when to come back.
    pub priming: bool,
    /// Whether a client that goes away has cancelled its call.
    pub disconnect_cancels: bool,
    /// Whether tools say `outputSchema` and answer `structuredContent`; links to resources came with it.
    pub structured_content: bool,
    /// Whether structured content may be something else than an object.
    pub any_structured_content: bool,
    /// Whether tools, prompts and the server itself may have a `title`.
    pub titles: bool,
    /// Whether icons, descriptions and web sites may be named.
    pub icons: bool,
    /// Whether a client can be asked to fill in a form.
    pub forms: bool,
    /// Whether a client can be asked to open a URL.
    pub urls: bool,
    /// Whether wrong arguments of a tool are a tool's error, which a model can read, and not a protocol error.
    pub argument_faults_are_tool_errors: bool,
    /// Whether every result says `resultType`, who answered, and how long a list may be kept.
    pub result_types: bool,
    /// The error code of a resource that is not there.
    pub resource_not_found: i32,
}

const REVISION_2025_03_26: Revision = Revision {
    name: "2025-03-26",
    era: Era::Session,
    batches: true,
    version_header: false,
    priming: false,
    disconnect_cancels: false,
    structured_content: false,
    any_structured_content: false,
    titles: false,
    icons: false,
    forms: false,
    urls: false,
    argument_faults_are_tool_errors: false,
    result_types: false,
    resource_not_found: RESOURCE_NOT_FOUND,
};

const REVISION_2025_06_18: Revision = Revision {
    name: "2025-06-18",
    batches: false,
    version_header: true,
    structured_content: true,
    titles: true,
    forms: true,
    ..REVISION_2025_03_26
};

const REVISION_2025_11_25: Revision = Revision {
    name: "2025-11-25",
    priming: true,
    icons: true,
    urls: true,
    argument_faults_are_tool_errors: true,
    ..REVISION_2025_06_18
};

const REVISION_2026_07_28: Revision = Revision {
    name: "2026-07-28",
    era: Era::Stateless,
    priming: false,
    disconnect_cancels: true,
    any_structured_content: true,
    result_types: true,
    resource_not_found: INVALID_PARAMS,
    ..REVISION_2025_11_25
};

/// All that can be served, oldest first.
pub const REVISIONS: &[Revision] =
    &[REVISION_2025_03_26, REVISION_2025_06_18, REVISION_2025_11_25, REVISION_2026_07_28];

/// The revision of this name, if there is one.
pub fn find(name: &str) -> Option<&'static Revision> {
    REVISIONS.iter().find(|revision| revision.name == name)
}

/// The newest revision that a handshake can select.
pub fn newest_of_sessions() -> &'static Revision {
    let newest = REVISIONS.iter().rev().find(|revision| revision.era == Era::Session);
    newest.expect("a revision with sessions is in the table")
}

/// The revisions that one server serves: all of them, unless its operator chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served(Vec<&'static Revision>);

impl Default for Served {
    fn default() -> Self {
        Self(REVISIONS.iter().collect())
    }
}

impl Served {
    /// The revisions of these names; all if there are none. Answers the name that is not known, if one is not.
    pub fn choose<S: AsRef<str>>(names: &[S]) -> Result<Self, String> {
        if names.is_empty() {
            return Ok(Self::default());
        }
        if let Some(unknown) = names.iter().find(|name| find(name.as_ref()).is_none()) {
            return Err(unknown.as_ref().to_owned());
        }
        let chosen = |revision: &&Revision| names.iter().any(|name| name.as_ref() == revision.name);
        Ok(Self(REVISIONS.iter().filter(chosen).collect()))
    }

    /// The revision of this name, if it is served.
    pub fn find(&self, name: &str) -> Option<&'static Revision> {
        self.0.iter().copied().find(|revision| revision.name == name)
    }

    /// Whether a revision of this era is served.
    pub fn has(&self, era: Era) -> bool {
        self.0.iter().any(|revision| revision.era == era)
    }

    /// What `initialize` answers to a client that asks for `requested`: the same where it is served in a session, else
    /// the newest that is; nothing where no session is served.
    pub fn negotiate(&self, requested: Option<&str>) -> Option<&'static Revision> {
        let mut sessions = self.0.iter().copied().filter(|revision| revision.era == Era::Session);
        let asked = sessions.clone().find(|revision| Some(revision.name) == requested);
        asked.or_else(|| sessions.next_back())
    }

    /// The names of all that is served, newest first.
    pub fn names(&self) -> Vec<&'static str> {
        self.0.iter().rev().map(|revision| revision.name).collect()
    }

    /// The names of what is served of an era, newest first.
    pub fn names_of(&self, era: Era) -> Vec<&'static str> {
        self.0.iter().rev().filter(|revision| revision.era == era).map(|revision| revision.name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_served_is_agreed_to_and_all_else_gets_the_newest_with_sessions() {
        let table = [
            (Some("2025-03-26"), "2025-03-26"),
            (Some("2025-06-18"), "2025-06-18"),
            (Some("2025-11-25"), "2025-11-25"),
            (Some("2026-07-28"), "2025-11-25"),
            (Some("2024-11-05"), "2025-11-25"),
            (Some("2025-11-25 "), "2025-11-25"),
            (Some(""), "2025-11-25"),
            (None, "2025-11-25"),
        ];
        for (requested, agreed) in table {
            assert_eq!(Served::default().negotiate(requested).expect("sessions").name, agreed, "{requested:?}");
        }
    }

    #[test]
    fn an_operator_may_serve_fewer() {
        let served = Served::choose(&["2026-07-28", "2025-06-18"]).expect("known");
        assert_eq!(served.names(), ["2026-07-28", "2025-06-18"]);
        assert_eq!(served.negotiate(Some("2025-11-25")).map(|revision| revision.name), Some("2025-06-18"));
        assert!(served.find("2025-11-25").is_none() && served.has(Era::Stateless));
        let stateless = Served::choose(&["2026-07-28"]).expect("known");
        assert_eq!(stateless.negotiate(None), None);
        assert_eq!(Served::choose(&["2026-07-28", "1999-01-01"]), Err("1999-01-01".to_owned()));
        assert_eq!(Served::choose::<&str>(&[]), Ok(Served::default()));
    }

    #[test]
    fn the_table_is_in_order_and_names_nothing_twice() {
        assert!(REVISIONS.windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    /// A column that is true stays true in what is newer, but for what a revision took away again.
    #[test]
    fn what_a_revision_brought_stays() {
        let lasting = |revision: &Revision| {
            [
                revision.version_header,
                revision.structured_content,
                revision.any_structured_content,
                revision.titles,
                revision.icons,
                revision.forms,
                revision.urls,
                revision.argument_faults_are_tool_errors,
                revision.result_types,
                revision.disconnect_cancels,
            ]
        };
        for pair in REVISIONS.windows(2) {
            let kept = lasting(&pair[0]).into_iter().zip(lasting(&pair[1])).all(|(older, newer)| !older || newer);
            assert!(kept, "{} lost what {} had", pair[1].name, pair[0].name);
        }
    }
}
