//! Toolsets that are classes of the image: finding them, reading what they register, calling them.
//!
//! Nothing that their code does reaches further than a refusal: each is asked by itself, within a time. Which of them
//! are served is decided above this layer.

mod call;
mod description;
mod load;
mod served;

pub(crate) use call::{get_prompt, read};
pub(crate) use load::load;
pub(crate) use served::{ImageFeature, ImageToolsets};

use super::support::ask::ask_image;
use crate::tool::Refusal;
use serde::Deserialize;
use serde_json::Value;
use smalltalk::Image;
use std::time::{Duration, Instant};

/// Stands for all toolsets of the image, where toolsets are named.
pub(crate) const IMAGE: &str = "image";

/// The class of the image that answers for its toolsets.
const SERVER: &str = "McpServer";
/// Time to look at all toolsets.
const LOOK_UP: Duration = Duration::from_secs(5);

/// Which toolsets of the image a gem serves.
#[derive(Debug, Clone, Default)]
pub(crate) struct ImageChoice {
    /// Those that are named.
    pub(crate) names: Vec<String>,
    /// Whether all of them are.
    pub(crate) all: bool,
    /// Whether only what is declared safe is served.
    pub(crate) read_only: bool,
}

/// Why a toolset cannot be served.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LoadFailure {
    /// A word for programs.
    pub(crate) kind: &'static str,
    /// The toolset that it concerns.
    pub(crate) toolset: String,
    /// What to fix.
    pub(crate) text: String,
    /// Whether the toolset was named, and so has to be there.
    pub(crate) is_named: bool,
}

/// The names that the worker's own toolsets have taken.
pub(crate) trait WorkerNames {
    /// The toolset that serves a tool of this name.
    fn owner(&self, tool: &str) -> Option<&str>;

    /// Whether a resource of this URI is served.
    fn serves_resource(&self, uri: &str) -> bool;

    /// Whether a prompt of this name is served.
    fn serves_prompt(&self, name: &str) -> bool;
}

/// What the server of the image says of itself.
#[derive(Debug, Deserialize)]
pub(crate) struct Identity {
    /// `serverInfo.name`, if it says one.
    pub(crate) name: Option<String>,
    /// `serverInfo.version`, if it says one.
    pub(crate) version: Option<String>,
    /// `serverInfo.title`, if there is one.
    pub(crate) title: Option<String>,
    /// What a model is told at the start, if it says so.
    pub(crate) instructions: Option<String>,
    /// The toolsets to serve.
    pub(crate) toolsets: Vec<String>,
}

/// Makes the server of this session in the image.
pub(crate) fn open_server(image: &mut Image, class: Option<&str>, settings: &Value) -> Result<Identity, Refusal> {
    let deadline = Instant::now() + LOOK_UP;
    let arguments = [class.into(), settings.to_string().as_str().into()];
    let was_clean = !image.has_uncommitted_changes();
    let told: Result<String, Refusal> = ask_image(image, deadline, SERVER, "_open:with:", &arguments);
    if was_clean && image.has_uncommitted_changes() {
        image.revert();
    }
    let identity = serde_json::from_str(&told?);
    identity.map_err(|error| Refusal::new("other", format!("the server of the image says of itself: {error}")))
}

/// The names of all toolsets of the image.
pub(crate) fn names(image: &mut Image) -> Vec<String> {
    let deadline = Instant::now() + LOOK_UP;
    ask_image(image, deadline, SERVER, "_toolsets", &[]).unwrap_or_default()
}
