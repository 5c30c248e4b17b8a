//! The object of a loop: its one writer.

use crate::branch_object::BranchObjectClient;
use crate::change_object::ChangeObjectClient;
use crate::effect_service::EffectServiceClient;
use crate::fleet_object::FleetObjectClient;
use crate::loop_key::LoopKey;
use crate::loop_span;
use crate::messages::{
    Adoption, ClaimAnswer, FleetEntry, Heartbeat, HeartbeatAnswer, LoopView, SessionTaken,
    SlotRequest, Timer, WriteClaim,
};
use crate::outgoing::{Outgoing, SharedMessage};
use crate::post_object::PostObjectClient;
use crate::read_queue_object::ReadQueueObjectClient;
use crate::runtime::Runtime;
use crate::session_admission::Grant;
use crate::session_service::SessionServiceClient;
use crate::slot_object::SlotObjectClient;
use crate::stored_loop::Bookkeeping;
use crate::stored_state::{self, write_state};
use bytes::Bytes;
use collie_core::event::Event;
use collie_core::ids::Time;
use collie_core::loop_state::LoopState;
use collie_engine::apply_event;
use collie_engine::ports::{Adopted, LookReason, ReleasedLoop};
use restate_sdk::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// Where the state lies.
const STATE: &str = "state";
/// Where the rest lies.
const BOOKKEEPING: &str = "bookkeeping";
/// What is told where something cannot be done as things stand.
const CONFLICT: u16 = 409;

/// Where the loop lies that was given back, until it is written down there.
const RELEASED: &str = "released";

/// The object of a loop. Every handler but the view holds its key alone, loads, decides nothing itself, stores and sends.
pub(crate) struct LoopObject(pub Arc<Runtime>);

#[restate_sdk::object(name = "CollieLoop", client_visibility = "pub(crate)")]
impl LoopObject {
    /// Makes the loop; one that is there stays as it is.
    #[handler]
    async fn create(
        &self,
        ctx: ObjectContext<'_>,
        Json(state): Json<LoopState>,
    ) -> HandlerResult<Json<u64>> {
        if read_state(&ctx).await?.is_some() {
            return Ok(Json(self.books(&ctx).await?.version()));
        }
        if ctx.get::<Bytes>(RELEASED).await?.is_some() {
            return Err(TerminalError::new_with_code(CONFLICT, "the loop is being moved").into());
        }
        let now = self.now(&ctx).await?;
        let entry = FleetEntry {
            key: LoopKey::from(state.id.clone()),
            pull: state.pull_name().to_string(),
        };
        // A pause is told to the loops that are there: this one asks for it.
        let fleet = ctx.object_client::<FleetObjectClient>(state.id.host.clone());
        let Json(pause) = fleet.enter(Json(entry)).call().await?;
        // It is known to the fleet by now: what is decided after this answer is told to it.
        let fleet = ctx.object_client::<FleetObjectClient>(state.id.host.clone());
        let Json(trust) = fleet.trust(Json(state.id.repository())).call().await?;
        let state = LoopState {
            pause,
            trust,
            ..state
        };
        let mut books = self.books(&ctx).await?;
        loop_span::begun(&state);
        let out = books.begin(&state, now);
        let version = books.version();
        let prefix = books.once_prefix();
        store(&ctx, &state, books)?;
        send_all(&ctx, out, (self.slots(), &prefix));
        Ok(Json(version))
    }

    /// Takes a loop over that ran elsewhere until now, and goes on with it. One that is there stays as it is.
    #[handler]
    async fn adopt(
        &self,
        ctx: ObjectContext<'_>,
        Json(Adoption { mut handed, name }): Json<Adoption>,
    ) -> HandlerResult<Json<Adopted>> {
        let mut books = self.books(&ctx).await?;
        if read_state(&ctx).await?.is_some() {
            let arrived = books.arrived(&name);
            let answer = arrived.map_or(Adopted::Another, |version| Adopted::Here { version });
            return Ok(Json(answer));
        }
        let now = self.now(&ctx).await?;
        let state = &mut handed.state;
        let entry = FleetEntry {
            key: LoopKey::from(state.id.clone()),
            pull: state.pull_name().to_string(),
        };
        let host = || state.id.host.clone();
        let fleet = ctx.object_client::<FleetObjectClient>(host());
        let Json(pause) = fleet.enter(Json(entry)).call().await?;
        let fleet = ctx.object_client::<FleetObjectClient>(host());
        let decided = (state.id.repository(), state.trust.clone());
        let Json(trust) = fleet.adopt_trust(Json(decided)).call().await?;
        (state.pause, state.trust) = (pause, trust);
        let out = books.adopt(&handed, &name, now);
        let version = books.version();
        ctx.clear(RELEASED);
        let prefix = books.once_prefix();
        store(&ctx, &handed.state, books)?;
        send_all(&ctx, out, (self.slots(), &prefix));
        Ok(Json(Adopted::Here { version }))
    }

