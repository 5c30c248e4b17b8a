//! Reviews: pending, submitted, dismissed.

use crate::Forge;
use crate::clock::now;
use crate::error::ForgeError;
use crate::model::{Account, EventKind, RepoName, RepoState, Review, ReviewState, Sha};

use super::comments::check_length;
use super::threads::{self, NewThread};
use super::{
    events, is_locked, pull, pull_mut, require_unlocked, require_visible, require_write, touch,
};

/// How a review is submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReviewEvent {
    Approve,
    RequestChanges,
    Comment,
}

impl ReviewEvent {
    /// Reads GitHub's name.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "APPROVE" => Some(Self::Approve),
            "REQUEST_CHANGES" => Some(Self::RequestChanges),
            "COMMENT" => Some(Self::Comment),
            _ => None,
        }
    }

    fn state(self) -> ReviewState {
        match self {
            Self::Approve => ReviewState::Approved,
            Self::RequestChanges => ReviewState::ChangesRequested,
            Self::Comment => ReviewState::Commented,
        }
    }
}

/// A review to begin; without an event it stays pending.
#[derive(Debug, Clone, Default)]
pub(crate) struct NewReview {
    pub(crate) commit: Option<String>,
    pub(crate) body: String,
    pub(crate) event: Option<ReviewEvent>,
    pub(crate) comments: Vec<NewThread>,
}

/// Begins a review and, with an event, submits it.
pub(crate) async fn create(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    number: u64,
    new: NewReview,
) -> Result<Review, ForgeError> {
    let current = forge.read(repo, |state| {
        require_visible(state, viewer)?;
        let pull = pull(state, number)?.clone();
        require_unlocked(state, number, viewer)?;
        require_no_pending(state, viewer, number)?;
        if let Some(event) = new.event {
            check_event(
                state,
                viewer,
                number,
                event,
                &new.body,
                !new.comments.is_empty(),
            )?;
        }
        Ok::<_, ForgeError>(pull)
    })??;
    check_length("PullRequestReview", &new.body)?;
    let commit = threads::resolve_commit(forge, repo, &current, new.commit.as_deref()).await?;
    let mut placed_comments = Vec::new();
    for comment in &new.comments {
        let place = threads::place_comment(forge, repo, &current, &commit, comment).await?;
        placed_comments.push(place.map_err(threads::PlacementError::into_review_error)?);
    }
    forge.change(repo, |state| {
        require_no_pending(state, viewer, number)?;
        let review = new_pending_review(forge, viewer, number, commit, new.body);
        let id = review.id;
        state.reviews.insert(review);
        for (thread, comment) in placed_comments {
            threads::insert(forge, state, viewer, id, thread, comment, None);
        }
        if let Some(event) = new.event {
            mark_submitted(state, viewer, id, event);
        }
        find_review(state, number, id)
    })
}

pub(crate) fn new_pending_review(
    forge: &Forge,
    viewer: &Account,
    number: u64,
    commit: Sha,
    body: String,
) -> Review {
    let at = now();
    Review {
        id: forge.next_id(),
        number,
        author: viewer.id,
        state: ReviewState::Pending,
        body,
        commit_sha: commit,
        created_at: at,
        updated_at: at,
        submitted_at: None,
        dismissal: None,
    }
}

/// Submits a review that is all valid; also used for a review of one comment.
pub(crate) fn mark_submitted(state: &mut RepoState, viewer: &Account, id: u64, event: ReviewEvent) {
    let at = now();
    let Some(review) = state.reviews.get_mut(id) else {
        return;
    };
    review.state = event.state();
    review.submitted_at = Some(at);
    review.updated_at = at;
    let number = review.number;
    if let Some(pull) = state.pulls.get_mut(number) {
        pull.requested_reviewers.retain(|id| *id != viewer.id);
        pull.updated_at = at;
    }
}

/// Submits one's own pending review.
pub(crate) fn submit(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    (number, id): (u64, u64),
    event: ReviewEvent,
    body: Option<&str>,
) -> Result<Review, ForgeError> {
    forge.change(repo, |state| {
        let review = require_own_pending(state, viewer, number, id)?;
        let text = body.unwrap_or(&review.body).to_owned();
        check_length("PullRequestReview", &text)?;
        let has_comments = state.review_comments.iter().any(|c| c.review_id == id);
        check_event(state, viewer, number, event, &text, has_comments)?;
        if let Some(review) = state.reviews.get_mut(id) {
            review.body = text;
        }
        mark_submitted(state, viewer, id, event);
        find_review(state, number, id)
    })
}

/// Deletes one's own pending review with its comments.
pub(crate) fn delete_pending(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    number: u64,
    id: u64,
) -> Result<Review, ForgeError> {
    forge.change(repo, |state| {
        let review = require_own_pending(state, viewer, number, id)?;
        let comments: Vec<u64> = state
            .review_comments
            .iter()
            .filter(|c| c.review_id == id)
            .map(|c| c.id)
            .collect();
        for comment in comments {
            threads::remove_comment(state, comment);
        }
        state.reviews.remove(id);
        Ok(review)
    })
}

