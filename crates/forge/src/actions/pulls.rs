//! Opening, editing and following pull requests.

use std::sync::Arc;

use crate::Forge;
use crate::checks;
use crate::clock::now;
use crate::diff::{self, FileDiff};
use crate::error::ForgeError;
use crate::git_dir::GitDir;
use crate::model::{
    Account, AccountId, EventKind, HeadFork, HeadUpdate, PullGitFacts, PullRequest, PullState,
    RepoName, RepoState, ReviewThread, Sha, Side,
};

use super::comments::check_length;
use super::{events, forks, pull, pull_mut, require_visible};

/// Lines of context in the diffs that comments refer to, as on GitHub.
const CONTEXT_LINES: u32 = 3;

/// A pull request to open.
#[derive(Debug, Clone)]
pub(crate) struct NewPull {
    pub(crate) title: String,
    pub(crate) body: Option<String>,
    pub(crate) base_ref: String,
    pub(crate) head_ref: String,
    /// Whose fork has that branch; none for the repository itself.
    pub(crate) head_owner: Option<Account>,
    /// Whether those who may write to the base may push to the branch of a fork.
    pub(crate) maintainer_can_modify: bool,
    pub(crate) draft: bool,
}

/// Changes to a pull request; `None` leaves things as they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct PullEdit {
    pub(crate) title: Option<String>,
    pub(crate) body: Option<Option<String>>,
    pub(crate) open: Option<bool>,
    pub(crate) base_ref: Option<String>,
    pub(crate) draft: Option<bool>,
}

/// Opens a pull request; gives its number.
pub(crate) async fn open(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    new: NewPull,
) -> Result<u64, ForgeError> {
    let cell = forge.repo_cell(repo)?;
    let _refs = cell.refs.lock().await;
    forge.read(repo, |state| require_visible(state, viewer))??;
    check_title(&new.title)?;
    check_length("PullRequest", new.body.as_deref().unwrap_or_default())?;
    let git = forge.git(repo)?;
    let base = require_branch(&git, &new.base_ref, "base").await?;
    let fork = head_fork(forge, repo, &new)?;
    let head = fetch_new_head(forge, &git, fork.as_ref(), &new.head_ref).await?;
    let facts = git_facts(&git, &base, &head).await?.ok_or_else(|| {
        let (head, base) = (&new.head_ref, &new.base_ref);
        ForgeError::custom_validation(
            "PullRequest",
            "base",
            format!("The {head} branch has no history in common with {base}"),
        )
    })?;
    check_commits(&facts, &new)?;
    let number = forge.change(repo, |state| {
        let is_duplicate = |p: &PullRequest| {
            p.state == PullState::Open
                && p.head_ref == new.head_ref
                && p.base_ref == new.base_ref
                && p.head_fork == fork
        };
        if state.pulls.iter().any(is_duplicate) {
            let owner = fork.as_ref().map_or(repo.owner(), |fork| fork.repo.owner());
            let head = &new.head_ref;
            return Err(ForgeError::custom_validation(
                "PullRequest",
                "head",
                format!("A pull request already exists for {owner}:{head}."),
            ));
        }
        let number = state.meta.next_number;
        state.meta.edit().next_number += 1;
        let pull = new_pull_request(forge, viewer, number, &new, (base, head.clone()), facts);
        state.pulls.insert(PullRequest {
            head_fork: fork,
            ..pull
        });
        Ok(number)
    })?;
    git.update_ref(&format!("refs/pull/{number}/head"), &head, None)
        .await?;
    on_new_head(forge, repo, number, &head).await?;
    Ok(number)
}

/// Brings the head of a new pull request in where it is in a fork; gives the commit.
async fn fetch_new_head(
    forge: &Forge,
    git: &GitDir,
    fork: Option<&HeadFork>,
    name: &str,
) -> Result<Sha, ForgeError> {
    let Some(fork) = fork else {
        return require_branch(git, name, "head").await;
    };
    let fork = forge.git(&fork.repo)?;
    let head = require_branch(&fork, name, "head").await?;
    git.fetch_commit(&fork, &head).await?;
    Ok(head)
}

