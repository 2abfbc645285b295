//! The toolset `listing`: which dictionaries and classes there are.

use super::support::ask::ask;
use super::support::page::{Counts, Page};
use super::support::targets::Targets;
use crate::tool::{Answer, Context, Hints, Outcome, Tool, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const LOOKING: Hints = Hints { read_only: true, destructive: false, idempotent: true };

pub(super) struct Listing;

impl Toolset for Listing {
    fn name(&self) -> &'static str {
        "listing"
    }

    fn instructions(&self) -> Option<&'static str> {
        Some(
            "list_dictionaries and list_classes show what there is; your own classes go into the dictionary \
             UserGlobals.",
        )
    }

    fn icon(&self) -> Option<&'static str> {
        Some("M2 3h12v2H2zm0 4h12v2H2zm0 4h12v2H2z")
    }

    fn tools(&self) -> Vec<Tool> {
        vec![all_classes_tool(), classes_tool(), dictionaries_tool(), entries_tool()]
    }
}

fn all_classes_tool() -> Tool {
    let description = "Call this to see every class that you can name, with its dictionary. Sorted lines \
                       `Name  (Dictionary)`; a name that stands in two dictionaries has two lines.";
    Tool::new("list_all_classes", "List all classes", description, LOOKING, all_classes)
        .keywords(&["classes", "everything"])
        .safe_in_read_only()
        .answering::<AllClasses>()
}

fn classes_tool() -> Tool {
    let description = "Call this to see the classes of one dictionary, such as your own in UserGlobals. Sorted names, \
                       one a line.";
    Tool::new("list_classes", "List the classes of a dictionary", description, LOOKING, classes)
        .keywords(&["classes", "package"])
        .safe_in_read_only()
        .answering_each::<Classes>()
}

fn dictionaries_tool() -> Tool {
    let description = "Call this to learn which dictionaries hold the names that code can use. They come in the order \
                       of look-up: the first one that has a name wins. Globals holds the kernel.";
    Tool::new("list_dictionaries", "List dictionaries", description, LOOKING, dictionaries)
        .keywords(&["namespaces", "symbol", "list", "packages"])
        .safe_in_read_only()
        .answering::<Dictionaries>()
}

fn entries_tool() -> Tool {
    let description = "Call this to see everything that a dictionary holds, classes and other globals. Sorted lines \
                       `Key  (class)` or `Key  (global)`.";
    Tool::new("list_dictionary_entries", "List the entries of a dictionary", description, LOOKING, entries)
        .keywords(&["globals", "variables", "keys", "namespace"])
        .safe_in_read_only()
        .answering_each::<Entries>()
}

#[derive(Deserialize, JsonSchema)]
struct Anywhere {
    #[serde(flatten)]
    page: Page,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct InDictionary {
    /// The name of a dictionary, or a list of names.
    dictionary_name: Targets,
    #[serde(flatten)]
    page: Page,
}

/// Classes of all dictionaries.
#[derive(Serialize, JsonSchema)]
struct AllClasses {
    /// The classes of this page, sorted.
    classes: Vec<ClassAndDictionary>,
    #[serde(flatten)]
    counts: Counts,
}

/// One class.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ClassAndDictionary {
    /// Its name.
    name: String,
    /// The dictionary that holds it.
    dictionary_name: String,
}

fn all_classes(context: &mut Context<'_>, Anywhere { page }: Anywhere) -> Outcome {
    let mut all: Vec<(String, String)> = ask(context, "ToolBrowser", "allClasses", &[])?;
    all.sort();
    let shown = page.of(all);
    let text = shown.lines(|(name, dictionary)| format!("{name}  ({dictionary})"));
    let described = |(name, dictionary_name)| ClassAndDictionary { name, dictionary_name };
    let classes = shown.items.into_iter().map(described).collect();
    Ok(Answer::of(text, &AllClasses { classes, counts: shown.counts }))
}

/// Classes of one dictionary.
#[derive(Serialize, JsonSchema)]
struct Classes {
    /// Their names on this page, sorted.
    classes: Vec<String>,
    #[serde(flatten)]
    counts: Counts,
}

fn classes(context: &mut Context<'_>, InDictionary { dictionary_name, page }: InDictionary) -> Outcome {
    dictionary_name.each(|dictionary| {
        let mut names: Vec<String> = ask(context, "ToolBrowser", "classesIn:", &[dictionary.into()])?;
        names.sort();
        let shown = page.of(names);
        let text = shown.lines(String::clone);
        Ok(Answer::of(text, &Classes { classes: shown.items, counts: shown.counts }))
    })
}

/// The dictionaries.
#[derive(Serialize, JsonSchema)]
struct Dictionaries {
    /// Their names on this page, in the order of look-up.
    dictionaries: Vec<String>,
    #[serde(flatten)]
    counts: Counts,
}

fn dictionaries(context: &mut Context<'_>, Anywhere { page }: Anywhere) -> Outcome {
    let shown = page.of(ask::<Vec<String>>(context, "ToolBrowser", "dictionaries", &[])?);
    let text = shown.lines(String::clone);
    Ok(Answer::of(text, &Dictionaries { dictionaries: shown.items, counts: shown.counts }))
}

/// What a dictionary holds.
#[derive(Serialize, JsonSchema)]
struct Entries {
    /// The entries of this page, sorted.
    entries: Vec<Entry>,
    #[serde(flatten)]
    counts: Counts,
}

/// One entry.
#[derive(Serialize, JsonSchema)]
struct Entry {
    /// Its key.
    key: String,
    /// What its value is.
    kind: EntryKind,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum EntryKind {
    Class,
    Global,
}

fn entries(context: &mut Context<'_>, InDictionary { dictionary_name, page }: InDictionary) -> Outcome {
    dictionary_name.each(|dictionary| {
        let mut all: Vec<(String, bool)> = ask(context, "ToolBrowser", "entriesIn:", &[dictionary.into()])?;
        all.sort();
        let shown = page.of(all);
        let text = shown.lines(|(key, is_class)| format!("{key}  ({})", if *is_class { "class" } else { "global" }));
        let described =
            |(key, is_class)| Entry { key, kind: if is_class { EntryKind::Class } else { EntryKind::Global } };
        let entries = shown.items.into_iter().map(described).collect();
        Ok(Answer::of(text, &Entries { entries, counts: shown.counts }))
    })
}
