//! The server.

use crate::events::{StreamEnding, events};
use crate::listener::listen;
use crate::reply::{Reply, ReplyKind};
use crate::request::{ApiFormat, ReceivedRequest};
use crate::service::{Service, ServiceRefusal};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, StatusCode, Uri};
use bytes::Bytes;
use futures::stream::{self, Stream, StreamExt};
use serde_json::{Value, json};
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::watch;
use tokio_util::sync::DropGuard;

type Script = dyn Fn(&ReceivedRequest) -> Reply + Send + Sync;

/// A language model that says what a script tells it to.
#[derive(Debug)]
pub struct FakeLlm;

impl FakeLlm {
    /// Listens on a free port of loopback.
    ///
    /// # Panics
    ///
    /// When loopback gives no port.
    pub async fn serve(
        script: impl Fn(&ReceivedRequest) -> Reply + Send + Sync + 'static,
    ) -> RunningFakeLlm {
        Self::serve_as(Service::any(), script).await
    }

    /// The same as a service that insists on its form; the script hears what that lets through.
    ///
    /// # Panics
    ///
    /// When loopback gives no port.
    pub async fn serve_as(
        service: Service,
        script: impl Fn(&ReceivedRequest) -> Reply + Send + Sync + 'static,
    ) -> RunningFakeLlm {
        let state = Arc::new(ServerState {
            service,
            script: Box::new(script),
            requests: Mutex::default(),
            lookups: Mutex::default(),
            hang_ups: watch::Sender::new(0),
        });
        let router = Router::new().fallback(handle).with_state(state.clone());
        let (addr, stop) = listen(router).await;
        RunningFakeLlm {
            addr,
            state,
            _stop: stop,
        }
    }
}

/// A model that listens; it stops when this is dropped.
#[derive(Debug)]
pub struct RunningFakeLlm {
    addr: SocketAddr,
    state: Arc<ServerState>,
    _stop: DropGuard,
}

impl RunningFakeLlm {
    /// The address to give to any provider, such as `http://127.0.0.1:4000/v1`.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.addr)
    }

    /// The root of the service, such as `http://127.0.0.1:4000`.
    pub fn root(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// What was looked up beside the questions: lists, and what a model is. Paths with their queries.
    pub fn lookups(&self) -> Vec<String> {
        self.state.lock_lookups().clone()
    }

    /// Every request so far, in order, refused ones included.
    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.state.lock_requests().clone()
    }

    /// How many requests there were.
    pub fn request_count(&self) -> usize {
        self.state.lock_requests().len()
    }

    /// Waits until that many askers have hung up before their answer's end.
    pub async fn wait_for_hang_ups(&self, times: usize) {
        let mut hung_up = self.state.hang_ups.subscribe();
        hung_up
            .wait_for(|count| *count >= times)
            .await
            .expect("the sender lives as long as this");
    }
}

struct ServerState {
    service: Service,
    script: Box<Script>,
    requests: Mutex<Vec<ReceivedRequest>>,
    lookups: Mutex<Vec<String>>,
    hang_ups: watch::Sender<usize>,
}

impl ServerState {
    fn lock_requests(&self) -> std::sync::MutexGuard<'_, Vec<ReceivedRequest>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_lookups(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.lookups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is no question.
    fn look_up(&self, uri: &Uri, headers: &HeaderMap) -> Result<Value, ServiceRefusal> {
        self.lock_lookups().push(uri.to_string());
        let header = |name: &str| Some(headers.get(name)?.to_str().ok()?.to_owned());
        let query = uri.query().unwrap_or_default();
        self.service.plain_answer(uri.path(), query, header)
    }

    fn record_request(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<ReceivedRequest, String> {
        let format = ApiFormat::of(uri.path()).ok_or("no such path")?;
        let body: Value = serde_json::from_slice(body).map_err(|e| e.to_string())?;
        if !format.streams_by_path() && body["stream"] != true {
            return Err("only streamed answers are scripted".to_owned());
        }
        let headers = headers.iter().map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes());
            (name.as_str().to_owned(), value.into_owned())
        });
        let headers = headers.collect();
        let mut all = self.lock_requests();
        let request = ReceivedRequest::parse(all.len() + 1, format, uri, headers, body);
        all.push(request.clone());
        Ok(request)
    }
}

impl fmt::Debug for ServerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerState")
            .field("requests", &self.requests)
            .finish_non_exhaustive()
    }
}

async fn handle(
    State(state): State<Arc<ServerState>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    if method == Method::GET || uri.path().ends_with("/api/show") {
        return match state.look_up(&uri, &headers) {
            Ok(body) => full_response(200, &[], body.to_string()),
            Err(refusal) => full_response(refusal.status, &[], refusal.body.to_string()),
        };
    }
    let request = match state.record_request(&uri, &headers, &body) {
        Ok(asked) => asked,
        Err(message) => {
            return full_response(404, &[], json!({"error": {"message": message}}).to_string());
        }
    };
    if let Some(refusal) = state.service.refusal(&request) {
        return full_response(refusal.status, &[], refusal.body.to_string());
    }
    let reply = (state.script)(&request);
    if let ReplyKind::Status { status, body } = reply.kind {
        return full_response(status, &reply.headers, body);
    }
    let usage = reply.usage.of_prompt(request.prompt().chars().count());
    let usage = state.service.counted(&request, usage);
    let (events, end) = events(&request, &reply, usage);
    let tail = match end {
        StreamEnding::Complete => stream::empty().boxed(),
        StreamEnding::Disconnect => stream::once(async {
            // What was said so far goes out first.
            tokio::task::yield_now().await;
            Err(io::ErrorKind::ConnectionReset.into())
        })
        .boxed(),
        StreamEnding::Hang => stream::pending().boxed(),
    };
    let event_stream = stream::iter(events.into_iter().map(Ok));
    let body = ObservedBody {
        events: event_stream.chain(tail).boxed(),
        finished: false,
        state,
    };
    let mut response = Response::new(Body::from_stream(body));
    set_headers(&mut response, stream_type(request.api), &reply.headers);
    response
}

fn stream_type(format: ApiFormat) -> &'static str {
    match format {
        ApiFormat::Ollama => "application/x-ndjson",
        ApiFormat::Converse => "application/vnd.amazon.eventstream",
        ApiFormat::Chat
        | ApiFormat::Responses
        | ApiFormat::Messages
        | ApiFormat::RawPredict
        | ApiFormat::Gemini => "text/event-stream",
    }
}

fn full_response(status: u16, headers: &[(&'static str, String)], body: String) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).expect("the script names a status");
    set_headers(&mut response, "application/json", headers);
    response
}

fn set_headers(response: &mut Response<Body>, kind: &str, headers: &[(&'static str, String)]) {
    let all = headers.iter().map(|(name, value)| (*name, value.as_str()));
    for (name, value) in [("content-type", kind)].into_iter().chain(all) {
        let value = value.parse().expect("the script names a header's value");
        response.headers_mut().insert(name, value);
    }
}

type EventStream = Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>;

/// A body that notices when nobody listens any more.
struct ObservedBody {
    events: EventStream,
    finished: bool,
    state: Arc<ServerState>,
}

impl Stream for ObservedBody {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = self.events.as_mut().poll_next(cx);
        self.finished |= matches!(next, Poll::Ready(None | Some(Err(_))));
        next
    }
}

impl Drop for ObservedBody {
    fn drop(&mut self) {
        if !self.finished {
            self.state.hang_ups.send_modify(|seen| *seen += 1);
        }
    }
}
