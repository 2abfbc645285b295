//! The watch thread: answers at once what must not wait for a call, and ends the gem when one of its peers is gone,
//! whatever the machine is doing.

use crate::calls::Cancel;
use crate::dispatcher::handle_control_message;
use crate::link::{Link, LinkError};
use crate::shared_state::{STONE_GONE, SharedState};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use protocol::frame::Frame;
use protocol::gem::{ClientMessage, down, exit};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Room for this thread: it parses envelopes and builds lists, and recurses nowhere.
pub(crate) const STACK_BYTES: usize = 128 * 1024;

/// Longest time between two checks whether the running call is to become a task, where one may.
const TASK_CHECK: Duration = Duration::from_secs(1);

/// Watches for the whole life of the gem; never returns.
pub(crate) fn watch(mut control: Link, shared: &SharedState) {
    let mut stone = shared.stone.get();
    loop {
        while let Some(frame) = or_exit(control.next_buffered()) {
            handle(&mut control, shared, &frame);
        }
        if let Some(tasks) = shared.tasks.get() {
            or_exit(tasks.convert_what_is_due());
        }
        let (control_ready, stone_gone) = wait(&control, shared, stone);
        if stone_gone {
            if shared.serving.load(Ordering::SeqCst) {
                sandbox::exit_at_once(exit::STONE_LOST);
            }
            stone = None;
        }
        if control_ready && !or_exit(control.fill()) {
            sandbox::exit_at_once(exit::ENDED);
        }
    }
}

/// Waits until there is something to read, a call may be due to become a task, or the stone is gone.
fn wait(control: &Link, shared: &SharedState, stone: Option<&OwnedFd>) -> (bool, bool) {
    let mut watched = vec![PollFd::new(control.as_fd(), PollFlags::POLLIN)];
    watched.extend(stone.map(|stone| PollFd::new(stone.as_fd(), STONE_GONE)));
    // Before the gem hears a client it is not known whether there will be tasks; they are set first.
    let may_have_tasks = shared.discovery().is_none() || shared.tasks.get().is_some();
    let timeout = if may_have_tasks {
        let due = shared.tasks.get().and_then(|tasks| tasks.due());
        let due = due.map(|due| due.saturating_duration_since(Instant::now()));
        // One that is due but could not become a task just now is looked at again in a moment.
        let wait = due.map_or(TASK_CHECK, |due| due.clamp(Duration::from_millis(1), TASK_CHECK));
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

fn handle(control: &mut Link, shared: &SharedState, frame: &Frame) {
    match frame.kind {
        down::CANCEL => shared.calls.cancel(Cancel::Exchange(frame.exchange)),
        down::SHUTDOWN => sandbox::exit_at_once(exit::ENDED),
        down::MESSAGE => {
            let (message, _headers) = or_exit(ClientMessage::decode(&frame.body).map_err(LinkError::from));
            let Some(discovery) = shared.discovery() else {
                eprintln!("lapidary-worker: a message on the control socket before the gem was ready");
                sandbox::exit_at_once(exit::LINK_BROKEN)
            };
            let known = (&*discovery, &*shared.calls, shared.tasks.get().map(|tasks| &**tasks));
            let reply = handle_control_message(known, control, frame.exchange, message);
            or_exit(control.finish(frame.exchange, reply.status, &reply.body, true));
        }
        _ => {
            eprintln!("lapidary-worker: a frame of kind {} on the control socket", frame.kind);
            sandbox::exit_at_once(exit::LINK_BROKEN)
        }
    }
}

/// The value, or the end of the process: a gem without its link serves no client.
pub(crate) fn or_exit<T>(outcome: Result<T, LinkError>) -> T {
    outcome.unwrap_or_else(|error| match error {
        // The router is gone, or has given this gem up.
        LinkError::Socket(_) => sandbox::exit_at_once(exit::ENDED),
        LinkError::Frame(_) => {
            eprintln!("lapidary-worker: {error}");
            sandbox::exit_at_once(exit::LINK_BROKEN)
        }
    })
}
