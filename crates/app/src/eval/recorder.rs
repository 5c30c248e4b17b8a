//! Records what a model's service answers, and answers from the record: a server on loopback, between a reviewer and the service.
//!
//! What is recorded is the HTTP answer as it came, so that what reads it is tried again on each replay. Of requests the hash alone is kept, and
//! of headers none: keys pass through, and are written nowhere.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, Response, StatusCode, Uri, header};
use axum::serve::ListenerExt;
use collie_core::error_code::ErrorCode;
use collie_core::user_error::UserError;
use collie_eval::{RecordedAnswer, request_hash};
use futures::StreamExt as _;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

/// The longest question.
const MAX_REQUEST_BYTES: usize = 64 << 20;
/// How long the end of an answer is waited for that nobody listens to any more.
const TAIL_TIMEOUT: Duration = Duration::from_secs(30);
/// Headers that belong to one connection, or would have the answer packed.
const NOT_FORWARDED: [HeaderName; 5] = [
    header::HOST,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::ACCEPT_ENCODING,
];

type HttpsClient = Client<HttpsConnector<HttpConnector>, Body>;

/// The server; it stops when this is dropped.
pub(super) struct Recorder {
    state: Arc<RecorderState>,
    address: SocketAddr,
    _stop: DropGuard,
}

/// One run of a case, or its judging: its questions are counted by themselves.
pub(super) struct Session {
    recorder: Arc<RecorderState>,
    address: SocketAddr,
    id: usize,
    name: String,
}

/// What became of a session.
pub(super) struct SessionOutcome {
    /// How long the service took for all answers, in milliseconds.
    pub(super) ms: u64,
    /// Something was asked that is not recorded.
    pub(super) missing: bool,
}

struct RecorderState {
    folder: PathBuf,
    /// What asks services; none answers from the record.
    client: Option<HttpsClient>,
    /// Part of every address, so that nobody else of this machine asks in our name.
    secret: String,
    sessions: Mutex<Vec<SessionState>>,
    /// Answers that are still being read.
    open_answers: watch::Sender<usize>,
}

#[derive(Default)]
struct SessionState {
    /// Where its service is.
    origin: String,
    answers: Vec<RecordedAnswer>,
    asked: BTreeMap<String, u32>,
    ms: u64,
    missing: bool,
}

fn recorder_error(error: impl ToString) -> UserError {
    UserError::new(ErrorCode::EvalRecorder).with("message", error.to_string())
}

impl Recorder {
    /// Starts to record into a folder what services answer, or to answer from it.
    pub(super) async fn start(folder: &Path, records: bool) -> Result<Self, UserError> {
        let client = match records {
            true => {
                std::fs::create_dir_all(folder).map_err(recorder_error)?;
                Some(https_client()?)
            }
            false => None,
        };
        let state = Arc::new(RecorderState {
            folder: folder.to_owned(),
            client,
            secret: hex::encode(rand::random::<[u8; 16]>()),
            sessions: Mutex::default(),
            open_answers: watch::Sender::new(0),
        });
        let listener = TcpListener::bind(("127.0.0.1", 0)).await;
        let listener = listener.map_err(recorder_error)?;
        let address = listener.local_addr().map_err(recorder_error)?;
        let router = Router::new().fallback(answer).with_state(state.clone());
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        tokio::spawn(async move {
            tokio::select! {
                served = axum::serve(listener.tap_io(|stream| drop(stream.set_nodelay(true))), router) => {
                    if let Err(error) = served {
                        tracing::warn!(%error, "the recorder ended");
                    }
                }
                () = stopped => {}
            }
        });
        Ok(Self {
            state,
            address,
            _stop: stop.drop_guard(),
        })
    }

    /// Begins a session with the service at an origin, whose record has this name below the folder.
    pub(super) fn open(&self, name: &str, origin: &str) -> Result<Session, UserError> {
        let mut session = SessionState {
            origin: origin.to_owned(),
            ..SessionState::default()
        };
        if self.state.client.is_none() {
            session.answers = self.state.read_record(name).map_err(recorder_error)?;
        }
        let mut sessions = self.state.sessions();
        sessions.push(session);
        Ok(Session {
            recorder: self.state.clone(),
            address: self.address,
            id: sessions.len() - 1,
            name: name.to_owned(),
        })
    }
}

