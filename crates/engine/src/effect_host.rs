//! What effects ask of whoever keeps their loops: the engine of this crate, or another host of `core::step`.

use crate::engine_config::EngineConfig;
use crate::engine_ports::EffectPorts;
use crate::ports::{Clock, GitRemote, PullRef, RenderedPost};
use async_trait::async_trait;
use collie_core::effect::Effect;
use collie_core::event::Event;
use collie_core::ids::{EffectId, LoopId, Time};
use collie_core::loop_state::LoopState;
use collie_core::trust::RepositoryTrust;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use tokio::sync::broadcast;

/// Who keeps the loops that effects are run for.
#[async_trait]
pub trait EffectHost: Send + Sync {
    /// What effects reach the outside by.
    fn ports(&self) -> &EffectPorts;

    /// How long things may take.
    fn config(&self) -> &EngineConfig;

    /// A loop as it stands now, as far as the host knows; none once it is gone.
    fn state(&self, id: &LoopId) -> Option<Arc<LoopState>>;

    /// Whether an effect of a loop may be done now.
    fn may_do(&self, id: &LoopId, effect: &Effect) -> bool;

    /// Every change of a loop from now on, and of what may be done.
    fn changes(&self) -> broadcast::Receiver<Arc<LoopState>>;

    /// Brings an event to its loop.
    fn submit_event(&self, id: &LoopId, event: Event);

    /// Stores the body of a post that is about to be sent; durable on return (§8.2). None: nothing may be sent from here.
    async fn mark_sending(&self, effect: &EffectId, rendered: &RenderedPost) -> Option<SendPermit>;

    /// Whether sessions of a loop may still write into its worktrees.
    fn is_working(&self, id: &LoopId) -> bool;
}

/// The right to send one post.
#[derive(Clone, Copy, Debug, Default)]
pub struct SendPermit {
    /// From then on somebody else may take it over; none where nobody can.
    pub until: Option<Time>,
}

impl SendPermit {
    /// What `work` comes to; none once the permit has run out. That is looked at each time before the work goes on: a process that was
    /// frozen meanwhile sends nothing more.
    pub(crate) async fn hold<T>(
        self,
        clock: &dyn Clock,
        work: impl Future<Output = T>,
    ) -> Option<T> {
        let Some(until) = self.until else {
            return Some(work.await);
        };
        let mut work = pin!(work);
        let watched = poll_fn(|context| match clock.now() >= until {
            true => Poll::Ready(None),
            false => work.as_mut().poll(context).map(Some),
        });
        tokio::select! {
            biased;
            () = clock.sleep_until(until) => None,
            done = watched => done,
        }
    }
}

/// The pull request of a loop.
pub fn pull_ref(state: &LoopState) -> PullRef {
    PullRef {
        id: state.id.clone(),
        repo: state.pull.repo.clone(),
    }
}

/// Where the head branch of a loop lives.
pub fn remote(ports: &EffectPorts, state: &LoopState) -> GitRemote {
    let url = ports.github.git_url(&state.pull.repo);
    let head = state.run.head.repo.as_ref();
    let head_url = head.map_or_else(|| url.clone(), |head| ports.github.git_url(head));
    GitRemote {
        head_url,
        url,
        branch: state.pull.head_ref.clone(),
        // Before the first snapshot nothing is known of it, and nothing asked of git.
        deleted_fork: head.is_none().then_some(state.id.number),
    }
}

/// What the user lets Collie run for a loop right now: a decision may have come since an effect began.
pub(crate) fn trust_of(host: &dyn EffectHost, state: &LoopState) -> RepositoryTrust {
    let now = host.state(&state.id);
    now.map_or_else(|| state.trust.clone(), |now| now.trust.clone())
}

#[cfg(test)]
mod tests {
    use super::SendPermit;
    use crate::ports::Clock;
    use async_trait::async_trait;
    use collie_core::ids::{RunId, Time};
    use std::future::{pending, ready};
    use std::sync::Mutex;

    /// A process that is frozen for a second whenever it looks at the clock.
    #[derive(Default)]
    struct FreezingClock(Mutex<Time>);

    #[async_trait]
    impl Clock for FreezingClock {
        fn now(&self) -> Time {
            let mut now = self.0.lock().expect("nobody panics");
            *now = now.plus(1_000);
            *now
        }

        async fn sleep_until(&self, _time: Time) {
            pending().await
        }

        fn jitter(&self) -> u16 {
            0
        }

        fn run_id(&self) -> RunId {
            RunId::new("run")
        }
    }

    #[tokio::test]
    async fn a_process_that_thaws_after_its_permit_sends_nothing() {
        let clock = FreezingClock::default();
        let until = |time| SendPermit {
            until: Some(Time(time)),
        };
        assert_eq!(until(1_001).hold(&clock, ready("sent")).await, Some("sent"));
        assert_eq!(until(2_000).hold(&clock, ready("sent")).await, None);
        let forever = SendPermit::default();
        assert_eq!(forever.hold(&clock, ready("sent")).await, Some("sent"));
    }
}
