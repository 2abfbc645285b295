//! The process of a gem as the router knows it: a number of our own, a descriptor to end it by, and how it ended.
//!
//! Facts arrive from the spawner's thread; whoever holds a gem may end it at any time, before they arrive too.

use protocol::gem::exit;
use sandbox::pidfd::{Pidfd, Signal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};
use tokio::sync::watch;

/// How a gem's process came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It was never forked; the system's error number.
    NotForked(i32),
    /// Exit code, or 128 and the signal's number.
    Status(i32),
    /// Its zygote was gone and could not tell.
    Unknown,
}

impl End {
    /// Whether it ended because its stone did.
    pub(crate) fn is_stone_lost(self) -> bool {
        self == End::Status(exit::STONE_LOST)
    }
}

/// One gem's process.
#[derive(Debug)]
pub(crate) struct Process {
    /// The router's own number for it.
    pub(crate) number: u64,
    process: OnceLock<(u32, Pidfd)>,
    doomed: AtomicBool,
    end: watch::Sender<Option<End>>,
    kill: Mutex<()>,
}

impl Process {
    pub(crate) fn new(number: u64) -> Self {
        let (end, _) = watch::channel(None);
        Self { number, process: OnceLock::new(), doomed: AtomicBool::new(false), end, kill: Mutex::new(()) }
    }

    /// The zygote forked it.
    pub(crate) fn forked(&self, pid: u32, pidfd: Pidfd) {
        let _guard = crate::lock(&self.kill);
        if self.process.set((pid, pidfd)).is_ok() && self.doomed.load(Ordering::Relaxed) {
            self.signal();
        }
    }

    /// It ended, or never began.
    pub(crate) fn ended(&self, end: End) {
        self.end.send_if_modified(|known| {
            let first = known.is_none();
            known.get_or_insert(end);
            first
        });
    }

    /// Ends the process at once; if it is being forked just now, as soon as it exists.
    pub(crate) fn kill(&self) {
        let _guard = crate::lock(&self.kill);
        self.doomed.store(true, Ordering::Relaxed);
        self.signal();
    }

    fn signal(&self) {
        if let Some((pid, pidfd)) = self.process.get()
            && let Err(error) = pidfd.kill(Signal::SIGKILL)
        {
            tracing::error!(gem = self.number, pid, %error, "a gem cannot be killed");
        }
    }

    /// Its process id, for logs.
    pub(crate) fn pid(&self) -> u32 {
        self.process.get().map_or(0, |(pid, _)| *pid)
    }

    /// Waits for its end.
    pub(crate) async fn end(&self) -> End {
        let mut end = self.end.subscribe();
        match end.wait_for(Option::is_some).await {
            Ok(known) => known.unwrap_or(End::Unknown),
            Err(_) => End::Unknown,
        }
    }
}
