//! Chance for the tests of this crate. It needs no system, so that a seed means the same everywhere.

/// A small generator of our own. The seed must not be 0.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below the limit.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    /// One of these.
    pub(crate) fn pick(&mut self, among: &[&'static str]) -> &'static str {
        among[self.below(among.len())]
    }
}

/// What a variable of the environment chooses, if it does.
pub(crate) fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