/// The fork that a new pull request comes from; none where it comes from the repository itself.
fn head_fork(
    forge: &Forge,
    repo: &RepoName,
    new: &NewPull,
) -> Result<Option<HeadFork>, ForgeError> {
    let own = forge.read(repo, |state| state.meta.owner)?;
    let Some(owner) = new.head_owner.as_ref().filter(|owner| owner.id != own) else {
        return Ok(None);
    };
    let missing = || ForgeError::invalid("PullRequest", "head", "invalid");
    Ok(Some(HeadFork {
        repo: forks::fork_of(forge, repo, owner)?.ok_or_else(missing)?,
        owner: owner.id,
        maintainer_can_modify: new.maintainer_can_modify,
        deleted: false,
    }))
}

fn check_commits(facts: &PullGitFacts, new: &NewPull) -> Result<(), ForgeError> {
    if facts.commits > 0 {
        return Ok(());
    }
    let (head, base) = (&new.head_ref, &new.base_ref);
    Err(ForgeError::custom_validation(
        "PullRequest",
        "base",
        format!("No commits between {base} and {head}"),
    ))
}

/// Lets the pull requests that come from a fork follow a push to it.
pub(crate) async fn sync_parent(
    forge: &Forge,
    fork: &RepoName,
    pusher: &Account,
) -> Result<(), ForgeError> {
    let parent = forge.read(fork, |state| state.meta.fork_of.clone())?;
    let Some(cell) = parent.and_then(|parent| forge.repo_cell(&parent).ok()) else {
        return Ok(());
    };
    let _refs = cell.refs.lock().await;
    sync_with_branches(forge, &cell.name, pusher.id).await
}

fn new_pull_request(
    forge: &Forge,
    author: &Account,
    number: u64,
    new: &NewPull,
    (base_sha, head_sha): (Sha, Sha),
    git: PullGitFacts,
) -> PullRequest {
    let at = now();
    PullRequest {
        id: forge.next_id(),
        issue_id: forge.next_id(),
        number,
        title: new.title.clone(),
        body: new.body.clone(),
        author: author.id,
        state: PullState::Open,
        draft: new.draft,
        locked: false,
        base_ref: new.base_ref.clone(),
        base_sha,
        head_ref: new.head_ref.clone(),
        head_fork: None,
        head_sha: head_sha.clone(),
        created_at: at,
        updated_at: at,
        closed_at: None,
        closed_by: None,
        merged_at: None,
        merged_by: None,
        merge_commit_sha: None,
        labels: Default::default(),
        assignees: Vec::new(),
        requested_reviewers: Vec::new(),
        auto_merge: None,
        merge_queue_entry: None,
        git,
        heads: vec![HeadUpdate {
            sha: head_sha,
            at,
            by: author.id,
            forced: false,
        }],
    }
}

/// Changes a pull request; its author and those with a role may.
pub(crate) async fn edit(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    number: u64,
    edit: PullEdit,
) -> Result<PullRequest, ForgeError> {
    let cell = forge.repo_cell(repo)?;
    let _refs = cell.refs.lock().await;
    let current = forge.read(repo, |state| {
        require_visible(state, viewer)?;
        let pull = pull(state, number)?;
        if pull.author == viewer.id || state.meta.role(viewer.id).may_write() {
            Ok(pull.clone())
        } else {
            Err(ForgeError::refused(
                403,
                "Must have admin rights to Repository.",
            ))
        }
    })??;
    if let Some(title) = &edit.title {
        check_title(title)?;
    }
    let reopen = edit.open == Some(true) && current.state != PullState::Open;
    if reopen && current.state == PullState::Merged {
        return Err(ForgeError::custom_validation(
            "PullRequest",
            "state",
            "The pull request cannot be reopened: it is merged.",
        ));
    }
    let new_base = match &edit.base_ref {
        Some(name) => Some((
            name.clone(),
            require_branch(&forge.git(repo)?, name, "base").await?,
        )),
        None => None,
    };
    if reopen {
        let branches = forge.git(repo)?.branches().await?;
        let head = forks::head_branch(forge, &current, &branches).await?;
        head.ok_or_else(|| ForgeError::invalid("PullRequest", "state", "invalid"))?;
    }
    forge.change(repo, |state| {
        edit_recorded(forge, state, number, viewer, edit)?;
        if let Some((name, _)) = new_base {
            pull_mut(state, number)?.base_ref = name;
        }
        Ok(())
    })?;
    sync_with_branches(forge, repo, viewer.id).await?;
    forge.read(repo, |state| pull(state, number).cloned())?
}

