//! What models and agents may spend: for one pull request, in a day, and in all (§15).

use crate::error_code::{ErrorCode, ErrorHint};
use crate::ids::Time;
use crate::usage::Usage;
use crate::user_error::{TextArg, UserError};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// Tokens that stand for a dollar where only a limit in dollars is set, for what has no price: 5 $ a million.
pub const TOKENS_PER_DOLLAR: u64 = 200_000;

const MICROS_PER_DOLLAR: u64 = 1_000_000;

/// What a limit holds for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum BudgetScope {
    /// One pull request, all its runs together.
    PullRequest,
    /// All pull requests of a day, by the clock of the machine.
    Day,
    /// All pull requests, ever.
    Total,
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum BudgetUnit {
    /// Millionths of a dollar.
    CostMicros,
    /// Tokens in and out of what has no price.
    Tokens,
}

/// The limits of one scope; none where nobody set one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct BudgetLimit {
    /// Millionths of a dollar.
    pub cost_micros: Option<u64>,
    /// Tokens in and out of models and agents without a price.
    pub tokens: Option<u64>,
}

impl BudgetLimit {
    /// Whether nothing is limited.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The limit for what has no price: as set, or what the one in dollars comes to.
    pub fn token_limit(&self) -> Option<u64> {
        let from_dollars = |micros: u64| {
            let tokens = u128::from(micros) * u128::from(TOKENS_PER_DOLLAR);
            u64::try_from(tokens / u128::from(MICROS_PER_DOLLAR)).unwrap_or(u64::MAX)
        };
        self.tokens.or(self.cost_micros.map(from_dollars))
    }

    /// The stricter of both.
    #[must_use]
    pub fn tightened_by(self, other: Self) -> Self {
        let lower = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (one, other) => one.or(other),
        };
        Self {
            cost_micros: lower(self.cost_micros, other.cost_micros),
            tokens: lower(self.tokens, other.tokens),
        }
    }

    /// What of it a call would pass, where the worst case of a call is `needed` and `spent` is gone or reserved.
    ///
    /// Money has to be there before it is spent. What has no price may pass its limit by one answer, as nobody knows how long that gets.
    fn exceeded_by(&self, spent: &Usage, needed: &Usage) -> Option<(BudgetUnit, u64, u64, u64)> {
        let (cost, worst) = (spent.cost_micros, needed.cost_micros);
        if let Some(limit) = self.cost_micros
            && !needed.unpriced
            && (cost >= limit || cost.saturating_add(worst) > limit)
        {
            return Some((BudgetUnit::CostMicros, limit, cost, worst));
        }
        let tokens = spent.unpriced_tokens;
        let limit = self.token_limit()?;
        (needed.unpriced && tokens >= limit).then_some((BudgetUnit::Tokens, limit, tokens, 0))
    }
}

/// The limits of all scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    /// For one pull request.
    pub pull_request: BudgetLimit,
    /// For a day.
    pub day: BudgetLimit,
    /// For all.
    pub total: BudgetLimit,
}

/// What was spent or is reserved, by scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spending {
    /// By the pull request.
    pub pull_request: Usage,
    /// On the day.
    pub day: Usage,
    /// In all.
    pub total: Usage,
}

/// A call that was not made, since it might have cost more than is left.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[error(
    "a call might pass the budget ({scope:?}): {spent} of {limit} {unit:?} are spent or reserved, up to {needed} more are needed"
)]
pub struct BudgetExceeded {
    /// Whose limit.
    pub scope: BudgetScope,
    /// Of what.
    pub unit: BudgetUnit,
    /// The limit.
    pub limit: u64,
    /// What is spent, or reserved by calls under way.
    pub spent: u64,
    /// The worst case of the call; 0 where nobody knows it.
    pub needed: u64,
    /// When it is whole again; none where only a person can raise it.
    pub until: Option<Time>,
}

impl Budget {
    /// The same where the repository sets a limit of its own for each of its pull requests: the stricter holds.
    #[must_use]
    pub fn with_repository(mut self, repository: BudgetLimit) -> Self {
        self.pull_request = self.pull_request.tightened_by(repository);
        self
    }

    /// Whether nothing is limited.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The limit of a scope, if there is one.
    fn limit(&self, scope: BudgetScope, unit: BudgetUnit) -> Option<u64> {
        let limit = match scope {
            BudgetScope::PullRequest => self.pull_request,
            BudgetScope::Day => self.day,
            BudgetScope::Total => self.total,
        };
        match unit {
            BudgetUnit::CostMicros => limit.cost_micros,
            BudgetUnit::Tokens => limit.token_limit(),
        }
    }

