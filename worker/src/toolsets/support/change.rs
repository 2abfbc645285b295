//! Changing something: when it is committed, when it is taken back, and when it is refused because another
//! session changed the same in between.

use crate::read_log::{Reading, Version};
use crate::tool::{Context, Outcome, Refusal};
use crate::toolsets::session::conflict;
use crate::toolsets::store_refusal;
use schemars::JsonSchema;
use serde::Serialize;
use smalltalk::Commit;

/// What becomes of a change that is made now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::toolsets) enum Fate {
    /// It is committed at once, since there is nothing else to commit.
    Committed,
    /// It waits: the session holds other uncommitted changes, and the client did not ask to commit those.
    BesideOthers,
    /// It waits: this server leaves all committing to `commit`.
    LeftToCommit,
}

impl Fate {
    /// A sentence that says what was done, with its end for a change that is committed.
    pub(in crate::toolsets) fn told(self, done: &str, committed_end: &str) -> String {
        match self {
            Fate::Committed => format!("{done}{committed_end}"),
            Fate::BesideOthers => format!(
                "{done}. Not committed: this session holds other uncommitted changes as well. commit makes all of them \
                 permanent."
            ),
            Fate::LeftToCommit => format!("{done}. Not committed: call commit to make it permanent."),
        }
    }

    /// Whether it is committed.
    pub(in crate::toolsets) fn is_committed(self) -> bool {
        self == Fate::Committed
    }
}

/// A change that was made.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::toolsets) struct Changed {
    /// Whether it is committed.
    pub(in crate::toolsets) committed: bool,
    /// The class that was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::toolsets) class_name: Option<String>,
    /// The method that was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::toolsets) selector: Option<String>,
    /// The dictionary that was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::toolsets) dictionary_name: Option<String>,
    /// The version of what is there now, to be given as `expected` with the next change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::toolsets) version: Option<String>,
}

/// Makes a change, and commits it if nothing else would be committed with it. A change that fails half-way in a session
/// that was clean is taken back; in any other it stays, since it cannot be told from what was there before.
pub(in crate::toolsets) fn change(
    context: &mut Context<'_>,
    act: impl FnOnce(&mut Context<'_>, Fate) -> Outcome,
) -> Outcome {
    let was_clean = !context.image.has_uncommitted_changes();
    let fate = match (context.autocommit, was_clean) {
        (false, _) => Fate::LeftToCommit,
        (true, true) => Fate::Committed,
        (true, false) => Fate::BesideOthers,
    };
    let outcome = act(context, fate);
    match outcome {
        Ok(answer) if fate.is_committed() => commit(context).map(|()| answer),
        Err(refusal) => {
            if was_clean && context.image.has_uncommitted_changes() {
                context.image.revert();
            }
            Err(refusal)
        }
        outcome => outcome,
    }
}

fn commit(context: &mut Context<'_>) -> Result<(), Refusal> {
    match context.image.commit().map_err(store_refusal)? {
        Commit::Committed => Ok(()),
        Commit::Conflict(names) => Err(conflict(
            "The change was made, but its commit failed on conflict",
            &names,
            "Another session has changed them since your view was taken. Nothing was written; the change stays in this \
             session, uncommitted. A commit can only succeed after abort, which discards it: then read what is there \
             now and make the change again.",
        )),
    }
}

/// Refuses to overwrite what the caller has not seen. `now` is what is there, `changed_at` the last view in which
/// another session changed it, `expected` what the caller says that it saw.
pub(in crate::toolsets) fn assert_seen(
    what: &str,
    now: Option<&str>,
    changed_at: u64,
    reading: Reading,
    expected: Option<&str>,
    seen: Option<Version>,
) -> Result<(), Refusal> {
    let refusal = |why: &str| {
        let text = format!("Refused: {why} Read it again, take the change into account, and repeat.");
        let current = now.map_or(serde_json::Value::Null, Into::into);
        Err(Refusal::new("refused", text).with("reason", "changed".into()).with("version", current))
    };
    match expected {
        Some(expected) if now == Some(expected) => Ok(()),
        Some(_) if now.is_none() => refusal(&format!("{what} is not there any more.")),
        Some(_) => refusal(&format!("{what} is no longer of the expected version.")),
        None if changed_at <= reading.view => Ok(()),
        None if seen.is_none() && reading.version.is_none() => Ok(()),
        None if seen.is_some() && reading.version == seen => Ok(()),
        None if reading.version.is_none() => refusal(&format!(
            "others have changed {what}, or something beside it, since this session began, and it was not read since."
        )),
        None => {
            let gone = if seen.is_none() { "removed" } else { "changed" };
            refusal(&format!("another session has {gone} {what} since this one last read it."))
        }
    }
}
