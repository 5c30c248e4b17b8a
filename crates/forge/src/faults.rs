//! The gate in front of every route: it counts requests, keeps the rate limits, and misbehaves when it is told to.
//!
//! `POST /_forge/faults` adds faults (one object or a list; [`FaultKind`] says which there are: a query that is too heavy for
//! GitHub is `{"kind": "heavy_query", "over": 10}` or `{…, "number": 7, "answer": "errors"}`), `GET` lists them, `DELETE` clears them. `GET
//! /_forge/requests` says what was asked so far, `DELETE` starts the count anew. `GET /_forge/log` lists the requests one by one
//! ([`request_log`]). `PUT /_forge/rate_limit` sets how much of a limit is used up.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, put};
use axum::{Extension, Json, Router};
use futures::stream;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::graphql::operation::Operation;
use crate::token_permissions;

use self::earlier_answers::{Answer, EarlierAnswers};
use self::observed_call::ObservedCall;
use self::request_log::{RequestAuthor, RequestLog};

pub use self::injected_fault::{FaultKind, HeavyQueryAnswer, InjectedFault};
pub use self::rate_limiter::{RateLimitPair, RateLimitStatus};

mod earlier_answers;
mod injected_fault;
mod observed_call;
mod rate_limiter;
mod redelivery;
mod request_log;

pub(crate) use self::request_log::name_author;

/// The largest body that the gate reads to see what a GraphQL request asks for, in bytes.
const BODY_LIMIT: usize = 8 * 1024 * 1024;

/// The faults, the counts and the limits; clones share them.
#[derive(Debug, Clone, Default)]
pub struct RequestGate {
    inner: Arc<Mutex<GateState>>,
}

#[derive(Debug, Default)]
struct GateState {
    faults: Vec<InjectedFault>,
    next_id: u64,
    counts: RequestCounts,
    log: RequestLog,
    rate_limiter: rate_limiter::RateLimiter,
    earlier_answers: EarlierAnswers,
}

/// How many requests came in since the start, or since the last reset.
#[derive(Debug, Clone, Default, Serialize)]
struct RequestCounts {
    /// All of them.
    total: u64,
    /// By method and route template, without `/api/v3` and `/api`.
    routes: BTreeMap<String, u64>,
    /// GraphQL requests by kind and root field, a request with several fields counted under each.
    graphql: BTreeMap<String, u64>,
    /// By status of the answer; `dropped` for those that got none.
    answers: BTreeMap<String, u64>,
    /// Answers of status 422, by method and route template.
    refused: BTreeMap<String, u64>,
    /// What was charged to the rate limits, by resource.
    charged: BTreeMap<&'static str, u64>,
}

/// Puts the gate in front of `routes` and adds the routes that control it.
pub fn with_request_gate(routes: Router, gate: &RequestGate) -> Router {
    let control = Router::new()
        .route(
            "/_forge/faults",
            get(list_faults).post(add_faults).delete(clear_faults),
        )
        .route(
            "/_forge/requests",
            get(get_request_counts).delete(reset_request_counts),
        )
        .route("/_forge/log", get(request_log::list))
        .route("/_forge/rate_limit", put(set_rate_limit))
        .with_state(gate.clone());
    routes
        .route("/api/v3/rate_limit", get(rate_limit))
        .layer(middleware::from_fn_with_state(gate.clone(), gate_request))
        .merge(control)
}

