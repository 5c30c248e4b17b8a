//! What can go wrong with a call, and what it means to the reader and to the writer.

use crate::host_schema::UnknownField;
use crate::quota::Quota;
use collie_core::ids::Time;
use collie_core::own_accounts::AppProblem;
use collie_core::snapshot::ObserveFailure;
use collie_engine::ports::GitHubError;
use http::HeaderMap;
use serde_json::Value;

/// GitHub's words are cut after so many characters.
const MAX_MESSAGE_CHARS: usize = 1_000;
/// GitHub's advice for a secondary limit that names no time.
const SECONDARY_WAIT_MS: u64 = 60_000;
/// A limit never lasts longer than its hour; a wrong clock must not stop Collie for days.
const MAX_WAIT_MS: u64 = 65 * 60_000;

/// A call that did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiFault {
    /// 401.
    Unauthorized,
    /// The GitHub App gets no token.
    App(AppProblem),
    /// 403 that is no rate limit.
    Forbidden(String),
    /// 404.
    NotFound(String),
    /// 410.
    Gone(String),
    /// Any other 4xx: 409, 422, and a redirect that is not followed.
    Refused(String),
    /// The host does not know a field that cannot be done without.
    UnknownField(UnknownField),
    /// A primary or secondary rate limit, until then.
    RateLimited(Time),
    /// A cut connection, a timeout, a 5xx: a write may have taken effect.
    Unreachable(String),
    /// GitHub gave up on the request, or on that part of it: a 502 or 504, an error in place of data. It may have been too much.
    GaveUp(String),
    /// An answer that cannot be read: it says nothing about whether GitHub is up.
    InvalidResponse(String),
    /// The circuit breaker is open until then; nothing was sent.
    BreakerOpen(Time),
}

impl ApiFault {
    /// What it means for a reading.
    pub fn into_observe_failure(self) -> ObserveFailure {
        match self {
            ApiFault::Unauthorized => ObserveFailure::Unauthorized,
            ApiFault::App(problem) => ObserveFailure::App { problem },
            ApiFault::Forbidden(message) => ObserveFailure::Forbidden { message },
            ApiFault::NotFound(_) => ObserveFailure::NotFound,
            ApiFault::UnknownField(UnknownField { field, version }) => {
                ObserveFailure::ServerTooOld { field, version }
            }
            ApiFault::RateLimited(until) => ObserveFailure::RateLimited { until },
            ApiFault::BreakerOpen(until) => ObserveFailure::BreakerOpen { until },
            ApiFault::Gone(message)
            | ApiFault::Refused(message)
            | ApiFault::Unreachable(message)
            | ApiFault::GaveUp(message)
            | ApiFault::InvalidResponse(message) => ObserveFailure::Unreachable { message },
        }
    }

    /// What it means for a write of `what`: a 404 is a refusal, since the thing answered to is gone.
    pub fn into_write_error(self, host: &str, what: &str) -> GitHubError {
        let (host, what) = (host.to_string(), what.to_string());
        match self {
            ApiFault::Unauthorized => GitHubError::Unauthorized { host },
            ApiFault::App(problem) => GitHubError::App { host, problem },
            ApiFault::NotFound(message) | ApiFault::Gone(message) => GitHubError::Undeliverable {
                host,
                what,
                message,
            },
            ApiFault::Forbidden(message) | ApiFault::Refused(message)
                if is_undeliverable(&message) =>
            {
                GitHubError::Undeliverable {
                    host,
                    what,
                    message,
                }
            }
            ApiFault::Forbidden(message) | ApiFault::Refused(message) => GitHubError::Refused {
                host,
                what,
                message,
            },
            ApiFault::UnknownField(UnknownField { field, version }) => GitHubError::ServerTooOld {
                host,
                field,
                version,
            },
            ApiFault::RateLimited(until) | ApiFault::BreakerOpen(until) => {
                GitHubError::RetryLater { host, until }
            }
            ApiFault::Unreachable(message)
            | ApiFault::GaveUp(message)
            | ApiFault::InvalidResponse(message) => GitHubError::OutcomeUnknown {
                host,
                what,
                message,
            },
        }
    }

