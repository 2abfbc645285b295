//! How every file of the work tree is kept: module docs, lengths, `unsafe`, left-overs, paths of one machine.
//!
//! Each finding names file and line, so that the fix is one jump away.

use std::fs;
use std::path::{Path, PathBuf};

const FUNCTION_LINES_MAX: usize = 70;
const FILE_LINES_MAX: usize = 800;
const LINE_CHARACTERS_MAX: usize = 120;
/// A quotation cannot always be broken where it is long; what stands around it can.
const QUOTING_LINE_CHARACTERS_MAX: usize = 200;

/// Where `unsafe` may be written.
const UNSAFE_HOMES: &[&str] = &[
    "sandbox/",
    "smalltalk/src/heap/",
    "smalltalk/src/vm/frames.rs",
    "smalltalk/src/vm/interpreter.rs",
    "smalltalk/src/vm/registers.rs",
    "smalltalk/src/vm/send.rs",
    "smalltalk/src/vm/special.rs",
];
/// Crates that do not forbid it as a whole.
const UNSAFE_CRATES: &[&str] = &["sandbox", "smalltalk"];
/// Words that mark unfinished work. Written in two halves, so that this file passes its own test.
const LEFT_OVERS: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("db", "g!("),
    concat!("tod", "o!("),
    concat!("unimpl", "emented!("),
];
/// Folders that exist on one machine only.
const MACHINE_PATHS: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/")];

/// A text file, by its path from the root of the workspace.
pub(super) struct Source {
    pub(super) name: String,
    text: String,
}

impl Source {
    pub(super) fn new(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), text: text.to_owned() }
    }

    fn is_rust(&self) -> bool {
        self.name.ends_with(".rs")
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

#[test]
fn every_rust_file_begins_with_its_module_docs() {
    check(|source, findings| {
        if source.is_rust() && !source.text.starts_with("//! ") {
            findings.push(format!("{}:1: the first line is no `//!` that says what the module is for", source.name));
        }
    });
}

#[test]
fn functions_files_and_lines_keep_their_lengths() {
    check(|source, findings| {
        if !source.is_rust() {
            return;
        }
        let count = source.text.lines().count();
        if count > FILE_LINES_MAX {
            findings.push(format!("{}: {count} lines, {FILE_LINES_MAX} are allowed", source.name));
        }
        for (number, line) in source.lines() {
            let length = line.chars().count();
            let quotes = line.contains('"') && code_of(line).chars().count() <= LINE_CHARACTERS_MAX;
            if length > if quotes { QUOTING_LINE_CHARACTERS_MAX } else { LINE_CHARACTERS_MAX } {
                findings.push(format!("{}:{number}: {length} characters in a line", source.name));
            }
        }
        for (number, length) in long_functions(source) {
            findings.push(format!("{}:{number}: a function of {length} lines", source.name));
        }
    });
}

#[test]
fn unsafe_code_stays_in_its_homes() {
    check(|source, findings| {
        if !source.is_rust() || UNSAFE_HOMES.iter().any(|home| source.name.starts_with(home)) {
            return;
        }
        for (number, line) in source.lines() {
            if code_of(line).split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == concat!("un", "safe"))
            {
                findings.push(format!("{}:{number}: unsafe code outside of its homes", source.name));
            }
        }
    });
}

#[test]
fn unchecked_access_stays_with_the_interpreter_and_the_collector() {
    check(|source, findings| {
        let is_home = UNSAFE_HOMES.iter().any(|home| source.name.starts_with(home));
        if !source.is_rust() || !source.name.starts_with("smalltalk/") || is_home {
            return;
        }
        for (number, line) in source.lines() {
            if code_of(line).contains("_unchecked(") {
                findings.push(format!("{}:{number}: unchecked access outside of its homes", source.name));
            }
        }
    });
}

#[test]
fn crates_forbid_unsafe_code_where_they_need_none() {
    check(|source, findings| {
        let parts: Vec<&str> = source.name.split('/').collect();
        let [member, "src", rest @ ..] = &parts[..] else { return };
        let is_root = matches!(rest, ["lib.rs" | "main.rs"] | ["bin", _] | ["bin", _, "main.rs"]);
        let forbids = source.text.contains("#![forbid(unsafe_code)]");
        if source.is_rust() && is_root && !UNSAFE_CRATES.contains(member) && !forbids {
            findings.push(format!("{}: a crate root without #![forbid(unsafe_code)]", source.name));
        }
    });
}