/// Lets one request through, or not.
async fn gate_request(State(gate): State<RequestGate>, request: Request, next: Next) -> Response {
    if request.uri().path().starts_with("/_forge/") {
        return next.run(request).await;
    }
    let author = RequestAuthor::of(&request);
    let (call, request) = match read_call(request).await {
        Ok(read) => read,
        Err(response) => return response,
    };
    let (holder, route) = (rate_limiter::holder(request.headers()), call.route());
    let (seq, decision) = gate.lock().admit(&call, &author);
    if !decision.delay.is_zero() {
        tokio::time::sleep(decision.delay).await;
    }
    let response = match decision.fault {
        Some(FaultKind::DropBefore) => dropped_response(),
        Some(FaultKind::DropAfter) => {
            gate.run_charged(&call, &holder, request, next).await;
            dropped_response()
        }
        Some(FaultKind::LateWrite { ms }) => {
            gate.run_late(call, holder, request, next, ms);
            dropped_response()
        }
        Some(FaultKind::Twice) => gate.run_twice(&call, &holder, request, next).await,
        Some(FaultKind::Status {
            code, after_write, ..
        }) => {
            if after_write {
                gate.run_charged(&call, &holder, request, next).await;
            }
            status_response(code)
        }
        Some(
            kind @ (FaultKind::Saml
            | FaultKind::MissingPermission
            | FaultKind::PrimaryRateLimit { .. }
            | FaultKind::SecondaryRateLimit { .. }),
        ) => refusal_response(kind, &call, &holder),
        Some(FaultKind::HeavyQuery {
            over,
            number,
            answer,
        }) => {
            let left_out = injected_fault::too_much(&call, over, number);
            gate.run_heavy(&call, &holder, request, next, answer, &left_out)
                .await
        }
        Some(FaultKind::Stale { ago }) => {
            gate.run_remembered(&call, &holder, request, next, ago)
                .await
        }
        Some(FaultKind::Latency { .. }) | None => {
            gate.run_remembered(&call, &holder, request, next, 0).await
        }
    };
    gate.lock().record_response(route, seq, &response);
    response
}

/// The answer of a fault that refuses a request before it is looked at.
fn refusal_response(kind: FaultKind, call: &ObservedCall, holder: &str) -> Response {
    match kind {
        FaultKind::Saml => saml_response(),
        FaultKind::PrimaryRateLimit { reset_in, code } => {
            let quota = RateLimitStatus::spent(call.resource.unwrap_or("core"), reset_in);
            quota.refusal_response(holder, call.operation.is_some(), code)
        }
        FaultKind::SecondaryRateLimit { retry_after, code } => {
            secondary_limit_response(retry_after, code)
        }
        _ => missing_permission_response(),
    }
}

/// Reads what a request is about; the body of a GraphQL request is read and put back.
async fn read_call(request: Request) -> Result<(ObservedCall, Request), Response> {
    let template = request.extensions().get::<MatchedPath>().map_or_else(
        || "unmatched".to_owned(),
        |path| github_route_template(path.as_str()),
    );
    let request_path = request.uri().path().to_owned();
    let resource = if request_path == "/api/graphql" {
        Some("graphql")
    } else if request_path.starts_with("/api/v3") {
        Some("core")
    } else {
        None
    };
    let mut call = ObservedCall {
        method: request.method().to_string(),
        template,
        path: strip_api_prefix(&request_path),
        operation: None,
        resource,
        identity: identity_of(&request.uri().to_string(), b""),
    };
    if request_path != "/api/graphql" || request.method() != axum::http::Method::POST {
        return Ok((call, request));
    }
    let (mut parts, body) = request.into_parts();
    let bytes = axum::body::to_bytes(body, BODY_LIMIT).await.map_err(|_| {
        (
            StatusCode::PAYLOAD_TOO_LARGE,
            Json(json!({"message": "The GraphQL request is too large or was cut off."})),
        )
            .into_response()
    })?;
    let operation = Arc::new(parse_operation(&bytes));
    parts.extensions.insert(operation.clone());
    call.operation = Some(operation);
    call.identity = identity_of(&request_path, &bytes);
    Ok((call, Request::from_parts(parts, Body::from(bytes))))
}

fn identity_of(address: &str, body: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (address, body).hash(&mut hasher);
    hasher.finish()
}

/// Tells what a GraphQL body asks for.
fn parse_operation(body: &Bytes) -> Operation {
    match serde_json::from_slice::<async_graphql::Request>(body) {
        Ok(mut request) => Operation::parse(&mut request),
        Err(_) => Operation {
            cost: 1,
            ..Operation::default()
        },
    }
}

/// Turns a route of the forge into GitHub's template, with GitHub's names for its parts.
fn github_route_template(route: &str) -> String {
    const NAMES: [(&str, &str); 9] = [
        ("/issues/{number}", "/issues/{issue_number}"),
        ("/pulls/{number}", "/pulls/{pull_number}"),
        ("/comments/{id}", "/comments/{comment_id}"),
        ("/reviews/{id}", "/reviews/{review_id}"),
        ("/check-runs/{id}", "/check-runs/{check_run_id}"),
        ("/jobs/{id}", "/jobs/{job_id}"),
        ("/collaborators/{login}", "/collaborators/{username}"),
        ("{*path}", "{path}"),
        ("{*name}", "{ref}"),
    ];
    NAMES
        .iter()
        .fold(strip_api_prefix(route), |route, (ours, github)| {
            route.replace(ours, github)
        })
}

