//! The stream of what changes, for one person: it goes on after a break where it was, and ends with their access.

use crate::event_ring::{Position, Since};
use crate::limits::StreamPlace;
use crate::metrics::OpenStream;
use crate::people::SignedIn;
use crate::problem::ApiError;
use crate::state::ServerState;
use crate::visibility::{repositories_in, visible_part};
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::IntoResponse as _;
use axum::response::Response;
use axum::response::sse::{Event, KeepAlive, Sse};
use collie_core::error_code::ErrorCode;
use collie_core::ids::RepoName;
use collie_wire::rpc::Update;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::watch;
use tokio::time::Instant;
use utoipa::ToSchema;

/// Where a stream that was cut off goes on, for who cannot send the header.
#[derive(Debug, Deserialize)]
pub(crate) struct EventsQuery {
    last_event_id: Option<String>,
}

/// Streams what changes.
#[utoipa::path(
    get,
    path = "/events",
    tag = "Events",
    params(
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that arrived: the stream goes on after it."),
        ("last_event_id" = Option<String>, Query, description = "The same, for who cannot send the header."),
    ),
    responses(
        (status = 200, description = "Server-sent events. `message`: a JSON array of updates. `hello`: where the stream begins. `resync`: what was missed is not kept any more, or may not be seen any more: read everything anew. `end`: why the stream ends, as `StreamEnd`.", content_type = "text/event-stream", body = String),
        (status = 401, description = "Nobody is signed in.", content_type = "application/problem+json", body = crate::problem::Problem),
        (status = 429, description = "Too many requests.", content_type = "application/problem+json", body = crate::problem::Problem),
    ),
    security(("token" = []), ("session" = [])),
)]
pub(crate) async fn events(
    State(state): State<Arc<ServerState>>,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
    signed_in: SignedIn,
) -> Result<Response, ApiError> {
    let place = state.limits.take_stream(signed_in.person.id)?;
    let sent = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let sent = sent.map(ToOwned::to_owned).or(query.last_event_id);
    let listener = Listener {
        _open: (state.metrics.stream(), place),
        changes: state.ring.changes(),
        position: state.ring.now(),
        begin: match sent.as_deref().map(Position::parse) {
            None => Begin::New,
            Some(Some(position)) => Begin::After(position),
            Some(None) => Begin::Unknown,
        },
        shown: BTreeSet::new(),
        next_check: Instant::now() + state.options.access_ttl,
        state,
        signed_in,
        ending: None,
    };
    let stream = futures::stream::unfold(listener, |mut listener| async move {
        let event = listener.next().await?;
        Some((Ok::<_, Infallible>(event), listener))
    });
    let streamed = Sse::new(stream).keep_alive(KeepAlive::default());
    Ok(streamed.into_response())
}

enum Begin {
    New,
    After(Position),
    Unknown,
    Begun,
}

struct Listener {
    /// Counts it.
    _open: (OpenStream, StreamPlace),
    state: Arc<ServerState>,
    signed_in: SignedIn,
    changes: watch::Receiver<u64>,
    position: Position,
    begin: Begin,
    /// The repositories that something was told of.
    shown: BTreeSet<RepoName>,
    next_check: Instant,
    /// Why the stream ends, once it does; told last.
    ending: Option<Option<EndReason>>,
}

/// Why a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndReason {
    /// The server is ending.
    Stopping,
    /// The person has signed out, or GitHub does not accept their token any more.
    SignedOut,
    /// The session is over.
    Expired,
    /// GitHub does not show the person any more what they were told of. What they may still see is to be read anew.
    AccessLost,
    /// GitHub cannot be asked what the person may see. The stream goes on where it was once it can.
    Unavailable,
}

/// The last event of a stream.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StreamEnd {
    reason: EndReason,
}

