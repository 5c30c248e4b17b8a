//! Answers of GitHub, tried with what GitHub never said.

use crate::api_fault::{self, ApiFault, classify_response};
use crate::graphql::GraphQlResponse;
use crate::host_schema::HostSchema;
use crate::node_conversion;
use crate::nodes::{PullNode, RepositoryNode};
use collie_core::ids::Time;
use collie_fuzz::{Target, parts};
use http::{HeaderMap, HeaderName, HeaderValue};

const NOW: Time = Time(1_700_000_000_000);
/// Longer than GitHub's words may be, with our own around them.
const MAX_WORDS: usize = 1_200;

fn target(name: &'static str, words: &'static [&'static str], iterations: u32) -> Target {
    Target {
        crate_folder: env!("CARGO_MANIFEST_DIR"),
        name,
        words,
        iterations,
    }
}

fn assert_short(fault: &ApiFault) {
    let (ApiFault::Forbidden(words)
    | ApiFault::NotFound(words)
    | ApiFault::Gone(words)
    | ApiFault::Refused(words)
    | ApiFault::Unreachable(words)
    | ApiFault::GaveUp(words)
    | ApiFault::InvalidResponse(words)) = fault
    else {
        return;
    };
    assert!(
        words.chars().count() <= MAX_WORDS,
        "{} characters",
        words.chars().count()
    );
}

/// Takes all that an answer says of a pull request through its conversion.
fn convert(pull: PullNode) -> Result<(), ApiFault> {
    let head = node_conversion::parse_sha(&pull.facts.head_ref_oid)?;
    assert_eq!(head.as_str().len(), 40);
    let _ = node_conversion::parse_pull_state(&pull.facts.state);
    let _ = node_conversion::parse_mergeable(&pull.facts.mergeable);
    for node in pull.latest.nodes.into_iter().flatten() {
        let contexts = node
            .commit
            .status_check_rollup
            .map(|rollup| rollup.contexts.page.nodes);
        for node in contexts.into_iter().flatten().flatten() {
            let (check, _) = node_conversion::check(node);
            assert!(
                check.conclusion.is_none()
                    || check.status == collie_core::snapshot::CheckStatus::Completed,
                "{check:?}"
            );
        }
    }
    for node in pull
        .reviews
        .into_iter()
        .flat_map(|page| page.nodes)
        .flatten()
    {
        node_conversion::review(node)?;
    }
    for node in pull.comments.nodes.into_iter().flatten() {
        let pending = node.state.as_deref() == Some("PENDING");
        let comment = node_conversion::comment(node)?;
        assert_eq!(comment.is_none(), pending);
    }
    for node in pull.review_threads.nodes.into_iter().flatten() {
        let thread = node_conversion::thread(node, Vec::new())?;
        assert!(thread.is_none_or(|thread| !thread.comments.is_empty()));
    }
    for node in pull.files.into_iter().flat_map(|page| page.nodes).flatten() {
        node_conversion::file(node);
    }
    Ok(())
}

const GRAPHQL_ANSWERS_WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "false",
    "0",
    "-1",
    "18446744073709551616",
    "1e9",
    "\"\"",
    "\"data\":",
    "\"errors\":",
    "\"path\":",
    "\"type\":",
    "\"message\":",
    "\"pull0\":",
    "\"pullRequest\":",
    "\"nodes\":",
    "\"pageInfo\":",
    "\"__typename\":",
    "\"CheckRun\"",
    "\"StatusContext\"",
    "\"COMPLETED\"",
    "\"PENDING\"",
    "\"SUCCESS\"",
    "\"NOT_FOUND\"",
    "\"FORBIDDEN\"",
    "\"RATE_LIMITED\"",
    "\"databaseId\"",
    "\"2026-01-24T00:00:00Z\"",
    "\\u0000",
    "\\ud800",
    "\u{202e}",
    "é",
];

/// An answer is read whole, or it is a fault whose words have an end.
#[test]
fn graphql_answers() {
    target("graphql_answers", GRAPHQL_ANSWERS_WORDS, 1_500).run(|bytes| {
        let Ok(mut answer) = serde_json::from_slice::<GraphQlResponse>(bytes) else {
            return;
        };
        match answer.take_field::<RepositoryNode<PullNode>>("pull0") {
            Ok(node) => {
                let converted = node.pull_request.map(convert);
                if let Some(Err(fault)) = converted {
                    assert!(matches!(fault, ApiFault::InvalidResponse(_)), "{fault:?}");
                    assert_short(&fault);
                }
                let twice = answer.take_field::<RepositoryNode<PullNode>>("pull0");
                assert!(twice.is_err(), "a field is taken once");
            }
            Err(fault) => assert_short(&fault),
        }
    });
}