/// Takes the prefixes of a GitHub Enterprise server off a path.
fn strip_api_prefix(path: &str) -> String {
    path.strip_prefix("/api/v3")
        .or_else(|| path.strip_prefix("/api"))
        .filter(|rest| rest.starts_with('/'))
        .unwrap_or(path)
        .to_owned()
}

/// An answer that never arrives: the body fails before its head has been sent, so the connection is closed.
fn dropped_response() -> Response {
    let failure = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
    let mut response = Response::new(Body::from_stream(stream::once(async {
        Err::<Bytes, _>(failure)
    })));
    response.extensions_mut().insert(DroppedMarker);
    response
}

/// Marks an answer that never arrives.
#[derive(Debug, Clone, Copy)]
struct DroppedMarker;

/// An answer with this status and no sense.
fn status_response(code: u16) -> Response {
    let code = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (code, Json(json!({"message": "Server Error"}))).into_response()
}

/// GitHub's answer to a token that an organization with single sign-on has not let in.
fn saml_response() -> Response {
    let body = json!({
        "message": "Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.",
        "documentation_url": "https://docs.github.com/articles/authenticating-to-a-github-organization-with-saml-single-sign-on/",
    });
    let sso = "required; url=https://github.example/orgs/acme/sso?authorization_request=A1";
    (StatusCode::FORBIDDEN, [("x-github-sso", sso)], Json(body)).into_response()
}

/// GitHub's answer to a fine-grained token without the right to comment.
fn missing_permission_response() -> Response {
    token_permissions::refusal_naming(&["issues", "pull_requests"])
}

/// GitHub's answer to bursts.
fn secondary_limit_response(retry_after: Option<u64>, code: u16) -> Response {
    let code = StatusCode::from_u16(code).unwrap_or(StatusCode::FORBIDDEN);
    let body = json!({
        "message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
        "documentation_url":
            "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits",
    });
    let mut response = (code, Json(body)).into_response();
    if let Some(seconds) = retry_after {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// What GitHub answers to a query that is too much: an apology, or what it came to without some fields.
async fn heavy_query_response(
    whole: Response,
    answer: HeavyQueryAnswer,
    left_out: &[String],
) -> Response {
    const APOLOGY: &str = "Something went wrong while executing your query. This may be the result of a timeout, or \
                           it could be a GitHub bug.";
    let (parts, body) = whole.into_parts();
    let (status, body) = match answer {
        HeavyQueryAnswer::BadGateway => (
            StatusCode::BAD_GATEWAY,
            json!({"data": null, "errors": [{"message": APOLOGY}]}),
        ),
        HeavyQueryAnswer::Errors => (
            StatusCode::OK,
            json!({"data": null, "errors": [{"message": APOLOGY}]}),
        ),
        HeavyQueryAnswer::ResourceLimits => {
            let bytes = axum::body::to_bytes(body, BODY_LIMIT)
                .await
                .unwrap_or_default();
            let mut body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
            let mut errors = body["errors"].as_array().cloned().unwrap_or_default();
            for key in left_out {
                body["data"][key] = Value::Null;
                errors.push(json!({
                    "type": "RESOURCE_LIMITS_EXCEEDED", "path": [key],
                    "message": "Resource limits for this query exceeded.",
                }));
            }
            body["errors"] = errors.into();
            (StatusCode::OK, body)
        }
    };
    let mut response = (status, Json(body)).into_response();
    for (name, value) in &parts.headers {
        if name.as_str().starts_with("x-ratelimit") {
            response.headers_mut().insert(name, value.clone());
        }
    }
    response
}

impl RequestGate {
    fn lock(&self) -> MutexGuard<'_, GateState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Carries a request out later.
    fn run_late(&self, call: ObservedCall, holder: String, request: Request, next: Next, ms: u64) {
        let gate = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            gate.run_charged(&call, &holder, request, next).await
        });
    }

    /// Charges a query for what GitHub did before it gave up on it, and answers with what is left of it.
    async fn run_heavy(
        &self,
        call: &ObservedCall,
        holder: &str,
        request: Request,
        next: Next,
        answer: HeavyQueryAnswer,
        left_out: &[String],
    ) -> Response {
        let whole = self.run_charged(call, holder, request, next).await;
        heavy_query_response(whole, answer, left_out).await
    }

    /// Answers a request as it was answered `ago` answers before; 0 is the answer of now. Where no fault wants earlier answers, none is
    /// remembered.
    async fn run_remembered(
        &self,
        call: &ObservedCall,
        holder: &str,
        request: Request,
        next: Next,
        ago: usize,
    ) -> Response {
        let response = self.run_charged(call, holder, request, next).await;
        if !self.lock().remembers() || !call.is_read() {
            return response;
        }
        let answer = Answer::read(response, BODY_LIMIT).await;
        let earlier = &mut self.lock().earlier_answers;
        earlier.remember(call.identity, answer, ago).into_response()
    }

    /// Charges a request to its rate limit and answers it. A 304 costs nothing, as on GitHub.
    async fn run_charged(
        &self,
        call: &ObservedCall,
        holder: &str,
        mut request: Request,
        next: Next,
    ) -> Response {
        let Some(resource) = call.resource else {
            return next.run(request).await;
        };
        let cost = match &call.operation {
            Some(operation) => operation.cost,
            None if call.template == "/rate_limit" => 0,
            None => 1,
        };
        let charged = self.lock().charge(holder, resource, cost);
        let quota = match charged {
            Ok(quota) => quota,
            Err(quota) => return quota.refusal_response(holder, call.operation.is_some(), 403),
        };
        let rate_limits = self.lock().rate_limiter.status_of_both(holder);
        request.extensions_mut().insert(quota.clone());
        request.extensions_mut().insert(rate_limits);
        let mut response = next.run(request).await;
        let quota = if response.status() == StatusCode::NOT_MODIFIED {
            self.lock().refund(holder, resource, cost)
        } else {
            quota
        };
        quota.write_headers(response.headers_mut());
        response
    }
}

