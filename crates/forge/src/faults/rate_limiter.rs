//! GitHub's primary rate limits: 5,000 requests, and 5,000 GraphQL points, an hour and token.

use std::collections::BTreeMap;

use axum::Json;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde_json::json;

/// Requests, or points, an hour for a token.
const HOURLY_LIMIT: u64 = 5_000;
/// Requests an hour for those who bring none.
const ANONYMOUS_LIMIT: u64 = 60;
/// The length of a window, in seconds.
const WINDOW_SECONDS: i64 = 3_600;
/// How those without a token are counted.
const ANONYMOUS_HOLDER: &str = "anonymous";

/// Where a token stands with one rate limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimitStatus {
    /// `core` or `graphql`.
    pub resource: &'static str,
    /// Requests or points an hour.
    pub limit: u64,
    /// Used in this window.
    pub used: u64,
    /// End of the window, in seconds since 1970.
    pub reset: i64,
    /// What this request cost.
    pub cost: u64,
}

/// Where a token stands with both limits, for `GET /rate_limit`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimitPair {
    /// REST.
    pub core: RateLimitStatus,
    /// GraphQL.
    pub graphql: RateLimitStatus,
}

impl RateLimitStatus {
    /// A limit that is used up.
    pub(super) fn spent(resource: &'static str, reset_in: u64) -> Self {
        Self {
            resource,
            limit: HOURLY_LIMIT,
            used: HOURLY_LIMIT,
            reset: Timestamp::now().as_second() + i64::try_from(reset_in).unwrap_or(WINDOW_SECONDS),
            cost: 0,
        }
    }

    /// The limit of a request that did not come through the gate.
    pub(crate) fn unlimited() -> Self {
        Self {
            resource: "graphql",
            limit: HOURLY_LIMIT,
            used: 0,
            reset: Timestamp::now().as_second() + WINDOW_SECONDS,
            cost: 1,
        }
    }

    /// Requests or points left in this window.
    pub fn remaining(&self) -> u64 {
        self.limit.saturating_sub(self.used)
    }

    /// Writes GitHub's headers.
    pub(super) fn write_headers(&self, headers: &mut HeaderMap) {
        for (name, value) in [
            ("x-ratelimit-limit", self.limit.to_string()),
            ("x-ratelimit-remaining", self.remaining().to_string()),
            ("x-ratelimit-reset", self.reset.to_string()),
            ("x-ratelimit-used", self.used.to_string()),
            ("x-ratelimit-resource", self.resource.to_owned()),
        ] {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
    }

    /// GitHub's refusal: GraphQL answers 200 with an error unless another status is wanted, REST 403 or 429.
    pub(super) fn refusal_response(&self, holder: &str, graphql: bool, code: u16) -> Response {
        let message = match holder.strip_prefix("forge-") {
            Some(login) => format!("API rate limit exceeded for user {login}."),
            None => "API rate limit exceeded.".to_owned(),
        };
        let mut response = if graphql && code == 403 {
            let body = json!({"errors": [{"type": "RATE_LIMITED", "message": message}]});
            Json(body).into_response()
        } else {
            let code = StatusCode::from_u16(code).unwrap_or(StatusCode::FORBIDDEN);
            let body = json!({
                "message": message,
                "documentation_url": "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api",
            });
            (code, Json(body)).into_response()
        };
        self.write_headers(response.headers_mut());
        response
    }
}

/// Reads the token of a request, whatever its scheme.
fn token_of(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    value.split_whitespace().next_back()
}

/// Names whom a request is charged to: its token, or nobody.
pub(super) fn holder(headers: &HeaderMap) -> String {
    token_of(headers).unwrap_or(ANONYMOUS_HOLDER).to_owned()
}

/// All limits of all tokens.
#[derive(Debug, Default)]
pub(super) struct RateLimiter {
    windows: BTreeMap<(String, &'static str), Window>,
    /// What a window that opens anew starts with, set for every token at once.
    presets: BTreeMap<&'static str, Window>,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    used: u64,
    reset: i64,
}

impl RateLimiter {
    /// Tells where a token stands.
    pub(super) fn status(&mut self, holder: &str, resource: &'static str) -> RateLimitStatus {
        let window = *self.window(holder, resource);
        RateLimitStatus {
            resource,
            limit: limit_of(holder),
            used: window.used,
            reset: window.reset,
            cost: 0,
        }
    }

    /// Tells where a token stands with both limits.
    pub(super) fn status_of_both(&mut self, holder: &str) -> RateLimitPair {
        RateLimitPair {
            core: self.status(holder, "core"),
            graphql: self.status(holder, "graphql"),
        }
    }

    /// Charges `price`, or refuses when less is left.
    pub(super) fn charge(
        &mut self,
        holder: &str,
        resource: &'static str,
        cost: u64,
    ) -> Result<RateLimitStatus, RateLimitStatus> {
        let before = self.status(holder, resource);
        if before.remaining() < cost {
            return Err(before);
        }
        self.window(holder, resource).used += cost;
        let mut quota = self.status(holder, resource);
        quota.cost = cost;
        Ok(quota)
    }

    /// Gives `price` back.
    pub(super) fn refund(
        &mut self,
        holder: &str,
        resource: &'static str,
        cost: u64,
    ) -> RateLimitStatus {
        let window = self.window(holder, resource);
        window.used = window.used.saturating_sub(cost);
        self.status(holder, resource)
    }

    /// Sets what is left, for one token or for all.
    pub(super) fn set(
        &mut self,
        holder: Option<&str>,
        resource: &'static str,
        remaining: u64,
        reset: Option<i64>,
    ) {
        let reset = reset.unwrap_or_else(|| Timestamp::now().as_second() + WINDOW_SECONDS);
        match holder {
            Some(holder) => {
                let used = limit_of(holder).saturating_sub(remaining);
                *self.window(holder, resource) = Window { used, reset };
            }
            None => {
                let used = HOURLY_LIMIT.saturating_sub(remaining);
                self.windows.retain(|(_, found), _| *found != resource);
                self.presets.insert(resource, Window { used, reset });
            }
        }
    }

    fn window(&mut self, holder: &str, resource: &'static str) -> &mut Window {
        let now = Timestamp::now().as_second();
        let fresh = Window {
            used: 0,
            reset: now + WINDOW_SECONDS,
        };
        let preset = self.presets.get(resource).copied();
        let window = self
            .windows
            .entry((holder.to_owned(), resource))
            .or_insert(preset.filter(|preset| preset.reset > now).unwrap_or(fresh));
        if window.reset <= now {
            *window = fresh;
        }
        window
    }
}

/// The limit of a token, or of nobody.
fn limit_of(holder: &str) -> u64 {
    if holder == ANONYMOUS_HOLDER {
        ANONYMOUS_LIMIT
    } else {
        HOURLY_LIMIT
    }
}
