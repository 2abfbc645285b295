//! The zygote: boots the image once and forks a gem whenever the router asks.
//!
//! One thread, always: a fork keeps only the thread that makes it. It holds no repository and reads nothing that comes
//! from a client. It ends when its socket does, and takes its gems with it.

use crate::confinement::Sandbox;
use crate::gem::{self, Inheritance};
use crate::registry::Registry;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use protocol::gem::SandboxPolicy;
use protocol::zygote::{FORK_DESCRIPTORS, PACKET_BYTES_MAX, Report, Request};
use sandbox::children::Children;
use sandbox::fork::{self, ForkedProcess};
use sandbox::packet::{Packet, PacketSocket};
use sandbox::pidfd::{Pidfd, Signal};
use sandbox::walls::FilterError;
use smalltalk::{BootError, Image};
use std::collections::HashMap;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use thiserror::Error;

const _: () = assert!(FORK_DESCRIPTORS == fork::DESCRIPTORS);

/// How much of what gems say is passed on at a time.
const LOG_BYTES: usize = 4096;

/// Why a zygote ended, other than by the end of its socket.
#[derive(Debug, Error)]
pub(crate) enum ZygoteError {
    /// The image does not boot.
    #[error("the image does not boot: {0}")]
    Boot(#[from] BootError),
    /// There is no system-call filter for this machine.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// The system refused something without which a zygote cannot work.
    #[error("the zygote cannot go on: {0}")]
    System(#[from] io::Error),
    /// The router broke the protocol.
    #[error("the router broke the zygote's protocol: {0}")]
    Protocol(#[from] protocol::frame::FrameError),
}

/// A running gem.
struct Running {
    gem: u64,
    pidfd: Pidfd,
}

struct Zygote<'z> {
    router: PacketSocket,
    children: Children,
    gems: HashMap<u32, Running>,
    /// A gem may write no file, so what it says to its standard error comes by this pipe.
    said: PipeReader,
    say: PipeWriter,
    image: Image,
    registry: &'z Registry,
    sandbox: Sandbox,
}

/// Boots and serves until the router closes the socket, which is standard input.
pub(crate) fn serve(registry: &Registry, policy: SandboxPolicy) -> Result<(), ZygoteError> {
    let router = PacketSocket::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut image = Image::boot()?;
    image.freeze()?;
    let (said, say) = io::pipe()?;
    let mut zygote = Zygote {
        router,
        children: Children::watch()?,
        gems: HashMap::new(),
        said,
        say,
        image,
        registry,
        sandbox: Sandbox::new(policy)?,
    };
    let outcome = zygote.run();
    zygote.kill_all();
    outcome
}

impl Zygote<'_> {
    fn run(&mut self) -> Result<(), ZygoteError> {
        let mut here = self.report(&Report::Booted { version: env!("CARGO_PKG_VERSION").to_owned() }, &[])?;
        while here {
            let [router, children, said] = self.wait()?;
            if said {
                self.pass_on()?;
            }
            here = (!children || self.bury()?) && (!router || self.answer()?);
        }
        Ok(())
    }

    /// Waits; says which of the router, the children and the pipe have something.
    fn wait(&self) -> Result<[bool; 3], ZygoteError> {
        let mut watched = [self.router.as_fd(), self.children.as_fd(), self.said.as_fd()]
            .map(|descriptor| PollFd::new(descriptor, PollFlags::POLLIN));
        match poll(&mut watched, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
        Ok(watched.map(|watched| watched.revents().is_some_and(|events| !events.is_empty())))
    }

    /// Does what one packet asks; `false` at the end of the socket.
    fn answer(&mut self) -> Result<bool, ZygoteError> {
        let packet = match self.router.receive(PACKET_BYTES_MAX) {
            Ok(packet) => packet,
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        if packet.is_end() {
            return Ok(false);
        }
        let Packet { bytes, descriptors } = packet;
        let Request::Fork { gem } = Request::decode(&bytes)?;
        match <[OwnedFd; FORK_DESCRIPTORS]>::try_from(descriptors) {
            Ok(descriptors) => self.fork(gem, descriptors),
            Err(_) => self.report(&Report::Refused { gem, errno: Errno::EINVAL as i32 }, &[]),
        }
    }

    fn fork(&mut self, gem: u64, descriptors: [OwnedFd; FORK_DESCRIPTORS]) -> Result<bool, ZygoteError> {
        let Zygote { image, registry, sandbox, say, .. } = self;
        let life = |descriptors| gem::live(Inheritance { image, registry, sandbox }, descriptors);
        match fork::fork_process(descriptors, say.as_fd(), life) {
            Ok(ForkedProcess { pid, pidfd }) => {
                let here = self.report(&Report::Forked { gem, pid }, &[pidfd.as_fd()])?;
                self.gems.insert(pid, Running { gem, pidfd });
                Ok(here)
            }
            Err(error) => {
                let errno = error.raw_os_error().unwrap_or(Errno::EAGAIN as i32);
                self.report(&Report::Refused { gem, errno }, &[])
            }
        }
    }

    /// Reports gems that have ended; `false` when the router is gone.
    fn bury(&mut self) -> Result<bool, ZygoteError> {
        for ended in self.children.reap()? {
            if let Some(Running { gem, .. }) = self.gems.remove(&ended.pid)
                && !self.report(&Report::Ended { gem, status: ended.status }, &[])?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Sends one report; `false` when the router is gone.
    fn report(&self, report: &Report, descriptors: &[BorrowedFd<'_>]) -> Result<bool, ZygoteError> {
        match self.router.send(&report.encode(), descriptors) {
            Ok(()) => Ok(true),
            Err(error) if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) => {
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Passes on what gems have said. A log that cannot be written is no reason to end.
    fn pass_on(&mut self) -> Result<(), ZygoteError> {
        let mut said = [0; LOG_BYTES];
        let count = self.said.read(&mut said)?;
        let _ = io::stderr().write_all(&said[..count]);
        Ok(())
    }

    fn kill_all(&mut self) {
        for Running { gem, pidfd } in self.gems.values() {
            if let Err(error) = pidfd.kill(Signal::SIGKILL) {
                eprintln!("lapidary-worker: gem {gem} could not be killed: {error}");
            }
        }
    }
}
