//! What models and agents have spent, as people are shown it (§15).

use collie_core::budget::{Budget, day_of};
use collie_core::ids::Time;
use collie_core::usage::Usage;
use collie_engine::ports::DaySpending;
use collie_wire::rpc::SpendingView;
use jiff::tz::TimeZone;

/// What was spent on the day of `now` and in all, beside what may be.
pub fn spending_view(budget: &Budget, days: &[DaySpending], now: Time) -> SpendingView {
    let (today, _) = day_of(now, &TimeZone::system());
    let (mut day, mut total) = (Usage::default(), Usage::default());
    for spent in days {
        total += spent.usage;
        if spent.day == today {
            day += spent.usage;
        }
    }
    SpendingView::new(budget, &day, &total)
}
