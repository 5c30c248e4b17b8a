//! Short effects, and lines of the audit log: run by whichever worker gets them.

use crate::effect_span::EffectSpan;
use crate::live_loop::LiveLoop;
use crate::loop_key::LoopKey;
use crate::messages::EffectRequest;
use crate::runtime::Runtime;
use crate::travelling_commits;
use collie_core::effect::Effect;
use collie_core::event::Event;
use collie_engine::ports::{AuditEntry, SessionMeter};
use collie_engine::run_effect;
use restate_sdk::prelude::*;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

/// Runs short effects.
pub(crate) struct EffectService(pub Arc<Runtime>);

/// An effect that another run of it has to answer.
#[derive(Debug, thiserror::Error)]
#[error("the effect was not answered: another run may have taken it over")]
pub(crate) struct NotAnswered;

#[restate_sdk::service(
    name = "CollieEffects",
    client_visibility = "pub(crate)",
    ingress_private = true,
    inactivity_timeout = "1h",
    abort_timeout = "1m"
)]
impl EffectService {
    /// Runs an effect and brings what it comes to to its loop.
    #[handler]
    async fn run(&self, ctx: Context<'_>, Json(asked): Json<EffectRequest>) -> HandlerResult<()> {
        let (runtime, key) = (self.0.clone(), LoopKey::from(asked.loop_id.clone()));
        let ran = ctx.run(move || async move { Ok(Json(run_short(&runtime, asked).await?)) });
        if let Some(event) = ran.name("effect").await?.into_inner() {
            ctx.request::<_, ()>(key.handler("apply"), Json(event))
                .send();
        }
        Ok(())
    }

    /// Writes lines of the audit log; a crash may have one written twice, never none.
    #[handler]
    async fn audit(
        &self,
        _ctx: Context<'_>,
        Json(entries): Json<Vec<AuditEntry>>,
    ) -> HandlerResult<()> {
        for entry in &entries {
            self.0.journal.audit(entry).await?;
        }
        Ok(())
    }
}

/// Runs an effect to the event that answers it; none where nobody wants it any more.
pub(crate) async fn run_short(
    runtime: &Arc<Runtime>,
    asked: EffectRequest,
) -> HandlerResult<Option<Event>> {
    let cancel = CancellationToken::new();
    let opened = LiveLoop::open(runtime, asked, cancel).await?;
    let Some(live) = opened else {
        return Ok(None);
    };
    let clock = &runtime.ports.clock;
    let effect_span = EffectSpan::begin(clock, &live.now(), live.entry(), 1);
    let ran = run_opened(runtime, live).instrument(effect_span.span.clone());
    let ran = ran.await;
    effect_span.end(ran.as_ref().ok().and_then(Option::as_ref));
    ran
}

async fn run_opened(runtime: &Arc<Runtime>, mut live: LiveLoop) -> HandlerResult<Option<Event>> {
    match &live.entry().effect {
        Effect::Post(_) => live.take_over_write().await?,
        Effect::RerunChecks(_) => {
            live.take_over_write().await?;
            if !live.claim_write().await? {
                return Err(NotAnswered.into());
            }
        }
        _ => {}
    }
    let (state, meter) = (live.now(), SessionMeter::default());
    let effect = &live.entry().effect;
    travelling_commits::bring(runtime, &state, effect).await?;
    let event = run_effect(&live, &state, live.entry(), &meter, live.cancel()).await;
    if let Some(event) = &event {
        travelling_commits::keep(runtime, &state, effect, event).await?;
    }
    if event.is_none() && !live.cancel().is_cancelled() {
        return Err(NotAnswered.into());
    }
    Ok(event)
}
