//! What a gem is to be: everything that can be wrong with it is found here, and becomes the error of `initialize`.

use crate::image_store::{StoneState, StoneStore, record};
use crate::ledger::Ledger;
use crate::registry::{Choice, Registry, Selection};
use protocol::gem::{Failed, Prepare};
use smalltalk::{Image, SessionFacts, VmLimits};
use std::time::{Duration, Instant};
use stone::client::{Connection, StoneError};

/// Longest name of a worker class.
const CLASS_NAME_BYTES_MAX: usize = 128;
/// Time to look a worker class up.
const LOOK_UP: Duration = Duration::from_secs(5);

/// A gem that can serve.
pub(crate) struct Prepared<'r> {
    /// What it serves.
    pub(crate) selection: Selection<'r>,
    /// What it and its store tell each other.
    pub(crate) stone: StoneState,
    /// What the session has read.
    pub(crate) ledger: Ledger,
    /// Whether tools that change something commit it.
    pub(crate) autocommit: bool,
}

/// Chooses the tools, takes the stone's welcome, attaches the image to it.
pub(crate) fn prepare<'r>(
    wanted: &Prepare,
    registry: &'r Registry,
    image: &mut Image,
    mut connection: Connection,
) -> Result<Prepared<'r>, Failed> {
    let choice = Choice { toolsets: &wanted.toolsets, advertised: &wanted.advertised, read_only: wanted.read_only };
    let selection = registry.select(&choice).map_err(|error| failed("unknownToolset", error))?;
    image.set_limits(VmLimits { heap_bytes: wanted.limits.heap_bytes, stack_bytes: wanted.limits.stack_bytes });
    let welcome = connection.read_welcome().map_err(stone_failed)?;
    let session = SessionFacts { user: wanted.user.clone(), session: welcome.session, stone: welcome.name };
    let stone = StoneState::default();
    let store = Box::new(StoneStore::new(connection, stone.clone()));
    let overlays = welcome.overlays.into_iter().map(record).collect();
    image
        .attach(store, session, overlays, welcome.identities, welcome.view)
        .map_err(|error| failed("imageFailed", error))?;
    if let Some(name) = &wanted.worker_class {
        find_class(image, name)?;
    }
    let ledger = Ledger::new(image.view());
    Ok(Prepared { selection, stone, ledger, autocommit: wanted.autocommit })
}

fn failed(kind: &str, message: impl ToString) -> Failed {
    Failed { kind: kind.to_owned(), message: message.to_string() }
}

fn stone_failed(error: StoneError) -> Failed {
    match error {
        StoneError::Lost => failed("stoneLost", "The stone closed this session's connection: try again in a moment"),
        StoneError::Refused { kind, message } => failed(&kind, message),
    }
}

/// The worker class must be a class in the image, as this session's user sees it.
fn find_class(image: &mut Image, name: &str) -> Result<(), Failed> {
    let is_name = name.len() <= CLASS_NAME_BYTES_MAX
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    if !is_name {
        let message = "The worker class must be named by an identifier of at most 128 letters, digits and underscores";
        return Err(failed("unknownWorkerClass", message));
    }
    match image.execute(&format!("{name} isBehavior"), Instant::now() + LOOK_UP) {
        Ok(answer) if answer == "true" => Ok(()),
        Ok(_) => Err(failed("unknownWorkerClass", format!("The worker class {name} is in the image, but no class"))),
        Err(_) => Err(failed(
            "unknownWorkerClass",
            format!("The worker class {name} is not in the image: commit it first, or start without a worker class"),
        )),
    }
}
