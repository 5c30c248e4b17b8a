//! GitHub Apps (<https://docs.github.com/en/rest/apps/apps>). They are made, suspended and taken away by `/_forge/apps`.
//!
//! A token has what it was asked for: repositories and permissions, as far as the installation has them. What a token lacks is refused in REST
//! and git; of GraphQL's fields none looks at a permission but the one that says what the viewer may.

use std::collections::{BTreeMap, BTreeSet};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, patch, post};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use super::json_objects::account_json;
use super::request::{HandlerResult, JsonBody};
use super::response::{error_response, json_response};
use crate::Forge;
use crate::apps::App;
use crate::clock::{format_time, now};
use crate::error::ForgeError;
use crate::model::{AccountKind, RepoName, TokenLimits};

/// An hour, as GitHub's are.
const TOKEN_LIFETIME_S: i64 = 3600;

/// Routes of an App itself.
pub(super) fn top_routes() -> Router<Forge> {
    Router::new()
        .route("/app", get(get_app))
        .route("/app/installations", get(list_installations))
        .route(
            "/app/installations/{installation_id}/access_tokens",
            post(make_token),
        )
}

/// Routes below `/repos/OWNER/REPO`.
pub(super) fn routes() -> Router<Forge> {
    Router::new().route("/installation", get(get_installation))
}

/// The forge's own.
pub(super) fn admin_routes() -> Router<Forge> {
    Router::new()
        .route("/_forge/apps", post(add_app))
        .route("/_forge/apps/{id}", patch(change_app))
}

/// What `then` makes of the App that a request is signed by; else a refusal.
fn as_app(forge: &Forge, headers: &HeaderMap, then: impl FnOnce(&App) -> Response) -> Response {
    let value = headers.get(header::AUTHORIZATION);
    let value = value.and_then(|value| value.to_str().ok());
    let jwt = value
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map_or("", |(_, jwt)| jwt.trim());
    let tables = forge.apps().lock();
    match tables.app_of_jwt(jwt, Timestamp::now()) {
        Ok(app) => then(app),
        Err(words) => error_response(401, words, &[]),
    }
}

async fn get_app(State(forge): State<Forge>, headers: HeaderMap) -> Response {
    let base_url = forge.base_url();
    as_app(&forge, &headers, |app| {
        json_response(200, &app_json(&base_url, app))
    })
}

async fn list_installations(State(forge): State<Forge>, headers: HeaderMap) -> Response {
    let base_url = forge.base_url();
    as_app(&forge, &headers, |app| {
        let row = app.installed.then(|| installation_json(&base_url, app));
        json_response(200, &Value::from_iter(row))
    })
}

async fn get_installation(
    State(forge): State<Forge>,
    Path((owner, repo)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let base_url = forge.base_url();
    let name = RepoName::new(&owner, &repo);
    let exists = name.and_then(|name| forge.repo_cell(&name)).is_ok();
    as_app(&forge, &headers, |app| {
        let is_there = app.installed && owner.eq_ignore_ascii_case(&app.owner.login);
        match is_there && exists {
            true => json_response(200, &installation_json(&base_url, app)),
            false => error_response(404, "Not Found", &[]),
        }
    })
}

/// What a token is asked for; all that the installation has where it is left out.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TokenInput {
    repositories: Option<Vec<String>>,
    repository_ids: Option<Vec<u64>>,
    permissions: Option<BTreeMap<String, String>>,
}

impl TokenInput {
    /// What a token is limited to; GitHub's words where the installation has not all of it.
    fn limits(self, forge: &Forge, app: &App) -> Result<TokenLimits, &'static str> {
        let is_granted = |(name, level): (&String, &String)| {
            let granted = app.permissions.get(name);
            granted.is_some_and(|granted| level == "read" || granted != "read")
        };
        let permissions = self.permissions.filter(|asked| !asked.is_empty());
        let permissions = permissions.unwrap_or_else(|| app.permissions.clone());
        if !permissions.iter().all(is_granted) {
            return Err("The permissions requested are not granted to this installation.");
        }
        let owner = &app.owner.login;
        let repos = forge.repos().into_iter();
        let own = repos.filter(|name| name.owner().eq_ignore_ascii_case(owner));
        let own: Vec<(RepoName, u64)> = own
            .filter_map(|name| {
                let id = forge.read(&name, |state| state.meta.id).ok()?;
                Some((name, id))
            })
            .collect();
        let (names, ids) = (self.repositories, self.repository_ids);
        let is_limited = names.is_some() || ids.is_some();
        let named = names.unwrap_or_default().into_iter().map(|asked| {
            own.iter()
                .find(|(name, _)| name.name().eq_ignore_ascii_case(&asked))
        });
        let numbered = ids
            .unwrap_or_default()
            .into_iter()
            .map(|asked| own.iter().find(|(_, id)| *id == asked));
        let chosen: Option<BTreeSet<String>> = named
            .chain(numbered)
            .map(|found| Some(found?.0.to_string().to_ascii_lowercase()))
            .collect();
        let chosen = chosen.ok_or("There is at least one repository that does not exist or is not accessible to the parent installation.")?;
        Ok(TokenLimits {
            repositories: is_limited.then_some(chosen),
            permissions,
        })
    }
}

