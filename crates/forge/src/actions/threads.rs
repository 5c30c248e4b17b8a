//! Inline comments and their threads.

use serde_json::json;

use crate::Forge;
use crate::clock::now;
use crate::diff;
use crate::error::ForgeError;
use crate::model::{
    Account, AccountKind, PullRequest, ReactionSubject, RepoName, RepoState, ReviewComment,
    ReviewThread, Sha, Side,
};

use super::comments::check_body;
use super::reviews::{self, ReviewEvent};
use super::{pull, pulls, remove_reactions, require_unlocked, require_visible, touch};

/// An inline comment that begins a thread.
#[derive(Debug, Clone)]
pub(crate) struct NewThread {
    pub(crate) path: String,
    pub(crate) body: String,
    /// The last line; `None` with `position` or for the whole file.
    pub(crate) line: Option<u64>,
    pub(crate) side: Side,
    pub(crate) start_line: Option<u64>,
    pub(crate) start_side: Option<Side>,
    /// GitHub's legacy place.
    pub(crate) position: Option<u64>,
    pub(crate) file_level: bool,
}

/// A thread and its first comment, not entered yet: their ids are still 0.
pub(crate) type PlacedComment = (ReviewThread, ReviewComment);

/// Why a comment has no place in the diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PlacementError {
    Path,
    Line,
    StartLine,
    Position,
    Body,
}

impl PlacementError {
    /// How the endpoint for whole reviews says it.
    pub(crate) fn into_review_error(self) -> ForgeError {
        ForgeError::unprocessable(match self {
            Self::Path => "Path could not be resolved",
            Self::Line => "Line could not be resolved",
            Self::StartLine => "Start line could not be resolved",
            Self::Position => "Position could not be resolved",
            Self::Body => "Body can't be blank",
        })
    }

    /// How the endpoint for one comment says it.
    pub(crate) fn into_comment_error(self) -> ForgeError {
        let part = |name: &str, words: &str| {
            let field = format!("pull_request_review_thread.{name}");
            let message = format!("{field} {words}");
            json!({
                "resource": "PullRequestReviewComment", "code": "custom", "field": field, "message": message
            })
        };
        let error = match self {
            Self::Path => part("path", "is invalid"),
            Self::Line => part("line", "must be part of the diff"),
            Self::StartLine => part("start_line", "must be part of the same hunk as the line."),
            Self::Position => part("position", "is invalid"),
            Self::Body => {
                return ForgeError::invalid("PullRequestReviewComment", "body", "missing_field");
            }
        };
        ForgeError::Refused {
            status: 422,
            message: "Validation Failed".to_owned(),
            errors: vec![error],
        }
    }
}

/// The commit that a review is about: the head, or an earlier commit of the pull request.
pub(crate) async fn resolve_commit(
    forge: &Forge,
    repo: &RepoName,
    pull: &PullRequest,
    wanted: Option<&str>,
) -> Result<Sha, ForgeError> {
    let Some(wanted) = wanted else {
        return Ok(pull.head_sha.clone());
    };
    let unknown_commit = || {
        ForgeError::custom_validation(
            "PullRequestReviewComment",
            "commit_id",
            "commit_id is not part of the pull request",
        )
    };
    let sha = Sha::new(wanted).ok_or_else(unknown_commit)?;
    if pull.heads.iter().any(|h| h.sha == sha) {
        return Ok(sha);
    }
    let git = forge.git(repo)?;
    let exists = git.commit_id(sha.as_str()).await?.is_some();
    if exists
        && git.is_ancestor(&sha, &pull.head_sha).await?
        && !git.is_ancestor(&sha, &pull.git.merge_base).await?
    {
        return Ok(sha);
    }
    Err(unknown_commit())
}

/// Finds a comment's place in the diff at a commit, and where that is by now.
pub(crate) async fn place_comment(
    forge: &Forge,
    repo: &RepoName,
    pull: &PullRequest,
    commit: &Sha,
    new: &NewThread,
) -> Result<Result<PlacedComment, PlacementError>, ForgeError> {
    if new.body.trim().is_empty() {
        return Ok(Err(PlacementError::Body));
    }
    check_body("PullRequestReviewComment", &new.body)?;
    let git = forge.git(repo)?;
    let base = git
        .merge_base(&pull.base_sha, commit)
        .await?
        .unwrap_or_else(|| pull.git.merge_base.clone());
    let files = pulls::changed_files_between(forge, repo, &base, commit).await?;
    let (thread, comment) = match place_in_files(pull.number, &files, (&base, commit), new) {
        Ok(placed) => placed,
        Err(misplaced) => return Ok(Err(misplaced)),
    };
    if *commit == pull.head_sha {
        return Ok(Ok((thread, comment)));
    }
    let new_files = pulls::changed_files(forge, repo, pull).await?;
    let changes = diff::diff_commits(&git, commit, &pull.head_sha, 0).await?;
    let same_base = base == pull.git.merge_base;
    let thread = pulls::move_thread(thread, &changes, &new_files, same_base);
    Ok(Ok((thread, comment)))
}

