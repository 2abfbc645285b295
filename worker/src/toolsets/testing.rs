//! The toolset `testing`: running tests in this session. Tests may change objects; nothing of that is committed here.

use super::support::ask::ask;
use super::support::page::{Counts, Page};
use super::support::targets::Targets;
use crate::tool::{Answer, Context, Hints, Outcome, Progress, Refusal, Tool, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const LOOKING: Hints = Hints { read_only: true, destructive: false, idempotent: true };
/// What a test does is its own business.
const RUNNING: Hints = Hints { read_only: false, destructive: false, idempotent: false };

pub(super) struct Testing;

impl Toolset for Testing {
    fn name(&self) -> &'static str {
        "testing"
    }

    fn instructions(&self) -> Option<&'static str> {
        Some("run_test_class and list_failing_tests check it; describe_test_failure says why.")
    }

    fn icon(&self) -> Option<&'static str> {
        Some("M1 8l2-2 4 4 7-7 1 2-8 9z")
    }

    fn tools(&self) -> Vec<Tool> {
        vec![describe_tool(), failing_tool(), classes_tool(), run_class_tool(), run_method_tool()]
    }
}

fn describe_tool() -> Tool {
    let description = "Call this to learn why a test fails: it runs the test once more and answers the exception, as \
                       data also its receiver, selector and the frames of your own code.";
    Tool::new("describe_test_failure", "Describe a test failure", description, RUNNING, describe)
        .keywords(&["why", "debug", "stack", "trace", "exception", "failing"])
        .safe_in_read_only()
        .answering_each::<Description>()
}

fn failing_tool() -> Tool {
    let description = "Call this to see which tests fail, in some test classes or in all of them. Lines `FAIL  <test>` \
                       and `ERROR <test>`, in the order in which they ran.";
    Tool::new("list_failing_tests", "List failing tests", description, RUNNING, failing)
        .keywords(&["run", "all", "tests", "broken", "red"])
        .safe_in_read_only()
        .answering::<Failing>()
}

fn classes_tool() -> Tool {
    let description = "Call this to find the tests that there are: the sorted names of all classes below TestCase.";
    Tool::new("list_test_classes", "List test classes", description, LOOKING, classes)
        .keywords(&["suites", "sunit"])
        .safe_in_read_only()
        .answering::<TestClasses>()
}

fn run_class_tool() -> Tool {
    let description = "Call this to run all tests of a class. Answers how many ran, passed, failed and ended in an \
                       error, and which did not pass.";
    Tool::new("run_test_class", "Run a test class", description, RUNNING, run_class)
        .keywords(&["execute", "suite", "sunit"])
        .safe_in_read_only()
        .answering_each::<Run>()
}