    /// What it means for a single read of `what`, which may not exist.
    pub fn into_read_error(self, host: &str, what: &str) -> GitHubError {
        match self {
            ApiFault::NotFound(_) => GitHubError::NotFound {
                what: what.to_string(),
                host: host.to_string(),
                other_accounts: Vec::new(),
            },
            other => other.into_write_error(host, what),
        }
    }
}

/// What GitHub says of a write that no right and no waiting makes possible: a locked conversation, lines that the diff does not have,
/// a commit that is not there any more.
fn is_undeliverable(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    let says = [
        "is locked",
        "lock prevents",
        "could not be resolved",
        "part of the diff",
        "no commit found",
    ];
    says.iter().any(|words| message.contains(words))
}

/// Judges an answer by its status; none when it is a good one.
pub fn classify_response(
    status: u16,
    headers: &HeaderMap,
    body: &[u8],
    now: Time,
) -> Option<ApiFault> {
    if matches!(status, 200..=299 | 304) {
        return None;
    }
    let message = error_message(status, body);
    Some(match status {
        401 => ApiFault::Unauthorized,
        403 | 429 if status == 429 || is_rate_limit(headers, &message) => {
            ApiFault::RateLimited(retry_at(headers, is_primary_limit(headers, &message), now))
        }
        403 => ApiFault::Forbidden(with_remedy(message, headers)),
        404 => ApiFault::NotFound(message),
        410 => ApiFault::Gone(message),
        502 | 504 => ApiFault::GaveUp(message),
        408 | 500..=599 => ApiFault::Unreachable(message),
        _ => ApiFault::Refused(message),
    })
}

/// GitHub's words, with the headers that say what would make it possible: the permissions that a fine-grained token lacks, and where a
/// token is let in by single sign-on.
fn with_remedy(mut message: String, headers: &HeaderMap) -> String {
    for name in ["x-accepted-github-permissions", "x-github-sso"] {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            message.push_str(&format!(" ({name}: {value})"));
        }
    }
    truncate_message(&message)
}

/// Whether a 403 is a rate limit: GitHub answers both kinds with 403 or 429.
fn is_rate_limit(headers: &HeaderMap, message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    header_number(headers, "x-ratelimit-remaining") == Some(0)
        || headers.contains_key("retry-after")
        || message.contains("secondary rate limit")
        || message.contains("rate limit exceeded")
}

/// Whether a rate limit is the hourly one. A query that costs more than what is left is refused as well: `remaining` is not 0 then.
fn is_primary_limit(headers: &HeaderMap, message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    let is_secondary =
        headers.contains_key("retry-after") || message.contains("secondary rate limit");
    let is_spent = header_number(headers, "x-ratelimit-remaining") == Some(0);
    !is_secondary && (is_spent || message.contains("rate limit exceeded"))
}

/// Until when GitHub asks to wait: `Retry-After`, else the reset of the hourly quota where that is the limit, else a minute.
///
/// The reset is taken against the `Date` of the same answer, so that a wrong clock here does no harm.
pub(crate) fn retry_at(headers: &HeaderMap, is_primary: bool, now: Time) -> Time {
    let wait_ms = if let Some(seconds) = header_number(headers, "retry-after") {
        seconds.saturating_mul(1_000)
    } else if let (true, Some(reset)) = (is_primary, header_number(headers, "x-ratelimit-reset")) {
        let server_now =
            response_date(headers).unwrap_or_else(|| u64::try_from(now.0 / 1_000).unwrap_or(0));
        reset.saturating_sub(server_now).saturating_mul(1_000)
    } else {
        SECONDARY_WAIT_MS
    };
    now.plus(wait_ms.clamp(1_000, MAX_WAIT_MS))
}

