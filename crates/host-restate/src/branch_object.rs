//! A head branch (§6.4): an object whose key is the branch. Loops ask it for leave to make commits, and are told once they have it.

use crate::branch_lock::{BranchLock, BranchQueue, BranchWish};
use crate::messages::BranchReport;
use crate::session_admission::Grant;
use crate::slot_object::SlotObjectClient;
use restate_sdk::prelude::*;

/// Where the lock lies.
const LOCK: &str = "lock";

/// A head branch.
pub(crate) struct BranchObject;

#[restate_sdk::object(
    name = "CollieBranches",
    client_visibility = "pub(crate)",
    ingress_private = true
)]
impl BranchObject {
    /// Lines a loop up.
    #[handler]
    async fn acquire(
        &self,
        ctx: ObjectContext<'_>,
        Json(wish): Json<BranchWish>,
    ) -> HandlerResult<()> {
        let mut lock = read(&ctx).await?;
        let (before, host) = (lock.queue(), wish.key.id().host.clone());
        let granted = lock.acquire(wish);
        report(&ctx, host, (before, lock.queue()));
        write(&ctx, lock, granted);
        Ok(())
    }

    /// A loop does not want it any more.
    #[handler]
    async fn release(
        &self,
        ctx: ObjectContext<'_>,
        Json(wish): Json<BranchWish>,
    ) -> HandlerResult<()> {
        let mut lock = read(&ctx).await?;
        let (before, host) = (lock.queue(), wish.key.id().host.clone());
        let granted = lock.release(&wish);
        report(&ctx, host, (before, lock.queue()));
        write(&ctx, lock, granted);
        Ok(())
    }
}

async fn read(ctx: &ObjectContext<'_>) -> HandlerResult<BranchLock> {
    let stored = ctx.get::<Json<BranchLock>>(LOCK).await?;
    Ok(stored.map(Json::into_inner).unwrap_or_default())
}

/// Tells whoever shows it who waits now. Of most branches one loop alone makes commits, and nothing is told.
fn report(
    ctx: &ObjectContext<'_>,
    host: String,
    (before, queue): (Option<BranchQueue>, Option<BranchQueue>),
) {
    if before == queue {
        return;
    }
    let branch = ctx.key().to_owned();
    let client = ctx.object_client::<SlotObjectClient>(host);
    client.branch(Json(BranchReport { branch, queue })).send();
}

fn write(ctx: &ObjectContext<'_>, lock: BranchLock, granted: Option<BranchWish>) {
    // Branches come and go: one that nobody wants is not kept.
    match lock.is_free() {
        true => ctx.clear(LOCK),
        false => ctx.set(LOCK, Json(lock)),
    }
    if let Some(BranchWish { key, ticket }) = granted {
        let grant = Grant::Branch { ticket };
        ctx.request::<_, ()>(key.handler("granted"), Json(grant))
            .send();
    }
}
