//! GraphQL answers: their data, and errors that concern a part of them.

use crate::api_client::{ApiClient, HttpResponse};
use crate::api_fault::{self, ApiFault};
use crate::host_schema;
use collie_core::poll_budget::RateResource;
use http::HeaderMap;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Fields that a token may not be allowed to see although it may see the rest; GitHub answers null and an error.
const RESTRICTED_FIELDS: [&str; 2] = ["branchProtectionRule", "databaseId"];

/// An answer: its data, null where an error struck.
#[derive(Debug, Deserialize)]
pub(crate) struct GraphQlResponse {
    /// By field or alias of the root.
    #[serde(default)]
    data: Option<Map<String, Value>>,
    #[serde(default)]
    errors: Vec<GraphQlError>,
}

/// The errors of an answer as they were written, where nothing ran.
#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    data: Option<Value>,
    #[serde(default)]
    errors: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct GraphQlError {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    path: Vec<Value>,
    #[serde(default)]
    extensions: ErrorExtensions,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ErrorExtensions {
    /// What a document breaks: `undefinedField` where the server is older than what is asked for.
    code: Option<String>,
}

impl GraphQlError {
    fn is_restricted_field(&self) -> bool {
        self.path
            .iter()
            .filter_map(Value::as_str)
            .any(|part| RESTRICTED_FIELDS.contains(&part))
    }

    /// What it means, for what lies at its path.
    fn fault(&self) -> ApiFault {
        let message = api_fault::truncate_message(&self.message);
        match self.kind.as_str() {
            "NOT_FOUND" => ApiFault::NotFound(message),
            "FORBIDDEN" | "INSUFFICIENT_SCOPES" => ApiFault::Forbidden(message),
            "UNPROCESSABLE" => ApiFault::Refused(message),
            "" if self.extensions.code.is_some() => ApiFault::Refused(message),
            // Other kinds are GitHub's own trouble (`INTERNAL`, `RESOURCE_LIMITS_EXCEEDED`, a timeout without a kind).
            _ => ApiFault::GaveUp(message),
        }
    }
}

impl GraphQlResponse {
    /// What the answer says that it cost, in points; 0 where that was not asked for.
    fn cost(&self) -> u64 {
        let data = self.data.as_ref();
        let limit = data.and_then(|data| data.get("rateLimit"));
        limit.and_then(|limit| limit["cost"].as_u64()).unwrap_or(0)
    }

    /// Takes a field of the root; the fault is the first error below it, or that it is null.
    pub fn take_field<T: DeserializeOwned>(&mut self, field: &str) -> Result<T, ApiFault> {
        let concerns_field = |error: &&GraphQlError| {
            error.path.first().and_then(Value::as_str) == Some(field)
                && !error.is_restricted_field()
        };
        if let Some(error) = self.errors.iter().find(concerns_field) {
            return Err(error.fault());
        }
        let value = self
            .data
            .as_mut()
            .and_then(|data| data.remove(field))
            .unwrap_or(Value::Null);
        if value.is_null() {
            return Err(ApiFault::NotFound(format!("GitHub knows no {field}")));
        }
        serde_json::from_value(value).map_err(|error| {
            ApiFault::InvalidResponse(format!(
                "GitHub's answer on {field} could not be read: {error}"
            ))
        })
    }
}

/// Sends a document; the fault is one that concerns the whole of it.
pub(crate) async fn send(
    api: &ApiClient,
    document: &str,
    variables: Value,
) -> Result<GraphQlResponse, ApiFault> {
    let response = ask(api, document, &variables).await?;
    let parsed: GraphQlResponse = response.json()?;
    // The first point was counted with the answer.
    let more = parsed.cost().saturating_sub(1);
    api.charge(RateResource::Graphql, more);
    check_errors(api, parsed, &response.headers)
}

/// Asks, and asks again without what the host turns out not to know: a document with such a field is not run.
async fn ask(api: &ApiClient, document: &str, variables: &Value) -> Result<HttpResponse, ApiFault> {
    loop {
        let adapted = api.schema.adapt(document);
        let response = api
            .graphql(&json!({"query": adapted, "variables": variables}))
            .await?;
        // A whole answer may be long: it is read by those who asked.
        let ran = response.body.starts_with(b"{\"data\":{");
        let refusal = (!ran).then(|| serde_json::from_slice::<Refusal>(&response.body).ok());
        let refusal = refusal.flatten().filter(|refusal| refusal.data.is_none());
        let errors = refusal.map_or_else(Vec::new, |refusal| refusal.errors);
        let version = host_schema::server_version(&response.headers);
        let learnt = api.schema.learn(&errors, version);
        if !learnt.map_err(ApiFault::UnknownField)? {
            return Ok(response);
        }
    }
}

/// Sends a document to a host that may not speak GraphQL: none when its answer is no GraphQL answer at all.
pub(crate) async fn try_send(
    api: &ApiClient,
    document: &str,
) -> Result<Option<GraphQlResponse>, ApiFault> {
    let response = ask(api, document, &json!({})).await?;
    let parsed = serde_json::from_slice::<GraphQlResponse>(&response.body)
        .ok()
        .filter(|reply| reply.data.is_some() || !reply.errors.is_empty());
    parsed
        .map(|reply| check_errors(api, reply, &response.headers))
        .transpose()
}

fn check_errors(
    api: &ApiClient,
    response: GraphQlResponse,
    headers: &HeaderMap,
) -> Result<GraphQlResponse, ApiFault> {
    if let Some(limit) = rate_limit(&response, headers, api) {
        return Err(limit);
    }
    // Without data or without a path nothing was run: a bad document, a timeout.
    let nothing_ran = response.data.is_none();
    match response
        .errors
        .iter()
        .find(|error| (nothing_ran || error.path.is_empty()) && !error.is_restricted_field())
    {
        Some(error) => Err(error.fault()),
        None => Ok(response),
    }
}

/// A spent quota comes with HTTP status 200.
fn rate_limit(
    response: &GraphQlResponse,
    headers: &HeaderMap,
    api: &ApiClient,
) -> Option<ApiFault> {
    let is_primary =
        |error: &GraphQlError| matches!(error.kind.as_str(), "RATE_LIMITED" | "RATE_LIMIT");
    let is_secondary = |error: &GraphQlError| {
        let message = error.message.to_ascii_lowercase();
        message.contains("secondary rate limit")
    };
    let errors = &response.errors;
    let is_burst = errors.iter().any(is_secondary);
    (is_burst || errors.iter().any(is_primary)).then(|| {
        let until = api_fault::retry_at(headers, !is_burst, api.clock.now());
        api.pause_until(until);
        ApiFault::RateLimited(until)
    })
}

/// One page of a list.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Page<T> {
    /// How long the whole list is, where that was asked for.
    pub total_count: Option<u64>,
    /// Null where GitHub cannot show one.
    #[serde(default = "Vec::new")]
    pub nodes: Vec<Option<T>>,
    /// Whether there is more.
    pub page_info: PageInfo,
}

