//! What reads a resource and what makes a prompt, the worker's and the image's alike.
//!
//! It never chooses between them: that is done in the selection.

use crate::tool::features::{Content, Contents, Prompt, Reader};
use crate::tool::{Context, Refusal};
use crate::toolsets::image::{self, ImageFeature};
use serde_json::{Map, Value};
use std::sync::Arc;

/// What reads a resource.
pub(crate) enum ResourceReader {
    /// A function of the worker.
    Worker(Reader),
    /// A block of the image.
    Image(Arc<ImageFeature>),
}

impl ResourceReader {
    /// The contents as JSON; nothing if there are none.
    pub(crate) fn read(&self, context: &mut Context<'_>, uri: &str) -> Result<Option<Vec<Value>>, Refusal> {
        match self {
            ResourceReader::Worker(read) => {
                Ok(read(context, uri)?.map(|contents| contents.iter().map(Contents::to_json).collect()))
            }
            ResourceReader::Image(feature) => image::read(context, feature, uri),
        }
    }
}

/// A prompt that may be got.
pub(crate) enum ServedPrompt<'r> {
    /// One of the worker's.
    Worker(&'r Prompt),
    /// One of the image's.
    Image(Arc<ImageFeature>),
}

impl ServedPrompt<'_> {
    /// What it is good for.
    pub(crate) fn description(&self) -> &str {
        match self {
            ServedPrompt::Worker(prompt) => prompt.description,
            ServedPrompt::Image(feature) => &feature.description,
        }
    }

    /// The arguments that must be given.
    pub(crate) fn required(&self) -> Vec<&str> {
        match self {
            ServedPrompt::Worker(prompt) => {
                prompt.arguments.iter().filter(|argument| argument.required).map(|argument| argument.name).collect()
            }
            ServedPrompt::Image(feature) => {
                feature.arguments.iter().filter(|argument| argument.2).map(|argument| argument.0.as_str()).collect()
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
            ServedPrompt::Worker(prompt) => (prompt.get)(context, arguments),
            ServedPrompt::Image(feature) => image::get_prompt(context, feature, arguments),
        }
    }

    /// What an argument may become that begins like this.
    pub(crate) fn complete(&self, argument: &str, value: &str) -> Vec<String> {
        match self {
            ServedPrompt::Worker(prompt) => {
                prompt.complete.map(|complete| complete(argument, value)).unwrap_or_default()
            }
            ServedPrompt::Image(_) => Vec::new(),
        }
    }
}
