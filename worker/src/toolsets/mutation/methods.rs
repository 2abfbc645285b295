//! Compiling and deleting methods.

use super::{REMOVING, REPLACING};
use crate::read_log::{ProgramElement, Reading, Version};
use crate::tool::{Answer, Context, Outcome, Refusal, Tool};
use crate::toolsets::browsing::{class_key, method_version};
use crate::toolsets::support::ask::ask;
use crate::toolsets::support::change::{Changed, Fate, assert_seen, change};
use crate::toolsets::support::targets::Targets;
use schemars::JsonSchema;
use serde::Deserialize;
use smalltalk::Value;

pub(super) fn compile_tool() -> Tool {
    let description = "Call this to add a method to a class, or to replace one. The selector is in the source. The \
                       answer says whether the change is committed. What does not compile changes nothing; the answer \
                       names line, column and what was expected. A method that another session has changed since you \
                       last read it is not overwritten.";
    Tool::new("compile_method", "Compile a method", description, REPLACING, compile)
        .keywords(&["create", "new", "edit", "change", "write", "add", "modify"])
        .answering_each::<Changed>()
}

pub(super) fn delete_tool() -> Tool {
    let description = "Call this to remove a method from a class. The answer says whether the change is committed. A \
                       method that another session has changed since you last read it is not deleted.";
    Tool::new("delete_method", "Delete a method", description, REMOVING, delete)
        .keywords(&["remove", "drop"])
        .answering_each::<Changed>()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Compile {
    /// The name of the class.
    class_name: String,
    /// The source of the method, beginning with its selector and arguments; or a list of sources.
    source: Targets,
    /// The category of the method. Default: the one that it has, or `mcp` for a new one.
    category: Option<String>,
    /// Whether the method goes to the class side. Default: false.
    meta: Option<bool>,
    /// The dictionary that holds the class, if several have the name; else the first in the order of look-up.
    dictionary_name: Option<String>,
    /// The version of the method that you mean to replace, as get_method_source said; it must still be that.
    expected: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Delete {
    /// The name of the class.
    class_name: String,
    /// The selector, or a list of selectors.
    selector: Targets,
    /// Whether the method is on the class side. Default: false.
    meta: Option<bool>,
    /// The dictionary that holds the class, if several have the name; else the first in the order of look-up.
    dictionary_name: Option<String>,
    /// The version of the method that you mean to delete, as get_method_source said; it must still be that.
    expected: Option<String>,
}

/// The class and the side that a method belongs to.
struct Place<'a> {
    class_name: &'a str,
    dictionary_name: Option<&'a str>,
    meta: bool,
}

/// What is there before a change.
struct State {
    thing: ProgramElement,
    reading: Reading,
    version: Option<Version>,
    category: Option<String>,
    changed_at: u64,
}

impl Place<'_> {
    fn arguments(&self) -> [Value; 3] {
        [self.class_name.into(), self.dictionary_name.into(), self.meta.into()]
    }

    fn state(&self, context: &mut Context<'_>, selector: &str) -> Result<State, Refusal> {
        let [class, dictionary, meta] = self.arguments();
        let arguments = [selector.into(), class, dictionary, meta];
        let (behavior, dictionary, source, category, changed_at): (
            String,
            Option<String>,
            Option<String>,
            Option<String>,
            u64,
        ) = ask(context, "ToolEditor", "stateOfMethod:of:in:meta:", &arguments)?;
        let thing = ProgramElement::Method(class_key(dictionary.as_deref(), &behavior), selector.to_owned());
        let reading = context.read_log.reading(&thing);
        let version = source.map(|source| method_version(&source, category.as_deref()));
        Ok(State { thing, reading, version, category, changed_at })
    }

    fn name(&self, selector: &str) -> String {
        let side = if self.meta { " class" } else { "" };
        format!("{}{side}>>{selector}", self.class_name)
    }
}

