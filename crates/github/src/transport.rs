//! Builds octocrab on a plain HTTP client.
//!
//! octocrab's own stack adds a second `User-Agent`, repeats failed requests, turns a redirected write into a read and
//! logs signed addresses. None of that may happen here, so only its request handling is used.

use http::Uri;
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::rt::TokioExecutor;
use octocrab::service::middleware::base_uri::BaseUriLayer;
use octocrab::{AuthState, OctoBody, Octocrab, OctocrabBuilder};

/// Makes a client whose paths are below `origin`. The system's certificates are read for https only.
pub(crate) fn build_client(origin: &str) -> Result<Octocrab, String> {
    let uri: Uri = origin
        .parse()
        .map_err(|error| format!("{origin} is no address: {error}"))?;
    if uri.scheme_str() == Some("http") {
        return Ok(build_client_with(HttpConnector::new(), uri));
    }
    let connector = HttpsConnectorBuilder::new()
        .with_provider_and_native_roots(rustls::crypto::ring::default_provider())
        .map_err(|error| format!("the system's certificates could not be read: {error}"))?
        .https_only()
        .enable_http1()
        .build();
    Ok(build_client_with(connector, uri))
}

fn build_client_with<C>(connector: C, origin: Uri) -> Octocrab
where
    C: Connect + Clone + Send + Sync + 'static,
{
    let client: Client<C, OctoBody> = Client::builder(TokioExecutor::new()).build(connector);
    let Ok(crab) = OctocrabBuilder::new_empty()
        .with_service(client)
        .with_layer(&BaseUriLayer::new(origin))
        .with_auth(AuthState::None)
        .build();
    crab
}
