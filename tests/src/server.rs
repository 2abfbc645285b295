//! A server of the product with folders of its own, from start to proof that nothing of it is left.
//!
//! A [`Home`] holds repository, state and sockets; a [`Server`] is one router over it, with the stone, zygote and
//! gems that the router starts. A home outlives its servers, so a test can restart everything.

use crate::binaries;
use crate::processes::{Process, children, descendants, naming, still_alive_after};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::net::SocketAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long a start or a stop may take on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// The folders of one or more servers.
#[derive(Debug)]
pub struct Home {
    folder: TempDir,
}

/// How to start a server.
#[derive(Debug, Clone, Default)]
pub struct Config {
    environment: Vec<(String, String)>,
    home: Option<Rc<Home>>,
}

/// One running router and what it started.
#[derive(Debug)]
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    home: Rc<Home>,
    router: Child,
    seen: BTreeSet<Process>,
}

impl Home {
    /// Fresh folders, gone when the last user of them is.
    pub fn new() -> Rc<Self> {
        let folder = tempfile::Builder::new().prefix("lapidary-").tempdir().expect("a temporary folder");
        for part in ["data", "state", "run"] {
            fs::DirBuilder::new().mode(0o700).create(folder.path().join(part)).expect("a folder");
        }
        Rc::new(Self { folder })
    }

    /// The folder around all of it.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The environment that makes every process of the product stay in this home.
    pub fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        let at = |part: &str| self.path().join(part);
        vec![
            ("HOME", self.path().to_owned()),
            ("XDG_DATA_HOME", at("data")),
            ("XDG_STATE_HOME", at("state")),
            ("XDG_RUNTIME_DIR", at("run")),
        ]
    }

    /// The log of the servers that ran here.
    pub fn log(&self) -> String {
        fs::read_to_string(self.path().join("router.log")).unwrap_or_default()
    }

    /// The stone that serves this home's repository, if one runs.
    pub fn stone(&self) -> Option<Process> {
        naming(self.path()).into_iter().find(|process| process.runs("lapidary-stone"))
    }
}

impl Config {
    /// The defaults of the product in a fresh home.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a variable of the product, such as `GS_MCP_CALL_SECONDS`.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Uses the folders of a server that runs or ran before.
    #[must_use]
    pub fn at(mut self, home: &Rc<Home>) -> Self {
        self.home = Some(Rc::clone(home));
        self
    }
}

