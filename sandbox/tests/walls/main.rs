//! Raises the real walls in a real child and then does what hostile code would try, as root (where we are root) and as
//! another user. Each attempt must be refused, and everything that a gem needs must still work.

mod attempts;
mod missing;
mod work;

use nix::poll::{PollFd, PollFlags, poll};
use sandbox::children::{Children, Ended};
use sandbox::fork::{self, ForkedProcess};
use sandbox::pidfd::Signal;
use sandbox::walls::{self, ENFORCED, Filter, Limits, Policy, Profile, Wall};
use sandbox::{stream_pair, threads};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

const LIMITS: Limits = Limits { data_bytes: 256 << 20, files: 16, cpu_seconds: 60 };
const OTHER_UID: u32 = 65_534;

fn main() {
    let filter = Filter::compile().expect("compiled");
    hostile_code_gets_nothing(&filter, None);
    if nix::unistd::geteuid().is_root() {
        hostile_code_gets_nothing(&filter, Some(OTHER_UID));
    }
    honest_code_goes_on(&filter);
    the_walls_are_seen_from_outside(&filter);
    a_panic_ends_in_its_own_exit_code(&filter);
    a_spinning_gem_ends_with_its_control_socket(&filter);
    the_end_of_each_child_is_told();
    a_process_with_two_threads_forks_no_gem();
    missing::a_wall_that_cannot_be_raised_is_refused_unless_allowed(&filter);
    missing::no_wall_is_raised_where_none_is_wanted(&filter);
    println!("the walls stand");
}

/// The ends that stay with us.
struct Links {
    calls: UnixStream,
    control: UnixStream,
    _stone: UnixStream,
}

fn gem(life: impl FnOnce([OwnedFd; 3]) -> i32) -> (ForkedProcess, Links) {
    let pairs: [(UnixStream, UnixStream); 3] = std::array::from_fn(|_| stream_pair().expect("a pair"));
    let [(calls, far_calls), (control, far_control), (stone, far_stone)] = pairs;
    let descriptors = [far_calls.into(), far_control.into(), far_stone.into()];
    let gem = fork::fork_process(descriptors, io::stderr().as_fd(), life).expect("forked");
    (gem, Links { calls, control, _stone: stone })
}

/// Confines this process as a gem does, with a thread that waits for the end of `control`.
fn confine(filter: &Filter, control: OwnedFd) -> Vec<Wall> {
    let profile = Profile { first_foreign_descriptor: 6, limits: LIMITS, filter, policy: Policy::Strict };
    let watch = || {
        threads::start("watch", 64 * 1024, move || {
            let mut control = UnixStream::from(control);
            while control.read(&mut [0]).is_ok_and(|count| count > 0) {}
            sandbox::exit_at_once(9)
        })
    };
    walls::confine(&profile, watch).expect("confined").1
}

fn become_user(user: u32) {
    nix::unistd::setgroups(&[]).expect("no groups");
    nix::unistd::setgid(user.into()).expect("another group");
    nix::unistd::setuid(user.into()).expect("another user");
}

fn transcript(mut calls: &UnixStream) -> String {
    let mut text = String::new();
    calls.read_to_string(&mut text).expect("read");
    text
}

fn hostile_code_gets_nothing(filter: &Filter, user: Option<u32>) {
    let parent = std::process::id() as i32;
    let (gem, links) = gem(|[calls, control, _stone]| {
        if let Some(user) = user {
            become_user(user);
        }
        confine(filter, control);
        let mut calls = UnixStream::from(calls);
        for (name, attempt) in attempts::ALL {
            let errno = attempt(parent).err().and_then(|error| error.raw_os_error()).unwrap_or(0);
            writeln!(calls, "{name} {errno}").expect("written");
        }
        0
    });
    let text = transcript(&links.calls);
    assert_eq!(gem.pidfd.wait().expect("ended"), 0, "{text}");
    assert_eq!(text.lines().count(), attempts::ALL.len(), "{text}");
    let refused = [libc::EPERM, libc::EACCES].map(|errno| format!(" {errno}"));
    let got: Vec<&str> = text.lines().filter(|line| !refused.iter().any(|end| line.ends_with(end))).collect();
    assert!(got.is_empty(), "not refused for user {user:?}: {got:?}");
}

