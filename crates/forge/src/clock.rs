//! Time as GitHub writes it: UTC, whole seconds.

use jiff::{Timestamp, Unit};

/// Now, cut to whole seconds.
pub(crate) fn now() -> Timestamp {
    let now = Timestamp::now();
    now.round(
        jiff::TimestampRound::new()
            .smallest(Unit::Second)
            .mode(jiff::RoundMode::Floor),
    )
    .unwrap_or(now)
}

/// `2026-01-02T03:04:05Z`.
pub(crate) fn format_time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
