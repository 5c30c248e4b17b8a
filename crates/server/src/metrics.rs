//! What a monitor is told: numbers, and no name of a repository or person.

use axum::http::{Method, StatusCode};
use collie_app::backend::Backend;
use collie_core::effect::Effect;
use collie_core::lifecycle::STATES;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

type Labels = Vec<(&'static str, String)>;

/// Effects that take long or write, by name.
const EFFECTS: [&str; 6] = ["review", "fix", "verify", "merge_base", "push", "post"];
/// All others.
const OTHER_EFFECTS: &str = "other";

/// What is counted and measured.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Labels, Counter>,
    request_seconds: Family<Labels, Histogram, fn() -> Histogram>,
    deliveries: Family<Labels, Counter>,
    loops: Family<Labels, Gauge>,
    effects: Family<Labels, Gauge>,
    spent: Gauge<f64, AtomicU64>,
    tokens: Family<Labels, Gauge>,
    streams: Gauge,
    quota: Family<Labels, Gauge>,
    sessions: Gauge,
    ready: Gauge,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("collie");
        let requests = Family::<Labels, Counter>::default();
        registry.register(
            "http_requests",
            "Requests by route and status",
            requests.clone(),
        );
        let request_seconds =
            Family::<Labels, Histogram, fn() -> Histogram>::new_with_constructor(seconds);
        registry.register(
            "http_request_seconds",
            "How long requests took by route; of a stream until it began",
            request_seconds.clone(),
        );
        let deliveries = Family::<Labels, Counter>::default();
        registry.register(
            "webhook_deliveries",
            "Deliveries of webhooks by outcome",
            deliveries.clone(),
        );
        let loops = Family::<Labels, Gauge>::default();
        registry.register("loops", "Loops by state", loops.clone());
        let effects = Family::<Labels, Gauge>::default();
        registry.register(
            "effects_outstanding",
            "What loops have asked for and is not done yet, by kind",
            effects.clone(),
        );
        let (spent, tokens) = (
            Gauge::<f64, AtomicU64>::default(),
            Family::<Labels, Gauge>::default(),
        );
        registry.register(
            "spent_today_dollars",
            "What language models cost today, as far as prices are known",
            spent.clone(),
        );
        registry.register(
            "tokens_today",
            "Tokens of language models today",
            tokens.clone(),
        );
        let streams = Gauge::default();
        registry.register(
            "event_streams",
            "Streams of events that are open",
            streams.clone(),
        );
        let quota = Family::<Labels, Gauge>::default();
        registry.register(
            "github_quota_remaining",
            "What is left of the quota of the account that works, as GitHub told last",
            quota.clone(),
        );
        let (sessions, ready) = (Gauge::default(), Gauge::default());
        registry.register("sessions", "Browsers that are signed in", sessions.clone());
        registry.register("ready", "Whether the engine runs", ready.clone());
        Self {
            registry,
            requests,
            request_seconds,
            deliveries,
            loops,
            effects,
            spent,
            tokens,
            streams,
            quota,
            sessions,
            ready,
        }
    }
}

impl Metrics {
    /// Counts an answer by its route, of which there are few, not by its path.
    pub(crate) fn count_request(
        &self,
        method: &Method,
        path: &str,
        status: StatusCode,
        took: Duration,
    ) {
        let route = vec![("route", route_of(path).to_owned())];
        let of_route = self.request_seconds.get_or_create(&route);
        of_route.observe(took.as_secs_f64());
        drop(of_route);
        let known = [Method::GET, Method::POST, Method::PUT, Method::DELETE];
        let known_method = known.contains(method);
        let labels = vec![
            (
                "method",
                if known_method {
                    method.as_str()
                } else {
                    "other"
                }
                .to_owned(),
            ),
            ("route", route_of(path).to_owned()),
            ("status", status.as_u16().to_string()),
        ];
        self.requests.get_or_create(&labels).inc();
    }