fn honest_code_goes_on(filter: &Filter) {
    let (gem, mut links) = gem(|[calls, control, _stone]| {
        confine(filter, control);
        work::everything(UnixStream::from(calls));
        0
    });
    links.calls.write_all(b"go").expect("written");
    assert_eq!(transcript(&links.calls), "done");
    assert_eq!(gem.pidfd.wait().expect("ended"), 0);
}

fn the_walls_are_seen_from_outside(filter: &Filter) {
    let (gem, links) = gem(|[calls, control, _stone]| {
        let walls = confine(filter, control);
        let mut calls = UnixStream::from(calls);
        for Wall { name, status } in walls {
            writeln!(calls, "{name} {status}").expect("written");
        }
        calls.shutdown(std::net::Shutdown::Write).expect("shut down");
        let _end = calls.read(&mut [0]).expect("waits to be looked at");
        0
    });
    let names = ["descriptors", "limits", "undumpable", "noNewPrivileges", "landlock", "seccomp"];
    let wanted: String = names.map(|name| format!("{name} {ENFORCED}\n")).concat();
    assert_eq!(transcript(&links.calls), wanted);
    let read = |file: &str| std::fs::read_to_string(format!("/proc/{}/{file}", gem.pid));
    let status = read("status").expect("status");
    assert!(status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2"), "{status}");
    assert!(status.contains("Threads:\t2"), "{status}");
    // Of a process that cannot be dumped only root reads these.
    if nix::unistd::geteuid().is_root() {
        let open = std::fs::read_dir(format!("/proc/{}/fd", gem.pid)).expect("listed").count();
        assert_eq!(open, 6);
        let limits = read("limits").expect("limits");
        let row = |name: &str| limits.lines().find(|line| line.starts_with(name)).expect("a row").to_owned();
        assert!(row("Max data size").contains("268435456"), "{limits}");
        for name in ["Max core file size", "Max file size"] {
            assert!(row(name).split_whitespace().any(|word| word == "0"), "{limits}");
        }
    }
    drop(links);
    gem.pidfd.wait().expect("ended");
}

fn a_panic_ends_in_its_own_exit_code(filter: &Filter) {
    let (gem, _links) = gem(|[_calls, control, _stone]| {
        // As a gem does: say it, end at once.
        std::panic::set_hook(Box::new(|_| {
            eprintln!("(this panic is meant)");
            sandbox::exit_at_once(70)
        }));
        confine(filter, control);
        panic!("on purpose");
    });
    assert_eq!(gem.pidfd.wait().expect("ended"), 70);
}

fn a_spinning_gem_ends_with_its_control_socket(filter: &Filter) {
    let (gem, links) = gem(|[mut_calls, control, _stone]| {
        confine(filter, control);
        UnixStream::from(mut_calls).write_all(b"x").expect("written");
        loop {
            std::hint::spin_loop();
        }
    });
    let Links { mut calls, control, _stone } = links;
    calls.read_exact(&mut [0]).expect("it spins");
    assert_eq!(gem.pidfd.try_wait().expect("asked"), None);
    drop(control);
    assert_eq!(gem.pidfd.wait().expect("ended"), 9);
    gem.pidfd.kill(Signal::SIGKILL).expect("no error once it has ended");
}

fn the_end_of_each_child_is_told() {
    let children = Children::watch().expect("watched");
    let (one, _links) = gem(|_| 3);
    let (two, _links_too) = gem(|_| {
        loop {
            std::hint::spin_loop();
        }
    });
    two.pidfd.kill(Signal::SIGKILL).expect("killed");
    let mut ended = Vec::new();
    while ended.len() < 2 {
        let mut wanted = [PollFd::new(children.as_fd(), PollFlags::POLLIN)];
        assert_eq!(poll(&mut wanted, 5_000u16).expect("polled"), 1);
        ended.extend(children.reap().expect("reaped"));
    }
    ended.sort_by_key(|end| end.status);
    assert_eq!(ended, [Ended { pid: one.pid, status: 3 }, Ended { pid: two.pid, status: 128 + 9 }]);
    assert!(children.reap().expect("none left").is_empty());
}

fn a_process_with_two_threads_forks_no_gem() {
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let thread = threads::start("second", 64 * 1024, move || {
        let _ = stopped.recv();
    })
    .expect("started");
    let pairs: [OwnedFd; 3] = std::array::from_fn(|_| stream_pair().expect("a pair").0.into());
    assert!(fork::fork_process(pairs, io::stderr().as_fd(), |_| 1).is_err());
    drop(stop);
    thread.join().expect("joined");
}