/// Changes a pull request, and writes down what was done.
fn edit_recorded(
    forge: &Forge,
    state: &mut RepoState,
    number: u64,
    viewer: &Account,
    edit: PullEdit,
) -> Result<(), ForgeError> {
    let before = pull(state, number)?.clone();
    let pull = pull_mut(state, number)?;
    apply_edit(pull, viewer, edit);
    let mut done = Vec::new();
    if pull.title != before.title {
        let (from, to) = (before.title, pull.title.clone());
        done.push(EventKind::Renamed { from, to });
    }
    match (before.draft, pull.draft) {
        (false, true) => done.push(EventKind::ConvertToDraft),
        (true, false) => done.push(EventKind::ReadyForReview),
        (true, true) | (false, false) => {}
    }
    match (before.state, pull.state) {
        (PullState::Open, PullState::Closed) => done.push(EventKind::Closed),
        (PullState::Closed, PullState::Open) => done.push(EventKind::Reopened),
        (_, _) => {}
    }
    for kind in done {
        events::record(state, forge.next_id(), number, viewer.id, kind);
    }
    Ok(())
}

fn apply_edit(pull: &mut PullRequest, viewer: &Account, edit: PullEdit) {
    let at = now();
    pull.updated_at = at;
    if let Some(title) = edit.title {
        pull.title = title;
    }
    if let Some(body) = edit.body {
        pull.body = body.filter(|b| !b.is_empty());
    }
    if let Some(draft) = edit.draft {
        pull.draft = draft;
    }
    match (edit.open, pull.state) {
        (Some(false), PullState::Open) => {
            pull.state = PullState::Closed;
            pull.closed_at = Some(at);
            pull.closed_by = Some(viewer.id);
            pull.auto_merge = None;
            pull.merge_queue_entry = None;
        }
        (Some(true), PullState::Closed) => {
            pull.state = PullState::Open;
            pull.closed_at = None;
            pull.closed_by = None;
        }
        (Some(_) | None, _) => {}
    }
}

fn check_title(title: &str) -> Result<(), ForgeError> {
    if title.trim().is_empty() {
        return Err(ForgeError::invalid("PullRequest", "title", "missing_field"));
    }
    if title.chars().count() > 256 {
        return Err(ForgeError::custom_validation(
            "PullRequest",
            "title",
            "title is too long (maximum is 256 characters)",
        ));
    }
    Ok(())
}

async fn require_branch(git: &GitDir, name: &str, field: &str) -> Result<Sha, ForgeError> {
    git.branch(name)
        .await?
        .ok_or_else(|| ForgeError::invalid("PullRequest", field, "invalid"))
}

/// What git says about merging `head` into `base`; `None` when they share no history.
async fn git_facts(
    git: &GitDir,
    base: &Sha,
    head: &Sha,
) -> Result<Option<PullGitFacts>, ForgeError> {
    let Some(merge_base) = git.merge_base(base, head).await? else {
        return Ok(None);
    };
    let (commits, behind_by) = git.ahead_behind(base, head).await?;
    let mergeable = git.merge_tree(base.as_str(), head, None).await?.is_some();
    let files = diff::diff_commits(git, &merge_base, head, CONTEXT_LINES).await?;
    Ok(Some(PullGitFacts {
        merge_base,
        mergeable: Some(mergeable),
        behind_by,
        commits,
        additions: files.iter().map(|f| f.additions).sum(),
        deletions: files.iter().map(|f| f.deletions).sum(),
        changed_files: files.len() as u64,
    }))
}

