//! The Smalltalk image as a library: language, virtual machine, kernel classes.
//!
//! It knows nothing of the protocol, of sockets or of a stone: it asks for committed objects through
//! [`store::ObjectStore`]. Reading order: [`bytecode`] (what code is), [`heap`] (what objects are), [`vm`] (how code
//! runs), [`boot`] (how the kernel's sources become an image), [`image`] (the interface to the worker).

#![deny(unsafe_code)]

pub mod boot;
pub mod bridge;
pub mod bytecode;
mod class_making;
pub mod compiler;
mod compiling;
mod dictionaries;
pub mod filing;
mod foreign;
#[allow(unsafe_code)]
pub mod heap;
mod identities;
pub mod image;
pub mod memory_store;
pub mod primitives;
#[cfg(test)]
mod random;
pub mod reader;
pub mod record;
mod report;
pub mod store;
pub mod syntax;
mod toolset_watch;
pub mod transaction;
mod uses;
pub mod vm;

pub use boot::BootError;
pub use bridge::Value;
pub use filing::{FileIn, FileInErrors, FileInFailure};
pub use heap::HeapFault;
pub use image::{ErrorKind, ExecutionError, Image, VmLimits};
pub use transaction::{Commit, Refresh};
pub use vm::SessionFacts;
pub use vm::limits::Interrupts;