/// Where a page ends.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageInfo {
    /// There is a further page.
    pub has_next_page: bool,
    /// Where it begins.
    pub end_cursor: Option<String>,
}

impl<T> Page<T> {
    /// A list of which nothing was read yet.
    pub fn unfetched() -> Self {
        let page_info = PageInfo {
            has_next_page: true,
            end_cursor: None,
        };
        Self {
            total_count: None,
            nodes: Vec::new(),
            page_info,
        }
    }

    /// Takes the page out; the list counts as unread after that.
    pub fn take(&mut self) -> Self {
        std::mem::replace(self, Self::unfetched())
    }

    /// Where the next page begins.
    pub fn next_cursor(&self) -> Option<String> {
        if self.page_info.has_next_page {
            self.page_info.end_cursor.clone()
        } else {
            None
        }
    }
}

/// Reads the rest of a list from `cursor` on; `below` names the way from the root field to `page`.
pub(crate) async fn fetch_remaining<T: DeserializeOwned>(
    api: &ApiClient,
    document: &str,
    variables: &Value,
    path: &[&str],
    cursor: Option<String>,
) -> Result<Vec<T>, ApiFault> {
    let (found, _) = fetch_at_most(api, document, variables, path, cursor, usize::MAX).await?;
    Ok(found)
}

/// As [`rest`], `most` entries at most; and whether there are more than these.
pub(crate) async fn fetch_at_most<T: DeserializeOwned>(
    api: &ApiClient,
    document: &str,
    variables: &Value,
    path: &[&str],
    cursor: Option<String>,
    limit: usize,
) -> Result<(Vec<T>, bool), ApiFault> {
    let mut entries = Vec::new();
    let mut cursor = cursor;
    loop {
        let mut variables = variables.clone();
        variables["cursor"] = json!(cursor);
        let mut response = send(api, document, variables).await?;
        let (root, way) = path.split_first().unwrap_or((&"page", &[]));
        let mut value: Value = response.take_field(root)?;
        for part in way {
            value = value[*part].take();
        }
        if value.is_null() {
            // A commit without checks, or a thread that was deleted meanwhile.
            return Ok((entries, false));
        }
        let page: Page<T> = serde_json::from_value(value).map_err(|error| {
            ApiFault::InvalidResponse(format!(
                "a page of GitHub's answer could not be read: {error}"
            ))
        })?;
        let next = page.next_cursor();
        entries.extend(page.nodes.into_iter().flatten());
        if entries.len() > limit || (entries.len() == limit && next.is_some()) {
            entries.truncate(limit);
            return Ok((entries, true));
        }
        match next {
            Some(next) if cursor.as_ref() != Some(&next) => cursor = Some(next),
            Some(_) => {
                return Err(ApiFault::InvalidResponse(
                    "GitHub's pages do not end".into(),
                ));
            }
            None => return Ok((entries, false)),
        }
    }
}
