//! Chance without a state: what is drawn depends on the seed and on what it is drawn for, not on what was drawn before. So a schedule from
//! which something was taken away plays the rest as before.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What is drawn from.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    seed: u64,
}

impl Draw {
    /// All that a seed gives.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// A generator for one purpose. `DefaultHasher::new` has fixed keys: the same on every machine with the same toolchain.
    fn of(self, purpose: impl Hash) -> SmallRng {
        let mut hasher = DefaultHasher::new();
        (self.seed, purpose).hash(&mut hasher);
        SmallRng::seed_from_u64(hasher.finish())
    }

    /// A number of a range, its end not in it.
    pub fn below(self, purpose: impl Hash, end: u64) -> u64 {
        self.of(purpose).random_range(0..end.max(1))
    }

    /// A number of a range, both ends in it.
    pub fn between(self, purpose: impl Hash, first: u64, last: u64) -> u64 {
        first + self.below(purpose, last.saturating_sub(first) + 1)
    }

    /// Whether something happens that does so many times of a thousand.
    pub fn chance(self, purpose: impl Hash, permille: u64) -> bool {
        self.below(purpose, 1_000) < permille
    }

    /// One of several.
    pub fn pick<T: Copy>(self, purpose: impl Hash, of: &[T]) -> Option<T> {
        let at = self.below(purpose, of.len() as u64);
        of.get(usize::try_from(at).unwrap_or_default()).copied()
    }
}
