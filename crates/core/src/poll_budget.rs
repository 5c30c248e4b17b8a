//! How often GitHub may be read with what is left of an account's hourly budgets (§1.6, §3.2).
//!
//! Of each budget [`COLLIE_PERCENT`] are for what Collie does by itself; the rest stays for the person: for their own tools, and for what
//! they ask Collie for just now.

use crate::ids::Time;
use serde::{Deserialize, Serialize};

/// Of an hour's budget, and of whatever is left of it, that much is Collie's.
pub const COLLIE_PERCENT: u64 = 60;
/// Polls are stretched only once less than that part of Collie's share is left: before, what polls will cost is not known well enough.
const NEAR_LIMIT_PERCENT: u64 = 50;
const HOUR_MS: u64 = 60 * 60_000;

/// One of GitHub's two hourly budgets, which are counted apart
/// (<https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api>).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RateResource {
    /// GraphQL, in points.
    #[default]
    Graphql,
    /// REST, in requests.
    Rest,
}

/// How one budget stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateBudget {
    /// Which.
    pub resource: RateResource,
    /// What there is an hour, in points or requests.
    pub limit: u64,
    /// What is left of it, whoever used the rest.
    pub remaining: u64,
    /// When all of it is there again.
    pub resets_at: Time,
    /// What Collie has used of it by itself, as far as this process knows; what a person asked for is not in it.
    pub used: u64,
    /// What a reading of one pull request costs, in thousandths; 0 while that is not known.
    pub reading_cost_permille: u64,
}

/// Polls are slower than configured, so that what is left of a budget lasts until its reset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PollThrottle {
    /// The budget that is short.
    pub resource: RateResource,
    /// What is left of it, in points or requests.
    pub remaining: u64,
    /// What there is an hour.
    pub limit: u64,
    /// When all of it is there again, and polls are as configured.
    pub resets_at: Time,
    /// An interval's length, in thousandths of what is configured; at least 1,000.
    pub stretch_permille: u64,
}

/// What the budgets allow for readings that are due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PollPlan {
    /// How many of them can be made now.
    pub affordable: usize,
    /// Why the others wait; there is one wherever some do.
    pub throttle: Option<PollThrottle>,
}

impl RateBudget {
    /// What Collie may still use of it by itself before the reset, in points or requests.
    ///
    /// The share of what is left holds where somebody else, or a Collie before this one, has used much: a part of it stays for the person too.
    pub fn allowance(&self, now: Time) -> u64 {
        let share = percent(self.limit, COLLIE_PERCENT);
        if now >= self.resets_at {
            return share;
        }
        let left = percent(self.remaining, COLLIE_PERCENT);
        share.saturating_sub(self.used).min(left)
    }

    /// Readings that can be paid now.
    fn affordable(&self, now: Time) -> usize {
        let allowance = self.allowance(now);
        if allowance == 0 {
            return 0;
        }
        match self.reading_cost_permille {
            0 => usize::MAX,
            cost => {
                let readings = allowance.saturating_mul(1_000) / cost;
                // What is left pays the beginning of one.
                usize::try_from(readings.max(1)).unwrap_or(usize::MAX)
            }
        }
    }

    /// By how much intervals are stretched, in thousandths, so that `readings_an_hour` can be paid until the reset.
    fn stretch_permille(&self, readings_an_hour: u64, now: Time) -> u64 {
        let allowance = self.allowance(now);
        let share = percent(self.limit, COLLIE_PERCENT);
        let is_near =
            u128::from(allowance) * 100 < u128::from(share) * u128::from(NEAR_LIMIT_PERCENT);
        if !is_near || now >= self.resets_at {
            return 1_000;
        }
        if allowance == 0 {
            return u64::MAX;
        }
        // Points, in thousandths, so that intervals come out in thousandths.
        let demand = u128::from(readings_an_hour)
            .saturating_mul(self.reading_cost_permille.into())
            .saturating_mul(self.resets_at.since(now).into())
            / u128::from(HOUR_MS);
        let stretch = demand.div_ceil(u128::from(allowance));
        u64::try_from(stretch).unwrap_or(u64::MAX).max(1_000)
    }

    fn throttle(&self, stretch_permille: u64) -> PollThrottle {
        PollThrottle {
            resource: self.resource,
            remaining: self.remaining,
            limit: self.limit,
            resets_at: self.resets_at,
            stretch_permille,
        }
    }
}

impl PollThrottle {
    /// When to read again after a reading at `now`: no sooner than configured, and no later than the reset where that is later.
    pub fn next_at(&self, now: Time, interval_ms: u64) -> Time {
        let stretched = u128::from(interval_ms) * u128::from(self.stretch_permille) / 1_000;
        let stretched = u64::try_from(stretched).unwrap_or(u64::MAX);
        let to_reset = self.resets_at.since(now);
        now.plus(stretched.min(to_reset).max(interval_ms))
    }
}

