//! Words that the house no longer uses, each with what stands for it now, so that no rename comes back by habit.
//!
//! A word is held whole: identifiers are taken apart at their capitals and underscores, so that `Way` is found in
//! `WayOut` and not in `Always`.

use std::collections::BTreeMap;

/// What the names are taken apart into must not have these words in a row. Lower case, as `words_of` answers them.
const RETIRED: &[(&[&str], &str)] = &[
    (&["parcel"], "message"),
    (&["glance"], "routing parameters"),
    (&["clerk"], "the gem for lists, the committer"),
    (&["lawful"], "valid"),
    (&["foul"], "invalid"),
    (&["heed"], "handle"),
    (&["keeper"], "the gem of a task, the store"),
    (&["lane"], "route, socket"),
    (&["surroundings"], "shared state"),
    (&["catalogue"], "discovery"),
    (&["ledger"], "read log"),
    (&["misfit"], "invalid data"),
    (&["rebound"], "bind outcome"),
    (&["is", "alone"], "is ephemeral"),
    (&["refuse", "alone"], "refuse with status"),
    (&["handle", "beside"], "handle control message"),
    (&["landed"], "made, its commit status"),
];

/// Crates that are free of the words and the names of types below. A crate is added once it is.
const PLAIN_CRATES: &[&str] = &["sandbox/", "stone/"];

/// Say which process, thread, session or caller it is.
const VAGUE: &[&str] =
    &["whoever", "whomever", "somebody", "someone", "anybody", "anyone", "nobody", "everybody", "verdict"];

/// Names of types that say too little: of what?
const VAGUE_TYPES: &[&str] = &["State", "Reader", "Writer", "Book", "Loss", "Way", "Talk", "Told", "Door"];

#[test]
fn plain_crates_say_what_they_mean() {
    super::tidy::check(|source, findings| {
        if !source.name.ends_with(".rs") || !PLAIN_CRATES.iter().any(|root| source.name.starts_with(root)) {
            return;
        }
        for (number, line) in source.lines() {
            for word in words_of(line).iter().filter(|word| VAGUE.contains(&word.as_str())) {
                findings.push(format!("{}:{number}: \"{word}\" is vague", source.name));
            }
            if let Some(name) = type_declared_in(line).filter(|name| VAGUE_TYPES.contains(name)) {
                findings.push(format!("{}:{number}: a type called {name}: of what?", source.name));
            }
        }
    });
}

/// The name of the type that a line declares.
fn type_declared_in(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let code = code.strip_prefix("pub").map_or(code, |rest| {
        let rest = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or(rest, |(_, rest)| rest);
        rest.trim_start()
    });
    let name = ["struct ", "enum ", "trait ", "type "].iter().find_map(|kind| code.strip_prefix(kind))?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

#[test]
fn no_retired_word_is_used() {
    let retired = by_first_word(RETIRED);
    super::tidy::check(|source, findings| {
        let held = [".rs", ".md", ".sh"].iter().any(|ending| source.name.ends_with(ending));
        if !held || source.name == "tests/tests/rules/words.rs" || source.name == "docs/glossary.md" {
            return;
        }
        for (number, line) in source.lines() {
            for (word, instead) in retired_in(line, &retired) {
                findings.push(format!("{}:{number}: \"{word}\" is retired: {instead}", source.name));
            }
        }
    });
}

type Table<'a> = BTreeMap<&'a str, Vec<&'a (&'a [&'a str], &'a str)>>;

fn by_first_word<'a>(retired: &'a [(&'a [&'a str], &'a str)]) -> Table<'a> {
    let mut table = Table::new();
    for entry in retired {
        table.entry(entry.0[0]).or_default().push(entry);
    }
    table
}

fn retired_in<'a>(line: &str, retired: &Table<'a>) -> Vec<(String, &'a str)> {
    let words = words_of(line);
    let mut found = Vec::new();
    for (start, word) in words.iter().enumerate() {
        for (phrase, instead) in retired.get(&**word).into_iter().flatten() {
            let follows = words.get(start..start + phrase.len());
            if follows.is_some_and(|row| row.iter().zip(*phrase).all(|(a, b)| a == b)) {
                found.push((phrase.join(" "), *instead));
            }
        }
    }
    found
}

/// The words of a line in lower case: split where no letter stands, and where a capital follows a small letter.
fn words_of(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for character in line.chars() {
        if !character.is_alphabetic() || (character.is_uppercase() && after_small) {
            words.push(String::new());
        }
        if character.is_alphabetic() {
            words.last_mut().expect("one at least").extend(character.to_lowercase());
        }
        after_small = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn words_are_found_whole() {
    assert_eq!(type_declared_in("    pub(crate) struct State<'a> {"), Some("State"));
    assert_eq!(type_declared_in("pub enum Reader {"), Some("Reader"));
    assert_eq!(type_declared_in("let state = State::new();"), None);
    let entries: &[(&[&str], &str)] = &[(&["way"], "mode"), (&["whoever", "asks"], "the client")];
    let retired = by_first_word(entries);
    assert_eq!(retired_in("let x: WayOut = always(highway, two_way);", &retired).len(), 2);
    assert_eq!(retired_in("/// For whoever asks.", &retired), [("whoever asks".to_owned(), "the client")]);
    assert!(retired_in("whoever else asks", &retired).is_empty());
}
