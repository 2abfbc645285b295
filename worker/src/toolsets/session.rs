//! The toolset `session`: who works here, and when others see it. Only `commit`, `abort` and `refresh` move a view.

use super::store_refusal;
use crate::tool::{Answer, Context, Hints, Outcome, Refusal, Tool, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use smalltalk::{Commit, Refresh};

/// Conflicts that are named; the rest is counted.
const CONFLICTS_SHOWN_MAX: usize = 20;

/// Changes that status names; the rest is counted.
const CHANGES_SHOWN_MAX: usize = 100;

pub(super) struct Session;

impl Toolset for Session {
    fn name(&self) -> &'static str {
        "session"
    }

    fn instructions(&self) -> Option<&'static str> {
        Some(
            "What others commit you see after commit, abort or refresh, and never before; abort discards \
             what you have not committed.",
        )
    }

    fn icon(&self) -> Option<&'static str> {
        Some("M8 1a7 7 0 1 0 7 7h-7z")
    }

    fn tools(&self) -> Vec<Tool> {
        vec![abort_tool(), commit_tool(), refresh_tool(), status_tool()]
    }
}

#[derive(Deserialize, JsonSchema)]
struct NoArguments {}

fn abort_tool() -> Tool {
    let hints = Hints { read_only: false, destructive: true, idempotent: true };
    let description = "Call this to throw your uncommitted changes away and see the newest committed state. They cannot \
                       be brought back.";
    Tool::new("abort", "Abort the transaction", description, hints, abort)
        .keywords(&["rollback", "discard", "undo", "transaction"])
        .safe_in_read_only()
        .answering::<Moved>()
}

fn commit_tool() -> Tool {
    let hints = Hints { read_only: false, destructive: false, idempotent: true };
    let description = "Call this to make your changes permanent and visible to other sessions. If another session has \
                       changed the same objects since your view was taken, nothing is written, your changes stay, and \
                       the answer names what conflicts.";
    Tool::new("commit", "Commit the transaction", description, hints, commit)
        .keywords(&["save", "persist", "publish", "changes", "transaction"])
        .answering::<Moved>()
}

fn refresh_tool() -> Tool {
    let hints = Hints { read_only: true, destructive: false, idempotent: true };
    let description = "Call this to see what other sessions have committed meanwhile without giving up your uncommitted \
                       changes.";
    Tool::new("refresh", "Refresh the view", description, hints, refresh)
        .keywords(&["update", "view", "others", "continue", "transaction"])
        .safe_in_read_only()
        .answering::<Moved>()
}

fn status_tool() -> Tool {
    let hints = Hints { read_only: true, destructive: false, idempotent: true };
    let description = "Call this to learn which user, session and stone you work with, and whether you have changes \
                       that are not committed.";
    Tool::new("status", "Session status", description, hints, status)
        .keywords(&["user", "session", "stone", "whoami", "uncommitted", "changes"])
        .safe_in_read_only()
        .answering::<Status<'_>>()
}

/// Where the session stands now.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Moved {
    /// The number of the commit that this session sees.
    view: u64,
    /// Whether there are changes that only this session sees.
    uncommitted_changes: bool,
}

fn moved(context: &Context<'_>, text: &str) -> Outcome {
    let uncommitted_changes = context.image.has_uncommitted_changes();
    Ok(Answer::of(text, &Moved { view: context.image.view(), uncommitted_changes }))
}

fn abort(context: &mut Context<'_>, NoArguments {}: NoArguments) -> Outcome {
    context.image.abort().map_err(store_refusal)?;
    moved(context, "Transaction aborted; uncommitted changes discarded and the view refreshed.")
}

fn commit(context: &mut Context<'_>, NoArguments {}: NoArguments) -> Outcome {
    match context.image.commit().map_err(store_refusal)? {
        Commit::Committed => moved(context, "Transaction committed."),
        Commit::Conflict(conflicts) => Err(conflict(
            "Commit failed on conflict",
            &conflicts,
            "Another session has changed them since your view was taken. Nothing was written and your changes are still \
             here. A commit can only succeed after abort, which discards your changes: note them first.",
        )),
    }
}

fn refresh(context: &mut Context<'_>, NoArguments {}: NoArguments) -> Outcome {
    let kept = context.image.has_uncommitted_changes();
    match context.image.refresh().map_err(store_refusal)? {
        Refresh::Moved if kept => moved(context, "View refreshed; uncommitted changes kept."),
        Refresh::Moved => moved(context, "View refreshed."),
        Refresh::Conflict(conflicts) => Err(conflict(
            "Refresh failed on conflict",
            &conflicts,
            "Another session has changed what you have changed too. Your changes are still here, but only abort helps: \
             it discards them and refreshes the view.",
        )),
    }
}

/// What a commit or a refresh ran into.
pub(super) fn conflict(what: &str, conflicts: &[String], advice: &str) -> Refusal {
    let mut report = conflicts.iter().take(CONFLICTS_SHOWN_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    if conflicts.len() > CONFLICTS_SHOWN_MAX {
        report.push_str(&format!(" and {} more", conflicts.len() - CONFLICTS_SHOWN_MAX));
    }
    let shown = &conflicts[..conflicts.len().min(CONFLICTS_SHOWN_MAX)];
    Refusal::new("commitConflict", format!("{what}: {report}. {advice}")).with("conflicts", json!(shown))
}

/// Who works here.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Status<'a> {
    /// The user in the repository.
    user: &'a str,
    /// The number of this session.
    session: u64,
    /// The name of the stone.
    stone: &'a str,
    /// Whether there are changes that only this session sees.
    uncommitted_changes: bool,
    /// What they are, in words.
    changes: Vec<String>,
}

fn status(context: &mut Context<'_>, NoArguments {}: NoArguments) -> Outcome {
    let changes = context.image.uncommitted_changes();
    let session = context.image.session();
    let status = Status {
        user: &session.user,
        session: session.session,
        stone: &session.stone,
        uncommitted_changes: context.image.has_uncommitted_changes(),
        changes: changes.iter().take(CHANGES_SHOWN_MAX).cloned().collect(),
    };
    let Status { user, session, stone, uncommitted_changes, .. } = status;
    let line = format!("user={user} session={session} stone={stone} uncommittedChanges={uncommitted_changes}");
    let mut answer = Answer::of(line, &status);
    answer.aside = uncommitted_changes.then(|| aside(&changes));
    Ok(answer)
}

/// The second text, for a model that sees no data.
fn aside(changes: &[String]) -> String {
    let mut text = "[session] Uncommitted changes, which only this session sees until commit:".to_owned();
    for change in changes.iter().take(CHANGES_SHOWN_MAX) {
        text.push_str(&format!("\n  {change}"));
    }
    if changes.len() > CHANGES_SHOWN_MAX {
        text.push_str(&format!("\n  and {} more", changes.len() - CHANGES_SHOWN_MAX));
    }
    text
}
