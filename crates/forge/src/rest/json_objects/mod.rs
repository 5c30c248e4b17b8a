//! The objects of GitHub's REST API, with every field that its description requires.

mod check;
mod commit;
mod conversation;
mod issue;
mod pull;
mod reaction;
mod repo;
mod timeline;

pub(crate) use check::{
    annotation_json, check_run_json, check_suite_json, combined_status_json, head_commit_json,
    status_json, suite_facts_json,
};
pub(crate) use commit::{commit_json, file_json};
pub(crate) use conversation::{
    comment_of_review_json, issue_comment_json, review_comment_json, review_json,
};
pub(crate) use issue::issue_json;
pub(crate) use pull::{pull_as_issue_json, pull_json, pull_summary_json};
pub(crate) use reaction::{reaction_json, reactions_json};
pub(crate) use repo::{
    permissions_json, protection_json, repo_full_json, repo_minimal_json, rules_json,
};

pub(crate) use timeline::{event_json, timeline_json};

use serde_json::{Value, json};

use super::request::RepoRequest;
use crate::Forge;
use crate::model::{Account, AccountId, AccountKind, Label, RepoName, RepoState};
use crate::node::{NodeKind, node_id, node_id_in};

/// What every shape needs: where things are, and who is who.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JsonContext<'a> {
    pub(crate) forge: &'a Forge,
    pub(crate) repo: &'a RepoName,
    base_url: &'a str,
}

impl<'a> JsonContext<'a> {
    pub(crate) fn from_request(call: &'a RepoRequest) -> Self {
        Self {
            forge: &call.forge,
            repo: &call.repo,
            base_url: call.base_url(),
        }
    }

    /// For a route that is about no one repository.
    pub(crate) fn new(forge: &'a Forge, repo: &'a RepoName, base_url: &'a str) -> Self {
        Self {
            forge,
            repo,
            base_url,
        }
    }

    /// For another repository.
    pub(crate) fn of_repo(self, repo: &'a RepoName) -> Self {
        Self { repo, ..self }
    }

    /// An API address within the repository.
    pub(crate) fn api_url(&self, path: &str) -> String {
        format!("{}/api/v3/repos/{}{path}", self.base_url, self.repo)
    }

    /// A web address within the repository.
    pub(crate) fn web_url(&self, path: &str) -> String {
        format!("{}/{}{path}", self.base_url, self.repo)
    }

    /// An account by id.
    pub(crate) fn account_by_id(&self, id: AccountId) -> Value {
        account_json(self.base_url, &self.forge.account(id))
    }

    /// An account by id, or null.
    pub(crate) fn optional_account(&self, id: Option<AccountId>) -> Value {
        id.map_or(Value::Null, |id| self.account_by_id(id))
    }
}

/// GitHub's `simple-user`.
pub(crate) fn account_json(base_url: &str, account: &Account) -> Value {
    let (kind, node) = match account.kind {
        AccountKind::User => ("User", NodeKind::User),
        AccountKind::Bot => ("Bot", NodeKind::Bot),
    };
    let login = account.login.replace('[', "%5B").replace(']', "%5D");
    let stem = account.login.trim_end_matches("[bot]");
    let html = match account.kind {
        AccountKind::User => format!("{base_url}/{login}"),
        AccountKind::Bot => format!("{base_url}/apps/{stem}"),
    };
    let url = format!("{base_url}/api/v3/users/{login}");
    json!({
        "login": account.login,
        "id": account.id.0,
        "node_id": node_id(node, account.id.0),
        "avatar_url": format!("{base_url}/avatars/u/{}?v=4", account.id.0),
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
pub(crate) fn account_page_json(base_url: &str, account: &Account) -> Value {
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
    merge_objects(account_json(base_url, account), more)
}

/// GitHub's `label`.
pub(crate) fn label_json(context: JsonContext<'_>, state: &RepoState, label: &Label) -> Value {
    json!({
        "id": label.id,
        "node_id": node_id_in(NodeKind::Label, state.meta.id, label.id),
        "url": context.api_url(&format!("/labels/{}", encode_path(&label.name))),
        "name": label.name,
        "description": label.description,
        "color": label.color,
        "default": false,
    })
}

/// One object with the fields of both.
pub(crate) fn merge_objects(mut object: Value, other: Value) -> Value {
    if let (Value::Object(one), Value::Object(other)) = (&mut object, other) {
        one.extend(other);
    }
    object
}

/// Percent-encodes a path; slashes stay.
pub(crate) fn encode_path(path: &str) -> String {
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