/// What the faults make of one request.
struct FaultDecision {
    delay: Duration,
    fault: Option<FaultKind>,
}

impl GateState {
    /// Enters a request into the log; gives its number there, and what the faults make of it.
    fn admit(&mut self, call: &ObservedCall, author: &RequestAuthor) -> (u64, FaultDecision) {
        let seq = self.log.enter(call, author);
        (seq, self.decide_fault(call, author))
    }

    /// Counts an answer, and adds it to the log.
    fn record_response(&mut self, route: String, seq: u64, response: &Response) {
        self.counts.count_response(route, response);
        self.log.answer(seq, response);
    }

    /// Counts a request and asks every fault about it: delays add up, and the first other fault that fires wins.
    fn decide_fault(&mut self, call: &ObservedCall, author: &RequestAuthor) -> FaultDecision {
        self.counts.count_request(call);
        let mut decision = FaultDecision {
            delay: Duration::ZERO,
            fault: None,
        };
        for fault in &mut self.faults {
            if !fault.matches(call, author) {
                continue;
            }
            let is_latency = matches!(fault.kind, FaultKind::Latency { .. });
            if !is_latency && decision.fault.is_some() {
                continue;
            }
            if !fault.count_and_check() {
                continue;
            }
            match fault.kind {
                FaultKind::Latency { ms } => decision.delay += Duration::from_millis(ms),
                FaultKind::Status { .. }
                | FaultKind::DropBefore
                | FaultKind::DropAfter
                | FaultKind::LateWrite { .. }
                | FaultKind::Twice
                | FaultKind::Stale { .. }
                | FaultKind::Saml
                | FaultKind::MissingPermission
                | FaultKind::PrimaryRateLimit { .. }
                | FaultKind::HeavyQuery { .. }
                | FaultKind::SecondaryRateLimit { .. } => decision.fault = Some(fault.kind),
            }
        }
        decision
    }

    /// Whether a fault wants earlier answers.
    fn remembers(&self) -> bool {
        let mut faults = self.faults.iter();
        faults.any(|fault| matches!(fault.kind, FaultKind::Stale { .. }))
    }

    fn charge(
        &mut self,
        holder: &str,
        resource: &'static str,
        cost: u64,
    ) -> Result<RateLimitStatus, RateLimitStatus> {
        let charged = self.rate_limiter.charge(holder, resource, cost);
        if charged.is_ok() {
            *self.counts.charged.entry(resource).or_default() += cost;
        }
        charged
    }

    fn refund(&mut self, holder: &str, resource: &'static str, cost: u64) -> RateLimitStatus {
        if let Some(charged) = self.counts.charged.get_mut(resource) {
            *charged = charged.saturating_sub(cost);
        }
        self.rate_limiter.refund(holder, resource, cost)
    }
}

