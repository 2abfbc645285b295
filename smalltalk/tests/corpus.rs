//! Every method of the `.gs` files below the folder that `LAPIDARY_CORPUS` names is parsed. Code of others is not part
//! of this repository: `docs/language.md` says which public repositories make up the corpus, and what came out.

use smalltalk::reader::{ItemKind, read_gs};
use smalltalk::syntax::parse_method;
use std::fs;
use std::path::{Path, PathBuf};

/// The most methods and files together that may be refused.
const REFUSED_MAX: usize = 20;

#[derive(Default)]
struct Tally {
    files: usize,
    methods: usize,
    /// Each with its file, its line and the reason.
    refused: Vec<String>,
}

impl Tally {
    fn file(&mut self, path: &Path) {
        self.files += 1;
        let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let text = String::from_utf8(bytes).unwrap_or_else(|error| {
            // Older files are in Latin-1, in which each byte is its own character.
            error.as_bytes().iter().map(|byte| char::from(*byte)).collect()
        });
        let items = match read_gs(&text) {
            Ok(items) => items,
            Err(error) => return self.refuse(path, error.line, &format!("the whole file: {}", error.message)),
        };
        for item in items {
            let ItemKind::Method { source, .. } = item.kind else { continue };
            self.methods += 1;
            if let Some(error) = parse_method(&source).errors.first() {
                self.refuse(path, item.source_line + error.line - 1, &error.message);
            }
        }
    }

    fn refuse(&mut self, path: &Path, line: u32, reason: &str) {
        self.refused.push(format!("{}:{line}: {reason}", path.display()));
    }
}

/// The `.gs` files below a folder, in order of their names.
fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "gs") {
            found.push(path);
        }
    }
}

#[test]
fn public_code_parses() {
    let Some(folder) = std::env::var_os("LAPIDARY_CORPUS") else {
        println!("SKIPPED public_code_parses: LAPIDARY_CORPUS names no folder with .gs files");
        return;
    };
    let mut paths = Vec::new();
    files_below(Path::new(&folder), &mut paths);
    let mut tally = Tally::default();
    paths.iter().for_each(|path| tally.file(path));
    println!("{} files, {} methods, {} refused", tally.files, tally.methods, tally.refused.len());
    tally.refused.iter().for_each(|refused| println!("refused {refused}"));
    assert!(tally.methods > 0, "{} holds no method", Path::new(&folder).display());
    assert!(tally.refused.len() <= REFUSED_MAX, "{} refused", tally.refused.len());
}
