//! The tests of the kernel classes, which are written in Smalltalk: each file of `kernel-tests` is filed into an image
//! of its own, and its suites run there: once as always, once with a collection of garbage at every allocation.

mod support;

use std::time::{Duration, Instant};
use support::{image, value};

/// Files in a file and runs the suite of every test class that it defines.
fn run_file(name: &str) {
    for stress in [false, true] {
        run_under(name, stress);
    }
}

fn run_under(name: &str, stress: bool) {
    let path = format!("{}/kernel-tests/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut image = image();
    let done = image
        .file_in(&text, name, Instant::now() + Duration::from_secs(60))
        .unwrap_or_else(|errors| panic!("{name} does not file in:\n{errors}"));
    image.vm().heap.set_stress(stress);
    let tests = text.lines().filter(|line| line.starts_with("test") && !line.contains(' ')).count();
    assert!(tests > 0 && done.methods >= tests, "{done:?}, and {tests} lines that look like tests");
    let run = "| told run | told := WriteStream on: String new. run := 0. \
        (TestCase allSubclasses reject: [:each | each isAbstract or: [each == SUnitTest]]) do: [:each | \
        | result | result := each suite run. run := run + result runCount. \
        result failedTests do: [:failed | told \
        nextPutAll: failed key printString; nextPutAll: '  '; nextPutAll: failed value description; lf]]. \
        told print: run; nextPutAll: ' run'. told contents";
    let told = value(&mut image, run).replace("''", "'");
    assert_eq!(told.trim_matches('\''), format!("{tests} run"), "{told}");
}

#[test]
fn classes() {
    run_file("classes.gs");
}

#[test]
fn collections() {
    run_file("collections.gs");
}

#[test]
fn dates() {
    run_file("dates.gs");
}

#[test]
fn exceptions() {
    run_file("exceptions.gs");
}

#[test]
fn numbers() {
    run_file("numbers.gs");
}

#[test]
fn services() {
    run_file("services.gs");
}

#[test]
fn the_framework_for_tests_tests_itself() {
    let mut image = image();
    assert_eq!(value(&mut image, "SUnitTest suite run failedTests isEmpty"), "true");
    assert_eq!(value(&mut image, "SUnitTest suite run runCount > 10"), "true");
}

#[test]
fn strings() {
    run_file("strings.gs");
}

#[test]
fn toolsets() {
    run_file("toolsets.gs");
}
