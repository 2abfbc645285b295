//! A toolset of many things, whose lists have more than one page.

use worker::{Body, Contents, Resource, Tool, Toolset};

/// How many resources there are.
const RESOURCES: usize = 450;

pub(crate) struct Crowd;

impl Toolset for Crowd {
    fn name(&self) -> &'static str {
        "crowd"
    }

    fn tools(&self) -> Vec<Tool> {
        Vec::new()
    }

    fn resources(&self) -> Vec<Resource> {
        (0..RESOURCES).map(resource).collect()
    }
}

/// A resource's words live as long as the program, which makes these once.
fn resource(number: usize) -> Resource {
    let uri: &'static str = Box::leak(format!("crowd://{number}").into_boxed_str());
    Resource {
        uri,
        name: uri,
        description: "One of many.",
        mime_type: "text/plain",
        read: |_, uri| {
            let body = Body::Text(uri.to_owned());
            Ok(Some(vec![Contents { uri: uri.to_owned(), mime_type: "text/plain", body }]))
        },
    }
}
