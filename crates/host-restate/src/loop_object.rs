//! The object of a loop: its one writer.

use crate::effect_service::EffectServiceClient;
use crate::messages::{ClaimAnswer, Heartbeat, HeartbeatAnswer, LoopView, Timer, WriteClaim};
use crate::post_object::PostObjectClient;
use crate::reading_service::ReadingServiceClient;
use crate::runtime::Runtime;
use crate::session_service::SessionServiceClient;
use crate::stored_loop::{self, Bookkeeping, Outgoing, write_state};
use bytes::Bytes;
use collie_core::event::Event;
use collie_core::ids::Time;
use collie_core::loop_state::LoopState;
use collie_engine::apply_event;
use restate_sdk::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// Where the state lies.
const STATE: &str = "state";
/// Where the rest lies.
const BOOKKEEPING: &str = "bookkeeping";

/// The object of a loop. Every handler but the view holds its key alone, loads, decides nothing itself, stores and sends.
pub(crate) struct LoopObject(pub Arc<Runtime>);

#[restate_sdk::object(
    name = "CollieLoop",
    client_visibility = "pub(crate)",
    journal_retention = "0s",
    invocation_retry_policy(
        initial_interval = "50ms",
        factor = 2.0,
        max_interval = "5s",
        max_attempts = 1000000
    )
)]
impl LoopObject {
    /// Makes the loop; one that is there stays as it is.
    #[handler]
    async fn create(
        &self,
        ctx: ObjectContext<'_>,
        Json(state): Json<LoopState>,
    ) -> HandlerResult<()> {
        if read_state(&ctx).await?.is_some() {
            return Ok(());
        }
        let now = self.now(&ctx).await?;
        let mut books = Bookkeeping::default();
        let out = books.begin(&state, now);
        store(&ctx, &state, books)?;
        send_all(&ctx, out);
        Ok(())
    }

    /// Applies an event.
    #[handler]
    async fn apply(&self, ctx: ObjectContext<'_>, Json(event): Json<Event>) -> HandlerResult<()> {
        let Some(before) = read_state(&ctx).await? else {
            tracing::warn!(
                key = ctx.key(),
                event = event.name(),
                "of no loop that is known"
            );
            return Ok(());
        };
        let mut books = read_books(&ctx).await?;
        let now = self.now(&ctx).await?;
        let done = apply_event(&before, &event, now);
        let out = books.after_event(&event, &done, now);
        store(&ctx, &done.state, books)?;
        send_all(&ctx, out);
        Ok(())
    }

    /// A time has come that the loop had waited for.
    #[handler]
    async fn timer(&self, ctx: ObjectContext<'_>, Json(timer): Json<Timer>) -> HandlerResult<()> {
        let Some(state) = read_state(&ctx).await? else {
            return Ok(());
        };
        let mut books = read_books(&ctx).await?;
        let out = books.timer_came(&state, &timer);
        if !out.is_empty() {
            ctx.set(BOOKKEEPING, Json(books));
            send_all(&ctx, out);
        }
        Ok(())
    }

    /// A worker says that it has a session; it is told whether to go on.
    #[handler]
    async fn heartbeat(
        &self,
        ctx: ObjectContext<'_>,
        Json(heartbeat): Json<Heartbeat>,
    ) -> HandlerResult<Json<HeartbeatAnswer>> {
        let mut books = read_books(&ctx).await?;
        let answer = books.hear(&heartbeat);
        ctx.set(BOOKKEEPING, Json(books));
        Ok(Json(answer))
    }

    /// A worker wants to write something that must not be written twice.
    #[handler]
    async fn claim(
        &self,
        ctx: ObjectContext<'_>,
        Json(claim): Json<WriteClaim>,
    ) -> HandlerResult<Json<ClaimAnswer>> {
        let Some(state) = read_state(&ctx).await? else {
            return Ok(Json(ClaimAnswer {
                is_granted: false,
                earlier: None,
            }));
        };
        let mut books = read_books(&ctx).await?;
        let answer = books.claim(&state, claim);
        ctx.set(BOOKKEEPING, Json(books));
        Ok(Json(answer))
    }

    /// The loop as it stands.
    #[handler]
    async fn view(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<Option<LoopView>>> {
        let stored = ctx.get::<Bytes>(STATE).await?;
        let state = stored.map(|stored| stored_loop::read_state(&stored));
        let state = state.transpose()?;
        Ok(Json(state.map(|state| LoopView { state })))
    }
}

impl LoopObject {
    /// The time, which is the same however often the handler is replayed.
    async fn now(&self, ctx: &ObjectContext<'_>) -> Result<Time, TerminalError> {
        let clock = self.0.ports.clock.clone();
        let now = ctx.run(move || async move { Ok(Json(clock.now())) });
        Ok(now.name("now").await?.into_inner())
    }
}

async fn read_state(ctx: &ObjectContext<'_>) -> HandlerResult<Option<LoopState>> {
    // An error of ours, not of the SDK's reading: that would end the call, and with it what it brought.
    let stored = ctx.get::<Bytes>(STATE).await?;
    let state = stored.map(|stored| stored_loop::read_state(&stored));
    Ok(state.transpose()?)
}

async fn read_books(ctx: &ObjectContext<'_>) -> HandlerResult<Bookkeeping> {
    let stored = ctx.get::<Json<Bookkeeping>>(BOOKKEEPING).await?;
    Ok(stored.map(Json::into_inner).unwrap_or_default())
}

/// What is sent comes after it, so that whoever runs an effect finds it in the state.
fn store(ctx: &ObjectContext<'_>, state: &LoopState, books: Bookkeeping) -> HandlerResult<()> {
    ctx.set(STATE, write_state(state)?);
    ctx.set(BOOKKEEPING, Json(books));
    Ok(())
}

/// Sends what was decided, one-way. An effect is known by its own id: asked twice, it is run once.
fn send_all(ctx: &ObjectContext<'_>, out: Vec<Outgoing>) {
    for outgoing in out {
        match outgoing {
            Outgoing::Audit(entries) => {
                let client = ctx.service_client::<EffectServiceClient>();
                client.audit(Json(entries)).send();
            }
            Outgoing::Effect(request) => {
                let once = request.effect.to_string();
                let client = ctx.service_client::<EffectServiceClient>();
                client.run(Json(request)).idempotency_key(once).send();
            }
            Outgoing::Post(request) => {
                let once = request.effect.to_string();
                let client = ctx.object_client::<PostObjectClient>(ctx.key());
                client.post(Json(request)).idempotency_key(once).send();
            }
            Outgoing::Session { offer, after_ms } => {
                let once = format!("{}/{}", offer.effect, offer.attempt);
                let client = ctx.service_client::<SessionServiceClient>();
                let request = client.offer(Json(offer)).idempotency_key(once);
                request.send_after(Duration::from_millis(after_ms));
            }
            Outgoing::Timer { timer, after_ms } => {
                let client = ctx.object_client::<LoopObjectClient>(ctx.key());
                client
                    .timer(Json(timer))
                    .send_after(Duration::from_millis(after_ms));
            }
            Outgoing::Event(event) => {
                let client = ctx.object_client::<LoopObjectClient>(ctx.key());
                client.apply(Json(*event)).send();
            }
            Outgoing::Reading(request) => {
                let once = format!("{}/{}", ctx.key(), request.generation);
                let client = ctx.service_client::<ReadingServiceClient>();
                client.read(Json(request)).idempotency_key(once).send();
            }
        }
    }
}
