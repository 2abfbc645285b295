//! The `.gs` form that Topaz files code out in: commands in column 1, blocks of source that a `%` in column 1 ends.

use super::class_definition::{ClassDefinition, parse_class_definition};
use thiserror::Error;

/// The category of methods for which the file names none.
pub const DEFAULT_CATEGORY: &str = "as yet unclassified";

/// Options of `set` that steer a terminal session or a login, which this is not.
const IGNORED_OPTIONS: &[&str] = &[
    "cachename",
    "editorname",
    "gemnetid",
    "gemstone",
    "hostpassword",
    "hostusername",
    "inputpauseonerror",
    "limit",
    "listwindow",
    "pass",
    "password",
    "session",
    "sourcestringclass",
    "stackpad",
    "tab",
    "transactionmode",
    "user",
    "username",
];

/// Something to do, and the line (from 1) of the command that asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Line of the command.
    pub line: u32,
    /// Line in which its source begins; for an item without one, that of the command.
    pub source_line: u32,
    /// What to do.
    pub kind: ItemKind,
}

/// What a file asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemKind {
    /// A do-it that is a class definition.
    ClassDefinition {
        /// As understood.
        definition: ClassDefinition,
        /// As written.
        source: String,
    },
    /// Any other `doit`, `run` or `printit`.
    DoIt {
        /// The code.
        source: String,
    },
    /// A method to compile.
    Method {
        /// Name of the class.
        class: String,
        /// Whether it goes to the class side.
        meta: bool,
        /// Its category.
        category: String,
        /// The code.
        source: String,
        /// The method environment; 0 unless the file asked for another.
        environment: u8,
    },
    /// Remove all methods of one side of a class.
    RemoveAllMethods {
        /// Name of the class.
        class: String,
        /// Whether those of the class side.
        meta: bool,
    },
    /// Read another file here.
    Input {
        /// As written.
        path: String,
    },
    /// Commit.
    Commit,
    /// Abort.
    Abort,
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {message}")]
pub struct ReadError {
    /// From 1.
    pub line: u32,
    /// What was found and what was expected.
    pub message: String,
}

/// Reads a whole file, or says what is wrong with it and does nothing.
pub fn read_gs(text: &str) -> Result<Vec<Item>, ReadError> {
    let mut reader = Reader { category: DEFAULT_CATEGORY.to_owned(), ..Reader::default() };
    for (index, line) in text.strip_prefix('\u{feff}').unwrap_or(text).split_inclusive('\n').enumerate() {
        reader.line = index as u32 + 1;
        if reader.read_line(line)? {
            break;
        }
    }
    match reader.open {
        Some(block) => Err(block.unclosed("the end of the file")),
        None => Ok(reader.items),
    }
}

/// Whose source the open block holds.
enum BlockKind {
    DoIt,
    Method { class: String, meta: bool },
}

struct OpenBlock {
    kind: BlockKind,
    line: u32,
    source: String,
}

impl OpenBlock {
    fn unclosed(&self, found: &str) -> ReadError {
        let message = format!("expected a % in column 1 to end the block that begins here, found {found}");
        ReadError { line: self.line, message }
    }
}

#[derive(Default)]
struct Reader {
    items: Vec<Item>,
    line: u32,
    open: Option<OpenBlock>,
    category: String,
    /// The class that `set class` named.
    class: Option<String>,
    environment: u8,
}

impl Reader {
    /// Takes a line; true if it asks to read no further.
    fn read_line(&mut self, line: &str) -> Result<bool, ReadError> {
        let Some(block) = &mut self.open else { return self.command(line.trim_end()) };
        if line.starts_with('%') {
            self.close_block();
        } else if opens_method(line) {
            return Err(block.unclosed(&format!("{:?} in line {}", line.trim_end(), self.line)));
        } else {
            block.source.push_str(line);
        }
        Ok(false)
    }

