//! Merging, for real, and what stands in its way.

use crate::Forge;
use crate::error::ForgeError;
use crate::git_dir::{CommitIdentity, GitDir};
use crate::model::{
    Account, AccountId, CheckStatus, Conclusion, MergeMethod, PullRequest, PullState, RepoName,
    RepoState, ReviewState, Role, Sha, StatusState,
};

use super::{forks, pull, pulls, require_write};

/// A request to merge.
#[derive(Debug, Clone)]
pub(crate) struct MergeParams {
    pub(crate) method: MergeMethod,
    /// The head that must still be there.
    pub(crate) sha: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) message: Option<String>,
}

/// GitHub's `mergeable_state`; GraphQL's `mergeStateStatus` is its upper case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MergeState {
    Clean,
    Dirty,
    Blocked,
    Behind,
    Draft,
    Unstable,
    Unknown,
}

impl MergeState {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Dirty => "dirty",
            Self::Blocked => "blocked",
            Self::Behind => "behind",
            Self::Draft => "draft",
            Self::Unstable => "unstable",
            Self::Unknown => "unknown",
        }
    }
}

/// How all checks and statuses of a commit stand together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckRollup {
    /// There are none.
    Empty,
    /// Some are not done.
    Pending,
    /// Some failed.
    Failed,
    /// All passed.
    Passed,
}

/// Sums up the checks and statuses of a commit; with `name`, only of that name.
pub(crate) fn check_rollup(state: &RepoState, sha: &Sha, name: Option<&str>) -> CheckRollup {
    let is_wanted = |context: &str| name.is_none_or(|n| n == context);
    let checks = state
        .latest_check_runs(sha)
        .into_iter()
        .filter(|r| is_wanted(&r.name))
        .map(|run| match (run.status, run.conclusion) {
            (CheckStatus::Completed, Some(conclusion)) => match conclusion {
                Conclusion::Success | Conclusion::Neutral | Conclusion::Skipped => {
                    CheckRollup::Passed
                }
                Conclusion::Failure
                | Conclusion::Cancelled
                | Conclusion::TimedOut
                | Conclusion::ActionRequired => CheckRollup::Failed,
            },
            (CheckStatus::Queued | CheckStatus::InProgress | CheckStatus::Completed, _) => {
                CheckRollup::Pending
            }
        });
    let statuses = state
        .latest_statuses(sha)
        .into_iter()
        .filter(|s| is_wanted(&s.context))
        .map(|status| match status.state {
            StatusState::Success => CheckRollup::Passed,
            StatusState::Pending => CheckRollup::Pending,
            StatusState::Failure | StatusState::Error => CheckRollup::Failed,
        });
    checks
        .chain(statuses)
        .fold(CheckRollup::Empty, |sum, one| match (sum, one) {
            (CheckRollup::Failed, _) | (_, CheckRollup::Failed) => CheckRollup::Failed,
            (CheckRollup::Pending, _) | (_, CheckRollup::Pending) => CheckRollup::Pending,
            (CheckRollup::Passed | CheckRollup::Empty, one) => one,
        })
}

/// The last verdict of each reviewer, those of comments left out.
pub(crate) fn latest_verdicts(state: &RepoState, number: u64) -> Vec<(AccountId, ReviewState)> {
    let mut last = std::collections::BTreeMap::new();
    for review in state.reviews.iter().filter(|r| r.number == number) {
        match review.state {
            ReviewState::Approved | ReviewState::ChangesRequested | ReviewState::Dismissed => {
                last.insert(review.author, review.state);
            }
            ReviewState::Pending | ReviewState::Commented => {}
        }
    }
    last.into_iter().collect()
}

