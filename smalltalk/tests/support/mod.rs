//! What the tests of the image share: an image with a store in memory.
#![allow(dead_code)] // Each test binary uses its part.

use smalltalk::memory_store::MemoryStore;
use smalltalk::store::ObjectStore;
use smalltalk::{ExecutionError, Image, SessionFacts};
use std::time::{Duration, Instant};

/// An image of its own on a store that others may share.
pub(crate) fn image_on(store: &MemoryStore) -> Image {
    let mut image = Image::boot().unwrap_or_else(|error| panic!("the kernel does not boot: {error}"));
    image.freeze().expect("the kernel can be frozen");
    let (mut opened, overlays) = store.open();
    let oids = opened.reserve().expect("a store in memory has identities");
    let view = opened.view();
    let facts = SessionFacts { user: "DataCurator".to_owned(), session: 5, stone: "gs64stone".to_owned() };
    image.attach(Box::new(opened), facts, overlays, oids, view).expect("attaches");
    image
}

/// An image with a store of its own.
pub(crate) fn image() -> Image {
    image_on(&MemoryStore::new())
}

/// Runs code with plenty of time.
pub(crate) fn run(image: &mut Image, code: &str) -> Result<String, ExecutionError> {
    image.execute(code, Instant::now() + Duration::from_secs(60))
}

/// Runs code that must give a value; answers its printString.
pub(crate) fn value(image: &mut Image, code: &str) -> String {
    match run(image, code) {
        Ok(value) => value,
        Err(error) => panic!("{code}\n  {}: {} {:?}", error.class, error.message, error.frames),
    }
}

/// Runs code that must fail.
pub(crate) fn error(image: &mut Image, code: &str) -> ExecutionError {
    match run(image, code) {
        Ok(value) => panic!("{code} answered {value}"),
        Err(error) => error,
    }
}

/// Checks a table of code and printStrings in one image, and reports all that differ at once.
pub(crate) fn check(cases: &[(&str, &str)]) {
    let mut image = image();
    let mut wrong = Vec::new();
    for (code, expected) in cases {
        let found = match run(&mut image, code) {
            Ok(value) => value,
            Err(error) => format!("{}: {} {:?}", error.class, error.message, error.frames),
        };
        if found != *expected {
            wrong.push(format!("{code}\n    answered {found}\n    expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
