//! One consistent reading of many pull requests (§3.1, §3.2).

use crate::api_client::{ApiClient, lock};
use crate::api_fault::ApiFault;
use crate::breaker::CircuitBreaker;
use crate::graphql;
use crate::node_conversion;
use crate::nodes::{AccountNode, ConfirmationNode, PullNode, RepositoryNode};
use crate::observation_cache::{CachedPull, ObservationCache, update_cache};
use crate::queries;
use crate::snapshot_builder::{
    ReadContext, ReadFailure, UnconfirmedSnapshot, build_snapshot, is_stacked_on,
};
use collie_core::ids::Time;
use collie_core::snapshot::{Actor, ObserveFailure, PushObstacle, Snapshot};
use collie_engine::ports::PullRef;
use futures::stream::{self, StreamExt};
use serde_json::{Value, json};

/// Pull requests whose further pages are read side by side.
const MAX_CONCURRENT_READS: usize = 4;
/// Reads pull requests; one answer each, in order.
pub(crate) async fn observe(
    api: &ApiClient,
    breaker: &CircuitBreaker,
    cache: &ObservationCache,
    batch_size: usize,
    pulls: &[PullRef],
) -> Vec<Result<Snapshot, ObserveFailure>> {
    let mut results = Vec::with_capacity(pulls.len());
    for chunk in pulls.chunks(batch_size.max(1)) {
        if let Some(until) = breaker.open_until(api.clock.now()) {
            results.extend(
                chunk
                    .iter()
                    .map(|_| Err(ApiFault::BreakerOpen(until).into_observe_failure())),
            );
            continue;
        }
        let outcomes = read_batch(api, cache, chunk).await;
        let is_unreachable = |one: &Result<Snapshot, ReadFailure>| {
            matches!(one, Err(ReadFailure::Api(ApiFault::Unreachable(_))))
        };
        if outcomes.iter().any(is_unreachable) {
            breaker.record_failure(api.clock.now());
        } else if outcomes.iter().any(Result::is_ok) {
            breaker.record_success();
        }
        results.extend(outcomes.into_iter().map(|one| {
            one.map_err(|miss| match miss {
                ReadFailure::HeadMoved => ObserveFailure::Moved,
                ReadFailure::Api(fault) => fault.into_observe_failure(),
            })
        }));
    }
    results
}

async fn read_batch(
    api: &ApiClient,
    cache: &ObservationCache,
    pulls: &[PullRef],
) -> Vec<Result<Snapshot, ReadFailure>> {
    let read_at = api.clock.now();
    let cached_pulls: Vec<Option<CachedPull>> = {
        let cached = lock(&cache.pulls);
        pulls
            .iter()
            .map(|pull| cached.get(&pull.id).cloned())
            .collect()
    };
    let heads: Vec<&str> = cached_pulls
        .iter()
        .map(|known| known.as_ref().map_or("", |known| &known.head_ref))
        .collect();
    let (viewer, nodes) = match first_query(api, pulls, &heads).await {
        Ok(first) => first,
        Err(fault) => {
            return pulls
                .iter()
                .map(|_| Err(ReadFailure::Api(fault.clone())))
                .collect();
        }
    };
    let mut reads = Vec::with_capacity(pulls.len());
    for ((pull, node), known) in pulls.iter().zip(nodes).zip(&cached_pulls) {
        let found = ReadContext {
            pull,
            cached: known.as_ref(),
            viewer: &viewer,
            read_at,
        };
        reads.push(build_snapshot(api, cache, found, node));
    }
    let mut drafts: Vec<Result<UnconfirmedSnapshot, ReadFailure>> = stream::iter(reads)
        .buffered(MAX_CONCURRENT_READS)
        .collect()
        .await;
    confirm_heads(api, pulls, &mut drafts).await;
    let finished = pulls.iter().zip(drafts);
    finished
        .map(|(pull, draft)| {
            let draft = draft?;
            update_cache(cache, pull, &draft.snapshot);
            Ok(draft.snapshot)
        })
        .collect()
}

type FirstResponse = (Actor, Vec<Result<RepositoryNode<PullNode>, ApiFault>>);

/// The one query that carries them all.
async fn first_query(
    api: &ApiClient,
    pulls: &[PullRef],
    heads: &[&str],
) -> Result<FirstResponse, ApiFault> {
    let variables = variables(pulls.iter().zip(heads.iter().copied()));
    let mut response = graphql::send(api, &queries::observe(pulls.len()), variables).await?;
    let viewer: AccountNode = response.take_field("viewer")?;
    let viewer = node_conversion::actor(&viewer)
        .ok_or_else(|| node_conversion::invalid_value("account of the token", &viewer.login))?;
    let nodes = (0..pulls.len())
        .map(|index| response.take_field(&format!("pull{index}")))
        .collect();
    Ok((viewer, nodes))
}

fn variables<'a>(pulls: impl Iterator<Item = (&'a PullRef, &'a str)>) -> Value {
    let mut variables = json!({});
    for (index, (pull, head)) in pulls.enumerate() {
        variables[format!("owner{index}")] = json!(pull.repo.owner());
        variables[format!("name{index}")] = json!(pull.repo.name());
        variables[format!("number{index}")] = json!(pull.id.number);
        variables[format!("head{index}")] = json!(head);
    }
    variables
}

/// Reads the heads again, last, of those that were not read in one go.
async fn confirm_heads(
    api: &ApiClient,
    pulls: &[PullRef],
    drafts: &mut [Result<UnconfirmedSnapshot, ReadFailure>],
) {
    let unconfirmed: Vec<(usize, String)> = drafts
        .iter()
        .enumerate()
        .filter_map(|(index, draft)| {
            let draft = draft.as_ref().ok()?;
            let needed = draft.needs_confirmation || draft.stacked_unknown;
            needed.then(|| (index, draft.snapshot.head_ref.clone()))
        })
        .collect();
    if unconfirmed.is_empty() {
        return;
    }
    let confirmed_at = api.clock.now();
    let variables = variables(
        unconfirmed
            .iter()
            .map(|(index, head)| (&pulls[*index], head.as_str())),
    );
    let response = graphql::send(api, &queries::confirm(unconfirmed.len()), variables).await;
    let mut response = match response {
        Ok(reply) => reply,
        Err(fault) => {
            for (index, _) in unconfirmed {
                drafts[index] = Err(ReadFailure::Api(fault.clone()));
            }
            return;
        }
    };
    for (alias, (index, _)) in unconfirmed.into_iter().enumerate() {
        let confirmation: Result<ConfirmationNode, ApiFault> =
            response.take_field(&format!("pull{alias}"));
        if let Ok(draft) = &mut drafts[index]
            && let Err(miss) = apply_confirmation(draft, confirmation, confirmed_at)
        {
            drafts[index] = Err(miss);
        }
    }
}

/// Takes the last look into a reading, which is none when the head moved.
fn apply_confirmation(
    draft: &mut UnconfirmedSnapshot,
    confirmation: Result<ConfirmationNode, ApiFault>,
    at: Time,
) -> Result<(), ReadFailure> {
    let not_found =
        || ApiFault::NotFound(format!("{}#{}", draft.snapshot.repo, draft.snapshot.number));
    let seen = confirmation?.pull_request.ok_or_else(not_found)?;
    if seen.head_ref_oid != draft.snapshot.head.as_str() {
        return Err(ReadFailure::HeadMoved);
    }
    draft.snapshot.read_at = at;
    if is_stacked_on(seen.stacked_on.as_ref()) {
        draft
            .snapshot
            .push_obstacles
            .insert(PushObstacle::BaseOfAnother);
    }
    Ok(())
}
