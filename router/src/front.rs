//! What all requests share, and the stages in which the router stops.

use crate::open::Opener;
use crate::refusal::Refusal;
use crate::session::Surroundings;
use crate::spelling::Spelling;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How far the router has come with stopping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// It serves.
    Open,
    /// What is under way may end; nothing new is taken.
    Draining,
    /// Connections close as soon as their last answer is written.
    Closing,
}

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Front {
    /// Origins that are allowed beside loopback ones.
    pub(crate) origins: Vec<String>,
    /// All sessions, and who listens without one.
    pub(crate) around: Arc<Surroundings>,
    /// Opens more of them.
    pub(crate) opener: Arc<Opener>,
    /// How long a client may hear nothing of what it waits for.
    pub(crate) keep_alive: Duration,
    /// How headers are spelled.
    pub(crate) spelling: Spelling,
    /// How far stopping has come.
    pub(crate) stage: watch::Sender<Stage>,
}

impl Front {
    /// Refuses while the router is being stopped.
    pub(crate) fn check_open(&self) -> Result<(), Refusal> {
        if *self.stage.borrow() == Stage::Open { Ok(()) } else { Err(Refusal::Stopping) }
    }
}