/// What an answer tells of its quota; none where the host has no limits.
pub(crate) fn parse_quota(headers: &HeaderMap, now: Time) -> Option<Quota> {
    let reset = header_number(headers, "x-ratelimit-reset")?;
    let server_now =
        response_date(headers).unwrap_or_else(|| u64::try_from(now.0 / 1_000).unwrap_or(0));
    let wait_ms = reset.saturating_sub(server_now).saturating_mul(1_000);
    Some(Quota {
        remaining: header_number(headers, "x-ratelimit-remaining")?,
        limit: header_number(headers, "x-ratelimit-limit")?,
        resets_at: now.plus(wait_ms.min(MAX_WAIT_MS)),
    })
}

/// What time it is on the host, to a second, as an answer tells.
pub(crate) fn host_time(headers: &HeaderMap) -> Option<Time> {
    let seconds = i64::try_from(response_date(headers)?).ok()?;
    Some(Time(seconds.saturating_mul(1_000)))
}

fn header_number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

/// Seconds since 1970 of the answer's `Date`.
fn response_date(headers: &HeaderMap) -> Option<u64> {
    let text = headers.get("date")?.to_str().ok()?;
    let at = jiff::fmt::rfc2822::DateTimeParser::new()
        .parse_timestamp(text)
        .ok()?;
    u64::try_from(at.as_second()).ok()
}

/// GitHub's message with its details, on one line.
fn error_message(status: u16, body: &[u8]) -> String {
    let json: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    let mut message = match json["message"].as_str() {
        Some(message) if !message.is_empty() => message.to_string(),
        _ => format!("HTTP status {status}"),
    };
    let details: Vec<String> = json["errors"]
        .as_array()
        .into_iter()
        .flatten()
        .map(error_detail)
        .collect();
    if !details.is_empty() {
        message.push_str(": ");
        message.push_str(&details.join("; "));
    } else if let Some(text) = json["errors"].as_str() {
        message.push_str(": ");
        message.push_str(text);
    }
    truncate_message(&message)
}

/// One entry of `errors`: a text, a message, or resource, field and code.
fn error_detail(error: &Value) -> String {
    if let Some(text) = error.as_str().or_else(|| error["message"].as_str()) {
        return text.to_string();
    }
    let parts: Vec<&str> = ["resource", "field", "code"]
        .iter()
        .filter_map(|key| error[*key].as_str())
        .collect();
    parts.join(" ")
}

/// Cuts a text to what an error message may carry.
pub(crate) fn truncate_message(text: &str) -> String {
    text.chars().take(MAX_MESSAGE_CHARS).collect()
}

