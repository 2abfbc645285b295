//! Start a program with nothing but what it was given: its arguments, its variables, three descriptors.
//!
//! The standard library starts it; what it does not do is done between fork and exec, by system calls only:
//! that code must never allocate or lock.

use crate::descriptors::{check, close_on_exec_from};
use crate::pidfd::{Pidfd, Signal};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process;

/// Where one of the child's three standard descriptors leads.
#[derive(Debug, Clone, Copy, Default)]
pub enum Stdio<'a> {
    /// To nothing.
    #[default]
    Null,
    /// Where the parent's own leads.
    Inherit,
    /// To this, whatever its number is.
    Descriptor(BorrowedFd<'a>),
}

impl Stdio<'_> {
    fn to_std(self) -> io::Result<process::Stdio> {
        Ok(match self {
            Self::Null => process::Stdio::null(),
            Self::Inherit => process::Stdio::inherit(),
            Self::Descriptor(descriptor) => process::Stdio::from(descriptor.try_clone_to_owned()?),
        })
    }
}

/// A program to start. Its environment is empty and all three descriptors lead nowhere unless said otherwise; no other
/// descriptor of the parent is open in it, no signal is blocked or ignored.
#[derive(Debug)]
pub struct Command<'a> {
    program: OsString,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    stdio: [Stdio<'a>; 3],
    new_session: bool,
    parent_death_signal: Option<Signal>,
}

/// A program that was started.
#[derive(Debug)]
pub struct Child {
    /// Its number, for logs; signals go by the pidfd.
    pub pid: u32,
    /// The process itself. The caller must [`Pidfd::wait`] for it.
    pub pidfd: Pidfd,
}

impl<'a> Command<'a> {
    /// The program at this path; no search path is consulted.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            variables: Vec::new(),
            stdio: [Stdio::Null; 3],
            new_session: false,
            parent_death_signal: None,
        }
    }

    /// Adds an argument.
    pub fn arg(&mut self, argument: impl AsRef<OsStr>) -> &mut Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Adds a variable to the environment.
    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Self {
        self.variables.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Where descriptor 0 leads.
    pub fn stdin(&mut self, stdin: Stdio<'a>) -> &mut Self {
        self.stdio[0] = stdin;
        self
    }

    /// Where descriptor 1 leads.
    pub fn stdout(&mut self, stdout: Stdio<'a>) -> &mut Self {
        self.stdio[1] = stdout;
        self
    }

    /// Where descriptor 2 leads.
    pub fn stderr(&mut self, stderr: Stdio<'a>) -> &mut Self {
        self.stdio[2] = stderr;
        self
    }

    /// Makes the child the leader of a session of its own: no terminal's signals reach it.
    pub fn new_session(&mut self) -> &mut Self {
        self.new_session = true;
        self
    }

    /// Has the kernel send the child this signal when its parent dies. The parent is the *thread* that starts the
    /// child, not the process: start it from a thread that never ends, or the child is killed when that thread does.
    pub fn parent_death_signal(&mut self, signal: Signal) -> &mut Self {
        self.parent_death_signal = Some(signal);
        self
    }

    /// Starts it. Answers once the program has been executed.
    ///
    /// # Errors
    /// When it cannot be executed, with what the system says; when an argument or variable contains a NUL.
    pub fn spawn(&self) -> io::Result<Child> {
        // A name without a slash would be looked for in the search path.
        let mut command = process::Command::new(Path::new(".").join(&self.program));
        let [stdin, stdout, stderr] = self.stdio;
        command.args(&self.arguments).env_clear().envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.stdin(stdin.to_std()?).stdout(stdout.to_std()?).stderr(stderr.to_std()?);
        let (new_session, signal, parent) = (self.new_session, self.parent_death_signal, process::id());
        // SAFETY: the closure makes system calls only: it neither allocates nor takes locks.
        unsafe { command.pre_exec(move || prepare(new_session, signal, parent)) };
        let pid = command.spawn()?.id();
        // The child has not been waited for, so the number still belongs to it.
        Ok(Child { pid, pidfd: Pidfd::open(pid)? })
    }
}