/// By how much all polls are stretched: by as much as the shortest budget asks for, alike for every loop; none where all can be paid.
pub fn throttle(budgets: &[RateBudget], readings_an_hour: u64, now: Time) -> Option<PollThrottle> {
    let stretched = budgets
        .iter()
        .map(|budget| (budget, budget.stretch_permille(readings_an_hour, now)));
    let (budget, stretch) = stretched.max_by_key(|(_, stretch)| *stretch)?;
    (stretch > 1_000).then(|| budget.throttle(stretch))
}

/// How many of `due` readings can be paid now. The others wait for the reset.
pub fn plan(budgets: &[RateBudget], due: usize, now: Time) -> PollPlan {
    let Some(shortest) = budgets.iter().min_by_key(|budget| budget.affordable(now)) else {
        return PollPlan {
            affordable: due,
            throttle: None,
        };
    };
    let affordable = shortest.affordable(now).min(due);
    let throttle = (affordable < due).then(|| shortest.throttle(u64::MAX));
    PollPlan {
        affordable,
        throttle,
    }
}

/// How often a loop with this interval is read in an hour.
pub fn readings_an_hour(interval_ms: u64) -> u64 {
    HOUR_MS.div_ceil(interval_ms.max(1))
}

fn percent(of: u64, percent: u64) -> u64 {
    let part = u128::from(of) * u128::from(percent) / 100;
    u64::try_from(part).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MINUTE: u64 = 60_000;
    const NOW: Time = Time(1_700_000_000_000);

    fn budget(remaining: u64, used: u64, minutes: u64) -> RateBudget {
        RateBudget {
            resource: RateResource::Graphql,
            limit: 5_000,
            remaining,
            resets_at: NOW.plus(minutes * MINUTE),
            used,
            reading_cost_permille: 40,
        }
    }

    #[test]
    fn forty_percent_stay_for_the_person_of_the_hour_and_of_what_is_left() {
        assert_eq!(budget(5_000, 0, 60).allowance(NOW), 3_000);
        assert_eq!(budget(2_500, 2_500, 30).allowance(NOW), 500);
        assert_eq!(budget(2_000, 3_000, 30).allowance(NOW), 0);
        // The person used their share and more: of the rest a part is still theirs.
        assert_eq!(budget(1_000, 0, 30).allowance(NOW), 600);
        // After the reset the numbers are those of an hour that is over.
        assert_eq!(budget(0, 3_000, 0).allowance(NOW), 3_000);
    }

    #[test]
    fn a_thousand_loops_at_a_minute_are_not_stretched_and_three_thousand_are_threefold() {
        // A look at a thousand is 40 points; half an hour is left.
        let near = [budget(3_600, 1_800, 30)];
        assert_eq!(throttle(&near, 60_000, NOW), None);
        let slow = throttle(&near, 180_000, NOW).expect("3,600 points of 1,200");
        assert_eq!(slow.stretch_permille, 3_000);
        assert_eq!(slow.next_at(NOW, MINUTE), NOW.plus(3 * MINUTE));
        assert_eq!((slow.remaining, slow.limit), (3_600, 5_000));
        // Far from the limit nothing is, however many there are.
        assert_eq!(throttle(&[budget(4_900, 100, 60)], 600_000, NOW), None);
    }

    #[test]
    fn the_shorter_budget_decides_and_an_empty_one_waits_for_its_reset() {
        let rest = RateBudget {
            resource: RateResource::Rest,
            ..budget(100, 0, 20)
        };
        let slow =
            throttle(&[budget(4_000, 1_000, 50), rest], 60_000, NOW).expect("too few requests");
        assert_eq!(slow.resource, RateResource::Rest);
        let empty = [budget(2_000, 3_000, 20)];
        let slow = throttle(&empty, 60, NOW).expect("none is left");
        assert_eq!(slow.next_at(NOW, MINUTE), NOW.plus(20 * MINUTE));
        assert_eq!(plan(&empty, 3, NOW).affordable, 0);
        assert!(plan(&empty, 3, NOW).throttle.is_some());
        // Of two, the one that pays for less decides, whichever it is.
        let rest = RateBudget {
            resource: RateResource::Rest,
            ..budget(1, 0, 20)
        };
        let points = budget(4_000, 1_000, 50);
        for both in [[points, rest], [rest, points]] {
            let found = plan(&both, 3, NOW);
            let waits_for = found.throttle.map(|throttle| throttle.resource);
            assert_eq!((found.affordable, waits_for), (0, Some(RateResource::Rest)));
        }
        // A minute before the reset an interval is not shortened to it.
        assert_eq!(
            slow.next_at(NOW.plus(19 * MINUTE + 30_000), MINUTE),
            NOW.plus(20 * MINUTE + 30_000)
        );
    }

    #[test]
    fn a_host_without_limits_slows_nothing() {
        assert_eq!(throttle(&[], 1_000_000, NOW), None);
        let plan = plan(&[], 7, NOW);
        assert_eq!((plan.affordable, plan.throttle), (7, None));
    }

    /// An hour of loops that poll by [`plan`] and [`throttle`], read oldest first; the person uses some of the budget beside them.
    struct Hour {
        /// Points that Collie used.
        used: u64,
        /// By loop.
        readings: Vec<u64>,
        /// The longest that a loop went unread.
        longest_gap_ms: u64,
    }

    fn watch_an_hour(loops: usize, interval_ms: u64, cost: u64, person_a_minute: u64) -> Hour {
        let end = NOW.plus(HOUR_MS);
        let (mut used, mut remaining) = (0_u64, 5_000_u64);
        let mut due = vec![(NOW, NOW); loops];
        let mut readings = vec![0; loops];
        let mut longest_gap_ms = 0;
        let mut now = NOW;
        while now < end {
            let seen = |used, remaining| RateBudget {
                resource: RateResource::Graphql,
                limit: 5_000,
                remaining,
                resets_at: end,
                used,
                reading_cost_permille: cost,
            };
            let mut ready: Vec<usize> = (0..loops).filter(|at| due[*at].0 <= now).collect();
            ready.sort_by_key(|at| due[*at].1);
            let planned = plan(&[seen(used, remaining)], ready.len(), now);
            let (read, wait) = ready.split_at(planned.affordable);
            let points = (cost * read.len() as u64).div_ceil(1_000);
            used += points;
            remaining = remaining.saturating_sub(points);
            let per_hour = readings_an_hour(interval_ms) * loops as u64;
            let slow = throttle(&[seen(used, remaining)], per_hour, now);
            for at in read {
                longest_gap_ms = longest_gap_ms.max(now.since(due[*at].1));
                readings[*at] += 1;
                let next = slow
                    .as_ref()
                    .map_or(now.plus(interval_ms), |s| s.next_at(now, interval_ms));
                due[*at] = (next, now);
            }
            for at in wait {
                let slow = planned
                    .throttle
                    .as_ref()
                    .expect("whoever waits is told why");
                due[*at].0 = slow.next_at(now, interval_ms);
            }
            remaining = remaining.saturating_sub(person_a_minute);
            now = now.plus(MINUTE);
        }
        // Each is due at the reset at the latest, or an interval later.
        for (next, last) in &due {
            longest_gap_ms = longest_gap_ms.max(next.since(*last));
        }
        Hour {
            used,
            readings,
            longest_gap_ms,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

        #[test]
        fn an_hour_costs_no_more_than_collies_share_and_starves_no_loop(
            loops in 1_usize..400,
            minutes in 1_u64..10,
            cost in 1_u64..3_000,
            person_a_minute in 0_u64..60,
        ) {
            let interval_ms = minutes * MINUTE;
            let hour = watch_an_hour(loops, interval_ms, cost, person_a_minute);
            // What is read last may cost the beginning of one reading more.
            prop_assert!(hour.used <= 3_000 + cost.div_ceil(1_000), "{} points", hour.used);
            let most = hour.readings.iter().max().copied().unwrap_or(0);
            let least = hour.readings.iter().min().copied().unwrap_or(0);
            prop_assert!(most - least <= 1, "{least} to {most} readings of a loop");
            prop_assert!(hour.longest_gap_ms <= HOUR_MS + interval_ms);
            // Where the hour can pay for all of them nobody is slowed.
            let all = loops as u64 * readings_an_hour(interval_ms);
            if (all * cost).div_ceil(1_000) + 60 <= 3_000 && person_a_minute == 0 {
                prop_assert!(least * interval_ms + interval_ms >= HOUR_MS, "{least} readings");
            }
        }

        #[test]
        fn a_stretch_never_shortens_never_passes_the_reset_and_grows_as_less_is_left(
            remaining in 0_u64..=5_000,
            used in 0_u64..=5_000,
            ahead_ms in 0_u64..=HOUR_MS,
            cost in 0_u64..5_000,
            an_hour in 0_u64..1_000_000,
            interval_ms in 1_u64..HOUR_MS,
        ) {
            let mut budget = budget(remaining, used, 0);
            budget.resets_at = NOW.plus(ahead_ms);
            budget.reading_cost_permille = cost;
            let next = |budget: RateBudget| {
                throttle(&[budget], an_hour, NOW)
                    .map_or(NOW.plus(interval_ms), |slow| slow.next_at(NOW, interval_ms))
            };
            let at = next(budget);
            prop_assert!(at >= NOW.plus(interval_ms));
            prop_assert!(at <= NOW.plus(interval_ms).max(budget.resets_at));
            budget.remaining = remaining / 2;
            prop_assert!(next(budget) >= at);
        }

        #[test]
        fn numbers_of_any_size_are_no_fault(
            limit: u64, remaining: u64, used: u64, cost: u64, an_hour: u64, interval_ms: u64, now: i64, resets_at: i64, due: usize,
        ) {
            let budget = RateBudget {
                resource: RateResource::Rest, limit, remaining, resets_at: Time(resets_at), used, reading_cost_permille: cost,
            };
            let now = Time(now);
            prop_assert!(plan(&[budget], due, now).affordable <= due);
            if let Some(slow) = throttle(&[budget], an_hour, now) {
                slow.next_at(now, interval_ms);
            }
            readings_an_hour(interval_ms);
        }
    }
}
