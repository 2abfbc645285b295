//! One client over standard input and output: both eras, the same gems, the same dispatcher.
//!
//! One thread, always, since it forks gems. Nothing but messages is ever written to standard output, and no first
//! message, however odd, ends the process: it ends when its input does, or when nobody reads its output.

mod front;
mod host;
mod lines;

pub(crate) use host::StdioError;

use crate::registry::Registry;
use crate::seal::fresh_key;
use front::{Clocks, Front};
use host::{Host, Way};
use lines::{Line, Lines};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use protocol::gem::{GemLimits, Prepare, Results, SandboxPolicy};
use protocol::limits::{GEM_HEAP_BYTES_MAX, GEM_STACK_BYTES_MAX, STOP_GRACE_MILLIS};
use protocol::revision::Served;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// How often clocks are looked at while a call runs.
const LOOK_MILLIS: u16 = 500;

/// What the command line and the environment say.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) toolsets: Vec<String>,
    pub(crate) advertised: Vec<String>,
    pub(crate) results: Results,
    pub(crate) sandbox: SandboxPolicy,
    pub(crate) worker_class: Option<String>,
    pub(crate) server_name: Option<String>,
    pub(crate) server_version: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) read_only: bool,
    pub(crate) autocommit: bool,
    pub(crate) user: String,
    pub(crate) served: Served,
    pub(crate) call_seconds: u64,
    pub(crate) idle_seconds: u64,
}

impl Options {
    fn prepare(&self) -> Result<Prepare, StdioError> {
        Ok(Prepare {
            toolsets: self.toolsets.clone(),
            advertised: self.advertised.clone(),
            results: self.results,
            worker_class: self.worker_class.clone(),
            read_only: self.read_only,
            autocommit: self.autocommit,
            bound: true,
            user: self.user.clone(),
            server_name: self.server_name.clone(),
            server_version: self.server_version.clone(),
            title: self.title.clone(),
            limits: GemLimits {
                heap_bytes: GEM_HEAP_BYTES_MAX,
                stack_bytes: GEM_STACK_BYTES_MAX,
                call_millis: self.call_seconds * 1000,
            },
            revisions: self.served.names().into_iter().map(str::to_owned).collect(),
            headers: false,
            principal: String::new(),
            handle: None,
            held: false,
            principal_key: Some(fresh_key()?),
        })
    }
}

/// Serves until the client's input ends and what it asked is answered.
pub(crate) fn serve(registry: &Registry, options: &Options) -> Result<(), StdioError> {
    let host = Host::new(registry, options.prepare()?, options.sandbox)?;
    let clocks =
        Clocks { call: Duration::from_secs(options.call_seconds), idle: Duration::from_secs(options.idle_seconds) };
    let mut front = Front::new(host, options.served.clone(), clocks);
    let mut lines = Lines::default();
    let mut input = io::stdin();
    let mut ending: Option<Instant> = None;
    loop {
        let over = ending.is_some_and(|since| since.elapsed() > Duration::from_millis(STOP_GRACE_MILLIS));
        if over || (ending.is_some() && !front.is_busy()) {
            return Ok(());
        }
        let ready = wait(&input, ending.is_none(), &front)?;
        if ready.said {
            front.host.pass_on();
        }
        if ready.children {
            front.host.children.reap()?;
        }
        for (gem, way) in ready.gems {
            front.listen_to(gem, way)?;
        }
        if ready.input {
            let mut space = Lines::space();
            let count = input.read(&mut space)?;
            let mut arrived = lines.take(&space[..count]);
            if count == 0 {
                ending = Some(Instant::now());
                arrived.extend(lines.rest());
            }
            for line in arrived {
                heed(&mut front, line)?;
            }
        }
        front.sweep();
    }
}

fn heed(front: &mut Front<'_>, line: Line) -> Result<(), StdioError> {
    match line {
        Line::Whole(bytes) if bytes.trim_ascii().is_empty() => Ok(()),
        Line::Whole(bytes) => front.heed(&bytes),
        Line::TooLong => front.refuse_long(),
    }
}

#[derive(Default)]
struct Ready {
    input: bool,
    children: bool,
    said: bool,
    gems: Vec<(u64, Way)>,
}

fn wait(input: &io::Stdin, open: bool, front: &Front<'_>) -> Result<Ready, StdioError> {
    let sockets: Vec<(u64, Way)> =
        front.gems().flat_map(|(number, _)| [(number, Way::Calls), (number, Way::Control)]).collect();
    let mut watched = vec![
        PollFd::new(front.host.children.as_fd(), PollFlags::POLLIN),
        PollFd::new(front.host.said.as_fd(), PollFlags::POLLIN),
    ];
    for (_, gem) in front.gems() {
        watched.push(PollFd::new(gem.calls.as_fd(), PollFlags::POLLIN));
        watched.push(PollFd::new(gem.control.as_fd(), PollFlags::POLLIN));
    }
    if open {
        watched.push(PollFd::new(input.as_fd(), PollFlags::POLLIN));
    }
    let timeout =
        if front.is_busy() || front.keeps_gems() || !open { PollTimeout::from(LOOK_MILLIS) } else { PollTimeout::NONE };
    match poll(&mut watched, timeout) {
        Ok(_) => {}
        Err(Errno::EINTR) => return Ok(Ready::default()),
        Err(error) => return Err(io::Error::from(error).into()),
    }
    let happened = |place: usize| {
        watched.get(place).and_then(|watched| watched.revents()).is_some_and(|events| !events.is_empty())
    };
    let gems = sockets.iter().enumerate().filter(|(place, _)| happened(place + 2)).map(|(_, socket)| *socket);
    Ok(Ready {
        children: happened(0),
        said: happened(1),
        gems: gems.collect(),
        input: open && happened(2 + sockets.len()),
    })
}