impl Server {
    /// Starts a router on a free port and waits until it serves.
    pub fn start(config: Config) -> Self {
        let home = config.home.unwrap_or_else(Home::new);
        let folder = tempfile::tempdir_in(home.path()).expect("a folder for the ready file").keep();
        let ready_file = folder.join("ready");
        let watch = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).expect("inotify");
        inotify::add_watch(&watch, &folder, WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO).expect("a watch");
        let log = File::options().create(true).append(true).open(home.path().join("router.log")).expect("a log");
        let mut command = Command::new(binaries::find("lapidary-router"));
        command.args(["--port", "0", "--ready-file"]).arg(&ready_file);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GS_")) {
            command.env_remove(name);
        }
        command.envs(home.environment()).envs(config.environment);
        command.stdin(Stdio::null()).stdout(log.try_clone().expect("a log")).stderr(log);
        let mut router = command.spawn().expect("the router starts");
        let address = wait_for_address(&ready_file, &watch, &mut router, &home);
        Self { address, home, router, seen: BTreeSet::new() }
    }

    /// The default server.
    pub fn start_default() -> Self {
        Self::start(Config::new())
    }

    /// Its folders.
    pub fn home(&self) -> &Rc<Home> {
        &self.home
    }

    /// The URL that a client is given.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, crate::client::PATH)
    }

    /// The router.
    pub fn router(&self) -> Process {
        Process::of(self.router.id()).expect("the router lives")
    }

    /// All that lives of this server: router, zygote, gems and stone.
    pub fn processes(&mut self) -> BTreeSet<Process> {
        let mut all: BTreeSet<Process> = descendants(self.router.id()).into_iter().collect();
        all.extend(Process::of(self.router.id()));
        all.extend(self.home.stone());
        self.seen.extend(&all);
        all
    }

    /// The zygote; waits for it, since a router serves before its zygote runs.
    pub fn zygote(&self) -> Process {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(zygote) = self.running_zygote() {
                return zygote;
            }
            assert!(Instant::now() < end, "no zygote below the router\n{}", self.home.log());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The gems of this server, as long as its zygote lives.
    pub fn gems(&self) -> BTreeSet<Process> {
        self.running_zygote().map_or_else(BTreeSet::new, |zygote| descendants(zygote.pid).into_iter().collect())
    }

    /// The worker that is a child of the router itself; gems are children of their zygote.
    fn running_zygote(&self) -> Option<Process> {
        children(self.router.id()).into_iter().find(|process| process.runs("lapidary-worker"))
    }

    /// The gem that `open` starts, found as the one that was not there before.
    pub fn gem_of<T>(&self, open: impl FnOnce() -> T) -> (T, Process) {
        let before = self.gems();
        let opened = open();
        let fresh: Vec<Process> = self.gems().difference(&before).copied().collect();
        assert_eq!(fresh.len(), 1, "one session starts one gem");
        (opened, fresh[0])
    }

    /// Stops it with SIGTERM, waits for every process of it, and answers how the router ended.
    ///
    /// # Panics
    /// If anything is left.
    pub fn stop(mut self) -> ExitStatus {
        let status = self.end(Signal::TERM);
        let left = still_alive_after(&self.seen, PATIENCE);
        assert!(left.is_empty(), "left behind: {}\n{}", described(&left), self.home.log());
        status
    }

    /// Kills the router with SIGKILL; answers what lived of the server just before.
    pub fn kill_router(&mut self) -> BTreeSet<Process> {
        let all = self.processes();
        self.router.kill().expect("a signal");
        self.router.wait().expect("the router ends");
        all
    }

    fn end(&mut self, signal: Signal) -> ExitStatus {
        self.processes();
        if let Some(router) = Process::of(self.router.id()) {
            router.signal(signal);
            if !router.wait_for_end(PATIENCE) {
                router.kill();
            }
        }
        self.router.wait().expect("the router ends")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.router.try_wait().is_ok_and(|ended| ended.is_none()) {
            self.end(Signal::TERM);
        }
        // Another router over the same home keeps the stone; what that one leaves is found when it goes.
        let own = |process: &&Process| Rc::strong_count(&self.home) == 1 || !process.runs("lapidary-stone");
        let seen: BTreeSet<Process> = self.seen.iter().filter(own).copied().collect();
        let left = still_alive_after(&seen, PATIENCE);
        left.iter().for_each(|process| process.kill());
        if std::thread::panicking() {
            eprintln!("--- the server's log ---\n{}", self.home.log());
        } else {
            assert!(left.is_empty(), "left behind: {}\n{}", described(&left), self.home.log());
        }
    }
}

/// Processes for a message.
pub fn described(processes: &[Process]) -> String {
    let one = |process: &Process| format!("{} {:?}", process.pid, process.arguments());
    processes.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn wait_for_address(file: &Path, watch: &impl std::os::fd::AsFd, router: &mut Child, home: &Home) -> SocketAddr {
    let pid = Pid::from_raw(router.id() as i32).expect("an id over 0");
    let ended = pidfd_open(pid, PidfdFlags::empty()).expect("a handle of the router");
    let limit = Timespec { tv_sec: PATIENCE.as_secs() as i64, tv_nsec: 0 };
    loop {
        if let Some(address) = fs::read_to_string(file).ok().and_then(|text| address_in(&text)) {
            return address;
        }
        let mut waits = [PollFd::new(watch, PollFlags::IN), PollFd::new(&ended, PollFlags::IN)];
        let ready = poll(&mut waits, Some(&limit)).expect("poll");
        let has_ended = !waits[1].revents().is_empty();
        if ready == 0 || has_ended {
            let _ = router.kill();
            let status = router.wait().expect("the router ends");
            panic!("the router does not serve ({status}):\n{}", home.log());
        }
        let mut buffer = [std::mem::MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(watch, &mut buffer);
        while events.next().is_ok() {}
    }
}

/// The address in a URL such as `http://127.0.0.1:8000/mcp`.
fn address_in(text: &str) -> Option<SocketAddr> {
    let rest = text.trim().strip_prefix("http://")?;
    rest.split('/').next()?.parse().ok()
}
