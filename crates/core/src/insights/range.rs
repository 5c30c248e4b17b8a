//! Which days figures are asked for, and the pieces that these are shown in.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan, Unit};
use serde::{Deserialize, Serialize};

/// Ranges of up to so many days are shown by the day.
const MAX_DAYS_BY_DAY: i32 = 14;
/// Ranges of up to so many days are shown by the week: a year, whichever weekday it begins on.
const MAX_DAYS_BY_WEEK: i32 = 372;

/// Which days are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum InsightsRange {
    /// So many days, today the last.
    Days {
        /// How many; at least one.
        days: u32,
    },
    /// So many months, today the last day.
    Months {
        /// How many; at least one.
        months: u32,
    },
    /// Everything there is.
    All,
    /// Between two days, both counted.
    Between {
        /// The first.
        #[cfg_attr(feature = "typescript", ts(type = "string"))]
        from: Date,
        /// The last; today where none is named.
        #[cfg_attr(feature = "typescript", ts(type = "string | null"))]
        #[serde(default)]
        to: Option<Date>,
    },
}

impl InsightsRange {
    /// The days, where `first` is the first that anything is known of.
    pub fn days(&self, first: Option<Date>, today: Date) -> DateRange {
        let back = |span: Span| {
            let before = today.checked_sub(span).unwrap_or(today);
            before.tomorrow().unwrap_or(today).min(today)
        };
        let (from, to) = match *self {
            InsightsRange::Days { days } => (back(i64::from(days.min(99_999)).days()), today),
            InsightsRange::Months { months } => {
                (back(i64::from(months.min(9_999)).months()), today)
            }
            InsightsRange::All => (first.unwrap_or(today).min(today), today),
            InsightsRange::Between { from, to } => (from, to.unwrap_or(today)),
        };
        // The wrong way round is one day rather than none.
        DateRange {
            from: from.min(to),
            to,
        }
    }

    /// Whether there is something before it to compare with.
    pub fn is_bounded(&self) -> bool {
        !matches!(self, InsightsRange::All)
    }
}

/// Days in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateRange {
    /// The first.
    pub from: Date,
    /// The last.
    pub to: Date,
}

/// What a range is shown in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PeriodUnit {
    /// Days.
    Day,
    /// Weeks from Monday to Sunday.
    Week,
    /// Months.
    Month,
}

impl DateRange {
    /// Whether a day is among them.
    pub fn contains(&self, day: Date) -> bool {
        self.from <= day && day <= self.to
    }

    /// How many days there are.
    pub fn len(&self) -> i32 {
        let between = self.from.until((Unit::Day, self.to));
        between.map_or(1, |span| span.get_days() + 1)
    }

    /// Never: there is always a day.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// As many days right before them; none where no calendar has them.
    pub fn before(&self) -> Option<DateRange> {
        let to = self.from.yesterday().ok()?;
        let from = self.from.checked_sub(self.len().days()).ok()?;
        Some(DateRange { from, to })
    }

    /// What they are shown in: few enough pieces to be told apart.
    pub fn unit(&self) -> PeriodUnit {
        match self.len() {
            days if days <= MAX_DAYS_BY_DAY => PeriodUnit::Day,
            days if days <= MAX_DAYS_BY_WEEK => PeriodUnit::Week,
            _ => PeriodUnit::Month,
        }
    }

    /// The pieces, in order. The first and the last may be cut.
    pub fn periods(&self) -> Vec<DateRange> {
        let unit = self.unit();
        let mut periods = Vec::new();
        let mut from = self.from;
        while from <= self.to {
            let to = last_of_period(from, unit).min(self.to);
            periods.push(DateRange { from, to });
            match to.tomorrow() {
                Ok(next) => from = next,
                Err(_) => break,
            }
        }
        periods
    }
}

fn last_of_period(day: Date, unit: PeriodUnit) -> Date {
    match unit {
        PeriodUnit::Day => day,
        PeriodUnit::Week if day.weekday() == Weekday::Sunday => day,
        PeriodUnit::Week => day.nth_weekday(1, Weekday::Sunday).unwrap_or(day),
        PeriodUnit::Month => day.last_of_month(),
    }
}
