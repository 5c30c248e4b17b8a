//! Writes to GitHub, and looks for what was written (§8.1, §8.2). Nothing is sent twice here.

use crate::api_client::ApiClient;
use crate::api_fault::ApiFault;
use collie_core::ids::{AccountId, ActionToken};
use collie_core::post::ReviewEvent;
use collie_engine::ports::{GitHubError, PullRef, RenderedInlineComment, RenderedPost};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Entries of a page, GitHub's most.
const PAGE_SIZE: usize = 100;

/// The number that GitHub gave to what was created.
#[derive(Deserialize)]
pub(crate) struct CreatedRow {
    id: u64,
}

/// A comment or review as REST lists it.
#[derive(Deserialize)]
pub(crate) struct PostedRow {
    id: u64,
    user: Option<PosterRow>,
    body: Option<String>,
    /// Reviews only; `PENDING` is not posted yet.
    state: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct PosterRow {
    id: AccountId,
}

/// Sends one post, once.
pub(crate) async fn post(
    api: &ApiClient,
    pull: &PullRef,
    rendered: &RenderedPost,
) -> Result<u64, GitHubError> {
    let (what, path, body) = build_request(pull, rendered);
    let sent = match rendered {
        RenderedPost::Dismissal { review, .. } => {
            api.dismiss((&pull.repo, pull.id.number), *review, &body)
                .await
        }
        RenderedPost::Comment { .. } | RenderedPost::Reply { .. } | RenderedPost::Review { .. } => {
            api.create(&path, &body).await
        }
    };
    let outcome = match sent {
        Ok(response) => response.json::<CreatedRow>(),
        Err(fault) => Err(fault),
    };
    match outcome {
        Ok(created) => Ok(created.id),
        // A review that is dismissed cannot be dismissed: what was wanted is so.
        Err(fault) if is_dismissed(api, pull, rendered).await => {
            tracing::debug!(?fault, "a review was taken back before");
            Ok(dismissed_review(rendered).unwrap_or_default())
        }
        Err(fault) => Err(fault.into_write_error(&api.endpoint.host, &what)),
    }
}

fn dismissed_review(rendered: &RenderedPost) -> Option<u64> {
    match rendered {
        RenderedPost::Dismissal { review, .. } => Some(*review),
        RenderedPost::Comment { .. } | RenderedPost::Reply { .. } | RenderedPost::Review { .. } => {
            None
        }
    }
}

/// Whether what is to be taken back is taken back already. What cannot be told is not.
async fn is_dismissed(api: &ApiClient, pull: &PullRef, rendered: &RenderedPost) -> bool {
    let Some(review) = dismissed_review(rendered) else {
        return false;
    };
    let (repo, number) = (&pull.repo, pull.id.number);
    let path = format!("/repos/{repo}/pulls/{number}/reviews/{review}");
    let read = api.get_uncached(&path).await;
    let row = read.and_then(|response| response.json::<PostedRow>());
    row.is_ok_and(|row| row.state.as_deref() == Some("DISMISSED"))
}

/// What is sent, and what it is called in an error.
fn build_request(pull: &PullRef, rendered: &RenderedPost) -> (String, String, Value) {
    let (repo, number) = (&pull.repo, pull.id.number);
    match rendered {
        RenderedPost::Comment { body } => (
            format!("a comment on {repo}#{number}"),
            format!("/repos/{repo}/issues/{number}/comments"),
            json!({"body": body}),
        ),
        RenderedPost::Reply { in_reply_to, body } => (
            format!("a reply to comment {in_reply_to} on {repo}#{number}"),
            format!("/repos/{repo}/pulls/{number}/comments/{in_reply_to}/replies"),
            json!({"body": body}),
        ),
        RenderedPost::Review {
            event,
            commit,
            body,
            comments,
        } => {
            let comments: Vec<Value> = comments.iter().map(inline_comment).collect();
            (
                format!("a review of {repo}#{number}"),
                format!("/repos/{repo}/pulls/{number}/reviews"),
                json!({
                    "event": event_name(*event),
                    "commit_id": commit.as_str(),
                    "body": body,
                    "comments": comments,
                }),
            )
        }
        RenderedPost::Dismissal { review, message } => (
            format!("taking back review {review} of {repo}#{number}"),
            // Where to is the method's to say.
            String::new(),
            json!({"message": message, "event": "DISMISS"}),
        ),
    }
}

/// GitHub's word for what a review says.
fn event_name(event: ReviewEvent) -> &'static str {
    match event {
        ReviewEvent::Comment => "COMMENT",
        ReviewEvent::Approve => "APPROVE",
        ReviewEvent::RequestChanges => "REQUEST_CHANGES",
    }
}

/// One comment of a review. GitHub takes `start_line` only with `start_side`, and only below `line`.
fn inline_comment(comment_to_post: &RenderedInlineComment) -> Value {
    let mut comment = json!({"path": comment_to_post.path, "line": comment_to_post.line, "side": "RIGHT", "body": comment_to_post.body});
    if let Some(first) = comment_to_post
        .start_line
        .filter(|first| *first < comment_to_post.line)
    {
        comment["start_line"] = first.into();
        comment["start_side"] = "RIGHT".into();
    }
    comment
}

/// Looks for a token in everything that was said on a pull request, read afresh and to the end.
pub(crate) async fn find_posted(
    api: &ApiClient,
    pull: &PullRef,
    token: &ActionToken,
    own: &BTreeSet<AccountId>,
) -> Result<Option<u64>, GitHubError> {
    let (repo, number) = (&pull.repo, pull.id.number);
    let lists = [
        format!("/repos/{repo}/issues/{number}/comments"),
        format!("/repos/{repo}/pulls/{number}/comments"),
        format!("/repos/{repo}/pulls/{number}/reviews"),
    ];
    for list in lists {
        let found = find_in_list(api, &list, token, own)
            .await
            .map_err(|fault| {
                fault.into_read_error(&api.endpoint.host, &format!("{repo}#{number}"))
            })?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

async fn find_in_list(
    api: &ApiClient,
    list: &str,
    token: &ActionToken,
    own: &BTreeSet<AccountId>,
) -> Result<Option<u64>, ApiFault> {
    for page in 1.. {
        let response = api
            .get_uncached(&format!("{list}?per_page={PAGE_SIZE}&page={page}"))
            .await?;
        let rows: Vec<PostedRow> = response.json()?;
        let is_full_page = rows.len() >= PAGE_SIZE;
        if let Some(row) = rows.iter().find(|row| row.is_ours(token, own)) {
            return Ok(Some(row.id));
        }
        // A full page is followed even where something on the way drops the `Link` header.
        if !is_full_page && !response.has_next() {
            break;
        }
    }
    Ok(None)
}

impl PostedRow {
    /// Only a token at the end of a body of an account that Collie posts as counts: anyone can quote one.
    fn is_ours(&self, token: &ActionToken, own: &BTreeSet<AccountId>) -> bool {
        let is_own = self
            .user
            .as_ref()
            .is_some_and(|user| own.contains(&user.id));
        let published = self.state.as_deref() != Some("PENDING");
        let body = self.body.as_deref().unwrap_or("").trim_end();
        is_own && published && body.ends_with(&format!("<!-- collie-action:{token} -->"))
    }
}
