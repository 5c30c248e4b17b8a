//! The server.

use crate::asked::{Asked, Format};
use crate::reply::{Kind, Reply};
use crate::wire::{End, events};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response, StatusCode, Uri};
use bytes::Bytes;
use futures::stream::{self, Stream, StreamExt};
use serde_json::{Value, json};
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

type Script = dyn Fn(&Asked) -> Reply + Send + Sync;

/// A language model that says what a script tells it to.
#[derive(Debug)]
pub struct FakeLlm;

impl FakeLlm {
    /// Listens on a free port of loopback.
    ///
    /// # Panics
    ///
    /// When loopback gives no port.
    pub async fn serve(script: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Running {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("loopback has a free port");
        let addr = listener.local_addr().expect("it is bound");
        let desk = Arc::new(Desk {
            script: Box::new(script),
            asked: Mutex::default(),
            hung_up: watch::Sender::new(0),
        });
        let router = Router::new().fallback(answer).with_state(desk.clone());
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        tokio::spawn(async move {
            tokio::select! {
                // It ends only with its listener; and the tests see that nothing answers any more.
                _ = axum::serve(listener, router) => {}
                () = stopped => {}
            }
        });
        Running {
            addr,
            desk,
            _stop: stop.drop_guard(),
        }
    }
}

/// A model that listens; it stops when this is dropped.
#[derive(Debug)]
pub struct Running {
    addr: SocketAddr,
    desk: Arc<Desk>,
    _stop: DropGuard,
}

impl Running {
    /// The address to give to any provider, such as `http://127.0.0.1:4000/v1`.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.addr)
    }

    /// Every request so far, in order.
    pub fn asked(&self) -> Vec<Asked> {
        self.desk.read().clone()
    }

    /// How many requests there were.
    pub fn count(&self) -> usize {
        self.desk.read().len()
    }

    /// Waits until that many askers have hung up before their answer's end.
    pub async fn hung_up(&self, times: usize) {
        let mut hung_up = self.desk.hung_up.subscribe();
        hung_up
            .wait_for(|seen| *seen >= times)
            .await
            .expect("the sender lives as long as this");
    }
}

struct Desk {
    script: Box<Script>,
    asked: Mutex<Vec<Asked>>,
    hung_up: watch::Sender<usize>,
}

impl Desk {
    fn read(&self) -> std::sync::MutexGuard<'_, Vec<Asked>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, uri: &Uri, headers: &HeaderMap, body: &[u8]) -> Result<Asked, String> {
        let format = Format::of(uri.path()).ok_or("no such path")?;
        let body: Value = serde_json::from_slice(body).map_err(|e| e.to_string())?;
        if format != Format::Gemini && body["stream"] != true {
            return Err("only streamed answers are scripted".to_owned());
        }
        let headers = headers.iter().map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes());
            (name.as_str().to_owned(), value.into_owned())
        });
        let headers = headers.collect();
        let mut all = self.read();
        let asked = Asked::read(all.len() + 1, format, uri.path(), headers, body);
        all.push(asked.clone());
        Ok(asked)
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk")
            .field("asked", &self.asked)
            .finish_non_exhaustive()
    }
}

async fn answer(
    State(desk): State<Arc<Desk>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let asked = match desk.take(&uri, &headers, &body) {
        Ok(asked) => asked,
        Err(message) => return whole(404, &[], json!({"error": {"message": message}}).to_string()),
    };
    let reply = (desk.script)(&asked);
    if let Kind::Status { status, body } = reply.kind {
        return whole(status, &reply.headers, body);
    }
    let (events, end) = events(&asked, &reply);
    let tail = match end {
        End::Whole => stream::empty().boxed(),
        End::Broken => stream::once(async {
            // What was said so far goes out first.
            tokio::task::yield_now().await;
            Err(io::ErrorKind::ConnectionReset.into())
        })
        .boxed(),
        End::Silence => stream::pending().boxed(),
    };
    let heard = stream::iter(events.into_iter().map(|event| Ok(Bytes::from(event))));
    let body = Told {
        events: heard.chain(tail).boxed(),
        over: false,
        desk,
    };
    let mut response = Response::new(Body::from_stream(body));
    fill(&mut response, "text/event-stream", &reply.headers);
    response
}

fn whole(status: u16, headers: &[(&'static str, String)], body: String) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).expect("the script names a status");
    fill(&mut response, "application/json", headers);
    response
}

fn fill(response: &mut Response<Body>, kind: &str, headers: &[(&'static str, String)]) {
    let all = headers.iter().map(|(name, value)| (*name, value.as_str()));
    for (name, value) in [("content-type", kind)].into_iter().chain(all) {
        let value = value.parse().expect("the script names a header's value");
        response.headers_mut().insert(name, value);
    }
}

type Events = Pin<Box<dyn Stream<Item = io::Result<Bytes>> + Send>>;

/// A body that notices when nobody listens any more.
struct Told {
    events: Events,
    over: bool,
    desk: Arc<Desk>,
}

impl Stream for Told {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = self.events.as_mut().poll_next(cx);
        self.over |= matches!(next, Poll::Ready(None | Some(Err(_))));
        next
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        if !self.over {
            self.desk.hung_up.send_modify(|seen| *seen += 1);
        }
    }
}
