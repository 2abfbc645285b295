//! Deleting classes, and their comments.

use super::{REMOVING, REPLACING};
use crate::read_log::{ProgramElement, Version};
use crate::tool::{Answer, Context, Outcome, Refusal, Tool};
use crate::toolsets::browsing::{class_key, class_version};
use crate::toolsets::support::ask::ask;
use crate::toolsets::support::change::{Changed, Fate, assert_seen, change};
use crate::toolsets::support::targets::Targets;
use schemars::JsonSchema;
use serde::Deserialize;

pub(super) fn delete_tool() -> Tool {
    let description = "Call this to remove a class from its dictionary. A class with subclasses is not deleted, nor one \
                       that another session has changed since you last read it. The answer says whether the \
                       change is committed.";
    Tool::new("delete_class", "Delete a class", description, REMOVING, delete)
        .keywords(&["remove", "drop"])
        .answering_each::<Changed>()
}

pub(super) fn comment_tool() -> Tool {
    let description = "Call this to say what a class is for. The comment replaces the one that is there, unless another \
                       session has changed that since you last read it. The answer says whether the change is \
                       committed.";
    Tool::new("set_class_comment", "Set a class comment", description, REPLACING, comment)
        .keywords(&["document", "write", "documentation"])
        .answering_each::<Changed>()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Delete {
    /// The name of the class, or a list of names.
    class_name: Targets,
    /// The dictionary that holds it, if several have the name; else the first in the order of look-up.
    dictionary_name: Option<String>,
    /// The version of the class that you mean to delete, as describe_class said; it must still be that.
    expected: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Comment {
    /// The name of the class, or a list of names that get the same comment.
    class_name: Targets,
    /// The comment.
    comment: String,
    /// The dictionary that holds the class, if several have the name; else the first in the order of look-up.
    dictionary_name: Option<String>,
    /// The version of the class that you mean to change, as describe_class said; it must still be that.
    expected: Option<String>,
}

/// A class before a change.
pub(super) struct State {
    pub(super) name: String,
    key: String,
    definition: Version,
    comment: Version,
    changed_at: u64,
}

/// What the image says of a class before a change.
pub(super) type ServerInfo = (String, Option<String>, String, String, u64);

impl State {
    pub(super) fn of((name, dictionary, definition, comment, changed_at): ServerInfo) -> Self {
        let key = class_key(dictionary.as_deref(), &name);
        let (definition, comment) = (Version::of(&[definition.as_str()]), Version::of(&[comment.as_str()]));
        State { name, key, definition, comment, changed_at }
    }

    fn read(context: &mut Context<'_>, class: &str, dictionary_name: Option<&str>) -> Result<State, Refusal> {
        ask(context, "ToolEditor", "stateOfClass:in:", &[class.into(), dictionary_name.into()]).map(State::of)
    }

    pub(super) fn assert_definition_seen(&self, context: &Context<'_>, expected: Option<&str>) -> Result<(), Refusal> {
        let thing = ProgramElement::Definition(self.key.clone());
        self.assert_seen(context, thing, self.definition, &format!("the class {}", self.name), expected)
    }

    fn assert_seen(
        &self,
        context: &Context<'_>,
        thing: ProgramElement,
        seen: Version,
        what: &str,
        expected: Option<&str>,
    ) -> Result<(), Refusal> {
        let now = class_version(self.definition, self.comment);
        assert_seen(what, Some(&now), self.changed_at, context.read_log.reading(&thing), expected, Some(seen))
    }

    /// The session has written this class, so it knows it.
    pub(super) fn note(&self, context: &mut Context<'_>) -> String {
        let view = context.image.view();
        context.read_log.note(ProgramElement::Definition(self.key.clone()), view, self.definition);
        context.read_log.note(ProgramElement::Comment(self.key.clone()), view, self.comment);
        class_version(self.definition, self.comment)
    }
}

fn assert_one(targets: &Targets, expected: Option<&str>) -> Result<(), Refusal> {
    if targets.are_several() && expected.is_some() {
        let text = "Invalid argument expected: it is the version of one class; leave it out with a list";
        return Err(Refusal::new("invalidParams", text));
    }
    Ok(())
}

fn delete(context: &mut Context<'_>, arguments: Delete) -> Outcome {
    let Delete { class_name, dictionary_name, expected } = arguments;
    assert_one(&class_name, expected.as_deref())?;
    change(context, |context, fate| {
        class_name.each(|class| delete_one(context, fate, class, dictionary_name.as_deref(), expected.as_deref()))
    })
}

fn delete_one(
    context: &mut Context<'_>,
    fate: Fate,
    class: &str,
    dictionary_name: Option<&str>,
    expected: Option<&str>,
) -> Outcome {
    let state = State::read(context, class, dictionary_name)?;
    state.assert_definition_seen(context, expected)?;
    let home: String = ask(context, "ToolEditor", "deleteClass:in:", &[class.into(), dictionary_name.into()])?;
    let text = fate.told(&format!("Deleted class {class} from {home}"), " and committed.");
    let changed = Changed {
        committed: fate.is_committed(),
        class_name: Some(class.to_owned()),
        dictionary_name: Some(home),
        ..Changed::default()
    };
    Ok(Answer::of(text, &changed))
}

fn comment(context: &mut Context<'_>, arguments: Comment) -> Outcome {
    let Comment { class_name, comment, dictionary_name, expected } = arguments;
    assert_one(&class_name, expected.as_deref())?;
    change(context, |context, fate| {
        class_name.each(|class| {
            let state = State::read(context, class, dictionary_name.as_deref())?;
            let thing = ProgramElement::Comment(state.key.clone());
            let what = format!("the comment of {}", state.name);
            state.assert_seen(context, thing, state.comment, &what, expected.as_deref())?;
            let arguments = [comment.as_str().into(), class.into(), dictionary_name.as_deref().into()];
            let name: String = ask(context, "ToolEditor", "setComment:of:in:", &arguments)?;
            let written = State { comment: Version::of(&[comment.as_str()]), ..state };
            let version = Some(written.note(context));
            let text = fate.told(&format!("Comment set on {name}"), " and committed.");
            let class_name = Some(name);
            let committed = fate.is_committed();
            Ok(Answer::of(text, &Changed { committed, class_name, version, ..Changed::default() }))
        })
    })
}
