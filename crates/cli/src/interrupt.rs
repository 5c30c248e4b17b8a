//! Ctrl-C and its like.

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens for being asked to end, from when it is made: what comes while nobody waits is remembered.
pub struct Interrupt {
    #[cfg(unix)]
    signals: Vec<Signal>,
}

impl Interrupt {
    /// Begins to listen: Ctrl-C, and SIGTERM where there is one.
    pub fn listen() -> Self {
        #[cfg(unix)]
        {
            let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
            let listened = kinds.into_iter().map(signal);
            let signals = listened
                .filter_map(|listened| {
                    listened
                        .inspect_err(
                            |error| tracing::warn!(%error, "a signal cannot be listened for"),
                        )
                        .ok()
                })
                .collect();
            Self { signals }
        }
        #[cfg(not(unix))]
        Self {}
    }

    /// Returns once the process has been asked to end.
    pub async fn wait(&mut self) {
        #[cfg(unix)]
        std::future::poll_fn(|context| {
            let asked = self
                .signals
                .iter_mut()
                .any(|signal| signal.poll_recv(context).is_ready());
            if asked {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
        #[cfg(not(unix))]
        drop(tokio::signal::ctrl_c().await);
    }
}
