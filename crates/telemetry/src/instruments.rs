//! What is said of metrics beyond their names: units, descriptions and the limits of histograms.

use opentelemetry_sdk::metrics::{Aggregation, Instrument, Stream};

/// Limits of durations in seconds, as the semantic conventions advise for HTTP.
const REQUEST_SECONDS: &[f64] = &[
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
];
/// The same of effects, which may last an hour.
const WORK_SECONDS: &[f64] = &[
    0.1, 0.5, 1.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1_200.0, 1_800.0, 3_600.0,
];
/// Of readings that are made together.
const BATCH: &[f64] = &[1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0];

/// What is known of a metric.
struct Known {
    name: &'static str,
    unit: &'static str,
    description: &'static str,
    limits: Option<&'static [f64]>,
}

const fn known(
    name: &'static str,
    unit: &'static str,
    description: &'static str,
    limits: Option<&'static [f64]>,
) -> Known {
    Known {
        name,
        unit,
        description,
        limits,
    }
}

/// Every metric that is sent.
const METRICS: &[Known] = &[
    known(
        "collie.events.applied",
        "{event}",
        "Events applied to loops",
        None,
    ),
    known(
        "collie.effects",
        "{effect}",
        "Effects by what they came to",
        None,
    ),
    known(
        "collie.effect.duration",
        "s",
        "How long effects took",
        Some(WORK_SECONDS),
    ),
    known(
        "collie.sessions.open",
        "{session}",
        "Sessions at work on this worker",
        None,
    ),
    known(
        "collie.session.wait",
        "s",
        "How long sessions waited on this worker before they began",
        Some(WORK_SECONDS),
    ),
    known(
        "collie.retries",
        "{retry}",
        "Work that is done again after a failure",
        None,
    ),
    known(
        "collie.readings.batch",
        "{reading}",
        "Readings made together",
        Some(BATCH),
    ),
    known(
        "collie.github.budget.used",
        "{point}",
        "Used of the hour's budget by Collie",
        None,
    ),
    known(
        "collie.github.budget.remaining",
        "{point}",
        "Left of the hour's budget",
        None,
    ),
    known(
        "collie.feed.lag",
        "{change}",
        "Changes that the server has not shown yet",
        None,
    ),
    known(
        "http.client.request.duration",
        "s",
        "Duration of HTTP client requests",
        Some(REQUEST_SECONDS),
    ),
];

/// The view of a metric that is known.
pub(crate) fn view(instrument: &Instrument) -> Option<Stream> {
    let known = METRICS
        .iter()
        .find(|known| known.name == instrument.name())?;
    let stream = Stream::builder()
        .with_name(known.name)
        .with_unit(known.unit)
        .with_description(known.description);
    let stream = match known.limits {
        Some(limits) => stream.with_aggregation(Aggregation::ExplicitBucketHistogram {
            boundaries: limits.to_vec(),
            record_min_max: true,
        }),
        None => stream,
    };
    stream.build().ok()
}
