//! Start a program with nothing but what it was given: its arguments, its variables, three descriptors.
//!
//! The child shares this process's memory until it executes (as `posix_spawn` does it), so that starting costs the
//! same however large the parent is, and its pidfd is made together with it. Between the two the child makes system
//! calls only: it may not allocate, lock or panic.

use crate::descriptors::{check, close_from, place};
use crate::pidfd::{Pidfd, Signal};
use std::ffi::{CString, OsStr, c_char, c_int, c_void};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;

/// Room for the child's frames before it executes; what it does is a handful of system calls.
const STACK_BYTES: usize = 64 * 1024;

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

/// A program to start. Its environment is empty and all three descriptors lead nowhere unless said otherwise; no other
/// descriptor of the parent is open in it.
#[derive(Debug)]
pub struct Command<'a> {
    program: CString,
    arguments: Vec<CString>,
    variables: Vec<CString>,
    stdio: [Stdio<'a>; 3],
    new_session: bool,
    parent_death_signal: Option<Signal>,
    invalid: bool,
}

/// A program that was started.
#[derive(Debug)]
pub struct Child {
    /// Its number, for logs; signals go by the pidfd.
    pub pid: u32,
    /// The process itself. Who started it must [`Pidfd::wait`] for it.
    pub pidfd: Pidfd,
}

impl<'a> Command<'a> {
    /// The program at this path; no search path is consulted.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        let mut command = Self {
            program: CString::default(),
            arguments: Vec::new(),
            variables: Vec::new(),
            stdio: [Stdio::Null; 3],
            new_session: false,
            parent_death_signal: None,
            invalid: false,
        };
        command.program = command.text(program.as_ref().as_bytes().to_vec());
        command
    }

    /// Adds an argument.
    pub fn arg(&mut self, argument: impl AsRef<OsStr>) -> &mut Self {
        let argument = self.text(argument.as_ref().as_bytes().to_vec());
        self.arguments.push(argument);
        self
    }

    /// Adds a variable to the environment.
    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Self {
        let variable = self.text([name.as_ref().as_bytes(), b"=", value.as_ref().as_bytes()].concat());
        self.variables.push(variable);
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

    fn text(&mut self, bytes: Vec<u8>) -> CString {
        CString::new(bytes).unwrap_or_else(|_| {
            self.invalid = true;
            CString::default()
        })
    }

    /// Starts it. Answers once the program has been executed; that it could not be is an error here.
    pub fn spawn(&self) -> io::Result<Child> {
        if self.invalid {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a program, argument or variable contains a NUL"));
        }
        let null = File::options().read(true).write(true).open("/dev/null")?;
        let mut stdio = [0; 3];
        for (number, (slot, wish)) in (0..).zip(stdio.iter_mut().zip(&self.stdio)) {
            *slot = match wish {
                Stdio::Null => null.as_raw_fd(),
                Stdio::Inherit => number,
                Stdio::Descriptor(descriptor) => descriptor.as_raw_fd(),
            };
        }
        let arguments = pointers(std::iter::once(&self.program).chain(&self.arguments));
        let variables = pointers(self.variables.iter());
        let mut birth = Birth {
            program: self.program.as_ptr(),
            arguments: arguments.as_ptr(),
            variables: variables.as_ptr(),
            stdio,
            new_session: self.new_session,
            parent_death_signal: self.parent_death_signal.map_or(0, |signal| signal as c_int),
            parent: std::process::id(),
            mask: empty_signal_set(),
            error: 0,
        };
        start(&mut birth)
    }
}

fn pointers<'s>(texts: impl Iterator<Item = &'s CString>) -> Vec<*const c_char> {
    texts.map(|text| text.as_ptr()).chain(std::iter::once(std::ptr::null())).collect()
}

/// All that the child needs, made before it exists.
struct Birth {
    program: *const c_char,
    arguments: *const *const c_char,
    variables: *const *const c_char,
    stdio: [RawFd; 3],
    new_session: bool,
    parent_death_signal: c_int,
    parent: u32,
    mask: libc::sigset_t,
    error: c_int,
}

