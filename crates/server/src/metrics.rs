//! What a monitor is told: numbers, and no name of a repository or person.

use crate::guard::Peer;
use crate::problem::ApiError;
use crate::state::ServerState;
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode, header};
use axum::response::IntoResponse;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::lifecycle::STATES;
use collie_core::user_error::UserError;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use secrecy::ExposeSecret as _;
use std::sync::Arc;
use subtle::ConstantTimeEq as _;

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

    fn text(&self, state: &ServerState) -> Result<String, std::fmt::Error> {
        let loops = state.backend.loop_states();
        for known in STATES {
            let count = loops.iter().filter(|one| one.run.state == known).count();
            let labels = vec![("state", known.to_string())];
            self.loops.get_or_create(&labels).set(to_gauge(count));
        }
        if let Some(quotas) = state.backend.quotas() {
            for (name, quota) in [("graphql", quotas.graphql), ("rest", quotas.rest)] {
                if let Some(quota) = quota {
                    let left = i64::try_from(quota.remaining).unwrap_or(i64::MAX);
                    let labels = vec![("resource", name.to_owned())];
                    self.quota.get_or_create(&labels).set(left);
                }
            }
        }
        self.sessions.set(to_gauge(state.people.count()));
        self.ready.set(i64::from(state.backend.is_running()));
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

/// What is counted and measured, for a monitor.
#[utoipa::path(
    get,
    path = "/metrics",
    tag = "Monitoring",
    responses(
        (status = 200, description = "The numbers, as OpenMetrics text.", content_type = "application/openmetrics-text", body = String),
        (status = 401, description = "The monitor's token is missing or wrong.", content_type = "application/problem+json", body = crate::problem::Problem),
    ),
    security(("metrics" = []), ()),
)]
pub(crate) async fn metrics(
    State(state): State<Arc<ServerState>>,
    parts: Parts,
) -> Result<impl IntoResponse, ApiError> {
    if !may_ask(&state, &parts) {
        let refused = UserError::new(ErrorCode::SignedOut);
        return Err(ApiError(refused.hint(ErrorHint::ServerDocs)));
    }
    let text = state.metrics.text(&state);
    let text = text.map_err(|error| UserError::new(ErrorCode::Answer).with("message", error))?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text))
}

/// Whoever has the monitors' token; without one, whoever is on this machine and no proxy stands before them.
fn may_ask(state: &ServerState, parts: &Parts) -> bool {
    match &state.options.metrics_token {
        Some(token) => {
            let given = crate::people::bearer_token(&parts.headers).unwrap_or_default();
            bool::from(given.as_bytes().ct_eq(token.expose_secret().as_bytes()))
        }
        None => {
            let peer = parts.extensions.get::<Peer>();
            !state.options.behind_proxy && peer.is_some_and(|peer| peer.0.ip().is_loopback())
        }
    }
}
