//! What the operating system does for our processes: starting them, passing descriptors between them, watching them
//! end, and the walls around a gem.
//!
//! This crate and the heap of the virtual machine are the only places with unsafe code; each unsafe block says why it
//! is sound. It must never know what its callers use it for: no MCP, no images, no frames.
//!
//! - [`packet`]: packets with descriptors beside them, over a socket pair
//! - [`pidfd`]: a process that cannot be mistaken for another one
//! - [`spawn`]: start a program with nothing but what it was given
//! - [`fork`]: fork a gem from a zygote
//! - [`threads`]: start a thread and know that it runs
//! - [`walls`]: confine this process

mod descriptors;
pub mod fork;
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
