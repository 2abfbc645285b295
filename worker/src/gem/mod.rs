//! The life of a gem, from the fork to its end: walls, then `Prepare`, then calls in order. Between the last two, a gem
//! that was forked ahead waits until the router says for whom it works.
//!
//! Nothing that a client sent is read before the walls stand and the gem is bound. It may know every layer but the
//! processes above it, and leaves all that is said to a client to the dispatcher.

mod watch;

use crate::calls::Calls;
use crate::confinement::{self, Sandbox};
use crate::discovery::Discovery;
use crate::dispatcher::Dispatcher;
use crate::link::{Link, LinkError};
use crate::panics;
use crate::prepare::{BindOutcome, Prepared, bind, prepare};
use crate::registry::Registry;
use crate::shared_state::SharedState;
use crate::state_cipher::StateCipher;
use crate::tasks::Tasks;
use protocol::frame::{Frame, FrameError};
use protocol::gem::{Bind, ClientMessage, Failed, Prepare, Ready, down, exit, up};
use sandbox::fork::{DESCRIPTORS, FIRST_DESCRIPTOR};
use sandbox::walls::{Wall, WallError};
use serde_json::Value;
use smalltalk::Image;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;
use stone::client::Connection;
use watch::or_exit;

/// What the zygote has made for all its gems.
pub(crate) struct Inheritance<'z> {
    /// The booted image.
    pub(crate) image: &'z mut Image,
    /// The tools.
    pub(crate) registry: &'z Registry,
    /// How a gem confines itself.
    pub(crate) sandbox: &'z Sandbox,
}

/// Lives; answers the exit code.
pub(crate) fn live(inheritance: Inheritance<'_>, descriptors: [OwnedFd; DESCRIPTORS]) -> i32 {
    let [calls, control, stone] = descriptors;
    let Inheritance { image, registry, sandbox } = inheritance;
    let shared = Arc::new(SharedState::new(Arc::new(Calls::new(image.interrupts()))));
    let mut link = Link::from(calls);
    let walls = match raise_walls(sandbox, control, &stone, &shared) {
        Ok(walls) => walls,
        Err(error) => return or_exit(refuse(&mut link, &error)),
    };
    match begin(&mut link, image, registry, stone, &shared, walls) {
        Ok(Some(mut dispatcher)) => serve(&mut link, &mut dispatcher),
        Ok(None) => exit::FAILED,
        Err(error) => or_exit(Err(error)),
    }
}

/// Confines the process; the watch thread runs when this returns.
fn raise_walls(
    sandbox: &Sandbox,
    control: OwnedFd,
    stone: &OwnedFd,
    shared: &Arc<SharedState>,
) -> Result<Vec<Wall>, WallError> {
    let start = || {
        let _ = shared.stone.set(stone.try_clone()?);
        let shared = Arc::clone(shared);
        let body = move || watch::watch(Link::from(control), &shared);
        sandbox::threads::start("watch", watch::STACK_BYTES, body)
    };
    sandbox.confine(FIRST_DESCRIPTOR + DESCRIPTORS as i32, start).map(|(_watch, walls)| walls)
}

/// Tells the router why this gem does not serve. What the router says first is waited for, so that it finds a reader.
fn refuse(link: &mut Link, error: &WallError) -> Result<i32, LinkError> {
    if read_prepare(link)?.is_some() {
        fail(link, &confinement::failed(error))?;
    }
    Ok(exit::FAILED)
}

/// Becomes what the router wants, and says so; `None` when it cannot and has said why.
fn begin<'g>(
    link: &mut Link,
    image: &'g mut Image,
    registry: &'g Registry,
    stone: OwnedFd,
    shared: &Arc<SharedState>,
    walls: Vec<Wall>,
) -> Result<Option<Dispatcher<'g>>, LinkError> {
    let Some(mut wanted) = read_prepare(link)? else { sandbox::exit_at_once(exit::ENDED) };
    let mut prepared = match prepare(&wanted, registry, image, Connection::from(stone)) {
        Ok(prepared) => prepared,
        Err(failed) => return fail(link, &failed),
    };
    let mut discovery = Arc::new(Discovery::new(prepared.server_info.clone(), &prepared.selection));
    let ready = serde_json::to_vec(&ready(&prepared, &discovery, walls)).expect("plain data");
    let was_bound = wanted.bound;
    if !was_bound {
        shared.serve();
        link.send(up::READY, 0, &[&ready])?;
        match await_bind(link, &mut wanted, &mut prepared, registry, image)? {
            Ok(BindOutcome::Unchanged) => {}
            Ok(BindOutcome::Reselected) => {
                discovery = Arc::new(Discovery::new(prepared.server_info.clone(), &prepared.selection))
            }
            Err(failed) => return fail(link, &failed),
        }
    }
    let state_cipher = match StateCipher::new(wanted.principal_key.as_deref()) {
        Ok(cipher) => cipher,
        Err(error) => {
            return fail(link, &Failed { kind: "noRandomness".to_owned(), message: error.to_string() });
        }
    };
    let call_time = Duration::from_millis(wanted.limits.call_millis);
    let tasks = wanted.handle.as_deref();
    let tasks = tasks.map(|handle| Arc::new(Tasks::new(handle, call_time, Arc::clone(&discovery), link.writer())));
    if let Some(tasks) = &tasks {
        let _ = shared.tasks.set(Arc::clone(tasks));
    }
    // Only now is a client heard on the control socket: no message comes before it is known whose gem this is.
    shared.set_discovery(&discovery);
    if was_bound {
        shared.serve();
        link.send(up::READY, 0, &[&ready])?;
    }
    Ok(Some(Dispatcher {
        image,
        prepared,
        discovery,
        calls: Arc::clone(&shared.calls),
        shared: Arc::clone(shared),
        load_failures: Vec::new(),
        call_time,
        capabilities: Value::Null,
        state_cipher,
        handle: wanted.handle.filter(|_| wanted.held),
        tasks,
        headers: wanted.headers,
        results: wanted.results,
        closing: false,
        at_newest: !was_bound,
    }))
}

