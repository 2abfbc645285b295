//! Memory from the operating system, in whole regions.
//!
//! Nothing here knows what an object is.

use std::io;
use std::ptr;

/// A private, writable mapping, given back when it is dropped. Pages cost nothing until they are touched.
#[derive(Debug)]
pub(super) struct Region {
    start: usize,
    bytes: usize,
}

const PAGE_BYTES: usize = 4096;

fn whole_pages(bytes: usize) -> usize {
    bytes.div_ceil(PAGE_BYTES) * PAGE_BYTES
}

fn checked(address: *mut libc::c_void) -> io::Result<usize> {
    if address == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(address as usize) }
}

impl Region {
    /// A fresh region of zeroes, anywhere.
    pub(super) fn new(bytes: usize) -> io::Result<Region> {
        let bytes = whole_pages(bytes);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: an anonymous mapping at an address of the kernel's choice touches no memory that exists.
        let address = unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        Ok(Region { start: checked(address)?, bytes })
    }

    /// First address.
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// The address behind the last byte.
    pub(super) fn end(&self) -> usize {
        self.start + self.bytes
    }

    /// Length.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether an address lies in it.
    #[inline(always)]
    pub(super) fn contains(&self, address: usize) -> bool {
        address.wrapping_sub(self.start) < self.bytes
    }

    /// Gives the pages of `from..` back to the system; they read as zeroes afterwards.
    pub(super) fn release_from(&mut self, from: usize) {
        let from = self.start + whole_pages(from - self.start);
        if from < self.end() {
            // SAFETY: the range lies in this private anonymous mapping, and the caller holds nothing in it.
            unsafe { libc::madvise(from as *mut libc::c_void, self.end() - from, libc::MADV_DONTNEED) };
        }
    }

    /// Puts the first `used` bytes into a memory file and maps that privately at the same address, so that children
    /// of this process share its pages and forking copies no page tables for it. What lies behind is given up.
    pub(super) fn share(&mut self, used: usize) -> io::Result<()> {
        let used = whole_pages(used);
        assert!(used <= self.bytes, "no more is shared than there is");
        // SAFETY: the name is a C string; the descriptor is checked below.
        let file = unsafe { libc::memfd_create(c"lapidary-kernel".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        let mapped = self.write_and_map(file, used);
        // SAFETY: the descriptor is ours, and the mapping does not need it.
        unsafe { libc::close(file) };
        mapped
    }

    fn write_and_map(&mut self, file: i32, used: usize) -> io::Result<()> {
        let mut written = 0;
        while written < used {
            // SAFETY: the range lies in this mapping.
            let count = unsafe { libc::write(file, (self.start + written) as *const libc::c_void, used - written) };
            if count <= 0 {
                return Err(io::Error::last_os_error());
            }
            written += count as usize;
        }
        let flags = libc::MAP_PRIVATE | libc::MAP_FIXED;
        let address = self.start as *mut libc::c_void;
        // SAFETY: replaces our own mapping by one with the same content.
        checked(unsafe { libc::mmap(address, used, libc::PROT_READ | libc::PROT_WRITE, flags, file, 0) })?;
        if used < self.bytes {
            // SAFETY: the tail of our own mapping, which holds nothing.
            unsafe { libc::munmap((self.start + used) as *mut libc::c_void, self.bytes - used) };
            self.bytes = used;
        }
        Ok(())
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nobody may hold an address in it once its owner is gone.
        unsafe { libc::munmap(self.start as *mut libc::c_void, self.bytes) };
    }
}
