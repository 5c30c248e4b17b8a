//! What a monitor is told: numbers, and no name of a repository or person.

use axum::http::{Method, StatusCode};
use collie_app::backend::Backend;
use collie_core::lifecycle::STATES;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

type Labels = Vec<(&'static str, String)>;

/// What is counted and measured.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Labels, Counter>,
    deliveries: Family<Labels, Counter>,
    loops: Family<Labels, Gauge>,
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
        let deliveries = Family::<Labels, Counter>::default();
        registry.register(
            "webhook_deliveries",
            "Deliveries of webhooks by outcome",
            deliveries.clone(),
        );
        let loops = Family::<Labels, Gauge>::default();
        registry.register("loops", "Loops by state", loops.clone());
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
            deliveries,
            loops,
            quota,
            sessions,
            ready,
        }
    }
}

impl Metrics {
    /// Counts an answer by its route, of which there are few, not by its path.
    pub(crate) fn count_request(&self, method: &Method, path: &str, status: StatusCode) {
        let known_method = [Method::GET, Method::POST].contains(method);
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

    /// The numbers as text, with what is measured now.
    pub(crate) fn text(
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
        path if path.starts_with("/pr/") && path.ends_with("/event") => "/pr/event",
        path if path.starts_with("/pr/") && path.ends_with("/status") => "/pr/status",
        _ => "page",
    }
}
