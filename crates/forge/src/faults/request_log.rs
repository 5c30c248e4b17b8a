//! Every request, one by one: who asked for what, when, and how it was answered.
//!
//! `GET /_forge/log?after=SEQ` lists those after a number, oldest first. The tables say how things are; the log says how they came about,
//! refused attempts included: whoever judges a client looks here.

use std::collections::VecDeque;

use axum::Json;
use axum::extract::{Query, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::observed_call::ObservedCall;
use super::{DroppedMarker, RequestGate};
use crate::Forge;
use crate::auth::{Credentials, credentials};

/// How many requests are kept; the oldest go first.
const KEPT: usize = 200_000;

/// How many are listed at once.
const PAGE: usize = 5_000;

/// One request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct LoggedRequest {
    /// Its number, from 1.
    seq: u64,
    /// When it came, in milliseconds since 1970.
    at_ms: i64,
    /// When its answer was ready; none before, and none where the client hung up before.
    answered_ms: Option<i64>,
    /// Whose token it carried; none without a good one.
    login: Option<String>,
    /// The method.
    method: String,
    /// The route's template, without `/api/v3` and `/api`.
    route: String,
    /// The path, equally shortened.
    path: String,
    /// What GraphQL was asked for, such as `mutation addComment`.
    graphql: Vec<String>,
    /// The status of the answer.
    status: Option<u16>,
    /// Whether the answer was kept from the client.
    dropped: bool,
}

/// All requests so far, as far as they are kept.
#[derive(Debug, Default)]
pub(super) struct RequestLog {
    entries: VecDeque<LoggedRequest>,
    last_seq: u64,
}

impl RequestLog {
    /// Enters a request; gives its number.
    pub(super) fn enter(&mut self, call: &ObservedCall, author: &RequestAuthor) -> u64 {
        self.last_seq += 1;
        let operations = call.operation.iter().flat_map(|operation| {
            let kind = operation.kind;
            let fields = operation.fields.iter();
            fields.map(move |field| format!("{kind} {field}"))
        });
        self.entries.push_back(LoggedRequest {
            seq: self.last_seq,
            at_ms: Timestamp::now().as_millisecond(),
            answered_ms: None,
            login: author.0.clone(),
            method: call.method.clone(),
            route: call.template.clone(),
            path: call.path.clone(),
            graphql: operations.collect(),
            status: None,
            dropped: false,
        });
        if self.entries.len() > KEPT {
            self.entries.pop_front();
        }
        self.last_seq
    }

    /// Adds how a request was answered.
    pub(super) fn answer(&mut self, seq: u64, response: &Response) {
        let Some(first) = self.entries.front().map(|entry| entry.seq) else {
            return;
        };
        let at = seq.checked_sub(first).map(usize::try_from);
        if let Some(Ok(at)) = at
            && let Some(entry) = self.entries.get_mut(at)
        {
            let dropped = response.extensions().get::<DroppedMarker>().is_some();
            entry.answered_ms = Some(Timestamp::now().as_millisecond());
            entry.dropped = dropped;
            entry.status = (!dropped).then(|| response.status().as_u16());
        }
    }
}

/// Whose token a request carries.
#[derive(Debug, Clone, Default)]
pub(super) struct RequestAuthor(Option<String>);

/// Notes on a request whose it is, for the log.
pub(crate) async fn name_author(
    State(forge): State<Forge>,
    mut request: Request,
    next: Next,
) -> Response {
    let login = match credentials(&forge, request.headers()) {
        Credentials::Valid(account) => Some(account.login),
        Credentials::Missing | Credentials::Invalid => None,
    };
    request.extensions_mut().insert(RequestAuthor(login));
    next.run(request).await
}

impl RequestAuthor {
    /// Whether it is of a login, however that is written.
    pub(super) fn is(&self, login: &str) -> bool {
        let own = self.0.as_ref();
        own.is_some_and(|own| own.eq_ignore_ascii_case(login))
    }

    /// Whose a request is.
    pub(super) fn of(request: &Request) -> Self {
        let noted = request.extensions().get::<Self>();
        noted.cloned().unwrap_or_default()
    }
}

/// Where to go on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LogQuery {
    #[serde(default)]
    after: u64,
}

/// A part of the log.
#[derive(Debug, Serialize)]
pub(super) struct LogPage {
    requests: Vec<LoggedRequest>,
    /// The number of the last request so far; there is more to list while the last one here is below it.
    last_seq: u64,
    /// How many of the oldest are kept no more.
    forgotten: u64,
}

/// Lists requests.
pub(super) async fn list(
    State(gate): State<RequestGate>,
    Query(query): Query<LogQuery>,
) -> Json<LogPage> {
    let inner = gate.lock();
    let log = &inner.log;
    let later = log.entries.iter().filter(|entry| entry.seq > query.after);
    Json(LogPage {
        requests: later.take(PAGE).cloned().collect(),
        last_seq: log.last_seq,
        forgotten: log.entries.front().map_or(0, |entry| entry.seq - 1),
    })
}
