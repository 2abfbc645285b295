//! The toolsets that come with the worker, one file each, and those of the image.
//!
//! They know what a tool is ([`crate::tool`]) and the state beside the image, and never which tools are served, nor any
//! message of a client.

mod browsing;
mod catalog;
mod execution;
pub(crate) mod image;
mod listing;
mod mutation;
mod searching;
mod session;
mod support;
mod testing;

use crate::tool::{Refusal, Toolset};
use smalltalk::store::StoreError;

/// All of them.
pub fn standard() -> Vec<Box<dyn Toolset>> {
    vec![
        Box::new(execution::Execution),
        Box::new(session::Session),
        Box::new(listing::Listing),
        Box::new(browsing::Browsing),
        Box::new(searching::Searching),
        Box::new(mutation::Mutation),
        Box::new(testing::Testing),
        Box::new(catalog::Catalog),
    ]
}

/// What the store could not do, as a tool says it.
fn store_refusal(error: StoreError) -> Refusal {
    let text = error.to_string();
    match error {
        StoreError::Lost => Refusal::new("stoneLost", text),
        StoreError::Refused { kind, .. } => Refusal::new("refused", text).with("reason", kind.into()),
    }
}
