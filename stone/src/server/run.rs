//! Serves one repository from start to end: opens it, starts the threads, waits, stops them in order.
//!
//! Must never serve a connection itself, and must never let go of the repository before its threads have ended.

use super::budget::RequestMemory;
use super::checkpoints;
use super::commit_queue;
use super::committer::{self, Committer, CommitterState};
use super::config::Config;
use super::error::ServeError;
use super::lifetime::Lifetime;
use super::listen::{Listener, private_folder};
use super::lock::RepositoryLock;
use super::oid_allocator::OidAllocator;
use super::published::PublishedCommits;
use super::reader_pool::ReaderPool;
use super::stone::Stone;
use crate::engine::{self, Engine, EngineError};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use protocol::limits::stone as limits;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, JoinHandle};

/// Serves a repository until its last connection has gone, none came, or a signal says to stop.
///
/// To be called from the main thread before any other is started: it blocks the signals that it waits for.
pub fn run(config: &Config) -> Result<(), ServeError> {
    let signals = block_signals()?;
    raise_descriptor_limit();
    private_folder(&config.repository)?;
    let lock = RepositoryLock::take(&config.repository, &config.socket)?;
    let engine = engine::open(&config.repository, &config.name).map_err(ServeError::repository(config))?;
    let (stone, workers) = start(engine.as_ref(), config)?;
    let listener = Arc::new(Listener::open(&config.socket)?);
    let accepting = spawn("accept", {
        let (listener, stone) = (Arc::clone(&listener), Arc::clone(&stone));
        move || listener.serve(&stone)
    })?;
    spawn("signals", {
        let stone = Arc::clone(&stone);
        move || wait_for_signal(&signals, &stone)
    })?;
    let (view, pid) = (stone.published.view(), std::process::id());
    let (repository, socket) = (config.repository.display(), config.socket.display());
    tracing::info!(name = stone.name, %repository, %socket, pid, view, "serving");
    let reason = stone.lifetime.wait();
    leave(&stone, &listener, accepting, workers);
    drop(lock);
    tracing::info!(name = stone.name, reason = reason.text(), view = stone.published.view(), "left");
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
    let readers = ReaderPool::open(engine).map_err(&failed)?;
    let kernel = readers
        .read(|reader| Ok(reader.kernel_objects()?))
        .map_err(|refusal| ServeError::Repository { repository: config.repository.clone(), reason: refusal.message })?;
    let mut writer = engine.writer().map_err(&failed)?;
    let next = facts.next_oid;
    // Done here, so that the first session does not wait for it. Without room for it, reading is still possible.
    let mark = next + limits::OIDS_AHEAD;
    let durable = match committer::raise(writer.as_mut(), mark) {
        Ok(()) => mark,
        Err(EngineError::Full(reason)) => {
            tracing::warn!(reason, "no room to grow");
            next
        }
        Err(error) => return Err(failed(error)),
    };
    let published = Arc::new(PublishedCommits::new(facts.newest, kernel));
    let format: Arc<OnceLock<u32>> = Arc::new(facts.format.map(OnceLock::from).unwrap_or_default());
    let batch_lock = Arc::new(Mutex::new(()));
    let failure = Arc::new(OnceLock::new());
    let (checkpoint_due, due) = sync_channel(1);
    let shared = CommitterState {
        published: Arc::clone(&published),
        format: Arc::clone(&format),
        batch_lock: Arc::clone(&batch_lock),
        failure: Arc::clone(&failure),
        checkpoint_due,
    };
    let (handle, jobs) = commit_queue::open();
    let committer = Committer::new(writer, shared, jobs, facts.format.is_some());
    let committer = spawn("committer", move || committer.run())?;
    let checkpointer = engine.checkpointer().map_err(&failed)?;
    let checkpointer = spawn("checkpoints", move || checkpoints::run(checkpointer, due, batch_lock, failure))?;
    let stone = Stone {
        name: facts.name.clone(),
        published,
        format,
        oids: OidAllocator::new(next, durable),
        readers,
        committer: handle,
        budget: RequestMemory::new(),
        lifetime: Lifetime::new(),
    };
    Ok((Arc::new(stone), Workers { committer, checkpointer }))
}

/// In this order: a router that connects from now on finds no socket and starts another stone, which waits for the
/// lock.
fn leave(stone: &Stone, listener: &Listener, accepting: JoinHandle<()>, workers: Workers) {
    listener.remove();
    listener.close();
    let _ = accepting.join();
    listener.refuse_waiting();
    stone.committer.stop();
    let _ = workers.committer.join();
    stone.lifetime.wait_for_answers();
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
        stone.lifetime.stop();
    }
}

/// A connection is a descriptor, and the usual soft limit is below what the gems of a few routers need.
fn raise_descriptor_limit() {
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let wanted = hard.min((limits::CONNECTIONS_MAX + limits::DESCRIPTORS_BESIDE_CONNECTIONS) as u64);
        if soft < wanted
            && let Err(error) = setrlimit(Resource::RLIMIT_NOFILE, wanted, hard)
        {
            tracing::warn!(%error, "the limit on descriptors could not be raised");
        }
    }
}
