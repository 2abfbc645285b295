//! What all connections share, and the stages in which the router stops.

use crate::core::listeners::Listeners;
use crate::core::open::Opener;
use crate::core::table::Table;
use crate::refusal::Refusal;
use protocol::revision::Served;
use std::sync::Arc;
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

/// What all sessions share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// Where they are found.
    pub(crate) table: Table,
    /// Who listens for changes without a session.
    pub(crate) listeners: Listeners,
}

/// What all connections of all transports share.
#[derive(Debug)]
pub(crate) struct Core {
    /// All sessions, and who listens without one.
    pub(crate) shared: Arc<Shared>,
    /// Opens more of them.
    pub(crate) opener: Arc<Opener>,
    /// How far stopping has come.
    pub(crate) stage: watch::Sender<Stage>,
}

impl Shared {
    /// For a router of so many gems.
    pub(crate) fn new(gems_max: usize) -> Self {
        Self { table: Table::new(gems_max), listeners: Listeners::default() }
    }
}

impl Core {
    /// Serving from the start.
    pub(crate) fn new(shared: Arc<Shared>, opener: Arc<Opener>) -> Self {
        Self { shared, opener, stage: watch::channel(Stage::Open).0 }
    }

    /// Refuses while the router is being stopped.
    pub(crate) fn check_open(&self) -> Result<(), Refusal> {
        if *self.stage.borrow() == Stage::Open { Ok(()) } else { Err(Refusal::Stopping) }
    }

    /// The revisions that are served.
    pub(crate) fn served(&self) -> &Served {
        self.opener.served()
    }
}
