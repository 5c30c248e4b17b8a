//! The readings of a host: an object whose key is the host. Loops that are due are gathered for a moment and read together, so that GitHub is
//! asked once for many (§3.2).

use crate::loop_key::LoopKey;
use crate::messages::{ReadBatch, ReadReport, ReadRequest};
use crate::read_queue::{QueueStep, ReadQueue};
use crate::reading_service::ReadingServiceClient;
use crate::runtime::Runtime;
use collie_core::poll_budget::readings_an_hour;
use restate_sdk::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// Where the queue lies.
const QUEUE: &str = "queue";
/// Where it lies how many readings an hour all watched loops come to.
const AN_HOUR: &str = "an_hour";
/// Where the part of each loop lies: its key comes after this.
const PART: &str = "part/";

/// The readings of a host.
pub(crate) struct ReadQueueObject(pub Arc<Runtime>);

#[restate_sdk::object(
    name = "CollieReadQueue",
    client_visibility = "pub(crate)",
    ingress_private = true,
    // The parts of thousands of loops would be sent with each call.
    lazy_state
)]
impl ReadQueueObject {
    /// A loop is due.
    #[handler]
    async fn enqueue(
        &self,
        ctx: ObjectContext<'_>,
        Json(request): Json<ReadRequest>,
    ) -> HandlerResult<()> {
        let key = LoopKey::from(request.loop_id.clone());
        let an_hour = readings_an_hour(request.interval_ms);
        count(&ctx, &key, Some(an_hour)).await?;
        let clock = self.0.ports.clock.clone();
        let now = ctx.run(move || async move { Ok(Json(clock.now())) });
        let now = now.name("now").await?.into_inner();
        let mut queue = read(&ctx).await?;
        let step = queue.enqueue(request, now);
        take_step(&ctx, queue, step).await
    }

    /// A timer has come.
    #[handler]
    async fn flush(
        &self,
        ctx: ObjectContext<'_>,
        Json(generation): Json<u64>,
    ) -> HandlerResult<()> {
        let mut queue = read(&ctx).await?;
        let step = queue.flush(generation);
        take_step(&ctx, queue, step).await
    }

    /// A worker has read, and says how GitHub's budgets stand.
    #[handler]
    async fn answered(
        &self,
        ctx: ObjectContext<'_>,
        Json(report): Json<ReadReport>,
    ) -> HandlerResult<()> {
        let mut queue = read(&ctx).await?;
        queue.report(report);
        take_step(&ctx, queue, None).await
    }

    /// A loop is read no more.
    #[handler]
    async fn unwatch(&self, ctx: ObjectContext<'_>, Json(key): Json<LoopKey>) -> HandlerResult<()> {
        count(&ctx, &key, None).await?;
        let mut queue = read(&ctx).await?;
        queue.remove(key.id());
        take_step(&ctx, queue, None).await
    }
}

/// Counts how often a loop is read in an hour; none where it is read no more.
async fn count(ctx: &ObjectContext<'_>, key: &LoopKey, an_hour: Option<u64>) -> HandlerResult<()> {
    let name = format!("{PART}{key}");
    let before = ctx.get::<u64>(&name).await?;
    if before == an_hour {
        return Ok(());
    }
    let all = ctx.get::<u64>(AN_HOUR).await?.unwrap_or_default();
    let others = all.saturating_sub(before.unwrap_or_default());
    ctx.set(AN_HOUR, others.saturating_add(an_hour.unwrap_or_default()));
    match an_hour {
        Some(an_hour) => ctx.set(&name, an_hour),
        None => ctx.clear(&name),
    }
    Ok(())
}

async fn read(ctx: &ObjectContext<'_>) -> HandlerResult<ReadQueue> {
    let stored = ctx.get::<Json<ReadQueue>>(QUEUE).await?;
    Ok(stored.map(Json::into_inner).unwrap_or_default())
}

/// Keeps the queue, and does what it wants done.
async fn take_step(
    ctx: &ObjectContext<'_>,
    queue: ReadQueue,
    step: Option<QueueStep>,
) -> HandlerResult<()> {
    match step {
        Some(QueueStep::Flush {
            generation,
            after_ms,
        }) => {
            let client = ctx.object_client::<ReadQueueObjectClient>(ctx.key());
            let after = Duration::from_millis(after_ms);
            client.flush(Json(generation)).send_after(after);
        }
        Some(QueueStep::Read(parts)) => {
            let readings_an_hour = ctx.get::<u64>(AN_HOUR).await?.unwrap_or_default();
            for requests in parts {
                send_batch(ctx, &queue, requests, readings_an_hour);
            }
        }
        None => {}
    }
    ctx.set(QUEUE, Json(queue));
    Ok(())
}

fn send_batch(
    ctx: &ObjectContext<'_>,
    queue: &ReadQueue,
    requests: Vec<ReadRequest>,
    readings_an_hour: u64,
) {
    let batch = ReadBatch {
        host: ctx.key().to_owned(),
        requests,
        readings_an_hour,
        used: queue.used().clone(),
    };
    let client = ctx.service_client::<ReadingServiceClient>();
    client.read(Json(batch)).send();
}
