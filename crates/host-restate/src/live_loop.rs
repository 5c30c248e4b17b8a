//! One effect of a loop that is kept elsewhere: the host that `collie_engine::run_effect` asks.

use crate::ingress::IngressError;
use crate::loop_key::LoopKey;
use crate::messages::{AskedLoop, ClaimAnswer, EffectRequest, WriteClaim};
use crate::runtime::Runtime;
use async_trait::async_trait;
use collie_core::effect::Effect;
use collie_core::event::Event;
use collie_core::ids::{EffectId, LoopId, Time};
use collie_core::loop_state::LoopState;
use collie_engine::ports::{OutboxEntry, RenderedPost};
use collie_engine::{EffectHost, EffectPorts, EngineConfig, SendPermit};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast;
use tokio_util::sync::{CancellationToken, DropGuard};

/// How often it is looked whether the loop still wants the effect.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// How long a claimed post may be sent. Who takes over looks for it no sooner than [`DOUBT_DELAY_MS`] later.
const SEND_PERMIT_MS: u64 = 4_000;
/// How long after a doubtful write it is first looked for, and again: longer than anybody else may still send it.
pub(crate) const DOUBT_DELAY_MS: u64 = 5_000;

/// One run of one effect.
pub(crate) struct LiveLoop {
    runtime: Arc<Runtime>,
    key: LoopKey,
    entry: OutboxEntry,
    /// The name of this run among all of the effect.
    run: String,
    shown: Arc<ShownLoop>,
    /// Cancelled once the loop does not want the effect any more.
    cancel: CancellationToken,
    /// Ends the looking.
    _looking: DropGuard,
}

/// The loop as last looked at.
struct ShownLoop {
    state: Mutex<Arc<LoopState>>,
    changed: broadcast::Sender<Arc<LoopState>>,
}

impl ShownLoop {
    fn state(&self) -> Arc<LoopState> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.clone()
    }

    fn show(&self, state: LoopState) {
        let new = Arc::new(state);
        let mut shown = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if **shown != *new {
            *shown = new.clone();
            drop(shown);
            // Nobody may be listening.
            let _ = self.changed.send(new);
        }
    }
}

impl AskedLoop {
    /// The state, where it is no older than one that was looked at may become.
    fn fresh_state(self, now: Time) -> Option<LoopState> {
        let age = Duration::from_millis(now.since(self.at));
        // Where clocks differ it is not known how old it is.
        (self.at <= now && age < LOOK_INTERVAL).then_some(*self.state)
    }
}

impl LiveLoop {
    /// Looks at the loop of an effect, unless it was sent along a moment ago. None: it does not want it any more.
    ///
    /// # Errors
    /// The ingress does not answer.
    pub async fn open(
        runtime: &Arc<Runtime>,
        request: EffectRequest,
        cancel: CancellationToken,
    ) -> Result<Option<Self>, IngressError> {
        let EffectRequest {
            loop_id,
            effect,
            asked,
        } = request;
        let key = LoopKey::from(loop_id.clone());
        let state = match asked.and_then(|asked| asked.fresh_state(runtime.ports.clock.now())) {
            Some(state) => Some(state),
            None => runtime.ingress.view(&key).await?.map(|view| view.state),
        };
        let Some(state) = state else {
            return Ok(None);
        };
        let Some(asked) = state.outbox.effects.get(&effect) else {
            return Ok(None);
        };
        let entry = OutboxEntry {
            loop_id,
            id: effect.clone(),
            effect: asked.clone(),
            sending: None,
            in_doubt: false,
        };
        let shown = Arc::new(ShownLoop {
            state: Mutex::new(Arc::new(state)),
            changed: broadcast::channel(16).0,
        });
        let looking = CancellationToken::new();
        let look = look_again(
            (runtime.clone(), key.clone(), effect),
            shown.clone(),
            cancel.clone(),
        );
        tokio::spawn(looking.clone().run_until_cancelled_owned(look));
        Ok(Some(Self {
            runtime: runtime.clone(),
            key,
            entry,
            run: uuid::Uuid::new_v4().to_string(),
            shown,
            cancel,
            _looking: looking.drop_guard(),
        }))
    }

