//! The zygote: started, watched and replaced by one thread that never ends.
//!
//! The kernel ties a child's parent-death signal to the *thread* that started it, so every zygote is started by this
//! one. Fork requests do not pass through the thread (a packet is sent whole or not at all, from anywhere); reports do.
//! A zygote that dies takes no session with it, and one that cannot start is not tried again before somebody asks.

use crate::backend::gem::process::{End, Process};
use crate::lock;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use protocol::gem::SandboxPolicy;
use protocol::limits::{BOOT_MILLIS, RESTART_MILLIS_MAX, RESTART_MILLIS_MIN};
use protocol::zygote::{PACKET_BYTES_MAX, Report, Request};
use sandbox::packet::{Packet, PacketSocket};
use sandbox::pidfd::{Pidfd, Signal};
use sandbox::spawn::{Child, Command, Stdio};
use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use thiserror::Error;
use tokio::sync::watch;

const SHORTEST: Duration = Duration::from_millis(RESTART_MILLIS_MIN);
const LONGEST: Duration = Duration::from_millis(RESTART_MILLIS_MAX);

/// No gem can be forked now.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum ZygoteError {
    /// It cannot be started, or did not get ready.
    #[error("{0}")]
    Down(String),
    /// It is being started for too long.
    #[error("the worker is still starting; try again in a few seconds")]
    Starting,
}

#[derive(Debug, Clone)]
enum State {
    Starting,
    Up(Arc<Link>),
    Down { reason: String, retry_at: Instant },
}

/// The link to a zygote that has booted.
#[derive(Debug)]
pub(crate) struct Link {
    socket: PacketSocket,
    /// The gems that it was asked to fork and whose end it has not reported.
    gems: Mutex<HashMap<u64, Arc<Process>>>,
}

impl Link {
    /// Asks for a gem over these three descriptors. What becomes of it is told to the gem.
    pub(crate) fn fork(&self, gem: &Arc<Process>, descriptors: [BorrowedFd<'_>; 3]) -> io::Result<()> {
        lock(&self.gems).insert(gem.number, gem.clone());
        let sent = self.socket.send(&Request::Fork { gem: gem.number }.encode(), &descriptors);
        if sent.is_err() {
            lock(&self.gems).remove(&gem.number);
        }
        sent
    }

    fn handle(&self, packet: Packet) -> Result<(), String> {
        let report = Report::decode(&packet.bytes).map_err(|error| error.to_string())?;
        let known = |number: u64| lock(&self.gems).get(&number).cloned();
        match report {
            Report::Forked { gem, pid } => {
                let pidfd = packet.descriptors.into_iter().next().ok_or("a gem came without its descriptor")?;
                if let Some(gem) = known(gem) {
                    gem.forked(pid, Pidfd::from(pidfd));
                }
            }
            Report::Refused { gem, errno } => self.over(gem, End::NotForked(errno)),
            Report::Ended { gem, status } => self.over(gem, End::Status(status)),
            Report::Booted { .. } => return Err("it booted twice".into()),
        }
        Ok(())
    }

    fn over(&self, number: u64, end: End) {
        let gem = lock(&self.gems).remove(&number);
        if let Some(gem) = gem {
            gem.ended(end);
        }
    }

    /// Waits for a packet; `None` when `deadline` has passed.
    fn receive(&self, deadline: Option<Instant>) -> io::Result<Option<Packet>> {
        loop {
            let timeout = match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
                None => PollTimeout::NONE,
                Some(Duration::ZERO) => return Ok(None),
                Some(rest) => PollTimeout::try_from(rest.as_millis() as i32 + 1).unwrap_or(PollTimeout::MAX),
            };
            match poll(&mut [PollFd::new(self.socket.as_fd(), PollFlags::POLLIN)], timeout) {
                Ok(0) | Err(nix::Error::EINTR) => continue,
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            match self.socket.receive(PACKET_BYTES_MAX) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                received => return received.map(Some),
            }
        }
    }
}