#[test]
fn nothing_unfinished_is_left_behind() {
    check(|source, findings| {
        for (number, line) in source.lines() {
            for word in LEFT_OVERS.iter().filter(|word| line.contains(**word)) {
                findings.push(format!("{}:{number}: {word}", source.name));
            }
            if line.ends_with([' ', '\t']) && !source.name.ends_with(".gs") {
                findings.push(format!("{}:{number}: blanks at the end of the line", source.name));
            }
        }
        if !source.text.is_empty() && !source.text.ends_with('\n') {
            findings.push(format!("{}: no newline at the end", source.name));
        }
    });
}

#[test]
fn no_path_of_one_machine_is_written_down() {
    check(|source, findings| {
        for (number, line) in source.lines() {
            for path in MACHINE_PATHS.iter().filter(|path| line.contains(**path)) {
                findings.push(format!("{}:{number}: {path} is there on one machine only", source.name));
            }
        }
    });
}

#[test]
fn protocol_stays_free_of_input_output_and_clocks() {
    const BANNED: &[&str] = &[
        "std::fs",
        "std::net",
        "std::os::fd",
        "std::os::unix::net",
        "std::process",
        "std::thread",
        "std::env",
        "Instant::",
        "SystemTime",
    ];
    check(|source, findings| {
        if !source.name.starts_with("protocol/src/") {
            return;
        }
        for (number, line) in source.lines() {
            for word in BANNED.iter().filter(|word| code_of(line).contains(**word)) {
                findings.push(format!("{}:{number}: {word} in the crate that is pure", source.name));
            }
        }
    });
}

/// Runs one rule over every text file and fails with all of its findings.
pub(super) fn check(rule: impl Fn(&Source, &mut Vec<String>)) {
    let mut findings = Vec::new();
    let sources = sources();
    assert!(sources.len() > 20, "the walk found the work tree");
    for source in &sources {
        rule(source, &mut findings);
    }
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

/// Every text file of the work tree.
pub(super) fn sources() -> Vec<Source> {
    let root = super::root();
    let mut found = Vec::new();
    walk(&root, &root, &mut found);
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn walk(root: &Path, folder: &Path, found: &mut Vec<Source>) {
    const SKIPPED: &[&str] = &["target", "node_modules", "__pycache__"];
    for entry in fs::read_dir(folder).expect("a folder that can be read").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        if SKIPPED.contains(&&*name) || (name.starts_with('.') && name != ".ci" && name != ".gitignore") {
            continue;
        }
        if path.is_dir() {
            walk(root, &path, found);
        } else if let Some(source) = read(root, &path) {
            found.push(source);
        }
    }
}

/// The file, unless it is no text.
fn read(root: &Path, path: &PathBuf) -> Option<Source> {
    let text = String::from_utf8(fs::read(path).ok()?).ok()?;
    let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
    (name != "Cargo.lock").then_some(Source { name, text })
}

/// A line without its comment and without what it quotes: enough for words that are no part of a string.
pub(super) fn code_of(line: &str) -> String {
    let mut code = String::new();
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if quoted => drop(characters.next()),
            '"' => quoted = !quoted,
            '/' if !quoted && characters.peek() == Some(&'/') => break,
            _ if !quoted => code.push(character),
            _ => {}
        }
    }
    code
}

/// Functions over the limit: first line and length. In formatted code a function ends at the first closing brace
/// that stands where its first line does.
fn long_functions(source: &Source) -> Vec<(usize, usize)> {
    let lines: Vec<&str> = source.text.lines().collect();
    let mut long = Vec::new();
    for (start, line) in lines.iter().enumerate().filter(|(_, line)| begins_function(line)) {
        let indent = line.len() - line.trim_start().len();
        let closes = |candidate: &&str| {
            candidate.get(indent..).is_some_and(|rest| rest.starts_with('}'))
                && candidate[..indent].chars().all(char::is_whitespace)
        };
        if line.ends_with('}') || line.ends_with(';') {
            continue;
        }
        let length = lines[start..].iter().position(closes).map_or(0, |end| end + 1);
        if length > FUNCTION_LINES_MAX {
            long.push((start + 1, length));
        }
    }
    long
}

fn begins_function(line: &str) -> bool {
    const BEFORE: &[&str] =
        &["pub", "pub(crate)", "pub(super)", "async", "const", concat!("un", "safe"), "extern", "\"C\""];
    let mut words = line.split_whitespace().skip_while(|word| BEFORE.contains(word));
    words.next() == Some("fn")
}

#[test]
fn the_measures_measure() {
    let body = "    let x = 1;\n".repeat(70);
    let text = format!("//! Docs.\npub(crate) async fn long(\n    a: u8,\n) {{\n{body}}}\nfn short() {{\n    1\n}}\n");
    assert_eq!(long_functions(&Source { name: "a.rs".into(), text }), [(2, 74)]);
    assert_eq!(code_of("let a = \"x // y\"; // z"), "let a = ; ");
}
