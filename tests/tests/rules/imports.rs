//! Which modules of its own crate a file imports, read from its `use` items and from the paths in its code.
//!
//! Reads text, not types: enough for paths that begin with `crate`, `super`, `self` or a child module. Unit tests at
//! the end of a file do not count, since they may import what they test.

use super::tidy::Source;
use std::collections::{BTreeMap, BTreeSet};

/// The files of one crate by module path (`server::session`; the crate's root is empty), each with what it imports.
pub(super) struct Crate {
    pub(super) files: BTreeMap<Vec<String>, File>,
}

pub(super) struct File {
    /// The file, from the root of the workspace.
    pub(super) name: String,
    /// Line, and path from the crate's root.
    pub(super) imports: Vec<(usize, Vec<String>)>,
}

impl Crate {
    /// The sources below `root`, such as `router/src/`.
    pub(super) fn read(root: &str, sources: &[Source]) -> Self {
        let mut files = BTreeMap::new();
        for source in sources.iter().filter(|source| source.name.ends_with(".rs")) {
            let Some(place) = source.name.strip_prefix(root) else { continue };
            let module = module_of(place);
            let imports = imports_of(&module, &tokens_of(source.lines()));
            files.insert(module, File { name: source.name.clone(), imports });
        }
        Self { files }
    }

    /// The module with a file of its own in which a path ends.
    pub(super) fn owner(&self, path: &[String]) -> &[String] {
        let longest = (0..=path.len()).rev().map(|length| &path[..length]).find(|part| self.files.contains_key(*part));
        longest.map_or(&[], |part| self.files.get_key_value(part).expect("found just now").0)
    }

    /// The modules that a module imports.
    pub(super) fn imported_by(&self, module: &[String]) -> BTreeSet<&[String]> {
        let imports = self.files.get(module).map_or(&[][..], |file| &file.imports);
        imports.iter().map(|(_, path)| self.owner(path)).filter(|owner| *owner != module).collect()
    }
}

fn module_of(place: &str) -> Vec<String> {
    let mut module: Vec<String> = place.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        module.pop();
    }
    module
}

/// An identifier, `::`, or one other character; with its line.
type Token = (usize, String);

fn tokens_of<'a>(lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut after_test_mark = false;
    for (number, line) in lines {
        let code = super::tidy::code_of(line);
        if after_test_mark && code.trim_start().starts_with("mod ") && code.trim_end().ends_with('{') {
            break;
        }
        after_test_mark = code.trim() == "#[cfg(test)]";
        let mut rest = code.as_str();
        while let Some(first) = rest.chars().next() {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let length = match first {
                c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                ':' if rest.starts_with("::") => 2,
                c => c.len_utf8(),
            };
            if !first.is_whitespace() {
                tokens.push((number, rest[..length].to_owned()));
            }
            rest = &rest[length..];
        }
    }
    tokens
}

fn imports_of(module: &[String], tokens: &[Token]) -> Vec<(usize, Vec<String>)> {
    let children = children_of(tokens);
    let mut imports = Vec::new();
    for (at, (_, word)) in tokens.iter().enumerate() {
        let continues = at > 0 && matches!(tokens[at - 1].1.as_str(), "::" | "." | "mod");
        let is_path = tokens.get(at + 1).is_some_and(|(_, next)| next == "::" || next == ";");
        if continues || !is_path {
            continue;
        }
        match word.as_str() {
            "crate" => follow(tokens, at + 1, &mut Vec::new(), &mut imports),
            "self" => follow(tokens, at + 1, &mut module.to_vec(), &mut imports),
            "super" => {
                let mut parent = module[..module.len().saturating_sub(1)].to_vec();
                follow(tokens, at + 1, &mut parent, &mut imports);
            }
            child if children.contains(child) => {
                let mut path = module.to_vec();
                path.push(child.to_owned());
                follow(tokens, at + 1, &mut path, &mut imports);
            }
            _ => {}
        }
    }
    imports
}

/// The modules that a file declares.
fn children_of(tokens: &[Token]) -> BTreeSet<&str> {
    let declared = |row: &[Token]| row[0].1 == "mod" && row[2].1 == ";";
    tokens.windows(3).filter(|row| declared(row)).map(|row| row[1].1.as_str()).collect()
}

/// Reads on from the `::` at `at`, with what stands before it in `path`; answers where the path ends.
fn follow(tokens: &[Token], mut at: usize, path: &mut Vec<String>, imports: &mut Vec<(usize, Vec<String>)>) {
    let word = |at: usize| tokens.get(at).map_or("", |(_, word)| word.as_str());
    while word(at) == "::" {
        at += 1;
        match word(at) {
            "{" => return group(tokens, at + 1, path, imports),
            "super" => drop(path.pop()),
            "self" => {}
            name if name.starts_with(|c: char| c.is_alphabetic() || c == '_') => path.push(name.to_owned()),
            _ => break,
        }
        at += 1;
    }
    let line = tokens.get(at.saturating_sub(1)).map_or(0, |(line, _)| *line);
    imports.push((line, path.clone()));
}

/// Reads the members of a group, each a path of its own.
fn group(tokens: &[Token], mut at: usize, path: &[String], imports: &mut Vec<(usize, Vec<String>)>) {
    let mut depth = 1;
    let mut begins = true;
    while let Some((_, word)) = tokens.get(at) {
        if begins && depth == 1 && word != "}" {
            let mut member = path.to_vec();
            if word != "self" {
                member.push(word.clone());
            }
            follow(tokens, at + 1, &mut member, imports);
        }
        depth += i32::from(word == "{") - i32::from(word == "}");
        if depth == 0 {
            return;
        }
        begins = word == ",";
        at += 1;
    }
}

#[test]
fn paths_are_read_from_uses_groups_and_code() {
    let text = "//! Docs.\nmod kept;\nuse super::{a::{B, c::D}, e};\nuse crate::f::g;\n\
                fn h() { kept::i(crate::j::k()); other::l(); }\n#[cfg(test)]\nmod tests {\n    use crate::m;\n}\n";
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let module = ["x".to_owned(), "y".to_owned()];
    let found: Vec<(usize, String)> =
        imports_of(&module, &tokens_of(lines)).into_iter().map(|(line, path)| (line, path.join("::"))).collect();
    let expected = [(3, "x::a::B"), (3, "x::a::c::D"), (3, "x::e"), (4, "f::g"), (5, "x::y::kept::i"), (5, "j::k")];
    assert_eq!(found, expected.map(|(line, path)| (line, path.to_owned())));
}
