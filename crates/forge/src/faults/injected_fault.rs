//! A fault: which requests it is for, and what happens to them.

use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::observed_call::ObservedCall;
use super::request_log::RequestAuthor;
use crate::graphql::operation::RootField;

/// What a fault does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum FaultKind {
    /// The request waits before it is looked at.
    Latency {
        /// Milliseconds.
        ms: u64,
    },
    /// The answer has this status and no sense.
    Status {
        /// The status.
        code: u16,
        /// Whether the request is carried out all the same.
        #[serde(default)]
        after_write: bool,
    },
    /// The connection is closed, and nothing was done.
    DropBefore,
    /// The request is carried out, and the connection is closed without an answer.
    DropAfter,
    /// The connection is closed without an answer, and the request is carried out only then.
    LateWrite {
        /// Milliseconds until it is.
        ms: u64,
    },
    /// The request is carried out twice, as where somebody on the way sends it again; the answer is the second one's.
    Twice,
    /// A read is answered as the same request was before. As long as such a fault is set, answers are remembered.
    Stale {
        /// How many answers ago; the first one where there were fewer.
        ago: usize,
    },
    /// The organization wants single sign-on, and the token was not let in.
    Saml,
    /// The token is a fine-grained one, or an app's, without the right.
    MissingPermission,
    /// The hourly limit counts as used up.
    PrimaryRateLimit {
        /// Seconds until it counts anew.
        #[serde(default = "an_hour")]
        reset_in: u64,
        /// 403 or 429. GraphQL answers 200 with an error of type `RATE_LIMITED` instead.
        #[serde(default = "forbidden")]
        code: u16,
    },
    /// A GraphQL query that is too much for GitHub: it gives up on it after ten seconds, or leaves parts of it out.
    HeavyQuery {
        /// How many pull requests or issues of one query are still answered.
        #[serde(default)]
        over: u64,
        /// Only queries that ask for the pull request or issue of this number; of such, `over` says nothing.
        #[serde(default)]
        number: Option<u64>,
        /// How GitHub fails.
        #[serde(default)]
        answer: HeavyQueryAnswer,
    },
    /// GitHub's limit on bursts.
    SecondaryRateLimit {
        /// Seconds in `Retry-After`; the header is missing when absent, as it may be on GitHub.
        #[serde(default)]
        retry_after: Option<u64>,
        /// 403 or 429.
        #[serde(default = "forbidden")]
        code: u16,
    },
}

/// How GitHub fails at a query that is too much.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeavyQueryAnswer {
    /// A 502 with an apology.
    #[default]
    BadGateway,
    /// A 200 with an error and without data.
    Errors,
    /// A 200 with data, in which what was too much is null and has an error of type `RESOURCE_LIMITS_EXCEEDED`.
    ResourceLimits,
}

fn an_hour() -> u64 {
    3_600
}

fn forbidden() -> u16 {
    403
}

/// A fault that is set.
#[derive(Debug, Clone, Serialize)]
pub struct InjectedFault {
    /// Given by the forge.
    pub id: u64,
    /// Which requests: `[METHOD] PATTERN`, or `query`, `mutation`, each with a field or operation name if wanted.
    pub route: String,
    /// Only requests with a token of this login; of everybody when absent.
    pub login: Option<String>,
    /// What happens to them.
    #[serde(flatten)]
    pub kind: FaultKind,
    /// How many matching requests pass first.
    pub after: u64,
    /// How many it hits; every one when absent.
    pub count: Option<u64>,
    /// How likely it hits one, 0 to 1.
    pub probability: f64,
    /// How many requests matched so far.
    pub seen: u64,
    /// How many it hit.
    pub hit: u64,
    #[serde(skip)]
    pattern: RequestPattern,
}

/// Which requests a fault is for.
#[derive(Debug, Clone)]
enum RequestPattern {
    /// A method, if any, and a path: `*` stands for one segment, `**` for any number, and what follows is free.
    Path { method: Option<String>, path: Regex },
    /// A GraphQL operation of this kind, and with this root field or name, if any.
    Operation { kind: String, name: Option<String> },
}

