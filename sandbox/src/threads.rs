//! Starts threads that are known to run.
//!
//! Must never return before the thread has made its own first system calls.

use std::io;
use std::sync::mpsc;
use std::thread::{Builder, JoinHandle};

/// Starts a thread and waits until it runs its own code.
///
/// A thread makes system calls of its own before that (it registers its robust list and restartable sequence, maps a
/// signal stack, sets its name), and a filter put over all threads meanwhile would refuse them. So a process
/// that confines itself starts its threads by this.
pub fn start<F>(name: &str, stack_bytes: usize, body: F) -> io::Result<JoinHandle<()>>
where
    F: FnOnce() + Send + 'static,
{
    let (running, runs) = mpsc::sync_channel(0);
    let handle = Builder::new().name(name.to_owned()).stack_size(stack_bytes).spawn(move || {
        let started = running.send(());
        drop(running);
        if started.is_ok() {
            body();
        }
    })?;
    runs.recv().map_err(|_| io::Error::other("a thread ended before it began"))?;
    Ok(handle)
}