fn place_in_files(
    number: u64,
    files: &[diff::FileDiff],
    (base, commit): (&Sha, &Sha),
    new: &NewThread,
) -> Result<PlacedComment, PlacementError> {
    let file = files
        .iter()
        .find(|f| f.path == new.path)
        .ok_or(PlacementError::Path)?;
    let CommentedLines {
        side,
        line,
        start,
        place,
    } = commented_lines(file, new)?;
    let at = now();
    let thread = ReviewThread {
        id: 0,
        number,
        path: new.path.clone(),
        file_level: new.file_level,
        line,
        start_line: start.map(|(_, line)| line),
        original_line: line,
        original_start_line: start.map(|(_, line)| line),
        side,
        start_side: start.map(|(side, _)| side),
        original_commit_sha: commit.clone(),
        original_base_sha: base.clone(),
        outdated: false,
        resolved_by: None,
    };
    let comment = ReviewComment {
        id: 0,
        number,
        thread_id: 0,
        review_id: 0,
        author: crate::shipped_accounts::GHOST,
        body: new.body.clone(),
        created_at: at,
        updated_at: at,
        in_reply_to: None,
        diff_hunk: place.as_ref().map(|p| p.hunk.clone()).unwrap_or_default(),
        original_position: place.map(|p| p.position),
        original_commit_sha: commit.clone(),
        minimized: None,
    };
    Ok((thread, comment))
}

/// What of a file a comment is on.
struct CommentedLines {
    side: Side,
    /// The last line; none for the whole file.
    line: Option<u64>,
    /// The first line, where there are several.
    start: Option<(Side, u64)>,
    /// Where the last line is in the diff.
    place: Option<diff::DiffPosition>,
}

fn commented_lines(
    file: &diff::FileDiff,
    new: &NewThread,
) -> Result<CommentedLines, PlacementError> {
    let (side, line) = match (new.file_level, new.line, new.position) {
        (true, _, _) => (new.side, None),
        (false, Some(line), _) => (new.side, Some(line)),
        (false, None, Some(position)) => {
            let (side, line) = file
                .line_at_position(position)
                .ok_or(PlacementError::Position)?;
            (side, Some(line))
        }
        (false, None, None) => return Err(PlacementError::Line),
    };
    let place = match line {
        Some(line) => Some(file.locate_line(side, line).ok_or(PlacementError::Line)?),
        None => None,
    };
    let start = match (line, new.start_line) {
        (Some(line), Some(start)) => {
            let start_side = new.start_side.unwrap_or(side);
            if !file.is_valid_range((start_side, start), (side, line)) {
                return Err(PlacementError::StartLine);
            }
            Some((start_side, start))
        }
        _ => None,
    };
    Ok(CommentedLines {
        side,
        line,
        start,
        place,
    })
}

/// Enters a comment; a new thread too, unless `reply_to` names the thread and its first comment.
pub(crate) fn insert(
    forge: &Forge,
    state: &mut RepoState,
    viewer: &Account,
    review: u64,
    mut thread: ReviewThread,
    mut comment: ReviewComment,
    reply_to: Option<(u64, u64)>,
) -> ReviewComment {
    comment.id = forge.next_id();
    comment.author = viewer.id;
    comment.review_id = review;
    match reply_to {
        Some((thread, first)) => {
            comment.thread_id = thread;
            comment.in_reply_to = Some(first);
        }
        None => {
            thread.id = forge.next_id();
            comment.thread_id = thread.id;
            state.threads.insert(thread);
        }
    }
    state.review_comments.insert(comment.clone());
    touch(state, comment.number);
    comment
}

/// Adds one inline comment as a review of its own; with `pending`, to one's pending review, which
/// is begun where there is none.
pub(crate) async fn add(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    number: u64,
    commit: Option<&str>,
    new: &NewThread,
    pending: bool,
) -> Result<ReviewComment, ForgeError> {
    let current = forge.read(repo, |state| {
        require_visible(state, viewer)?;
        let pull = pull(state, number)?.clone();
        require_unlocked(state, number, viewer)?;
        if !pending {
            reviews::require_no_pending(state, viewer, number)?;
        }
        Ok::<_, ForgeError>(pull)
    })??;
    let commit = resolve_commit(forge, repo, &current, commit).await?;
    let (thread, comment) = place_comment(forge, repo, &current, &commit, new)
        .await?
        .map_err(PlacementError::into_comment_error)?;
    forge.change(repo, |state| {
        if !pending {
            reviews::require_no_pending(state, viewer, number)?;
        }
        let review = pending_or_new_review(forge, state, viewer, number, commit);
        let comment = insert(forge, state, viewer, review, thread, comment, None);
        if !pending {
            reviews::mark_submitted(state, viewer, review, ReviewEvent::Comment);
        }
        Ok(comment)
    })
}

