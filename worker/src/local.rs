//! Work from the command line: an image of its own on the user's stone, without a router and without walls, since
//! the user who types the command has every right already.
//!
//! It starts a stone if none runs; that leaves by itself when no process is connected to it any more.

use crate::image_store::{StoneState, StoneStore, record};
use protocol::limits::{CALL_SECONDS_DEFAULT, GEM_HEAP_BYTES_MAX, GEM_STACK_BYTES_MAX, OPEN_MILLIS};
use protocol::paths::{Environment, PathError, StonePaths, stone_paths};
use protocol::stone::{Hello, IMAGE_FORMAT, STOPPING};
use sandbox::spawn::{Command, Stdio};
use smalltalk::{BootError, Commit, ExecutionError, Image, SessionFacts, VmLimits};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};
use stone::client::{Connection, StoneError, Welcome};
use thiserror::Error;

/// Between two attempts to connect to a stone that is starting: it says nowhere that it listens but by listening.
const ATTEMPT_PAUSE: Duration = Duration::from_millis(20);

/// At which stone, and as whom, a command works.
#[derive(Debug)]
pub(crate) struct LocalOptions {
    pub(crate) stone: StoneAccess,
    pub(crate) user: String,
}

/// Why the work was not done.
#[derive(Debug, Error)]
pub(crate) enum LocalError {
    /// The kernel is broken.
    #[error(transparent)]
    Boot(#[from] BootError),
    /// There is no stone and none can be started.
    #[error("no stone answers at {}: {why}", .socket.display())]
    NoStone {
        /// Where it should answer.
        socket: PathBuf,
        /// What went wrong.
        why: String,
    },
    /// The stone refused.
    #[error("the stone refused: {0}")]
    Stone(#[from] StoneError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] smalltalk::store::StoreError),
    /// A file cannot be read.
    #[error("{}: {source}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Something did not file in.
    #[error("{0}\nnothing was committed")]
    FileIn(String),
    /// Others have changed the same.
    #[error("the commit conflicts: {0}; nothing was committed")]
    Conflict(String),
    /// The code failed.
    #[error("{}", told(.0))]
    Execution(ExecutionError),
}

fn told(error: &ExecutionError) -> String {
    let frames = error.frames.iter().map(|frame| format!("\n  {frame}"));
    format!("{}: {}{}", error.class, error.message, frames.collect::<String>())
}

/// Runs code; answers the `printString` of its value.
pub(crate) fn evaluate(options: &LocalOptions, code: &str) -> Result<String, LocalError> {
    let mut image = open(options, "lapidary-worker eval")?;
    image.execute(code, deadline()).map_err(LocalError::Execution)
}

/// Files in and commits; answers what came in, in words.
pub(crate) fn file_in(options: &LocalOptions, paths: &[PathBuf]) -> Result<String, LocalError> {
    let mut image = open(options, "lapidary-worker filein")?;
    let (mut methods, mut do_its, mut failures) = (0, 0, Vec::new());
    for path in paths {
        let text = read(path)?;
        let mut other = |path: &str| read(Path::new(path)).map_err(|error| error.to_string());
        let outcome = image.file_in_with(&text, &path.to_string_lossy(), deadline(), &mut other);
        let done = outcome.unwrap_or_else(|errors| {
            failures.push(errors.to_string());
            errors.done
        });
        methods += done.methods;
        do_its += done.do_its;
    }
    if !failures.is_empty() {
        return Err(LocalError::FileIn(failures.join("\n")));
    }
    match image.commit()? {
        Commit::Committed => Ok(format!("{methods} methods and {do_its} do-its filed in and committed")),
        Commit::Conflict(names) => Err(LocalError::Conflict(names.join(", "))),
    }
}

fn deadline() -> Instant {
    Instant::now() + Duration::from_secs(CALL_SECONDS_DEFAULT)
}

fn read(path: &Path) -> Result<String, LocalError> {
    fs::read_to_string(path).map_err(|source| LocalError::File { path: path.to_owned(), source })
}

/// An image attached to the user's stone at the newest commit.
fn open(options: &LocalOptions, client: &str) -> Result<Image, LocalError> {
    let mut image = Image::boot()?;
    image.freeze()?;
    image.set_limits(VmLimits { heap_bytes: GEM_HEAP_BYTES_MAX, stack_bytes: GEM_STACK_BYTES_MAX });
    let user = options.user.clone();
    let hello =
        Hello::Session { format: IMAGE_FORMAT, user: user.clone(), client: client.to_owned(), read_only: false };
    let (connection, welcome) = greet(&options.stone, &hello)?;
    let session = SessionFacts { user, session: welcome.session, stone: welcome.name };
    let store = Box::new(StoneStore::new(connection, StoneState::default()));
    let overlays = welcome.overlays.into_iter().map(record).collect();
    image.attach(store, session, overlays, welcome.identities, welcome.view)?;
    Ok(image)
}

/// Where the stone is, and which program serves it if none answers.
#[derive(Debug, Clone)]
pub(crate) struct StoneAccess {
    pub(crate) paths: StonePaths,
    /// The one beside this program if nothing is said.
    program: Option<PathBuf>,
}

impl StoneAccess {
    /// By the stone's name or path.
    pub(crate) fn new(stone: &OsStr, program: Option<PathBuf>) -> Result<Self, PathError> {
        let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
        let [home, data, state, runtime] = ["HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"].map(variable);
        let current = env::current_dir().ok();
        let paths = stone_paths(&Environment {
            stone: Some(stone),
            home: home.as_deref(),
            data_home: data.as_deref(),
            state_home: state.as_deref(),
            runtime_dir: runtime.as_deref(),
            current_folder: current.as_deref(),
        })?;
        Ok(Self { paths, program })
    }
}

/// A connection on which the stone has welcomed this hello. One that is leaving refuses, and is waited out.
pub(crate) fn greet(stone: &StoneAccess, hello: &Hello) -> Result<(Connection, Welcome), LocalError> {
    let end = Instant::now() + Duration::from_millis(OPEN_MILLIS);
    loop {
        let mut connection = connect(stone)?;
        match connection.hello(hello).and_then(|()| connection.read_welcome()) {
            Ok(welcome) => return Ok((connection, welcome)),
            Err(error) if is_leaving(&error) && Instant::now() < end => thread::sleep(ATTEMPT_PAUSE),
            Err(error) => return Err(error.into()),
        }
    }
}

fn is_leaving(error: &StoneError) -> bool {
    match error {
        StoneError::Lost => true,
        StoneError::Refused { kind, .. } => kind == STOPPING,
    }
}

/// Connects to the stone, starting it first if none answers.
pub(crate) fn connect(stone: &StoneAccess) -> Result<Connection, LocalError> {
    let paths = &stone.paths;
    if let Ok(connection) = Connection::connect(&paths.socket) {
        return Ok(connection);
    }
    let missing = |why: String| LocalError::NoStone { socket: paths.socket.clone(), why };
    start_stone(stone).map_err(|error| missing(format!("lapidary-stone cannot be started: {error}")))?;
    let end = Instant::now() + Duration::from_millis(OPEN_MILLIS);
    loop {
        match Connection::connect(&paths.socket) {
            Ok(connection) => return Ok(connection),
            Err(error) if Instant::now() >= end => return Err(missing(error.to_string())),
            Err(_) => thread::sleep(ATTEMPT_PAUSE),
        }
    }
}

/// Starts the stone that lies beside this program, in a session of its own: it serves others when this one has gone.
fn start_stone(StoneAccess { paths, program }: &StoneAccess) -> io::Result<()> {
    let binary = match program {
        Some(program) => program.clone(),
        None => env::current_exe()?.with_file_name("lapidary-stone"),
    };
    Command::new(&binary)
        .arg("--path")
        .arg(&paths.repository)
        .arg("--socket")
        .arg(&paths.socket)
        .arg("--name")
        .arg(&paths.name)
        .stderr(Stdio::Null)
        .new_session()
        .spawn()?;
    Ok(())
}
