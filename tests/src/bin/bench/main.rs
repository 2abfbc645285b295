//! Benches: `bench NAME` measures, prints a table for people, and last one line of JSON for programs.
//!
//! Every figure stands beside a floor or a peer that was measured in the same run. Load is bounded in count and time
//! and goes to the loopback interface only.

#![forbid(unsafe_code)]

mod figures;
mod language;
mod load;
mod route;
mod stateless;
mod streams;
mod targets;
mod tools;

use std::process::ExitCode;

/// A bench answers its figures by name, in the order in which they are printed.
type Bench = fn() -> Vec<(&'static str, f64)>;

const BENCHES: &[(&str, Bench)] = &[
    ("language", language::run),
    ("route", route::run),
    ("stateless", stateless::run),
    ("streams", streams::run),
    ("tools", tools::run),
];

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some((name, bench)) = BENCHES.iter().find(|(known, _)| *known == name) else {
        let known: Vec<&str> = BENCHES.iter().map(|(name, _)| *name).collect();
        eprintln!("no bench is called '{name}'; there are: {}", known.join(", "));
        return ExitCode::from(2);
    };
    let figures = bench();
    println!("{}", figures::line(name, &figures));
    ExitCode::SUCCESS
}
