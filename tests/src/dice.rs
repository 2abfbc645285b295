//! Numbers for tests that try many things: random, but the same again for the same seed, which is printed.

use std::time::{SystemTime, UNIX_EPOCH};

/// Numbers in an order that the seed decides.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// A throw that can be repeated: by the seed in `LAPIDARY_SEED` if it is set, else by a new one. Either is printed.
    pub fn printed() -> Self {
        let given = std::env::var("LAPIDARY_SEED").ok().and_then(|seed| seed.parse().ok());
        let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_nanos() as u64);
        let seed: u64 = given.unwrap_or_else(clock);
        eprintln!("LAPIDARY_SEED={seed}");
        Self(seed)
    }

    /// Dice of their own for a part of a test, such as a thread.
    pub fn for_part(&self, part: u64) -> Self {
        Self(self.0.wrapping_add(part.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// A number below `limit`, which is at least 1.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_throws_the_same_and_reaches_everything() {
        let throw = |seed| (0..200).scan(Dice(seed), |dice, _| Some(dice.below(6))).collect::<Vec<_>>();
        assert_eq!(throw(7), throw(7));
        assert_ne!(throw(7), throw(8));
        assert!((0..6).all(|side| throw(7).contains(&side)));
    }
}
