//! Where a service is asked: what people paste, put right.

use super::model::ModelTarget;
use super::provider::Provider;
use reqwest::Url;

/// What comes after the root in what people paste.
const REQUEST_PATHS: [&str; 9] = [
    "/chat/completions",
    "/completions",
    "/responses",
    "/messages",
    "/models",
    "/api/chat",
    "/api/generate",
    "/api/tags",
    "/api/show",
];

impl ModelTarget {
    /// The root of the service, with a slash at its end; the error says what is wrong with the one given.
    ///
    /// What people paste is put right: the path of the request itself is cut off, and a bare host gets the usual path. Only
    /// that of a compatible service is anybody's guess.
    pub fn base_url(&self) -> Result<Url, String> {
        let given = match (&self.url, self.provider.default_url()) {
            (Some(url), _) => url.trim(),
            (None, Some(usual)) => usual,
            (None, None) => return Err(self.provider.missing_url().to_owned()),
        };
        let mut url = Url::parse(given).map_err(|e| e.to_string())?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err("it is neither http nor https".to_owned());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it holds a login".to_owned());
        }
        url.set_fragment(None);
        let path = url.path().trim_end_matches('/').to_owned();
        let cut = REQUEST_PATHS
            .iter()
            .find_map(|end| path.strip_suffix(end))
            .unwrap_or(&path);
        let root = match self.provider {
            Provider::OpenAi | Provider::Anthropic | Provider::Vllm | Provider::LlamaCpp => {
                or_usual(cut, "/v1")
            }
            Provider::Gemini => or_usual(cut, "/v1beta"),
            Provider::OpenRouter => match cut {
                "" | "/api" | "/v1" => "/api/v1".to_owned(),
                other => other.to_owned(),
            },
            // Its own API is beside the one that is compatible with OpenAI's.
            Provider::Ollama => ["/v1", "/api"]
                .iter()
                .find_map(|end| cut.strip_suffix(end))
                .unwrap_or(cut)
                .to_owned(),
            Provider::Azure => azure_root(&mut url, cut)?,
            Provider::Bedrock => before(&path, "/model/").to_owned(),
            Provider::Vertex => vertex_root(&path)?,
            Provider::Compatible => cut.to_owned(),
        };
        if !matches!(self.provider, Provider::Azure | Provider::Compatible) {
            url.set_query(None);
        }
        url.set_path(&format!("{root}/"));
        Ok(url)
    }
}

fn or_usual(path: &str, usual: &str) -> String {
    match path {
        "" => usual.to_owned(),
        other => other.to_owned(),
    }
}

fn before<'p>(path: &'p str, mark: &str) -> &'p str {
    path.split_once(mark).map_or(path, |(before, _)| before)
}

/// A resource has the form that needs no `api-version`; a deployment that was pasted keeps its own, which has to name one
/// (<https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle>).
fn azure_root(url: &mut Url, path: &str) -> Result<String, String> {
    let Some((before, deployment)) = path.split_once("/deployments/") else {
        url.set_query(None);
        return Ok(match path.trim_end_matches("/deployments") {
            "" | "/openai" => "/openai/v1".to_owned(),
            other => other.to_owned(),
        });
    };
    let deployment = deployment.trim_matches('/');
    if deployment.is_empty() {
        return Err("it names no deployment after `/deployments/`".to_owned());
    }
    let has_version = url
        .query_pairs()
        .any(|(name, value)| name == "api-version" && !value.is_empty());
    if !has_version {
        return Err(
            "that of a deployment ends with `?api-version=` and a date, such as `?api-version=2024-10-21`"
                .to_owned(),
        );
    }
    Ok(format!("{before}/deployments/{deployment}"))
}

/// Project and location are part of the path
/// (<https://cloud.google.com/vertex-ai/docs/reference/rest/v1/projects.locations.publishers.models>).
fn vertex_root(path: &str) -> Result<String, String> {
    let root = before(path, "/publishers");
    let mut parts = root.split('/').skip_while(|part| *part != "projects");
    let named = [parts.next(), parts.next(), parts.next(), parts.next()];
    match named {
        [
            Some("projects"),
            Some(project),
            Some("locations"),
            Some(location),
        ] if !project.is_empty() && !location.is_empty() => Ok(root.to_owned()),
        _ => Err(
            "it names no project and location, such as /v1/projects/NAME/locations/global"
                .to_owned(),
        ),
    }
}
