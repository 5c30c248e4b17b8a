//! How checks stand on the commit that a base branch is at (§3.3): asked where one failed on a pull request.

use crate::api_client::ApiClient;
use crate::api_fault::ApiFault;
use crate::check_evidence::{CheckEvidenceCache, checks_with_reporters};
use crate::graphql;
use crate::nodes::CheckContextNode;
use crate::queries;
use collie_core::ids::{RepoName, Sha, Time};
use collie_core::snapshot::BaseCheck;
use serde_json::json;
use std::collections::BTreeMap;
use tokio::sync::Mutex;

/// How long an answer counts: many pull requests may fail on one base.
const CACHE_TTL_MS: u64 = 60_000;
/// Commits that are remembered.
const CACHE_CAPACITY: usize = 1_000;

/// A repository and a commit of it.
type BaseKey = (String, Sha);

/// Checks by repository and commit, and when they were read.
#[derive(Default)]
pub(crate) struct BaseChecksCache(Mutex<BTreeMap<BaseKey, (Time, Vec<BaseCheck>)>>);

/// Reads how checks stand on a base; none where the token may not see it.
pub(crate) async fn read_base_checks(
    api: &ApiClient,
    cache: &BaseChecksCache,
    evidence: &CheckEvidenceCache,
    repo: &RepoName,
    base: &Sha,
) -> Result<Vec<BaseCheck>, ApiFault> {
    let (now, key) = (api.clock.now(), (repo.to_string(), base.clone()));
    // Held while it is asked: pull requests that fail on one base ask at once.
    let mut known = cache.0.lock().await;
    if let Some((read_at, checks)) = known.get(&key)
        && now.since(*read_at) < CACHE_TTL_MS
    {
        return Ok(checks.clone());
    }
    let nodes = read_check_nodes(api, queries::BASE_CHECKS, repo, base.as_str()).await?;
    let checks = checks_with_reporters(api, evidence, nodes).await?;
    let on_base = checks.into_iter().map(|check| BaseCheck {
        check: check.key(),
        status: check.status,
        conclusion: check.conclusion,
    });
    let on_base: Vec<BaseCheck> = on_base.collect();
    if known.len() >= CACHE_CAPACITY {
        known.pop_first();
    }
    known.insert(key, (now, on_base.clone()));
    Ok(on_base)
}

/// Reads the checks of any commit; none where the token may not see them.
pub(crate) async fn read_check_nodes(
    api: &ApiClient,
    document: &str,
    repo: &RepoName,
    commit: &str,
) -> Result<Vec<CheckContextNode>, ApiFault> {
    let variables = json!({"owner": repo.owner(), "name": repo.name(), "commit": commit});
    let below = ["repository", "object", "statusCheckRollup", "page"];
    match graphql::fetch_remaining(api, document, &variables, &below, None).await {
        Ok(nodes) => Ok(nodes),
        Err(
            ApiFault::NotFound(_)
            | ApiFault::Forbidden(_)
            | ApiFault::Gone(_)
            | ApiFault::Refused(_),
        ) => Ok(Vec::new()),
        Err(fault) => Err(fault),
    }
}
