//! Every file of the kernel is read and compiled with nothing but the names that the kernel itself defines, so that a
//! typing error is found here, with its line, and not as a failed boot.

use smalltalk::bytecode::Literal;
use smalltalk::compiler::{Scope, compile_doit, compile_method};
use smalltalk::reader::{ClassDefinition, Item, ItemKind, read_gs};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Globals that the boot or a do-it binds.
const OTHER_GLOBALS: &[&str] = &[
    "AllUsers",
    "Globals",
    "Lapidary",
    "UserGlobals",
    "Published",
    "Transcript",
    "Smalltalk",
    "KeyNotFound",
    "NotFound",
    "SubscriptOutOfBounds",
    "AppendStream",
    "ReadStreamPortable",
    "WriteStreamPortable",
];

struct Sources {
    files: Vec<(String, Vec<Item>)>,
    classes: HashMap<String, ClassDefinition>,
}

/// The names that a method of a class sees.
struct ClassScope<'a> {
    instance_variables: Vec<String>,
    class_variables: HashSet<String>,
    classes: &'a HashMap<String, ClassDefinition>,
}

impl Scope for ClassScope<'_> {
    type Binding = String;

    fn instance_variable(&self, name: &str) -> Option<u16> {
        self.instance_variables.iter().position(|each| each == name).map(|index| index as u16)
    }

    fn binding(&mut self, name: &str) -> Option<String> {
        let known =
            self.class_variables.contains(name) || self.classes.contains_key(name) || OTHER_GLOBALS.contains(&name);
        known.then(|| name.to_owned())
    }
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read_file(path: &Path) -> Vec<Item> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    read_gs(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn kernel_files() -> Vec<String> {
    let order = std::fs::read_to_string(folder("kernel/order.txt")).expect("kernel/order.txt");
    order.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// The kernel and, behind it, its tests.
fn sources() -> Sources {
    let mut files: Vec<_> =
        kernel_files().iter().map(|name| (name.clone(), read_file(&folder("kernel").join(name)))).collect();
    let mut tests: Vec<_> = std::fs::read_dir(folder("kernel-tests"))
        .expect("kernel-tests")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "gs"))
        .collect();
    tests.sort();
    files.extend(tests.iter().map(|path| (path.display().to_string(), read_file(path))));
    let mut classes = HashMap::new();
    for (file, items) in &files {
        for item in items {
            if let ItemKind::ClassDefinition { definition, .. } = &item.kind {
                let superclass = definition.superclass.as_ref();
                assert!(superclass.is_none_or(|name| classes.contains_key(name)), "{file}:{}: superclass", item.line);
                let earlier = classes.insert(definition.name.clone(), definition.clone());
                assert!(earlier.is_none(), "{file}:{}: {} is defined twice", item.line, definition.name);
            }
        }
    }
    Sources { files, classes }
}

impl Sources {
    /// The class and all that it inherits from, the root first.
    fn chain(&self, name: &str) -> Vec<&ClassDefinition> {
        let mut chain = Vec::new();
        let mut next = Some(name.to_owned());
        while let Some(name) = next {
            let definition = self.classes.get(&name).unwrap_or_else(|| panic!("no class {name}"));
            chain.insert(0, definition);
            next = definition.superclass.clone();
        }
        chain
    }

    fn scope(&self, class: &str, meta: bool) -> ClassScope<'_> {
        let chain = self.chain(class);
        let mut instance_variables: Vec<String> = Vec::new();
        if meta {
            for base in self.chain("Class") {
                instance_variables.extend(base.inst_vars.iter().cloned());
            }
            instance_variables.extend(chain.iter().flat_map(|each| each.class_inst_vars.iter().cloned()));
        } else {
            instance_variables.extend(chain.iter().flat_map(|each| each.inst_vars.iter().cloned()));
        }
        let class_variables = chain.iter().flat_map(|each| each.class_vars.iter().cloned()).collect();
        ClassScope { instance_variables, class_variables, classes: &self.classes }
    }
}

#[test]
fn every_method_compiles_and_none_is_defined_twice() {
    let sources = sources();
    let mut failures = Vec::new();
    let mut seen = BTreeSet::new();
    for (file, items) in &sources.files {
        for item in items {
            let place = format!("{file}:{}", item.line);
            match &item.kind {
                ItemKind::Method { class, meta, source, .. } => {
                    match compile_method(source, &mut sources.scope(class, *meta)) {
                        Err(errors) => failures.push(format!("{place}: {errors:?}")),
                        Ok(code) => {
                            if !seen.insert((class.clone(), *meta, code.selector.clone())) {
                                failures.push(format!("{place}: {class} has {} twice", code.selector));
                            }
                        }
                    }
                }
                ItemKind::DoIt { source } => {
                    if let Err(errors) = compile_doit(source, &mut sources.scope("UndefinedObject", false)) {
                        failures.push(format!("{place}: {errors:?}"));
                    }
                }
                _ => {}
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// A literal symbol is nearly always a selector: one that nothing implements is nearly always a typing error.
#[test]
fn every_message_that_is_sent_is_implemented_somewhere() {
    let sources = sources();
    let mut implemented = BTreeSet::new();
    let mut used: BTreeMap<String, String> = BTreeMap::new();
    for (file, items) in &sources.files[..kernel_files().len()] {
        for item in items {
            let ItemKind::Method { class, meta, source, .. } = &item.kind else { continue };
            let Ok(code) = compile_method(source, &mut sources.scope(class, *meta)) else { continue };
            implemented.insert(code.selector.clone());
            for literal in &code.literals {
                if let Literal::Symbol(symbol) = literal
                    && symbol.contains(':')
                {
                    used.entry(symbol.clone()).or_insert_with(|| format!("{file}:{}", item.line));
                }
            }
        }
    }
    let missing: Vec<_> = used.iter().filter(|(symbol, _)| !implemented.contains(*symbol)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}
