//! The layers inside a crate: a file may import from its own layer and from those below, never from one above; and in
//! the crates that are in order, no files import each other in a circle.
//!
//! The table says which folders and files are layers, the topmost first. What is in none of them is the edge of the
//! crate (its entry, its settings, its log), which may know all of them.

use super::imports::Crate;
use super::tidy;

/// A crate's sources, and its layers from top to bottom. A layer is one or more folders or files, as paths without
/// their ending.
const LAYERS: &[(&str, &[&[&str]])] = &[
    ("router/src/", &[&["transport"], &["core"], &["backend"]]),
    (
        "stone/src/",
        &[
            &["server", "server/run"],
            &["server/listen"],
            &["server/handshake"],
            &["server/session"],
            &["server/stone"],
            &["server/committer", "server/checkpoints"],
            &["server/commit_queue", "server/fault", "server/published", "server/reader_pool"],
            &["server/oid_allocator", "server/lifetime", "server/lock", "server/frames", "server/author"],
            &["server/budget", "server/voided_tokens", "server/refusal", "server/error", "server/config"],
            &["engine"],
            &["engine/sqlite"],
            &["engine/interface"],
            &["client"],
            &["link"],
        ],
    ),
    (
        "sandbox/src/",
        &[&["walls"], &["fork", "spawn", "children", "packet", "threads"], &["pidfd", "descriptors"], &["limits"]],
    ),
    (
        "worker/src/",
        &[
            &["run"],
            &["command_line", "document", "zygote"],
            &["gem"],
            &["local", "router"],
            &["dispatcher"],
            &["prepare"],
            &["shared_state"],
            &["tasks"],
            &["discovery"],
            &["pages"],
            &["request"],
            &["registry"],
            &["toolsets"],
            &["tool"],
            &["calls", "confinement", "image_store", "link", "panics", "read_log", "state_cipher"],
        ],
    ),
];

/// Crates whose files import each other in no circle.
const WITHOUT_CIRCLES: &[&str] = &["stone/src/", "sandbox/src/"];

#[test]
fn imports_go_down_the_layers_only() {
    let sources = tidy::sources();
    let mut findings = Vec::new();
    for (root, layers) in LAYERS {
        let members = Crate::read(root, &sources);
        for place in layers.iter().copied().flatten() {
            let names_something = members.files.keys().any(|module| is_in(module, place));
            assert!(names_something, "{root}{place} is in the table of layers, and not in the crate");
        }
        for (module, file) in &members.files {
            let Some(own) = layer_of(module, layers) else { continue };
            for (line, path) in &file.imports {
                if let Some(other) = layer_of(path, layers).filter(|other| *other < own) {
                    let (below, above) = (layers[own].join(", "), layers[other].join(", "));
                    findings.push(format!("{}:{line}: {} is above: {below} below {above}", file.name, path.join("::")));
                }
            }
        }
    }
    assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let sources = tidy::sources();
    let mut findings = Vec::new();
    for root in WITHOUT_CIRCLES {
        let members = Crate::read(root, &sources);
        assert!(!members.files.is_empty(), "{root} has sources");
        findings.extend(circles(&members));
    }
    assert!(findings.is_empty(), "{} circles:\n{}", findings.len(), findings.join("\n"));
}

/// For each module that leads back to itself, one way there and back.
fn circles(members: &Crate) -> Vec<String> {
    let back = |start: &[String]| {
        let mut ways = vec![vec![start.to_vec()]];
        let mut seen = std::collections::BTreeSet::new();
        while let Some(way) = ways.pop() {
            for next in members.imported_by(way.last().expect("the start at least")) {
                let longer: Vec<_> = way.iter().cloned().chain([next.to_vec()]).collect();
                if next == start {
                    return Some(longer);
                }
                if seen.insert(next.to_vec()) {
                    ways.push(longer);
                }
            }
        }
        None
    };
    let words = |way: Vec<Vec<String>>| {
        let names = way.iter().map(|module| members.files.get(module).map_or("?", |file| file.name.as_str()));
        names.collect::<Vec<_>>().join(" -> ")
    };
    members.files.keys().filter_map(|module| back(module).map(words)).collect()
}

/// The deepest place of the table that holds a module says its layer.
fn layer_of(module: &[String], layers: &[&[&str]]) -> Option<usize> {
    let places = layers.iter().enumerate().flat_map(|(layer, places)| places.iter().map(move |place| (layer, *place)));
    let holding = places.filter(|(_, place)| is_in(module, place));
    holding.max_by_key(|(_, place)| place.split('/').count()).map(|(layer, _)| layer)
}

/// Whether a path of modules begins with a folder or file of the table.
fn is_in(module: &[String], place: &str) -> bool {
    let parts: Vec<&str> = place.split('/').collect();
    module.len() >= parts.len() && module.iter().zip(&parts).all(|(name, part)| name == part)
}

#[test]
fn layers_and_circles_are_found() {
    let source = |name: &str, text: &str| tidy::Source::new(&format!("k/src/{name}"), text);
    let sources = [
        source("lib.rs", "mod a;\nmod b;\n"),
        source("a/mod.rs", "mod c;\nuse crate::b::B;\n"),
        source("a/c.rs", "use super::super::b::B;\n"),
        source("b.rs", "use crate::a::{c::D, E};\n"),
    ];
    let members = Crate::read("k/src/", &sources);
    let layers: &[&[&str]] = &[&["a"], &["a/c", "b"]];
    let c: Vec<String> = ["a".to_owned(), "c".to_owned()].to_vec();
    assert_eq!((layer_of(&c, layers), layer_of(&c[..1], layers)), (Some(1), Some(0)));
    let circular = circles(&members);
    assert_eq!(circular.len(), 3, "{circular:?}");
    assert!(circular[1].starts_with("k/src/a/c.rs -> k/src/b.rs") || circular[0].contains("b.rs"), "{circular:?}");
}