/// The fields beside those of the kind.
#[derive(Debug, Deserialize)]
struct FaultOptions {
    #[serde(default = "everything")]
    route: String,
    login: Option<String>,
    #[serde(default)]
    after: u64,
    count: Option<u64>,
    #[serde(default = "always")]
    probability: f64,
}

fn everything() -> String {
    "/**".to_owned()
}

fn always() -> f64 {
    1.0
}

impl InjectedFault {
    /// Reads a fault as a client writes it; says what is wrong with it otherwise.
    pub(super) fn parse(value: Value) -> Result<Self, String> {
        let Value::Object(mut kind) = value else {
            return Err("a fault is an object with `kind` and, if wanted, `route`".to_owned());
        };
        let aim: serde_json::Map<String, Value> =
            ["route", "login", "after", "count", "probability"]
                .into_iter()
                .filter_map(|field| kind.remove(field).map(|value| (field.to_owned(), value)))
                .collect();
        let parse_error = |error: serde_json::Error| format!("cannot read the fault: {error}");
        let kind: FaultKind = serde_json::from_value(Value::Object(kind)).map_err(parse_error)?;
        let aim: FaultOptions = serde_json::from_value(Value::Object(aim)).map_err(parse_error)?;
        if !(0.0..=1.0).contains(&aim.probability) {
            return Err(format!(
                "a probability of {} is not between 0 and 1",
                aim.probability
            ));
        }
        if let FaultKind::Status { code, .. } = kind
            && !(400..=599).contains(&code)
        {
            return Err(format!("status {code} is no failure: give 400 to 599"));
        }
        let pattern = RequestPattern::parse(&aim.route)?;
        Ok(Self {
            id: 0,
            route: aim.route,
            login: aim.login,
            kind,
            after: aim.after,
            count: aim.count,
            probability: aim.probability,
            seen: 0,
            hit: 0,
            pattern,
        })
    }

    /// Whether it is for this request of this author.
    pub(super) fn matches(&self, call: &ObservedCall, author: &RequestAuthor) -> bool {
        if self.login.as_ref().is_some_and(|login| !author.is(login)) {
            return false;
        }
        if matches!(self.kind, FaultKind::Stale { .. }) && !call.is_read() {
            return false;
        }
        if let FaultKind::HeavyQuery { over, number, .. } = self.kind
            && too_much(call, over, number).is_empty()
        {
            return false;
        }
        match &self.pattern {
            RequestPattern::Path { method, path } => {
                method.as_deref().is_none_or(|wanted| wanted == call.method)
                    && (path.is_match(&call.path) || path.is_match(&call.template))
            }
            RequestPattern::Operation { kind, name } => {
                call.operation.as_ref().is_some_and(|operation| {
                    operation.kind == kind
                        && name.as_ref().is_none_or(|name| {
                            operation.fields.contains(name) || operation.name.as_ref() == Some(name)
                        })
                })
            }
        }
    }

    /// Counts a matching request, and tells whether it is hit.
    pub(super) fn count_and_check(&mut self) -> bool {
        self.seen += 1;
        let is_due = self.seen > self.after
            && self.count.is_none_or(|count| self.hit < count)
            && (self.probability >= 1.0 || rand::random::<f64>() < self.probability);
        if is_due {
            self.hit += 1;
        }
        is_due
    }
}

/// The fields under the root, by alias, that are too much of a query.
pub(super) fn too_much(call: &ObservedCall, over: u64, number: Option<u64>) -> Vec<String> {
    let roots = call.operation.iter().flat_map(|operation| &operation.roots);
    let of_pulls = roots.filter(|root| root.number.is_some());
    let spared = usize::try_from(over).unwrap_or(usize::MAX);
    let keys = |root: &RootField| root.key.clone();
    match number {
        Some(_) => of_pulls
            .filter(|root| root.number == number)
            .map(keys)
            .collect(),
        None => of_pulls.skip(spared).map(keys).collect(),
    }
}

