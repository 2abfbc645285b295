//! What a gem is to be: everything that can be wrong with it is found here, and becomes the error of `initialize`.
//!
//! It reads no message of a client.

use crate::discovery::ServerInfo;
use crate::image_store::{StoneState, StoneStore, record};
use crate::read_log::ReadLog;
use crate::registry::{Choice, DEFAULT, Registry, Selection};
use crate::toolsets::image::{self, IMAGE, Identity, ImageChoice, LoadFailure};
use protocol::gem::{Bind, Failed, Prepare};
use serde_json::json;
use smalltalk::store::StoreError;
use smalltalk::{Image, SessionFacts, VmLimits};
use stone::client::{Connection, StoneError};

/// A gem that can serve.
pub(crate) struct Prepared<'r> {
    /// What it serves.
    pub(crate) selection: Selection<'r>,
    /// Which toolsets of the image are among it; none if it has nothing to do with the image.
    pub(crate) image_choice: Option<ImageChoice>,
    /// What it says of itself.
    pub(crate) server_info: ServerInfo,
    /// What it and its store tell each other.
    pub(crate) stone: StoneState,
    /// What the session has read.
    pub(crate) read_log: ReadLog,
    /// Whether tools that change something commit it.
    pub(crate) autocommit: bool,
}

/// Takes the stone's welcome, attaches the image to it, chooses the tools.
pub(crate) fn prepare<'r>(
    wanted: &Prepare,
    registry: &'r Registry,
    image: &mut Image,
    mut connection: Connection,
) -> Result<Prepared<'r>, Failed> {
    image.set_limits(VmLimits { heap_bytes: wanted.limits.heap_bytes, stack_bytes: wanted.limits.stack_bytes });
    let welcome = connection.read_welcome().map_err(stone_failed)?;
    let session = SessionFacts { user: wanted.user.clone(), session: welcome.session, stone: welcome.name };
    let stone = StoneState::default();
    let store = Box::new(StoneStore::new(connection, stone.clone()));
    let overlays = welcome.overlays.into_iter().map(record).collect();
    image
        .attach(store, session, overlays, welcome.identities, welcome.view)
        .map_err(|error| failed("imageFailed", error))?;
    let Chosen { selection, image_choice, server_info } = choose(wanted, registry, image)?;
    let read_log = ReadLog::new(image.view());
    Ok(Prepared { selection, image_choice, server_info, stone, read_log, autocommit: wanted.autocommit })
}

/// What is served, and what the gem says of itself.
struct Chosen<'r> {
    selection: Selection<'r>,
    image_choice: Option<ImageChoice>,
    server_info: ServerInfo,
}

fn choose<'r>(wanted: &Prepare, registry: &'r Registry, image: &mut Image) -> Result<Chosen<'r>, Failed> {
    let (identity, names) = open_image_server(wanted, registry, image)?;
    let (selection, image_choice) = select(wanted, &names, registry, image)?;
    Ok(Chosen { selection, image_choice, server_info: ServerInfo::new(wanted, identity) })
}

/// Binds a gem that was forked ahead to whom it works for, and takes the newest view. Where what is served depends on
/// the image, and it was asked in the name of another user, it is asked again.
pub(crate) fn bind<'r>(
    prepared: &mut Prepared<'r>,
    wanted: &mut Prepare,
    bind: &Bind<'_>,
    registry: &'r Registry,
    image: &mut Image,
) -> Result<BindOutcome, Failed> {
    prepared.stone.bind_as_view_moves(bind.grant);
    image.refresh().map_err(|error| match error {
        StoreError::Lost => stone_failed(StoneError::Lost),
        StoreError::Refused { kind, message } => failed(&kind, message),
    })?;
    prepared.read_log = ReadLog::new(image.view());
    let is_other = wanted.user != bind.user;
    bind.user.clone_into(&mut wanted.user);
    bind.principal.clone_into(&mut wanted.principal);
    wanted.principal_key = Some(bind.principal_key.to_owned());
    wanted.bound = true;
    image.set_user(bind.user);
    if !(is_other && depends_on_image(wanted, registry)) {
        return Ok(BindOutcome::Unchanged);
    }
    let Chosen { selection, image_choice, server_info } = choose(wanted, registry, image)?;
    (prepared.selection, prepared.image_choice, prepared.server_info) = (selection, image_choice, server_info);
    Ok(BindOutcome::Reselected)
}

