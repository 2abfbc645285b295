//! What a toolset may serve beside tools: resources, templates of them, prompts, completions of their arguments; and
//! the blocks of content that answers are made of. The interface knows nothing of revisions: what a client does not
//! know is left out on the way.

use super::{Context, Refusal};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

/// A block of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Text for a model.
    Text(String),
    /// An image.
    Image {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Its media type.
        mime_type: &'static str,
    },
    /// A sound.
    Audio {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Its media type.
        mime_type: &'static str,
    },
    /// A resource, whole.
    Resource(Contents),
    /// A resource, by name.
    Link {
        /// Its URI.
        uri: String,
        /// Its name.
        name: String,
    },
}

/// What is in a resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Contents {
    /// Its URI.
    pub uri: String,
    /// Its media type.
    pub mime_type: &'static str,
    /// Text, or bytes.
    pub body: Body,
}

/// Text, or bytes.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl Content {
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Content::Text(text) => json!({"type": "text", "text": text}),
            Content::Image { bytes, mime_type } => {
                json!({"type": "image", "data": STANDARD.encode(bytes), "mimeType": mime_type})
            }
            Content::Audio { bytes, mime_type } => {
                json!({"type": "audio", "data": STANDARD.encode(bytes), "mimeType": mime_type})
            }
            Content::Resource(contents) => json!({"type": "resource", "resource": contents.to_json()}),
            Content::Link { uri, name } => json!({"type": "resource_link", "uri": uri, "name": name}),
        }
    }
}

impl Contents {
    pub(crate) fn to_json(&self) -> Value {
        let mut value = json!({"uri": self.uri, "mimeType": self.mime_type});
        match &self.body {
            Body::Text(text) => value["text"] = json!(text),
            Body::Bytes(bytes) => value["blob"] = json!(STANDARD.encode(bytes)),
        }
        value
    }
}

/// Reads a resource. Nothing if there is none of this URI.
pub type Reader = fn(&mut Context<'_>, &str) -> Result<Option<Vec<Contents>>, Refusal>;

/// A resource that can be read.
pub struct Resource {
    /// Its URI.
    pub uri: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// Its media type.
    pub mime_type: &'static str,
    /// Reads it.
    pub read: Reader,
}

/// Resources whose URIs follow a template of RFC 6570.
pub struct Template {
    /// The template.
    pub uri_template: &'static str,
    /// What begins all of their URIs: the template's own reader is asked for these.
    pub prefix: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// Their media type.
    pub mime_type: &'static str,
    /// Reads one of them.
    pub read: Reader,
}

/// An argument of a prompt.
#[derive(Debug, Clone, Copy)]
pub struct PromptArgument {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// Whether it must be given.
    pub required: bool,
}

/// A message of a prompt, said by the user.
pub type PromptMessages = Vec<Content>;

/// A prompt.
pub struct Prompt {
    /// Its name.
    pub name: &'static str,
    /// What it is good for.
    pub description: &'static str,
    /// Its arguments.
    pub arguments: Vec<PromptArgument>,
    /// Makes its messages.
    pub get: fn(&mut Context<'_>, &Map<String, Value>) -> Result<PromptMessages, Refusal>,
    /// What an argument may become that begins like this.
    pub complete: Option<fn(&str, &str) -> Vec<String>>,
}

/// A kind of change that a toolset may tell of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// What is in a resource.
    Updates,
}

/// A change that clients may want to hear of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change<'u> {
    /// Of the list of tools.
    Tools,
    /// Of the list of prompts.
    Prompts,
    /// Of the list of resources.
    Resources,
    /// Of the resource of this URI.
    Resource(&'u str),
}

impl Topic {
    pub(crate) fn name(self) -> &'static str {
        use protocol::gem::topic;
        match self {
            Topic::Tools => topic::TOOLS,
            Topic::Prompts => topic::PROMPTS,
            Topic::Resources => topic::RESOURCES,
            Topic::Updates => topic::RESOURCE,
        }
    }
}

impl Resource {
    pub(crate) fn describe(&self) -> Value {
        json!({"uri": self.uri, "name": self.name, "description": self.description, "mimeType": self.mime_type})
    }
}

impl Template {
    pub(crate) fn describe(&self) -> Value {
        json!({"uriTemplate": self.uri_template, "name": self.name, "description": self.description,
            "mimeType": self.mime_type})
    }
}

impl Prompt {
    pub(crate) fn describe(&self) -> Value {
        let argument = |argument: &PromptArgument| {
            let PromptArgument { name, description, required } = argument;
            json!({"name": name, "description": description, "required": required})
        };
        let arguments: Vec<Value> = self.arguments.iter().map(argument).collect();
        json!({"name": self.name, "description": self.description, "arguments": arguments})
    }
}
