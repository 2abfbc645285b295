//! What the operating system does for our processes: starting them, passing descriptors between them, watching them
//! end, and the walls around a gem.
//!
//! This crate and the heap of the virtual machine are the only places with unsafe code; each unsafe block says why it
//! is sound. It must never know what its callers use it for: no MCP, no images, no frames.
//!
//! - [`packet`]: packets with descriptors beside them, over a socket pair
//! - [`pidfd`]: a process that cannot be mistaken for another one
//! - [`spawn`]: start a program with nothing but what it was given
//! - [`fork`]: fork a child that goes on as the same program
//! - [`limits`]: what this crate bounds
//! - [`children`]: learn which children have ended
//! - [`threads`]: start a thread and know that it runs
//! - [`walls`]: confine this process

pub mod children;
mod descriptors;
pub mod fork;
pub mod limits;
pub mod packet;
pub mod pidfd;
pub mod spawn;
pub mod threads;
pub mod walls;

use std::io;
use std::os::unix::net::UnixStream;

/// Two connected Unix stream sockets, both closed on exec.
pub fn stream_pair() -> io::Result<(UnixStream, UnixStream)> {
    UnixStream::pair()
}

/// Ends this process now, with whatever its other threads are doing: no destructor and no exit handler runs.
pub fn exit_at_once(code: i32) -> ! {
    // SAFETY: does not return, so nothing can see what it left undone.
    unsafe { libc::_exit(code) }
}
