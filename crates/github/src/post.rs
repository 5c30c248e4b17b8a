//! Writes to GitHub, and looks for what was written (§8.1, §8.2). Nothing is sent twice here.

use crate::api::Api;
use crate::fault::Fault;
use collie_core::ids::{AccountId, ActionToken};
use collie_engine::ports::{GitHubError, PullRef, Rendered, RenderedInline};
use serde::Deserialize;
use serde_json::{Value, json};

/// Entries of a page, GitHub's most.
const PAGE: usize = 100;

/// The number that GitHub gave to what was created.
#[derive(Deserialize)]
struct Created {
    id: u64,
}

/// A comment or review as REST lists it.
#[derive(Deserialize)]
struct Posted {
    id: u64,
    user: Option<Poster>,
    body: Option<String>,
    /// Reviews only; `PENDING` is not posted yet.
    state: Option<String>,
}

#[derive(Deserialize)]
struct Poster {
    id: AccountId,
}

/// Sends one post, once.
pub(crate) async fn post(
    api: &Api,
    pull: &PullRef,
    rendered: &Rendered,
) -> Result<u64, GitHubError> {
    let (what, path, body) = request(pull, rendered);
    let sent = match api.create(&path, &body).await {
        Ok(answer) => answer.json::<Created>(),
        Err(fault) => Err(fault),
    };
    match sent {
        Ok(created) => Ok(created.id),
        Err(fault) => Err(fault.into_write(&api.endpoint.host, &what)),
    }
}

/// What is sent, and what it is called in an error.
fn request(pull: &PullRef, rendered: &Rendered) -> (String, String, Value) {
    let (repo, number) = (&pull.repo, pull.id.number);
    match rendered {
        Rendered::Comment { body } => (
            format!("a comment on {repo}#{number}"),
            format!("/repos/{repo}/issues/{number}/comments"),
            json!({"body": body}),
        ),
        Rendered::Reply { in_reply_to, body } => (
            format!("a reply to comment {in_reply_to} on {repo}#{number}"),
            format!("/repos/{repo}/pulls/{number}/comments/{in_reply_to}/replies"),
            json!({"body": body}),
        ),
        Rendered::Review {
            commit,
            body,
            comments,
        } => {
            let comments: Vec<Value> = comments.iter().map(inline).collect();
            (
                format!("a review of {repo}#{number}"),
                format!("/repos/{repo}/pulls/{number}/reviews"),
                json!({
                    "event": "COMMENT",
                    "commit_id": commit.as_str(),
                    "body": body,
                    "comments": comments,
                }),
            )
        }
    }
}

/// One comment of a review. GitHub takes `start_line` only with `start_side`, and only below `line`.
fn inline(one: &RenderedInline) -> Value {
    let mut comment =
        json!({"path": one.path, "line": one.line, "side": "RIGHT", "body": one.body});
    if let Some(first) = one.start_line.filter(|first| *first < one.line) {
        comment["start_line"] = first.into();
        comment["start_side"] = "RIGHT".into();
    }
    comment
}

/// Looks for a token in everything that was said on a pull request, read afresh and to the end.
pub(crate) async fn find_posted(
    api: &Api,
    pull: &PullRef,
    token: &ActionToken,
    viewer: AccountId,
) -> Result<Option<u64>, GitHubError> {
    let (repo, number) = (&pull.repo, pull.id.number);
    let lists = [
        format!("/repos/{repo}/issues/{number}/comments"),
        format!("/repos/{repo}/pulls/{number}/comments"),
        format!("/repos/{repo}/pulls/{number}/reviews"),
    ];
    for list in lists {
        let found = find_in(api, &list, token, viewer)
            .await
            .map_err(|fault| fault.into_read(&api.endpoint.host, &format!("{repo}#{number}")))?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

async fn find_in(
    api: &Api,
    list: &str,
    token: &ActionToken,
    viewer: AccountId,
) -> Result<Option<u64>, Fault> {
    for page in 1.. {
        let answer = api
            .get_fresh(&format!("{list}?per_page={PAGE}&page={page}"))
            .await?;
        let rows: Vec<Posted> = answer.json()?;
        let full = rows.len() >= PAGE;
        if let Some(row) = rows.iter().find(|row| row.is_ours(token, viewer)) {
            return Ok(Some(row.id));
        }
        // A full page is followed even where something on the way drops the `Link` header.
        if !full && !answer.has_next() {
            break;
        }
    }
    Ok(None)
}

impl Posted {
    /// Only a token at the end of a body of the posting account counts: anyone can quote one.
    fn is_ours(&self, token: &ActionToken, viewer: AccountId) -> bool {
        let mine = self.user.as_ref().is_some_and(|user| user.id == viewer);
        let published = self.state.as_deref() != Some("PENDING");
        let body = self.body.as_deref().unwrap_or("").trim_end();
        mine && published && body.ends_with(&format!("<!-- collie-action:{token} -->"))
    }
}
