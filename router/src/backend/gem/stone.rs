//! The stone: found or started, held by a lifeline, and started again when it dies.
//!
//! The router opens connections and says for whom they are; what is spoken on them is the gems' affair. It never opens
//! the repository. The stone outlives a router that is not its last, so it is started apart, with a log of its own.

use protocol::frame::{self, Decoder};
use protocol::limits::{
    OPEN_MILLIS, RESTART_MILLIS_MAX, RESTART_MILLIS_MIN, STONE_FRAME_BYTES_MAX, STONE_START_MILLIS,
};
use protocol::paths::StonePaths;
use protocol::stone::{Answer, HELLO, Hello, IMAGE_FORMAT, STOPPING};
use sandbox::spawn::{Command, Stdio};
use std::fs::{DirBuilder, File};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep, timeout};

/// There is no stone to work with.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum StoneError {
    /// It cannot be started, or refuses this router.
    #[error("the stone is not available: {0}")]
    Down(String),
    /// It is being started for too long.
    #[error("the stone is still starting; try again in a few seconds")]
    Starting,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Starting,
    Up,
    Down(String),
}

/// What is needed to start a stone.
#[derive(Debug)]
pub(crate) struct StoneSetup {
    /// Its program.
    pub(crate) program: PathBuf,
    /// Where it is.
    pub(crate) paths: StonePaths,
    /// The folder for its log.
    pub(crate) log_folder: Option<PathBuf>,
}

/// The stone of this router.
#[derive(Debug)]
pub(crate) struct Stone {
    setup: StoneSetup,
    state: watch::Sender<State>,
}

impl Stone {
    /// Begins to hold the stone.
    pub(crate) fn start(setup: StoneSetup) -> Arc<Self> {
        let (state, _) = watch::channel(State::Starting);
        let stone = Arc::new(Self { setup, state });
        tokio::spawn(stone.clone().hold());
        stone
    }

    /// A connection on which a gem can speak, as this hello says; waits for a stone that is starting.
    pub(crate) async fn connect(&self, hello: &Hello) -> Result<std::os::unix::net::UnixStream, StoneError> {
        self.wait_until_up().await?;
        let connected = async {
            let stream = self.greet(hello).await?.into_std()?;
            // The gem blocks on it, and the flag belongs to the open socket, not to the descriptor.
            stream.set_nonblocking(false)?;
            Ok(stream)
        };
        connected.await.map_err(|error: io::Error| StoneError::Down(error.to_string()))
    }

    async fn wait_until_up(&self) -> Result<(), StoneError> {
        if *self.state.borrow() == State::Up {
            return Ok(());
        }
        let mut state = self.state.subscribe();
        let known =
            timeout(Duration::from_millis(OPEN_MILLIS), state.wait_for(|state| *state != State::Starting)).await;
        match known {
            Ok(Ok(state)) => match &*state {
                State::Down(reason) => Err(StoneError::Down(reason.clone())),
                State::Up | State::Starting => Ok(()),
            },
            Ok(Err(_)) | Err(_) => Err(StoneError::Starting),
        }
    }

    /// Connects and says hello, without waiting for the answer.
    async fn greet(&self, hello: &Hello) -> io::Result<UnixStream> {
        let mut stream = UnixStream::connect(&self.setup.paths.socket).await?;
        let mut bytes = Vec::new();
        frame::encode(&mut bytes, HELLO, 0, &hello.encode());
        stream.write_all(&bytes).await?;
        Ok(stream)
    }

    /// Keeps a stone up for as long as the router runs.
    async fn hold(self: Arc<Self>) {
        let mut pause = RESTART_MILLIS_MIN;
        loop {
            match self.lifeline().await {
                Ok(stream) => {
                    pause = RESTART_MILLIS_MIN;
                    tracing::info!(stone = self.setup.paths.name, "stone is up");
                    self.state.send_replace(State::Up);
                    let reason = until_it_ends(stream).await;
                    self.state.send_replace(State::Starting);
                    tracing::warn!(stone = self.setup.paths.name, reason, "stone is gone; starting it again");
                }
                Err(reason) => {
                    tracing::error!(stone = self.setup.paths.name, reason, "no stone");
                    self.state.send_replace(State::Down(reason));
                    sleep(Duration::from_millis(pause)).await;
                    pause = (pause * 2).min(RESTART_MILLIS_MAX);
                }
            }
        }
    }

