//! One consistent reading of many pull requests (§3.1, §3.2).

use crate::api::{Api, lock};
use crate::breaker::Breaker;
use crate::complete::{Found, complete};
use crate::evidence::EvidenceCache;
use crate::fault::Fault;
use crate::graphql;
use crate::queries;
use crate::reading;
use crate::rules::RulesCache;
use crate::shape::{Account, ConfirmNode, PullNode, RepositoryNode, StackedOn};
use collie_core::ids::{LoopId, Sha, Time};
use collie_core::snapshot::{Actor, ObserveFailure, PullState, PushObstacle, Snapshot};
use collie_engine::ports::PullRef;
use futures::stream::{self, StreamExt};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// Pull requests whose further pages are read side by side.
const SIDE_BY_SIDE: usize = 4;
/// Names of checks of earlier heads that are remembered of one pull request.
const MOST_NAMES: usize = 500;

/// What earlier readings taught, so that this one needs fewer requests.
#[derive(Default)]
pub(crate) struct Memory {
    /// What checks said, and who reports them.
    pub evidence: EvidenceCache,
    /// Rules of branches.
    pub rules: RulesCache,
    /// By pull request.
    pulls: Mutex<BTreeMap<LoopId, Remembered>>,
}

/// What is remembered of one pull request.
#[derive(Clone, Debug)]
pub(crate) struct Remembered {
    /// Its head branch, so that the next query can ask in advance what builds on it.
    pub head_ref: String,
    /// The head that was seen last.
    pub head: Sha,
    /// The names of that head's checks.
    pub names: BTreeSet<String>,
    /// The names of the checks of heads before it, also of those that were pushed away.
    pub earlier: BTreeSet<String>,
}

/// Why one pull request could not be read.
#[derive(Clone, Debug)]
pub(crate) enum Miss {
    /// A call failed.
    Fault(Fault),
    /// The head moved meanwhile.
    Moved,
}

impl From<Fault> for Miss {
    fn from(fault: Fault) -> Self {
        Miss::Fault(fault)
    }
}

/// A reading that still lacks its last look.
pub(crate) struct Draft {
    /// What was read.
    pub snapshot: Snapshot,
    /// Further pages were read after the first query, so that the head has to be read again.
    pub look_again: bool,
    /// The head branch was not known in advance, so that what builds on it has to be asked.
    pub ask_stacked: bool,
}

/// Reads pull requests; one answer each, in order.
pub(crate) async fn observe(
    api: &Api,
    breaker: &Breaker,
    memory: &Memory,
    batch: usize,
    pulls: &[PullRef],
) -> Vec<Result<Snapshot, ObserveFailure>> {
    let mut answers = Vec::with_capacity(pulls.len());
    for some in pulls.chunks(batch.max(1)) {
        if let Some(until) = breaker.open_until(api.clock.now()) {
            answers.extend(
                some.iter()
                    .map(|_| Err(Fault::BreakerOpen(until).into_observe())),
            );
            continue;
        }
        let read = read_batch(api, memory, some).await;
        let unreachable =
            |one: &Result<Snapshot, Miss>| matches!(one, Err(Miss::Fault(Fault::Unreachable(_))));
        if read.iter().any(unreachable) {
            breaker.failed(api.clock.now());
        } else if read.iter().any(Result::is_ok) {
            breaker.succeeded();
        }
        answers.extend(read.into_iter().map(|one| {
            one.map_err(|miss| match miss {
                Miss::Moved => ObserveFailure::Moved,
                Miss::Fault(fault) => fault.into_observe(),
            })
        }));
    }
    answers
}

async fn read_batch(api: &Api, memory: &Memory, pulls: &[PullRef]) -> Vec<Result<Snapshot, Miss>> {
    let asked_at = api.clock.now();
    let known: Vec<Option<Remembered>> = {
        let remembered = lock(&memory.pulls);
        pulls
            .iter()
            .map(|pull| remembered.get(&pull.id).cloned())
            .collect()
    };
    let heads: Vec<&str> = known
        .iter()
        .map(|known| known.as_ref().map_or("", |known| &known.head_ref))
        .collect();
    let (viewer, nodes) = match first_query(api, pulls, &heads).await {
        Ok(first) => first,
        Err(fault) => {
            return pulls
                .iter()
                .map(|_| Err(Miss::Fault(fault.clone())))
                .collect();
        }
    };
    let mut jobs = Vec::with_capacity(pulls.len());
    for ((pull, node), known) in pulls.iter().zip(nodes).zip(&known) {
        let found = Found {
            pull,
            known: known.as_ref(),
            viewer: &viewer,
            read_at: asked_at,
        };
        jobs.push(complete(api, memory, found, node));
    }
    let mut drafts: Vec<Result<Draft, Miss>> =
        stream::iter(jobs).buffered(SIDE_BY_SIDE).collect().await;
    look_again(api, pulls, &mut drafts).await;
    let finished = pulls.iter().zip(drafts);
    finished
        .map(|(pull, draft)| {
            let draft = draft?;
            remember(memory, pull, &draft.snapshot);
            Ok(draft.snapshot)
        })
        .collect()
}

