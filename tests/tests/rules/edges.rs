//! Who may know whom: the table of crates and their permitted edges, held transitively over `cargo metadata`.
//!
//! A path counts when it can end up in the crate's own build: normal and build dependencies, with the features that
//! this crate asks for. Dev-dependencies do not count.

use cargo_metadata::{Dependency, DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What one crate may use of the workspace, and which libraries it must never reach.
struct Rule {
    package: &'static str,
    may_use: &'static [&'static str],
    never: &'static [&'static str],
}

const RULES: &[Rule] = &[
    Rule { package: "protocol", may_use: &[], never: &["tokio", "axum", "hyper", "rusqlite", "nix", "libc", "rand"] },
    Rule { package: "smalltalk", may_use: &[], never: &["tokio", "axum", "hyper", "rusqlite", "serde_json"] },
    Rule { package: "sandbox", may_use: &[], never: &["tokio", "axum", "hyper", "rusqlite", "serde_json"] },
    Rule { package: "stone", may_use: &["protocol", "sandbox"], never: &["tokio", "axum", "hyper"] },
    Rule {
        package: "worker",
        may_use: &["protocol", "smalltalk", "stone", "sandbox"],
        never: &["tokio", "axum", "hyper", "rusqlite"],
    },
    Rule { package: "router", may_use: &["protocol", "sandbox"], never: &["rusqlite"] },
    Rule {
        package: "tests",
        may_use: &["protocol", "smalltalk", "stone", "worker", "router", "sandbox"],
        never: &["rusqlite"],
    },
];

#[test]
fn every_member_has_a_rule_and_every_rule_a_member() {
    let metadata = metadata();
    let members: BTreeSet<String> = metadata.workspace_packages().iter().map(|p| p.name.to_string()).collect();
    let ruled: BTreeSet<String> = RULES.iter().map(|rule| rule.package.to_owned()).collect();
    assert_eq!(members, ruled, "the table of edges and the members of the workspace name the same crates");
}

#[test]
fn no_crate_reaches_what_it_must_not_know() {
    let metadata = metadata();
    let graph = Graph::new(&metadata);
    let mut broken = Vec::new();
    for rule in RULES {
        for (name, path) in graph.reach(rule.package) {
            let ours = graph.is_member(&name);
            let forbidden = if ours { !rule.may_use.contains(&&*name) } else { rule.never.contains(&&*name) };
            if forbidden {
                broken.push(format!("{} must not reach {name}: {}", rule.package, path.join(" -> ")));
            }
        }
    }
    assert!(broken.is_empty(), "forbidden edges:\n{}", broken.join("\n"));
}

#[test]
fn the_walk_sees_edges_at_all() {
    let metadata = metadata();
    let graph = Graph::new(&metadata);
    let reached = graph.reach("tests");
    for expected in ["protocol", "tokio", "axum", "hyper", "serde_json"] {
        assert!(reached.contains_key(expected), "tests reaches {expected}");
    }
    assert!(!reached.contains_key("rmcp"), "a dev-dependency is no edge");
}

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(super::root().join("Cargo.toml"))
        .other_options(vec![
            "--offline".to_owned(),
            "--filter-platform".to_owned(),
            format!("{}-unknown-linux-gnu", std::env::consts::ARCH),
        ])
        .exec()
        .expect("cargo metadata answers for this workspace")
}

/// The packages by identity. Features of our own crates are followed exactly; for other libraries the union that
/// the whole workspace asks for is taken, which can only add edges.
struct Graph<'a> {
    packages: HashMap<&'a PackageId, &'a Package>,
    resolved: HashMap<&'a PackageId, Vec<(&'a PackageId, bool)>>,
    members: BTreeMap<String, &'a PackageId>,
}

