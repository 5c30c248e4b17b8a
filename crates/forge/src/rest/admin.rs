//! The forge's own routes: what no client of GitHub can do, for tests and the demo.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum::routing::{get, patch, post, put};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::request::{HandlerResult, JsonBody};
use super::response::json_response;
use crate::Forge;
use crate::actions::merge_queue;
use crate::error::ForgeError;
use crate::graphql::schema_limits::SchemaLimits;
use crate::model::{Account, AccountId, AccountKind, Protection, RepoMeta, RepoName, Role};
use crate::shipped_accounts::MERGE_QUEUE_BOT;

pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/_forge/accounts", get(list_accounts).post(add_account))
        .route("/_forge/accounts/{login}", patch(rename_account))
        .route("/_forge/import", post(import))
        .route("/_forge/pulls", post(open_pull))
        .route("/_forge/tokens", post(set_token))
        .route("/_forge/schema", put(set_schema))
        .route("/_forge/repos", get(list_repos))
        .route("/_forge/repos/{owner}/{repo}", patch(update_repo))
        .route(
            "/_forge/repos/{owner}/{repo}/pulls/{number}/heads",
            get(list_heads),
        )
        .route(
            "/_forge/repos/{owner}/{repo}/merge_queue/{number}/eject",
            post(eject),
        )
}

fn account_json(forge: &Forge, account: &Account) -> Value {
    let token = forge.token_scheme().token_of(&account.login);
    json!({"login": account.login, "id": account.id, "type": account.kind, "token": token})
}

async fn list_accounts(State(forge): State<Forge>) -> HandlerResult {
    let accounts = forge.accounts();
    let list: Vec<Value> = (accounts.iter())
        .map(|account| account_json(&forge, account))
        .collect();
    Ok(json_response(200, &Value::from(list)))
}

#[derive(Debug, Deserialize)]
struct AccountInput {
    login: String,
    #[serde(rename = "type")]
    kind: Option<AccountKind>,
    id: Option<AccountId>,
}

async fn add_account(
    State(forge): State<Forge>,
    JsonBody(input): JsonBody<AccountInput>,
) -> HandlerResult {
    let kind = input.kind.unwrap_or(if input.login.ends_with("[bot]") {
        AccountKind::Bot
    } else {
        AccountKind::User
    });
    let account = forge.add_account(&input.login, kind, input.id)?;
    Ok(json_response(201, &account_json(&forge, &account)))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AccountChange {
    login: String,
}

/// Gives an account another login; the one that it had is free for the next.
async fn rename_account(
    State(forge): State<Forge>,
    Path(login): Path<String>,
    JsonBody(change): JsonBody<AccountChange>,
) -> HandlerResult {
    let account = forge.rename_account(&login, &change.login)?;
    Ok(json_response(200, &account_json(&forge, &account)))
}

/// What becomes of the token of a login; what is left out stays, and `"scopes": null` makes it one without scopes.
/// `"permissions": ["pull_requests"]` makes it a fine-grained one that may write nothing else.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenInput {
    login: String,
    revoked: Option<bool>,
    #[serde(default, deserialize_with = "given")]
    scopes: Option<Option<BTreeSet<String>>>,
    #[serde(default, deserialize_with = "given")]
    permissions: Option<Option<BTreeSet<String>>>,
}

/// Tells `null` from a field that is not there.
fn given<'de, D: Deserializer<'de>>(
    input: D,
) -> Result<Option<Option<BTreeSet<String>>>, D::Error> {
    Option::deserialize(input).map(Some)
}

