//! The toolset `search`: which methods are, send, mention or contain something.

use super::support::ask::ask;
use super::support::page::{Counts, Page, Shown};
use super::support::targets::Targets;
use crate::tool::{Answer, Context, Hints, Outcome, Progress, Refusal, Tool, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smalltalk::Value;

const LOOKING: Hints = Hints { read_only: true, destructive: false, idempotent: true };

/// Classes that are searched between two reports of progress.
const CLASSES_A_REPORT: i64 = 50;
/// More classes than there can be.
const CLASSES_MAX: i64 = 1 << 32;

pub(super) struct Searching;

impl Toolset for Searching {
    fn name(&self) -> &'static str {
        "search"
    }

    fn instructions(&self) -> Option<&'static str> {
        Some("find_implementors, find_senders and search_method_source find code.")
    }

    fn icon(&self) -> Option<&'static str> {
        Some("M6 1a5 5 0 1 0 3 9l5 5 1-1-5-5a5 5 0 0 0-4-8zm0 2a3 3 0 1 1 0 6 3 3 0 0 1 0-6z")
    }

    fn tools(&self) -> Vec<Tool> {
        vec![implementors_tool(), references_tool(), senders_tool(), sources_tool()]
    }
}

fn implementors_tool() -> Tool {
    let description = "Call this to find every class that has a method of its own for a selector. Sorted lines \
                       `Class>>selector  [category]`.";
    Tool::new("find_implementors", "Find implementors", description, LOOKING, implementors)
        .keywords(&["define", "override", "implementation"])
        .safe_in_read_only()
        .answering_each::<Methods>()
}

fn references_tool() -> Tool {
    let description = "Call this to find every method that refers to a class or another global by its name. Sorted \
                       lines `Class>>selector  [category]`.";
    Tool::new("find_references_to", "Find references to a global", description, LOOKING, references)
        .keywords(&["uses", "usages", "mentions", "global", "class"])
        .safe_in_read_only()
        .answering_each::<Methods>()
}

fn senders_tool() -> Tool {
    let description = "Call this to find every method that sends a message, before you change what it does. Sorted \
                       lines `Class>>selector  [category]`. What the compiler turns into jumps, such as ifTrue: with \
                       literal blocks, is no send.";
    Tool::new("find_senders", "Find senders", description, LOOKING, senders)
        .keywords(&["who", "calls", "callers", "usages"])
        .safe_in_read_only()
        .answering_each::<Methods>()
}

