//! From samples to figures: percentiles, tables, the line for programs.

use serde_json::{Map, Value, json};
use std::time::Duration;

/// Latencies of one kind of request, and the time in which they were taken.
#[derive(Debug, Default, Clone)]
pub(crate) struct Samples {
    latencies: Vec<Duration>,
    elapsed: Duration,
}

impl Samples {
    /// Samples that took `elapsed` together.
    pub(crate) fn new(latencies: Vec<Duration>, elapsed: Duration) -> Self {
        Self { latencies, elapsed }
    }

    /// Adds a further round.
    pub(crate) fn add(&mut self, other: Samples) {
        self.latencies.extend(other.latencies);
        self.elapsed += other.elapsed;
    }

    /// The latency that `percent` of the samples do not exceed, in milliseconds.
    pub(crate) fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        let rank = (sorted.len() * percent).div_ceil(100).max(1) - 1;
        sorted.get(rank).map_or(f64::NAN, |latency| latency.as_secs_f64() * 1_000.0)
    }

    /// Samples a second.
    pub(crate) fn rate(&self) -> f64 {
        self.latencies.len() as f64 / self.elapsed.as_secs_f64()
    }
}

/// The heading of [`row`].
pub(crate) fn heading() {
    println!("{:<44}{:>12}{:>12}{:>14}", "", "p50 ms", "p99 ms", "a second");
}

/// One line of the table.
pub(crate) fn row(what: &str, samples: &Samples) {
    println!("{what:<44}{:>12.3}{:>12.3}{:>14.0}", samples.percentile(50), samples.percentile(99), samples.rate());
}

/// The last line that a bench prints.
pub(crate) fn line(bench: &str, figures: &[(&'static str, f64)]) -> String {
    let rounded = |value: f64| json!((value * 1_000.0).round() / 1_000.0);
    let figures: Map<String, Value> =
        figures.iter().map(|(name, value)| ((*name).to_owned(), rounded(*value))).collect();
    json!({"bench": bench, "figures": figures}).to_string()
}
