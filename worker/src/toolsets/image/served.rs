//! What the toolsets of the image add to what a gem serves, as it was when its view last moved.
//!
//! Data only: nothing here asks the image.

use super::IMAGE;
use crate::tool::served::ServedTool;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// All toolsets of the image that a gem serves.
#[derive(Default)]
pub(crate) struct ImageToolsets {
    /// Whether toolsets of the image are served here at all, even if there is none now.
    pub(crate) is_served: bool,
    /// The toolsets.
    pub(crate) sets: Vec<ImageToolset>,
    /// Their tools, by name.
    pub(crate) tools: BTreeMap<String, Arc<ServedTool>>,
    /// Their resources.
    pub(crate) resources: Vec<Arc<ImageFeature>>,
    /// Templates of their resources.
    pub(crate) templates: Vec<Arc<ImageFeature>>,
    /// Their prompts.
    pub(crate) prompts: Vec<Arc<ImageFeature>>,
    /// What the image said, to see whether it says something else.
    pub(crate) source: Vec<(String, String)>,
    /// Why toolsets that should be served are not.
    pub(crate) failures: Vec<String>,
}

/// A toolset of the image.
pub(crate) struct ImageToolset {
    /// The name of its class.
    pub(crate) name: String,
    /// Whether it says that its tools are listed.
    pub(crate) is_advertised: bool,
    /// Whether anything in it is declared safe in a read-only session.
    pub(crate) has_safe: bool,
    /// What a model is told of it.
    pub(crate) instructions: Option<String>,
}

/// A resource, a template of resources, or a prompt of the image.
#[derive(Debug)]
pub(crate) struct ImageFeature {
    /// `resource`, `template` or `prompt`.
    pub(crate) kind: &'static str,
    /// The toolset that it belongs to.
    pub(crate) toolset: String,
    /// Its name.
    pub(crate) name: String,
    /// Its URI, or its template; empty for a prompt.
    pub(crate) uri: String,
    /// What it is.
    pub(crate) description: String,
    /// Its media type; empty for a prompt.
    pub(crate) mime_type: String,
    /// The arguments of a prompt: name, description, whether it must be given.
    pub(crate) arguments: Vec<(String, String, bool)>,
}

impl ImageFeature {
    /// What clients are told of it.
    pub(crate) fn describe(self: &Arc<Self>) -> Value {
        let ImageFeature { kind, name, uri, description, mime_type, arguments, .. } = &**self;
        match *kind {
            "prompt" => {
                let arguments: Vec<Value> = arguments.iter().map(describe_argument).collect();
                json!({"name": name, "description": description, "arguments": arguments})
            }
            "template" => {
                json!({"uriTemplate": uri, "name": name, "description": description, "mimeType": mime_type})
            }
            _ => json!({"uri": uri, "name": name, "description": description, "mimeType": mime_type}),
        }
    }

    /// What the URIs of a template begin with.
    fn prefix(&self) -> &str {
        self.uri.split('{').next().unwrap_or_default()
    }
}

fn describe_argument((name, description, required): &(String, String, bool)) -> Value {
    json!({"name": name, "description": description, "required": required})
}

impl ImageToolsets {
    /// The names of the toolsets.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.sets.iter().map(|set| set.name.as_str())
    }

    /// What a model is told of them.
    pub(crate) fn instructions(&self, read_only: bool) -> impl Iterator<Item = &str> {
        let served = self.sets.iter().filter(move |set| set.has_safe || !read_only);
        served.filter_map(|set| set.instructions.as_deref())
    }

    /// Whether the tools of a toolset are listed, where these are to be advertised or where nothing was said.
    pub(crate) fn advertises(&self, toolset: &str, advertised: &[String]) -> bool {
        let Some(set) = self.sets.iter().find(|set| set.name == toolset) else { return false };
        if advertised.is_empty() {
            return set.is_advertised;
        }
        advertised.iter().any(|name| name == toolset || name == IMAGE)
    }

    /// What answers the resource of this URI.
    pub(crate) fn reader(&self, uri: &str) -> Option<Arc<ImageFeature>> {
        let resource = self.resources.iter().find(|feature| feature.uri == uri);
        resource.or_else(|| self.templates.iter().find(|feature| uri.starts_with(feature.prefix()))).cloned()
    }

    /// The prompt of this name.
    pub(crate) fn prompt(&self, name: &str) -> Option<Arc<ImageFeature>> {
        self.prompts.iter().find(|feature| feature.name == name).cloned()
    }
}
