//! The system-call filter: what computing, waiting and talking over sockets that are open already need, and no more.
//!
//! Everything else answers `EPERM` instead of killing the process: libraries probe for things and go on without them,
//! and a refused call gains an attacker nothing. No call that makes a descriptor, a process, a thread or executable
//! memory is on the list.

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};
use std::collections::BTreeMap;
use thiserror::Error;

/// A compiled filter.
#[derive(Debug)]
pub struct Filter {
    program: BpfProgram,
}

/// The filter could not be compiled.
#[derive(Debug, Error)]
pub enum FilterError {
    /// There is no filter for this processor.
    #[error("no system-call filter for the architecture {0}")]
    Architecture(&'static str),
    /// The compiler refused it.
    #[error("the system-call filter does not compile: {0}")]
    Compile(#[from] seccompiler::BackendError),
}

/// Calls that are allowed whatever their arguments.
#[rustfmt::skip]
const FREE: &[libc::c_long] = &[
    // Talk over what is open.
    libc::SYS_read, libc::SYS_write, libc::SYS_readv, libc::SYS_writev, libc::SYS_recvfrom, libc::SYS_recvmsg,
    libc::SYS_sendmsg, libc::SYS_shutdown, libc::SYS_close, libc::SYS_ppoll,
    // Memory, with mmap and mprotect below.
    libc::SYS_munmap, libc::SYS_mremap, libc::SYS_madvise, libc::SYS_brk,
    // Locks, clocks, sleep, randomness.
    libc::SYS_futex, libc::SYS_clock_gettime, libc::SYS_clock_getres, libc::SYS_clock_nanosleep, libc::SYS_nanosleep,
    libc::SYS_sched_yield, libc::SYS_getrandom, libc::SYS_restart_syscall,
    // What the C library does when a thread runs or ends, a signal is handled, an allocator counts processors.
    libc::SYS_rt_sigaction, libc::SYS_rt_sigprocmask, libc::SYS_rt_sigreturn, libc::SYS_sigaltstack,
    libc::SYS_set_robust_list, libc::SYS_rseq, libc::SYS_gettid, libc::SYS_getpid, libc::SYS_sched_getaffinity,
    // End.
    libc::SYS_exit, libc::SYS_exit_group,
];

#[cfg(target_arch = "x86_64")]
const FREE_HERE: &[libc::c_long] = &[libc::SYS_poll];
#[cfg(not(target_arch = "x86_64"))]
const FREE_HERE: &[libc::c_long] = &[];

impl Filter {
    /// Compiles it; to be done once, before any gem is forked.
    pub fn compile() -> Result<Self, FilterError> {
        let architecture = std::env::consts::ARCH;
        let target = TargetArch::try_from(architecture).map_err(|_| FilterError::Architecture(architecture))?;
        let refuse = SeccompAction::Errno(libc::EPERM as u32);
        let filter = SeccompFilter::new(rules()?, refuse, SeccompAction::Allow, target)?;
        Ok(Self { program: filter.try_into()? })
    }

    /// Puts it over all threads of this process.
    pub(super) fn apply(&self) -> Result<(), String> {
        seccompiler::apply_filter_all_threads(&self.program).map_err(|error| error.to_string())
    }
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn rules() -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = FREE.iter().chain(FREE_HERE).map(|call| (*call, Vec::new())).collect();
    let executable = libc::PROT_EXEC as u64;
    let not_executable = || argument(2, SeccompCmpOp::MaskedEq(executable), 0);
    rules.insert(libc::SYS_mmap, vec![not_executable()?]);
    rules.insert(libc::SYS_mprotect, vec![not_executable()?]);
    // The standard library sends over a stream by this call, without an address.
    rules.insert(libc::SYS_sendto, vec![whole_argument(4, 0)?]);
    let harmless = [libc::F_GETFD, libc::F_GETFL, libc::F_SETFL];
    let control = harmless.iter().map(|command| argument(1, SeccompCmpOp::Eq, *command as u64));
    rules.insert(libc::SYS_fcntl, control.collect::<Result<_, _>>()?);
    // `abort` raises SIGABRT on its own thread; where the kernel's Landlock is too old to keep signals inside, the
    // worst that is left is this one signal to a process of the same user whose number was guessed.
    rules.insert(libc::SYS_tgkill, vec![argument(2, SeccompCmpOp::Eq, libc::SIGABRT as u64)?]);
    Ok(rules)
}

fn argument(index: u8, operation: SeccompCmpOp, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(index, SeccompCmpArgLen::Dword, operation, value)?])
}

fn whole_argument(index: u8, value: u64) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(vec![SeccompCondition::new(index, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, value)?])
}
