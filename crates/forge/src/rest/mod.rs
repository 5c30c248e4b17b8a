//! REST under `/api/v3`, as GitHub Enterprise lays it out.

mod admin;
mod app_checks;
mod apps;
mod assignees;
mod check_suites;
mod checks;
mod comments;
mod commits;
mod common_headers;
mod contents;
pub(crate) mod device_flow;
mod hooks;
mod issues;
pub(crate) mod json_objects;
mod labels;
mod languages;
mod pulls;
mod reactions;
mod repos;
pub(crate) mod request;
pub(crate) mod response;
mod reviews;
mod search;
mod timeline;

use axum::Router;
use axum::middleware;
use axum::response::Response;

use crate::Forge;

/// The REST routes, and the forge's own below `/_forge`.
pub(crate) fn router(forge: &Forge) -> Router<Forge> {
    let repo = Router::new()
        .merge(repos::routes())
        .merge(pulls::routes())
        .merge(comments::routes())
        .merge(reviews::routes())
        .merge(issues::routes())
        .merge(assignees::routes())
        .merge(labels::routes())
        .merge(reactions::routes())
        .merge(timeline::routes())
        .merge(hooks::routes())
        .merge(checks::routes())
        .merge(app_checks::routes())
        .merge(apps::routes())
        .merge(check_suites::routes())
        .merge(commits::routes())
        .merge(contents::routes())
        .merge(languages::routes());
    let api = Router::new()
        .merge(repos::top_routes())
        .merge(apps::top_routes())
        .merge(search::routes())
        .nest("/repos/{owner}/{repo}", repo)
        .fallback(not_found)
        .method_not_allowed_fallback(not_found)
        .layer(middleware::from_fn_with_state(
            forge.clone(),
            common_headers::add_common_headers,
        ));
    // GitHub's root has a slash at its end, which a nested router would not match.
    let root = repos::root_routes().layer(middleware::from_fn_with_state(
        forge.clone(),
        common_headers::add_common_headers,
    ));
    Router::new()
        .nest("/api/v3", api)
        .merge(root)
        .merge(device_flow::routes())
        .merge(checks::log_routes())
        .merge(admin::routes())
        .merge(apps::admin_routes())
}

async fn not_found() -> Response {
    response::error_response(404, "Not Found", &[])
}
