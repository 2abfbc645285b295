//! The examples of the documents: each fenced block of `sh` that is followed by a block of what it answers is run as it
//! stands, all of a document in one shell and in order, and what it prints is held against that block.
//!
//! In what is shown, `…` stands for anything; blanks and line breaks count for nothing, so that long lines can be
//! broken, and neither does case, as in the names of headers.

use std::fs;
use std::process::Command;
use tests::binaries::workspace;
use tests::server::Server;

/// One example: what is typed, and what is shown.
struct Example {
    line: usize,
    typed: String,
    shown: String,
}

/// The fenced blocks of a document: line, language, text.
fn blocks(text: &str) -> Vec<(usize, String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, String, String)> = None;
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some((number + 1, language.to_owned(), String::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some((_, _, block))) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is left open");
    blocks
}

fn examples(text: &str) -> Vec<Example> {
    let blocks = blocks(text);
    let mut examples = Vec::new();
    for (place, (line, _, typed)) in blocks.iter().enumerate().filter(|(_, block)| block.1 == "sh") {
        let next = blocks.get(place + 1).filter(|next| matches!(next.1.as_str(), "http" | "json" | "text"));
        match next {
            Some((_, _, shown)) => {
                examples.push(Example { line: *line, typed: typed.clone(), shown: shown.clone() });
            }
            None => assert!(!typed.contains("curl"), "line {line}: it calls curl, and nothing is shown after it"),
        }
    }
    examples
}

/// Whether a text is what is shown.
fn is_shown(text: &str, shown: &str) -> bool {
    let squeeze = |text: &str| text.to_lowercase().split_whitespace().collect::<String>();
    let (text, shown) = (squeeze(text), squeeze(shown));
    let parts: Vec<&str> = shown.split('…').collect();
    let [first, middle @ .., last] = parts.as_slice() else { return text == shown };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    for part in middle {
        let Some(place) = rest.find(part) else { return false };
        rest = &rest[place + part.len()..];
    }
    rest.ends_with(last)
}

fn run(document: &str) {
    if Command::new("curl").arg("--version").output().is_err() {
        return tests::skipped(document, "curl is not installed");
    }
    let text = fs::read_to_string(workspace().join(document)).expect("the document");
    let server = Server::start_default();
    let examples = examples(&text);
    assert!(!examples.is_empty(), "{document} shows nothing");
    let folder = tempfile::tempdir().expect("a folder");
    let mut script = String::new();
    for (number, example) in examples.iter().enumerate() {
        let typed = example.typed.replace("localhost:8000", &server.address.to_string());
        script.push_str(&format!("{{\n{typed}}} >out-{number} 2>&1\n"));
    }
    let status = Command::new("bash").arg("-c").arg(&script).current_dir(folder.path()).status().expect("bash runs");
    assert!(status.code().is_some(), "{document}: {status}");
    for (number, example) in examples.iter().enumerate() {
        let printed = fs::read_to_string(folder.path().join(format!("out-{number}"))).unwrap_or_default();
        let line = example.line;
        let shown = &example.shown;
        assert!(is_shown(&printed, shown), "{document}, line {line}: it prints\n{printed}\nand shows\n{shown}");
    }
}

#[test]
fn what_is_printed_is_told_from_what_is_shown() {
    for (text, shown) in [("{\"a\": 1}\n", "{\"a\":\n1}"), ("abc", "a…c"), ("abc", "…"), ("abcbc", "a…b…c")] {
        assert!(is_shown(text, shown), "{text} {shown}");
    }
    for (text, shown) in [("abc", "ab"), ("abc", "a…b"), ("abc", "b…c"), ("", "a"), ("ab", "ab…b")] {
        assert!(!is_shown(text, shown), "{text} {shown}");
    }
}

#[test]
fn the_examples_of_the_page_on_the_protocol() {
    run("docs/protocol.md");
}

#[test]
fn the_examples_of_the_readme() {
    run("README.md");
}