/// What the branch rules hold against a merge, in GitHub's words; empty when nothing.
pub(crate) fn rule_blockers(state: &RepoState, pull: &PullRequest) -> Vec<String> {
    let Some(rules) = state.meta.protection.get(&pull.base_ref) else {
        return Vec::new();
    };
    let mut blockers = Vec::new();
    for name in &rules.required_checks {
        match check_rollup(state, &pull.head_sha, Some(name)) {
            CheckRollup::Empty => {
                blockers.push(format!("Required status check \"{name}\" is expected."))
            }
            CheckRollup::Pending => {
                blockers.push(format!("Required status check \"{name}\" is in progress."))
            }
            CheckRollup::Failed => {
                blockers.push(format!("Required status check \"{name}\" is failing."))
            }
            CheckRollup::Passed => {}
        }
    }
    let is_writer = |id: AccountId| state.meta.role(id).may_write();
    let verdicts = latest_verdicts(state, pull.number);
    let count = |wanted| {
        let hits = verdicts
            .iter()
            .filter(|(id, v)| *v == wanted && is_writer(*id));
        hits.count() as u64
    };
    if rules.required_reviews > 0 {
        if count(ReviewState::ChangesRequested) > 0 {
            blockers.push("Changes have been requested.".to_owned());
        }
        if count(ReviewState::Approved) < u64::from(rules.required_reviews) {
            let wanted = rules.required_reviews;
            let plural = if wanted == 1 { " is" } else { "s are" };
            blockers.push(format!(
                "At least {wanted} approving review{plural} required by reviewers with write access."
            ));
        }
    }
    let open_thread =
        |t: &crate::model::ReviewThread| t.number == pull.number && t.resolved_by.is_none();
    if rules.require_conversation_resolution && state.threads.iter().any(open_thread) {
        blockers.push(
            "A conversation must be resolved before this pull request can be merged.".to_owned(),
        );
    }
    blockers
}

/// Whether the base must be merged in first.
pub(crate) fn is_behind(state: &RepoState, pull: &PullRequest) -> bool {
    let is_strict = |p: &crate::model::Protection| p.strict;
    pull.git.behind_by > 0
        && state
            .meta
            .protection
            .get(&pull.base_ref)
            .is_some_and(is_strict)
}

/// How a merge stands.
pub(crate) fn merge_state(state: &RepoState, pull: &PullRequest) -> MergeState {
    if pull.state != PullState::Open {
        return MergeState::Unknown;
    }
    match pull.git.mergeable {
        None => MergeState::Unknown,
        Some(false) => MergeState::Dirty,
        Some(true) if pull.draft => MergeState::Draft,
        Some(true) if !rule_blockers(state, pull).is_empty() => MergeState::Blocked,
        Some(true) if is_behind(state, pull) => MergeState::Behind,
        Some(true) => match check_rollup(state, &pull.head_sha, None) {
            CheckRollup::Empty | CheckRollup::Passed => MergeState::Clean,
            CheckRollup::Pending | CheckRollup::Failed => MergeState::Unstable,
        },
    }
}

/// Merges; gives the commit on the base.
pub(crate) async fn merge(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    number: u64,
    params: MergeParams,
) -> Result<Sha, ForgeError> {
    let cell = forge.repo_cell(repo)?;
    let _refs = cell.refs.lock().await;
    let pull = forge.read(repo, |state| {
        require_write(state, viewer)?;
        let pull = pull(state, number)?;
        require_mergeable(state, viewer, pull, &params)?;
        Ok::<_, ForgeError>(pull.clone())
    })??;
    let git = forge.git(repo)?;
    let committer = commit_identity(viewer);
    let commit = match params.method {
        MergeMethod::Merge => create_merge_commit(&git, repo, &pull, &params, &committer).await?,
        MergeMethod::Squash => create_squash_commit(&git, &pull, &params, &committer).await?,
        MergeMethod::Rebase => rebase_commits(&git, &pull, &committer).await?,
    };
    let base = format!("refs/heads/{}", pull.base_ref);
    git.update_ref(&base, &commit, Some(&pull.base_sha)).await?;
    pulls::mark_merged(forge, repo, number, viewer.id, &commit, &commit)?;
    pulls::sync_with_branches(forge, repo, viewer.id).await?;
    Ok(commit)
}

