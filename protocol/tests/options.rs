//! The table of options against what is made from it: values, refusals, documents, scripts.

use protocol::options::{AUTOCOMMIT, CALL_SECONDS, PORT, READ_ONLY, TITLE, TOOLSETS, USER};
use protocol::options::{DefaultValue, OPTIONS, OptionError, Reader, Settings, document, resolve};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

type Pair<'a> = (&'a str, &'a str);

fn read(reader: Reader, arguments: &[Pair<'_>], environment: &[Pair<'_>]) -> Result<Settings, OptionError> {
    let arguments = arguments.iter().map(|(name, value)| (*name, OsString::from(value)));
    let environment = environment.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    resolve(reader, arguments, environment)
}

fn refused(environment: Pair<'_>) -> String {
    read(Reader::Router, &[], &[environment]).expect_err(environment.1).to_string()
}

#[test]
fn no_name_stands_twice_for_one_reader_and_no_variable_at_all() {
    let mut variables = BTreeSet::new();
    for variable in OPTIONS.iter().filter_map(|spec| spec.variable()) {
        assert!(variables.insert(variable), "{variable} stands twice");
    }
    for reader in [Reader::Router, Reader::Zygote, Reader::Local, Reader::Stone, Reader::Scripts] {
        let mut names = BTreeSet::new();
        assert!(reader.options().all(|spec| names.insert(spec.name)), "{reader:?}: a name stands twice");
        assert!(!names.is_empty(), "{reader:?} reads nothing");
    }
    assert!(OPTIONS.iter().all(|spec| !spec.readers.is_empty() && !spec.help.ends_with('.')));
}

