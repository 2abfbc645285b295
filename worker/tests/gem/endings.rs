//! How a gem and its zygote end: always, at once, and with a status that says why.

use crate::support::{Stone, Zygote, close, hang_up, prepare};
use nix::poll::{PollFd, PollFlags, poll};
use protocol::gem::{down, exit};
use protocol::zygote::Report;
use sandbox::pidfd::{Pidfd, Signal};
use std::os::fd::AsFd;

/// Milliseconds in which a process must have ended once its peer is gone.
const AT_ONCE_MILLIS: u16 = 2_000;

fn ends_at_once(pidfd: &Pidfd) {
    let mut watched = [PollFd::new(pidfd.as_fd(), PollFlags::POLLIN)];
    assert_eq!(poll(&mut watched, AT_ONCE_MILLIS).expect("polled"), 1, "it has ended");
}

#[test]
fn a_spinning_gem_ends_with_its_control_socket() {
    let zygote = Zygote::start();
    let mut gem = zygote.open(1, &prepare());
    gem.spin(1);
    let crate::support::Gem { control, pidfd, calls, .. } = gem;
    close(control);
    ends_at_once(&pidfd);
    assert_eq!(zygote.ended(1), exit::ENDED);
    drop(calls);
}

#[test]
fn a_spinning_gem_ends_with_its_stone_and_says_so() {
    let zygote = Zygote::start();
    let mut gem = zygote.open(1, &prepare());
    gem.spin(1);
    hang_up(&gem.stone);
    ends_at_once(&gem.pidfd);
    assert_eq!(zygote.ended(1), exit::STONE_LOST);
}

#[test]
fn an_idle_gem_ends_with_its_stone() {
    let zygote = Zygote::start();
    let gem = zygote.open(1, &prepare());
    hang_up(&gem.stone);
    assert_eq!(zygote.ended(1), exit::STONE_LOST);
}

#[test]
fn shutdown_ends_a_gem_on_either_socket() {
    let zygote = Zygote::start();
    let mut gem = zygote.open(1, &prepare());
    gem.spin(1);
    gem.control.send(down::SHUTDOWN, 0, &[]);
    assert_eq!(zygote.ended(1), exit::ENDED);
    let mut gem = zygote.open(2, &prepare());
    gem.calls.send(down::SHUTDOWN, 0, &[]);
    assert_eq!(zygote.ended(2), exit::ENDED);
}

#[test]
fn a_broken_link_ends_a_gem_and_leaves_its_neighbour() {
    let zygote = Zygote::start();
    let mut broken = zygote.open(1, &prepare());
    let mut neighbour = zygote.open(2, &prepare());
    broken.calls.send(99, 0, &[]);
    assert_eq!(zygote.ended(1), exit::LINK_BROKEN);
    assert_eq!(neighbour.run("3 + 4"), "7");
    let mut early = zygote.fork(3, &prepare(), Stone::default());
    early.calls.send(down::PREPARE, 0, &[b"{}"]);
    assert_eq!(zygote.ended(3), exit::LINK_BROKEN);
    neighbour.pidfd.kill(Signal::SIGKILL).expect("killed");
    assert_eq!(zygote.ended(2), 128 + 9);
}

#[test]
fn a_zygote_takes_its_gems_with_it() {
    let zygote = Zygote::start();
    let mut gem = zygote.open(1, &prepare());
    gem.spin(1);
    let Zygote { socket, child } = zygote;
    drop(socket);
    assert_eq!(child.pidfd.wait().expect("ended"), 0);
    ends_at_once(&gem.pidfd);
}

#[test]
fn a_zygote_that_is_killed_ends_no_gem() {
    let zygote = Zygote::start();
    let mut gem = zygote.open(1, &prepare());
    zygote.child.pidfd.kill(Signal::SIGKILL).expect("killed");
    zygote.child.pidfd.wait().expect("ended");
    assert_eq!(gem.run("3 + 4"), "7");
}

#[test]
fn a_fork_without_its_descriptors_is_refused() {
    let zygote = Zygote::start();
    zygote.socket.send(&protocol::zygote::Request::Fork { gem: 4 }.encode(), &[]).expect("sent");
    assert_eq!(zygote.report(), Report::Refused { gem: 4, errno: nix::errno::Errno::EINVAL as i32 });
}
