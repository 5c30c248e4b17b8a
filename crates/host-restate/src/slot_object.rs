//! The slots of a fleet (§2): an object whose key is the host. Loops ask it before a session is offered to workers, and are told once they
//! have one. It also knows who works and who waits, for whoever shows it.

use crate::messages::{BranchReport, FleetWork, SessionTaken, SlotRequest};
use crate::session_admission::Grant;
use crate::slot_queue::SlotQueue;
use crate::work_board::WorkBoard;
use collie_core::ids::EffectId;
use restate_sdk::prelude::*;

/// What the object is called.
pub(crate) const SLOT_OBJECT: &str = "CollieSlots";
/// Where the queue lies.
const QUEUE: &str = "queue";
/// Where it lies how many slots there are, as was said last.
const SLOTS: &str = "slots";
/// Where it lies what was told of sessions and of branches.
const BOARD: &str = "board";

/// The slots of a fleet.
pub(crate) struct SlotObject;

#[restate_sdk::object(name = "CollieSlots", client_visibility = "pub(crate)")]
impl SlotObject {
    /// Lines work up.
    #[handler(ingress_private = true)]
    async fn enqueue(
        &self,
        ctx: ObjectContext<'_>,
        Json(asked): Json<SlotRequest>,
    ) -> HandlerResult<()> {
        let mut fleet = Fleet::read(&ctx).await?;
        fleet.queue.enqueue(asked.wish);
        fleet.slots = Some(asked.slots);
        fleet.write(&ctx);
        Ok(())
    }

    /// Work has ended, or is not wanted any more.
    #[handler(ingress_private = true)]
    async fn release(
        &self,
        ctx: ObjectContext<'_>,
        Json(effect): Json<EffectId>,
    ) -> HandlerResult<()> {
        let mut fleet = Fleet::read(&ctx).await?;
        fleet.queue.release(&effect);
        fleet.board.ended(&effect);
        fleet.write(&ctx);
        Ok(())
    }

    /// A worker has taken a session.
    #[handler(ingress_private = true)]
    async fn took(
        &self,
        ctx: ObjectContext<'_>,
        Json(taken): Json<SessionTaken>,
    ) -> HandlerResult<()> {
        let mut fleet = Fleet::read(&ctx).await?;
        // Of a fleet that has no slots any more nobody else would say so.
        fleet.slots = Some(taken.slots.unwrap_or(usize::MAX));
        fleet.board.took(taken);
        fleet.write(&ctx);
        Ok(())
    }

    /// Loops wait for a branch, or do no more.
    #[handler(ingress_private = true)]
    async fn branch(
        &self,
        ctx: ObjectContext<'_>,
        Json(report): Json<BranchReport>,
    ) -> HandlerResult<()> {
        let mut fleet = Fleet::read(&ctx).await?;
        fleet.board.report_branch(report);
        fleet.write(&ctx);
        Ok(())
    }

    /// Who works and who waits; none where that is as whoever asks has seen it.
    #[handler]
    async fn work(
        &self,
        ctx: SharedObjectContext<'_>,
        Json(seen): Json<Option<u64>>,
    ) -> HandlerResult<Json<Option<FleetWork>>> {
        let board = ctx.get::<Json<WorkBoard>>(BOARD).await?;
        let queue = ctx.get::<Json<SlotQueue>>(QUEUE).await?;
        let slots = ctx.get::<Json<usize>>(SLOTS).await?;
        let board = board.map(Json::into_inner).unwrap_or_default();
        let queue = queue.map(Json::into_inner).unwrap_or_default();
        let slots = slots.map(Json::into_inner);
        Ok(Json(board.since(seen, (&queue, slots))))
    }
}

/// What the object keeps.
struct Fleet {
    queue: SlotQueue,
    board: WorkBoard,
    slots: Option<usize>,
}

impl Fleet {
    async fn read(ctx: &ObjectContext<'_>) -> HandlerResult<Self> {
        let queue = ctx.get::<Json<SlotQueue>>(QUEUE).await?;
        let board = ctx.get::<Json<WorkBoard>>(BOARD).await?;
        let slots = ctx.get::<Json<usize>>(SLOTS).await?;
        Ok(Self {
            queue: queue.map(Json::into_inner).unwrap_or_default(),
            board: board.map(Json::into_inner).unwrap_or_default(),
            slots: slots.map(Json::into_inner),
        })
    }

    /// Tells the loops whose work may begin, and keeps the rest.
    fn write(self, ctx: &ObjectContext<'_>) {
        let Self {
            mut queue,
            mut board,
            slots,
        } = self;
        while let Some(wish) = queue.next(slots.unwrap_or(1)) {
            let grant = Grant::Slot {
                effect: wish.effect,
            };
            ctx.request::<_, ()>(wish.key.handler("granted"), Json(grant))
                .send();
        }
        board.changed();
        ctx.set(QUEUE, Json(queue));
        ctx.set(BOARD, Json(board));
        if let Some(slots) = slots {
            ctx.set(SLOTS, Json(slots));
        }
    }
}
