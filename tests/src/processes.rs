//! Processes as the operating system shows them: who descends from whom, who still lives, and how to wait for an end.
//!
//! A process is named by its id together with its start time, so that an id that was given out again is never taken
//! for the process that had it before. Nothing is ever signalled by name.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// One process, for its whole life and never for another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// When it started, in clock ticks since boot.
    started: u64,
}

/// What `/proc/PID/stat` says.
struct Stat {
    state: char,
    parent: u32,
    started: u64,
}

impl Process {
    /// The process that has this id now.
    pub fn of(pid: u32) -> Option<Self> {
        let stat = stat(pid)?;
        (stat.state != 'Z').then_some(Self { pid, started: stat.started })
    }

    /// Whether it still runs; a zombie does not.
    pub fn is_alive(self) -> bool {
        Self::of(self.pid) == Some(self)
    }

    /// Its arguments, the program first.
    pub fn arguments(self) -> Vec<String> {
        let bytes = fs::read(format!("/proc/{}/cmdline", self.pid)).unwrap_or_default();
        let parts = bytes.split(|byte| *byte == 0).filter(|part| !part.is_empty());
        parts.map(|part| String::from_utf8_lossy(part).into_owned()).collect()
    }

    /// Whether the program's file name is `name`.
    pub fn runs(self, name: &str) -> bool {
        let arguments = self.arguments();
        arguments.first().is_some_and(|program| Path::new(program).file_name().is_some_and(|file| file == name))
    }

    /// Sends SIGKILL.
    pub fn kill(self) {
        self.signal(Signal::KILL);
    }

    /// Sends a signal, if the process still lives.
    pub fn signal(self, signal: Signal) {
        if self.is_alive() {
            let _ = kill_process(self.raw(), signal);
        }
    }

    /// Waits until it has ended; answers whether it did within `limit`.
    pub fn wait_for_end(self, limit: Duration) -> bool {
        let Ok(handle) = pidfd_open(self.raw(), PidfdFlags::empty()) else { return !self.is_alive() };
        if !self.is_alive() {
            return true;
        }
        let limit = Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: i64::from(limit.subsec_nanos()) };
        let ready = poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&limit));
        ready.is_ok_and(|count| count > 0) || !self.is_alive()
    }

    /// Its share of the memory, in KiB: pages that are shared count by their part.
    pub fn proportional_kib(self) -> u64 {
        self.memory("Pss:")
    }

    /// What of it lies in memory, in KiB: pages that are shared count whole.
    pub fn resident_kib(self) -> u64 {
        self.memory("Rss:")
    }

    fn memory(self, what: &str) -> u64 {
        let text = fs::read_to_string(format!("/proc/{}/smaps_rollup", self.pid)).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix(what));
        line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    }

    fn raw(self) -> Pid {
        Pid::from_raw(self.pid as i32).expect("an id over 0")
    }
}

/// Everything that `pid` started, directly or not, and that still lives.
pub fn descendants(pid: u32) -> Vec<Process> {
    let mut children: HashMap<u32, Vec<Process>> = HashMap::new();
    for (process, parent) in all() {
        children.entry(parent).or_default().push(process);
    }
    let mut found = Vec::new();
    let mut waiting = vec![pid];
    while let Some(next) = waiting.pop() {
        for child in children.remove(&next).unwrap_or_default() {
            found.push(child);
            waiting.push(child.pid);
        }
    }
    found
}

/// What `pid` started itself and what still lives.
pub fn children(pid: u32) -> Vec<Process> {
    all().filter(|(_, parent)| *parent == pid).map(|(process, _)| process).collect()
}

/// Processes that have an argument which begins with the path `folder`.
pub fn naming(folder: &Path) -> Vec<Process> {
    let folder = folder.to_string_lossy();
    let names = |process: &Process| process.arguments().iter().skip(1).any(|argument| argument.contains(&*folder));
    all().map(|(process, _)| process).filter(names).collect()
}

/// Waits until all of them have ended; answers those that have not within `limit`.
pub fn still_alive_after(processes: &BTreeSet<Process>, limit: Duration) -> Vec<Process> {
    let end = Instant::now() + limit;
    let outlives = |process: &Process| !process.wait_for_end(end.saturating_duration_since(Instant::now()));
    processes.iter().copied().filter(outlives).collect()
}

fn all() -> impl Iterator<Item = (Process, u32)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let stat = stat(pid)?;
        (stat.state != 'Z').then_some((Process { pid, started: stat.started }, stat.parent))
    })
}

/// The name of the program stands in parentheses and may hold any character, so fields are counted from the last one.
fn stat(pid: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    Some(Stat {
        state: fields.first()?.chars().next()?,
        parent: fields.get(1)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_child_is_seen_until_it_ends() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().expect("cat runs");
        let process = Process::of(child.id()).expect("it lives");
        assert!(descendants(std::process::id()).contains(&process));
        assert!(!process.wait_for_end(Duration::from_millis(10)));
        process.kill();
        assert!(process.wait_for_end(Duration::from_secs(5)));
        assert!(!process.is_alive());
        child.wait().expect("reaped");
        assert!(Process::of(std::process::id()).expect("this process").proportional_kib() > 0);
    }
}
