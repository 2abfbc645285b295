//! Why a stone cannot serve, in words for the person who starts it.
//!
//! Each says what is wrong and what to do; nothing here decides.

use super::config::Config;
use crate::engine::EngineError;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a stone cannot serve.
#[derive(Debug, Error)]
pub enum ServeError {
    /// Another stone has the repository.
    #[error("{} is being served by another stone ({owner}): connect to that one, or stop it first", repository.display())]
    Served {
        /// Which.
        repository: PathBuf,
        /// The process that has it.
        owner: String,
    },
    /// Another process answers on the socket.
    #[error("{}: another process answers on this socket: give another path", .0.display())]
    SocketTaken(PathBuf),
    /// Something else stands where the socket should be.
    #[error("{}: this is no socket of this user, so it is left alone: give another path, or remove it", .0.display())]
    NotASocket(PathBuf),
    /// Others can reach into the folder.
    #[error("{}: this folder must belong to you alone: chmod 700 it, or give another", .0.display())]
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
    pub(crate) fn file(path: &Path, error: io::Error) -> Self {
        Self::File { path: path.to_owned(), error }
    }

    pub(crate) fn repository(config: &Config) -> impl Fn(EngineError) -> Self + '_ {
        |error| Self::Repository { repository: config.repository.clone(), reason: error.to_string() }
    }
}
