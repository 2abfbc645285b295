//! Transports: bytes become messages for the core, and what the core answers becomes bytes.
//!
//! A transport knows no tool, no gem and no state beyond its own connections.

pub(crate) mod http;
pub(crate) mod stdio;

use crate::core::shared::Core;
use std::sync::Arc;

/// One way in which clients reach the core.
pub(crate) trait Transport {
    /// Takes messages until the core begins to stop, or until no more can come and all that came is answered.
    fn serve(&mut self, core: Arc<Core>) -> impl Future<Output = ()> + Send;

    /// Waits until the last answer is written and all connections are closed.
    fn close(&mut self) -> impl Future<Output = ()> + Send;
}