fn pending_or_new_review(
    forge: &Forge,
    state: &mut RepoState,
    viewer: &Account,
    number: u64,
    commit: Sha,
) -> u64 {
    reviews::pending_review_id(state, viewer, number).unwrap_or_else(|| {
        let review = reviews::new_pending_review(forge, viewer, number, commit, String::new());
        let id = review.id;
        state.reviews.insert(review);
        id
    })
}

/// Replies in a thread, as a review of its own or, with `pending`, within one's pending review.
pub(crate) fn reply(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    thread: u64,
    body: &str,
    pending: bool,
) -> Result<ReviewComment, ForgeError> {
    forge.change(repo, |state| {
        require_visible(state, viewer)?;
        let thread = state
            .threads
            .get(thread)
            .cloned()
            .ok_or_else(ForgeError::not_found)?;
        let first = state
            .thread_comments(thread.id, viewer.id)
            .first()
            .map(|c| (*c).clone())
            .ok_or_else(ForgeError::not_found)?;
        let number = thread.number;
        require_unlocked(state, number, viewer)?;
        check_body("PullRequestReviewComment", body)?;
        if !pending {
            reviews::require_no_pending(state, viewer, number)?;
        }
        let head = pull(state, number)?.head_sha.clone();
        let review = pending_or_new_review(forge, state, viewer, number, head);
        let at = now();
        let comment = ReviewComment {
            body: body.to_owned(),
            created_at: at,
            updated_at: at,
            minimized: None,
            ..first.clone()
        };
        let reply_to = Some((thread.id, first.id));
        let comment = insert(forge, state, viewer, review, thread, comment, reply_to);
        if !pending {
            reviews::mark_submitted(state, viewer, review, ReviewEvent::Comment);
        }
        Ok(comment)
    })
}

/// Resolves a thread, or opens it again. Those with a role may, the pull request's author, and a
/// bot in a thread that it began.
pub(crate) fn resolve(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    thread: u64,
    resolved: bool,
) -> Result<ReviewThread, ForgeError> {
    forge.change(repo, |state| {
        require_visible(state, viewer)?;
        let comments = state.thread_comments(thread, viewer.id);
        let started_by = comments.first().ok_or_else(ForgeError::not_found)?.author;
        let current = state
            .threads
            .get(thread)
            .ok_or_else(ForgeError::not_found)?;
        let number = current.number;
        let allowed = state.meta.role(viewer.id).may_write()
            || pull(state, number)?.author == viewer.id
            || (viewer.kind == AccountKind::Bot && started_by == viewer.id);
        if !allowed {
            return Err(ForgeError::refused(
                403,
                "Resource not accessible: must have write access to resolve a conversation.",
            ));
        }
        touch(state, number);
        let thread = state
            .threads
            .get_mut(thread)
            .ok_or_else(ForgeError::not_found)?;
        thread.resolved_by = resolved.then_some(viewer.id);
        Ok(thread.clone())
    })
}

/// Changes the text of an inline comment; its author and those with a role may.
pub(crate) fn edit(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    id: u64,
    body: &str,
) -> Result<ReviewComment, ForgeError> {
    forge.change(repo, |state| {
        require_own(state, viewer, id)?;
        check_body("PullRequestReviewComment", body)?;
        let comment = state
            .review_comments
            .get_mut(id)
            .ok_or_else(ForgeError::not_found)?;
        body.clone_into(&mut comment.body);
        comment.updated_at = now();
        let comment = comment.clone();
        touch(state, comment.number);
        Ok(comment)
    })
}

/// Deletes an inline comment; with its last one the thread goes too.
pub(crate) fn delete(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    id: u64,
) -> Result<(), ForgeError> {
    forge.change(repo, |state| {
        let comment = require_own(state, viewer, id)?;
        remove_comment(state, id);
        touch(state, comment.number);
        Ok(())
    })
}

/// Removes a comment, and its thread when that is empty then.
pub(crate) fn remove_comment(state: &mut RepoState, id: u64) {
    let Some(comment) = state.review_comments.remove(id) else {
        return;
    };
    remove_reactions(state, ReactionSubject::ReviewComment(id));
    let thread = comment.thread_id;
    if !state.review_comments.iter().any(|c| c.thread_id == thread) {
        state.threads.remove(thread);
    }
}

fn require_own(state: &RepoState, viewer: &Account, id: u64) -> Result<ReviewComment, ForgeError> {
    let comment = visible(state, viewer, id)?;
    if comment.author == viewer.id || state.meta.role(viewer.id).may_write() {
        Ok(comment)
    } else {
        Err(ForgeError::refused(
            403,
            "Must have admin rights to Repository.",
        ))
    }
}

/// An inline comment that the viewer may see, or 404.
pub(crate) fn visible(
    state: &RepoState,
    viewer: &Account,
    id: u64,
) -> Result<ReviewComment, ForgeError> {
    require_visible(state, viewer)?;
    state
        .review_comments
        .get(id)
        .filter(|c| state.is_comment_visible(c, viewer.id))
        .cloned()
        .ok_or_else(ForgeError::not_found)
}
