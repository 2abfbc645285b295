//! The toolset `browsing`: what classes and methods are like. What is read here is noted in the read_log.

use super::support::ask::ask;
use super::support::page::{Counts, Page};
use super::support::targets::Targets;
use crate::read_log::{ProgramElement, Version};
use crate::tool::{Answer, Context, Hints, Outcome, Tool, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smalltalk::Value;

const LOOKING: Hints = Hints { read_only: true, destructive: false, idempotent: true };

pub(super) struct Browsing;

impl Toolset for Browsing {
    fn name(&self) -> &'static str {
        "browsing"
    }

    fn instructions(&self) -> Option<&'static str> {
        Some("describe_class, list_methods and get_method_source read classes and methods.")
    }

    fn icon(&self) -> Option<&'static str> {
        Some("M2 2h5v12H2zm7 0h5v12H9z")
    }

    fn tools(&self) -> Vec<Tool> {
        vec![describe_tool(), export_tool(), definition_tool(), hierarchy_tool(), method_tool(), methods_tool()]
    }
}

fn describe_tool() -> Tool {
    let description = "Call this to get to know a class: its superclass, its instance variables, its selectors; as \
                       data also its comment, its other variables and its version.";
    Tool::new("describe_class", "Describe a class", description, LOOKING, describe)
        .keywords(&["inspect", "summary", "variables", "comment"])
        .safe_in_read_only()
        .answering_each::<ClassDescription>()
}

fn export_tool() -> Tool {
    let description = "Call this to read a whole class, or to keep it in a file: its definition, its comment and all \
                       methods in Topaz form, which can be filed in again.";
    Tool::new("export_class_source", "Export a class", description, LOOKING, export)
        .keywords(&["file", "out", "fileout", "dump", "whole", "source"])
        .safe_in_read_only()
        .answering_each::<ClassSource>()
}

fn definition_tool() -> Tool {
    let description = "Call this before you change the shape of a class: the expression that defines it, ready to be \
                       edited and given to compile_class_definition.";
    Tool::new("get_class_definition", "Get a class definition", description, LOOKING, definition)
        .keywords(&["shape", "instance", "variables", "definition"])
        .safe_in_read_only()
        .answering_each::<Definition>()
}

fn hierarchy_tool() -> Tool {
    let description = "Call this to see what a class inherits from, the root first, and its direct subclasses.";
    Tool::new("get_class_hierarchy", "Get a class hierarchy", description, LOOKING, hierarchy)
        .keywords(&["superclass", "subclasses", "inheritance", "ancestors"])
        .safe_in_read_only()
        .answering_each::<Hierarchy>()
}

fn method_tool() -> Tool {
    let description = "Call this to read a method before you change or call it. Answers its source.";
    Tool::new("get_method_source", "Get a method's source", description, LOOKING, method)
        .keywords(&["read", "show", "code"])
        .safe_in_read_only()
        .answering_each::<MethodSource>()
}

