//! The router: owns the port, the sessions and the processes behind them, and never runs a tool.
//!
//! A request is admitted by its head (`admit`), routed by its envelope (`route`) and forwarded, byte for byte, to
//! the gem of its session (`session`); a session is opened by `open` over a `zygote` and a `stone`. It never
//! opens the repository and never parses what a gem says.

#![forbid(unsafe_code)]

mod admit;
mod alone;
mod body;
pub mod config;
mod cors;
mod endpoint;
mod era;
mod events;
mod front;
mod gem;
mod guard;
mod hangup;
mod keys;
mod listen;
mod listeners;
mod loss;
mod observe;
mod open;
mod origin;
mod pool;
#[cfg(test)]
mod properties;
mod refusal;
mod route;
mod session;
mod spelling;
mod stall;
mod stone;
mod stop;
mod table;
mod zygote;

use config::Config;
use front::{Front, Stage};
use listen::Connections;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use observe::Log;
use open::Opener;
use protocol::paths::PathError;
use session::{Clocks, Surroundings};
use spelling::Spelling;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stone::{Stone, StoneSetup};
use stop::Signals;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::watch;
use zygote::Zygotes;

/// The router cannot start.
#[derive(Debug, Error)]
pub enum StartError {
    /// Somebody listens there.
    #[error("port {0} on 127.0.0.1 is taken: stop what listens there, or choose another with --port or GS_MCP_PORT")]
    PortTaken(u16),
    /// The port cannot be opened for another reason.
    #[error("port {port} on 127.0.0.1 cannot be opened: {source}")]
    Port {
        /// The port.
        port: u16,
        /// What the system says.
        source: io::Error,
    },
    /// The stone has no place.
    #[error(transparent)]
    Paths(#[from] PathError),
    /// The file that tells the URL cannot be written.
    #[error("{path} cannot be written: {source}")]
    ReadyFile {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The system refuses what every program needs.
    #[error("the system refuses to let it start: {0}")]
    System(#[from] io::Error),
}

/// Serves until a signal stops it.
pub fn run(config: Config) -> Result<(), StartError> {
    let log = Log::start(config.log, config.log_format)?;
    raise_file_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_name("router").build()?;
    let outcome = runtime.block_on(serve(config, log.clone()));
    runtime.shutdown_background();
    log.flush();
    outcome
}

async fn serve(config: Config, log: Log) -> Result<(), StartError> {
    let mut signals = Signals::new()?;
    let setup =
        StoneSetup { program: config.stone_program(), paths: config.stone_paths()?, log_folder: config.state_folder() };
    // Before anything is started: a second router on the port must disturb nobody.
    let listener = listen::bind(config.port).await.map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => StartError::PortTaken(config.port),
        _ => StartError::Port { port: config.port, source },
    })?;
    let zygotes = Zygotes::start(config.worker_program(), config.sandbox)?;
    let stone = Stone::start(setup);
    let around = Arc::new(Surroundings::new(config.max_gems as usize));
    let opener = Arc::new(Opener::new(&config, stone, zygotes, around.clone())?);
    let clocks =
        Clocks { call: Duration::from_secs(config.call_seconds), idle: Duration::from_secs(config.idle_seconds) };
    tokio::spawn({
        let around = around.clone();
        async move { around.table.reap(clocks).await }
    });
    let stage = watch::channel(Stage::Open).0;
    let keep_alive = Duration::from_secs(config.keep_alive_seconds);
    let spelling = Spelling::learn().await;
    let front = Arc::new(Front { origins: config.allowed_origins.0, around, opener, keep_alive, spelling, stage });
    announce(&listener, config.ready_file.as_deref())?;
    let connections = Arc::new(Connections::new(config.max_connections as usize));
    let accepting = tokio::spawn({
        let (connections, front) = (connections.clone(), front.clone());
        async move { connections.accept(listener, front).await }
    });
    signals.stop().await;
    tracing::info!("told to stop: letting what is under way end");
    tokio::spawn(stop::watch_for_impatience(signals, log));
    stop::drain(&front, &connections).await;
    accepting.abort();
    Ok(())
}

/// Says where the router listens, in the log and in the file that somebody may wait for.
fn announce(listener: &TcpListener, file: Option<&Path>) -> Result<(), StartError> {
    let url = format!("http://{}/mcp", listener.local_addr()?);
    if let Some(path) = file {
        // Renamed into its place, so that whoever finds the file finds all of it.
        let draft = path.with_extension("draft");
        let written = std::fs::write(&draft, format!("{url}\n")).and_then(|()| std::fs::rename(&draft, path));
        written.map_err(|source| StartError::ReadyFile { path: path.to_owned(), source })?;
    }
    tracing::info!(url, pid = std::process::id(), version = env!("CARGO_PKG_VERSION"), "listening");
    Ok(())
}

/// Every session takes descriptors; the usual soft limit is far below what the hard one allows.
fn raise_file_limit() {
    let raised =
        getrlimit(Resource::RLIMIT_NOFILE).and_then(|(_, hard)| setrlimit(Resource::RLIMIT_NOFILE, hard, hard));
    if let Err(error) = raised {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
}

/// Takes a lock. A thread that panicked with it has left the value whole: no lock here is held over a call that can
/// fail half way.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
