//! What an engine tells of itself, wherever it runs.

use super::journal::OpenError;
use collie_core::loop_state::LoopState;
use collie_engine::ports::StoreError;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Fuse};
use std::sync::Arc;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;

/// A change that an engine tells of.
#[derive(Clone, Debug)]
pub enum EngineChange {
    /// A loop is otherwise than before.
    Loop(Arc<LoopState>),
    /// More has changed than is kept for a slow listener: every loop is to be read anew.
    Missed,
    /// The journal of another process's engine could not be read; it is read again at the next look.
    Unreadable(StoreError),
    /// How loops that live elsewhere can be reached has changed, or whether they are paused.
    Standing,
    /// It has ended. Nothing follows.
    Ended(EngineEnd),
}

/// How an engine ended that nobody here shut down.
#[derive(Clone, Debug)]
pub enum EngineEnd {
    /// This process could not write its journal.
    Failed(StoreError),
    /// The other process has ended: who starts a client now takes over.
    OtherProcessEnded,
    /// It cannot be told whether the other process still runs it.
    OtherProcessUnknown(OpenError),
}

/// Returns once it is said how an engine ended; never where whoever would say it is gone.
pub(super) fn until_ended(
    said: &watch::Sender<Option<EngineEnd>>,
) -> BoxFuture<'static, EngineEnd> {
    let mut said = said.subscribe();
    async move {
        let ended = said.wait_for(Option::is_some).await.map(|end| end.clone());
        match ended {
            Ok(Some(end)) => end,
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }
    .boxed()
}

/// The changes of one engine from the moment that they were asked for.
pub struct EngineChanges {
    source: ChangeSource,
    end: Fuse<BoxFuture<'static, EngineEnd>>,
}

/// Where changes come from.
pub(super) enum ChangeSource {
    /// The engine of this process.
    Local(Receiver<Arc<LoopState>>),
    /// What is read of another one.
    Remote(Receiver<EngineChange>),
}

impl EngineChanges {
    pub(super) fn new(source: ChangeSource, end: BoxFuture<'static, EngineEnd>) -> Self {
        Self {
            source,
            end: end.fuse(),
        }
    }

    /// Returns the next change; what came before the end is told before it. Cancelling loses nothing.
    pub async fn next(&mut self) -> EngineChange {
        tokio::select! {
            biased;
            change = self.source.next() => change,
            end = &mut self.end => EngineChange::Ended(end),
        }
    }
}

impl ChangeSource {
    /// Returns the next change; waits for ever where none can come.
    async fn next(&mut self) -> EngineChange {
        let received = match self {
            ChangeSource::Local(changes) => changes.recv().await.map(EngineChange::Loop),
            ChangeSource::Remote(changes) => changes.recv().await,
        };
        match received {
            Ok(change) => change,
            Err(RecvError::Lagged(_)) => EngineChange::Missed,
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}
