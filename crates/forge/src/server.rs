//! Listening.

use std::fs::File;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::serve::ListenerExt;
use axum::{Router, middleware};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::actions::{merge, pulls};
use crate::error::ForgeError;
use crate::request_guard::{self, RequestGuard};
use crate::{Forge, bots, checks, faults, git_http, graphql, rest, shipped_accounts, store};

/// How long a stop waits for open requests.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(5);

/// A forge that listens; it stops when this is dropped.
#[derive(Debug)]
pub struct RunningForge {
    forge: Forge,
    addr: SocketAddr,
    cancellation: CancellationToken,
    server: Option<JoinHandle<()>>,
}

impl RunningForge {
    /// The address, with the real port.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The root of the REST API, such as `http://127.0.0.1:4000/api/v3`.
    pub fn api_url(&self) -> String {
        format!("{}/api/v3", self.git_url())
    }

    /// The GraphQL endpoint.
    pub fn graphql_url(&self) -> String {
        format!("{}/api/graphql", self.git_url())
    }

    /// The root of the repositories: `OWNER/NAME.git` goes below it.
    pub fn git_url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// What requests to the routes below `/_forge` carry as `X-Forge-Secret`: made anew for each run.
    pub fn secret(&self) -> &str {
        self.forge.control_secret().reveal()
    }

    /// The forge that is served.
    pub fn forge(&self) -> &Forge {
        &self.forge
    }

    /// Stops: open requests end (for at most 5 s), running checks are killed.
    pub async fn shutdown(mut self) {
        self.cancellation.cancel();
        if let Some(mut server) = self.server.take()
            && tokio::time::timeout(SHUTDOWN_GRACE, &mut server)
                .await
                .is_err()
        {
            server.abort();
        }
        self.forge.0.tasks.close();
        self.forge.0.tasks.wait().await;
        // A connection's task drops its clone of the forge a moment after the server has ended.
        let _ = self.forge.0.lock.unlock();
    }
}

impl Drop for RunningForge {
    fn drop(&mut self) {
        self.cancellation.cancel();
    }
}

/// Where a forge is served, and what opens its own routes there.
#[derive(Clone, Serialize, Deserialize)]
pub struct ForgeAddress {
    /// Such as `http://127.0.0.1:4000`.
    pub url: String,
    /// What requests carry as [`SECRET_HEADER`](crate::SECRET_HEADER).
    pub secret: String,
}

/// Where the forge of a root is served, if it is in use and its tokens are no secret. Only who may read the root's files
/// learns it.
///
/// Its own routes `POST /_forge/import` and `POST /_forge/pulls` do there what `Forge::import` and
/// `Forge::open_pr` cannot do from a second process.
pub fn running_address(root: &Path) -> Option<ForgeAddress> {
    let lock = File::open(root.join("forge.lock")).ok()?;
    match lock.try_lock() {
        Ok(()) => None,
        Err(_) => serde_json::from_slice(&std::fs::read(address_path(root)).ok()?).ok(),
    }
}

fn address_path(root: &Path) -> PathBuf {
    root.join("address.json")
}

impl Forge {
    /// Listens on a loopback address (port 0: any) and takes up what was cut off.
    pub async fn serve(&self, addr: SocketAddr) -> Result<RunningForge, ForgeError> {
        if !addr.ip().is_loopback() {
            return Err(ForgeError::NotLoopback(addr));
        }
        let listen_error = |source| ForgeError::Listen { addr, source };
        let listener = TcpListener::bind(addr).await.map_err(listen_error)?;
        let addr = listener.local_addr().map_err(listen_error)?;
        let base_url = format!("http://{addr}");
        self.write_address(&base_url)?;
        self.set_base_url(base_url);
        self.recover().await?;
        let cancellation = self.0.cancellation.clone();
        let router = router(self, addr);
        let server = tokio::spawn({
            let cancellation = cancellation.clone();
            async move {
                let served = axum::serve(
                    listener.tap_io(|stream| drop(stream.set_nodelay(true))),
                    router,
                )
                .with_graceful_shutdown(cancellation.cancelled_owned())
                .await;
                if let Err(error) = served {
                    tracing::error!(%error, "the forge stopped listening");
                }
            }
        });
        self.spawn(merge::watch_auto_merge(self.clone()));
        Ok(RunningForge {
            forge: self.clone(),
            addr,
            cancellation,
            server: Some(server),
        })
    }

    /// Says where it is served, in a file for its owner alone. Where tokens are secret, so is this: it stays in the process.
    fn write_address(&self, base_url: &str) -> Result<(), ForgeError> {
        if self.token_scheme().is_secret() {
            return Ok(());
        }
        let address = ForgeAddress {
            url: base_url.to_owned(),
            secret: self.control_secret().reveal().to_owned(),
        };
        let bytes = serde_json::to_vec(&address).expect("two texts are JSON");
        store::write_atomically(&address_path(self.root()), &bytes)
    }

    /// Takes up what a sudden end left undone: pushes that no pull request knows of, and checks.
    async fn recover(&self) -> Result<(), ForgeError> {
        for repo in self.repos() {
            let cell = self.repo_cell(&repo)?;
            let _refs = cell.refs.lock().await;
            pulls::sync_with_branches(self, &repo, shipped_accounts::GHOST).await?;
        }
        bots::resume(self);
        checks::resume(self)
    }
}

fn router(forge: &Forge, addr: SocketAddr) -> Router {
    let routes = Router::new()
        .merge(rest::router(forge).with_state(forge.clone()))
        .merge(graphql::routes(forge.clone()))
        .merge(bots::routes(forge.clone()))
        .layer(middleware::from_fn(rest::request::read_body_first))
        // What git sends may be of any size, and is handed on as it comes.
        .merge(git_http::router().with_state(forge.clone()));
    let guard = RequestGuard::new(addr, forge.control_secret().clone());
    // Before everything else: what is refused is not even counted.
    faults::with_request_gate(routes, forge.request_gate())
        .layer(middleware::from_fn_with_state(
            forge.clone(),
            faults::name_author,
        ))
        .layer(middleware::from_fn_with_state(
            guard,
            request_guard::guard_request,
        ))
}
