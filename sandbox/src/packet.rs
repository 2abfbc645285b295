//! Packets with descriptors beside them, over a pair of `SOCK_SEQPACKET` sockets.
//!
//! A packet arrives whole or not at all. One must never be empty: that is how the end of the peer reads.

use crate::limits::PACKET_DESCRIPTORS_MAX;
use nix::cmsg_space;
use nix::sys::socket::{self, AddressFamily, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType};
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// One end of a packet link.
#[derive(Debug)]
pub struct PacketSocket {
    descriptor: OwnedFd,
}

/// What was received; no bytes at all mean that the peer is gone.
#[derive(Debug, Default)]
pub struct Packet {
    /// The payload.
    pub bytes: Vec<u8>,
    /// What came beside it, in the order in which it was sent; closed on exec.
    pub descriptors: Vec<OwnedFd>,
}

impl Packet {
    /// Whether this is the end of the link and no packet.
    pub fn is_end(&self) -> bool {
        self.bytes.is_empty() && self.descriptors.is_empty()
    }
}

impl PacketSocket {
    /// Two connected ends, closed on exec, blocking.
    pub fn pair() -> io::Result<(Self, Self)> {
        let (one, other) = socket::socketpair(AddressFamily::Unix, SockType::SeqPacket, None, SockFlag::SOCK_CLOEXEC)?;
        Ok((Self { descriptor: one }, Self { descriptor: other }))
    }

    /// Whether a call that would have to wait answers `WouldBlock` instead.
    pub fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        use nix::fcntl::{F_GETFL, F_SETFL, OFlag, fcntl};
        let mut flags = OFlag::from_bits_retain(fcntl(&self.descriptor, F_GETFL)?);
        flags.set(OFlag::O_NONBLOCK, nonblocking);
        fcntl(&self.descriptor, F_SETFL(flags))?;
        Ok(())
    }

    /// Sends one packet. The descriptors are duplicated into the receiver; the caller keeps its own.
    pub fn send(&self, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        if bytes.is_empty() || descriptors.len() > PACKET_DESCRIPTORS_MAX {
            let message = format!("a packet has a byte and at most {PACKET_DESCRIPTORS_MAX} descriptors");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let raw: Vec<RawFd> = descriptors.iter().map(AsRawFd::as_raw_fd).collect();
        let rights = [ControlMessage::ScmRights(&raw)];
        let control: &[ControlMessage<'_>] = if raw.is_empty() { &[] } else { &rights };
        let iov = [IoSlice::new(bytes)];
        loop {
            match socket::sendmsg::<()>(self.descriptor.as_raw_fd(), &iov, control, MsgFlags::MSG_NOSIGNAL, None) {
                Ok(_) => return Ok(()),
                Err(nix::Error::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Receives one packet of at most `limit` bytes; a longer one is an error, with its descriptors closed.
    pub fn receive(&self, limit: usize) -> io::Result<Packet> {
        let mut bytes = vec![0; limit];
        let mut control = cmsg_space!([RawFd; PACKET_DESCRIPTORS_MAX]);
        let (length, flags, descriptors) = loop {
            match self.receive_once(&mut bytes, &mut control) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                outcome => break outcome?,
            }
        };
        if flags.intersects(MsgFlags::MSG_TRUNC | MsgFlags::MSG_CTRUNC) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a packet longer than this link allows"));
        }
        bytes.truncate(length);
        Ok(Packet { bytes, descriptors })
    }

    fn receive_once(&self, bytes: &mut [u8], control: &mut [u8]) -> io::Result<(usize, MsgFlags, Vec<OwnedFd>)> {
        let mut iov = [IoSliceMut::new(bytes)];
        let descriptor = self.descriptor.as_raw_fd();
        let message = socket::recvmsg::<()>(descriptor, &mut iov, Some(control), MsgFlags::MSG_CMSG_CLOEXEC)?;
        let mut descriptors = Vec::new();
        for part in message.cmsgs()? {
            if let ControlMessageOwned::ScmRights(raw) = part {
                // SAFETY: the kernel has just installed these descriptors for this message; nothing else owns them.
                descriptors.extend(raw.into_iter().map(|raw| unsafe { OwnedFd::from_raw_fd(raw) }));
            }
        }
        Ok((message.bytes, message.flags, descriptors))
    }
}

impl From<OwnedFd> for PacketSocket {
    fn from(descriptor: OwnedFd) -> Self {
        Self { descriptor }
    }
}

impl From<PacketSocket> for OwnedFd {
    fn from(socket: PacketSocket) -> Self {
        socket.descriptor
    }
}

impl AsFd for PacketSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

impl AsRawFd for PacketSocket {
    fn as_raw_fd(&self) -> RawFd {
        self.descriptor.as_raw_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn bytes_and_descriptors_arrive_together() {
        let (one, other) = PacketSocket::pair().expect("a pair");
        let (mut near, far) = crate::stream_pair().expect("a pair");
        one.send(b"hello", &[far.as_fd()]).expect("sent");
        drop(far);
        let packet = other.receive(64).expect("received");
        assert_eq!(packet.bytes, b"hello");
        let mut far = std::os::unix::net::UnixStream::from(packet.descriptors.into_iter().next().expect("one"));
        near.write_all(b"x").expect("written");
        let mut byte = [0];
        far.read_exact(&mut byte).expect("read");
        assert_eq!(&byte, b"x");
    }

    #[test]
    fn the_end_of_the_peer_is_an_empty_packet() {
        let (one, other) = PacketSocket::pair().expect("a pair");
        one.send(b"last", &[]).expect("sent");
        drop(one);
        assert_eq!(other.receive(64).expect("received").bytes, b"last");
        assert!(other.receive(64).expect("received").is_end());
    }

    #[test]
    fn what_is_too_long_or_empty_is_refused() {
        let (one, other) = PacketSocket::pair().expect("a pair");
        assert_eq!(one.send(b"", &[]).expect_err("refused").kind(), io::ErrorKind::InvalidInput);
        one.send(&[7; 65], &[]).expect("sent");
        assert_eq!(other.receive(64).expect_err("refused").kind(), io::ErrorKind::InvalidData);
        one.send(&[7; 64], &[]).expect("sent");
        assert_eq!(other.receive(64).expect("received").bytes, [7; 64]);
    }

    #[test]
    fn a_nonblocking_end_does_not_wait() {
        let (_one, other) = PacketSocket::pair().expect("a pair");
        other.set_nonblocking(true).expect("set");
        assert_eq!(other.receive(64).expect_err("nothing there").kind(), io::ErrorKind::WouldBlock);
    }
}