impl RequestCounts {
    fn count_request(&mut self, call: &ObservedCall) {
        self.total += 1;
        *self.routes.entry(call.route()).or_default() += 1;
        if let Some(operation) = &call.operation {
            for field in &operation.fields {
                let entry = format!("{} {field}", operation.kind);
                *self.graphql.entry(entry).or_default() += 1;
            }
        }
    }

    fn count_response(&mut self, route: String, response: &Response) {
        if response.status() == StatusCode::UNPROCESSABLE_ENTITY {
            *self.refused.entry(route).or_default() += 1;
        }
        let name = if response.extensions().get::<DroppedMarker>().is_some() {
            "dropped".to_owned()
        } else {
            response.status().as_u16().to_string()
        };
        *self.answers.entry(name).or_default() += 1;
    }
}

/// GitHub's `GET /rate_limit`, which costs nothing.
async fn rate_limit(rate_limits: Option<Extension<RateLimitPair>>) -> Response {
    let Some(Extension(both)) = rate_limits else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let quota_json = |quota: &RateLimitStatus| {
        json!({
            "limit": quota.limit, "used": quota.used, "remaining": quota.remaining(), "reset": quota.reset,
            "resource": quota.resource,
        })
    };
    let (core, graphql) = (quota_json(&both.core), quota_json(&both.graphql));
    // The published description requires `search`, of which the forge has none.
    let search = json!({"limit": 30, "used": 0, "remaining": 30, "reset": both.core.reset, "resource": "search"});
    Json(json!({"resources": {"core": core, "graphql": graphql, "search": search}, "rate": core}))
        .into_response()
}

async fn list_faults(State(gate): State<RequestGate>) -> Json<Vec<InjectedFault>> {
    Json(gate.lock().faults.clone())
}

async fn add_faults(State(gate): State<RequestGate>, Json(faults_json): Json<Value>) -> Response {
    let wanted = match faults_json {
        Value::Array(list) => list,
        one => vec![one],
    };
    let faults: Result<Vec<InjectedFault>, String> =
        wanted.into_iter().map(InjectedFault::parse).collect();
    match faults {
        Ok(faults) => {
            let mut inner = gate.lock();
            for mut fault in faults {
                inner.next_id += 1;
                fault.id = inner.next_id;
                inner.faults.push(fault);
            }
            (StatusCode::CREATED, Json(inner.faults.clone())).into_response()
        }
        Err(why) => (
            StatusCode::UNPROCESSABLE_ENTITY,
            Json(json!({"message": why})),
        )
            .into_response(),
    }
}

async fn clear_faults(State(gate): State<RequestGate>) -> StatusCode {
    let mut inner = gate.lock();
    inner.faults.clear();
    inner.earlier_answers.clear();
    StatusCode::NO_CONTENT
}

async fn get_request_counts(State(gate): State<RequestGate>) -> Json<RequestCounts> {
    Json(gate.lock().counts.clone())
}

async fn reset_request_counts(State(gate): State<RequestGate>) -> StatusCode {
    gate.lock().counts = RequestCounts::default();
    StatusCode::NO_CONTENT
}

/// How much of a limit is used up, as a test wants it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RateLimitInput {
    /// The token, as a client sends it; every token when absent.
    token: Option<String>,
    /// `core` or `graphql`.
    resource: String,
    /// Points that remain.
    remaining: u64,
    /// Seconds until the window ends.
    reset_in: Option<u64>,
}

async fn set_rate_limit(
    State(gate): State<RequestGate>,
    Json(limit_input): Json<RateLimitInput>,
) -> Response {
    let resource = match limit_input.resource.as_str() {
        "core" => "core",
        "graphql" => "graphql",
        other => {
            let why = format!("`{other}` is no rate limit: name core or graphql");
            return (
                StatusCode::UNPROCESSABLE_ENTITY,
                Json(json!({"message": why})),
            )
                .into_response();
        }
    };
    let reset = limit_input
        .reset_in
        .map(|seconds| Timestamp::now().as_second() + i64::try_from(seconds).unwrap_or(3_600));
    gate.lock().rate_limiter.set(
        limit_input.token.as_deref(),
        resource,
        limit_input.remaining,
        reset,
    );
    StatusCode::NO_CONTENT.into_response()
}
