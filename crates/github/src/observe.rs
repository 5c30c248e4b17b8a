//! One consistent reading of many pull requests (§3.1, §3.2): first what changed since the last one, then all of those that did.
//!
//! What a shallow look cannot see is told in `docs/decisions/0016-shallow-looks-and-full-readings.md`.

use crate::api_client::{ApiClient, lock};
use crate::api_fault::ApiFault;
use crate::breaker::CircuitBreaker;
use crate::node_conversion;
use crate::nodes::{ConfirmationNode, PullNode, RepositoryNode, ShallowPullNode};
use crate::observation_cache::{CachedPull, ObservationCache, update_cache};
use crate::pull_digest::PullDigest;
use crate::queries;
use crate::query_batches::{BatchAnswer, BatchItem, QueryForm, QueryRound};
use crate::snapshot_builder::{
    ReadContext, ReadFailure, UnconfirmedSnapshot, build_snapshot, build_unchanged, is_stacked_on,
};
use collie_core::ids::{LoopId, RepoName, Time};
use collie_core::snapshot::{Actor, ObserveFailure, PushObstacle, Snapshot};
use collie_engine::ports::{PollDepth, PullPoll, PullRef};
use futures::stream::{self, StreamExt};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// Pull requests whose further pages are read side by side.
const MAX_CONCURRENT_READS: usize = 4;
/// Connections of the shallow query, by GitHub's formula: checks, reviews, comments, threads.
const SHALLOW_READ_WEIGHT: u64 = 4;
/// The same of the query that reads all, without what depends on the head and on the threads: commit and checks, labels, reviews,
/// comments, threads, what builds on it.
const FULL_READ_WEIGHT: u64 = 7;
/// The same of what hangs on the head alone: checks of the base, ten commits with theirs, files.
const HEAD_FACTS_WEIGHT: u64 = 13;
/// Threads on the first page where it is not known how many there are.
const UNKNOWN_THREADS: u64 = 20;
/// Threads that may have come since the last reading: more than these take a page more.
const NEW_THREADS: u64 = 5;
/// Of so many that GitHub says have changed all is read without a look before it: a query costs a point at least, and theirs no more.
const MAX_READ_UNLOOKED: usize = 2;
/// Threads on the first page at most.
const MAX_THREADS: u64 = 50;
/// A full reading is made after so long where nothing shows that it is needed, as far as there is allowance for it.
const ROUTINE_READING_MS: u64 = 5 * 60_000;

type Outcome = Result<Snapshot, ReadFailure>;
type ShallowAnswer = BatchAnswer<RepositoryNode<ShallowPullNode>>;
type FullAnswer = BatchAnswer<RepositoryNode<PullNode>>;

/// What readings are made with.
#[derive(Clone, Copy)]
pub(crate) struct Observer<'a> {
    /// Where they are asked for.
    pub api: &'a ApiClient,
    /// Whether there is anybody to ask.
    pub breaker: &'a CircuitBreaker,
    /// What earlier readings taught.
    pub cache: &'a ObservationCache,
    /// The most pull requests of one query.
    pub batch_size: usize,
}

impl Observer<'_> {
    /// Reads all of each pull request; one answer each, in order.
    pub async fn observe(self, pulls: &[PullRef]) -> Vec<Result<Snapshot, ObserveFailure>> {
        if let Some(until) = self.breaker.open_until(self.api.clock.now()) {
            return breaker_open(until, pulls.len());
        }
        let reading = Reading::new(&self);
        let reads = pulls.iter().enumerate().map(|(at, pull)| {
            let cached = lock(&self.cache.pulls).get(&pull.id).cloned();
            FullRead {
                pull,
                cached,
                head_known: false,
                threads: UNKNOWN_THREADS,
                before_write: true,
                at,
            }
        });
        let outcomes = reading.read_all(reads.collect()).await;
        self.finish(&reading, outcomes.into_iter().collect())
    }

    /// Reads what changed of each pull request since its last reading, and all of those where something did; one answer each, in order.
    pub async fn poll(self, polls: &[PullPoll]) -> Vec<Result<Snapshot, ObserveFailure>> {
        if let Some(until) = self.breaker.open_until(self.api.clock.now()) {
            return breaker_open(until, polls.len());
        }
        let reading = Reading::new(&self);
        let outcomes = reading.read_changes(polls).await;
        self.finish(&reading, outcomes)
    }

    /// Tells the breaker how it went, and the caller what came of it.
    fn finish(
        self,
        reading: &Reading<'_>,
        outcomes: BTreeMap<usize, Outcome>,
    ) -> Vec<Result<Snapshot, ObserveFailure>> {
        match reading.round.given_up() {
            Some(ApiFault::Unreachable(_) | ApiFault::GaveUp(_)) => {
                self.breaker.record_failure(self.api.clock.now());
            }
            Some(_) => {}
            None if outcomes.values().any(Result::is_ok) => self.breaker.record_success(),
            None => {}
        }
        let failed = |failure| match failure {
            ReadFailure::HeadMoved => ObserveFailure::Moved,
            ReadFailure::Api(fault) => fault.into_observe_failure(),
        };
        let outcomes = outcomes.into_values();
        outcomes.map(|outcome| outcome.map_err(failed)).collect()
    }
}

