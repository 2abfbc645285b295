//! One client's process: it owns a view of the repository, a virtual machine and the tools that work in it.
//!
//! A *zygote* boots the image once and forks a *gem* for each session. A gem has two threads: the main one reads calls
//! and runs tools in order, a watch thread answers what must not wait. It listens on nothing, opens no file and speaks
//! over the three sockets that it was given: calls, control, stone.
//!
//! As a library: implement [`Toolset`], hand it to [`run`] together with [`standard_toolsets`], and the binary serves
//! it:
//!
//! ```no_run
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use worker::{Answer, Hints, Tool, Toolset};
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Greet {
//!     /// Whom to greet.
//!     name: String,
//! }
//!
//! struct Greetings;
//!
//! impl Toolset for Greetings {
//!     fn name(&self) -> &'static str {
//!         "greetings"
//!     }
//!
//!     fn tools(&self) -> Vec<Tool> {
//!         let hints = Hints { read_only: true, destructive: false, idempotent: true };
//!         let greet = |_: &mut worker::Context<'_>, Greet { name }| Ok(Answer::text(format!("Hello, {name}")));
//!         vec![Tool::new("greet", "Greet", "Call this to greet a person.", hints, greet).safe_in_read_only()]
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     let mut toolsets = worker::standard_toolsets();
//!     toolsets.push(Box::new(Greetings));
//!     worker::run(toolsets)
//! }
//! ```
//!
//! The modules lie in layers, and none knows one above it; `tests/tests/rules/layers.rs` holds it. From the top:
//! [`run`] and `zygote` (processes), `gem` (one gem's life), `dispatcher` (from a message to its answer), `prepare`,
//! `tasks`, `discovery`, `pages` and `request` (what needs no machine), [`registry`] (which tools are served),
//! [`toolsets`] (the tools themselves), [`tool`] (what a tool is), and below them what knows no other: `link`, `calls`,
//! `image_store`, `read_log`, `state_cipher`. Read them in this order.
#![forbid(unsafe_code)]

/// The page on toolsets, whose example in Rust must compile.
#[cfg(doctest)]
#[doc = include_str!("../../docs/toolsets.md")]
struct Documentation;

mod calls;
mod command_line;
mod confinement;
mod discovery;
mod dispatcher;
mod document;
mod gem;
mod image_store;
mod link;
mod local;
mod pages;
mod panics;
mod prepare;
mod read_log;
pub mod registry;
mod request;
mod router;
mod run;
mod shared_state;
mod state_cipher;
mod tasks;
#[cfg(test)]
mod tests;
pub mod tool;
pub mod toolsets;
mod zygote;

pub use registry::Registry;
pub use run::run;
pub use tool::{Ability, Level, Question};
pub use tool::{Answer, Context, Hints, Outcome, Progress, Refusal, Tool, Toolset};
pub use tool::{Body, Change, Content, Contents, Prompt, PromptArgument, Resource, Template, Topic};
pub use toolsets::standard as standard_toolsets;