async fn set_token(
    State(forge): State<Forge>,
    JsonBody(input): JsonBody<TokenInput>,
) -> HandlerResult {
    let unknown =
        || ForgeError::custom_validation("Token", "login", format!("no account `{}`", input.login));
    let account = forge.account_by_login(&input.login).ok_or_else(unknown)?;
    let mut token = forge.tokens().get(&account.login);
    token.revoked = input.revoked.unwrap_or(token.revoked);
    token.scopes = input.scopes.unwrap_or(token.scopes);
    token.permissions = input.permissions.unwrap_or(token.permissions);
    forge.tokens().set(&account.login, token)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Makes the server an older one, whose GraphQL lacks fields.
async fn set_schema(
    State(forge): State<Forge>,
    JsonBody(limits): JsonBody<SchemaLimits>,
) -> HandlerResult {
    forge.set_schema_limits(limits);
    Ok(StatusCode::NO_CONTENT.into_response())
}

#[derive(Debug, Deserialize)]
struct ImportInput {
    repo: RepoName,
    path: PathBuf,
}

async fn import(
    State(forge): State<Forge>,
    JsonBody(input): JsonBody<ImportInput>,
) -> HandlerResult {
    forge.import(&input.repo, &input.path).await?;
    Ok(json_response(201, &json!({"repo": input.repo})))
}

#[derive(Debug, Deserialize)]
struct PullInput {
    repo: RepoName,
    base: String,
    head: String,
    title: String,
    #[serde(default)]
    body: String,
    author: String,
}

async fn open_pull(
    State(forge): State<Forge>,
    JsonBody(input): JsonBody<PullInput>,
) -> HandlerResult {
    let PullInput {
        repo,
        base,
        head,
        title,
        body,
        author,
    } = input;
    let number = forge
        .open_pr(&repo, &base, &head, &title, &body, &author)
        .await?;
    Ok(json_response(201, &json!({"number": number})))
}

async fn list_repos(State(forge): State<Forge>) -> HandlerResult {
    let names: Vec<String> = forge.repos().iter().map(ToString::to_string).collect();
    Ok(json_response(200, &Value::from(names)))
}

/// Settings to change; what is left out stays.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RepoInput {
    private: Option<bool>,
    archived: Option<bool>,
    description: Option<String>,
    /// By login; `none` takes the role away.
    #[serde(default)]
    roles: BTreeMap<String, Role>,
    /// By branch; `null` takes the protection away.
    #[serde(default)]
    protection: BTreeMap<String, Option<Protection>>,
    /// By branch.
    #[serde(default)]
    merge_queue: BTreeMap<String, bool>,
    allow_merge_commit: Option<bool>,
    allow_squash_merge: Option<bool>,
    allow_rebase_merge: Option<bool>,
    allow_auto_merge: Option<bool>,
    bots: Option<Value>,
    /// By number: where it is now, such as `acme/web/issues/7`.
    #[serde(default)]
    moved_issues: BTreeMap<u64, String>,
}

async fn update_repo(
    State(forge): State<Forge>,
    Path((owner, repo)): Path<(String, String)>,
    JsonBody(input): JsonBody<RepoInput>,
) -> HandlerResult {
    let repo = RepoName::new(&owner, &repo)?;
    let mut roles = Vec::new();
    for (login, role) in &input.roles {
        let account = forge.account_by_login(login);
        let unknown = || {
            ForgeError::custom_validation("Repository", "roles", format!("no account `{login}`"))
        };
        roles.push((account.ok_or_else(unknown)?.id, *role));
    }
    forge.change(&repo, |state| {
        apply_settings(state.meta.edit(), input, &roles);
        Ok(())
    })?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn apply_settings(meta: &mut RepoMeta, input: RepoInput, roles: &[(AccountId, Role)]) {
    for (id, role) in roles {
        meta.roles.insert(*id, *role);
    }
    for (branch, rules) in input.protection {
        match rules {
            Some(rules) => meta.protection.insert(branch, rules),
            None => meta.protection.remove(&branch),
        };
    }
    for (branch, on) in input.merge_queue {
        if on {
            meta.merge_queue.insert(branch);
        } else {
            meta.merge_queue.remove(&branch);
        }
    }
    meta.moved_issues.extend(input.moved_issues);
    let set_flag = |field: &mut bool, value: Option<bool>| *field = value.unwrap_or(*field);
    set_flag(&mut meta.private, input.private);
    set_flag(&mut meta.archived, input.archived);
    set_flag(&mut meta.allow_merge_commit, input.allow_merge_commit);
    set_flag(&mut meta.allow_squash_merge, input.allow_squash_merge);
    set_flag(&mut meta.allow_rebase_merge, input.allow_rebase_merge);
    set_flag(&mut meta.allow_auto_merge, input.allow_auto_merge);
    if let Some(description) = input.description {
        meta.description = Some(description);
    }
    if let Some(bots) = input.bots {
        meta.bots = bots;
    }
}

/// Lists every head that a pull request has had, oldest first: what GitHub's timeline tells of forced ones alone.
async fn list_heads(
    State(forge): State<Forge>,
    Path((owner, repo, number)): Path<(String, String, u64)>,
) -> HandlerResult {
    let repo = RepoName::new(&owner, &repo)?;
    let heads = forge.read(&repo, |state| {
        let pull = state.pulls.get(number);
        pull.map(|pull| pull.heads.clone())
    })?;
    let heads = heads.ok_or_else(ForgeError::not_found)?;
    let list: Vec<Value> = (heads.iter())
        .map(|head| {
            let pusher = forge.account(head.by).login;
            json!({"sha": head.sha, "at": head.at, "by": pusher, "forced": head.forced})
        })
        .collect();
    Ok(json_response(200, &Value::from(list)))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EjectInput {
    /// The word that GitHub's timeline has for why.
    reason: String,
}

/// Has the merge queue take a pull request out. When that happens is the caller's to say: the queue here only builds and checks.
async fn eject(
    State(forge): State<Forge>,
    Path((owner, repo, number)): Path<(String, String, u64)>,
    JsonBody(input): JsonBody<EjectInput>,
) -> HandlerResult {
    let repo = RepoName::new(&owner, &repo)?;
    forge.change(&repo, |state| {
        merge_queue::remove(&forge, state, number, MERGE_QUEUE_BOT, &input.reason)
    })?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