fn methods_tool() -> Tool {
    let description = "Call this to see which methods a class has of its own, on both sides, by category.";
    Tool::new("list_methods", "List methods", description, LOOKING, methods)
        .keywords(&["selectors", "protocol", "categories"])
        .safe_in_read_only()
        .answering_each::<MethodList>()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfClass {
    /// The name of a class, or a list of names.
    class_name: Targets,
    /// The dictionary that holds it, if several have the name; else the first in the order of look-up.
    dictionary_name: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfMethod {
    /// The name of a class.
    class_name: String,
    /// The selector, or a list of selectors.
    selector: Targets,
    /// Whether the method is on the class side. Default: false.
    meta: Option<bool>,
    /// The dictionary that holds the class, if several have the name; else the first in the order of look-up.
    dictionary_name: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct MethodsOf {
    #[serde(flatten)]
    class: OfClass,
    #[serde(flatten)]
    page: Page,
}

/// What a class is like.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ClassDescription {
    /// Its name.
    name: String,
    /// The name of its superclass; null for a root.
    superclass: Option<String>,
    /// The names of its own instance variables.
    inst_var_names: Vec<String>,
    /// The names of its class variables.
    class_vars: Vec<String>,
    /// The names of its class-instance variables.
    class_inst_vars: Vec<String>,
    /// The selectors of its own methods, sorted.
    selectors: Vec<String>,
    /// The selectors of its class side, sorted.
    class_selectors: Vec<String>,
    /// The dictionary that holds it; null if none does under its name.
    dictionary_name: Option<String>,
    /// Its category.
    category: Option<String>,
    /// Its comment.
    comment: String,
    /// The expression that defines it.
    definition: String,
    /// Give it as `expected` to a tool that changes the class, so that nobody's change is overwritten.
    version: String,
}

#[derive(Deserialize)]
struct Described(
    String,
    Option<String>,
    String,
    String,
    Vec<String>,
    Vec<String>,
    Vec<String>,
    Vec<String>,
    Vec<String>,
    Option<String>,
    Option<String>,
    String,
    String,
);

fn describe(context: &mut Context<'_>, OfClass { class_name, dictionary_name }: OfClass) -> Outcome {
    class_name.each(|class| {
        let arguments = [class.into(), dictionary_name.as_deref().into()];
        let Described(
            name,
            superclass,
            printed_names,
            printed_selectors,
            selectors,
            class_selectors,
            inst_var_names,
            class_vars,
            class_inst_vars,
            dictionary_name,
            category,
            comment,
            definition,
        ) = ask(context, "ToolBrowser", "describe:in:", &arguments)?;
        let version = note_class(context, &name, dictionary_name.as_deref(), &definition, &comment);
        let shown_superclass = superclass.as_deref().unwrap_or("nil");
        let text = format!(
            "name={name}\nsuperclass={shown_superclass}\ninstVarNames={printed_names}\nselectors={printed_selectors}"
        );
        let data = ClassDescription {
            name,
            superclass,
            inst_var_names,
            class_vars,
            class_inst_vars,
            selectors,
            class_selectors,
            dictionary_name,
            category,
            comment,
            definition,
            version,
        };
        Ok(Answer::of(text, &data))
    })
}

/// Remembers that a class was read; answers its version.
fn note_class(
    context: &mut Context<'_>,
    name: &str,
    dictionary_name: Option<&str>,
    definition: &str,
    comment: &str,
) -> String {
    let key = class_key(dictionary_name, name);
    let view = context.image.view();
    let (definition, comment) = (Version::of(&[definition]), Version::of(&[comment]));
    context.read_log.note(ProgramElement::Definition(key.clone()), view, definition);
    context.read_log.note(ProgramElement::Comment(key), view, comment);
    class_version(definition, comment)
}

/// A class's place in the read_log.
pub(super) fn class_key(dictionary_name: Option<&str>, behavior_name: &str) -> String {
    format!("{}.{behavior_name}", dictionary_name.unwrap_or_default())
}

/// The version of a class, as a caller sees it.
pub(super) fn class_version(definition: Version, comment: Version) -> String {
    format!("{definition}-{comment}")
}

/// The version of a method.
pub(super) fn method_version(source: &str, category: Option<&str>) -> Version {
    Version::of(&[source, category.unwrap_or_default()])
}

/// A class as text.
#[derive(Serialize, JsonSchema)]
struct ClassSource {
    /// Definition, comment and methods, to be filed in.
    source: String,
    /// Give it as `expected` to a tool that changes the class, so that nobody's change is overwritten.
    version: String,
}

fn export(context: &mut Context<'_>, OfClass { class_name, dictionary_name }: OfClass) -> Outcome {
    class_name.each(|class| {
        let arguments = [class.into(), dictionary_name.as_deref().into()];
        let (source, definition, comment, name, dictionary): (String, String, String, String, Option<String>) =
            ask(context, "ToolBrowser", "sourceOf:in:", &arguments)?;
        let version = note_class(context, &name, dictionary.as_deref(), &definition, &comment);
        context.read_log.note_whole(class_key(dictionary.as_deref(), &name), context.image.view());
        Ok(Answer::of(source.clone(), &ClassSource { source, version }))
    })
}

/// A definition.
#[derive(Serialize, JsonSchema)]
struct Definition {
    /// The expression that defines the class.
    definition: String,
    /// Give it as `expected` to a tool that changes the class, so that nobody's change is overwritten.
    version: String,
}

fn definition(context: &mut Context<'_>, OfClass { class_name, dictionary_name }: OfClass) -> Outcome {
    class_name.each(|class| {
        let arguments = [class.into(), dictionary_name.as_deref().into()];
        let (definition, comment, name, dictionary): (String, String, String, Option<String>) =
            ask(context, "ToolBrowser", "definitionOf:in:", &arguments)?;
        let shown = Version::of(&[definition.as_str()]);
        let key = class_key(dictionary.as_deref(), &name);
        context.read_log.note(ProgramElement::Definition(key), context.image.view(), shown);
        let version = class_version(shown, Version::of(&[comment.as_str()]));
        Ok(Answer::of(definition.clone(), &Definition { definition, version }))
    })
}

/// Where a class stands.
#[derive(Serialize, JsonSchema)]
struct Hierarchy {
    /// What it inherits from, the root first.
    superclasses: Vec<String>,
    /// The class.
    name: String,
    /// Its direct subclasses, sorted.
    subclasses: Vec<String>,
}

fn hierarchy(context: &mut Context<'_>, OfClass { class_name, dictionary_name }: OfClass) -> Outcome {
    class_name.each(|class| {
        let arguments = [class.into(), dictionary_name.as_deref().into()];
        let (superclasses, name, subclasses): (Vec<String>, String, Vec<String>) =
            ask(context, "ToolBrowser", "hierarchyOf:in:", &arguments)?;
        let mut text = String::new();
        for (depth, class) in superclasses.iter().chain([&name]).enumerate() {
            text.push_str(&format!("{}{class}\n", "  ".repeat(depth)));
        }
        text.push_str("Direct subclasses:\n");
        for class in &subclasses {
            text.push_str(&format!("  {class}\n"));
        }
        if subclasses.is_empty() {
            text.push_str("  (none)");
        }
        Ok(Answer::of(text, &Hierarchy { superclasses, name, subclasses }))
    })
}

/// A method.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MethodSource {
    /// The class, with ` class` behind it for the class side.
    behavior: String,
    /// The selector.
    selector: String,
    /// The source.
    source: String,
    /// The category; null if it has none.
    category: Option<String>,
    /// Give it as `expected` to compile_method or delete_method, so that nobody's change is overwritten.
    version: String,
}

fn method(context: &mut Context<'_>, arguments: OfMethod) -> Outcome {
    let OfMethod { class_name, selector, meta, dictionary_name } = arguments;
    selector.each(|selector| {
        let arguments: [Value; 4] = [
            selector.into(),
            class_name.as_str().into(),
            dictionary_name.as_deref().into(),
            meta.unwrap_or(false).into(),
        ];
        let (behavior, selector, source, category, dictionary): (
            String,
            String,
            String,
            Option<String>,
            Option<String>,
        ) = ask(context, "ToolBrowser", "methodSource:of:in:meta:", &arguments)?;
        let version = method_version(&source, category.as_deref());
        let key = class_key(dictionary.as_deref(), &behavior);
        context.read_log.note(ProgramElement::Method(key, selector.clone()), context.image.view(), version);
        let version = version.to_string();
        Ok(Answer::of(source.clone(), &MethodSource { behavior, selector, source, category, version }))
    })
}

/// The methods of a class.
#[derive(Serialize, JsonSchema)]
struct MethodList {
    /// The methods of this page: instance side first, by category and selector.
    methods: Vec<ListedMethod>,
    #[serde(flatten)]
    counts: Counts,
}

/// One method. Ordered as it is listed.
#[derive(Serialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
struct ListedMethod {
    /// Whether it is on the class side.
    meta: bool,
    /// The category.
    category: String,
    /// The selector.
    selector: String,
}

fn methods(context: &mut Context<'_>, MethodsOf { class, page }: MethodsOf) -> Outcome {
    let OfClass { class_name, dictionary_name } = class;
    class_name.each(|class| {
        let arguments = [class.into(), dictionary_name.as_deref().into()];
        let sides: [Vec<(String, Option<String>)>; 2] = ask(context, "ToolBrowser", "methodsOf:in:", &arguments)?;
        let mut all = Vec::new();
        for (meta, side) in [false, true].into_iter().zip(sides) {
            for (selector, category) in side {
                let category = category.unwrap_or_else(|| "(uncategorized)".to_owned());
                all.push(ListedMethod { meta, category, selector });
            }
        }
        all.sort();
        let shown = page.of(all);
        let mut text = shown.header.clone();
        text.push_str("Instance methods:\n");
        list_side(&mut text, &shown.items, false);
        text.push_str("\nClass methods:\n");
        list_side(&mut text, &shown.items, true);
        Ok(Answer::of(text, &MethodList { methods: shown.items, counts: shown.counts }))
    })
}

fn list_side(text: &mut String, methods: &[ListedMethod], meta: bool) {
    let mut category = None;
    for method in methods.iter().filter(|method| method.meta == meta) {
        if category != Some(&method.category) {
            text.push_str(&format!("  {}\n", method.category));
            category = Some(&method.category);
        }
        text.push_str(&format!("    {}\n", method.selector));
    }
}
