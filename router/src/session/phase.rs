//! The states of a session, and what leads from one to the next.
//!
//! It decides and does nothing: whoever moves a session acts on the answer. A session never goes back.

/// Where a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The gem is being set up; only `initialize` is under way.
    Starting,
    /// The gem serves.
    Ready,
    /// No new call is taken; the gem was told to finish.
    Draining,
    /// The gem is gone.
    Ended,
}

impl Phase {
    /// `initialize` was answered. False if something ended the session before.
    pub(crate) fn ready(&mut self) -> bool {
        self.step(*self == Phase::Starting, Phase::Ready)
    }

    /// Somebody wants the session to end. True for the first who says so.
    pub(crate) fn drain(&mut self) -> bool {
        self.step(matches!(self, Phase::Starting | Phase::Ready), Phase::Draining)
    }

    /// The gem is gone. True for the first who sees it.
    pub(crate) fn end(&mut self) -> bool {
        self.step(*self != Phase::Ended, Phase::Ended)
    }

    fn step(&mut self, lawful: bool, next: Phase) -> bool {
        if lawful {
            *self = next;
        }
        lawful
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_never_goes_back() {
        let mut phase = Phase::Starting;
        assert!(phase.ready() && !phase.ready());
        assert!(phase.drain() && !phase.drain() && !phase.ready());
        assert!(phase.end() && !phase.end() && !phase.drain() && !phase.ready());
        assert_eq!(phase, Phase::Ended);
    }
}
