//! What a tool works with: the session's image, its time, its client, and what is served beside it.
//!
//! It lends: nothing of it outlives the call.

use super::answer::Refusal;
use super::client::Client;
use super::directory::ToolDirectory;
use super::execution::execution_refusal;
use crate::image_store::StoneState;
use crate::read_log::ReadLog;
use smalltalk::Image;
use std::time::Instant;

/// What a tool works with.
pub struct Context<'g> {
    /// This session's image; it also knows who works here.
    pub image: &'g mut Image,
    /// When the call must have ended.
    pub deadline: Instant,
    /// What this session has read.
    pub(crate) read_log: &'g mut ReadLog,
    /// Whether tools that change something commit it.
    pub(crate) autocommit: bool,
    /// The tools that are served.
    pub(crate) tools: &'g dyn ToolDirectory,
    /// Whether the gem ends with this call.
    pub(crate) is_ephemeral: bool,
    /// What the stone is told of the call.
    pub(crate) stone: StoneState,
    /// Whom the call is for.
    pub(crate) client: Client<'g>,
}

impl Context<'_> {
    /// Runs Smalltalk in this session's image; answers the `printString` of its value, whole. What it changes is
    /// committed with the session's next commit.
    pub fn evaluate(&mut self, code: &str) -> Result<String, Refusal> {
        self.image.execute(code, self.deadline).map_err(execution_refusal)
    }
}

/// How far a call has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress<'p> {
    /// What is done.
    pub done: u64,
    /// What there is to do.
    pub total: u64,
    /// What is being done now.
    pub message: &'p str,
}