fn require_mergeable(
    state: &RepoState,
    viewer: &Account,
    pull: &PullRequest,
    params: &MergeParams,
) -> Result<(), ForgeError> {
    let refuse = |message: &str| Err(ForgeError::refused(405, message));
    if pull.state != PullState::Open {
        return refuse("Pull Request is not mergeable");
    }
    require_allowed_method(state, params.method)?;
    if let Some(sha) = &params.sha
        && *sha != pull.head_sha.as_str()
    {
        return Err(ForgeError::refused(
            409,
            "Head branch was modified. Review and try the merge again.",
        ));
    }
    if pull.draft {
        return refuse("Pull Request is still a draft");
    }
    if pull.git.mergeable == Some(false) {
        return refuse("Pull Request is not mergeable");
    }
    if state.meta.merge_queue.contains(&pull.base_ref) {
        return refuse("Changes must be made through the merge queue");
    }
    if may_bypass_rules(state, viewer, &pull.base_ref) {
        return Ok(());
    }
    if let Some(first) = rule_blockers(state, pull).first() {
        return refuse(first);
    }
    if is_behind(state, pull) {
        return refuse("Head branch is out of date. Review and try the merge again.");
    }
    Ok(())
}

fn require_allowed_method(state: &RepoState, method: MergeMethod) -> Result<(), ForgeError> {
    let (allowed, message) = match method {
        MergeMethod::Merge => (
            state.meta.allow_merge_commit,
            "Merge commits are not allowed on this repository.",
        ),
        MergeMethod::Squash => (
            state.meta.allow_squash_merge,
            "Squash merges are not allowed on this repository.",
        ),
        MergeMethod::Rebase => (
            state.meta.allow_rebase_merge,
            "Rebase merges are not allowed on this repository.",
        ),
    };
    if allowed {
        Ok(())
    } else {
        Err(ForgeError::refused(405, message))
    }
}

/// Whether the rules of a branch do not bind this account: an owner's, unless they are enforced for administrators.
fn may_bypass_rules(state: &RepoState, viewer: &Account, branch: &str) -> bool {
    let is_enforced = |p: &crate::model::Protection| p.enforce_admins;
    let protection = state.meta.protection.get(branch);
    state.meta.role(viewer.id) == Role::Owner && !protection.is_some_and(is_enforced)
}

fn conflict_error() -> ForgeError {
    ForgeError::refused(405, "Pull Request is not mergeable")
}

async fn create_merge_commit(
    git: &GitDir,
    repo: &RepoName,
    pull: &PullRequest,
    params: &MergeParams,
    committer: &CommitIdentity,
) -> Result<Sha, ForgeError> {
    let tree = git
        .merge_tree(pull.base_sha.as_str(), &pull.head_sha, None)
        .await?
        .ok_or_else(conflict_error)?;
    let owner = match &pull.head_fork {
        Some(fork) => fork.repo.owner(),
        None => repo.owner(),
    };
    let (number, head) = (pull.number, &pull.head_ref);
    let title = params
        .title
        .clone()
        .unwrap_or_else(|| format!("Merge pull request #{number} from {owner}/{head}"));
    let message = params.message.clone().unwrap_or_else(|| pull.title.clone());
    let parents = [&pull.base_sha, &pull.head_sha];
    git.commit_tree(
        &tree,
        &parents,
        &join_message(&title, &message),
        committer,
        None,
    )
    .await
}

async fn create_squash_commit(
    git: &GitDir,
    pull: &PullRequest,
    params: &MergeParams,
    committer: &CommitIdentity,
) -> Result<Sha, ForgeError> {
    let tree = git
        .merge_tree(pull.base_sha.as_str(), &pull.head_sha, None)
        .await?
        .ok_or_else(conflict_error)?;
    let commits = git.commits_between(&pull.base_sha, &pull.head_sha).await?;
    let title = params
        .title
        .clone()
        .unwrap_or_else(|| format!("{} (#{})", pull.title, pull.number));
    let listed: Vec<String> = commits.iter().map(|c| format!("* {}", c.message)).collect();
    let message = params
        .message
        .clone()
        .unwrap_or_else(|| listed.join("\n\n"));
    let author = commits.first().map(|c| &c.author);
    git.commit_tree(
        &tree,
        &[&pull.base_sha],
        &join_message(&title, &message),
        committer,
        author,
    )
    .await
}

