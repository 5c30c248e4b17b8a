//! What models and agents have spent, as people are shown it (§15).

use collie_core::budget::{Budget, day_of};
use collie_core::ids::Time;
use collie_core::usage::Usage;
use collie_engine::ports::DaySpending;
use collie_wire::rpc::SpendingView;
use jiff::tz::TimeZone;

/// What was spent on the day of `now` and in all, beside what may be.
pub fn spending_view(budget: &Budget, days: &[DaySpending], now: Time) -> SpendingView {
    SpendingView::new(budget, &spent_on_day(days, now), &sum(days))
}

/// What was spent on the day of `now`, by the clock of the machine.
pub fn spent_on_day(days: &[DaySpending], now: Time) -> Usage {
    let (today, _) = day_of(now, &TimeZone::system());
    sum(days.iter().filter(|spent| spent.day == today))
}

fn sum<'a>(days: impl IntoIterator<Item = &'a DaySpending>) -> Usage {
    let mut all = Usage::default();
    for spent in days {
        all += spent.usage;
    }
    all
}
