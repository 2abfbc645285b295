//! The thread that makes check-points, beside the commits.
//!
//! Holds a commit up only when the log has outgrown its limit, and then only for the little that the check-point just
//! before has left.

use crate::engine::{EngineError, Keeper};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Works whenever it is asked to, until nobody can ask any more; then once more, so that the next start is quick.
pub(crate) fn run(
    mut keeper: Box<dyn Keeper>,
    due: Receiver<()>,
    gate: Arc<Mutex<()>>,
    failure: Arc<OnceLock<String>>,
) {
    let mut more = true;
    while more && failure.get().is_none() {
        more = due.recv().is_ok();
        match check_point(keeper.as_mut(), &gate) {
            Ok(()) => {}
            // The log keeps what could not be moved; the next one tries again.
            Err(EngineError::Full(reason)) => tracing::warn!(reason, "no room for a check-point"),
            Err(error) => {
                let reason = error.to_string();
                if failure.set(reason.clone()).is_ok() {
                    tracing::error!(reason, "a check-point failed: no commits are taken until a restart");
                }
            }
        }
    }
}

fn check_point(keeper: &mut dyn Keeper, gate: &Mutex<()>) -> Result<(), EngineError> {
    if keeper.check_point()? {
        let _held = gate.lock().unwrap_or_else(PoisonError::into_inner);
        keeper.empty_log()?;
    }
    Ok(())
}
