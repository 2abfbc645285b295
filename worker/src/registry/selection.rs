//! What one gem serves: the toolsets that the operator chose, and what the image adds to them.
//!
//! In a read-only session only what is declared safe is served. It never asks the image: that is done before, in
//! [`crate::toolsets::image`].

use super::features::{ResourceReader, ServedPrompt};
use super::{Registry, ToolsetInfo};
use crate::tool::directory::{NotServed, ToolDirectory};
use crate::tool::served::{ServedTool, ToolListing};
use crate::tool::{Prompt, Resource, Template, Topic};
use crate::toolsets::image::{ImageFeature, ImageToolsets, WorkerNames};
use protocol::revision::Revision;
use protocol::shape::{Place, fit};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;
use thiserror::Error;

/// Stands for all toolsets that are served without a choice.
pub(crate) const DEFAULT: &str = "default";

/// What an operator chooses.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Choice<'c> {
    /// Toolsets to serve; empty for the default ones.
    pub(crate) toolsets: &'c [String],
    /// Those of them that are toolsets of the image.
    pub(crate) of_image: &'c [String],
    /// Those of them whose tools are listed; empty for what each says of itself.
    pub(crate) advertised: &'c [String],
    /// Whether only what is declared safe is served.
    pub(crate) read_only: bool,
}

/// A choice that names what is not there.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum ChoiceError {
    /// No toolset has such a name.
    #[error("Unknown toolset(s): {}. Available: {DEFAULT} (what is served without a choice), {}", .unknown.join(", "),
        .available.join(", "))]
    Unknown {
        /// What was named.
        unknown: Vec<String>,
        /// What there is.
        available: Vec<&'static str>,
    },
    /// Nothing can be advertised that is not served.
    #[error("Toolset(s) to be advertised that are not served: {}. Served: {}", .unserved.join(", "), .served.join(", "))]
    NotServed {
        /// What was named.
        unserved: Vec<String>,
        /// What is served.
        served: Vec<&'static str>,
    },
}

impl Registry {
    /// What a gem serves by this choice.
    pub(crate) fn select(&self, choice: &Choice<'_>) -> Result<Selection<'_>, ChoiceError> {
        let Choice { toolsets: names, of_image, advertised, read_only } = *choice;
        let is_known = |name: &String| self.knows(name) || of_image.contains(name);
        let unknown: Vec<String> = names.iter().filter(|name| !is_known(name)).cloned().collect();
        if !unknown.is_empty() {
            return Err(ChoiceError::Unknown {
                unknown,
                available: self.toolsets.iter().map(|set| set.name).collect(),
            });
        }
        let by_default = names.is_empty() || names.iter().any(|name| name == DEFAULT);
        let is_chosen = |set: &&ToolsetInfo| by_default && set.by_default || names.iter().any(|name| name == set.name);
        let chosen: Vec<&ToolsetInfo> = self.toolsets.iter().filter(is_chosen).collect();
        let toolsets: Vec<&'static str> = chosen.iter().map(|set| set.name).collect();
        let unserved = advertised.iter().filter(|name| !toolsets.contains(&name.as_str()) && !of_image.contains(name));
        let unserved: Vec<String> = unserved.cloned().collect();
        if !unserved.is_empty() {
            return Err(ChoiceError::NotServed { unserved, served: toolsets });
        }
        let is_advertised = |set: &ToolsetInfo| {
            if advertised.is_empty() { set.advertised } else { advertised.iter().any(|name| name == set.name) }
        };
        let image = ImageToolsets::default();
        let advertised_of_image = advertised.to_vec();
        let advertised = chosen.iter().filter(|set| is_advertised(set)).map(|set| set.name).collect();
        let is_safe = |name: &str| self.tools.values().any(|tool| tool.toolset() == name && tool.is_safe());
        let served = toolsets.iter().copied().filter(|name| !read_only || is_safe(name)).collect();
        Ok(Selection { registry: self, toolsets, served, advertised, advertised_of_image, read_only, image })
    }
}

/// What one gem serves.
pub(crate) struct Selection<'r> {
    registry: &'r Registry,
    /// What was chosen.
    toolsets: Vec<&'static str>,
    /// What is left of that: in a read-only session, a toolset in which nothing is declared safe is dropped whole.
    served: Vec<&'static str>,
    advertised: Vec<&'static str>,
    /// What is to be advertised, where that was said.
    advertised_of_image: Vec<String>,
    read_only: bool,
    /// What the image adds.
    image: ImageToolsets,
}

impl<'r> Selection<'r> {
    /// The names of the toolsets that are served.
    pub(crate) fn served(&self) -> &[&'static str] {
        &self.served
    }

    /// What a model is told of them.
    pub(crate) fn instructions(&self) -> impl Iterator<Item = &str> {
        let sets = self.registry.toolsets.iter().filter(|set| self.served.contains(&set.name));
        sets.filter_map(|set| set.instructions).chain(self.image.instructions(self.read_only))
    }