fn empty_signal_set() -> libc::sigset_t {
    // SAFETY: a signal set is plain bytes, and sigemptyset gives it its value.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        set
    }
}

/// Makes the child and waits until it has executed or given up.
fn start(birth: &mut Birth) -> io::Result<Child> {
    let mut stack = vec![0u128; STACK_BYTES / size_of::<u128>()];
    let mut pidfd: c_int = -1;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD;
    // SAFETY: with CLONE_VFORK this thread sleeps until the child has executed or exited, so everything that the child
    // reads (`birth`, what it points to, the stack) outlives its use and nobody writes it meanwhile. All signals are
    // blocked around the call, so that no handler of the parent runs in the child on shared memory. `be_born` only
    // makes system calls. The stack's end is aligned for a u128.
    let (pid, error) = unsafe {
        let mut all = empty_signal_set();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut birth.mask);
        let top = stack.as_mut_ptr_range().end.cast::<c_void>();
        let argument = (&raw mut *birth).cast::<c_void>();
        let pid = libc::clone(be_born, top, flags, argument, &raw mut pidfd);
        let error = io::Error::last_os_error();
        libc::pthread_sigmask(libc::SIG_SETMASK, &birth.mask, std::ptr::null_mut());
        (pid, error)
    };
    if pid < 0 {
        return Err(error);
    }
    // SAFETY: the kernel has just made this descriptor for us; nobody else owns it.
    let pidfd = Pidfd::from(unsafe { OwnedFd::from_raw_fd(pidfd) });
    // The child wrote there through the shared memory; read it as what it is, changed from outside.
    // SAFETY: a plain field of a live structure.
    let error = unsafe { std::ptr::read_volatile(&raw const birth.error) };
    if error != 0 {
        pidfd.wait()?;
        return Err(io::Error::from_raw_os_error(error));
    }
    Ok(Child { pid: pid as u32, pidfd })
}

/// The child: runs on the parent's memory until it executes.
extern "C" fn be_born(argument: *mut c_void) -> c_int {
    let birth = argument.cast::<Birth>();
    // SAFETY: `start` passes a `Birth` that outlives the child's use of it. System calls only; errno is shared with
    // the sleeping parent thread, which does not look at it.
    unsafe {
        let error = match prepare(&*birth) {
            Ok(()) => {
                libc::execve((*birth).program, (*birth).arguments, (*birth).variables);
                io::Error::last_os_error()
            }
            Err(error) => error,
        };
        std::ptr::write_volatile(&raw mut (*birth).error, error.raw_os_error().unwrap_or(libc::EINVAL));
        libc::_exit(127)
    }
}

/// Everything between birth and execution.
fn prepare(birth: &Birth) -> io::Result<()> {
    // SAFETY: each of these is a system call on values that live for the call; the child's handlers and mask are its
    // own (CLONE_SIGHAND is not set).
    unsafe {
        reset_signals();
        if birth.new_session {
            check(libc::setsid())?;
        }
        if birth.parent_death_signal != 0 {
            check(libc::prctl(libc::PR_SET_PDEATHSIG, birth.parent_death_signal))?;
            // Whoever died before the line above sends nothing any more.
            if libc::getppid() as u32 != birth.parent {
                libc::_exit(127);
            }
        }
        place(&birth.stdio, 0, true)?;
        close_from(3);
        let mask = empty_signal_set();
        check(libc::pthread_sigmask(libc::SIG_SETMASK, &mask, std::ptr::null_mut()))?;
    }
    Ok(())
}

/// Gives every signal its default action: an ignored one would stay ignored in the new program, and a handler must not
/// run on the parent's memory once signals are unblocked.
///
/// # Safety
/// Only in a child with signal actions of its own.
unsafe fn reset_signals() {
    // SAFETY: `action` is a valid default action; numbers that are no signals or cannot be changed answer an error
    // that does not matter.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = libc::SIG_DFL;
        for signal in 1..=64 {
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::fd::AsFd;

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
        place(&[null.as_raw_fd()], 41, true).expect("placed");
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