    /// A lifeline to the stone that runs, or to one that is started for it.
    async fn lifeline(&self) -> Result<UnixStream, String> {
        if let Some(stream) = self.reach().await? {
            return Ok(stream);
        }
        let mut ended = self.spawn().map_err(|error| {
            format!(
                "cannot start {} for {}: {error}",
                self.setup.program.display(),
                self.setup.paths.repository.display()
            )
        })?;
        let deadline = Instant::now() + Duration::from_millis(STONE_START_MILLIS);
        let mut status = None;
        loop {
            if let Some(stream) = self.reach().await? {
                return Ok(stream);
            }
            if let Some(status) = status {
                return Err(format!("it ended at once with exit status {status}; {}", self.where_its_log_is()));
            }
            if Instant::now() >= deadline {
                return Err(format!("it did not get ready in {STONE_START_MILLIS} ms; {}", self.where_its_log_is()));
            }
            // One that another router started may hold the repository: then ours ends, and theirs answers.
            if let Ok(known) = timeout(Duration::from_millis(5), &mut ended).await {
                status = Some(known.unwrap_or(-1));
            }
        }
    }

    /// A lifeline to the stone that runs. None if nobody is there, or one that is leaving: it lets its repository go
    /// to the next, which waits for it.
    async fn reach(&self) -> Result<Option<UnixStream>, String> {
        let Ok(stream) = self.greet(&Hello::Lifeline { format: IMAGE_FORMAT }).await else { return Ok(None) };
        match welcome(stream).await {
            Ok(stream) => Ok(Some(stream)),
            Err(NoWelcome::Leaving) => Ok(None),
            Err(NoWelcome::Because(reason)) => Err(reason),
        }
    }

    /// Starts a stone; answers its exit status when it ends.
    fn spawn(&self) -> io::Result<oneshot::Receiver<i32>> {
        let log = self.open_log()?;
        let output = || log.as_ref().map_or(Stdio::Inherit, |file| Stdio::Descriptor(file.as_fd()));
        let child = Command::new(&self.setup.program)
            .arg("--path")
            .arg(&self.setup.paths.repository)
            .arg("--socket")
            .arg(&self.setup.paths.socket)
            .stdout(output())
            .stderr(output())
            .new_session()
            .spawn()?;
        tracing::info!(pid = child.pid, repository = %self.setup.paths.repository.display(), "stone started");
        let (sender, receiver) = oneshot::channel();
        std::thread::Builder::new().name("stone-reaper".into()).spawn(move || {
            let status = child.pidfd.wait().unwrap_or(-1);
            if sender.send(status).is_err() {
                // Nobody listens once the stone was reached.
                tracing::debug!(status, "a stone that this router started has ended");
            }
        })?;
        Ok(receiver)
    }

    fn log_file(&self) -> Option<PathBuf> {
        Some(self.setup.log_folder.as_ref()?.join(format!("{}.stone.log", self.setup.paths.name)))
    }

    fn open_log(&self) -> io::Result<Option<File>> {
        let Some(path) = self.log_file() else { return Ok(None) };
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        File::options().create(true).append(true).open(path).map(Some)
    }

    fn where_its_log_is(&self) -> String {
        match self.log_file() {
            Some(path) => format!("its log is {}", path.display()),
            None => "it logs where this router does".into(),
        }
    }
}

/// Why a stone that was there did not welcome this router.
enum NoWelcome {
    /// It is leaving.
    Leaving,
    /// Something that will not pass.
    Because(String),
}

/// Waits for the answer to a lifeline's hello.
async fn welcome(mut stream: UnixStream) -> Result<UnixStream, NoWelcome> {
    let because = |error: &dyn std::error::Error| NoWelcome::Because(error.to_string());
    let mut decoder = Decoder::new(STONE_FRAME_BYTES_MAX);
    let answer = timeout(Duration::from_millis(STONE_START_MILLIS), async {
        loop {
            if let Some(frame) = decoder.next_frame().map_err(|error| because(&error))? {
                return Answer::decode(frame.kind, &frame.body).map_err(|error| because(&error));
            }
            match stream.read(decoder.space()).await {
                Ok(0) => return Err(NoWelcome::Leaving),
                Ok(count) => decoder.advance(count),
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Err(NoWelcome::Leaving),
                Err(error) => return Err(because(&error)),
            }
        }
    });
    match answer.await {
        Ok(Ok(Answer::Welcome { .. })) => Ok(stream),
        Ok(Ok(Answer::Refused { kind, .. })) if kind == STOPPING => Err(NoWelcome::Leaving),
        Ok(Ok(Answer::Refused { message, .. })) => Err(NoWelcome::Because(message)),
        Ok(Ok(_)) => {
            Err(NoWelcome::Because("it does not speak this router's language: use programs of one build".into()))
        }
        Ok(Err(reason)) => Err(reason),
        Err(_) => Err(NoWelcome::Because("it does not answer".into())),
    }
}

/// A stone says nothing on a lifeline after its welcome: any event on it is the end.
async fn until_it_ends(mut stream: UnixStream) -> String {
    let mut byte = [0];
    match stream.read(&mut byte).await {
        Ok(0) => "it closed the lifeline".into(),
        Ok(_) => "it said something unexpected".into(),
        Err(error) => error.to_string(),
    }
}
