//! The objects of GitHub's REST API, with every field that its description requires.

mod check;
mod commit;
mod issue;
mod pull;
mod repo;
mod talk;

pub(crate) use check::{annotation, check_run, combined_status, status};
pub(crate) use commit::{commit, file};
pub(crate) use issue::issue_of;
pub(crate) use pull::{issue, pull, pull_simple};
pub(crate) use repo::{protection, repo_full, repo_minimal, rules};
pub(crate) use talk::{comment_of_review, issue_comment, review, review_comment};

use serde_json::{Value, json};

use super::call::Call;
use crate::Forge;
use crate::model::{Account, AccountId, AccountKind, Label, RepoName, RepoState};
use crate::node::{NodeKind, node_id, node_id_in};

/// What every shape needs: where things are, and who is who.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub(crate) forge: &'a Forge,
    pub(crate) repo: &'a RepoName,
    base: &'a str,
}

impl<'a> Frame<'a> {
    pub(crate) fn of(call: &'a Call) -> Self {
        Self {
            forge: &call.forge,
            repo: &call.repo,
            base: call.base(),
        }
    }

    /// An API address within the repository.
    pub(crate) fn api(&self, path: &str) -> String {
        format!("{}/api/v3/repos/{}{path}", self.base, self.repo)
    }

    /// A web address within the repository.
    pub(crate) fn web(&self, path: &str) -> String {
        format!("{}/{}{path}", self.base, self.repo)
    }

    /// An account by id.
    pub(crate) fn user(&self, id: AccountId) -> Value {
        user(self.base, &self.forge.account(id))
    }

    /// An account by id, or null.
    pub(crate) fn user_opt(&self, id: Option<AccountId>) -> Value {
        id.map_or(Value::Null, |id| self.user(id))
    }
}

/// GitHub's `simple-user`.
pub(crate) fn user(base: &str, account: &Account) -> Value {
    let (kind, node) = match account.kind {
        AccountKind::User => ("User", NodeKind::User),
        AccountKind::Bot => ("Bot", NodeKind::Bot),
    };
    let login = account.login.replace('[', "%5B").replace(']', "%5D");
    let stem = account.login.trim_end_matches("[bot]");
    let html = match account.kind {
        AccountKind::User => format!("{base}/{login}"),
        AccountKind::Bot => format!("{base}/apps/{stem}"),
    };
    let url = format!("{base}/api/v3/users/{login}");
    json!({
        "login": account.login,
        "id": account.id.0,
        "node_id": node_id(node, account.id.0),
        "avatar_url": format!("{base}/avatars/u/{}?v=4", account.id.0),
        "gravatar_id": "",
        "url": url,
        "html_url": html,
        "followers_url": format!("{url}/followers"),
        "following_url": format!("{url}/following{{/other_user}}"),
        "gists_url": format!("{url}/gists{{/gist_id}}"),
        "starred_url": format!("{url}/starred{{/owner}}{{/repo}}"),
        "subscriptions_url": format!("{url}/subscriptions"),
        "organizations_url": format!("{url}/orgs"),
        "repos_url": format!("{url}/repos"),
        "events_url": format!("{url}/events{{/privacy}}"),
        "received_events_url": format!("{url}/received_events"),
        "type": kind,
        "user_view_type": "public",
        "site_admin": false,
    })
}

/// GitHub's `public-user`: an account's own page.
pub(crate) fn user_page(base: &str, account: &Account) -> Value {
    let more = json!({
        "name": account.name,
        "company": null,
        "blog": "",
        "location": null,
        "email": null,
        "hireable": null,
        "bio": null,
        "twitter_username": null,
        "public_repos": 0,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": "2020-01-01T00:00:00Z",
        "updated_at": "2020-01-01T00:00:00Z",
    });
    merged(user(base, account), more)
}

/// GitHub's `label`.
pub(crate) fn label(frame: Frame<'_>, state: &RepoState, label: &Label) -> Value {
    json!({
        "id": label.id,
        "node_id": node_id_in(NodeKind::Label, state.meta.id, label.id),
        "url": frame.api(&format!("/labels/{}", encode(&label.name))),
        "name": label.name,
        "description": label.description,
        "color": label.color,
        "default": false,
    })
}

/// One object with the fields of both.
pub(crate) fn merged(mut one: Value, other: Value) -> Value {
    if let (Value::Object(one), Value::Object(other)) = (&mut one, other) {
        one.extend(other);
    }
    one
}

/// Percent-encodes a path; slashes stay.
pub(crate) fn encode(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                out.push(char::from(byte))
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The author's standing in the repository.
pub(crate) fn association(state: &RepoState, author: AccountId) -> &'static str {
    state.meta.role(author).association()
}