fn breaker_open(until: Time, count: usize) -> Vec<Result<Snapshot, ObserveFailure>> {
    let open = || Err(ApiFault::BreakerOpen(until).into_observe_failure());
    (0..count).map(|_| open()).collect()
}

/// A pull request in the query that shows what changed.
#[derive(Clone)]
struct ShallowRead<'a> {
    pull: &'a PullRef,
    cached: CachedPull,
    /// Whether a look that shows no change is not enough.
    read_all: bool,
    /// Its place among those that are read.
    at: usize,
}

/// A pull request in the query that reads all of it.
struct FullRead<'a> {
    pull: &'a PullRef,
    cached: Option<CachedPull>,
    /// What hangs on the head alone was read before.
    head_known: bool,
    /// Threads on the first page.
    threads: u64,
    /// Something may be written after it.
    before_write: bool,
    /// Its place among those that are read.
    at: usize,
}

impl BatchItem for FullRead<'_> {
    fn id(&self) -> &LoopId {
        &self.pull.id
    }

    fn repo(&self) -> &RepoName {
        &self.pull.repo
    }

    fn weight(&self) -> u64 {
        let head = if self.head_known {
            0
        } else {
            HEAD_FACTS_WEIGHT
        };
        FULL_READ_WEIGHT + self.threads + head
    }
}

impl BatchItem for ShallowRead<'_> {
    fn id(&self) -> &LoopId {
        &self.pull.id
    }

    fn repo(&self) -> &RepoName {
        &self.pull.repo
    }

    fn weight(&self) -> u64 {
        SHALLOW_READ_WEIGHT
    }
}

/// A pull request that a shallow look has shown as it was.
struct Unchanged<'a> {
    read: ShallowRead<'a>,
    answer: ShallowAnswer,
}

/// One reading of many.
struct Reading<'a> {
    api: &'a ApiClient,
    cache: &'a ObservationCache,
    round: QueryRound<'a>,
    read_at: Time,
    /// The same by GitHub's clock.
    host_time: Time,
}

impl<'a> Reading<'a> {
    fn new(observer: &Observer<'a>) -> Self {
        Self {
            api: observer.api,
            cache: observer.cache,
            round: QueryRound::new(observer.api, observer.batch_size),
            read_at: observer.api.clock.now(),
            host_time: observer.api.host_time(),
        }
    }

    /// Looks at those that were read before; reads all of those that were not, that changed, or that are to be read whole.
    async fn read_changes(&self, polls: &[PullPoll]) -> BTreeMap<usize, Outcome> {
        let mut shallow = Vec::new();
        let mut full = Vec::new();
        let reported = polls
            .iter()
            .filter(|poll| poll.depth == PollDepth::Reported);
        let few = reported.count() <= MAX_READ_UNLOOKED;
        let can_look = !self.cache.shallow_refused.load(Ordering::Relaxed)
            && self.api.schema.shows_check_counts();
        for (at, poll) in polls.iter().enumerate() {
            let pull = &poll.pull;
            let cached = lock(&self.cache.pulls).get(&pull.id).cloned();
            let read_all = poll.depth == PollDepth::Everything;
            match cached {
                Some(cached)
                    if few && poll.depth == PollDepth::Reported && cached.last.is_some() =>
                {
                    let seen = cached.last.as_ref().and_then(|last| last.digest.as_ref());
                    let threads =
                        seen.map_or(UNKNOWN_THREADS, |seen| seen.thread_count() + NEW_THREADS);
                    let read = ShallowRead {
                        pull,
                        cached,
                        read_all,
                        at,
                    };
                    // Whether the head is the same nobody has asked.
                    full.push(read.into_full(threads, false));
                }
                Some(cached) if can_look && cached.last.is_some() => {
                    shallow.push(ShallowRead {
                        pull,
                        cached,
                        read_all,
                        at,
                    });
                }
                cached => full.push(FullRead {
                    pull,
                    cached,
                    head_known: false,
                    threads: UNKNOWN_THREADS,
                    before_write: read_all,
                    at,
                }),
            }
        }
        let mut outcomes = BTreeMap::new();
        let mut unchanged = self.look(shallow, &mut full, &mut outcomes).await;
        self.add_routine_readings(&mut unchanged, &mut full);
        outcomes.extend(self.build_all_unchanged(unchanged).await);
        outcomes.extend(self.read_all(full).await);
        outcomes
    }

