//! The watch thread: answers at once what must not wait for a call, and ends the gem when one of its peers is gone,
//! whatever the machine is doing.

use crate::calls::{Calls, Cancel};
use crate::catalogue::Catalogue;
use crate::dispatcher::handle_beside;
use crate::link::{Link, LinkError};
use crate::tasks::Tasks;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use protocol::frame::Frame;
use protocol::gem::{ClientMessage, down, exit};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Room for this thread: it parses envelopes and builds lists, and recurses nowhere.
pub(crate) const STACK_BYTES: usize = 128 * 1024;

/// How often it is looked for a call that takes long, where one may become a task.
const LOOK: Duration = Duration::from_secs(1);

/// What both threads know.
pub(crate) struct Shared {
    /// What may be answered beside a call; there once the gem is ready.
    catalogue: Mutex<Option<Arc<Catalogue>>>,
    /// Calls that became tasks; there once the gem is ready, if any can.
    pub(crate) tasks: OnceLock<Arc<Tasks>>,
    /// What runs.
    pub(crate) calls: Arc<Calls>,
    /// The socket to the stone, once more, to see its end.
    pub(crate) stone: OnceLock<OwnedFd>,
    /// Whether the end of the stone ends the gem. Before it is ready the main thread finds out by itself, and says why
    /// it cannot serve.
    serving: AtomicBool,
}

impl Shared {
    /// For a gem that is not ready yet.
    pub(crate) fn new(calls: Arc<Calls>) -> Self {
        Self {
            catalogue: Mutex::default(),
            tasks: OnceLock::new(),
            calls,
            stone: OnceLock::new(),
            serving: AtomicBool::new(false),
        }
    }

    /// What is answered beside a call from now on.
    pub(crate) fn set_catalogue(&self, catalogue: &Arc<Catalogue>) {
        *self.catalogue.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(catalogue));
    }

    fn catalogue(&self) -> Option<Arc<Catalogue>> {
        self.catalogue.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The gem is about to say that it is ready. From now on the end of the stone ends it; one that came before this
    /// was seen by nobody, so it is looked for here.
    pub(crate) fn serve(&self) {
        self.serving.store(true, Ordering::SeqCst);
        let mut watched = self.stone.get().map(|stone| PollFd::new(stone.as_fd(), STONE_GONE));
        if poll(watched.as_mut_slice(), PollTimeout::ZERO).is_ok_and(|count| count > 0) {
            sandbox::exit_at_once(exit::STONE_LOST);
        }
    }
}

/// The peer's end is closed; what it has sent before does not matter here.
const STONE_GONE: PollFlags = PollFlags::POLLHUP;

/// Watches for the whole life of the gem; never returns.
pub(crate) fn watch(mut control: Link, shared: &Shared) {
    let mut stone = shared.stone.get();
    loop {
        while let Some(frame) = or_end(control.next_buffered()) {
            handle(&mut control, shared, &frame);
        }
        if let Some(tasks) = shared.tasks.get() {
            or_end(tasks.convert_what_is_due());
        }
        let (control_ready, stone_gone) = wait(&control, shared, stone);
        if stone_gone {
            if shared.serving.load(Ordering::SeqCst) {
                sandbox::exit_at_once(exit::STONE_LOST);
            }
            stone = None;
        }
        if control_ready && !or_end(control.fill()) {
            sandbox::exit_at_once(exit::ENDED);
        }
    }
}

/// Waits until there is something to read, a call may be due to become a task, or the stone is gone.
fn wait(control: &Link, shared: &Shared, stone: Option<&OwnedFd>) -> (bool, bool) {
    let mut watched = vec![PollFd::new(control.as_fd(), PollFlags::POLLIN)];
    watched.extend(stone.map(|stone| PollFd::new(stone.as_fd(), STONE_GONE)));
    // Before the gem hears a client, nobody knows yet whether there will be tasks; they are set first.
    let may_have_tasks = shared.catalogue().is_none() || shared.tasks.get().is_some();
    let timeout = if may_have_tasks {
        let due = shared.tasks.get().and_then(|tasks| tasks.due());
        let due = due.map(|due| due.saturating_duration_since(Instant::now()));
        // One that is due but could not become a task just now is looked at again in a moment.
        let wait = due.map_or(LOOK, |due| due.clamp(Duration::from_millis(1), LOOK));
        PollTimeout::try_from(wait).unwrap_or(PollTimeout::MAX)
    } else {
        PollTimeout::NONE
    };
    match poll(&mut watched, timeout) {
        Ok(_) | Err(Errno::EINTR) => {}
        Err(error) => {
            eprintln!("lapidary-worker: the watch thread cannot wait: {error}");
            sandbox::exit_at_once(exit::LINK_BROKEN)
        }
    }
    let happened = |watched: &PollFd<'_>| watched.revents().is_some_and(|events| !events.is_empty());
    (happened(&watched[0]), watched.get(1).is_some_and(happened))
}

fn handle(control: &mut Link, shared: &Shared, frame: &Frame) {
    match frame.kind {
        down::CANCEL => shared.calls.cancel(Cancel::Exchange(frame.exchange)),
        down::SHUTDOWN => sandbox::exit_at_once(exit::ENDED),
        down::MESSAGE => {
            let (message, _headers) = or_end(ClientMessage::decode(&frame.body).map_err(LinkError::from));
            let Some(catalogue) = shared.catalogue() else {
                eprintln!("lapidary-worker: a message on the control socket before the gem was ready");
                sandbox::exit_at_once(exit::LINK_BROKEN)
            };
            let known = (&*catalogue, &*shared.calls, shared.tasks.get().map(|tasks| &**tasks));
            let reply = handle_beside(known, control, frame.exchange, message);
            or_end(control.finish(frame.exchange, &reply, true));
        }
        _ => {
            eprintln!("lapidary-worker: a frame of kind {} on the control socket", frame.kind);
            sandbox::exit_at_once(exit::LINK_BROKEN)
        }
    }
}

/// The value, or the end of the process: a gem without its link has nobody to live for.
pub(crate) fn or_end<T>(outcome: Result<T, LinkError>) -> T {
    outcome.unwrap_or_else(|error| match error {
        // The router is gone, or has given this gem up.
        LinkError::Socket(_) => sandbox::exit_at_once(exit::ENDED),
        LinkError::Frame(_) => {
            eprintln!("lapidary-worker: {error}");
            sandbox::exit_at_once(exit::LINK_BROKEN)
        }
    })
}
