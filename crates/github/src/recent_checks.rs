//! Whether a repository runs checks on its pull requests at all (§3.3): asked where one has none.

use crate::api_client::ApiClient;
use crate::api_fault::ApiFault;
use crate::graphql;
use crate::nodes::RecentPullsNode;
use crate::queries;
use collie_core::ids::{RepoName, Time};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use tokio::sync::Mutex;

/// How long an answer counts.
const CACHE_TTL_MS: u64 = 60 * 60_000;
/// Repositories that are remembered.
const CACHE_CAPACITY: usize = 1_000;

/// Numbers of recent pull requests that had checks, by repository.
#[derive(Default)]
pub(crate) struct RecentChecksCache(Mutex<BTreeMap<String, (Time, BTreeSet<u64>)>>);

/// Whether any of the latest pull requests but this one had checks.
pub(crate) async fn others_have_checks(
    api: &ApiClient,
    cache: &RecentChecksCache,
    repo: &RepoName,
    number: u64,
) -> Result<bool, ApiFault> {
    let is_other = |with_checks: &BTreeSet<u64>| with_checks.iter().any(|other| *other != number);
    let (now, key) = (api.clock.now(), repo.to_string());
    // Held while it is asked: pull requests of one repository ask at once.
    let mut known = cache.0.lock().await;
    if let Some((read_at, with_checks)) = known.get(&key)
        && now.since(*read_at) < CACHE_TTL_MS
    {
        return Ok(is_other(with_checks));
    }
    let variables = json!({"owner": repo.owner(), "name": repo.name()});
    let read = async {
        let mut response = graphql::send(api, queries::RECENT_CHECKS, variables).await?;
        response.take_field::<RecentPullsNode>("repository")
    };
    let recent = match read.await {
        Ok(recent) => recent.pull_requests.nodes,
        // What the token may not see is no reason to throw a reading away.
        Err(
            ApiFault::NotFound(_)
            | ApiFault::Forbidden(_)
            | ApiFault::Gone(_)
            | ApiFault::Refused(_),
        ) => Vec::new(),
        Err(fault) => return Err(fault),
    };
    let with_checks = recent.into_iter().flatten();
    let with_checks = with_checks.filter(|pull| {
        let mut commits = pull.commits.nodes.iter().flatten();
        commits.any(|commit| commit.commit.status_check_rollup.is_some())
    });
    let with_checks: BTreeSet<u64> = with_checks.map(|pull| pull.number).collect();
    let found = is_other(&with_checks);
    if known.len() >= CACHE_CAPACITY {
        known.pop_first();
    }
    known.insert(key, (now, with_checks));
    Ok(found)
}
