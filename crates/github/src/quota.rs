//! How much GitHub still lets us ask, and how much of that Collie has used by itself.

use collie_core::ids::Time;
use collie_core::poll_budget::{RateBudget, RateResource};

/// A reset that is later by so much is that of another window: it is told in whole seconds.
const RESET_TOLERANCE_MS: u64 = 60_000;
/// Of what earlier readings cost, that many eighths count beside the next.
const REMEMBERED_EIGHTHS: u64 = 7;

/// How much of one quota is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// What is left.
    pub remaining: u64,
    /// What there is an hour.
    pub limit: u64,
    /// When all of it is there again.
    pub resets_at: Time,
}

/// The quotas as the last answers told them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quotas {
    /// Of GraphQL, in points; none before the first answer, or where the host has no limits.
    pub graphql: Option<Quota>,
    /// Of REST, in requests; none before the first answer, or where the host has no limits.
    pub rest: Option<Quota>,
    /// Until when GitHub asked to wait; none when a call may be made.
    pub paused_until: Option<Time>,
}

/// For whom a request is made, and from whose share of the quota (§17).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payer {
    /// Collie, by itself.
    Collie,
    /// A person, who has asked for it just now.
    Person,
}

/// The quotas, and what Collie used of them.
#[derive(Debug, Default)]
pub(crate) struct QuotaLedger {
    /// As last told.
    pub quotas: Quotas,
    graphql: OwnUse,
    rest: OwnUse,
}

/// What Collie used of one quota, in points or requests.
#[derive(Clone, Copy, Debug, Default)]
struct OwnUse {
    total: u64,
    in_window: u64,
    readings: ReadingCost,
}

/// What the last readings of pull requests cost; the older, the less it counts.
#[derive(Clone, Copy, Debug, Default)]
struct ReadingCost {
    /// In thousandths.
    points: u64,
    /// In thousandths.
    readings: u64,
}

/// What Collie had used of both quotas at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UsedSoFar {
    graphql: u64,
    rest: u64,
}

impl QuotaLedger {
    /// Takes in what an answer tells of a quota.
    pub fn record(&mut self, resource: RateResource, quota: Quota) {
        let (known, used) = match resource {
            RateResource::Graphql => (&mut self.quotas.graphql, &mut self.graphql),
            RateResource::Rest => (&mut self.quotas.rest, &mut self.rest),
        };
        if known.is_some_and(|known| quota.resets_at.since(known.resets_at) > RESET_TOLERANCE_MS) {
            used.in_window = 0;
        }
        *known = Some(quota);
    }

    /// Counts what a request of Collie's own cost.
    pub fn charge(&mut self, resource: RateResource, cost: u64) {
        let used = self.own_use(resource);
        used.total = used.total.saturating_add(cost);
        used.in_window = used.in_window.saturating_add(cost);
    }

    /// What Collie has used since it began.
    pub fn used_so_far(&self) -> UsedSoFar {
        UsedSoFar {
            graphql: self.graphql.total,
            rest: self.rest.total,
        }
    }

    /// Learns from readings of pull requests what one costs: whatever was used meanwhile.
    pub fn record_readings(&mut self, before: UsedSoFar, readings: usize) {
        let readings = u64::try_from(readings).unwrap_or(u64::MAX);
        let pairs = [
            (&mut self.graphql, before.graphql),
            (&mut self.rest, before.rest),
        ];
        for (used, before) in pairs {
            let cost = used.total.saturating_sub(before);
            used.readings.add(cost, readings);
        }
    }

    /// How both budgets stand; those that are not known, or without a limit, are left out.
    pub fn budgets(&self) -> Vec<RateBudget> {
        let of = |resource, quota: Option<Quota>, used: &OwnUse| {
            let quota = quota.filter(|quota| quota.limit > 0)?;
            Some(RateBudget {
                resource,
                limit: quota.limit,
                remaining: quota.remaining,
                resets_at: quota.resets_at,
                used: used.in_window,
                reading_cost_permille: used.readings.permille(),
            })
        };
        let graphql = of(RateResource::Graphql, self.quotas.graphql, &self.graphql);
        let rest = of(RateResource::Rest, self.quotas.rest, &self.rest);
        graphql.into_iter().chain(rest).collect()
    }

    fn own_use(&mut self, resource: RateResource) -> &mut OwnUse {
        match resource {
            RateResource::Graphql => &mut self.graphql,
            RateResource::Rest => &mut self.rest,
        }
    }
}

impl ReadingCost {
    fn add(&mut self, points: u64, readings: u64) {
        let fade = |before: u64| before / 8 * REMEMBERED_EIGHTHS;
        self.points = fade(self.points).saturating_add(points.saturating_mul(1_000));
        self.readings = fade(self.readings).saturating_add(readings.saturating_mul(1_000));
    }

    fn permille(self) -> u64 {
        let permille = u128::from(self.points) * 1_000 / u128::from(self.readings.max(1));
        u64::try_from(permille).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_700_000_000_000);
    const HOUR_MS: u64 = 3_600_000;

    fn quota(remaining: u64, resets_in_ms: u64) -> Quota {
        Quota {
            remaining,
            limit: 5_000,
            resets_at: NOW.plus(resets_in_ms),
        }
    }

    fn used(ledger: &QuotaLedger, resource: RateResource) -> u64 {
        let budgets = ledger.budgets();
        let budget = budgets.iter().find(|budget| budget.resource == resource);
        budget.expect("it was told").used
    }

    #[test]
    fn what_collie_used_is_counted_by_quota_and_anew_in_each_window() {
        let mut ledger = QuotaLedger::default();
        assert!(ledger.budgets().is_empty());
        ledger.record(RateResource::Graphql, quota(4_000, HOUR_MS));
        ledger.record(RateResource::Rest, quota(4_500, HOUR_MS));
        ledger.charge(RateResource::Graphql, 40);
        ledger.charge(RateResource::Rest, 1);
        // The same reset, rounded to the next second.
        ledger.record(RateResource::Graphql, quota(3_960, HOUR_MS + 1_000));
        ledger.charge(RateResource::Graphql, 2);
        assert_eq!(used(&ledger, RateResource::Graphql), 42);
        assert_eq!(used(&ledger, RateResource::Rest), 1);
        ledger.record(RateResource::Graphql, quota(5_000, 2 * HOUR_MS));
        assert_eq!(used(&ledger, RateResource::Graphql), 0);
        assert_eq!(used(&ledger, RateResource::Rest), 1);
    }

    #[test]
    fn the_cost_of_a_reading_follows_what_readings_cost() {
        let mut ledger = QuotaLedger::default();
        ledger.record(RateResource::Graphql, quota(4_000, HOUR_MS));
        let read = |ledger: &mut QuotaLedger, points, readings| {
            let before = ledger.used_so_far();
            ledger.charge(RateResource::Graphql, points);
            ledger.record_readings(before, readings);
            ledger.budgets()[0].reading_cost_permille
        };
        assert_eq!(read(&mut ledger, 40, 1_000), 40);
        // A single one among them weighs no more than it is.
        assert_eq!(read(&mut ledger, 1, 1), 41);
        let mut cost = 0;
        for _ in 0..40 {
            cost = read(&mut ledger, 80, 1_000);
        }
        assert!((79..=80).contains(&cost), "{cost}");
    }

    #[test]
    fn a_host_that_counts_nothing_has_no_budget() {
        let mut ledger = QuotaLedger::default();
        let none = Quota {
            limit: 0,
            ..quota(0, HOUR_MS)
        };
        ledger.record(RateResource::Rest, none);
        assert!(ledger.budgets().is_empty());
    }
}