    /// What the image adds from now on.
    pub(crate) fn set_image(&mut self, image: ImageToolsets) {
        self.image = image;
    }

    /// What the image adds.
    pub(crate) fn image(&self) -> &ImageToolsets {
        &self.image
    }

    fn of_worker(&self, tool: &str) -> Option<&'r Arc<ServedTool>> {
        self.registry.tools.get(tool).filter(|tool| self.toolsets.contains(&tool.toolset()))
    }

    /// What `tools/list` says, in the order of the tools' names.
    pub(crate) fn list(&self) -> Vec<Arc<ToolListing>> {
        let tools = self.tools();
        tools.iter().filter(|tool| self.advertises(tool)).map(|tool| Arc::clone(tool.listing())).collect()
    }
}

impl ToolDirectory for Selection<'_> {
    fn find(&self, name: &str) -> Result<Arc<ServedTool>, NotServed> {
        match self.of_worker(name).or_else(|| self.image.tools.get(name)) {
            None => Err(NotServed::Unknown),
            Some(tool) if self.read_only && !tool.is_safe() => Err(NotServed::ReadOnly),
            Some(tool) => Ok(Arc::clone(tool)),
        }
    }

    fn tools(&self) -> Vec<Arc<ServedTool>> {
        let names: BTreeSet<&String> = self.registry.tools.keys().chain(self.image.tools.keys()).collect();
        names.into_iter().filter_map(|name| self.find(name).ok()).collect()
    }

    fn advertises(&self, tool: &ServedTool) -> bool {
        self.advertised.contains(&tool.toolset()) || self.image.advertises(tool.toolset(), &self.advertised_of_image)
    }
}

impl WorkerNames for Selection<'_> {
    fn owner(&self, tool: &str) -> Option<&str> {
        self.of_worker(tool).map(|tool| tool.toolset())
    }

    fn serves_resource(&self, uri: &str) -> bool {
        self.reader(uri).is_some()
    }

    fn serves_prompt(&self, name: &str) -> bool {
        self.prompt(name).is_some()
    }
}

impl<'r> Selection<'r> {
    fn chosen<T>(&self, all: &'r [(&'static str, T)]) -> impl Iterator<Item = &'r T> {
        all.iter().filter(|(toolset, _)| self.served.contains(toolset)).map(|(_, thing)| thing)
    }

    /// The resources.
    pub(crate) fn resources(&self, revision: &Revision) -> Vec<Value> {
        let own = self.chosen(&self.registry.resources).map(Resource::describe);
        fitted(own.chain(self.image.resources.iter().map(ImageFeature::describe)), revision)
    }

    /// The templates of resources.
    pub(crate) fn templates(&self, revision: &Revision) -> Vec<Value> {
        let own = self.chosen(&self.registry.templates).map(Template::describe);
        fitted(own.chain(self.image.templates.iter().map(ImageFeature::describe)), revision)
    }

    /// The prompts.
    pub(crate) fn prompts(&self, revision: &Revision) -> Vec<Value> {
        let own = self.chosen(&self.registry.prompts).map(Prompt::describe);
        fitted(own.chain(self.image.prompts.iter().map(ImageFeature::describe)), revision)
    }

    /// The kinds of change that may be told, each once.
    pub(crate) fn topics(&self) -> Vec<Topic> {
        let mut topics = Vec::new();
        let of_image: &[Topic] =
            if self.image.is_served { &[Topic::Tools, Topic::Prompts, Topic::Resources] } else { &[] };
        for topic in self.chosen(&self.registry.topics).chain(of_image) {
            if !topics.contains(topic) {
                topics.push(*topic);
            }
        }
        topics
    }

    /// Who reads the resource of this URI.
    pub(crate) fn reader(&self, uri: &str) -> Option<ResourceReader> {
        let resource = self.chosen(&self.registry.resources).find(|resource| resource.uri == uri);
        let template = || self.chosen(&self.registry.templates).find(|template| uri.starts_with(template.prefix));
        let own = resource.map(|resource| resource.read).or_else(|| template().map(|template| template.read));
        own.map(ResourceReader::Worker).or_else(|| self.image.reader(uri).map(ResourceReader::Image))
    }

    /// Whether arguments of prompts can be completed.
    pub(crate) fn completes(&self) -> bool {
        self.chosen(&self.registry.prompts).any(|prompt| prompt.complete.is_some())
    }

    /// The prompt of this name.
    pub(crate) fn prompt(&self, name: &str) -> Option<ServedPrompt<'r>> {
        let own = self.chosen(&self.registry.prompts).find(|prompt| prompt.name == name);
        own.map(ServedPrompt::Worker).or_else(|| self.image.prompt(name).map(ServedPrompt::Image))
    }
}

/// What a client of this revision is told of things that are no tools.
fn fitted(described: impl Iterator<Item = Value>, revision: &Revision) -> Vec<Value> {
    described
        .map(|mut value| {
            fit(Place::Named, &mut value, revision);
            value
        })
        .collect()
}
