//! What both threads of a gem know: what may be answered during a call, the calls, the tasks, and the socket to the
//! stone.
//!
//! It answers nothing itself.

use crate::calls::Calls;
use crate::discovery::Discovery;
use crate::tasks::Tasks;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use protocol::gem::exit;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The peer's end is closed; what it has sent before does not matter here.
pub(crate) const STONE_GONE: PollFlags = PollFlags::POLLHUP;

/// What both threads know.
pub(crate) struct SharedState {
    /// What may be answered during a call; there once the gem is ready.
    discovery: Mutex<Option<Arc<Discovery>>>,
    /// Calls that became tasks; there once the gem is ready, if any can.
    pub(crate) tasks: OnceLock<Arc<Tasks>>,
    /// What runs.
    pub(crate) calls: Arc<Calls>,
    /// The socket to the stone, once more, to see its end.
    pub(crate) stone: OnceLock<OwnedFd>,
    /// Whether the end of the stone ends the gem. Before it is ready the main thread finds out by itself, and says why
    /// it cannot serve.
    pub(crate) serving: AtomicBool,
}

impl SharedState {
    /// For a gem that is not ready yet.
    pub(crate) fn new(calls: Arc<Calls>) -> Self {
        Self {
            discovery: Mutex::default(),
            tasks: OnceLock::new(),
            calls,
            stone: OnceLock::new(),
            serving: AtomicBool::new(false),
        }
    }

    /// What is answered during a call from now on.
    pub(crate) fn set_discovery(&self, discovery: &Arc<Discovery>) {
        *self.discovery.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(discovery));
    }

    /// What is answered during a call now; nothing before the gem is ready.
    pub(crate) fn discovery(&self) -> Option<Arc<Discovery>> {
        self.discovery.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The gem is about to say that it is ready. From now on the end of the stone ends it; one that came before this
    /// was not acted on, so it is looked for here.
    pub(crate) fn serve(&self) {
        self.serving.store(true, Ordering::SeqCst);
        let mut watched = self.stone.get().map(|stone| PollFd::new(stone.as_fd(), STONE_GONE));
        if poll(watched.as_mut_slice(), PollTimeout::ZERO).is_ok_and(|count| count > 0) {
            sandbox::exit_at_once(exit::STONE_LOST);
        }
    }
}
