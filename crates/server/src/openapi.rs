//! The description of the API, from the code that answers.

use axum::Json;
use utoipa::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};

/// The API for programs.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Collie",
        description = "Takes pull requests from open to ready to merge, and leaves the merging to a person: there is no call that merges."
    ),
    paths(
        crate::api::event,
        crate::api::status,
        crate::accounts::list,
        crate::accounts::put,
        crate::accounts::delete,
        crate::runners::claim,
        crate::runners::heartbeat,
        crate::runners::hand_in,
        crate::runners::bundle,
        crate::events::events,
        crate::webhooks::github,
        crate::monitoring::metrics,
        crate::pages::healthz,
        crate::pages::readyz,
        openapi,
    ),
    components(schemas(crate::problem::Problem, crate::events::StreamEnd)),
    modifiers(&Schemes),
)]
pub(crate) struct ApiDoc;

struct Schemes;

impl utoipa::Modify for Schemes {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let components = openapi.components.get_or_insert_default();
        let bearer = |description: &str| {
            let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer);
            SecurityScheme::Http(scheme.description(Some(description)).build())
        };
        let token = bearer("A person's own GitHub token: the request acts as that person.");
        components.add_security_scheme("token", token);
        let runner = bearer("The secret that the operator made for a runner.");
        components.add_security_scheme("runner", runner);
        let session =
            bearer("The token of one session: good for that alone, until its lease ends.");
        components.add_security_scheme("runner_session", session);
        components.add_security_scheme("metrics", bearer("COLLIE_METRICS_TOKEN."));
        let cookie = ApiKey::Cookie(ApiKeyValue::new("collie"));
        components.add_security_scheme("session", SecurityScheme::ApiKey(cookie));
    }
}

/// The description of this API.
#[utoipa::path(get, path = "/openapi.json", tag = "Monitoring", responses((status = 200, description = "OpenAPI.", body = serde_json::Value)))]
pub(crate) async fn openapi() -> Json<utoipa::openapi::OpenApi> {
    Json(ApiDoc::openapi())
}
