//! What of the standard variables of OpenTelemetry says that something is sent, and where to.
//!
//! <https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/>

use std::collections::HashMap;
use std::time::Duration;

/// What is sent, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TelemetrySettings {
    /// Where traces go; none sends none.
    pub(crate) traces: Option<Destination>,
    /// Where metrics go; none sends none.
    pub(crate) metrics: Option<Destination>,
    /// What the process is called; none for the usual name.
    pub(crate) service_name: Option<String>,
}

/// Where one signal goes.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Destination {
    /// The address that is posted to.
    pub url: String,
    /// What is sent with it. It may hold a secret.
    pub headers: HashMap<String, String>,
    /// How long one request may take.
    pub timeout: Duration,
}

impl std::fmt::Debug for Destination {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Destination")
    }
}

/// Telemetry that cannot be sent as the variables say.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// Another protocol than the one that is spoken.
    #[error("{variable} names {found}, and only http/protobuf is spoken: leave it out")]
    Protocol {
        /// Where it is named.
        variable: String,
        /// What is named.
        found: String,
    },
    /// The address is none, or something else of the settings is not usable.
    #[error("what was measured cannot be sent: {0}")]
    Exporter(String),
}

/// How long a request may take where nothing says so, as the specification has it.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);
/// The one protocol.
const PROTOCOL: &str = "http/protobuf";

impl TelemetrySettings {
    /// Reads the variables of the environment by `variable`.
    ///
    /// # Errors
    /// They ask for a protocol that is not spoken.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, TelemetryError> {
        let variable = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let is_disabled = variable("OTEL_SDK_DISABLED");
        if is_disabled.is_some_and(|value| value.trim().eq_ignore_ascii_case("true")) {
            return Ok(Self::default());
        }
        Ok(Self {
            traces: destination(&variable, "TRACES", "v1/traces")?,
            metrics: destination(&variable, "METRICS", "v1/metrics")?,
            service_name: variable("OTEL_SERVICE_NAME"),
        })
    }

    /// Whether nothing is sent.
    pub fn is_off(&self) -> bool {
        self.traces.is_none() && self.metrics.is_none()
    }
}

/// Where a signal goes: its own variables come before those of all signals.
fn destination(
    variable: &impl Fn(&str) -> Option<String>,
    signal: &str,
    path: &str,
) -> Result<Option<Destination>, TelemetryError> {
    let exporter = variable(&format!("OTEL_{signal}_EXPORTER"));
    if exporter.is_some_and(|exporter| exporter.trim() == "none") {
        return Ok(None);
    }
    let own = variable(&format!("OTEL_EXPORTER_OTLP_{signal}_ENDPOINT"));
    let shared = || variable("OTEL_EXPORTER_OTLP_ENDPOINT");
    let below = |base: String| format!("{}/{path}", base.trim_end_matches('/'));
    let Some(url) = own.or_else(|| shared().map(below)) else {
        return Ok(None);
    };
    let either = |name: &str| {
        let names = [
            format!("OTEL_EXPORTER_OTLP_{signal}_{name}"),
            format!("OTEL_EXPORTER_OTLP_{name}"),
        ];
        names
            .into_iter()
            .find_map(|name| variable(&name).map(|value| (name, value)))
    };
    if let Some((variable, found)) = either("PROTOCOL")
        && found.trim() != PROTOCOL
    {
        return Err(TelemetryError::Protocol { variable, found });
    }
    let timeout = either("TIMEOUT").and_then(|(_, value)| value.trim().parse().ok());
    let headers = either("HEADERS").map(|(_, value)| headers(&value));
    Ok(Some(Destination {
        url,
        headers: headers.unwrap_or_default(),
        timeout: timeout.map_or(DEFAULT_TIMEOUT, Duration::from_millis),
    }))
}

/// `name=value,name=value`; what is neither is left out.
fn headers(text: &str) -> HashMap<String, String> {
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    pairs
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(set: &[(&str, &str)]) -> Result<TelemetrySettings, TelemetryError> {
        TelemetrySettings::read(|name| {
            let found = set.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    fn urls(set: &[(&str, &str)]) -> [Option<String>; 2] {
        let settings = read(set).expect("usable");
        [settings.traces, settings.metrics].map(|signal| signal.map(|found| found.url))
    }

    #[test]
    fn without_an_address_nothing_is_sent() {
        for set in [
            &[][..],
            &[("OTEL_SERVICE_NAME", "x")],
            &[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")],
            &[
                ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"),
                ("OTEL_SDK_DISABLED", "True"),
            ],
            &[
                ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"),
                ("OTEL_TRACES_EXPORTER", "none"),
                ("OTEL_METRICS_EXPORTER", "none"),
            ],
        ] {
            assert!(read(set).expect("usable").is_off(), "{set:?}");
        }
    }

    #[test]
    fn a_signal_goes_to_its_own_address_or_below_the_one_of_all() {
        let all = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318/");
        let own = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t/x");
        let below = |path: &str| Some(format!("http://c:4318/v1/{path}"));
        assert_eq!(urls(&[all]), [below("traces"), below("metrics")]);
        assert_eq!(
            urls(&[all, own]),
            [Some("http://t/x".into()), below("metrics")]
        );
        assert_eq!(urls(&[own]), [Some("http://t/x".into()), None]);
    }

    #[test]
    fn headers_and_timeouts_are_taken_and_never_printed() {
        let settings = read(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"),
            (
                "OTEL_EXPORTER_OTLP_HEADERS",
                "authorization=Bearer s3cret, x = y,broken",
            ),
            ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "250"),
        ])
        .expect("usable");
        let traces = settings.traces.clone().expect("on");
        assert_eq!(traces.headers["authorization"], "Bearer s3cret");
        assert_eq!(
            (traces.headers["x"].as_str(), traces.headers.len()),
            ("y", 2)
        );
        assert_eq!(traces.timeout, Duration::from_millis(250));
        assert_eq!(
            settings.metrics.clone().expect("on").timeout,
            DEFAULT_TIMEOUT
        );
        assert!(!format!("{settings:?}").contains("s3cret"));
    }

    #[test]
    fn another_protocol_is_named_with_its_variable() {
        let refused = read(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ]);
        let message = refused.expect_err("not spoken").to_string();
        assert!(
            message.contains("OTEL_EXPORTER_OTLP_PROTOCOL names grpc"),
            "{message}"
        );
    }
}
