//! One value of an option: from the text that was given to what the kind says it is.
//!
//! The spelling rules are here and nowhere else, so that a value means the same whichever program reads it.

use super::Kind;
use crate::revision::Served;
use std::ffi::{OsStr, OsString};

/// A value that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// Not given, and no default.
    Nothing,
    Number(u64),
    Flag(bool),
    Text(String),
    List(Vec<String>),
    Path(OsString),
}

/// A yes or no: 1, true, yes, on or 0, false, no, off, in any case of letters. Nothing for any other text.
pub fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

impl Kind {
    /// What is allowed, in words; empty where everything is.
    pub fn allowed(&self) -> String {
        match self {
            Self::Integer { min, max } | Self::Seconds { min, max } => format!("{min} to {max}"),
            Self::Choice(choices) => match choices {
                [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
                _ => choices.join(""),
            },
            Self::Flag => "1, true, yes, on or 0, false, no, off".to_owned(),
            Self::Words => "names separated by commas or blanks".to_owned(),
            Self::Origins => "scheme://host or scheme://host:port, separated by blanks".to_owned(),
            Self::Revisions => format!("{}, separated by commas or blanks", Served::default().names().join(", ")),
            Self::Path => String::new(),
            Self::Text { bytes_max } => format!("1 to {bytes_max} bytes without control characters"),
        }
    }

    /// Whether nothing is a value that can be chosen on a command line, to undo what a variable says.
    pub(super) fn may_be_empty(&self) -> bool {
        matches!(self, Self::Words | Self::Origins | Self::Revisions)
    }

    /// The value that a text stands for. The error is what is allowed, in words for a person.
    pub(super) fn read(&self, given: &OsStr) -> Result<Value, String> {
        if *self == Self::Path {
            return Ok(Value::Path(given.to_owned()));
        }
        let text = given.to_str().ok_or("it is not UTF-8")?;
        match self {
            Self::Integer { min, max } | Self::Seconds { min, max } => {
                let unit = if matches!(self, Self::Seconds { .. }) { " seconds" } else { "" };
                let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
                let number = text.parse().ok().filter(|number| digits && (*min..=*max).contains(number));
                number.map(Value::Number).ok_or(format!("give a whole number from {min} to {max}{unit}"))
            }
            Self::Choice(choices) => match choices.contains(&text) {
                true => Ok(Value::Text(text.to_owned())),
                false => Err(format!("choose {}", self.allowed())),
            },
            Self::Flag => boolean(text).map(Value::Flag).ok_or(format!("say {}", self.allowed())),
            Self::Words => Ok(Value::List(words(text))),
            Self::Origins => Ok(Value::List(text.split_ascii_whitespace().map(str::to_owned).collect())),
            Self::Revisions => match Served::choose(&words(text)) {
                Ok(_) => Ok(Value::List(words(text))),
                Err(unknown) => {
                    Err(format!("`{unknown}` is not served: choose from {}", Served::default().names().join(", ")))
                }
            },
            Self::Text { bytes_max } => {
                let is_good = !text.is_empty() && text.len() <= *bytes_max && !text.contains(char::is_control);
                is_good.then(|| Value::Text(text.to_owned())).ok_or(format!("give {}", self.allowed()))
            }
            Self::Path => unreachable!("a path is read above, since it need not be text"),
        }
    }
}

fn words(text: &str) -> Vec<String> {
    let parts = text.split(|character: char| character == ',' || character.is_ascii_whitespace());
    parts.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
