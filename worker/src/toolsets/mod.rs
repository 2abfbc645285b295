//! The toolsets that come with the worker, one file each.

mod execution;
mod session;

use crate::tool::{Refusal, Toolset};
use smalltalk::store::StoreError;

/// All of them.
pub fn standard() -> Vec<Box<dyn Toolset>> {
    vec![Box::new(execution::Execution), Box::new(session::Session)]
}

/// What the store could not do, as a tool says it.
fn store_refusal(error: StoreError) -> Refusal {
    let text = error.to_string();
    match error {
        StoreError::Lost => Refusal::new("stoneLost", text),
        StoreError::Refused { kind, .. } => Refusal::new("refused", text).with("reason", kind.into()),
    }
}
