//! Memory from the operating system: a range of addresses, of which parts are given memory and parts are not.
//!
//! Nothing here knows what an object is.

use std::io;
use std::ptr;

/// A private range of addresses, given back when it is dropped. Pages cost nothing until they are touched.
#[derive(Debug)]
pub(super) struct Region {
    start: usize,
    bytes: usize,
}

pub(super) const PAGE_BYTES: usize = 4096;

/// A length, rounded up to pages.
pub(super) fn whole_pages(bytes: usize) -> usize {
    bytes.div_ceil(PAGE_BYTES) * PAGE_BYTES
}

const ACCESSIBLE: libc::c_int = libc::PROT_READ | libc::PROT_WRITE;
const ANONYMOUS: libc::c_int = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;

fn map(bytes: usize, protection: libc::c_int) -> io::Result<usize> {
    // SAFETY: an anonymous mapping at an address of the kernel's choice touches no memory that exists.
    checked(unsafe { libc::mmap(ptr::null_mut(), bytes, protection, ANONYMOUS, -1, 0) })
}

fn checked(address: *mut libc::c_void) -> io::Result<usize> {
    if address == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(address as usize) }
}

impl Region {
    /// A fresh region of zeroes, anywhere.
    pub(super) fn new(bytes: usize) -> io::Result<Region> {
        let bytes = whole_pages(bytes);
        Ok(Region { start: map(bytes, ACCESSIBLE)?, bytes })
    }

    /// Addresses without memory, anywhere: none of it may be touched before [`Region::commit`].
    pub(super) fn reserve(bytes: usize) -> io::Result<Region> {
        let bytes = whole_pages(bytes);
        Ok(Region { start: map(bytes, libc::PROT_NONE)?, bytes })
    }

    /// First address.
    #[inline(always)]
    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// Length.
    #[inline(always)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    fn check(&self, from: usize, bytes: usize) {
        let end = from.checked_add(whole_pages(bytes));
        assert!(from.is_multiple_of(PAGE_BYTES) && end.is_some_and(|end| end <= self.bytes), "a range of the region");
    }

    /// Gives memory, all zeroes, to the pages of a range: offset and length. What was there is lost.
    pub(super) fn commit(&mut self, from: usize, bytes: usize) -> io::Result<()> {
        self.replace(from, bytes, ACCESSIBLE)
    }

    /// Takes the memory of the pages of a range away.
    pub(super) fn decommit(&mut self, from: usize, bytes: usize) -> io::Result<()> {
        self.replace(from, bytes, libc::PROT_NONE)
    }

    fn replace(&mut self, from: usize, bytes: usize, protection: libc::c_int) -> io::Result<()> {
        self.check(from, bytes);
        let address = (self.start + from) as *mut libc::c_void;
        let flags = ANONYMOUS | libc::MAP_FIXED;
        // SAFETY: the range lies in this mapping of ours; the heap has no object there (`Arena` sees to it).
        checked(unsafe { libc::mmap(address, whole_pages(bytes), protection, flags, -1, 0) })?;
        Ok(())
    }

    /// Gives the pages of a range back to the system; they read as zeroes afterwards.
    pub(super) fn release(&mut self, from: usize, bytes: usize) {
        let first = whole_pages(from);
        if first >= from + bytes {
            return;
        }
        let bytes = from + bytes - first;
        self.check(first, bytes);
        // SAFETY: the range lies in this private anonymous mapping, and nothing in it is in use.
        unsafe { libc::madvise((self.start + first) as *mut libc::c_void, bytes, libc::MADV_DONTNEED) };
    }

    /// Puts the first `used` bytes of a committed range into a memory file and maps that privately at the same address,
    /// so that children of this process share its pages and forking copies no page tables for it.
    pub(super) fn share(&mut self, from: usize, used: usize) -> io::Result<()> {
        self.check(from, used);
        // SAFETY: the name is a C string; the descriptor is checked below.
        let file = unsafe { libc::memfd_create(c"lapidary-kernel".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        let mapped = self.write_and_map(file, from, whole_pages(used));
        // SAFETY: the descriptor is ours, and the mapping does not need it.
        unsafe { libc::close(file) };
        mapped
    }

    fn write_and_map(&mut self, file: i32, from: usize, used: usize) -> io::Result<()> {
        let start = self.start + from;
        let mut written = 0;
        while written < used {
            // SAFETY: the range lies in this mapping.
            let count = unsafe { libc::write(file, (start + written) as *const libc::c_void, used - written) };
            if count <= 0 {
                return Err(io::Error::last_os_error());
            }
            written += count as usize;
        }
        let flags = libc::MAP_PRIVATE | libc::MAP_FIXED;
        // SAFETY: replaces our own mapping by one with the same content.
        checked(unsafe { libc::mmap(start as *mut libc::c_void, used, ACCESSIBLE, flags, file, 0) })?;
        Ok(())
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing may hold an address in it once its owner is gone.
        unsafe { libc::munmap(self.start as *mut libc::c_void, self.bytes) };
    }
}