/// Status on the first line, then headers, then the body below `%%%%`.
fn response(bytes: &[u8]) -> (u16, HeaderMap, String) {
    let [head, body] = parts::<2>(bytes);
    let mut lines = head.lines();
    let status = lines
        .next()
        .and_then(|line| line.trim().parse().ok())
        .unwrap_or(403);
    let mut headers = HeaderMap::new();
    for line in lines {
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), value.parse::<HeaderValue>()) {
            headers.insert(name, value);
        }
    }
    (status, headers, body)
}

const RATE_LIMITS_WORDS: &[&str] = &[
    "200",
    "304",
    "401",
    "403",
    "404",
    "422",
    "429",
    "500",
    "503",
    "\n",
    "retry-after: ",
    "x-ratelimit-remaining: ",
    "x-ratelimit-limit: ",
    "x-ratelimit-reset: ",
    "date: ",
    "0",
    "1",
    "-1",
    "18446744073709551615",
    "1700000100",
    "Tue, 14 Nov 2023 23:13:20 GMT",
    "Fri, 31 Dec 9999 23:59:59 GMT",
    "%%%%\n",
    "{\"message\":\"",
    "secondary rate limit",
    "\"}",
    "\\n",
    "\"errors\":[",
    "é",
    "\u{202e}",
];

/// However a limit is written, it ends: after a second at least, and never later than its hour and a little.
#[test]
fn rate_limits() {
    target("rate_limits", RATE_LIMITS_WORDS, 3_000).run(|bytes| {
        let (status, headers, body) = response(bytes);
        let fault = classify_response(status, &headers, body.as_bytes(), NOW);
        assert_eq!(fault.is_none(), matches!(status, 200..=299 | 304));
        if let Some(fault) = &fault {
            assert_short(fault);
        }
        if let Some(ApiFault::RateLimited(until)) = fault {
            assert!(
                (1_000..=65 * 60_000).contains(&until.since(NOW)),
                "{until:?}"
            );
        }
        for is_primary in [false, true] {
            let until = api_fault::retry_at(&headers, is_primary, NOW);
            assert!(
                (1_000..=65 * 60_000).contains(&until.since(NOW)),
                "{until:?}"
            );
        }
        if let Some(quota) = api_fault::parse_quota(&headers, NOW) {
            assert!(quota.resets_at.since(NOW) <= 65 * 60_000, "{quota:?}");
        }
    });
}

const UNKNOWN_FIELDS_WORDS: &[&str] = &[
    "[",
    "]",
    "{\"extensions\":{\"code\":\"undefinedField\",\"typeName\":\"",
    "\",\"fieldName\":\"",
    "\"}}",
    ",",
    "PullRequest",
    "Ref",
    "WorkflowRun",
    "IssueComment",
    "StatusCheckRollupContextConnection",
    "isInMergeQueue",
    "isMergeQueueEnabled",
    "autoMergeRequest",
    "refUpdateRule",
    "checkRunCountsByState",
    "statusContextCountsByState",
    "event",
    "fullDatabaseId",
    "mergeStateStatus",
    "%%%%\n",
    "(a: 1)",
    "{ b }",
    "{",
    "}",
    "$",
    ".",
    " ",
    "\n",
    "null",
    "é",
];

/// A server is asked without a field at most as often as there are fields that can be done without, and what is asked then has none of
/// them, is adapted once for all, and closes as many groups as it opens.
#[test]
fn unknown_fields() {
    target("unknown_fields", UNKNOWN_FIELDS_WORDS, 3_000).run(|bytes| {
        let [errors, document] = parts::<2>(bytes);
        let errors: Vec<serde_json::Value> = serde_json::from_str(&errors).unwrap_or_default();
        let schema = HostSchema::default();
        let mut asked = 0;
        while schema.learn(&errors, "3.5.0") == Ok(true) {
            asked += 1;
            assert!(asked <= 8, "{errors:?}");
        }
        let adapted = schema.adapt(&document).into_owned();
        let left_out: Vec<String> = schema.unknown_fields();
        let words = adapted.split(|c: char| !c.is_ascii_alphanumeric() && !"_$.".contains(c));
        for word in words {
            let is_left_out = |field: &String| {
                let name = field.rsplit('.').next().unwrap_or_default();
                name == word && !matches!(name, "event" | "fullDatabaseId")
            };
            assert!(!left_out.iter().any(is_left_out), "{word} in {adapted:?}");
        }
        let balance = |text: &str, open: char, close: char| {
            text.matches(open).count().cast_signed() - text.matches(close).count().cast_signed()
        };
        for (open, close) in [('(', ')'), ('{', '}')] {
            let before = balance(&document, open, close);
            if left_out.is_empty() || before == 0 && is_nested(&document) {
                assert_eq!(balance(&adapted, open, close), before, "{adapted:?}");
            }
        }
    });
}

/// Whether every group ends before the one around it, as in any document.
fn is_nested(text: &str) -> bool {
    let mut open = Vec::new();
    for c in text.chars() {
        match c {
            '(' | '{' => open.push(c),
            ')' if open.pop() != Some('(') => return false,
            '}' if open.pop() != Some('{') => return false,
            _ => {}
        }
    }
    open.is_empty()
}
