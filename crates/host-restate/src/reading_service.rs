//! Readings of pull requests, by whichever worker gets them.

use crate::loop_key::LoopKey;
use crate::messages::{BudgetUse, ReadBatch, ReadReport, ReadRequest};
use crate::read_queue::report_handler;
use crate::runtime::Runtime;
use collie_core::event::Event;
use collie_core::ids::{LoopId, Time};
use collie_core::loop_state::LoopState;
use collie_core::poll_budget::{self, RateBudget, RateResource};
use collie_core::snapshot::{ObserveFailure, Snapshot};
use collie_engine::ports::PullPoll;
use collie_engine::{
    PaidReadings, ReadingContext, TELEMETRY, pay_for_readings, postponed_event, pull_poll,
    reading_event, seen_reviewing,
};
use collie_telemetry::link;
use futures::{StreamExt as _, TryStreamExt as _};
use restate_sdk::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use tracing::Instrument as _;

/// Loops that are looked at on the engine at once.
const MAX_CONCURRENT_VIEWS: usize = 8;

/// Reads pull requests.
pub(crate) struct ReadingService(pub Arc<Runtime>);

/// What readings came to.
#[derive(Serialize, Deserialize)]
struct ReadOutcome {
    events: Vec<(LoopKey, Event)>,
    report: ReadReport,
}

#[restate_sdk::service(
    name = "CollieReadings",
    client_visibility = "pub(crate)",
    ingress_private = true,
    inactivity_timeout = "10m",
    abort_timeout = "1m"
)]
impl ReadingService {
    /// Reads some together and brings what they show to their loops.
    #[handler]
    async fn read(&self, ctx: Context<'_>, Json(batch): Json<ReadBatch>) -> HandlerResult<()> {
        let (runtime, host) = (self.0.clone(), batch.host.clone());
        let ran = ctx.run(move || async move { Ok(Json(read(&runtime, &batch).await?)) });
        let ReadOutcome { events, report } = ran.name("readings").await?.into_inner();
        for (key, event) in events {
            ctx.request::<_, ()>(key.handler("apply"), Json(event))
                .send();
        }
        ctx.request::<_, ()>(report_handler(host), Json(report))
            .send();
        Ok(())
    }
}

/// Reads the pull requests of loops, as far as what is left of GitHub's budgets pays for it. A loop that is gone is left out.
async fn read(runtime: &Runtime, batch: &ReadBatch) -> HandlerResult<ReadOutcome> {
    let found = loops_of(runtime, batch).await?;
    let span = tracing::info_span!(
        target: TELEMETRY,
        "readings",
        otel.kind = "consumer",
        collie.readings = batch.requests.len(),
    );
    for (_, state) in &found {
        link(&span, &state.run.id);
    }
    tracing::event!(
        target: TELEMETRY,
        tracing::Level::INFO,
        histogram.collie.readings.batch = batch.requests.len() as u64,
    );
    Ok(read_loops(runtime, batch, found).instrument(span).await)
}

/// Reads loops that are there.
async fn read_loops(
    runtime: &Runtime,
    batch: &ReadBatch,
    found: Vec<(&ReadRequest, Arc<LoopState>)>,
) -> ReadOutcome {
    let ports = &runtime.ports;
    let now = ports.clock.now();
    let due = due_readings(&found);
    let loops: BTreeMap<LoopId, Arc<LoopState>> = (found.into_iter())
        .map(|(_, state)| (state.id.clone(), state))
        .collect();
    let budgets = fleet_budgets(runtime, batch);
    let PaidReadings {
        by_person,
        by_itself,
        postponed,
    } = pay_for_readings(due, &budgets, now);
    let mut events: Vec<(LoopKey, Event)> = postponed
        .into_iter()
        .map(|(id, throttle)| (id.into(), postponed_event(ports, throttle)))
        .collect();
    let mut paused_until = None;
    for polls in [by_person, by_itself] {
        let answers = poll(runtime, &polls).await;
        let budgets = fleet_budgets(runtime, batch);
        for (PullPoll { pull, .. }, answer) in polls.iter().zip(answers) {
            paused_until = paused_until.max(left_alone_until(&answer));
            let context = ReadingContext {
                reviewing_bots: seen_reviewing(same_repository(&loops, &pull.id), now),
                throttle: poll_budget::throttle(&budgets, batch.readings_an_hour, now),
                state: loops.get(&pull.id).cloned(),
            };
            let event = reading_event(ports, context, answer);
            events.push((pull.id.clone().into(), event));
        }
    }
    count_budgets(runtime);
    let report = report(runtime, paused_until);
    ReadOutcome { events, report }
}