fn run_method_tool() -> Tool {
    let description = "Call this to run one test. Answers whether it passed.";
    Tool::new("run_test_method", "Run a test method", description, RUNNING, run_method)
        .keywords(&["execute", "single", "sunit"])
        .safe_in_read_only()
        .answering_each::<Run>()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfClass {
    /// The name of a class below TestCase, or a list of names.
    class_name: Targets,
    /// The dictionary that holds it, if several have the name; else the first in the order of look-up.
    dictionary_name: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfMethod {
    /// The name of a class below TestCase.
    class_name: String,
    /// The selector of the test, such as testAdding, or a list of selectors.
    selector: Targets,
    /// The dictionary that holds the class, if several have the name; else the first in the order of look-up.
    dictionary_name: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfClasses {
    /// The names of the test classes to run. Default: all of them.
    #[schemars(length(max = 1000))]
    class_names: Option<Vec<String>>,
    /// The dictionary that holds them; without class names, only its test classes are run.
    dictionary_name: Option<String>,
    #[serde(flatten)]
    page: Page,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Anywhere {
    /// Only the classes of this dictionary.
    dictionary_name: Option<String>,
    #[serde(flatten)]
    page: Page,
}

/// How a run went.
#[derive(Serialize, JsonSchema)]
struct Run {
    /// How many tests ran.
    run: u64,
    /// How many passed.
    passed: u64,
    /// How many failed.
    failed: u64,
    /// How many ended in an error.
    errors: u64,
    /// Those that did not pass, sorted.
    items: Vec<Item>,
}

/// A test that did not pass.
#[derive(Serialize, JsonSchema)]
struct Item {
    /// Whether an assertion failed or an error ended it.
    status: Status,
    /// The test, as the image prints it.
    test: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Fail,
    Error,
}

impl Item {
    fn line(&self) -> String {
        let word = if self.status == Status::Fail { "FAIL " } else { "ERROR" };
        format!("{word} {}", self.test)
    }
}

/// How many ran and passed, failures, errors.
type Summary = (u64, u64, Vec<String>, Vec<String>);

fn items(failures: Vec<String>, errors: Vec<String>) -> Vec<Item> {
    let failures = failures.into_iter().map(|test| Item { status: Status::Fail, test });
    failures.chain(errors.into_iter().map(|test| Item { status: Status::Error, test })).collect()
}

fn run_class(context: &mut Context<'_>, OfClass { class_name, dictionary_name }: OfClass) -> Outcome {
    class_name.each(|class| {
        let arguments = [class.into(), dictionary_name.as_deref().into()];
        let summary = ask(context, "ToolTester", "runClass:in:", &arguments)?;
        Ok(tell_run(class, summary))
    })
}

fn run_method(context: &mut Context<'_>, arguments: OfMethod) -> Outcome {
    let OfMethod { class_name, selector, dictionary_name } = arguments;
    selector.each(|selector| {
        let arguments = [selector.into(), class_name.as_str().into(), dictionary_name.as_deref().into()];
        let summary = ask(context, "ToolTester", "run:of:in:", &arguments)?;
        Ok(tell_run(&format!("{class_name}>>{selector}"), summary))
    })
}

fn tell_run(label: &str, (run, passed, mut failures, mut errors): Summary) -> Answer {
    failures.sort();
    errors.sort();
    let (failed, erred) = (failures.len(), errors.len());
    let mut text = format!("{label}: {run} run, {passed} passed, {failed} failed, {erred} errors");
    let items = items(failures, errors);
    for item in &items {
        text.push_str(&format!("\n  {}", item.line()));
    }
    if !items.is_empty() {
        text.push('\n');
    }
    Answer::of(text, &Run { run, passed, failed: failed as u64, errors: erred as u64, items })
}

/// Test classes.
#[derive(Serialize, JsonSchema)]
struct TestClasses {
    /// The classes of this page, sorted.
    classes: Vec<TestClass>,
    #[serde(flatten)]
    counts: Counts,
}

/// A test class.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TestClass {
    /// Its name.
    name: String,
    /// The dictionary that holds it.
    dictionary_name: String,
}

fn test_classes(context: &mut Context<'_>, dictionary_name: Option<&str>) -> Result<Vec<(String, String)>, Refusal> {
    let mut all: Vec<(String, String)> = ask(context, "ToolTester", "testClasses", &[])?;
    all.retain(|(_, dictionary)| dictionary_name.is_none_or(|wanted| wanted == dictionary));
    all.sort();
    Ok(all)
}

fn classes(context: &mut Context<'_>, Anywhere { dictionary_name, page }: Anywhere) -> Outcome {
    let shown = page.of(test_classes(context, dictionary_name.as_deref())?);
    let text = shown.lines(|(name, _)| name.clone());
    let described = |(name, dictionary_name)| TestClass { name, dictionary_name };
    let classes = shown.items.into_iter().map(described).collect();
    Ok(Answer::of(text, &TestClasses { classes, counts: shown.counts }))
}

/// Tests that do not pass.
#[derive(Serialize, JsonSchema)]
struct Failing {
    /// How many tests ran.
    run: u64,
    /// How many passed.
    passed: u64,
    /// Those of this page that did not pass, in the order in which they ran.
    items: Vec<Item>,
    #[serde(flatten)]
    counts: Counts,
}

fn failing(context: &mut Context<'_>, arguments: OfClasses) -> Outcome {
    let OfClasses { class_names, dictionary_name, page } = arguments;
    let classes: Vec<(String, Option<String>)> = match class_names {
        Some(names) => names.into_iter().map(|name| (name, dictionary_name.clone())).collect(),
        None => {
            let all = test_classes(context, dictionary_name.as_deref())?.into_iter();
            all.map(|(name, dictionary)| (name, Some(dictionary))).collect()
        }
    };
    let (mut run, mut passed, mut found) = (0, 0, Vec::new());
    for (done, (class, dictionary)) in (0..).zip(&classes) {
        context.report(Progress { done, total: classes.len() as u64, message: class });
        let arguments = [class.as_str().into(), dictionary.as_deref().into()];
        let summary: Summary = ask(context, "ToolTester", "runClass:in:", &arguments)?;
        run += summary.0;
        passed += summary.1;
        found.extend(items(summary.2, summary.3));
    }
    let total = classes.len() as u64;
    context.report(Progress { done: total, total, message: "done" });
    let shown = page.of(found);
    let text = if shown.counts.is_empty() { "(no failing tests)".to_owned() } else { shown.lines(Item::line) };
    Ok(Answer::of(text, &Failing { run, passed, items: shown.items, counts: shown.counts }))
}

/// Why a test does not pass.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Description {
    /// `pass`, `fail` or `error`.
    status: Verdict,
    /// The class of the exception.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<String>,
    /// What the exception says of itself, in full.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The text that was given with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// Its number.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<i64>,
    /// The printString of who did not understand a message.
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<String>,
    /// The selector that was not understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    selector: Option<String>,
    /// The frames of your own code, innermost first.
    frames: Vec<String>,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Pass,
    Fail,
    Error,
}

/// Class, description, message text, number, whether it is a failure, receiver, selector, frames.
type Detail = (String, Option<String>, Option<String>, Option<i64>, bool, Option<String>, Option<String>, Vec<String>);

fn describe(context: &mut Context<'_>, arguments: OfMethod) -> Outcome {
    let OfMethod { class_name, selector, dictionary_name } = arguments;
    selector.each(|selector| {
        let arguments = [selector.into(), class_name.as_str().into(), dictionary_name.as_deref().into()];
        let detail: Option<Detail> = ask(context, "ToolTester", "describe:of:in:", &arguments)?;
        Ok(tell_detail(&format!("{class_name}>>{selector}"), detail))
    })
}

fn tell_detail(label: &str, detail: Option<Detail>) -> Answer {
    let Some((class, description, message, number, failed, receiver, selector, frames)) = detail else {
        let passed = Description {
            status: Verdict::Pass,
            class: None,
            description: None,
            message: None,
            number: None,
            receiver: None,
            selector: None,
            frames: Vec::new(),
        };
        return Answer::of(format!("{label} passed (no failure)."), &passed);
    };
    let shown = description.as_deref().or(message.as_deref()).unwrap_or("(no detail available)");
    let text = format!("{label} - {class}: {shown}");
    let status = if failed { Verdict::Fail } else { Verdict::Error };
    let class = Some(class);
    Answer::of(text, &Description { status, class, description, message, number, receiver, selector, frames })
}
