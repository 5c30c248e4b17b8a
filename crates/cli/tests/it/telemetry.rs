//! What workers and the server send to a collector of OpenTelemetry (§18.5), read by the official definitions of its protocol.

use crate::serve::WRITER;
use crate::serve_elsewhere::{Fleet, unchanged};
use crate::support::*;
use crate::worker::{EngineServer, free_ports, start_worker};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use collie_app::demo::Scenario;
use nix::sys::signal::Signal;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value as OtelValue;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use prost::Message as _;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What the collector is sent with every request, and nowhere else.
const HEADER_CANARY: &str = "canary-in-a-header";
/// What its author writes on the pull request.
const TITLE_CANARY: &str = "canary-in-a-title";
/// The same below it.
const BODY_CANARY: &str = "canary-in-a-description";

/// A collector.
struct Collector {
    url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

struct Received {
    path: String,
    headers: HeaderMap,
    body: Bytes,
}

/// A span as it came.
#[derive(Debug)]
struct SeenSpan {
    service: String,
    name: String,
    trace: String,
    id: String,
    parent: String,
    begun: u64,
    attributes: BTreeMap<String, String>,
    events: usize,
}

type Log = Arc<Mutex<Vec<Received>>>;

async fn receive(State(log): State<Log>, uri: Uri, headers: HeaderMap, body: Bytes) -> StatusCode {
    let path = uri.path().to_owned();
    let received = Received {
        path,
        headers,
        body,
    };
    log.lock().unwrap().push(received);
    StatusCode::OK
}

impl Collector {
    fn start() -> Self {
        let received = Log::default();
        let router = Router::new().fallback(receive).with_state(received.clone());
        let listener = RUNTIME
            .block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))
            .unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        // Ends with the test's process.
        RUNTIME.spawn(async move { axum::serve(listener, router).await });
        Self { url, received }
    }

    fn variables(&self) -> Vec<(String, String)> {
        let pairs = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", self.url.as_str()),
            (
                "OTEL_EXPORTER_OTLP_HEADERS",
                &format!("x-collector={HEADER_CANARY}"),
            ),
        ];
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn spans(&self) -> Vec<SeenSpan> {
        let received = self.received.lock().unwrap();
        let traces = received.iter().filter(|it| it.path == "/v1/traces");
        traces.flat_map(|it| spans_of(&it.body)).collect()
    }

    /// The names of metrics with the keys of their attributes.
    fn metrics(&self) -> BTreeMap<String, BTreeSet<String>> {
        let received = self.received.lock().unwrap();
        let mut metrics: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for it in received.iter().filter(|it| it.path == "/v1/metrics") {
            let told = ExportMetricsServiceRequest::decode(it.body.clone()).unwrap();
            let scopes = told.resource_metrics.into_iter();
            let scopes = scopes.flat_map(|resource| resource.scope_metrics);
            for metric in scopes.flat_map(|scope| scope.metrics) {
                let keys = metrics.entry(metric.name).or_default();
                keys.extend(metric_keys(metric.data.unwrap()));
            }
        }
        metrics
    }

    /// What was sent, as bytes.
    fn all(&self) -> Vec<u8> {
        let received = self.received.lock().unwrap();
        received.iter().flat_map(|it| it.body.to_vec()).collect()
    }
}

fn spans_of(body: &Bytes) -> Vec<SeenSpan> {
    let told = ExportTraceServiceRequest::decode(body.clone()).unwrap();
    let mut seen = Vec::new();
    for resource in told.resource_spans {
        let about = attributes(&resource.resource.unwrap().attributes);
        for span in resource.scope_spans.into_iter().flat_map(|it| it.spans) {
            seen.push(SeenSpan {
                service: about["service.name"].clone(),
                name: span.name,
                trace: digits(&span.trace_id),
                id: digits(&span.span_id),
                parent: digits(&span.parent_span_id),
                begun: span.start_time_unix_nano,
                attributes: attributes(&span.attributes),
                events: span.events.len(),
            });
        }
    }
    seen
}