/// Dismisses an approval or a request for changes.
pub(crate) fn dismiss(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    (number, id): (u64, u64),
    message: &str,
) -> Result<Review, ForgeError> {
    forge.change(repo, |state| {
        require_write(state, viewer)?;
        let current = find_review(state, number, id)?;
        require_review_visible(&current, viewer)?;
        if message.trim().is_empty() {
            return Err(ForgeError::invalid(
                "PullRequestReview",
                "message",
                "missing_field",
            ));
        }
        match current.state {
            ReviewState::Approved | ReviewState::ChangesRequested => {}
            ReviewState::Pending | ReviewState::Commented | ReviewState::Dismissed => {
                let was = current.state.as_str().to_lowercase();
                return Err(ForgeError::unprocessable(format!(
                    "Can not dismiss a {was} pull request review"
                )));
            }
        }
        if let Some(review) = state.reviews.get_mut(id) {
            review.state = ReviewState::Dismissed;
            review.dismissal = Some(message.to_owned());
            review.updated_at = now();
        }
        touch(state, number);
        find_review(state, number, id)
    })
}

/// Changes the text of one's own review.
pub(crate) fn edit_body(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    (number, id): (u64, u64),
    body: &str,
) -> Result<Review, ForgeError> {
    forge.change(repo, |state| {
        require_visible(state, viewer)?;
        let current = find_review(state, number, id)?;
        require_review_visible(&current, viewer)?;
        if current.author != viewer.id {
            return Err(ForgeError::refused(
                403,
                "Must be the author of the review.",
            ));
        }
        check_length("PullRequestReview", body)?;
        if let Some(review) = state.reviews.get_mut(id) {
            body.clone_into(&mut review.body);
            review.updated_at = now();
        }
        find_review(state, number, id)
    })
}

/// A review that the viewer may see, or 404.
pub(crate) fn visible(
    state: &RepoState,
    viewer: &Account,
    number: u64,
    id: u64,
) -> Result<Review, ForgeError> {
    require_visible(state, viewer)?;
    let review = find_review(state, number, id)?;
    require_review_visible(&review, viewer)?;
    Ok(review)
}

fn require_review_visible(review: &Review, viewer: &Account) -> Result<(), ForgeError> {
    if review.state == ReviewState::Pending && review.author != viewer.id {
        return Err(ForgeError::not_found());
    }
    Ok(())
}

fn find_review(state: &RepoState, number: u64, id: u64) -> Result<Review, ForgeError> {
    state
        .reviews
        .get(id)
        .filter(|r| r.number == number)
        .cloned()
        .ok_or_else(ForgeError::not_found)
}

fn require_own_pending(
    state: &RepoState,
    viewer: &Account,
    number: u64,
    id: u64,
) -> Result<Review, ForgeError> {
    let review = visible(state, viewer, number, id)?;
    if review.state != ReviewState::Pending {
        return Err(ForgeError::unprocessable(
            "Can not change a pull request review that was submitted",
        ));
    }
    Ok(review)
}

/// Refuses while the account has an unsubmitted review.
pub(crate) fn require_no_pending(
    state: &RepoState,
    viewer: &Account,
    number: u64,
) -> Result<(), ForgeError> {
    match pending_review_id(state, viewer, number) {
        None => Ok(()),
        Some(_) => Err(ForgeError::unprocessable(
            "User can only have one pending review per pull request",
        )),
    }
}

/// The account's unsubmitted review, if it has one.
pub(crate) fn pending_review_id(state: &RepoState, viewer: &Account, number: u64) -> Option<u64> {
    let is_own_pending = |r: &&Review| {
        r.number == number && r.author == viewer.id && r.state == ReviewState::Pending
    };
    state.reviews.iter().find(is_own_pending).map(|r| r.id)
}

fn check_event(
    state: &RepoState,
    viewer: &Account,
    number: u64,
    event: ReviewEvent,
    body: &str,
    has_comments: bool,
) -> Result<(), ForgeError> {
    let is_own = pull(state, number)?.author == viewer.id;
    match event {
        ReviewEvent::Approve if is_own => Err(ForgeError::unprocessable(
            "Can not approve your own pull request",
        )),
        ReviewEvent::RequestChanges if is_own => Err(ForgeError::unprocessable(
            "Can not request changes on your own pull request",
        )),
        ReviewEvent::RequestChanges | ReviewEvent::Comment
            if body.trim().is_empty() && !has_comments =>
        {
            Err(ForgeError::unprocessable("Body can't be blank"))
        }
        ReviewEvent::Approve | ReviewEvent::RequestChanges | ReviewEvent::Comment => Ok(()),
    }
}

/// Locks or unlocks a conversation.
pub(crate) fn set_locked(
    forge: &Forge,
    viewer: &Account,
    repo: &RepoName,
    number: u64,
    locked: bool,
) -> Result<(), ForgeError> {
    forge.change(repo, |state| {
        require_write(state, viewer)?;
        if is_locked(state, number)? == locked {
            return Ok(());
        }
        match state.issues.get_mut(number) {
            Some(issue) => issue.locked = locked,
            None => pull_mut(state, number)?.locked = locked,
        }
        let kind = if locked {
            EventKind::Locked
        } else {
            EventKind::Unlocked
        };
        events::record(state, forge.next_id(), number, viewer.id, kind);
        Ok(())
    })
}