    /// Gives the loop back, as it stands: nothing more is done for it here. The same answer until it is forgotten; none where there is none.
    #[handler]
    async fn release(&self, ctx: ObjectContext<'_>) -> HandlerResult<Json<Option<ReleasedLoop>>> {
        if let Some(Json(released)) = ctx.get::<Json<ReleasedLoop>>(RELEASED).await? {
            return Ok(Json(Some(released)));
        }
        let Some(state) = read_state(&ctx).await? else {
            return Ok(Json(None));
        };
        let mut books = self.books(&ctx).await?;
        let (out, released) = books.release(&state);
        ctx.set(RELEASED, Json(released.clone()));
        ctx.clear(STATE);
        let prefix = books.once_prefix();
        ctx.set(BOOKKEEPING, Json(books));
        let fleet = ctx.object_client::<FleetObjectClient>(state.id.host.clone());
        fleet.leave(Json(LoopKey::from(state.id))).send();
        send_all(&ctx, out, (self.slots(), &prefix));
        Ok(Json(Some(released)))
    }

    /// Forgets a loop that was given back. What it counted stays, so that one that comes again goes on from there.
    #[handler]
    async fn forget(&self, ctx: ObjectContext<'_>) -> HandlerResult<()> {
        ctx.clear(RELEASED);
        Ok(())
    }

    /// Applies an event; the version of the loop after it.
    #[handler]
    async fn apply(
        &self,
        ctx: ObjectContext<'_>,
        Json(event): Json<Event>,
    ) -> HandlerResult<Json<u64>> {
        let Some(before) = read_state(&ctx).await? else {
            tracing::warn!(
                key = ctx.key(),
                event = event.name(),
                "of no loop that is known"
            );
            return Ok(Json(0));
        };
        let mut books = self.books(&ctx).await?;
        let now = self.now(&ctx).await?;
        let _applying = loop_span::applying(&before, &event);
        let done = apply_event(&before, &event, now);
        loop_span::applied(&before, &done.state);
        let out = books.after_event((&before, &event), &done, now);
        let version = books.version();
        let prefix = books.once_prefix();
        store(&ctx, &done.state, books)?;
        send_all(&ctx, out, (self.slots(), &prefix));
        Ok(Json(version))
    }

    /// Something is said to have happened to its pull request: it is read before its next poll.
    #[handler]
    async fn look(
        &self,
        ctx: ObjectContext<'_>,
        Json(reason): Json<LookReason>,
    ) -> HandlerResult<()> {
        let Some(state) = read_state(&ctx).await? else {
            return Ok(());
        };
        let mut books = self.books(&ctx).await?;
        let now = self.now(&ctx).await?;
        let out = books.look(&state, reason, now);
        let prefix = books.once_prefix();
        ctx.set(BOOKKEEPING, Json(books));
        send_all(&ctx, out, (self.slots(), &prefix));
        Ok(())
    }

    /// A time has come that the loop had waited for.
    #[handler]
    async fn timer(&self, ctx: ObjectContext<'_>, Json(timer): Json<Timer>) -> HandlerResult<()> {
        let Some(state) = read_state(&ctx).await? else {
            return Ok(());
        };
        let mut books = self.books(&ctx).await?;
        let out = books.timer_came(&state, &timer);
        if !out.is_empty() {
            let prefix = books.once_prefix();
            ctx.set(BOOKKEEPING, Json(books));
            send_all(&ctx, out, (self.slots(), &prefix));
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
        let mut books = self.books(&ctx).await?;
        let heard = books.hear(&heartbeat);
        if let (Some(worker), Ok(key)) = (heard.taken_by, ctx.key().parse::<LoopKey>()) {
            let client = ctx.object_client::<SlotObjectClient>(key.id().host.clone());
            let taken = SessionTaken {
                effect: heartbeat.effect,
                key,
                worker,
                slots: self.0.fleet_slots,
            };
            client.took(Json(taken)).send();
        }
        ctx.set(BOOKKEEPING, Json(books));
        Ok(Json(heard.answer))
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
        let mut books = self.books(&ctx).await?;
        let answer = books.claim(&state, claim);
        ctx.set(BOOKKEEPING, Json(books));
        Ok(Json(answer))
    }

    /// Something was granted that its sessions waited for.
    #[handler]
    async fn granted(&self, ctx: ObjectContext<'_>, Json(grant): Json<Grant>) -> HandlerResult<()> {
        let Some(state) = read_state(&ctx).await? else {
            return Ok(());
        };
        let mut books = self.books(&ctx).await?;
        let out = books.granted(&state, &grant);
        let prefix = books.once_prefix();
        ctx.set(BOOKKEEPING, Json(books));
        send_all(&ctx, out, (self.slots(), &prefix));
        Ok(())
    }

    /// The loop as it stands.
    #[handler]
    async fn view(&self, ctx: SharedObjectContext<'_>) -> HandlerResult<Json<Option<LoopView>>> {
        let stored = ctx.get::<Bytes>(STATE).await?;
        let state = stored.map(|stored| stored_state::read_state(&stored));
        let state = state.transpose()?;
        let books = ctx.get::<Json<Bookkeeping>>(BOOKKEEPING).await?;
        let books = books.map(Json::into_inner).unwrap_or_default();
        let (version, waiting) = (books.version(), books.waiting().clone());
        Ok(Json(state.map(|state| LoopView {
            state,
            version,
            waiting,
        })))
    }
}

impl LoopObject {
    /// The time, which is the same however often the handler is replayed.
    async fn now(&self, ctx: &ObjectContext<'_>) -> Result<Time, TerminalError> {
        let clock = self.0.ports.clock.clone();
        let now = ctx.run(move || async move { Ok(Json(clock.now())) });
        Ok(now.name("now").await?.into_inner())
    }

