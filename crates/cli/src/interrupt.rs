//! Ctrl-C and its like.

use std::task::{Context, Poll};

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};

/// Listens for being asked to end, from when it is made: what comes while nobody waits is remembered.
pub struct Interrupt {
    requests: Requests,
}

impl Interrupt {
    /// Begins to listen: Ctrl-C, and SIGTERM where there is one; on Windows Ctrl-Break and the end of the console too.
    pub fn listen() -> Self {
        Self {
            requests: Requests::listen(),
        }
    }

    /// Returns once the process has been asked to end.
    pub async fn wait(&mut self) {
        std::future::poll_fn(|context| {
            if self.requests.is_asked(context) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }
}

/// What could be listened for, or none, which is said.
fn listened<T>(what: std::io::Result<T>) -> Option<T> {
    what.inspect_err(|error| tracing::warn!(%error, "a signal cannot be listened for"))
        .ok()
}

#[cfg(unix)]
struct Requests(Vec<Signal>);

#[cfg(unix)]
impl Requests {
    fn listen() -> Self {
        let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
        Self(kinds.into_iter().map(signal).filter_map(listened).collect())
    }

    fn is_asked(&mut self, context: &mut Context<'_>) -> bool {
        let mut signals = self.0.iter_mut();
        signals.any(|signal| signal.poll_recv(context).is_ready())
    }
}

#[cfg(windows)]
struct Requests {
    interrupt: Option<CtrlC>,
    break_key: Option<CtrlBreak>,
    close: Option<CtrlClose>,
}

#[cfg(windows)]
impl Requests {
    fn listen() -> Self {
        Self {
            interrupt: listened(ctrl_c()),
            break_key: listened(ctrl_break()),
            close: listened(ctrl_close()),
        }
    }

    fn is_asked(&mut self, context: &mut Context<'_>) -> bool {
        let Self {
            interrupt,
            break_key,
            close,
        } = self;
        let interrupt = interrupt.as_mut().map(|it| it.poll_recv(context));
        let break_key = break_key.as_mut().map(|it| it.poll_recv(context));
        let close = close.as_mut().map(|it| it.poll_recv(context));
        let mut all = [interrupt, break_key, close].into_iter().flatten();
        all.any(|asked| asked.is_ready())
    }
}
