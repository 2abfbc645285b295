//! `language`: what the image costs by itself, beside CPython: sends, the memory of a booted kernel, the start of a
//! zygote.
//!
//! Both sides take turns, and the best turn of each counts: a machine's other work only ever makes a turn longer. Sends
//! are measured in processor time, which other work disturbs least.

use protocol::zygote::{PACKET_BYTES_MAX, Report};
use rustix::time::{ClockId, clock_gettime};
use sandbox::packet::PacketSocket;
use smalltalk::memory_store::MemoryStore;
use smalltalk::{Image, SessionFacts, VmLimits};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tests::binaries;
use tests::processes::Process;

const FIB_TURNS: usize = 10;
const START_TURNS: usize = 20;
/// A turn that takes longer has failed.
const TURN: Duration = Duration::from_secs(60);
const FIB_32: &str = "2178309";

const FIB_IN_SMALLTALK: &str = "Integer compileMethod: 'fib ^self < 2 ifTrue: [self] ifFalse: [(self - 1) fib + \
    (self - 2) fib]' dictionaries: nil category: 'bench'";
const FIB_IN_PYTHON: &str = "
import time
class Number:
    def fib(self, n):
        return n if n < 2 else self.fib(n - 1) + self.fib(n - 2)
start = time.process_time()
value = Number().fib(32)
print(value, time.process_time() - start)
";

/// Runs the bench.
pub(crate) fn run() -> Vec<(&'static str, f64)> {
    let python = python();
    println!("Peer: {}, {}", python.display(), output(&python, &["--version"]));
    let (ours, theirs) = fib(&python);
    println!("fib(32) by sends, best of {FIB_TURNS}: {ours:.3} s; CPython {theirs:.3} s");
    let rss = resident_mib();
    println!("Zygote with a booted kernel, resident: {rss:.1} MiB");
    let (zygote, pass) = starts(&python);
    let (zygote_ms, pass_ms) = (zygote * 1_000.0, pass * 1_000.0);
    println!(
        "Start, best of {START_TURNS}: zygote until it says it has booted {zygote_ms:.1} ms; python3 -c pass \
            {pass_ms:.1} ms"
    );
    vec![("fib_over_cpython", ours / theirs), ("kernel_rss_mib", rss), ("zygote_start_over_python", zygote / pass)]
}

/// The interpreter itself: what lies in the path may be a script that looks for it.
fn python() -> PathBuf {
    PathBuf::from(output(Path::new("python3"), &["-c", "import sys; print(sys.executable)"]))
}

fn output(program: &Path, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    assert!(output.status.success(), "{}: {}", program.display(), String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

// === Sends

/// Processor seconds for fib(32), ours and CPython's.
fn fib(python: &Path) -> (f64, f64) {
    let mut image = image();
    execute(&mut image, FIB_IN_SMALLTALK);
    let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..FIB_TURNS {
        let start = processor_seconds();
        assert_eq!(execute(&mut image, "32 fib"), FIB_32);
        ours = ours.min(processor_seconds() - start);
        let said = output(python, &["-c", FIB_IN_PYTHON]);
        let (value, seconds) = said.split_once(' ').expect("a value and a time");
        assert_eq!(value, FIB_32);
        theirs = theirs.min(seconds.parse().expect("seconds"));
    }
    (ours, theirs)
}

/// What this thread has used of its processor.
fn processor_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// An image as a gem has it: frozen, before a store, with its limits on.
fn image() -> Image {
    let mut image = Image::boot().expect("the kernel boots");
    image.freeze().expect("the kernel can be frozen");
    let (store, overlays) = MemoryStore::new().open();
    let view = store.view();
    let session = SessionFacts { user: "DataCurator".to_owned(), session: 1, stone: "memory".to_owned() };
    image.attach(Box::new(store), session, overlays, 0..0, view).expect("the image attaches");
    image.set_limits(VmLimits { heap_bytes: 64 << 20, stack_bytes: 8 << 20 });
    image
}

fn execute(image: &mut Image, code: &str) -> String {
    image.execute(code, Instant::now() + TURN).unwrap_or_else(|error| panic!("{code}: {error:?}"))
}

// === The zygote

/// A zygote that has said that it has booted.
struct Zygote {
    child: Child,
    socket: PacketSocket,
}

impl Zygote {
    fn start() -> Self {
        let (socket, theirs) = PacketSocket::pair().expect("a pair of sockets");
        let mut command = Command::new(binaries::find("lapidary-worker"));
        command.arg("zygote").stdin(Stdio::from(OwnedFd::from(theirs))).env_clear();
        let child = command.spawn().expect("the zygote starts");
        // The end that the child was given must not stay open here, or its death would go unseen.
        drop(command);
        let packet = socket.receive(PACKET_BYTES_MAX).expect("a packet");
        let report = Report::decode(&packet.bytes).expect("a report");
        assert!(matches!(report, Report::Booted { .. }), "{report:?}");
        Self { child, socket }
    }

    /// It ends when its socket does.
    fn stop(mut self) {
        drop(self.socket);
        assert!(self.child.wait().expect("its end").success(), "a zygote ends well");
    }
}

fn resident_mib() -> f64 {
    let zygote = Zygote::start();
    let kib = Process::of(zygote.child.id()).map_or(0, Process::resident_kib);
    assert!(kib > 0, "the system tells what a process has in memory");
    zygote.stop();
    kib as f64 / 1_024.0
}

/// Seconds until a zygote is ready, and for `python3 -c pass`.
fn starts(python: &Path) -> (f64, f64) {
    let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..START_TURNS {
        let start = Instant::now();
        let zygote = Zygote::start();
        ours = ours.min(start.elapsed().as_secs_f64());
        zygote.stop();
        let start = Instant::now();
        output(python, &["-c", "pass"]);
        theirs = theirs.min(start.elapsed().as_secs_f64());
    }
    (ours, theirs)
}
