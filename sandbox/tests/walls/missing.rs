//! Kernels that lack a wall, made by a system-call filter that answers what such a kernel answers.

use super::{LIMITS, gem, transcript};
use sandbox::walls::{self, ENFORCED, Filter, Policy, Profile, WallError};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use std::io::Write;
use std::os::unix::net::UnixStream;

/// The walls that can be missing, each with the system call that raises it.
const CALLS: &[(&str, libc::c_long)] =
    &[("landlock", libc::SYS_landlock_create_ruleset), ("seccomp", libc::SYS_seccomp)];

/// From here on the kernel does not know this system call.
fn mask(call: libc::c_long) {
    let arch = std::env::consts::ARCH.try_into().expect("a known processor");
    let unknown = SeccompAction::Errno(libc::ENOSYS as u32);
    let filter = SeccompFilter::new([(call, vec![])].into(), SeccompAction::Allow, unknown, arch).expect("well formed");
    seccompiler::apply_filter(&BpfProgram::try_from(filter).expect("compiled")).expect("applied");
}

/// What a child says of the outcome under a policy, where a system call is missing.
fn outcome(filter: &Filter, call: libc::c_long, policy: Policy) -> String {
    let (gem, links) = gem(|[calls, _control, _stone]| {
        mask(call);
        let profile = Profile { first_foreign_descriptor: 6, limits: LIMITS, filter, policy };
        let mut calls = UnixStream::from(calls);
        match walls::confine(&profile, || Ok(())) {
            Ok(((), walls)) => {
                for wall in walls {
                    writeln!(calls, "{} {}", wall.name, wall.is_enforced()).expect("written");
                }
            }
            Err(error @ WallError::Missing(_)) => writeln!(calls, "refused: {error}").expect("written"),
            Err(error @ WallError::Thread(_)) => panic!("no thread was wanted: {error}"),
        }
        0
    });
    let text = transcript(&links.calls);
    assert_eq!(gem.pidfd.wait().expect("ended"), 0, "{text}");
    text
}

pub(crate) fn a_wall_that_cannot_be_raised_is_refused_unless_allowed(filter: &Filter) {
    for (name, call) in CALLS {
        let strict = outcome(filter, *call, Policy::Strict);
        assert!(strict.starts_with(&format!("refused: {name} (")) && !strict.contains("), "), "{strict}");
        let best_effort = outcome(filter, *call, Policy::BestEffort);
        let missing: Vec<&str> = best_effort.lines().filter(|line| line.ends_with(" false")).collect();
        assert_eq!(missing, [format!("{name} false")], "{best_effort}");
        assert_eq!(best_effort.lines().count(), 6, "all the others stand: {best_effort}");
    }
}

pub(crate) fn no_wall_is_raised_where_none_is_wanted(filter: &Filter) {
    let (gem, links) = gem(|[calls, _control, _stone]| {
        let profile = Profile { first_foreign_descriptor: 6, limits: LIMITS, filter, policy: Policy::Off };
        let ((), walls) = walls::confine(&profile, || Ok(())).expect("nothing can fail");
        let status = std::fs::read_to_string("/proc/self/status").expect("no wall forbids it");
        let unfiltered = status.contains("Seccomp:\t0") && !walls.iter().any(|wall| wall.status == ENFORCED);
        write!(UnixStream::from(calls), "{unfiltered}").expect("written");
        0
    });
    assert_eq!(transcript(&links.calls), "true");
    assert_eq!(gem.pidfd.wait().expect("ended"), 0);
}