/// All zygotes of this router, one after the other.
#[derive(Debug)]
pub(crate) struct Zygotes {
    state: watch::Sender<State>,
    /// Whether somebody asked for one that is down.
    asked: Mutex<bool>,
    wake: Condvar,
    program: PathBuf,
    sandbox: SandboxPolicy,
}

impl Zygotes {
    /// Starts the thread, and the first zygote with it.
    pub(crate) fn start(program: PathBuf, sandbox: SandboxPolicy) -> io::Result<Arc<Self>> {
        let (state, _) = watch::channel(State::Starting);
        let zygotes = Arc::new(Self { state, asked: Mutex::new(false), wake: Condvar::new(), program, sandbox });
        let own = zygotes.clone();
        std::thread::Builder::new().name("spawner".into()).spawn(move || own.supervise())?;
        Ok(zygotes)
    }

    /// A link to a zygote that is up; waits for one that is starting.
    pub(crate) async fn link(&self) -> Result<Arc<Link>, ZygoteError> {
        if let State::Up(link) = &*self.state.borrow() {
            return Ok(link.clone());
        }
        tokio::time::timeout(Duration::from_millis(BOOT_MILLIS), self.wait())
            .await
            .unwrap_or(Err(ZygoteError::Starting))
    }

    /// A link to a zygote that is up and not this one, which was found dead.
    pub(crate) async fn link_after(&self, dead: &Arc<Link>) -> Result<Arc<Link>, ZygoteError> {
        let mut state = self.state.subscribe();
        let noticed = state.wait_for(|state| !matches!(state, State::Up(link) if Arc::ptr_eq(link, dead)));
        let patience = Duration::from_millis(BOOT_MILLIS);
        if !tokio::time::timeout(patience, noticed).await.is_ok_and(|noticed| noticed.is_ok()) {
            return Err(ZygoteError::Starting);
        }
        self.link().await
    }

    async fn wait(&self) -> Result<Arc<Link>, ZygoteError> {
        let mut state = self.state.subscribe();
        self.ask()?;
        loop {
            match &*state.borrow_and_update() {
                State::Up(link) => return Ok(link.clone()),
                State::Down { reason, .. } => return Err(ZygoteError::Down(reason.clone())),
                State::Starting => {}
            }
            if state.changed().await.is_err() {
                return Err(ZygoteError::Starting);
            }
        }
    }

    /// Has one that is down tried again, unless that was just done.
    fn ask(&self) -> Result<(), ZygoteError> {
        let mut refusal = None;
        let asked = self.state.send_if_modified(|state| match state {
            State::Down { reason, retry_at } if Instant::now() < *retry_at => {
                refusal = Some(ZygoteError::Down(reason.clone()));
                false
            }
            State::Down { .. } => {
                *state = State::Starting;
                true
            }
            _ => false,
        });
        if asked {
            *lock(&self.asked) = true;
            self.wake.notify_all();
        }
        refusal.map_or(Ok(()), Err)
    }

    /// The thread's life.
    fn supervise(&self) {
        let mut pause = SHORTEST;
        loop {
            match self.serve_one() {
                Served::Booted(lived) => {
                    std::thread::sleep(pause);
                    let stable = lived > Duration::from_millis(RESTART_MILLIS_MAX);
                    pause = if stable { SHORTEST } else { (pause * 2).min(LONGEST) };
                }
                Served::Never(reason) => {
                    tracing::error!(program = %self.program.display(), reason, "no gem can be started");
                    *lock(&self.asked) = false;
                    self.state.send_replace(State::Down { reason, retry_at: Instant::now() + pause });
                    pause = (pause * 2).min(LONGEST);
                    let mut asked = lock(&self.asked);
                    while !*asked {
                        asked = self.wake.wait(asked).unwrap_or_else(std::sync::PoisonError::into_inner);
                    }
                }
            }
        }
    }