async fn make_token(
    State(forge): State<Forge>,
    Path(installation): Path<u64>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let input = match body.is_empty() {
        true => Ok(TokenInput::default()),
        false => serde_json::from_slice::<TokenInput>(&body),
    };
    let Ok(input) = input else {
        return error_response(400, "Problems parsing JSON", &[]);
    };
    let mut of = None;
    let refused = as_app(&forge, &headers, |app| {
        if !app.installed || app.installation != installation {
            return error_response(404, "Not Found", &[]);
        }
        if app.suspended_at.is_some() {
            return error_response(403, "This installation has been suspended", &[]);
        }
        of = Some(app.clone());
        StatusCode::CREATED.into_response()
    });
    let Some(app) = of else {
        return refused;
    };
    let limits = match input.limits(&forge, &app) {
        Ok(limits) => limits,
        Err(words) => return error_response(422, words, &[]),
    };
    let selection = match limits.repositories {
        Some(_) => "selected",
        None => "all",
    };
    let mut body = json!({"permissions": limits.permissions, "repository_selection": selection});
    let made = forge.apps().lock().make_token(app.id, limits);
    let Some((token, expires_at)) = made else {
        return error_response(404, "Not Found", &[]);
    };
    body["token"] = json!(token);
    body["expires_at"] = json!(format_time(expires_at));
    json_response(201, &body)
}

/// What an App is granted unless it is said.
fn usual_permissions() -> BTreeMap<String, String> {
    let granted = [
        ("actions", "write"),
        ("checks", "write"),
        ("contents", "write"),
        ("issues", "write"),
        ("metadata", "read"),
        ("pull_requests", "write"),
        ("statuses", "read"),
    ];
    let granted = granted.into_iter();
    granted
        .map(|(name, level)| (name.to_owned(), level.to_owned()))
        .collect()
}

fn app_json(base_url: &str, app: &App) -> Value {
    json!({
        "id": app.id,
        "slug": app.slug,
        "node_id": format!("A_{}", app.id),
        "owner": account_json(base_url, &app.owner),
        "name": app.slug,
        "description": null,
        "external_url": "https://example.com",
        "html_url": format!("{base_url}/apps/{}", app.slug),
        "created_at": format_time(app.created_at),
        "updated_at": format_time(app.created_at),
        "permissions": app.permissions,
        "events": [],
        "installations_count": u8::from(app.installed),
    })
}

fn installation_json(base_url: &str, app: &App) -> Value {
    let id = app.installation;
    json!({
        "id": id,
        "account": account_json(base_url, &app.owner),
        "repository_selection": "all",
        "access_tokens_url": format!("{base_url}/api/v3/app/installations/{id}/access_tokens"),
        "repositories_url": format!("{base_url}/api/v3/installation/repositories"),
        "html_url": format!("{base_url}/settings/installations/{id}"),
        "app_id": app.id,
        "app_slug": app.slug,
        "target_id": app.owner.id.0,
        "target_type": "User",
        "permissions": app.permissions,
        "events": [],
        "created_at": format_time(app.created_at),
        "updated_at": format_time(app.created_at),
        "single_file_name": null,
        "suspended_by": null,
        "suspended_at": app.suspended_at.map(format_time),
    })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AppInput {
    slug: String,
    /// Who has installed it.
    owner: String,
    /// DER of PKCS#1, as Base64.
    public_key: String,
}

/// Makes an App, with the account that it acts as, and installs it.
async fn add_app(State(forge): State<Forge>, JsonBody(input): JsonBody<AppInput>) -> HandlerResult {
    let invalid =
        |field: &'static str, words: String| ForgeError::custom_validation("App", field, words);
    let owner = forge.account_by_login(&input.owner);
    let owner = owner.ok_or_else(|| invalid("owner", format!("no account `{}`", input.owner)))?;
    let key = STANDARD.decode(&input.public_key);
    let public_key = key.map_err(|_| invalid("public_key", "it is no Base64".to_owned()))?;
    let bot = forge.add_account(&format!("{}[bot]", input.slug), AccountKind::Bot, None)?;
    let app = App {
        id: bot.id.0 + 1_000_000,
        installation: bot.id.0 + 2_000_000,
        slug: input.slug,
        bot,
        owner,
        public_key,
        installed: true,
        suspended_at: None,
        created_at: now(),
        token_lifetime: SignedDuration::from_secs(TOKEN_LIFETIME_S),
        permissions: usual_permissions(),
    };
    let body = json!({"id": app.id, "installation": app.installation, "login": app.bot.login});
    forge.apps().lock().apps.insert(app.id, app);
    Ok(json_response(201, &body))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AppChange {
    installed: Option<bool>,
    suspended: Option<bool>,
    token_lifetime_s: Option<i64>,
    /// What it is granted from now on; its tokens keep theirs.
    permissions: Option<BTreeMap<String, String>>,
}

/// Suspends an installation, takes it away, or has its next tokens end sooner; what is left out stays.
async fn change_app(
    State(forge): State<Forge>,
    Path(id): Path<u64>,
    JsonBody(change): JsonBody<AppChange>,
) -> HandlerResult {
    let mut tables = forge.apps().lock();
    let app = tables.apps.get_mut(&id).ok_or_else(ForgeError::not_found)?;
    app.installed = change.installed.unwrap_or(app.installed);
    if let Some(suspended) = change.suspended {
        app.suspended_at = suspended.then(now);
    }
    if let Some(lifetime) = change.token_lifetime_s {
        app.token_lifetime = SignedDuration::from_secs(lifetime);
    }
    if let Some(permissions) = change.permissions {
        app.permissions = permissions;
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}