/// What is not there, or not for us to see, is no reason to throw a reading away.
pub(crate) fn ok_if_hidden<T>(answer: Result<T, ApiFault>) -> Result<Option<T>, ApiFault> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(
            ApiFault::NotFound(_)
            | ApiFault::Forbidden(_)
            | ApiFault::Gone(_)
            | ApiFault::Refused(_),
        ) => Ok(None),
        Err(fault) => Err(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time(1_700_000_000_000);

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                (
                    http::HeaderName::from_static(name),
                    value.parse().expect("a value"),
                )
            })
            .collect()
    }

    #[track_caller]
    fn check(status: u16, pairs: &[(&'static str, &str)], body: &str, expect: Option<ApiFault>) {
        assert_eq!(
            classify_response(status, &headers(pairs), body.as_bytes(), NOW),
            expect
        );
    }

    #[test]
    fn every_status_has_its_meaning() {
        let text = |text: &str| text.to_string();
        check(200, &[], "", None);
        check(201, &[], "", None);
        check(304, &[], "", None);
        check(401, &[], "", Some(ApiFault::Unauthorized));
        check(
            403,
            &[],
            r#"{"message":"No"}"#,
            Some(ApiFault::Forbidden(text("No"))),
        );
        check(
            404,
            &[],
            r#"{"message":"Not Found"}"#,
            Some(ApiFault::NotFound(text("Not Found"))),
        );
        check(
            410,
            &[],
            "<html>",
            Some(ApiFault::Gone(text("HTTP status 410"))),
        );
        check(
            307,
            &[],
            "",
            Some(ApiFault::Refused(text("HTTP status 307"))),
        );
        check(
            502,
            &[],
            "",
            Some(ApiFault::GaveUp(text("HTTP status 502"))),
        );
        check(
            503,
            &[],
            "",
            Some(ApiFault::Unreachable(text("HTTP status 503"))),
        );
        let body = r#"{"message":"Validation Failed","errors":["a",{"message":"b"},{"resource":"C","field":"line","code":"invalid"}]}"#;
        check(
            422,
            &[],
            body,
            Some(ApiFault::Refused(text(
                "Validation Failed: a; b; C line invalid",
            ))),
        );
    }

    #[test]
    fn a_refusal_names_what_the_token_lacks() {
        let words = r#"{"message":"Resource not accessible by personal access token"}"#;
        let headers = [("x-accepted-github-permissions", "pull_requests=write")];
        let lacks = "Resource not accessible by personal access token (x-accepted-github-permissions: pull_requests=write)";
        check(
            403,
            &headers,
            words,
            Some(ApiFault::Forbidden(lacks.into())),
        );
        let sso = [(
            "x-github-sso",
            "required; url=https://github.com/orgs/acme/sso",
        )];
        let url = "SAML (x-github-sso: required; url=https://github.com/orgs/acme/sso)";
        let words = r#"{"message":"SAML"}"#;
        check(403, &sso, words, Some(ApiFault::Forbidden(url.into())));
    }

    #[test]
    fn only_what_is_gone_or_locked_is_undeliverable() {
        let check = |fault: ApiFault, expected: bool| {
            let error = fault.into_write_error("github.com", "a comment");
            let is_final = matches!(error, GitHubError::Undeliverable { .. });
            assert_eq!(is_final, expected, "{error}");
        };
        check(ApiFault::NotFound("Not Found".into()), true);
        check(ApiFault::Gone("Gone".into()), true);
        let locked = "Unable to create comment because issue is locked.";
        check(ApiFault::Forbidden(locked.into()), true);
        check(ApiFault::Refused("lock prevents review".into()), true);
        let lines = "Validation Failed: pull_request_review_thread.line must be part of the diff";
        check(ApiFault::Refused(lines.into()), true);
        let saml = "Resource protected by organization SAML enforcement.";
        check(ApiFault::Forbidden(saml.into()), false);
        let pending = "User can only have one pending review per pull request";
        check(ApiFault::Refused(pending.into()), false);
        check(ApiFault::Unauthorized, false);
    }

    #[test]
    fn rate_limits_are_distinguished_from_refusals_and_say_until_when() {
        let wait = |ms| Some(ApiFault::RateLimited(NOW.plus(ms)));
        check(429, &[], "", wait(60_000));
        check(429, &[("retry-after", "7")], "", wait(7_000));
        check(403, &[("retry-after", "0")], "", wait(1_000));
        check(
            403,
            &[],
            r#"{"message":"You have exceeded a secondary rate limit"}"#,
            wait(60_000),
        );
        let spent = [
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "1700000100"),
        ];
        check(403, &spent, "", wait(100_000));
        // Fewer points are left than the request costs.
        let too_little = [
            ("x-ratelimit-remaining", "12"),
            ("x-ratelimit-reset", "1700000100"),
        ];
        let words = r#"{"message":"API rate limit exceeded for user ID 1."}"#;
        check(403, &too_little, words, wait(100_000));
        check(429, &too_little, "", wait(60_000));
        // A local clock that is 1 h off does not matter when the answer carries its date.
        let dated = [
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "1700003620"),
            ("date", "Tue, 14 Nov 2023 23:13:20 GMT"),
        ];
        check(403, &dated, "", wait(20_000));
        let far = [
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset", "9999999999"),
        ];
        check(403, &far, "", wait(65 * 60_000));
    }
}
