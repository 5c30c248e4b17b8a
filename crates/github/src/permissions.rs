//! What people may do in a repository, as GitHub's permission says (§9.1): never by what it calls them.

use crate::api_client::{ApiClient, lock};
use crate::api_fault::ApiFault;
use crate::branch_rules::encode_path_segment;
use collie_core::ids::{AccountId, RepoName, Time};
use collie_core::snapshot::{Actor, Snapshot};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// A permission is asked for again after so long, and then conditionally: so long somebody stays trusted who is no longer.
const CACHE_TTL_MS: u64 = 5 * 60_000;
/// Accounts that are remembered.
const CACHE_CAPACITY: usize = 10_000;
/// Questions on their way at once.
const MAX_CONCURRENT_READS: usize = 4;

/// What the permission of an account came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    /// It may write.
    Write,
    /// It may not.
    NoWrite,
    /// The token may not ask: GitHub tells it only those who may push themselves.
    Unread,
}

/// Permissions by repository, told by its node id, and account.
#[derive(Default)]
pub(crate) struct PermissionCache {
    accounts: Mutex<BTreeMap<(String, AccountId), (Time, Access)>>,
    /// Repositories where the token may not ask.
    closed: Mutex<BTreeMap<String, Time>>,
}

#[derive(Deserialize)]
pub(crate) struct PermissionRow {
    permission: String,
    user: Option<UserRow>,
}

#[derive(Deserialize)]
pub(crate) struct UserRow {
    id: u64,
}

impl PermissionRow {
    /// Whether that account may write. `permission` is what a role rests on, custom ones too; GitHub says `write` there for `maintain`.
    fn grants_write_to(&self, account: AccountId) -> bool {
        // Another account may bear the name by now.
        let same = self.user.as_ref().is_some_and(|user| user.id == account.0);
        let named = |name: &str| matches!(name, "admin" | "maintain" | "write");
        same && named(&self.permission)
    }
}

/// Fills in who of those that wrote on a pull request may write to its repository. `viewer_may_write` is known already.
pub(crate) async fn attach_permissions(
    api: &ApiClient,
    cache: &PermissionCache,
    repo_id: &str,
    viewer_may_write: bool,
    snapshot: &mut Snapshot,
) -> Result<(), ApiFault> {
    let mut people: BTreeMap<AccountId, Actor> = BTreeMap::new();
    for actor in snapshot.people() {
        people.insert(actor.id, actor.clone());
    }
    people.remove(&snapshot.viewer.id);
    let repo = &snapshot.repo;
    let reads = people.into_values().map(|actor| async move {
        let access = access_of(api, cache, repo_id, repo, &actor).await?;
        Ok::<_, ApiFault>((actor.id, access))
    });
    let found: Vec<(AccountId, Access)> = stream::iter(reads)
        .buffered(MAX_CONCURRENT_READS)
        .try_collect()
        .await?;
    let with = |wanted| {
        let matching = found.iter().filter(move |(_, access)| *access == wanted);
        matching.map(|(id, _)| *id)
    };
    snapshot.writers = with(Access::Write).collect();
    snapshot.permission_unread = with(Access::Unread).collect();
    if viewer_may_write {
        snapshot.writers.insert(snapshot.viewer.id);
    }
    Ok(())
}

async fn access_of(
    api: &ApiClient,
    cache: &PermissionCache,
    repo_id: &str,
    repo: &RepoName,
    actor: &Actor,
) -> Result<Access, ApiFault> {
    let now = api.clock.now();
    let fresh = |read_at: &Time| now.since(*read_at) < CACHE_TTL_MS;
    let key = (repo_id.to_owned(), actor.id);
    if let Some((read_at, access)) = lock(&cache.accounts).get(&key)
        && fresh(read_at)
    {
        return Ok(*access);
    }
    if lock(&cache.closed).get(repo_id).is_some_and(fresh) {
        return Ok(Access::Unread);
    }
    let login = encode_path_segment(actor.login.as_str());
    let path = format!("/repos/{repo}/collaborators/{login}/permission");
    let access = match api.get(&path).await {
        Ok(response) if response.json::<PermissionRow>()?.grants_write_to(actor.id) => {
            Access::Write
        }
        // 404: nobody bears that name any more.
        Ok(_) | Err(ApiFault::NotFound(_)) => Access::NoWrite,
        Err(ApiFault::Forbidden(_) | ApiFault::Gone(_) | ApiFault::Refused(_)) => {
            lock(&cache.closed).insert(repo_id.to_owned(), now);
            return Ok(Access::Unread);
        }
        // An outage says nothing: without knowing whose word counts, the reading is none.
        Err(fault) => return Err(fault),
    };
    let mut accounts = lock(&cache.accounts);
    if accounts.len() >= CACHE_CAPACITY {
        accounts.pop_first();
    }
    accounts.insert(key, (now, access));
    Ok(access)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(row: &str, may_write: bool) {
        let row: PermissionRow = serde_json::from_str(row).expect("a permission");
        assert_eq!(row.grants_write_to(AccountId(5)), may_write);
    }

    #[test]
    fn write_is_what_the_permission_of_that_very_account_says() {
        check(
            r#"{"permission": "admin", "role_name": "admin", "user": {"id": 5}}"#,
            true,
        );
        check(
            r#"{"permission": "write", "role_name": "releaser", "user": {"id": 5}}"#,
            true,
        );
        check(
            r#"{"permission": "write", "role_name": "maintain", "user": {"id": 5}}"#,
            true,
        );
        check(
            r#"{"permission": "read", "role_name": "triage", "user": {"id": 5}}"#,
            false,
        );
        check(
            r#"{"permission": "none", "role_name": "", "user": {"id": 5}}"#,
            false,
        );
        check(r#"{"permission": "write", "user": {"id": 6}}"#, false);
        check(r#"{"permission": "write", "user": null}"#, false);
    }
}