/// The changed files of a pull request at its current base and head.
pub(crate) async fn changed_files(
    forge: &Forge,
    repo: &RepoName,
    pull: &PullRequest,
) -> Result<Arc<Vec<FileDiff>>, ForgeError> {
    changed_files_between(forge, repo, &pull.git.merge_base, &pull.head_sha).await
}

/// The changed files between two commits, remembered for the next asker.
pub(crate) async fn changed_files_between(
    forge: &Forge,
    repo: &RepoName,
    base: &Sha,
    head: &Sha,
) -> Result<Arc<Vec<FileDiff>>, ForgeError> {
    let key = (repo.key(), base.clone(), head.clone());
    if let Some(files) = forge.diff_cache().get(&key) {
        return Ok(files);
    }
    let files = diff::diff_commits(&forge.git(repo)?, base, head, CONTEXT_LINES).await?;
    forge.diff_cache().insert(key, Arc::clone(&files));
    Ok(files)
}

/// Starts what a new head starts: checks and bots.
async fn on_new_head(
    forge: &Forge,
    repo: &RepoName,
    number: u64,
    head: &Sha,
) -> Result<(), ForgeError> {
    checks::on_new_head(forge, repo, number, head).await?;
    crate::bots::on_new_head(forge, repo, number, head);
    Ok(())
}

/// Brings every open pull request in line with where the branches are now.
///
/// The caller holds the repository's `refs` lock.
pub(crate) async fn sync_with_branches(
    forge: &Forge,
    repo: &RepoName,
    by: AccountId,
) -> Result<(), ForgeError> {
    let git = forge.git(repo)?;
    let branches = git.branches().await?;
    let open: Vec<PullRequest> = forge.read(repo, |state| {
        let open = state.pulls.iter().filter(|p| p.state == PullState::Open);
        open.cloned().collect()
    })?;
    for pull in open {
        let head = forks::head_branch(forge, &pull, &branches).await?;
        match (branches.get(&pull.base_ref), head) {
            (Some(base), Some(head)) => {
                if *base != pull.base_sha || head != pull.head_sha {
                    forks::fetch_head(forge, &git, &pull, &head).await?;
                    update_moved_pull(forge, repo, &git, &pull, (base, &head), by).await?;
                }
            }
            (None, _) | (_, None) => close_pull(forge, repo, pull.number, by)?,
        }
    }
    Ok(())
}

fn close_pull(
    forge: &Forge,
    repo: &RepoName,
    number: u64,
    by: AccountId,
) -> Result<(), ForgeError> {
    let viewer = forge.account(by);
    let close_edit = PullEdit {
        open: Some(false),
        ..PullEdit::default()
    };
    forge.change(repo, |state| {
        edit_recorded(forge, state, number, &viewer, close_edit)
    })
}

async fn update_moved_pull(
    forge: &Forge,
    repo: &RepoName,
    git: &GitDir,
    pull: &PullRequest,
    (base, head): (&Sha, &Sha),
    by: AccountId,
) -> Result<(), ForgeError> {
    let number = pull.number;
    let head_moved = *head != pull.head_sha;
    if git.is_ancestor(head, base).await? {
        // Nothing is left to merge: it came in by a push, or its commits were taken back.
        return if head_moved {
            close_pull(forge, repo, number, by)
        } else {
            mark_merged(forge, repo, number, by, base, base)
        };
    }
    let Some(facts) = git_facts(git, base, head).await? else {
        return close_pull(forge, repo, number, by);
    };
    let forced = head_moved && !git.is_ancestor(&pull.head_sha, head).await?;
    let moved_threads = move_live_threads(forge, repo, git, pull, &facts.merge_base, head).await?;
    if head_moved {
        git.update_ref(&format!("refs/pull/{number}/head"), head, None)
            .await?;
    }
    forge.change(repo, |state| {
        let pull = pull_mut(state, number)?;
        pull.base_sha = base.clone();
        pull.git = facts;
        if head_moved {
            let (sha, at) = (head.clone(), now());
            pull.head_sha = head.clone();
            pull.updated_at = at;
            pull.heads.push(HeadUpdate {
                sha,
                at,
                by,
                forced,
            });
        }
        for thread in moved_threads {
            state.threads.insert(thread);
        }
        if forced {
            let kind = EventKind::HeadRefForcePushed {
                commit: head.clone(),
            };
            events::record(state, forge.next_id(), number, by, kind);
        }
        Ok(())
    })?;
    if head_moved {
        on_new_head(forge, repo, number, head).await?;
    }
    Ok(())
}

