//! Sessions: reviews, fixes and all else that lasts. A worker takes one, says again and again that it has it, and answers with an event.
//! Nothing of it is a journalled step: one that goes on for half an hour would be cut off and repeated.

use crate::effect_span::{EffectSpan, seconds};
use crate::fleet_account::FleetAccount;
use crate::live_loop::LiveLoop;
use crate::loop_key::LoopKey;
use crate::messages::{EffectRequest, Heartbeat, SessionOffer};
use crate::runtime::Runtime;
use crate::travelling_commits::{self, TravelError};
use collie_core::event::Event;
use collie_engine::ports::SessionMeter;
use collie_engine::{TELEMETRY, panic_outcome, run_effect, wait_until_allowed};
use restate_sdk::prelude::*;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tracing::Instrument as _;

/// How often a worker says that it has a session: three times before it counts as silent.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(4);
/// How long a worker waits before it tries again to hand in an answer.
const ANSWER_INTERVAL: Duration = Duration::from_secs(2);

/// Offers sessions to workers.
pub(crate) struct SessionService(pub Arc<Runtime>);

#[restate_sdk::service(
    name = "CollieSessions",
    client_visibility = "pub(crate)",
    ingress_private = true
)]
impl SessionService {
    /// Takes a session: what it comes to is told later.
    #[handler]
    async fn offer(&self, _ctx: Context<'_>, Json(offer): Json<SessionOffer>) -> HandlerResult<()> {
        if self.0.stop.is_cancelled() {
            return Err(Stopping.into());
        }
        let runtime = self.0.clone();
        self.0.sessions.spawn(take(runtime, offer));
        Ok(())
    }
}

/// A worker that is about to end takes nothing.
#[derive(Debug, thiserror::Error)]
#[error("this worker is stopping")]
struct Stopping;

/// The account of a session, once it has begun.
type OpenAccount = Arc<OnceLock<Arc<FleetAccount>>>;

/// Has a session run to its end and answers for it, however that ends.
async fn take(runtime: Arc<Runtime>, offer: SessionOffer) {
    let account = OpenAccount::default();
    run_and_answer(&runtime, &account, offer).await;
    // Its loop has what it spent.
    if let Some(account) = account.get() {
        account.close().await;
    }
}

async fn run_and_answer(runtime: &Arc<Runtime>, account: &OpenAccount, offer: SessionOffer) {
    let key = LoopKey::from(offer.loop_id.clone());
    let cancel = runtime.stop.child_token();
    let _beating = AbortOnDropHandle::new(tokio::spawn(beat(
        runtime.clone(),
        key.clone(),
        offer.clone(),
        cancel.clone(),
    )));
    let work = tokio::spawn(work(
        runtime.clone(),
        account.clone(),
        offer.clone(),
        cancel.clone(),
    ));
    let answer = match work.await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => {
            // Nobody hears of it: it is offered again once it has been silent.
            tracing::warn!(%error, "a session could not begin");
            None
        }
        Err(_) => answer_for_panic(runtime, &offer).await,
    };
    let Some(event) = answer else { return };
    // Of this run alone: the same attempt may be made again after its loop was given back.
    let once = uuid::Uuid::new_v4().to_string();
    // What a stopped worker's session came to is told as well, where there is still time.
    loop {
        match runtime.ingress.apply(&key, event.clone(), &once).await {
            Ok(()) => return,
            Err(error) => tracing::warn!(%error, "an answer did not reach its loop"),
        }
        tokio::time::sleep(ANSWER_INTERVAL).await;
    }
}

async fn work(
    runtime: Arc<Runtime>,
    opened_account: OpenAccount,
    offer: SessionOffer,
    cancel: CancellationToken,
) -> Result<Option<Event>, TravelError> {
    let opened = LiveLoop::open(&runtime, EffectRequest::from(&offer), cancel.clone());
    let Some(live) = opened.await? else {
        return Ok(None);
    };
    let clock = &runtime.ports.clock;
    let effect_span = EffectSpan::begin(clock, &live.now(), live.entry(), offer.attempt);
    let worked = work_live(&runtime, (&offer, &opened_account), live, &cancel);
    let worked = worked.instrument(effect_span.span.clone()).await;
    effect_span.end(worked.as_ref().ok().and_then(Option::as_ref));
    worked
}

async fn work_live(
    runtime: &Arc<Runtime>,
    (offer, opened_account): (&SessionOffer, &OpenAccount),
    live: LiveLoop,
    cancel: &CancellationToken,
) -> Result<Option<Event>, TravelError> {
    let effect = &live.entry().effect;
    let asked = runtime.ports.clock.now();
    let slot = tokio::select! {
        biased;
        () = cancel.cancelled() => return Ok(None),
        slot = async {
            wait_until_allowed(&live, &offer.loop_id, effect).await;
            runtime.slots.acquire().await
        } => slot,
    };
    let waited = seconds(asked, runtime.ports.clock.now());
    tracing::event!(
        target: TELEMETRY,
        tracing::Level::INFO,
        histogram.collie.session.wait = waited,
        collie.effect_kind = effect.name(),
    );
    let _open = OpenSession::count();
    let state = live.now();
    let account = Arc::new(FleetAccount::open(runtime.clone(), offer, &state));
    let meter = SessionMeter::with_account(account.clone());
    // Nobody else has set it: each session is run once here.
    let _ = opened_account.set(account);
    travelling_commits::bring(runtime, &state, effect).await?;
    let event = run_effect(&live, &state, live.entry(), &meter, cancel).await;
    drop(slot);
    if let Some(event) = &event {
        // What took half an hour is not thrown away since the engine starts again.
        while let Err(error) = travelling_commits::keep(runtime, &state, effect, event).await {
            tracing::warn!(%error, "a commit was not kept");
            tokio::time::sleep(ANSWER_INTERVAL).await;
        }
    }
    Ok(event)
}

/// A session at work, counted as one until it ends.
struct OpenSession;

impl OpenSession {
    fn count() -> Self {
        tracing::event!(
            target: TELEMETRY,
            tracing::Level::INFO,
            counter.collie.sessions.open = 1_i64,
        );
        Self
    }
}

impl Drop for OpenSession {
    fn drop(&mut self) {
        tracing::event!(
            target: TELEMETRY,
            tracing::Level::INFO,
            counter.collie.sessions.open = -1_i64,
        );
    }
}

/// Says again and again that the session is under way, until it is not wanted from here any more.
async fn beat(runtime: Arc<Runtime>, key: LoopKey, offer: SessionOffer, cancel: CancellationToken) {
    loop {
        let heartbeat = Heartbeat {
            effect: offer.effect.clone(),
            attempt: offer.attempt,
            worker: Some(runtime.shown_name.clone()),
        };
        match runtime.ingress.heartbeat(&key, heartbeat).await {
            Ok(answer) if !answer.is_wanted => return cancel.cancel(),
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "a heartbeat did not reach its loop"),
        }
        tokio::time::sleep(HEARTBEAT_INTERVAL).await;
    }
}

/// A session that broke off by a fault of the program is a failed one: without an answer it would be given from worker to worker.
async fn answer_for_panic(runtime: &Arc<Runtime>, offer: &SessionOffer) -> Option<Event> {
    let cancel = CancellationToken::new();
    let opened = LiveLoop::open(runtime, EffectRequest::from(offer), cancel).await;
    let live = opened.ok()??;
    let outcome = panic_outcome(&live.entry().effect)?;
    Some(Event::answered(offer.effect.clone(), outcome))
}