impl State {
    fn assert_seen(&self, what: &str, expected: Option<&str>) -> Result<(), Refusal> {
        let now = self.version.map(|version| version.to_string());
        assert_seen(what, now.as_deref(), self.changed_at, self.reading, expected, self.version)
    }
}

/// `expected` names one version, so it can be checked for one method only.
fn assert_one(targets: &Targets, expected: Option<&str>) -> Result<(), Refusal> {
    if targets.are_several() && expected.is_some() {
        let text = "Invalid argument expected: it is the version of one method; leave it out with a list";
        return Err(Refusal::new("invalidParams", text));
    }
    Ok(())
}

fn compile(context: &mut Context<'_>, arguments: Compile) -> Outcome {
    let Compile { class_name, source, category, meta, dictionary_name, expected } = arguments;
    assert_one(&source, expected.as_deref())?;
    let meta = meta.unwrap_or(false);
    let place = Place { class_name: &class_name, dictionary_name: dictionary_name.as_deref(), meta };
    change(context, |context, fate| {
        source.each(|source| compile_one(context, fate, &place, source, category.as_deref(), expected.as_deref()))
    })
}

fn compile_one(
    context: &mut Context<'_>,
    fate: Fate,
    place: &Place<'_>,
    source: &str,
    category: Option<&str>,
    expected: Option<&str>,
) -> Outcome {
    // A source without a selector gets its compile error below.
    let state = match smalltalk::syntax::method_selector(source) {
        None => None,
        Some(selector) => {
            let state = place.state(context, &selector)?;
            state.assert_seen(&place.name(&selector), expected)?;
            Some(state)
        }
    };
    let kept = state.as_ref().and_then(|state| state.category.clone());
    let category = category.or(kept.as_deref());
    let [class, dictionary, meta] = place.arguments();
    let arguments = [source.into(), category.into(), class, dictionary, meta];
    let (selector, category): (String, String) =
        ask(context, "ToolEditor", "compile:protocol:of:in:meta:", &arguments)?;
    let version = method_version(source, Some(category.as_str()).filter(|category| !category.is_empty()));
    if let Some(state) = state {
        context.read_log.note(state.thing, context.image.view(), version);
    }
    let text = fate.told(&format!("Compiled {}", place.class_name), " and committed.");
    let changed = Changed {
        committed: fate.is_committed(),
        class_name: Some(place.class_name.to_owned()),
        selector: Some(selector),
        version: Some(version.to_string()),
        ..Changed::default()
    };
    Ok(Answer::of(text, &changed))
}

fn delete(context: &mut Context<'_>, arguments: Delete) -> Outcome {
    let Delete { class_name, selector, meta, dictionary_name, expected } = arguments;
    assert_one(&selector, expected.as_deref())?;
    let meta = meta.unwrap_or(false);
    let place = Place { class_name: &class_name, dictionary_name: dictionary_name.as_deref(), meta };
    change(context, |context, fate| {
        selector.each(|selector| delete_one(context, fate, &place, selector, expected.as_deref()))
    })
}

fn delete_one(
    context: &mut Context<'_>,
    fate: Fate,
    place: &Place<'_>,
    selector: &str,
    expected: Option<&str>,
) -> Outcome {
    let state = place.state(context, selector)?;
    let name = format!("{}>>{selector}", place.class_name);
    if state.version.is_none() {
        return Err(Refusal::new("notFound", format!("Method not found: {name}")));
    }
    state.assert_seen(&place.name(selector), expected)?;
    let [class, dictionary, meta] = place.arguments();
    let arguments = [selector.into(), class, dictionary, meta];
    let _: bool = ask(context, "ToolEditor", "deleteMethod:of:in:meta:", &arguments)?;
    context.read_log.forget(&state.thing, context.image.view());
    let text = fate.told(&format!("Deleted method {name}"), " and committed.");
    let changed = Changed {
        committed: fate.is_committed(),
        class_name: Some(place.class_name.to_owned()),
        selector: Some(selector.to_owned()),
        ..Changed::default()
    };
    Ok(Answer::of(text, &changed))
}
