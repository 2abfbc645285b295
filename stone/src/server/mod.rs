//! The stone as a process: opens the repository, serves its socket, leaves when nobody is left.
//!
//! Read in this order: [`run`] here, then `session`, `committer`, `fault`. Knows no engine beyond the trait, speaks
//! to no client of the product, and panics at nothing that a peer or a file can do.

mod budget;
mod checkpoints;
mod committer;
mod fault;
mod identities;
mod life;
mod listen;
mod lock;
mod published;
mod readers;
mod refusal;
mod session;

use crate::engine::{self, Engine, EngineError};
use budget::Budget;
use committer::{Committer, CommitterHandle, Shared};
use identities::Identities;
use life::Life;
use listen::{Door, private_folder};
use lock::RepositoryLock;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use published::Published;
use readers::Readers;
use refusal::Refusal;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, JoinHandle};
use thiserror::Error;

/// What to serve, and where.
#[derive(Debug, Clone)]
pub struct Config {
    /// The folder of the repository; it is made if it is not there.
    pub repository: PathBuf,
    /// The Unix socket to serve.
    pub socket: PathBuf,
    /// What a new repository is called; one that exists keeps its name.
    pub name: String,
}

/// Why a stone cannot serve.
#[derive(Debug, Error)]
pub enum ServeError {
    /// Another stone has the repository.
    #[error("{} is being served by another stone ({owner}): connect to that one, or stop it first", repository.display())]
    Served {
        /// Which.
        repository: PathBuf,
        /// Who has it.
        owner: String,
    },
    /// Another process answers on the socket.
    #[error("{}: another process answers on this socket: give another path", .0.display())]
    SocketTaken(PathBuf),
    /// Something else stands where the socket should be.
    #[error("{}: this is no socket of this user, so it is left alone: give another path, or remove it", .0.display())]
    NotASocket(PathBuf),
    /// Others can reach into the folder.
    #[error("{}: this folder must belong to you and to nobody else: chmod 700 it, or give another", .0.display())]
    NotPrivate(PathBuf),
    /// A file or folder cannot be used.
    #[error("{}: {error}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The repository cannot be opened.
    #[error("the repository {} does not open: {reason}", repository.display())]
    Repository {
        /// Which.
        repository: PathBuf,
        /// Why.
        reason: String,
    },
    /// The operating system refused something else.
    #[error("{0}")]
    System(io::Error),
}

impl ServeError {
    fn file(path: &Path, error: io::Error) -> Self {
        Self::File { path: path.to_owned(), error }
    }

    fn repository(config: &Config) -> impl Fn(EngineError) -> Self + '_ {
        |error| Self::Repository { repository: config.repository.clone(), reason: error.to_string() }
    }
}

/// What all connections share.
pub(crate) struct Stone {
    name: String,
    published: Arc<Published>,
    format: Arc<OnceLock<u32>>,
    identities: Identities,
    readers: Readers,
    committer: CommitterHandle,
    budget: Budget,
    life: Life,
}

impl Stone {
    /// An empty repository takes the format of the first to come; it is stored with the first commit.
    fn check_format(&self, offered: u32) -> Result<(), Refusal> {
        let held = *self.format.get_or_init(|| offered);
        if held == offered { Ok(()) } else { Err(refusal::format(held, offered)) }
    }
}

/// Serves a repository until its last connection has gone, nobody came, or a signal says to stop.
///
/// To be called from the main thread before any other is started: it blocks the signals that it waits for.
pub fn run(config: &Config) -> Result<(), ServeError> {
    let signals = block_signals()?;
    raise_descriptor_limit();
    private_folder(&config.repository)?;
    let lock = RepositoryLock::take(&config.repository, &config.socket)?;
    let engine = engine::open(&config.repository, &config.name).map_err(ServeError::repository(config))?;
    let (stone, workers) = start(engine.as_ref(), config)?;
    let door = Arc::new(Door::open(&config.socket)?);
    let accepting = spawn("accept", {
        let (door, stone) = (Arc::clone(&door), Arc::clone(&stone));
        move || door.serve(&stone)
    })?;
    spawn("signals", {
        let stone = Arc::clone(&stone);
        move || wait_for_signal(&signals, &stone)
    })?;
    let (view, pid) = (stone.published.view(), std::process::id());
    let (repository, socket) = (config.repository.display(), config.socket.display());
    tracing::info!(name = stone.name, %repository, %socket, pid, view, "serving");
    let reason = stone.life.wait();
    leave(&stone, &door, accepting, workers);
    drop(lock);
    tracing::info!(name = stone.name, reason = reason.words(), view = stone.published.view(), "left");
    Ok(())
}

