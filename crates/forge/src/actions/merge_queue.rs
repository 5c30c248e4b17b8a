//! Merge queues: what waits in one, the commit that is built for it, and how it leaves.

use super::{events, pull, pull_mut, require_write, touch};
use crate::Forge;
use crate::checks;
use crate::clock::now;
use crate::error::ForgeError;
use crate::git_dir::CommitIdentity;
use crate::model::{
    Account, AccountId, EventKind, MergeQueuePosition, PullRequest, PullState, RepoName, RepoState,
    Sha,
};
use crate::shipped_accounts::MERGE_QUEUE_BOT;

/// Puts an open pull request at the end of its base's queue, builds its commit on the entry ahead, and runs the checks of that. It stays
/// there until it is taken out: this queue never merges.
pub(crate) async fn enqueue(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    number: u64,
) -> Result<(), ForgeError> {
    let cell = forge.repo_cell(repo)?;
    let _refs = cell.refs.lock().await;
    let (queued, ahead) = forge.read(repo, |state| {
        require_write(state, viewer)?;
        let pull = require_queueable(state, number)?;
        Ok::<_, ForgeError>((pull.clone(), last_commit(state, &pull.base_ref)))
    })??;
    let built_on = ahead.unwrap_or_else(|| queued.base_sha.clone());
    let commit = build(forge, repo, &queued, &built_on).await?;
    forge.change(repo, |state| {
        require_queueable(state, number)?;
        let entry = MergeQueuePosition {
            id: forge.next_id(),
            enqueued_by: viewer.id,
            enqueued_at: now(),
            head_commit: commit.clone(),
        };
        pull_mut(state, number)?.merge_queue_entry = Some(entry);
        let kind = EventKind::AddedToMergeQueue;
        events::record(state, forge.next_id(), number, viewer.id, kind);
        touch(state, number);
        Ok(())
    })?;
    match commit {
        Some(commit) => checks::on_queue_commit(forge, repo, number, &commit).await,
        None => Ok(()),
    }
}

fn require_queueable(state: &RepoState, number: u64) -> Result<&PullRequest, ForgeError> {
    let refuse = |why: &str| Err(ForgeError::unprocessable(why));
    let pull = pull(state, number)?;
    if pull.state != PullState::Open {
        return refuse("Pull request is closed");
    }
    if !state.meta.merge_queue.contains(&pull.base_ref) {
        return refuse("No merge queue found for the base branch.");
    }
    if pull.merge_queue_entry.is_some() {
        return refuse("The pull request is already in the merge queue.");
    }
    Ok(pull)
}

/// The commit of the last entry of a queue.
fn last_commit(state: &RepoState, base_ref: &str) -> Option<Sha> {
    let pulls = state.pulls.iter().filter(|pull| pull.base_ref == base_ref);
    let entries = pulls.filter_map(|pull| pull.merge_queue_entry.as_ref());
    let built = entries.filter(|entry| entry.head_commit.is_some());
    let last = built.max_by_key(|entry| (entry.enqueued_at, entry.id));
    last.and_then(|entry| entry.head_commit.clone())
}

/// Merges a head into what is ahead of it; none where that conflicts. The commit has no branch here.
async fn build(
    forge: &Forge,
    repo: &RepoName,
    pull: &PullRequest,
    built_on: &Sha,
) -> Result<Option<Sha>, ForgeError> {
    let git = forge.git(repo)?;
    let tree = git.merge_tree(built_on.as_str(), &pull.head_sha, None);
    let Some(tree) = tree.await? else {
        return Ok(None);
    };
    let message = format!(
        "Merge pull request #{} from {}/{}\n\n{}",
        pull.number,
        repo.owner(),
        pull.head_ref,
        pull.title
    );
    let committer = CommitIdentity {
        name: "github-merge-queue".to_owned(),
        email: format!(
            "{}+github-merge-queue@users.noreply.github.com",
            MERGE_QUEUE_BOT.0
        ),
    };
    let parents = [built_on, &pull.head_sha];
    let commit = git.commit_tree(&tree, &parents, &message, &committer, None);
    commit.await.map(Some)
}

/// Takes a pull request out of its queue, for the reason that the timeline will tell.
pub(crate) fn remove(
    forge: &Forge,
    state: &mut RepoState,
    number: u64,
    by: AccountId,
    reason: &str,
) -> Result<(), ForgeError> {
    let Some(entry) = pull_mut(state, number)?.merge_queue_entry.take() else {
        return Err(ForgeError::unprocessable(
            "The pull request is not in the merge queue.",
        ));
    };
    let kind = EventKind::RemovedFromMergeQueue {
        reason: reason.to_owned(),
        enqueuer: entry.enqueued_by,
        commit: entry.head_commit,
    };
    events::record(state, forge.next_id(), number, by, kind);
    touch(state, number);
    Ok(())
}
