//! One consistent reading of many pull requests (§3.1, §3.2).

use crate::api_client::{ApiClient, lock};
use crate::api_fault::ApiFault;
use crate::breaker::CircuitBreaker;
use crate::node_conversion;
use crate::nodes::{ConfirmationNode, PullNode, RepositoryNode};
use crate::observation_cache::{CachedPull, ObservationCache, update_cache};
use crate::queries;
use crate::query_batches::{BatchAnswer, BatchItem, QueryForm, QueryRound};
use crate::snapshot_builder::{
    ReadContext, ReadFailure, UnconfirmedSnapshot, build_snapshot, is_stacked_on,
};
use collie_core::ids::{LoopId, Time};
use collie_core::snapshot::{ObserveFailure, PushObstacle, Snapshot};
use collie_engine::ports::PullRef;
use futures::stream::{self, StreamExt};
use serde_json::{Value, json};

/// Pull requests whose further pages are read side by side.
const MAX_CONCURRENT_READS: usize = 4;
/// Connections of the query that reads all, by GitHub's formula.
const FULL_READ_WEIGHT: u64 = 71;

/// Reads pull requests; one answer each, in order.
pub(crate) async fn observe(
    api: &ApiClient,
    breaker: &CircuitBreaker,
    cache: &ObservationCache,
    batch_size: usize,
    pulls: &[PullRef],
) -> Vec<Result<Snapshot, ObserveFailure>> {
    if let Some(until) = breaker.open_until(api.clock.now()) {
        let open = || Err(ApiFault::BreakerOpen(until).into_observe_failure());
        return pulls.iter().map(|_| open()).collect();
    }
    let round = QueryRound::new(api, batch_size);
    let outcomes = read_all(api, &round, cache, pulls).await;
    match round.given_up() {
        Some(ApiFault::Unreachable(_) | ApiFault::GaveUp(_)) => {
            breaker.record_failure(api.clock.now());
        }
        Some(_) => {}
        None if outcomes.iter().any(Result::is_ok) => breaker.record_success(),
        None => {}
    }
    let failed = |failure| match failure {
        ReadFailure::HeadMoved => ObserveFailure::Moved,
        ReadFailure::Api(fault) => fault.into_observe_failure(),
    };
    let outcomes = outcomes.into_iter();
    outcomes.map(|outcome| outcome.map_err(failed)).collect()
}

/// A pull request in the query that reads all of it.
struct FullRead<'a> {
    pull: &'a PullRef,
    cached: Option<CachedPull>,
}

impl BatchItem for FullRead<'_> {
    fn id(&self) -> &LoopId {
        &self.pull.id
    }

    fn weight(&self) -> u64 {
        FULL_READ_WEIGHT
    }
}

impl FullRead<'_> {
    fn head_ref(&self) -> &str {
        self.cached.as_ref().map_or("", |known| &known.head_ref)
    }
}

async fn read_all(
    api: &ApiClient,
    round: &QueryRound<'_>,
    cache: &ObservationCache,
    pulls: &[PullRef],
) -> Vec<Result<Snapshot, ReadFailure>> {
    let read_at = api.clock.now();
    let reads: Vec<FullRead<'_>> = {
        let known = lock(&cache.pulls);
        let read = |pull| FullRead {
            pull,
            cached: known.get(&pull.id).cloned(),
        };
        pulls.iter().map(read).collect()
    };
    let form = QueryForm {
        sizes: &cache.full_read_sizes,
        write: &|reads: &[&FullRead<'_>]| {
            let asked = reads.iter().map(|read| (read.pull, read.head_ref()));
            (queries::observe(reads.len()), variables(asked))
        },
    };
    let answers: Vec<Result<BatchAnswer<RepositoryNode<PullNode>>, ApiFault>> =
        round.ask(&reads, &form).await;
    let mut building = Vec::with_capacity(reads.len());
    for (read, answer) in reads.iter().zip(answers) {
        building.push(build_draft(api, cache, read, read_at, answer));
    }
    let mut drafts: Vec<Result<UnconfirmedSnapshot, ReadFailure>> = stream::iter(building)
        .buffered(MAX_CONCURRENT_READS)
        .collect()
        .await;
    confirm_heads(round, cache, pulls, &mut drafts).await;
    let finished = pulls.iter().zip(drafts);
    finished
        .map(|(pull, draft)| {
            let draft = draft?;
            update_cache(cache, pull, &draft.snapshot);
            Ok(draft.snapshot)
        })
        .collect()
}

async fn build_draft(
    api: &ApiClient,
    cache: &ObservationCache,
    read: &FullRead<'_>,
    read_at: Time,
    answer: Result<BatchAnswer<RepositoryNode<PullNode>>, ApiFault>,
) -> Result<UnconfirmedSnapshot, ReadFailure> {
    let BatchAnswer { node, viewer } = answer?;
    let unknown = || node_conversion::invalid_value("account of the token", "none");
    let viewer = viewer.ok_or_else(unknown)?;
    let found = ReadContext {
        pull: read.pull,
        cached: read.cached.as_ref(),
        viewer: &viewer,
        read_at,
    };
    build_snapshot(api, cache, found, node).await
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

/// A pull request whose head is read again.
struct HeadRead<'a> {
    pull: &'a PullRef,
    head_ref: String,
}

impl BatchItem for HeadRead<'_> {
    fn id(&self) -> &LoopId {
        &self.pull.id
    }

    fn weight(&self) -> u64 {
        1
    }
}

/// Reads the heads again, last, of those that were not read in one go.
async fn confirm_heads(
    round: &QueryRound<'_>,
    cache: &ObservationCache,
    pulls: &[PullRef],
    drafts: &mut [Result<UnconfirmedSnapshot, ReadFailure>],
) {
    let mut unconfirmed = Vec::new();
    let mut reads = Vec::new();
    for (pull, draft) in pulls.iter().zip(drafts) {
        if let Ok(read) = draft
            && (read.needs_confirmation || read.stacked_unknown)
        {
            let head_ref = read.snapshot.head_ref.clone();
            reads.push(HeadRead { pull, head_ref });
            unconfirmed.push(draft);
        }
    }
    let confirmed_at = round.now();
    let form = QueryForm {
        sizes: &cache.head_read_sizes,
        write: &|reads: &[&HeadRead<'_>]| {
            let asked = reads.iter().map(|read| (read.pull, read.head_ref.as_str()));
            (queries::confirm(reads.len()), variables(asked))
        },
    };
    let answers: Vec<Result<BatchAnswer<ConfirmationNode>, ApiFault>> =
        round.ask(&reads, &form).await;
    for (slot, answer) in unconfirmed.into_iter().zip(answers) {
        let confirmation = answer.map(|answer| answer.node);
        if let Ok(draft) = slot
            && let Err(miss) = apply_confirmation(draft, confirmation, confirmed_at)
        {
            *slot = Err(miss);
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