/// The threads that must end before the process may.
struct Workers {
    committer: JoinHandle<()>,
    checkpointer: JoinHandle<()>,
}

fn start(engine: &dyn Engine, config: &Config) -> Result<(Arc<Stone>, Workers), ServeError> {
    let failed = ServeError::repository(config);
    let facts = engine.facts();
    let readers = Readers::open(engine).map_err(&failed)?;
    let kernel = readers
        .read(|reader| Ok(reader.kernel_objects()?))
        .map_err(|refusal| ServeError::Repository { repository: config.repository.clone(), reason: refusal.message })?;
    let mut writer = engine.writer().map_err(&failed)?;
    let next = facts.next_oid;
    // Done here, so that the first session does not wait for it. Without room for it, reading is still possible.
    let mark = next + identities::STEP;
    let durable = match committer::raise(writer.as_mut(), mark) {
        Ok(()) => mark,
        Err(EngineError::Full(reason)) => {
            tracing::warn!(reason, "no room to grow");
            next
        }
        Err(error) => return Err(failed(error)),
    };
    let published = Arc::new(Published::new(facts.newest, kernel));
    let format: Arc<OnceLock<u32>> = Arc::new(facts.format.map(OnceLock::from).unwrap_or_default());
    let gate = Arc::new(Mutex::new(()));
    let failure = Arc::new(OnceLock::new());
    let (check_point_due, due) = sync_channel(1);
    let shared = Shared {
        published: Arc::clone(&published),
        format: Arc::clone(&format),
        gate: Arc::clone(&gate),
        failure: Arc::clone(&failure),
        check_point_due,
    };
    let (committer, handle) = Committer::new(writer, shared, facts.format.is_some());
    let committer = spawn("committer", move || committer.run())?;
    let checkpointer = engine.checkpointer().map_err(&failed)?;
    let checkpointer = spawn("checkpoints", move || checkpoints::run(checkpointer, due, gate, failure))?;
    let stone = Stone {
        name: facts.name.clone(),
        published,
        format,
        identities: Identities::new(next, durable),
        readers,
        committer: handle,
        budget: Budget::new(),
        life: Life::new(),
    };
    Ok((Arc::new(stone), Workers { committer, checkpointer }))
}

/// In this order: whoever comes from now on finds no socket and starts another stone, which waits for the lock.
fn leave(stone: &Stone, door: &Door, accepting: JoinHandle<()>, workers: Workers) {
    door.remove();
    door.close();
    let _ = accepting.join();
    door.turn_away();
    stone.committer.stop();
    let _ = workers.committer.join();
    stone.life.wait_for_answers();
    let _ = workers.checkpointer.join();
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, ServeError> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map_err(ServeError::System)
}

/// The signals that ask to stop wait for the thread that takes them; one about the size of files must not kill: the
/// write that it is about fails, and that is answered.
fn block_signals() -> Result<SigSet, ServeError> {
    let stop = SigSet::from_iter([Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP]);
    let mut blocked = stop;
    blocked.add(Signal::SIGXFSZ);
    blocked.thread_block().map_err(|errno| ServeError::System(errno.into()))?;
    Ok(stop)
}

fn wait_for_signal(signals: &SigSet, stone: &Stone) {
    if let Ok(signal) = signals.wait() {
        tracing::info!(%signal, "stopping");
        stone.life.stop();
    }
}

/// A connection is a descriptor, and the usual soft limit is below what the gems of a few routers need.
fn raise_descriptor_limit() {
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let wanted = hard.min(life::CONNECTIONS_MAX as u64 + 64);
        if soft < wanted
            && let Err(error) = setrlimit(Resource::RLIMIT_NOFILE, wanted, hard)
        {
            tracing::warn!(%error, "the limit on descriptors could not be raised");
        }
    }
}