    /// Whether a call may be made whose worst case is `needed`, at a time of the day that ends at `day_ends`.
    ///
    /// # Errors
    ///
    /// The limit that it would pass: one that needs a person before one that waits for midnight.
    pub fn check(
        &self,
        spending: &Spending,
        needed: &Usage,
        day_ends: Time,
    ) -> Result<(), BudgetExceeded> {
        let scopes = [
            (
                BudgetScope::PullRequest,
                self.pull_request,
                spending.pull_request,
                None,
            ),
            (BudgetScope::Total, self.total, spending.total, None),
            (BudgetScope::Day, self.day, spending.day, Some(day_ends)),
        ];
        let exceeded = scopes.into_iter().find_map(|(scope, limit, spent, until)| {
            let (unit, limit, spent, needed) = limit.exceeded_by(&spent, needed)?;
            Some(BudgetExceeded {
                scope,
                unit,
                limit,
                spent,
                needed,
                until,
            })
        });
        exceeded.map_or(Ok(()), Err)
    }
}

impl BudgetExceeded {
    /// Whether the limit is another one by now: what was refused may be asked for again.
    pub fn is_outdated(&self, budget: &Budget) -> bool {
        budget.limit(self.scope, self.unit) != Some(self.limit)
    }

    /// What its text takes up, by name: which limit, of what, how much of it is spent, and how much the call might have taken.
    pub fn args(&self) -> Vec<(&'static str, TextArg)> {
        let amount = |number: u64| match self.unit {
            BudgetUnit::CostMicros => TextArg::Cost(number),
            BudgetUnit::Tokens => TextArg::Count(number),
        };
        let (scope, unit): (&str, &str) = (self.scope.into(), self.unit.into());
        vec![
            ("scope", TextArg::Text(scope.to_owned())),
            ("unit", TextArg::Text(unit.to_owned())),
            ("limit", amount(self.limit)),
            ("spent", amount(self.spent)),
            ("needed", amount(self.needed)),
            ("until", TextArg::Time(self.until.unwrap_or(Time(0)))),
        ]
    }
}

impl From<BudgetExceeded> for UserError {
    fn from(exceeded: BudgetExceeded) -> Self {
        let error = UserError::new(ErrorCode::BudgetExceeded).hint(ErrorHint::RaiseBudget);
        let args = exceeded.args();
        args.into_iter()
            .fold(error, |error, (name, arg)| error.with_arg(name, arg))
    }
}

