//! Readings of pull requests, by whichever worker gets them.

use crate::loop_key::LoopKey;
use crate::messages::ReadRequest;
use crate::runtime::Runtime;
use collie_core::event::{Event, PollPostponed};
use collie_core::poll_budget;
use collie_core::snapshot::ObserveFailure;
use collie_engine::{ReadingContext, pull_poll, reading_event, seen_reviewing};
use restate_sdk::prelude::*;
use std::sync::Arc;

/// Reads pull requests.
pub(crate) struct ReadingService(pub Arc<Runtime>);

#[restate_sdk::service(
    name = "CollieReadings",
    client_visibility = "pub(crate)",
    ingress_private = true,
    inactivity_timeout = "10m",
    abort_timeout = "1m"
)]
impl ReadingService {
    /// Reads one and brings what it shows to its loop.
    #[handler]
    async fn read(&self, ctx: Context<'_>, Json(asked): Json<ReadRequest>) -> HandlerResult<()> {
        let (runtime, key) = (self.0.clone(), LoopKey::from(asked.loop_id.clone()));
        let ran = ctx.run(move || async move { Ok(Json(read(&runtime, asked).await?)) });
        if let Some(event) = ran.name("reading").await?.into_inner() {
            ctx.request::<_, ()>(key.handler("apply"), Json(event))
                .send();
        }
        Ok(())
    }
}

/// Reads a loop's pull request, as far as what is left of GitHub's budget pays for it; none where there is no loop.
async fn read(runtime: &Runtime, asked: ReadRequest) -> HandlerResult<Option<Event>> {
    let ReadRequest {
        is_hurried,
        is_reported,
        ..
    } = asked;
    let Some(view) = runtime.ingress.view(&asked.loop_id.into()).await? else {
        return Ok(None);
    };
    let state = Arc::new(view.state);
    let (ports, poll) = (&runtime.ports, pull_poll(&state, is_hurried, is_reported));
    let (now, budgets) = (ports.clock.now(), ports.github.budgets());
    let plan = poll_budget::plan(&budgets, 1, now);
    if let (0, Some(throttle), false) = (plan.affordable, plan.throttle, poll.by_person) {
        return Ok(Some(Event::PollPostponed(PollPostponed {
            at: now,
            throttle,
            jitter_permille: ports.clock.jitter(),
        })));
    }
    let answer = ports.github.poll(&[poll]).await.pop();
    let answer = answer.unwrap_or_else(|| {
        Err(ObserveFailure::Unreachable {
            message: "nothing was answered".into(),
        })
    });
    let an_hour = poll_budget::readings_an_hour(state.poll_interval_ms());
    let context = ReadingContext {
        reviewing_bots: seen_reviewing(std::iter::once(state.as_ref()), now),
        throttle: poll_budget::throttle(&ports.github.budgets(), an_hour, now),
        state: Some(state),
    };
    Ok(Some(reading_event(ports, context, answer)))
}