    /// Counts a delivery by what became of it.
    pub(crate) fn count_delivery(&self, outcome: &str) {
        let labels = vec![("outcome", outcome.to_owned())];
        self.deliveries.get_or_create(&labels).inc();
    }

    /// A stream that counts until it is dropped.
    pub(crate) fn stream(&self) -> OpenStream {
        self.streams.inc();
        OpenStream(self.streams.clone())
    }

    /// The numbers as text, with what is measured now.
    pub(crate) async fn text(
        &self,
        backend: &Backend,
        sessions: usize,
    ) -> Result<String, std::fmt::Error> {
        let loops = backend.loop_states();
        for known in STATES {
            let count = loops.iter().filter(|one| one.run.state == known).count();
            let labels = vec![("state", known.to_string())];
            self.loops.get_or_create(&labels).set(to_gauge(count));
        }
        let effects = || loops.iter().flat_map(|state| state.outbox.effects.values());
        let kind_of = |effect: &Effect| match effect.name() {
            name if EFFECTS.contains(&name) => name,
            _ => OTHER_EFFECTS,
        };
        for kind in EFFECTS.iter().chain([&OTHER_EFFECTS]) {
            let count = effects().filter(|effect| kind_of(effect) == *kind).count();
            let labels = vec![("effect", (*kind).to_owned())];
            self.effects.get_or_create(&labels).set(to_gauge(count));
        }
        if let Some(usage) = backend.spent_today().await {
            let dollars =
                f64::from(u32::try_from(usage.cost_micros / 100).unwrap_or(u32::MAX)) / 10_000.0;
            self.spent.set(dollars);
            for (direction, count) in [("in", usage.input_tokens), ("out", usage.output_tokens)] {
                let labels = vec![("direction", direction.to_owned())];
                self.tokens
                    .get_or_create(&labels)
                    .set(i64::try_from(count).unwrap_or(i64::MAX));
            }
        }
        if let Some(quotas) = backend.quotas() {
            for (name, quota) in [("graphql", quotas.graphql), ("rest", quotas.rest)] {
                if let Some(quota) = quota {
                    let left = i64::try_from(quota.remaining).unwrap_or(i64::MAX);
                    let labels = vec![("resource", name.to_owned())];
                    self.quota.get_or_create(&labels).set(left);
                }
            }
        }
        self.sessions.set(to_gauge(sessions));
        self.ready.set(i64::from(backend.is_running()));
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// A stream of events that is open.
pub(crate) struct OpenStream(Gauge);

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// From a millisecond to ten seconds.
fn seconds() -> Histogram {
    Histogram::new([
        0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
    ])
}

fn to_gauge(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn route_of(path: &str) -> &'static str {
    match path {
        "/rpc" => "/rpc",
        "/events" => "/events",
        "/metrics" => "/metrics",
        "/healthz" => "/healthz",
        "/readyz" => "/readyz",
        "/openapi.json" => "/openapi.json",
        "/webhooks/github" => "/webhooks/github",
        "/runners/claim" => "/runners/claim",
        "/mcp" => "/mcp",
        path if path == "/accounts" || path.starts_with("/accounts/") => "/accounts",
        path if path.starts_with("/pr/") && path.ends_with("/session") => "/pr/session",
        path if path.starts_with("/pr/") && path.contains("/session/") => "/pr/session/…",
        path if path.starts_with("/pr/") && path.ends_with("/event") => "/pr/event",
        path if path.starts_with("/pr/") && path.ends_with("/status") => "/pr/status",
        _ => "page",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_are_few_and_each_of_the_api_is_its_own() {
        let known = |path: &str| (route_of(path) != "page").then(|| route_of(path));
        assert_eq!(known("/mcp"), Some("/mcp"));
        assert_eq!(known("/accounts"), Some("/accounts"));
        assert_eq!(known("/accounts/collie-bot"), Some("/accounts"));
        assert_eq!(known("/pr/acme/api/7/event"), Some("/pr/event"));
        for path in ["/", "/accountsx", "/assets/index.js", "/pr/acme"] {
            assert_eq!(known(path), None, "{path}");
        }
    }
}