/// Puts each commit anew on the base; merges in between are left out, as GitHub does.
async fn rebase_commits(
    git: &GitDir,
    pull: &PullRequest,
    committer: &CommitIdentity,
) -> Result<Sha, ForgeError> {
    let mut tip = pull.base_sha.clone();
    for commit in git.commits_between(&pull.base_sha, &pull.head_sha).await? {
        let [parent] = commit.parents.as_slice() else {
            continue;
        };
        let tree = git
            .merge_tree(tip.as_str(), &commit.sha, Some(parent))
            .await?
            .ok_or_else(conflict_error)?;
        tip = git
            .commit_tree(
                &tree,
                &[&tip],
                &commit.message,
                committer,
                Some(&commit.author),
            )
            .await?;
    }
    Ok(tip)
}

fn join_message(title: &str, message: &str) -> String {
    if message.is_empty() {
        title.to_owned()
    } else {
        format!("{title}\n\n{message}")
    }
}

/// Merges what is set to merge by itself as soon as nothing stands in its way.
pub(crate) async fn watch_auto_merge(forge: Forge) {
    let mut changes = forge.changes();
    loop {
        for repo in forge.repos() {
            let mergeable_pulls = forge.read(&repo, |state| {
                let is_clean = |p: &&PullRequest| {
                    p.auto_merge.is_some() && merge_state(state, p) == MergeState::Clean
                };
                state
                    .pulls
                    .iter()
                    .filter(is_clean)
                    .cloned()
                    .collect::<Vec<_>>()
            });
            for pull in mergeable_pulls.unwrap_or_default() {
                let Some(auto_merge) = pull.auto_merge else {
                    continue;
                };
                let params = MergeParams {
                    method: auto_merge.method,
                    sha: Some(pull.head_sha.to_string()),
                    title: auto_merge.commit_title,
                    message: auto_merge.commit_message,
                };
                let enabled_by = forge.account(auto_merge.enabled_by);
                if let Err(error) = merge(&forge, &enabled_by, &repo, pull.number, params).await {
                    tracing::debug!(%repo, number = pull.number, %error, "auto-merge was refused");
                }
            }
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

/// Merges the base into the head, as GitHub's "Update branch" does.
pub(crate) async fn update_branch(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    number: u64,
    expected: Option<&str>,
) -> Result<(), ForgeError> {
    let cell = forge.repo_cell(repo)?;
    let _refs = cell.refs.lock().await;
    let pull = forge.read(repo, |state| {
        require_write(state, viewer)?;
        pull(state, number).cloned()
    })??;
    if pull.state != PullState::Open {
        return Err(ForgeError::refused(422, "The pull request is not open."));
    }
    if expected.is_some_and(|sha| sha != pull.head_sha.as_str()) {
        let message = format!("expected head sha didn't match current head ref. ({number})");
        return Err(ForgeError::refused(422, message));
    }
    if pull.git.behind_by == 0 {
        return Err(ForgeError::refused(
            422,
            "There are no new commits on the base branch.",
        ));
    }
    let git = forge.git(repo)?;
    let merged = git
        .merge_tree(pull.head_sha.as_str(), &pull.base_sha, None)
        .await?;
    let tree =
        merged.ok_or_else(|| ForgeError::refused(422, "merge conflict between base and head"))?;
    let message = format!("Merge branch '{}' into {}", pull.base_ref, pull.head_ref);
    let parents = [&pull.head_sha, &pull.base_sha];
    let commit = git
        .commit_tree(&tree, &parents, &message, &commit_identity(viewer), None)
        .await?;
    let head_git = match &pull.head_fork {
        Some(fork) if fork.deleted => return Err(forks::unknown_repository()),
        Some(fork) => forge.git(&fork.repo)?,
        None => git.clone(),
    };
    head_git.fetch_commit(&git, &commit).await?;
    let head = format!("refs/heads/{}", pull.head_ref);
    head_git
        .update_ref(&head, &commit, Some(&pull.head_sha))
        .await?;
    pulls::sync_with_branches(forge, repo, viewer.id).await
}

fn commit_identity(viewer: &Account) -> CommitIdentity {
    CommitIdentity {
        name: viewer.name.clone().unwrap_or_else(|| viewer.login.clone()),
        email: format!("{}+{}@users.noreply.github.com", viewer.id.0, viewer.login),
    }
}
