//! Numbers that bound something stand in the modules of limits and nowhere else.
//!
//! Held in the crates of the table: there, no constant whose name says that it is a bound, and no duration, has its
//! number where it is used. Unit tests at the end of a file do not count.

use super::tidy::{check, code_of};

/// Sources that take every bound from a module of limits, and the files below them that may hold numbers.
const SOURCES: &[(&str, &[&str])] = &[("stone/src/", &[]), ("sandbox/src/", &["sandbox/src/limits.rs"])];

const ENDINGS: &[&str] = &["_MAX", "_MIN", "_BYTES", "_MILLIS", "_SECONDS", "_PAGES", "_OBJECTS", "_KIBIBYTES"];

#[test]
fn bounds_stand_with_the_limits() {
    check(|source, findings| {
        let place = SOURCES.iter().find(|(root, _)| source.name.starts_with(root));
        if place.is_none_or(|(_, homes)| homes.contains(&source.name.as_str())) || !source.name.ends_with(".rs") {
            return;
        }
        if source.name.ends_with("/tests.rs") {
            return;
        }
        for (number, line) in source.lines().take_while(|(_, line)| *line != "#[cfg(test)]") {
            if let Some(what) = number_in(&code_of(line)) {
                findings.push(format!("{}:{number}: {what} belongs to the limits", source.name));
            }
        }
    });
}

/// The bound whose number stands in a line.
fn number_in(code: &str) -> Option<String> {
    let begins_with_digit = |text: &str| text.trim_start().starts_with(|c: char| c.is_ascii_digit());
    if let Some((_, rest)) = code.split_once("const ")
        && let Some((name, rest)) = rest.split_once(':')
        && let Some((_, value)) = rest.split_once('=')
        && ENDINGS.iter().any(|ending| name.ends_with(ending))
        && begins_with_digit(value)
    {
        return Some(name.to_owned());
    }
    let durations = ["from_secs(", "from_millis(", "from_micros(", "from_nanos(", "from_mins("];
    let duration = durations.iter().find_map(|call| code.split_once(&format!("Duration::{call}")))?;
    begins_with_digit(duration.1).then(|| "a duration".to_owned())
}

#[test]
fn numbers_are_found() {
    assert_eq!(number_in("pub const HELLO_BYTES_MAX: usize = 64 * 1024;"), Some("HELLO_BYTES_MAX".to_owned()));
    assert_eq!(number_in("    wait(Duration::from_secs(3600));"), Some("a duration".to_owned()));
    assert_eq!(number_in("const STALL: Duration = Duration::from_millis(STALL_MILLIS);"), None);
    assert_eq!(number_in("const EXIT_USAGE: u8 = 2;"), None);
}
