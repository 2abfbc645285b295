//! What the toolsets of the image add to what a gem serves, as it was when its view last moved.

use crate::features::{Content, Contents, Prompt, Reader};
use crate::registry::{Entry, IMAGE};
use crate::tool::{Context, Refusal};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// All of it.
#[derive(Default)]
pub(crate) struct Surface {
    /// Whether toolsets of the image are served here at all, even if there is none now.
    pub(crate) is_served: bool,
    /// The toolsets.
    pub(crate) sets: Vec<Set>,
    /// Their tools, by name.
    pub(crate) tools: BTreeMap<String, Arc<Entry>>,
    /// Their resources.
    pub(crate) resources: Vec<Arc<Offer>>,
    /// Templates of their resources.
    pub(crate) templates: Vec<Arc<Offer>>,
    /// Their prompts.
    pub(crate) prompts: Vec<Arc<Offer>>,
    /// What the image said, to see whether it says something else.
    pub(crate) source: Vec<(String, String)>,
    /// Why toolsets that should be served are not.
    pub(crate) faults: Vec<String>,
}

/// A toolset of the image.
pub(crate) struct Set {
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
pub(crate) struct Offer {
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

impl Offer {
    /// What clients are told of it.
    pub(crate) fn describe(self: &Arc<Self>) -> Value {
        let Offer { kind, name, uri, description, mime_type, arguments, .. } = &**self;
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

impl Surface {
    /// The names of the toolsets.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.sets.iter().map(|set| set.name.as_str())
    }

    /// What a model is told of them.
    pub(crate) fn instructions(&self, read_only: bool) -> impl Iterator<Item = &str> {
        let served = self.sets.iter().filter(move |set| set.has_safe || !read_only);
        served.filter_map(|set| set.instructions.as_deref())
    }

    /// Whether the tools of a toolset are listed, where these are to be advertised or nobody said.
    pub(crate) fn advertises(&self, toolset: &str, advertised: &[String]) -> bool {
        let Some(set) = self.sets.iter().find(|set| set.name == toolset) else { return false };
        if advertised.is_empty() {
            return set.is_advertised;
        }
        advertised.iter().any(|name| name == toolset || name == IMAGE)
    }

    /// What answers the resource of this URI.
    pub(crate) fn reader(&self, uri: &str) -> Option<Arc<Offer>> {
        let resource = self.resources.iter().find(|offer| offer.uri == uri);
        resource.or_else(|| self.templates.iter().find(|offer| uri.starts_with(offer.prefix()))).cloned()
    }

    /// The prompt of this name.
    pub(crate) fn prompt(&self, name: &str) -> Option<Arc<Offer>> {
        self.prompts.iter().find(|offer| offer.name == name).cloned()
    }
}

/// What reads a resource.
pub(crate) enum Reading {
    /// A function of the worker.
    Worker(Reader),
    /// A block of the image.
    Image(Arc<Offer>),
}

impl Reading {
    /// The contents as JSON; nothing if there are none.
    pub(crate) fn read(&self, context: &mut Context<'_>, uri: &str) -> Result<Option<Vec<Value>>, Refusal> {
        match self {
            Reading::Worker(read) => {
                Ok(read(context, uri)?.map(|contents| contents.iter().map(Contents::to_json).collect()))
            }
            Reading::Image(offer) => crate::toolsets::image::read(context, offer, uri),
        }
    }
}

/// A prompt that may be got.
pub(crate) enum Prompting<'r> {
    /// One of the worker's.
    Worker(&'r Prompt),
    /// One of the image's.
    Image(Arc<Offer>),
}

impl Prompting<'_> {
    /// What it is good for.
    pub(crate) fn description(&self) -> &str {
        match self {
            Prompting::Worker(prompt) => prompt.description,
            Prompting::Image(offer) => &offer.description,
        }
    }

    /// The arguments that must be given.
    pub(crate) fn required(&self) -> Vec<&str> {
        match self {
            Prompting::Worker(prompt) => {
                prompt.arguments.iter().filter(|argument| argument.required).map(|argument| argument.name).collect()
            }
            Prompting::Image(offer) => {
                offer.arguments.iter().filter(|argument| argument.2).map(|argument| argument.0.as_str()).collect()
            }
        }
    }

    /// Its messages.
    pub(crate) fn get(
        &self,
        context: &mut Context<'_>,
        arguments: &Map<String, Value>,
    ) -> Result<Vec<Content>, Refusal> {
        match self {
            Prompting::Worker(prompt) => (prompt.get)(context, arguments),
            Prompting::Image(offer) => crate::toolsets::image::get_prompt(context, offer, arguments),
        }
    }

    /// What an argument may become that begins like this.
    pub(crate) fn complete(&self, argument: &str, value: &str) -> Vec<String> {
        match self {
            Prompting::Worker(prompt) => prompt.complete.map(|complete| complete(argument, value)).unwrap_or_default(),
            Prompting::Image(_) => Vec::new(),
        }
    }
}
