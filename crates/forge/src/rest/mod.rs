//! REST under `/api/v3`, as GitHub Enterprise lays it out.

mod admin;
mod call;
mod checks;
mod comments;
mod commits;
mod contents;
mod issues;
mod pulls;
pub(crate) mod reply;
mod repos;
mod reviews;
mod shape;

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
        .merge(checks::routes())
        .merge(commits::routes())
        .merge(contents::routes());
    let api = Router::new()
        .merge(repos::top_routes())
        .nest("/repos/{owner}/{repo}", repo)
        .fallback(missing)
        .method_not_allowed_fallback(missing)
        .layer(middleware::from_fn_with_state(forge.clone(), reply::finish));
    // GitHub's root has a slash at its end, which a nested router would not match.
    let root =
        repos::root_routes().layer(middleware::from_fn_with_state(forge.clone(), reply::finish));
    Router::new()
        .nest("/api/v3", api)
        .merge(root)
        .merge(checks::log_routes())
        .merge(admin::routes())
}

async fn missing() -> Response {
    reply::error(404, "Not Found", &[])
}