    fn close_block(&mut self) {
        let Some(OpenBlock { kind, line, source }) = self.open.take() else { return };
        let kind = match kind {
            BlockKind::Method { class, meta } => {
                let (category, environment) = (self.category.clone(), self.environment);
                ItemKind::Method { class, meta, category, source, environment }
            }
            BlockKind::DoIt => match parse_class_definition(&source) {
                Some(definition) => ItemKind::ClassDefinition { definition, source },
                None => ItemKind::DoIt { source },
            },
        };
        self.items.push(Item { line, source_line: line + 1, kind });
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, ReadError> {
        Err(ReadError { line: self.line, message: message.into() })
    }

    fn add(&mut self, kind: ItemKind) {
        self.items.push(Item { line: self.line, source_line: self.line, kind });
    }

    fn open_block(&mut self, kind: BlockKind) {
        self.open = Some(OpenBlock { kind, line: self.line, source: String::new() });
    }

    fn command(&mut self, line: &str) -> Result<bool, ReadError> {
        if line.trim().is_empty() || line.starts_with('!') {
            return Ok(false);
        }
        let (word, rest) = line.trim_start().split_once(char::is_whitespace).unwrap_or((line.trim_start(), ""));
        let rest = rest.trim();
        match word.to_ascii_lowercase().as_str() {
            "doit" | "run" | "printit" => self.open_block(BlockKind::DoIt),
            "method:" | "method" => self.method(rest, false)?,
            "classmethod:" | "classmethod" => self.method(rest, true)?,
            "category:" => self.category = self.quoted(rest, "a category")?,
            "removeallmethods" => self.remove_all(rest, false)?,
            "removeallclassmethods" => self.remove_all(rest, true)?,
            "set" => self.set(rest)?,
            "input" => {
                let path = self.quoted(rest, "a file")?;
                self.add(ItemKind::Input { path });
            }
            "send" if rest.is_empty() => return self.error("expected a receiver and a message after send"),
            // Its message is a do-it on the same line.
            "send" => self.items.push(Item {
                line: self.line,
                source_line: self.line,
                kind: ItemKind::DoIt { source: rest.to_owned() },
            }),
            "commit" => self.add(ItemKind::Commit),
            "abort" => self.add(ItemKind::Abort),
            "exit" | "quit" => return Ok(true),
            // They steer a terminal session, which this is not.
            "level" | "output" | "iferr" | "fileformat" | "expectvalue" | "expecterror" | "login" | "logout"
            | "time" | "display" | "omit" | "errorcount" | "status" | "where" => {}
            // A comment by its name.
            "remark" => {}
            _ if word.starts_with('%') => return self.error("found a %, but no block is open here"),
            _ => return self.error(format!("unknown command {word}, expected one such as doit, method: or category:")),
        }
        Ok(false)
    }

    fn method(&mut self, rest: &str, meta: bool) -> Result<(), ReadError> {
        let (class, meta) = self.class_named(rest, meta)?;
        self.open_block(BlockKind::Method { class, meta });
        Ok(())
    }

    fn remove_all(&mut self, rest: &str, meta: bool) -> Result<(), ReadError> {
        let (class, meta) = self.class_named(rest, meta)?;
        self.add(ItemKind::RemoveAllMethods { class, meta });
        Ok(())
    }

    /// The class that a command names, or the one that was set; `X class` is the class side of X.
    fn class_named(&self, rest: &str, meta: bool) -> Result<(String, bool), ReadError> {
        let name = unquoted(rest);
        let (name, meta) = match name.strip_suffix(" class") {
            Some(name) => (name.trim_end(), true),
            None => (name, meta),
        };
        match &self.class {
            Some(class) if name.is_empty() => Ok((class.clone(), meta)),
            _ if is_identifier(name) => Ok((name.to_owned(), meta)),
            _ => self.error(format!("expected the name of a class, found {name:?}")),
        }
    }

    fn quoted(&self, rest: &str, what: &str) -> Result<String, ReadError> {
        match unquoted(rest) {
            "" if rest.is_empty() => self.error(format!("expected {what}, found the end of the line")),
            text => Ok(text.replace("''", "'")),
        }
    }

    fn set(&mut self, rest: &str) -> Result<(), ReadError> {
        let (option, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let value = value.trim();
        match option.trim_end_matches(':').to_ascii_lowercase().as_str() {
            "compile_env" => match value.parse() {
                Ok(environment) => self.environment = environment,
                Err(_) => {
                    return self.error(format!("expected a number from 0 to 255 for compile_env, found {value:?}"));
                }
            },
            "class" | "classname" => self.class = Some(self.class_named(value, false)?.0),
            "category" => self.category = self.quoted(value, "a category")?,
            "" => return self.error("expected an option after set, found the end of the line"),
            known if IGNORED_OPTIONS.contains(&known) => {}
            unknown => return self.error(format!("unknown option {unknown} of set, expected one such as compile_env")),
        }
        Ok(())
    }
}

fn unquoted(text: &str) -> &str {
    text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).unwrap_or(text)
}

fn is_identifier(text: &str) -> bool {
    let starts = text.starts_with(|first: char| first == '_' || first.is_alphabetic());
    starts && text.chars().all(|next| next == '_' || next.is_alphanumeric())
}

/// Whether a line within a block can only be the command that opens the next method: it names a class. A method whose
/// own selector is `method:` names its argument, which begins with a small letter.
fn opens_method(line: &str) -> bool {
    let rest = line.strip_prefix("method:").or_else(|| line.strip_prefix("classmethod:"));
    let Some(rest) = rest.map(str::trim) else { return false };
    let name = unquoted(rest.strip_suffix(" class").unwrap_or(rest));
    name.starts_with(char::is_uppercase) && is_identifier(name)
}

#[cfg(test)]
#[path = "gs_tests.rs"]
mod tests;
