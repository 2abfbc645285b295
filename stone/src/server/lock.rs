//! The lock that makes one stone the only one on a repository.
//!
//! The operating system drops it with its owner, however that ends; what the file says must only
//! ever be used for messages.

use super::error::ServeError;
use nix::fcntl::{Flock, FlockArg};
use protocol::limits::stone as limits;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The file in the repository's folder.
const FILE_NAME: &str = "lock";
/// How long to wait for an owner that no longer answers: it is leaving, and its last checkpoint takes a moment.
const LEAVING_WAIT: Duration = Duration::from_millis(limits::LOCK_MILLIS);
/// Between two tries.
const RETRY: Duration = Duration::from_millis(limits::LOCK_RETRY_MILLIS);

/// The repository belongs to this process while this value lives.
#[derive(Debug)]
pub(crate) struct RepositoryLock {
    _file: Flock<File>,
}

impl RepositoryLock {
    /// Takes the lock, and notes in it this process and its socket.
    pub(crate) fn take(repository: &Path, socket: &Path) -> Result<Self, ServeError> {
        let path = repository.join(FILE_NAME);
        let until = Instant::now() + LEAVING_WAIT;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = options.open(&path).map_err(|error| ServeError::file(&path, error))?;
        loop {
            match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
                Ok(mut lock) => {
                    note(&mut lock, socket).map_err(|error| ServeError::file(&path, error))?;
                    return Ok(Self { _file: lock });
                }
                Err((held, nix::errno::Errno::EWOULDBLOCK)) => file = held,
                Err((_, errno)) => return Err(ServeError::file(&path, errno.into())),
            }
            let owner = Owner::read(&mut file);
            if owner.answers() || Instant::now() > until {
                return Err(ServeError::Served { repository: repository.to_owned(), owner: owner.description() });
            }
            // There is no event to wait for: a blocking lock knows no deadline.
            sleep(RETRY);
        }
    }
}

fn note(file: &mut File, socket: &Path) -> std::io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(format!("{}\n", std::process::id()).as_bytes())?;
    file.write_all(socket.as_os_str().as_bytes())
}

/// What the file says about the process that holds the lock.
struct Owner {
    pid: String,
    socket: PathBuf,
}

impl Owner {
    fn read(file: &mut File) -> Self {
        let mut text = Vec::new();
        let read =
            file.seek(SeekFrom::Start(0)).and_then(|_| file.take(limits::LOCK_NOTE_BYTES_MAX).read_to_end(&mut text));
        let text = if read.is_ok() { text } else { Vec::new() };
        let mut lines = text.splitn(2, |byte| *byte == b'\n');
        let pid = String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
        let socket = PathBuf::from(std::ffi::OsStr::from_bytes(lines.next().unwrap_or_default()));
        Self { pid, socket }
    }

    fn answers(&self) -> bool {
        UnixStream::connect(&self.socket).is_ok()
    }

    fn description(&self) -> String {
        format!("process {} on {}", self.pid, self.socket.display())
    }
}
