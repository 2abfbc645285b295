//! Adding and removing dictionaries.

use super::{MAKING, REMOVING};
use crate::tool::{Answer, Context, Outcome, Tool};
use crate::toolsets::support::ask::ask;
use crate::toolsets::support::change::{Changed, Fate, change};
use crate::toolsets::support::targets::Targets;
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) fn add_tool() -> Tool {
    let description = "Call this to make a new dictionary for classes and other globals. Names are looked up in it \
                       last. The answer says whether the change is committed.";
    Tool::new("add_dictionary", "Add a dictionary", description, MAKING, add)
        .keywords(&["create", "new", "namespace"])
        .answering_each::<Changed>()
}

pub(super) fn remove_tool() -> Tool {
    let description = "Call this to take a dictionary, with everything that it holds, out of the user's look-up. \
                       The answer says whether the change is committed.";
    Tool::new("remove_dictionary", "Remove a dictionary", description, REMOVING, remove)
        .keywords(&["delete", "drop", "namespace"])
        .answering_each::<Changed>()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Named {
    /// The name of the dictionary, or a list of names.
    dictionary_name: Targets,
}

fn add(context: &mut Context<'_>, Named { dictionary_name }: Named) -> Outcome {
    act(context, &dictionary_name, "addDictionary:", "Created dictionary")
}

fn remove(context: &mut Context<'_>, Named { dictionary_name }: Named) -> Outcome {
    act(context, &dictionary_name, "removeDictionary:", "Removed dictionary")
}

fn act(context: &mut Context<'_>, names: &Targets, selector: &str, done: &str) -> Outcome {
    change(context, |context, fate: Fate| {
        names.each(|name| {
            let _: bool = ask(context, "ToolEditor", selector, &[name.into()])?;
            let text = fate.told(&format!("{done}: {name}"), "");
            let dictionary_name = Some(name.to_owned());
            Ok(Answer::of(text, &Changed { committed: fate.is_committed(), dictionary_name, ..Changed::default() }))
        })
    })
}
