//! Defining classes, and defining them again.
//!
//! The source is a class definition and nothing else: it is read before it is run, so that this tool is no second
//! execute_code and the kernel guard knows what is meant.

use super::REPLACING;
use super::classes::State;
use crate::tool::execution::execution_refusal;
use crate::tool::{Answer, Context, Outcome, Refusal, Tool};
use crate::toolsets::support::ask::ask;
use crate::toolsets::support::change::{Fate, change};
use crate::toolsets::support::targets::Targets;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smalltalk::reader::class_definition_header;

pub(super) fn compile_tool() -> Tool {
    let description = "Call this to define a class, or to change its variables or its superclass. If the shape \
                       changes, its methods are compiled anew and the answer says which of them failed, and whether \
                       the change is committed. A class that another session \
                       has changed since you last read it is not overwritten.";
    Tool::new("compile_class_definition", "Compile a class definition", description, REPLACING, compile)
        .keywords(&["create", "new", "define", "class", "change", "shape", "variables", "redefine"])
        .answering_each::<Defined>()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Compile {
    /// One message that defines a class, as get_class_definition shows it, such as `Object subclass: 'Account'
    /// instVarNames: #( balance) classVars: #() classInstVars: #() poolDictionaries: #() inDictionary: UserGlobals
    /// options: #()`; or a list of them.
    source: Targets,
    /// Whether methods are kept when the shape changes. Default: true.
    recompile_methods: Option<bool>,
    /// The version of the class that you mean to replace, as describe_class said; it must still be that.
    expected: Option<String>,
}

/// A class that was defined.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Defined {
    /// Whether it is committed.
    committed: bool,
    /// The class.
    class_name: String,
    /// Whether there was a class of another shape, of which this is a new version.
    redefined: bool,
    /// How many methods were compiled anew.
    recompiled: u64,
    /// The methods that no longer compile, and were left out.
    failures: Vec<Failure>,
    /// The version of what is there now, to be given as `expected` with the next change.
    version: String,
}

/// A method that no longer compiles.
#[derive(Serialize, JsonSchema)]
struct Failure {
    /// Whether it was on the class side.
    meta: bool,
    /// Its selector.
    selector: String,
    /// Why.
    reason: String,
}

fn compile(context: &mut Context<'_>, arguments: Compile) -> Outcome {
    let Compile { source, recompile_methods, expected } = arguments;
    if source.are_several() && expected.is_some() {
        let text = "Invalid argument expected: it is the version of one class; leave it out with a list";
        return Err(Refusal::new("invalidParams", text));
    }
    let recompile = recompile_methods.unwrap_or(true);
    change(context, |context, fate| source.each(|source| define(context, fate, source, recompile, expected.as_deref())))
}

/// Name, whether there is a new version, methods, failures: side, selector, reason.
type Made = (String, bool, u64, Vec<(String, String, String)>);

fn define(context: &mut Context<'_>, fate: Fate, source: &str, recompile: bool, expected: Option<&str>) -> Outcome {
    context.image.check_source(source).map_err(execution_refusal)?;
    let Some(header) = class_definition_header(source) else {
        let text = "Source did not evaluate to a class (got something that is no class definition; nothing was run). \
                    Use execute_code to evaluate arbitrary expressions.";
        return Err(Refusal::new("refused", text));
    };
    let dictionary = match header.dictionary {
        Some(dictionary) => dictionary,
        // Where a class goes if nothing is said.
        None => ask::<Vec<String>>(context, "ToolBrowser", "dictionaries", &[])?.swap_remove(0),
    };
    let (name, dictionary) = (header.name.as_str(), dictionary.as_str());
    let class = [name.into(), dictionary.into()];
    let before: Option<super::classes::ServerInfo> = ask(context, "ToolEditor", "stateOfClassIfAny:in:", &class)?;
    if let Some(before) = before.map(State::of) {
        before.assert_definition_seen(context, expected)?;
    }
    let arguments = [source.into(), name.into(), dictionary.into(), recompile.into()];
    let (class_name, redefined, methods, failures): Made =
        ask(context, "ToolEditor", "define:named:in:recompile:", &arguments)?;
    let after = State::of(ask(context, "ToolEditor", "stateOfClass:in:", &class)?);
    let version = after.note(context);
    let text = tell(fate, &class_name, redefined && recompile, methods, &failures);
    let recompiled = methods - (failures.len() as u64).min(methods);
    let failed = |(side, selector, reason)| Failure { meta: side == "class", selector, reason };
    let failures = failures.into_iter().map(failed).collect();
    let defined = Defined { committed: fate.is_committed(), class_name, redefined, recompiled, failures, version };
    Ok(Answer::of(text, &defined))
}

fn tell(fate: Fate, name: &str, recompiled: bool, methods: u64, failures: &[(String, String, String)]) -> String {
    if !recompiled {
        return match fate {
            Fate::Committed => format!("Compiled and committed class: {name}"),
            _ => fate.told(&format!("Compiled class: {name}"), ""),
        };
    }
    let well = methods - (failures.len() as u64).min(methods);
    let done = format!("Redefined {name}; recompiled {well}/{methods} methods");
    if failures.is_empty() {
        return fate.told(&format!("{done}; all recompiled"), ". Committed.");
    }
    let mut text = match fate {
        Fate::Committed => format!("{done}; {} failed (committed anyway):", failures.len()),
        _ => fate.told(&format!("{done}; {} failed", failures.len()), ""),
    };
    for (side, selector, reason) in failures {
        text.push_str(&format!("\n  {side} {name}>>{selector} - {reason}"));
    }
    text
}