/// Moves the threads of a pull request that are not outdated yet along to its new head.
async fn move_live_threads(
    forge: &Forge,
    repo: &RepoName,
    git: &GitDir,
    pull: &PullRequest,
    merge_base: &Sha,
    head: &Sha,
) -> Result<Vec<ReviewThread>, ForgeError> {
    let threads: Vec<ReviewThread> = forge.read(repo, |state| {
        let is_live = |t: &&ReviewThread| t.number == pull.number && !t.outdated;
        state.threads.iter().filter(is_live).cloned().collect()
    })?;
    if threads.is_empty() {
        return Ok(threads);
    }
    let new_files = changed_files_between(forge, repo, merge_base, head).await?;
    let changes = diff::diff_commits(git, &pull.head_sha, head, 0).await?;
    let same_base = *merge_base == pull.git.merge_base;
    let moved = threads
        .into_iter()
        .map(|thread| move_thread(thread, &changes, &new_files, same_base));
    Ok(moved.collect())
}

/// Moves a thread along with its lines; where they changed or left the diff, it is outdated.
pub(crate) fn move_thread(
    mut thread: ReviewThread,
    changes: &[FileDiff],
    new_files: &[FileDiff],
    same_base: bool,
) -> ReviewThread {
    let change = changes.iter().find(|f| {
        f.path == thread.path || f.previous_path.as_deref() == Some(thread.path.as_str())
    });
    if let Some(change) = change
        && change.previous_path.as_deref() == Some(thread.path.as_str())
    {
        thread.path.clone_from(&change.path);
    }
    let Some(file) = new_files.iter().find(|f| f.path == thread.path) else {
        return mark_outdated(thread);
    };
    let (Some(line), false) = (thread.line, thread.file_level) else {
        return thread;
    };
    let move_line = |side: Side, line: u64| {
        let line = match (side, change) {
            (Side::Right, Some(change)) => change.map_old_line(line)?,
            (Side::Right, None) => line,
            (Side::Left, _) => same_base.then_some(line)?,
        };
        file.locate_line(side, line).map(|_| line)
    };
    let last = move_line(thread.side, line);
    let first = thread
        .start_line
        .map(|line| move_line(thread.start_side.unwrap_or(thread.side), line));
    match (last, first) {
        (Some(last), None) => {
            thread.line = Some(last);
            thread
        }
        (Some(last), Some(Some(first))) => {
            thread.line = Some(last);
            thread.start_line = Some(first);
            thread
        }
        (None, _) | (_, Some(None)) => mark_outdated(thread),
    }
}

fn mark_outdated(mut thread: ReviewThread) -> ReviewThread {
    thread.outdated = true;
    thread.line = None;
    thread.start_line = None;
    thread
}

/// Records that a pull request was merged by `commit`, the base being at `base` now.
pub(crate) fn mark_merged(
    forge: &Forge,
    repo: &RepoName,
    number: u64,
    by: AccountId,
    commit: &Sha,
    base: &Sha,
) -> Result<(), ForgeError> {
    tracing::debug!(%repo, number, %base, "merged");
    forge.change(repo, |state| {
        let at = now();
        let pull = pull_mut(state, number)?;
        pull.state = PullState::Merged;
        pull.merged_at = Some(at);
        pull.closed_at = Some(at);
        pull.updated_at = at;
        pull.merged_by = Some(by);
        pull.closed_by = Some(by);
        pull.merge_commit_sha = Some(commit.clone());
        pull.auto_merge = None;
        pull.merge_queue_entry = None;
        let commit = commit.clone();
        events::record(
            state,
            forge.next_id(),
            number,
            by,
            EventKind::Merged { commit },
        );
        events::record(state, forge.next_id(), number, by, EventKind::Closed);
        Ok(())
    })
}
