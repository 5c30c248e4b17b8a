//! Accounts, repositories, branches and their rules.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::{Value, json};

use super::json_objects::{self, JsonContext};
use super::request::{HandlerResult, JsonBody, RepoRequest};
use super::response::json_response;
use crate::Forge;
use crate::actions::forks;
use crate::auth::Viewer;
use crate::error::ForgeError;
use crate::model::{AccountId, AccountKind, RepoName, Role, Sha};
use crate::node::commit_node_id;

/// What the root lists.
const ROOT_LINKS: [(&str, &str); 33] = [
    ("current_user_url", "/user"),
    (
        "current_user_authorizations_html_url",
        "/settings/connections/applications{/client_id}",
    ),
    ("authorizations_url", "/authorizations"),
    (
        "code_search_url",
        "/search/code?q={query}{&page,per_page,sort,order}",
    ),
    (
        "commit_search_url",
        "/search/commits?q={query}{&page,per_page,sort,order}",
    ),
    ("emails_url", "/user/emails"),
    ("emojis_url", "/emojis"),
    ("events_url", "/events"),
    ("feeds_url", "/feeds"),
    ("followers_url", "/user/followers"),
    ("following_url", "/user/following{/target}"),
    ("gists_url", "/gists{/gist_id}"),
    ("hub_url", "/hub"),
    (
        "issue_search_url",
        "/search/issues?q={query}{&page,per_page,sort,order}",
    ),
    ("issues_url", "/issues"),
    ("keys_url", "/user/keys"),
    (
        "label_search_url",
        "/search/labels?q={query}&repository_id={repository_id}{&page,per_page}",
    ),
    ("notifications_url", "/notifications"),
    ("organization_url", "/orgs/{org}"),
    (
        "organization_repositories_url",
        "/orgs/{org}/repos{?type,page,per_page,sort}",
    ),
    ("organization_teams_url", "/orgs/{org}/teams"),
    ("public_gists_url", "/gists/public"),
    ("rate_limit_url", "/rate_limit"),
    ("repository_url", "/repos/{owner}/{repo}"),
    (
        "repository_search_url",
        "/search/repositories?q={query}{&page,per_page,sort,order}",
    ),
    (
        "current_user_repositories_url",
        "/user/repos{?type,page,per_page,sort}",
    ),
    ("starred_url", "/user/starred{/owner}{/repo}"),
    ("starred_gists_url", "/gists/starred"),
    (
        "topic_search_url",
        "/search/topics?q={query}{&page,per_page}",
    ),
    ("user_url", "/users/{user}"),
    ("user_organizations_url", "/user/orgs"),
    (
        "user_repositories_url",
        "/users/{user}/repos{?type,page,per_page,sort}",
    ),
    (
        "user_search_url",
        "/search/users?q={query}{&page,per_page,sort,order}",
    ),
];

/// The root itself, with the slash that GitHub's has.
pub(super) fn root_routes() -> Router<Forge> {
    Router::new().route("/api/v3/", get(get_root))
}

async fn get_root(State(forge): State<Forge>, Viewer(_): Viewer) -> HandlerResult {
    let base = forge.base_url();
    let mut body = json!({});
    for (key, path) in ROOT_LINKS {
        body[key] = Value::from(format!("{base}/api/v3{path}"));
    }
    Ok(json_response(200, &body))
}

/// Routes outside any repository.
pub(super) fn top_routes() -> Router<Forge> {
    Router::new()
        .route("/user", get(get_viewer))
        .route("/users/{login}", get(get_account))
        .route("/meta", get(get_meta))
}

/// Routes below `/repos/OWNER/REPO`.
pub(super) fn routes() -> Router<Forge> {
    Router::new()
        .route("/", get(get_repo).delete(delete_repo))
        .route("/forks", get(list_forks).post(create_fork))
        .route("/branches", get(list_branches))
        .route("/branches/{branch}", get(get_branch))
        .route("/branches/{branch}/protection", get(get_protection))
        .route(
            "/branches/{branch}/protection/required_status_checks",
            get(get_required_checks),
        )
        .route("/rules/branches/{branch}", get(list_rules))
        .route("/git/ref/{*name}", get(get_ref))
        .route("/git/refs", post(create_ref))
        .route("/collaborators", get(list_collaborators))
        .route("/collaborators/{login}", get(check_collaborator))
        .route("/collaborators/{login}/permission", get(get_permission))
}

async fn get_viewer(State(forge): State<Forge>, Viewer(viewer): Viewer) -> HandlerResult {
    Ok(json_response(
        200,
        &json_objects::account_page_json(&forge.base_url(), &viewer),
    ))
}

