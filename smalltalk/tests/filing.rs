//! Filing in: both forms of files bring in the same, and every failure is told with its line.

mod support;

use smalltalk::{FileIn, Image};
use std::time::{Duration, Instant};
use support::{image, value};

fn file_in(image: &mut Image, name: &str, text: &str) -> Result<FileIn, Vec<(u32, String)>> {
    image.file_in(text, name, Instant::now() + Duration::from_secs(60)).map_err(|errors| {
        assert!(errors.failures.iter().all(|failure| failure.file == name), "{errors}");
        errors.failures.into_iter().map(|failure| (failure.line, failure.message)).collect()
    })
}

const TOPAZ: &str = "doit\nObject subclass: 'Bell'\n  instVarNames: #( tone)\n  classVars: #()\n  \
    classInstVars: #()\n  \
    poolDictionaries: #()\n  inDictionary: UserGlobals\n  options: #()\n%\ndoit\nBell comment: 'It''s loud!'\n%\n\
    category: 'ringing'\nmethod: Bell\nring\n\t^tone\n%\ncategory: 'making'\nclassmethod: Bell\nloud\n\t^self new\n%\n";

const CHUNKS: &str = "Object subclass: #Bell\n  instanceVariableNames: 'tone'\n  classVariableNames: ''\n  \
    package: 'Bells'!\n!Bell commentStamp: 'x' prior: 0!\nIt's loud!!!\n!Bell methodsFor: 'ringing'!\nring\n\t^tone! !\
    \n\
    !Bell class methodsFor: 'making'!\nloud\n\t^self new! !\n";

#[test]
fn both_forms_bring_in_the_same() {
    for (name, text) in [("bell.gs", TOPAZ), ("bell.st", CHUNKS)] {
        let mut image = image();
        assert_eq!(file_in(&mut image, name, text), Ok(FileIn { methods: 2, do_its: 2 }), "{name}");
        let told = value(
            &mut image,
            "{Bell instVarNames. Bell comment. Bell categoryOfSelector: #ring. Bell class sourceCodeAt: #loud. \
                Bell loud ring}",
        );
        let source = "'loud\n\t^self new'".to_owned();
        assert_eq!(
            told.replace("\n'", "'"),
            format!("anArray( anArray( #'tone'), 'It''s loud!', #'ringing', {source}, nil)"),
            "{name}"
        );
    }
}

#[test]
fn failures_have_the_line_of_what_is_wrong() {
    let mut image = image();
    let topaz =
        "doit\n3 foo\n%\ndoit\n\n3 + \n%\nmethod: Object\nfoo\n\n\t^zork\n%\nmethod: Nowhere\nfoo\n%\ninput x.gs\n";
    let lines: Vec<u32> = file_in(&mut image, "a.gs", topaz).unwrap_err().iter().map(|failure| failure.0).collect();
    assert_eq!(lines, [1, 7, 11, 13, 16]);
    let chunks = "3 foo!\n\n\n3\n +!\n!Object methodsFor: 'x'!\nfoo\n\n\t^zork!\nbar\n\t^)! !\n!Nowhere \
        methodsFor: 'x'!\nfoo! !\n";
    let failures = file_in(&mut image, "a.st", chunks).unwrap_err();
    let lines: Vec<u32> = failures.iter().map(|failure| failure.0).collect();
    assert_eq!(lines, [1, 5, 9, 11, 13], "{failures:?}");
}

#[test]
fn a_file_that_cannot_be_read_does_nothing() {
    let mut image = image();
    let failures = file_in(&mut image, "a.st", "UserGlobals at: #A put: 3!\n4").unwrap_err();
    assert_eq!(failures.len(), 1);
    assert_eq!(value(&mut image, "UserGlobals includesKey: #A"), "false");
}

#[test]
fn a_commit_within_a_file_commits_nothing_by_itself() {
    let mut image = image();
    let text = format!("remark all that rings\n{TOPAZ}commit\n");
    assert!(file_in(&mut image, "a.gs", &text).is_ok());
    assert!(image.has_uncommitted_changes());
    let failures = file_in(&mut image, "a.gs", "commit\nabort\n").unwrap_err();
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(failures[0].0, 2);
    assert_eq!(file_in(&mut image, "a.gs", "abort\n"), Ok(FileIn::default()));
    assert_eq!(value(&mut image, "UserGlobals includesKey: #Bell"), "false");
}
