//! What GitHub lets each person see and do: read with that person's own token, and held for a moment.

use crate::people::{People, Person};
use crate::problem::ApiError;
use collie_app::backend::Backend;
use collie_core::error_code::{ErrorCode, ErrorHint};
use collie_core::ids::{AccountId, RepoName};
use collie_core::loop_state::LoopState;
use collie_core::user_error::UserError;
use collie_engine::ports::GitHubError;
use futures::StreamExt as _;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is remembered at most.
const CAPACITY: usize = 20_000;
/// Questions of one person on their way at once.
const MAX_CONCURRENT_READS: usize = 8;

/// What a person may do in a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access {
    /// They do not see it.
    None,
    /// They may read it.
    Read,
    /// They may push to it.
    Write,
}

/// What is known of everybody's access.
pub(crate) struct AccessCache {
    ttl: Duration,
    known: Mutex<HashMap<(AccountId, String), (Instant, Access)>>,
    people: Arc<People>,
    backend: Backend,
}

impl AccessCache {
    pub(crate) fn new(ttl: Duration, people: Arc<People>, backend: Backend) -> Self {
        Self {
            ttl,
            known: Mutex::default(),
            people,
            backend,
        }
    }

    /// What a person may do in a repository now.
    pub(crate) async fn of(&self, person: &Person, repo: &RepoName) -> Result<Access, ApiError> {
        let key = (person.id, repo.to_string().to_lowercase());
        if let Some((read_at, access)) = self.lock().get(&key)
            && read_at.elapsed() < self.ttl
        {
            return Ok(*access);
        }
        let access = match person.github.repository_access(repo).await {
            Ok(found) if is_another(&found.repo_id, repo, &self.backend.loop_states()) => {
                Access::None
            }
            Ok(found) if found.can_push => Access::Write,
            Ok(_) => Access::Read,
            Err(GitHubError::NotFound { .. } | GitHubError::Refused { .. }) => Access::None,
            Err(error @ GitHubError::Unauthorized { .. }) => {
                // Where the journal cannot be written they are out all the same, until a restart asks GitHub again.
                if let Err(ApiError(error)) = self.people.end_all(person).await {
                    tracing::warn!(
                        code = error.code.as_str(),
                        "sessions could not be forgotten"
                    );
                }
                tracing::info!(login = %person.login, %error, "a person was signed out");
                return Err(ApiError::signed_out());
            }
            // An outage says nothing, and what nobody vouches for is not shown.
            Err(error) => return Err(UserError::from(error).into()),
        };
        let mut known = self.lock();
        if known.len() >= CAPACITY {
            let ttl = self.ttl;
            known.retain(|_, (read_at, _)| read_at.elapsed() < ttl);
        }
        if known.len() < CAPACITY {
            known.insert(key, (Instant::now(), access));
        }
        Ok(access)
    }

    /// Those of some repositories that a person sees.
    pub(crate) async fn readable(
        &self,
        person: &Person,
        repos: BTreeSet<RepoName>,
    ) -> Result<BTreeSet<RepoName>, ApiError> {
        let reads = repos.into_iter().map(|repo| async move {
            let access = self.of(person, &repo).await?;
            Ok::<_, ApiError>((repo, access))
        });
        let reads: Vec<_> = reads.collect();
        let found: Vec<_> = futures::stream::iter(reads)
            .buffered(MAX_CONCURRENT_READS)
            .collect()
            .await;
        let mut readable = BTreeSet::new();
        for read in found {
            let (repo, access) = read?;
            if access >= Access::Read {
                readable.insert(repo);
            }
        }
        Ok(readable)
    }

    /// Refuses who does not see a repository, as if it were not there.
    pub(crate) async fn require_read(
        &self,
        person: &Person,
        repo: &RepoName,
        name: &str,
    ) -> Result<Access, ApiError> {
        match self.of(person, repo).await? {
            Access::None => Err(ApiError(
                UserError::new(ErrorCode::NotVisible).with("name", name),
            )),
            access => Ok(access),
        }
    }

    /// Refuses who may not push to a repository.
    pub(crate) async fn require_write(
        &self,
        person: &Person,
        repo: &RepoName,
        name: &str,
    ) -> Result<(), ApiError> {
        match self.require_read(person, repo, name).await? {
            Access::Write => Ok(()),
            Access::None | Access::Read => Err(ApiError(
                UserError::new(ErrorCode::NoWriteAccess)
                    .with("login", &person.login)
                    .with("repo", repo)
                    .hint(ErrorHint::Rights),
            )),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(AccountId, String), (Instant, Access)>> {
        // Nothing can panic while the lock is held, so what a poisoned one holds is whole.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the repository that GitHub shows under a name is another one than loops know by it: the name was given up and taken anew, and
/// who may push to the later one has no part in the first.
fn is_another(repo_id: &str, name: &RepoName, loops: &[Arc<LoopState>]) -> bool {
    let mut of_name = loops
        .iter()
        .filter(|state| state.pull.repo.eq_ignore_case(name));
    of_name.any(|state| state.id.repo_id != repo_id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_core::ids::{Login, LoopId, RunId, Time};
    use collie_core::loop_state::{NewLoop, PullRequest};
    use collie_core::policy::Policy;

    fn watched(repo: &str, repo_id: &str) -> Arc<LoopState> {
        let new = NewLoop {
            id: LoopId {
                host: "github.com".into(),
                repo_id: repo_id.into(),
                number: 1,
            },
            pull: PullRequest {
                repo: RepoName::parse(repo).unwrap(),
                title: "t".into(),
                author: None,
                url: String::new(),
                base_ref: "main".into(),
                head_ref: "topic".into(),
            },
            run: RunId::new("run"),
            started_by: Login::new("me"),
            policy: Policy::default(),
        };
        Arc::new(LoopState::new(new, Time(0)))
    }

    #[test]
    fn a_name_that_was_taken_anew_is_another_repository() {
        let loops = [watched("acme/api", "R_1"), watched("acme/web", "R_2")];
        let check = |repo_id: &str, name: &str, expect: bool| {
            let name = RepoName::parse(name).unwrap();
            assert_eq!(is_another(repo_id, &name, &loops), expect, "{repo_id}");
        };
        check("R_1", "acme/api", false);
        check("R_1", "Acme/API", false);
        check("R_9", "acme/api", true);
        check("R_9", "ACME/api", true);
        // Of what no loop is about nothing is shown either.
        check("R_9", "acme/other", false);
    }
}
