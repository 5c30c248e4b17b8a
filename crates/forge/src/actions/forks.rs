//! Forks, and the pull requests that come from them.

use std::collections::BTreeMap;

use crate::Forge;
use crate::clock::now;
use crate::error::ForgeError;
use crate::git_dir::GitDir;
use crate::model::{Account, PullRequest, PullState, RepoMeta, RepoName, RepoState, Role, Sha};

use super::{pull_mut, require_visible};

/// Forks a repository for an account; where it has a fork of it already, that one is given.
pub(crate) async fn create(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
) -> Result<RepoName, ForgeError> {
    let parent = forge.read(repo, |state| {
        require_visible(state, viewer)?;
        Ok::<RepoMeta, ForgeError>((*state.meta).clone())
    })??;
    if parent.owner == viewer.id {
        return Err(ForgeError::refused(
            403,
            "You cannot fork your own repository.",
        ));
    }
    if let Some(fork) = fork_of(forge, repo, viewer)? {
        return Ok(fork);
    }
    let name = free_name(forge, viewer, parent.name.name())?;
    let source = forge.git(repo)?;
    let default_branch = forge.copy_git(&name, source.path()).await?;
    let at = now();
    let meta = RepoMeta {
        id: forge.next_id(),
        name: name.clone(),
        owner: viewer.id,
        fork_of: Some(parent.name.clone()),
        default_branch,
        created_at: at,
        pushed_at: at,
        updated_at: at,
        roles: BTreeMap::from([(viewer.id, Role::Owner)]),
        protection: BTreeMap::new(),
        merge_queue: Default::default(),
        next_number: 1,
        moved_issues: Default::default(),
        hooks: BTreeMap::new(),
        bots: serde_json::Value::Null,
        ..parent
    };
    forge.add_repo(RepoState::new(meta))?;
    Ok(name)
}

/// The name itself, or with a number behind it where the account has a repository of that name.
fn free_name(forge: &Forge, owner: &Account, name: &str) -> Result<RepoName, ForgeError> {
    let mut free = RepoName::new(&owner.login, name)?;
    let mut number = 0;
    while forge.repo_cell(&free).is_ok() {
        number += 1;
        free = RepoName::new(&owner.login, &format!("{name}-{number}"))?;
    }
    Ok(free)
}

/// Deletes a repository, as its owner may. Pull requests from it stay, without a head repository.
pub(crate) async fn delete(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
) -> Result<(), ForgeError> {
    let cell = forge.repo_cell(repo)?;
    let _refs = cell.refs.lock().await;
    let parent = forge.read(repo, |state| {
        require_visible(state, viewer)?;
        match state.meta.role(viewer.id) {
            Role::Owner => Ok(state.meta.fork_of.clone()),
            Role::None | Role::Reader | Role::Collaborator | Role::Member => Err(
                ForgeError::refused(403, "Must have admin rights to Repository."),
            ),
        }
    })??;
    if let Some(parent) = parent.filter(|parent| forge.repo_cell(parent).is_ok()) {
        forget_heads(forge, &parent, repo)?;
    }
    let folder = forge.git_path(repo);
    forge.remove_repo(repo)?;
    std::fs::remove_dir_all(&folder).map_err(ForgeError::io("remove", &folder))
}

/// Marks what came from a fork that is being deleted.
fn forget_heads(forge: &Forge, parent: &RepoName, fork: &RepoName) -> Result<(), ForgeError> {
    forge.change(parent, |state| {
        let from_it = |pull: &&PullRequest| is_from(pull, fork);
        let numbers = state.pulls.iter().filter(from_it).map(|pull| pull.number);
        for number in numbers.collect::<Vec<u64>>() {
            if let Some(head) = &mut pull_mut(state, number)?.head_fork {
                head.deleted = true;
            }
        }
        Ok(())
    })
}

/// Whether a pull request comes from a fork that is still there.
fn is_from(pull: &PullRequest, fork: &RepoName) -> bool {
    let head = pull.head_fork.as_ref();
    head.is_some_and(|head| !head.deleted && head.repo == *fork)
}

/// The forks of a repository that an account may see, in order.
pub(crate) fn list(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
) -> Result<Vec<RepoName>, ForgeError> {
    forge.read(repo, |state| require_visible(state, viewer))??;
    let is_fork = |name: &RepoName| {
        let meta = |state: &RepoState| {
            state.meta.visible_to(viewer) && state.meta.fork_of.as_ref() == Some(repo)
        };
        forge.read(name, meta).unwrap_or(false)
    };
    Ok(forge.repos().into_iter().filter(is_fork).collect())
}

/// The fork of a repository that an account has.
pub(crate) fn fork_of(
    forge: &Forge,
    repo: &RepoName,
    owner: &Account,
) -> Result<Option<RepoName>, ForgeError> {
    let mut forks = list(forge, owner, repo)?.into_iter();
    let is_theirs = |fork: &RepoName| {
        let of = |state: &RepoState| state.meta.owner == owner.id;
        forge.read(fork, of).unwrap_or(false)
    };
    Ok(forks.find(is_theirs))
}

/// Where the head branch of a pull request is; none where the branch is gone. The head of a deleted fork stays where it was.
pub(crate) async fn head_branch(
    forge: &Forge,
    pull: &PullRequest,
    branches: &BTreeMap<String, Sha>,
) -> Result<Option<Sha>, ForgeError> {
    match &pull.head_fork {
        None => Ok(branches.get(&pull.head_ref).cloned()),
        Some(fork) if fork.deleted => Ok(Some(pull.head_sha.clone())),
        Some(fork) => forge.git(&fork.repo)?.branch(&pull.head_ref).await,
    }
}

/// Brings a head that a fork was pushed to into the repository of the pull request.
pub(crate) async fn fetch_head(
    forge: &Forge,
    git: &GitDir,
    pull: &PullRequest,
    head: &Sha,
) -> Result<(), ForgeError> {
    match &pull.head_fork {
        Some(fork) if !fork.deleted => git.fetch_commit(&forge.git(&fork.repo)?, head).await,
        Some(_) | None => Ok(()),
    }
}

/// The branches of a fork that somebody may push to who has no role there: those of pull requests whose authors let maintainers of the
/// base push.
pub(crate) fn pushable_as_maintainer(
    forge: &Forge,
    fork: &RepoName,
    account: &Account,
) -> Result<Vec<String>, ForgeError> {
    let parent = forge.read(fork, |state| state.meta.fork_of.clone())?;
    let Some(parent) = parent.filter(|parent| forge.repo_cell(parent).is_ok()) else {
        return Ok(Vec::new());
    };
    forge.read(&parent, |state| {
        if !state.meta.role(account.id).may_write() {
            return Vec::new();
        }
        let lets_push = |pull: &&PullRequest| {
            let head = pull.head_fork.as_ref();
            pull.state == PullState::Open
                && is_from(pull, fork)
                && head.is_some_and(|head| head.maintainer_can_modify)
        };
        let pulls = state.pulls.iter().filter(lets_push);
        pulls.map(|pull| pull.head_ref.clone()).collect()
    })
}

/// GitHub's refusal to write to a fork that is gone.
pub(crate) fn unknown_repository() -> ForgeError {
    ForgeError::refused(422, "The head repository of the pull request is gone.")
}