impl RequestPattern {
    fn parse(route: &str) -> Result<Self, String> {
        let mut parts = route.split_whitespace();
        let (first, second, rest) = (parts.next(), parts.next(), parts.next());
        let invalid_route = || {
            format!(
                "`{route}` is no route: write `[METHOD] /path/*/**`, `query [field]` or `mutation [field]`"
            )
        };
        match (first, second, rest) {
            (Some(kind @ ("query" | "mutation")), name, None) => Ok(Self::Operation {
                kind: kind.to_owned(),
                name: name.map(ToOwned::to_owned),
            }),
            (Some(path), None, None) if path.starts_with('/') => Ok(Self::Path {
                method: None,
                path: path_pattern(path).ok_or_else(invalid_route)?,
            }),
            (Some(method), Some(path), None) if path.starts_with('/') => Ok(Self::Path {
                method: Some(method.to_ascii_uppercase()),
                path: path_pattern(path).ok_or_else(invalid_route)?,
            }),
            _ => Err(invalid_route()),
        }
    }
}

/// Turns a path pattern into a regular expression: a plain path covers all below it, a `*` or `{name}` one segment.
fn path_pattern(pattern: &str) -> Option<Regex> {
    let covers_subpaths = !pattern.contains('*') && !pattern.contains('{');
    let segments: Vec<String> = pattern
        .trim_end_matches('/')
        .split('/')
        .map(|segment| match segment {
            "**" => ".*".to_owned(),
            _ if segment.starts_with('{') && segment.ends_with('}') => "[^/]+".to_owned(),
            _ => regex::escape(segment).replace(r"\*", "[^/]*"),
        })
        .collect();
    let end = if covers_subpaths { "(/.*)?" } else { "" };
    Regex::new(&format!("^{}{end}$", segments.join("/"))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, path: &str, expect: bool) {
        let regex = path_pattern(pattern).expect("the pattern is well formed");
        assert_eq!(regex.is_match(path), expect, "{pattern} on {path}");
    }

    #[test]
    fn a_path_pattern_covers_what_it_says() {
        check("/repos", "/repos/o/r/pulls", true);
        check("/repos", "/reposx", false);
        check("/repos/*/*/pulls", "/repos/o/r/pulls", true);
        check("/repos/*/*/pulls", "/repos/o/r/pulls/1", false);
        check("/repos/**", "/repos/o/r/pulls/1", true);
        check("/**", "/graphql", true);
        check("/**/git-receive-pack", "/o/r.git/git-receive-pack", true);
        check(
            "/repos/{owner}/{repo}/pulls/{n}",
            "/repos/o/r/pulls/1",
            true,
        );
        check(
            "/repos/{owner}/{repo}/pulls/{n}",
            "/repos/{owner}/{repo}/pulls/{pull_number}",
            true,
        );
        check("/a.b", "/aXb", false);
    }

    #[test]
    fn a_fault_that_makes_no_sense_is_refused_in_words() {
        for (fault, expect) in [
            (r#"{"kind":"latency"}"#, "missing field `ms`"),
            (r#"{"kind":"explode"}"#, "unknown variant `explode`"),
            (r#"{"kind":"drop_before","route":"repos"}"#, "no route"),
            (r#"{"kind":"status","code":200}"#, "no failure"),
            (
                r#"{"kind":"drop_before","probability":2}"#,
                "not between 0 and 1",
            ),
            (
                r#"{"kind":"latency","ms":1,"colour":"red"}"#,
                "unknown field `colour`",
            ),
            ("[]", "an object"),
        ] {
            let value = serde_json::from_str(fault).expect("the case is JSON");
            let error = InjectedFault::parse(value).expect_err("the fault is refused");
            assert!(error.contains(expect), "{fault}: {error}");
        }
    }
}