fn digits(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn attributes(pairs: &[KeyValue]) -> BTreeMap<String, String> {
    let text = |pair: &KeyValue| match pair.value.clone().unwrap().value.unwrap() {
        OtelValue::StringValue(text) => text,
        OtelValue::IntValue(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    pairs
        .iter()
        .map(|pair| (pair.key.clone(), text(pair)))
        .collect()
}

fn metric_keys(data: Data) -> Vec<String> {
    let pairs: Vec<KeyValue> = match data {
        Data::Gauge(it) => it
            .data_points
            .into_iter()
            .flat_map(|p| p.attributes)
            .collect(),
        Data::Sum(it) => it
            .data_points
            .into_iter()
            .flat_map(|p| p.attributes)
            .collect(),
        Data::Histogram(it) => it
            .data_points
            .into_iter()
            .flat_map(|p| p.attributes)
            .collect(),
        other => panic!("{other:?}"),
    };
    pairs.into_iter().map(|pair| pair.key).collect()
}

/// Every attribute that may be sent: docs/many-machines.md lists them.
const ATTRIBUTES: &[&str] = &[
    "collie.attempt",
    "collie.correlation_id",
    "collie.effect_id",
    "collie.effect_kind",
    "collie.event_kind",
    "collie.loop_key",
    "collie.outcome",
    "collie.pull_number",
    "collie.readings",
    "collie.repository",
    "collie.resource",
    "collie.retry_kind",
    "error.type",
    "http.request.method",
    "http.response.status_code",
    "server.address",
    "url.template",
];

#[test]
fn a_run_is_one_trace_from_the_webhook_to_the_push() {
    let collector = Collector::start();
    let repo = "demo/fix-loop";
    let Some(mut fleet) = Fleet::start_with(unchanged, &collector.variables()) else {
        return;
    };
    fleet.start_by_itself(repo);
    fleet.import(Scenario::FixLoop, repo);
    let forge = &fleet.server.forge;
    let words = json!({"title": TITLE_CANARY, "body": BODY_CANARY});
    let path = format!("/repos/{repo}/pulls/1");
    let told = forge.call(WRITER, "PATCH", &path, Some(words));
    assert_eq!(told["title"], TITLE_CANARY);
    assert_eq!(told["body"], BODY_CANARY);
    assert_eq!(fleet.server.deliver_for(repo, "opened", "d-1"), "woken");
    wait_until_blocking("the loop to begin", || {
        fleet
            .server
            .state(&format!("{repo}/1"))
            .is_string()
            .then_some(())
    });
    assert_eq!(fleet.server.deliver_for(repo, "edited", "d-2"), "woken");
    let state = fleet.wait_until_ready(repo);
    // What is not sent yet is sent at the end.
    for process in [&mut fleet.worker, &mut fleet.server.process] {
        process.signal(Signal::SIGTERM);
        assert_eq!(process.wait_for_exit().code(), Some(0));
    }
    let spans = collector.spans();
    let run = state["run"]["id"].as_str().unwrap();
    check_trace(&spans, run);
    check_tree(&spans, run);
    check_metrics(&collector.metrics());
    check_nothing_leaks(&collector, &fleet, repo);
}

/// The spans of the run, over two processes, in the order in which things happen.
fn check_trace(spans: &[SeenSpan], run: &str) {
    let of_run: Vec<&SeenSpan> = spans
        .iter()
        .filter(|span| {
            span.attributes
                .get("collie.correlation_id")
                .is_some_and(|id| id == run)
        })
        .collect();
    let traces: BTreeSet<&str> = of_run.iter().map(|span| span.trace.as_str()).collect();
    assert_eq!(traces.len(), 1, "one trace: {traces:?}");
    let first = |service: &str, name: &str| {
        let found = of_run
            .iter()
            .filter(|it| it.name == name && it.service == service);
        let found = found.min_by_key(|span| span.begun);
        found.unwrap_or_else(|| panic!("no {name} of {service} in {:?}", names(&of_run)))
    };
    let order = [
        first("collie-server", "command start"),
        first("collie-worker", "effect fix"),
        first("collie-worker", "effect push"),
        first("collie-worker", "git push"),
    ];
    assert!(order.is_sorted_by_key(|span| span.begun), "{order:?}");
    first("collie-server", "webhook delivery");
    for name in [
        "run",
        "apply observed",
        "apply fix_finished",
        "effect review",
        "effect post",
    ] {
        first("collie-worker", name);
    }
    // What hangs below an effect names the run, whoever made it.
    let push = order[2];
    assert_eq!(order[3].parent, push.id, "{order:?}");
    assert_eq!(push.attributes["collie.outcome"], "pushed", "{push:?}");
    let posts = of_run
        .iter()
        .filter(|span| span.attributes.contains_key("url.template"));
    let routes: BTreeSet<&str> = posts.map(|span| span.name.as_str()).collect();
    assert!(
        routes.contains("POST /repos/{}/{}/issues/{}/comments"),
        "{routes:?}"
    );
}

fn names(spans: &[&SeenSpan]) -> Vec<String> {
    let names = spans.iter();
    names
        .map(|span| format!("{} {}", span.service, span.name))
        .collect()
}

/// The run's own span is the one that all others hang below.
fn check_tree(spans: &[SeenSpan], run: &str) {
    let documented = include_str!("../../../../docs/many-machines.md");
    let ids: BTreeSet<&str> = spans.iter().map(|span| span.id.as_str()).collect();
    for span in spans {
        let is_root = span.parent.is_empty();
        assert!(is_root || ids.contains(span.parent.as_str()), "{span:?}");
        assert_eq!(span.events, 0, "{span:?}");
        for key in span.attributes.keys() {
            assert!(
                documented.contains(&format!("`{key}`")),
                "{key} is not documented"
            );
            assert!(ATTRIBUTES.contains(&key.as_str()), "{key}: {span:?}");
        }
        let is_of_run = span
            .attributes
            .get("collie.correlation_id")
            .is_some_and(|id| id == run);
        assert!(!(is_root && is_of_run) || span.name == "run", "{span:?}");
    }
}

fn check_metrics(metrics: &BTreeMap<String, BTreeSet<String>>) {
    for (name, key) in [
        ("collie.events.applied", "collie.event_kind"),
        ("collie.effects", "collie.outcome"),
        ("collie.effect.duration", "collie.effect_kind"),
        ("collie.session.wait", "collie.effect_kind"),
        ("collie.github.budget.used", "collie.resource"),
        ("collie.github.budget.remaining", "collie.resource"),
        ("http.client.request.duration", "url.template"),
    ] {
        assert!(
            metrics.get(name).is_some_and(|keys| keys.contains(key)),
            "{name}: {metrics:?}"
        );
    }
    for name in [
        "collie.sessions.open",
        "collie.readings.batch",
        "collie.feed.lag",
    ] {
        assert!(metrics.contains_key(name), "{name}: {metrics:?}");
    }
    for key in metrics.values().flatten() {
        assert!(ATTRIBUTES.contains(&key.as_str()), "{key}: {metrics:?}");
        assert_ne!(key, "collie.correlation_id", "as many series as runs");
    }
}

/// Nothing that people or models wrote is sent, and no secret.
fn check_nothing_leaks(collector: &Collector, fleet: &Fleet, repo: &str) {
    let sent = String::from_utf8_lossy(&collector.all()).into_owned();
    let forge = &fleet.server.forge;
    let pull = forge.call(COLLIE_LOGIN, "GET", &format!("/repos/{repo}/pulls/1"), None);
    let files = forge.list(&format!("/repos/{repo}/pulls/1/files"));
    let comments = forge.list(&format!("/repos/{repo}/issues/1/comments"));
    let mut secrets = vec![
        format!("forge-{COLLIE_LOGIN}"),
        format!("forge-{WRITER}"),
        HEADER_CANARY.to_owned(),
        TITLE_CANARY.to_owned(),
        BODY_CANARY.to_owned(),
        pull["head"]["ref"].as_str().unwrap().to_owned(),
    ];
    secrets.extend(
        files
            .iter()
            .map(|it| it["filename"].as_str().unwrap().to_owned()),
    );
    for comment in &comments {
        let lines = comment["body"].as_str().unwrap().lines();
        secrets.extend(lines.filter(|line| line.len() > 12).map(str::to_owned));
    }
    assert!(comments.len() > 2 && !files.is_empty(), "{comments:?}");
    for secret in secrets {
        assert!(!sent.contains(&secret), "{secret} was sent");
    }
    // It was sent with each request, so that a collector that asks for it takes them.
    let received = collector.received.lock().unwrap();
    assert!(
        received
            .iter()
            .all(|it| it.headers["x-collector"] == HEADER_CANARY)
    );
}

#[test]
fn a_collector_that_cannot_be_reached_hinders_no_work_and_no_end() {
    let Some(engine) = EngineServer::start() else {
        return;
    };
    let forge = ForgeServer::start();
    let repo = "demo/clean";
    forge.import_scenario(Scenario::Clean, repo);
    let [port, nobody] = free_ports();
    let nobody = format!("http://127.0.0.1:{nobody}");
    let home = TestHome::new(&forge).with_variables(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT".to_owned(), nobody),
        ("OTEL_BSP_SCHEDULE_DELAY".to_owned(), "100".to_owned()),
        ("OTEL_METRIC_EXPORT_INTERVAL".to_owned(), "100".to_owned()),
    ]);
    let mut worker = start_worker(&home, &engine, port);
    engine.register(&format!("http://127.0.0.1:{port}"));
    let key = engine.start_loop(&format!("{repo}#1"));
    engine.wait_until_ready(&key);
    let told = Instant::now();
    worker.signal(Signal::SIGTERM);
    assert_eq!(worker.wait_for_exit().code(), Some(0));
    assert!(
        told.elapsed() < Duration::from_secs(15),
        "{:?}",
        told.elapsed()
    );
    let said = logs(&home);
    let lost = said
        .matches("the OpenTelemetry collector takes nothing")
        .count();
    // Once for each of the two signals.
    assert!((1..=2).contains(&lost), "{said}");
}

#[test]
fn variables_that_cannot_be_followed_are_told_in_the_log_and_stop_nothing() {
    let Some(fleet) = Fleet::start_with(
        unchanged,
        &[
            (
                "OTEL_EXPORTER_OTLP_ENDPOINT".to_owned(),
                "http://127.0.0.1:9".to_owned(),
            ),
            ("OTEL_EXPORTER_OTLP_PROTOCOL".to_owned(), "grpc".to_owned()),
        ],
    ) else {
        return;
    };
    for home in [&fleet.worker_home, &fleet.server.home] {
        let said = logs(home);
        assert!(
            said.contains("OTEL_EXPORTER_OTLP_PROTOCOL names grpc"),
            "{said}"
        );
    }
}

/// What a data folder's diagnostics say.
fn logs(home: &TestHome) -> String {
    let folder = std::fs::read_dir(home.path().join("logs")).unwrap();
    let files = folder.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    files.collect()
}