async fn get_account(
    State(forge): State<Forge>,
    Viewer(_): Viewer,
    Path(login): Path<String>,
) -> HandlerResult {
    let account = forge
        .account_by_login(&login)
        .ok_or_else(ForgeError::not_found)?;
    Ok(json_response(
        200,
        &json_objects::account_page_json(&forge.base_url(), &account),
    ))
}

async fn get_meta(State(forge): State<Forge>) -> HandlerResult {
    Ok(json_response(
        200,
        &json!({"verifiable_password_authentication": false, "installed_version": forge.schema_limits().version}),
    ))
}

async fn get_repo(call: RepoRequest) -> HandlerResult {
    call.read(|state| {
        let repo = json_objects::repo_full_json(
            JsonContext::from_request(&call),
            state,
            Some(&call.viewer),
        );
        Ok(json_response(200, &repo))
    })
}

async fn delete_repo(call: RepoRequest) -> HandlerResult {
    forks::delete(&call.forge, &call.viewer, &call.repo).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn list_forks(call: RepoRequest) -> HandlerResult {
    let forks = forks::list(&call.forge, &call.viewer, &call.repo)?;
    let shapes = forks.iter().map(|fork| fork_json(&call, fork));
    let shapes = shapes.collect::<Result<Vec<Value>, ForgeError>>()?;
    Ok(call.page_response(shapes, Value::clone))
}

async fn create_fork(call: RepoRequest) -> HandlerResult {
    let fork = forks::create(&call.forge, &call.viewer, &call.repo).await?;
    Ok(json_response(202, &fork_json(&call, &fork)?))
}

fn fork_json(call: &RepoRequest, fork: &RepoName) -> Result<Value, ForgeError> {
    let context = JsonContext::new(&call.forge, fork, call.base_url());
    call.forge.read(fork, |state| {
        json_objects::repo_full_json(context, state, Some(&call.viewer))
    })
}

async fn list_branches(call: RepoRequest) -> HandlerResult {
    let all = call.forge.git(&call.repo)?.branches().await?;
    let frame = JsonContext::from_request(&call);
    call.read(|state| {
        let shape = |(name, sha): &(String, Sha)| {
            json!({
                "name": name,
                "commit": {"sha": sha, "url": frame.api_url(&format!("/commits/{sha}"))},
                "protected": state.meta.protection.contains_key(name),
                "protection_url": frame.api_url(&format!("/branches/{}/protection", json_objects::encode_path(name))),
            })
        };
        Ok(call.page_response(all.into_iter().collect(), shape))
    })
}

async fn get_branch(call: RepoRequest) -> HandlerResult {
    let name = call.path_param("branch")?;
    let git = call.forge.git(&call.repo)?;
    let missing = || ForgeError::refused(404, "Branch not found");
    let tip = git.branch(name).await?.ok_or_else(missing)?;
    let commit = git.commit(&tip).await?;
    let frame = JsonContext::from_request(&call);
    call.read(|state| {
        let rules = state.meta.protection.get(name);
        let url = frame.api_url(&format!("/branches/{}", json_objects::encode_path(name)));
        let protection = match rules {
            Some(rules) => json_objects::protection_json(frame, name, rules),
            None => json!({"enabled": false}),
        };
        Ok(json_response(
            200,
            &json!({
                "name": name,
                "commit": json_objects::commit_json(frame, state.meta.id, &commit),
                "_links": {"self": url, "html": frame.web_url(&format!("/tree/{name}"))},
                "protected": rules.is_some(),
                "protection": protection,
                "protection_url": format!("{url}/protection"),
            }),
        ))
    })
}

fn protection_of(call: &RepoRequest) -> Result<Value, ForgeError> {
    let name = call.path_param("branch")?;
    call.read(|state| {
        if state.meta.role(call.viewer.id) != Role::Owner {
            return Err(ForgeError::not_found());
        }
        let missing = || ForgeError::refused(404, "Branch not protected");
        let rules = state.meta.protection.get(name).ok_or_else(missing)?;
        Ok(json_objects::protection_json(
            JsonContext::from_request(call),
            name,
            rules,
        ))
    })
}

async fn get_protection(call: RepoRequest) -> HandlerResult {
    Ok(json_response(200, &protection_of(&call)?))
}

async fn get_required_checks(call: RepoRequest) -> HandlerResult {
    match protection_of(&call)?.get("required_status_checks") {
        Some(checks) => Ok(json_response(200, checks)),
        None => Err(ForgeError::refused(
            404,
            "Required status checks not enabled",
        )),
    }
}

async fn list_rules(call: RepoRequest) -> HandlerResult {
    let name = call.path_param("branch")?;
    call.read(|state| Ok(call.page_response(json_objects::rules_json(state, name), Value::clone)))
}

async fn get_ref(call: RepoRequest) -> HandlerResult {
    let name = call.path_param("name")?;
    let git = call.forge.git(&call.repo)?;
    let tip = git.commit_id(&format!("refs/{name}")).await?;
    let tip = tip.ok_or_else(ForgeError::not_found)?;
    ref_response(&call, 200, name, &tip)
}

#[derive(Debug, Deserialize)]
struct CreateRefInput {
    #[serde(rename = "ref")]
    name: Option<String>,
    sha: Option<String>,
}

/// Creates a branch. The right counts before what was sent, as on GitHub.
async fn create_ref(call: RepoRequest, JsonBody(input): JsonBody<CreateRefInput>) -> HandlerResult {
    if !call.read(|state| Ok(state.meta.role(call.viewer.id).may_write()))? {
        return Err(ForgeError::not_found());
    }
    let (Some(name), Some(sha)) = (input.name, input.sha) else {
        let message = "Invalid request.\n\n\"ref\", \"sha\" weren't supplied.";
        return Err(ForgeError::refused(422, message));
    };
    let branch = name.strip_prefix("refs/heads/");
    let branch = branch.filter(|branch| !branch.is_empty());
    let branch = branch.ok_or_else(|| ForgeError::refused(422, "Reference name is invalid"))?;
    let cell = call.forge.repo_cell(&call.repo)?;
    let _refs = cell.refs.lock().await;
    let git = call.forge.git(&call.repo)?;
    if git.branch(branch).await?.is_some() {
        return Err(ForgeError::refused(422, "Reference already exists"));
    }
    let tip = git.commit_id(&sha).await?;
    let tip = tip.ok_or_else(|| ForgeError::refused(422, "Object does not exist"))?;
    git.update_ref(&name, &tip, None).await?;
    ref_response(&call, 201, &format!("heads/{branch}"), &tip)
}

fn ref_response(call: &RepoRequest, status: u16, name: &str, tip: &Sha) -> HandlerResult {
    let frame = JsonContext::from_request(call);
    call.read(|state| {
        Ok(json_response(
            status,
            &json!({
                "ref": format!("refs/{name}"),
                "node_id": commit_node_id(state.meta.id, tip.as_str()),
                "url": frame.api_url(&format!("/git/refs/{name}")),
                "object": {
                    "type": "commit",
                    "sha": tip,
                    "url": frame.api_url(&format!("/git/commits/{tip}")),
                },
            }),
        ))
    })
}

/// Accounts of Apps have no part in it: what an App may is its installation's.
async fn list_collaborators(call: RepoRequest) -> HandlerResult {
    let wanted = call.query_param("permission");
    call.read(|state| {
        if !state.meta.role(call.viewer.id).may_write() {
            let message = "Must have push access to view repository collaborators.";
            return Err(ForgeError::refused(403, message));
        }
        let found: Vec<(AccountId, Role)> = (state.meta.roles.iter())
            .filter(|(_, role)| **role > Role::None)
            .filter(|(id, _)| call.forge.account(**id).kind != AccountKind::Bot)
            .filter(|(_, role)| wanted.as_deref().is_none_or(|w| permits(**role, w)))
            .map(|(id, role)| (*id, *role))
            .collect();
        let context = JsonContext::from_request(&call);
        Ok(call.page_response(found, |(id, role)| {
            let more = json!({
                "permissions": json_objects::permissions_json(*role),
                "role_name": role.permission(),
            });
            json_objects::merge_objects(context.account_by_id(*id), more)
        }))
    })
}

/// Whether a role has a permission that a list is filtered by.
fn permits(role: Role, wanted: &str) -> bool {
    json_objects::permissions_json(role)[wanted] == true
}

async fn check_collaborator(call: RepoRequest) -> HandlerResult {
    let account = call.forge.account_by_login(call.path_param("login")?);
    let account = account.ok_or_else(ForgeError::not_found)?;
    call.read(|state| {
        if state.meta.role(account.id) > Role::None {
            Ok(axum::response::IntoResponse::into_response(
                axum::http::StatusCode::NO_CONTENT,
            ))
        } else {
            Err(ForgeError::not_found())
        }
    })
}

async fn get_permission(call: RepoRequest) -> HandlerResult {
    let account = call.forge.account_by_login(call.path_param("login")?);
    let account = account.ok_or_else(ForgeError::not_found)?;
    call.read(|state| {
        // Only those who may push are told what others may do.
        if !state.meta.role(call.viewer.id).may_write() {
            let message = "Must have push access to view collaborator permission.";
            return Err(ForgeError::refused(403, message));
        }
        let role = state.meta.role(account.id);
        let permission = if state.meta.visible_to(&account) {
            role.permission()
        } else {
            "none"
        };
        let user = json_objects::merge_objects(
            json_objects::account_json(call.base_url(), &account),
            json!({"role_name": permission}),
        );
        let body = json!({"permission": permission, "role_name": permission, "user": user});
        Ok(json_response(200, &body))
    })
}
