//! What models and agents have spent, and may still spend (§15).

use crate::view::UsageView;
use collie_core::budget::{Budget, BudgetLimit};
use collie_core::usage::Usage;
use serde::Serialize;
use ts_rs::TS;

/// What was spent by the journal: sessions under way are not in it.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct SpendingView {
    /// Today, by the clock of the machine.
    pub day: PeriodSpendingView,
    /// Since this was first counted.
    pub total: PeriodSpendingView,
    /// What one pull request may spend.
    pub pull_request_limit: BudgetLimitView,
}

/// What was spent in a time, and what may be.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct PeriodSpendingView {
    /// All of it.
    pub spent: UsageView,
    /// The tokens of it that no price is known for.
    #[ts(type = "number")]
    pub unpriced_tokens: u64,
    /// What may be.
    pub limit: BudgetLimitView,
}

/// What may be spent; none where nobody set a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, TS)]
pub struct BudgetLimitView {
    /// In dollars.
    pub cost_usd: Option<f64>,
    /// In tokens of what has no price: as set, or as the dollars come to.
    #[ts(type = "number | null")]
    pub tokens: Option<u64>,
}

impl SpendingView {
    /// Of what was spent today and in all.
    pub fn new(budget: &Budget, day: &Usage, total: &Usage) -> Self {
        Self {
            day: PeriodSpendingView::new(day, &budget.day),
            total: PeriodSpendingView::new(total, &budget.total),
            pull_request_limit: BudgetLimitView::from(&budget.pull_request),
        }
    }
}

impl PeriodSpendingView {
    fn new(spent: &Usage, limit: &BudgetLimit) -> Self {
        Self {
            spent: UsageView::from(spent),
            unpriced_tokens: spent.unpriced_tokens,
            limit: BudgetLimitView::from(limit),
        }
    }
}

impl From<&BudgetLimit> for BudgetLimitView {
    fn from(limit: &BudgetLimit) -> Self {
        // A limit is a million dollars at most, far below what a float holds exactly.
        let dollars = |micros: u64| micros as f64 / 1_000_000.0;
        Self {
            cost_usd: limit.cost_micros.map(dollars),
            tokens: limit.token_limit(),
        }
    }
}
