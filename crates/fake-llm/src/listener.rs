//! What every fake here does: it listens on loopback until it is dropped.

use axum::Router;
use axum::serve::ListenerExt;
use std::net::SocketAddr;
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Serves on a free port of loopback until the guard is dropped.
///
/// # Panics
///
/// When loopback gives no port.
pub(crate) async fn listen(router: Router) -> (SocketAddr, DropGuard) {
    let listener = TcpListener::bind(("127.0.0.1", 0))
        .await
        .expect("loopback has a free port");
    let addr = listener.local_addr().expect("it is bound");
    let stop = CancellationToken::new();
    let stopped = stop.clone().cancelled_owned();
    tokio::spawn(async move {
        tokio::select! {
            // It ends only with its listener; and the tests see that nothing answers any more.
            _ = axum::serve(listener.tap_io(|stream| drop(stream.set_nodelay(true))), router) => {}
            () = stopped => {}
        }
    });
    (addr, stop.drop_guard())
}
