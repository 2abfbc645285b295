//! The tests of the kernel classes, which are written in Smalltalk: each file of `kernel-tests` is filed into an image
//! of its own, and its suites run there: as always, and with a collection of the nursery at every allocation. The
//! latter is a sample, drawn by a seed that is printed and that `LAPIDARY_SEED` sets; with `LAPIDARY_ALL_TESTS` it is
//! all of them.

mod support;

use smalltalk::Image;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use support::{image, value};

/// Tests that the whole suite must have at least: one that finds none says nothing.
const TESTS_MIN: usize = 150;
/// Of so many tests, one is in the sample that runs under stress.
const SAMPLED: u64 = 4;
/// The whole suite under stress must be through by then.
const STRESS_TIME: Duration = Duration::from_secs(300);

/// The files of `kernel-tests`, in order of their names.
fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernel-tests");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files
}

/// Files a file in; answers how many of its lines look like the selectors of tests.
fn file_in(image: &mut Image, path: &Path) -> usize {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let name = path.display().to_string();
    let done = image
        .file_in(&text, &name, Instant::now() + Duration::from_secs(60))
        .unwrap_or_else(|errors| panic!("{name} does not file in:\n{errors}"));
    let tests = text.lines().filter(|line| line.starts_with("test") && !line.contains(' ')).count();
    assert!(tests > 0 && done.methods >= tests, "{name}: {done:?}, and {tests} lines that look like tests");
    tests
}

/// Runs code with plenty of time; it answers a string.
fn told(image: &mut Image, code: &str) -> String {
    let value = image.execute(code, Instant::now() + STRESS_TIME);
    let value = value.unwrap_or_else(|error| panic!("{}: {} {:?}", error.class, error.message, error.frames));
    value.replace("''", "'").trim_matches('\'').to_owned()
}

/// The classes of the tests in the image, those of the framework's own left out, as Smalltalk code.
const CLASSES: &str = "(TestCase allSubclasses reject: [:each | each isAbstract or: [each == SUnitTest]])";

/// Runs all tests that were filed in; answers what failed and how many ran.
fn run_all(image: &mut Image) -> String {
    let run = format!(
        "| told run | told := WriteStream on: String new. run := 0. \
        {CLASSES} do: [:each | \
        | result | result := each suite run. run := run + result runCount. \
        result failedTests do: [:failed | told \
        nextPutAll: failed key printString; nextPutAll: '  '; nextPutAll: failed value description; lf]]. \
        told print: run; nextPutAll: ' run'. told contents"
    );
    told(image, &run)
}

#[test]
fn every_test_passes() {
    let (mut all, mut wrong) = (0, Vec::new());
    for path in files() {
        let mut image = image();
        let tests = file_in(&mut image, &path);
        let told = run_all(&mut image);
        if told != format!("{tests} run") {
            wrong.push(format!("{}, {tests} tests:\n{told}", path.display()));
        }
        all += tests;
    }
    println!("{all} tests");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(all >= TESTS_MIN, "{all} tests");
}

#[test]
fn the_framework_for_tests_tests_itself() {
    let mut image = image();
    assert_eq!(value(&mut image, "SUnitTest suite run failedTests isEmpty"), "true");
    assert_eq!(value(&mut image, "SUnitTest suite run runCount > 10"), "true");
}

// === Under stress

/// A small generator, so that a seed means the same everywhere.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// Class and selector of every test in the image.
fn tests_in(image: &mut Image) -> Vec<String> {
    let code = format!(
        "| told | told := WriteStream on: String new. {CLASSES} do: [:each | \
        each testSelectors asSortedCollection do: [:selector | \
        told nextPutAll: each name; nextPut: $ ; nextPutAll: selector; lf]]. told contents"
    );
    told(image, &code).lines().map(str::to_owned).collect()
}