/// The loops as they stand now, each with what is asked.
async fn loops_of<'a>(
    runtime: &Runtime,
    batch: &'a ReadBatch,
) -> HandlerResult<Vec<(&'a ReadRequest, Arc<LoopState>)>> {
    let views = batch.requests.iter().map(|request| async move {
        let view = runtime
            .ingress
            .view(&request.loop_id.clone().into())
            .await?;
        HandlerResult::Ok(view.map(|view| (request, Arc::new(view.state))))
    });
    let views: Vec<_> = views.collect();
    let loops = futures::stream::iter(views).buffered(MAX_CONCURRENT_VIEWS);
    loops
        .try_filter_map(|found| async { Ok(found) })
        .try_collect()
        .await
}

/// How each is read, those first that were not read for the longest time.
fn due_readings(found: &[(&ReadRequest, Arc<LoopState>)]) -> Vec<PullPoll> {
    let mut due: Vec<_> = found.iter().collect();
    due.sort_by_key(|(_, state)| state.run.polling.last_snapshot.at);
    due.into_iter()
        .map(|(request, state)| pull_poll(state, request.is_hurried, request.is_reported))
        .collect()
}

/// One answer for each, in order.
async fn poll(runtime: &Runtime, polls: &[PullPoll]) -> Vec<Result<Snapshot, ObserveFailure>> {
    if polls.is_empty() {
        return Vec::new();
    }
    let none = || {
        Err(ObserveFailure::Unreachable {
            message: "nothing was answered".into(),
        })
    };
    let mut answers = runtime.ports.github.poll(polls).await;
    answers.resize_with(polls.len(), none);
    answers
}

/// GitHub's budgets as this worker knows them, of which the others have used their part.
fn fleet_budgets(runtime: &Runtime, batch: &ReadBatch) -> Vec<RateBudget> {
    let budgets = runtime.ports.github.budgets().into_iter();
    budgets
        .map(|budget| RateBudget {
            used: budget
                .used
                .saturating_add(used_by_others(&budget, &runtime.name, batch)),
            ..budget
        })
        .collect()
}

fn used_by_others(budget: &RateBudget, own: &str, batch: &ReadBatch) -> u64 {
    let others = batch.used.iter().filter(|(worker, _)| *worker != own);
    let uses = others.flat_map(|(_, uses)| uses);
    uses.filter(|used| used.resource == budget.resource && used.resets_at >= budget.resets_at)
        .map(|used| used.used)
        .fold(0, u64::saturating_add)
}

/// What of an answer says that GitHub is to be left alone, by every worker.
fn left_alone_until(answer: &Result<Snapshot, ObserveFailure>) -> Option<Time> {
    match answer {
        Err(ObserveFailure::RateLimited { until } | ObserveFailure::BreakerOpen { until }) => {
            Some(*until)
        }
        _ => None,
    }
}

fn same_repository<'a>(
    loops: &'a BTreeMap<LoopId, Arc<LoopState>>,
    id: &'a LoopId,
) -> impl Iterator<Item = &'a LoopState> {
    let same = loops
        .values()
        .filter(|state| state.id.repo_id == id.repo_id);
    same.map(Arc::as_ref)
}

/// Says how GitHub's budgets stand as this worker knows them.
fn count_budgets(runtime: &Runtime) {
    for budget in runtime.ports.github.budgets() {
        let resource = match budget.resource {
            RateResource::Graphql => "graphql",
            RateResource::Rest => "rest",
        };
        tracing::event!(
            target: TELEMETRY,
            tracing::Level::INFO,
            gauge.collie.github.budget.used = budget.used,
            gauge.collie.github.budget.remaining = budget.remaining,
            collie.resource = resource,
        );
    }
}

fn report(runtime: &Runtime, paused_until: Option<Time>) -> ReadReport {
    let budgets = runtime.ports.github.budgets().into_iter();
    let used = budgets.map(|budget| BudgetUse {
        resource: budget.resource,
        resets_at: budget.resets_at,
        used: budget.used,
    });
    ReadReport {
        worker: runtime.name.clone(),
        at: runtime.ports.clock.now(),
        used: used.collect(),
        paused_until,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_workers_used_in_the_same_hour_counts_as_used() {
        const RESET: Time = Time(5_000_000);
        let budget = RateBudget {
            resource: RateResource::Graphql,
            limit: 5_000,
            remaining: 4_000,
            resets_at: RESET,
            used: 100,
            reading_cost_permille: 40,
        };
        let used = |resource, resets_at, used| BudgetUse {
            resource,
            resets_at,
            used,
        };
        let of = |worker: &str, uses: Vec<BudgetUse>| (worker.to_owned(), uses);
        let batch = ReadBatch {
            host: "github.com".into(),
            requests: Vec::new(),
            readings_an_hour: 60,
            used: BTreeMap::from([
                of("me", vec![used(RateResource::Graphql, RESET, 100)]),
                of(
                    "other",
                    vec![
                        used(RateResource::Graphql, RESET, 700),
                        used(RateResource::Rest, RESET, 9),
                    ],
                ),
                of(
                    "earlier",
                    vec![used(RateResource::Graphql, Time(RESET.0 - 1), 2_000)],
                ),
            ]),
        };
        assert_eq!(used_by_others(&budget, "me", &batch), 700);
    }
}