    /// One zygote from its start to its end.
    fn serve_one(&self) -> Served {
        let (link, child) = match start(&self.program, self.sandbox) {
            Ok(started) => started,
            Err(error) => return Served::Never(format!("cannot start {}: {error}", self.program.display())),
        };
        let began = Instant::now();
        if let Err(reason) = await_boot(&link) {
            let status = end(&child);
            return Served::Never(format!("{} {reason}{status}", self.program.display()));
        }
        tracing::info!(pid = child.pid, milliseconds = began.elapsed().as_millis() as u64, "zygote booted");
        let (link, booted) = (Arc::new(link), Instant::now());
        self.state.send_replace(State::Up(link.clone()));
        let reason = attend(&link);
        self.state.send_replace(State::Starting);
        let status = end(&child);
        tracing::warn!(pid = child.pid, reason, status, "zygote ended; starting another");
        for (_, gem) in lock(&link.gems).drain() {
            gem.ended(End::Unknown);
        }
        Served::Booted(booted.elapsed())
    }
}

enum Served {
    /// It served for this long.
    Booted(Duration),
    /// It never got ready, for this reason.
    Never(String),
}

fn start(program: &Path, sandbox: SandboxPolicy) -> io::Result<(Link, Child)> {
    let (own, its) = PacketSocket::pair()?;
    own.set_nonblocking(true)?;
    let its = OwnedFd::from(its);
    let child = Command::new(program)
        .arg("zygote")
        .arg(format!("--sandbox={}", sandbox.name()))
        .stdin(Stdio::Descriptor(its.as_fd()))
        .stdout(Stdio::Inherit)
        .stderr(Stdio::Inherit)
        .new_session()
        .parent_death_signal(Signal::SIGKILL)
        .spawn()?;
    Ok((Link { socket: own, gems: Mutex::new(HashMap::new()) }, child))
}

/// Waits for the first report, which must be of the same version as this program.
fn await_boot(link: &Link) -> Result<(), String> {
    let deadline = Instant::now() + Duration::from_millis(BOOT_MILLIS);
    let packet = match link.receive(Some(deadline)) {
        Ok(Some(packet)) if packet.is_end() => return Err("ended before it was ready".into()),
        Ok(Some(packet)) => packet,
        Ok(None) => return Err(format!("did not get ready in {} seconds", BOOT_MILLIS / 1000)),
        Err(error) => return Err(format!("cannot be heard: {error}")),
    };
    let own = env!("CARGO_PKG_VERSION");
    match Report::decode(&packet.bytes) {
        Ok(Report::Booted { version }) if version == own => Ok(()),
        Ok(Report::Booted { version }) => {
            Err(format!("is version {version:?}, but this router is {own}: use programs of one build"))
        }
        Ok(_) | Err(_) => Err("does not speak this router's language: use programs of one build".into()),
    }
}

/// Takes reports until the zygote is gone or makes no sense; says which.
fn attend(link: &Link) -> String {
    loop {
        match link.receive(None) {
            Ok(Some(packet)) if packet.is_end() => return "it is gone".into(),
            Ok(Some(packet)) => {
                if let Err(reason) = link.handle(packet) {
                    return reason;
                }
            }
            Ok(None) => {}
            Err(error) => return error.to_string(),
        }
    }
}

/// Makes sure that the process has ended, and says how.
fn end(child: &Child) -> String {
    // What closed its socket by exiting is given a moment to be reaped with its own status.
    let patience = Instant::now() + Duration::from_millis(RESTART_MILLIS_MIN);
    while Instant::now() < patience {
        if let Ok(Some(status)) = child.pidfd.try_wait() {
            return format!(" (exit status {status})");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    if let Err(error) = child.pidfd.kill(Signal::SIGKILL) {
        return format!(" (it cannot be killed: {error})");
    }
    match child.pidfd.wait() {
        Ok(status) => format!(" (exit status {status})"),
        Err(error) => format!(" (it cannot be waited for: {error})"),
    }
}
