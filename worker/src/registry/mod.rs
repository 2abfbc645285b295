//! All tools that a worker can serve, and the choice of them that one gem does.
//!
//! Made once, before any client is there. It knows toolsets and tools, and never JSON-RPC, a
//! link, or a gem's life.

mod features;
mod selection;

pub(crate) use selection::{Choice, DEFAULT, Selection};

use crate::tool::served::ServedTool;
use crate::tool::{Prompt, Resource, Template, Toolset, Topic, gem_handle};
use crate::toolsets::image::IMAGE;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use thiserror::Error;

/// The toolsets of this worker cannot be served together: an error in how it was built.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RegistryError {
    /// Two have the same name.
    #[error("two toolsets are named {0}")]
    Toolset(String),
    /// Two tools have the same name.
    #[error("two tools are named {0}")]
    Tool(String),
    /// A schema does not compile.
    #[error("the schema of {tool} does not compile: {reason}")]
    Schema {
        /// Whose.
        tool: String,
        /// Why.
        reason: String,
    },
}

/// What is known of a toolset once its tools are taken.
struct ToolsetInfo {
    name: &'static str,
    by_default: bool,
    advertised: bool,
    instructions: Option<&'static str>,
}

/// All tools, by name, with their schemas compiled, and what is served beside them.
#[derive(Default)]
pub struct Registry {
    toolsets: Vec<ToolsetInfo>,
    tools: BTreeMap<String, Arc<ServedTool>>,
    resources: Vec<(&'static str, Resource)>,
    templates: Vec<(&'static str, Template)>,
    prompts: Vec<(&'static str, Prompt)>,
    topics: Vec<(&'static str, Topic)>,
}

impl Registry {
    /// Takes the tools of these toolsets.
    pub fn new(toolsets: Vec<Box<dyn Toolset>>) -> Result<Self, RegistryError> {
        LazyLock::force(&gem_handle::LISTED);
        let mut registry = Self::default();
        for toolset in toolsets {
            registry.add(&*toolset)?;
        }
        Ok(registry)
    }

    fn add(&mut self, toolset: &dyn Toolset) -> Result<(), RegistryError> {
        let name = toolset.name();
        if [DEFAULT, IMAGE].contains(&name) || self.toolsets.iter().any(|set| set.name == name) {
            return Err(RegistryError::Toolset(name.to_owned()));
        }
        self.toolsets.push(ToolsetInfo {
            name,
            by_default: toolset.is_served_by_default(),
            advertised: toolset.is_advertised(),
            instructions: toolset.instructions(),
        });
        let icon = toolset.icon();
        for tool in toolset.tools() {
            let tool_name = tool.name.clone().into_owned();
            let tool = ServedTool::new(name, icon, tool)
                .map_err(|reason| RegistryError::Schema { tool: tool_name.clone(), reason })?;
            if self.tools.insert(tool_name.clone(), Arc::new(tool)).is_some() || gem_handle::is_own(&tool_name) {
                return Err(RegistryError::Tool(tool_name));
            }
        }
        self.resources.extend(toolset.resources().into_iter().map(|resource| (name, resource)));
        self.templates.extend(toolset.templates().into_iter().map(|template| (name, template)));
        self.prompts.extend(toolset.prompts().into_iter().map(|prompt| (name, prompt)));
        self.topics.extend(toolset.topics().iter().map(|topic| (name, *topic)));
        Ok(())
    }

    /// What clients are told of each tool, and whether it is safe in a read-only session, toolset by toolset.
    pub(crate) fn by_toolset(&self) -> Vec<(&'static str, Vec<(Value, bool)>)> {
        let mut toolsets: Vec<&str> = self.toolsets.iter().map(|set| set.name).collect();
        toolsets.sort_unstable();
        let tools = |toolset: &str| {
            let tools = self.tools.values().filter(|tool| tool.toolset() == toolset);
            tools.map(|tool| (tool.listing().whole().clone(), tool.is_safe())).collect()
        };
        toolsets.into_iter().map(|toolset| (toolset, tools(toolset))).collect()
    }

    /// What may be chosen without an image.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.toolsets.iter().map(|set| set.name.to_owned());
        std::iter::once(format!("{DEFAULT} (what is served without a choice)")).chain(names).collect()
    }

    /// Whether a toolset is served without a choice.
    pub(crate) fn serves_by_default(&self, toolset: &str) -> bool {
        self.toolsets.iter().any(|set| set.name == toolset && set.by_default)
    }

    /// Whether a name stands for something that this worker has without an image.
    pub(crate) fn knows(&self, name: &str) -> bool {
        name == DEFAULT || self.toolsets.iter().any(|set| set.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::directory::{NotServed, ToolDirectory};
    use crate::tool::{Answer, Hints, Tool};
    use schemars::JsonSchema;
    use serde::Deserialize;

    #[derive(Deserialize, JsonSchema)]
    struct Nothing {}

    struct ThirdParty {
        name: &'static str,
        tools: &'static [&'static str],
    }

    impl Toolset for ThirdParty {
        fn name(&self) -> &'static str {
            self.name
        }

        fn tools(&self) -> Vec<Tool> {
            let hints = Hints { read_only: true, destructive: false, idempotent: true };
            let tool = |name| Tool::new(name, "A tool", "Call it.", hints, |_, Nothing {}| Ok(Answer::text("done")));
            self.tools.iter().map(|name| tool(*name)).collect()
        }
    }

    fn registry(toolsets: Vec<ThirdParty>) -> Result<Registry, RegistryError> {
        let standard = crate::toolsets::standard().into_iter();
        let third_party = toolsets.into_iter().map(|toolset| Box::new(toolset) as Box<dyn Toolset>);
        Registry::new(standard.chain(third_party).collect())
    }

    #[test]
    fn a_third_party_toolset_is_served_beside_the_standard_ones() {
        let registry = registry(vec![ThirdParty { name: "mine", tools: &["zap"] }]).expect("fits");
        let twice = ["mine".to_owned(), "mine".to_owned()];
        let chosen = registry.select(&Choice { toolsets: &twice, ..Choice::default() }).expect("known");
        assert_eq!(chosen.served(), ["mine"]);
        assert_eq!(chosen.list().len(), 1);
        assert_eq!(chosen.find("commit").err(), Some(NotServed::Unknown));
        let all = registry.select(&Choice { read_only: true, ..Choice::default() }).expect("known");
        assert_eq!(all.find("zap").err(), Some(NotServed::ReadOnly), "hints are no declaration");
        assert!(!all.served().contains(&"mine"), "nothing in it is safe");
        assert!(!all.served().contains(&"mutation") && all.served().contains(&"session"));
    }

    #[test]
    fn names_are_unique() {
        let twice = registry(vec![ThirdParty { name: "session", tools: &[] }]).err();
        assert_eq!(twice, Some(RegistryError::Toolset("session".to_owned())));
        let twice = registry(vec![ThirdParty { name: "mine", tools: &["commit"] }]).err();
        assert_eq!(twice, Some(RegistryError::Tool("commit".to_owned())));
    }
}
