//! The slots of a fleet (§2): an object whose key is the host. Loops ask it before a session is offered to workers, and are told once they
//! have one.

use crate::messages::SlotRequest;
use crate::session_admission::Grant;
use crate::slot_queue::SlotQueue;
use collie_core::ids::EffectId;
use restate_sdk::prelude::*;

/// Where the queue lies.
const QUEUE: &str = "queue";
/// Where it lies how many slots there are, as was said last.
const SLOTS: &str = "slots";

/// The slots of a fleet.
pub(crate) struct SlotObject;

#[restate_sdk::object(
    name = "CollieSlots",
    client_visibility = "pub(crate)",
    ingress_private = true
)]
impl SlotObject {
    /// Lines work up.
    #[handler]
    async fn enqueue(
        &self,
        ctx: ObjectContext<'_>,
        Json(asked): Json<SlotRequest>,
    ) -> HandlerResult<()> {
        let mut queue = read(&ctx).await?;
        queue.enqueue(asked.wish);
        ctx.set(SLOTS, Json(asked.slots));
        grant(&ctx, queue, asked.slots);
        Ok(())
    }

    /// Work has ended, or is not wanted any more.
    #[handler]
    async fn release(
        &self,
        ctx: ObjectContext<'_>,
        Json(effect): Json<EffectId>,
    ) -> HandlerResult<()> {
        let mut queue = read(&ctx).await?;
        queue.release(&effect);
        let slots = ctx.get::<Json<usize>>(SLOTS).await?;
        grant(&ctx, queue, slots.map_or(1, Json::into_inner));
        Ok(())
    }
}

async fn read(ctx: &ObjectContext<'_>) -> HandlerResult<SlotQueue> {
    let stored = ctx.get::<Json<SlotQueue>>(QUEUE).await?;
    Ok(stored.map(Json::into_inner).unwrap_or_default())
}

/// Tells the loops whose work may begin.
fn grant(ctx: &ObjectContext<'_>, mut queue: SlotQueue, slots: usize) {
    while let Some(wish) = queue.next(slots) {
        let grant = Grant::Slot {
            effect: wish.effect,
        };
        ctx.request::<_, ()>(wish.key.handler("granted"), Json(grant))
            .send();
    }
    ctx.set(QUEUE, Json(queue));
}
