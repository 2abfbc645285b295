//! What hostile code would try. Each attempt answers what the system said.

use std::io;

/// Tries one thing; the argument is the parent's process number.
pub(crate) type Attempt = fn(i32) -> io::Result<()>;

fn outcome(result: libc::c_long) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Makes a system call with whole numbers or addresses of live values for arguments.
macro_rules! call {
    ($number:ident $(, $argument:expr)*) => {
        // SAFETY: the arguments are numbers, or addresses of values that live through the call.
        outcome(unsafe { libc::syscall(libc::$number $(, $argument)*) })
    };
}

fn socket(family: i32, kind: i32) -> io::Result<()> {
    call!(SYS_socket, family, kind, 0)
}

fn map_executable() -> io::Result<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    call!(SYS_mmap, 0usize, 4096usize, libc::PROT_READ | libc::PROT_EXEC, flags, -1, 0)
}

fn make_executable() -> io::Result<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a fresh mapping of our own.
    let page = unsafe { libc::mmap(std::ptr::null_mut(), 4096, libc::PROT_READ, flags, -1, 0) };
    assert_ne!(page, libc::MAP_FAILED, "ordinary memory can be mapped");
    call!(SYS_mprotect, page, 4096usize, libc::PROT_READ | libc::PROT_EXEC)
}

fn thread() -> io::Result<()> {
    std::thread::Builder::new().spawn(|| ())?.join().map_err(|_| io::Error::other("it ran"))
}

fn send_with_an_address() -> io::Result<()> {
    // SAFETY: an address of plain bytes.
    let address: libc::sockaddr_in = unsafe { std::mem::zeroed() };
    call!(SYS_sendto, 3, b"x".as_ptr(), 1usize, 0, &raw const address, size_of_val(&address))
}

fn raise_limit() -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: 1024, rlim_max: 1024 };
    call!(SYS_prlimit64, 0, libc::RLIMIT_NOFILE, &raw const limit, 0usize)
}

/// All attempts, by name.
#[rustfmt::skip]
pub(crate) const ALL: &[(&str, Attempt)] = &[
    ("open", |_| std::fs::File::open("/etc/passwd").map(drop)),
    ("create", |_| std::fs::File::create("/tmp/walls-must-hold").map(drop)),
    ("open-null", |_| std::fs::File::open("/dev/null").map(drop)),
    ("stat", |_| std::fs::metadata("/etc/passwd").map(drop)),
    ("list", |_| std::fs::read_dir("/").map(drop)),
    ("proc", |parent| std::fs::read(format!("/proc/{parent}/environ")).map(drop)),
    ("remove", |_| std::fs::remove_file("/tmp/walls-must-hold")),
    ("link", |_| std::fs::hard_link("/etc/passwd", "/tmp/walls-must-hold")),
    ("chmod", |_| call!(SYS_fchmodat, libc::AT_FDCWD, c"/tmp".as_ptr(), 0o777)),
    ("chroot", |_| call!(SYS_chroot, c"/".as_ptr())),
    ("tcp", |_| socket(libc::AF_INET, libc::SOCK_STREAM)),
    ("udp", |_| socket(libc::AF_INET, libc::SOCK_DGRAM)),
    ("raw", |_| socket(libc::AF_INET, libc::SOCK_RAW)),
    ("unix", |_| socket(libc::AF_UNIX, libc::SOCK_STREAM)),
    ("netlink", |_| socket(libc::AF_NETLINK, libc::SOCK_RAW)),
    ("vsock", |_| socket(libc::AF_VSOCK, libc::SOCK_STREAM)),
    ("socketpair", |_| std::os::unix::net::UnixStream::pair().map(drop)),
    ("connect", |_| call!(SYS_connect, 3, c"".as_ptr(), 16)),
    ("sendto", |_| send_with_an_address()),
    ("pipe", |_| io::pipe().map(drop)),
    ("dup", |_| call!(SYS_dup, 3)),
    ("fcntl-dup", |_| call!(SYS_fcntl, 3, libc::F_DUPFD, 10)),
    ("memfd", |_| call!(SYS_memfd_create, c"x".as_ptr(), 0)),
    ("fork", |_| call!(SYS_clone, libc::SIGCHLD, 0, 0, 0, 0)),
    ("clone3", |_| call!(SYS_clone3, 0usize, 0usize)),
    ("thread", |_| thread()),
    ("execute", |_| call!(SYS_execve, c"/bin/true".as_ptr(), 0usize, 0usize)),
    ("execute-at", |_| call!(SYS_execveat, 3, c"".as_ptr(), 0usize, 0usize, libc::AT_EMPTY_PATH)),
    ("map-executable", |_| map_executable()),
    ("make-executable", |_| make_executable()),
    ("kill-parent", |parent| call!(SYS_kill, parent, 0)),
    ("kill-thread", |parent| call!(SYS_tgkill, parent, parent, libc::SIGTERM)),
    ("abort-parent", |parent| call!(SYS_tgkill, parent, parent, libc::SIGABRT)),
    ("queue-signal", |parent| call!(SYS_rt_sigqueueinfo, parent, libc::SIGTERM, 0usize)),
    ("pidfd", |parent| call!(SYS_pidfd_open, parent, 0)),
    ("ptrace", |parent| call!(SYS_ptrace, libc::PTRACE_ATTACH, parent, 0, 0)),
    ("read-memory", |parent| call!(SYS_process_vm_readv, parent, 0usize, 0, 0usize, 0, 0)),
    ("write-memory", |parent| call!(SYS_process_vm_writev, parent, 0usize, 0, 0usize, 0, 0)),
    ("io-uring", |_| call!(SYS_io_uring_setup, 1, 0usize)),
    ("bpf", |_| call!(SYS_bpf, 0, 0usize, 0)),
    ("keyring", |_| call!(SYS_keyctl, 0, 0, 0)),
    ("userfaultfd", |_| call!(SYS_userfaultfd, 0)),
    ("perf", |_| call!(SYS_perf_event_open, 0usize, 0, -1, -1, 0)),
    ("unshare", |_| call!(SYS_unshare, libc::CLONE_NEWUSER)),
    ("setns", |_| call!(SYS_setns, 3, 0)),
    ("mount", |_| call!(SYS_mount, 0usize, c"/".as_ptr(), 0usize, libc::MS_BIND, 0usize)),
    ("setuid", |_| call!(SYS_setuid, 0)),
    ("session", |_| call!(SYS_setsid)),
    ("priority", |_| call!(SYS_setpriority, libc::PRIO_PROCESS, 0, -10)),
    ("affinity", |_| call!(SYS_sched_setaffinity, 0, 0, 0usize)),
    ("raise-limit", |_| raise_limit()),
    ("dumpable", |_| call!(SYS_prctl, libc::PR_SET_DUMPABLE, 1, 0, 0, 0)),
    ("shared-memory", |_| call!(SYS_shmget, libc::IPC_PRIVATE, 4096usize, 0o600)),
    ("inotify", |_| call!(SYS_inotify_init1, 0)),
    ("reboot", |_| call!(SYS_reboot, 0, 0, 0, 0)),
];
