//! The layers inside a crate: a file may import from its own layer and from those below, never from one above.
//!
//! The table says which folders are layers, the topmost first. What is in none of them is the edge of the crate (its
//! entry, its settings, its log), which may know all of them.

use super::tidy;

/// A crate's sources, and its layers from top to bottom.
const LAYERS: &[(&str, &[&str])] = &[("router/src/", &["transport", "core", "backend"])];

#[test]
fn imports_go_down_the_layers_only() {
    tidy::check(|source, findings| {
        for (root, layers) in LAYERS {
            let Some(place) = source.name.strip_prefix(root) else { continue };
            let Some(own) = layers.iter().position(|layer| place.starts_with(&format!("{layer}/"))) else { continue };
            for (number, line) in source.lines() {
                for above in &layers[..own] {
                    if line.contains(&format!("crate::{above}")) {
                        findings.push(format!("{}:{number}: {} is below {above}", source.name, layers[own]));
                    }
                }
            }
        }
    });
}
