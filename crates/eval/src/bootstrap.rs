//! Intervals of figures that no formula has: drawn again from the cases (Efron's bootstrap, percentiles).

use crate::interval::Interval;

/// How often the cases are drawn.
pub const RESAMPLES: usize = 10_000;
/// Where the draws begin, so that the same results have the same intervals.
pub const SEED: u64 = 17;

/// Numbers by chance: SplitMix64 (Steele, Lea and Flood, 2014). Written out here because the stream of a library may change with its version,
/// and the intervals of the same file with it.
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn new() -> Self {
        Self(SEED)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, each as probable as the others but for 2^-64 n.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let wide = u128::from(self.next()) * n as u128;
        // The upper half of the product is below n.
        (wide >> 64) as usize
    }
}

/// The interval of a figure of some cases: `figure` makes it of the numbers of those drawn. None where there are no cases, or the figure can
/// be made of too few draws to say anything.
pub(crate) fn bootstrap(
    cases: usize,
    mut figure: impl FnMut(&[usize]) -> Option<f64>,
) -> Option<Interval> {
    if cases == 0 {
        return None;
    }
    let mut draws = Draws::new();
    let mut drawn = vec![0; cases];
    let mut values = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        drawn.iter_mut().for_each(|at| *at = draws.below(cases));
        values.extend(figure(&drawn));
    }
    if values.len() < RESAMPLES / 2 {
        return None;
    }
    values.sort_by(f64::total_cmp);
    Some(Interval {
        low: quantile(&values, 0.025),
        high: quantile(&values, 0.975),
    })
}

/// A quantile of sorted values, between two of them where it falls there.
pub(crate) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (below, above) = (at.floor() as usize, at.ceil() as usize);
    let part = at - at.floor();
    sorted[below] * (1.0 - part) + sorted[above] * part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_those_of_the_published_generator() {
        // The reference implementation's first numbers from 1234567.
        let mut draws = Draws(1_234_567);
        let first = [draws.next(), draws.next(), draws.next()];
        assert_eq!(
            first,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
        let mut seen = [0; 5];
        (0..10_000).for_each(|_| seen[draws.below(5)] += 1);
        assert!(
            seen.iter().all(|times| (1_850..2_150).contains(times)),
            "{seen:?}"
        );
    }

    #[test]
    fn a_mean_has_about_the_interval_of_the_normal_distribution() {
        let values: Vec<f64> = (0..100).map(|at| f64::from(at % 10)).collect();
        let mean = |drawn: &[usize]| {
            let sum: f64 = drawn.iter().map(|at| values[*at]).sum();
            Some(sum / drawn.len() as f64)
        };
        let found = bootstrap(values.len(), mean).expect("there are cases");
        // 4.5 ± 1.96 × 2.872 / 10.
        assert!((found.low - 3.937).abs() < 0.05, "{found:?}");
        assert!((found.high - 5.063).abs() < 0.05, "{found:?}");
        assert_eq!(bootstrap(values.len(), mean), Some(found), "the same again");
        assert_eq!(bootstrap(0, mean), None);
        assert_eq!(bootstrap(3, |_| None), None);
    }

    #[test]
    fn a_quantile_between_two_values_is_between_them() {
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.5), 2.5);
        assert_eq!(quantile(&[1.0], 0.975), 1.0);
    }
}
