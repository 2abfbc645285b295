//! The router: owns the clients' connections, the sessions and the processes behind them, and never runs a tool.
//!
//! Three layers, of which each knows only the one below: a `transport` turns bytes into messages, the `core` decides
//! what each message is and to whose session it belongs, a `backend` forwards it, byte for byte, to a process. It never
//! opens the repository and never parses what a gem says.

#![forbid(unsafe_code)]

mod backend;
pub mod config;
mod core;
mod observe;
mod origin;
#[cfg(test)]
mod properties;
mod refusal;
mod stop;
mod transport;

use crate::core::open::Opener;
use crate::core::session::Clocks;
use crate::core::shared::{Core, Shared};
use backend::gem::Gems;
use backend::gem::stone::{Stone, StoneSetup};
use backend::gem::zygote::Zygotes;
use config::{Config, TransportKind};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use observe::Log;
use protocol::paths::PathError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use stop::Signals;
use thiserror::Error;
use transport::Transport;
use transport::http::{Http, HttpSettings};
use transport::stdio::Stdio;

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
    let signals = Signals::new()?;
    match config.transport {
        TransportKind::Http => {
            // Before anything is started: a second router on the port must disturb nobody.
            let http = bind(&config).await?;
            let core = start(&config)?;
            announce(&http.url()?, config.ready_file.as_deref())?;
            serve_over(http, core, signals, log).await
        }
        TransportKind::Stdio => {
            let core = start(&config)?;
            serve_over(Stdio::start()?, core, signals, log).await
        }
    }
    Ok(())
}

async fn bind(config: &Config) -> Result<Http, StartError> {
    let settings = HttpSettings {
        port: config.port,
        origins: config.allowed_origins.0.clone(),
        connections_max: config.max_connections as usize,
        keep_alive: Duration::from_secs(config.keep_alive_seconds),
    };
    Http::bind(settings).await.map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => StartError::PortTaken(config.port),
        _ => StartError::Port { port: config.port, source },
    })
}

/// Starts what all transports serve from: the stone, the zygote, the core and its reaper.
fn start(config: &Config) -> Result<Arc<Core>, StartError> {
    let setup =
        StoneSetup { program: config.stone_program(), paths: config.stone_paths()?, log_folder: config.state_folder() };
    let zygotes = Zygotes::start(config.worker_program(), config.sandbox)?;
    let gems = Arc::new(Gems::new(Stone::start(setup), zygotes));
    let shared = Arc::new(Shared::new(config.max_gems as usize));
    let opener = Arc::new(Opener::new(config, gems, shared.clone())?);
    let clocks =
        Clocks { call: Duration::from_secs(config.call_seconds), idle: Duration::from_secs(config.idle_seconds) };
    tokio::spawn({
        let shared = shared.clone();
        async move { shared.table.reap(clocks).await }
    });
    Ok(Arc::new(Core::new(shared, opener)))
}

/// Serves until a signal says to stop, or until no client can come any more.
async fn serve_over(mut transport: impl Transport, core: Arc<Core>, mut signals: Signals, log: Log) {
    tokio::select! {
        () = signals.stop() => tracing::info!("told to stop: letting what is under way end"),
        () = transport.serve(core.clone()) => {}
    }
    tokio::spawn(stop::watch_for_impatience(signals, log));
    stop::drain(&core, &mut transport).await;
}

/// Says where the router listens, in the log and in the file that somebody may wait for.
fn announce(url: &str, file: Option<&Path>) -> Result<(), StartError> {
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