    /// What the object remembers.
    async fn books(&self, ctx: &ObjectContext<'_>) -> HandlerResult<Bookkeeping> {
        let stored = ctx.get::<Json<Bookkeeping>>(BOOKKEEPING).await?;
        let books = stored.map(Json::into_inner).unwrap_or_default();
        Ok(books.with_slots(self.0.fleet_slots.is_some()))
    }

    /// Slots of the fleet, as this worker's settings say.
    fn slots(&self) -> usize {
        self.0.fleet_slots.unwrap_or(usize::MAX)
    }
}

async fn read_state(ctx: &ObjectContext<'_>) -> HandlerResult<Option<LoopState>> {
    // An error of ours, not of the SDK's reading: that would end the call, and with it what it brought.
    let stored = ctx.get::<Bytes>(STATE).await?;
    let state = stored.map(|stored| stored_state::read_state(&stored));
    Ok(state.transpose()?)
}

/// What is sent comes after it, so that whoever runs an effect finds it in the state.
fn store(ctx: &ObjectContext<'_>, state: &LoopState, books: Bookkeeping) -> HandlerResult<()> {
    ctx.set(STATE, write_state(state)?);
    ctx.set(BOOKKEEPING, Json(books));
    Ok(())
}

/// Sends what was decided, one-way. An effect is known by its own id: asked twice, it is run once.
fn send_all(ctx: &ObjectContext<'_>, out: Vec<Outgoing>, (slots, prefix): (usize, &str)) {
    for outgoing in out {
        match outgoing {
            Outgoing::History(asked) => {
                let host = asked.key.id().host.clone();
                let client = ctx.object_client::<ChangeObjectClient>(host);
                client.append(Json(*asked)).send();
            }
            Outgoing::Audit(entries) => {
                let client = ctx.service_client::<EffectServiceClient>();
                client.audit(Json(entries)).send();
            }
            Outgoing::Effect(request) => {
                let once = format!("{prefix}{}", request.effect);
                let client = ctx.service_client::<EffectServiceClient>();
                client.run(Json(request)).idempotency_key(once).send();
            }
            Outgoing::Post(request) => {
                let once = format!("{prefix}{}", request.effect);
                let client = ctx.object_client::<PostObjectClient>(ctx.key());
                client.post(Json(request)).idempotency_key(once).send();
            }
            Outgoing::Session(offer) => {
                let once = format!("{prefix}{}/{}", offer.effect, offer.attempt);
                let client = ctx.service_client::<SessionServiceClient>();
                client.offer(Json(offer)).idempotency_key(once).send();
            }
            Outgoing::Shared(message) => send_shared(ctx, message, slots),
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
                let host = request.loop_id.host.clone();
                let client = ctx.object_client::<ReadQueueObjectClient>(host);
                client.enqueue(Json(request)).send();
            }
            Outgoing::Unwatch(key) => {
                let host = key.id().host.clone();
                let client = ctx.object_client::<ReadQueueObjectClient>(host);
                client.unwatch(Json(key)).send();
            }
        }
    }
}

fn send_shared(ctx: &ObjectContext<'_>, message: SharedMessage, slots: usize) {
    match message {
        SharedMessage::AcquireBranch { branch, wish } => {
            let client = ctx.object_client::<BranchObjectClient>(branch);
            client.acquire(Json(wish)).send();
        }
        SharedMessage::ReleaseBranch { branch, wish } => {
            let client = ctx.object_client::<BranchObjectClient>(branch);
            client.release(Json(wish)).send();
        }
        SharedMessage::EnqueueForSlot(wish) => {
            let host = wish.key.id().host.clone();
            let client = ctx.object_client::<SlotObjectClient>(host);
            client.enqueue(Json(SlotRequest { wish, slots })).send();
        }
        SharedMessage::ReleaseSlot { host, effect } => {
            let client = ctx.object_client::<SlotObjectClient>(host);
            client.release(Json(effect)).send();
        }
    }
}
