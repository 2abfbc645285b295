//! How a session lives and ends, and what leads from one state to the next.
//!
//! It decides and does nothing: whoever moves a session acts on the answer. A session never goes back.

use crate::core::failure::EndReason;
use std::time::Instant;

/// Where a session stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Life {
    /// Its process is being set up; only `initialize` is under way.
    Opening,
    /// It serves.
    Serving,
    /// No new call is taken; the process was told to finish, or is being killed.
    Ending {
        /// Why.
        reason: EndReason,
        /// Since when.
        since: Instant,
    },
    /// The process is gone.
    Ended(EndReason),
}

impl Life {
    /// Whether it can still be used.
    pub(crate) fn is_live(&self) -> bool {
        matches!(self, Life::Opening | Life::Serving)
    }

    /// `initialize` was answered. False if something ended the session before.
    pub(crate) fn serve(&mut self) -> bool {
        let serves = *self == Life::Opening;
        if serves {
            *self = Life::Serving;
        }
        serves
    }

    /// The session is to end. True for the first who says so.
    pub(crate) fn end(&mut self, reason: EndReason, now: Instant) -> bool {
        let ends = self.is_live();
        if ends {
            *self = Life::Ending { reason, since: now };
        }
        ends
    }

    /// The process is gone; `reason` holds unless another was known before. True for the first who sees it.
    pub(crate) fn ended(&mut self, reason: EndReason) -> bool {
        let known = match self {
            Life::Opening | Life::Serving => reason,
            Life::Ending { reason, .. } => reason.clone(),
            Life::Ended(_) => return false,
        };
        *self = Life::Ended(known);
        true
    }

    /// Why it ends or has ended.
    pub(crate) fn reason(&self) -> Option<&EndReason> {
        match self {
            Life::Opening | Life::Serving => None,
            Life::Ending { reason, .. } | Life::Ended(reason) => Some(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_never_goes_back_and_its_first_reason_holds() {
        let now = Instant::now();
        let mut life = Life::Opening;
        assert!(life.serve() && !life.serve() && life.reason().is_none());
        assert!(life.end(EndReason::Idle, now) && !life.end(EndReason::Client, now) && !life.serve());
        let crashed = EndReason::Crashed { status: Some(1), last_words: None };
        assert!(life.ended(crashed.clone()) && !life.ended(crashed) && !life.end(EndReason::Client, now));
        assert_eq!(life, Life::Ended(EndReason::Idle));
        assert!(!life.is_live() && !life.serve());
    }
}