fn https_client() -> Result<HttpsClient, UserError> {
    let ring = rustls::crypto::ring::default_provider;
    let builder = HttpsConnectorBuilder::new().with_provider_and_native_roots(ring());
    let builder = match builder {
        Ok(builder) => builder,
        // Without certificates a service over plain HTTP, such as one of this machine, is reached all the same.
        Err(error) => {
            tracing::warn!(%error, "the system's certificates could not be read");
            let none = rustls::ClientConfig::builder_with_provider(Arc::new(ring()))
                .with_safe_default_protocol_versions()
                .map_err(recorder_error)?
                .with_root_certificates(rustls::RootCertStore::empty())
                .with_no_client_auth();
            HttpsConnectorBuilder::new().with_tls_config(none)
        }
    };
    let connector = builder.https_or_http().enable_http1().build();
    Ok(Client::builder(TokioExecutor::new()).build(connector))
}

impl Session {
    /// Where to ask instead of at a service whose root has this path.
    pub(super) fn url(&self, path: &str) -> String {
        let (address, secret, id) = (self.address, &self.recorder.secret, self.id);
        format!("http://{address}/{secret}/{id}{path}")
    }

    /// Ends it, and writes its record where one is made.
    pub(super) async fn close(self) -> Result<SessionOutcome, UserError> {
        // The asker may be done before the last piece has come.
        let mut open = self.recorder.open_answers.subscribe();
        let all_read = open.wait_for(|open| *open == 0);
        if tokio::time::timeout(TAIL_TIMEOUT, all_read).await.is_err() {
            tracing::warn!(name = %self.name, "an answer has no end, and is not recorded");
        }
        let session = {
            let mut sessions = self.recorder.sessions();
            std::mem::take(&mut sessions[self.id])
        };
        if self.recorder.client.is_some() {
            self.recorder
                .write_record(&self.name, &session.answers)
                .map_err(recorder_error)?;
        }
        Ok(SessionOutcome {
            ms: session.ms,
            missing: session.missing,
        })
    }
}

impl RecorderState {
    fn sessions(&self) -> MutexGuard<'_, Vec<SessionState>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record_file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.jsonl"))
    }

    /// The record of a session; an empty one where there is none, so that its first question is missing.
    fn read_record(&self, name: &str) -> io::Result<Vec<RecordedAnswer>> {
        let file = self.record_file(name);
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let wrong = |error| io::Error::other(format!("{}: {error}", file.display()));
        let lines = text.lines().map(serde_json::from_str);
        lines.map(|line| line.map_err(wrong)).collect()
    }

    fn write_record(&self, name: &str, answers: &[RecordedAnswer]) -> io::Result<()> {
        let file = self.record_file(name);
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut text = String::new();
        for answer in answers {
            text.push_str(&serde_json::to_string(answer).map_err(io::Error::other)?);
            text.push('\n');
        }
        std::fs::write(file, text)
    }

    /// The session that a path names, and the rest of the path.
    fn session_of<'p>(&self, path: &'p str) -> Option<(usize, &'p str)> {
        let rest = path.strip_prefix('/')?.strip_prefix(&self.secret)?;
        let rest = rest.strip_prefix('/')?;
        let end = rest.find('/')?;
        let id: usize = rest[..end].parse().ok()?;
        (id < self.sessions().len()).then_some((id, &rest[end..]))
    }

    /// Answers from the record.
    fn replay(&self, id: usize, request: &str, nth: u32) -> Response<Body> {
        let mut sessions = self.sessions();
        let session = &mut sessions[id];
        let recorded = session
            .answers
            .iter()
            .find(|answer| answer.request == request && answer.nth == nth);
        let Some(recorded) = recorded else {
            session.missing = true;
            // No status after which one asks again.
            return plain(StatusCode::GONE, "this request is not recorded");
        };
        session.ms += recorded.ms;
        let mut response = Response::new(Body::from(recorded.body.clone()));
        *response.status_mut() = StatusCode::from_u16(recorded.status).unwrap_or(StatusCode::OK);
        if let Ok(kind) = recorded.content_type.parse() {
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
        }
        response
    }

    fn record(&self, id: usize, answer: RecordedAnswer) {
        let mut sessions = self.sessions();
        let session = &mut sessions[id];
        session.ms += answer.ms;
        session.answers.push(answer);
    }
}

fn plain(status: StatusCode, message: &str) -> Response<Body> {
    let body = serde_json::json!({"error": {"message": message}});
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    response
}

