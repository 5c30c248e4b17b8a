//! Sends what is measured from its start to its end.

use crate::correlation_attributes::CorrelationAttributes;
use crate::export_client::ExportClient;
use crate::instruments;
use crate::run_roots::RunRoots;
use crate::settings::{Destination, TelemetryError, TelemetrySettings};
use collie_agents::llm::web_client;
use collie_engine::TELEMETRY;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{MetricExporter, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use std::time::Duration;
use tracing_opentelemetry::{MetricsLayer, OpenTelemetryLayer};
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::{Layer, Registry};

/// How long the end waits for what is not sent yet.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// What takes spans and metrics from `tracing`.
pub type TelemetryLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Sends what is measured.
pub struct Telemetry {
    traces: Option<SdkTracerProvider>,
    metrics: Option<SdkMeterProvider>,
}

impl Telemetry {
    /// Begins to send, on the current runtime; `name` and `version` are the service's. Nothing is reached yet.
    ///
    /// # Errors
    /// An address is none.
    pub fn start(
        settings: &TelemetrySettings,
        (name, version): (&'static str, &'static str),
    ) -> Result<(Self, Vec<TelemetryLayer>), TelemetryError> {
        let http = &web_client();
        let service = settings.service_name.clone();
        let resource = Resource::builder()
            .with_service_name(service.unwrap_or_else(|| name.to_owned()))
            .with_attribute(opentelemetry::KeyValue::new("service.version", version))
            .build();
        let mut layers: Vec<TelemetryLayer> = Vec::new();
        let traces = match &settings.traces {
            Some(to) => {
                let provider = tracer_provider(to, &resource, http)?;
                let tracer = provider.tracer("collie");
                let layer = OpenTelemetryLayer::new(tracer)
                    .with_location(false)
                    .with_threads(false)
                    .with_target(false)
                    .with_tracked_inactivity(false)
                    .with_context_activation(false);
                // Spans that were written for it alone, and no events: those quote.
                let written = filter_fn(|of| of.is_span() && of.target() == TELEMETRY);
                layers.push(Box::new(layer.with_filter(written)));
                Some(provider)
            }
            None => None,
        };
        let metrics = match &settings.metrics {
            Some(to) => {
                let provider = meter_provider(to, resource, http)?;
                layers.push(Box::new(MetricsLayer::new(provider.clone())));
                Some(provider)
            }
            None => None,
        };
        Ok((Self { traces, metrics }, layers))
    }

    /// Sends what is left, as far as a few seconds go.
    pub async fn shut_down(self) {
        let ending = tokio::task::spawn_blocking(move || {
            let traces = self
                .traces
                .map(|traces| traces.shutdown_with_timeout(SHUTDOWN_TIMEOUT));
            let metrics = self
                .metrics
                .map(|metrics| metrics.shutdown_with_timeout(SHUTDOWN_TIMEOUT));
            [traces, metrics]
                .into_iter()
                .flatten()
                .all(|end| end.is_ok())
        });
        let ended = tokio::time::timeout(SHUTDOWN_TIMEOUT, ending).await;
        if !matches!(ended, Ok(Ok(true))) {
            tracing::warn!(
                "the last spans and metrics were not sent to the OpenTelemetry collector"
            );
        }
    }
}

/// Says where an exporter sends to, and by what.
fn addressed<B: WithExportConfig + WithHttpConfig>(
    exporter: B,
    to: &Destination,
    http: &reqwest::Client,
) -> B {
    exporter
        .with_http_client(ExportClient::new(http.clone(), to.timeout))
        .with_endpoint(&to.url)
        .with_timeout(to.timeout)
        .with_headers(to.headers.clone())
}

fn tracer_provider(
    to: &Destination,
    resource: &Resource,
    http: &reqwest::Client,
) -> Result<SdkTracerProvider, TelemetryError> {
    let exporter = addressed(SpanExporter::builder().with_http(), to, http)
        .build()
        .map_err(|error| TelemetryError::Exporter(error.to_string()))?;
    Ok(SdkTracerProvider::builder()
        .with_resource(resource.clone())
        .with_span_processor(CorrelationAttributes)
        .with_batch_exporter(RunRoots(exporter))
        .build())
}

fn meter_provider(
    to: &Destination,
    resource: Resource,
    http: &reqwest::Client,
) -> Result<SdkMeterProvider, TelemetryError> {
    let exporter = addressed(MetricExporter::builder().with_http(), to, http)
        .build()
        .map_err(|error| TelemetryError::Exporter(error.to_string()))?;
    Ok(SdkMeterProvider::builder()
        .with_resource(resource)
        .with_periodic_exporter(exporter)
        .with_view(instruments::view)
        .build())
}