/// Runs one test; answers what went wrong, or nothing.
fn run_one(image: &mut Image, test: &str) -> String {
    let (class, selector) = test.split_once(' ').expect("a class and a selector");
    let code = format!(
        "| result | result := ({class} selector: #{selector}) run. \
        result runCount = 1 ifFalse: ['{test} did not run'] ifTrue: [result failedTests isEmpty ifTrue: [''] ifFalse: [\
        '{test}  ' , result failedTests first value description]]"
    );
    told(image, &code)
}

#[test]
fn tests_pass_with_a_collection_at_every_allocation() {
    let whole = std::env::var_os("LAPIDARY_ALL_TESTS").is_some();
    let seed = std::env::var("LAPIDARY_SEED").ok().and_then(|text| text.parse().ok());
    let mut state = seed.unwrap_or_else(|| u64::from(std::process::id()));
    println!("LAPIDARY_SEED={state}");
    let (start, mut run, mut wrong) = (Instant::now(), 0, Vec::new());
    for path in files() {
        let mut image = image();
        file_in(&mut image, &path);
        let tests = tests_in(&mut image);
        image.vm().set_stress(true);
        for test in tests.iter().filter(|_| whole || next(&mut state).is_multiple_of(SAMPLED)) {
            let collections = image.vm().collections();
            wrong.extend(Some(run_one(&mut image, test)).filter(|told| !told.is_empty()));
            assert!(image.vm().collections() > collections, "{test} ran without a collection");
            run += 1;
        }
    }
    println!("{run} tests under stress in {:.1} s", start.elapsed().as_secs_f64());
    assert!(wrong.is_empty(), "{} of {run}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(run >= TESTS_MIN / (SAMPLED as usize * 2), "only {run} tests ran");
    assert!(start.elapsed() < STRESS_TIME, "the suite under stress takes {:?}", start.elapsed());
}

// === What the tests reach

/// Methods that the tests cannot reach, each with the reason.
const UNREACHED: &[(&str, &str)] = &[
    ("AbstractException>>defaultAction", "it ends the execution; `language.rs` sees that it does"),
    ("GsStack class>>terminate:", "it is how an execution ends"),
];

/// Class and selector of every public method of the kernel. What begins with an underscore is the kernel's own, and
/// the classes behind the tools of the protocol are held by the tests of those tools.
fn public_methods(image: &mut Image) -> Vec<String> {
    let code = "| told | told := WriteStream on: String new. \
        (Globals values select: [:each | each isClass and: [(each name beginsWith: 'Tool') not]]) asIdentitySet do: \
        [:class | {class. class class} do: [:side | side _selectors do: [:each | each first = $_ ifFalse: [\
        told nextPutAll: side name; nextPutAll: '>>'; nextPutAll: each; lf]]]]. told contents";
    let mut methods: Vec<String> = told(image, code).lines().map(str::to_owned).collect();
    methods.sort();
    methods
}

#[test]
fn every_public_method_of_the_kernel_is_executed_by_a_test() {
    let mut image = image();
    for path in files() {
        file_in(&mut image, &path);
    }
    image.vm().watch_methods();
    run_all(&mut image);
    value(&mut image, "SUnitTest suite run");
    let met: BTreeSet<String> =
        image.vm().methods_met().into_iter().map(|(class, selector)| format!("{class}>>{selector}")).collect();
    let public = public_methods(&mut image);
    let missed: Vec<&String> = public.iter().filter(|method| !met.contains(*method)).collect();
    println!("{} of {} public methods are executed", public.len() - missed.len(), public.len());
    let excepted = |method: &str| UNREACHED.iter().any(|(known, _)| *known == method);
    let unexcused: Vec<&str> = missed.iter().map(|method| method.as_str()).filter(|method| !excepted(method)).collect();
    let stale: Vec<&str> = UNREACHED.iter().map(|(method, _)| *method).filter(|method| met.contains(*method)).collect();
    assert!(unexcused.is_empty(), "{} methods without a test:\n{}", unexcused.len(), unexcused.join("\n"));
    assert!(stale.is_empty(), "these are executed after all: {stale:?}");
}
