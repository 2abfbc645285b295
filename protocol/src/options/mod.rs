//! Every option of every program, in one table: what it is called, what it may be, and who reads it.
//!
//! Command lines, `--help`, refusals and `docs/operations.md` are made from [`OPTIONS`]. Pure: the arguments and the
//! environment are handed in, and nothing here prints or exits. A program may check a value further, and then refuses
//! it through [`Settings::refuse`], so that every refusal names its option the same way.

mod document;
mod resolve;
mod table;
mod value;

pub use document::table as document;
pub use resolve::{OptionError, Settings, resolve};
pub use table::*;
pub use value::boolean;

/// What every variable of ours begins with; an unknown one is refused, since it can only be a misspelling.
pub const VARIABLE_PREFIX: &str = "GS_MCP_";

/// One option.
#[derive(Debug)]
pub struct OptionSpec {
    /// Its name, without the dashes.
    pub name: &'static str,
    /// Where it can be given.
    pub given_by: GivenBy,
    /// What holds if it is not given.
    pub default: DefaultValue,
    /// Which values it may have.
    pub kind: Kind,
    /// One or two sentences for `--help` and for the document, without a full stop at the end.
    pub help: &'static str,
    /// Who reads it.
    pub readers: &'static [Reader],
}

/// Where an option can be given. A command line wins over the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenBy {
    /// On the command line and by this variable.
    Both(&'static str),
    /// On the command line alone.
    CommandLine,
    /// By this variable alone.
    Variable(&'static str),
}

/// What holds where an option is not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultValue {
    /// This text, read like one that was given.
    Text(&'static str),
    /// This number.
    Number(u64),
    /// No value; these words say what that means.
    Nothing(&'static str),
    /// It must be given.
    Required,
}

/// Which values an option may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole number between these two, both included.
    Integer {
        /// The smallest.
        min: u64,
        /// The largest.
        max: u64,
    },
    /// Whole seconds between these two, both included.
    Seconds {
        /// The shortest.
        min: u64,
        /// The longest.
        max: u64,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Yes or no, see [`boolean`].
    Flag,
    /// Words separated by commas or blanks.
    Words,
    /// Origins of web pages, separated by blanks.
    Origins,
    /// Revisions of MCP that are served, separated by commas or blanks.
    Revisions,
    /// A path, of any bytes.
    Path,
    /// Text of at most so many bytes, without control characters.
    Text {
        /// The most bytes.
        bytes_max: usize,
    },
}

/// A program that reads options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// `lapidary-router`, over HTTP and over standard input and output.
    Router,
    /// `lapidary-worker zygote`.
    Zygote,
    /// `lapidary-worker eval` and `lapidary-worker filein`.
    Local,
    /// `lapidary-stone`.
    Stone,
    /// `scripts/run-server.sh` and its siblings.
    Scripts,
}

impl Reader {
    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Router => "router",
            Self::Zygote => "worker zygote",
            Self::Local => "worker eval, filein",
            Self::Stone => "stone",
            Self::Scripts => "scripts",
        }
    }

    /// The options that it reads, in the order of the table.
    pub fn options(self) -> impl Iterator<Item = &'static OptionSpec> {
        OPTIONS.iter().copied().filter(move |spec| spec.readers.contains(&self))
    }
}

impl OptionSpec {
    /// Its variable, if it has one.
    pub fn variable(&self) -> Option<&'static str> {
        match self.given_by {
            GivenBy::Both(variable) | GivenBy::Variable(variable) => Some(variable),
            GivenBy::CommandLine => None,
        }
    }

    /// Whether it can be given on a command line.
    pub fn is_argument(&self) -> bool {
        !matches!(self.given_by, GivenBy::Variable(_))
    }

    /// Whether it may stand without a value, which then means yes.
    pub fn is_flag(&self) -> bool {
        self.kind == Kind::Flag
    }

    /// Whether a command line without it is refused.
    pub fn is_required(&self) -> bool {
        self.default == DefaultValue::Required
    }

    /// What stands for its value in `--help`.
    pub fn value_name(&self) -> &'static str {
        match self.kind {
            Kind::Integer { .. } => "NUMBER",
            Kind::Seconds { .. } => "SECONDS",
            Kind::Choice(_) => "CHOICE",
            Kind::Flag => "YES|NO",
            Kind::Words | Kind::Origins | Kind::Revisions => "LIST",
            Kind::Path => "PATH",
            Kind::Text { .. } => "TEXT",
        }
    }

    /// The default in words.
    pub fn default_words(&self) -> String {
        match self.default {
            DefaultValue::Text(text) => text.to_owned(),
            DefaultValue::Number(number) => number.to_string(),
            DefaultValue::Nothing(words) => words.to_owned(),
            DefaultValue::Required => "must be given".to_owned(),
        }
    }

    /// All that `--help` says of it.
    pub fn help_text(&self) -> String {
        let mut facts = vec![format!("default: {}", self.default_words()), format!("allowed: {}", self.kind.allowed())];
        facts.retain(|fact| !fact.ends_with(": "));
        facts.extend(self.variable().map(|variable| format!("variable: {variable}")));
        format!("{} [{}]", self.help, facts.join("; "))
    }
}
