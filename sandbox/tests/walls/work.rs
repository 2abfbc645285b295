//! What a gem needs, done behind the walls. Each step panics if it fails.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Does all of it; reads `go` and writes `done`.
pub(crate) fn everything(mut calls: UnixStream) {
    memory();
    time();
    // A hash map draws random keys.
    assert_eq!(HashMap::from([(1, 2)])[&1], 2);
    let mut random = [0u8; 8];
    // SAFETY: the buffer lives through the call.
    assert_eq!(unsafe { libc::getrandom(random.as_mut_ptr().cast(), 8, 0) }, 8);
    eprintln!("(standard error reaches the log from behind the walls)");
    std::panic::set_hook(Box::new(|_| ()));
    assert!(std::panic::catch_unwind(|| panic!("unwinds")).is_err());
    poll(&calls);
    let mut word = [0; 2];
    calls.read_exact(&mut word).expect("read");
    assert_eq!(&word, b"go");
    calls.set_nonblocking(true).expect_err("ioctl is not on the list");
    calls.write_all(b"done").expect("written");
}

fn memory() {
    let mut blocks: Vec<Vec<u8>> = (0..2_000).map(|index| vec![1; index * 37]).collect();
    blocks.retain(|block| block.len() % 2 == 0);
    let mut large = vec![1u8; 32 << 20];
    large.extend(std::iter::repeat_n(2, 64 << 20));
    drop((blocks, large));
    let mut beyond = Vec::<u8>::new();
    beyond.try_reserve_exact(super::LIMITS.data_bytes as usize).expect_err("more than the limit");
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a fresh mapping of our own, given back below and used in between.
    unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let page = libc::mmap(std::ptr::null_mut(), 1 << 20, protection, flags, -1, 0);
        assert_ne!(page, libc::MAP_FAILED);
        page.cast::<u8>().write(1);
        assert_eq!(libc::madvise(page, 1 << 20, libc::MADV_DONTNEED), 0);
        let page = libc::mremap(page, 1 << 20, 2 << 20, libc::MREMAP_MAYMOVE);
        assert_ne!(page, libc::MAP_FAILED);
        assert_eq!(libc::mprotect(page, 4096, libc::PROT_NONE), 0);
        assert_eq!(libc::munmap(page, 2 << 20), 0);
    }
}

fn time() {
    let start = Instant::now();
    std::thread::sleep(Duration::from_millis(2));
    assert!(start.elapsed() >= Duration::from_millis(2));
    assert!(std::time::SystemTime::now().elapsed().is_ok());
}

fn poll(calls: &UnixStream) {
    let mut wanted = libc::pollfd { fd: calls.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry, which lives through the call.
    assert_eq!(unsafe { libc::poll(&mut wanted, 1, 5_000) }, 1);
}
