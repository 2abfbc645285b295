//! Random files in both forms: what was written is what is read, and a file that was spoilt is read or refused, never
//! a reason to panic or to point beside the file. The seed is printed; `LAPIDARY_SEED` and `LAPIDARY_ROUNDS` choose
//! another one and how long it goes on.

use super::{Item, ItemKind, ReadError, read_chunks, read_gs};
use crate::random::{Random, setting};

/// What sources are made of: also what ends chunks, and what would end a block or begin one if it began a line. That
/// is refused, so no line but the first begins in column 1.
const PIECES: &[&str] = &[
    "foo",
    " ",
    "\n\t",
    "\t^self",
    "'a string'",
    "'!'",
    "\"a % comment\"",
    "!",
    "!!",
    " %",
    "x := 3.",
    "ä",
    "日本",
    "\r\n\t",
    "#(1 2)",
    "method: Foo",
    "category: 'x'",
    "| a |",
    "a bar: 3",
    "Foo methodsFor: 'x'",
    "doit",
    "commit",
];

/// What a spoilt file may get.
const SPOILERS: &[&str] = &[
    "%\n",
    "%",
    "!",
    "!!",
    "! !",
    "doit\n",
    "method: Foo\n",
    "classmethod: Foo\n",
    "category: 'y'\n",
    "input x.gs\n",
    "removeallmethods Foo\n",
    "set class Foo\n",
    "set compile_env: 1\n",
    "expectvalue /Class\n",
    "\u{feff}",
    "'",
    "\"",
    "iferr 1 exit\n",
    "!Foo methodsFor: 'z'!\n",
    "Foo commentStamp: 'x' prior: 0!\n",
    "exit\n",
    "\0",
    "method:\n",
];

impl Random {
    /// A source of several lines. It begins with a selector, so that it is nothing that steers a reader.
    fn source(&mut self) -> String {
        let mut source = format!("sel{}\n\t", self.below(1000));
        for _ in 0..self.below(12) {
            source.push_str(self.pick(PIECES));
        }
        source
    }

    fn methods(&mut self) -> Vec<Written> {
        let count = self.below(6);
        let written = |random: &mut Self| Written {
            class: random.pick(&["Foo", "Bar", "Ünde"]),
            meta: random.below(2) == 0,
            category: random.pick(&["running", "it's", "a-b c"]),
            source: random.source(),
        };
        (0..count).map(|_| written(self)).collect()
    }

    /// The text with something put in, or a part taken out.
    fn spoilt(&mut self, text: &str) -> String {
        let mut text: Vec<char> = text.chars().collect();
        for _ in 0..=self.below(3) {
            let at = self.below(text.len() + 1);
            match self.below(3) {
                0 => text.truncate(at),
                1 => drop(text.drain(at..(at + self.below(20)).min(text.len()))),
                _ => drop(text.splice(at..at, self.pick(SPOILERS).chars())),
            }
        }
        text.into_iter().collect()
    }
}

/// A method as a file was made of it.
#[derive(Debug)]
struct Written {
    class: &'static str,
    meta: bool,
    category: &'static str,
    source: String,
}

fn as_gs(methods: &[Written]) -> String {
    let mut file = String::from("! a file\n");
    for Written { class, meta, category, source } in methods {
        let command = if *meta { "classmethod" } else { "method" };
        file.push_str(&format!("category: '{}'\n{command}: {class}\n{source}\n%\n", category.replace('\'', "''")));
    }
    file
}

fn as_chunks(methods: &[Written]) -> String {
    let mut file = String::from("'a file'!\n");
    for Written { class, meta, category, source } in methods {
        let side = if *meta { " class" } else { "" };
        let (category, source) = (category.replace('\'', "''"), source.replace('!', "!!"));
        file.push_str(&format!("\n!{class}{side} methodsFor: '{category}'!\n{source}! !\n"));
    }
    file
}

/// What was read is what was written, but for blanks at the end of a source.
fn holds(methods: &[Written], read: Result<Vec<Item>, ReadError>, file: &str) {
    let read = read.unwrap_or_else(|error| panic!("{error}\n{file}"));
    let found: Vec<_> = read
        .into_iter()
        .filter_map(|item| match item.kind {
            ItemKind::Method { class, meta, category, source, .. } => {
                Some((class, meta, category, source.trim_end().to_owned()))
            }
            _ => None,
        })
        .collect();
    let written = methods.iter().map(|Written { class, meta, category, source }| {
        ((*class).to_owned(), *meta, (*category).to_owned(), source.trim_end().to_owned())
    });
    assert_eq!(found, written.collect::<Vec<_>>(), "{file}");
}

/// Whatever is said of a spoilt file, it is said of a line of it.
fn is_told(read: Result<Vec<Item>, ReadError>, file: &str) -> bool {
    let lines = file.matches('\n').count() as u32 + 1;
    match &read {
        Ok(items) => {
            for item in items {
                assert!(
                    (1..=lines).contains(&item.line) && (item.line..=lines).contains(&item.source_line),
                    "{item:?}"
                );
            }
        }
        Err(error) => assert!((1..=lines).contains(&error.line) && !error.message.is_empty(), "{error:?}"),
    }
    read.is_err()
}

#[test]
fn what_was_written_is_read_and_what_is_spoilt_is_read_or_refused() {
    let seed = setting("LAPIDARY_SEED", u64::from(std::process::id())).max(1);
    let rounds = setting("LAPIDARY_ROUNDS", 5_000);
    println!("LAPIDARY_SEED={seed} LAPIDARY_ROUNDS={rounds}");
    let mut random = Random(seed);
    let mut refused = 0;
    for round in 0..rounds {
        let methods = random.methods();
        let files = [as_gs(&methods), as_chunks(&methods)];
        let spoilt = [random.spoilt(&files[0]), random.spoilt(&files[1])];
        let attempt = std::panic::catch_unwind(|| {
            holds(&methods, read_gs(&files[0]), &files[0]);
            holds(&methods, read_chunks(&files[1]), &files[1]);
            let told = [is_told(read_gs(&spoilt[0]), &spoilt[0]), is_told(read_chunks(&spoilt[1]), &spoilt[1])];
            told.into_iter().filter(|is_refused| *is_refused).count() as u64
        });
        refused += attempt.unwrap_or_else(|_| panic!("seed {seed}, round {round}, spoilt {spoilt:?}"));
    }
    assert!(refused > rounds / 20, "only {refused} of {rounds} spoilt files were refused: the test tests nothing");
}