impl<'a> Graph<'a> {
    fn new(metadata: &'a Metadata) -> Self {
        let packages = metadata.packages.iter().map(|package| (&package.id, package)).collect();
        let nodes = &metadata.resolve.as_ref().expect("a resolved graph").nodes;
        let counts = |kind: &DependencyKind| matches!(kind, DependencyKind::Normal | DependencyKind::Build);
        let edges = |node: &'a cargo_metadata::Node| {
            let edge = |dep: &'a cargo_metadata::NodeDep| (&dep.pkg, dep.dep_kinds.iter().any(|k| counts(&k.kind)));
            node.deps.iter().map(edge).collect()
        };
        let resolved = nodes.iter().map(|node| (&node.id, edges(node))).collect();
        let members = metadata.workspace_packages().iter().map(|p| (p.name.to_string(), &p.id)).collect();
        Self { packages, resolved, members }
    }

    fn is_member(&self, name: &str) -> bool {
        self.members.contains_key(name)
    }

    /// Every crate that `package` reaches, by name, with one path to it.
    fn reach(&self, package: &str) -> BTreeMap<String, Vec<String>> {
        let start = self.members[package];
        let mut reached = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let mut waiting = vec![(start, Features::all_defaults(), vec![package.to_owned()])];
        while let Some((id, features, path)) = waiting.pop() {
            for (next, asked) in self.edges(id, &features) {
                let name = self.packages[next].name.to_string();
                if next == start || !seen.insert((next.clone(), asked.key())) {
                    continue;
                }
                let mut longer = path.clone();
                longer.push(name.clone());
                reached.entry(name).or_insert_with(|| longer.clone());
                waiting.push((next, asked, longer));
            }
        }
        reached
    }

    fn edges(&self, id: &'a PackageId, features: &Features) -> Vec<(&'a PackageId, Features)> {
        let package = self.packages[id];
        let resolved = self.resolved[id].iter().filter(|(_, counts)| *counts).map(|(next, _)| *next);
        if !self.is_member(&package.name) {
            return resolved.map(|next| (next, Features::all_defaults())).collect();
        }
        let active = features.expand(package);
        let mut edges = Vec::new();
        for next in resolved {
            for dependency in declared(package, &self.packages[next].name) {
                if !dependency.optional || active.enables(dependency) {
                    edges.push((next, active.passed_to(dependency)));
                }
            }
        }
        edges
    }
}

fn declared<'a>(package: &'a Package, name: &str) -> impl Iterator<Item = &'a Dependency> {
    let counts = |d: &Dependency| matches!(d.kind, DependencyKind::Normal | DependencyKind::Build);
    package.dependencies.iter().filter(move |d| d.name == name && counts(d))
}

/// The features that somebody asked a package for.
struct Features {
    defaults: bool,
    named: BTreeSet<String>,
}

impl Features {
    fn all_defaults() -> Self {
        Self { defaults: true, named: BTreeSet::new() }
    }

    fn key(&self) -> (bool, Vec<String>) {
        (self.defaults, self.named.iter().cloned().collect())
    }

    /// The closure of what was asked for over the package's own feature table.
    fn expand(&self, package: &Package) -> Active {
        let mut active = BTreeSet::new();
        let mut waiting: Vec<String> = self.named.iter().cloned().collect();
        waiting.extend(self.defaults.then(|| "default".to_owned()));
        while let Some(feature) = waiting.pop() {
            if let Some(implied) = package.features.get(&feature) {
                waiting.extend(implied.iter().filter(|f| !active.contains(*f)).cloned());
            }
            active.insert(feature);
        }
        Active { features: active }
    }
}

/// Features that are on in a package, `dep:x` and `x/feature` entries included.
struct Active {
    features: BTreeSet<String>,
}

impl Active {
    fn enables(&self, dependency: &Dependency) -> bool {
        let name = dependency.rename.as_ref().unwrap_or(&dependency.name);
        let through = format!("{name}/");
        self.features.contains(&format!("dep:{name}"))
            || self.features.contains(name)
            || self.features.iter().any(|feature| feature.starts_with(&through))
    }

    fn passed_to(&self, dependency: &Dependency) -> Features {
        let name = dependency.rename.as_ref().unwrap_or(&dependency.name);
        let mut named: BTreeSet<String> = dependency.features.iter().cloned().collect();
        for feature in &self.features {
            if let Some((to, passed)) = feature.split_once('/')
                && to.trim_end_matches('?') == name
            {
                named.insert(passed.to_owned());
            }
        }
        Features { defaults: dependency.uses_default_features, named }
    }
}
