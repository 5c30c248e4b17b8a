//! Intervals of proportions, and whether two of them differ.

use serde::Serialize;

/// From where to where a figure probably lies, at 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Whether a value lies in it.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// The normal distribution's quantile of 97.5 %.
const Z: f64 = 1.959_963_984_540_054;

/// The score interval of a proportion (E. B. Wilson, 1927); none of nothing.
pub fn wilson(hits: u64, of: u64) -> Option<Interval> {
    if of == 0 {
        return None;
    }
    // Counts of findings are far below 2^53.
    let (hits, n) = (hits.min(of) as f64, of as f64);
    let (p, z2) = (hits / n, Z * Z);
    let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    Some(Interval {
        low: (centre - half).max(0.0),
        high: (centre + half).min(1.0),
    })
}

/// How probable it is that two that are equally good differ so much or more (McNemar's test, exact): `only_one` were hit by the first alone,
/// `only_other` by the second alone.
pub fn mcnemar_exact(only_one: u64, only_other: u64) -> f64 {
    let n = only_one + only_other;
    let fewer = only_one.min(only_other);
    // Of the binomial distribution with one half, term by term; in logarithms, since 2^n leaves the range.
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = 0.0;
    for k in 0..=fewer {
        tail += log_term.exp();
        log_term += ((n - k) as f64).ln() - ((k + 1) as f64).ln();
    }
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(hits: u64, of: u64, low: f64, high: f64) {
        let found = wilson(hits, of).expect("not of nothing");
        let near = |a: f64, b: f64| (a - b).abs() < 0.000_05;
        assert!(
            near(found.low, low) && near(found.high, high),
            "{hits}/{of}: {found:?}"
        );
    }

    /// Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998), table I, method 3.
    #[test]
    fn score_intervals_are_those_of_the_literature() {
        check(81, 263, 0.2553, 0.3662);
        check(15, 148, 0.0624, 0.1605);
        check(0, 20, 0.0, 0.1611);
        check(1, 29, 0.0061, 0.1718);
        check(29, 29, 0.8830, 1.0);
        assert_eq!(wilson(0, 0), None);
    }

    /// Exact values of the binomial distribution, by hand: 2 × (1 + 6) / 2^6 and so on.
    #[test]
    fn the_exact_test_is_the_binomial_one() {
        let check = |one, other, expect: f64| {
            let found = mcnemar_exact(one, other);
            assert!((found - expect).abs() < 1e-9, "{one}, {other}: {found}");
        };
        check(0, 0, 1.0);
        check(5, 5, 1.0);
        check(1, 5, 14.0 / 64.0);
        check(0, 6, 2.0 / 64.0);
        check(12, 3, 2.0 * (1.0 + 15.0 + 105.0 + 455.0) / 32_768.0);
        assert!(mcnemar_exact(2_000, 1_000) < 1e-50);
    }
}