/// In the child, just before it executes.
fn prepare(new_session: bool, parent_death_signal: Option<Signal>, parent: u32) -> io::Result<()> {
    reset_signals();
    if new_session {
        // SAFETY: a system call without arguments.
        check(unsafe { libc::setsid() })?;
    }
    if let Some(signal) = parent_death_signal {
        // SAFETY: sets a flag of this process.
        check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, signal as libc::c_int) })?;
        // A parent that died before the line above sends nothing any more.
        if std::os::unix::process::parent_id() != parent {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
    }
    close_on_exec_from(3)
}

/// Gives every signal its default action: one that the parent ignores would stay ignored in the new program.
fn reset_signals() {
    for signal in 1..=64 {
        // SAFETY: the default action installs no handler; numbers that are no signals or cannot be changed answer an
        // error that does not matter.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptors::place;
    use std::fs::File;
    use std::io::Read;
    use std::os::fd::{AsFd, AsRawFd, OwnedFd};

    /// What a shell script prints, and how it ends.
    fn output(script: &str, configure: impl for<'c> FnOnce(&mut Command<'c>)) -> (String, i32) {
        let (mut reader, writer) = io::pipe().expect("a pipe");
        let stdout: OwnedFd = writer.into();
        let mut command = Command::new("/bin/sh");
        command.arg("-c").arg(script).stdout(Stdio::Descriptor(stdout.as_fd()));
        configure(&mut command);
        let child = command.spawn().expect("started");
        drop(stdout);
        let mut text = String::new();
        reader.read_to_string(&mut text).expect("read");
        (text, child.pidfd.wait().expect("ended"))
    }

    #[test]
    fn the_child_has_only_what_it_was_given() {
        // A descriptor that any ordinary child would inherit.
        let null = File::open("/dev/null").expect("open");
        place(&[null.as_raw_fd()], 41).expect("placed");
        // SAFETY: the number was just made here, and changing its flag touches no memory.
        check(unsafe { libc::fcntl(41, libc::F_SETFD, 0) }).expect("inheritable");
        let script = "ls /proc/$$/fd; echo \"$GIVEN-${HOME-unset}\"; exit 7";
        let (text, status) = output(script, |command| {
            command.env("GIVEN", "yes");
        });
        assert_eq!(text, "0\n1\n2\nyes-unset\n");
        assert_eq!(status, 7);
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error_of_spawn() {
        let error = Command::new("/no/such/program").spawn().expect_err("refused");
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(Command::new("/bin/sh").arg("a\0b").spawn().is_err());
    }

    #[test]
    fn a_session_of_its_own_and_default_signals() {
        // The sixth field of stat is the session; the name before it holds no blank here.
        // The shell blocks signals for a moment whenever it starts a program, so the masks are read by one that has
        // taken the shell's place.
        let script = "cut -d' ' -f6 /proc/$$/stat; echo $$; exec grep -E 'SigIgn|SigBlk' /proc/self/status";
        let (text, _) = output(script, |command| {
            command.new_session();
        });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], lines[1], "{text}");
        for line in &lines[2..] {
            // The C library keeps signals 32 and 33 to itself.
            let set = u64::from_str_radix(line.split('\t').nth(1).expect("a mask"), 16).expect("hexadecimal");
            assert_eq!(set & 0x7fff_ffff, 0, "{text}");
        }
    }

    #[test]
    fn signals_go_by_the_pidfd_and_the_parent_death_signal_is_set() {
        let mut command = Command::new("/bin/sleep");
        let child = command.arg("1000").parent_death_signal(Signal::SIGKILL).spawn().expect("started");
        assert_eq!(child.pidfd.try_wait().expect("asked"), None);
        child.pidfd.kill(Signal::SIGTERM).expect("sent");
        assert_eq!(child.pidfd.wait().expect("ended"), 128 + 15);
        child.pidfd.kill(Signal::SIGTERM).expect("an ended process is no error");
    }

    #[test]
    fn the_child_dies_with_the_thread_that_started_it() {
        let child = std::thread::spawn(|| {
            Command::new("/bin/sleep").arg("1000").parent_death_signal(Signal::SIGKILL).spawn().expect("started")
        });
        let child = child.join().expect("joined");
        assert_eq!(child.pidfd.wait().expect("ended"), 128 + 9);
    }
}