fn sources_tool() -> Tool {
    let description = "Call this to find methods by what their source says, comments included. Case-sensitive unless \
                       ignoreCase. Sorted lines `Class>>selector`.";
    Tool::new("search_method_source", "Search method sources", description, LOOKING, sources)
        .keywords(&["grep", "text", "regex", "find", "string", "code"])
        .safe_in_read_only()
        .answering::<Methods>()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BySelector {
    /// The selector, such as at:put: or size, or a list of selectors.
    selector: Targets,
    /// Look only in the classes of this dictionary.
    dictionary_name: Option<String>,
    #[serde(flatten)]
    page: Page,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ByName {
    /// The name of a class or another global, or a list of names.
    name: Targets,
    /// The dictionary that holds the name, if several do.
    dictionary_name: Option<String>,
    #[serde(flatten)]
    page: Page,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BySource {
    /// What the source must contain.
    #[schemars(length(min = 1, max = 1000))]
    pattern: String,
    /// Whether the pattern is a regular expression (Rust syntax; ^ and $ match at lines). Default: false.
    regex: Option<bool>,
    /// Whether a and A are the same. Default: false.
    ignore_case: Option<bool>,
    /// Look only in the classes of this dictionary.
    dictionary_name: Option<String>,
    #[serde(flatten)]
    page: Page,
}

/// Methods that were found.
#[derive(Serialize, JsonSchema)]
struct Methods {
    /// The methods of this page, sorted.
    methods: Vec<Method>,
    #[serde(flatten)]
    counts: Counts,
}

/// One method.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Method {
    /// The class.
    class_name: String,
    /// Whether it is a method of the class side.
    meta: bool,
    /// The selector.
    selector: String,
    /// The category; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<String>,
    /// The dictionary that holds the class.
    dictionary_name: String,
}

impl Method {
    fn name(&self) -> String {
        let side = if self.meta { " class" } else { "" };
        format!("{}{side}>>{}", self.class_name, self.selector)
    }

    fn line(&self) -> String {
        format!("{}  [{}]", self.name(), self.category.as_deref().unwrap_or("(uncategorized)"))
    }
}

fn implementors(context: &mut Context<'_>, arguments: BySelector) -> Outcome {
    let BySelector { selector, dictionary_name, page } = arguments;
    selector.each(|selector| {
        let arguments = [selector.into(), dictionary_name.as_deref().into()];
        answer(context, "implementorsOf:in:from:count:", &arguments, &page, Method::line)
    })
}

fn senders(context: &mut Context<'_>, arguments: BySelector) -> Outcome {
    let BySelector { selector, dictionary_name, page } = arguments;
    selector.each(|selector| {
        let arguments = [selector.into(), dictionary_name.as_deref().into()];
        answer(context, "sendersOf:in:from:count:", &arguments, &page, Method::line)
    })
}

fn references(context: &mut Context<'_>, ByName { name, dictionary_name, page }: ByName) -> Outcome {
    name.each(|name| {
        let arguments = [name.into(), dictionary_name.as_deref().into()];
        answer(context, "referencesTo:in:from:count:", &arguments, &page, Method::line)
    })
}

fn sources(context: &mut Context<'_>, arguments: BySource) -> Outcome {
    let BySource { pattern, regex, ignore_case, dictionary_name, page } = arguments;
    let arguments = [
        pattern.as_str().into(),
        regex.unwrap_or(false).into(),
        ignore_case.unwrap_or(false).into(),
        dictionary_name.as_deref().into(),
    ];
    answer(context, "sourcesWith:regex:ignoreCase:in:from:count:", &arguments, &page, Method::name)
}

fn answer(
    context: &mut Context<'_>,
    selector: &str,
    arguments: &[Value],
    page: &Page,
    line: fn(&Method) -> String,
) -> Outcome {
    let shown = find(context, selector, arguments, page)?;
    let text = shown.lines(line);
    Ok(Answer::of(text, &Methods { methods: shown.items, counts: shown.counts }))
}

/// Dictionary, class, whether it is the class side, selectors and categories in turn.
type Group = (String, String, bool, Vec<Option<String>>);

fn find(context: &mut Context<'_>, selector: &str, arguments: &[Value], page: &Page) -> Result<Shown<Method>, Refusal> {
    let mut methods = Vec::new();
    for (dictionary_name, class_name, meta, found) in groups(context, selector, arguments)? {
        for pair in found.chunks_exact(2) {
            methods.push(Method {
                class_name: class_name.clone(),
                meta,
                selector: pair[0].clone().unwrap_or_default(),
                category: pair[1].clone().filter(|category| !category.is_empty()),
                dictionary_name: dictionary_name.clone(),
            });
        }
    }
    methods.sort_by_cached_key(Method::name);
    Ok(page.of(methods))
}

/// Searches all classes; some at a time for a client that wants to hear how far it has come.
fn groups(context: &mut Context<'_>, selector: &str, arguments: &[Value]) -> Result<Vec<Group>, Refusal> {
    let count = if context.wants_reports() { CLASSES_A_REPORT } else { CLASSES_MAX };
    let (mut groups, mut first) = (Vec::new(), 1);
    loop {
        let part = [Value::Integer(first), Value::Integer(count)];
        let arguments: Vec<Value> = arguments.iter().cloned().chain(part).collect();
        let (found, total, last): (Vec<Group>, i64, String) = ask(context, "ToolSearcher", selector, &arguments)?;
        groups.extend(found);
        first += count;
        let done = (first - 1).min(total) as u64;
        context.report(Progress { done, total: total as u64, message: &last });
        if first > total {
            return Ok(groups);
        }
    }
}