async fn answer(State(state): State<Arc<RecorderState>>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let Some((id, path)) = state.session_of(parts.uri.path()) else {
        return plain(StatusCode::NOT_FOUND, "no such session");
    };
    let path = match parts.uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let Ok(body) = axum::body::to_bytes(body, MAX_REQUEST_BYTES).await else {
        return plain(StatusCode::BAD_REQUEST, "the request was cut");
    };
    let request = request_hash(&path, &body);
    let (nth, origin) = {
        let mut sessions = state.sessions();
        let session = &mut sessions[id];
        let asked = session.asked.entry(request.clone()).or_default();
        *asked += 1;
        (*asked - 1, session.origin.clone())
    };
    let Some(client) = &state.client else {
        return state.replay(id, &request, nth);
    };
    let uri = format!("{origin}{path}");
    let forwarded = forward(client, &uri, parts.method, &parts.headers, body);
    let begun = Instant::now();
    let response = match forwarded.await {
        Ok(response) => response,
        Err(error) => {
            forget(&state, id, &request);
            return plain(StatusCode::BAD_GATEWAY, &error);
        }
    };
    let recorded = RecordedAnswer {
        request,
        nth,
        status: response.status().as_u16(),
        content_type: content_type(&response),
        ms: 0,
        body: String::new(),
    };
    tee(state, id, recorded, response, begun)
}

/// A request without an answer of its own is asked again under the same number.
fn forget(state: &RecorderState, id: usize, request: &str) {
    let mut sessions = state.sessions();
    if let Some(asked) = sessions[id].asked.get_mut(request) {
        *asked = asked.saturating_sub(1);
    }
}

fn content_type(response: &Response<Body>) -> String {
    let kind = response.headers().get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok());
    kind.unwrap_or_default().to_owned()
}

async fn forward(
    client: &HttpsClient,
    uri: &str,
    method: axum::http::Method,
    headers: &HeaderMap,
    body: Bytes,
) -> Result<Response<Body>, String> {
    let uri: Uri = uri
        .parse()
        .map_err(|error: axum::http::uri::InvalidUri| error.to_string())?;
    let mut request = Request::new(Body::from(body));
    (*request.method_mut(), *request.uri_mut()) = (method, uri);
    for (name, value) in headers {
        if !NOT_FORWARDED.contains(name) {
            request.headers_mut().append(name, value.clone());
        }
    }
    let answered = client.request(request).await;
    answered
        .map(|response| response.map(Body::new))
        .map_err(|error| error.to_string())
}

/// Hands an answer on as it comes, and records it once all of it has come. Recorded before the asker sees its end.
fn tee(
    state: Arc<RecorderState>,
    id: usize,
    mut recorded: RecordedAnswer,
    response: Response<Body>,
    begun: Instant,
) -> Response<Body> {
    let (parts, body) = response.into_parts();
    let (send, receive) = mpsc::channel::<io::Result<Bytes>>(16);
    state.open_answers.send_modify(|open| *open += 1);
    tokio::spawn(async move {
        let mut pieces = body.into_data_stream();
        let mut all = Vec::new();
        let mut whole = true;
        while let Some(piece) = pieces.next().await {
            match piece {
                Ok(piece) => {
                    all.extend_from_slice(&piece);
                    // Who has heard enough has its answer: the rest is read for the record.
                    drop(send.send(Ok(piece)).await);
                }
                Err(error) => {
                    whole = false;
                    drop(send.send(Err(io::Error::other(error.to_string()))).await);
                }
            }
        }
        recorded.ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        recorded.body = String::from_utf8_lossy(&all).into_owned();
        if whole && !is_passing(recorded.status) {
            state.record(id, recorded);
        } else {
            forget(&state, id, &recorded.request);
        }
        state.open_answers.send_modify(|open| *open -= 1);
        drop(send);
    });
    let pieces = futures::stream::unfold(receive, |mut receive| async move {
        Some((receive.recv().await?, receive))
    });
    let mut response = Response::new(Body::from_stream(pieces));
    *response.status_mut() = parts.status;
    for (name, value) in &parts.headers {
        if !NOT_FORWARDED.contains(name) {
            response.headers_mut().append(name, value.clone());
        }
    }
    response
}

/// What passes: it is asked again, and is no part of the record.
fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500..=599)
}