#[test]
fn every_default_is_a_value_that_is_allowed() {
    for spec in OPTIONS {
        let text = match spec.default {
            DefaultValue::Text(text) => text.to_owned(),
            DefaultValue::Number(number) => number.to_string(),
            DefaultValue::Nothing(_) | DefaultValue::Required => continue,
        };
        for reader in spec.readers.iter().filter(|reader| **reader != Reader::Stone) {
            read(*reader, &[(spec.name, &text)], &[]).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[test]
fn the_command_line_wins_over_the_environment_and_that_over_the_default() {
    let number = |arguments: &[Pair<'_>], environment: &[Pair<'_>]| {
        read(Reader::Router, arguments, environment).expect("allowed").number(&PORT)
    };
    assert_eq!(number(&[], &[]), 8000);
    assert_eq!(number(&[], &[("GS_MCP_PORT", "7")]), 7);
    assert_eq!(number(&[("port", "8")], &[("GS_MCP_PORT", "7")]), 8);
}

#[test]
fn a_yes_or_no_has_one_rule() {
    for (text, value) in [("1", true), ("TRUE", true), ("Yes", true), ("on", true), ("0", false), ("off", false)] {
        let settings = read(Reader::Router, &[], &[("GS_MCP_READONLY", text)]).expect(text);
        assert_eq!(settings.flag(&READ_ONLY), value, "{text}");
    }
    for text in ["2", "y", "perhaps", " 1", "true "] {
        let told = refused(("GS_MCP_READONLY", text));
        assert!(told.contains("--readonly (GS_MCP_READONLY)") && told.contains("say 1, true, yes, on or"), "{told}");
    }
}

#[test]
fn an_empty_variable_is_not_given_and_is_told() {
    let settings = read(Reader::Router, &[], &[("GS_MCP_READONLY", ""), ("GS_USER", "")]).expect("allowed");
    assert!(!settings.flag(&READ_ONLY) && settings.flag(&AUTOCOMMIT));
    assert_eq!(settings.text(&USER), "DataCurator");
    let told = settings.notices().join("\n");
    assert!(told.contains("GS_MCP_READONLY is empty") && told.contains("GS_USER is empty"), "{told}");
}

#[test]
fn nothing_on_the_command_line_undoes_a_variable_where_nothing_is_a_value() {
    let environment = [("GS_MCP_TOOLSETS", "session"), ("GS_MCP_TITLE", "x")];
    let settings = read(Reader::Router, &[("toolsets", ""), ("title", "")], &environment).expect("allowed");
    assert_eq!((settings.list(&TOOLSETS), settings.optional_text(&TITLE)), (Vec::new(), None));
    let told = read(Reader::Router, &[("user", "")], &[]).expect_err("no user").to_string();
    assert!(told.contains("'--user'"), "{told}");
}

#[test]
fn a_value_that_is_not_allowed_is_refused_by_name() {
    for (name, value, wanted) in [
        ("GS_MCP_CALL_SECONDS", "soon", "give a whole number from 1 to 86400 seconds"),
        ("GS_MCP_CALL_SECONDS", "+5", "give a whole number"),
        ("GS_MCP_PORT", "65536", "from 0 to 65535"),
        ("GS_MCP_REVISIONS", "1999-01-01", "`1999-01-01` is not served"),
        ("GS_USER", "a\tb", "without control characters"),
        ("GS_MCP_LOG", "INFO", "choose off, error, warn, info, debug or trace"),
    ] {
        let told = refused((name, value));
        assert!(told.contains(name) && told.contains(wanted), "{told}");
        assert!(!told.contains(char::is_control), "{told:?}");
    }
    let other = read(Reader::Local, &[], &[("GS_MCP_CALL_SECONDS", "soon")]);
    assert!(other.is_ok(), "what a program does not read cannot stop it");
    let fallback = read(Reader::Router, &[], &[]).expect("allowed").refuse(&CALL_SECONDS, "no").to_string();
    assert_eq!(fallback, "invalid value '600' for '--call-seconds': no");
}

#[test]
fn a_misspelled_variable_is_refused_with_the_nearest_one() {
    for (name, wanted) in [
        ("GS_MCP_READ_ONLY", "did you mean GS_MCP_READONLY?"),
        ("GS_MCP_READONLI", "did you mean GS_MCP_READONLY?"),
        ("GS_MCP_CALL_SECOND", "did you mean GS_MCP_CALL_SECONDS?"),
    ] {
        let told = refused((name, "1"));
        assert!(told.contains(name) && told.contains(wanted), "{told}");
    }
    let told = refused(("GS_MCP_ENTIRELY_UNKNOWN_THING", "1"));
    assert!(!told.contains("did you mean"), "{told}");
    assert!(read(Reader::Router, &[], &[("GS_LIB", "x"), ("PATH", "/bin")]).is_ok(), "others' variables are theirs");
    assert!(read(Reader::Zygote, &[], &[("GS_MCP_READ_ONLY", "1")]).is_ok(), "its router has checked them");
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned()
}

/// `LAPIDARY_WRITE_DOCUMENTS=1 cargo test -p protocol --test options` writes what it otherwise checks.
#[test]
fn the_document_shows_the_table() {
    let path = workspace().join("docs/operations.md");
    let kept = std::fs::read_to_string(&path).expect("the document");
    let (begin, end) = ("<!-- options: begin -->\n", "<!-- options: end -->");
    let (before, rest) = kept.split_once(begin).expect("a place for the table");
    let (_, after) = rest.split_once(end).expect("the end of that place");
    let made = format!("{before}{begin}\n{}\n{end}{after}", document());
    if std::env::var_os("LAPIDARY_WRITE_DOCUMENTS").is_some() {
        std::fs::write(&path, &made).expect("written");
    } else {
        assert!(made == kept, "docs/operations.md is out of date: LAPIDARY_WRITE_DOCUMENTS=1 writes it");
    }
}

#[test]
fn scripts_use_only_variables_that_are_theirs_and_the_same_defaults() {
    let mut seen = 0;
    for script in ["run-server.sh", "stop-server.sh", "serve-conformance.sh"] {
        let text = std::fs::read_to_string(workspace().join("scripts").join(script)).expect("a script");
        let words = text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
        for name in words.filter(|word| word.starts_with("GS_") || *word == "LAPIDARY_BIN") {
            let spec = OPTIONS.iter().find(|spec| spec.variable() == Some(name));
            assert!(spec.is_some(), "{script}: {name} is in no table");
            seen += 1;
        }
        if let Some((_, rest)) = text.split_once("${GS_MCP_PORT:-") {
            assert!(rest.starts_with(&format!("{}}}", PORT.default_words())), "{script}: another default port");
        }
    }
    assert!(seen >= 6, "the scripts were read");
}