type FirstAnswer = (Actor, Vec<Result<RepositoryNode<PullNode>, Fault>>);

/// The one query that carries them all.
async fn first_query(api: &Api, pulls: &[PullRef], heads: &[&str]) -> Result<FirstAnswer, Fault> {
    let variables = variables(pulls.iter().zip(heads.iter().copied()));
    let mut reply = graphql::send(api, &queries::observe(pulls.len()), variables).await?;
    let viewer: Account = reply.take("viewer")?;
    let viewer = reading::actor(&viewer)
        .ok_or_else(|| reading::unreadable("account of the token", &viewer.login))?;
    let nodes = (0..pulls.len())
        .map(|index| reply.take(&format!("pull{index}")))
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
async fn look_again(api: &Api, pulls: &[PullRef], drafts: &mut [Result<Draft, Miss>]) {
    let open: Vec<(usize, String)> = drafts
        .iter()
        .enumerate()
        .filter_map(|(index, draft)| {
            let draft = draft.as_ref().ok()?;
            let needed = draft.look_again || draft.ask_stacked;
            needed.then(|| (index, draft.snapshot.head_ref.clone()))
        })
        .collect();
    if open.is_empty() {
        return;
    }
    let looked_at = api.clock.now();
    let variables = variables(
        open.iter()
            .map(|(index, head)| (&pulls[*index], head.as_str())),
    );
    let reply = graphql::send(api, &queries::confirm(open.len()), variables).await;
    let mut reply = match reply {
        Ok(reply) => reply,
        Err(fault) => {
            for (index, _) in open {
                drafts[index] = Err(Miss::Fault(fault.clone()));
            }
            return;
        }
    };
    for (alias, (index, _)) in open.into_iter().enumerate() {
        let seen: Result<ConfirmNode, Fault> = reply.take(&format!("pull{alias}"));
        if let Ok(draft) = &mut drafts[index]
            && let Err(miss) = confirm(draft, seen, looked_at)
        {
            drafts[index] = Err(miss);
        }
    }
}

/// Takes the last look into a reading, which is none when the head moved.
fn confirm(draft: &mut Draft, seen: Result<ConfirmNode, Fault>, at: Time) -> Result<(), Miss> {
    let gone = || Fault::NotFound(format!("{}#{}", draft.snapshot.repo, draft.snapshot.number));
    let seen = seen?.pull_request.ok_or_else(gone)?;
    if seen.head_ref_oid != draft.snapshot.head.as_str() {
        return Err(Miss::Moved);
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

/// Whether an open pull request has the head branch as its base.
pub(crate) fn is_stacked_on(found: Option<&StackedOn>) -> bool {
    found.is_some_and(|found| found.pull_requests.total_count > 0)
}

/// Keeps what the next reading can use; nothing of a pull request that is done.
fn remember(memory: &Memory, pull: &PullRef, snapshot: &Snapshot) {
    let mut pulls = lock(&memory.pulls);
    if snapshot.state != PullState::Open {
        pulls.remove(&pull.id);
        return;
    }
    let names: BTreeSet<String> = snapshot
        .checks
        .iter()
        .map(|check| check.name.clone())
        .collect();
    let mut earlier = BTreeSet::new();
    if let Some(before) = pulls.remove(&pull.id) {
        earlier = before.earlier;
        if before.head != snapshot.head {
            earlier.extend(before.names);
            while earlier.len() > MOST_NAMES {
                earlier.pop_last();
            }
        }
    }
    let head_ref = snapshot.head_ref.clone();
    let head = snapshot.head.clone();
    pulls.insert(
        pull.id.clone(),
        Remembered {
            head_ref,
            head,
            names,
            earlier,
        },
    );
}