fn read_prepare(link: &mut Link) -> Result<Option<Prepare>, LinkError> {
    let Some(frame) = link.next()? else { return Ok(None) };
    if frame.kind != down::PREPARE {
        return Err(FrameError::Malformed("the first frame must be Prepare").into());
    }
    let wanted = serde_json::from_slice(&frame.body).map_err(|_| FrameError::Malformed("a Prepare that is not one"))?;
    Ok(Some(wanted))
}

/// Waits until a client takes this gem; nothing but the router's `Bind` is heard until then.
fn await_bind<'r>(
    link: &mut Link,
    wanted: &mut Prepare,
    prepared: &mut Prepared<'r>,
    registry: &'r Registry,
    image: &mut Image,
) -> Result<Result<BindOutcome, Failed>, LinkError> {
    let Some(frame) = link.next()?.filter(|frame| frame.kind != down::SHUTDOWN) else {
        sandbox::exit_at_once(exit::ENDED)
    };
    if frame.kind != down::BIND {
        return Err(FrameError::Malformed("a gem of the pool is bound first").into());
    }
    let said = Bind::decode(&frame.body)?;
    Ok(bind(prepared, wanted, &said, registry, image))
}

/// What the router is told of this gem.
fn ready(prepared: &Prepared<'_>, discovery: &Discovery, walls: Vec<Wall>) -> Ready {
    let of_worker = prepared.selection.served().iter().copied();
    let toolsets = of_worker.chain(prepared.selection.image().names()).map(str::to_owned).collect();
    let sandbox = walls.into_iter().map(|Wall { name, status }| (name.to_owned(), status)).collect();
    let topics = discovery.topics().iter().map(|topic| topic.name().to_owned()).collect();
    Ready { toolsets, sandbox, topics, lists_move: prepared.image_choice.is_some() }
}

/// Says why this gem cannot serve.
fn fail<'g>(link: &mut Link, failed: &Failed) -> Result<Option<Dispatcher<'g>>, LinkError> {
    eprintln!("lapidary-worker: a gem cannot serve: {}", failed.message);
    link.send(up::FAILED, 0, &[&serde_json::to_vec(failed).expect("plain data")])?;
    Ok(None)
}

/// Tells the log what the image cannot tell it by itself.
fn log_warnings(image: &mut Image) {
    for warning in image.take_warnings() {
        eprintln!("lapidary-worker: warning: {warning}");
    }
}

/// Answers calls until the router has no more.
fn serve(link: &mut Link, dispatcher: &mut Dispatcher<'_>) -> i32 {
    while let Some(frame) = or_exit(link.next()) {
        match frame.kind {
            down::MESSAGE | down::LASTING => {
                let (message, headers) = or_exit(ClientMessage::decode(&frame.body).map_err(LinkError::from));
                let may_last = frame.kind == down::LASTING;
                let call = || dispatcher.handle(link, frame.exchange, (message, &headers), may_last);
                let Some(reply) = panics::catch(call) else { end_after_panic(link, dispatcher, &frame) };
                log_warnings(dispatcher.image);
                let keep = dispatcher.handle.is_some() && !dispatcher.closing;
                or_exit(match &dispatcher.tasks {
                    Some(tasks) if !dispatcher.closing => tasks.finish(frame.exchange, reply, keep),
                    _ => link.finish(frame.exchange, reply.status, &reply.body, keep),
                });
                if dispatcher.prepared.stone.is_lost() {
                    return exit::STONE_LOST;
                }
            }
            down::SHUTDOWN => break,
            _ => or_exit(Err(FrameError::Malformed("a kind that the call socket does not carry").into())),
        }
    }
    exit::ENDED
}

/// Answers a call in which this process panicked, and ends at once: no destructor runs, so nothing looks at the image.
fn end_after_panic(link: &mut Link, dispatcher: &Dispatcher<'_>, frame: &Frame) -> ! {
    let (message, _headers) = or_exit(ClientMessage::decode(&frame.body).map_err(LinkError::from));
    let tasks = dispatcher.tasks.as_ref().filter(|tasks| tasks.settle());
    let reply = dispatcher.render_panic(message, tasks.is_some());
    or_exit(match tasks {
        Some(tasks) => tasks.finish(frame.exchange, reply, false),
        None => link.finish(frame.exchange, reply.status, &reply.body, false),
    });
    sandbox::exit_at_once(exit::PANIC)
}
