//! The link between a router and its zygote: a `SOCK_SEQPACKET` pair, one packet a message, descriptors beside it.
//!
//! The router sends [`Request::Fork`] with three descriptors in this order: the gem's call socket, its control
//! socket, its socket to the stone. The zygote answers [`Report`]s; `Forked` carries a pidfd.

use crate::frame::FrameError;
use crate::wire::{Reader, Writer};

/// Descriptors that travel with [`Request::Fork`].
pub const FORK_DESCRIPTORS: usize = 3;
/// Longest packet.
pub const PACKET_BYTES_MAX: usize = 1024;

/// What the router asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// Fork a gem over the three descriptors beside this packet.
    Fork {
        /// The router's own number for the gem.
        gem: u64,
    },
}

/// What the zygote says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// The image is loaded; the zygote serves from now on.
    Booted {
        /// The version of the worker's binary.
        version: String,
    },
    /// The gem runs; its pidfd comes beside this packet.
    Forked {
        /// The number that the router gave it.
        gem: u64,
        /// Its process id.
        pid: u32,
    },
    /// The gem could not be forked.
    Refused {
        /// The number that the router gave it.
        gem: u64,
        /// The operating system's error number.
        errno: i32,
    },
    /// The gem ended and was reaped.
    Ended {
        /// The number that the router gave it.
        gem: u64,
        /// Exit code, or 128 and the signal's number.
        status: i32,
    },
}

impl Request {
    /// As one packet.
    pub fn encode(self) -> Vec<u8> {
        let Request::Fork { gem } = self;
        let mut writer = Writer::new();
        writer.u8(1).u64(gem);
        writer.bytes
    }

    /// Reads one packet.
    pub fn decode(packet: &[u8]) -> Result<Self, FrameError> {
        let mut reader = Reader::new(packet);
        let request = match reader.u8()? {
            1 => Request::Fork { gem: reader.u64()? },
            _ => return Err(FrameError::Malformed("an unknown request to the zygote")),
        };
        reader.finish()?;
        Ok(request)
    }
}

impl Report {
    /// As one packet.
    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        match self {
            Report::Booted { version } => writer.u8(1).block(version.as_bytes()),
            Report::Forked { gem, pid } => writer.u8(2).u64(*gem).u32(*pid),
            Report::Refused { gem, errno } => writer.u8(3).u64(*gem).u32(*errno as u32),
            Report::Ended { gem, status } => writer.u8(4).u64(*gem).u32(*status as u32),
        };
        writer.bytes
    }

    /// Reads one packet.
    pub fn decode(packet: &[u8]) -> Result<Self, FrameError> {
        let mut reader = Reader::new(packet);
        let report = match reader.u8()? {
            1 => Report::Booted { version: reader.text()?.to_owned() },
            2 => Report::Forked { gem: reader.u64()?, pid: reader.u32()? },
            3 => Report::Refused { gem: reader.u64()?, errno: reader.u32()? as i32 },
            4 => Report::Ended { gem: reader.u64()?, status: reader.u32()? as i32 },
            _ => return Err(FrameError::Malformed("an unknown report of the zygote")),
        };
        reader.finish()?;
        Ok(report)
    }
}
