//! What the stone refuses, in words: the one place where its own reasons become answers.
//!
//! Every refusal says what was wrong and what to do; nothing here decides.

use crate::engine::EngineError;
use protocol::limits::FAULT_OBJECTS_MAX;
use protocol::stone::{Answer, Oid};

/// A refusal: a word for programs and a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) kind: &'static str,
    pub(crate) message: String,
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Self {
        Answer::Refused { kind: refusal.kind.to_owned(), message: refusal.message }
    }
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Full(reason) => storage_full(&reason),
            EngineError::Failed(reason) | EngineError::Unusable(reason) => storage_failed(&reason),
        }
    }
}

fn refusal(kind: &'static str, message: impl Into<String>) -> Refusal {
    Refusal { kind, message: message.into() }
}

pub(crate) fn storage_full(reason: &str) -> Refusal {
    refusal(
        "storageFull",
        format!(
            "the repository cannot grow ({reason}): nothing was written; make room on its file system (or raise the \
             quota) and commit again"
        ),
    )
}

pub(crate) fn storage_failed(reason: &str) -> Refusal {
    refusal(
        "storageFailed",
        format!(
            "the repository's storage failed ({reason}): no commit is taken until the stone has been restarted, and \
             whether those under way were made is known only then; check the disk and the stone's log"
        ),
    )
}

pub(crate) fn unbound() -> Refusal {
    refusal(
        "unbound",
        "this session is not bound to a user yet, so it can only read; the router binds it when a client takes it",
    )
}

pub(crate) fn not_granted_by_router() -> Refusal {
    refusal("notGranted", "the router has not signed this identity for this session")
}

pub(crate) fn bound_already() -> Refusal {
    refusal("boundAlready", "whom this session works for is fixed, and cannot be changed")
}

pub(crate) fn read_only() -> Refusal {
    refusal("readOnly", "this session is read-only: it cannot commit; open one that is not, or abort")
}

pub(crate) fn format(held: u32, offered: u32) -> Refusal {
    refusal(
        "format",
        format!(
            "this repository holds an image of format {held}, and this program's image has format {offered}: run the \
             version of Lapidary that wrote it, or name another stone (GS_STONE) to begin an empty one"
        ),
    )
}

pub(crate) fn too_many_asked(asked: usize) -> Refusal {
    refusal("tooMany", format!("{asked} objects were asked for at once, {FAULT_OBJECTS_MAX} are allowed: ask in parts"))
}

pub(crate) fn answer_too_large() -> Refusal {
    refusal("tooLarge", "the objects asked for do not fit in one answer: ask for fewer at once")
}

pub(crate) fn twice_in_commit(oid: Oid) -> Refusal {
    refusal("malformedCommit", format!("object {oid} stands in the commit twice: send each object once"))
}

pub(crate) fn base_ahead(oid: Oid, base: u64, view: u64) -> Refusal {
    refusal(
        "malformedCommit",
        format!("object {oid} is said to be known at {base}, but this session's view is at {view}"),
    )
}

pub(crate) fn not_granted(oid: Oid) -> Refusal {
    refusal(
        "notGranted",
        format!("the new object {oid} bears an identity that this session was not given: reserve first"),
    )
}

pub(crate) fn not_new(oid: Oid) -> Refusal {
    refusal("notNew", format!("object {oid} is sent as new, but it exists: send the view at which it was known"))
}

pub(crate) fn unknown_object(oid: Oid) -> Refusal {
    refusal("unknownObject", format!("object {oid} is sent as changed, but no commit has ever made it"))
}

pub(crate) fn token_void() -> Refusal {
    refusal(
        "tokenVoid",
        "this commit was reported as not made when its status was asked for, so it never will be: commit under a new \
         name",
    )
}

pub(crate) fn too_many_identities() -> Refusal {
    refusal(
        "tooManyIdentities",
        "this session has been given all the identities that one session may have: open another",
    )
}

pub(crate) fn identities_exhausted() -> Refusal {
    refusal("identitiesExhausted", "this repository has no identities left to give: begin another stone")
}

pub(crate) fn overlays_too_large() -> Refusal {
    refusal("tooLarge", "the changed kernel of this repository does not fit in one answer: no session can be opened")
}

pub(crate) fn busy() -> Refusal {
    refusal("busy", "this stone serves as many connections as it can: end some, then try again")
}

pub(crate) fn stopping() -> Refusal {
    refusal(protocol::stone::STOPPING, "this stone is stopping: connect again, so that another one is started")
}
