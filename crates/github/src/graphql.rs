//! GraphQL answers: their data, and errors that concern a part of them.

use crate::api::Api;
use crate::fault::{self, Fault};
use http::HeaderMap;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Fields that a token may not be allowed to see although it may see the rest; GitHub answers null and an error.
const MAY_BE_HIDDEN: [&str; 2] = ["branchProtectionRule", "databaseId"];

/// An answer: its data, null where an error struck.
#[derive(Debug, Deserialize)]
pub(crate) struct Reply {
    /// By field or alias of the root.
    #[serde(default)]
    data: Option<Map<String, Value>>,
    #[serde(default)]
    errors: Vec<ReplyError>,
}

#[derive(Debug, Deserialize)]
struct ReplyError {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    message: String,
    #[serde(default)]
    path: Vec<Value>,
}

impl ReplyError {
    fn is_hidden_field(&self) -> bool {
        self.path
            .iter()
            .filter_map(Value::as_str)
            .any(|part| MAY_BE_HIDDEN.contains(&part))
    }

    /// What it means, for what lies at its path.
    fn fault(&self) -> Fault {
        let words = fault::cut(&self.message);
        match self.kind.as_str() {
            "NOT_FOUND" => Fault::NotFound(words),
            "FORBIDDEN" | "INSUFFICIENT_SCOPES" => Fault::Forbidden(words),
            "UNPROCESSABLE" => Fault::Refused(words),
            // Other kinds are GitHub's own trouble (`INTERNAL`, `SERVICE_UNAVAILABLE`, a timeout without a kind).
            _ => Fault::Garbled(words),
        }
    }
}

impl Reply {
    /// Takes a field of the root; the fault is the first error below it, or that it is null.
    pub fn take<T: DeserializeOwned>(&mut self, field: &str) -> Result<T, Fault> {
        let below = |error: &&ReplyError| {
            error.path.first().and_then(Value::as_str) == Some(field) && !error.is_hidden_field()
        };
        if let Some(error) = self.errors.iter().find(below) {
            return Err(error.fault());
        }
        let value = self
            .data
            .as_mut()
            .and_then(|data| data.remove(field))
            .unwrap_or(Value::Null);
        if value.is_null() {
            return Err(Fault::NotFound(format!("GitHub knows no {field}")));
        }
        serde_json::from_value(value).map_err(|error| {
            Fault::Garbled(format!(
                "GitHub's answer on {field} could not be read: {error}"
            ))
        })
    }
}

/// Sends a document; the fault is one that concerns the whole of it.
pub(crate) async fn send(api: &Api, document: &str, variables: Value) -> Result<Reply, Fault> {
    let answer = api
        .graphql(&json!({"query": document, "variables": variables}))
        .await?;
    judged(api, answer.json()?, &answer.headers)
}

/// Sends a document to a host that may not speak GraphQL: none when its answer is no GraphQL answer at all.
pub(crate) async fn try_send(api: &Api, document: &str) -> Result<Option<Reply>, Fault> {
    let answer = api
        .graphql(&json!({"query": document, "variables": {}}))
        .await?;
    let spoken = serde_json::from_slice::<Reply>(&answer.body)
        .ok()
        .filter(|reply| reply.data.is_some() || !reply.errors.is_empty());
    spoken
        .map(|reply| judged(api, reply, &answer.headers))
        .transpose()
}

fn judged(api: &Api, reply: Reply, headers: &HeaderMap) -> Result<Reply, Fault> {
    if let Some(limit) = rate_limit(&reply, headers, api) {
        return Err(limit);
    }
    // Without data and without a path nothing was run: a bad document, a timeout.
    match reply
        .errors
        .iter()
        .find(|error| error.path.is_empty() && !error.is_hidden_field())
    {
        Some(error) => Err(error.fault()),
        None => Ok(reply),
    }
}

/// A spent quota comes with HTTP status 200.
fn rate_limit(reply: &Reply, headers: &HeaderMap, api: &Api) -> Option<Fault> {
    let limited = reply.errors.iter().any(|error| {
        matches!(error.kind.as_str(), "RATE_LIMITED" | "RATE_LIMIT")
            || error
                .message
                .to_ascii_lowercase()
                .contains("secondary rate limit")
    });
    limited.then(|| {
        let until = fault::until(headers, api.clock.now());
        api.hold(until);
        Fault::RateLimited(until)
    })
}

/// One page of a list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Page<T> {
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
    pub fn unread() -> Self {
        let page_info = PageInfo {
            has_next_page: true,
            end_cursor: None,
        };
        Self {
            nodes: Vec::new(),
            page_info,
        }
    }

    /// Where the next page begins.
    pub fn next(&self) -> Option<String> {
        if self.page_info.has_next_page {
            self.page_info.end_cursor.clone()
        } else {
            None
        }
    }
}

/// Reads the rest of a list from `cursor` on; `below` names the way from the root field to `page`.
pub(crate) async fn rest<T: DeserializeOwned>(
    api: &Api,
    document: &str,
    variables: &Value,
    below: &[&str],
    cursor: Option<String>,
) -> Result<Vec<T>, Fault> {
    let (found, _) = some(api, document, variables, below, cursor, usize::MAX).await?;
    Ok(found)
}

/// As [`rest`], `most` entries at most; and whether there are more than these.
pub(crate) async fn some<T: DeserializeOwned>(
    api: &Api,
    document: &str,
    variables: &Value,
    below: &[&str],
    cursor: Option<String>,
    most: usize,
) -> Result<(Vec<T>, bool), Fault> {
    let mut found = Vec::new();
    let mut cursor = cursor;
    loop {
        let mut variables = variables.clone();
        variables["cursor"] = json!(cursor);
        let mut reply = send(api, document, variables).await?;
        let (root, way) = below.split_first().unwrap_or((&"page", &[]));
        let mut at: Value = reply.take(root)?;
        for part in way {
            at = at[*part].take();
        }
        if at.is_null() {
            // A commit without checks, or a thread that was deleted meanwhile.
            return Ok((found, false));
        }
        let page: Page<T> = serde_json::from_value(at).map_err(|error| {
            Fault::Garbled(format!(
                "a page of GitHub's answer could not be read: {error}"
            ))
        })?;
        let next = page.next();
        found.extend(page.nodes.into_iter().flatten());
        if found.len() > most || (found.len() == most && next.is_some()) {
            found.truncate(most);
            return Ok((found, true));
        }
        match next {
            Some(next) if cursor.as_ref() != Some(&next) => cursor = Some(next),
            Some(_) => return Err(Fault::Garbled("GitHub's pages do not end".into())),
            None => return Ok((found, false)),
        }
    }
}