/// The day that a time lies in, and when that ends: midnight where the machine is.
pub fn day_of(at: Time, zone: &TimeZone) -> (Date, Time) {
    let stamp = jiff::Timestamp::from_millisecond(at.0).unwrap_or_default();
    let local = stamp.to_zoned(zone.clone());
    let ends = local
        .tomorrow()
        .and_then(|tomorrow| tomorrow.start_of_day())
        .map_or(at, |start| Time(start.timestamp().as_millisecond()));
    (local.date(), ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIDNIGHT: Time = Time(86_400_000);

    fn priced(cost_micros: u64) -> Usage {
        Usage {
            cost_micros,
            ..Usage::default()
        }
    }

    fn unpriced(tokens: u64) -> Usage {
        Usage {
            input_tokens: tokens,
            unpriced: true,
            unpriced_tokens: tokens,
            ..Usage::default()
        }
    }

    fn dollars(amount: u64) -> BudgetLimit {
        BudgetLimit {
            cost_micros: Some(amount * MICROS_PER_DOLLAR),
            tokens: None,
        }
    }

    fn exceeded(budget: Budget, spent: Usage, needed: Usage) -> Option<BudgetExceeded> {
        let spending = Spending {
            pull_request: spent,
            day: spent,
            total: spent,
        };
        budget.check(&spending, &needed, MIDNIGHT).err()
    }

    #[test]
    fn a_refusal_is_outdated_once_its_own_limit_is_another() {
        let of = |pull_request, day| Budget {
            pull_request,
            day,
            ..Budget::default()
        };
        let tight = of(dollars(1), dollars(50));
        let refused = exceeded(tight, priced(0), priced(2_000_000)).unwrap();
        assert!(!refused.is_outdated(&tight));
        assert!(!refused.is_outdated(&of(dollars(1), dollars(90))));
        assert!(refused.is_outdated(&of(dollars(3), dollars(50))));
        assert!(refused.is_outdated(&of(BudgetLimit::default(), dollars(50))));

        // Tokens are limited by what the dollars come to, where nothing else is said.
        let refused = exceeded(tight, unpriced(500_000), unpriced(1)).unwrap();
        assert_eq!(refused.unit, BudgetUnit::Tokens);
        assert!(!refused.is_outdated(&tight));
        assert!(refused.is_outdated(&of(dollars(3), dollars(50))));
    }

    #[test]
    fn the_worst_case_of_a_call_has_to_be_left_before_it_is_made() {
        let budget = Budget {
            pull_request: dollars(1),
            ..Budget::default()
        };
        assert_eq!(exceeded(budget, priced(600_000), priced(400_000)), None);
        let over = exceeded(budget, priced(600_000), priced(400_001)).expect("a cent too much");
        assert_eq!(
            (over.scope, over.unit),
            (BudgetScope::PullRequest, BudgetUnit::CostMicros)
        );
        assert_eq!(
            (over.limit, over.spent, over.needed),
            (1_000_000, 600_000, 400_001)
        );
        assert_eq!(over.until, None, "only a person raises it");
        let spent_up = exceeded(budget, priced(1_000_000), priced(0));
        assert!(
            spent_up.is_some(),
            "nothing is left for a call of unknown cost"
        );
    }

    #[test]
    fn a_days_limit_ends_at_midnight_and_one_that_needs_a_person_is_told_first() {
        let budget = Budget {
            day: dollars(1),
            ..Budget::default()
        };
        let over = exceeded(budget, priced(1_000_000), priced(1)).expect("spent up");
        assert_eq!((over.scope, over.until), (BudgetScope::Day, Some(MIDNIGHT)));
        let both = Budget {
            total: dollars(1),
            ..budget
        };
        let over = exceeded(both, priced(1_000_000), priced(1)).expect("spent up");
        assert_eq!((over.scope, over.until), (BudgetScope::Total, None));
    }

    #[test]
    fn what_has_no_price_is_limited_in_tokens_and_may_pass_that_by_one_answer() {
        let limited = |tokens| Budget {
            total: BudgetLimit {
                cost_micros: None,
                tokens: Some(tokens),
            },
            ..Budget::default()
        };
        assert_eq!(
            exceeded(limited(100), unpriced(99), unpriced(1_000_000)),
            None
        );
        let over = exceeded(limited(100), unpriced(100), unpriced(1)).expect("used up");
        assert_eq!(
            (over.unit, over.limit, over.spent),
            (BudgetUnit::Tokens, 100, 100)
        );
        assert_eq!(
            exceeded(limited(0), Usage::default(), priced(5)),
            None,
            "it has a price"
        );
    }

    #[test]
    fn a_limit_in_dollars_alone_holds_for_what_has_no_price_too() {
        let budget = Budget {
            day: dollars(2),
            ..Budget::default()
        };
        assert_eq!(exceeded(budget, unpriced(399_999), unpriced(1)), None);
        assert!(exceeded(budget, unpriced(400_000), unpriced(1)).is_some());
        assert_eq!(
            exceeded(budget, unpriced(400_000), priced(1)),
            None,
            "money is left"
        );
    }

    #[test]
    fn without_a_limit_nothing_is_held_and_of_two_the_stricter_holds() {
        assert_eq!(
            exceeded(Budget::default(), priced(u64::MAX), priced(u64::MAX)),
            None
        );
        let own = dollars(2);
        let repository = BudgetLimit {
            cost_micros: Some(5_000_000),
            tokens: Some(7),
        };
        let both = own.tightened_by(repository);
        assert_eq!(
            both,
            BudgetLimit {
                cost_micros: Some(2_000_000),
                tokens: Some(7)
            }
        );
    }

    #[test]
    fn a_day_ends_at_midnight_where_the_machine_is() {
        let paris = TimeZone::get("Europe/Paris").expect("jiff brings the time zones");
        // 2026-11-24T23:30:00Z is half past midnight in Paris.
        let (day, ends) = day_of(Time(1_795_563_000_000), &paris);
        assert_eq!(day.to_string(), "2026-11-25");
        assert_eq!(ends, Time(1_795_563_000_000 + 84_600_000));
        // The clocks go back: that day has 25 hours.
        let (_, ends) = day_of(Time(1_792_879_200_000), &paris);
        assert_eq!(ends, Time(1_792_879_200_000 + 25 * 3_600_000));
    }
}
