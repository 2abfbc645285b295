//! What is measured: the product and the floor, each started here and ended here.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tests::binaries;
use tests::processes::{Process, descendants};

/// The floor: the router's HTTP stack before children that echo.
pub(crate) struct Floor {
    pub(crate) address: SocketAddr,
    child: Child,
}

impl Floor {
    pub(crate) fn start() -> Self {
        let mut command = Command::new(binaries::find("floor-server"));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the floor starts");
        let mut line = String::new();
        let output = child.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("its address");
        Self { address: line.trim().parse().expect("an address"), child }
    }

    /// The process that listens.
    pub(crate) fn process(&self) -> Process {
        Process::of(self.child.id()).expect("the floor lives")
    }

    /// What the floor and its children use of the memory.
    pub(crate) fn proportional_kib(&self) -> u64 {
        let own = Process::of(self.child.id()).map_or(0, Process::proportional_kib);
        own + descendants(self.child.id()).into_iter().map(Process::proportional_kib).sum::<u64>()
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        if let Some(process) = Process::of(self.child.id())
            && !process.wait_for_end(Duration::from_secs(5))
        {
            process.kill();
        }
        let _ = self.child.wait();
    }
}