impl Listener {
    /// The next event; none once the stream is over.
    async fn next(&mut self) -> Option<Event> {
        if let Some(reason) = &mut self.ending {
            let reason = reason.take()?;
            return Some(self.end(reason));
        }
        match std::mem::replace(&mut self.begin, Begin::Begun) {
            Begin::New => return Some(self.event("hello", "{}")),
            Begin::Unknown => return Some(self.event("resync", "{}")),
            Begin::After(position) => {
                self.position = position;
                self.changes.mark_changed();
            }
            Begin::Begun => {}
        }
        loop {
            let expires = Instant::from_std(self.signed_in.expires);
            // A token was asked about a moment ago, and is asked about at each check; a session ends when it ends.
            let expires = match self.signed_in.by_cookie {
                true => expires,
                false => Instant::now() + std::time::Duration::from_secs(86_400),
            };
            tokio::select! {
                biased;
                () = self.state.stopping.cancelled() => return Some(self.end(EndReason::Stopping)),
                () = self.signed_in.ended.cancelled() => return Some(self.end(EndReason::SignedOut)),
                () = tokio::time::sleep_until(expires) => return Some(self.end(EndReason::Expired)),
                () = tokio::time::sleep_until(self.next_check) => {
                    if let Some(lost) = self.check_access().await {
                        return Some(lost);
                    }
                }
                changed = self.changes.changed() => {
                    changed.ok()?;
                    if let Some(event) = self.read().await {
                        return Some(event);
                    }
                }
            }
        }
    }

    /// What is new for this person.
    async fn read(&mut self) -> Option<Event> {
        let (since, now) = self.state.ring.since(self.position);
        let updates = match since {
            Since::Updates(updates) => updates,
            Since::TooOld => {
                self.position = now;
                return Some(self.event("resync", "{}"));
            }
        };
        let mut repos = BTreeSet::new();
        for update in &updates {
            repositories_in(update, &mut repos);
        }
        let readable = self.state.access.readable(&self.signed_in.person, repos);
        // Who cannot be vouched for is told nothing; they come back, and go on where they were.
        let readable = match readable.await {
            Ok(readable) => readable,
            Err(ApiError(error)) if error.code == ErrorCode::SignedOut => {
                return Some(self.end(EndReason::SignedOut));
            }
            Err(_) => return Some(self.end(EndReason::Unavailable)),
        };
        let visible = updates
            .iter()
            .filter_map(|update| visible_part(update, &readable));
        let visible: Vec<Update> = visible.collect();
        self.position = now;
        self.shown.extend(readable);
        if visible.is_empty() {
            return None;
        }
        let text = serde_json::to_string(&visible).unwrap_or_else(|_| "[]".to_owned());
        Some(self.event("message", &text))
    }

    /// Looks whether what was shown may still be seen; gives what is told where it may not.
    async fn check_access(&mut self) -> Option<Event> {
        self.next_check = Instant::now() + self.state.options.access_ttl;
        let shown = self.shown.clone();
        let readable = self
            .state
            .access
            .readable(&self.signed_in.person, shown.clone());
        match readable.await {
            Ok(readable) if readable == shown => None,
            // The page has to forget what it had: it reads everything anew, and is answered by what is seen now.
            Ok(_) => {
                self.ending = Some(Some(EndReason::AccessLost));
                Some(self.event("resync", "{}"))
            }
            Err(ApiError(error)) if error.code == ErrorCode::SignedOut => {
                Some(self.end(EndReason::SignedOut))
            }
            // An outage is no loss; nothing is told until it is over, since each update asks anew.
            Err(_) => None,
        }
    }

    /// The last event.
    fn end(&mut self, reason: EndReason) -> Event {
        self.ending = Some(None);
        let text = serde_json::to_string(&StreamEnd { reason }).unwrap_or_default();
        self.event("end", &text)
    }

    fn event(&self, kind: &str, data: &str) -> Event {
        let event = Event::default().id(self.position.to_string()).data(data);
        match kind {
            "message" => event,
            other => event.event(other),
        }
    }
}