    /// Takes over what another run of the same effect may have written: that one writes nothing more, and this one looks first (§8.2).
    pub async fn take_over_write(&mut self) -> Result<(), IngressError> {
        let claimed = self.claim(None, true).await?;
        if let Some(earlier) = claimed.earlier {
            self.entry.in_doubt = true;
            self.entry.sending = earlier.body;
        }
        Ok(())
    }

    /// Says that this run is about to write something without a body; whether it may.
    pub async fn claim_write(&self) -> Result<bool, IngressError> {
        Ok(self.claim(None, false).await?.is_granted)
    }

    async fn claim(
        &self,
        body: Option<RenderedPost>,
        takes_over: bool,
    ) -> Result<ClaimAnswer, IngressError> {
        let claim = WriteClaim {
            effect: self.entry.id.clone(),
            run: self.run.clone(),
            body,
            takes_over,
        };
        self.runtime.ingress.claim(&self.key, claim).await
    }

    /// The effect.
    pub fn entry(&self) -> &OutboxEntry {
        &self.entry
    }

    /// The loop as last looked at.
    pub fn now(&self) -> Arc<LoopState> {
        self.shown.state()
    }

    /// Cancelled once the loop does not want the effect any more.
    pub fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }
}

/// Looks at a loop again and again, until it does not want an effect any more.
async fn look_again(
    (runtime, key, effect): (Arc<Runtime>, LoopKey, EffectId),
    shown: Arc<ShownLoop>,
    cancel: CancellationToken,
) {
    loop {
        tokio::time::sleep(LOOK_INTERVAL).await;
        match runtime.ingress.view(&key).await {
            Ok(Some(view)) => {
                let is_wanted = view.state.outbox.effects.contains_key(&effect);
                shown.show(view.state);
                if !is_wanted {
                    return cancel.cancel();
                }
            }
            Ok(None) => return cancel.cancel(),
            Err(error) => tracing::warn!(%error, "the loop of an effect could not be looked at"),
        }
    }
}

#[async_trait]
impl EffectHost for LiveLoop {
    fn ports(&self) -> &EffectPorts {
        &self.runtime.ports
    }

    fn config(&self) -> &EngineConfig {
        &self.runtime.config
    }

    fn state(&self, id: &LoopId) -> Option<Arc<LoopState>> {
        (*id == self.entry.loop_id).then(|| self.now())
    }

    fn may_do(&self, id: &LoopId, effect: &Effect) -> bool {
        self.state(id).is_none_or(|state| state.may_do(effect))
    }

    fn changes(&self) -> broadcast::Receiver<Arc<LoopState>> {
        self.shown.changed.subscribe()
    }

    fn submit_event(&self, _id: &LoopId, event: Event) {
        let (runtime, key) = (self.runtime.clone(), self.key.clone());
        let once = uuid::Uuid::new_v4().to_string();
        tokio::spawn(async move {
            // It only tells people why something waits, and is told again.
            if let Err(error) = runtime.ingress.apply(&key, event, &once).await {
                tracing::warn!(%error, "a remark did not reach its loop");
            }
        });
    }

    async fn mark_sending(
        &self,
        _effect: &EffectId,
        rendered: &RenderedPost,
    ) -> Option<SendPermit> {
        // Taken before the claim is: whoever takes over waits from after it.
        let until = self.runtime.ports.clock.now().plus(SEND_PERMIT_MS);
        match self.claim(Some(rendered.clone()), false).await {
            Ok(claimed) => claimed
                .is_granted
                .then_some(SendPermit { until: Some(until) }),
            Err(error) => {
                tracing::warn!(%error, "a post could not be claimed");
                None
            }
        }
    }

    /// Sessions of a loop run wherever they were taken; each ends its children before it ends.
    fn is_working(&self, _id: &LoopId) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stored_loop::tests::state;

    #[test]
    fn a_loop_that_was_sent_along_is_not_looked_at_for_as_long_as_one_that_was_looked_at() {
        let asked = || AskedLoop {
            at: Time(10_000),
            state: Box::new(state()),
        };
        assert_eq!(asked().fresh_state(Time(10_999)), Some(state()));
        assert_eq!(asked().fresh_state(Time(11_000)), None);
        assert_eq!(asked().fresh_state(Time(9_999)), None, "clocks differ");
    }
}
