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
//!         vec![Tool::new("greet", "Greet", "Call this to greet somebody.", hints, greet).safe_in_read_only()]
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
//! Read in this order: [`run`], `zygote`, `gem`, `dispatcher`, [`registry`], [`tool`].
#![forbid(unsafe_code)]

/// The page on toolsets, whose example in Rust must compile.
#[cfg(doctest)]
#[doc = include_str!("../../docs/toolsets.md")]
struct Documentation;

mod arguments;
mod asking;
mod calls;
mod catalogue;
pub mod client;
mod command_line;
mod confinement;
mod dispatcher;
mod document;
pub mod features;
mod gem;
mod gems;
mod image_store;
mod ledger;
mod link;
mod local;
mod offering;
mod pages;
mod panics;
mod prepare;
pub mod registry;
mod router;
mod run;
mod seal;
mod surface;
mod tasks;
pub mod tool;
pub mod toolsets;
mod watch;
mod zygote;

pub use client::{Ability, Level, Question};
pub use features::{Body, Change, Content, Contents, Prompt, PromptArgument, Resource, Template, Topic};
pub use registry::Registry;
pub use run::run;
pub use tool::{Answer, Context, Hints, Outcome, Progress, Refusal, Tool, Toolset};
pub use toolsets::standard as standard_toolsets;