/// Whether what is served was chosen again when a gem was bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BindOutcome {
    /// It is as it was.
    Unchanged,
    /// It was.
    Reselected,
}

/// Whether what is served depends on the image at all.
fn depends_on_image(wanted: &Prepare, registry: &Registry) -> bool {
    wanted.worker_class.is_some() || !wanted.toolsets.iter().all(|name| registry.knows(name))
}

/// Asks the image for the server's identity and toolsets; a session that needs nothing of the image asks nothing.
fn open_image_server(
    wanted: &Prepare,
    registry: &Registry,
    image: &mut Image,
) -> Result<(Option<Identity>, Vec<String>), Failed> {
    let class = wanted.worker_class.as_deref();
    if !depends_on_image(wanted, registry) {
        return Ok((None, wanted.toolsets.clone()));
    }
    let mut toolsets = wanted.toolsets.clone();
    if toolsets.is_empty() {
        toolsets.push(DEFAULT.to_owned());
    }
    let settings = json!({
        "toolsets": toolsets,
        "readOnly": wanted.read_only,
        "name": wanted.server_name,
        "version": wanted.server_version,
        "title": wanted.title,
    });
    let opened = image::open_server(image, class, &settings).map_err(|refusal| match (refusal.kind, class) {
        ("notFound", _) | (_, None) => failed("unknownWorkerClass", refusal.text),
        (_, Some(class)) => failed(
            "workerClassFailed",
            format!("The worker class {class} fails: {}. Mend it, or start without a worker class.", refusal.text),
        ),
    })?;
    let names = opened.toolsets.clone();
    Ok((Some(opened), names))
}

/// What is served, of the worker and of the image.
fn select<'r>(
    wanted: &Prepare,
    names: &[String],
    registry: &'r Registry,
    image: &mut Image,
) -> Result<(Selection<'r>, Option<ImageChoice>), Failed> {
    let mut of_image: Vec<String> = names.iter().filter(|name| !registry.knows(name)).cloned().collect();
    let all = of_image.iter().any(|name| name == IMAGE);
    of_image.retain(|name| name != IMAGE);
    of_image.sort();
    of_image.dedup();
    let mut known: Vec<String> = of_image.iter().chain(all.then_some(&IMAGE.to_owned())).cloned().collect();
    if all {
        known.extend(image::names(image));
    }
    let choice =
        Choice { toolsets: names, of_image: &known, advertised: &wanted.advertised, read_only: wanted.read_only };
    let mut selection = registry.select(&choice).map_err(|error| failed("unknownToolset", error))?;
    if !all && of_image.is_empty() {
        return Ok((selection, None));
    }
    let image_choice = ImageChoice { names: of_image, all, read_only: wanted.read_only };
    let (toolsets, failures) = image::load(image, &image_choice, &selection);
    refuse(&failures, registry, image)?;
    selection.set_image(toolsets);
    Ok((selection, Some(image_choice)))
}

/// A toolset that is named must be there and work; one that was found may be half written, and is left out then. No
/// name is served twice in any case.
fn refuse(failures: &[LoadFailure], registry: &Registry, image: &mut Image) -> Result<(), Failed> {
    let (fatal, harmless): (Vec<&LoadFailure>, Vec<&LoadFailure>) =
        failures.iter().partition(|failure| failure.is_named || failure.kind == "duplicateTool");
    for failure in harmless {
        eprintln!("lapidary-worker: {}", failure.text);
    }
    let unknown: Vec<&&LoadFailure> = fatal.iter().filter(|failure| failure.kind == "unknownToolset").collect();
    if unknown.is_empty() {
        return fatal.first().map_or(Ok(()), |failure| Err(failed(failure.kind, &failure.text)));
    }
    let names: Vec<&str> = unknown.iter().map(|failure| failure.toolset.as_str()).collect();
    let reasons: Vec<&str> = unknown.iter().map(|failure| failure.text.as_str()).collect();
    let mut available = registry.names();
    available.push(IMAGE.to_owned());
    available.extend(image::names(image));
    let message = format!(
        "Unknown toolset(s): {}. Available: {}\n{}",
        names.join(", "),
        available.join(", "),
        reasons.join("\n")
    );
    Err(failed("unknownToolset", message))
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