    /// Sorts out by a shallow look who has not changed; adds the others to those that are read whole.
    async fn look<'p>(
        &self,
        reads: Vec<ShallowRead<'p>>,
        full: &mut Vec<FullRead<'p>>,
        outcomes: &mut BTreeMap<usize, Outcome>,
    ) -> Vec<Unchanged<'p>> {
        let form = QueryForm {
            sizes: &self.cache.shallow_sizes,
            write: &|reads: &[&ShallowRead<'_>]| {
                let pulls = reads.iter().map(|read| read.pull);
                (queries::shallow(reads.len()), variables(pulls))
            },
        };
        let answers: Vec<Result<ShallowAnswer, ApiFault>> = self.round.ask(&reads, &form).await;
        let mut unchanged = Vec::new();
        for (read, answer) in reads.into_iter().zip(answers) {
            match answer {
                Ok(answer) => match self.full_read_after(&read, &answer) {
                    Some(wanted) => full.push(wanted),
                    None => unchanged.push(Unchanged { read, answer }),
                },
                Err(fault @ (ApiFault::Refused(_) | ApiFault::UnknownField(_))) => {
                    // An older server does not know what is asked for: all is read there each time.
                    if !self.cache.shallow_refused.swap(true, Ordering::Relaxed) {
                        tracing::warn!(
                            ?fault,
                            "what changed cannot be asked for: everything is read at each poll"
                        );
                    }
                    full.push(read.into_full(UNKNOWN_THREADS, false));
                }
                Err(fault) => {
                    outcomes.insert(read.at, Err(fault.into()));
                }
            }
        }
        unchanged
    }

    /// The full reading that a look makes necessary.
    fn full_read_after<'p>(
        &self,
        read: &ShallowRead<'p>,
        answer: &ShallowAnswer,
    ) -> Option<FullRead<'p>> {
        let last = read.cached.last.as_ref()?;
        let Some(pull) = &answer.node.pull_request else {
            // The look says all there is to say.
            return None;
        };
        let seen = PullDigest::of_look(pull);
        let is_same = last.digest.as_ref() == Some(&seen);
        if is_same && !read.read_all && !last.awaits_more {
            return None;
        }
        let head_known =
            seen.head() == read.cached.head.as_str() && seen.base_ref() == read.cached.base_ref;
        Some(read.clone().into_full(seen.thread_count(), head_known))
    }

    /// Adds some of those that were not read whole for long, the oldest first.
    fn add_routine_readings<'p>(
        &self,
        unchanged: &mut Vec<Unchanged<'p>>,
        full: &mut Vec<FullRead<'p>>,
    ) {
        let now = self.read_at;
        let read_at = |one: &Unchanged<'_>| one.read.cached.last.as_ref().map(|last| last.read_at);
        unchanged.sort_by_key(|one| read_at(one));
        let is_old = |one: &&Unchanged<'_>| {
            read_at(one).is_some_and(|at| now.since(at) >= ROUTINE_READING_MS)
        };
        let old = unchanged.iter().take_while(is_old).count();
        let taken = lock(&self.cache.routine_readings).take(old, now);
        for one in unchanged.drain(..taken) {
            let threads = one
                .answer
                .node
                .pull_request
                .as_ref()
                .map_or(UNKNOWN_THREADS, |pull| pull.review_threads.total_count);
            full.push(one.read.into_full(threads, true));
        }
    }

    async fn build_all_unchanged(&self, unchanged: Vec<Unchanged<'_>>) -> Vec<(usize, Outcome)> {
        let mut building = Vec::with_capacity(unchanged.len());
        for one in unchanged {
            building.push(self.build_unchanged(one));
        }
        stream::iter(building)
            .buffered(MAX_CONCURRENT_READS)
            .collect()
            .await
    }

    async fn build_unchanged(&self, one: Unchanged<'_>) -> (usize, Outcome) {
        let Unchanged { read, answer } = one;
        let at = read.at;
        let outcome = async {
            let viewer = known_viewer(answer.viewer)?;
            let context = ReadContext {
                pull: read.pull,
                cached: Some(&read.cached),
                viewer: &viewer,
                read_at: self.read_at,
                host_time: self.host_time,
                before_write: false,
            };
            let unread = || ReadFailure::HeadMoved;
            let last = read.cached.last.as_ref().ok_or_else(unread)?;
            let api = self.api.within(&read.pull.repo);
            build_unchanged(&api, self.cache, context, answer.node, last).await
        };
        (at, outcome.await)
    }

    /// Reads all of each, the heads last where that takes more than one query.
    async fn read_all(&self, reads: Vec<FullRead<'_>>) -> Vec<(usize, Outcome)> {
        let form = QueryForm {
            sizes: &self.cache.full_read_sizes,
            write: &|reads: &[&FullRead<'_>]| write_full_query(reads),
        };
        let answers: Vec<Result<FullAnswer, ApiFault>> = self.round.ask(&reads, &form).await;
        let mut building = Vec::with_capacity(reads.len());
        for (read, answer) in reads.iter().zip(answers) {
            building.push(self.build_draft(read, answer));
        }
        let mut drafts: Vec<Result<UnconfirmedSnapshot, ReadFailure>> = stream::iter(building)
            .buffered(MAX_CONCURRENT_READS)
            .collect()
            .await;
        self.confirm_heads(&reads, &mut drafts).await;
        let finished = reads.iter().zip(drafts);
        finished
            .map(|(read, draft)| {
                let outcome = draft.map(|draft| {
                    let UnconfirmedSnapshot {
                        snapshot,
                        lists,
                        digest,
                        ..
                    } = draft;
                    update_cache(self.cache, read.pull, &snapshot, lists, digest);
                    snapshot
                });
                (read.at, outcome)
            })
            .collect()
    }

    async fn build_draft(
        &self,
        read: &FullRead<'_>,
        answer: Result<FullAnswer, ApiFault>,
    ) -> Result<UnconfirmedSnapshot, ReadFailure> {
        let BatchAnswer { node, viewer } = answer?;
        let viewer = known_viewer(viewer)?;
        let context = ReadContext {
            pull: read.pull,
            cached: read.cached.as_ref(),
            viewer: &viewer,
            read_at: self.read_at,
            host_time: self.host_time,
            before_write: read.before_write,
        };
        let api = self.api.within(&read.pull.repo);
        build_snapshot(&api, self.cache, context, node).await
    }

    /// Reads the heads again, last, of those that were not read in one go.
    async fn confirm_heads(
        &self,
        reads: &[FullRead<'_>],
        drafts: &mut [Result<UnconfirmedSnapshot, ReadFailure>],
    ) {
        let mut unconfirmed = Vec::new();
        let mut heads = Vec::new();
        for (read, draft) in reads.iter().zip(drafts) {
            if let Ok(found) = draft
                && (found.needs_confirmation || found.stacked_unknown)
            {
                let (pull, head_ref) = (read.pull, found.snapshot.head_ref.clone());
                heads.push(HeadRead { pull, head_ref });
                unconfirmed.push(draft);
            }
        }
        let confirmed_at = self.api.clock.now();
        let form = QueryForm {
            sizes: &self.cache.head_read_sizes,
            write: &|heads: &[&HeadRead<'_>]| {
                let mut variables = variables(heads.iter().map(|read| read.pull));
                for (index, read) in heads.iter().enumerate() {
                    variables[format!("head{index}")] = json!(read.head_ref);
                }
                (queries::confirm(heads.len()), variables)
            },
        };
        let answers: Vec<Result<BatchAnswer<ConfirmationNode>, ApiFault>> =
            self.round.ask(&heads, &form).await;
        for (slot, answer) in unconfirmed.into_iter().zip(answers) {
            let confirmation = answer.map(|answer| answer.node);
            if let Ok(draft) = slot
                && let Err(miss) = apply_confirmation(draft, confirmation, confirmed_at)
            {
                *slot = Err(miss);
            }
        }
    }
}

impl<'a> ShallowRead<'a> {
    fn into_full(self, threads: u64, head_known: bool) -> FullRead<'a> {
        FullRead {
            pull: self.pull,
            cached: Some(self.cached),
            head_known,
            threads: threads.clamp(1, MAX_THREADS),
            before_write: self.read_all,
            at: self.at,
        }
    }
}

fn known_viewer(viewer: Option<Actor>) -> Result<Actor, ApiFault> {
    viewer.ok_or_else(|| node_conversion::invalid_value("account of the token", "none"))
}

fn write_full_query(reads: &[&FullRead<'_>]) -> (String, Value) {
    let mut variables = variables(reads.iter().map(|read| read.pull));
    for (index, read) in reads.iter().enumerate() {
        let head_ref = read.cached.as_ref().map_or("", |known| &known.head_ref);
        variables[format!("head{index}")] = json!(head_ref);
        variables[format!("threads{index}")] = json!(read.threads);
    }
    let heads_known: Vec<bool> = reads.iter().map(|read| read.head_known).collect();
    (queries::observe(&heads_known), variables)
}

fn variables<'a>(pulls: impl Iterator<Item = &'a PullRef>) -> Value {
    let mut variables = json!({});
    for (index, pull) in pulls.enumerate() {
        variables[format!("owner{index}")] = json!(pull.repo.owner());
        variables[format!("name{index}")] = json!(pull.repo.name());
        variables[format!("number{index}")] = json!(pull.id.number);
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

    fn repo(&self) -> &RepoName {
        &self.pull.repo
    }

    fn weight(&self) -> u64 {
        1
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
