//! How long to wait before the next try, wherever one is made.

/// How waits grow while failures follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    /// The first wait, in milliseconds.
    pub first_ms: u64,
    /// The longest, in milliseconds.
    pub max_ms: u64,
}

impl Backoff {
    /// Milliseconds to wait after `failures` in a row, of which there is at least one: doubled with each.
    pub fn wait_ms(self, failures: u32) -> u64 {
        let doublings = failures.saturating_sub(1).min(32);
        self.first_ms
            .saturating_mul(1 << doublings)
            .min(self.max_ms)
    }

    /// The same with jitter on top: `permille` of a quarter of it.
    pub fn jittered_ms(self, failures: u32, permille: u16) -> u64 {
        let wait = self.wait_ms(failures);
        wait.saturating_add(wait / 4 * u64::from(permille.min(999)) / 1_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_jitter_adds_less_than_a_quarter() {
        let backoff = Backoff {
            first_ms: 1_000,
            max_ms: 60_000,
        };
        let waits: Vec<u64> = (1..=8).map(|failures| backoff.wait_ms(failures)).collect();
        assert_eq!(
            waits,
            [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]
        );
        assert_eq!(backoff.wait_ms(u32::MAX), 60_000);
        assert_eq!(backoff.jittered_ms(1, 0), 1_000);
        assert_eq!(backoff.jittered_ms(1, 500), 1_125);
        assert_eq!(backoff.jittered_ms(1, u16::MAX), 1_249);
    }
}
