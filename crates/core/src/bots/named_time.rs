//! The time that a notice names: "until 14:27", "try again in 12 minutes and 30 seconds".

use super::pattern::expression;
use crate::ids::Time;
use regex::Regex;
use std::sync::LazyLock;

const SECOND_MS: u64 = 1_000;
const DAY_MS: i64 = 86_400_000;

static WAIT: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"\b(?:in|wait|after|for)\s*:?\s*((?:\d{1,4}\s*(?:hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b(?:\s*,?\s*and\s+|\s*,?\s*)?)+)",
    )
});
static PART: LazyLock<Regex> = LazyLock::new(|| expression(r"(\d{1,4})\s*([hms])"));
static MOMENT: LazyLock<Regex> = LazyLock::new(|| {
    expression(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)")
});
static CLOCK: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"\b(?:until|at|after|by)\s+(\d{1,2}):(\d\d)(?::\d\d)?\s*([ap]m)?\s*\(?(?:(?:utc|gmt)\s*([+-]\d{1,2})?)?",
    )
});

/// The time that a notice of that moment names. A clock without a zone is read as UTC, its next such moment; "up to 24 hours" names none.
pub fn named_time(notice: &str, written: Time) -> Option<Time> {
    let words: String = notice.chars().filter(|c| !matches!(c, '*' | '`')).collect();
    if let Some(found) = MOMENT.find(&words) {
        let moment: jiff::Timestamp = found.as_str().parse().ok()?;
        return Some(Time(moment.as_millisecond()));
    }
    if let Some(found) = WAIT.captures(&words).and_then(|found| found.get(1)) {
        return Some(written.plus(length_ms(found.as_str())));
    }
    clock_time(&words, written)
}

fn length_ms(words: &str) -> u64 {
    let part = |found: regex::Captures<'_>| {
        let number: u64 = found[1].parse().unwrap_or(0);
        let unit = match found[2].to_ascii_lowercase().as_str() {
            "h" => 3_600,
            "m" => 60,
            _ => 1,
        };
        number * unit * SECOND_MS
    };
    PART.captures_iter(words).map(part).sum()
}

fn clock_time(words: &str, written: Time) -> Option<Time> {
    let found = CLOCK.captures(words)?;
    let number = |at: usize| found.get(at)?.as_str().parse::<i64>().ok();
    let (hour, minute) = (number(1)?, number(2)?);
    let afternoon = found.get(3).map(|half| half.as_str().to_ascii_lowercase());
    let hour = match afternoon.as_deref() {
        Some("pm") if hour < 12 => hour + 12,
        Some("am") if hour == 12 => 0,
        _ => hour,
    };
    if hour > 23 || minute > 59 {
        return None;
    }
    let zone_ms = number(4).unwrap_or(0).clamp(-14, 14) * 3_600_000;
    let midnight = (written.0 + zone_ms).div_euclid(DAY_MS) * DAY_MS;
    let at = midnight + (hour * 60 + minute) * 60_000 - zone_ms;
    Some(Time(if at < written.0 { at + DAY_MS } else { at }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(words: &str) -> Option<i64> {
        // 2026-08-24T03:12:02Z
        let written = Time(1_787_541_122_000);
        named_time(words, written).map(|at| (at.0 - written.0) / 1_000)
    }

    #[test]
    fn lengths_clocks_and_moments_are_read_and_a_bound_is_none() {
        for (words, seconds) in [
            (
                "Please wait **12 minutes and 30 seconds** before requesting",
                Some(750),
            ),
            ("try again in 1 hour, 3 minutes and 5 seconds", Some(3_785)),
            ("Next included review available in 27 minutes.", Some(1_620)),
            ("out of quota until 14:27", Some(40_498)),
            ("resets at 3:00 AM UTC", Some(86_400 - 722)),
            ("back at 1:12 am GMT-3", Some(3_600 - 2)),
            ("until 2026-08-24T04:12:02Z", Some(3_600)),
            ("Please wait up to 24 hours", None),
            ("until 77:99", None),
            ("nothing named", None),
        ] {
            assert_eq!(after(words), seconds, "{words}");
        }
    }
}
