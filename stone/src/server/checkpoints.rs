//! The thread that makes checkpoints, beside the commits.
//!
//! Holds a commit up only when the log has outgrown its limit, and then only for the little that the checkpoint just
//! before has left.

use crate::engine::{Checkpointer, EngineError};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Works whenever it is asked to, until the channel closes; then once more, so that the next start is quick.
pub(crate) fn run(
    mut checkpointer: Box<dyn Checkpointer>,
    due: Receiver<()>,
    batch_lock: Arc<Mutex<()>>,
    failure: Arc<OnceLock<String>>,
) {
    let mut more = true;
    while more && failure.get().is_none() {
        more = due.recv().is_ok();
        match checkpoint(checkpointer.as_mut(), &batch_lock) {
            Ok(()) => {}
            // The log keeps what could not be moved; the next one tries again.
            Err(EngineError::Full(reason)) => tracing::warn!(reason, "no room for a checkpoint"),
            Err(error) => {
                let reason = error.to_string();
                if failure.set(reason.clone()).is_ok() {
                    tracing::error!(reason, "a checkpoint failed: no commits are taken until a restart");
                }
            }
        }
    }
}

fn checkpoint(checkpointer: &mut dyn Checkpointer, batch_lock: &Mutex<()>) -> Result<(), EngineError> {
    if checkpointer.checkpoint()? {
        let _held = batch_lock.lock().unwrap_or_else(PoisonError::into_inner);
        checkpointer.restart_log()?;
    }
    Ok(())
}
