//! Listening: connections that send in time, and an end that waits for what is being answered.

use crate::guard::guard;
use crate::options::ServerOptions;
use crate::peer::Peer;
use crate::state::ServerState;
use crate::{accounts, api, events, mcp, monitoring, openapi, pages, rpc, runners, webhooks};
use axum::middleware::from_fn_with_state;
use axum::routing::{any, get, post, put};
use axum::{Extension, Router};
use collie_app::backend::Backend;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

/// How long the head of a request may take.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Connections at once; who comes later waits.
const MAX_CONNECTIONS: usize = 2_048;
/// How long an end waits for what is being answered.
const STOP_TIMEOUT: Duration = Duration::from_secs(8);
/// After a connection could not be taken, as when there are no descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves a backend, whose engine runs here, to a team.
pub struct Server {
    state: Arc<ServerState>,
}

impl Server {
    /// Sets a server up. Nothing is listened on yet.
    ///
    /// Call it inside a tokio runtime.
    pub fn new(options: ServerOptions, backend: Backend) -> Self {
        Self {
            state: ServerState::new(options, backend),
        }
    }

    /// Serves until `stop` returns. Then nothing new is taken, streams are ended, what is being answered is waited for, a bounded time.
    pub async fn serve(self, listener: TcpListener, stop: impl Future<Output = ()>) {
        let router = router(&self.state);
        let connections = TaskTracker::new();
        let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let sweeping = self.state.clone();
        let sweeper = tokio::spawn(async move { sweeping.limits.sweep().await });
        tokio::pin!(stop);
        loop {
            let taken = tokio::select! {
                () = &mut stop => break,
                taken = accept(&listener, &room) => taken,
            };
            let Some((stream, peer, permit)) = taken else {
                continue;
            };
            let answering = answer(self.state.clone(), router.clone(), stream, peer);
            connections.spawn(async move {
                answering.await;
                drop(permit);
            });
        }
        drop(listener);
        self.state.stopping.cancel();
        sweeper.abort();
        connections.close();
        if tokio::time::timeout(STOP_TIMEOUT, connections.wait())
            .await
            .is_err()
        {
            tracing::warn!("some requests were not answered in time");
        }
    }
}

type Taken = (TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit);

async fn accept(listener: &TcpListener, room: &Arc<Semaphore>) -> Option<Taken> {
    let permit = room.clone().acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => {
            // An update of a stream is small, and would wait for the answer to the one before, 40 ms on Linux.
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "a connection sends in its own time");
            }
            Some((stream, peer, permit))
        }
        Err(error) => {
            tracing::warn!(%error, "a connection could not be taken");
            tokio::time::sleep(ACCEPT_PAUSE).await;
            None
        }
    }
}

/// Answers what comes over one connection.
async fn answer(state: Arc<ServerState>, router: Router, stream: TcpStream, peer: SocketAddr) {
    let service = TowerToHyperService::new(router.layer(Extension(Peer(peer))));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = state.stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke off");
    }
}

fn router(state: &Arc<ServerState>) -> Router {
    Router::new()
        .route("/rpc", post(rpc::rpc))
        .route("/events", get(events::events))
        .route("/pr/{owner}/{repo}/{number}/event", post(api::event))
        .route("/pr/{owner}/{repo}/{number}/status", get(api::status))
        .route("/accounts", get(accounts::list))
        .route(
            "/accounts/{login}",
            put(accounts::put).delete(accounts::delete),
        )
        .route("/runners/claim", post(runners::claim))
        .route(
            "/pr/{owner}/{repo}/{number}/session",
            post(runners::hand_in),
        )
        .route(
            "/pr/{owner}/{repo}/{number}/session/heartbeat",
            post(runners::heartbeat),
        )
        .route(
            "/pr/{owner}/{repo}/{number}/session/{session}/bundle",
            get(runners::bundle),
        )
        .route("/webhooks/github", post(webhooks::github))
        .route("/mcp", any(mcp::mcp))
        .route("/metrics", get(monitoring::metrics))
        .route("/healthz", get(pages::healthz))
        .route("/readyz", get(pages::readyz))
        .route("/openapi.json", get(openapi::openapi))
        .fallback(pages::page)
        .layer(from_fn_with_state(state.clone(), guard))
        .with_state(state.clone())
}
