//! From what was given, on the command line and by the environment, to the settings of one program.

use super::value::Value;
use super::{DefaultValue, OPTIONS, OptionSpec, Reader, VARIABLE_PREFIX};
use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use thiserror::Error;

/// How many letters may differ for a known name to be suggested.
const SUGGESTION_EDITS: usize = 4;

/// An option cannot be what it was given as.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OptionError {
    /// A value that is not allowed.
    #[error("invalid value '{value}' for '{option}': {allowed}")]
    Value {
        /// The option, and the variable where that is where the value came from.
        option: String,
        /// The value, with what cannot be shown escaped.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// An option that must be given and was not.
    #[error("--{0} must be given")]
    Missing(&'static str),
    /// A variable that no program of ours knows: a misspelled GS_MCP_READONLY must not open a repository for writing.
    #[error("the variable {name} is not known: correct its name or unset it{suggestion}")]
    Variable {
        /// The variable.
        name: String,
        /// The nearest known one, in words.
        suggestion: String,
    },
}

/// The options of one program as they were given.
#[derive(Debug)]
pub struct Settings {
    values: BTreeMap<&'static str, Setting>,
    notices: Vec<String>,
}

#[derive(Debug)]
struct Setting {
    value: Value,
    /// The text, and whether the variable gave it.
    given: Option<(OsString, bool)>,
}

/// Reads every option of a program: the command line before the environment, the environment before the default.
///
/// A variable that is empty counts as not given, and is mentioned in [`Settings::notices`].
///
/// # Errors
/// For the first value that is not allowed, and for a variable of ours that is not known.
pub fn resolve<'a>(
    reader: Reader,
    arguments: impl IntoIterator<Item = (&'a str, OsString)>,
    environment: impl IntoIterator<Item = (OsString, OsString)>,
) -> Result<Settings, OptionError> {
    let arguments: HashMap<&str, OsString> = arguments.into_iter().collect();
    let environment: HashMap<OsString, OsString> = environment.into_iter().collect();
    // A zygote and a stone inherit the environment of a program that has checked it.
    if !matches!(reader, Reader::Zygote | Reader::Stone) {
        refuse_unknown(&environment)?;
    }
    let mut settings = Settings { values: BTreeMap::new(), notices: Vec::new() };
    for spec in reader.options() {
        let setting = settings.read(spec, &arguments, &environment)?;
        settings.values.insert(spec.name, setting);
    }
    Ok(settings)
}

impl Settings {
    fn read(
        &mut self,
        spec: &OptionSpec,
        arguments: &HashMap<&str, OsString>,
        environment: &HashMap<OsString, OsString>,
    ) -> Result<Setting, OptionError> {
        if let Some(text) = arguments.get(spec.name) {
            if text.is_empty() && (spec.kind.may_be_empty() || matches!(spec.default, DefaultValue::Nothing(_))) {
                return Ok(Setting { value: default_of(spec)?, given: None });
            }
            return read_given(spec, text, false);
        }
        match spec.variable().and_then(|name| Some((name, environment.get(OsStr::new(name))?))) {
            Some((name, text)) if text.is_empty() => {
                self.notices.push(format!("{name} is empty and counts as not given"));
                Ok(Setting { value: default_of(spec)?, given: None })
            }
            Some((_, text)) => read_given(spec, text, true),
            None => Ok(Setting { value: default_of(spec)?, given: None }),
        }
    }

    /// What a person should know of how the options were read, a line each.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// A number.
    pub fn number(&self, spec: &OptionSpec) -> u64 {
        match self.value(spec) {
            Value::Number(number) => *number,
            other => unfit(spec, other),
        }
    }

    /// A yes or no.
    pub fn flag(&self, spec: &OptionSpec) -> bool {
        match self.value(spec) {
            Value::Flag(flag) => *flag,
            other => unfit(spec, other),
        }
    }

    /// A text or choice that always has a value.
    pub fn text(&self, spec: &OptionSpec) -> String {
        self.optional_text(spec).unwrap_or_else(|| unfit(spec, &Value::Nothing))
    }

    /// A text that need not be given.
    pub fn optional_text(&self, spec: &OptionSpec) -> Option<String> {
        match self.value(spec) {
            Value::Text(text) => Some(text.clone()),
            Value::Nothing => None,
            other => unfit(spec, other),
        }
    }

    /// A list; empty if it was not given.
    pub fn list(&self, spec: &OptionSpec) -> Vec<String> {
        match self.value(spec) {
            Value::List(words) => words.clone(),
            Value::Nothing => Vec::new(),
            other => unfit(spec, other),
        }
    }

    /// A path that need not be given.
    pub fn path(&self, spec: &OptionSpec) -> Option<OsString> {
        match self.value(spec) {
            Value::Path(path) => Some(path.clone()),
            Value::Nothing => None,
            other => unfit(spec, other),
        }
    }

    /// The refusal of a value that the table allows and its program does not.
    pub fn refuse(&self, spec: &OptionSpec, why: &str) -> OptionError {
        match self.values.get(spec.name).and_then(|setting| setting.given.as_ref()) {
            Some((text, by_variable)) => refusal(spec, text, *by_variable, why),
            None => refusal(spec, OsStr::new(&spec.default_words()), false, why),
        }
    }

    fn value(&self, spec: &OptionSpec) -> &Value {
        match self.values.get(spec.name) {
            Some(setting) => &setting.value,
            None => panic!("--{} is not among the options of this program", spec.name),
        }
    }
}

/// A program asks for an option as what it is not: a fault of ours, which its first start shows.
fn unfit(spec: &OptionSpec, value: &Value) -> ! {
    panic!("--{} is {value:?}, and is asked for as something else", spec.name)
}

fn default_of(spec: &OptionSpec) -> Result<Value, OptionError> {
    match spec.default {
        DefaultValue::Text(text) => Ok(read_given(spec, OsStr::new(text), false)?.value),
        DefaultValue::Number(number) => Ok(Value::Number(number)),
        DefaultValue::Nothing(_) => Ok(Value::Nothing),
        DefaultValue::Required => Err(OptionError::Missing(spec.name)),
    }
}

fn read_given(spec: &OptionSpec, text: &OsStr, by_variable: bool) -> Result<Setting, OptionError> {
    let value = spec.kind.read(text).map_err(|allowed| refusal(spec, text, by_variable, &allowed))?;
    Ok(Setting { value, given: Some((text.to_owned(), by_variable)) })
}

fn refusal(spec: &OptionSpec, text: &OsStr, by_variable: bool, allowed: &str) -> OptionError {
    let option = match spec.variable().filter(|_| by_variable) {
        Some(variable) => format!("--{} ({variable})", spec.name),
        None => format!("--{}", spec.name),
    };
    let value = text.to_string_lossy().escape_debug().to_string();
    OptionError::Value { option, value, allowed: allowed.to_owned() }
}

fn refuse_unknown(environment: &HashMap<OsString, OsString>) -> Result<(), OptionError> {
    let known = || OPTIONS.iter().filter_map(|spec| spec.variable());
    let ours = environment.keys().filter(|name| name.as_bytes().starts_with(VARIABLE_PREFIX.as_bytes()));
    let mut unknown: Vec<String> = ours.map(|name| name.to_string_lossy().into_owned()).collect();
    unknown.retain(|name| !known().any(|variable| variable == name));
    // The environment has no order; the first by name is refused, so that the answer is the same each time.
    let Some(name) = unknown.into_iter().min() else { return Ok(()) };
    let nearest = known().map(|variable| (edits(&name, variable), variable)).min();
    let suggestion = match nearest {
        Some((count, variable)) if count <= SUGGESTION_EDITS => format!("; did you mean {variable}?"),
        _ => String::new(),
    };
    Err(OptionError::Variable { name, suggestion })
}

/// The Levenshtein distance: how many letters must be put in, left out or changed.
fn edits(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, character) in left.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], line + 1);
        for (column, other) in right.iter().enumerate() {
            let changed = diagonal + usize::from(character != *other);
            diagonal = row[column + 1];
            row[column + 1] = changed.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}
